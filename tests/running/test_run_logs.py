"""From run logs to a verdict: names, joins, tasks, scorers, answers of multiple choice."""

from __future__ import annotations

import json
import math
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from command_line import call, flat, refused
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.runs.reading import read_runs
from run_logs import (
    inspect_log,
    inspect_sample,
    lm_eval_choice,
    promptfoo_results,
    promptfoo_row,
    write_eval,
    write_lm_eval,
)

LETTERS = "ABCD"


def write_quiz(
    path: Path, model: str, rate: float, *, task: str = "quiz", items: int = 30, **more: Any
) -> Path:
    """Write an Inspect log of made-up answers: two epochs, three questions a passage."""
    rng, gold = random.Random(f"{model}{task}"), random.Random(task)
    targets = [gold.choice(LETTERS) for _ in range(items)]
    samples = []
    for epoch in (1, 2):
        for number, target in enumerate(targets):
            answer = target if rng.random() < rate else rng.choice(LETTERS)
            known = {"target": target, "choices": list(LETTERS), "metadata": {"passage": f"p{number // 3}"}}
            value = "C" if answer == target else "I"
            samples.append(inspect_sample(number, value, epoch=epoch, answer=answer, **known))
    return write_eval(path, inspect_log(samples, model=model, task=task, **more))


def write_choices(folder: Path, task: str, skill: float, items: int = 40) -> Path:
    rng, gold = random.Random(f"{folder.name}{task}"), random.Random(task)
    lines = []
    for number in range(items):
        truth = gold.randrange(4)
        lines.append(
            lm_eval_choice(number, [rng.gauss(skill * (k == truth), 1) - 9 for k in range(4)], truth)
        )
    return write_lm_eval(folder, task, lines)


def section(report: Any, title: str) -> Any:
    return next(item for item in report.sections if item.title == title)


def test_means_and_the_clustered_standard_error_are_those_of_the_header(tmp_path: Path) -> None:
    """Inspect's formulas in fractions: means of items over epochs, squares of the clusters' sums."""
    header = {"scores": [{"metrics": {"stderr": {"params": {"cluster": "passage"}}}}]}
    path = write_quiz(tmp_path / "a.eval", "lab/small", 0.5, results=header)
    [[run]] = read_runs(path)
    means: dict[str, Fraction] = {}
    group = dict(zip(run.ids, run.clusters or (), strict=True))
    for name, grade in zip(run.ids, run.grades["choice"], strict=True):
        means[name] = means.get(name, Fraction(0)) + Fraction(grade) / 2
    mean = sum(means.values()) / len(means)
    sums: dict[str, Fraction] = {}
    for name, value in means.items():
        sums[group[name]] = sums.get(group[name], Fraction(0)) + value - mean
    square = sum(x * x for x in sums.values()) * len(sums) / (len(sums) - 1) / len(means) ** 2
    tally = ew.Grades.from_grades(run.grades["choice"], ids=run.ids, clusters=run.clusters)
    assert tally.clusters is not None
    rests = np.bincount(
        np.unique(tally.clusters, return_inverse=True)[1], weights=tally.means - tally.means.mean()
    )
    error = math.sqrt((rests**2).sum() * len(rests) / (len(rests) - 1)) / len(tally.means)
    assert error == pytest.approx(math.sqrt(square), abs=1e-9)
    report = ew.evaluate(path)
    assert report.numbers["estimates"]["accuracy"]["value"] == pytest.approx(float(mean), abs=1e-9)
    assert report.numbers["clusters"] == 10


