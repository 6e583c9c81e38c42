"""Search runs: means as pytrec_eval has them, one tie rule, and warnings of runs whose order is in doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

import edgeworth as ew
from edgeworth.errors import InputError
from edgeworth.rankings import evaluate_trec
from edgeworth.rankings.trec.files import rank_conflicts, read_run

Judged = dict[str, dict[str, int]]
Retrieved = dict[str, dict[str, float]]

THEIRS = {
    "map": "average_precision",
    "ndcg_cut_10": "ndcg@10",
    "ndcg": "ndcg",
    "P_10": "precision@10",
    "recip_rank": "reciprocal_rank",
    "Rprec": "r_precision",
    "recall_10": "recall@10",
    "success_10": "success@10",
    "bpref": "bpref",
}


def example(seed: int, queries: int = 25) -> tuple[Judged, Retrieved]:
    """Judgements with queries that have no relevant document, and a run whose scores tie."""
    rng = np.random.default_rng(seed)
    qrels: Judged = {}
    run: Retrieved = {}
    for query in range(queries):
        names = [f"d{number}" for number in range(40)]
        grades = rng.choice([0, 0, 0, 1, 2], 20) * (query % 5 > 0)
        qrels[f"q{query}"] = dict(zip(rng.permutation(names)[:20].tolist(), grades.tolist(), strict=True))
        scores = rng.integers(0, 12, 30) / 4
        run[f"q{query}"] = dict(zip(rng.permutation(names)[:30].tolist(), scores.tolist(), strict=True))
    return qrels, run


def write(folder: Path, qrels: Judged, **runs: Retrieved) -> tuple[str, list[str]]:
    """Write files as TREC has them; documents are ranked by their scores."""
    lines = (f"{q} 0 {d} {grade}\n" for q, docs in qrels.items() for d, grade in docs.items())
    (folder / "qrels.txt").write_text("".join(lines))
    for name, run in runs.items():
        ranked = {q: sorted(docs.items(), key=lambda pair: -pair[1]) for q, docs in run.items()}
        rows = (
            f"{q} Q0 {d} {rank} {score!r} {name}\n"
            for q, docs in ranked.items()
            for rank, (d, score) in enumerate(docs, 1)
        )
        (folder / f"{name}.run").write_text("".join(rows))
    return str(folder / "qrels.txt"), [str(folder / f"{name}.run") for name in runs]


def peer_means(qrels: Judged, run: Retrieved) -> dict[str, float]:
    """Average pytrec_eval's values over the queries that it returns."""
    names = {"map", "ndcg_cut", "ndcg", "P", "recip_rank", "Rprec", "recall", "success", "bpref"}
    report = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    return {name: float(np.mean([value[name] for value in report.values()])) for name in THEIRS}


