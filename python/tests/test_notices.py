"""Warnings, the log, and how results look in a notebook."""

import logging
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spuna


def caught(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    assert all(issubclass(w.category, spuna.SpunaWarning) for w in seen)
    assert all(w.filename == __file__ for w in seen), [w.filename for w in seen]
    return [str(w.message) for w in seen]


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    pool = rng.normal(size=(400, 6))
    pool[:200] += 2
    return rng.normal(size=(250, 6)), pool


@pytest.mark.parametrize("call", [spuna.fit, spuna.clean])
def test_what_the_command_warns_of_is_warned_of(call, rows):
    trusted, pool = rows
    assert caught(lambda: call(trusted, pool, epochs=2)) == []
    few = caught(lambda: call(trusted[:60], pool, epochs=2))
    assert any(re.match("few trusted rows: 60 of dimension 6: with fewer than 200 shifts are missed", t) for t in few)
    leaked = caught(lambda: call(trusted, np.concatenate([pool, trusted[:3]]), epochs=2))
    assert leaked == [
        "trusted in pool: 3 trusted rows are also in the pool (equal embeddings): any evaluation on it is too good"
    ]
    pool = pool.copy()
    pool[5] = np.nan
    assert caught(lambda: call(trusted, pool, epochs=2)) == [
        "invalid rows: 0 trusted, 1 pool: null or non-finite, not used"
    ]


@pytest.mark.parametrize("call", [spuna.fit, spuna.clean])
def test_inputs_that_mislead_are_warned_of(call):
    rng = np.random.default_rng(1)
    trusted, pool = rng.normal(size=(500, 32)), rng.normal(size=(500, 32))
    pool[:200] += 2
    assert caught(lambda: call(trusted, pool, epochs=2)) == []
    assert caught(lambda: call(np.concatenate([trusted] * 3), pool, epochs=2)) == [
        "repeated trusted rows: 1,000 of 1,500 equal an earlier one: each counts once"
    ]
    near = np.concatenate([pool, trusted[:9].astype(np.float16)])
    assert caught(lambda: call(trusted, near, epochs=2)) == [
        "trusted nearly in pool: 9 trusted rows have a near copy in the pool, as after rounding: any evaluation on it "
        "is too good"
    ]
    assert any(t.startswith("normalization: ") for t in caught(lambda: call(trusted, 255 * pool, epochs=2)))
    pool[:480] += 2
    dropped = [t for t in caught(lambda: call(trusted, pool, epochs=2)) if t.startswith("nearly all dropped: ")]
    assert len(dropped) == (1 if call is spuna.clean else 0)


def test_a_model_without_a_proven_shift_says_so_wherever_it_is_used(rows):
    trusted, pool = rows
    rng = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spuna.SpunaWarning)
        model = spuna.fit(trusted, rng.normal(size=(300, 6)))
    assert model.verdict == "undecided"
    assert model.threshold == float("inf")
    for use in (lambda: model.score(pool), lambda: model.scores(pool), lambda: spuna.monitor(model, pool)):
        (text,) = caught(use)
        assert text.startswith("the fit of this model: verdict: undecided: no shift proven")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spuna.SpunaWarning)
        # Rows that the fit has not seen are kept as well, but for those that are far.
        assert pa.table(model.score(pool + 100, far="keep"))["spuna_keep"].to_pylist() == [True] * len(pool)
        assert pa.table(model.score(pool + 100))["spuna_keep"].to_pylist() == [False] * len(pool)
    shifted = spuna.fit(trusted, pool, epochs=2)
    assert shifted.verdict == "shift"
    assert caught(lambda: shifted.scores(pool)) == []
    paper = spuna.fit(trusted, pool, recipe="paper", alpha=10, epochs=2)
    assert paper.verdict is None


@pytest.mark.parametrize("call", [spuna.fit, spuna.clean])
def test_no_shift_is_warned_of_in_pythons_words(call):
    rng = np.random.default_rng(0)
    trusted, pool = rng.normal(size=(250, 4)), rng.normal(size=(300, 4))
    (text,) = caught(lambda: call(trusted, pool, epochs=2))
    assert text.startswith("verdict: undecided: no shift proven (p = ")
    assert re.search(r"Look at the highest scores \(20 rows score at least 0\.\d+\), ", text)
    assert text.endswith("or use `max_clean_loss=0.02`")
    assert "nothing is dropped. Up to" in text
    assert re.search("(about [0-9,]+|many) more trusted rows (would|are needed to) settle it", text)
    (text,) = caught(lambda: call(trusted, pool, epochs=2, max_clean_loss=0.1))
    assert "; rows are dropped by the rule that was asked for. Up to" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error", spuna.SpunaWarning)
        with pytest.raises(spuna.SpunaWarning):
            call(trusted, pool, epochs=2)


def test_warnings_of_the_detector_point_to_its_user(rows):
    pytest.importorskip("sklearn")
    trusted, pool = rows
    X, y = np.concatenate([trusted[:60], pool]), np.repeat([0, 1], [60, len(pool)])
    detector = spuna.SpunaDetector(epochs=2)
    # Where they point is checked by `caught`.
    for call in (lambda: detector.fit(X, y), lambda: detector.fit_predict(X, y)):
        (text,) = caught(call)
        assert text.startswith("few trusted rows: 60 of dimension 6")