def test_a_log_is_judged_as_its_columns_are(tmp_path: Path) -> None:
    path = write_choices(tmp_path / "lab__small", "quiz", 1.0)
    report = ew.evaluate(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    direct = ew.evaluate(ew.Grades.from_grades([line["acc"] for line in lines]), guess_rate=0.25)
    assert report.numbers["estimates"]["accuracy"] == direct.numbers["estimates"]["accuracy"]
    truth = [LETTERS[int(line["target"])] for line in lines]
    scores = np.array([[float(x) for x, _ in line["filtered_resps"]] for line in lines])
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    labels = ew.evaluate(truth=truth, prediction=[LETTERS[k] for k in scores.argmax(axis=1)], labels=LETTERS)
    parts = report.numbers["reports"]
    answers = parts["Multiple-choice answers"]["estimates"]
    assert answers["informedness"] == labels.numbers["estimates"]["informedness"]
    brier = ew.measure(ew.ForecastScores.from_probabilities(truth, shares, labels=list(LETTERS)), "brier")
    assert parts["Choice probabilities"]["means"]["model"]["brier"] == pytest.approx(brier)
    edges = section(report, "Multiple-choice answers: Class by class").grids[0]
    assert [row[0] for row in edges.rows] == list(LETTERS)
    assert any("calibration" in note for section in report.sections for note in section.text)
    assert section(report, "What was read").grids[0].rows == (("lab__small", "quiz", "acc", 40, 40, 0, 0),)
    assert "<html" in report.to_html()


def test_two_logs_are_compared_item_by_item(tmp_path: Path) -> None:
    paths = [write_quiz(tmp_path / f"{m}.eval", f"lab/{m}", r) for m, r in (("small", 0.4), ("large", 0.9))]
    comparison = ew.compare(paths)
    runs = {run.system: run for [run] in read_runs(paths)}
    tallies = {n: ew.Grades.from_grades(x.grades["choice"], ids=x.ids) for n, x in runs.items()}
    direct = ew.compare(tallies)["lab/large", "lab/small"]["accuracy"]
    accuracy = comparison["lab/large", "lab/small"]["accuracy"]
    assert (accuracy.difference, accuracy.p_value()) == (direct.difference, direct.p_value())
    rate = 1 / next(iter(runs.values())).items[0].options
    for value in comparison.findings.chance.values():
        assert value.chance == pytest.approx(rate)
    answers = comparison.report.numbers["reports"]["Multiple-choice answers"]["comparison"]
    assert answers["headline"] == "informedness"
    assert [claim["about"] for claim in comparison.report.to_dict()["claims"]] == ["accuracy"]
    [first, *_] = [x for x in comparison.report.sections if x.title.startswith("Multiple-choice answers: ")]
    assert first.text[0].startswith("lab/large beats lab/small: informedness ")


def test_tasks_are_told_apart_and_put_together(tmp_path: Path) -> None:
    for model, skill in (("small", 0.5), ("large", 2.0)):
        write_choices(tmp_path / model, "easy", skill, 30)
        write_choices(tmp_path / model, "hard", skill / 2, 20)
    write_choices(tmp_path / "large", "alone", 1.0)
    comparison = ew.compare([tmp_path / "small", tmp_path / "large"])
    rows = {row["slice"]: row for row in comparison.report.numbers["slices"]["slices"]}
    assert {(row["first"], row["second"]) for row in rows.values()} == {("small", "large")}
    assert comparison.findings.ranked == ("large", "small")
    alone = ew.compare(
        [tmp_path / m / "samples_easy_2026-01-02T10-00-00.000000.jsonl" for m in ("small", "large")]
    )
    assert rows["easy"]["value"] == alone["small", "large"]["accuracy"].difference
    both = (30 * rows["easy"]["value"] + 20 * rows["hard"]["value"]) / 50
    assert comparison["small", "large"]["accuracy"].difference == pytest.approx(both)
    assert any("Task alone left out" in warning for warning in comparison.report.warnings)
    report = ew.evaluate(tmp_path / "small")
    assert {row["slice"]: row["cases"] for row in report.numbers["slices"]["slices"]} == {
        "easy": 30,
        "hard": 20,
    }
    assert report.numbers["items"] == 50


def test_items_are_cut_by_what_the_log_says_of_them(tmp_path: Path) -> None:
    paths = [write_quiz(tmp_path / f"{m}.eval", f"lab/{m}", r) for m, r in (("small", 0.4), ("large", 0.9))]
    [[small], [large]] = read_runs(paths)
    for name in ("passage", "metadata.passage"):
        report = ew.compare(paths, by=name).report
        rows = {row["slice"]: row for row in report.numbers["slices"]["slices"]}
        assert (len(rows), rows["p3"]["cases"], rows["p3"]["first"]) == (10, 3, "lab/small")
        parts = [
            np.mean(
                [
                    grade
                    for x, grade in zip(run.items, run.grades["choice"], strict=True)
                    if x.about["passage"] == "p3"
                ]
            )
            for run in (small, large)
        ]
        assert rows["p3"]["value"] == pytest.approx(parts[0] - parts[1])
        assert "accuracy, lab/large − lab/small" in [
            x.name for x in section(report, f"By {name}").grids[0].columns
        ]
    [row] = ew.evaluate(paths[0], by="task").numbers["slices"]["slices"]
    assert (row["slice"], row["value"]) == ("quiz", pytest.approx(small.grades["choice"].mean()))
    with pytest.raises(OptionError, match=r"'topic'.*passage, task"):
        ew.compare(paths, by="topic")


def test_slices_by_a_field_of_items_or_by_two_that_are_crossed(tmp_path: Path) -> None:
    lines = [
        lm_eval_choice(n, [0, -9], int(n % 4 == 3), doc={"half": n < 8, "odd": n % 2}) for n in range(16)
    ]
    path = write_lm_eval(tmp_path / "m", "quiz", lines)
    rows = {row["slice"]: row for row in ew.evaluate(path, by="doc.half").numbers["slices"]["slices"]}
    assert {name: row["value"] for name, row in rows.items()} == {"True": 0.75, "False": 0.75}
    assert rows["True"]["gap"] == 0
    crossed = ew.evaluate(path, by="doc.half:doc.odd").numbers["slices"]["slices"]
    assert {row["slice"]: row["value"] for row in crossed} == {
        f"{half}, {odd}": 1 - odd / 2 for half in (True, False) for odd in (0, 1)
    }


@pytest.mark.parametrize("option", ["by", "cluster"])
def test_a_field_that_differs_between_logs_or_repeats_is_refused(tmp_path: Path, option: str) -> None:
    """The values of the first log would silently stand for both."""

    def write(model: str, topics: str, epochs: int = 1) -> Path:
        samples = [
            inspect_sample(n, "CI"[n % 3 == 0], epoch=epoch, metadata={"topic": topics[(n + epoch) % 2]})
            for n in range(40)
            for epoch in range(epochs)
        ]
        return write_eval(tmp_path / f"{model}.eval", inspect_log(samples, model=f"lab/{model}"))

    first, same, turned = write("first", "xy"), write("same", "xy"), write("turned", "yx")
    assert ew.compare([first, same], **{option: "topic"}).report.numbers
    with pytest.raises(
        InputError, match=r"turned.eval, item 'q0': the field 'topic' .* 'y', but elsewhere 'x'"
    ):
        ew.compare([first, turned], **{option: "topic"})
    with pytest.raises(InputError, match="one value in all logs and repeats"):
        ew.evaluate(write("repeats", "xy", epochs=2), **{option: "topic"})


def test_scorers_by_name(tmp_path: Path) -> None:
    lines = [lm_eval_choice(n, [-1, -2], n % 2, metrics=["acc", "acc_norm"], acc_norm=1.0) for n in range(10)]
    write_lm_eval(tmp_path / "m", "quiz", lines)
    assert ew.evaluate(tmp_path / "m").numbers["estimates"]["accuracy"]["value"] == 0.5
    assert ew.evaluate(tmp_path / "m", scorer="acc_norm").numbers["estimates"]["accuracy"]["value"] == 1
    with pytest.raises(OptionError, match=r"no scorer f1.*acc, acc_norm"):
        ew.evaluate(tmp_path / "m", scorer="f1")
    with pytest.raises(OptionError, match="scorer"):
        ew.evaluate(truth=[1, 0], prediction=[1, 0], scorer="acc")


def test_systems_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    paths = [write_quiz(tmp_path / f"{day}.eval", "lab/m", 0.5) for day in ("monday", "tuesday")]
    assert ew.compare(paths).names == ("lab/m (monday.eval)", "lab/m (tuesday.eval)")


def test_errors_and_unscored_answers_are_counted_apart(tmp_path: Path) -> None:
    samples = [inspect_sample(n, "C" if n % 2 else "I") for n in range(10)]
    samples += [inspect_sample(10, math.nan), inspect_sample(11, "C", error="timed out")]
    report = ew.evaluate(write_eval(tmp_path / "a.eval", inspect_log(samples)))
    assert report.numbers["estimates"]["accuracy"]["value"] == 0.5
    assert section(report, "What was read").grids[0].rows[0][-2:] == (1, 1)
    assert report.warnings[:2] == (
        "1 of 12 answers errored and is excluded. To count it as wrong, use --errors wrong.",
        "1 of 12 answers has no grade and is excluded.",
    )


def test_promptfoo_holds_its_systems_in_one_file(tmp_path: Path) -> None:
    rng = random.Random(3)
    rows = [
        promptfoo_row(3 * test + repeat, system, rng.random() < rate, vars={"q": str(test)})
        for test in range(12)
        for repeat in range(3)
        for system, rate in (("small", 0.3), ("large", 0.9))
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(promptfoo_results(rows)))
    comparison = ew.compare(path)
    assert set(comparison.names) == {"small", "large"}
    assert comparison.findings.cases == 12
    assert list(ew.evaluate(path).numbers["reports"]) == ["small", "large"]


# -- bad input -------------------------------------------------------------------------------------------


def test_two_tasks_have_nothing_in_common(tmp_path: Path) -> None:
    paths = [write_quiz(tmp_path / f"{t}.eval", f"lab/{t}", 0.5, task=t) for t in ("quiz", "sums")]
    with pytest.raises(InputError, match=r"quiz\.eval has quiz.*sums\.eval has sums"):
        ew.compare(paths)


def test_right_answers_that_differ_are_named(tmp_path: Path) -> None:
    for model, truth in (("small", 0), ("large", 1)):
        write_lm_eval(tmp_path / model, "quiz", [lm_eval_choice(n, [-1, -2], truth) for n in range(4)])
    with pytest.raises(InputError, match=r"small.*large.*item '.*target"):
        ew.compare([tmp_path / "small", tmp_path / "large"])


def test_one_log_has_one_system_and_one_file_is_not_two(tmp_path: Path) -> None:
    path = write_quiz(tmp_path / "a.eval", "lab/small", 0.5)
    with pytest.raises(OptionError, match="'lab/small'"):
        ew.compare(path)
    with pytest.raises(InputError, match=r"a\.eval is named twice"):
        ew.compare([path, path])
    (tmp_path / "t.csv").write_text("y,p\n1,0\n")
    with pytest.raises(OptionError, match=r"name what to compare .* --grade, at least twice$"):
        ew.compare(tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"nope\.eval does not exist"):
        ew.compare([path, tmp_path / "nope.eval"])


def test_what_cannot_be_read_is_told_before_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,y,p\n1,1,0\n")
    (tmp_path / "empty").mkdir()
    for data, text in (
        (["nope.eval", "other.eval"], r"nope\.eval does not exist"),
        ("empty", "empty is a folder without data"),
        (["t.csv", "empty"], "empty is a folder without data"),
    ):
        paths = [tmp_path / name for name in ([data] if isinstance(data, str) else data)]
        with pytest.raises(InputError, match=text):
            ew.compare(paths if len(paths) > 1 else paths[0])
    with pytest.raises(OptionError, match=r"name what to compare .* --grade$"):
        ew.compare([tmp_path / "t.csv"] * 2, join="id")


# -- the command -----------------------------------------------------------------------------------------


Capture = pytest.CaptureFixture[str]


def test_commands(tmp_path: Path, capsys: Capture) -> None:
    for model, skill in (("small", 0.5), ("large", 2.5)):
        write_choices(tmp_path / model, "quiz", skill)
    assert "large beats small: " in flat(call(tmp_path, capsys, "compare", "small", "large").stdout)
    assert "Task" not in call(tmp_path, capsys, "evaluate", "small", "--scorer", "acc").stdout
    shown = call(tmp_path, capsys, "preview", "small", "large").stdout
    assert "edgeworth compare small large\n" in shown
    assert "lm-evaluation-harness" in shown


NEXT = "\n"
SHARES = "".join(f"{number % 2},0.{number},0.{number + 1}{NEXT}" for number in range(1, 9))
EVENTS = """{"spec": {"run": 1, "of": []}}
{"type": "sampling", "data": {"prompt": [{"role": "user"}], "sampled": ["A"]}}
{"type": "match", "data": {"correct": true, "expected": "A", "picked": "A"}}
{"type": "sampling", "data": {"prompt": [{"role": "user"}], "sampled": ["B"]}}
{"type": "match", "data": {"correct": false, "expected": "B", "picked": "A"}}
{"type": "match", "data": {"correct": false, "expected": "A", "picked": "B"}}
"""


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        (
            "t.csv",
            "gold,old,new\na,a,b\nb,b,a\n",
            "compare t.csv --truth gold --prediction old --prediction new",
        ),
        ("t.csv", "x,y\n1.5,2.5\n3.5,4.5\n", "evaluate t.csv --truth COLUMN --prediction COLUMN"),
        ("q.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n", "trec q.tsv RUN"),
        ("r.json", '{"q": {"d": 0.5}}', "trec QRELS r.json"),
        (
            "l.json",
            '{"y": "a", "z": "b"}\n{"y": "b", "z": "a"}\n',
            "evaluate l.json --truth y --prediction z",
        ),
        ("t.csv", "correct,other,topic\n1,0,a\n0,1,b\n", "evaluate t.csv --correct correct"),
        ("t.csv", "correct,other,topic\n1,0,a\n0,1,b\n", "compare t.csv --correct correct --correct other"),
        (
            "t.csv",
            f"label,lr,xgb\n{SHARES}",
            "compare t.csv --truth label --probability lr --probability xgb",
        ),
        (
            "t.csv",
            f"rel,lr,score,query\n{SHARES.replace(NEXT, ',q' + NEXT)}",
            "evaluate t.csv --truth rel --query query --score score",
        ),
        (
            "t.csv",
            "FTR,BH,BD,BA\nH,1.5,3,4\nD,2,2,2\nA,5,6,7\n",
            "evaluate t.csv --truth FTR --odds BH,BD,BA",
        ),
        (
            "t.csv",
            "who,p_cat,p_dog\ncat,.5,.5\ndog,.2,.8\n",
            "evaluate t.csv --truth who --probabilities p_cat,p_dog",
        ),
        ("e.jsonl", EVENTS, "evaluate e.jsonl --correct data.correct --missing drop"),
        ("e.jsonl", EVENTS, "evaluate e.jsonl --truth data.expected --prediction data.picked --missing drop"),
        ("d.jsonl", '{"m": [{"ok": true}]}\n{"m": [{"ok": false}]}\n', "evaluate d.jsonl --correct m.0.ok"),
    ],
)
def test_preview(tmp_path: Path, capsys: Capture, name: str, content: str, command: str) -> None:
    (tmp_path / name).write_text(content)
    assert f"  edgeworth {command}\n" in call(tmp_path, capsys, "preview", name).stdout


