"""From a tally of probabilities and a spelling to a number, or to the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from edgeworth.core.labels import find
from edgeworth.core.measures import Measure, Spelling, quote_label
from edgeworth.core.registry import measures_by_name, unknown
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.measures import climatology
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES

Forecast: TypeAlias = ForecastScores | Calibration | Wealth
"""The tallies of probabilities."""

MEASURES = "edgeworth.forecasts.measures:MEASURES"
SCOPES: dict[type, str] = {ForecastScores: "scores", Calibration: "calibration", Wealth: "wealth"}


@dataclass(frozen=True)
class ResolvedForecast:
    """A measure of probabilities with its system or class settled, and its options."""

    measure: Measure
    subject: Any
    """The system of scores, the class of a calibration; None of wealth."""
    arguments: dict[str, float | str]
    spelling: str

    def value(self, tally: Forecast) -> float:
        """The value; nan where it is undefined."""
        if self.undefined(tally) is not None:
            return math.nan
        return float(self.measure.compute(*self._view(tally), **self.arguments))

    def undefined(self, tally: Forecast) -> str | None:
        """Why there is no value; None when there is one."""
        seen = self._view(tally)
        return next((need.otherwise for need in self.measure.needs if not need.holds(*seen)), None)

    def by_chance(self, tally: Forecast) -> float:
        """What always saying the class shares scores; nan where chance has no one value."""
        if isinstance(tally, ForecastScores):
            return 0.0 if self.measure.name.endswith("_skill") else climatology(tally, self.measure.name)
        return 0.0 if self.measure.name in ("growth", "log_wealth") else math.nan

    def range(self, tally: Forecast) -> tuple[float, float]:
        """The measure's range, given how many classes there are."""
        low, high = self.measure.range
        if isinstance(tally, ForecastScores) and self.measure.name in RULES:
            return low, RULES[self.measure.name].highest(len(tally.labels))
        return low, high

    def _view(self, tally: Forecast) -> tuple[Any, ...]:
        if isinstance(tally, ForecastScores):
            return tally, self.subject
        return (tally.curve(self.subject),) if isinstance(tally, Calibration) else (tally,)


def measure_forecasts(tally: Forecast, spelling: str | Measure) -> float:
    """Compute a measure of probabilities; nan when it is undefined."""
    return resolve_forecast(tally, spelling).value(tally)


def resolve_forecast(tally: Forecast, spelling: str | Measure) -> ResolvedForecast:
    """Find the measure, its system or class on this tally, and its options.

    Of several systems one is named, ``brier[model]``; of two classes the second is meant if none is.
    """
    written = Spelling(spelling.name) if isinstance(spelling, Measure) else _parse(spelling)
    measure = (
        spelling
        if isinstance(spelling, Measure)
        else measures_by_name(MEASURES, *SCOPES.values()).get(written.name)
    )
    if measure is None:
        raise unknown(written.name)
    if measure.scope != SCOPES[type(tally)]:
        if measure.kind != "probabilities":
            raise unknown(measure.name)
        owner = next(kind.__name__ for kind, its in SCOPES.items() if its == measure.scope)
        raise OptionError(f"{measure.name} is a measure of {owner}; this is {type(tally).__name__}")
    if written.depth is not None:
        raise OptionError(f"{written}: a depth belongs to a ranking; these are probabilities")
    if isinstance(tally, ForecastScores):
        subject: Any = _one_of(tally.systems, written, "system")
    elif isinstance(tally, Calibration):
        names = tally.labels[1:] if len(tally.labels) == 2 and written.label is None else tally.labels
        subject = _one_of(names, written, "class")
    elif written.label is not None:
        raise OptionError(f"{written}: wealth is of one bettor; write it without a name")
    else:
        subject = None
    return ResolvedForecast(measure, subject, measure.arguments(written.options), str(written))


def _parse(spelling: Any) -> Spelling:
    if not isinstance(spelling, str):
        raise OptionError(f"a measure is written as text, such as 'brier[model]'; saw {spelling!r}")
    return Spelling.parse(spelling)


def _one_of(names: tuple[Any, ...], written: Spelling, what: str) -> Any:
    if not names:
        raise OptionError(f"{written}: the tally is empty, so it has no {what}")
    if written.label is not None:
        return names[find(written.label, names)]
    if len(names) == 1:
        return names[0]
    examples = ", ".join(f"{written.name}[{quote_label(str(name))}]" for name in names[:3])
    raise OptionError(
        f"there are {len(names)} of them, and {written.name} is of one {what}: write {examples}"
        f"{', …' if len(names) > 3 else ''}"
    )
