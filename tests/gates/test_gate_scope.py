"""What a gate counts, which systems its rates are about, what it plans, and what it cannot show."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import edgeworth as ew
from command_line import call, refused
from edgeworth.errors import OptionError
from edgeworth.gates.anytime import BettingSequence, items_needed
from edgeworth.gates.paired_rates import mcnemar_p_values
from gate_files import answers, tango_bounds, wilson_low, write_log


def right_answers(wins: int, losses: int, both: int, neither: int = 0) -> tuple[ew.Grades, ew.Grades]:
    new, old = answers(wins, losses, both, neither)
    ids = [f"q{number}" for number in range(len(new))]
    return ew.Grades.from_grades(new, ids=ids), ew.Grades.from_grades(old, ids=ids)


def paired_labels(
    rng: np.random.Generator, truth: np.ndarray, share: float, gain: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions of two systems: one of them is wrong in a share of the cases."""
    part = rng.random(len(truth))
    first_wrong = part < (share - gain) / 2
    second_wrong = (part >= (share - gain) / 2) & (part < share)
    return np.where(first_wrong, 1 - truth, truth), np.where(second_wrong, 1 - truth, truth)


def test_levels_count_cases_and_differences_count_clusters() -> None:
    rng = np.random.default_rng(0)
    truth, patient = rng.integers(0, 2, 300), np.repeat(np.arange(60), 5)
    new, old = paired_labels(rng, truth, 0.1)
    gate = ew.check(
        truth=truth,
        prediction=new,
        baseline=old,
        cluster=patient,
        require=["accuracy >= 0.8", "accuracy no worse than baseline by 5pp"],
    )
    level, difference = gate.sentences()
    assert "; 300 cases)" in level
    assert "; 60 clusters)" in difference


def test_logs_that_name_their_clusters_count_them_too(tmp_path: Path) -> None:
    """Inspect's log names the field by which its own standard error is clustered."""
    results = {"scores": [{"metrics": {"stderr": {"params": {"cluster": "topic"}}}}]}
    paths = []
    for name, wrong in (("new", 3), ("old", 6)):
        right = [0] * wrong + [1] * (200 - wrong)
        topics = [f"passage {number}" for number in range(50)]
        path = tmp_path / f"{name}.json"
        write_log(path, right, model=f"lab/{name}", topics=topics, results=results)
        paths.append(path)
    gate = ew.check(paths[0], baseline=paths[1], require="accuracy no worse than baseline by 8pp")
    assert "; 50 clusters)" in gate.sentences()[0]


def test_an_informedness_margin_has_its_power_at_the_planned_size() -> None:
    """Two strata with disagreements of their own, and the reaches of Tango's bounds squared and added."""
    rng = np.random.default_rng(5)
    truth = (np.arange(400) < 120).astype(int)
    new, old = paired_labels(rng, truth, 0.12)
    plan = ew.compare(truth=truth, systems={"new": new, "old": old}, margin=0.1).findings.to_dict()["margins"]
    needed = plan[0]["plan"]["needed"]
    shares = [float(np.mean((new != old)[truth == label])) for label in (1, 0)]

    total, square = np.zeros(4000), np.zeros(4000)
    for share, part in zip(shares, (0.3, 0.7), strict=True):
        trials = round(needed * part)
        wins, losses, _ = rng.multinomial(trials, [share / 2, share / 2, 1 - share], 4000).T
        total += (wins - losses) / trials
        square += ((wins - losses) / trials - tango_bounds(wins, losses, trials)[0]) ** 2
    # 4,000 samples: standard error at most 0.8 points.
    assert 0.77 < np.mean(total - np.sqrt(square) > -0.1) < 0.85


def test_the_systems_of_a_required_gain_are_named_by_their_own_difference() -> None:
    new, old = right_answers(60, 40, 300)
    names = [
        name for name, _ in ew.check(new, baseline=old, require="accuracy > baseline by 2pp").rate_rows()
    ]
    truths = [x.truth for x in ew.check(new, baseline=old, require="accuracy > baseline by 2pp").rates]
    assert names[0] == "if candidate were better than baseline by 2 points"
    assert truths[2] < -0.02
    size = f"{abs(100 * truths[2]):.2g} points (as far on the other side)"
    assert names[2] == f"if candidate were worse than baseline by {size}"
    within = ew.check(new, baseline=old, require="accuracy within 3pp of baseline")
    assert [name for name, _ in within.rate_rows()] == [
        "if candidate were exactly as good as baseline",
        "if candidate differed from baseline by 3 points",
    ]


