"""A verdict as a value: claims with their numbers, strength and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

from edgeworth.common.arrays import plain_values
from edgeworth.common.json_types import JsonObject, JsonValue
from edgeworth.core.estimates import Estimate

Strength: TypeAlias = Literal["shown", "not shown", "estimated", "undefined", "advised"]
"""A claim is "shown" if its test and its interval both show it; estimates and advice claim nothing."""


@dataclass(frozen=True)
class Claim:
    """One sentence of a verdict, with its numbers."""

    about: str
    """The topic: informedness, chance, winner, sample size."""
    text: str
    strength: Strength = "estimated"
    numbers: Mapping[str, JsonValue] = field(default_factory=dict)
    rests_on: str = ""
    """The test, or the method of the interval."""

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return plain_values(vars(self))  # type: ignore[no-any-return]  # a mapping stays one


class Verdict(str):
    """The text of a verdict, which keeps the claims that it is made of."""

    claims: tuple[Claim, ...]
    __slots__ = ("claims",)

    def __new__(cls, claims: Iterable[Claim | None]) -> Self:
        """Join the texts of the claims; None is skipped."""
        kept_claims = tuple(claim for claim in claims if claim is not None)
        self = super().__new__(cls, " ".join(claim.text for claim in kept_claims))
        self.claims = kept_claims
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the claims, from which the text is made."""
        return type(self), (self.claims,)


IN_SAMPLE = Claim(
    "in sample",
    "The predictions were made in sample, by a model that had seen these outcomes. The numbers describe "
    "these cases and prove nothing about new ones.",
    "undefined",
)
CROSS_VALIDATED = (
    "The predictions are cross-validated. Models of different folds share training data, which intervals and "
    "tests ignore, so coverage may be below the level."
)


def estimate_numbers(estimate: Estimate, level: float) -> JsonObject:
    """Return the value of an estimate and its interval, if it has one."""
    low, high = estimate.interval(level) if estimate.law is not None else (None, None)
    return {"value": estimate.value, "low": low, "high": high, "level": level}


def claims_of(verdict: str) -> tuple[Claim, ...]:
    """Return the claims of a verdict; plain text has none."""
    return verdict.claims if isinstance(verdict, Verdict) else ()


def claims_to_dicts(verdict: str) -> list[JsonObject]:
    """Return the claims of a verdict as plain values."""
    return [claim.to_dict() for claim in claims_of(verdict)]