def made_up(*heads: str, rows: int = 40) -> str:
    """A table whose columns are made by what their names begin with."""
    rng = np.random.default_rng(3)
    sick = rng.random(rows) < 0.5
    noisy = np.clip(0.25 + 0.5 * sick + rng.normal(0, 0.1, rows), 0.01, 0.99).round(3)
    kinds: dict[str, Any] = {
        "diagnosis": np.where(sick, "malignant", "benign"),
        "label": sick.astype(int),
        "success": sick,
        "p": noisy,
        "p_benign": (1 - noisy).round(3),
        "logit": (8 * noisy - 4).round(3),
        "latency": rng.random(rows).round(3),
    }
    columns = (kinds.get(head, kinds.get(head.partition("_")[0])) for head in heads)
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return "\n".join([",".join(heads), *(",".join(map(str, line)) for line in lines), ""])


@pytest.mark.parametrize(
    ("heads", "asked"),
    [
        (("diagnosis", "p_malignant"), ["evaluate --probability p_malignant --positive malignant"]),
        (("diagnosis", "p_benign"), ["evaluate --probability p_benign --positive benign"]),
        (("diagnosis", "p_malignant", "p_benign"), ["evaluate --probabilities p_benign,p_malignant"]),
        (("label", "latency"), []),
        (("label", "latency_s", "p"), ["evaluate --probability p"]),
        (("label", "logit"), ["evaluate --score logit"]),
        (
            ("label", "logit_a", "logit_b"),
            ["evaluate --score logit_a", "compare --score logit_a --score logit_b"],
        ),
        (("diagnosis", "logit"), ["evaluate --score logit --positive CLASS"]),
        (("success", "success_metrics.0.success"), ["evaluate --correct success"]),
    ],
    ids=str,
)
def test_what_preview_suggests_runs(
    tmp_path: Path, capsys: Capture, heads: tuple[str, ...], asked: list[str]
) -> None:
    (tmp_path / "t.csv").write_text(made_up(*heads))
    shown = call(tmp_path, capsys, "preview", "t.csv").stdout.partition("Commands to try:\n")[2]
    results = [line.split()[1:] for line in shown.splitlines()]
    given = ["t.csv", *(["--truth", heads[0]] if heads[0] != "success" else [])]
    plain = [[",".join(sorted(x.split(","))) for x in words if x not in given] for words in results]
    assert [" ".join(words) for words in plain if "COLUMN" not in words] == asked
    for words in results:
        if not {"COLUMN", "CLASS"} & {*words}:
            done = call(tmp_path, capsys, *words, "--json", "-")
            assert done.returncode == 0, done.stderr