@pytest.mark.parametrize("seed", range(4))
def test_means_are_pytrec_evals(seed: int, tmp_path: Path) -> None:
    qrels, run = example(seed)
    wanted = peer_means(qrels, run)
    path, paths = write(tmp_path, qrels, mine=run)
    means = evaluate_trec(path, paths).to_dict()["means"]
    lists = ew.RankedLists.from_trec(path, paths[0])
    for theirs, ours in THEIRS.items():
        assert ew.measure(lists, f"{ours}(ties=trec)") == pytest.approx(wanted[theirs], abs=1e-9)
        assert means[f"{ours}(ties=trec)"] == pytest.approx(wanted[theirs], abs=1e-9)
        # Without a rule for ties, a run has trec_eval's everywhere.
        assert ew.measure(lists, ours) == pytest.approx(wanted[theirs], abs=1e-9)
        assert ew.estimate(lists, ours).value == pytest.approx(wanted[theirs], abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_the_frame_of_a_report_has_pytrec_evals_values(seed: int, tmp_path: Path) -> None:
    qrels, run = example(seed)
    path, paths = write(tmp_path, qrels, mine=run)
    report = ew.evaluate(ew.RankedLists.from_trec(path, paths[0]))
    items = report.to_frame(items=True)
    items = items[items["measure"] == "average_precision(ties=trec)"]
    wanted = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert dict(zip(items["item"], items["value"], strict=True)) == pytest.approx(
        {query: values["map"] for query, values in wanted.items()}, abs=1e-9
    )
    frame = report.to_frame().set_index("measure")["value"]
    assert frame["average_precision(ties=trec)"] == pytest.approx(items["value"].mean())


def test_a_value_that_needs_no_relevant_document_is_kept(tmp_path: Path) -> None:
    """Judged@2 of a query without a relevant document is what ir_measures computes, and not 0."""
    qrels: Judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0}}
    path, paths = write(tmp_path, qrels, mine={"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}})
    lists = ew.RankedLists.from_trec(path, paths[0])
    assert ew.measure_each(lists, "Judged@2") == {"q1": 1.0, "q2": 0.5}
    assert ew.measure(lists, "Judged@2") == 0.75
    assert ew.measure(lists, "average_precision") == 0.5


def test_queries_without_a_relevant_document_can_be_left_out(tmp_path: Path) -> None:
    qrels, run = example(1)
    path, paths = write(tmp_path, qrels, mine=run)
    kept = {query: docs for query, docs in qrels.items() if any(docs.values())}
    wanted = peer_means(kept, run)
    means = evaluate_trec(path, paths, no_targets="drop").to_dict()["means"]
    lists = ew.RankedLists.from_trec(path, paths[0], empty_is_zero=False)
    assert means["ndcg@10(ties=trec)"] == pytest.approx(wanted["ndcg_cut_10"], abs=1e-9)
    assert ew.measure(lists, "ndcg@10(ties=trec)") == pytest.approx(wanted["ndcg_cut_10"], abs=1e-9)


@pytest.mark.parametrize("measures", [None, ["map", "ndcg_cut_10"]])
def test_a_comparison_in_python_is_that_of_the_command(measures: list[str] | None, tmp_path: Path) -> None:
    (qrels, one), (_, two) = example(2), example(3)
    path, paths = write(tmp_path, qrels, one=one, two=two)
    report = evaluate_trec(path, paths, measures=measures)
    command = report.to_dict()["comparison"]
    systems = {Path(item).stem: ew.RankedLists.from_trec(path, item) for item in paths}
    python = ew.compare(systems, measures=measures).to_dict()["comparison"]
    assert python["pairs"] == command["pairs"]
    assert python["values"] == command["values"]
    wanted = [peer_means(qrels, run)["map"] for run in (one, two)]
    results = [python["values"][system]["average_precision(ties=trec)"] for system in systems]
    assert results == pytest.approx(wanted, abs=1e-9)
    assert ew.evaluate(systems["one"]).to_dict()["means"]["average_precision(ties=trec)"] == pytest.approx(
        wanted[0], abs=1e-9
    )


@pytest.mark.parametrize("no_targets", ["zero", "drop"])
def test_the_frame_lists_the_queries_that_the_means_are_over(no_targets: Any, tmp_path: Path) -> None:
    (qrels, one), (_, two) = example(4), example(5)
    path, paths = write(tmp_path, qrels, one=one, two=two)
    report = evaluate_trec(path, paths, no_targets=no_targets)
    items = report.to_frame("pandas", items=True)
    means = items.groupby(["system", "measure"])["value"].mean()
    for row in report.to_frame("pandas").itertuples():
        assert means[row.system, row.measure] == pytest.approx(row.value, abs=1e-12)
    assert set(items["item"]) == {
        query for query, docs in qrels.items() if no_targets == "zero" or any(docs.values())
    }


def test_every_measure_that_was_asked_for_is_shown(tmp_path: Path) -> None:
    (qrels, one), (_, two) = example(6), example(7)
    path, paths = write(tmp_path, qrels, one=one, two=two)
    wanted = ["map", "P_10", "ndcg_cut_10", "recall_10", "Rprec", "success_10", "bpref"]
    report = evaluate_trec(path, paths, measures=wanted)
    sections = {section.title: section for section in report.sections}
    columns = sections["Means of the runs"].grids[0].columns
    assert [column.name for column in columns] == ["run", *wanted]
    for text in ("one", "two"):
        assert [row[1] for row in sections[f"Means of {text}"].grids[0].rows] == wanted


def test_tied_scores_are_warned_of(tmp_path: Path) -> None:
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 0}, "c": {"x": 0, "y": 0, "z": 1}}
    tied = {"a": {"x": 1.0, "y": 1.0}, "b": {"x": 2.0, "y": 1.0}, "c": {"x": 1.0, "y": 1.0, "z": 3.0}}
    clear = {
        query: {document: float(index) for index, document in enumerate(docs)} for query, docs in tied.items()
    }
    path, paths = write(tmp_path, qrels, tied=tied, clear=clear)
    [text] = [warning for warning in evaluate_trec(path, paths[:1]).warnings if "Scores tie" in warning]
    assert (
        "Scores tie in 2 of 3 queries, and in 1 of them the order of tied documents changes the result"
        in text
    )
    assert not [each for each in evaluate_trec(path, paths[1:]).warnings if "Scores tie" in each]
    systems = {Path(each).stem: ew.RankedLists.from_trec(path, each) for each in paths}
    named = text.replace("Scores tie", "Scores of tied tie")
    assert [each for each in ew.compare(systems).report.warnings if " tie in " in each] == [named]
    assert len([each for each in evaluate_trec(path, paths).warnings if " tie in " in each]) == 1


def test_ties_in_two_runs_are_one_warning(tmp_path: Path) -> None:
    tied = {"a": {"x": 1.0, "y": 1.0}, "b": {"x": 2.0, "y": 1.0}}
    path, paths = write(tmp_path, {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 0}}, one=tied, two=tied)
    [shared] = [each for each in evaluate_trec(path, paths).warnings if " tie in " in each]
    assert "Scores of one tie in 1 of 2 queries" in shared
    assert "Scores of two tie in 1 of 2 queries" in shared
    assert shared.count("ranked first") == 1


