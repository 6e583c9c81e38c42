"""A kind that is defined outside the package gets everything that the package's own kinds have."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, sem, t, ttest_ind

import edgeworth as ew
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, compare_pairs
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.core.estimates import Estimate, Method
from edgeworth.core.kinds import Kind, ReportInput, SystemTallies, every_kind, find_kind, kind_of
from edgeworth.core.options import Options
from edgeworth.core.registry import measures_by_name
from edgeworth.core.row_reading import Counted, count_source
from edgeworth.core.sampling_distributions import NormalLaw, Scale
from edgeworth.core.serialization import tally_from_dict
from edgeworth.core.slice_gaps import Units
from edgeworth.core.tallies import Tally
from edgeworth.errors import OptionError
from edgeworth.pipeline.tally_record import TallyRecord
from edgeworth.report.report import About, Column, Grid, Report, Section
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.numbers import as_scores


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

    def to_dict(self) -> JsonObject:
        return {"number": self.number, "total": self.total, "squares": self.squares}


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


def read_times(column: str, batch: Batch) -> Waits:
    return Waits.of(*as_scores(batch.columns[column], column).tolist())


def waits_reducer(columns: Mapping[str, str], **_: object) -> Reducer[Waits]:
    return Reducer((columns["grade"],), partial(read_times, columns["grade"]), Waits())


class WaitsKind(Kind[Waits]):
    name = "waits"
    title = "waiting times"
    roles = ("grade",)
    has_truth = False
    unit = "wait"

    def read(self, source: Source | None, options: Options, *, is_final: bool) -> Counted[Tally]:
        roles = {"grade": options["grade"]}
        return count_source(source, roles, self.roles, None, waits_reducer, is_final=is_final)

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
        method: Method | None = None,
        seed: int = 0,
        guess_rate: float | None = None,
    ) -> Estimate:
        assert (method, seed, guess_rate) == (None, 0, None)
        value = self.measure(tally, measure)
        error = math.sqrt((tally.squares / tally.number - value**2) / (tally.number - 1))
        law = NormalLaw(value, error, Scale(), tally.number - 1.0)
        return Estimate(str(measure), value, math.nan, None, None, None, tally, law, size=float(tally.number))

    def independent_units(self, tally: Waits) -> Units:
        return Units(float(tally.number))

    def report(self, tallied: ReportInput[Waits], options: Options, about: About) -> Report:
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

    def read_systems(
        self, source: Source | None, truth: object, systems: Mapping[str, object], options: Options
    ) -> SystemTallies:
        assert truth is None
        counted = {
            name: self.read(source, {**options, "grade": column}, is_final=True)
            for name, column in systems.items()
        }
        tallies = {name: x.tally for name, x in counted.items()}
        return SystemTallies(self, tallies, next(iter(counted.values())).source)

    def compare(
        self, systems: Waits | Mapping[str, Waits], options: Options, *, clusters: object = None
    ) -> ComparisonFindings:
        """Compare mean waits of different people (Welch's test, with a normal law)."""
        assert isinstance(systems, Mapping)
        assert clusters is None

        def difference(first: str, second: str) -> dict[str, Difference]:
            one, two = (ew.estimate(systems[name], "mean_wait") for name in (first, second))
            error = math.hypot(one.standard_error, two.standard_error)
            law = NormalLaw(one.value - two.value, error, Scale())
            result = Difference(
                "mean_wait",
                first,
                second,
                values=(one.value, two.value),
                direction=MEAN.direction,
                law=law,
                cases=float(systems[first].number + systems[second].number),
                interval_method="normal",
            )
            return {"mean_wait": result}

        return compare_pairs(
            "waits",
            tuple(systems),
            difference,
            unit="person",
            level=options["level"],
            adjust=options["adjust"] or "holm",
            power=options["power"],
            cases=float(sum(tally.number for tally in systems.values())),
        )


Waits.kind = WaitsKind()
WAITS = Waits.of(3.0, 5.0) + Waits.of(10.0)


def test_each_tally_carries_the_kind_that_reads_its_files() -> None:
    """Nothing is looked up by a name, except the kind of a file."""
    truth, labels, chances = [1, 0, 1, 0], [1, 0, 0, 0], [0.8, 0.3, 0.6, 0.4]
    tallies = (
        ew.ContingencyTable.from_labels(truth, labels),
        ew.Ranking.from_scores(truth, chances),
        ew.RankedLists.from_scores(truth, chances, groups=["a", "a", "b", "b"]),
        ew.tally(truth=truth, score=chances).tally,
        ew.tally(truth=truth, probabilities=chances).tally,
        ew.ForecastScores.from_probabilities(truth, chances),
        ew.Calibration.from_probabilities(truth, chances),
        ew.Wealth.from_probabilities(truth, chances, against=[0.5] * 4),
        ew.Grades.from_grades(truth),
        ew.Paired.from_labels(truth, {"one": labels, "other": truth}),
        PairedScores.from_scores(truth, {"one": chances, "other": chances}),
    )
    assert {kind_of(tally).name for tally in tallies} == {kind.name for kind in every_kind()}
    for tally in tallies:
        assert type(tally).kind is kind_of(tally)
        assert kind_of(tally_from_dict(tally.to_dict())) is kind_of(tally)
        assert find_kind(tally.to_dict()["kind"]) is kind_of(tally)


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


def test_a_kind_from_outside_is_compared() -> None:
    times = {"old": [9.0, 8.0, 11.0, 10.0] * 6, "new": [5.0, 6.0, 4.0, 7.0] * 6, "same": [9.5, 8.5] * 12}
    comparison = ew.compare({name: Waits.of(*values) for name, values in times.items()}, level=0.9)
    difference = comparison["new", "old"]["mean_wait"]
    assert difference.values == (5.5, 9.5)
    error = math.sqrt(sum(np.var(times[name], ddof=1) / 24 for name in ("new", "old")))
    assert difference.standard_error == pytest.approx(error)
    assert difference.interval(0.9) == pytest.approx(norm.interval(0.9, -4.0, error))
    adjusted = comparison.findings.adjusted
    pairs = {pair: comparison[pair]["mean_wait"].p_value() for pair in adjusted}
    assert adjusted["old", "same"] == pytest.approx(max(pairs.values()))
    assert adjusted["old", "new"] == pytest.approx(min(3 * pairs["old", "new"], 1))
    assert comparison.findings.ranked == ("new", "same", "old")
    assert "new" in comparison.verdict
    low, high = norm.interval(0.9, -3.5, math.hypot(sem(times["new"]), sem(times["same"])))
    assert f"−3.50 (90% CI −{-low:.2f} to −{-high:.2f}" in " ".join(str(comparison).replace("│", " ").split())
    assert "mean wait" in comparison.to_html()
    shown = json.loads(comparison.to_json())
    assert shown["provenance"]["kind"] == "waits"
    frame = comparison.to_frame()
    assert set(frame["measure"]) == {"mean_wait"}


SITES = {"north": 40, "south": 35, "east": 45, "ferry": 6}


def waits_by_site() -> pl.DataFrame:
    rng = np.random.default_rng(8)
    means = (12.0, 8.0, 8.5, 9.0)
    sites = [site for site, size in SITES.items() for _ in range(size)]
    minutes = np.concatenate(
        [rng.gamma(4.0, mean / 4, size) for size, mean in zip(SITES.values(), means, strict=True)]
    )
    return pl.DataFrame({"site": sites, "minutes": minutes, "faster": minutes * rng.uniform(0.5, 1, 126)})


def holm_by_hand(p_values: Mapping[str, float]) -> dict[str, float]:
    adjusted, largest = {}, 0.0
    for index, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        largest = max(largest, min(1.0, (len(p_values) - index) * p_values[name]))
        adjusted[name] = largest
    return adjusted


@pytest.mark.parametrize("form", ["frame", "file", "arrays"])
def test_slices_of_a_kind_from_outside_are_compared_with_the_rest(form: str, tmp_path: Path) -> None:
    frame = waits_by_site()
    if form == "frame":
        report = ew.evaluate(frame, grade="minutes", kind=Waits.kind, by="site")
    elif form == "file":
        frame.write_csv(tmp_path / "waits.csv")
        report = ew.evaluate(tmp_path / "waits.csv", grade="minutes", kind=Waits.kind, by="site")
    else:
        minutes = frame["minutes"].to_list()
        report = ew.evaluate(grade=minutes, kind=Waits.kind, by={"site": frame["site"].to_list()})
    rows = report.numbers["slices"]["slices"]
    sides = {
        site: tuple(frame.filter(keep)["minutes"].to_numpy() for keep in (mine, ~mine))
        for site in frame["site"].unique()
        for mine in (pl.col("site") == site,)
    }
    tests = {site: ttest_ind(*pair, equal_var=False) for site, pair in sides.items()}
    # Six cases are too few for a claim, so three gaps are tested together.
    adjusted = holm_by_hand({site: tests[site].pvalue for site in ("north", "south", "east")})
    assert {row["slice"] for row in rows} == {*sides}
    for row in rows:
        own, rest = sides[row["slice"]]
        assert row["cases"] == len(own)
        assert row["value"] == pytest.approx(own.mean())
        assert row["rest"] == pytest.approx(rest.mean())
        assert row["gap"] == pytest.approx(own.mean() - rest.mean())
        bounds = t.interval(1 - 0.05 / 4, len(own) - 1, own.mean(), sem(own))
        assert (row["low"], row["high"]) == pytest.approx(bounds)
        welch = tests[row["slice"]]
        assert row["p_value"] == pytest.approx(welch.pvalue)
        assert (row["gap_low"], row["gap_high"]) == pytest.approx(welch.confidence_interval(1 - 0.05 / 3))
        if row["slice"] == "ferry":
            assert (row["adjusted_p_value"], row["no_claim"]) == (None, "fewer than 30 independent cases")
        else:
            assert row["adjusted_p_value"] == pytest.approx(adjusted[row["slice"]])
    # A long wait is bad, so the slice with the longest mean wait comes first and is the only one named.
    assert [row["slice"] for row in rows] == sorted(sides, key=lambda site: -sides[site][0].mean())
    assert [row["slice"] for row in rows if row["is_shown"]] == ["north"]
    assert "By site, north does worse than the rest: mean wait" in report.verdict
    assert set(report.to_frame()["slice"]) >= {*sides}
    assert "gap to the rest" in report.to_html()


def test_a_kind_from_outside_is_compared_in_slices() -> None:
    frame = waits_by_site().filter(pl.col("site") != "ferry")
    systems = {"new": "faster", "old": "minutes"}
    comparison = ew.compare(frame, systems=systems, kind=Waits.kind, by="site")
    rows = json.loads(comparison.to_json())["slices"]["slices"]
    p_values, is_outside = {}, {}
    assert {row["slice"] for row in rows} == {"north", "south", "east"}
    for row in rows:
        one, two = (
            frame.filter(pl.col("site") == row["slice"])[column].to_numpy()
            for column in ("faster", "minutes")
        )
        error = math.hypot(sem(one), sem(two))
        assert row["value"] == pytest.approx(one.mean() - two.mean())
        low, high = norm.interval(1 - 0.05 / 3, one.mean() - two.mean(), error)
        assert (row["low"], row["high"]) == pytest.approx((low, high))
        is_outside[row["slice"]] = high < 0 or low > 0
        p_values[row["slice"]] = 2 * norm.sf(abs(one.mean() - two.mean()) / error)
        assert row["p_value"] == pytest.approx(p_values[row["slice"]])
    adjusted = holm_by_hand(p_values)
    assert {row["slice"]: row["adjusted_p_value"] for row in rows} == pytest.approx(adjusted)
    shown = {row["slice"] for row in rows if row["is_shown"]}
    assert shown == {site for site, p in adjusted.items() if p < 0.05 and is_outside[site]} != set()
    assert "new beats old in" in comparison.verdict


@pytest.mark.parametrize("form", ["frame", "arrays", "file"])
def test_a_kind_from_outside_is_gated(form: str, tmp_path: Path) -> None:
    frame = waits_by_site()
    frame.write_csv(tmp_path / "waits.csv")
    require = ["mean_wait <= 12", "mean_wait no worse than baseline by 1"]
    if form == "arrays":
        new, old = frame["faster"].to_list(), frame["minutes"].to_list()
        decision = ew.check(grade=new, baseline=old, kind=Waits.kind, require=require)
    else:
        data = frame if form == "frame" else tmp_path / "waits.csv"
        decision = ew.check(data, grade="faster", baseline="minutes", kind=Waits.kind, require=require)
    one, two = (frame[name].to_numpy() for name in ("faster", "minutes"))
    difference = norm.interval(0.95, one.mean() - two.mean(), math.hypot(sem(one), sem(two)))
    level, no_worse = decision.results
    assert level.interval == pytest.approx(t.interval(0.95, len(one) - 1, one.mean(), sem(one)))
    assert no_worse.interval == pytest.approx(difference)
    assert no_worse.evidence.region == (-math.inf, 1.0), "a long wait is bad"
    assert [result.outcome for result in decision.results] == ["pass", "pass"]


def test_a_kind_from_outside_is_gated_in_slices() -> None:
    frame = waits_by_site()
    decision = ew.check(frame, grade="minutes", kind=Waits.kind, require="mean_wait <= 11", by="site")
    assert [result.part for result in decision.results] == [f"site {name}" for name in SITES]
    for result, name in zip(decision.results, SITES, strict=True):
        own = frame.filter(pl.col("site") == name)["minutes"].to_numpy()
        bounds = t.interval(0.95, len(own) - 1, own.mean(), sem(own))
        assert result.interval == pytest.approx(bounds)
        assert result.outcome == ("pass" if bounds[1] <= 11 else "undecided")
    pair = ew.check(
        frame, grade="faster", baseline="minutes", kind=Waits.kind, by="site", require="mean_wait < baseline"
    )
    rows = ew.compare(frame, systems={"a": "faster", "b": "minutes"}, kind=Waits.kind, by="site").to_dict()
    differences = {row["slice"]: row["value"] for row in rows["slices"]["slices"]}
    assert {x.part.removeprefix("site "): x.evidence.quantity for x in pair.results} == differences


def test_tallies_of_a_kind_from_outside_are_gated() -> None:
    new, old = Waits.of(5.0, 6.0, 4.0, 7.0), Waits.of(9.0, 8.0, 11.0, 10.0)
    assert ew.check(new, require="mean_wait <= 9").outcome == "pass"
    assert (
        ew.check(TallyRecord(new), baseline=old, require="mean_wait better than baseline").outcome == "pass"
    )
    with pytest.raises(OptionError, match="there is no measure 'median_wait'; did you mean mean_wait"):
        ew.check(new, require="median_wait <= 9")


def test_gates_name_the_unit_of_a_kind_from_outside() -> None:
    of_tally = ew.check(Waits.of(5.0, 6.0, 4.0, 7.0), require="mean_wait <= 9")
    of_rows = ew.check(waits_by_site(), grade="minutes", kind=Waits.kind, require="mean_wait <= 9")
    assert [x.results[0].evidence.unit for x in (of_tally, of_rows)] == ["wait", "wait"]
    assert "4 waits" in str(of_tally)
    assert "126 waits" in str(of_rows)


def test_tallies_of_a_kind_from_outside_merge() -> None:
    frame = waits_by_site()
    parts = [ew.tally(part, grade="minutes", kind=Waits.kind) for part in (frame[:50], frame[50:])]
    report = ew.evaluate(parts[0] + parts[1])
    assert report.numbers["mean_wait"]["value"] == pytest.approx(frame["minutes"].mean())
    assert report.provenance["cases"] == 126


def test_a_kind_from_outside_refuses_what_it_does_not_take() -> None:
    frame = waits_by_site()
    with pytest.raises(OptionError, match="waiting times need grade"):
        ew.evaluate(frame, score="minutes", kind=Waits.kind)
    with pytest.raises(OptionError, match="cluster is not supported with waiting times"):
        ew.evaluate(frame, grade="minutes", cluster="site", kind=Waits.kind)
    with pytest.raises(OptionError, match="truth is not supported with waiting times"):
        ew.compare(frame, truth="site", systems={"a": "minutes", "b": "faster"}, kind=Waits.kind)
    with pytest.raises(OptionError, match=r"kind is one of labels, scores, .*; saw 'waits'"):
        ew.evaluate(frame, grade="minutes", kind="waits")  # type: ignore[arg-type]  # a word it does not know
    with pytest.raises(OptionError, match="kind is 'scores', but the columns hold grades"):
        ew.evaluate(frame, grade="minutes", kind="scores")


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
