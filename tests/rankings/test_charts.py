"""Charts of rankings and lists: what they show is what was found, whatever the shape of the data."""

from __future__ import annotations

import itertools
import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import edgeworth as ew
from edgeworth.calculators import evaluate_trec
from edgeworth.rankings.charts import MAX_LISTS_DRAWN, list_charts, ranking_charts
from edgeworth.rankings.findings import RankingFindings, examine_lists, examine_ranking
from edgeworth.rankings.intervals.bands import binned_law, thin_roc_curve
from edgeworth.rankings.report import compose_ranking
from edgeworth.report.charts.chart import Chart

HOSTILE = ["</script><script>alert(1)</script>", '"quoted" & <b>', "\u202ertl", "x" * 10_000, "🎯"]


def drawn(size: int, share: float, strength: float, seed: int = 1, digits: int = 9) -> ew.Ranking:
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < share).astype(int)
    truth[:2] = 0, 1
    return ew.Ranking.from_scores(truth, np.round(rng.normal(size=size) + strength * truth, digits))


def weighted() -> ew.Ranking:
    rng = np.random.default_rng(3)
    truth = (rng.random(300) < 0.2).astype(int)
    return ew.Ranking.from_scores(
        truth, rng.normal(size=300) + truth, weights=rng.random(300) + 0.1, weight_kind="sampling"
    )


