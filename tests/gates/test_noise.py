"""Noise between runs of one system: flips, agreement, and gates that change their decision."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score  # type: ignore[import-untyped]  # no stubs

import edgeworth as ew
from command_line import call
from edgeworth.errors import InputError, OptionError
from edgeworth.gates.requirements import parse_requirements
from edgeworth.gates.rerun_decisions import simulate_decisions
from edgeworth.grades.reruns import draw_runs, rerun_agreement
from gate_files import write_log
from run_logs import inspect_log, inspect_sample, lm_eval_choice, write_lm_eval


def repeated(runs: object) -> ew.Grades:
    """Tally a table with one row per run."""
    table = np.asarray(runs)
    return ew.Grades.from_grades(table.ravel(), ids=np.tile(np.arange(table.shape[1]), len(table)))


def test_logs_epochs_columns_and_files_give_the_same_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    runs = (rng.random((2, 60)) < rng.beta(2, 1, 60)).astype(int)
    logs = [str(write_log(tmp_path / f"{x}.json", run.tolist())) for x, run in enumerate(runs)]
    samples = [
        inspect_sample(item, "C" if x else "I", epoch=epoch)
        for epoch, run in enumerate(runs, 1)
        for item, x in enumerate(run)
    ]
    (tmp_path / "epochs.json").write_text(json.dumps(inspect_log(samples)))
    rows = [f"{i},{a},{b},1" for i, (a, b) in enumerate(runs.T)]
    (tmp_path / "wide.csv").write_text("\n".join(["q,a,b,y", *rows]) + "\n")
    for name, run in zip("cd", runs, strict=True):
        lines = [f"{i},{x}" for i, x in enumerate(run)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["q,right", *lines]) + "\n")
    results = [
        ew.noise(logs),
        ew.noise(str(tmp_path / "epochs.json")),
        ew.noise(str(tmp_path / "wide.csv"), correct=["a", "b"]),
        ew.noise(str(tmp_path / "wide.csv"), truth="y", prediction=["a", "b"]),
        ew.noise([str(tmp_path / "c.csv"), str(tmp_path / "d.csv")], id="q", correct="right"),
        ew.noise(repeated(runs)),
    ]
    expected = float(np.mean(runs[0] != runs[1]))
    for report in results:
        assert report.numbers["flip_rate"]["value"] == pytest.approx(expected, rel=1e-12)
        assert report.numbers["kappa"] == results[0].numbers["kappa"]


def test_kappa_of_two_runs_is_scotts_pi() -> None:
    rng = np.random.default_rng(2)
    runs = (rng.random((2, 80)) < rng.beta(1, 1, 80)).astype(int)
    share = runs.mean()
    expected = 1 - np.mean(runs[0] != runs[1]) / (2 * share * (1 - share))
    result = rerun_agreement(repeated(runs), 0.95)
    assert result.value == pytest.approx(expected, rel=1e-12)
    assert result.interval.low < expected < result.interval.high


def test_kappa_is_written_with_its_sign_and_without_an_interval_if_no_answer_changed() -> None:
    changing = np.array([[1, 0] * 10, [0, 1] * 5 + [1, 0] * 5])
    assert "agreement beyond chance (kappa) 0.00 (−0.4" in str(ew.noise(repeated(changing)).verdict)
    report = ew.noise(repeated(np.array([[1, 0, 1, 1, 0] * 8] * 2)))
    assert "agreement beyond chance (kappa) 1.00." in str(report.verdict)
    assert report.numbers["kappa"] == {"value": 1.0, "low": None, "high": None}


def test_simulated_runs_have_the_accuracy_and_the_flip_rate_that_were_seen() -> None:
    rng = np.random.default_rng(3)
    grades = repeated((rng.random((3, 4000)) < rng.beta(1.5, 0.5, 4000)).astype(int))
    pairs = [draw_runs(grades, 2, rng) for _ in range(10)]
    flips = [np.mean(one.sums != other.sums) for one, other in pairs]
    assert np.mean(flips) == pytest.approx(ew.measure(grades, "flip_rate"), abs=0.01)
    assert np.mean([x.sums.mean() for x, _ in pairs]) == pytest.approx(
        ew.measure(grades, "accuracy"), abs=0.01
    )


def test_a_gate_changes_its_decision_only_if_answers_change() -> None:
    rules = parse_requirements("accuracy >= 0.5")
    steady = repeated([[1] * 55 + [0] * 45] * 2)
    result = simulate_decisions(rules, steady, steady, level=0.95, seed=1)
    assert result.changes == 0
    assert result.outcomes["undecided"] == 1
    # All answers are coins, so the runs of a pair are independent.
    rng = np.random.default_rng(4)
    coins = repeated((rng.random((20, 200)) < 0.57).astype(int))
    chances = simulate_decisions(rules, coins, coins, level=0.95, seed=1)
    passed = chances.outcomes["pass"]
    assert chances.changes == pytest.approx(2 * passed * (1 - passed), abs=4 * chances.error)
    assert 0.2 < passed < 0.9


def test_points_have_a_deviation_and_no_flip_rate() -> None:
    rng = np.random.default_rng(5)
    runs = rng.normal(0, 1, 500) + rng.normal(0, 0.5, (3, 500))
    numbers = ew.noise(repeated(runs)).numbers
    assert numbers["flip_rate"] is None
    assert numbers["rerun_sd"] == pytest.approx(0.5, rel=0.06)
    assert numbers["share_from_reruns"] == pytest.approx(0.2, abs=0.05)


def test_what_is_no_rerun_is_refused(tmp_path: Path) -> None:
    one = str(write_log(tmp_path / "a.json", [1, 0, 1]))
    other = str(write_log(tmp_path / "b.json", [1, 0, 1], model="lab/large"))
    with pytest.raises(InputError, match="at least two runs"):
        ew.noise(one)
    with pytest.raises(OptionError, match="reruns of one system"):
        ew.noise([one, other])
    (tmp_path / "t.csv").write_text("a\n1\n0\n")
    with pytest.raises(OptionError, match="--id COLUMN"):
        ew.noise(str(tmp_path / "t.csv"), correct="a")


def rerun_table(rng: np.random.Generator, runs: int, cases: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Draw classes, and scores of several runs that differ by independent noise in each case."""
    truth = rng.integers(0, 2, cases)
    return truth, truth + rng.normal(0, 1, cases) + rng.normal(0, 0.4, (runs, cases))


