"""A kind that is defined outside the package gets everything that the package's own kinds have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pytest

import edgeworth as ew
from edgeworth.core.estimates import Estimate
from edgeworth.core.kinds import Kind, kind_of
from edgeworth.core.options import Options
from edgeworth.core.registry import measures_by_name
from edgeworth.core.sampling_distributions import NormalLaw, Scale
from edgeworth.errors import OptionError
from edgeworth.report.report import Column, Grid, Report, Section


@dataclass(frozen=True)
class Waits:
    """Waiting times, added up."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    kind: ClassVar[Kind[Waits]]

    @classmethod
    def of(cls, *times: float) -> Self:
        return cls(len(times), sum(times), sum(time**2 for time in times))

    def __add__(self, other: Waits) -> Waits:
        return Waits(self.number + other.number, self.total + other.total, self.squares + other.squares)


MEAN = ew.Measure(
    name="mean_wait",
    scope="waits",
    kind="waits",
    formula="Σ t / n",
    low=0.0,
    high=math.inf,
    chance="none",
    direction="lower",
    source="",
    compute=lambda tally: tally.total / tally.number,
)


class WaitsKind(Kind[Waits]):
    name = "waits"
    title = "waiting times"

    def measures(self) -> tuple[ew.Measure, ...]:
        return (MEAN,)

    def measure(self, tally: Waits, spelling: str | ew.Measure) -> float:
        name = spelling.name if isinstance(spelling, ew.Measure) else spelling
        return float(measures_by_name(self, "waits")[name].compute(tally))

    def estimate(
        self,
        tally: Waits,
        measure: str | ew.Measure,
        *,
        method: Any = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        assert (method, seed, guess_rate) == (None, 0, None)
        value = self.measure(tally, measure)
        error = math.sqrt((tally.squares / tally.number - value**2) / tally.number)
        law = NormalLaw(value, error, Scale(), tally.number - 1.0)
        return Estimate(str(measure), value, math.nan, None, None, None, tally, law, size=float(tally.number))

    def report(self, tallied: Any, options: Options, about: Callable[..., dict[str, Any]]) -> Report:
        estimate = ew.estimate(tallied.final, "mean_wait")
        low, high = estimate.interval(options["level"])
        grid = Grid("Waits", (Column("mean", "number"),), ((estimate.value,),))
        return Report(
            verdict=f"{estimate.value:.1f} minutes ({low:.1f} to {high:.1f})",
            warnings=(),
            sections=(Section("How long", grids=(grid,)),),
            provenance=about(cases=tallied.final.number),
            numbers={"mean_wait": estimate.to_dict(options["level"])},
        )


Waits.kind = WaitsKind()
WAITS = Waits.of(3.0, 5.0) + Waits.of(10.0)


def test_a_kind_from_outside_is_measured_estimated_and_reported() -> None:
    assert kind_of(WAITS) is Waits.kind
    assert ew.measure(WAITS, "mean_wait") == 6.0
    assert ew.estimate(WAITS, "mean_wait").value == 6.0
    report = ew.evaluate(WAITS, level=0.8)
    assert report.numbers["mean_wait"]["value"] == 6.0
    assert report.numbers["mean_wait"]["level"] == 0.8
    assert report.provenance["cases"] == 3
    assert "How long" in report.to_html()
    assert "6.0 minutes" in str(report)


def test_what_is_no_tally_is_refused() -> None:
    with pytest.raises(OptionError, match="saw int"):
        ew.measure(42, "mean_wait")


def test_a_registered_measure_is_spelt_estimated_and_catalogued() -> None:
    own = ew.Measure(
        name="hits_a_case",
        scope="overall",
        formula="Σ c_ll / N",
        low=0.0,
        high=1.0,
        chance="Σ p_l r_l",
        direction="higher",
        source="",
        compute=lambda view: view.hits.sum(axis=-1) / view.total,
    )
    ew.register(own)
    table = ew.ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    assert ew.measure(table, "hits_a_case") == ew.measure(table, "accuracy") == 0.54
    accuracy = ew.estimate(table, "accuracy", method=ew.methods.Delta())
    assert ew.estimate(table, "hits_a_case").standard_error == pytest.approx(accuracy.standard_error)
    assert own in ew.catalogue(words="hits a case")
    with pytest.raises(OptionError, match="accuracy"):
        ew.register(ew.Measure("accuracy", "overall", "", 0, 1, "", "higher", "", own.compute))
