"""How much a run log proves: runs that did not finish, errors, clusters and names of systems."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import edgeworth as ew
from command_line import call, flat
from edgeworth.errors import InputError, OptionError
from run_logs import (
    inspect_log,
    inspect_sample,
    lm_eval_choice,
    promptfoo_results,
    promptfoo_row,
    write_eval,
    write_lm_eval,
)

Capture = pytest.CaptureFixture[str]
NAMES = ("alpha", "beta")


def write_log(
    path: Path, grades: Sequence[float | str | None], *, model: str = "", epochs: int = 1, **header: Any
) -> Path:
    """Write an Inspect log with one grade per sample; None is an error. Five samples have one passage."""
    samples = []
    for number, grade in enumerate(grades):
        item, epoch = divmod(number, epochs)
        more: dict[str, Any] = {"metadata": {"passage": f"p{item // 5}", "topic": "ab"[item % 2]}}
        if grade is None:
            more["error"] = "timed out"
        samples.append(inspect_sample(item, 0.0 if grade is None else grade, epoch=epoch + 1, **more))
    log = inspect_log(samples, model=model or f"lab/{path.stem}", **header)
    log["eval"] |= {"dataset": {"sample_ids": list(range(200))}, "config": {"epochs": epochs}}
    return write_eval(path, log)


def made_up(seed: int, rate: float, items: int = 200) -> list[float | str | None]:
    """Draw right and wrong answers; a passage is easy or hard for all systems."""
    easy, rng = random.Random(0), random.Random(seed)
    levels = [easy.choice((-0.3, 0.3)) for _ in range(items // 5)]
    return [float(rng.random() < rate + levels[number // 5]) for number in range(items)]


def both(folder: Path, alpha: Sequence[Any], beta: Sequence[Any], **header: Any) -> list[Path]:
    """Write a log of each system; the header is of the second."""
    return [write_log(folder / "alpha.eval", alpha), write_log(folder / "beta.eval", beta, **header)]


# -- runs that did not finish ----------------------------------------------------------------------------


def test_no_winner_is_named_on_account_of_a_run_that_did_not_finish(tmp_path: Path) -> None:
    paths = both(tmp_path, [0.0] * 60 + [1.0] * 60, [1.0] * 120, status="error")
    comparison = ew.compare(paths)
    [pair] = comparison.to_dict()["comparison"]["pairs"]
    assert (pair["is_conclusive"], pair["adjusted_p_value"] < 1e-6) == (False, True)
    assert comparison.verdict.startswith(
        "No winner is named between lab/beta and lab/alpha: 100.0% vs 50.0%, +50.0 points ("
    )
    progress = "(status 'error', 120 of 200 answers)"
    assert f"The run of lab/beta did not finish {progress}" in comparison.verdict
    assert "--allow-unfinished" in comparison.verdict
    assert comparison.verdict.count("did not finish") == 1
    warnings = comparison.to_dict()["warnings"]
    assert sum("did not finish" in warning for warning in warnings) == 1
    runs = {run["system"]: run for run in comparison.to_dict()["logs"]}
    assert (runs["lab/beta"]["is_finished"], runs["lab/beta"]["status"]) == (False, "error")
    assert (runs["lab/alpha"]["is_finished"], runs["lab/alpha"]["planned"]) == (True, 200)
    allowed = ew.compare(paths, allow_unfinished=True)
    assert "lab/beta beats lab/alpha" in allowed.verdict
    assert f"The run of lab/beta did not finish {progress}" in allowed.verdict
    for name in ("difference", "p_value"):
        results = [
            x.to_dict()["comparison"]["pairs"][0]["measures"]["accuracy"][name] for x in (comparison, allowed)
        ]
        assert results[0] == results[1]


def test_slices_and_options_of_an_unfinished_run_have_no_winner_either(tmp_path: Path) -> None:
    for model, right, status in (("alpha", 0.2, "success"), ("beta", 0.9, "cancelled")):
        rng = random.Random(model)
        samples = []
        for number in range(160):
            answer = "A" if rng.random() < right else "B"
            more = {"choices": list("ABCD"), "metadata": {"topic": "ab"[number % 2]}, "answer": answer}
            samples.append(inspect_sample(number, "C" if answer == "A" else "I", **more))
        write_eval(tmp_path / f"{model}.eval", inspect_log(samples, model=model, status=status))
    paths = [tmp_path / f"{name}.eval" for name in NAMES]
    result = ew.compare(paths, by="topic").to_dict()
    assert [row["is_shown"] for row in result["slices"]["slices"]] == [False, False]
    assert not any(claim["strength"] == "shown" for claim in result["claims"])
    allowed = ew.compare(paths, by="topic", allow_unfinished=True).to_dict()
    assert [row["is_shown"] for row in allowed["slices"]["slices"]] == [True, True]


def test_only_the_pairs_of_an_unfinished_run_are_withheld(tmp_path: Path) -> None:
    paths = both(tmp_path, [0.0] * 60 + [1.0] * 60, [1.0] * 120, status="started")
    paths.append(write_log(tmp_path / "gamma.eval", [0.0] * 110 + [1.0] * 10))
    comparison = ew.compare(paths)
    pairs = {
        (x["first"], x["second"]): x["is_conclusive"] for x in comparison.to_dict()["comparison"]["pairs"]
    }
    assert pairs == {
        ("lab/alpha", "lab/beta"): False,
        ("lab/alpha", "lab/gamma"): True,
        ("lab/beta", "lab/gamma"): False,
    }
    assert (
        "No winner is named between lab/beta and any of lab/alpha (50.0%) and lab/gamma (8.3%)"
        in comparison.verdict
    )
    assert comparison.verdict.count("did not finish") == 1


def test_an_evaluation_warns_of_an_unfinished_run(tmp_path: Path) -> None:
    report = ew.evaluate(write_log(tmp_path / "a.eval", made_up(1, 0.5, 50), status="cancelled"))
    sentence = "The run did not finish (status 'cancelled', 50 of 200 answers)"
    assert sentence in report.verdict
    assert report.warnings[0].startswith(sentence)
    assert "unfinished" in [claim["about"] for claim in report.to_dict()["claims"]]
    finished = ew.evaluate(write_log(tmp_path / "b.eval", made_up(1, 0.5, 50)))
    assert "did not finish" not in finished.to_json()


def test_a_newer_cancelled_log_does_not_replace_a_complete_one(tmp_path: Path, capsys: Capture) -> None:
    for name, rate in (("alpha", 0.5), ("beta", 0.7)):
        write_log(tmp_path / f"2026-01-01_{name}.eval", made_up(1, rate), model=name)
    write_log(tmp_path / "2026-01-02_beta.eval", made_up(2, 0.7, 10), model="beta", status="cancelled")
    result = ew.compare(tmp_path).to_dict()
    assert {run["system"]: run["answers"] for run in result["logs"]} == {"alpha": 200, "beta": 200}
    shown = flat(call(tmp_path, capsys, "compare", ".").stdout)
    assert "Skipped logs of unfinished runs: 2026-01-02_beta.eval." in shown
    assert "--allow-unfinished" not in shown


# -- errors ----------------------------------------------------------------------------------------------


def with_errors(grades: Sequence[Any], places: range) -> list[Any]:
    return [None if number in places else grade for number, grade in enumerate(grades)]


def test_errors_are_dropped_or_count_as_wrong(tmp_path: Path) -> None:
    alpha, beta = made_up(1, 0.55), made_up(2, 0.65)
    failed = with_errors(beta, range(0, 60, 4))
    paths = both(tmp_path, alpha, failed)
    ids = [f"q{number}" for number in range(200)]
    kept = [number for number, grade in enumerate(failed) if grade is not None]

    def direct(numbers: Sequence[int]) -> Any:
        grades = {
            name: ew.Grades.from_grades([x[n] or 0.0 for n in numbers], ids=[ids[n] for n in numbers])
            for name, x in (("lab/alpha", alpha), ("lab/beta", failed))
        }
        return ew.compare(grades)["lab/beta", "lab/alpha"]["accuracy"]

    for rule, numbers in (("drop", kept), ("wrong", range(200))):
        comparison = ew.compare(paths, errors=rule)
        result, expected = comparison["lab/beta", "lab/alpha"]["accuracy"], direct(numbers)
        assert (result.difference, result.p_value()) == (expected.difference, expected.p_value())
        assert comparison.to_dict()["provenance"]["errors"] == rule


def test_the_choice_is_stated_and_warnings_of_one_cause_are_merged(tmp_path: Path) -> None:
    alpha, beta = with_errors(made_up(1, 0.5), range(5)), with_errors(made_up(1, 0.6), range(12))
    paths = both(tmp_path, alpha, beta)
    dropped = ew.compare(paths).report
    assert dropped.warnings == (
        "17 of 400 answers errored and are excluded: 12 in lab/beta, 5 in lab/alpha. To count them as wrong, "
        "use --errors wrong. The comparison uses 188 of 200 questions.",
    )
    wrong = ew.compare(paths, errors="wrong").report
    assert not any("errored" in warning for warning in wrong.warnings)
    read = next(section for section in wrong.sections if section.title == "What was read")
    assert "17 of 400 answers errored and count as wrong: 12 in lab/beta, 5 in lab/alpha." in read.text


def test_a_note_tells_if_the_other_choice_changes_the_conclusion(tmp_path: Path) -> None:
    """Where both answer, 30 to 0 are for beta; with beta's errors it is 30 to 25."""
    alpha = [1.0] * 130 + [0.0] * 30 + [1.0] * 25 + [0.0] * 15
    paths = both(tmp_path, alpha, [1.0] * 160 + [None] * 40)
    dropped = ew.compare(paths)
    wrong = ew.compare(paths, errors="wrong")
    winners = [x["lab/alpha", "lab/beta"]["accuracy"].is_shown(0.95) for x in (dropped, wrong)]
    assert winners == [True, False]
    assert "If answers that errored counted as wrong (--errors wrong), the conclusion would change: no " in (
        dropped.verdict
    )
    assert "If answers that errored were excluded (--errors drop), the conclusion would change: lab/beta" in (
        wrong.verdict
    )
    few = both(tmp_path, [*[0.0] * 100, *[1.0] * 100], [*[1.0] * 199, None])
    assert "conclusion would change" not in ew.compare(few).verdict