def test_several_runs_have_one_verdict(tmp_path: Path) -> None:
    qrels, run = example(1)
    other = example(2)[1]
    path, paths = write(tmp_path, qrels, first=run, second={query: other[query] for query in qrels})
    report = evaluate_trec(path, paths)
    assert "\n" not in report.verdict
    assert report.lead in report.charts


@pytest.mark.parametrize("separator", [" ", "  "])
def test_ranks_that_disagree_with_scores_are_warned_of(separator: str, tmp_path: Path) -> None:
    """With ranks in place of scores the best document comes last."""
    qrels = {query: {"d1": 1, "d2": 0, "d3": 0} for query in "abc"}
    path, _ = write(tmp_path, qrels)
    run = tmp_path / "ranks.run"
    lines = [["abc"[index // 3], "Q0", f"d{index % 3 + 1}", str(index % 3 + 1)] for index in range(9)]
    run.write_text("".join(separator.join([*line, line[3], "me"]) + "\n" for line in lines))
    assert rank_conflicts(read_run(run)) == 3
    [text] = [warning for warning in evaluate_trec(path, [run]).warnings if "disagree" in warning]
    assert "ranks and scores disagree in 3 of 3 queries" in text
    falling = [separator.join([*line, str(4 - int(line[3])), "me"]) + "\n" for line in lines]
    run.write_text("".join(falling))
    assert rank_conflicts(read_run(run)) == 0
    run.write_text("".join(falling).replace(f"d1{separator}1", f"d1{separator}first"))
    assert read_run(run).rank is None
    assert not [item for item in evaluate_trec(path, [run]).warnings if "disagree" in item]


def test_runs_in_which_all_scores_are_equal_are_warned_of(tmp_path: Path) -> None:
    """The ids decide then, so a run that has only ranks loses its order."""
    path, _ = write(tmp_path, {query: {"d1": 1, "d2": 0, "d3": 0} for query in "ab"})
    run = tmp_path / "zero.run"
    lines = [f"{query} Q0 d{rank} {rank} 0 me\n" for query in "ab" for rank in (1, 2, 3)]
    run.write_text("".join(lines))
    report = evaluate_trec(path, [run], measures=["recip_rank"])
    assert "add --rank-only" in next(member for member in report.warnings if "all scores are equal" in member)
    by_rank = evaluate_trec(path, [run], measures=["recip_rank"], rank_only=True)
    assert not [warning for warning in by_rank.warnings if "--rank-only" in warning]
    means = [item.numbers["means"] for item in (report, by_rank)]
    assert [next(iter(mean.values())) for mean in means] == pytest.approx([1 / 3, 1])


def test_a_warning_about_several_runs_is_written_once(tmp_path: Path) -> None:
    documents = [f"d{number}" for number in range(4)]
    qrels = {query: dict.fromkeys(documents, int(query != "q3")) for query in ("q0", "q1", "q2", "q3")}
    run = {query: {name: 1.0 + at for at, name in enumerate(documents)} for query in qrels}
    short = {query: run[query] for query in ("q0", "q1", "q3")}
    path, paths = write(tmp_path, qrels, one=run, two=run, three=short)
    warnings = evaluate_trec(path, paths).warnings
    counts = [text.partition(" with no relevant")[0] for text in warnings if "no relevant" in text]
    assert counts == ["Each run: 1 query"]
    assert [text for text in warnings if "dropped" in text] == [
        "1 query dropped: not in every system (three lacks 1)."
    ]
    assert any(text.startswith("three: 1 judged query not in the run") for text in warnings)


def test_equal_ranks_disagree_with_no_scores(tmp_path: Path) -> None:
    run = tmp_path / "x.run"
    run.write_text("q Q0 a 0 1.0 me\nq Q0 b 0 3.0 me\nq Q0 c 0 2.0 me\n")
    assert rank_conflicts(read_run(run)) == 0
    run.write_text("q Q0 a 1 2.0 me\nq Q0 b 1 3.0 me\nq Q0 c 2 2.5 me\n")
    assert rank_conflicts(read_run(run)) == 1


def test_a_run_with_other_document_ids_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\n", encoding="utf-8")
    (tmp_path / "a.run").write_text("q1 Q0 doc1 1 2.0 a\nq1 Q0 doc2 2 1.0 a\n", encoding="utf-8")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2.0 b\nq1 Q0 doc2 2 1.0 b\n", encoding="utf-8")
    (tmp_path / "c.run").write_text("d1 Q0 q1 1 2.0 c\n", encoding="utf-8")
    message = "a: none of its documents ('doc1', …) is judged for its query ('d1', …)"
    warnings = evaluate_trec(tmp_path / "qrels.txt", [tmp_path / "a.run"]).warnings
    assert any(message in warning for warning in warnings)
    warnings = evaluate_trec(tmp_path / "qrels.txt", [tmp_path / "b.run"]).warnings
    assert not any("none of its documents" in warning for warning in warnings)
    with pytest.raises(InputError, match="do both files have the query in the first column"):
        evaluate_trec(tmp_path / "qrels.txt", [tmp_path / "c.run"])