def write_runs(path: Path, truth: np.ndarray, runs: np.ndarray, queries: int = 40) -> str:
    rows = zip(truth, np.arange(len(truth)) % queries, *runs, strict=True)
    names = ",".join(f"run{number}" for number in range(len(runs)))
    path.write_text(f"y,q,{names}\n" + "".join(",".join(map(repr, map(float, row))) + "\n" for row in rows))
    return str(path)


def pooled_deviation(values: np.ndarray) -> float:
    """Compute the standard deviation between runs of a unit, from one row per run."""
    return float(np.sqrt(values.var(axis=0, ddof=1).mean()))


def test_simulated_runs_are_repeated_by_their_seed() -> None:
    rng = np.random.default_rng(8)
    grades = repeated((rng.random((2, 200)) < rng.beta(4, 3, 200)).astype(int))
    drawn = ew.noise(grades, require="accuracy >= 0.5", rng=np.random.default_rng(5))
    seed = drawn.provenance["seed"]
    assert seed == np.random.default_rng(5).integers(0, 2**32)
    again = ew.noise(grades, require="accuracy >= 0.5", rng=seed)
    other = ew.noise(grades, require="accuracy >= 0.5", rng=None)
    assert again.numbers["gate"] == drawn.numbers["gate"]
    assert other.provenance["seed"] != seed


def test_queries_and_probabilities_have_values_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    truth, runs = rerun_table(rng, 3)
    path, names = write_runs(tmp_path / "t.csv", truth, runs), ["run0", "run1", "run2"]
    query = np.arange(400) % 40
    precision = np.array(
        [[average_precision_score(truth[query == q], run[query == q]) for q in range(40)] for run in runs]
    )
    numbers = ew.noise(path, truth="y", score=names, query="q").numbers
    assert (numbers["items"], numbers["measure"]) == (40, "average_precision")
    assert numbers["rerun_sd"] == pytest.approx(pooled_deviation(precision), rel=1e-9)
    share = 1 / (1 + np.exp(-2 * (runs - 0.5)))
    path = write_runs(tmp_path / "p.csv", truth, share)
    numbers = ew.noise(path, truth="y", probabilities=names).numbers
    losses = (share - truth) ** 2
    within = pooled_deviation(losses) ** 2
    assert numbers["rerun_sd"] ** 2 == pytest.approx(within, rel=1e-9)
    between = losses.mean(axis=0).var(ddof=1) - within / 3
    assert numbers["share_from_reruns"] == pytest.approx(within / (within + between), rel=1e-6)