def test_a_rate_in_several_parts_says_so() -> None:
    new, old = right_answers(40, 40, 320)
    topic = {"topic": np.tile(["law", "tax"], 200)}
    gate = ew.check(
        correct=new.means, baseline=old.means, by=topic, require="accuracy no worse than baseline by 5pp"
    )
    assert gate.rate_rows()[1][0] == "in both topics, if candidate were worse than baseline by 5 points"
    level = ew.check(correct=new.means, by=topic, require="accuracy >= 0.8")
    assert level.rate_rows()[0][0] == "in both topics, if the true accuracy of candidate were 80.0%"


@pytest.mark.parametrize(
    ("requirement", "position", "words"),
    [
        ("informedness >= 2", 17, "informedness lies between -1 and 1"),
        ("accuracy >= 80", 13, "accuracy lies between 0 and 1: write 80% or 0.8"),
        ("accuracy no worse than baseline by 5", 36, "can exceed a margin of 5"),
        ("recall[1] >= -0.1", 14, "recall lies between 0 and 1"),
    ],
)
def test_a_bound_or_margin_that_nothing_can_reach_is_refused(
    requirement: str, position: int, words: str
) -> None:
    with pytest.raises(OptionError, match=words) as raised:
        ew.check(truth=[0, 1] * 20, prediction=[0, 1] * 20, baseline=[1, 0] * 20, require=requirement)
    assert f"at character {position}:" in str(raised.value)


def test_no_rate_is_about_a_value_that_the_measure_cannot_have() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 120)
    gate = ew.check(truth=truth, prediction=truth, require="informedness >= 0.95")
    assert all(-1 <= rate.truth <= 1 for rate in gate.rates)
    assert [rate.scenario for rate in gate.rates] == ["at the bound", "worse"]


def test_it_says_when_not_even_perfect_predictions_could_pass_at_the_level_that_is_used() -> None:
    truth = [0, 1] * 20
    few = ew.check(truth=truth, prediction=truth, require="informedness >= 0.95")
    assert few.outcome == "undecided"
    # Wilson's lower bound of 20 right of 20 is 20/(20 + z²); both classes lie as far below 1.
    low = 1 - math.hypot(*[1 - 20 / (20 + 1.959964**2)] * 2)
    assert few.results[0].interval.low == pytest.approx(low, abs=1e-6)
    assert f"the interval of perfect predictions reaches to {low:.2g}" in str(few)
    # Wilson's lower bound of 60 right of 60 is n/(n + z²): 0.940 at 95%, 0.974 at 80%.
    sixty = ew.Grades.from_grades([1] * 59 + [0], ids=range(60))
    assert "no result could pass" in str(ew.check(sixty, require="accuracy >= 0.96")).lower()
    assert "no result could pass" not in str(ew.check(sixty, require="accuracy >= 0.96", level=0.8)).lower()
    classes = [1] * 12 + [0] * 388
    one_class = ew.check(truth=classes, prediction=[1] * 11 + [0] * 389, require="recall[1] >= 0.9")
    assert "only 12 of 400 cases count for this measure" in str(one_class)


def test_it_says_that_an_interval_is_wider_than_within_allows() -> None:
    rng = np.random.default_rng(2)
    chances = rng.uniform(0.1, 0.9, 200)
    truth = (rng.random(200) < chances).astype(int)
    first, second = (np.clip(chances + rng.normal(0, 0.15, 200), 0.01, 0.99) for _ in range(2))
    gate = ew.check(
        truth=truth, probabilities=first, baseline=second, require="brier within 0.002 of baseline"
    )
    low, high = gate.results[0].interval
    assert high - low > 0.004
    assert "No difference could pass with 200 cases" in str(gate)
    assert gate.rates[0].passes.value == 0


def test_slices_of_two_columns_share_items_in_the_printed_rates_too() -> None:
    new, old = right_answers(40, 40, 320)
    half = np.tile(["f", "m"], 200)
    rule = "accuracy no worse than baseline by 6pp"

    def unchanged(by: dict[str, np.ndarray]) -> ew.Decision:
        return ew.check(correct=new.means, baseline=old.means, by=by, require=rule)

    [(_, alone), *_] = unchanged({"sex": half}).rate_rows()
    [(_, twice), *_] = unchanged({"sex": half, "twin": half}).rate_rows()
    # The second column repeats the first, so the gate passes exactly as often.
    assert twice.passes.low <= alone.passes.value <= twice.passes.high


def mixed_wealth(wins: np.ndarray, losses: np.ndarray, cases: float, null: float) -> np.ndarray:
    """Wealth from $1: half bets that the mean is above the null, half below, over 2,000 uniform stakes."""
    wealth = np.zeros(len(wins))
    for sign, worst in ((1, null + 1), (-1, 1 - null)):
        for stake in (np.arange(2000) + 0.5) / 2000:
            logs = [math.log1p(sign * stake * (value - null) / worst) for value in (1, -1, 0)]
            wealth += np.exp(wins * logs[0] + losses * logs[1] + (cases - wins - losses) * logs[2])
    return wealth / 4000


