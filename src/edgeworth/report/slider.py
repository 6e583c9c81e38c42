"""A slider with which the reader of a page moves a cut; the results at each step are precomputed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from edgeworth.common.escaping import visible
from edgeworth.common.json_types import JsonObject
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
"""Steps of a slider."""
MAX_NAME_LENGTH = 40
"""Characters of a class's name beside the slider."""
COUNTS = ("hits", "alarms", "misses", "rejections")


@dataclass(frozen=True)
class Slider:
    """The decisions at each step of a slider, from left to right."""

    name: str
    classes: tuple[str, str]
    """The target, and the rest."""
    keys: Sequence[str]
    """The name of each step in links."""
    counts: Sequence[Sequence[float]]
    """Hits, false alarms, misses and correct rejections per step."""
    estimates: Mapping[str, Sequence[Estimate]]
    """By name, one estimate per step."""
    start: int
    level: float
    costs: tuple[float, float] = (1.0, 1.0)
    """The costs of a false alarm and of a miss, until the reader changes them."""

    @property
    def short_classes(self) -> list[str]:
        """The names of the classes, shortened to the available room."""
        return [cut_middle(visible(name), MAX_NAME_LENGTH) for name in self.classes]

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """All texts that are shown, one per step."""
        texts = {"at": ["above all" if key == "inf" else key.replace("-", MINUS) for key in self.keys]}
        texts["taken"] = [format_count(round(hits + alarms, 6)) for hits, alarms, *_ in self.counts]
        texts |= {
            name: [format_count(row[index]) for row in self.counts] for index, name in enumerate(COUNTS)
        }
        for name, estimates in self.estimates.items():
            texts[name], texts[f"{name} interval"] = [], []
            for estimate in estimates:
                value, *ends = format_apart(estimate.value, *estimate.interval(self.level))
                texts[name].append(value)
                interval = UNDEFINED if estimate.law is None else " to ".join(ends)
                texts[f"{name} interval"].append(f"{format_level(self.level)} CI {interval}")
        return texts

    @property
    def lines(self) -> list[str]:
        """The points of each measure's line in a square of 100 by 100, with 0 at the bottom."""
        step = 100 / max(len(self.keys) - 1, 1)
        return [
            " ".join(
                f"{step * index:.4g},{100 - 100 * max(estimate.value, 0):.4g}"
                for index, estimate in enumerate(estimates)
                if estimate.undefined is None
            )
            for estimates in self.estimates.values()
        ]

    @property
    def data(self) -> JsonObject:
        """The data of the page's script, which computes only costs."""
        known = {"keys": list(self.keys), "texts": self.texts, "spoken": list(self.estimates)}
        costly = {name: [row[index] for row in self.counts] for index, name in ((1, "alarms"), (2, "misses"))}
        return known | costly | {"cases": sum(self.counts[0]), "start": self.start}
