"""SpunaDetector as scikit-learn uses it. test_sklearn_choose.py has cross-validation and searches."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import spuna
from spuna._options import CALLS

QUICK = {"epochs": 2, "hidden": 8}
# The checks that give no labels, and those that give 1 and 2.
WITHOUT_LABELS = {"check_outliers_fit_predict", "check_outliers_train"}
WITH_OTHER_LABELS = {"check_estimators_dtypes", "check_classifier_data_not_an_array", "check_fit2d_1feature"}


class Labeling(spuna.SpunaDetector):
    """Takes the labels of scikit-learn's checks: 1 and 2, or none, where half of the upper rows are trusted."""

    def fit(self, X, y=None, *, trusted=None):
        if y is None and trusted is None:
            trusted = (np.asarray(X)[:, 1] > 2) & (np.arange(len(X)) % 2 == 0)
        elif set(np.asarray(y).ravel().tolist()) == {1, 2}:
            y = np.asarray(y) - 1
        return super().fit(X, y, trusted=trusted)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 8))
    X[600:] += 2
    return X, np.repeat([0, 1], [300, 600]), np.repeat([0, 1], [600, 300])


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks():
    # None is excused. The check of the array API needs an environment variable and is skipped.
    results = check_estimator(Labeling(**QUICK), on_fail=None, on_skip=None)
    failed = {r["check_name"]: str(r["exception"]) for r in results if r["status"] == "failed"}
    assert failed == {}
    skipped = [r["check_name"] for r in results if r["status"] == "skipped"]
    assert skipped in ([], ["check_array_api_input"])
    assert WITHOUT_LABELS < {r["check_name"] for r in results}
    assert len(results) > 40


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_fail_only_at_their_labels():
    results = check_estimator(spuna.SpunaDetector(**QUICK), on_fail=None, on_skip=None)
    failed = {r["check_name"]: str(r["exception"]) for r in results if r["status"] == "failed"}
    assert failed.keys() == WITHOUT_LABELS | WITH_OTHER_LABELS
    for name, message in failed.items():
        is_refused = "requires y to be passed" if name in WITHOUT_LABELS else "but found 1, 2; from other labels"
        assert is_refused in message, name


def test_it_is_an_outlier_detector():
    assert is_outlier_detector(spuna.SpunaDetector())
    assert not is_classifier(spuna.SpunaDetector())


def test_it_detects(rows):
    X, y, shifted = rows
    detector = spuna.SpunaDetector(epochs=5, random_state=3).fit(X, y)
    scores = detector.decision_scores_
    assert scores[shifted == 1].mean() > 0.8
    assert scores[shifted == 0].mean() < 0.2
    assert (detector.labels_ == shifted).mean() > 0.97
    assert detector.threshold_ == 0.5
    assert detector.offset_ == -0.5
    # scikit-learn's side of the same numbers: normal is high.
    assert np.array_equal(detector.predict(X), np.where(detector.labels_ == 1, -1, 1))
    assert np.array_equal(detector.score_samples(X), -scores)
    assert np.array_equal(detector.decision_function(X), 0.5 - scores)