SHAPES = {
    "few": lambda: ew.Ranking.from_hits([1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
    "one target": lambda: ew.Ranking.from_hits([0, 0, 1, 0, 0]),
    "two items": lambda: ew.Ranking.from_hits([0, 1]),
    "middling": lambda: drawn(600, 0.15, 1.2),
    "ties": lambda: drawn(2000, 0.2, 1.0, digits=0),
    "all tied": lambda: ew.Ranking.from_scores([0, 1, 1, 0, 0, 0, 1], [1.0] * 7),
    "perfect": lambda: ew.Ranking.from_hits([1] * 30 + [0] * 270),
    "worst": lambda: ew.Ranking.from_hits([0] * 270 + [1] * 30),
    "worse than chance": lambda: drawn(500, 0.2, -0.8),
    "rare": lambda: drawn(100_000, 0.003, 2.2),
    "unranked": lambda: ew.Ranking.from_hits([1, 0, 0, 1, 0] * 10, unranked=7),
    "none ranked": lambda: ew.Ranking.from_hits([0] * 20, unranked=3),
    "weighted": weighted,
}


@cache
def findings(shape: str) -> RankingFindings:
    return examine_ranking(SHAPES[shape](), gain=5.0, cost=1.5)


def column(chart: Chart, name: str, data: str | None = None) -> list[Any]:
    return [row[name] for row in chart.data[chart.name if data is None else data]]


# -- every chart -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_valid_charts(shape: str) -> None:
    charts = ranking_charts(findings(shape))
    expected = ["hits", "precision_recall", "roc", "value", "chance"]
    assert list(charts) == (expected[:-1] if shape == "weighted" else expected)
    for chart in charts.values():
        if shape in ("few", "weighted"):
            chart.altair().to_dict()  # altair's own validation, which takes its time
        text = json.dumps(chart.to_dict(), allow_nan=False)
        assert len(text) < 80_000
        assert 1 <= len(chart.rows()) <= 200
        assert {c.name for c in chart.table} == set(chart.data[chart.name][0])
        assert chart.title
        assert chart.description.endswith(".")
        assert "nan" not in chart.description


def test_axes_are_named_in_the_picture() -> None:
    charts = ranking_charts(findings("middling"))
    wanted = {
        "hits": ["items reviewed", "share of targets found"],
        "precision_recall": [
            "recall: share of targets found",
            "precision: share of items reviewed that are targets",
        ],
        "roc": ["fallout: share of other items selected", "recall: share of targets selected", "best cut"],
        "value": ["items reviewed", "value"],
        "chance": ["average precision", "share of random orders", "this ranking 0.408"],
    }
    for name, titles in wanted.items():
        words = re.findall(r"<text[^>]*>([^<]*)</text>", charts[name].svg())
        assert set(titles) <= set(words), name


def test_sections_name_the_charts_there_are() -> None:
    report = compose_ranking(findings("weighted"), {})
    placed = [name for section in report.to_dict()["sections"] for name in section["charts"]]
    assert sorted(placed) == sorted(report.charts)
    nothing = compose_ranking(examine_ranking(ew.Ranking.from_hits([1, 1, 1])), {})
    assert not nothing.charts
    assert all(section["charts"] == [] for section in nothing.to_dict()["sections"])


@pytest.mark.slow
def test_a_long_list_makes_a_small_page() -> None:
    report = compose_ranking(examine_ranking(drawn(200_000, 0.2, 1.0), gain=5, cost=2), {"rows": 200_000})
    for chart in report.charts.values():
        assert len(chart.rows()) <= 200
        assert len(chart.svg()) < 80_000
    assert len(report.to_html()) < 1_500_000


# -- data are what was found -------------------------------------------------------------------------------


def test_hits_are_counted_and_bands_are_those_of_the_findings() -> None:
    rng = np.random.default_rng(5)
    truth = (rng.random(150) < 0.3).astype(int)
    score = rng.permutation(150).astype(float)
    result = examine_ranking(ew.Ranking.from_scores(truth, score))
    chart = ranking_charts(result)["hits"]
    hits = np.cumsum(truth[np.argsort(-score)])
    assert column(chart, "items reviewed") == list(range(1, 151))
    assert column(chart, "hits") == pytest.approx(hits)
    assert column(chart, "found") == pytest.approx(hits / truth.sum())
    bands = ew.rankings.bands(result.ranking, depths=np.arange(1, 151))
    assert column(chart, "low") == pytest.approx(bands.recall_low)
    assert column(chart, "high") == pytest.approx(bands.recall_high)
    law = [ew.chance.hits(150, int(truth.sum()), t).interval(0.95) for t in range(1, 151)]
    assert column(chart, "chance low") == pytest.approx([low / truth.sum() for low, _ in law])
    assert column(chart, "chance high") == pytest.approx([high / truth.sum() for _, high in law])
    precision = ranking_charts(result)["precision_recall"]
    assert column(precision, "precision") == pytest.approx(hits / np.arange(1, 151))
    assert column(precision, "high") == pytest.approx(bands.precision_high)


def test_the_band_at_a_recall_is_over_all_depths_that_may_reach_it() -> None:
    result = findings("few")
    hits = ew.rankings.bands(result.ranking, depths=np.arange(1, 13)).recall
    # The logit of the share of 3 targets among 12 items has the variance 1/3 + 1/9.
    share = stats.norm.isf(0.025) ** 2 * (1 / 3 + 1 / 9)
    chart = ranking_charts(result)["precision_recall"]
    bands = ew.rankings.bands(result.ranking, depths=np.arange(1, 13))
    for row in chart.data["around"]:
        recall = row["recall"]
        able = [t for t in range(1, 13) if bands.recall_low[t - 1] <= recall <= bands.recall_high[t - 1]]
        # Depths in between may reach it too: a curve rises from one depth to the next.
        before, after = max(1, able[0] - 1), min(12, able[-1] + 1)
        levels, first = np.unique(hits, return_index=True)
        precision = recall * 3 / np.interp(recall, levels, first + 1)
        low, high = row["low"], row["high"]
        if precision < 1:
            # Without what the share of targets adds, squared, the bounds are those of the depths.
            middle = special.logit(precision)
            low, high = (
                special.expit(
                    middle + side * math.sqrt(max((special.logit(bound) - middle) ** 2 - share, 0.0))
                )
                for side, bound in ((-1, low), (1, high))
            )
        assert recall * 3 / after - 1e-12 <= low <= recall * 3 / able[-1] + 1e-12
        assert min(1, recall * 3 / able[0]) - 1e-12 <= high <= min(1, recall * 3 / before) + 1e-12


@pytest.mark.parametrize("shape", [name for name in SHAPES if name != "none ranked"])
def test_the_drawn_roc_has_the_area_and_the_best_cut(shape: str) -> None:
    result = findings(shape)
    chart = ranking_charts(result)["roc"]
    fallout, recall = np.array(column(chart, "fallout")), np.array(column(chart, "recall"))
    assert [fallout[0], recall[0], fallout[-1], recall[-1]] == pytest.approx([0, 0, 1, 1])
    assert np.all(np.diff(fallout) >= 0)
    assert np.all(np.diff(recall) >= 0)
    assert np.trapezoid(recall, fallout) == pytest.approx(result.roc_auc.value, abs=0.003)
    # A corner of the hull: thinning may not lose it.
    assert max(recall - fallout) == pytest.approx(result.plain["best_informedness"], abs=1e-12)
    if result.best is not None:
        assert result.best.recall - result.best.fallout == pytest.approx(result.best.informedness)


@pytest.mark.parametrize("seed", range(4))
def test_no_convex_corner_is_lost(seed: int) -> None:
    """The highest point in any direction is a corner of the hull; here over all points of 3000 items."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(3000) < 0.4).astype(int)
    score = rng.normal(size=3000) + 0.7 * truth
    ranked = truth[np.argsort(-score)]
    recall = np.concatenate([[0], np.cumsum(ranked) / ranked.sum()])
    fallout = np.concatenate([[0], np.cumsum(1 - ranked) / (1 - ranked).sum()])
    _, drawn_fallout, drawn_recall = thin_roc_curve(ew.Ranking.from_scores(truth, score))
    assert len(drawn_recall) <= 200 < ranked.sum()
    for angle in np.linspace(0, np.pi / 2, 400):
        whole = np.max(recall * np.cos(angle) - fallout * np.sin(angle))
        kept = np.max(drawn_recall * np.cos(angle) - drawn_fallout * np.sin(angle))
        assert kept == pytest.approx(whole, abs=1e-12)


def test_value_is_gain_less_cost_and_its_best_is_marked() -> None:
    rng = np.random.default_rng(8)
    truth = (rng.random(400) < 0.2).astype(int)
    score = rng.permutation(400) + 150.0 * truth + rng.random(400)
    result = examine_ranking(ew.Ranking.from_scores(truth, score), gain=4.0, cost=1.0)
    hits = np.concatenate([[0], np.cumsum(truth[np.argsort(-score)])])
    worth = 4.0 * hits - np.arange(401)
    chart = ranking_charts(result)["value"]
    depths = np.array(column(chart, "items reviewed"), dtype=int)
    assert depths[0] == 0
    assert column(chart, "value") == pytest.approx(worth[depths])
    assert max(column(chart, "value")) == pytest.approx(worth.max())
    assert column(chart, "by chance") == pytest.approx(4.0 * depths * truth.sum() / 400 - depths)
    assert f"the best depth is {int(np.argmax(worth))} items, worth {worth.max():g}" in chart.description
    assert all(
        low <= value <= high
        for low, value, high in zip(*(column(chart, c) for c in ("low", "value", "high")), strict=True)
    )


def test_the_survival_view_draws_what_is_still_to_be_found() -> None:
    ranking = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0])
    assert "survival" not in ranking_charts(examine_ranking(ranking))
    report = compose_ranking(examine_ranking(ranking, method=ew.methods.Survival()), {})
    chart = report.charts["survival"]
    assert column(chart, "survival") == pytest.approx([2 / 3, 1 / 3, 1 / 3, 0, 0, 0, 0, 0])
    assert column(chart, "by chance") == pytest.approx([1 - t / 8 for t in range(1, 9)])
    error = 1.959964 * np.sqrt(2 / 9 / 3)
    assert column(chart, "low")[1] == pytest.approx(max(0, 1 / 3 - error))
    assert column(chart, "high")[1] == pytest.approx(1 / 3 + error)
    assert "survival" in report.to_dict()["sections"][1]["charts"]
    titles = re.findall(
        r'"title": "([^"]*)"', json.dumps([layer["encoding"] for layer in chart.to_dict()["layer"]])
    )
    assert "share of targets still to be found" in titles
    assert not any(title.startswith("by chance") for title in titles)
    assert chart.svg()


def test_without_gain_and_cost_there_is_no_value() -> None:
    assert "value" not in ranking_charts(examine_ranking(drawn(100, 0.2, 1.0)))


# -- chance ------------------------------------------------------------------------------------------------


def every_average_precision(items: int, targets: int) -> np.ndarray[Any, Any]:
    """All orders, one by one."""
    return np.array(
        [
            sum((index + 1) / rank for index, rank in enumerate(ranks)) / targets
            for ranks in itertools.combinations(range(1, items + 1), targets)
        ]
    )


@pytest.mark.parametrize(("items", "targets"), [(5, 1), (6, 2), (12, 3), (14, 5)])
def test_the_law_of_chance_is_that_of_all_orders(items: int, targets: int) -> None:
    hits = [1] * targets + [0] * (items - targets)
    chart = ranking_charts(examine_ranking(ew.Ranking.from_hits(hits)))["chance"]
    values = every_average_precision(items, targets)
    probabilities = column(chart, "probability")
    # Less than a thousandth may be left out at either end.
    assert 0.998 <= sum(probabilities) <= 1 + 1e-12
    lows, highs = column(chart, "from"), column(chart, "to")
    for low, high, probability in list(zip(lows, highs, probabilities, strict=True))[1:-1]:
        inside = (values >= low - 1e-12) & (values < high + (1e-12 if low == high else -1e-12))
        assert probability == pytest.approx(inside.mean(), abs=1 / len(values) + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(300, 60), (2500, 2), (50_000, 1), (2000, 1000), (1000, 1)])
def test_the_law_of_chance_has_its_tail_beyond_every_bin(counts: tuple[int, int]) -> None:
    items, targets = counts
    law = binned_law(items, targets)
    assert len(law.low) <= 200
    assert law.probability.sum() == pytest.approx(1, abs=0.0011)
    through = np.cumsum(law.probability)
    for index in np.unique(np.searchsorted(through, [0.1, 0.5, 0.9])):
        edge = float(law.high[index])
        low, high = tail_between(items, targets, edge)
        # A bin's smoothing, or 20,000 draws: four standard errors.
        assert low - 0.015 <= 1 - through[index] <= high + 0.015


def tail_between(items: int, targets: int, value: float) -> tuple[float, float]:
    """P(AP ≥ value): all ranks of one or two targets, otherwise proven bounds."""
    ranks = np.arange(1, items + 1)
    if targets == 1:
        share = float(np.mean(1 / ranks >= value - 1e-12))
        return share, share
    if targets == 2:
        first, second = np.triu_indices(items, 1)
        share = float(np.mean((1 / ranks[first] + 2 / ranks[second]) / 2 >= value - 1e-12))
        return share, share
    tail = ew.chance.average_precision(items, targets).tail(value)
    return tail.low, tail.high


@pytest.mark.parametrize("shape", ["perfect", "worst", "rare", "few"])
def test_the_axis_of_chance_holds_the_law_and_the_observed_value(shape: str) -> None:
    result = findings(shape)
    chart = ranking_charts(result)["chance"]
    layers = chart.to_dict()["layer"]
    low, high = layers[0]["encoding"]["x"]["scale"]["domain"]
    assert low <= min(*column(chart, "from"), result.average_precision.value)
    assert high >= max(*column(chart, "to"), result.average_precision.value)
    assert layers[1]["encoding"]["x"]["datum"] == result.average_precision.value


# -- lists and runs ----------------------------------------------------------------------------------------


def lists(number: int, names: list[Any] | None = None, items: int = 6) -> ew.RankedLists:
    rng = np.random.default_rng(2)
    truth = (rng.random(number * items) < 0.25).astype(int)
    truth[::items] = 1
    names = list(range(number)) if names is None else names
    groups = [name for name in names for _ in range(items)]
    return ew.RankedLists.from_scores(truth, rng.normal(size=len(truth)) + truth, groups=groups)


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3, 40, 41])
def test_lists_stand_in_order_of_their_values(number: int) -> None:
    result = examine_lists(lists(number))
    chart = list_charts(result)["queries"]
    if number in (2, 41):
        chart.altair().to_dict()
    expected = {str(query): values["average_precision"] for query, values in result.queries.items()}
    assert column(chart, "value") == sorted(expected.values())
    assert {row["list"]: row["value"] for row in chart.data["queries"]} == expected
    (mean,) = chart.data["mean"]
    assert mean["mean"] == pytest.approx(np.mean(list(expected.values())))
    bounds = [None, None] if number == 2 else list(result.headline.interval(0.95))  # two lists have none
    assert [mean["low"], mean["high"]] == bounds
    words = re.findall(r"<text[^>]*>([^<]*)</text>", chart.svg())
    assert {"average precision", "mean over queries", "random orders"} <= set(words)


@pytest.mark.slow
def test_many_lists_are_quantiles() -> None:
    result = examine_lists(lists(201, items=3))
    chart = list_charts(result)["queries"]
    assert len(chart.rows()) == MAX_LISTS_DRAWN
    shares = column(chart, "below")
    assert shares == pytest.approx((np.arange(MAX_LISTS_DRAWN) + 0.5) / MAX_LISTS_DRAWN)
    assert column(chart, "value") == pytest.approx(np.quantile(result.values, shares))
    assert len(json.dumps(chart.to_dict(), allow_nan=False)) < 40_000


@pytest.mark.parametrize("is_zero", [False, True])
def test_lists_without_a_target_follow_the_rule_of_the_mean(is_zero: bool) -> None:
    whole = ew.RankedLists.from_scores(
        [1, 0, 0, 0, 0, 1], [3.0, 2.0, 1.0, 1.0, 2.0, 1.0], groups=list("aabbcc")
    )
    from dataclasses import replace

    result = examine_lists(replace(whole, empty_is_zero=is_zero))
    rows = list_charts(result)["queries"].data["queries"]
    values = {row["list"]: row["value"] for row in rows}
    assert values == ({"b": 0.0, "c": 0.5, "a": 1.0} if is_zero else {"c": 0.5, "a": 1.0})
    assert np.mean(list(values.values())) == pytest.approx(result.headline.value)


def test_hostile_names_stay_text_and_short() -> None:
    result = examine_lists(lists(len(HOSTILE), HOSTILE))
    chart = list_charts(result)["queries"]
    assert len(json.dumps(chart.to_dict())) < 20_000
    picture = chart.svg()
    assert "<script" not in picture
    assert "&lt;/script&gt;" in picture
    from edgeworth.rankings.report import compose_lists

    page = compose_lists(result, {}).to_html()
    assert "<script>alert(1)" not in page
    assert "\\u003c/script>\\u003cscript>alert(1)\\u003c/script>" in page


def test_runs_stand_with_their_intervals(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    relevant = {(q, d): int(rng.random() < 0.3) for q in range(12) for d in range(20)}
    judged = "".join(f"q{q} 0 d{d} {grade}\n" for (q, d), grade in relevant.items())
    (tmp_path / "qrels").write_text(judged, encoding="utf-8")
    paths = []
    for number, strength in enumerate((0.0, 2.0, 1.0)):
        paths.append(tmp_path / f"<run&{number}>")
        ranked = "".join(
            f"q{q} Q0 d{d} 0 {rng.normal() + strength * grade} t\n" for (q, d), grade in relevant.items()
        )
        paths[-1].write_text(ranked, encoding="utf-8")
    report = evaluate_trec(tmp_path / "qrels", paths)
    numbers = report.to_dict()
    assert [x["charts"] for x in numbers["sections"] if x["title"] == "Means of the runs"] == [["means"]]
    chart = report.charts["means"]
    chart.altair().to_dict()
    name = "average_precision(ties=trec)"
    expected = sorted(
        (run["measures"][name] for run in numbers["runs"].values()), key=lambda run: -run["value"]
    )
    for row, run in zip(chart.data["means"], expected, strict=True):
        assert [row["mean"], row["low"], row["high"]] == [run["value"], run["low"], run["high"]]
    assert f"{expected[0]['value']:.3f}"[1:] in chart.description
    assert "&lt;run&amp;1&gt;" in chart.svg() or "…" in chart.svg()
    alone = evaluate_trec(tmp_path / "qrels", paths[:1])
    assert list(alone.charts) == ["queries"]
    assert alone.to_dict()["sections"][-2]["charts"] == ["queries"]


def test_a_ranking_without_a_test_has_a_whole_sentence_below_its_chart() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(200) % 5 == 0
    report = ew.evaluate(
        truth=truth, score=rng.normal(truth.astype(float)), cluster=np.arange(200) // 4, positive=True
    )
    text = report.charts["chance"].description
    assert " on average; this ranking reaches " in text
    assert "The band" not in report.charts["hits"].description
    for name, across in (("precision_recall", "recall"), ("roc", "fallout")):
        assert report.charts[name].description.endswith(f"The band covers at least 95% at each {across}.")
