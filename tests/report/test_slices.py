"""Slices: each is measured by itself and compared with the rest, with tests and intervals for all at once."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.core.measures import Combination
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import NewcombeLaw
from edgeworth.errors import InputError, OptionError
from edgeworth.report.report import Report
from gate_files import tango_bounds

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, 600)
SITE = RNG.choice(["north", "south", "tiny"], 600, p=[0.5, 0.47, 0.03])
SURE = np.where(SITE == "south", 0.55, 0.9)
DATA = pd.DataFrame(
    {
        "y": TRUTH,
        "site": SITE,
        "lang": RNG.choice(["en", "fr"], 600),
        "guess": np.where(RNG.random(600) < SURE, TRUTH, 1 - TRUTH),
        "other": np.where(RNG.random(600) < 0.6, TRUTH, 1 - TRUTH),
        "p": (0.25 + 0.3 * TRUTH * SURE + 0.3 * RNG.random(600)).round(3),
        "r": RNG.random(600).round(3),
        "q": np.arange(600) % 60,
        "right": (RNG.random(600) < SURE).astype(int),
        "points": RNG.normal(size=600).round(3),
    }
)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "labels": ("informedness", {"truth": "y", "prediction": "guess", "positive": 1}),
    "clusters": ("informedness", {"truth": "y", "prediction": "guess", "positive": 1, "cluster": "q"}),
    "scores": ("roc_auc", {"truth": "y", "score": "p", "positive": 1}),
    "queries": ("average_precision", {"truth": "y", "score": "p", "positive": 1, "query": "q"}),
    "probabilities": ("roc_auc", {"truth": "y", "probabilities": "p", "positive": 1}),
    "right or wrong": ("accuracy", {"correct": "right"}),
    "grades": ("mean", {"grade": "points"}),
    "a measure": ("f", {"truth": "y", "prediction": "guess", "positive": 1, "measures": ["F1"]}),
}
SYSTEMS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "labels": (["guess", "other"], {"positive": 1}),
    "scores": (["p", "r"], {"kind": "scores", "positive": 1}),
    "queries": (["p", "r"], {"kind": "scores", "positive": 1, "query": "q"}),
    "probabilities": (["p", "r"], {"kind": "probabilities", "positive": 1}),
}


@cache
def evaluated(name: str) -> Report:
    return ew.evaluate(DATA, by="site", **KINDS[name][1])


def by_slice(report: Report, measure: str) -> dict[str, dict[str, Any]]:
    rows = report.numbers["slices"]["slices"]
    return {row["slice"]: row for row in rows if row["measure"] == measure}


@pytest.mark.parametrize("name", KINDS)
def test_a_slice_has_the_value_that_its_cases_have_alone(name: str) -> None:
    measure, options = KINDS[name]
    numbers = evaluated(name).numbers["slices"]
    level = 1 - 0.05 / (6 if name == "probabilities" else 3)
    assert numbers["measure"] == measure
    assert numbers["level_of_each"] == pytest.approx(level)
    rows = by_slice(evaluated(name), measure)
    assert set(rows) == {"north", "south", "tiny"}
    for key, row in rows.items():
        asked = {**options, "measures": [measure]}
        alone = ew.evaluate(DATA[DATA.site == key], level=level, **asked)
        known = next(x for x in alone.rows() if x["measure"] == measure)
        wanted = [known[x] for x in ("value", "low", "high")]
        seen = [np.nan if row[x] is None else row[x] for x in ("value", "low", "high")]
        if name in ("labels", "clusters", "right or wrong"):  # these have exact bounds instead of Wilson's
            assert seen[1] < seen[0] < seen[2]
            del seen[1:], wanted[1:]
        assert seen == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("name", sorted(set(KINDS) - {"scores", "probabilities"}))
def test_a_gap_is_the_value_of_a_slice_minus_that_of_all_other_rows(name: str) -> None:
    measure, options = KINDS[name]
    for key, row in by_slice(evaluated(name), measure).items():
        rest = ew.evaluate(DATA[DATA.site != key], **{**options, "measures": [measure]})
        known = next(x["value"] for x in rest.rows() if x["measure"] == measure)
        assert row["rest"] == pytest.approx(known)
        assert row["gap"] == pytest.approx(row["value"] - known)


def test_the_rest_of_a_ranked_slice_is_the_mean_over_the_other_slices() -> None:
    """One ranking of several slices would also tell how well the slices are told apart."""
    rows = by_slice(evaluated("scores"), "roc_auc")
    for key, row in rows.items():
        others = [x for x in rows if x != key]
        pairs = [DATA.y[DATA.site == x].agg(lambda y: y.sum() * (1 - y).sum() / len(y)) for x in others]
        assert row["rest"] == pytest.approx(np.average([rows[x]["value"] for x in others], weights=pairs))


def test_probabilities_are_compared_by_area_and_by_mean_forecast_minus_event_rate() -> None:
    rows = by_slice(evaluated("probabilities"), "forecast_bias")
    for key, row in rows.items():
        bias = DATA.p - DATA.y
        part, rest = bias[DATA.site == key], bias[DATA.site != key]
        assert row["value"] == pytest.approx(part.mean(), abs=1e-9)
        assert row["gap"] == pytest.approx(part.mean() - rest.mean(), abs=1e-9)


def test_shares_in_slices_have_exact_bounds() -> None:
    """Clopper and Pearson's; of informedness those of recall and of fallout, added."""

    def bounds(hits: Any) -> Any:
        return stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(1 - 0.05 / 3)

    for row in evaluated("right or wrong").numbers["slices"]["slices"]:
        exact = bounds(DATA.right[DATA.site == row["slice"]])
        assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high))
    for row in evaluated("labels").numbers["slices"]["slices"]:
        part = DATA[DATA.site == row["slice"]]
        recall, fallout = (part.guess[part.y == label] for label in (1, 0))
        ends = widest_difference(recall, fallout, 1 - 0.05 / 3)
        assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-3)