def test_it_is_spuna_fit(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(epochs=5, random_state=3, k=50).fit(X, y)
    model = spuna.fit(X[:300], X[300:], epochs=5, seed=3, k=50)
    assert detector.model_.to_bytes() == model.to_bytes()


def test_fit_predict_is_fit_and_predict(rows):
    X, y, _ = rows
    for given in ({"y": y}, {"trusted": y == 0}):
        detector = spuna.SpunaDetector(**QUICK)
        labels = detector.fit_predict(X, **given)
        assert set(labels) == {-1, 1}
        assert np.array_equal(labels, detector.predict(X))


@pytest.mark.parametrize(
    "kind",
    [bool, int, np.uint8, np.float32, float, object, list, pd.Series, lambda y: pd.Series(y, dtype="boolean")],
)
def test_labels_are_0_and_1_of_any_type(rows, kind):
    X, y, _ = rows
    labels = y.astype(kind) if isinstance(kind, type) and kind not in (list, pd.Series) else kind(y)
    expected = spuna.SpunaDetector(**QUICK).fit(X, y).model_.to_bytes()
    assert spuna.SpunaDetector(**QUICK).fit(X, labels).model_.to_bytes() == expected


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([-1, 1], "-1, 1"),
        ([1, 2], "1, 2"),
        ([0, 2], "0, 2"),
        ([0, 0.5], "0.0, 0.5"),
        (["0", "1"], "'0', '1'"),
        (["clean", "pool"], "'clean', 'pool'"),
        (np.array([0, "1"], dtype=object), "'1', 0"),
        (np.array([0, None], dtype=object), "0, None"),
    ],
)
def test_other_labels_are_refused(rows, labels, found):
    X, y, _ = rows
    expected = (
        "y: expected 0 or False for trusted rows and 1 or True for rows of the pool, but found "
        f"{found}; from other labels make them by a comparison, such as y = labels != 'clean'"
    )
    with pytest.raises(ValueError) as error:
        spuna.SpunaDetector().fit(X, np.asarray(labels)[y])
    assert str(error.value) == expected
    detector = spuna.SpunaDetector(**QUICK).fit(X, y)
    with pytest.raises(ValueError) as error:
        detector.score(X, np.asarray(labels)[y])
    assert str(error.value) == expected


def test_many_other_labels_are_cut_short(rows):
    with pytest.raises(ValueError, match=r"but found 0, 1, 10, 100, 101, \.\.\.; from"):
        spuna.SpunaDetector().fit(rows[0], np.arange(900))


@pytest.mark.parametrize(("label", "shown"), [(0, "0"), (1, "1"), (True, "True"), (0.0, "0.0")])
def test_labels_of_one_class_are_refused(rows, label, shown):
    X, y, _ = rows
    text = (
        r"y: expected two classes, 0 for trusted rows and 1 for rows of the pool, but found one class, "
        rf"{shown} in 900 rows; for cross-validation use StratifiedKFold"
    )
    with pytest.raises(ValueError, match=text):
        spuna.SpunaDetector().fit(X, np.full(len(X), label))
    with pytest.raises(ValueError, match=text):
        spuna.SpunaDetector(**QUICK).fit(X, y).score(X, np.full(len(X), label))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_labels_that_are_not_finite_are_refused(rows, value):
    X, y, _ = rows
    with pytest.raises(ValueError, match="Input y contains"):
        spuna.SpunaDetector().fit(X, np.where(y == 1, value, 0))


TRUSTED = {
    "mask": lambda y: y == 0,
    "list": lambda y: (y == 0).tolist(),
    "series": lambda y: pd.Series(y == 0, index=range(1000, 1900)),
    "nullable series": lambda y: pd.Series(y == 0, dtype="boolean"),
    "objects": lambda y: (y == 0).astype(object),
    "row numbers": lambda y: np.flatnonzero(y == 0),
    "row numbers in any order": lambda y: np.flatnonzero(y == 0)[::-1].tolist(),
    "range": lambda y: range(300),
}


@pytest.mark.parametrize("kind", TRUSTED)
def test_trusted_rows_can_be_marked(rows, kind):
    X, y, _ = rows
    expected = spuna.SpunaDetector(**QUICK).fit(X, y).model_.to_bytes()
    marked = spuna.SpunaDetector(**QUICK).fit(X, trusted=TRUSTED[kind](y))
    assert marked.model_.to_bytes() == expected


@pytest.mark.parametrize(
    ("trusted", "found"),
    [
        (np.ones(899, dtype=bool), "a mask of 899"),
        (np.ones((900, 1), dtype=bool), r"an array of shape \(900, 1\)"),
        (True, r"an array of shape \(\)"),
        (np.zeros(900), "values of type float64"),
        (["a"], "values of type <U1"),
        ([0, 900], "row number 900"),
        ([-1, 0], "row number -1"),
        (np.repeat([0, 1], [600, 300]), "a row number twice; a mask must be of booleans"),
    ],
)
def test_marks_that_cannot_be_meant_are_refused(rows, trusted, found):
    text = (
        "trusted: expected a boolean mask of 900 rows or the row numbers of the trusted ones, "
        f"but found {found}$"
    )
    with pytest.raises(ValueError, match=text):
        spuna.SpunaDetector().fit(rows[0], trusted=trusted)


