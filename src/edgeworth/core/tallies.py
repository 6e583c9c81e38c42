"""What every tally can do, and what some tallies also have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from edgeworth.common.json_types import JsonObject
    from edgeworth.sources.columns import Label


class Tally(Protocol):
    """A small frozen value that adds: everything a report says about the rows is a function of it."""

    def __add__(self, other: Self, /) -> Self: ...
    def to_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        ...


@runtime_checkable
class HasCases(Protocol):
    """A tally that knows whether any row was counted."""

    @property
    def has_cases(self) -> bool: ...


@runtime_checkable
class HasWeights(Protocol):
    """A tally of weighted cases."""

    def as_counts(self) -> Tally:
        """Take weights that are all whole numbers as counts of cases."""
        ...


@runtime_checkable
class HasLabels(Protocol):
    """A tally that names classes."""

    @property
    def labels(self) -> tuple[Label, ...]: ...


@runtime_checkable
class HasDroppedRows(Protocol):
    """A tally that knows how many rows were dropped for missing values."""

    @property
    def dropped(self) -> int: ...


def labels_of(tally: object) -> tuple[Label, ...]:
    """List the labels of a tally; none if it has no classes."""
    return tally.labels if isinstance(tally, HasLabels) else ()


def dropped_rows(tally: object) -> int:
    """Count the rows that were dropped for missing values."""
    return int(tally.dropped) if isinstance(tally, HasDroppedRows) else 0
