"""Scores and scorers with scikit-learn's signatures, truth first.

Where a score is undefined it is nan, not 0: a fold with one class has no informedness. In ``cross_val_score``
such a fold shows as nan; ``GridSearchCV`` warns and ranks the candidate last. Stratify the folds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.metrics import make_scorer  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.utils.metadata_routing import UNUSED  # type: ignore[import-untyped]  # scikit-learn has no types

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import RULES
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import as_weights

Ties: TypeAlias = Literal["threshold", "expected", "best", "worst"]


Response: TypeAlias = Literal["score", "probabilities"]


class ScoreFunction(Protocol):
    """A function of truth, predictions, classes and weights."""

    def __call__(
        self, y: object, _predictions: object, classes: Sequence[Label], weights: object, /
    ) -> float:
        """Compute the score."""


class Classifier(Protocol):
    """A fitted classifier of scikit-learn; not every one has all of these methods."""

    classes_: Sequence[Label]

    def predict(self, X: object, /) -> object:  # noqa: N803  # scikit-learn's name
        """Return one label per case."""

    def predict_proba(self, X: object, /) -> object:  # noqa: N803  # scikit-learn's name
        """Return one row of probabilities per case."""


def informedness_score(
    y_true: object,
    y_pred: object,
    *,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: object = None,
) -> float:
    """Compute informedness: ``Σ p_l (recall_l − fallout_l)``, weighted by predicted share.

    Parameters
    ----------
    y_true, y_pred : array_like, (n,)
        The true and the predicted class of each case.
    labels : sequence, optional
        All labels; one outside them is an error.
    pos_label : label, optional
        Compute the informedness of this label against the rest.
    sample_weight : array_like, optional
        Weights of the cases.

    Returns
    -------
    float
        1 if always right, 0 for guessing, below 0 if worse than guessing. nan if only one class occurs, or if
        no predicted label is a real class.

    Notes
    -----
    With two classes it is recall plus inverse recall minus 1, for either class. Source: Powers 2011,
    Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and correlation.

    Examples
    --------
    >>> informedness_score([1, 1, 0, 0], [1, 0, 0, 0]), informedness_score([1, 1], [1, 0])
    (0.5, nan)
    """
    return _label_score("informedness", y_true, y_pred, labels, pos_label, sample_weight)


def markedness_score(
    y_true: object,
    y_pred: object,
    *,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: object = None,
) -> float:
    """Compute markedness: informedness with prediction and truth exchanged.

    Parameters
    ----------
    y_true, y_pred : array_like, (n,)
        The true and the predicted class of each case.
    labels : sequence, optional
        All labels; one outside them is an error.
    pos_label : label, optional
        Compute the markedness of this label against the rest.
    sample_weight : array_like, optional
        Weights of the cases.

    Returns
    -------
    float
        nan if only one label is predicted, or if no real class is ever predicted.

    Notes
    -----
    With two classes it is precision plus inverse precision minus 1, for either class. Source: Powers 2011.

    Examples
    --------
    >>> markedness_score([1, 0, 0, 0], [1, 1, 0, 0]), markedness_score([1, 0], [1, 1])
    (0.5, nan)
    """
    return _label_score("markedness", y_true, y_pred, labels, pos_label, sample_weight)


def average_precision_score(
    y_true: object,
    y_score: object,
    *,
    pos_label: Label | None = None,
    sample_weight: object = None,
    ties: Ties = "threshold",
) -> float:
    """Compute average precision: the mean over targets of the precision at each target's rank.

    Parameters
    ----------
    y_true : array_like, (n,)
        The class of each case.
    y_score : array_like, (n,)
        The score of each case; the higher, the likelier a target.
    pos_label : label, optional
        The class of the targets; by default the usual one of a common pair, such as 1 of 0 and 1.
    sample_weight : array_like, optional
        Weights of the cases.
    ties : {"threshold", "expected", "best", "worst"}
        "threshold", as in scikit-learn, takes cases with one score all at once. "expected" is the mean over
        all their orders, and "best" and "worst" are its bounds.

    Returns
    -------
    float
        The value; nan if there are no targets.

    Examples
    --------
    >>> round(average_precision_score([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.1]), 4)
    0.8333
    """
    ranking = ew.Ranking.from_scores(y_true, y_score, positive=pos_label, weights=sample_weight)
    return ew.measure(ranking, f"average_precision(ties={ties})")


def _label_score(
    name: str,
    y_true: object,
    y_pred: object,
    labels: Sequence[Label] | None,
    pos_label: Label | None,
    sample_weight: object,
) -> float:
    table = ew.ContingencyTable.from_labels(y_true, y_pred, labels=labels, weights=sample_weight)
    return ew.measure(table if pos_label is None else table.one_against_rest(pos_label), name)


def growth_score(
    y_true: object,
    y_proba: object,
    *,
    against: object = None,
    labels: Sequence[Label] | None = None,
    sample_weight: object = None,
) -> float:
    """Compute the growth of log wealth, in nats per case, for full Kelly stakes on these probabilities.

    Parameters
    ----------
    y_true : array_like, (n,)
        The class that came true in each case.
    y_proba : array_like, (n,) or (n, K)
        The probabilities of the positive class, or of each class.
    against : array_like, optional
        The prices: another model's probabilities. The default is the class shares of these cases.
    labels : sequence, optional
        The class of each column.
    sample_weight : array_like, optional
        Weights of the cases.

    Returns
    -------
    float
        Higher is better, and −inf is ruin.

    Notes
    -----
    Sources: Kelly 1956; Kalia 2011.

    Examples
    --------
    >>> round(growth_score([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5]), 4)
    0.3296
    """
    if against is not None:
        if sample_weight is not None:
            raise OptionError("sample_weight is not supported with against: stakes are on whole cases")
        wealth = ew.Wealth.from_probabilities(y_true, y_proba, against=against, labels=labels)
        return ew.measure(wealth, "growth")
    return mean_score("log", y_true, y_proba, labels, sample_weight, is_gain=True)


def mean_score(
    rule: str,
    y_true: object,
    y_proba: object,
    labels: Sequence[Label] | None,
    sample_weight: object,
    *,
    is_gain: bool = False,
) -> float:
    """Compute a weighted mean score, or by how much it is below that of the class shares."""
    forecasts = Forecasts.of(y_true, y_proba, labels=labels)
    weights = np.ones(len(forecasts.codes)) if sample_weight is None else as_weights(sample_weight)
    if len(weights) != len(forecasts.codes):
        raise InputError(f"{len(forecasts.codes):,} cases need as many weights; saw {len(weights):,}")
    total = float(weights.sum())
    if not total:
        return math.nan
    mean = float((RULES[rule].score(forecasts) * weights).sum() / total)
    if not is_gain:
        return mean
    classes = np.bincount(forecasts.codes, weights=weights, minlength=len(forecasts.labels))
    return RULES[rule].climatology(classes / total) - mean


class MeasureScorer(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scorer that gives an estimator's predictions to a function, and takes weights by metadata routing.

    It is called as ``scorer(estimator, X, y, sample_weight=None)``. With ``enable_metadata_routing``, ask for
    weights by ``scorer.set_score_request(sample_weight=True)``. ``response`` is "score" for rankings (the
    decision function, or the probability of the second class) or "probabilities".
    """

    __metadata_request__score: ClassVar[dict[str, str]] = {"estimator": UNUSED}

    def __init__(self, function: ScoreFunction, response: Response) -> None:
        self.function = function
        self.response = response

    def score(self, estimator: Classifier, X: object, y: object, sample_weight: object = None) -> float:  # noqa: N803  # scikit-learn's name
        """Score the predictions of a fitted classifier."""
        if self.response == "score":
            return self.function(y, rank_cases(estimator, X), estimator.classes_, sample_weight)
        return self.function(y, estimator.predict_proba(X), estimator.classes_, sample_weight)

    def __call__(self, estimator: Classifier, X: object, y: object, sample_weight: object = None) -> float:  # noqa: N803  # scikit-learn's name
        """Score the predictions of a fitted classifier."""
        return self.score(estimator, X, y, sample_weight)


