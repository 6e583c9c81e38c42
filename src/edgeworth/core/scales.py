"""Scales on which a bounded measure is closer to normal, so that its interval stays inside its range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

ScaleName: TypeAlias = Literal["identity", "logit", "log"]


@dataclass(frozen=True)
class Scale:
    """A scale, its inverse and its slope: logit between two ends, log above one."""

    name: ScaleName
    low: float = 0.0
    high: float = 1.0

    def forward(self, value: float) -> float:
        """The value on the scale."""
        if self.name == "logit":
            return math.log(value - self.low) - math.log(self.high - value)
        return math.log(value - self.low) if self.name == "log" else value

    def backward(self, value: float) -> float:
        """Back from the scale."""
        if self.name == "logit":
            share = 1 / (1 + math.exp(-value)) if value > -700 else 0.0
            return self.low + (self.high - self.low) * share
        return self.low + math.exp(min(value, 709.0)) if self.name == "log" else value

    def slope(self, value: float) -> float:
        """How fast the scale runs at a value."""
        if self.name == "logit":
            return (self.high - self.low) / ((value - self.low) * (self.high - value))
        return 1 / (value - self.low) if self.name == "log" else 1.0

    def inside(self, value: float) -> bool:
        """Whether a value has a finite place on the scale."""
        if self.name == "logit":
            return self.low < value < self.high
        return value > self.low if self.name == "log" else True


def natural_scale(low: float, high: float, value: float) -> Scale:
    """Logit of a bounded range, log of one bounded below; the plain scale for a value at its very end."""
    if math.isfinite(low) and math.isfinite(high):
        scale = Scale("logit", low, high)
    else:
        scale = Scale("log", low) if math.isfinite(low) else Scale("identity")
    return scale if scale.inside(value) else Scale("identity")
