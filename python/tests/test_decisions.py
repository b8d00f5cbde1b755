"""What decides which rows are kept, and how models and detectors report it."""

import math
import pickle

import numpy as np
import pyarrow as pa
import pytest

import spuna

RULES = {
    "default": {},
    "threshold": {"threshold": 0.7},
    "max_clean_loss": {"max_clean_loss": 0.1},
    "cross": {"max_clean_loss": 0.1, "calibration": "cross"},
    "drops nothing": {"max_false_drops": 1e-6},
}


@pytest.fixture(scope="module")
def models(quick):
    options, trusted, pool = quick
    return {name: spuna.fit(trusted, pool, **rule, **options) for name, rule in RULES.items()}


def decisions(model, rows):
    """Score and decision of every row, in the model's own columns."""
    table = pa.table(model.score(rows))
    return (table[name].to_numpy() for name in ("spuna_score", "spuna_keep"))


@pytest.mark.parametrize(
    ("rule", "threshold", "words"),
    [
        ("default", 0.5, "threshold 0.5"),
        ("threshold", 0.7, "threshold 0.7"),
        ("cross", None, "decides by p-values"),
        ("drops nothing", math.inf, "drops nothing"),
    ],
)
def test_a_model_reports_what_decides(models, rule, threshold, words):
    for model in (models[rule], pickle.loads(pickle.dumps(models[rule]))):
        assert model.threshold == threshold
        assert repr(model) == (
            f"<spuna.Model: dimension 6, {words}, fitted on "
            f"{model.report()['fit']['rows_trusted']} trusted and 400 pool rows>"
        )


@pytest.mark.parametrize("rule", ["default", "threshold", "max_clean_loss", "drops nothing"])
def test_rows_that_score_below_the_threshold_are_kept(models, quick, rule):
    scores, keep = decisions(models[rule], quick[2])
    assert np.array_equal(keep, scores < models[rule].threshold)
    assert keep.all() == (rule == "drops nothing")
    assert keep.any()


def test_p_values_decide_otherwise_than_one_half(models, quick):
    scores, keep = decisions(models["cross"], quick[2])
    assert 0 < keep.sum() < len(keep)
    assert not np.array_equal(keep, scores < 0.5)


@pytest.fixture(scope="module")
def detector(quick):
    _, trusted, pool = quick
    labels = np.repeat([0, 1], [len(trusted), len(pool)])
    return spuna.SpunaDetector(epochs=3).fit(np.concatenate([trusted, pool]), labels)


@pytest.mark.parametrize("rule", RULES)
def test_a_detector_predicts_what_the_model_decides(models, detector, quick, rule, monkeypatch):
    # The detector has no option that decides, so it gets a model that was fitted with one.
    monkeypatch.setattr(detector, "model_", models[rule])
    monkeypatch.setattr(detector, "threshold_", models[rule].threshold)
    scores, keep = decisions(models[rule], quick[2])
    assert np.array_equal(detector.predict(quick[2]), 1 - keep.astype(int))
    assert np.array_equal(detector.decision_function(quick[2]), scores.astype(np.float64))


@pytest.mark.parametrize("rule", RULES)
def test_a_detector_labels_what_it_was_fitted_on_as_the_model_decides(
    models, quick, rule, monkeypatch
):
    _, trusted, pool = quick
    monkeypatch.setattr("spuna._sklearn.fit", lambda *args, **options: models[rule])
    rows = np.concatenate([trusted, pool])
    fitted = spuna.SpunaDetector().fit(rows, np.repeat([3, 8], [len(trusted), len(pool)]))
    scores, keep = decisions(models[rule], rows)
    assert fitted.threshold_ == models[rule].threshold
    assert np.array_equal(fitted.labels_, 1 - keep.astype(int))
    assert np.array_equal(fitted.decision_scores_, scores.astype(np.float64))
    assert np.array_equal(fitted.predict(rows), np.where(keep, 3, 8))