def test_preview_takes_no_group_for_the_truth(tmp_path: Path, capsys: Capture) -> None:
    """A column of two groups comes before the outcome, and could be the truth by its values."""
    lines = [f"{('a', 'b')[row % 2]},{('no', 'yes')[row % 3 == 0]},0.{10 + row % 60}" for row in range(90)]
    (tmp_path / "risk.csv").write_text("\n".join(["segment,churned,risk", *lines, ""]))
    shown = call(tmp_path, capsys, "preview", "risk.csv").stdout
    assert "evaluate risk.csv --truth churned --probability risk\n" in shown
    lines = [
        f"{('a', 'b')[row % 2]},{('no', 'yes')[row % 3 == 0]},{('no', 'yes')[row % 5 > 1]}"
        for row in range(90)
    ]
    (tmp_path / "label.csv").write_text("\n".join(["segment,churned,model", *lines, ""]))
    shown = call(tmp_path, capsys, "preview", "label.csv").stdout
    assert "evaluate label.csv --truth churned --prediction model\n" in shown


def test_questions_with_unlike_numbers_of_options_are_pointed_out(tmp_path: Path) -> None:
    def report(*sizes: int) -> Any:
        samples = [
            inspect_sample(number, "C", answer="A", choices=list(LETTERS[:size]))
            for number, size in enumerate(sizes)
        ]
        return ew.evaluate(write_eval(tmp_path / f"{len(set(sizes))}.eval", inspect_log(samples)))

    alike, unlike = report(*[4] * 12), report(*[4, 2] * 6)
    assert alike.numbers["guessing"]["rate"] == 0.25
    assert unlike.numbers["guessing"]["rate"] == pytest.approx(0.375)
    assert len(unlike.warnings) == len(alike.warnings) + 1


