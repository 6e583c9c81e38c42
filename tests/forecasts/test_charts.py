"""Charts of probabilities: what they show is what was found, whatever the shape of the data."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.bet import Drunken
from edgeworth.core.formatting import format_number
from edgeworth.forecasts.charts import PAIR_CELLS
from edgeworth.forecasts.curves import FORECAST_CELLS, LAW_POINTS, MAX_POINTS_DRAWN
from edgeworth.report.charts.chart import Chart

HOSTILE = "</script><script>alert(1)</script>'\"\u202e🎯" + "x" * 10_000


def two(number: int, seed: int = 2, **options: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.15, 0.85, number)
    p = np.clip(q + rng.normal(0, 0.12, number), 0.02, 0.98)
    truth = (rng.random(number) < p).astype(int)
    return {"truth": truth, "probabilities": p, "against": q, **options}


def three(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    q = rng.dirichlet(np.full(3, 3.0), number)
    p = q * np.exp(rng.normal(0, 0.3, (number, 3)))
    p /= p.sum(axis=1, keepdims=True)
    return np.array([rng.choice(3, p=row) for row in p]), p, q


def market(number: int = 150) -> dict[str, Any]:
    truth, p, q = three(number)
    names = ["home", "draw", "away"]
    return {"truth": np.array(names)[truth], "probabilities": p, "odds": 1 / q / 1.05, "labels": names}


def ordinal() -> dict[str, Any]:
    truth, p, q = three(120)
    return {"truth": truth, "probabilities": p, "against": q, "ordinal": True, "ordered": True}


def without_rival(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in two(80).items() if name != "against"} | options


def ruined(*places: int, owner: str = "probabilities") -> dict[str, Any]:
    """Somebody gave probability 0 to what happened, in these of 40 cases."""
    columns = two(40, ordered=True)
    columns["truth"][list(places)] = 1
    columns[owner][list(places)] = 0.0
    return columns


def hostile() -> dict[str, Any]:
    columns = two(60)
    return columns | {"truth": np.where(columns["truth"] == 1, HOSTILE, "no"), "positive": HOSTILE}


SHAPES: dict[str, Any] = {
    "two": lambda: two(150),
    "ordered": lambda: two(150, ordered=True),
    "half stakes": lambda: two(60, fraction=0.5),
    "cross-validated": lambda: two(60, predictions_made="cross-validated"),
    "in-sample": lambda: two(60, predictions_made="in-sample"),
    "market": market,
    "drunken": lambda: without_rival(bookmaker=Drunken(rng=1)),
    "shares": without_rival,
    "shares, half stakes": lambda: without_rival(fraction=0.5),
    "ordinal": ordinal,
    "ruin": lambda: ruined(20),
    "without bound": lambda: ruined(20, owner="against"),
    "ten": lambda: two(10),
    "one": lambda: {"truth": [1], "probabilities": [0.7], "against": [0.5], "labels": [0, 1]},
    "alike": lambda: {"truth": [1, 0] * 9, "probabilities": [0.7, 0.2] * 9, "against": [0.7, 0.2] * 9},
    "sure": lambda: {"truth": [1, 0] * 9, "probabilities": [1.0, 0.0] * 9, "against": [0.7, 0.2] * 9},
    "hostile": hostile,
    "many": lambda: two(100_000, ordered=True),
}
SAID_OTHERWISE = {"two", "half stakes", "cross-validated", "in-sample", "shares, half stakes", "ordinal"}
"""Shapes that differ in their sentences, not in what is drawn."""
EVERY = [
    *("wealth", "returns", "paths", "final_wealth", "stakes", "scatter", "probabilities", "sequence"),
    "reliability",
]
IN_ORDER = {"ordered", "ordinal", "ruin", "without bound", "many"}
"""Shapes whose bounds hold on the way."""
WITH_BETS = {"market", "drunken"}
"""Shapes with odds or a bookmaker."""
LEFT_OUT = {
    "market": {"stakes"},
    "ordinal": {"stakes"},
    "shares": {"scatter"},
    "shares, half stakes": {"scatter"},
    "alike": {"final_wealth"},
    "sure": {"final_wealth"},
}


@cache
def report(shape: str) -> ew.Report:
    return ew.evaluate(**SHAPES[shape]())


@cache
def spec(shape: str, name: str) -> dict[str, Any]:
    """Drawn once: altair takes its time."""
    return report(shape).charts[name].to_dict()


def column(chart: Chart, name: str, data: str | None = None) -> list[Any]:
    return [row[name] for row in chart.data[chart.name if data is None else data]]


def words(chart: Chart) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", chart.svg())


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_the_charts_there_is_something_to_see_in(shape: str) -> None:
    charts = report(shape).charts
    left_out = LEFT_OUT.get(shape, set()) | (set() if shape in IN_ORDER else {"sequence"})
    left_out |= set() if shape in WITH_BETS else {"paths", "stakes"}
    left_out |= {"scatter" if shape == "many" else "probabilities"}
    assert list(charts) == [name for name in EVERY if name not in left_out]
    for chart in charts.values():
        data = {name: list(rows) for name, rows in chart.data.items()}
        drawn = data if shape in SAID_OTHERWISE else spec(shape, chart.name)
        assert len(json.dumps(drawn, allow_nan=False)) < 80_000, chart.name
        assert 1 <= len(chart.rows()) <= 512
        assert [c.name for c in chart.table] == list(chart.data[chart.name][0]), chart.name
        assert chart.title
        assert chart.description.endswith(".")
        assert not re.search(r"\bnan\b|\binf\b|\{|\}", chart.description)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ("ordered", [name for name in EVERY if name not in ("paths", "stakes", "probabilities")]),
        ("market", ["paths", "scatter", "reliability"]),
        ("many", ["probabilities"]),
        ("ruin", ["wealth", "returns"]),
    ],
)
def test_altair_finds_the_specifications_valid(shape: str, names: list[str]) -> None:
    for name in names:
        report(shape).charts[name].altair().to_dict()


@pytest.mark.parametrize("shape", ["two", "market", "ruin", "without bound", "hostile"])
def test_data_sets_that_are_drawn_are_there(shape: str) -> None:
    """A line that stands by itself has a data set of its own, which must reach the specification."""
    for name in report(shape).charts:
        drawn = spec(shape, name)
        named = set(re.findall(r'"data": \{"name": "([^"]*)"\}', json.dumps(drawn)))
        assert named
        assert named <= set(drawn["datasets"]), name


def test_a_specification_is_the_same_each_time() -> None:
    for name in ("returns", "final_wealth", "reliability"):
        assert report("two").charts[name].to_dict() == spec("two", name)


def test_sections_name_the_charts_there_are() -> None:
    for shape in ("two", "shares", "ordinal"):
        sections = report(shape).to_dict()["sections"]
        placed = [name for section in sections for name in section["charts"]]
        assert sorted(placed) == sorted(report(shape).charts)


@pytest.mark.slow
def test_axes_and_marks_are_named_in_the_picture() -> None:
    wanted = {
        "wealth": ["cases settled", "log likelihood ratio (natural)", "1/α", "if the model is right"],
        "returns": ["change of the log per case", "log ratio", "cases settled"],
        "final_wealth": ["log likelihood ratio at the end", "probability", "if the prices are right"],
        "scatter": ["probability by the model", "probability by the opponent", "came true", "did not"],
        "sequence": ["Brier score", "log score", "cases seen"],
        "reliability": ["share of cases in the class", "forecast", "cases", "these forecasts"],
    }
    for name, titles in wanted.items():
        assert set(titles) <= set(words(report("ordered").charts[name])), name
    titles = ["stake, as a share of wealth", "back only", "back and lay", "decimal odds"]
    assert set(titles) <= set(words(report("drunken").charts["stakes"]))


@pytest.mark.slow
def test_pages_stay_small() -> None:
    page = report("many").to_html()
    assert len(page) < 1_500_000
    pictures = re.findall(r'<div class="picture"[^>]*><svg.*?</svg>', page, re.DOTALL)
    assert len(pictures) == len(set(EVERY) - {"paths", "stakes", "scatter"})
    assert max(map(len, pictures)) < 100_000


@pytest.mark.parametrize("shape", ["two", "ruin", "market", "many"])
def test_the_path_is_that_of_the_report(shape: str) -> None:
    chart, path = report(shape).charts["wealth"], report(shape).to_dict()["wealth"]["path"]
    start, *rows = chart.data["wealth"]
    quantity = "wealth" if shape == "market" else "likelihood ratio"
    assert (start["cases settled"], start[quantity], start[f"log {quantity}"]) == (0, "1", 0.0)
    assert len(rows) <= MAX_POINTS_DRAWN
    named = {
        f"log {quantity}": "log_wealth",
        "if the model is right": "expected",
        "if the model is right low": "expected_low",
        "if the prices are right high": "priced_high",
    }
    places = {cases: index for index, cases in enumerate(path["cases"])}
    assert rows[-1]["cases settled"] == path["cases"][-1]
    for row in rows:
        for name, key in named.items():
            wanted = path[key][places[row["cases settled"]]]
            assert row[name] == (None if wanted is None else pytest.approx(wanted, rel=1e-5)), name


def test_the_highest_and_the_lowest_point_are_drawn() -> None:
    path = report("many").to_dict()["wealth"]["path"]["log_wealth"]
    drawn = column(report("many").charts["wealth"], "log likelihood ratio")[1:]
    assert (min(drawn), max(drawn)) == pytest.approx((min(path), max(path)), rel=1e-5)


def test_ruin_is_shown_where_it_came() -> None:
    charts = report("ruin").charts
    assert "The likelihood ratio is 0 at case 21." in charts["wealth"].description
    assert "ratio 0" in words(charts["wealth"])
    assert column(charts["wealth"], "likelihood ratio")[21:] == ["0"] * 20
    assert column(charts["wealth"], "log likelihood ratio")[21:] == [None] * 20
    lost = [row for row in charts["returns"].data["returns"] if row["factor"] == "0"]
    assert lost == [{"case": 21, "change of the log": None, "factor": "0"}]
    assert "the worst by 0." in charts["returns"].description
    assert "observed: 0" in words(charts["final_wealth"])
    chart = report("without bound").charts["wealth"]
    assert "The likelihood ratio is infinite at case 21." in chart.description


def test_charts_are_about_wealth_only_if_the_user_brought_odds_or_asked_for_bets() -> None:
    for shape in ("two", "ordered", "shares", "cross-validated", "ruin", "many"):
        shown = " ".join(
            text
            for name, chart in report(shape).charts.items()
            if name in ("wealth", "returns", "final_wealth", "sequence")
            for text in (chart.title, chart.description, *(c.name for c in chart.table), *words(chart))
        )
        assert not re.search(r"wealth|ruin|bankroll|drawdown|\bwon\b|\$", shown, re.IGNORECASE), shape
        assert not any("sorted by outcome" in warning for warning in report(shape).warnings)
    assert "Wealth" in report("drunken").charts["wealth"].title


def test_the_line_of_evidence_says_no_more_than_holds() -> None:
    texts = {shape: report(shape).charts["wealth"].description for shape in SHAPES}
    assert "ever reached with probability at most 5%" in texts["ordered"]
    assert "ever reached" not in texts["two"]
    assert "the final value exceeds it with probability at most 5%" in texts["two"]
    assert "Earlier values are no evidence" in texts["shares"]
    for shape in ("in-sample", "shares, half stakes"):
        assert "no evidence here" in texts[shape]
    assert "approximately" in texts["cross-validated"]


def test_ends_of_paths_that_have_one_name_are_stated_as_logarithms() -> None:
    description = report("many").charts["wealth"].description
    assert "of paths end at a log likelihood ratio of" in description


def test_the_picture_of_final_wealth_is_of_the_bars_that_can_be_seen() -> None:
    chart = report("shares").charts["final_wealth"]
    low, high = spec("shares", "final_wealth")["layer"][0]["encoding"]["x"]["scale"]["domain"]
    rows = chart.data["final_wealth"]
    [name] = {*rows[0]} - {"from", "to"}
    tallest = max(row[name] for row in rows)
    outside = [row[name] for row in rows if row["from"] < low - 1e-3 or row["to"] > high + 1e-3]
    assert outside, "the law reaches further than what can be seen of it"
    assert max(outside) < 0.01 * tallest
    assert any(row[name] > 0.002 * tallest for row in rows if row["from"] <= low + (high - low) / 4)


def test_prices_made_with_hindsight_are_nobodys_luck() -> None:
    charts = report("shares").charts
    assert not any("prices" in c.name for name in ("wealth", "final_wealth") for c in charts[name].table)
    assert "if the prices are right" not in words(charts["wealth"])


def test_returns_are_those_of_the_cases() -> None:
    columns = two(150)
    chart = report("ordered").charts["returns"]
    p, q, truth = (np.asarray(columns[name]) for name in ("probabilities", "against", "truth"))
    logs = np.where(truth == 1, np.log(p / q), np.log((1 - p) / (1 - q)))
    assert column(chart, "change of the log") == pytest.approx(logs.tolist(), rel=1e-5)
    assert column(chart, "case") == list(range(1, 151))
    assert chart.description.startswith(
        f"{(logs > 0).sum()} of 150 cases favour the model and {(logs < 0).sum()} do not"
    )
    assert f"the worst by {math.exp(logs.min()):.3g}" in chart.description


def test_returns_of_many_cases_are_of_equally_many() -> None:
    chart = report("many").charts["returns"]
    sizes = np.diff([0, *column(chart, "case")])
    assert len(set(sizes[:-1].tolist())) == 1
    assert 0 < sizes[-1] <= sizes[0]
    assert f"runs of {sizes[0]:,} cases" in chart.description
    assert sum(column(chart, "change of the log")) == pytest.approx(
        report("many").to_dict()["wealth"]["log_wealth"], rel=1e-4
    )


def test_the_law_is_that_of_all_outcomes() -> None:
    """Four coins, all sixteen outcomes gone through."""
    p, q = [0.7, 0.3, 0.6, 0.9], [0.5, 0.4, 0.5, 0.6]
    chart = ew.evaluate(truth=[1, 0, 1, 1], probabilities=p, against=q).charts["final_wealth"]
    cells = chart.data["final_wealth"]
    laws: dict[str, list[tuple[float, float]]] = {"if the prices are right": [], "if the model is right": []}
    for code in range(16):
        came = [code >> index & 1 for index in range(4)]
        log = sum(math.log(a / b if y else (1 - a) / (1 - b)) for y, a, b in zip(came, p, q, strict=True))
        for law, chances in zip(laws.values(), (q, p), strict=True):
            law.append((log, math.prod(c if y else 1 - c for y, c in zip(came, chances, strict=True))))
    for name, law in laws.items():
        for cell in cells:
            wanted = sum(chance for log, chance in law if cell["from"] < log <= cell["to"])
            assert cell[name] == pytest.approx(wanted, abs=1e-6)
        assert sum(cell[name] for cell in cells) == pytest.approx(1, abs=1e-3)
    assert "exact" in chart.description


@pytest.mark.parametrize("shape", ["two", "shares", "ruin", "many", "one", "drunken"])
def test_cells_of_the_law_are_of_one_width_and_hold_what_was_observed(shape: str) -> None:
    result = report(shape)
    chart, numbers = result.charts["final_wealth"], result.to_dict()
    cells = chart.data["final_wealth"]
    assert len(cells) == LAW_POINTS - 1
    widths = [cell["to"] - cell["from"] for cell in cells]
    assert widths == pytest.approx([widths[0]] * len(widths), rel=1e-2)
    observed = numbers["wealth"]["log_wealth"]
    assert observed is None or cells[0]["from"] < observed < cells[-1]["to"]
    names = [c.name for c in chart.table[2:]]
    for name in names:
        assert sum(cell[name] for cell in cells) == pytest.approx(1, abs=0.005)


def test_stakes_are_kellys() -> None:
    rows = report("drunken").charts["stakes"].data["stakes"]
    for row in rows:
        odds, p = float(row["odds"]), row["probability"]
        stake = (odds * p - 1) / (odds - 1)
        assert row["back and lay"] == pytest.approx(stake, abs=1e-9)
        assert row["back only"] == pytest.approx(max(stake, 0), abs=1e-9)
    assert {row["odds"] for row in rows} == {"1.3", "1.5", "2", "3", "4"}
    assert "at odds of 2 and 60% it is 20%" in report("drunken").charts["stakes"].description
    half = ew.evaluate(**two(60, fraction=0.5), bets=True)
    assert "Here 0.5 of it was bet." in half.charts["stakes"].description


def test_no_stakes_are_drawn_unless_bets_are_asked_for() -> None:
    assert "stakes" not in report("two").charts
    assert "stakes" in ew.evaluate(**two(60), bets=True).charts


def test_pairs_of_many_cases_are_counted_in_cells() -> None:
    columns, chart = SHAPES["many"](), report("many").charts["probabilities"]
    cases = column(chart, "cases")
    assert (sum(cases), cases) == (len(columns["truth"]), sorted(cases, reverse=True))
    assert len(cases) <= PAIR_CELLS**2
    counted, true = np.zeros((20, 20)), np.zeros((20, 20))
    for p, q, y in zip(columns["probabilities"], columns["against"], columns["truth"], strict=True):
        counted[int(p * 20), int(q * 20)] += 1
        true[int(p * 20), int(q * 20)] += y
    for row in chart.data["probabilities"]:
        cell = int(row["model"] * 20), int(row["other"] * 20)
        assert row["cases"] == counted[cell]
        assert row["came true"] == pytest.approx(true[cell] / counted[cell], rel=1e-5)
    above = np.tril(np.ones((20, 20)), -1) > 0
    text = f"{int(counted[above].sum()):,} cases, {true[above].sum() / counted[above].sum():.0%} of them"
    assert text in chart.description


def test_few_cases_are_points_of_a_scatter() -> None:
    columns, chart = two(150), report("two").charts["scatter"]
    rows = {(row["model"], row["rival"], row["outcome"]) for row in chart.data["scatter"]}
    outcomes = np.where(columns["truth"] == 1, "came true", "did not")
    points = zip(columns["probabilities"], columns["against"], outcomes, strict=True)
    assert rows == {(float(f"{p:.6g}"), float(f"{q:.6g}"), outcome) for p, q, outcome in points}


def test_several_classes_have_a_scatter_each_with_axes_from_0_to_1() -> None:
    chart, columns = report("market").charts["scatter"], market()
    implied = 1 / columns["odds"] / (1 / columns["odds"]).sum(axis=1, keepdims=True)
    for index, label in enumerate(columns["labels"]):
        rows = [row for row in chart.data["scatter"] if row["class"] == label]
        for side, values in (("model", columns["probabilities"]), ("rival", implied)):
            assert sorted(row[side] for row in rows) == pytest.approx(sorted(values[:, index]), abs=1e-5)
        came = sum(row["outcome"] == "came true" for row in rows)
        assert came == int((columns["truth"] == label).sum())
    drawn = json.dumps(spec("market", "scatter"))
    assert drawn.count('"domain": [0, 1]') == 6


def test_bets_have_wealth_on_both_scales_with_aligned_axes() -> None:
    chart = report("drunken").charts["paths"]
    wealth, logs = column(chart, "wealth W"), column(chart, "log wealth")
    assert wealth == pytest.approx(np.exp(logs), rel=1e-4)
    assert column(chart, "single return") == pytest.approx(np.exp(column(chart, "log return")), rel=1e-4)
    panels = spec("drunken", "paths")["vconcat"]
    # Log wealth lies over its expected path.
    axes = [panel.get("layer", [panel])[-1]["encoding"]["y"]["axis"] for panel in panels]
    assert len(panels) == 5
    assert len({panel["width"] for panel in panels}) == 1
    assert {(axis["minExtent"], axis["maxExtent"]) for axis in axes} == {(55, 55)}
    assert "paths" not in report("two").charts


@pytest.mark.parametrize("shape", ["ordered", "many"])
def test_sequences_are_those_of_the_report(shape: str) -> None:
    chart, result = report(shape).charts["sequence"], report(shape).to_dict()["sequences"]
    assert len(chart.rows()) <= MAX_POINTS_DRAWN
    for name, key in (("Brier score", "brier"), ("log score", "log")):
        path = result[key]["path"]
        places = {cases: index for index, cases in enumerate(path["cases"])}
        rows = [row for row in chart.data["sequence"] if row["score"] == name]
        assert rows[-1]["cases"] == path["cases"][-1]
        for row in rows:
            for end in ("mean", "low", "high"):
                wanted = path[end][places[row["cases"]]]
                assert row[end] == (None if wanted is None else pytest.approx(wanted, rel=1e-5, abs=1e-9))
        assert format_number(result[key]["high"]) in chart.description
    assert ("at all times" in chart.description) == (shape in ("ordered", "many"))


@pytest.mark.parametrize("shape", ["two", "market", "hostile", "many"])
def test_reliability_is_that_of_the_report(shape: str) -> None:
    chart, result = report(shape).charts["reliability"], report(shape).to_dict()
    shown = list(dict.fromkeys(column(chart, "class")))
    assert len(shown) == len(result["reliability"])
    for index, (name, (label, wanted)) in enumerate(zip(shown, result["reliability"].items(), strict=True)):
        rows = [row for row in chart.data["reliability"] if row["class"] == name]
        assert [row["calibrated"] for row in rows] == [level["recalibrated"] for level in wanted["levels"]]
        assert [row["cases"] for row in rows] == [level["cases"] for level in wanted["levels"]]
        band = {row["forecast"]: row for row in chart.data["band"] if row["place"] == index}
        at = dict(zip((float(f"{x:.6g}") for x in wanted["forecast"]), wanted["high"], strict=True))
        for forecast, row in band.items():
            assert row["high"] == pytest.approx(at[forecast], rel=1e-4)
        bars = [row for row in chart.data["histogram"] if row["place"] == index]
        assert len(bars) == FORECAST_CELLS
        assert sum(bar["cases"] for bar in bars) == sum(wanted["cases"])
        parts = result["decomposition"]["brier"][label]
        assert (
            f"{format_number(parts['score'])} = {format_number(parts['miscalibration'])} − "
            in chart.description
        )
    assert len(chart.description) < 1500


def test_the_histogram_counts_forecasts() -> None:
    wanted, _ = np.histogram(two(150)["probabilities"], bins=FORECAST_CELLS, range=(0, 1))
    assert column(report("two").charts["reliability"], "cases", "histogram") == wanted.tolist()


def test_of_many_classes_those_that_stray_furthest_are_drawn() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(8), 400)
    truth = np.array([rng.choice(8, p=row) for row in p])
    predicted = p * np.where(np.arange(8) == 7, 0.5, 1.0)
    result = ew.evaluate(truth=truth, probabilities=predicted / predicted.sum(axis=1, keepdims=True))
    chart, numbers = result.charts["reliability"], result.to_dict()["reliability"]
    shown = set(column(chart, "class"))
    assert "7" in shown
    assert shown == set(sorted(numbers, key=lambda label: numbers[label]["combined_p_value"])[:6])
    assert len(chart.rows()) <= MAX_POINTS_DRAWN
    assert "The 6 of 8 classes furthest from calibration are drawn." in chart.description


def test_hostile_labels_stay_text() -> None:
    assert "<script" not in report("hostile").charts["scatter"].svg()
    dots = report("hostile").charts["reliability"].svg()
    assert "<script" not in dots
    steps = len(report("hostile").charts["reliability"].rows())
    # Each step is a dot: the filter by the name of the class lets them through.
    assert len(re.findall(r'<path transform="translate[^>]*fill="#1f77b4"', dots)) >= steps


def test_the_chart_and_the_verdict_have_one_p_value() -> None:
    truth, p, _ = three(240)
    result = ew.evaluate(truth=truth, probabilities=p)
    match = re.search(r"miscalibration \((p [=≤] [\d.]+, adjusted for 3 classes)", result.verdict)
    assert match is not None, result.verdict
    description = result.charts["reliability"].description
    shown = re.findall(r"test of calibration: (p [=≤] [\d.]+, adjusted for 3 classes)\)", description)
    assert len(shown) == 3
    assert match[1] in shown