def widest_difference(first: Any, second: Any, level: float) -> tuple[float, float]:
    """Search for the split of the quantile between two exact binomial bounds that moves them most."""
    quantile = stats.norm.isf((1 - level) / 2)

    def bounds(hits: Any, part: float) -> Any:
        side = 1 - 2 * stats.norm.sf(part)
        return stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(side)

    def low(angle: float) -> float:
        reach = quantile * math.cos(angle), quantile * math.sin(angle)
        return float(bounds(first, reach[0]).low - bounds(second, reach[1]).high)

    def high(angle: float) -> float:
        reach = quantile * math.cos(angle), quantile * math.sin(angle)
        return float(bounds(first, reach[0]).high - bounds(second, reach[1]).low)

    angles = np.linspace(0.001, math.pi / 2 - 0.001, 500)
    return min(map(low, angles)), max(map(high, angles))


@pytest.mark.parametrize(("recall", "fallout"), [(0.99, 0.01), (0.95, 0.05), (0.9, 0.02), (0.7, 0.3)])
@pytest.mark.parametrize("sizes", [(15, 15), (10, 40), (30, 30)])
def test_intervals_of_fifty_slices_hold_together(
    sizes: tuple[int, int], recall: float, fallout: float
) -> None:
    """Exact sums over all outcomes, of informedness and of one share alone."""
    level, law = 1 - 0.05 / 50, [stats.binom(*x) for x in zip(sizes, (recall, fallout), strict=True)]
    covered = alone = 0.0
    for hits in range(sizes[0] + 1):
        shares = [np.array([item], dtype=float) for item in (hits, sizes[0])]
        low, high = NewcombeLaw(Combination(0.0, np.ones(1), *shares)).outer_interval(level)
        alone += law[0].pmf(hits) * (low <= recall <= high)
        for alarms in range(sizes[1] + 1):
            counts = np.array([hits, alarms], dtype=float), np.array(sizes, dtype=float)
            two = NewcombeLaw(Combination(0.0, np.array([1.0, -1.0]), *counts))
            low, high = two.outer_interval(level)
            covered += law[0].pmf(hits) * law[1].pmf(alarms) * (low <= recall - fallout <= high)
    assert min(alone, covered) ** 50 >= 0.95


def test_intervals_of_slices_are_hardly_wider_than_square_and_add() -> None:
    counts = np.array([700.0, 200.0]), np.array([1000.0, 1000.0])
    two = NewcombeLaw(Combination(0.0, np.array([1.0, -1.0]), *counts))
    (low, high), (outer_low, outer_high) = two.interval(0.99), two.outer_interval(0.99)
    assert outer_low < low
    assert high < outer_high
    assert outer_high - outer_low < 1.03 * (high - low)


@pytest.mark.parametrize("name", KINDS)
def test_the_weakest_comes_first_and_p_values_are_those_of_holm(name: str) -> None:
    """Slices that are too small for a claim are none of the family."""
    every = evaluated(name).numbers["slices"]["slices"]
    rows = [row for row in every if row["measure"] == KINDS[name][0]]
    values = [row["value"] for row in rows]
    assert values == sorted(values)
    tested = [row for row in every if row["no_claim"] is None and row["p_value"] is not None]
    adjusted = [row["adjusted_p_value"] for row in tested]
    assert adjusted == pytest.approx(holm([row["p_value"] for row in tested]).tolist())
    assert all(row["adjusted_p_value"] is None for row in every if row["no_claim"] is not None)
    assert {row["slice"] for row in every if row["no_claim"] is not None} <= {"tiny"}


def test_only_a_slice_that_is_shown_weaker_is_called_so() -> None:
    report = evaluated("labels")
    rows = by_slice(report, "informedness")
    assert [name for name, row in rows.items() if row["is_shown"]] == ["south"]
    assert "By site, south does worse than the rest: informedness" in report.verdict
    grid = next(section for section in report.sections if section.title == "By site").grids[0]
    caveats = {row[0]: row[-1] for row in grid.rows}
    assert grid.columns[-1].name == "caveat"
    assert {name for name, caveat in caveats.items() if caveat} == {"tiny"}
    assert caveats["tiny"] == "no claim: fewer than 30 independent cases"
    frame = report.to_frame("pandas").dropna(subset=["by"]).set_index("slice")
    assert frame["caveat"].dropna().to_dict() == {"tiny": "no claim: fewer than 30 independent cases"}
    assert "By site" in report.to_html()
    assert "By site" in str(report)


def test_two_slices_have_one_gap_with_one_test() -> None:
    report = ew.evaluate(DATA, by="lang", **KINDS["labels"][1])
    first, second = report.numbers["slices"]["slices"]
    assert report.numbers["slices"]["level_of_gaps"] == 0.95
    assert first["gap"] == pytest.approx(-second["gap"])
    assert (first["gap_low"], first["gap_high"]) == pytest.approx((-second["gap_high"], -second["gap_low"]))
    assert first["p_value"] == second["p_value"] == first["adjusted_p_value"]
    [grid] = next(section for section in report.sections if section.title == "By lang").grids
    assert [row[4] is None for row in grid.rows] == [False, True]