@pytest.mark.parametrize(
    ("measure", "peer"), [("roc_auc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_scores_move_between_runs_as_simulated_ones_do(
    tmp_path: Path, measure: str, peer: Callable[[np.ndarray, np.ndarray], float]
) -> None:
    rng = np.random.default_rng(7)
    truth, runs = rerun_table(rng, 3)
    path = write_runs(tmp_path / "t.csv", truth, runs)
    report = ew.noise(path, truth="y", score=["run0", "run1", "run2"], measure=measure)
    values = [row[1] for row in report.sections[0].grids[0].rows]
    assert values == pytest.approx([peer(truth, run) for run in runs])
    again = runs.mean(axis=0) + rng.normal(0, 0.4, (600, 400))
    # 600 draws: the standard error of a standard deviation is 3%. Three runs know their own to 4%.
    assert report.numbers["score_sd"] == pytest.approx(np.std([peer(truth, run) for run in again]), rel=0.2)


def test_a_gate_on_scores_changes_as_often_as_with_new_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    truth, runs = rerun_table(rng, 8)
    share = 1 / (1 + np.exp(-2 * (runs - 0.5)))
    path = write_runs(tmp_path / "t.csv", truth, share)
    names = [f"run{number}" for number in range(8)]
    losses = (share - truth) ** 2
    bound = round(float(losses.mean() + 1.966 * losses[0].std(ddof=1) / 20), 4)
    report = ew.noise(path, truth="y", probabilities=names, require=f"brier <= {bound}")
    new = losses.mean(axis=0) + rng.normal(0, pooled_deviation(losses), (2000, 400))
    passed = (new.mean(axis=1) + 1.966 * new.std(axis=1, ddof=1) / 20 <= bound).mean()
    assert 0.1 < passed < 0.9
    # 200 simulated pairs have a standard error of 3.5 points.
    assert report.numbers["gate"]["changes"] == pytest.approx(2 * passed * (1 - passed), abs=0.12)
    with pytest.raises(OptionError, match="requirements on one measure, here brier"):
        ew.noise(path, truth="y", probabilities=names, require=["brier <= 0.2", "log <= 1"])


def test_runs_that_shift_all_cases_are_reported(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    truth, runs = rerun_table(rng, 3)
    for shift, is_warned in ((0.0, False), (1.5, True)):
        share = 1 / (1 + np.exp(-2 * (runs - 0.5 - shift * np.arange(3)[:, None])))
        path = write_runs(tmp_path / "t.csv", truth, share)
        report = ew.noise(path, truth="y", probabilities=["run0", "run1", "run2"])
        assert any("shift many items together" in warning for warning in report.warnings) == is_warned


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"score": ["run0", "run1"]}, "--truth COLUMN"),
        ({"truth": "y", "score": "run0"}, "--id COLUMN"),
        ({"truth": "y", "score": ["run0", "run1"], "measure": "ndcg"}, "average_precision and roc_auc"),
        ({"truth": "y", "probabilities": ["run0", "run1"], "measure": "accuracy"}, "needs a score"),
        ({"truth": "y", "prediction": ["run0", "run1"], "measure": "kappa"}, "--measure is for scores"),
    ],
)
def test_what_noise_of_scores_needs(tmp_path: Path, given: dict[str, object], words: str) -> None:
    truth, runs = rerun_table(np.random.default_rng(1), 2, 40)
    path = write_runs(tmp_path / "t.csv", truth, 1 / (1 + np.exp(-runs)))
    with pytest.raises(OptionError, match=words):
        ew.noise(path, **given)  # type: ignore[arg-type]  # wrong on purpose


def test_the_positive_class_of_text_labels_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    truth, runs = rerun_table(rng, 2)
    chances = 1 / (1 + np.exp(-(runs - 0.5)))
    rows = [
        f"{y},{'spam' if y else 'ham'},{a},{b},{i % 40}"
        for i, (y, a, b) in enumerate(zip(truth.tolist(), *chances.tolist(), strict=True))
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["number,label,a,b,topic", *rows]) + "\n")
    for columns in ({"score": ["a", "b"]}, {"probabilities": ["a", "b"]}):
        named = ew.noise(str(path), truth="label", positive="spam", **columns).numbers
        assert named["rerun_sd"] == ew.noise(str(path), truth="number", **columns).numbers["rerun_sd"]
        with pytest.raises(OptionError, match="--positive"):
            ew.noise(str(path), truth="label", **columns)
        with pytest.raises(OptionError, match="there is no class 'spa'"):
            ew.noise(str(path), truth="label", positive="spa", **columns)
    queries = {"score": ["a", "b"], "query": "topic"}
    named = ew.noise(str(path), truth="label", positive="spam", **queries).numbers
    assert named["rerun_sd"] == ew.noise(str(path), truth="number", **queries).numbers["rerun_sd"]


