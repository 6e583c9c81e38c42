"""Ranked lists: edgeworth beside pytrec_eval, from arrays and from TREC files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytrec_eval
from timing import line, memory_line, seconds

import edgeworth as ew
from edgeworth.rankings.list_tie_groups import tie_groups_of_lists
from edgeworth.rankings.trec.files import read_qrels, read_run

QUERIES, DOCUMENTS = 1000, 1000


def arrays() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(QUERIES), DOCUMENTS)
    truth = (rng.random(len(groups)) < 0.05).astype(int)
    noise = (rng.random(len(groups)) + 0.2 * truth).reshape(QUERIES, DOCUMENTS)
    # All different as 32-bit floats too, so that every policy for ties gives the same.
    scores = (np.argsort(np.argsort(noise, axis=1), axis=1) / 1024).reshape(-1)
    names = [f"d{number}" for number in range(DOCUMENTS)]
    rows = truth.reshape(QUERIES, DOCUMENTS).tolist(), scores.reshape(QUERIES, DOCUMENTS).tolist()
    qrels, run = (
        {str(query): dict(zip(names, row, strict=True)) for query, row in enumerate(part)} for part in rows
    )
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map"})
    theirs = seconds(lambda: evaluator.evaluate(run), repeat=3)
    mean = np.mean([row["map"] for row in evaluator.evaluate(run).values()])
    for ties in ("expected", "input"):
        spelling = f"average_precision(ties={ties})"

        def ours(spelling: str = spelling) -> float:
            return ew.measure(ew.RankedLists.from_scores(truth, scores, groups=groups), spelling)

        assert abs(ours() - mean) < 1e-9
        line(f"MAP of 1000 × 1000 from arrays, ties={ties}", seconds(ours), theirs, 10)
    memory_line(ours, 3 * scores.nbytes)


def write_files(folder: Path) -> None:
    rng = np.random.default_rng(1)
    with (folder / "run").open("w") as run, (folder / "qrels").open("w") as qrels:
        for query in range(QUERIES):
            documents = rng.choice(10**7, DOCUMENTS, replace=False)
            scores = np.sort(rng.random(DOCUMENTS) * 30)[::-1]
            ranked = enumerate(zip(documents.tolist(), scores.tolist(), strict=True), 1)
            run.writelines(
                f"{query} Q0 doc{name} {rank} {score:.6f} bm25\n" for rank, (name, score) in ranked
            )
            pool = dict.fromkeys([*documents[:60].tolist(), *rng.choice(10**7, 40).tolist()])
            qrels.writelines(f"{query} 0 doc{name} {rng.integers(0, 3)}\n" for name in pool)


def from_files_with_pytrec_eval(folder: Path) -> float:
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    with (folder / "qrels").open() as file:
        for text in file:
            query, _, document, grade = text.split()
            qrels.setdefault(query, {})[document] = int(grade)
    with (folder / "run").open() as file:
        for text in file:
            query, _, document, _, score, _ = text.split()
            run.setdefault(query, {})[document] = float(score)
    values = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run).values()
    return sum(row["map"] for row in values) / len(values)


def from_files(folder: Path) -> float:
    lists = ew.RankedLists.from_qrels(read_qrels(folder / "qrels"), read_run(folder / "run"))
    return ew.measure(lists, "average_precision(ties=trec)")


def files() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        assert abs(from_files(folder) - from_files_with_pytrec_eval(folder)) < 1e-9
        ours = seconds(lambda: from_files(folder))
        theirs = seconds(lambda: from_files_with_pytrec_eval(folder), repeat=2)
        line("MAP of a run file of 10⁶ lines, trec ties", ours, theirs, 3)
        qrels, run = read_qrels(folder / "qrels"), read_run(folder / "run")
        lists = ew.RankedLists.from_qrels(qrels, run)
        parts = {
            "read run": lambda: read_run(folder / "run"),
            "read qrels": lambda: read_qrels(folder / "qrels"),
            "judge": lambda: ew.RankedLists.from_qrels(qrels, run),
            "rank": lambda: tie_groups_of_lists(lists, "trec"),
        }
        said = ", ".join(f"{part} {seconds(call, repeat=3) * 1e3:.0f} ms" for part, call in parts.items())
        print(f"  {said}")


def shapes() -> None:
    rng = np.random.default_rng(2)
    truth, scores = rng.random(10**7) < 0.05, rng.random(10**7)
    for said, groups in (
        ("10⁶ lists of 10 items", np.repeat(np.arange(10**6), 10)),
        ("one list of 10⁷ items", np.zeros(10**7, dtype=np.intp)),
    ):
        lists = ew.RankedLists.from_scores(truth, scores, groups=groups)
        for ties in ("expected", "input"):
            spent = seconds(lambda ties=ties, lists=lists: tie_groups_of_lists(lists, ties), repeat=3)
            print(f"{said + ', ties=' + ties:<58} {spent * 1e3:9.1f} ms")


if __name__ == "__main__":
    arrays()
    files()
    shapes()
