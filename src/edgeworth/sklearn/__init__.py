"""Edgeworth inside scikit-learn: scores, scorers, displays, and LAGO, a ranker of rare targets.

>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.model_selection import cross_val_score
>>> features, classes = [[0.0]] * 5 + [[9.0]] * 5, [0] * 5 + [1] * 5
>>> cross_val_score(LogisticRegression(), features, classes, scoring=informedness_scorer).tolist()
[1.0, 1.0, 1.0, 1.0, 1.0]
"""

from edgeworth.errors import MissingExtraError

try:
    import sklearn  # type: ignore[import-untyped]  # noqa: F401  # untyped; fails here, with one sentence, when the extra is absent
except ImportError:
    raise MissingExtraError("edgeworth.sklearn", "sklearn") from None

from edgeworth.sklearn.comparison_display import ComparisonDisplay
from edgeworth.sklearn.cross_evaluation import cross_evaluate
from edgeworth.sklearn.displays import (
    ConfusionInformednessDisplay,
    CostDisplay,
    HitCurveDisplay,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RocDisplay,
)
from edgeworth.sklearn.lago import Lago
from edgeworth.sklearn.scoring import (
    average_precision_score,
    average_precision_scorer,
    brier_scorer,
    growth_score,
    growth_scorer,
    informedness_score,
    informedness_scorer,
    log_scorer,
    markedness_score,
    markedness_scorer,
    roc_auc_scorer,
    spherical_scorer,
)

__all__ = [
    "ComparisonDisplay",
    "ConfusionInformednessDisplay",
    "CostDisplay",
    "HitCurveDisplay",
    "Lago",
    "PrecisionRecallDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "average_precision_score",
    "average_precision_scorer",
    "brier_scorer",
    "cross_evaluate",
    "growth_score",
    "growth_scorer",
    "informedness_score",
    "informedness_scorer",
    "log_scorer",
    "markedness_score",
    "markedness_scorer",
    "roc_auc_scorer",
    "spherical_scorer",
]
