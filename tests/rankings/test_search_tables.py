"""Search runs: layouts of files, names of measures, tables for papers, queries and judgement coverage."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from scipy import stats

import edgeworth as ew
from edgeworth.cli.preview import preview
from edgeworth.comparisons.unit_differences import count_wins
from edgeworth.core.multiple_testing import holm
from edgeworth.errors import EdgeworthError
from edgeworth.pipeline.search_runs import SearchReport
from edgeworth.rankings import evaluate_trec
from edgeworth.rankings.measure_lookup import parse_measure
from edgeworth.rankings.trec.files import detect_layout, read_qrels, read_run

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
QUERIES, DOCUMENTS = 20, 30


def make_runs(seed: int = 0) -> tuple[Grades, dict[str, Scores]]:
    """Judgements, and three runs whose scores follow the grades more or less closely."""
    rng = np.random.default_rng(seed)
    names = [f"d{number:02d}" for number in range(DOCUMENTS)]
    qrels: Grades = {
        f"q{q}": dict(zip(names, rng.choice([0, 0, 1, 2], DOCUMENTS).tolist(), strict=True))
        for q in range(QUERIES)
    }
    runs: dict[str, Scores] = {
        name: {
            query: {doc: float(grade * weight + rng.normal()) for doc, grade in grades.items()}
            for query, grades in qrels.items()
        }
        for name, weight in (("weak", 0.1), ("good", 1.0), ("best", 2.5))
    }
    return qrels, runs


def write_qrels(folder: Path, qrels: Grades) -> Path:
    path = folder / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, grades in qrels.items() for d, g in grades.items()))
    return path


def ranked(run: Scores) -> list[tuple[str, str, int, float]]:
    return [
        (query, doc, rank, score)
        for query, scores in run.items()
        for rank, (doc, score) in enumerate(sorted(scores.items(), key=lambda pair: -pair[1]), 1)
    ]


def write_run(folder: Path, name: str, run: Scores, tag: str | None = None) -> Path:
    path = folder / f"{name}.run"
    path.write_text("".join(f"{q} Q0 {d} {r} {s!r} {tag or name}\n" for q, d, r, s in ranked(run)))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search")
    qrels, runs = make_runs()
    write_qrels(path, qrels)
    for name, run in runs.items():
        write_run(path, name, run)
    return path


def trec_values(qrels: Grades, run: Scores, measure: str) -> dict[str, float]:
    rows = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return {query: next(iter(values.values())) for query, values in rows.items()}


LAYOUTS = {
    "words after the tag": (
        "a.run",
        lambda rows: "".join(f"{q} Q0 {d} {r} {s!r} my tag here\n" for q, d, r, s in rows),
    ),
    "MS MARCO": ("a.tsv", lambda rows: "".join(f"{q}\t{d}\t{r}\n" for q, d, r, _ in rows)),
    "MS MARCO with spaces": ("a.txt", lambda rows: "".join(f"{q}  {d} {r}\n" for q, d, r, _ in rows)),
    "CSV with scores": (
        "a.csv",
        lambda rows: "Score,QID,docno\n" + "".join(f"{s!r},{q},{d}\n" for q, d, _, s in rows),
    ),
    "CSV with ranks": (
        "a.csv",
        lambda rows: 'rank,query_id,"doc_id"\n' + "".join(f'{r},{q},"{d}"\n' for q, d, r, _ in rows),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_runs_give_the_same_means(tmp_path: Path, layout: str) -> None:
    qrels, runs = make_runs(1)
    name, text = LAYOUTS[layout]
    (tmp_path / name).write_text(text(ranked(runs["good"])))
    report = evaluate_trec(write_qrels(tmp_path, qrels), [tmp_path / name], measures=["map"])
    wanted = np.mean(list(trec_values(qrels, runs["good"], "map").values()))
    assert report.rows()[0]["value"] == pytest.approx(wanted, abs=1e-9)


def test_judgements_in_csv_are_the_same(tmp_path: Path) -> None:
    qrels, _ = make_runs(1)
    lines = "".join(f"{d},{q},{g}\n" for q, grades in qrels.items() for d, g in grades.items())
    (tmp_path / "q.csv").write_text(f"docid,qid,relevance\n{lines}")
    plain, named = read_qrels(write_qrels(tmp_path, qrels)), read_qrels(tmp_path / "q.csv")
    assert named.query.labels == plain.query.labels
    assert named.grade.tolist() == plain.grade.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,docid\nq0,d0\n", "score or rank"),
        ("qid,docid,score\nq0,d0,high\n", "line 2: a score must be a number"),
        ("qid,docid,score\nq0,d0\n", "line 2: 3 columns"),
        ("qid,docid,score\n", "no rows"),
        ("", "empty"),
        ("qid,docid,score\nq0,d0,1\nq0,d0,2\n", "twice"),
    ],
)
def test_a_wrong_csv_is_refused_with_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(EdgeworthError, match=message):
        read_run(tmp_path / "a.csv")


def test_ranks_decide_with_rank_only(tmp_path: Path) -> None:
    qrels, runs = make_runs(2)
    rows = ranked(runs["best"])
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 {d} {r} 0 tag\n" for q, d, r, _ in rows))
    judged = write_qrels(tmp_path, qrels)
    wanted = np.mean(list(trec_values(qrels, runs["best"], "map").values()))
    by_score = evaluate_trec(judged, [tmp_path / "a.run"], measures=["map"])
    by_rank = evaluate_trec(judged, [tmp_path / "a.run"], measures=["map"], rank_only=True)
    assert by_rank.rows()[0]["value"] == pytest.approx(wanted, abs=1e-9)
    assert by_score.rows()[0]["value"] < wanted - 0.1


def test_runs_are_named_by_their_tags_or_else_by_their_files(tmp_path: Path) -> None:
    qrels, runs = make_runs(3)
    judged = write_qrels(tmp_path, qrels)
    first, second = (write_run(tmp_path, name, runs[name], tag="STANDARD") for name in ("weak", "good"))
    third = write_run(tmp_path, "best", runs["best"], tag="other")
    assert list(evaluate_trec(judged, [first, third], measures=["map"]).numbers["runs"]) == [
        "STANDARD",
        "other",
    ]
    assert list(evaluate_trec(judged, [first, second], measures=["map"]).numbers["runs"]) == [
        "weak.run",
        "good.run",
    ]
    named = evaluate_trec(judged, {"v1": first, "v2": second}, measures=["map"])
    assert list(named.numbers["runs"]) == ["v1", "v2"]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("ndcg_cut.10", "ndcg@10"),
        ("P.7", "precision@7"),
        ("recall_50", "recall@50"),
        ("nDCG(dcg='exp-log2')@10", "ndcg@10(gain=exponential)"),
        ("nDCG(dcg=log2)@10", "ndcg@10(gain=linear)"),
        ("IPrec@0.1", "interpolated_precision(recall=0.1)"),
        ("IPrec(rel=2)@0.1", "interpolated_precision(recall=0.1, relevant_from=2)"),
        ("AP(rel=2)@100", "average_precision@100(relevant_from=2)"),
        ("Judged@10", "judged@10"),
    ],
)
def test_names_of_other_tools_are_understood(theirs: str, ours: str) -> None:
    assert str(parse_measure(theirs)) == ours


@pytest.mark.parametrize("name", ["gm_map", "infAP", "alpha_nDCG@10", "Compat(p=0.9)", "utility"])
def test_measures_that_there_are_not_are_refused_with_advice(name: str) -> None:
    with pytest.raises(EdgeworthError, match="is not supported: "):
        parse_measure(name)


IR_MEASURES = """
AP AP_IA Accuracy BPM BPref Bpref Compat ERR ERR_IA INSQ INST IPrec Judged MAP MAP_IA MRR NDCG NERR8
NERR9 NERR10 NERR11 NRBP NumQ NumRel NumRelRet NumRet P P_IA Precision R RBP RPrec RR Recall Rprec SDCG SetAP
SetF SetP SetR SetRelP StRecall Success alpha_DCG alpha_nDCG infAP nDCG nERR_IA nNRBP α_DCG α_nDCG
"""
"""The names in the registry of ir_measures 0.4."""

NEEDS_DEPTH = {"IPrec", "Judged", "P", "Precision", "R", "Recall", "Success"}


def error_of(folder: Path, measure: str) -> str:
    """The error message of a report by a measure; empty if there is none."""
    try:
        report_of(folder, measure)
    except EdgeworthError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", IR_MEASURES.split())
def test_every_name_of_ir_measures_is_read_or_refused_with_advice(name: str, folder: Path) -> None:
    depth = "@0.1" if name == "IPrec" else "@10" if name in NEEDS_DEPTH else ""
    text = f"{name}{depth}"
    message = error_of(folder, text)
    assert not message or f"{text} is not supported: " in message or f"{text} is a count" in message


@pytest.mark.parametrize("name", sorted({*IR_MEASURES.split(), *pytrec_eval.supported_measures}))
def test_the_page_of_names_has_each_name(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/search-names.md").read_text(encoding="utf-8")
    plain = name.replace("α", "alpha")
    assert re.search(rf"`{re.escape(plain)}[`@._(]", page)


FOLLOWS_TREC_EVAL_10 = ("iprec_at_recall", "11pt_avg")


COUNTED = {"num_q", "num_ret", "num_rel", "num_rel_ret"}
ABSENT = (
    {"gm_map", "gm_bpref", "infAP", "set_P", "set_recall", "set_F", "set_map", "set_relative_P"}
    | {"relative_P", "Rprec_mult", "Rndcg", "ndcg_rel", "G", "binG", "num_nonrel_judged_ret", "utility"}
    | {"relstring", "runid"}
)


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_every_other_name_of_pytrec_eval_is_refused_with_advice(name: str, folder: Path) -> None:
    with pytest.raises(EdgeworthError, match=f"{name} is not supported: "):
        report_of(folder, name)


@pytest.mark.parametrize("name", sorted(pytrec_eval.supported_measures - ABSENT - COUNTED))
def test_every_name_of_pytrec_eval_agrees(name: str, folder: Path) -> None:
    """Families stand for all their depths, as in trec_eval."""
    report = report_of(folder, name)
    qrels, runs = make_runs()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(runs["good"])
    rows = list(csv.DictReader(io.StringIO(report.to_per_query())))
    ours = {(row["query"], row["measure"]): float(row["value"]) for row in rows}
    expected = {(query, key): value for query, values in theirs.items() for key, value in values.items()}
    assert set(ours) == set(expected)
    if name not in FOLLOWS_TREC_EVAL_10:
        assert ours == pytest.approx(expected, abs=1e-9)


def report_of(folder: Path, *measures: str) -> SearchReport:
    return evaluate_trec(folder / "qrels.txt", [folder / "good.run"], measures=measures)


def test_depths_may_be_listed_and_counts_have_two_names(folder: Path) -> None:
    report = report_of(folder, "P.5,10", "P_5", "NumRet")
    assert next(csv.reader(io.StringIO(report.to_csv()))) == ["system", "P_5", "P_10"]
    with pytest.raises(EdgeworthError, match="NumQ is a count"):
        report_of(folder, "NumQ")
    with pytest.raises(EdgeworthError, match="STREC@10 is not supported: it needs judgements per subtopic"):
        report_of(folder, "STREC@10")
    assert report_of(folder, "G@10").numbers["means"]


def test_the_table_for_a_paper_is_best_in_bold_with_daggers_by_holm(folder: Path) -> None:
    qrels, runs = make_runs()
    paths = [folder / f"{name}.run" for name in runs]
    measures = ["map", "P_10"]
    report = evaluate_trec(folder / "qrels.txt", paths, measures=measures, baseline="good")
    table = report.table
    assert table is not None
    # The permutation test of 20 queries is exact; a t test orders the same cells on these data.
    cells = [(name, measure) for name in ("weak", "best") for measure in measures]
    per_query = {
        (name, measure): np.array(list(trec_values(qrels, runs[name], measure).values()))
        for name in runs
        for measure in measures
    }
    p_values = [stats.ttest_rel(per_query[cell], per_query["good", cell[1]]).pvalue for cell in cells]
    wanted = {cell for cell, p in zip(cells, holm(p_values).tolist(), strict=True) if p < 0.05}
    spelled = dict(zip(measures, table.measures, strict=True))
    marked = {(name, measure) for name, measure in cells if table.differs(name, spelled[measure])}
    assert marked == wanted != set()
    latex = report.to_latex()
    row = next(line for line in latex.splitlines() if line.startswith("best"))
    value = per_query["best", "map"].mean()
    assert rf"\textbf{{{value:.3f}}}" in row
    assert latex.count(r"$^\dagger$") == len(wanted)
    assert "adjusted by Holm for 4 comparisons" in latex
    values = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert float(values[2]["map"]) == pytest.approx(value, abs=1e-9)
    assert report.to_markdown().startswith("| system | map |")


def test_a_table_of_runs_with_different_queries_tells(folder: Path) -> None:
    _, runs = make_runs()
    short = write_run(folder, "short", {query: runs["best"][query] for query in list(runs["best"])[:-3]})
    report = evaluate_trec(folder / "qrels.txt", [folder / "weak.run", short], measures=["map"])
    wanted = "Means are over each run's own queries (weak 20, short 17), tests over the 17 that all have."
    assert report.to_latex().splitlines()[-1] == f"% {wanted}"
    whole = evaluate_trec(folder / "qrels.txt", [folder / "weak.run", folder / "best.run"], measures=["map"])
    assert "own queries" not in whole.to_latex()


def test_judged_documents_are_counted_in_the_order_of_trec_eval(tmp_path: Path) -> None:
    """Eleven documents with one score: the last in the order of their ids is the only judged one."""
    (tmp_path / "q").write_text("q1 0 d00 1\nq1 0 d10 0\n")
    (tmp_path / "r").write_text("".join(f"q1 Q0 d{number:02d} 1 1.0 me\n" for number in range(11)))
    report = evaluate_trec(tmp_path / "q", [tmp_path / "r"], measures=["map"])
    assert report.numbers["judged_shares"] == {"me": 0.1}


def test_all_requested_measures_are_in_the_table(folder: Path) -> None:
    measures = [
        "map",
        "P_5",
        "P_10",
        "recall_10",
        "ndcg_cut_10",
        "recip_rank",
        "bpref",
        "Rprec",
        "ndcg",
        "success_1",
        "map_cut_10",
        "P_20",
    ]
    paths = [folder / "weak.run", folder / "best.run"]
    report = evaluate_trec(folder / "qrels.txt", paths, measures=measures)
    assert report.table is not None
    assert list(report.table.measures.values()) == measures


def test_values_per_query_are_those_that_the_mean_is_over(folder: Path) -> None:
    qrels, runs = make_runs()
    report = evaluate_trec(folder / "qrels.txt", [folder / "weak.run", folder / "best.run"], measures=["map"])
    rows = list(csv.DictReader(io.StringIO(report.to_per_query())))
    wanted = {("weak", q): v for q, v in trec_values(qrels, runs["weak"], "map").items()}
    wanted |= {("best", q): v for q, v in trec_values(qrels, runs["best"], "map").items()}
    assert {(row["run"], row["query"]): float(row["value"]) for row in rows} == pytest.approx(
        wanted, abs=1e-9
    )
    differences = {q: wanted["best", q] - wanted["weak", q] for q in qrels}
    grid = next(grid for section in report.sections for grid in section.grids if "Against" in grid.title)
    assert grid.rows == (("best", *count_wins(differences)),)
    assert report.charts["unit_differences"].svg().startswith("<svg")


def test_measures_have_one_name_in_the_table_and_per_query(folder: Path) -> None:
    measures = ["map", "nDCG(dcg=exp-log2)@10", "ERR@20", "Judged@10"]
    report = evaluate_trec(
        folder / "qrels.txt", [folder / "weak.run", folder / "best.run"], measures=measures
    )
    per_query = {row["measure"] for row in csv.DictReader(io.StringIO(report.to_per_query()))}
    assert set(next(csv.reader(io.StringIO(report.to_csv())))) == {"system", *per_query}


def test_three_runs_keep_their_queries_visible(folder: Path) -> None:
    qrels, runs = make_runs()
    paths = [folder / f"{name}.run" for name in runs]
    report = evaluate_trec(folder / "qrels.txt", paths, measures=["map"], baseline="weak")
    values = {name: trec_values(qrels, run, "map") for name, run in runs.items()}
    differences = {
        (name, query): values[name][query] - values["weak"][query]
        for name in ("good", "best")
        for query in qrels
    }
    chart = report.charts["unit_differences"]
    drawn = {(row["system"], row["query"]): row["difference"] for row in chart.data["unit_differences"]}
    assert drawn == pytest.approx(differences, abs=1e-9)
    assert chart.svg().startswith("<svg")
    grid = next(grid for section in report.sections for grid in section.grids if "Largest" in grid.title)
    for name in ("good", "best"):
        own = sorted(((value, query) for (system, query), value in differences.items() if system == name))
        shown = [row[1] for row in grid.rows if row[0] == name]
        assert shown[0] == own[-1][1]
        assert shown[-1] == own[0][1]


def test_counts_are_those_of_trec_eval(folder: Path) -> None:
    qrels, runs = make_runs()
    counts = evaluate_trec(folder / "qrels.txt", [folder / "good.run"]).numbers["counts"]["good"]
    wanted = pytrec_eval.RelevanceEvaluator(qrels, {"num_ret", "num_rel", "num_rel_ret"}).evaluate(
        runs["good"]
    )
    for name in ("num_ret", "num_rel", "num_rel_ret"):
        assert counts[name] == sum(values[name] for values in wanted.values())
    assert counts["num_q"] == QUERIES


def test_runs_that_judges_saw_to_a_different_extent_get_a_warning(tmp_path: Path) -> None:
    qrels, runs = make_runs(4)
    seen = {q: {d: g for d, g in grades.items() if int(d[1:]) < 15} for q, grades in qrels.items()}
    low = {
        q: {d: s - 100 * (int(d[1:]) < 15) for d, s in scores.items()} for q, scores in runs["good"].items()
    }
    paths = [write_run(tmp_path, "pooled", runs["best"]), write_run(tmp_path, "other", low)]
    report = evaluate_trec(write_qrels(tmp_path, seen), paths, measures=["map"])
    assert any(
        "Judges saw" in warning and "0% of other" in warning.replace(".0%", "%")
        for warning in report.warnings
    )
    shares = report.numbers["judged_shares"]
    assert shares["other"] == pytest.approx(0.0, abs=0.01)
    relevant = {q: {d: g for d, g in grades.items() if g} for q, grades in seen.items()}
    report = evaluate_trec(write_qrels(tmp_path, relevant), paths, measures=["map"])
    assert not any("Judges saw" in warning for warning in report.warnings)


def test_preview_recognises_runs_and_judgements(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert detect_layout(folder / "qrels.txt") == "qrels"
    assert detect_layout(folder / "good.run") == "run"
    preview(str(folder / "good.run"))
    assert "edgeworth trec QRELS" in capsys.readouterr().out
    preview(str(folder / "qrels.txt"))
    assert "RUN" in capsys.readouterr().out


def test_a_depth_without_its_sign_is_suggested(folder: Path) -> None:
    with pytest.raises(EdgeworthError, match="did you mean ndcg@10"):
        report_of(folder, "ndcg10")


def test_coverage_is_no_contest(folder: Path) -> None:
    """Judged@10 describes the judgements: it is not tested, never best, and makes no other p-value larger."""
    paths = [folder / "good.run", folder / "weak.run"]
    tables = [
        evaluate_trec(folder / "qrels.txt", paths, measures=measures, baseline="weak")
        for measures in (["map", "ndcg@10"], ["map", "judged@10", "ndcg@10"])
    ]
    without, with_coverage = (table.to_csv().splitlines() for table in tables)
    rows = [[line.split(",") for line in lines] for lines in (without, with_coverage)]
    assert [row[:3] + row[5:] for row in rows[1]] == rows[0]
    assert {row[4] for row in rows[1][1:]} == {""}
    latex = [line.split(" & ") for line in tables[1].to_latex().splitlines() if " & " in line]
    assert not any("textbf" in row[2] or "dagger" in row[2] for row in latex)
    assert "Holm for 2 comparisons" in tables[1].to_latex()
    assert "Not tested, because neither direction is better: judged@10" in tables[1].to_latex()
    measures = {line.split(",")[2] for line in tables[1].to_per_query().splitlines()[1:]}
    assert measures == {"map", "judged@10", "ndcg_cut_10"}


@pytest.mark.parametrize(
    ("baseline", "paths", "message"), [("x", 2, "no run 'x'"), ("good", 1, "another run")]
)
def test_a_baseline_that_cannot_be_is_refused(folder: Path, baseline: str, paths: int, message: str) -> None:
    runs = [folder / "good.run", folder / "best.run"][:paths]
    with pytest.raises(EdgeworthError, match=message):
        evaluate_trec(folder / "qrels.txt", runs, baseline=baseline)


def test_the_report_is_a_report(folder: Path) -> None:
    report = evaluate_trec(folder / "qrels.txt", [folder / "good.run"])
    assert isinstance(report, ew.Report)


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("run.tsv", "7\td1\t1\n7\td2\t2\n9\td1\t1\n", "trec QRELS run.tsv"),
        ("qrels.tsv", "7\t0\td1\t1\n9\t0\td2\t1\n", "trec qrels.tsv RUN"),
        ("run.csv", "qid,docid,score\n7,d1,0.9\n7,d2,0.8\n", "trec QRELS run.csv"),
        ("ranks.csv", "query,document,rank\n7,d1,1\n7,d2,2\n", "trec QRELS ranks.csv"),
        ("scored.csv", "query,document,score,label\n7,d1,0.9,1\n7,d2,-0.8,0\n", "evaluate scored.csv"),
        ("table.tsv", "y\tx\tn\n1\t0.5\t3\n0\t0.2\t4\n", "evaluate table.tsv"),
    ],
)
def test_preview_recognises_files_of_ms_marco_and_runs_in_csv(
    name: str,
    content: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content, encoding="utf-8")
    preview(name)
    assert f"edgeworth {command}" in capsys.readouterr().out


def test_preview_suggests_bets_for_probabilities_beside_odds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["date,result,pH,pD,pA,BH,BD,BA"]
    for number in range(9):
        rows.append(
            f"2025-01-0{number + 1},{'HDA'[number % 3]},0.5,0.{3 + number % 2},0.2,2.1,3.{number},4.5"
        )
    monkeypatch.chdir(tmp_path)
    Path("games.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    preview("games.csv")
    options = "--truth result --probabilities pH,pD,pA --odds BH,BD,BA --time date"
    assert f"edgeworth evaluate games.csv {options}\n" in capsys.readouterr().out


def test_preview_suggests_one_book_against_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["Date,FTR,B365H,B365D,B365A,PSH,PSD,PSA"]
    for number in range(13, 22):
        odds = f"2.{number},3.{number},4.{number}"
        rows.append(f"{number}/08/2025,{'HDA'[number % 3]},{odds},{odds}5")
    monkeypatch.chdir(tmp_path)
    Path("games.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    preview("games.csv")
    shown = capsys.readouterr().out
    options = "--probabilities PSH,PSD,PSA --remove-overround power --odds B365H,B365D,B365A --time Date"
    assert f"edgeworth evaluate games.csv --truth FTR {options}\n" in shown
    assert "edgeworth evaluate games.csv --truth FTR --odds B365H,B365D,B365A\n" in shown


def test_arrow_reads_no_memory_of_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of Arrow that frees memory of Python when the interpreter ends aborts the process."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    read, streams = arrow_csv.read_csv, list[object]()
    monkeypatch.setattr(arrow_csv, "read_csv", lambda file, *rest: streams.append(file) or read(file, *rest))
    read_run(folder / "good.run")
    assert [type(stream) for stream in streams] == [pa.BufferReader]