def test_a_gap_of_two_shares_has_the_interval_of_newcombe() -> None:
    """Newcombe 1998, method 10: 56 of 70 against 48 of 80."""
    answers = [1] * 56 + [0] * 14 + [1] * 48 + [0] * 32
    report = ew.evaluate(correct=answers, by=["a"] * 70 + ["b"] * 80)
    row = by_slice(report, "accuracy")["a"]
    assert (row["gap_low"], row["gap_high"]) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.parametrize(
    ("right", "cases"), [((18, 35), (31, 40)), ((33, 300), (38, 330)), ((30, 90), (30, 100))]
)
def test_shares_are_compared_by_the_mid_p_value_of_fisher(
    right: tuple[int, int], cases: tuple[int, int]
) -> None:
    answers = [
        x for hits, number in zip(right, cases, strict=True) for x in [1] * hits + [0] * (number - hits)
    ]
    report = ew.evaluate(correct=answers, by=np.repeat(["a", "b"], cases))
    law = stats.hypergeom(sum(cases), sum(right), cases[0])
    hits = np.arange(cases[0] + 1)
    gaps = abs(hits / cases[0] - (sum(right) - hits) / cases[1])
    gap = abs(right[0] / cases[0] - right[1] / cases[1])
    chances = law.pmf(hits)
    same = abs(gaps - gap) < 1e-12
    wanted = chances[(gaps > gap) & ~same].sum() + chances[same].sum() / 2
    assert by_slice(report, "accuracy")["a"]["p_value"] == pytest.approx(wanted)


def test_informedness_is_tested_by_exchanging_cases_of_a_class() -> None:
    """Every way to choose the cases of the first slice within each class, counted in whole numbers."""
    slices = {"a": ((5, 2), (3, 4)), "b": ((9, 1), (2, 8))}  # hits and misses, false alarms and rejections
    cells = [
        (truth, guess, name)
        for name, rows in slices.items()
        for truth, counts in zip((1, 0), rows, strict=True)
        for guess, count in zip((1, 0), counts, strict=True)
        for _ in range(count)
    ]
    truth, guess, site = zip(*cells, strict=True)
    report = ew.evaluate(truth=truth, prediction=guess, by=list(site), positive=1)

    def gap(hits: int, alarms: int) -> Fraction:
        return Fraction(hits, 7) - Fraction(14 - hits, 10) - Fraction(alarms, 7) + Fraction(5 - alarms, 10)

    more = same = Fraction(0)
    for hits in range(8):
        for alarms in range(6):
            ways = math.comb(14, hits) * math.comb(3, 7 - hits) * math.comb(5, alarms)
            ways *= math.comb(12, 7 - alarms)
            more += ways * (abs(gap(hits, alarms)) > abs(gap(5, 3)))
            same += ways * (abs(gap(hits, alarms)) == abs(gap(5, 3)))
    wanted = (more + same / 2) / (math.comb(17, 7) * math.comb(17, 7))
    row = by_slice(report, "informedness")["a"]
    assert row["gap"] == pytest.approx(float(gap(5, 3)))
    assert row["p_value"] == pytest.approx(float(wanted))
    assert not row["is_shown"]


def test_means_of_symmetric_grades_are_compared_as_by_welch() -> None:
    """Without skewness, and with a kurtosis that costs no degrees of freedom, the test is Welch's."""
    first, second = np.tile([0.0, 4.0], 100), np.tile([1.0, 3.4], 120)
    report = ew.evaluate(grade=[*first, *second], by=np.repeat(["a", "b"], [200, 240]))
    row = by_slice(report, "mean")["a"]
    welch = stats.ttest_ind(first, second, equal_var=False)
    assert row["p_value"] == pytest.approx(welch.pvalue)
    assert (row["gap_low"], row["gap_high"]) == pytest.approx(tuple(welch.confidence_interval()))


def test_grades_without_a_range_need_more_items_for_a_claim() -> None:
    grades = np.concatenate([np.tile([1.0, 2.0], 50), np.tile([4.0, 5.0], 50)])
    sites = np.repeat(["a", "b"], 100)
    row = by_slice(ew.evaluate(grade=grades, by=sites), "mean")["a"]
    assert row["p_value"] < 1e-12
    assert not row["is_shown"]
    assert "--grade-range" in row["no_claim"]
    known = by_slice(ew.evaluate(grade=grades, by=sites, grade_range=(0, 5)), "mean")["a"]
    assert known["is_shown"]


def test_a_measure_that_moves_with_base_rates_shows_them() -> None:
    rng = np.random.default_rng(5)
    site = np.repeat(["rare", "common"], 400)
    truth = (rng.random(800) < np.where(site == "rare", 0.1, 0.5)).astype(int)
    guess = np.where(rng.random(800) < 0.85, truth, 1 - truth)
    arrays: dict[str, Any] = {"truth": truth, "prediction": guess, "by": site, "positive": 1}
    report = ew.evaluate(**arrays, measures=["precision[1]"])
    section = next(section for section in report.sections if section.title.startswith("By"))
    assert any("base rates can explain a gap" in text for text in section.text)
    assert section.grids[0].columns[-1].name == "share of 1"
    for key, row in by_slice(report, "precision[1]").items():
        assert row["base_rates"]["1"] == pytest.approx(truth[site == key].mean())
    usual = ew.evaluate(**arrays)
    assert not any("base rates" in text for section in usual.sections for text in section.text)


