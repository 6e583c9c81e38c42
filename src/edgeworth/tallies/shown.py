"""What a notebook shows of a tally: a small table instead of a line."""

from __future__ import annotations

from typing import Any

from edgeworth.markup import html_table

MOST_LABELS = 30


class Shown:
    """A tally that says its facts; a notebook makes a table of them."""

    def facts(self) -> dict[str, Any]:
        """What there is to say about it in a few lines."""
        return {}

    def _repr_html_(self) -> str:
        """A table of the facts."""
        return html_table(type(self).__name__, [], list(self.facts().items()))


def counts_html(title: str, labels: tuple[Any, ...], counts: Any, real: Any, predicted: Any) -> str:
    """A contingency table with its margins; only the margins of a wide one."""
    names = [str(label) for label in labels]
    if len(names) > MOST_LABELS:
        rows: list[list[Any]] = [
            [name, int_or_float(r), int_or_float(p)]
            for name, r, p in zip(names, real, predicted, strict=True)
        ]
        return html_table(f"{title}, {len(names)} labels", ["label", "real", "predicted"], rows[:MOST_LABELS])
    lines = [
        [name, *map(int_or_float, row), int_or_float(total)]
        for name, row, total in zip(names, counts, predicted, strict=True)
    ]
    lines.append(["all", *map(int_or_float, real), int_or_float(sum(real))])
    return html_table(title, ["predicted ↓ real →", *names, "all"], lines)


def int_or_float(number: Any) -> Any:
    """A numpy number as Python's."""
    return number.item() if hasattr(number, "item") else number
