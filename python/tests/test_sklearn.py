import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import spuna


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 8))
    X[600:] += 2
    return X, np.repeat([0, 1], [300, 600]), np.repeat([0, 1], [600, 300])


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks():
    # None is excused. The check of the array API needs an environment variable and is skipped.
    results = check_estimator(spuna.SpunaDetector(epochs=2, hidden=8), on_fail=None, on_skip=None)
    failed = {r["check_name"]: str(r["exception"]) for r in results if r["status"] == "failed"}
    assert failed == {}
    skipped = [r["check_name"] for r in results if r["status"] == "skipped"]
    assert skipped in ([], ["check_array_api_input"])
    assert len(results) > 30


def test_it_detects(rows):
    X, y, shifted = rows
    detector = spuna.SpunaDetector(epochs=5, random_state=3).fit(X, y)
    scores = detector.decision_function(X)
    assert scores[shifted == 1].mean() > 0.8 > 0.2 > scores[shifted == 0].mean()
    assert (detector.predict(X) == shifted).mean() > 0.97
    assert np.array_equal(detector.labels_, detector.predict(X))
    assert np.array_equal(detector.decision_scores_, scores)
    assert detector.threshold_ == 0.5


def test_it_is_spuna_fit(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(epochs=5, random_state=3, k=50).fit(X, y)
    model = spuna.fit(X[:300], X[300:], epochs=5, seed=3, k=50)
    assert detector.model_.to_bytes() == model.to_bytes()


def test_parameters(rows):
    X, y, _ = rows
    for state in (np.random.default_rng(0), np.random.RandomState(0)):
        spuna.SpunaDetector(epochs=1, random_state=state).fit(X, y)
    detector = spuna.SpunaDetector(alpha=10, n_jobs=1)
    assert detector.get_params()["alpha"] == 10
    copied = clone(detector).set_params(k=5, epochs=1)
    assert copied.fit(X, y).model_.report()["options"]["k"] == 5
    with pytest.raises(ValueError, match="`k` must be between 1"):
        detector.set_params(k=0).fit(X, y)
    with pytest.raises(ValueError, match="expected two classes, 0 for trusted rows and 1 for the pool"):
        spuna.SpunaDetector().fit(X, np.zeros(len(X)))