# -- topics that not every log has -----------------------------------------------------------------------


def write_topics(path: Path, model: str, topics: str, errors: str = "", skipped: str = "") -> Path:
    """Write an Inspect log with one question per topic letter; some topics fail, some are not in the log."""
    samples = []
    for number, topic in enumerate(topics):
        right = "C" if (number * len(model)) % 3 else "I"
        failed = {"error": "timed out"} if topic in errors else {}
        if topic not in skipped:
            samples.append(inspect_sample(number, right, metadata={"topic": topic}, **failed))
    path.write_text(json.dumps(inspect_log(samples, model=model)))
    return path


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("change", [{"errors": "z"}, {"skipped": "z"}], ids=str)
def test_a_topic_that_one_log_lacks_or_failed_in_is_left_out(
    tmp_path: Path, which: int, change: dict[str, str]
) -> None:
    names = ("a", "bb")
    paths = [
        write_topics(tmp_path / f"{name}.json", name, "xyz" * 6, **(change if index == which else {}))
        for index, name in enumerate(names)
    ]
    rows = ew.compare(paths, by="topic").report.numbers["slices"]["slices"]
    assert {row["slice"]: row["cases"] for row in rows} == {"x": 6, "y": 6}
    alone = [write_topics(tmp_path / f"{name}-alone.json", name, "xyz" * 6, skipped="z") for name in names]
    assert rows == ew.compare(alone, by="topic").report.numbers["slices"]["slices"]


def test_a_topic_with_errors_alone_is_no_slice(tmp_path: Path) -> None:
    path = write_topics(tmp_path / "a.json", "a", "xyz" * 6, errors="z")
    rows = ew.evaluate(path, by="topic").numbers["slices"]["slices"]
    assert {row["slice"]: row["cases"] for row in rows} == {"x": 6, "y": 6}
    write_topics(tmp_path / "b.json", "bb", "xyz" * 6, errors="xyz")
    with pytest.raises(InputError, match=r"b\.json.*no item of task 'quiz' has a score"):
        ew.compare([path, tmp_path / "b.json"], by="topic")


def test_the_chosen_options_of_many_systems_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgeworth.pipeline.run_logs.MAX_SYSTEMS_COMPARED_BY_CHOICE", 2)
    rng = np.random.default_rng(3)
    paths = {}
    for name in ("a", "b", "c"):
        rows = [lm_eval_choice(number, rng.normal(size=4).tolist(), number % 4) for number in range(40)]
        paths[name] = write_lm_eval(tmp_path / name, "task", rows)
    titles = {section.title for section in ew.compare(paths).report.sections}
    assert not any(title.startswith("Multiple-choice") for title in titles)
    pair = {name: paths[name] for name in ("a", "b")}
    titles = {section.title for section in ew.compare(pair).report.sections}
    assert any(title.startswith("Multiple-choice") for title in titles)


def rename_samples(folder: Path, name: str, skill: float, *, first: int = 0) -> str:
    """Write samples whose file name holds no task."""
    rng, gold = random.Random(name), random.Random("gold")
    lines = []
    for number in range(first, first + 40):
        truth = gold.randrange(4)
        lines.append(lm_eval_choice(number, [rng.gauss(skill * (k == truth), 1) for k in range(4)], truth))
    return str(write_lm_eval(folder, "quiz", lines).rename(folder / name))


def test_files_of_the_same_documents_are_one_task_whatever_their_names(tmp_path: Path) -> None:
    one, two = rename_samples(tmp_path, "one.jsonl", 0.2), rename_samples(tmp_path, "two.jsonl", 4)
    comparison = ew.compare([one, two])
    assert comparison.findings.names == ("one.jsonl", "two.jsonl")
    assert "The files hold the same documents" in str(comparison.report)
    assert {log["task"] for log in comparison.report.numbers["logs"]} == {"unnamed task"}
    named = str(write_choices(tmp_path / "named", "quiz", 1))
    other = str(rename_samples(tmp_path, "gold.jsonl", 1))
    with pytest.raises(InputError, match="right answers"):
        ew.compare([named, other])


def test_a_task_that_is_taken_from_the_name_of_a_file_is_mentioned_in_the_error(tmp_path: Path) -> None:
    one, two = rename_samples(tmp_path, "one.jsonl", 1), rename_samples(tmp_path, "two.jsonl", 1, first=40)
    with pytest.raises(InputError, match=r"one\.jsonl is taken from its name: keep samples_TASK_DATE\.jsonl"):
        ew.compare({"a": one, "b": two})


