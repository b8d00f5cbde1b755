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
def detectors(quick):
    options, trusted, pool = quick
    names = {"threads": "n_jobs"}
    options = {names.get(name, name): value for name, value in options.items()}
    rows, labels = np.concatenate([trusted, pool]), np.repeat([0, 1], [len(trusted), len(pool)])
    return {name: spuna.SpunaDetector(**rule, **options).fit(rows, labels) for name, rule in RULES.items()}


@pytest.mark.parametrize("rule", RULES)
def test_a_detector_takes_what_decides(models, detectors, rule):
    assert detectors[rule].model_.to_bytes() == models[rule].to_bytes()
    assert detectors[rule].threshold_ == models[rule].threshold


@pytest.mark.parametrize("rule", RULES)
def test_a_detector_predicts_what_the_model_decides(models, detectors, quick, rule):
    detector = detectors[rule]
    scores, keep = decisions(models[rule], quick[2])
    assert np.array_equal(detector.predict(quick[2]), np.where(keep, 1, -1))
    assert np.array_equal(detector.score_samples(quick[2]), -scores.astype(np.float64))
    margin = detector.decision_function(quick[2])
    assert np.array_equal(margin >= 0, keep)
    assert np.isfinite(margin).all()


@pytest.mark.parametrize("rule", RULES)
def test_the_decision_function_is_the_distance_to_what_decides(models, detectors, quick, rule):
    detector, model = detectors[rule], models[rule]
    margin = detector.decision_function(quick[2])
    if rule == "cross":
        p_values = pa.table(model.score(quick[2], p_values=True))["spuna_p_value"].to_numpy()
        assert detector.offset_ is None
        expected = p_values.astype(np.float64) - model.report()["calibration"]["p_value_cutoff"]
    else:
        assert detector.offset_ == -min(model.threshold, 1)
        expected = detector.score_samples(quick[2]) - detector.offset_
    np.testing.assert_allclose(margin, expected, rtol=0, atol=1e-30)


def test_a_row_right_on_the_threshold_is_dropped(models, quick):
    _, trusted, pool = quick
    scores = models["default"].scores(pool)
    on = int(np.argsort(scores)[len(scores) // 2])
    rows, labels = np.concatenate([trusted, pool]), np.repeat([0, 1], [len(trusted), len(pool)])
    detector = spuna.SpunaDetector(epochs=3, alpha=20, k=20, threshold=float(scores[on])).fit(rows, labels)
    margin = detector.decision_function(pool)
    assert detector.predict(pool)[on] == -1
    assert margin[on] < 0
    assert margin.astype(np.float32)[on] < 0
    assert margin[on] == margin[margin < 0].max()
    assert np.array_equal(np.where(margin >= 0, 1, -1), detector.predict(pool))


@pytest.mark.parametrize("rule", RULES)
def test_a_detector_labels_what_it_was_fitted_on_as_the_model_decides(models, detectors, quick, rule):
    _, trusted, pool = quick
    rows, fitted = np.concatenate([trusted, pool]), detectors[rule]
    scores, keep = decisions(models[rule], rows)
    assert fitted.threshold_ == models[rule].threshold
    assert np.array_equal(fitted.labels_, 1 - keep.astype(int))
    assert np.array_equal(fitted.decision_scores_, scores.astype(np.float64))
    assert np.array_equal(fitted.predict(rows), np.where(keep, 1, -1))


def test_a_detector_keeps_a_share(quick):
    _, trusted, pool = quick
    rows, labels = np.concatenate([trusted, pool]), np.repeat([False, True], [len(trusted), len(pool)])
    detector = spuna.SpunaDetector(epochs=3, keep_share=0.7).fit(rows, labels)
    assert (detector.predict(pool) == 1).mean() == pytest.approx(0.7, abs=0.01)
    with pytest.raises(ValueError, match="keep_share"):
        spuna.SpunaDetector(epochs=3, keep_share=0.7, threshold=0.5).fit(rows, labels)