def test_skipped_files_are_warned_of(rows, tmp_path):
    trusted, pool = tmp_path / "trusted.parquet", tmp_path / "lake"
    pool.mkdir()
    pq.write_table(pa.table({"embedding": list(rows[0])}), trusted)
    pq.write_table(pa.table({"embedding": list(rows[1])}), pool / "a.parquet")
    model = spuna.fit(trusted, pool, epochs=2)
    calls = [
        lambda: spuna.fit(trusted, pool, epochs=2, on_bad_file="skip"),
        lambda: spuna.clean(trusted, pool, epochs=2, on_bad_file="skip"),
        lambda: spuna.plan(trusted, pool, epochs=2, on_bad_file="skip"),
        lambda: model.scores(pool, on_bad_file="skip"),
        lambda: pa.table(model.score(pool, on_bad_file="skip")),
        lambda: model.score(pool, on_bad_file="skip").to_pandas(),
    ]
    assert [caught(call) for call in calls] == [[]] * len(calls)
    (pool / "b.parquet").write_bytes(b"no Parquet")
    for call in calls:
        (text,) = caught(call)
        assert re.match(r"files skipped: 1 could not be read; the first: .*b\.parquet: ", text)


def test_invalid_rows_of_a_batch_are_warned_of(rows, tmp_path):
    trusted, pool = rows
    model = spuna.fit(trusted, pool, epochs=2)
    assert caught(lambda: spuna.monitor(model, pool)) == []
    assert "invalid" not in repr(spuna.monitor(model, pool))
    pool = pool.copy()
    pool[3:5] = np.nan
    pq.write_table(pa.table({"embedding": list(pool)}), tmp_path / "batch.parquet")
    for batch in (pool, tmp_path / "batch.parquet"):
        seen = []
        texts = caught(lambda: seen.append(spuna.monitor(model, batch)))
        assert texts == ["invalid rows: 2 of 400: null or non-finite, not used"]
        assert re.match(r"<spuna.Monitored: batch 1, 400 rows, \d+ to drop, 2 invalid, shift detected", repr(seen[0]))


def test_stages_are_logged(rows, caplog):
    trusted, pool = rows
    told = []
    with caplog.at_level(logging.INFO, logger="spuna"):
        spuna.clean(trusted, pool, epochs=2, progress=lambda stage, done: told.append(stage))
    messages = [record.getMessage() for record in caplog.records if record.name == "spuna"]
    stages = list(dict.fromkeys(told))
    assert list(dict.fromkeys(messages[:-1])) == [f"clean: {stage}" for stage in stages]
    assert {"read", "cross_fit", "distill", "score"} <= set(stages)
    assert re.fullmatch(r"clean: done after \d+\.\d seconds", messages[-1])
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="spuna"), pytest.raises(ValueError):
        spuna.fit(trusted, pool[:, :2])
    assert re.fullmatch(r"fit: ended by ValueError after \d+\.\d seconds", caplog.records[-1].getMessage())
    caplog.clear()
    spuna.fit(trusted, pool, epochs=1)
    assert caplog.records == []


class Page(HTMLParser):
    """Tags and text of a page; fails where tags are not closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open = [], "", []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_results_in_a_notebook(rows):
    trusted, pool = rows
    cleaned = spuna.clean(trusted, pool, epochs=2)
    shown = [cleaned, cleaned.model, spuna.monitor(cleaned.model, pool)]
    for result in shown:
        html = result._repr_html_()
        page = Page(html)
        assert len(html) < 8000
        assert type(result).__name__ in page.text
        # No color of the text or the page is set, so that it fits a light and a dark theme.
        assert not re.search(r"(?<!-)\bcolor:(?!inherit)", html) and "background:#fff" not in html
    assert "rows to keep" in Page(cleaned._repr_html_()).text


def test_hostile_texts_do_nothing_in_a_notebook(rows):
    trusted, pool = rows
    hostile = '<script>alert("x")</script>'
    table = pa.table({"embedding": list(pool), "g": [hostile] * len(pool)})
    cleaned = spuna.clean(trusted, table, group_by=["g"], epochs=2)
    page = Page(cleaned._repr_html_())
    assert "script" not in page.tags
    assert hostile in page.text


def test_messages_speak_python(rows, tmp_path):
    trusted, pool = rows
    model = spuna.fit(trusted, pool, epochs=1)
    model.save(tmp_path / "m.safetensors")
    with pytest.raises(OSError) as raised:
        model.save(tmp_path / "m.safetensors")
    assert "add `overwrite=True`" in str(raised.value) and "--" not in str(raised.value)
    with pytest.raises(ValueError) as raised:
        spuna.clean(trusted, pool, max_clean_loss=0.1, keep_share=0.5)
    assert "`max_clean_loss` and `keep_share` both say" in str(raised.value)
    # A stream names no kind of error before its message.
    broken = pa.table({"embedding": [[1.0] * 6, [1.0] * 5]})
    for read in (lambda: pa.table(model.score(broken)), lambda: model.scores(broken)):
        with pytest.raises(ValueError) as raised:
            read()
        assert not str(raised.value).startswith("Invalid") and "expected dimension 6 but found 5" in str(raised.value)
    pq.write_table(broken, tmp_path / "broken.parquet")
    with pytest.raises(ValueError, match="broken.parquet: expected dimension 6 but found 5 at row 1"):
        model.scores(tmp_path / "broken.parquet")