def test_a_slice_that_is_shown_stronger_is_named_and_base_rates_are_given_as_an_explanation() -> None:
    """The errors in each class are the same everywhere, and only the share of the second class differs."""
    site = np.repeat(["a", "b", "c", "d", "e", "f", "many"], [150] * 6 + [400])
    truth = np.concatenate([np.repeat([0, 1], [125, 25])] * 6 + [np.repeat([0, 1], [200, 200])])
    guess = truth.copy()
    guess[np.arange(len(truth)) % 5 == 0] ^= 1
    arrays: dict[str, Any] = {"truth": truth, "prediction": guess, "by": {"site": site}, "positive": 1}
    report = ew.evaluate(**arrays, measures=["precision[1]", "recall[1]"])
    rows = by_slice(report, "precision[1]")
    many, rest = np.flatnonzero((site == "many") & (guess == 1)), np.flatnonzero((site != "many") & guess)
    p_value = stats.fisher_exact([[truth[x].sum(), (1 - truth[x]).sum()] for x in (many, rest)]).pvalue
    assert p_value < 1e-6
    assert rows["many"]["gap_low"] > 0
    assert not any(row["is_shown"] for row in rows.values())
    assert "By site, many does better than the rest: precision[1] " in report.verdict
    assert "Different shares of the classes can explain the gap in precision[1]." in report.verdict
    assert "is shown to differ" not in report.verdict
    # Every measure that was requested is sliced, and all gaps are one family.
    assert set(by_slice(report, "recall[1]")) == {*site}
    p_values = [
        row["p_value"] for name in ("precision[1]", "recall[1]") for row in by_slice(report, name).values()
    ]
    adjusted = [
        row["adjusted_p_value"]
        for name in ("precision[1]", "recall[1]")
        for row in by_slice(report, name).values()
    ]
    assert adjusted == pytest.approx(holm(p_values).tolist())


def test_more_classes_are_compared_by_mean_recall_over_the_classes_that_both_have() -> None:
    truth = ["a"] * 40 + ["b"] * 40 + ["c"] * 20 + ["a"] * 40 + ["b"] * 40
    guess = ["a"] * 30 + ["b"] * 10 + ["b"] * 40 + ["a"] * 20 + ["a"] * 20 + ["b"] * 60
    report = ew.evaluate(truth=truth, prediction=guess, by=np.repeat(["x", "y"], [100, 80]))
    rows = by_slice(report, "balanced_accuracy")
    assert rows["x"]["value"] == pytest.approx((30 / 40 + 1 + 0) / 3)
    # c does not occur in y: the gap is over a and b.
    assert rows["y"]["gap"] == pytest.approx((20 / 40 + 1) / 2 - (30 / 40 + 1) / 2)


def test_probabilities_of_several_classes_are_compared_by_what_shares_do_not_move() -> None:
    """Two calibrated groups whose classes have the same law of scores: only their shares differ."""
    rng = np.random.default_rng(7)
    shares = np.array([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5]])
    site = np.repeat([0, 1], 2000)
    truth = (rng.random((4000, 1)) > shares[site].cumsum(axis=1)).sum(axis=1)
    scores = rng.normal(size=(4000, 3))
    scores[np.arange(4000), truth] += 1.2
    chances = np.exp(1.2 * scores) * shares[site]
    chances /= chances.sum(axis=1, keepdims=True)
    rows = {"truth": truth, "probabilities": chances, "labels": [0, 1, 2], "by": site}
    report = ew.evaluate(**rows)
    biases = [f"forecast_bias[{label}]" for label in range(3)]
    assert {row["measure"] for row in report.numbers["slices"]["slices"]} == {*biases}
    assert "is shown to differ from the rest in mean forecast minus event rate[0, 1, 2]" in report.verdict
    for label in range(3):
        expected = (chances[:, label] - (truth == label))[site == 0].mean()
        assert by_slice(report, biases[label])["0"]["value"] == pytest.approx(expected)
    # The likeliest labels show a gap, which the shares explain.
    requested = ew.evaluate(**rows, measures=["balanced_accuracy"])
    assert by_slice(requested, "balanced_accuracy")["0"]["is_shown"]
    assert "Different shares of the classes can explain the gap in balanced accuracy." in requested.verdict


def test_biases_of_several_classes_allow_for_clusters() -> None:
    """Clusters of three equal rows: the gap of a class has Welch's test over the clusters."""
    rng = np.random.default_rng(8)
    chances = rng.dirichlet([2, 2, 2], 120)
    truth = np.array([rng.choice(3, p=row) for row in chances])
    row_of, half = np.repeat(np.arange(120), 3), np.repeat([0, 1], 60)
    rows = {"truth": truth[row_of], "probabilities": chances[row_of], "labels": [0, 1, 2]}
    report = ew.evaluate(**rows, cluster=row_of, by=half[row_of])
    for label in range(3):
        errors = chances[:, label] - (truth == label)
        first, second = errors[half == 0], errors[half == 1]
        row = by_slice(report, f"forecast_bias[{label}]")["0"]
        assert row["gap"] == pytest.approx(first.mean() - second.mean())
        assert row["p_value"] == pytest.approx(
            stats.ttest_ind(first, second, equal_var=False).pvalue, rel=1e-6
        )


