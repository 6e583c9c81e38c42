"""Ranked lists: edgeworth beside pytrec_eval, from arrays and from TREC files."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pytrec_eval
from timing import line, memory_line, seconds

import edgeworth as ew
from edgeworth.calculators import evaluate_trec
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


RUNS = 5


def write_runs(folder: Path) -> None:
    """Write five runs of 1000 documents for each of 1000 queries, and 100 judgements per query."""
    rng = np.random.default_rng(1)
    lines: dict[str, list[str]] = {name: [] for name in ("qrels", *(f"run{run}" for run in range(RUNS)))}
    for query in range(QUERIES):
        pool, relevance = rng.choice(10**7, 3 * DOCUMENTS, replace=False), rng.random(3 * DOCUMENTS)
        for run in range(RUNS):
            scores = relevance + rng.random(len(pool)) * (0.3 + 0.1 * run)
            ranked = enumerate(np.argsort(-scores)[:DOCUMENTS].tolist(), 1)
            lines[f"run{run}"] += [
                f"{query} Q0 doc{pool[position]} {rank} {20 * scores[position]:.6f} run{run}\n"
                for rank, position in ranked
            ]
        judged = np.argsort(-relevance)[:100].tolist()
        lines["qrels"] += [f"{query} 0 doc{pool[index]} {rng.integers(0, 3)}\n" for index in judged]
    for name, texts in lines.items():
        (folder / name).write_text("".join(texts), encoding="utf-8")


def five_runs_with_pytrec_eval(folder: Path) -> None:
    """Parse and measure by every measure; there are no intervals and no tests."""
    with (folder / "qrels").open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(file), pytrec_eval.supported_measures
        )
    for run in range(RUNS):
        with (folder / f"run{run}").open() as file:
            evaluator.evaluate(pytrec_eval.parse_run(file))


def five_runs() -> None:
    """Compare the processor times of a whole report on five runs with tests, by turns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_runs(folder)
        runs = [str(folder / f"run{run}") for run in range(RUNS)]
        taken: list[list[float]] = [[], []]
        for _ in range(3):
            for spent, call in zip(
                taken,
                (lambda: evaluate_trec(folder / "qrels", runs), lambda: five_runs_with_pytrec_eval(folder)),
                strict=True,
            ):
                start = time.process_time()
                call()
                spent.append(time.process_time() - start)
        line("trec report on 5 runs of 10⁶ lines, processor time", min(taken[0]), min(taken[1]), 0.8, "s")


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
        text = ", ".join(f"{part} {seconds(call, repeat=3) * 1e3:.0f} ms" for part, call in parts.items())
        print(f"  {text}")


def shapes() -> None:
    rng = np.random.default_rng(2)
    truth, scores = rng.random(10**7) < 0.05, rng.random(10**7)
    for text, groups in (
        ("10⁶ lists of 10 items", np.repeat(np.arange(10**6), 10)),
        ("one list of 10⁷ items", np.zeros(10**7, dtype=np.intp)),
    ):
        lists = ew.RankedLists.from_scores(truth, scores, groups=groups)
        for ties in ("expected", "input"):
            spent = seconds(lambda ties=ties, lists=lists: tie_groups_of_lists(lists, ties), repeat=3)
            print(f"{text + ', ties=' + ties:<58} {spent * 1e3:9.1f} ms")


if __name__ == "__main__":
    five_runs()
    arrays()
    files()
    shapes()