def test_a_gate_on_labels_that_noise_cannot_simulate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,a,b\n" + "1,1,0\n0,0,0\n" * 10)
    with pytest.raises(OptionError, match="write a requirement on accuracy"):
        ew.noise(str(tmp_path / "t.csv"), truth="y", prediction=["a", "b"], require="informedness >= 0.5")


@pytest.mark.parametrize(
    ("given", "require", "words"),
    [
        ({"grade": ["a", "b"]}, "accuracy >= 0.5", "one run with one answer per item has no accuracy"),
        ({"correct": ["c", "d"]}, "pass@2 >= 0.5", "at character 1: one run .* has no pass@2: no item has 2"),
    ],
)
def test_a_gate_on_a_measure_that_one_run_does_not_have_is_refused(
    given: dict[str, list[str]], require: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("a,b,c,d\n" + "3,2,1,0\n1,4,1,1\n" * 30)
    with pytest.raises(OptionError, match=words):
        ew.noise(str(tmp_path / "t.csv"), **given, require=require)


def test_a_file_of_requirements_is_the_gate(tmp_path: Path) -> None:
    runs = repeated((np.random.default_rng(2).random((3, 120)) < 0.75).astype(int))
    path = tmp_path / "gate.toml"
    path.write_text('require = "accuracy >= 0.74"\n')
    report, typed = ew.noise(runs, requirements=path), ew.noise(runs, require="accuracy >= 0.74")
    assert report.numbers["gate"] == typed.numbers["gate"]
    shares = report.numbers["gate"]["outcomes"]
    assert shares["undecided"] > 0.8
    assert f"and leaves {100 * shares['undecided']:.0f}% undecided." in str(report.verdict)
    assert not report.warnings
    path.write_text(path.read_text() + '[[gate]]\nrequire = "accuracy >= 0.6"\nby = "topic"\n')
    with_slices = ew.noise(runs, requirements=path)
    assert with_slices.numbers["gate"] == report.numbers["gate"]
    assert 'without its requirements for slices or tasks: "accuracy >= 0.6"' in with_slices.warnings[0]
    path.write_text('[[gate]]\nrequire = "accuracy >= 0.6"\nby = "topic"\n')
    with pytest.raises(OptionError, match="this one is for slices or tasks"):
        ew.noise(runs, requirements=path)


def test_a_folder_of_reruns_is_the_same_as_its_files(tmp_path: Path) -> None:
    """Elsewhere the newest log of a system and task replaces the older ones."""
    rng = np.random.default_rng(6)
    files = [str(write_log(tmp_path / f"run{run}.json", rng.integers(0, 2, 80).tolist())) for run in range(3)]
    by_folder, by_file = ew.noise(tmp_path), ew.noise(files)
    assert str(by_folder.verdict) == str(by_file.verdict)
    assert ew.noise([str(tmp_path)]).numbers == by_folder.numbers


def test_points_keep_two_significant_digits() -> None:
    """36 of 100 answers differ, so the mean difference has a standard deviation of √0.36/10."""
    answers = pd.DataFrame({"one": [1] * 18 + [0] * 18 + [1] * 64, "two": [0] * 18 + [1] * 82})
    assert "typically differs by 6.0 points" in ew.noise(answers, correct=["one", "two"]).verdict


def write_rerun(folder: Path, task: str, run: int, items: int, date: str = "2026-01-02") -> Path:
    """Write a run of lm-evaluation-harness whose answers vary from run to run."""
    rng = np.random.default_rng([run, items])
    chosen = [[float(x) for x in rng.normal(0, 1, 4)] for _ in range(items)]
    return write_lm_eval(folder, task, [lm_eval_choice(n, x, n % 4) for n, x in enumerate(chosen)], date)


def name_model(folder: Path, model: str = "lab/small") -> None:
    (folder / "results_2026-01-02.json").write_text(json.dumps({"model_name": model}))


def test_runs_of_several_tasks_are_grouped_by_folder_by_date_or_by_order(tmp_path: Path) -> None:
    for run in range(3):
        for number, (task, items) in enumerate({"quiz": 40, "maths": 60}.items()):
            write_rerun(tmp_path / "folders" / f"run{run}", task, run, items)
            write_rerun(tmp_path / "dates", task, run, items, f"2026-01-0{run + 1}")
            write_rerun(tmp_path / "order", task, run, items, f"2026-01-{number}{run + 1}")
    for folder in [*(tmp_path / "folders").iterdir(), tmp_path / "dates", tmp_path / "order"]:
        name_model(folder)
    folders, dates, order = (ew.noise(tmp_path / name) for name in ("folders", "dates", "order"))
    assert folders.numbers == dates.numbers == order.numbers
    assert folders.numbers["items"] == 100
    names = [[row[0] for row in report.sections[0].grids[0].rows] for report in (folders, dates, order)]
    assert names[0] == [f"lab/small (run{run})" for run in range(3)]
    assert names[1] == [f"lab/small (2026-01-0{run}T10-00-00)" for run in (1, 2, 3)]
    assert names[2] == [f"lab/small (run {run})" for run in (1, 2, 3)]
    alone = ew.noise([str(path) for path in (tmp_path / "dates").glob("samples_quiz*")]).numbers
    quiz = folders.numbers["tasks"]["quiz"]
    assert quiz["items"] == 40
    for key in ("flip_rate", "kappa", "share_from_reruns", "rerun_sd", "score_sd", "detectable"):
        assert quiz[key] == alone[key]
    by_task = next(section for section in folders.sections if section.title == "By task")
    assert "40" in str(by_task.grids[0])
    # Verdicts of several tasks have the same explanation everywhere.
    assert by_task.text[0] in str(ew.evaluate(tmp_path / "dates"))


def test_the_table_of_tasks_has_points_as_the_verdict_has(tmp_path: Path) -> None:
    for run in range(2):
        for task in ("quiz", "maths"):
            write_rerun(tmp_path / f"run{run}", task, run, 40)
    report = ew.noise(tmp_path)
    assert "points" in str(report.verdict)
    [grid] = next(section for section in report.sections if section.title == "By task").grids
    names = [column.name for column in grid.columns]
    assert names[-2:] == ["score differs by (points)", "hidden below (points)"]
    for row in grid.rows:
        numbers, (moved, least) = report.numbers["tasks"][str(row[0])], row[-2:]
        assert moved == pytest.approx(100 * math.sqrt(2) * numbers["score_sd"], rel=1e-12)
        assert least == pytest.approx(100 * numbers["detectable"], rel=1e-12)
    # Points of a task are no shares.
    for run in range(2):
        for task in ("quiz", "maths"):
            lines = [lm_eval_choice(n, [0.0, -1.0], 0, acc=(n * (run + 2)) % 7 / 7) for n in range(40)]
            write_lm_eval(tmp_path / "graded" / f"run{run}", task, lines)
    [grid] = next(x for x in ew.noise(tmp_path / "graded").sections if x.title == "By task").grids
    assert [column.name for column in grid.columns][-2:] == ["score differs by", "hidden below"]


def test_a_task_that_a_run_lacks_is_left_out_of_the_noise_and_named(tmp_path: Path) -> None:
    for run in range(3):
        write_rerun(tmp_path / f"run{run}", "quiz", run, 40)
        if run < 2:
            write_rerun(tmp_path / f"run{run}", "maths", run, 60)
        name_model(tmp_path / f"run{run}")
    report = ew.noise(tmp_path)
    assert report.numbers["items"] == 40
    assert "Task maths left out: lab/small (run2) did not run it." in report.warnings


def test_folders_that_name_no_model_count_as_runs_of_one_system(tmp_path: Path) -> None:
    for run in range(2):
        write_rerun(tmp_path / f"run{run}", "quiz", run, 40)
    report = ew.noise(tmp_path)
    assert report.warnings[0] == "The logs name no system, so run0, run1 count as runs of one system."
    name_model(tmp_path / "run0")
    with pytest.raises(OptionError, match="reruns of one system, but the logs hold lab/small, run1"):
        ew.noise(tmp_path)


def test_runs_and_tables_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in range(2):
        write_rerun(tmp_path / f"run{run}", "quiz", run, 40)
        (tmp_path / f"{run}.csv").write_text("q,right\n" + "".join(f"{n},{n % 2 ^ run}\n" for n in range(9)))
    out = call(tmp_path, capsys, "noise", "first=run0", "second=run1").stdout
    assert re.search(r"\nfirst .*\nsecond ", out)
    columns = ("--id", "q", "--correct", "right")
    out = call(tmp_path, capsys, "noise", "one=0.csv", "two=1.csv", *columns).stdout
    assert re.search(r"\none .*\ntwo ", out)


def test_one_log_per_task_is_no_rerun(tmp_path: Path) -> None:
    for task in ("quiz", "maths"):
        write_rerun(tmp_path, task, 1, 40)
    with pytest.raises(InputError, match=r"every task has one log: .*samples_maths\S* has maths"):
        ew.noise(tmp_path)


def test_a_damaged_log_is_left_out_of_the_noise_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(7)
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        for run in range(2):
            write_log(tmp_path / name / f"run{run}.json", rng.integers(0, 2, 80).tolist())
    whole, named = ew.noise(tmp_path / "x"), {name: tmp_path / name for name in ("x", "y")}
    assert not any("left out" in warning for warning in [*whole.warnings, *ew.noise(named).warnings])
    (tmp_path / "x" / "z.eval").write_bytes(b"damaged")
    for report in (ew.noise(tmp_path / "x"), ew.noise([tmp_path / "x"]), ew.noise(named)):
        [warning] = [x for x in report.warnings if "left out" in x]
        assert re.fullmatch(r"A log is left out: \S*z\.eval cannot be read.*\.", warning)
        assert report.numbers["repeats"] == 2
    assert ew.noise(tmp_path / "x").numbers == whole.numbers
    assert "z.eval cannot be read" in call(tmp_path, capsys, "noise", "x").stdout
    with pytest.raises(InputError, match=r"z\.eval"):
        ew.noise([tmp_path / "y", tmp_path / "x" / "z.eval"])
    (tmp_path / "x" / "run1.json").unlink()
    with pytest.raises(InputError, match=r"at least two runs.*left out: \S*z\.eval cannot be read"):
        ew.noise(tmp_path / "x")


def test_items_with_hashes_are_shown_by_their_numbers(tmp_path: Path) -> None:
    paths = [str(write_rerun(tmp_path / f"run{run}", "quiz", run, 12)) for run in range(2)]
    rows = ew.noise(paths).sections[-1].grids[0].rows
    assert {str(row[0]) for row in rows} <= set(map(str, range(12)))


def test_a_gate_on_several_tasks_is_simulated_on_all_together_with_a_warning(tmp_path: Path) -> None:
    for run in range(2):
        for task in ("quiz", "maths"):
            write_rerun(tmp_path / f"run{run}", task, run, 40)
        name_model(tmp_path / f"run{run}")
    report = ew.noise(tmp_path, require="accuracy >= 0.1")
    assert "edgeworth check decides in each task" in report.warnings[0]
    one = ew.noise([str(path) for path in tmp_path.rglob("samples_quiz*")], require="accuracy >= 0.1")
    assert not one.warnings


def test_the_sentence_on_the_difference_of_two_runs_has_its_number_in_the_json() -> None:
    rng = np.random.default_rng(3)
    report = ew.noise(repeated(rng.random((2, 100)) < 0.6))
    [claim] = [claim for claim in report.to_dict()["claims"] if claim["about"] == "rerun noise"]
    deviations = claim["numbers"]
    points = float(re.search(r"differs by ([0-9.]+) points", claim["text"])[1])
    assert float(f"{100 * deviations['difference_deviation']:.2g}") == points
    assert deviations["difference_deviation"] == pytest.approx(2**0.5 * deviations["deviation"])
    # The standard deviation of the difference of two runs, of which each flip adds 1/n².
    flips = report.numbers["flip_rate"]["value"]
    assert deviations["difference_deviation"] == pytest.approx((flips / 100) ** 0.5)


def test_changed_items_are_sorted_and_the_list_says_that_it_is_cut() -> None:
    first = np.ones(30)
    second = np.r_[np.zeros(11), np.ones(19)]
    ids = [f"q{number}" for number in (*range(12, 1, -1), *range(20, 39))]
    whole = ew.Grades.from_grades([*first, *second], ids=[*ids, *ids])
    table = next(x for x in ew.noise(whole).sections if x.title == "What changes most")
    assert table.text == ("11 of 30 items did not get the same grade in every run; the first 10 are listed.",)
    assert [row[0] for row in table.grids[0].rows] == [f"q{number}" for number in range(2, 12)]
    whole = ew.Grades.from_grades([*first, *first[:20], *second[:10]], ids=[*ids, *ids])
    table = next(x for x in ew.noise(whole).sections if x.title == "What changes most")
    assert table.text == ("10 of 30 items did not get the same grade in every run.",)