@pytest.mark.parametrize(
    ("trusted", "count"), [([], 0), (np.zeros(900, dtype=bool), 0), (np.ones(900, dtype=bool), 900), (range(900), 900)]
)
def test_some_rows_must_be_trusted_and_some_not(rows, trusted, count):
    text = f"expected some of 900 rows to be trusted and the others to be the pool, but found {count} trusted rows"
    with pytest.raises(ValueError, match=text):
        spuna.SpunaDetector().fit(rows[0], trusted=trusted)


def test_labels_or_marks_but_not_both(rows):
    X, y, _ = rows
    with pytest.raises(ValueError, match="expected y or trusted, but found both"):
        spuna.SpunaDetector().fit(X, y, trusted=y == 0)
    with pytest.raises(ValueError, match="SpunaDetector requires y to be passed, .* or as trusted=mask"):
        spuna.SpunaDetector().fit(X)


def test_every_option_of_a_fit_is_a_parameter():
    parameters = inspect.signature(spuna.SpunaDetector).parameters
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters.values())
    names = {"seed": "random_state", "threads": "n_jobs"}
    left_out = {
        "all_files", "embedding", "fit_sample", "fold_by", "force", "invalid", "max_bad_files", "on_bad_file",
        "reviewed", "stratify",
    }  # fmt: skip
    expected = {names.get(name, name): option for name, option in CALLS["fit"].items() if name not in left_out}
    assert list(parameters) == list(expected)
    assert spuna.SpunaDetector().get_params() == {name: o.default for name, o in expected.items()}
    for name, option in expected.items():
        assert parameters[name].default == option.default
        assert f"\n{name} : {parameters[name].annotation}, default " in spuna.SpunaDetector.__doc__
        if name not in names.values():
            assert parameters[name].annotation == option.annotation
    assert "the list of parameters" not in spuna.SpunaDetector.__doc__


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("epoch", "did you mean `epochs`?"),
        ("max_clean_los", "did you mean `max_clean_loss`?"),
        ("seed", "it is called `random_state` here"),
        ("threads", "it is called `n_jobs` here"),
        ("stratify", "which is about columns and files; use spuna.fit for it"),
        ("fold_by", "which is about columns and files; use spuna.fit for it"),
        ("zzz", "help(spuna.SpunaDetector) lists them"),
    ],
)
def test_other_parameters_are_refused(name, answer):
    with pytest.raises(TypeError) as error:
        spuna.SpunaDetector(**{name: 1})
    assert str(error.value).startswith(f"SpunaDetector has no parameter `{name}`")
    assert str(error.value).endswith(answer)
    with pytest.raises(ValueError, match=f"Invalid parameter '{name}'"):
        spuna.SpunaDetector().set_params(**{name: 1})


def test_parameters(rows):
    X, y, _ = rows
    for state in (np.random.default_rng(0), np.random.RandomState(0), None):
        spuna.SpunaDetector(epochs=1, random_state=state).fit(X, y)
    detector = spuna.SpunaDetector(alpha=10, n_jobs=1)
    assert detector.get_params()["alpha"] == 10
    assert repr(detector) == "SpunaDetector(alpha=10, n_jobs=1)"
    assert "alpha" in detector._repr_html_()
    copied = clone(detector).set_params(k=5, epochs=1)
    assert copied.fit(X, y).model_.report()["options"]["k"] == 5
    with pytest.raises(ValueError, match="`k` must be between 1"):
        detector.set_params(k=0).fit(X, y)


def test_random_states_decide(rows):
    X, y, _ = rows

    def fitted(state):
        return spuna.SpunaDetector(random_state=state, **QUICK).fit(X, y).model_.to_bytes()

    assert fitted(None) == fitted(0)
    assert fitted(1) != fitted(0)
    assert fitted(np.random.default_rng(5)) == fitted(np.random.default_rng(5)) != fitted(np.random.default_rng(6))


