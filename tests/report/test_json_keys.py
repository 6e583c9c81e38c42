"""Every key of the JSON of every kind of report stands in the documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from command_line import call
from edgeworth.calculators import chance_report, demo_report, evaluate_trec, hits_report, kelly_report
from edgeworth.report.report import ColumnFormat, Report
from run_logs import inspect_log, inspect_sample, write_eval

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def words(text: str) -> set[str]:
    """What stands between backticks, outside of blocks of code."""
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    quoted = re.findall(r"`([^`]+)`", outside)
    return {*quoted, *re.findall(r"[a-z_]+", " ".join(quoted))}


PAGES = sorted((REFERENCE / "json").glob("*.md"))
KNOWN = words("\n".join(page.read_text(encoding="utf-8") for page in PAGES))

BY_DATA = {
    "intervals": 1,
    "counts": 1,
    "judged_shares": 1,
    "estimates": 1,
    "worse_than_guessing": 1,
    "labels": 2,
    "values": 2,
    "means": 2,
    "skill": 2,
    "decomposition": 2,
    "reliability": 1,
    "roc_area": 1,
    "roc_area_interval": 1,
    "calibration": 1,
    "tables": 1,
    "cumulative_games": 1,
    "queries": 2,
    "measures": 1,
    "tests": 1,
    "letters": 1,
    "systems": 1,
    "ranks": 1,
    "runs": 1,
    "reports": 1,
    "charts": 1,
    "base_rates": 1,
    "error_rates_by_requirement": 1,
    "mapping": 1,
    "item_grades": 1,
    "tasks": 1,
    "classes": 1,
    "averages": 1,
    "printed_averages": 1,
}
"""How many levels under a key are named by data: labels, measures, systems, queries."""


def keys(value: Any, named_by_data: int = 0) -> Iterator[str]:
    """Every key that is a word of the schema."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item, named_by_data)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if named_by_data:
                yield from keys(inner, named_by_data - 1)
                continue
            yield key
            # Columns of a chart's data and options of a run are named by what they are about.
            if key not in ("data", "provenance"):
                yield from keys(inner, BY_DATA.get(key, 0))


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def lists() -> Report:
    y = np.tile([1, 0, 0, 1, 0], 12)
    return ew.evaluate(truth=y, score=rng().random(60), query=np.repeat(np.arange(6), 10))


def forecasts() -> Report:
    """Ordered classes, so that there are cumulative games."""
    p, q = rng().dirichlet([2, 2, 2], (2, 90))
    labels = [0, 1, 2]
    return ew.evaluate(
        truth=np.tile(labels, 30), probabilities=p, against=q, labels=labels, ordinal=True, ordered=True
    )


def races() -> Report:
    y = np.tile([1, 0], 60)
    systems = {"a": rng().uniform(0.1, 0.9, 120), "b": np.full(120, 0.4)}
    return ew.compare(truth=y, systems=systems, kind="probabilities", ordered=True).report


def drunken() -> Report:
    y = np.tile([1, 0], 60)
    drunken = ew.bet.Drunken(rng=1, bookmakers=3)
    return ew.evaluate(
        truth=y, probabilities=rng().uniform(0.1, 0.9, 120), bookmaker=drunken, orders=9, goal=100
    )


