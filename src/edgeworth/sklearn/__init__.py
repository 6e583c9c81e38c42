"""Edgeworth inside scikit-learn: scores, scorers, and LAGO, a ranker of rare targets.

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

from edgeworth.sklearn.lago import Lago
from edgeworth.sklearn.scoring import (
    average_precision_score,
    brier_scorer,
    growth_score,
    growth_scorer,
    informedness_score,
    informedness_scorer,
    log_scorer,
    markedness_score,
    markedness_scorer,
)

__all__ = [
    "Lago",
    "average_precision_score",
    "brier_scorer",
    "growth_score",
    "growth_scorer",
    "informedness_score",
    "informedness_scorer",
    "log_scorer",
    "markedness_score",
    "markedness_scorer",
]