def test_an_evaluation_tells_if_errors_change_the_conclusion_on_guessing(tmp_path: Path) -> None:
    """Of four options 30 of 40 answers are better than guesses, and 30 of 100 are not."""

    def log(errors: int) -> Path:
        samples = []
        for number in range(100):
            more: dict[str, Any] = {"choices": list("ABCD"), "answer": "A" if number < 30 else "B"}
            if number >= 100 - errors:
                more["error"] = "timed out"
            samples.append(inspect_sample(number, "C" if number < 30 else "I", **more))
        return write_eval(tmp_path / f"{errors}.eval", inspect_log(samples))

    dropped = ew.evaluate(log(60))
    assert dropped.numbers["estimates"]["accuracy"]["value"] == 30 / 40
    sentence = "If answers that errored counted as wrong (--errors wrong), the conclusion would change: "
    assert f"{sentence}no clear difference between lab/small and guessing (25.0%): 30.0%" in dropped.verdict
    counted = ew.evaluate(log(60), errors="wrong")
    assert counted.numbers["estimates"]["accuracy"]["value"] == 30 / 100
    assert (
        "(--errors drop), the conclusion would change: lab/small beats guessing (25.0%): 75.0%"
        in counted.verdict
    )
    assert "conclusion would change" not in ew.evaluate(log(2)).verdict
    answers = counted.numbers["reports"]["Multiple-choice answers"]["estimates"]
    assert answers["accuracy"]["value"] == 30 / 100


