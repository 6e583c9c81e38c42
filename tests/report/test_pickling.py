"""Reports, comparisons, estimates and differences come back from other processes as they went."""

from __future__ import annotations

import json
import pickle
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import MissingExtraError, OptionError
from run_logs import inspect_log, inspect_sample, lm_eval_choice, write_lm_eval

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

RNG = np.random.default_rng(20)
CASES = 80
COLOURS = RNG.choice(["red", "green", "blue"], CASES)
IS_RED = (COLOURS == "red").astype(int)
TOPIC = np.resize(["north", "south"], CASES)
QUERY = np.repeat(np.arange(16), 5)
RELEVANT = np.resize([1, 0, 0, 1, 0], CASES)


def _labels(error: float) -> list[str]:
    wrong = RNG.random(CASES) < error
    return np.where(wrong, RNG.choice(["red", "green", "blue"], CASES), COLOURS).tolist()


def _scores(targets: Any) -> list[float]:
    return (targets + RNG.normal(size=CASES)).round(3).tolist()


def _probabilities() -> list[float]:
    return (1 / (1 + np.exp(-1.5 * (IS_RED - 0.4) - RNG.normal(size=CASES)))).round(3).tolist()


LABELS = {"a": _labels(0.2), "b": _labels(0.5)}
SCORES = {"a": _scores(IS_RED), "b": _scores(IS_RED)}
LISTS = {"a": _scores(RELEVANT), "b": _scores(RELEVANT)}
PROBABILITIES = {"a": _probabilities(), "b": _probabilities()}
CORRECT = {
    name: [str(int(x == y)) for x, y in zip(item, COLOURS, strict=True)] for name, item in LABELS.items()
}
GRADES = {name: RNG.choice([0.0, 0.5, 1.0], CASES).tolist() for name in "ab"}

REPORTS: dict[str, Mapping[str, Any]] = {
    "labels": {"truth": COLOURS.tolist(), "prediction": LABELS["a"]},
    "two labels": {"truth": IS_RED, "prediction": [int(x == "red") for x in LABELS["a"]], "positive": 1},
    "costs": {
        "truth": IS_RED,
        "prediction": [int(x == "red") for x in LABELS["a"]],
        "costs": [[0, 5], [1, 0]],
    },
    "scores": {"truth": IS_RED, "score": SCORES["a"], "gain": 3, "cost": 1},
    "lists": {"truth": RELEVANT, "score": LISTS["a"], "query": QUERY},
    "probabilities": {"truth": IS_RED, "probabilities": PROBABILITIES["a"], "ordered": True},
    "grades": {"grade": GRADES["a"]},
    "correct": {"correct": CORRECT["a"], "guess_rate": 0.25},
}

COMPARISONS: dict[str, Mapping[str, Any]] = {
    "labels": {"truth": COLOURS.tolist(), "systems": LABELS},
    "scores": {"truth": IS_RED, "systems": SCORES, "kind": "scores"},
    "lists": {"truth": RELEVANT, "systems": LISTS, "kind": "scores", "query": QUERY},
    "probabilities": {"truth": IS_RED, "systems": PROBABILITIES, "kind": "probabilities", "ordered": True},
    "grades": {"systems": GRADES, "kind": "grades"},
    "correct": {"systems": CORRECT, "kind": "correct"},
    "four": {
        "truth": IS_RED,
        "systems": {**SCORES, "c": _scores(IS_RED), "d": _scores(IS_RED)},
        "kind": "scores",
    },
}


def assert_same(made: Any) -> None:
    """Round-trip a report or comparison before anybody looks at it, and compare all that it shows."""
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()
    assert str(again) == str(made)
    assert _page(again) == _page(made)
    assert again.to_markdown() == made.to_markdown()
    assert again.to_frame("pandas").equals(made.to_frame("pandas"))
    if isinstance(made, ew.Report):
        assert _items(again) == _items(made)


def _page(made: Any) -> str:
    """Write the page with its drawings; the names of clips and gradients count up over all drawings."""
    return re.sub(r"(clip|gradient_)[0-9]+", r"\1", made.to_html())


