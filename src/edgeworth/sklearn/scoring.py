"""Scores and scorers with scikit-learn's signatures, truth first.

Where a score is undefined it is nan, not 0: a fold with one class has no informedness. In ``cross_val_score``
such a fold shows as nan; ``GridSearchCV`` warns and ranks the candidate last. Stratify the folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from sklearn.metrics import make_scorer  # type: ignore[import-untyped]  # scikit-learn has no types

import edgeworth as ew
from edgeworth.forecasts.measures import climatology
from edgeworth.sources.columns import Label

Ties: TypeAlias = Literal["threshold", "expected", "best", "worst"]


class ProbabilisticClassifier(Protocol):
    """A fitted classifier of scikit-learn that predicts probabilities."""

    classes_: Sequence[Label]

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

    1 is always right, 0 is guessing, below 0 is worse than guessing. With two classes it is recall
    plus inverse recall minus 1, for either class. ``pos_label`` asks for one label against the rest.
    ``labels`` declares the labels; one outside them is an error. nan when only one class occurs, or no
    label predicted is a real class. Source: Powers 2011, Evaluation: from precision, recall and F-measure to
    ROC, informedness, markedness and correlation.

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

    With two classes it is precision plus inverse precision minus 1, for either class. nan when only one label
    is predicted, or no real class is ever predicted. Options and source as in ``informedness_score``.

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
    """Compute the mean over targets of the precision at each target's rank.

    ``ties="threshold"`` is scikit-learn's: cases of one score are taken all at once. ``ties="expected"`` is
    the mean over all orders in which they could have been taken; "best" and "worst" are its bounds.
    ``pos_label`` is the class of the targets; the usual one of a usual pair (1 of 0 and 1) unless said,
    and must occur when said. nan when there are no targets.

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
    y_true: object, y_proba: object, *, against: object = None, labels: Sequence[Label] | None = None
) -> float:
    """Compute the growth of log wealth, nats a case, of full Kelly stakes on these probabilities.

    ``against`` are the prices, another model's probabilities; by default the class shares of these cases.
    Higher is better, and −inf is ruin. Source: Kelly 1956; Kalia 2011.

    >>> round(growth_score([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5]), 4)
    0.3296
    """
    if against is not None:
        wealth = ew.Wealth.from_probabilities(y_true, y_proba, against=against, labels=labels)
        return ew.measure(wealth, "growth")
    scores = ew.ForecastScores.from_probabilities(y_true, y_proba, labels=labels, scores=["log"])
    return climatology(scores, "log") - scores.mean("log")


def growth_scorer(estimator: ProbabilisticClassifier, X: object, y: object) -> float:  # noqa: N803  # scikit-learn's name
    """Score an estimator by the ``growth_score`` of its probabilities: models selected by wealth."""
    return growth_score(y, estimator.predict_proba(X), labels=estimator.classes_)


def log_scorer(estimator: ProbabilisticClassifier, X: object, y: object) -> float:  # noqa: N803  # scikit-learn's name
    """Score an estimator by minus its mean log score, of any number of classes in any fold."""
    return -_forecast_score("log", estimator, X, y)


def brier_scorer(estimator: ProbabilisticClassifier, X: object, y: object) -> float:  # noqa: N803  # scikit-learn's name
    """Score an estimator by minus its mean Brier score, of any number of classes in any fold."""
    return -_forecast_score("brier", estimator, X, y)


def _forecast_score(score: str, estimator: ProbabilisticClassifier, X: object, y: object) -> float:  # noqa: N803  # scikit-learn's name
    probabilities = estimator.predict_proba(X)
    scores = ew.ForecastScores.from_probabilities(y, probabilities, labels=estimator.classes_, scores=[score])
    return scores.mean(score)


informedness_scorer = make_scorer(informedness_score)
markedness_scorer = make_scorer(markedness_score)