def test_the_worst_grade_of_an_error(tmp_path: Path) -> None:
    grades = [3.0, 4.0, 2.0, 5.0] * 20
    path = write_log(tmp_path / "a.eval", [*grades, *[None] * 20])

    def mean(**options: Any) -> float:
        value = ew.evaluate(path, errors="wrong", **options).numbers["estimates"]["mean"]["value"]
        return float(value)

    assert mean() == pytest.approx(80 * 3.5 / 100)
    assert mean(grade_range=(1, 5)) == pytest.approx((80 * 3.5 + 20 * 1) / 100)
    assert mean(grade_range=(1, 9), lower_is_better=True) == pytest.approx((80 * 3.5 + 20 * 9) / 100)
    with pytest.raises(OptionError, match="--grade-range LOW,HIGH"):
        mean(lower_is_better=True)
    with pytest.raises(OptionError, match="--grade-range LOW,HIGH"):
        ew.evaluate(write_log(tmp_path / "b.eval", [-1.0, 1.0] * 9 + [None]), errors="wrong")
    assert ew.evaluate(path, lower_is_better=True).numbers["estimates"]["mean"]["value"] == 3.5


def test_promptfoo_errors(tmp_path: Path) -> None:
    rows = [promptfoo_row(n, m, n % 2 == 0, vars={"q": n}) for n in range(20) for m in NAMES]
    rows += [
        promptfoo_row(20 + n, m, False, vars={"q": 20 + n}, failureReason=2) for n in range(5) for m in NAMES
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(promptfoo_results(rows)))
    for rule, share in (("drop", 10 / 20), ("wrong", 10 / 25)):
        reports = ew.evaluate(path, errors=rule).numbers["reports"]
        assert reports["alpha"]["estimates"]["accuracy"]["value"] == share


