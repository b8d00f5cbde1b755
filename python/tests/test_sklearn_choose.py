"""SpunaDetector in pipelines, cross-validation and searches, and the scorer that ranks settings."""

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import spuna

QUICK = {"epochs": 3, "hidden": 16}
# A setting that must lose: its distances see only the columns with a large spread.
BAD = {"recipe": "paper", "metric": "euclidean"}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def rows():
    """Rows of ten columns, of which one has the shift and others a spread that hides it from distances."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 10)) * np.r_[1, np.full(9, 30)]
    X[800:, 0] += 3
    return X, np.repeat([0, 1], [400, 800]), np.repeat([0, 1], [800, 400])


def pipeline(**options):
    return Pipeline([("scale", StandardScaler()), ("detector", spuna.SpunaDetector(**QUICK, **options))])


def test_the_scorer_follows_from_the_truth(rows):
    X, y, shifted = rows
    detector = spuna.SpunaDetector(**QUICK).fit(X[::2], y[::2])
    held_out = X[1::2], y[1::2]
    found = spuna.separation_scorer(detector, *held_out)
    assert found == detector.score(*held_out)
    assert found == roc_auc_score(held_out[1], -detector.decision_function(held_out[0]))
    # The identity is exact where the clean rows of the pool are the trusted rows.
    clean, bad = X[1::2][shifted[1::2] == 0], X[1::2][shifted[1::2] == 1]
    for num_bad in (40, 200):
        pool = np.concatenate([clean, bad[:num_bad]])
        truth = roc_auc_score(np.repeat([0, 1], [len(clean), num_bad]), -detector.score_samples(pool))
        share = num_bad / len(pool)
        both = np.concatenate([clean, pool]), np.repeat([0, 1], [len(clean), len(pool)])
        expected = share * truth + (1 - share) / 2
        assert spuna.separation_scorer(detector, *both) == pytest.approx(expected, abs=1e-9)


def test_the_scorer_takes_weights(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(**QUICK).fit(X, y)
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    expected = pytest.approx(detector.score(X[repeated], y[repeated]))
    assert detector.score(X, y, sample_weight=weights) == expected
    assert spuna.separation_scorer(detector, X, y, sample_weight=weights) == expected


def test_the_scorer_of_scikit_learn_is_the_other_way_round(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(**QUICK).fit(X, y)
    reverse = sklearn.metrics.get_scorer("roc_auc")(detector, X, y)
    assert reverse == pytest.approx(1 - detector.score(X, y))
    assert reverse < 0.4


def test_the_scorer_compares_with_other_detectors(rows):
    X, y, _ = rows
    forest = IsolationForest(random_state=0).fit(X)
    assert spuna.separation_scorer(forest, X, y) == roc_auc_score(y, -forest.score_samples(X))
    with pytest.raises(AttributeError, match="decision_function"):
        spuna.separation_scorer(DummyClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="y: expected 0 for trusted rows and 1 for rows of the pool, but found None"):
        spuna.separation_scorer(forest, X, None)


@pytest.mark.parametrize("scoring", [None, "ours"])
def test_cross_validation_ranks_settings(rows, scoring):
    X, y, _ = rows
    scoring = spuna.separation_scorer if scoring else None
    good, bad = (
        cross_val_score(spuna.SpunaDetector(**QUICK, **options), X, y, cv=FOLDS, scoring=scoring)
        for options in ({}, BAD)
    )
    # Half of the pool is shifted, so 0.75 is the most.
    assert 0.68 < good.mean() < 0.78
    assert bad.mean() < good.mean() - 0.05


@pytest.mark.parametrize("labels", ["numbers", "booleans"])
def test_a_search_finds_the_better_setting(rows, labels):
    X, y, shifted = rows
    grid = [{"recipe": ["paper"], "metric": ["euclidean"]}, {"recipe": ["robust"], "k": [20, 30]}]
    search = GridSearchCV(spuna.SpunaDetector(**QUICK), grid, cv=FOLDS, error_score="raise")
    search.fit(X, y == 1 if labels == "booleans" else y)
    assert search.best_params_["recipe"] == "robust"
    # The truth, which the search has not seen, agrees.
    truths = [
        roc_auc_score(shifted, -spuna.SpunaDetector(**QUICK, **params).fit(X, y).score_samples(X))
        for params in search.cv_results_["params"]
    ]
    assert np.argmin(truths) == np.argmin(search.cv_results_["mean_test_score"]) == 0
    assert np.array_equal(search.predict(X), search.best_estimator_.predict(X))
    assert search.score(X, y) == search.best_estimator_.score(X, y)


def test_a_search_runs_in_several_processes(rows):
    X, y, _ = rows
    search = {
        jobs: GridSearchCV(
            spuna.SpunaDetector(n_jobs=1, **QUICK), {"epochs": [1, 3]}, cv=FOLDS, n_jobs=jobs, error_score="raise"
        ).fit(X, y)
        for jobs in (1, 2)
    }
    assert np.array_equal(search[1].cv_results_["mean_test_score"], search[2].cv_results_["mean_test_score"])


def test_what_decides_cannot_be_chosen_by_it(rows):
    X, y, _ = rows
    grid = {"threshold": [0.1, 0.5, 0.9]}
    search = GridSearchCV(spuna.SpunaDetector(**QUICK), grid, cv=FOLDS, error_score="raise").fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) == 1


def test_a_pipeline_is_a_detector(rows):
    X, y, shifted = rows
    pipe = pipeline()
    assert sklearn.base.is_outlier_detector(pipe)
    pipe.fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    alone = spuna.SpunaDetector(**QUICK).fit(scaled, y)
    assert pipe["detector"].model_.to_bytes() == alone.model_.to_bytes()
    assert np.array_equal(pipe.predict(X), alone.predict(scaled))
    assert np.array_equal(pipe.decision_function(X), alone.decision_function(scaled))
    assert pipe.score(X, y) == spuna.separation_scorer(pipe, X, y) == alone.score(scaled, y)
    assert np.array_equal(pipeline().fit_predict(X, y), pipe.predict(X))
    assert np.corrcoef(pipe.predict(X), shifted)[0, 1] < -0.5


def test_a_pipeline_takes_marks(rows):
    X, y, _ = rows
    expected = pipeline().fit(X, y)["detector"].model_.to_bytes()
    assert pipeline().fit(X, detector__trusted=y == 0)["detector"].model_.to_bytes() == expected
    with pytest.raises(ValueError, match="requires y to be passed"):
        pipeline().fit(X)


def test_marks_are_routed(rows):
    X, y, _ = rows
    expected = pipeline().fit(X, y)["detector"].model_.to_bytes()
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = pipeline()
        pipe["detector"].set_fit_request(trusted=True)
        assert pipe.fit(X, trusted=y == 0)["detector"].model_.to_bytes() == expected
        for scoring in (None, spuna.separation_scorer):
            scores = cross_val_score(pipeline(), X, y, cv=FOLDS, scoring=scoring, error_score="raise")
            assert scores.min() > 0.65


@pytest.mark.parametrize("scoring", [None, "ours"])
def test_a_search_over_a_pipeline(scoring):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1200, 10)), np.repeat([0, 1], [400, 800])
    X[800:] += 2
    X[:, 0] *= 100  # the paper's distances need columns of one spread
    grid = {"scale": ["passthrough", StandardScaler()], "detector__epochs": [5]}
    scoring = spuna.separation_scorer if scoring else None
    search = GridSearchCV(pipeline(recipe="paper"), grid, cv=FOLDS, scoring=scoring, error_score="raise").fit(X, y)
    assert isinstance(search.best_params_["scale"], StandardScaler)
    assert search.best_score_ > search.cv_results_["mean_test_score"].min() + 0.03
    assert search.best_estimator_["detector"].get_params()["epochs"] == 5


def test_a_fold_without_one_of_the_classes_is_reported(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(**QUICK)
    text = "expected two classes, 0 for trusted rows .* for cross-validation use StratifiedKFold"
    # The rows are in order: of three folds the first has trusted rows only, of four the second has both.
    with pytest.raises(ValueError, match=text):
        cross_val_score(detector, X, y, cv=KFold(3), error_score="raise")
    with pytest.warns(UserWarning, match="Scoring failed"):
        scores = cross_val_score(detector, X, y, cv=KFold(4))
    assert np.isnan(scores[[0, 2, 3]]).all()
    assert 0.4 < scores[1] < 0.6  # its 100 trusted rows and 200 clean ones of the pool
