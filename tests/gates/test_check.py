"""``check``: outcomes of every kind of prediction, slices, tasks, what vanished, and what is written."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import special

import edgeworth as ew
from command_line import call, refused
from edgeworth.errors import InputError, OptionError
from edgeworth.gates.error_rates import ErrorRate, describe_chance_of
from edgeworth.testing import assert_at_least, assert_at_most, assert_no_worse
from gate_files import answers, tango_bounds, wilson_low, write_log
from run_logs import inspect_log, inspect_sample


def grades(right: list[int]) -> ew.Grades:
    return ew.Grades.from_grades(right, ids=[f"q{number}" for number in range(len(right))])


def decide(wins: int, losses: int, both: int, require: str | list[str], **options: object) -> ew.Decision:
    candidate, baseline = map(grades, answers(wins, losses, both))
    return ew.check(candidate, baseline=baseline, require=require, **options)


def test_the_outcome_is_that_of_the_interval() -> None:
    for wins, losses, margin in [
        (30, 30, 0.03),
        (10, 60, 0.03),
        (20, 40, 0.03),
        (10, 10, 0.012),
        (40, 90, 0.02),
    ]:
        low, high = (float(bound[0]) for bound in tango_bounds(wins, losses, 1000))
        expected = "pass" if low > -margin else "fail" if high < -margin else "undecided"
        result = decide(wins, losses, 1000 - wins - losses, f"accuracy no worse than baseline by {margin}")
        assert result.outcome == expected
        assert result.results[0].interval == pytest.approx((low, high), abs=1e-7)


def test_the_sentence_and_the_headline_name_the_level_that_several_checks_need() -> None:
    """16 losses and 1 gain in 60 differ from −10 points with a p-value between 0.05/7 and 0.05."""
    rules = [f"accuracy no worse than baseline by {margin}pp" for margin in (10, 30, 31, 32, 33, 34, 35)]
    alone, several = (decide(1, 16, 43, chosen) for chosen in (rules[0], rules))
    assert alone.outcome == "fail"
    result = several.results[0]
    assert result.outcome == "undecided"
    # Tango's score statistic, with the likeliest shares of gains and losses whose difference is −0.1.
    losses = np.linspace(0.1, 0.55, 100_001)[1:-1]
    gains = losses - 0.1
    likelihood = np.log(gains) + 16 * np.log(losses) + 43 * np.log(1 - gains - losses)
    best = int(likelihood.argmax())
    z = (1 - 16 + 6) / math.sqrt(60 * (gains[best] + losses[best] - 0.1**2))
    assert 0.05 / 7 < math.erfc(abs(z) / math.sqrt(2)) < 0.05
    assert "but with 7 checks that could fail (Holm's method) a fail needs the 99.3% interval" in str(several)
    assert "; the 95% interval of 1 lies on the wrong side." in several.headline
    assert "99.2857" not in str(several)


def test_exit_codes_and_what_undecided_counts_as() -> None:
    require = "accuracy no worse than baseline by 1pp"
    assert [decide(*x, require).exit_code for x in [(30, 5, 965), (5, 60, 935), (20, 25, 955)]] == [0, 1, 3]
    assert decide(20, 25, 955, require, undecided="pass").exit_code == 0
    assert decide(20, 25, 955, require, undecided="fail").exit_code == 1
    assert decide(20, 25, 955, require, undecided="pass").outcome == "undecided"
    with pytest.raises(OptionError, match="undecided is"):
        decide(1, 1, 100, require, undecided="maybe")


def test_within_needs_both_sides() -> None:
    assert decide(20, 20, 960, "accuracy within 2pp of baseline").outcome == "pass"
    assert decide(45, 20, 935, "accuracy within 2pp of baseline").outcome == "undecided"
    assert decide(90, 20, 890, "accuracy within 2pp of baseline").outcome == "fail"


def test_better_than_baseline_needs_test_and_interval() -> None:
    assert decide(40, 10, 950, "accuracy > baseline").outcome == "pass"
    assert decide(10, 40, 950, "accuracy > baseline").outcome == "fail"
    # Six wins and no loss: the interval excludes 0 and p = 0.031; five: p = 0.0625, whatever the interval.
    assert decide(6, 0, 94, "accuracy > baseline").outcome == "pass"
    assert tango_bounds(5, 0, 100)[0] > 0
    assert decide(5, 0, 95, "accuracy > baseline").outcome == "undecided"


def test_failing_considers_all_requirements_and_passing_needs_every_one() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 300)
    right = np.where(np.arange(300) < 237, truth, 1 - truth)  # accuracy 0.79
    bound = next(
        x / 1000
        for x in range(790, 900)
        if 1 - 0.975
        > ew.estimate(ew.ContingencyTable.from_labels(truth, right), "accuracy").p_value(x / 1000, "less")
        > 0.025 / 2
    )
    alone = ew.check(truth=truth, prediction=right, require=f"accuracy >= {bound}")
    assert alone.outcome == "fail"
    both = ew.check(truth=truth, prediction=right, require=[f"accuracy >= {bound}", "accuracy >= 0.5"])
    assert [result.outcome for result in both.results] == ["undecided", "pass"]
    assert both.outcome == "undecided"


def test_every_kind_goes_through_the_same_gate() -> None:
    rng = np.random.default_rng(2)
    size = 600
    truth = rng.integers(0, 2, size)
    old = np.where(rng.random(size) < 0.85, truth, 1 - truth)
    new = np.where(rng.random(size) < 0.95, truth, 1 - truth)
    score = {"old": truth + rng.normal(0, 1, size), "new": truth + rng.normal(0, 0.5, size)}
    probability = {name: 1 / (1 + np.exp(-4 * (x - 0.5))) for name, x in score.items()}
    query = np.repeat(np.arange(60), 10)
    cases: list[dict[str, object]] = [
        {"prediction": new, "baseline": old, "require": ["informedness >= 0.8", "informedness > baseline"]},
        {"prediction": new, "baseline": old, "require": "mcc no worse than baseline by 0.01"},
        {
            "score": score["new"],
            "baseline": score["old"],
            "require": ["roc_area > chance", "average_precision > baseline"],
        },
        {
            "score": score["new"],
            "baseline": score["old"],
            "query": query,
            "require": "average_precision > baseline",
        },
        {
            "probabilities": probability["new"],
            "baseline": probability["old"],
            "require": "brier no worse than baseline by 0.005",
        },
    ]
    for options in cases:
        decision = ew.check(truth=truth, **options)
        assert decision.outcome == "pass", (options["require"], str(decision))
        assert decision.rates_by_requirement()
    points = rng.normal(3, 1, size)
    decision = ew.check(grade=points + 0.5, baseline=points, require="mean better than baseline by 0.4")
    assert decision.outcome == "undecided"
    slow = ew.check(grade=points, require="mean <= 4", lower_is_better=True)
    assert slow.outcome == "pass"


def test_tables_with_the_baseline_in_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        (f"c{number}", "ab"[number % 2], "ab"[number % 2 if number % 10 else 1 - number % 2])
        for number in range(400)
    ]
    for name, kept in (("old", rows), ("new", rows[3:])):
        text = "id,y,p\n" + "".join(f"{i},{y},{p}\n" for i, y, p in kept)
        (tmp_path / f"{name}.csv").write_text(text)
    words = ["check", "new.csv", "--baseline", "old.csv", "--truth", "y", "--prediction", "p"]
    require = ["--require", "accuracy no worse than baseline by 2pp"]
    assert "name the column that identifies a case" in refused(call(tmp_path, capsys, *words, *require))
    done = call(tmp_path, capsys, *words, *require, "--join", "id")
    assert done.returncode == 1
    assert "3 rows of old vanished from new (id 'c0'; id 'c1'; id 'c2')" in done.stdout
    done = call(tmp_path, capsys, *words, *require, "--join", "id", "--allow-missing")
    assert done.returncode == 0, done.stdout
    # Rows that only the candidate has did not vanish: they are noted, as new items of run logs are.
    grown = ["check", "old.csv", "--baseline", "new.csv", *words[4:], *require, "--join", "id"]
    done = call(tmp_path, capsys, *grown)
    assert done.returncode == 0, done.stdout
    assert "3 rows of the candidate are new and are not compared (id 'c0'; id 'c1'; id 'c2')." in done.stdout


def test_a_measure_of_another_kind_is_bad_input_in_slices_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{n % 2},{n // 2 % 2},{n / 40},{'ab'[n // 4 % 2]}\n" for n in range(40))
    (tmp_path / "t.csv").write_text(f"y,p,s,g\n{rows}")
    for column, require, words in (
        ("--prediction p", "roc_auc >= 0.5", "roc_auc is a measure of rankings: it needs --score"),
        ("--prediction p", "brier <= 0.5", "brier is a measure of probabilities: it needs --probability"),
        ("--score s", "f1 >= 0.5", "f is a measure of decisions: add a depth"),
        ("--correct p", "f1 >= 0.5", "f is a measure of decisions: it needs --prediction"),
    ):
        truth = () if column == "--correct p" else ("--truth", "y")
        words_of_call = ["check", "t.csv", *truth, *column.split(), "--require", require]
        for by in ((), ("--by", "g")):
            assert words in refused(call(tmp_path, capsys, *words_of_call, *by, "--undecided", "pass"))
    # A class that does not occur makes the measure undefined for these data only.
    decision = ew.check(tmp_path / "t.csv", truth="y", prediction="p", by="g", require="recall[2] >= 0.5")
    assert decision.outcome == "undecided"


def test_run_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, old = answers(30, 10, 300, 60)
    write_log(tmp_path / "new.json", new, model="lab/new")
    write_log(tmp_path / "old.json", old, model="lab/old")
    words = ["check", "new.json", "--baseline", "old.json"]
    done = call(tmp_path, capsys, *words, "--require", "accuracy no worse than baseline by 1pp")
    assert done.returncode == 0, done.stdout
    assert "82.5% against 77.5%, +5.0 points" in done.stdout
    assert "400 questions" in done.stdout
    done = call(tmp_path, capsys, *words, "--require", "accuracy > baseline", "--by", "topic")
    assert "[metadata.topic" in done.stdout or "[topic" in done.stdout


def test_the_same_model_in_two_logs_is_named_by_file(tmp_path: Path) -> None:
    new, old = answers(30, 10, 300, 60)
    write_log(tmp_path / "pr.json", new)
    write_log(tmp_path / "main.json", old)
    decision = ew.check(
        str(tmp_path / "pr.json"), baseline=str(tmp_path / "main.json"), require="accuracy > baseline"
    )
    assert (decision.candidate, decision.baseline) == ("pr", "main")


def test_it_fails_closed(tmp_path: Path) -> None:
    new, old = answers(30, 10, 300, 60)
    base = write_log(tmp_path / "old.json", old, model="old")
    require = "accuracy no worse than baseline by 1pp"

    def check(path: Path, **options: object) -> ew.Decision:
        return ew.check(str(path), baseline=str(base), require=require, **options)

    fewer = write_log(tmp_path / "fewer.json", new[5:], model="new", first=5)
    assert check(fewer).outcome == "fail"
    assert "5 items of old vanished from new (q0, q1, q2, …)" in check(fewer).failures[0]
    assert check(fewer, allow_missing=True).outcome == "pass"
    unfinished = write_log(tmp_path / "cut.json", new, model="new", status="cancelled")
    assert "did not finish" in check(unfinished).failures[0]
    assert check(unfinished, allow_missing=True).outcome == "fail"
    assert check(unfinished, allow_unfinished=True).outcome == "pass"
    errored = write_log(tmp_path / "errors.json", [-1, -1, *new[2:]], model="new")
    assert "2 answers of new errored" in check(errored).failures[0]
    assert not check(errored, errors="wrong").failures
    other = write_log(tmp_path / "other.json", new, model="new", first=1000)
    with pytest.raises(InputError, match="no item is in the logs of all systems"):
        check(other, allow_missing=True)


def test_tables_and_tallies_fail_closed_too(tmp_path: Path) -> None:
    require = "accuracy no worse than baseline by 2pp"
    new, old = (grades([1] * number) for number in (395, 400))
    decision = ew.check(new, baseline=old, require=require)
    assert decision.outcome == "fail"
    assert "5 items vanished from candidate (q395, q396, q397, …)" in decision.failures[0]
    assert ew.check(new, baseline=old, require=require, allow_missing=True).outcome == "pass"
    elsewhere = ew.Grades.from_grades([1] * 400, ids=[f"z{number}" for number in range(400)])
    with pytest.raises(InputError, match="have no item in common"):
        ew.check(elsewhere, baseline=old, require=require, allow_missing=True)
    for name, prefix in (("new", "a"), ("old", "b")):
        rows = "".join(f"{prefix}{number},{'xy'[number % 2]},{'xy'[number % 2]}\n" for number in range(200))
        (tmp_path / f"{name}.csv").write_text(f"id,y,p\n{rows}")
    with pytest.raises(InputError, match="no id is in all of new, old"):
        ew.check(
            str(tmp_path / "new.csv"),
            baseline=str(tmp_path / "old.csv"),
            truth="y",
            prediction="p",
            join="id",
            require=require,
            allow_missing=True,
        )


def test_an_undefined_slice_never_passes() -> None:
    truth = [1, 0] * 100 + [0] * 20
    topic = ["law"] * 200 + ["tax"] * 20
    decision = ew.check(truth=truth, prediction=truth, by={"topic": topic}, require="recall[1] >= 0.5")
    assert {result.part: result.outcome for result in decision.results} == {
        "topic law": "pass",
        "topic tax": "undecided",
    }
    assert decision.outcome == "undecided"


def test_an_errored_answer_that_must_pass_fails_whatever_is_allowed(tmp_path: Path) -> None:
    samples = [
        inspect_sample(number, "C" if number % 10 else "I", metadata={"golden": number in (1, 2)})
        for number in range(200)
    ]
    samples[2] |= {"error": {"message": "timeout"}, "scores": {}}
    path = tmp_path / "new.json"
    path.write_text(json.dumps(inspect_log(samples, model="new", task="quiz")))
    for must_pass in ("golden", "q1,q2"):
        decision = ew.check(str(path), require="accuracy >= 0.8", must_pass=must_pass, allow_missing=True)
        assert decision.outcome == "fail"
        assert decision.failures == ("Items that must pass are absent: q2.",)


def test_several_tasks_must_all_pass_or_are_pooled(tmp_path: Path) -> None:
    paths: dict[str, list[str]] = {"new": [], "old": []}
    for task, counts in (("easy", (60, 5, 235)), ("hard", (12, 18, 270))):
        for name, right in zip(("new", "old"), answers(*counts), strict=True):
            paths[name].append(str(write_log(tmp_path / f"{name}-{task}.json", right, model=name, task=task)))
    require = "accuracy no worse than baseline by 2pp"
    decision = ew.check(paths["new"], baseline=paths["old"], require=require)
    assert {result.part: result.outcome for result in decision.results} == {
        "task easy": "pass",
        "task hard": "undecided",
    }
    pooled = ew.check(paths["new"], baseline=paths["old"], require=require, task_weights="equal")
    [result] = pooled.results
    first, second = (60 - 5) / 300, (12 - 18) / 300
    (low, _), (second_low, _) = tango_bounds(60, 5, 300), tango_bounds(12, 18, 300)
    value, reach = (first + second) / 2, np.hypot(first - low[0], second - second_low[0]) / 2
    assert result.evidence.quantity == pytest.approx(value)
    assert result.interval.low == pytest.approx(value - reach, abs=1e-7)
    assert pooled.outcome == "pass"
    hard = tmp_path / "gate.toml"
    hard.write_text(f'[[gate]]\nrequire = "{require}"\ntask = "hard"\n')
    assert len(ew.check(paths["new"], baseline=paths["old"], requirements=hard).results) == 1
    by_topic = ew.check(paths["new"], baseline=paths["old"], require=require, by="topic")
    assert [result.part for result in by_topic.results] == ["task easy", "task hard", "topic a", "topic b"]
    lost = ew.check(paths["new"][:1], baseline=paths["old"], require=require)
    assert "vanished: hard" in lost.failures[0]
    assert lost.outcome == "fail"
    with pytest.raises(OptionError, match="there is no weight for hard"):
        ew.check(paths["new"], baseline=paths["old"], require=require, task_weights="easy=1")


def test_must_pass_items(tmp_path: Path) -> None:
    right = [1] * 380 + [0] * 20
    require = "accuracy >= 0.8"
    assert ew.check(grades(right), require=require, must_pass="q1,q2").outcome == "pass"
    wrong = ew.check(grades(right), require=require, must_pass="q1,q390")
    assert wrong.outcome == "fail"
    assert wrong.failures == ("1 of the 2 items that must pass is wrong (q390).",)
    assert "absent: q999" in ew.check(grades(right), require=require, must_pass=["q999"]).failures[0]
    table = tmp_path / "t.csv"
    rows = "".join(f"{'ab'[i % 2]},{'ab'[i % 2 if i else 1]},{int(i < 5)}\n" for i in range(200))
    table.write_text(f"y,p,golden\n{rows}")
    decision = ew.check(str(table), truth="y", prediction="p", require=require, must_pass="golden")
    assert decision.failures == ("1 of the 5 rows that must pass is wrong.",)


def test_labels_that_must_be_right_are_named_by_id(tmp_path: Path) -> None:
    """Ids are a column of one table, the column that joins two, or an array."""
    rows = [(f"q{number}", "ab"[number % 2]) for number in range(200)]
    frame = pd.DataFrame(rows, columns=["id", "y"])
    frame["p"] = frame["y"].where(frame["id"] != "q7", "a")
    frame["old"] = frame["y"].where(frame.index % 10 > 0, "b")
    frame.to_csv(tmp_path / "new.csv", index=False)
    frame.assign(p=frame["old"]).to_csv(tmp_path / "old.csv", index=False)
    same = {"require": "accuracy > baseline", "must_pass": "q7,q8,q999"}
    files = {"baseline": tmp_path / "old.csv", "join": "id"}
    decisions = [
        ew.check(frame, truth="y", prediction="p", baseline="old", id="id", **same),
        ew.check(tmp_path / "new.csv", truth="y", prediction="p", **files, **same),
        ew.check(truth=frame["y"], prediction=frame["p"], baseline=frame["old"], id=frame["id"], **same),
    ]
    for decision in decisions:
        assert decision.failures == (
            "1 of the 3 items that must pass is wrong (q7).",
            "Items that must pass are absent: q999.",
        )
        [result] = decision.results
        assert (result.outcome, result.evidence.unit, result.evidence.cases) == ("pass", "case", 200)
    twice = pd.concat([frame, frame])
    [result] = ew.check(twice, truth="y", prediction="p", baseline="old", id="id", **same).results
    assert (result.evidence.unit, result.evidence.cases) == ("cluster", 200)
    with pytest.raises(OptionError, match="--must-pass needs labels, or answers that are right or wrong"):
        ew.check(
            truth=[1, 0] * 50,
            score=list(range(100)),
            id=list(range(100)),
            require="roc_auc > 0.1",
            must_pass="1",
        )


def test_error_rates_name_a_number_of_cases_only_if_it_is_that_of_all_of_them() -> None:
    truth, prediction = [1, 0] * 300, [1, 0] * 270 + [0, 1] * 30
    rule = "accuracy >= 0.8"
    whole = ew.check(truth=truth, prediction=prediction, require=rule)
    assert "on 600 new cases:" in whole.describe_rates()[0]
    by_group = ew.check(truth=truth, prediction=prediction, by={"group": ["a", "b"] * 300}, require=rule)
    assert {result.evidence.cases for result in by_group.results} == {300}
    assert "on new data of this size:" in by_group.describe_rates()[0]
    weights = [1.0, 1.5, 2.5] * 200
    weighted = ew.check(
        truth=truth, prediction=prediction, weight=weights, weight_kind="sampling", require=rule
    )
    assert "on new data of this size:" in weighted.describe_rates()[0]


def test_slices_must_all_hold_and_none_may_vanish(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    topic = rng.choice(["law", "math"], 1000)
    truth = rng.integers(0, 2, 1000)
    prediction = np.where(rng.random(1000) < np.where(topic == "law", 0.95, 0.7), truth, 1 - truth)
    decision = ew.check(truth=truth, prediction=prediction, by={"topic": topic}, require="accuracy >= 0.8")
    assert {result.part: result.outcome for result in decision.results} == {
        "topic law": "pass",
        "topic math": "fail",
    }
    path = tmp_path / "t.csv"
    path.write_text(
        "y,p,topic\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(truth, prediction, topic, strict=True))
    )
    gate = tmp_path / "gate.toml"
    gate.write_text('require = "accuracy >= 0.5"\nby = "topic"\nslices = ["law", "medicine"]\n')
    outcome = ew.check(str(path), truth="y", prediction="p", requirements=gate)
    assert outcome.failures == (
        "accuracy >= 0.5: the data have no topic medicine. To allow this, use --allow-missing.",
    )
    assert (
        ew.check(str(path), truth="y", prediction="p", requirements=gate, allow_missing=True).outcome
        == "pass"
    )


def test_it_says_when_no_result_could_pass() -> None:
    few = ew.check(grades([1] * 30), require="accuracy >= 0.99")
    assert few.outcome == "undecided"
    assert "No result could pass with 30 items" in str(few)
    # n/(n + z²) ≥ 0.99 from n = 381 on.
    assert "at least 381 would be needed" in str(few)
    assert ew.check(grades([1] * 381), require="accuracy >= 0.99").outcome == "pass"
    rule = "accuracy no worse than baseline by 1pp"
    assert (
        "With 100 items only an observed gain can pass: systems with identical answers need at least 381."
    ) in str(decide(0, 0, 100, rule))
    assert [decide(0, 0, size, rule).outcome for size in (380, 381)] == ["undecided", "pass"]
    # No loss passes with 300 items, and a gain can: an unchanged system has one by luck.
    assert all(decide(same, same, 300 - 2 * same, rule).outcome == "undecided" for same in range(0, 20, 4))
    assert decide(9, 1, 290, rule).outcome == "pass"
    assert "at least 15 are needed" in str(decide(0, 0, 10, "accuracy no worse than baseline by 0.5"))
    assert "No result could pass with 5 items: at least 6 are needed" in str(
        decide(5, 0, 0, "accuracy > baseline")
    )
    assert "No result could pass with 100 items" in str(decide(0, 0, 100, "accuracy within 1pp of baseline"))
    with pytest.raises(OptionError, match=r"at character 13: accuracy lies between 0 and 1: write 90%"):
        ew.check(grades([1] * 30), require="accuracy >= 90")
    assert "never reaches the end of" in str(ew.check(grades([1] * 30), require="accuracy >= 1"))


def test_undecided_says_how_many_more_would_decide() -> None:
    outcome = decide(20, 25, 955, "accuracy no worse than baseline by 1pp")
    [result] = outcome.results
    assert result.more > 0
    # With that many cases in the same shares, the interval decides.
    times = 1 + 2 * result.more / 1000
    low, _ = tango_bounds(20 * times, 25 * times, 1000 * times)
    assert low > -0.01
    assert "more items, it would pass with a probability of 80%" in str(outcome)
    assert "if the true difference is −0.50 points, as observed." in str(outcome)
    assert result.to_dict()["more_cases_would"] == "pass"


def test_more_cases_state_a_fail_if_the_observed_result_is_outside() -> None:
    result = decide(20, 45, 935, "accuracy no worse than baseline by 1pp")
    assert "it would fail with a probability of 80%, if the true difference is −2.5 points, as" in str(result)
    level = ew.check(grades([1] * 140 + [0] * 60), require="accuracy >= 0.72")
    assert "it would fail with a probability of 80%, if the true accuracy is 70.0%, as observed." in str(
        level
    )
    assert level.results[0].to_dict()["more_cases_would"] == "fail"


def test_the_cases_planned_for_both_ends_of_a_margin_pass_as_often_as_stated() -> None:
    """With no difference, an interval must clear both ends; a plan for one end alone passes in 60%."""
    [result] = decide(20, 20, 560, "accuracy within 2pp of baseline").results
    size = 600 + int(result.more)
    wins, losses, _ = np.random.default_rng(6).multinomial(size, [1 / 30, 1 / 30, 14 / 15], 1000).T
    low, high = tango_bounds(wins, losses, size)
    assert 0.75 < np.mean((low > -0.02) & (high < 0.02)) < 0.86


def test_an_undecided_comparison_states_p_and_the_reason_if_the_interval_excludes_0() -> None:
    for counts in ((5, 0, 95), (0, 5, 95)):
        result = decide(*counts, "accuracy > baseline")
        assert result.outcome == "undecided"
        assert (
            "The interval excludes 0, but the test does not confirm it: the exact McNemar test has "
            "p = 0.062, and below 0.05 is needed." in str(result)
        )
        assert result.results[0].to_dict()["p_value"] == pytest.approx(0.0625)
    several = decide(3, 12, 385, ["accuracy > baseline", "accuracy >= 0.975"])
    assert "p = 0.035, and with 2 checks that could fail (Holm's method) below 0.025 is needed" in str(
        several
    )
    rng = np.random.default_rng(0)
    old = rng.uniform(0.2, 0.8, 100)
    new = old + rng.normal(0.02, 0.02, 100)
    few = ew.check(grade=new, baseline=old, require="mean > baseline")
    assert "The interval excludes 0 (p < 1e-6), but nothing is decided: a rare large value" in str(few)
    rare = ew.check(grade=new, baseline=old, require="mean > baseline", grade_range=(0, 2))
    assert "The interval excludes 0 (p < 1e-6), but a few unseen items" in str(rare)


def test_what_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = answers(20, 25, 355)
    write_log(tmp_path / "new.json", new, model="new")
    write_log(tmp_path / "old.json", old, model="old")
    words = [
        "check",
        "new.json",
        "--baseline",
        "old.json",
        "--require",
        "accuracy no worse than baseline by 2pp",
    ]
    words += ["--require", "accuracy >= 0.5", "--require", "accuracy >= 0.99"]
    files = ["--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md"]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = call(tmp_path, capsys, *words, *files)
    assert done.returncode == 1
    for start in (
        "::warning title=Gate undecided::",
        "::notice title=Gate passed::",
        "::error title=Gate failed::",
    ):
        assert start in done.stdout
    assert "::error title=Gate failed::accuracy >= 0.99: 93.8%25 (95%25 CI" in done.stdout
    report = json.loads((tmp_path / "gate.json").read_text())
    assert report["outcome"] == "fail"
    assert [requirement["outcome"] for requirement in report["requirements"]] == ["undecided", "pass", "fail"]
    rates = report["requirements"][0]["error_rates"]
    assert [rate["scenario"] for rate in rates] == ["unchanged", "worse"]
    assert rates[1]["pass"]["value"] < 0.03
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [case.find("skipped") is not None for case in suite] == [True, False, False]
    markdown = (tmp_path / "gate.md").read_text()
    assert markdown.startswith("### FAIL: new does not meet 1 of 3 requirements.")
    assert "| UNDECIDED | accuracy no worse than baseline by 2pp |" in markdown
    alone = call(tmp_path, capsys, *words, "--json", "-")
    assert json.loads(alone.stdout)["exit_code"] == 1
    assert "is read, so nothing is written over it" in refused(
        call(tmp_path, capsys, *words, "--json", "old.json")
    )


def test_wrong_calls_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("y,p\n" + "a,a\nb,b\n" * 50)
    words = ["check", "t.csv", "--truth", "y", "--prediction", "p"]
    for more, expected in [
        ([], "a gate needs a requirement"),
        (["--require", "accuracy > baseline"], "at character 10: no baseline is given"),
        (
            ["--require", "average_precision > 0.3"],
            "at character 1: average_precision is a measure of rankings",
        ),
        (["--require", "recall[c] > 0.3"], "at character 1: there is no label 'c'"),
        (["--require", "accuracy > baseline", "--baseline", "q"], "neither a column nor a file"),
        (["--require", "accuracy > baseline", "--baseline", "p"], "are the same column"),
        (["--require", "markedness > chance", "--anytime"], "--anytime needs right-or-wrong answers"),
        (["--requirements", "none.toml"], "none.toml cannot be read"),
        (["--require", "accuracy > 0.3", "--json", "no/such/folder.json"], "cannot be written"),
    ]:
        assert expected in refused(call(tmp_path, capsys, *words, *more)), more


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "require = 'accuracy > 0.3'\nby = 'topc'",
            "gate.toml: t.csv has no column 'topc'; did you mean 'topic'",
        ),
        (
            "require = 'accuracy > 0.3'\n[[gate]]\nrequire = 'accuracy > baseline'\nby = 'topc'",
            "gate.toml, gate 1: t.csv has no column 'topc'",
        ),
        ("require = 'accuracy > baseline'\ntask = 'mmlu'", "gate.toml: t.csv has no column 'task'"),
        (
            "[[gate]]\nrequire = 'accuracy > 0.3'\nby = 'topic'\nweights = {law = 1}",
            'gate 1: the requirement "accuracy > 0.3", at character 1: there is no weight for math',
        ),
        ("require = 'accuracy > 0.3'\nweights = {law = 1}", "at character 1: weights need several tasks"),
        (
            "require = 'average_precision > baseline'",
            "at character 1: average_precision is a measure of rankings",
        ),
    ],
)
def test_a_file_that_does_not_fit_the_table_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    (tmp_path / "t.csv").write_text("y,p,q,topic\n" + "a,a,a,law\nb,b,a,math\n" * 50)
    (tmp_path / "gate.toml").write_text(content)
    call_words = ["check", "t.csv", "--truth", "y", "--prediction", "p", "--baseline", "q"]
    assert words in refused(call(tmp_path, capsys, *call_words, "--requirements", "gate.toml"))


def test_a_file_that_does_not_fit_the_logs_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(tmp_path / "new.json", [1, 0] * 50)
    for content, words in [
        ("by = 'topc'", "gate.toml: no item has a field 'topc' (--by); there are topic, task"),
        ("task = 'mmlu'", "at character 1: there is no task 'mmlu'; there are quiz"),
    ]:
        (tmp_path / "gate.toml").write_text(f"require = 'accuracy > 0.3'\n{content}\n")
        assert words in refused(call(tmp_path, capsys, "check", "new.json", "--requirements", "gate.toml"))


def test_pooled_slices_are_named_by_their_values_whatever_their_column_is_called(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p,my topic\n" + "a,a,tax law\nb,a,math\na,a,math\n" * 30)
    gate = tmp_path / "gate.toml"
    gate.write_text("[[gate]]\nrequire = 'accuracy > 0.3'\nby = 'my topic'\n")
    separate = ew.check(str(path), truth="y", prediction="p", requirements=gate)
    assert {result.part for result in separate.results} == {"my topic tax law", "my topic math"}
    with gate.open("a") as file:
        file.write("weights = {'tax law' = 1, math = 3}\n")
    [pooled] = ew.check(str(path), truth="y", prediction="p", requirements=gate).results
    assert set(pooled.part.removeprefix("pooled (").removesuffix(")").split(", ")) == {
        "tax law 0.25",
        "math 0.75",
    }


def test_a_task_can_be_a_column_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p,q,task\n" + "a,a,a,law\nb,b,a,math\na,a,b,math\n" * 25)
    gate = tmp_path / "gate.toml"
    for require in ("accuracy > 0.5", "accuracy > baseline"):
        gate.write_text(f"require = '{require}'\ntask = 'math'\n")
        decision = ew.check(str(path), truth="y", prediction="p", baseline="q", requirements=gate)
        assert [(x.part, x.outcome, x.evidence.cases) for x in decision.results] == [
            ("task math", "pass", 50)
        ]


def test_a_file_named_like_a_measure_is_not_taken_for_it(tmp_path: Path) -> None:
    path = tmp_path / "accuracy.csv"
    path.write_text("y,p\n")
    with pytest.raises(InputError) as raised:
        ew.check(str(path), truth="y", prediction="p", require="accuracy > 0.3")
    assert "the requirement" not in str(raised.value)


def test_an_absent_baseline_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    write_log(tmp_path / "main.json", [1, 0, 1])
    candidate = write_log(tmp_path / "pr.json", [1, 0, 1])
    with pytest.raises(InputError, match=r"man.json does not exist.*main.json"):
        ew.check(str(candidate), baseline=str(tmp_path / "man.json"), require="accuracy > baseline")


def test_undecided_that_counts_as_pass_is_still_a_warning() -> None:
    decision = decide(20, 25, 955, "accuracy no worse than baseline by 1pp", undecided="pass")
    assert decision.annotations()[0].startswith("::warning title=Gate undecided::")
    assert decision.headline.startswith("UNDECIDED (counts as pass): ")


def test_the_headline_counts_requirements_and_names_a_single_one() -> None:
    require = "accuracy no worse than baseline by 1pp"
    assert decide(5, 60, 935, require).headline == "FAIL: candidate does not meet the requirement."
    assert decide(20, 25, 955, require).headline == (
        "UNDECIDED: the data do not show whether candidate meets the requirement."
    )
    both = decide(5, 60, 935, [require, "accuracy >= 0.5"], must_pass="q10")
    assert both.headline == "FAIL: candidate does not meet 1 of 2 requirements, and 1 other check failed."
    closed = decide(30, 5, 965, require, must_pass="q30,nowhere")
    assert closed.headline == "FAIL: candidate does not pass: 2 checks failed."
    alone = replace(closed, failures=("Items vanished: q1. To allow this, use --allow-missing.",))
    assert alone.headline == "FAIL: candidate does not pass: Items vanished: q1."


def test_assertions_fail_with_the_numbers() -> None:
    truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
    assert assert_at_least("accuracy", 0.8, truth=truth, prediction=prediction).outcome == "pass"
    assert assert_at_most("fnr[1]", 0.3, truth=truth, prediction=prediction).outcome == "pass"
    with pytest.raises(AssertionError, match=r"accuracy >= 0.97: 90.0% \(95% CI 85.1% to 93.4%; 200 cases\)"):
        assert_at_least("accuracy", 0.97, truth=truth, prediction=prediction)
    with pytest.raises(AssertionError, match="UNDECIDED"):
        assert_at_least("accuracy", 0.89, truth=truth, prediction=prediction)
    assert_at_least("accuracy", 0.89, truth=truth, prediction=prediction, undecided="pass")
    with pytest.raises(AssertionError, match="no worse than baseline by 1pp"):
        assert_no_worse("accuracy", "1pp", truth=truth, prediction=prediction, baseline=truth)


def test_unseen_items_count_against_the_margin_and_not_against_no_difference() -> None:
    baseline = np.tile([0.3, 0.5, 0.7, 0.4], 25)
    noise = np.random.default_rng(1).normal(0, 0.02, 100)
    require = "mean no worse than baseline by {}"

    def outcome(shift: float, margin: float) -> str:
        candidate = baseline + noise - noise.mean() + shift
        return ew.check(
            grade=candidate, baseline=baseline, require=require.format(margin), grade_range=(0, 1)
        ).outcome

    # Three items that drop by 1 lower the mean of 100 by 0.03.
    assert [outcome(shift, 0.05) for shift in (0.0, 0.001, -0.019)] == ["pass"] * 3
    assert [outcome(shift, 0.05) for shift in (-0.021, -0.079)] == ["undecided"] * 2
    assert outcome(-0.081, 0.05) == "fail"


def test_no_rates_are_stated_if_nothing_can_be_decided_or_units_are_few() -> None:
    rng = np.random.default_rng(3)
    for size, words in ((30, "30 items are too few to state them (at least 40)"), (100, None)):
        baseline = rng.uniform(0.2, 0.8, size)
        decision = ew.check(
            grade=baseline + rng.normal(0, 0.02, size),
            baseline=baseline,
            require="mean no worse than baseline by 0.2",
            grade_range=(-1, 2),
        )
        assert bool(decision.describe_rates())
        assert words is None or words in str(decision)
    unknown = ew.check(
        grade=baseline + 0.01 * rng.normal(size=100),
        baseline=baseline,
        require="mean no worse than baseline by 0.2",
    )
    assert "state the grade range" in str(unknown)
    assert not unknown.describe_rates()


@pytest.mark.parametrize(
    "requirement", ["accuracy no worse than baseline by 5", "informedness within 2 of baseline"]
)
def test_a_margin_that_no_difference_can_exceed_is_refused(requirement: str) -> None:
    truth = [0, 1] * 20
    with pytest.raises(OptionError, match="can exceed a margin"):
        ew.check(truth=truth, prediction=truth[::-1], baseline=truth, require=requirement)


def test_slices_of_two_columns_share_items_so_their_rates_are_a_range() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    columns = [np.where(rng.random(400) < 0.8, truth, 1 - truth) for _ in range(2)]
    sex = np.array(["f", "m"])[rng.integers(0, 2, 400)]
    frame = pd.DataFrame({"y": truth, "new": columns[0], "old": columns[1], "sex": sex, "twin": sex})

    def unchanged(by: str | list[str]) -> ErrorRate:
        rule = "accuracy no worse than baseline by 5pp"
        gate = ew.check(frame, truth="y", prediction="new", baseline="old", require=rule, by=by)
        return gate.rates[0]

    alone, twice = unchanged("sex").passes, unchanged(["sex", "twin"]).passes
    # The second column repeats the first, so the gate passes exactly as often.
    assert twice.low <= alone.value <= twice.high


def test_rates_name_the_parts_the_power_and_the_whole_gate() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 900)
    new, old = (np.where(rng.random(900) < 0.9, truth, 1 - truth) for _ in range(2))
    frame = pd.DataFrame({"y": truth, "new": new, "old": old, "topic": np.resize(["a", "b", "c"], 900)})

    def check(require: str | list[str], by: str | None = None) -> ew.Decision:
        return ew.check(frame, truth="y", prediction="new", baseline="old", require=require, by=by)

    margin, level = "accuracy no worse than baseline by 5pp", "accuracy >= 0.8"
    text = str(check([margin, level], "topic"))
    assert f"{margin} in all 3 topics, if new were exactly as good as old: pass " in text
    least = next(number for number in range(300) if wilson_low(number, 300) >= 0.8)
    detected = float(special.betaincinv(least, 301 - least, 0.8))
    [_, better, worse] = check(level, "topic").results[0].rates
    assert (better.truth, worse.truth) == pytest.approx((detected, 1.6 - detected), abs=0.001)
    assert f"{level} in all 3 topics, if the true accuracy of new were 80.0%: pass " in text
    nearest = "(the nearest detected with about 80% power in one topic alone)"
    assert f"if the true accuracy of new were {100 * better.truth:.1f}% {nearest}: pass " in text
    farthest = f"if the true accuracy of new were {100 * worse.truth:.1f}% (as far on the other side)"
    assert f"{farthest}: pass " in text
    mixed = check([margin, level])
    [unchanged, _] = mixed.rates_by_requirement()[margin]
    assert mixed.describe_rates()[-1] == (
        "  all requirements together, if new were exactly as good as old: pass at most "
        f"{describe_chance_of(unchanged.passes)}"
    )
    assert (
        "All requirements together, if new were exactly as good as old: pass at most" in mixed.to_markdown()
    )
    both = check([margin, "accuracy no worse than baseline by 4pp"])
    assert "all requirements together, if new were exactly as good as old: pass " in str(both)
    assert "at most" not in str(both)


def test_a_level_that_three_unseen_items_would_lower_below_the_bound_does_not_pass() -> None:
    """Grades near 0.99 with rare zeros: a sample without a zero looks far better than the system is."""
    rng = np.random.default_rng(0)

    def passes(size: int) -> bool:
        grades = np.where(rng.random(size) < 0.03, 0.0, rng.normal(0.985, 0.003, size).clip(0, 1))
        gate = ew.check(grade=grades, grade_range=(0, 1), require="mean >= 0.97")
        return gate.outcome == "pass"

    # The mean is 0.955, so at most 2.5% may pass. No zero occurs in 0.97**60 = 16% of these samples.
    assert sum(passes(60) for _ in range(80)) <= 5
    even = np.resize([0.8, 0.9, 1.0], 300)
    assert ew.check(grade=even, grade_range=(0, 1), require="mean >= 0.85").outcome == "pass"
