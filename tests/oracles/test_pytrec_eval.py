"""Measures of runs against trec_eval 9.0.8, as pytrec_eval (0.5) runs it.

Random qrels and runs with graded, unjudged and negative judgements, documents never retrieved, and scores
that are equal, or equal only as 32-bit floats. What trec_eval does, and these tests hold:

* a negative grade means "pooled, not judged": neither target nor judged background;
* ndcg takes every positive grade as its gain, whatever relevance level (-l) the other measures use;
* a query without targets has 0 where we say nan;
* interpolated precision asks for ``(long) (recall · R + 0.9)`` targets in floating point: one too few for
  recall 0.7 of R = 3, where 2.1 + 0.9 comes out below 3. We ask for ⌈recall · R⌉, and the tests take their
  number of targets where it slips.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

import edgeworth as ew
from edgeworth.rankings.trec.files import read_qrels, read_run

OURS = {
    "map": "average_precision",
    "map_cut_5": "average_precision@5",
    "map_cut_20": "average_precision@20",
    "P_5": "precision@5",
    "P_30": "precision@30",
    "recall_5": "recall@5",
    "recall_30": "recall@30",
    "Rprec": "r_precision",
    "recip_rank": "reciprocal_rank",
    "success_1": "success@1",
    "success_5": "success@5",
    "bpref": "bpref",
    **{
        f"iprec_at_recall_{level:.2f}": f"interpolated_precision(recall={level:g})"
        for level in (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
    },
}
GRADED = {"ndcg": "ndcg", "ndcg_cut_5": "ndcg@5", "ndcg_cut_20": "ndcg@20"}
THEIRS = {"map", "map_cut", "P", "recall", "Rprec", "recip_rank", "success", "bpref", "iprec_at_recall"} | {
    "ndcg",
    "ndcg_cut",
}

Judged = dict[str, dict[str, int]]
Retrieved = dict[str, dict[str, float]]


def random_scores(rng: np.random.Generator, number: int) -> np.ndarray[Any, Any]:
    """Some alike, some alike only as 32-bit floats, some different."""
    coarse = rng.integers(0, 8, number) / 7
    return coarse + rng.choice([0.0, 1e-10, -1e-10, 1e-4], number) + rng.choice([0.0, 0.01], number)


def example(seed: int) -> tuple[Judged, Retrieved]:
    rng = np.random.default_rng(seed)
    qrels: Judged = {}
    run: Retrieved = {}
    for query in range(12):
        names = [f"d{number}" for number in rng.choice(1000, 70, replace=False).tolist()]
        judged = rng.choice(names, rng.integers(1, 50), replace=False).tolist()
        grades = rng.choice([-2, -1, 0, 0, 0, 1, 1, 2, 3], len(judged)).tolist()
        if max(grades) < 0:
            grades[0] = 0  # else trec_eval keeps the last query's number of levels
        found = rng.choice(names, rng.integers(1, 60), replace=False).tolist()
        if query != 3:
            qrels[f"{query}"] = dict(zip(judged, grades, strict=True))
        if query != 4:
            run[f"{query}"] = dict(zip(found, random_scores(rng, len(found)).tolist(), strict=True))
    return qrels, run


def lists_of(folder: Path, qrels: Judged, run: Retrieved, relevant_from: int) -> ew.RankedLists:
    """Through files, as a user would."""
    with (folder / "qrels").open("w") as file:
        file.writelines(f"{q} 0 {d} {grade}\n" for q, docs in qrels.items() for d, grade in docs.items())
    with (folder / "run").open("w") as file:
        file.writelines(
            f"{q} Q0 {d} 1 {score!r} me\n" for q, docs in run.items() for d, score in docs.items()
        )
    return ew.RankedLists.from_qrels(
        read_qrels(folder / "qrels"), read_run(folder / "run"), relevant_from=relevant_from
    )


def with_ties(spelling: str) -> str:
    return f"{spelling[:-1]}, ties=trec)" if spelling.endswith(")") else f"{spelling}(ties=trec)"


def asked_for(name: str, targets: int) -> int:
    """The hits that trec_eval asks for at a level of recall."""
    return int(float(name.rpartition("_")[2]) * targets + 0.9)


def slips(name: str, targets: int) -> bool:
    return asked_for(name, targets) != math.ceil(Fraction(name.rpartition("_")[2]) * targets)


def at_their_recall(lists: ew.RankedLists, query: Any, name: str, targets: int) -> float:
    recall = asked_for(name, targets) / targets
    spelling = f"interpolated_precision(recall={recall!r}, ties=trec)"
    return ew.measure_each(lists.select([query]), spelling)[query]


def test_the_slip_is_met() -> None:
    assert slips("iprec_at_recall_0.70", 3)
    assert not slips("iprec_at_recall_0.70", 10)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("level", [1, 2, 3])
def test_every_measure_of_every_query(seed: int, level: int, tmp_path: Path) -> None:
    qrels, run = example(seed)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, THEIRS, relevance_level=level).evaluate(run)
    lists = lists_of(tmp_path, qrels, run, level)
    assert set(lists.queries) == set(theirs)
    assert lists.absent == ("4",)
    assert lists.unknown_queries == ("3",)
    targets = dict(zip(lists.queries, lists.targets.tolist(), strict=True))
    for seen, names in ((lists, OURS), (lists.with_threshold(1), GRADED)):
        for name, spelling in names.items():
            ours = ew.measure_each(seen, with_ties(spelling))
            for query, value in ours.items():
                wanted = theirs[query][name]
                if name.startswith("iprec") and slips(name, targets[query]):
                    value = at_their_recall(seen, query, name, targets[query])
                if math.isnan(value):
                    assert wanted == 0
                    assert name in GRADED or targets[query] == 0
                else:
                    assert value == pytest.approx(wanted, abs=1e-12), (name, query)


def test_the_mean_over_queries_when_absent_ones_count(tmp_path: Path) -> None:
    qrels, run = example(99)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    lists = lists_of(tmp_path, qrels, run, 1).with_absent()
    ours = ew.measure_each(lists, "average_precision(ties=trec)")
    assert ours["4"] == 0.0
    values = [0.0 if math.isnan(value) else value for value in ours.values()]
    assert sum(values) / len(qrels) == pytest.approx(sum(row["map"] for row in theirs.values()) / len(qrels))
