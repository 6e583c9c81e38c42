"""Scales on which a bounded measure is closer to normal, so that its interval stays inside its range."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

ScaleName: TypeAlias = Literal["identity", "logit", "atanh", "log"]

_Function: TypeAlias = Callable[[float], float]

_FORWARD: dict[ScaleName, _Function] = {
    "identity": lambda x: x,
    "logit": lambda x: math.log(x) - math.log1p(-x),
    "atanh": math.atanh,
    "log": math.log,
}
_BACKWARD: dict[ScaleName, _Function] = {
    "identity": lambda y: y,
    "logit": lambda y: 1 / (1 + math.exp(-y)) if y > -700 else 0.0,
    "atanh": math.tanh,
    "log": lambda y: math.exp(min(y, 709.0)),
}
_SLOPE: dict[ScaleName, _Function] = {
    "identity": lambda _: 1.0,
    "logit": lambda x: 1 / (x * (1 - x)),
    "atanh": lambda x: 1 / (1 - x * x),
    "log": lambda x: 1 / x,
}
_INSIDE: dict[ScaleName, Callable[[float], bool]] = {
    "identity": lambda _: True,
    "logit": lambda x: 0 < x < 1,
    "atanh": lambda x: -1 < x < 1,
    "log": lambda x: x > 0,
}


@dataclass(frozen=True)
class Scale:
    """A scale, its inverse and its slope."""

    name: ScaleName

    def forward(self, value: float) -> float:
        """The value on the scale."""
        return float(_FORWARD[self.name](value))

    def backward(self, value: float) -> float:
        """Back from the scale."""
        return float(_BACKWARD[self.name](value))

    def slope(self, value: float) -> float:
        """How fast the scale runs at a value."""
        return float(_SLOPE[self.name](value))

    def inside(self, value: float) -> bool:
        """Whether a value has a finite place on the scale."""
        return bool(_INSIDE[self.name](value))


def natural_scale(low: float, high: float, value: float) -> Scale:
    """The usual scale of a range; the plain one for a value at its very end."""
    names: dict[tuple[float, float], ScaleName] = {
        (0.0, 1.0): "logit",
        (-1.0, 1.0): "atanh",
        (0.0, math.inf): "log",
    }
    scale = Scale(names.get((low, high), "identity"))
    return scale if scale.inside(value) else Scale("identity")
