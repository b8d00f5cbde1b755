import numpy as np
import pyarrow as pa
import pytest

import spuna


def test_mistakes_are_found_before_the_fit(sample, pool, model, by_command):
    def never(stage, done):
        raise AssertionError("the fit has started")

    for source, options, message in (
        (by_command, {}, "there is a column 'spuna_score' already"),
        (sample / "command.parquet", {}, "there is a column 'spuna_score' already"),
        (pool, {"drop": "yes"}, "`drop`: expected true or false"),
    ):
        with pytest.raises(ValueError, match=message):
            spuna.clean(sample / "trusted.parquet", source, progress=never, **options)
    with pytest.raises(ValueError, match="there is no option `alpha`"):
        model.score(pool, alpha=1)


def test_a_path_with_a_null_byte_is_refused(sample, model, quick, tmp_path, monkeypatch):
    options, trusted, pool = quick
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_bytes((sample / "pool.parquet").read_bytes())
    file, bad = sample / "pool.parquet", "x\0y.parquet"
    cleaned = spuna.clean(trusted, pool, **options)
    calls = {
        "trusted": [lambda: spuna.fit(bad, file), lambda: spuna.clean(bad, pool), lambda: spuna.plan([bad], file)],
        "pool": [lambda: spuna.fit(file, bad), lambda: spuna.clean(trusted, [bad]), lambda: spuna.plan(file, bad)],
        "data": [
            lambda: pa.table(model.score(bad)), lambda: model.scores([bad]), lambda: spuna.monitor(model, bad),
            lambda: spuna.evaluate(bad, "shifted"),
        ],
        "out": [lambda: spuna.plan(file, file, bad)],
        "path": [lambda: model.save(bad), lambda: spuna.Model.load(bad)],
        "model": [lambda: spuna.monitor(bad, file)],
        "reasons": [lambda: cleaned.reasons(bad)],
        "report": [lambda: cleaned.report(bad), lambda: spuna.monitor(model, file, report=bad)],
        "state": [lambda: spuna.monitor(model, file, state=bad)],
        "metrics": [lambda: spuna.monitor(model, file, metrics=bad)],
    }
    for argument, attempts in calls.items():
        for attempt in attempts:
            with pytest.raises(ValueError, match=f"^`{argument}`: expected a path but found one with a null byte"):
                attempt()
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t, p: spuna.fit(t, p, alpa=1), ValueError, "there is no option `alpa`; did you mean `alpha`"),
        (lambda t, p: spuna.fit(t, p, progres=1), ValueError, "no option `progres`; did you mean `progress`"),
        (lambda t, p: spuna.clean(t, p, Progress=1), ValueError, "no option `Progress`; did you mean `progress`"),
        (lambda t, p: spuna.clean(t, p, prefx="a"), ValueError, "no option `prefx`; did you mean `prefix`"),
        (lambda t, p: spuna.plan("t", "p", outt="o"), ValueError, "no option `outt`; did you mean `out`"),
        (lambda t, p: spuna.plan("t", "p", overwrit=True), ValueError, "no option `overwrit`; did .* `overwrite`"),
        (lambda t, p: spuna.monitor("m", p, progess=1), ValueError, "no option `progess`; did you mean `progress`"),
        (lambda t, p: spuna.fit(t, p, k=0), ValueError, "`k` must be between 1 and"),
        (lambda t, p: spuna.fit(t, p, k="ten"), ValueError, '`k`: expected a whole number but found "ten"'),
        (lambda t, p: spuna.fit(t, p, k=object()), TypeError, "^`k`: an option can't be a object"),
        (lambda t, p: spuna.fit(t, p, alpha=np.array([1, 2])), TypeError, "^`alpha`: expected one value but"),
        (lambda t, p: spuna.clean(t, p, group_by=[b"g"]), TypeError, "^`group_by`: an option can't be a bytes"),
        *(
            (lambda t, p, v=v: spuna.fit(t, p, threshold=v), ValueError, "^`threshold`: expected a finite number")
            for v in (np.float16("nan"), np.float32("nan"), np.float64("inf"), np.array(np.inf), float("nan"))
        ),
        (lambda t, p: spuna.fit(t, p[:, :3]), ValueError, "expected dimension 6"),
        (lambda t, p: spuna.fit(t[:0], p), ValueError, "there are no rows"),
        (lambda t, p: spuna.fit(t, 7), TypeError, "a path or a list of paths.*but found int"),
        (lambda t, p: spuna.fit(t, p[0]), ValueError, "expected a 2-d array of numbers"),
        (lambda t, p: spuna.fit(t, np.array([["a"]])), ValueError, "expected a 2-d array of numbers"),
        (lambda t, p: spuna.fit("/nowhere.parquet", p), OSError, "/nowhere.parquet"),
        (lambda t, p: spuna.fit(t, []), ValueError, "`pool`: expected a path or a .* but found an empty list"),
        (lambda t, p: spuna.clean([], p), ValueError, "`trusted`: .* but found an empty list"),
        (lambda t, p: spuna.clean("t.parquet", ()), ValueError, "`pool`: .* but found an empty list"),
        (lambda t, p: spuna.clean(t, ""), ValueError, "`pool`: expected a path but found an empty text"),
        (lambda t, p: spuna.plan("t.parquet", [""]), ValueError, "`pool`: expected a path but found an empty text"),
        (lambda t, p: spuna.fit(t, [1]), TypeError, "but found list"),
        (lambda t, p: spuna.fit(t, p, progress=3), TypeError, "progress: expected None, True or"),
        (lambda t, p: spuna.Model.load("/nowhere"), OSError, "/nowhere"),
        (lambda t, p: spuna.Model.from_bytes(b"no"), ValueError, "^the model in these bytes can't be used: "),
        (lambda t, p: spuna.Model.from_bytes("no"), TypeError, "^`data`: expected the bytes of a .* found str"),
        (lambda t, p: spuna.evaluate(t, truth=None), TypeError, "^`truth`: expected the name of .* found None$"),
        (lambda t, p: spuna.evaluate(t, "a", 3), TypeError, "^`score`: expected the name of a column but found 3$"),
        (lambda t, p: spuna.evaluate(pa.table({"a": [1]}), "b"), ValueError, "there is no column 'b'"),
        (lambda t, p: spuna.clean(t, p, by="neighbors"), ValueError, "there is no option `by`"),
    ],
)
def test_what_is_wrong_is_said(quick, call, error, message):
    _, trusted, pool = quick
    with pytest.raises(error, match=message):
        call(trusted, pool)
