"""Every kind of report in a real browser: all charts alive, nothing fetched, nothing sticking out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>document.title='owned'</script>"


def rows(number: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    strength = rng.normal(size=number)
    truth = (strength + rng.normal(size=number) > 0.5).astype(int)
    return {
        "truth": truth,
        "score": strength,
        "model": 1 / (1 + np.exp(-1.5 * (strength - 0.5))),
        "rival": np.full(number, 0.4),
        "labels": (strength > 0.5).astype(int),
        "others": (strength + rng.normal(size=number) > 0.5).astype(int),
        "query": [f"{HOSTILE}{row % 12}" for row in range(number)],
    }


def scores() -> ew.Report:
    data = rows()
    return ew.evaluate(truth=data["truth"], score=data["score"], gain=5.0, cost=1.0)


def lists() -> ew.Report:
    data = rows()
    return ew.evaluate(truth=data["truth"], score=data["score"], query=data["query"])


def probabilities() -> ew.Report:
    data = rows()
    return ew.evaluate(truth=data["truth"], probabilities=data["model"], against=data["rival"], ordered=True)


def odds() -> ew.Report:
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([2, 2, 2], 200)
    truth = [["a", "b", HOSTILE][rng.choice(3, p=row)] for row in chances]
    prices = 1 / (rng.dirichlet([5, 5, 5], 200) * 1.05)
    return ew.evaluate(truth=truth, probabilities=chances, odds=prices, labels=["a", "b", HOSTILE])


def comparison() -> ew.Report:
    data = rows()
    systems = {"one": data["labels"], HOSTILE: data["others"], "three": 1 - data["others"]}
    return ew.compare(truth=data["truth"], systems=systems).report


def race() -> ew.Report:
    data = rows()
    return ew.compare(
        truth=data["truth"], systems={"model": data["model"], HOSTILE: data["rival"]}, kind="probabilities"
    ).report


REPORTS: dict[str, tuple[Callable[[], ew.Report], set[str]]] = {
    "scores": (scores, {"hits", "precision_recall", "roc", "value", "chance"}),
    "lists": (lists, {"queries"}),
    "probabilities": (
        probabilities,
        {"wealth", "returns", "final_wealth", "sequence", "reliability", "scatter"},
    ),
    "odds": (odds, {"wealth", "returns", "reliability"}),
    "comparison": (comparison, {"differences", "leaderboard", "disagreements"}),
    "race": (race, {"differences", "race"}),
}


@pytest.mark.parametrize("kind", REPORTS)
def test_every_kind_of_page(kind: str, tmp_path: Path, visit: Any) -> None:
    make, wanted = REPORTS[kind]
    report = make()
    assert set(report.charts) >= wanted
    path = tmp_path / f"{kind}.html"
    page = report.to_html(path)
    assert len(page.encode()) < 1_500_000
    for width, scheme in ((1100, "light"), (390, "dark")):
        seen = visit(path, width=width, scheme=scheme)
        assert set(seen.drawn()) == {"yes"}
        assert seen.requests == [path.as_uri()]
        assert seen.complaints == []
        assert seen.page.title().endswith(("Edgeworth report", " – Edgeworth"))
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    still = visit(path, script=False)
    assert still.page.locator("figure svg").count() == len(report.charts)
    assert still.page.locator(".verdict").inner_text() == report.verdict
