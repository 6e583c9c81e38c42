"""A verdict as a value: claims with their numbers, how strong they are, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

from edgeworth.common.arrays import plain_values
from edgeworth.core.estimates import Estimate

Strength: TypeAlias = Literal["shown", "not shown", "estimated", "undefined", "advised"]
"""A claim is shown where its test and its interval both show it; an estimate and advice claim nothing."""


@dataclass(frozen=True)
class Claim:
    """One sentence of a verdict, and the same as values."""

    about: str
    """What is claimed: informedness, chance, winner, sample size."""
    text: str
    strength: Strength = "estimated"
    numbers: Mapping[str, Any] = field(default_factory=dict)
    rests_on: str = ""
    """The test or the interval's method."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        return plain_values(vars(self))  # type: ignore[no-any-return]  # a mapping stays one


class Verdict(str):
    """The text of a verdict, which keeps the claims that it is made of."""

    claims: tuple[Claim, ...]
    __slots__ = ("claims",)

    def __new__(cls, claims: Iterable[Claim | None]) -> Self:
        """Write the claims one after the other; None is none."""
        made = tuple(claim for claim in claims if claim is not None)
        self = super().__new__(cls, " ".join(claim.text for claim in made))
        self.claims = made
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the claims, which make the text again."""
        return type(self), (self.claims,)


IN_SAMPLE = Claim(
    "in sample",
    "The predictions were made in sample, by a model that had seen these outcomes: the numbers describe "
    "these cases and prove nothing about new ones.",
    "undefined",
)
CROSS_VALIDATED = (
    "The predictions are cross-validated: models of different folds share training data, which intervals and "
    "tests do not know, so coverage may be below the level."
)


def estimate_numbers(estimate: Estimate, level: float) -> dict[str, Any]:
    """Give the value of an estimate and its interval, where there is one."""
    low, high = estimate.interval(level) if estimate.law is not None else (None, None)
    return {"value": estimate.value, "low": low, "high": high, "level": level}


def claims_to_dicts(verdict: str) -> list[dict[str, Any]]:
    """List the claims of a verdict as plain values; a bare text has none."""
    return [claim.to_dict() for claim in getattr(verdict, "claims", ())]