def test_jobs_are_threads(rows, monkeypatch):
    X, y, _ = rows
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    seen = []

    def fit(*args, **options):
        seen.append(options.get("threads"))
        return spuna.fit(*args, **options)

    monkeypatch.setattr("spuna._sklearn.fit", fit)
    models = {
        spuna.SpunaDetector(n_jobs=jobs, **QUICK).fit(X, y).model_.to_bytes() for jobs in (None, -1, 1, 2, -7, -20)
    }
    assert seen == [None, None, 1, 2, 2, 1]
    assert len(models) == 1
    with pytest.raises(ValueError, match="`n_jobs`: expected the number of threads, or -1 for all, but found 0"):
        spuna.SpunaDetector(n_jobs=0, **QUICK).fit(X, y)
    for jobs in ("a", 2.5, True):
        with pytest.raises(TypeError, match=f"^`n_jobs`: expected the number of threads, .*, but found {jobs!r}"):
            spuna.SpunaDetector(n_jobs=jobs, **QUICK).fit(X, y)


def test_a_small_pool_gets_fewer_seed_rows_of_the_paper(rows):
    X, y, _ = rows
    few = np.r_[0:100, 500:540, 860:900]
    detector = spuna.SpunaDetector(recipe="paper", **QUICK).fit(X[few], y[few])
    assert detector.model_.report()["options"]["alpha"] == 20


def test_frames_keep_the_names_of_their_columns(rows):
    X, y, _ = rows
    frame = pd.DataFrame(X, columns=list("abcdefgh"), index=range(50, 950))
    detector = spuna.SpunaDetector(**QUICK).fit(frame, y)
    assert list(detector.feature_names_in_) == list("abcdefgh")
    assert detector.n_features_in_ == 8
    plain = spuna.SpunaDetector(**QUICK).fit(X, y)
    assert not hasattr(plain, "feature_names_in_")
    assert np.array_equal(detector.score_samples(frame), plain.score_samples(X))
    with pytest.raises(ValueError, match="feature names should match"):
        detector.predict(frame.rename(columns={"a": "z"}))


def test_numbers_of_any_width_are_taken_as_float32(rows):
    X, y, _ = rows
    models = {
        spuna.SpunaDetector(**QUICK).fit(X.astype(np.float32).astype(kind), y).model_.to_bytes()
        for kind in (np.float32, np.float64)
    }
    assert len(models) == 1


@pytest.mark.filterwarnings("ignore:overflow")
def test_rows_it_cannot_take_are_refused(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(**QUICK).fit(X, y)
    for value, text in ((np.nan, "Input X contains NaN"), (1e300, "infinity or a value too large")):
        bad = X.copy()
        bad[5, 2] = value
        with pytest.raises(ValueError, match=text):
            clone(detector).fit(bad, y)
        with pytest.raises(ValueError, match=text):
            detector.predict(bad)
    with pytest.raises(TypeError, match="Sparse data was passed.*dense data is required"):
        clone(detector).fit(sparse.csr_matrix(X), y)
    with pytest.raises(ValueError, match="expecting 8 features"):
        detector.score_samples(X[:, :7])
    with pytest.raises(NotFittedError):
        clone(detector).score_samples(X)


def test_a_copy_in_another_process_decides_the_same(rows):
    X, y, _ = rows
    detector = spuna.SpunaDetector(max_clean_loss=0.1, **QUICK).fit(X, y)
    copied = pickle.loads(pickle.dumps(detector))
    assert copied.get_params() == detector.get_params()
    assert np.array_equal(copied.decision_function(X), detector.decision_function(X))


@pytest.mark.parametrize("name", ["SpunaDetector", "separation_scorer"])
def test_without_scikit_learn_the_error_names_it(name):
    script = f"import sys; sys.modules['sklearn'] = None\nimport spuna\nspuna.{name}"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert f"ImportError: spuna.{name} needs scikit-learn 1.6 or newer: " in run.stderr