def rank_cases(estimator: Classifier, X: object, pos_label: Label | None = None) -> Floats:  # noqa: N803  # scikit-learn's name
    """Score how likely each case is in a class, the second unless it is named: higher is likelier."""
    classes = [*np.asarray(estimator.classes_).tolist()]
    if pos_label is not None and pos_label not in classes:
        raise InputError(f"pos_label is one of the classes {classes}; saw {pos_label!r}")
    column = 1 if pos_label is None else classes.index(pos_label)
    if len(classes) != 2 and pos_label is None:
        raise InputError(
            f"scorers of rankings need two classes; saw {len(classes)}: use log_scorer or brier_scorer"
        )
    decide = getattr(estimator, "decision_function", None)
    if decide is None:
        return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, column]
    values = np.asarray(decide(X), dtype=np.float64)
    if values.ndim == 1:
        return values if column == 1 else -values
    return values[:, column]


def _rank_score(name: str, y: object, scores: object, classes: Sequence[Label], weights: object) -> float:
    second = np.asarray(classes).tolist()[1]
    is_target = np.asarray(y) == second
    return ew.measure(ew.Ranking.from_scores(is_target, scores, positive=True, weights=weights), name)


def _average_precision(y: object, scores: object, classes: Sequence[Label], weights: object) -> float:
    return _rank_score("average_precision", y, scores, classes, weights)


