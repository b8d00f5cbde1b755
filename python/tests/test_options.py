"""Every door of the package takes the options of the command, and shows them."""

import inspect

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spuna
from spuna._options import CALLS


def test_a_clean_of_anything_takes_p_values(quick, tmp_path):
    options, trusted, pool = quick
    table = pa.table({"id": range(len(pool)), "embedding": list(pool)})
    pq.write_table(table, tmp_path / "pool.parquet")
    kinds = {
        "table": lambda: table,
        "path": lambda: tmp_path / "pool.parquet",
        "reader": lambda: table.to_reader(),
        "matrix": lambda: pool,
    }
    found = {}
    for kind, rows in kinds.items():
        cleaned = spuna.clean(trusted, rows(), p_values=True, **options)
        result = pa.table(cleaned)
        assert result.column_names[-3:] == ["spuna_score", "spuna_keep", "spuna_p_value"], kind
        assert cleaned.model.report()["fit"]["rows_calibration"] == 50, kind
        found[kind] = result["spuna_p_value"].to_numpy()
    for kind in kinds:
        np.testing.assert_allclose(found[kind], found["table"], atol=2e-6)


def test_a_clean_is_split_as_the_command_splits_it(quick):
    options, trusted, pool = quick
    more = {"prefix": "my_", "drop": True, "max_clean_loss": 0.1, "calibration_rows": 60}
    table = pa.table({"embedding": list(pool)})
    cleaned = spuna.clean(trusted, table, **more, **options)
    assert pa.table(cleaned).column_names == ["embedding", "my_score", "my_keep"]
    assert cleaned.model.report()["fit"]["rows_calibration"] == 60
    assert pa.table(cleaned).num_rows < len(pool)
    once = spuna.clean(trusted, table.to_reader(), **more, **options)
    assert once.model.to_bytes() == cleaned.model.to_bytes()


def test_switches_take_words_and_booleans(quick):
    options, trusted, pool = quick
    models = [spuna.fit(trusted, pool, discriminant=value, **options) for value in ("off", False)]
    assert models[0].to_bytes() == models[1].to_bytes()
    assert models[0].report()["options"]["discriminant"] == "off"
    assert spuna.fit(trusted, pool, discriminant="on", **options).report()["options"]["discriminant"] == "on"


def test_streams_are_sampled_and_refuse_what_they_cannot_give(quick):
    options, trusted, pool = quick
    model = spuna.fit(trusted, pool, fit_rows=100, **options)
    assert model.report()["fit"]["rows_pool"] == 100
    assert model.report()["fit"]["sampled_from"] == 400
    with pytest.raises(ValueError, match="by-partition is for fits on Parquet files"):
        spuna.fit(trusted, pool, fit_sample="by-partition", **options)


@pytest.mark.parametrize(
    ("call", "command"),
    [(spuna.fit, "fit"), (spuna.clean, "clean"), (spuna.Model.score, "score"), (spuna.Model.scores, "score")],
)
def test_signatures_and_help_have_every_option(call, command):
    parameters = inspect.signature(call).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name, option in CALLS[command].items():
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default == option.default
        assert f"\n{name} : {option.annotation}, default " in call.__doc__


def test_the_defaults_that_are_shown_are_those_that_work(quick):
    options, trusted, pool = quick
    shown = {name: option.default for name, option in CALLS["fit"].items() if name not in options}
    assert spuna.fit(trusted, pool, **shown, **options).to_bytes() == spuna.fit(trusted, pool, **options).to_bytes()


def test_what_a_call_cannot_offer_is_said(quick):
    options, trusted, pool = quick
    with pytest.raises(ValueError, match="`labels` is for the command `spuna fit`: it names a file to write"):
        spuna.fit(trusted, pool, labels="x", **options)
    with pytest.raises(ValueError, match="there is no option `p_value`; did you mean `p_values`"):
        spuna.clean(trusted, pool, p_value=True, **options)


def test_rows_that_belong_together_are_kept_whole(tmp_path):
    rng = np.random.default_rng(0)

    def videos(name, count):
        rows = np.repeat(3 * rng.normal(size=(count, 6)), 5, axis=0) + rng.normal(size=(5 * count, 6))
        names = [f"{name}{i // 5}" for i in range(5 * count)]
        return pa.table({"embedding": list(rows.astype(np.float32)), "video": names})

    trusted, pool = videos("trusted ", 40), videos("pool ", 50)
    options = {"epochs": 2, "hidden": 8, "fold_by": "video", "max_clean_loss": 0.1}
    by_stream = spuna.fit(trusted, pool, **options)
    assert by_stream.report()["fit"]["rows_calibration"] == 10
    assert by_stream.report()["fit"]["shift"]["least_p_value"] == 0.0025
    pq.write_table(trusted, tmp_path / "trusted.parquet")
    pq.write_table(pool, tmp_path / "pool.parquet")
    by_files = spuna.fit(tmp_path / "trusted.parquet", tmp_path / "pool.parquet", **options)
    assert by_files.to_bytes() == by_stream.to_bytes()
    by_both = spuna.fit(tmp_path / "trusted.parquet", pool.to_reader(), **options)
    assert by_both.to_bytes() == by_stream.to_bytes()
    with pytest.raises(ValueError, match="`fold_by`: group 'trusted 0' of column 'video' is in the trusted rows and"):
        spuna.clean(trusted, trusted, **options)
