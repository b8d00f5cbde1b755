"""spuna.review is the command of that name, and `reviewed` takes what a person said."""

import json
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import run_command

import spuna


def said(rows: pa.Table, verdict) -> pa.Table:
    """The rows with their verdicts filled in; `verdict` is a text, or makes one of an id."""
    column = rows.column_names.index("verdict")
    answers = [verdict if isinstance(verdict, str) else verdict(id) for id in rows["id"].to_pylist()]
    return rows.set_column(column, "verdict", pa.array(answers, pa.string()))


@pytest.fixture
def faint():
    """Trusted rows and a pool of which the first 20 rows are shifted a little."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(400, 6))
    rows[:20] += 1.2
    pool = pa.table({"id": [f"img-{i}" for i in range(400)], "embedding": list(rows)})
    return rng.normal(size=(300, 6)), pool


def is_shifted(id: str) -> str:
    return "shifted" if int(id.rpartition("-")[2]) < 20 else "clean"


def test_a_review_is_the_commands(sample, tmp_path):
    trusted, pool, listed = sample / "trusted.parquet", sample / "pool.parquet", tmp_path / "list.parquet"
    printed = run_command("review", "--trusted", trusted, "--pool", pool, "--list", listed, "--rows", 30)
    review = spuna.review(trusted, pool, rows=30)
    assert pa.table(review).equals(pq.read_table(listed))
    assert pa.table(review).equals(pa.table(review))
    found = review.to_dict()
    for key in ("seconds", "peak_memory_bytes"):
        assert found.pop(key) is not None and printed.pop(key) is not None
    assert printed.pop("list") == str(listed)
    assert found == printed
    assert repr(review) == "<spuna.Review: 30 rows to look at>"
    assert "rows to look at" in review.summary() and "`spuna.clean(trusted, pool" in review.summary()


def test_the_page_is_written_and_shown(sample, tmp_path):
    review = spuna.review(sample / "trusted.parquet", sample / "pool.parquet", rows=5)
    page = tmp_path / "review.html"
    review.save(page)
    assert page.read_text() == review.page and review.page.lower().startswith("<!doctype html>")
    with pytest.raises(FileExistsError, match="exists; pass overwrite=True to replace it"):
        review.save(page)
    review.save(page, overwrite=True)
    with pytest.raises(OSError, match="`pool`"):
        review.save(sample / "pool.parquet", overwrite=True)
    shown = review._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown


def test_verdicts_are_learned_and_decide_their_rows(faint):
    trusted, pool = faint
    looks = spuna.review(trusted, pool, rows=40)
    verdicts = said(pa.table(looks), is_shifted)
    cleaned = spuna.clean(trusted, pool, reviewed=verdicts, id="id")
    told = cleaned.to_dict()["review"]
    assert told["learned"] is True and told["shifted"] + told["clean"] == len(verdicts)
    assert told["estimates"]["looks_dropped"] + told["estimates"]["looks_kept"] == told["random"]
    dropped = set(cleaned.dropped)
    for row in verdicts.to_pylist():
        if row["input"] == "pool":
            assert (row["id"] in dropped) == (row["verdict"] == "shifted")
    # The next review asks about other rows.
    again = pa.table(spuna.review(trusted, pool, rows=40, reviewed=[verdicts]))
    assert not set(again["id"].to_pylist()) & set(verdicts["id"].to_pylist())


def test_paths_and_tables_say_the_same(faint, tmp_path):
    trusted, pool = faint
    verdicts = said(pa.table(spuna.review(trusted, pool, rows=20)), is_shifted)
    pq.write_table(verdicts, tmp_path / "said.parquet")
    with open(tmp_path / "said.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in verdicts.to_pylist())
    models = [
        spuna.fit(trusted, pool, reviewed=given, epochs=2).report()
        for given in (verdicts, tmp_path / "said.parquet", [str(tmp_path / "said.jsonl")])
    ]
    for model in models:
        model["hash"] = model["fit"]["review"]["hash"] = None
    assert models[0] == models[1] == models[2]


def test_numpy_rows_are_named_by_their_numbers(faint):
    trusted, pool = faint
    rows = np.array(pool["embedding"].to_pylist())
    looks = pa.table(spuna.review(trusted, rows, rows=10))
    assert looks["id"].to_pylist() != looks["row"].to_pylist()
    assert set(looks["file"].to_pylist()) == {""}
    cleaned = spuna.clean(trusted, rows, reviewed=said(looks, "clean"))
    assert not set(cleaned.dropped) & set(looks["row"].to_pylist())


def test_rows_beside_files_are_found_by_their_ids(faint, tmp_path):
    trusted, pool = faint
    pq.write_table(pool, tmp_path / "pool.parquet")
    verdicts = pa.table({"id": ["img-3", "img-200"], "verdict": ["shifted", "clean"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", spuna.SpunaWarning)
        model = spuna.fit(trusted, tmp_path / "pool.parquet", embedding="embedding", reviewed=verdicts, epochs=2)
    assert model.report()["fit"]["review"]["shifted"] == 1


def test_a_model_chooses_too(sample, tmp_path):
    model = spuna.fit(sample / "trusted.parquet", sample / "pool.parquet")
    model.save(tmp_path / "m.safetensors")
    by_path = spuna.review(None, sample / "pool.parquet", model=tmp_path / "m.safetensors", rows=10)
    by_model = spuna.review(None, pq.read_table(sample / "pool.parquet"), model=model, rows=10)
    assert pa.table(by_path)["row"].equals(pa.table(by_model)["row"])


def test_what_cannot_be_used_is_said(faint, sample, tmp_path):
    trusted, pool = faint
    with pytest.raises(ValueError, match="`trusted` or `model` is required"):
        spuna.review(None, pool)
    with pytest.raises(TypeError, match="model: expected a spuna.Model or the path of one but found int"):
        spuna.review(trusted, pool, model=3)
    with pytest.raises(TypeError, match="`reviewed`: expected paths or tables .* but found dict"):
        spuna.clean(trusted, pool, reviewed={"id": "verdict"})
    with pytest.raises(ValueError, match="expected verdict shifted, clean or unsure but found 'bad'"):
        spuna.clean(trusted, pool, reviewed=pa.table({"id": ["img-3"], "verdict": ["bad"]}))
    with pytest.raises(OSError, match="none.csv: no such file"):
        spuna.fit(trusted, pool, reviewed=tmp_path / "none.csv")
    with pytest.raises(ValueError, match="did you mean `reviewed`"):
        spuna.clean(trusted, pool, review="x.csv")
    with pytest.warns(spuna.SpunaWarning, match="reviewed rows: 1 .*'img-999'"):
        spuna.clean(trusted, pool, reviewed=pa.table({"id": ["img-999"], "verdict": ["clean"]}))


def test_ctrl_c_and_progress(sample):
    stages = []

    def stop(stage, done):
        stages.append(stage)
        if stage == "distill":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spuna.review(sample / "trusted.parquet", sample / "pool.parquet", progress=stop)
    assert "read" in stages