def test_rows_of_one_cluster_in_both_slices_are_not_independent() -> None:
    """Each cluster has as many rows in either slice, so the gap is a mean of paired differences."""
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(40), 20)
    rates = rng.beta(2, 1, 40)[cluster]
    right = (rng.random(800) < rates).astype(float)
    half = np.tile([0, 1], 400)
    report = ew.evaluate(grade=right * 10, cluster=cluster, by=half, grade_range=(0, 10))
    row = by_slice(report, "mean")["0"]
    paired = [
        10 * (right[(cluster == g) & (half == 0)].mean() - right[(cluster == g) & (half == 1)].mean())
        for g in range(40)
    ]
    error = np.std(paired, ddof=1) / np.sqrt(40)
    assert row["gap"] == pytest.approx(np.mean(paired))
    # The width is that of a paired t interval, and a third of what independent slices would have.
    assert row["gap_high"] - row["gap_low"] == pytest.approx(2 * 2.02 * error, rel=0.1)


def test_columns_are_separate_or_crossed() -> None:
    data = DATA.assign(**{"site:lang": np.arange(600) % 3})
    options = KINDS["right or wrong"][1]
    crossed = ew.evaluate(DATA, by="site:lang", **options).numbers["slices"]["slices"]
    assert {(row["by"], row["slice"]) for row in crossed} == {
        ("site:lang", f"{site}, {lang}") for site in ("north", "south", "tiny") for lang in ("en", "fr")
    }
    for row in crossed:
        site, lang = row["slice"].split(", ")
        assert row["value"] == DATA.right[(DATA.site == site) & (DATA.lang == lang)].mean()
    # A column that is really called so is taken as it is.
    own = ew.evaluate(data, by="site:lang", **options).numbers["slices"]["slices"]
    assert {row["slice"] for row in own} == {"0", "1", "2"}
    both = ew.evaluate(data, by=["site", "lang:site:lang"], **options).numbers["slices"]["slices"]
    assert {row["by"] for row in both} == {"site", "lang:site:lang"}
    assert "en, 0" in {row["slice"] for row in both}
    with pytest.raises(InputError, match="no column 'sit'"):
        ew.evaluate(DATA, by="lang:sit", **options)


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_compared_in_each_slice_as_alone(name: str) -> None:
    systems, options = SYSTEMS[name]
    whole = ew.compare(DATA, truth="y", systems=systems, by="site", **options)
    slices = whole.report.numbers["slices"]
    headline, level = slices["measure"], slices["level_of_each"]
    assert headline == whole.findings.headline
    defined = [row for row in slices["slices"] if row["undefined"] is None]
    assert level == pytest.approx(1 - 0.05 / len(defined))
    for row in defined:
        alone = ew.compare(DATA[DATA.site == row["slice"]], truth="y", systems=systems, **options)
        known = alone[row["first"], row["second"]][headline]
        assert row["value"] == pytest.approx(known.difference)
        interval = [np.nan if row[end] is None else row[end] for end in ("low", "high")]
        assert interval == pytest.approx(list(known.interval(level)), nan_ok=True)
        p_value = np.nan if row["p_value"] is None else row["p_value"]
        assert p_value == pytest.approx(known.p_value(), nan_ok=True)
    frame = whole.to_frame()
    assert set(frame.slice.dropna()) == {row["slice"] for row in slices["slices"]}


def test_a_difference_has_one_sign_wherever_it_is_told() -> None:
    """First less second, as given: in pairs, claims, slices, frames, CSV; with the level of each interval."""
    truth, better = DATA.y, {"guess": DATA.guess, "other": DATA.other}
    for names in (["guess", "other"], ["other", "guess"]):
        whole = ew.compare(DATA, truth="y", systems=names, by="site", positive=1, measures=["accuracy"])
        plain, frame = whole.to_dict(), whole.to_frame()

        def known(cases: Any, names: list[str] = names) -> float:
            first, second = ((better[name] == truth)[cases].mean() for name in names)
            return float(first - second)

        pair, claim = plain["comparison"]["pairs"][0], plain["claims"][0]["numbers"]
        everything = np.full(600, True)
        results = [(pair | pair["measures"]["accuracy"], everything), (claim, everything)]
        slices = plain["slices"]["slices"]
        results += [({**row, "difference": row["value"]}, DATA.site == row["slice"]) for row in slices]
        rows = frame.assign(difference=frame.value).to_dict("records")
        results += [(row, everything if pd.isna(row["by"]) else DATA.site == row["slice"]) for row in rows]
        assert len(results) == 2 + 3 + 4
        for row, cases in results:
            assert [row["first"], row["second"]] == names
            assert row["difference"] == pytest.approx(known(cases))
            assert row["low"] <= row["difference"] <= row["high"]
        assert claim["better"] == "guess"
        assert "baseline" not in frame.columns
        assert frame.level.tolist() == pytest.approx([0.95, *[1 - 0.05 / 3] * 3])
        line = dict(zip(*(item.split(",") for item in whole.to_csv().splitlines()[:2]), strict=True))
        assert [line["first"], line["second"]] == names
        assert float(line["difference"]) == pytest.approx(known(everything))
        # Tables for people show the better system first, and name the difference.
        grid = next(section for section in whole.report.sections if section.title == "By site").grids[0]
        assert grid.columns[2].name == "accuracy, guess − other"
        shown = {str(row[0]): row[2] for row in grid.rows}
        sign = 1 if names[0] == "guess" else -1
        assert shown == pytest.approx({row["slice"]: sign * row["value"] for row in slices})