# -- clusters, ranges and ids ----------------------------------------------------------------------------


def export(path: Path, logs: dict[str, Sequence[Any]], epochs: int = 1) -> Path:
    """Write the same answers as a table, a row for each."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "id", "passage", "grade"])
        for name, grades in logs.items():
            for number, grade in enumerate(grades):
                item = number // epochs
                writer.writerow([name, f"q{item}", f"p{item // 5}", grade])
    return path


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("field", ["passage", "metadata.passage"])
def test_clusters_are_those_of_the_same_data_in_a_table(tmp_path: Path, field: str, epochs: int) -> None:
    logs = {"lab/alpha": made_up(1, 0.45), "lab/beta": made_up(2, 0.62)}
    paths = [
        write_log(tmp_path / f"{n}.eval", x, epochs=epochs) for n, x in zip(NAMES, logs.values(), strict=True)
    ]
    table = export(tmp_path / "t.csv", logs, epochs)
    by_log = ew.compare(paths, cluster=field)["lab/beta", "lab/alpha"]["accuracy"]
    options: Any = {"data": table, "system": "system", "id": "id", "cluster": "passage", "kind": "grades"}
    by_table = ew.compare(systems="grade", **options)["lab/beta", "lab/alpha"]["accuracy"]
    assert by_log.p_value() == by_table.p_value()
    assert by_log.interval(0.95) == by_table.interval(0.95)
    assert by_log.cases == 40 // epochs
    alone = ew.compare(paths)["lab/beta", "lab/alpha"]["accuracy"]
    assert alone.p_value() != by_log.p_value()


def test_an_evaluation_is_clustered_as_a_table_is(tmp_path: Path) -> None:
    grades = made_up(1, 0.5)
    path = write_log(tmp_path / "alpha.eval", grades)
    report = ew.evaluate(path, cluster="passage")
    table = export(tmp_path / "t.csv", {"x": grades})
    direct = ew.evaluate(table, correct="grade", id="id", cluster="passage")
    assert report.numbers["estimates"]["accuracy"] == direct.numbers["estimates"]["accuracy"]
    assert report.numbers["clusters"] == 40
    read = next(section for section in report.sections if section.title == "What was read")
    assert "Clusters are passage." in read.text
    with pytest.raises(
        OptionError, match=r"no item has a field 'user' \(--cluster\); there are passage, topic"
    ):
        ew.evaluate(path, cluster="user")
    log = inspect_log([inspect_sample(n, "C", metadata={"user": "u"} if n else {}) for n in range(3)])
    with pytest.raises(InputError, match=r"1 item has no field 'user'.*'q0'"):
        ew.evaluate(write_eval(tmp_path / "gap.eval", log), cluster="user")


def test_grades_have_a_direction_and_a_range(tmp_path: Path) -> None:
    rng = random.Random(1)
    quick, slow = ([rng.randint(1, 3 + more) for _ in range(60)] for more in (0, 2))
    paths = both(tmp_path, quick, slow)
    comparison = ew.compare(paths, lower_is_better=True, grade_range=(0, 9))
    assert comparison.verdict.startswith("lab/alpha beats lab/beta: mean grade")
    grades = {
        name: ew.Grades.from_grades(x, ids=[*range(60)], grade_range=(0, 9), lower_is_better=True)
        for name, x in (("lab/alpha", quick), ("lab/beta", slow))
    }
    direct = ew.compare(grades)["lab/alpha", "lab/beta"]["mean"]
    assert comparison["lab/alpha", "lab/beta"]["mean"].interval(0.95) == direct.interval(0.95)
    with pytest.raises(InputError, match="grades must be between 0 and 2"):
        ew.compare(paths, grade_range=(0, 2))


def test_a_share_that_is_good_if_low_is_no_accuracy(tmp_path: Path) -> None:
    """Flagged answers: 1 is bad."""
    paths = both(tmp_path, [0.0] * 80 + [1.0] * 20, [0.0] * 40 + [1.0] * 60)
    verdict = ew.compare(paths, lower_is_better=True).verdict
    assert verdict.startswith("lab/alpha beats lab/beta: mean grade 0.20 vs 0.60, −0.40 (")
    report = ew.evaluate(paths[0], lower_is_better=True)
    assert "right" not in report.verdict
    assert "lower is better" in report.verdict
    higher = ew.evaluate(paths[0]).numbers["estimates"]["accuracy"]
    assert report.numbers["estimates"]["mean"]["low"] == higher["low"]


def test_unmatched_items_are_left_out_or_an_error(tmp_path: Path) -> None:
    paths = both(tmp_path, made_up(1, 0.5), made_up(2, 0.5, 190))
    comparison = ew.compare(paths)
    assert comparison.findings.cases == 190
    assert "10 questions dropped: answered by lab/alpha only." in comparison.report.warnings
    with pytest.raises(InputError, match=r"unmatched: 10 of lab/alpha \('q190', 'q191', 'q192', …\)"):
        ew.compare(paths, unmatched="error")
    same = both(tmp_path, made_up(1, 0.5), made_up(2, 0.5))
    assert ew.compare(same, unmatched="error").findings.cases == 200


def test_slices_that_one_log_lacks_or_that_hold_only_errors(tmp_path: Path) -> None:
    """The log of one system lacks the field, another topic holds nothing but errors."""
    for name in NAMES:
        samples = []
        for number in range(60):
            topic = "abc"[number % 3]
            more: dict[str, Any] = {} if name == "beta" else {"metadata": {"topic": topic}}
            if topic == "c" and name == "alpha":
                more["error"] = "timed out"
            samples.append(inspect_sample(number, float(number % 2), **more))
        write_eval(tmp_path / f"{name}.eval", inspect_log(samples, model=name))
    paths = [tmp_path / f"{name}.eval" for name in NAMES]
    rows = ew.compare(paths, by="topic").report.numbers["slices"]["slices"]
    assert {row["slice"]: row["cases"] for row in rows} == {"a": 20, "b": 20}
    wrong = ew.compare(paths, by="topic", errors="wrong").report.numbers["slices"]["slices"]
    assert {row["slice"]: row["cases"] for row in wrong} == {"a": 20, "b": 20, "c": 20}
    failed = write_log(tmp_path / "failed.eval", [None] * 5)
    with pytest.raises(InputError, match=r"failed\.eval"):
        ew.evaluate(failed)


def test_options_of_tables_are_refused(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.eval", made_up(1, 0.5))
    for name in ("fold", "weight", "missing"):
        with pytest.raises(OptionError, match=f"{name} cannot be used with run logs"):
            ew.evaluate(path, **{name: "drop"})
    with pytest.raises(OptionError, match="errors is for run logs, and no run log is given"):
        ew.evaluate(correct=[1, 0, 1], errors="wrong")
    with pytest.raises(OptionError, match="scorer is for run logs, and no run log is given"):
        ew.evaluate(correct=[1, 0, 1], scorer="acc")
    with pytest.raises(OptionError, match=r"allow_unfinished \(--allow-unfinished\) is for run logs"):
        ew.compare(truth=[1, 0], systems={"a": [1, 0], "b": [0, 1]}, allow_unfinished=True)


# -- names -----------------------------------------------------------------------------------------------


def test_logs_of_one_model_are_named(tmp_path: Path, capsys: Capture) -> None:
    paths = {
        name: write_log(tmp_path / f"{name}.eval", made_up(seed, rate), model="lab/m")
        for name, seed, rate in (("one", 1, 0.3), ("two", 2, 0.8))
    }
    comparison = ew.compare({"v1": paths["one"], "v2": paths["two"]})
    assert comparison.names == ("v1", "v2")
    assert "v2 beats v1" in comparison.verdict
    shown = flat(call(tmp_path, capsys, "compare", "v1=one.eval", "new prompt=two.eval").stdout)
    assert "new prompt beats v1" in shown
    done = json.loads(call(tmp_path, capsys, "evaluate", "v1=one.eval", "--json", "-").stdout)
    assert [run["system"] for run in done["logs"]] == ["v1"]
    assert ew.evaluate({"v1": str(paths["one"])}).to_dict()["logs"][0]["system"] == "v1"
    mixed = json.loads(call(tmp_path, capsys, "compare", "v1=one.eval", "two.eval", "--json", "-").stdout)
    assert mixed["comparison"]["names"] == ["v1", "two.eval"]


def test_a_name_with_several_logs(tmp_path: Path) -> None:
    for task, seed in (("quiz", 1), ("sums", 2)):
        for name in NAMES:
            log = inspect_log([inspect_sample(n, float((n * seed) % 3 > 0)) for n in range(30)], task=task)
            write_eval(tmp_path / f"{name}_{task}.eval", log)
    data = {name: [tmp_path / f"{name}_{task}.eval" for task in ("quiz", "sums")] for name in NAMES}
    comparison = ew.compare(data)
    assert (comparison.names, comparison.findings.cases) == (NAMES, 60)
    twice = {**data, "alpha": [tmp_path / "alpha_quiz.eval", *data["beta"][:1]]}
    with pytest.raises(InputError, match=r"beta_quiz\.eval is named twice"):
        ew.compare(twice)


def test_a_name_is_put_before_several_systems_of_one_file(tmp_path: Path) -> None:
    for day in ("mon", "tue"):
        rows = [promptfoo_row(n, m, (n + len(day + m)) % 3 > 0) for n in range(20) for m in NAMES]
        (tmp_path / f"{day}.json").write_text(json.dumps(promptfoo_results(rows)))
    data = {day: tmp_path / f"{day}.json" for day in ("mon", "tue")}
    assert ew.compare(data).names == tuple(f"{day} ({name})" for day in data for name in NAMES)


def test_a_folder_with_two_prompts_of_one_model_holds_two_systems(tmp_path: Path) -> None:
    for day, prompt in enumerate(("short", "long")):
        log = inspect_log([inspect_sample(n, float((n + day) % 3 > 0)) for n in range(30)], model="lab/m")
        log["eval"]["task_args"] = {"prompt": prompt}
        write_eval(tmp_path / f"{day}.eval", log)
    assert ew.compare(tmp_path).names == ("lab/m (prompt=short)", "lab/m (prompt=long)")
    for day in (2, 3):
        log["eval"]["task_args"] = {"prompt": "long"}
        write_eval(tmp_path / f"{day}.eval", log)
    (tmp_path / "0.eval").unlink()
    with pytest.raises(
        OptionError, match=r"hold one, 'lab/m': give a log of another system. To compare two logs.*NAME=FILE"
    ):
        ew.compare(tmp_path)


def test_tables_are_named(tmp_path: Path, capsys: Capture) -> None:
    rng = random.Random(1)
    for name, rate in (("a", 0.5), ("b", 0.9)):
        lines = [f"{n},{n % 2},{n % 2 if rng.random() < rate else 1 - n % 2}" for n in range(200)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y,p", *lines, ""]))
    words = ("v1=a.csv", "v2=b.csv", "--join", "id", "--truth", "y")
    for columns in (("--prediction", "p"), ("--prediction", "p", "--prediction", "p")):
        done = call(tmp_path, capsys, "compare", *words, *columns, "--json", "-")
        assert json.loads(done.stdout)["comparison"]["names"] == ["v1", "v2"]
    done = call(tmp_path, capsys, "compare", "v1=a.csv", "v1=b.csv", *words[2:], "--prediction", "p")
    assert "two systems are called 'v1'" in done.stderr
    done = call(tmp_path, capsys, "evaluate", "v1=a.csv", "--truth", "y", "--prediction", "p")
    assert "give a table without one" in done.stderr
    (tmp_path / "day=1.csv").write_text((tmp_path / "a.csv").read_text())
    done = call(tmp_path, capsys, "evaluate", "day=1.csv", "--truth", "y", "--prediction", "p", "--json", "-")
    assert json.loads(done.stdout)["provenance"]["source"].endswith("day=1.csv")


def test_search_runs_are_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 d{d} {d % 2}\n" for q in range(8) for d in range(6)))
    for name, sign in (("a", 1), ("b", -1)):
        lines = [f"{q} Q0 d{d} 1 {sign * d * (1 + q % 2)} tag\n" for q in range(8) for d in range(6)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    done = call(tmp_path, capsys, "trec", "q.txt", "bm25=a.run", "dense=b.run", "--json", "-")
    assert json.loads(done.stdout)["comparison"]["names"] == ["bm25", "dense"]
    alone = call(tmp_path, capsys, "trec", "q.txt", "bm25=a.run", "--json", "-")
    assert json.loads(alone.stdout)["provenance"]["runs"] == "bm25"


# -- scorers and measures --------------------------------------------------------------------------------


def test_answers_are_judged_by_the_rule_of_the_scorer(tmp_path: Path) -> None:
    """acc_norm divides by the length of an option, so that it chooses others than acc."""
    rng = random.Random(4)
    lines = []
    for number in range(60):
        texts = [" yes", " certainly not, for many reasons"]
        scores = [-rng.uniform(2, 5), -rng.uniform(4, 20)]
        truth = rng.randrange(2)
        by_length = [x / len(text.strip()) for x, text in zip(scores, texts, strict=True)]
        more: dict[str, Any] = {
            "metrics": ["acc", "acc_norm"],
            "acc_norm": float(by_length.index(max(by_length)) == truth),
            "arguments": {f"gen_args_{k}": {"arg_0": "?", "arg_1": text} for k, text in enumerate(texts)},
        }
        lines.append(lm_eval_choice(number, scores, truth, **more))
    path = write_lm_eval(tmp_path / "m", "quiz", lines)
    report = ew.evaluate(path, scorer="acc_norm")
    share = sum(line["acc_norm"] for line in lines) / 60
    answers = report.numbers["reports"]["Multiple-choice answers"]
    assert answers["estimates"]["accuracy"]["value"] == pytest.approx(share)
    assert "Choice probabilities" not in report.numbers["reports"]
    how = "The chosen options are those of highest log-likelihood"
    assert f"{how} per character, as in acc_norm." in what_was_read(report)
    assert f"{how}." in what_was_read(ew.evaluate(path))
    for line in lines:
        del line["arguments"]
    unknown = ew.evaluate(write_lm_eval(tmp_path / "n", "quiz", lines), scorer="acc_norm")
    assert "reports" not in unknown.numbers
    assert "Multiple-choice" not in unknown.verdict
    assert any("grades do not follow from the chosen options" in note for note in what_was_read(unknown))
    assert "Choice probabilities" in ew.evaluate(path).numbers["reports"]


def test_a_comparison_by_accuracy_of_partial_credit_says_what_is_wrong(tmp_path: Path) -> None:
    paths = both(tmp_path, [1.0, 0.5, 0.0] * 10, [1.0, 1.0, 0.0] * 10)
    undefined = ew.compare(paths, measures=["accuracy"])
    reason = "cannot be compared by accuracy: grades are not all right (1) or wrong (0): use mean"
    assert reason in undefined.verdict
    assert "dropped" not in "".join(undefined.findings.notes), "the measure has no value for any item"
    both_measures = ew.compare(paths, measures=["mean", "accuracy"])
    assert both_measures["lab/beta", "lab/alpha"]["mean"].difference == pytest.approx(1 / 6)
    assert math.isnan(both_measures["lab/beta", "lab/alpha"]["accuracy"].difference)


def test_position_bias_is_in_the_verdict(tmp_path: Path) -> None:
    rng = random.Random(2)
    samples = []
    for number in range(200):
        truth = rng.choice("ABCD")
        answer = truth if rng.random() < 0.3 else "A" if rng.random() < 0.7 else rng.choice("BCD")
        more = {"target": truth, "answer": answer, "choices": list("ABCD")}
        samples.append(inspect_sample(number, "C" if truth == answer else "I", **more))
    report = ew.evaluate(write_eval(tmp_path / "a.eval", inspect_log(samples)))
    assert "Position bias: option A is chosen in " in report.verdict
    position_bias = report.numbers["position_bias"]
    assert [option["option"] for option in position_bias["options"]] == list("ABCD")
    assert position_bias["options"][0]["predicted"] == sum(
        x["scores"]["choice"]["answer"] == "A" for x in samples
    )
    edges = section_rows(report, "Multiple-choice answers: Class by class")
    assert edges[0][2] > edges[0][1]  # more predictions than cases, whatever the edge


def test_the_schema_describes_run_logs(tmp_path: Path) -> None:
    schema = json.loads(
        (Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json").read_text(encoding="utf-8")
    )
    check = jsonschema.Draft202012Validator(schema)
    samples = [inspect_sample(n, "C", answer="A", choices=list("ABCD")) for n in range(12)]
    samples[3]["error"] = "timed out"
    paths = [
        write_eval(tmp_path / f"{x}.eval", inspect_log(samples, model=x, status=x))
        for x in ("error", "success")
    ]
    reports = [ew.evaluate(paths[0]), ew.compare(paths)]
    for report in reports:
        check.validate(json.loads(report.to_json()))
    payload = json.loads(reports[0].to_json())
    assert {"logs", "position_bias"} <= set(payload)
    assert not check.is_valid(payload | {"logs": [{"system": "x"}]})


def what_was_read(report: Any) -> Any:
    return next(section for section in report.sections if section.title == "What was read").text


def section_rows(report: Any, title: str) -> Any:
    return next(section for section in report.sections if section.title == title).grids[0].rows


def test_a_grade_range_makes_answers_to_choices_points(tmp_path: Path) -> None:
    lines = [lm_eval_choice(number, [-1.0, -2.0, -3.0, -4.0], number % 2) for number in range(40)]
    path = write_lm_eval(tmp_path / "m", "quiz", lines)
    assert "on a scale from 0 to 5" in ew.evaluate(path, grade_range=(0, 5)).verdict
    assert "m beats guessing (25.0%): 50.0%" in ew.evaluate(path, grade_range=(0, 1)).verdict
