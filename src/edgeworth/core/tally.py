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

from edgeworth.core.formatting import html_table, shorten


class Tally(Protocol):
    """A sufficient statistic that can be added up in any grouping."""

    @classmethod
    def empty(cls) -> Self:
        """Make the tally of no rows."""

    def __add__(self, other: Self, /) -> Self:
        """Add the rows of both."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""

    @classmethod
    def from_dict(cls, payload: dict[str, Any], /) -> Self:
        """Make the tally that ``to_dict`` described."""


MOST_LABELS = 30
LONGEST = 60


class NotebookFacts:
    """A tally that a notebook shows as a table of its facts."""

    def facts(self) -> dict[str, Any]:
        """Say in a few lines what was counted."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Show the facts as HTML; every label in it is text."""
        return html_table(type(self).__name__, [], list(self.facts().items()))


def label_facts(labels: tuple[Any, ...]) -> dict[str, str]:
    """List the classes, shortened where there are many."""
    more = "" if len(labels) <= MOST_LABELS else f" and {len(labels) - MOST_LABELS} more"
    return {"classes": ", ".join(map(short_label, labels[:MOST_LABELS])) + more}


def short_label(label: Any) -> str:
    """Shorten a long label for a small table."""
    return shorten(str(label), LONGEST)


def plain_number(number: Any) -> Any:
    """Turn a number of numpy into one of Python."""
    return number.item() if hasattr(number, "item") else number