def test_the_chosen_options_are_a_comparison_of_their_own(tmp_path: Path) -> None:
    """Their warnings are not those of the verdict, which is about grades."""
    for model, rate in (("lab/small", 0.3), ("lab/large", 0.6)):
        write_quiz(tmp_path / f"{model[4:]}1.eval", model, rate, items=12)
        samples = [inspect_sample(number, number % 2 * rate) for number in range(12)]
        (tmp_path / f"{model[4:]}2.json").write_text(
            json.dumps(inspect_log(samples, model=model, task="essay"))
        )
    report = ew.compare(tmp_path).report
    first = next(x for x in report.sections if x.title == "Multiple-choice answers: Which is better")
    assert "This section covers only task quiz." in first.text
    assert "p-values are not adjusted" in " ".join(first.text)
    assert "24 answers" in first.text[0]
    assert not any(warning.startswith("Multiple-choice") for warning in report.warnings)
    quiz = [str(tmp_path / f"{name}1.eval") for name in ("small", "large")]
    clustered = ew.compare(quiz, cluster="passage").report
    first = next(x for x in clustered.sections if x.title == "Multiple-choice answers: Which is better")
    assert any("rests on" in text for text in first.text)
    assert not any("rests on" in warning for warning in clustered.warnings)


def test_what_a_folder_leaves_out_is_named(tmp_path: Path, capsys: Capture) -> None:
    write_quiz(tmp_path / "1.eval", "lab/small", 0.5)
    write_quiz(tmp_path / "2.eval", "lab/small", 0.5)
    (tmp_path / "broken.eval").write_bytes(b"damaged")
    assert any("broken.eval cannot be read" in warning for warning in ew.evaluate(tmp_path).warnings)
    with pytest.raises(OptionError, match=r"hold one, 'lab/small'.*broken\.eval cannot be read"):
        ew.compare(tmp_path)
    decision = ew.check(tmp_path, require="accuracy >= 0.01")
    assert not decision.passed
    assert "broken.eval cannot be read" in str(decision)
    assert ew.check(tmp_path, require="accuracy >= 0.01", allow_missing=True).passed
    shown = call(tmp_path, capsys, "preview", ".").stdout
    assert "edgeworth noise ." in shown
    assert "Skipped logs of earlier runs: 1.eval." in shown
    assert "broken.eval cannot be read" in shown


def write_reruns(folder: Path, name: str, model: str = "lab/small") -> Path:
    """Write two runs of a model with two tasks in folders of their own, under the same file names."""
    for run in ("run1", "run2"):
        (folder / run).mkdir(parents=True, exist_ok=True)
        for task in ("quiz", "maths"):
            write_quiz(folder / run / name.format(task), model, 0.5, task=task)
    return folder


@pytest.mark.parametrize(
    ("name", "what"), [("2026-01-02T10-00-00-00-00_{}_x.eval", "date"), ("{}.eval", "name")]
)
def test_runs_of_the_same_date_are_no_earlier_ones(
    tmp_path: Path, capsys: Capture, name: str, what: str
) -> None:
    write_reruns(tmp_path / "reruns", name)
    warning = (
        f"2 runs of lab/small have the same {what}; run2 was used. To measure the noise: edgeworth noise "
    )
    report = ew.evaluate(tmp_path / "reruns")
    assert report.warnings[0] == f"{warning}{tmp_path / 'reruns'}"
    assert not any("Skipped" in text for text in section(report, "What was read").text)
    assert f"{warning}{tmp_path / 'reruns'}" in ew.check(tmp_path / "reruns", require="accuracy > 0.01").notes
    shown = call(tmp_path, capsys, "preview", "reruns").stdout
    assert "Inspect: 1 system, 2 tasks" in shown
    assert f"Check first:\n  {warning}reruns\n" in shown
    assert "\n  edgeworth noise reruns\n" in shown
    assert "Skipped" not in shown
    # Each run has two epochs.
    assert ew.noise(tmp_path / "reruns").numbers["repeats"] == 4
    # Noise takes the logs of one system.
    write_quiz(tmp_path / "reruns" / "other.eval", "lab/large", 0.9)
    [several] = [x for x in ew.compare(tmp_path / "reruns").report.warnings if "same" in x]
    assert several.endswith("To measure the noise: pass only these logs to edgeworth noise.")


def test_files_without_task_and_date_are_no_earlier_runs(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "un").mkdir()
    for name in ("one", "two"):
        rename_samples(tmp_path / "un", f"{name}.jsonl", 1)
    warning = (
        "2 runs of un cannot be ordered by the dates in their names; two.jsonl was used. To measure the "
        "noise: edgeworth noise un"
    )
    evaluated = flat(call(tmp_path, capsys, "evaluate", "un").stdout)
    assert warning in evaluated
    assert "Skipped" not in evaluated
    assert ew.noise(tmp_path / "un").numbers["repeats"] == 2
    # Files without dates may be newer than the newest dated log.
    for name in ("samples_quiz_2026-01-03T10-00-00.000000.jsonl", "samples_quiz_2026-01-02T10-00-00.jsonl"):
        rename_samples(tmp_path / "un", name, 1)
    report = ew.evaluate(tmp_path / "un")
    assert report.warnings[0].startswith("3 runs of un cannot be ordered")
    (tmp_path / "un" / "two.jsonl").unlink()
    report = ew.evaluate(tmp_path / "un")
    assert "01-03T10-00-00.000000.jsonl was used" in report.warnings[0]
    assert report.warnings[0].startswith("2 runs of un cannot be ordered")
    [skipped] = [text for text in section(report, "What was read").text if "Skipped" in text]
    assert "2026-01-02" in skipped
    assert "one.jsonl" not in skipped


