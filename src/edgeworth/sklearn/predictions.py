"""What estimators predict, and what cross-validation predicted: labels, scores or probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

import numpy as np
from sklearn.utils import _safe_indexing  # type: ignore[import-untyped]  # scikit-learn has no types

from edgeworth.errors import InputError, OptionError
from edgeworth.sklearn.scoring import Classifier, rank_cases
from edgeworth.sources.columns import Label

Kind: TypeAlias = Literal["labels", "scores", "probabilities"]


class Fold(TypedDict):
    """What ``cross_validate(return_estimator=True, return_indices=True)`` returns of folds."""

    estimator: Sequence[Classifier]
    indices: Mapping[str, Sequence[Sequence[int]]]


def predict_cases(estimator: Classifier, X: object, kind: Kind, pos_label: Label | None) -> object:  # noqa: N803  # scikit-learn's name
    """Predict labels, scores of the targets, or probabilities of the targets."""
    if kind == "labels":
        return estimator.predict(X)
    if kind == "scores":
        return rank_cases(estimator, X, pos_label)
    classes = np.asarray(estimator.classes_).tolist()
    if pos_label not in classes:
        raise InputError(f"pos_label is one of the classes {classes}; saw {pos_label!r}")
    return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, classes.index(pos_label)]


def pool_folds(
    cv_results: Fold,
    X: object,  # noqa: N803  # scikit-learn's name
    kind: Kind,
    pos_label: Label | None,
) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], object]:
    """Predict the test cases of each fold by the estimator of that fold; also return their rows."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise OptionError("cross_validate needs return_estimator=True and return_indices=True for a display")
    tests = [np.asarray(rows, dtype=np.intp) for rows in cv_results["indices"]["test"]]
    parts = []
    for estimator, rows in zip(cv_results["estimator"], tests, strict=True):
        target = second_class(estimator, kind) if pos_label is None else pos_label
        parts.append(np.asarray(predict_cases(estimator, _safe_indexing(X, rows), kind, target)))
    return np.concatenate(tests), np.concatenate(parts)


def second_class(estimator: Classifier, kind: Kind) -> Label | None:
    """Return the second of two classes, which scikit-learn takes for the targets."""
    classes = np.asarray(estimator.classes_).tolist()
    if kind == "labels":
        return None
    if len(classes) != 2:
        raise InputError(f"name the targets among {len(classes)} classes with pos_label")
    second: Label = classes[1]
    return second
