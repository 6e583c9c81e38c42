"""A cut that the reader of a page moves: what it decides at each place, found before the page is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from edgeworth.common.escaping import visible
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import (
    MINUS,
    UNDEFINED,
    cut_middle,
    format_apart,
    format_count,
    format_level,
)

MAX_SLIDER_STEPS = 201
"""Places of a slider."""
LONGEST_NAME = 40
"""Signs of a class's name beside it."""
COUNTS = ("hits", "alarms", "misses", "rejections")


@dataclass(frozen=True)
class Slider:
    """What is decided at each place of a slider, from left to right."""

    name: str
    classes: tuple[str, str]
    """The target, and the rest."""
    keys: Sequence[str]
    """How a link calls each place."""
    counts: Sequence[Sequence[float]]
    """For each place hits, false alarms, misses and correct rejections."""
    estimates: Mapping[str, Sequence[Estimate]]
    """By name, one for each place."""
    start: int
    level: float
    costs: tuple[float, float] = (1.0, 1.0)
    """Of a false alarm and of a miss, until the reader says other ones."""

    @property
    def short_classes(self) -> list[str]:
        """The names of the classes as far as there is room for them."""
        return [cut_middle(visible(name), LONGEST_NAME) for name in self.classes]

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """All that is shown, one text for each place."""
        texts = {"at": ["above all" if key == "inf" else key.replace("-", MINUS) for key in self.keys]}
        texts["taken"] = [format_count(round(hits + alarms, 6)) for hits, alarms, *_ in self.counts]
        texts |= {name: [format_count(each[at]) for each in self.counts] for at, name in enumerate(COUNTS)}
        for name, found in self.estimates.items():
            texts[name], texts[f"{name} interval"] = [], []
            for each in found:
                value, *ends = format_apart(each.value, *each.interval(self.level))
                texts[name].append(value)
                interval = UNDEFINED if each.law is None else " to ".join(ends)
                texts[f"{name} interval"].append(f"{format_level(self.level)} CI {interval}")
        return texts

    @property
    def lines(self) -> list[str]:
        """The points of each measure along the slider, in a square of 100: 0 at its foot, 1 at its top."""
        step = 100 / max(len(self.keys) - 1, 1)
        return [
            " ".join(
                f"{step * place:.4g},{100 - 100 * max(each.value, 0):.4g}"
                for place, each in enumerate(found)
                if each.undefined is None
            )
            for found in self.estimates.values()
        ]

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script looks up; it computes nothing but costs."""
        known = {"keys": list(self.keys), "texts": self.texts, "spoken": list(self.estimates)}
        costly = {name: [each[at] for each in self.counts] for at, name in ((1, "alarms"), (2, "misses"))}
        return known | costly | {"cases": sum(self.counts[0]), "start": self.start}
