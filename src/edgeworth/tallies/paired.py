"""Several predictors on the same cases: sparse joint counts of truth and every prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import Label, as_column
from edgeworth.sources.weights import as_weights
from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.joint import JointCounts, count_joint
from edgeworth.tallies.labels import listed
from edgeworth.tallies.policies import Missing, WeightKind, check_label_kinds, drop_incomplete, take_weights
from edgeworth.tallies.serial import count_from_json, joint_from_dict, joint_to_dict, payload_field


@dataclass(frozen=True)
class Discordance:
    """Where two predictors differ, in cases (or their weight)."""

    both_right: float
    only_first_right: float
    only_second_right: float
    both_wrong_alike: float
    both_wrong_differently: float

    @property
    def disagreements(self) -> float:
        """Cases on which the two predictors said different things."""
        return self.only_first_right + self.only_second_right + self.both_wrong_differently


@dataclass(frozen=True)
class Paired:
    """How often each combination of a real class and the predictions of S predictors occurred.

    Column 0 of ``joint`` is the truth, column 1 + s the prediction of ``names[s]``; a missing prediction is
    an abstention. Each predictor's table and every pair's discordance follow from it.
    """

    names: tuple[str, ...]
    joint: JointCounts
    dropped: int = 0

    @classmethod
    def empty(cls) -> Self:
        """No cases, and as yet no predictors."""
        return cls((), JointCounts.empty((0,)))

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        predictions: Mapping[str, Any],
        *,
        weights: Any = None,
        weight_kind: WeightKind | None = None,
        abstain: Label | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count a column of truth with a column of labels from each predictor.

        >>> paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]})
        >>> paired.discordance("a", "b").only_second_right
        1
        """
        if not predictions:
            raise InputError("there are no predictors to pair")
        names = ("truth", *predictions)
        columns = [
            as_column(values, name)
            for name, values in zip(names, (truth, *predictions.values()), strict=True)
        ]
        taken = take_weights(None if weights is None else as_weights(weights), weight_kind)
        joint = count_joint(columns, taken, names=names)
        joint, dropped = drop_incomplete(joint, missing, columns, names, 1)
        if not len(joint.rows):
            raise InputError("there are no cases")
        if abstain is not None:
            joint = joint.with_missing(abstain, range(1, len(names)))
        for predictor in range(1, len(names)):
            check_label_kinds(list(joint.labels_seen(0)), list(joint.labels_seen(predictor)))
        return cls(names[1:], joint, dropped)

    def table(self, name: str) -> ContingencyTable:
        """One predictor's contingency table, on the labels of all."""
        table = ContingencyTable.from_joint(self.joint, prediction=1 + self._place(name))
        return replace(table, dropped=self.dropped)

    def discordance(self, first: str, second: str) -> Discordance:
        """Where two predictors agree, differ, and which of them is right there."""
        truth = self.joint.keys[:, 0]
        one, two = (self.joint.keys[:, 1 + self._place(name)] for name in (first, second))
        right_one, right_two = one == truth, two == truth

        def total(where: NDArray[np.bool_]) -> Any:
            return self.joint.weight[where].sum().item()

        wrong = ~right_one & ~right_two
        return Discordance(
            total(right_one & right_two),
            total(right_one & ~right_two),
            total(~right_one & right_two),
            total(wrong & (one == two)),
            total(wrong & (one != two)),
        )

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, Paired):
            return NotImplemented
        if not self.names or not other.names:
            return other if not self.names else self
        if self.names != other.names:
            raise MergeError(f"one tally pairs {listed(self.names)}, the other {listed(other.names)}")
        return replace(self, joint=self.joint + other.joint, dropped=self.dropped + other.dropped)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"kind": "paired", "names": list(self.names), "dropped": self.dropped} | joint_to_dict(
            self.joint
        )

    @classmethod
    def from_dict(cls, payload: dict[str, Any]) -> Self:
        """The tally that ``to_dict`` described."""
        names = tuple(payload_field(payload, "names", list))
        if len(set(names)) < len(names) or payload.get("kind") != "paired":
            raise InputError("a tally of this kind is paired, and its predictors have different names")
        joint = joint_from_dict(payload, (0,) * (1 + len(names)))
        return cls(names, joint, count_from_json(payload, "dropped"))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"there is no predictor {name!r}; there are {listed(self.names)}")
        return self.names.index(name)