def test_a_run_of_another_date_is_an_earlier_one(tmp_path: Path, capsys: Capture) -> None:
    for run, day in (("run1", 3), ("run2", 2)):
        (tmp_path / run).mkdir()
        write_quiz(tmp_path / run / f"2026-01-0{day}T10-00-00-00-00_quiz_x.eval", "lab/small", 0.5)
    shown = call(tmp_path, capsys, "preview", ".").stdout
    assert "Skipped logs of earlier runs: run2/2026-01-02T10-00-00-00-00_quiz_x.eval." in shown
    assert not any("same" in warning for warning in ew.evaluate(tmp_path).warnings)


def two_tasks(folder: Path) -> Path:
    """Write samples of two models in two tasks with different scorers."""
    for model, skill in (("small", 0.5), ("large", 2.0)):
        write_choices(folder / model, "quiz", skill)
        lines = [
            {"doc_id": n, "doc": {}, "metrics": ["exact_match"], "doc_hash": str(n), "exact_match": n % 3 > 0}
            for n in range(30)
        ]
        strict = [{**line, "filter": "strict-match"} for line in lines]
        write_lm_eval(folder / model, "maths", [*strict, *({**x, "filter": "flexible"} for x in lines)])
        (folder / model / "results_2026-01-02.json").write_text(
            json.dumps({"results": {}, "model_name": model})
        )
    return folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            "compare logs --scorer exact_matc",
            r"no scorer exact_matc \(--scorer\); did you mean exact_match\?",
        ),
        ("compare logs/small", "To evaluate one system, use edgeworth evaluate FILE"),
        ("evaluate logs/small/results_2026-01-02.json", r"holds only totals: pass the samples of each task"),
        ("evaluate totals", "holds only totals"),
        ("evaluate empty", "it has no run logs, and no files of CSV"),
        (
            "check logs --prediction large --baseline small --require accuracy>0",
            "'large' is a system of run logs: leave out --prediction",
        ),
        (
            "check logs --baseline small --require accuracy>0 --task-weights mmlu=1",
            "no weight for maths, quiz; the weights must name maths, quiz",
        ),
        ("check name=t.csv --require accuracy>0", "is for run logs: give a table without one"),
    ],
)
def test_errors_name_what_helps(tmp_path: Path, capsys: Capture, arguments: str, words: str) -> None:
    two_tasks(tmp_path / "logs")
    for name in ("empty", "totals"):
        (tmp_path / name).mkdir()
    (tmp_path / "totals" / "results_2026-01-02.json").write_text('{"results": {}}')
    (tmp_path / "t.csv").write_text("y,p\n1,1\n0,0\n")
    assert re.search(words, refused(call(tmp_path, capsys, *arguments.split())))


def test_a_gate_names_its_candidate_and_the_scorers(tmp_path: Path, capsys: Capture) -> None:
    two_tasks(tmp_path)
    shown = call(
        tmp_path, capsys, *("check", "new=large", "--baseline", "small", "--require", "accuracy > 0.01")
    ).stdout
    assert shown.startswith("PASS: new meets")
    assert "maths by exact_match,strict-match, quiz by acc" in shown


def test_acc_is_accuracy(tmp_path: Path) -> None:
    assert ew.compare(two_tasks(tmp_path), measures=["acc"]).measures == ("accuracy",)
    # No scorer of these logs is called acc.
    write_quiz(tmp_path / "one.eval", "lab/small", 0.5)
    assert ew.check(tmp_path / "one.eval", require="acc > 0.01").passed
    # In all logs of this task the first scorer is.
    quiz = sorted(map(str, tmp_path.rglob("samples_quiz*")))
    assert ew.check(quiz, baseline="small", require="acc > 0.01").passed


@pytest.mark.parametrize(
    ("require", "options", "words"),
    [
        ("acc > 0.01", {}, "acc is a scorer, and maths has no grades by it: pass --scorer acc --allow-mi"),
        (
            "exact_match > 0",
            {},
            "exact_match is a scorer, and quiz has no grades by it: pass --scorer exact_m",
        ),
        ("exact match > 0", {}, "exact_match is a scorer, and quiz has no grades by it"),
        ("acc > 0.01", {"scorer": "exact_match"}, "acc is a scorer, and --scorer chooses exact_match: requ"),
        ("flexible > 0.5", {}, "there is no measure 'flexible'"),
        ("f1 > 0.5", {}, "F cannot be computed from graded answers: use accuracy"),
        ("roc_auc no worse than baseline by 1pp", {}, "ROC area cannot be computed from graded answers"),
        ("brier < 0.5", {"undecided": "pass"}, "Brier score cannot be computed from graded answers: use acc"),
    ],
)
def test_a_requirement_means_the_scorer_that_it_names(
    tmp_path: Path, require: str, options: dict[str, str], words: str
) -> None:
    two_tasks(tmp_path)
    with pytest.raises(OptionError) as error:
        ew.check(tmp_path, baseline="small", require=require, **options)
    assert words in str(error.value)
    assert "at character 1" in str(error.value)


