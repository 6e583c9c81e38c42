"""Policies for missing values, weights and implausible labels, the same for every tally."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import get_args

import numpy as np

from edgeworth.common.arrays import Numbers
from edgeworth.common.choices import Missing, WeightKind
from edgeworth.core.joint_counts import JointCounts
from edgeworth.core.labels import list_labels
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import MISSING, Column, Label, encode
from edgeworth.sources.numbers import MAX_INTEGER_WEIGHT_SUM

MAX_LABELS_IN_TABLE = 5_000
"""A larger table hardly fits into memory, and a column with more labels is hardly one of classes."""

MIN_FRACTIONS_OF_REGRESSION = 20
"""With this many fractions among the labels, the truth is a number and not a class."""


def take_weights(weights: Numbers | None, kind: WeightKind | None, first_row: int = 1) -> Numbers | None:
    """Convert weights to frequencies (integers) or sampling weights (floats), as declared or by type."""
    if weights is None or kind is None:
        return weights
    if kind not in get_args(WeightKind):
        raise OptionError(f'weight_kind is "counts" or "sampling"; saw {kind!r}')
    if kind == "sampling":
        return weights.astype(np.float64)
    if weights.dtype.kind == "f":
        whole = np.isfinite(weights) & (weights == np.round(weights))
        if not whole.all():
            row = int(np.argmin(whole))
            raise InputError(
                f"weights that are counts are whole numbers; row {first_row + row:,} has {weights[row]}"
            )
        if weights.sum() > MAX_INTEGER_WEIGHT_SUM:
            raise InputError("weights this large cannot be added up")
    return weights.astype(np.int64)


def drop_incomplete(
    joint: JointCounts, missing: Missing, columns: Sequence[Column], names: Sequence[str], first_row: int
) -> tuple[JointCounts, int]:
    """Apply the policy for missing values; return the complete rows and the number of dropped ones.

    The first column is the truth: without it a case cannot be judged, so it is never an abstention. Nor is a
    missing cluster, which has names of its own.
    """
    if missing not in get_args(Missing):
        raise OptionError(f'missing is "error", "drop" or "abstain"; saw {missing!r}')
    refused = joint.keys == 0
    if missing == "abstain":
        refused &= [column == 0 or domain > 0 for column, domain in enumerate(joint.domains)]
    incomplete = refused.any(axis=1)
    if not incomplete.any():
        return joint, 0
    dropped = int(joint.rows[incomplete].sum())
    if missing != "drop":
        column = int(np.argmax(refused.any(axis=0)))
        row = first_row + int(np.argmax(encode(columns[column], names[column]).codes == MISSING))
        message = describe_missing(f"{names[column]} is missing", row, dropped)
        if column and names[column] != "clusters":
            message += '; to count them as no decision, pass missing="abstain" (--missing abstain)'
        raise InputError(message)
    return joint.select(~incomplete), dropped


def describe_missing(what: str, row: int, rows: int) -> str:
    """Describe what is missing in which row, in how many rows, and how to drop them."""
    such = f"{rows:,} such row{'s' if rows != 1 else ''}"
    advice = 'to drop such rows, pass missing="drop" (--missing drop)'
    return f"{what} in row {row:,} ({such}): {advice}"


def refuse_regression(labels: Collection[object]) -> None:
    """Raise an error if the labels are the values of a regression target rather than classes.

    >>> refuse_regression([0.5, 1.0, 2.0])
    >>> refuse_regression([0.1 * number + 0.05 for number in range(40)])
    Traceback (most recent call last):
    ...
    edgeworth.errors.InputError: there are 40 different labels, most of them fractions, so this looks like \
regression: use grade=, with a grade for each case that you make from its error
    """
    fractions = sum(isinstance(label, float) and label % 1 != 0 for label in labels)
    if fractions >= MIN_FRACTIONS_OF_REGRESSION and 2 * fractions > len(labels):
        raise InputError(
            f"there are {len(labels):,} different labels, most of them fractions, so this looks like "
            "regression: use grade=, with a grade for each case that you make from its error"
        )


def check_label_number(labels: Sequence[Label]) -> None:
    """Raise an error if there are too many labels for columns of classes."""
    if len(labels) > MAX_LABELS_IN_TABLE:
        refuse_regression(labels)
        shown = ", ".join(repr(label) for label in labels[:3])
        raise InputError(
            f"{len(labels):,} different labels ({shown}, …): labels are expected to repeat, at most "
            f"{MAX_LABELS_IN_TABLE:,} of them; is one of the columns a score, a probability or an identifier?"
        )


def check_label_kinds(real: Sequence[Label], predicted: Sequence[Label], name: str = "prediction") -> None:
    """Raise an error if predictions are fractions, or differ from the truth only by being text."""
    fractions = [label for label in predicted if isinstance(label, float) and label not in real]
    # One or two may be classes that another part of the data has; probabilities and scores are many.
    if len(fractions) > max(2, len(real)):
        raise InputError(
            f"{name} holds fractions ({list_labels(fractions[:3])}), not classes. Pass scores with "
            "--score (score=) and probabilities with --probability (probabilities=)"
        )
    if set(real) & set(predicted):
        return
    by_text = {str(label): label for label in real}
    for label in predicted:
        if str(label) in by_text:
            actual = by_text[str(label)]
            raise InputError(
                f"truth has {actual!r} ({type(actual).__name__}) where prediction has "
                f"{label!r} ({type(label).__name__}): convert one of them, because otherwise they never agree"
            )