def test_the_plan_of_a_gate_that_looks_every_night_has_its_power() -> None:
    for wins, losses, bound in ((30, 10, 0.0), (40, 45, -0.03), (10, 60, -0.02)):
        seen = BettingSequence(float(wins), float(losses), 1000.0)
        needed = items_needed(seen, bound, 0.95, 0.8)
        share = (wins / 1000, losses / 1000, 1 - (wins + losses) / 1000)
        drawn = np.random.default_rng(3).multinomial(int(needed), share, 2000)
        is_shown = mixed_wealth(drawn[:, 0], drawn[:, 1], needed, bound) >= 20
        # 2,000 samples: standard error 0.9 points.
        assert 0.77 < np.mean(is_shown) < 0.85, (wins, losses, bound)
    gate = ew.check(
        *right_answers(20, 25, 955)[:1],
        baseline=right_answers(20, 25, 955)[1],
        require="accuracy no worse than baseline by 2pp",
        anytime=True,
    )
    size = 1000 + gate.results[0].more
    drawn = np.random.default_rng(4).multinomial(int(size), (0.02, 0.025, 0.955), 2000)
    assert 0.77 < np.mean(mixed_wealth(drawn[:, 0], drawn[:, 1], size, -0.02) >= 20) < 0.85


def test_pooled_tasks_that_are_looked_at_every_night_add_whole_intervals(tmp_path: Path) -> None:
    paths: dict[str, list[str]] = {"new": [], "old": []}
    for task, counts in (("easy", (30, 25, 245)), ("hard", (20, 18, 262))):
        for name, right in zip(("new", "old"), answers(*counts), strict=True):
            paths[name].append(str(write_log(tmp_path / f"{name}-{task}.json", right, model=name, task=task)))
    gate = ew.check(
        paths["new"],
        baseline=paths["old"],
        require="accuracy no worse than baseline by 2pp",
        task_weights="easy=0.7,hard=0.3",
        anytime=True,
    )
    parts = [BettingSequence(b, c, 300.0).interval(0.975) for b, c in ((30.0, 25.0), (20.0, 18.0))]
    expected = [0.7 * first + 0.3 * second for first, second in zip(*parts, strict=True)]
    assert list(gate.results[0].interval) == pytest.approx(expected, abs=1e-6)


def test_a_task_that_cannot_be_compared_fails_and_a_new_one_is_noted(tmp_path: Path) -> None:
    new, old = answers(20, 5, 275)
    for task in ("easy", "hard"):
        write_log(tmp_path / f"new-{task}.json", new, model="new", task=task)
        write_log(tmp_path / f"old-{task}.json", old, model="old", task=task)
    paths = [str(tmp_path / f"new-{task}.json") for task in ("easy", "hard")]
    require = "accuracy no worse than baseline by 2pp"
    fewer = ew.check(paths, baseline=str(tmp_path / "old-easy.json"), require=require)
    assert fewer.outcome == "pass"
    assert fewer.notes == ("This task of the candidate is new and is not compared: hard.",)
    # The candidate's log of a task has grades by another scorer only.
    log = json.loads(Path(paths[1]).read_text())
    for sample in log["samples"]:
        sample["scores"] = {"other": sample["scores"]["choice"]}
    Path(paths[1]).write_text(json.dumps(log))
    baseline = [str(tmp_path / f"old-{task}.json") for task in ("easy", "hard")]
    other = ew.check(paths, baseline=baseline, require=require)
    assert other.outcome == "fail"
    assert "Task without a scorer that both have: hard" in other.failures[0]
    alone = ew.check(paths, require="accuracy >= 0.5", scorer="other")
    assert "Task without grades by this scorer: easy" in alone.failures[0]


def test_compare_refuses_a_margin_that_no_difference_exceeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "1,0\n1,1\n0,1\n" * 20)
    words = ["compare", "t.csv", "--correct", "a", "--correct", "b", "--margin"]
    assert "can exceed a margin of 2: state a smaller one (2pp means 2 points)" in refused(
        call(tmp_path, capsys, *words, "2")
    )


def test_p_values_of_many_disagreements_are_nearly_exact() -> None:
    wins = np.array([4.0, 800.0, 900.0, 1000.0, 760.0, 9100.0])
    losses = np.array([13.0, 900.0, 810.0, 880.0, 745.0, 8830.0])
    exact = [stats.binomtest(int(b), int(b + c)).pvalue for b, c in zip(wins, losses, strict=True)]
    assert mcnemar_p_values(wins, losses) == pytest.approx(exact, abs=1e-4)


