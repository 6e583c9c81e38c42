"""Plans made before there are data, against the planning functions, peers' formulas and simulation."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from command_line import call
from edgeworth.comparisons.margin_planning import no_worse_cases
from edgeworth.comparisons.planning import mcnemar_cases_needed, mcnemar_power
from edgeworth.comparisons.study_design import roc_area_deviation
from edgeworth.errors import OptionError


def needed(**given: object) -> int:
    return int(ew.plan(**given).numbers["needed"])  # type: ignore[arg-type]  # many options


def test_a_difference_is_planned_for_the_exact_test() -> None:
    cases = needed(difference="2pp", accuracy=0.75, agreement=0.85)
    assert cases == mcnemar_cases_needed(850, 650, 10_000).needed
    assert mcnemar_power(cases, 0.15, 0.085 / 0.15) >= 0.8 > mcnemar_power(cases - 1, 0.15, 0.085 / 0.15)


def test_systems_err_independently_if_no_agreement_is_given() -> None:
    disagreement = 0.75 * 0.2 + 0.8 * 0.25
    assert needed(difference=0.05, accuracy=0.75) == needed(
        difference=0.05, accuracy=0.75, agreement=1 - disagreement
    )


def test_a_difference_that_no_better_system_can_reach_is_planned_for_a_worse_one() -> None:
    """Right with 0.75 and 0.35, independently: both or neither in 0.75 · 0.35 + 0.25 · 0.65 of the cases."""
    needed = ew.plan(difference="40pp", accuracy=0.75).numbers["needed"]
    assert needed == ew.plan(difference="40pp", accuracy=0.75, agreement=0.425).numbers["needed"]


def test_a_margin_is_planned_for_tangos_interval() -> None:
    assert needed(margin="3pp", agreement=0.9) == no_worse_cases(0.1, 0.03)


def test_widths_are_those_of_the_intervals() -> None:
    cases = needed(width="1pp", accuracy=0.75)
    for number, is_enough in ((cases, True), (cases - 1, False)):
        # Wilson's interval in its own formula, at a share that need not be of whole cases.
        z = stats.norm.ppf(0.975)
        reach = z / (1 + z**2 / number) * math.sqrt(0.75 * 0.25 / number + z**2 / (4 * number**2))
        assert (reach <= 0.01) == is_enough
    queries = needed(width=0.02, sd=0.3)
    assert stats.t.ppf(0.975, queries - 1) * 0.3 / math.sqrt(queries) <= 0.02


def test_means_need_what_the_noncentral_t_asks_for() -> None:
    queries, effect = needed(difference=0.05, sd=0.25, correlation=0.5), 0.05 / 0.25
    for number, is_enough in ((queries, True), (queries - 1, False)):
        critical = stats.t.ppf(0.975, number - 1)
        power = stats.nct.sf(critical, number - 1, effect * math.sqrt(number))
        assert (power >= 0.8) == is_enough


def test_recall_needs_enough_targets_and_informedness_more_cases_than_accuracy() -> None:
    targets = needed(difference="3pp", accuracy=0.8, agreement=0.9)
    assert needed(difference="3pp", recall=0.8, agreement=0.9, targets=0.1) == 10 * targets
    balanced = needed(difference=0.06, informedness=0.6, agreement=0.9, targets=0.5)
    # With equal classes, 0.06 of informedness is 3 points of accuracy.
    assert balanced == targets


def test_the_deviation_of_an_roc_area_is_that_of_normal_scores() -> None:
    rng, area, cases = np.random.default_rng(1), 0.8, 400
    real = np.arange(cases) < 120
    shift = math.sqrt(2) * stats.norm.ppf(area) * real
    first = rng.normal(size=(1500, cases))
    second = 0.6 * first + 0.8 * rng.normal(size=first.shape)
    ranks = [stats.rankdata(scores + shift, axis=1)[:, real].sum(axis=1) for scores in (first, second)]
    one, other = ((x - 120 * 121 / 2) / (120 * 280) for x in ranks)
    for values, correlation in ((one, None), (one - other, 0.6)):
        assumed = roc_area_deviation(area, 0.3, correlation) / math.sqrt(cases)
        # The standard error of a standard deviation over 1500 draws is 1.8%.
        assert values.std() == pytest.approx(assumed, rel=0.06)


def test_repeats_and_clusters_change_the_variance_as_they_should() -> None:
    base = needed(difference="2pp", accuracy=0.75, agreement=0.85)
    often = needed(difference="2pp", accuracy=0.75, agreement=0.85, repeats=1000, flip_rate=0.08)
    variance = 0.15 - 0.02**2 - 0.08 + 0.08 / 1000
    reach = float(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    assert often == pytest.approx(reach**2 * variance / 0.02**2, rel=0.005)
    clustered = needed(difference="2pp", accuracy=0.75, agreement=0.85, cluster_size=5, icc=0.1)
    assert clustered / base == pytest.approx(1.4, rel=0.01)
    assert clustered % 5 == 0


def test_cases_show_what_a_plan_for_them_asks() -> None:
    detectable = ew.plan(cases=500, accuracy=0.75, agreement=0.85).numbers["detectable"]
    assert needed(difference=detectable["difference"], accuracy=0.75, agreement=0.85) <= 500
    assert needed(difference=0.98 * detectable["difference"], accuracy=0.75, agreement=0.85) > 500
    assert needed(width=detectable["width"], agreement=0.85) == pytest.approx(500, rel=0.01)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"difference": "2pp"}, "--accuracy 0.75"),
        ({"accuracy": 0.75}, "give one aim"),
        ({"difference": "2pp", "margin": "1pp", "accuracy": 0.7}, "give one aim"),
        ({"difference": "two", "accuracy": 0.7}, "saw 'two'"),
        ({"difference": "20pp", "accuracy": 0.7, "agreement": 0.9}, "the agreement is at most 0.8"),
        ({"difference": "2pp", "accuracy": 0.95, "agreement": 0.5}, "agree on at least 0.92"),
        ({"difference": "80pp", "accuracy": 0.75}, "no system differs by 80 points from one with accuracy"),
        ({"difference": "2pp", "accuracy": 75}, "accuracy is a share"),
        ({"difference": "2pp", "accuracy": "75"}, "accuracy is a share between 0 and 1, such as 0.75 or 75%"),
        ({"difference": "2pp", "accuracy": "good"}, "saw 'good'"),
        (
            {"difference": 2, "accuracy": 0.8},
            "difference of 2 in accuracy is impossible: for points write 2pp",
        ),
        ({"margin": "3", "agreement": 0.8}, "margin of 3 in accuracy is impossible: for points write 3pp"),
        ({"width": 1, "roc_area": 0.8, "targets": 0.5}, "width of 1 in roc_area is impossible"),
        ({"difference": 3, "informedness": 0.5, "targets": 0.5}, "difference of 3 in informedness"),
        ({"difference": "2pp", "recall": 0.9}, "--targets"),
        ({"difference": "2pp", "accuracy": 0.7, "repeats": 3}, "--flip-rate"),
        ({"difference": 0.1, "sd": 0.3, "agreement": 0.8}, "use --correlation"),
        ({"difference": 0.1, "accuracy": 0.3, "icc": 2.0}, "icc lies between"),
    ],
)
def test_what_cannot_be_planned_is_a_sentence(given: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ew.plan(**given)  # type: ignore[arg-type]  # wrong on purpose


def test_shares_can_be_percentages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = needed(difference=0.02, accuracy=0.8, agreement=0.9)
    for accuracy, agreement in (("80%", "90pp"), ("0.8", "0.9"), (" 80 % ", "90 pp")):
        assert needed(difference="2pp", accuracy=accuracy, agreement=agreement) == expected
    assert needed(difference=3, sd=5) > 0
    done = call(tmp_path, capsys, "plan", "--difference", "2pp", "--accuracy", "80%", "--agreement", "90pp")
    assert f"{expected:,}" in done.stdout


def test_other_amounts_are_tabulated_as_far_as_two_systems_can_differ_so_much() -> None:
    """Two accuracies differ by at most 1, so half, one and one and a half times 60 points are tabulated."""
    for given, rows in (
        ({"difference": "60pp", "accuracy": 0.3, "agreement": 0.3}, ["30", "60", "90"]),
        ({"difference": "5pp", "accuracy": 0.75}, ["2.5", "5", "7.5", "10"]),
    ):
        options: dict[str, Any] = dict(given)
        [table] = [
            grid
            for section in ew.plan(**options).sections
            for grid in section.grids
            if grid.title == "If you need another amount"
        ]
        assert [str(amount).split()[0] for amount, _ in table.rows] == rows
        needed = [float(str(number)) for _, number in table.rows]
        assert needed == sorted(needed, reverse=True)


def test_the_report_writes_json(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    ew.plan(difference="2pp", accuracy=0.75, agreement=0.85).to_json(path)
    assert json.loads(path.read_text())["needed"] > 3000


@pytest.mark.parametrize("difference", [1e3, 1e10, 2.0**63, 1e300])
def test_a_difference_of_any_size_is_planned_at_once(difference: float) -> None:
    """Student's t has one degree of freedom for two items, the fewest there can be."""
    assert needed(difference=difference, sd=1) == 2


