"""What to do about missing values, weights and labels that cannot be meant: decided once, for every tally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.choices import Missing, WeightKind
from edgeworth.core.joint_counts import JointCounts
from edgeworth.core.labels import list_labels
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import MISSING, Column, Label, encode
from edgeworth.sources.numbers import LARGEST_TOTAL

MOST_LABELS = 5_000
"""Past this a table of labels by labels no longer fits comfortably in memory, and was hardly meant."""


def take_weights(
    weights: NDArray[Any] | None, kind: WeightKind | None, first_row: int = 1
) -> NDArray[Any] | None:
    """Take weights as frequencies (integers) or sampling weights (floats), as declared or by their type."""
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
            said = f"row {first_row + row:,} has {weights[row]}"
            raise InputError(f"weights that are counts are whole numbers; {said}")
        if weights.sum() > LARGEST_TOTAL:
            raise InputError("weights this large cannot be added up")
    return weights.astype(np.int64)


def drop_incomplete(
    joint: JointCounts, missing: Missing, columns: Sequence[Column], names: Sequence[str], first_row: int
) -> tuple[JointCounts, int]:
    """Apply the policy for missing values: give what is left and how many rows were dropped.

    The first column is the truth: without it a case cannot be judged, so it is never an abstention. Nor is a
    missing cluster, which has names of its own.
    """
    if missing not in get_args(Missing):
        raise OptionError(f'missing is "error", "drop" or "abstain"; saw {missing!r}')
    refused = joint.keys == 0
    if missing == "abstain":
        refused &= [place == 0 or domain > 0 for place, domain in enumerate(joint.domains)]
    incomplete = refused.any(axis=1)
    if not incomplete.any():
        return joint, 0
    dropped = int(joint.rows[incomplete].sum())
    if missing != "drop":
        column = int(np.argmax(refused.any(axis=0)))
        row = first_row + int(np.argmax(encode(columns[column], names[column]).codes == MISSING))
        said = describe_missing(f"{names[column]} is missing", row, dropped)
        if column and names[column] != "clusters":
            said += ', missing="abstain" (--missing abstain) takes them as no decision'
        raise InputError(said)
    return joint.select(~incomplete), dropped


def describe_missing(what: str, row: int, number: int) -> str:
    """Say what is missing in which row, how many such rows there are, and how to go on without them."""
    such = f"{number:,} such row{'s' if number != 1 else ''}"
    advice = 'missing="drop" (--missing drop) leaves such rows out and counts them'
    return f"{what} in row {row:,} ({such}): {advice}"


def check_label_number(labels: Sequence[Label]) -> None:
    """Refuse columns that are not labels at all."""
    if len(labels) > MOST_LABELS:
        shown = ", ".join(repr(label) for label in labels[:3])
        raise InputError(
            f"{len(labels):,} different labels ({shown}, …): labels are expected to repeat, at most "
            f"{MOST_LABELS:,} of them; is one of the columns a score, a probability or an identifier?"
        )


def check_label_kinds(real: Sequence[Label], predicted: Sequence[Label], name: str = "prediction") -> None:
    """Refuse predictions that are fractions, and labels that differ only because one is text."""
    fractions = [label for label in predicted if isinstance(label, float) and label not in real]
    # One or two may be classes that another part of the data has; probabilities and scores are many.
    if len(fractions) > max(2, len(real)):
        raise InputError(
            f"{name} holds fractions ({list_labels(fractions[:3])}), which are no classes: are they "
            "scores (score=, --score) or probabilities (probabilities=, --probabilities)?"
        )
    if set(real) & set(predicted):
        return
    spelt = {str(label): label for label in real}
    for label in predicted:
        if str(label) in spelt:
            raise InputError(
                f"truth has {spelt[str(label)]!r} ({type(spelt[str(label)]).__name__}) where prediction has "
                f"{label!r} ({type(label).__name__}): convert one of them, as they are they never agree"
            )
