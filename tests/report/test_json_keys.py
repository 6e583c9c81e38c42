"""Every key of the JSON of every kind of report stands in the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.calculators import chance_report, demo_report, evaluate_trec, hits_report, kelly_report
from edgeworth.report.report import ColumnFormat, Report

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def words(text: str) -> set[str]:
    """What stands between backticks, outside of blocks of code."""
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]+)`", outside))))


KNOWN = words(page("reports.md"))
NESTED = KNOWN | words(page("probabilities.md"))

BY_DATA = {
    "estimates": 1,
    "worse_than_guessing": 1,
    "labels": 2,
    "values": 2,
    "means": 2,
    "skill": 2,
    "decomposition": 2,
    "reliability": 1,
    "roc_area": 1,
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
}
"""How many levels under a key are named by data: labels, measures, systems, queries."""


def keys(value: Any, named_by_data: int = 0) -> Iterator[str]:
    """Every key that is a word of the schema."""
    if isinstance(value, list):
        for each in value:
            yield from keys(each, named_by_data)
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
    drunken = ew.bet.Drunken(seed=1, bookmakers=3)
    return ew.evaluate(
        truth=y, probabilities=rng().uniform(0.1, 0.9, 120), bookmaker=drunken, orders=9, goal=100
    )


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
    "kelly": lambda: kelly_report([0.5, 0.3, 0.2], [2.2, 3.0, 4.0]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_every_key_is_documented(name: str) -> None:
    found = MADE[name]().to_dict()
    assert set(found) - KNOWN == set()
    assert set(keys(found)) - NESTED == set()


def test_keys_of_search_runs_are_documented(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n", encoding="utf-8")
    for run in ("r", "s"):
        lines = [
            f"{query} Q0 {document} 1 {ord(document) % 5} {run}\n" for query in "12" for document in "ab"
        ]
        (tmp_path / run).write_text("".join(lines), encoding="utf-8")
    for runs in ([tmp_path / "r"], [tmp_path / "r", tmp_path / "s"]):
        found = evaluate_trec(str(tmp_path / "q"), [str(run) for run in runs]).to_dict()
        assert set(found) - KNOWN == set()
        assert set(keys(found)) - NESTED == set()


def test_kinds_of_columns_and_the_policy_are_documented() -> None:
    assert set(get_args(ColumnFormat)) <= KNOWN
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', demo_page())
    assert policy is not None
    assert "img-src data:" in policy[1]
    assert "`img-src data:`" in page("reports.md")


def demo_page() -> str:
    return Report("It is so.", (), (), {}).to_html()