@pytest.mark.parametrize("sd", [0.0, -1.0, 1e-200, 1e300, math.inf, math.nan])
def test_a_standard_deviation_whose_square_no_float_holds_is_refused(sd: float) -> None:
    with pytest.raises(OptionError, match="sd lies between"):
        ew.plan(difference=5, sd=sd)


@pytest.mark.parametrize("name", ["cases", "cluster_size", "repeats"])
def test_a_count_that_no_float_holds_is_refused(name: str) -> None:
    aim = {} if name == "cases" else {"difference": "2pp"}
    with pytest.raises(OptionError, match=rf"^{name} is at most 2\^53; saw a number of 401 digits$"):
        ew.plan(accuracy=0.7, flip_rate=0.1, **aim, **{name: 10**400})


@pytest.mark.parametrize(
    "given",
    [
        {"width": 1e-9, "recall": 0.5, "targets": 0.1},
        {"difference": 0.1, "recall": 0.7, "targets": 1e-300},
        {"difference": "2pp", "accuracy": 0.7, "cluster_size": 2**53, "icc": 1},
    ],
)
def test_no_number_of_cases_beyond_reason_is_planned(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="no practical number of cases would"):
        ew.plan(**given)


def test_a_number_of_repeats_for_which_no_practical_number_of_cases_is_enough_has_none() -> None:
    report = ew.plan(width=3e-5, accuracy=0.5, repeats=10, flip_rate=0.4)
    [table] = [grid for section in report.sections for grid in section.grids if grid.title == "Repeats"]
    assert {row[0]: row[1] for row in table.rows}[1] is None
    assert table.rows[-1][1] == report.numbers["needed"]
