"""What every tally is: a small frozen value that adds.

The laws, held by one property test over every tally:

* ``empty + a == a == a + empty``
* ``(a + b) + c == a + (b + c)``
* the tally of the whole equals the sum of the tallies of its parts, in whatever way it was cut

exactly for integers, to 1e-12 for floats. A tally whose rows have no order also adds the same both ways
round.
"""

from __future__ import annotations

from typing import Any, Protocol, Self


class Tally(Protocol):
    """A sufficient statistic that can be added up in any grouping."""

    @classmethod
    def empty(cls) -> Self:
        """The tally of no rows."""

    def __add__(self, other: Self, /) -> Self:
        """The tally of both sets of rows."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""

    @classmethod
    def from_dict(cls, payload: dict[str, Any], /) -> Self:
        """The tally that ``to_dict`` described."""
