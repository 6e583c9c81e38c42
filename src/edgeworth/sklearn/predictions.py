"""What estimators predict, and what cross-validation predicted: labels, scores or probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

import numpy as np
from sklearn.utils import _safe_indexing  # type: ignore[import-untyped]  # scikit-learn has no types
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]  # scikit-learn has no types

from edgeworth.errors import InputError, OptionError
from edgeworth.sklearn.scoring import Classifier, rank_cases
from edgeworth.sources.columns import Label

Kind: TypeAlias = Literal["labels", "scores", "probabilities"]


class Fold(TypedDict):
    """What ``cross_validate(return_estimator=True, return_indices=True)`` returns of folds."""

    estimator: Sequence[Classifier]
    indices: Mapping[str, Sequence[Sequence[int]]]


def predict_cases(estimator: Classifier, X: object, kind: Kind, pos_label: Label | None) -> object:  # noqa: N803  # scikit-learn's name
    """Predict labels, scores of the targets, or probabilities of the targets.

    Scores are probabilities if the estimator has them, as in scikit-learn's displays: thresholds are then on
    the scale that ``FixedThresholdClassifier`` takes, and the scores of different folds are comparable.
    """
    if kind == "labels":
        return estimator.predict(X)
    if kind == "scores" and not hasattr(estimator, "predict_proba"):
        return rank_cases(estimator, X, pos_label)
    classes = _classes(estimator)
    if pos_label not in classes:
        raise InputError(f"pos_label is one of the classes {classes}; saw {pos_label!r}")
    return np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, classes.index(pos_label)]


def target_of(
    truth: object, predictions: Sequence[object], kind: Kind, pos_label: Label | None
) -> tuple[object, Label | None]:
    """Return the truth and the target; probabilities of one class among several are about it and the rest."""
    if (
        kind != "probabilities"
        or pos_label is None
        or any(np.asarray(column).ndim != 1 for column in predictions)
    ):
        return truth, pos_label
    labels = np.asarray(truth)
    classes = set(labels.tolist())
    if len(classes) <= 2:
        return truth, pos_label
    if pos_label not in classes:
        raise InputError(f"pos_label is one of the classes {sorted(map(str, classes))}; saw {pos_label!r}")
    return labels == pos_label, True


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
    if kind == "labels":
        return None
    classes = _classes(estimator)
    if len(classes) != 2:
        raise InputError(f"name the targets among {len(classes)} classes with pos_label")
    second: Label = classes[1]
    return second


def _classes(estimator: Classifier) -> list[Label]:
    """Return the classes that an estimator learnt, or raise an error if it is not fitted."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        check_is_fitted(estimator)
        raise InputError(f"{type(estimator).__name__} has no classes_: pass a fitted classifier")
    learnt: list[Label] = np.asarray(classes).tolist()
    return learnt