def test_a_requirement_on_a_scorer_is_judged_by_it(tmp_path: Path) -> None:
    two_tasks(tmp_path)
    maths = ew.check(tmp_path, baseline="small", require="accuracy > 0.01", scorer="exact_match")
    named = ew.check(
        tmp_path, baseline="small", require="exact_match > 0.01", scorer="exact_match", allow_missing=True
    )
    assert named.passed
    assert [x.evidence.value for x in named.results] == [x.evidence.value for x in maths.results] == [2 / 3]
    rules = tmp_path / "gate.toml"
    rules.write_text('[[gate]]\ntask = "maths"\nrequire = "exact_match > 0.01"\n')
    assert ew.check(tmp_path, baseline="small", requirements=rules).passed


def test_a_scorer_that_is_no_measure_is_explained(tmp_path: Path) -> None:
    lines = [
        lm_eval_choice(n, [-1, -2], n % 2, metrics=["acc", "acc_norm", "f1"], acc_norm=1.0, f1=n / 10)
        for n in range(10)
    ]
    folder = write_lm_eval(tmp_path / "m", "quiz", lines).parent
    for scorer, measure in (("acc_norm", "accuracy"), ("f1", "mean")):
        with pytest.raises(OptionError, match=f"{scorer} is a scorer: require {measure} and pass --scorer"):
            ew.check(folder, require=f"{scorer} >= 0.5")
        rules = tmp_path / "gate.toml"
        rules.write_text(f'require = "{scorer} >= 0.5"\n')
        with pytest.raises(OptionError, match=f"gate.toml: the requirement.* {scorer} is a scorer: require"):
            ew.check(folder, requirements=rules)
    # Both scorers grade this task, and the first one is in use.
    lines = [{**line, "metrics": ["acc_norm", "acc"]} for line in lines]
    folder = write_lm_eval(tmp_path / "n", "quiz", lines).parent
    with pytest.raises(OptionError, match="acc is a scorer, and quiz is graded by acc_norm: pass --scorer"):
        ew.check(folder, require="acc >= 0.5")
    assert ew.check(folder, require="acc >= 0.1", scorer="acc").results[0].evidence.value == 0.5


def test_ids_that_reports_print_may_be_those_that_must_pass(tmp_path: Path) -> None:
    two_tasks(tmp_path)
    wrong = [0, 3]

    def failures(must_pass: str) -> tuple[str, ...]:
        require = "accuracy > 0.01"
        return ew.check(tmp_path, baseline="small", require=require, must_pass=must_pass).failures

    assert failures("maths: 0, maths: 1, maths: 3") == (
        "2 of the 3 items that must pass are wrong (maths: 0, maths: 3).",
    )
    right = next(n for n in range(30) if not failures(f"quiz: {n}") and n not in wrong and n % 3)
    assert not failures(f"{right}")
    assert failures("nothing") == (
        "Items that must pass are absent: nothing (an id of these logs is 'maths: 0').",
    )
    alone = sorted(map(str, tmp_path.rglob("samples_maths*")))
    for name in ("3", "maths: 3"):
        decision = ew.check(alone, baseline="small", require="accuracy > 0.01", must_pass=name)
        assert decision.failures == (f"1 of the 1 item that must pass is wrong ({name}).",)


def test_only_the_scorers_of_compared_tasks_are_named(tmp_path: Path) -> None:
    two_tasks(tmp_path)
    [quiz] = (tmp_path / "small").glob("samples_quiz*")
    candidate, rule = tmp_path / "large", "accuracy > baseline"
    notes = ew.check(candidate, baseline=quiz, require=rule).notes
    assert notes == ("This task of the candidate is new and is not compared: maths.",)
    both = ew.check(candidate, baseline=quiz, require=[rule, "accuracy > 0.01"]).notes
    assert "maths by exact_match,strict-match, quiz by acc" in both[0]


def test_a_scorer_is_suggested_only_if_every_task_has_it(tmp_path: Path, capsys: Capture) -> None:
    two_tasks(tmp_path)
    assert "--scorer" not in call(tmp_path, capsys, "preview", ".").stdout
    assert "--scorer exact_match,flexible" in call(tmp_path, capsys, "preview", *glob_maths(tmp_path)).stdout
    notes = section(ew.compare(tmp_path).report, "What was read").text
    assert any("it leaves out tasks without that scorer" in note for note in notes)


def glob_maths(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("samples_maths*"))


def test_folders_of_one_model_are_named_by_what_differs_in_their_paths(tmp_path: Path) -> None:
    for run in ("run1", "run2"):
        write_quiz(make_folder(tmp_path / run / "lab"), "lab/small", 0.5)
    folders = [str(tmp_path / run / "lab") for run in ("run1", "run2")]
    assert ew.compare(folders).names == ("lab/small (run1)", "lab/small (run2)")


def test_models_that_share_a_folder_keep_their_names(tmp_path: Path) -> None:
    for batch in ("batch1", "batch2"):
        for model, task in (("m1", "maths"), ("m2", "essay")):
            write_choices(tmp_path / "same" / batch / model, "quiz", 1)
            write_choices(tmp_path / "other" / batch / model, task, 1)
    comparison = ew.compare([str(tmp_path / "same" / batch) for batch in ("batch1", "batch2")])
    assert comparison.names == ("m1 (batch1)", "m2 (batch1)", "m1 (batch2)", "m2 (batch2)")
    with pytest.raises(InputError, match="no task in common"):
        ew.compare([str(tmp_path / "other" / batch) for batch in ("batch1", "batch2")])


def make_folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path / "quiz.eval"


def test_a_gate_compares_files_of_the_same_documents(tmp_path: Path) -> None:
    one, two = rename_samples(tmp_path, "one.jsonl", 3), rename_samples(tmp_path, "two.jsonl", 0.1)
    assert ew.check(one, baseline=two, require="accuracy no worse than baseline by 2pp").passed
