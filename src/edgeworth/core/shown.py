"""What a notebook shows of a tally: a small table instead of a line."""

from __future__ import annotations


class Shown:
    """A tally that a notebook shows as a table of its facts."""

    def _repr_html_(self) -> str:
        """The facts as HTML; every label in it is text."""
        from edgeworth.showing import tally_html

        return tally_html(self)