def _items(report: ew.Report) -> str:
    """Write the values of items, or the reason why there are none."""
    try:
        return str(report.to_frame("pandas", items=True).to_csv())
    except ew.EdgeworthError as error:
        return str(error)


@pytest.mark.parametrize("by", [{}, {"by": TOPIC}], ids=["whole", "slices"])
@pytest.mark.parametrize("given", REPORTS.values(), ids=REPORTS)
def test_reports(given: Mapping[str, Any], by: Mapping[str, Any]) -> None:
    assert_same(ew.evaluate(**given, **by))


@pytest.mark.parametrize("by", [{}, {"by": TOPIC}], ids=["whole", "slices"])
@pytest.mark.parametrize("given", COMPARISONS.values(), ids=COMPARISONS)
def test_comparisons(given: Mapping[str, Any], by: Mapping[str, Any]) -> None:
    assert_same(ew.compare(**given, **by))


def _write_logs(folder: Path, seed: int) -> Path:
    """Write a log of multiple-choice answers with topics, some of which errored."""
    rng = np.random.default_rng(seed)
    samples = []
    for number in range(60):
        answer = "ABCD"[rng.integers(4)] if rng.random() < 0.4 else "A"
        more = {"error": {"message": "timeout"}, "scores": None} if number % 20 == 7 else {}
        choice = {"choices": ["w", "x", "y", "z"], "metadata": {"topic": f"t{number % 2}"}}
        value = "C" if answer == "A" else "I"
        samples.append(inspect_sample(number, value, answer=answer, **choice, **more))
    path = folder / f"log{seed}.json"
    path.write_text(json.dumps(inspect_log(samples, model=f"lab/m{seed}")))
    return path


def _write_likelihoods(folder: Path, seed: int) -> Path:
    rng = np.random.default_rng(seed)
    lines = [lm_eval_choice(number, rng.normal(size=4).tolist(), number % 4) for number in range(40)]
    return write_lm_eval(folder / f"m{seed}", "quiz", lines).parent


@pytest.mark.parametrize("by", [{}, {"by": "topic"}], ids=["whole", "slices"])
def test_run_logs(tmp_path: Path, by: Mapping[str, Any]) -> None:
    logs = [_write_logs(tmp_path, seed) for seed in (1, 2, 3)]
    assert_same(ew.evaluate(logs[0], **by))
    assert_same(ew.evaluate(logs[:2], **by))
    assert_same(ew.compare(data=logs[:2], **by))
    assert_same(ew.compare(data=logs, **by))


def test_likelihoods(tmp_path: Path) -> None:
    folders = [_write_likelihoods(tmp_path, seed) for seed in (1, 2)]
    assert_same(ew.evaluate(folders[0]))
    assert_same(ew.compare(data={"one": folders[0], "two": folders[1]}))


TABLE = ew.ContingencyTable.from_labels(COLOURS.tolist(), LABELS["a"])
ESTIMATES: dict[str, Callable[[], ew.Estimate]] = {
    "labels": lambda: ew.estimate(TABLE, "informedness"),
    "one label": lambda: ew.estimate(TABLE, "f[red]"),
    "drawn": lambda: ew.estimate(TABLE, "mutual_information", method=ew.methods.Bootstrap(draws=99)),
    "ranking": lambda: ew.estimate(ew.Ranking.from_scores(IS_RED, SCORES["a"]), "average_precision"),
    "a depth": lambda: ew.estimate(ew.Ranking.from_scores(IS_RED, SCORES["a"]), "precision@10"),
    "lists": lambda: ew.estimate(
        ew.RankedLists.from_scores(RELEVANT, LISTS["a"], groups=QUERY), "average_precision"
    ),
    "scores": lambda: ew.estimate(
        ew.ForecastScores.from_probabilities(IS_RED, {"a": PROBABILITIES["a"]}), "brier"
    ),
    "correct": lambda: ew.estimate(ew.Grades.from_grades([int(x) for x in CORRECT["a"]]), "accuracy"),
}


