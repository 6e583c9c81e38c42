"""An estimate keeps its evidence: intervals and p-values are views of it, at a level asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from edgeworth.errors import OptionError, check_seed
from edgeworth.inference.laws import Alternative, SamplingLaw, check_level
from edgeworth.inference.methods import Decisions, Method, default_method
from edgeworth.inference.testing import guessing_tail
from edgeworth.measures import Measure, Resolved, at_guessing, resolve, table_of
from edgeworth.measures.views import finite_or_none
from edgeworth.tallies import ContingencyTable


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
    tally: Decisions = field(repr=False)
    law: SamplingLaw | None = field(repr=False)
    resolved: Resolved = field(repr=False)
    seed: int = field(default=0, repr=False)

    @property
    def standard_error(self) -> float:
        """The standard deviation of the estimate; nan when it is undefined."""
        return math.nan if self.law is None else self.law.standard_error

    def interval(self, level: float = 0.95) -> Interval:
        """The confidence (or credible) interval at a level."""
        check_level(level)
        low, high = (math.nan, math.nan) if self.law is None else self.law.interval(level)
        return Interval(low, high, level)

    def p_value(self, null: float | None = None, alternative: Alternative = "two-sided") -> float:
        """How surprising the value would be under a null hypothesis.

        Without ``null`` the hypothesis is guessing with the same margins, tested exactly where that is
        possible (with weights or clusters: the chance level by the sampling law). With it, the measure's
        true value is ``null``, tested by the sampling law.
        """
        if self.undefined is not None:
            return math.nan
        tail = guessing_tail(self.tally, self.resolved, alternative, self.seed) if null is None else None
        if tail is not None:
            return tail.p_value
        if self.law is None:
            return math.nan
        return self.law.p_value(self.chance if null is None else float(null), alternative)

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
        }


def estimate(
    tally: Decisions, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """A measure with its uncertainty.

    Without a ``method`` each measure gets the one that suits it: Wilson for proportions, Newcombe for
    informedness of two classes or of one label, the delta method for the rest, weights and clusters included.

    >>> from edgeworth.tallies import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    >>> [round(bound, 4) for bound in estimate(table, "informedness").interval()]
    [0.0524, 0.3339]
    """
    check_seed(seed)
    if method is not None and (isinstance(method, type) or not hasattr(method, "law")):
        raise OptionError(f"a method is an object such as Bootstrap(draws=2000); saw {method!r}")
    resolved = resolve(tally, measure)
    seen, focus = _in_focus(tally, resolved)
    table = table_of(seen)
    undefined = focus.undefined(table)
    if undefined is not None:
        nothing = (math.nan, math.nan, None, undefined, undefined)
        return Estimate(resolved.spelling, *nothing, tally, None, resolved, seed)
    chosen = default_method(seen, focus, seed) if method is None else method
    law, no_interval = _law(chosen, seen, focus, required=method is not None)
    return Estimate(
        measure=resolved.spelling,
        value=float(focus.values(table.cells)),
        chance=at_guessing(focus, table),
        method=chosen,
        undefined=None,
        no_interval=no_interval,
        tally=tally,
        law=law,
        resolved=resolved,
        seed=seed,
    )


def _law(
    method: Method, tally: Decisions, resolved: Resolved, *, required: bool
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


def _in_focus(tally: Decisions, resolved: Resolved) -> tuple[Decisions, Resolved]:
    """A measure of one label needs four cells, not a thousand labels squared."""
    if resolved.position is None or not isinstance(tally, ContingencyTable) or len(tally.labels) <= 2:
        return tally, resolved
    return tally.one_against_rest(resolved.label), replace(resolved, position=0)