def people() -> pd.DataFrame:
    """Labels, scores and grades of 40 persons in two groups, with odds and days."""
    draw = rng()
    columns = {name: draw.integers(0, 2, 200) for name in ("y", "p", "q")}
    days = (np.datetime64("2026-01-01") + np.arange(200) // 2).astype(str)
    more = {"s": draw.uniform(0.1, 0.9, 200), "odds": draw.uniform(1.5, 3, 200), "day": days}
    more["closing"] = more["odds"] * draw.uniform(0.9, 1.1, 200) + 0.2
    return pd.DataFrame(columns | more | {"group": ["f", "m"] * 100, "person": np.arange(200) // 5})


def named_clusters() -> dict[str, Any]:
    """A rare class that no cluster stands for, so that the verdict names it."""
    return {"truth": ["a"] * 90 + ["b"] * 90 + ["c"] * 20, "prediction": ["k"] * 90 + ["l"] * 110}


def worths() -> Report:
    y = np.tile([1, 0, 0], 20)
    return ew.evaluate(truth=y, score=np.round(rng().random(60), 1), gain=5, cost=1)


MADE: dict[str, Callable[[], Report]] = {
    "demo": demo_report,
    "lists": lists,
    "cumulative_games": forecasts,
    "race": races,
    "drunken": drunken,
    "worth": worths,
    "chance": lambda: chance_report(20, 5, average_precision=0.6, hits=2, depth=4, nth_hit=2, rank=3),
    "rank by rank": lambda: hits_report("11010000"),
    "noise": lambda: ew.noise(
        ew.Grades.from_grades([1, 0, 1, 1] * 20, ids=[x // 2 for x in range(80)]), require="accuracy > 0.5"
    ),
    "plan": lambda: ew.plan(cases=100, accuracy=0.7, agreement=0.9),
    "slices": lambda: ew.evaluate(people(), truth="y", prediction="p", by="group"),
    "slices of scores": lambda: ew.evaluate(people(), truth="y", score="s", by="group"),
    "slices of grades": lambda: ew.evaluate(people(), correct="p", by="group", guess_rate=0.25),
    "slices of a comparison": lambda: ew.compare(people(), truth="y", systems=["p", "q"], by="group").report,
    "clusters": lambda: ew.evaluate(people(), truth="y", probabilities="s", cluster="person"),
    "clusters of scores": lambda: ew.evaluate(people(), truth="y", score="s", cluster="person"),
    "margin": lambda: ew.compare(people(), truth="y", systems=["p", "q"], margin=0.05).report,
    "threshold": lambda: ew.evaluate(
        people(), truth="y", score="s", cost_false_alarm=1, cost_miss=5, recall_at_least=0.8
    ),
    "bets": lambda: ew.evaluate(
        people(), truth="y", probabilities="s", odds="odds", time="day", bankroll=1000.0, period="month"
    ),
    "kelly": lambda: kelly_report([0.5, 0.3, 0.2], [2.2, 3.0, 4.0]),
    "costs": lambda: ew.evaluate(people(), truth="y", prediction="p", costs=[[0, 1], [10, 0]]),
    "clusters without names": lambda: ew.evaluate(**named_clusters(), match="many"),
    "tips": lambda: ew.evaluate(people(), truth="y", prediction="p", odds="odds", commission=0.05),
    "weights": lambda: ew.evaluate(people(), truth="y", probabilities="s", weight="odds"),
    "items": lambda: ew.evaluate(people(), grade="s", id="person", grade_range=(0, 1)),
    "closing odds": lambda: ew.evaluate(
        people(),
        truth="y",
        probabilities="s",
        odds="odds",
        closing_odds=["closing", "odds"],
        time="day",
        labels=[0, 1],
    ),
    "powers": lambda: ew.papers.reproduce("powers"),
    "kalia": lambda: ew.papers.reproduce("kalia"),
    "su-zhang": lambda: ew.papers.reproduce("su-zhang"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_every_key_is_documented(name: str) -> None:
    result = MADE[name]().to_dict(full=True)
    assert set(result) - KNOWN == set()
    assert set(keys(result)) - KNOWN == set()


def test_keys_of_gates_are_documented() -> None:
    decision = ew.check(
        truth=[1, 0] * 100,
        prediction=[1, 0] * 90 + [0, 1] * 10,
        baseline=[1, 0] * 85 + [0, 1] * 15,
        require=["accuracy no worse than baseline by 5pp", "recall[1] >= 0.5"],
    )
    assert set(keys(decision.to_dict())) - KNOWN == set()


def test_keys_of_search_runs_are_documented(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n", encoding="utf-8")
    for run in ("r", "s"):
        lines = [
            f"{query} Q0 {document} 1 {ord(document) % 5} {run}\n" for query in "12" for document in "ab"
        ]
        (tmp_path / run).write_text("".join(lines), encoding="utf-8")
    for runs in ([tmp_path / "r"], [tmp_path / "r", tmp_path / "s"]):
        result = evaluate_trec(str(tmp_path / "q"), [str(run) for run in runs]).to_dict()
        assert set(result) - KNOWN == set()
        assert set(keys(result)) - KNOWN == set()


def test_keys_of_other_commands_are_documented(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = "game,outcome,probability,odds\n1,a,.5,2.2\n1,b,.5,1.9\n2,a,.6,1.9\n2,b,.4,2.5\n"
    (tmp_path / "fixtures.csv").write_text(games, encoding="utf-8")
    bets = "".join(f"{'won' if x % 3 else 'lost'},1.7,2026-01-{x + 1:02d}\n" for x in range(30))
    (tmp_path / "bets.csv").write_text(f"result,odds,date\n{bets}void,2,2026-02-01\n", encoding="utf-8")
    for name, right in (("old", 80), ("new", 95)):
        report = ew.evaluate(correct=[1] * right + [0] * (120 - right), id=list(range(120)))
        report.to_json(tmp_path / f"{name}.json")
    for words in (
        ["stakes", "fixtures.csv", "--bankroll", "1000"],
        ["ledger", "bets.csv", "--period", "month"],
        ["diff", "old.json", "new.json"],
    ):
        payload = json.loads(call(tmp_path, capsys, *words, "--json", "-").stdout)
        assert set(keys(payload)) - KNOWN == set(), words


def test_keys_of_a_leaderboard_are_documented(tmp_path: Path) -> None:
    for system in ("a", "b", "c"):
        for task in ("law", "code"):
            samples = [inspect_sample(n, "C" if (n + ord(system)) % 3 else "I") for n in range(30)]
            log = inspect_log(samples, model=system, task=task)
            write_eval(tmp_path / f"{system}-{task}.eval", log)
    result = ew.compare(tmp_path).report.to_dict()
    assert "by_task" in result
    assert set(keys(result)) - KNOWN == set()


def test_kinds_of_columns_and_the_policy_are_documented() -> None:
    assert set(get_args(ColumnFormat)) <= KNOWN
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', demo_page())
    assert policy is not None
    assert "img-src data:" in policy[1]
    assert "`img-src data:`" in (REFERENCE / "reports.md").read_text(encoding="utf-8")


def demo_page() -> str:
    return Report("It is so.", (), (), {}).to_html()