def test_two_requirements_for_the_same_cases_have_a_range_and_no_single_rate() -> None:
    """Nearly the same requirement twice passes as often as once, and not as its square."""
    new, old = right_answers(40, 40, 320)
    rules = [f"accuracy no worse than baseline by {margin}pp" for margin in (6, 6.001)]
    [alone, *_] = ew.check(correct=new.means, baseline=old.means, require=rules[0]).rates
    [both, *_] = ew.check(correct=new.means, baseline=old.means, require=rules).rates
    assert math.isnan(both.passes.value)
    assert math.isnan(both.undecided.value)
    assert both.passes.low <= alone.passes.value <= both.passes.high
    assert both.undecided.low <= alone.undecided.value <= both.undecided.high


def wealth_of_bets(right: float, trials: int, null: float) -> float:
    """Integrate the wealth of both bettors over their stakes, by the formula of the method page."""
    stakes = np.linspace(0, 1, 20_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [
            special.xlogy(right, 1 + stakes * (1 - null) / reach)
            + special.xlogy(trials - right, 1 - stakes * null / reach)
            for reach in (null, null - 1)
        ]
    return float(sum(np.trapezoid(np.exp(log), stakes) for log in logs)) / 2


@pytest.mark.parametrize(
    ("trials", "bound", "is_anytime"),
    [(182, 0.9, False), (60, 0.9, False), (600, 0.7, False), (600, 0.7, True), (150, 0.5, True)],
)
def test_a_gate_passes_the_system_that_it_calls_detected_with_80_per_cent(
    trials: int, bound: float, is_anytime: bool
) -> None:
    right = [1] * round(0.95 * trials) + [0] * (trials - round(0.95 * trials))
    require = f"accuracy >= {bound}"
    rates = ew.check(ew.Grades.from_grades(right), require=require, anytime=is_anytime).results[0].rates
    [truth] = [rate.truth for rate in rates if rate.scenario == "better"]

    def is_passed(number: int) -> bool:
        if is_anytime:
            return number > bound * trials and wealth_of_bets(number, trials, bound) >= 20
        return wilson_low(number, trials) >= bound

    least = next(number for number in range(trials + 1) if is_passed(number))
    assert stats.binom.sf(least - 1, trials, truth) == pytest.approx(0.8, abs=0.01)


def test_the_worse_system_is_the_detected_one_if_no_better_one_can_pass() -> None:
    """With 50 cases, not even perfect answers pass a bound of 0.95."""
    decision = ew.check(ew.Grades.from_grades([1] * 45 + [0] * 5), require="accuracy >= 0.95")
    [bound, worse] = decision.results[0].rates
    assert (bound.passes.value, worse.passes.value) == (0, 0)
    assert worse.fails.value == pytest.approx(0.8, abs=0.01)
    assert "(the nearest detected with about 80% power)" in decision.rate_rows()[1][0]


def test_rates_say_how_often_the_exit_code_is_0_if_undecided_counts() -> None:
    new, old = right_answers(20, 20, 360)
    options = {"baseline": old, "require": "accuracy no worse than baseline by 2pp"}
    released = ew.check(new, undecided="pass", **options)
    held, plain = ew.check(new, undecided="fail", **options), ew.check(new, **options)
    passes, fails = plain.rates[1].passes, plain.rates[1].fails
    assert f"the exit code is 0 in {100 * (1 - fails.value):.0f}%" in released.describe_rates()[2]
    assert f"the exit code is 0 in {100 * passes.value:.1f}%" in held.describe_rates()[2]
    assert "exit code" not in "".join([*plain.describe_rates(), plain.to_markdown()])
    assert "| exit code 0 |" in released.to_markdown()


def test_each_group_of_an_array_must_hold() -> None:
    """A gate on an array of groups is the gate on a mapping with one name."""
    right = [1] * 190 + [0] * 10 + [1] * 20 + [0] * 20
    groups = ["common"] * 200 + ["rare"] * 40
    rule = "accuracy >= 0.7"
    assert ew.check(correct=right, require=rule).outcome == "pass"
    for by in (groups, np.array(groups), pd.Series(groups)):
        gate = ew.check(correct=right, by=by, require=rule)
        assert gate.outcome == "fail"
        assert str(gate) == str(ew.check(correct=right, by={"group": groups}, require=rule))


def test_with_data_groups_are_columns() -> None:
    frame = pd.DataFrame({"right": [1, 0] * 50, "other": [1, 1] * 50, "group": ["a", "b"] * 50})
    rule, message = "accuracy >= 0.4", "by must be the name of a column, or a list of names; saw"
    for by in (frame["group"], frame["group"].to_numpy()):
        with pytest.raises(OptionError, match=message):
            ew.check(frame, correct="right", by=by, require=rule)
        with pytest.raises(OptionError, match=message):
            ew.evaluate(frame, correct="right", by=by)
        with pytest.raises(OptionError, match=message):
            ew.compare(frame, kind="correct", systems=["right", "other"], by=by)
