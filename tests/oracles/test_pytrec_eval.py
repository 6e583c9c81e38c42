"""Measures of runs against trec_eval 9.0.8, as pytrec_eval (0.5) runs it.

Random qrels and runs with graded, unjudged and negative judgements, documents never retrieved, and scores
that are equal, or equal only as 32-bit floats. What trec_eval does, and these tests hold:

* a negative grade means "pooled, not judged": neither target nor judged background;
* ndcg takes every positive grade as its gain, whatever relevance level (-l) the other measures use;
* a query without targets has 0 where we say nan;
* interpolated precision asks for ``(long) (recall · R + 0.9)`` targets in 9.0.8, and for the nearest number
  in 10, which we follow. Here it is asked for their number of targets; the values of 10 are typed in below.
"""

from __future__ import annotations

import math
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
        result = rng.choice(names, rng.integers(1, 60), replace=False).tolist()
        if query != 3:
            qrels[f"{query}"] = dict(zip(judged, grades, strict=True))
        if query != 4:
            run[f"{query}"] = dict(zip(result, random_scores(rng, len(result)).tolist(), strict=True))
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


def at_their_recall(lists: ew.RankedLists, query: Any, name: str, targets: int) -> float:
    recall = asked_for(name, targets) / targets
    spelling = f"interpolated_precision(recall={recall!r}, ties=trec)"
    return ew.measure_each(lists.select([query]), spelling)[query]


EARLY_302 = [1, 2, 4, 5, 6, 8, 9, *range(11, 20), *range(25, 32), 34, *range(41, 52), 60, 61, 62, 72]
HITS_302 = [*EARLY_302, 98, 99, 100, 199, 200, 329, 330, 331, 498, 499, 500]
"""50 of 77 targets on 500 ranks: not query 302's own, but with its number of targets and its precisions."""
PRECISION_302 = [1.0, 0.8421, 0.8421, 0.7419, 0.6863, 0.5417, 0.1420, 0.0, 0.0, 0.0, 0.0]
"""iprec_at_recall_0.00 to 1.00 of query 302 in test/out.test.aq of trec_eval 10; 9 has 0.7059 at 0.30."""


def test_interpolated_precision_of_trec_eval_10(tmp_path: Path) -> None:
    judged = {f"d{rank}": 1 for rank in HITS_302} | {f"never{number}": 1 for number in range(27)}
    run = {f"d{rank}": 501.0 - rank for rank in range(1, 501)}
    lists = lists_of(tmp_path, {"302": judged}, {"302": run}, 1)
    computed = [
        ew.measure(lists, f"interpolated_precision(recall={level / 10:g}, ties=trec)") for level in range(11)
    ]
    assert [round(value, 4) for value in computed] == PRECISION_302
    assert round(ew.measure(lists, "eleven_point_precision(ties=trec)"), 4) == 0.4360
    exact = ew.measure(lists, "interpolated_precision(recall=0.3, ties=threshold)")
    assert round(exact, 4) == 0.7059  # at least 23.1 hits
    means = ew.rankings.evaluate_trec(
        tmp_path / "qrels", [tmp_path / "run"], measures=["iprec_at_recall_0.30", "11pt_avg"]
    ).numbers["means"]
    assert [round(value, 4) for value in means.values()] == [0.7419, 0.4360]
    assert round(ew.measure(lists, "r_precision(ties=trec)"), 4) == 0.5065


@pytest.mark.slow
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
                if name.startswith("iprec") and targets[query]:
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