@pytest.mark.parametrize("make", ESTIMATES.values(), ids=ESTIMATES)
def test_estimates(make: Callable[[], ew.Estimate]) -> None:
    made = make()
    again = pickle.loads(pickle.dumps(made))
    assert str(again) == str(made)
    assert again.to_dict(0.9) == made.to_dict(0.9)
    assert again.cases_needed() == made.cases_needed() or np.isnan(made.cases_needed().needed)
    for alternative in ALTERNATIVES:
        assert again.test_against_chance(alternative) == made.test_against_chance(alternative)
        np.testing.assert_equal(again.p_value(None, alternative), made.p_value(None, alternative))


@pytest.mark.parametrize("given", COMPARISONS.values(), ids=COMPARISONS)
def test_differences(given: Mapping[str, Any]) -> None:
    comparison = ew.compare(**given)
    for pair in (("a", "b"), ("b", "a")):
        for made in comparison[pair].values():
            again = pickle.loads(pickle.dumps(made))
            assert again.to_dict(0.9) == made.to_dict(0.9)
            assert str(again) == str(made)


DECISIONS: dict[str, Mapping[str, Any]] = {
    "a level": {"correct": CORRECT["a"], "require": "accuracy >= 0.4"},
    "chance": {"truth": COLOURS, "prediction": LABELS["a"], "require": "informedness > chance"},
    "better": {
        "truth": COLOURS,
        "prediction": LABELS["a"],
        "baseline": LABELS["b"],
        "require": "accuracy better than baseline",
    },
    "no worse": {
        "correct": CORRECT["a"],
        "baseline": CORRECT["b"],
        "require": "accuracy no worse than baseline by 5pp",
    },
    "within": {
        "truth": IS_RED,
        "probabilities": PROBABILITIES["a"],
        "baseline": PROBABILITIES["b"],
        "require": "brier within 0.1 of baseline",
    },
    "repeated": {"correct": CORRECT["a"], "require": "accuracy >= 0.4", "anytime": True},
}


@pytest.mark.parametrize("given", DECISIONS.values(), ids=DECISIONS)
def test_decisions(given: Mapping[str, Any]) -> None:
    made = ew.check(**given)
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()
    assert str(again) == str(made)


@pytest.mark.parametrize("weights", ["", "weights = {north = 0.3, south = 0.7}"], ids=["parts", "pooled"])
def test_decisions_on_slices(tmp_path: Path, weights: str) -> None:
    gate = tmp_path / "gate.toml"
    gate.write_text(f'[[gate]]\nrequire = "accuracy >= 0.4"\nby = "topic"\n{weights}\n', encoding="utf-8")
    table = tmp_path / "answers.csv"
    rows = zip(CORRECT["a"], TOPIC, strict=True)
    table.write_text("\n".join(["right,topic", *map(",".join, rows)]), encoding="utf-8")
    made = ew.check(table, correct="right", requirements=gate)
    assert len(made.results) == (1 if weights else 2)
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()
    assert str(again) == str(made)


def test_charts_can_still_be_changed() -> None:
    charts = ew.evaluate(**REPORTS["scores"]).charts
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(charts))))
    assert list(again) == list(charts)
    for name, chart in charts.items():
        assert again[name].to_dict() == chart.to_dict()
        wide = again[name].properties(width=700).to_dict()
        assert wide["width"] == 700
        assert wide["datasets"][name] == [dict(row) for row in chart.data[name]]


def test_a_chart_pickled_without_altair_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = ew.evaluate(**REPORTS["labels"]).charts["edges"]
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "altair", None)
        pickled = pickle.dumps(chart)
    again = pickle.loads(pickled)
    assert again.numbers() == chart.numbers()
    with pytest.raises(OptionError, match="pickled without altair"):
        again.svg()


def test_no_chance_level_needs_no_number_of_cases() -> None:
    estimate = ESTIMATES["correct"]()
    assert np.isnan(estimate.chance)
    assert np.isnan(estimate.cases_needed().needed)
    assert estimate.cases_needed(null=0.5).needed > 0


def test_measures_keep_their_identity() -> None:
    for measure in ew.catalogue():
        assert pickle.loads(pickle.dumps(measure)) is measure


def test_a_missing_library_is_named_in_the_other_process() -> None:
    made = MissingExtraError("drawing charts", "report")
    assert str(pickle.loads(pickle.dumps(made))) == str(made)