def test_slices_of_three_systems_say_who_is_better_than_whom() -> None:
    """``guess`` is right in about 77%, ``other`` in 60% and ``third`` in 95% of the cases, in each slice."""
    data = DATA.assign(third=np.where(RNG.random(600) < 0.95, DATA.y, 1 - DATA.y))
    options: dict[str, Any] = {"positive": 1, "measures": ["accuracy"], "by": "lang"}
    report = ew.compare(data, truth="y", systems=["other", "third", "guess"], **options).report
    rows = report.numbers["slices"]["slices"]
    best_first = ["third", "guess", "other"]
    assert len(rows) == 3 * 2
    for row in rows:
        better, worse = sorted((row["first"], row["second"]), key=best_first.index)
        assert (row["is_shown"], row["better"]) == (True, better)
        part = data[data.lang == row["slice"]]
        known = [(part[name] == part.y).mean() for name in (row["first"], row["second"])]
        assert row["value"] == pytest.approx(known[0] - known[1])
        assert re.search(f"{better} beats {worse} in (en and fr|fr and en)", report.verdict)
        assert f"{worse} beats {better}" not in report.verdict


def test_grades_are_compared_in_slices() -> None:
    data = DATA.assign(wrong=1 - DATA.right)
    report = ew.compare(data, truth=None, systems=["right", "wrong"], kind="correct", by="lang").report
    rows = {row["slice"]: row for row in report.numbers["slices"]["slices"]}
    assert set(rows) == {"en", "fr"}
    for name, part in data.groupby("lang"):
        row, (wins, losses) = rows[str(name)], (part.right.sum(), part.wrong.sum())
        assert [row["first"], row["second"], row["better"]] == ["right", "wrong", "right"]
        assert row["value"] == pytest.approx(part.right.mean() - part.wrong.mean())
        assert row["p_value"] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
        # Two slices: the intervals hold together at 95%, so each has the level 97.5%.
        low, high = tango_bounds(wins, losses, len(part), z=2.241402728)
        assert [row["low"], row["high"]] == pytest.approx([low[0], high[0]], abs=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_slices_of_partial_credit_are_compared_by_the_mean_of_all(tmp_path: Path, seed: int) -> None:
    """A slice that happens to hold only 0s and 1s is compared by the mean too, in frames and joins."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"id": np.arange(200), "topic": rng.integers(0, 8, 200).astype(str)})
    for name in ("a", "b"):
        data[name] = rng.integers(0, 2, 200).astype(float)
    data.loc[data.topic == "0", "a"] = 0.5
    whole = ew.compare(data, truth=None, systems=["a", "b"], kind="grades", by="topic")
    for name in ("a", "b"):
        columns = data[["id", "topic", name]].rename(columns={name: "points"})
        columns.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("a", "b")]
    joined = ew.compare(files, truth=None, systems="points", kind="grades", join="id", by="topic")
    means = data.groupby("topic")[["a", "b"]].mean()
    for comparison in (whole, joined):
        slices = comparison.report.numbers["slices"]
        assert slices["measure"] == comparison.findings.headline == "mean"
        assert len(slices["slices"]) == 8
        for row in slices["slices"]:
            known = means.loc[row["slice"]]
            assert row["value"] == pytest.approx(known[row["first"]] - known[row["second"]])


def test_frames_files_and_arrays_have_the_same_slices(tmp_path: Path) -> None:
    DATA.to_csv(tmp_path / "data.csv", index=False)
    arrays: dict[str, Any] = {"truth": DATA.y, "prediction": DATA.guess.tolist(), "positive": 1}
    results = [
        evaluated("labels"),
        ew.evaluate(pl.from_pandas(DATA), by=["site"], **KINDS["labels"][1]),
        ew.evaluate(str(tmp_path / "data.csv"), by="site", **KINDS["labels"][1]),
        ew.evaluate(by={"site": DATA.site.to_numpy()}, **arrays),
    ]
    assert all(item.numbers["slices"] == results[0].numbers["slices"] for item in results[1:])


def test_several_columns_are_one_family() -> None:
    slices = ew.evaluate(DATA, by=["site", "lang"], **KINDS["labels"][1]).numbers["slices"]
    assert slices["level_of_each"] == pytest.approx(0.99)
    assert {(row["by"], row["slice"]) for row in slices["slices"]} == {
        *(("site", name) for name in ("north", "south", "tiny")),
        *(("lang", name) for name in ("en", "fr")),
    }


def test_a_slice_without_a_value_says_why_and_rows_without_a_slice_are_one() -> None:
    data = DATA.assign(part=np.where(TRUTH == 1, "all real", None))
    report = ew.evaluate(data, by="part", **KINDS["labels"][1])
    slices = report.numbers["slices"]["slices"]
    wording = next(section.text for section in report.sections if section.title == "By part")
    assert [text.partition(": ")[::2] for text in wording] == [
        ("2 slices have no informedness", "only one class occurs.")
    ]
    assert {row["slice"]: row["cases"] for row in slices} == {
        "all real": float(TRUTH.sum()),
        "(no value)": float(600 - TRUTH.sum()),
    }
    assert all("class occurs" in row["undefined"] for row in slices)


def test_fifty_slices_are_shown_and_the_others_counted() -> None:
    report = ew.evaluate(DATA, by="q", correct="right")
    section = next(section for section in report.sections if section.title == "By q")
    assert len(section.grids[0].rows) == 50
    assert "50 of 60" in section.grids[0].note
    assert len(report.numbers["slices"]["slices"]) == 60


def test_slices_of_joined_tables_are_rows_of_a_column_that_a_table_has(tmp_path: Path) -> None:
    data = DATA.assign(id=np.arange(600))
    data[["id", "y", "site", "guess"]].to_csv(tmp_path / "a.csv", index=False)
    data[["id", "y", "other"]].rename(columns={"other": "guess"}).to_csv(tmp_path / "b.csv", index=False)
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    joined = ew.compare(files, truth="y", systems="guess", join="id", by="site", positive="1")
    wide = ew.compare(DATA, truth="y", systems=["guess", "other"], by="site", positive=1)
    values = [[row["value"] for row in x.report.numbers["slices"]["slices"]] for x in (joined, wide)]
    assert values[0] == pytest.approx(values[1])


def test_what_cannot_be_sliced_is_refused() -> None:
    with pytest.raises(InputError, match="no column 'sit'; did you mean 'site'"):
        ew.evaluate(DATA, by="sit", **KINDS["labels"][1])
    with pytest.raises(OptionError, match="has 1,001 values"):
        ew.evaluate(correct=[1] * 1001, by=list(range(1001)))
    with pytest.raises(OptionError, match="by is not supported with a tally"):
        ew.evaluate(ew.ContingencyTable.from_labels(DATA.y, DATA.guess), by="site")


def test_the_schema_knows_slices_and_a_frame_has_their_rows() -> None:
    schema = json.loads(
        (Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8")
    )
    check = jsonschema.Draft202012Validator(schema)
    compared = ew.compare(DATA, truth="y", systems=["p", "r"], by="site", **SYSTEMS["scores"][1])
    for report in (evaluated("labels"), compared.report):
        check.validate(json.loads(report.to_json()))
    frame = evaluated("labels").to_frame()
    part = frame[frame.by == "site"]
    assert list(part.measure) == ["informedness"] * 3
    assert set(part.system) == {"guess"}
    rows = by_slice(evaluated("labels"), "informedness")
    assert part.p.tolist() == pytest.approx([rows[name]["p_value"] for name in part.slice])
    assert part.gap.tolist() == pytest.approx([rows[name]["gap"] for name in part.slice])


def test_joined_grades_in_slices_that_one_table_knows() -> None:
    """Only the first table has the topic, in another order: each slice is the comparison of its items."""
    rng = np.random.default_rng(4)
    items = pd.DataFrame(
        {"id": np.arange(60), "ok": rng.integers(2, size=60), "topic": rng.choice(["a", "b"], 60)}
    )
    other = pd.DataFrame({"id": np.arange(60)[::-1], "ok": rng.integers(2, size=60)})
    options = {"join": "id", "kind": "correct"}
    comparison = ew.compare({"one": items, "two": other}, truth=None, systems="ok", by="topic", **options)
    slices = {row["slice"]: row for row in comparison.report.numbers["slices"]["slices"]}
    assert set(slices) == {"a", "b"}
    for topic, row in slices.items():
        part = items[items.topic == topic]
        alone = ew.compare(
            {"one": part, "two": other[other.id.isin(part.id)]}, truth=None, systems="ok", **options
        )
        assert row["cases"] == len(part)
        assert row["value"] == pytest.approx(alone["one", "two"]["accuracy"].difference, abs=1e-12)


def test_nothing_is_said_of_small_slices_or_in_sample() -> None:
    data = {"correct": [1] * 180 + [0] * 10 + [1] * 10, "by": ["big"] * 180 + ["small"] * 20}
    assert not any(row["is_shown"] for row in ew.evaluate(**data).numbers["slices"]["slices"])
    data = {"correct": [1] * 180 + [0] * 40, "by": ["big"] * 180 + ["small"] * 40}
    assert any(row["is_shown"] for row in ew.evaluate(**data).numbers["slices"]["slices"])
    fitted = ew.evaluate(**data, predictions_made="in-sample")
    assert not any(row["is_shown"] for row in fitted.numbers["slices"]["slices"])
    assert not any(section.text for section in fitted.sections)


def test_rows_of_a_cluster_are_told_beside_the_independent_cases() -> None:
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(20), 6)
    truth = rng.integers(0, 2, 120)
    systems = {
        name: np.where(rng.random(120) < share, truth, 1 - truth) for name, share in (("a", 0.9), ("b", 0.6))
    }
    report = ew.compare(truth=truth, systems=systems, cluster=cluster, by={"half": cluster < 10}).report
    [grid] = report.sections[1].grids
    assert [column.name for column in grid.columns][1:3] == ["rows", "clusters"]
    assert {row[1:3] for row in grid.rows} == {(60, 10)}


@pytest.mark.parametrize("role", ["prediction", "score", "probabilities", "grade"])
def test_rows_that_were_dropped_are_not_counted_in_a_slice(role: str) -> None:
    rng = np.random.default_rng(4)
    truth, site = rng.integers(0, 2, 200), np.resize(["a", "b"], 200)
    values: Any = np.clip(0.1 + 0.4 * truth + 0.5 * rng.random(200), 0, 1)
    if role == "prediction":
        values = (values > 0.5).astype(int).astype(object)
    values[::20] = None
    given = {role: values} if role == "grade" else {"truth": truth, role: values}
    report = ew.evaluate(**given, by=site, missing="drop")
    slices = report.to_dict()["slices"]["slices"]
    assert {row["slice"]: (row["rows"], row["cases"]) for row in slices} == {"a": (90, 90), "b": (100, 100)}
    [section] = [section for section in report.sections if section.title == "By group"]
    assert [column.name for column in section.grids[0].columns][:2] == ["slice", "cases"]


def test_a_gap_with_a_rare_class_has_its_caveat_in_its_row_and_in_the_claim() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 400, p=[0.6, 0.34, 0.06])
    site = np.array(["a", "b", "c", "c"] * 100)
    is_right = rng.random(400) < np.where(site == "a", 0.4, 0.9)
    prediction = np.where(is_right, truth, rng.integers(0, 3, 400))
    report = ew.evaluate(truth=truth, prediction=prediction, by={"site": site}, measures=["macro_f"])
    caveat = "the interval of the gap may be too narrow: class 2 has fewer than"
    [claim] = [x for x in report.to_dict()["claims"] if x["about"] == "slices"]
    assert caveat[1:] in claim["text"]
    section = next(x for x in report.sections if x.title == "By site")
    [grid] = section.grids
    assert grid.columns[-1].name == "caveat"
    first = grid.rows[0]
    assert first[0] == "a"
    assert caveat in str(first[-1])
    assert not any("too narrow" in text for text in section.text)


def test_a_slice_in_which_no_winner_may_be_named_has_the_reason_in_its_row() -> None:
    """160 items are enough to name a winner by a mean without a range, and the 80 of a slice are not."""
    slow = np.random.default_rng(1).lognormal(1, 0.3, 160)
    systems = {"slow": slow, "fast": slow - 0.6}
    report = ew.compare(systems=systems, kind="grades", lower_is_better=True, by=["a", "b"] * 80)
    assert report.verdict.endswith("By group, no winner is named in any slice.")
    rows = report.to_dict()["slices"]["slices"]
    assert [row["is_shown"] for row in rows] == [False, False]
    grid = next(section for section in report.report.sections if section.title == "By group").grids[0]
    assert grid.columns[-1].name == "caveat"
    for row in grid.rows:
        assert str(row[-1]).startswith("no winner: a rare large value may be missing from 80 items")
        assert str(row[-1]).endswith("(p is from the sign test, for the typical item)")
    frame = report.to_frame("pandas").dropna(subset=["by"])
    assert frame["caveat"].tolist() == [row[-1] for row in grid.rows]


def test_a_difference_in_a_slice_keeps_its_caveat() -> None:
    slow, fast = np.random.default_rng(1).normal([[5.0], [4.4]], 1, (2, 400))
    systems = {"slow": slow, "fast": fast}
    report = ew.compare(systems=systems, kind="grades", lower_is_better=True, by=["a", "b"] * 200)
    for row in report.to_dict()["slices"]["slices"]:
        assert row["is_shown"]
        assert row["caveat"].startswith("rare grades far outside those seen could reverse")
        assert row["caveat"] in " ".join(report.to_html().split())


def test_a_gap_that_is_not_claimed_says_why_beside_its_p_value() -> None:
    rng = np.random.default_rng(4)
    safe, risky = rng.normal(91.2, 1.5, 60), rng.normal(95, 1.5, 60)
    report = ew.evaluate(grade=[*safe, *risky], grade_range=(0, 100), by=["a"] * 60 + ["b"] * 60)
    reason = "3 more items at an end of the range would reverse the gap"
    assert f"not claimed because {reason})" in report.verdict
    grid = next(section for section in report.sections if section.title == "By group").grids[0]
    assert [row[-1] for row in grid.rows] == [f"no claim: {reason}"] * 2


def test_a_refusal_names_the_side_that_has_too_few_targets_and_metrics_have_no_p_value_then() -> None:
    site = np.repeat(["large", "b", "c"], [400, 300, 300])
    truth = np.concatenate([np.arange(400) < 30, np.arange(300) < 12, np.arange(300) < 8])
    score = np.random.default_rng(2).normal(truth.astype(float))
    report = ew.evaluate(truth=truth, score=score, by={"site": site}, positive=True)
    reasons = {row["slice"]: row["no_claim"] for row in report.numbers["slices"]["slices"]}
    assert reasons == {
        "large": "the largest other slice has 12 targets; 20 are needed",
        "b": "the slice has 12 targets; 20 are needed",
        "c": "the slice has 8 targets; 20 are needed",
    }
    metrics = report.to_metrics()
    assert "site/b/roc_auc_gap" in metrics
    assert not any(name.endswith("gap_p") for name in metrics)


def test_an_array_of_groups_is_called_by_the_name_of_its_series() -> None:
    truth, prediction, site = [0, 1] * 60, [0, 1, 1, 0, 0, 1] * 20, ["north", "south", "south"] * 40
    for by, name in ((site, "group"), (pd.Series(site, name="site"), "site"), ({"place": site}, "place")):
        report = ew.evaluate(truth=truth, prediction=prediction, by=by)
        assert f"By {name}, " in report.verdict
        assert set(report.to_frame("pandas")["by"].dropna()) == {name}
