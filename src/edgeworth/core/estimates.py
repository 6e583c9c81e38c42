"""An estimate keeps its evidence: intervals and p-values are views of it, at a level asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from edgeworth.arrays import finite_or_none
from edgeworth.core.laws import Alternative, SamplingLaw, check_level
from edgeworth.core.markup import html_table
from edgeworth.core.tails import Tail
from edgeworth.decisions.methods import Method
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.core.measurable import Measurable

ChanceTest: TypeAlias = Callable[[Alternative], Tail | None]


@dataclass(frozen=True)
class Interval:
    """Two bounds and the level they hold at."""

    low: float
    high: float
    level: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Estimate:
    """A measure's value with its sampling law, or the reason why it has none."""

    measure: str
    value: float
    chance: float
    method: Method | None
    undefined: str | None
    no_interval: str | None
    tally: Measurable = field(repr=False)
    law: SamplingLaw | None = field(repr=False)
    chance_test: ChanceTest = field(default=lambda _: None, repr=False)
    """P(chance alone does as much), worked out when it is asked for."""

    @property
    def standard_error(self) -> float:
        """The standard deviation of the estimate; nan when it is undefined."""
        return math.nan if self.law is None else self.law.standard_error

    @property
    def doubt(self) -> str | None:
        """Why the interval may not cover as it says, where that is known; None otherwise."""
        return getattr(self.law, "doubt", None)

    def interval(self, level: float = 0.95) -> Interval:
        """The confidence (or credible) interval at a level."""
        check_level(level)
        low, high = (math.nan, math.nan) if self.law is None else self.law.interval(level)
        return Interval(low, high, level)

    def p_value(self, null: float | None = None, alternative: Alternative = "two-sided") -> float:
        """How surprising the value would be under a null hypothesis.

        Without ``null`` the hypothesis is chance: guessing with the same margins, or random selection. It is
        tested exactly where that is possible (with weights or clusters: the chance level by the sampling
        law). With it, the measure's true value is ``null``, tested by the sampling law.
        """
        if self.undefined is not None:
            return math.nan
        tail = self.chance_tail(alternative) if null is None else None
        if tail is not None:
            return tail.p_value
        if self.law is None:
            return math.nan
        return self.law.p_value(self.chance if null is None else float(null), alternative)

    def chance_tail(self, alternative: Alternative = "greater") -> Tail | None:
        """P(chance alone does as well), and how that was found; None where there is no such law."""
        if alternative not in ("two-sided", "greater", "less"):
            raise OptionError(f'alternative is "two-sided", "greater" or "less"; saw {alternative!r}')
        return None if self.undefined is not None else self.chance_test(alternative)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        low, high = self.interval()
        rows = [
            ("value", self.value),
            ("95% interval", f"{low:.4g} to {high:.4g}"),
            ("by chance", self.chance),
        ]
        reason = self.undefined or self.no_interval
        rows.append(("method", str(self.method)) if reason is None else ("why not", reason))
        return html_table(self.measure, [], rows)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain values; what is undefined is None, with the reason beside it."""
        interval = self.interval(level)
        return {
            "measure": self.measure,
            "value": finite_or_none(self.value),
            "low": finite_or_none(interval.low),
            "high": finite_or_none(interval.high),
            "level": level,
            "standard_error": finite_or_none(self.standard_error),
            "chance": finite_or_none(self.chance),
            "method": None if self.method is None else repr(self.method),
            "undefined": self.undefined,
            "no_interval": self.no_interval,
            "undefined_draws": getattr(self.law, "undefined_draws", 0),
            "doubt": self.doubt,
        }


def undefined_estimate(tally: Measurable, spelling: str, reason: str) -> Estimate:
    """A measure that has no value here, and why."""
    return Estimate(spelling, math.nan, math.nan, None, reason, reason, tally, None)


def check_method(method: Any) -> None:
    """A method is an object that makes a law."""
    if method is not None and (isinstance(method, type) or not hasattr(method, "law")):
        raise OptionError(f"a method is an object such as Bootstrap(draws=2000); saw {method!r}")


def law_or_reason(
    method: Method, tally: Any, resolved: Any, *, required: bool
) -> tuple[SamplingLaw | None, str | None]:
    """The law; without one the value still stands, with the reason, unless the method was asked for."""
    if not required and resolved.measure.no_interval is not None:
        return None, resolved.measure.no_interval
    try:
        return method.law(tally, resolved), None
    except OptionError as error:
        if required:
            raise
        return None, str(error)