def _roc_area(y: object, scores: object, classes: Sequence[Label], weights: object) -> float:
    return _rank_score("roc_auc", y, scores, classes, weights)


def _growth(y: object, chances: object, classes: Sequence[Label], weights: object) -> float:
    return growth_score(y, chances, labels=classes, sample_weight=weights)


def _negative_log(y: object, chances: object, classes: Sequence[Label], weights: object) -> float:
    return -mean_score("log", y, chances, classes, weights)


def _negative_brier(y: object, chances: object, classes: Sequence[Label], weights: object) -> float:
    return -mean_score("brier", y, chances, classes, weights)


def _negative_spherical(y: object, chances: object, classes: Sequence[Label], weights: object) -> float:
    return -mean_score("spherical", y, chances, classes, weights)


informedness_scorer = make_scorer(informedness_score)
"""A scorer for informedness.

>>> from sklearn.dummy import DummyClassifier
>>> float(informedness_scorer(DummyClassifier().fit([[0]] * 4, [0, 0, 1, 0]), [[0]] * 2, [0, 1]))
0.0
"""
markedness_scorer = make_scorer(markedness_score)
"""A scorer for markedness.

>>> from sklearn.tree import DecisionTreeClassifier
>>> model = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
>>> float(markedness_scorer(model, [[0], [1]], [0, 1]))
1.0
"""
average_precision_scorer = MeasureScorer(_average_precision, "score")
"""A scorer for average precision.

>>> from sklearn.tree import DecisionTreeClassifier
>>> model = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
>>> average_precision_scorer(model, [[0], [1]], [0, 1])
1.0
"""
roc_auc_scorer = MeasureScorer(_roc_area, "score")
"""A scorer for the ROC area.

>>> from sklearn.tree import DecisionTreeClassifier
>>> model = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
>>> roc_auc_scorer(model, [[0], [1]], [0, 1])
1.0
"""
growth_scorer = MeasureScorer(_growth, "probabilities")
"""A scorer for the growth of log wealth against the class shares, in nats per case.

>>> from sklearn.dummy import DummyClassifier
>>> round(abs(growth_scorer(DummyClassifier().fit([[0]] * 4, [0, 0, 1, 1]), [[0]] * 2, [0, 1])), 6)
0.0
"""
log_scorer = MeasureScorer(_negative_log, "probabilities")
"""A scorer for the negative log score, because scikit-learn expects that higher is better.

>>> from sklearn.dummy import DummyClassifier
>>> round(log_scorer(DummyClassifier().fit([[0]] * 4, [0, 0, 1, 1]), [[0]] * 2, [0, 1]), 4)
-0.6931
"""
brier_scorer = MeasureScorer(_negative_brier, "probabilities")
"""A scorer for the negative Brier score, because scikit-learn expects that higher is better.

>>> from sklearn.dummy import DummyClassifier
>>> brier_scorer(DummyClassifier().fit([[0]] * 4, [0, 0, 1, 1]), [[0]] * 2, [0, 1])
-0.25
"""
spherical_scorer = MeasureScorer(_negative_spherical, "probabilities")
"""A scorer for the negative spherical score, because scikit-learn expects that higher is better.

>>> from sklearn.dummy import DummyClassifier
>>> round(spherical_scorer(DummyClassifier().fit([[0]] * 4, [0, 0, 1, 1]), [[0]] * 2, [0, 1]), 4)
-0.2929
"""
