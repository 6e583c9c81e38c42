"""Rankings on the command line: scores in a file, search runs, and chance itself."""

from __future__ import annotations

import gzip
import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

import edgeworth as ew
from command_line import call, flat, refused
from edgeworth.calculators import chance_report

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq3 0 d9 1\n"
RUN = "q1 Q0 d2 1 9.0 tag\nq1 Q0 d1 2 8.0 tag\nq1 Q0 d7 3 7.0 tag\nq2 Q0 d1 1 1.0 tag\nq8 Q0 d1 1 1.0 tag\n"


def scores_file(folder: Path, rows: int = 300, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.2
    score = np.round(rng.normal(size=rows) + truth, 3)
    lines = [
        f"{'yes' if y else 'no'},{s},{i % 10},d{i}" for i, (y, s) in enumerate(zip(truth, score, strict=True))
    ]
    (folder / "s.csv").write_text("y,s,query,doc\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return truth, score


def test_a_file_of_scores_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, score = scores_file(tmp_path)
    done = call(tmp_path, capsys, "evaluate", "s.csv", "--truth", "y", "--score", "s", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert report["verdict"] in flat(done.stdout)
    ranking = ew.Ranking.from_scores(truth, score)
    expected = ew.estimate(ranking, "average_precision")
    average_precision = report["estimates"]["average_precision"]
    assert average_precision["value"] == pytest.approx(expected.value, abs=1e-12)
    assert [average_precision["low"], average_precision["high"]] == pytest.approx(
        list(expected.interval()), abs=1e-12
    )
    tail = ew.chance.average_precision(300, int(truth.sum())).tail(expected.value)
    assert report["random_selection"]["tail"]["p_value"] == pytest.approx(tail.p_value)
    targets = int(truth.sum())
    hits = int(truth[np.argsort(-score)][:targets].sum())
    assert targets in [row["depth"] for row in report["depths"]]
    top = f"{hits} of {targets} targets; {targets**2 / 300:.0f} are expected by chance."
    assert f"The top {targets} of 300 (as many as there are targets) holds {top}" in report["verdict"]


def test_the_worth_of_looking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, score = scores_file(tmp_path)
    words = ["--truth", "y", "--score", "s", "--gain", "5", "--cost", "1.5", "--depth", "40", "--json", "-"]
    report = json.loads(call(tmp_path, capsys, "evaluate", "s.csv", *words).stdout)
    worth = np.cumsum(truth[np.argsort(-score, kind="stable")]) * 5 - 1.5 * np.arange(1, 301)
    assert len(set(score[np.argsort(-score)][39:41])) == 2, "no tie at the depth, so its value is one number"
    assert report["worth"]["at_depth"] == pytest.approx(worth[39])
    assert report["worth"]["best_value"] == pytest.approx(worth.max(), abs=5)
    assert "a gain of 5 per target found and a cost of 1.5 per item reviewed" in report["verdict"]


@pytest.mark.slow
def test_groups_are_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, score = scores_file(tmp_path)
    words = [
        "--truth",
        "y",
        "--score",
        "s",
        "--query",
        "query",
        "--id",
        "doc",
        "--positive",
        "yes",
        "--json",
        "-",
    ]
    report = json.loads(call(tmp_path, capsys, "evaluate", "s.csv", *words).stdout)
    assert len(report["queries"]) == 10
    single = [
        ew.measure(ew.Ranking.from_scores(truth[i::10], score[i::10]), "average_precision") for i in range(10)
    ]
    results = [report["queries"][str(i)]["average_precision"] for i in range(10)]
    assert results == pytest.approx(single, abs=1e-12)
    assert report["means"]["average_precision"] == pytest.approx(np.mean(single), abs=1e-12)


def test_a_run_agrees_with_trec_eval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(5)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in ("301", "302", "007"):
        documents = [f"D{number}" for number in range(60)]
        qrels[query] = {d: int(rng.integers(0, 3)) for d in documents if rng.random() < 0.6}
        run[query] = {d: float(np.round(rng.normal(), 1)) for d in documents if rng.random() < 0.8}
    lines = [f"{q} 0 {d} {g}" for q, docs in qrels.items() for d, g in docs.items()]
    (tmp_path / "q.txt").write_text("# judged by nobody\n" + "\n".join(lines) + "\n", encoding="utf-8")
    ranked = [f"{q}\tQ0\t{d}\t0\t{s}\ttag" for q, docs in run.items() for d, s in docs.items()]
    (tmp_path / "r.gz").write_bytes(gzip.compress(("\r\n".join(ranked) + "\r\n").encode()))
    report = json.loads(call(tmp_path, capsys, "trec", "q.txt", "r.gz", "--json", "-").stdout)
    names = {meta["trec_name"]: spelling for spelling, meta in report["measures"].items()}
    measures = {
        "map",
        "Rprec",
        "bpref",
        "recip_rank",
        "ndcg",
        "P",
        "recall",
        "ndcg_cut",
        "map_cut",
        "success",
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    # pytrec_eval has trec_eval 9, and 10 rounds the number of targets at a recall differently.
    names = {name: ours for name, ours in names.items() if not name.startswith(("iprec", "11pt"))}
    compared = 0
    for query, values in theirs.items():
        for name, value in values.items():
            assert report["queries"][query][names[name]] == pytest.approx(value, abs=1e-6), (query, name)
            compared += 1
    assert compared == 3 * len(names)
    for name, spelling in names.items():
        mean = np.mean([theirs[query][name] for query in theirs])
        assert report["means"][spelling] == pytest.approx(mean, abs=1e-6), name


def test_queries_without_value_follow_the_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text(QRELS, encoding="utf-8")
    (tmp_path / "r").write_text(RUN, encoding="utf-8")
    precision = "average_precision(ties=trec)"

    def report(*words: str) -> Any:
        return json.loads(call(tmp_path, capsys, "trec", "q", "r", "--json", "-", *words).stdout)

    # q1 finds d1 second and never d3: AP = (1/2)/2; q2 has nothing to find, q3 no list, q8 no judgements.
    plain = report()
    assert plain["means"][precision] == pytest.approx(1 / 8)
    assert plain["queries"]["q2"][precision] == 0
    assert plain["lists"] == {"counted": 2, "without_targets": 1, "absent": ["q3"], "unknown": ["q8"]}
    text = " ".join(plain["warnings"])
    assert "1 query with no relevant document is counted as 0, as in trec_eval" in text
    assert "1 judged query not in the run is excluded" in text
    left_out = report("--no-targets", "drop")
    assert left_out["means"][precision] == pytest.approx(1 / 4)
    assert left_out["queries"]["q2"][precision] is None
    assert left_out["lists"] == {"counted": 1, "without_targets": 1, "absent": ["q3"], "unknown": ["q8"]}
    assert "1 query with no relevant document is excluded" in " ".join(left_out["warnings"])
    assert report("--absent", "zero")["means"][precision] == pytest.approx(1 / 12)
    either = report("--absent", "zero", "--no-targets", "drop")
    assert either["means"][precision] == pytest.approx(1 / 8)


def test_several_runs_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text(QRELS, encoding="utf-8")
    (tmp_path / "r").write_text(RUN, encoding="utf-8")
    (tmp_path / "other").write_text(RUN.replace("8.0", "10.0"), encoding="utf-8")
    report = json.loads(call(tmp_path, capsys, "trec", "q", "r", "other", "--json", "-").stdout)
    assert list(report["runs"]) == ["r", "other"]
    assert report["runs"]["other"]["means"]["average_precision(ties=trec)"] == pytest.approx(1 / 4)
    assert "means" not in report, "with several runs there is no one mean"
    assert report["runs"]["r"]["means"]["average_precision(ties=trec)"] == pytest.approx(1 / 8)
    shown = call(tmp_path, capsys, "trec", "q", "r", "other", "--measure", "rbp", "--measure", "ndcg@2")
    assert shown.returncode == 0, shown.stderr
    assert "RBP" in shown.stdout, "words on the terminal, names in JSON"
    assert "rbp(" not in shown.stdout


@pytest.mark.slow
def test_chance_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["chance", "--items", "20", "--targets", "5", "--average-precision", "3/5", "--json", "-"]
    report = json.loads(call(tmp_path, capsys, *words).stdout)
    assert report["average_precision"]["tail"]["exact"] == "50/969"
    words = ["chance", "--items", "3000", "--targets", "245", "--average-precision", "0.10"]
    text = flat(call(tmp_path, capsys, *words).stdout)
    assert "reaches an average precision of 0.084 on average (standard deviation 0.0056)" in text
    words = ["chance", "--items", "10", "--targets", "3", "--depth", "4", "--hits", "3", "--json", "-"]
    report = json.loads(call(tmp_path, capsys, *words).stdout)
    assert report["hits"]["tail"]["p_value"] == pytest.approx(4 / 120)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--truth", "y"], "exactly one of prediction (labels), score"),
        (["--truth", "y", "--score", "s", "--prediction", "s"], "exactly one of prediction"),
        (["--truth", "y", "--score", "doc"], "must be numbers"),
        (["--truth", "y", "--score", "s", "--gain", "2"], "needs both"),
        (["--truth", "y", "--score", "s", "--depth", "0"], "depth is a whole number of at least 1"),
        (["--truth", "y", "--score", "s", "--positive", "maybe"], "no label 'maybe'"),
        (["--truth", "doc", "--score", "s"], "name the target"),
        (["--truth", "y", "--score", "s", "--bins", "10"], "pass the edges"),
        (["--truth", "y", "--score", "s", "--abstain", "no"], "abstain is not supported with scores"),
        (["--truth", "y", "--prediction", "y", "--depth", "3"], "depth is not supported with labels"),
        (["--truth", "y", "--score", "nothing"], "no column 'nothing'"),
    ],
)
def test_bad_words_for_scores(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores_file(tmp_path)
    assert message in refused(call(tmp_path, capsys, "evaluate", "s.csv", *words))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("y,s\n1,nan\n0,0.5\n", "row 1"),
        ("y,s\n1,0.5\n0,\n", "score is missing (or not a number) in row 2"),
        ("y,s\n1,0.5\n,0.4\n", "truth is missing (or not a number) in row 2"),
        ("y,s\n1,high\n0,low\n", "must be numbers"),
        ("y,s\n", "no rows"),
    ],
)
def test_bad_scores(content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.csv").write_text(content, encoding="utf-8")
    assert message in refused(call(tmp_path, capsys, "evaluate", "bad.csv", "--truth", "y", "--score", "s"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("y,s\n1,0.5\n1,0.4\n", "every ranked item is a target"),
        ("y,s\n0,0.5\n0,0.4\n", "there are no targets"),
    ],
)
def test_one_class_has_a_report_that_says_so(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.csv").write_text(content, encoding="utf-8")
    done = call(tmp_path, capsys, "evaluate", "one.csv", "--truth", "y", "--score", "s")
    assert done.returncode == 0, done.stderr
    assert message in flat(done.stdout)


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS, "q1 Q0 d1 1 high tag\n", "r, line 1"),
        (QRELS, "q1 Q0 d1 1 0.5\n", "r, line 1"),
        (QRELS, RUN + "q1 Q0 d1 9 0.1 tag\n", "d1"),
        ("q1 0 d1 relevant\n", RUN, "q, line 1"),
        ("q1 0 d1\n", RUN, "q, line 1"),
        (QRELS, "", "r"),
        ("", RUN, "q"),
        (QRELS, "q77 Q0 d1 1 0.5 tag\n", "none of its queries ('q77', …) is judged in"),
    ],
)
def test_malformed_trec_files(
    qrels: str, run: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_text(qrels, encoding="utf-8")
    (tmp_path / "r").write_text(run, encoding="utf-8")
    assert message in refused(call(tmp_path, capsys, "trec", "q", "r"))


def test_trec_needs_files_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no run" in refused(call(tmp_path, capsys, "trec", "q"))
    assert "q" in refused(call(tmp_path, capsys, "trec", "q", "r"))


def precisions(items: int, targets: int) -> list[Fraction]:
    """The average precision of every order."""
    return [
        sum((Fraction(i, t) for i, t in enumerate(ranks, start=1)), Fraction(0)) / targets
        for ranks in itertools.combinations(range(1, items + 1), targets)
    ]


@pytest.mark.parametrize(
    ("items", "targets", "text", "means"),
    [
        (8, 3, "0.9167", "11/12"),
        (8, 3, "0.4667", "7/15"),
        (8, 3, "11/12", "11/12"),
        (8, 3, "0.92", "11/12"),
        (8, 3, "0.9200", "1"),
        (8, 3, "1", "1"),
        (8, 3, "1.0", "1"),
        (8, 3, "0", "139/504"),
        (10, 3, "0.8", "34/45"),
        (10, 3, "4/5", "29/36"),
        (10, 3, "0.800", "29/36"),
    ],
)
def test_a_typed_average_precision_is_a_rounded_number(
    items: int, targets: int, text: str, means: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What counts is every order from the smallest value that rounds to the text; all orders are counted."""
    words = ["chance", "--items", str(items), "--targets", str(targets), "--average-precision", text]
    report = json.loads(call(tmp_path, capsys, *words, "--json", "-").stdout)
    average_precision = report["average_precision"]
    every = precisions(items, targets)
    assert min(item for item in every if item >= Fraction(means)) == Fraction(means)
    at_least = Fraction(sum(member >= Fraction(means) for member in every), len(every))
    assert average_precision["tail"]["exact"] == f"{at_least.numerator}/{at_least.denominator}"
    assert average_precision["typed"] == text
    if "." in text:
        assert average_precision["attained"] == pytest.approx(float(Fraction(means)))
        [note] = report["warnings"]
        assert f"{means}." in note
    else:
        assert not report["warnings"]


def test_a_typed_average_precision_of_a_long_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["chance", "--items", "3000", "--targets", "245", "--average-precision", "0.10"]
    report = json.loads(call(tmp_path, capsys, *words, "--json", "-").stdout)
    assert "every average precision from 0.095 counts" in report["warnings"][0]
    wanted = ew.chance.average_precision(3000, 245).tail(Fraction("0.095"))
    assert report["average_precision"]["tail"]["p_value"] == wanted.p_value


def test_a_float_is_the_nearest_attainable_value() -> None:
    """MATH B2: in Python 0.9167 is not 11/12, and 11/12 as a float is."""
    law = ew.chance.average_precision(8, 3)
    assert (law.tail(0.9167).exact, law.tail(11 / 12).exact) == (Fraction(1, 56), Fraction(1, 28))
    assert (
        chance_report(8, 3, average_precision=11 / 12).numbers["average_precision"]["tail"]["exact"] == "1/28"
    )


@pytest.mark.parametrize(("items", "targets", "hit"), [(8, 3, 2), (6, 6, 4), (12, 5, 1), (60, 4, 4)])
def test_the_rank_of_a_hit(
    items: int, targets: int, hit: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """P(T_j = k), counted over all sets of ranks."""
    ranks = [sorted(pair)[hit - 1] for pair in itertools.combinations(range(1, items + 1), targets)]
    asked = ranks[len(ranks) // 3]
    words = ["chance", "--items", str(items), "--targets", str(targets), "--nth-hit", str(hit)]
    report = json.loads(call(tmp_path, capsys, *words, "--rank", str(asked), "--json", "-").stdout)
    hit_rank = report["hit_rank"]
    assert hit_rank["mean"] == pytest.approx(sum(ranks) / len(ranks))
    assert hit_rank["probability"] == pytest.approx(ranks.count(asked) / len(ranks))
    assert hit_rank["at_most"]["p_value"] == pytest.approx(sum(x <= asked for x in ranks) / len(ranks))
    assert hit_rank["probabilities"] == pytest.approx(
        [ranks.count(k) / len(ranks) for k in hit_rank["ranks"]]
    )
    assert asked in hit_rank["ranks"]
    if items <= 12:
        assert hit_rank["ranks"] == sorted(set(ranks))
    shown = flat(call(tmp_path, capsys, *words).stdout)
    assert f"P(T_{hit} = k)" in shown


def test_hits_in_rank_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The slides' first algorithm: h(t), r(t), p(t) at each rank, AP and the chance of it."""
    report = json.loads(call(tmp_path, capsys, "ranking", "11010000", "--json", "-").stdout)
    ranks = report["rank_by_rank"]
    assert [x["hits"] for x in ranks] == [1, 2, 2, 3, 3, 3, 3, 3]
    assert [x["recall"] for x in ranks] == pytest.approx([1 / 3, 2 / 3, 2 / 3, 1, 1, 1, 1, 1])
    assert [x["precision"] for x in ranks] == pytest.approx([1, 1, 2 / 3, 3 / 4, 3 / 5, 3 / 6, 3 / 7, 3 / 8])
    assert report["random_selection"]["tail"]["exact"] == "1/28"
    average_precision = next(
        x for name, x in report["estimates"].items() if name.startswith("average_precision")
    )
    assert average_precision["value"] == pytest.approx(11 / 12)
    # P(h(2) ≥ 2): two targets on the first two of eight ranks.
    assert ranks[1]["probability_by_chance"] == pytest.approx(3 / 28)
    shown = call(tmp_path, capsys, "ranking", "1, 1, 0, 1 0000").stdout
    assert "Rank by rank" in shown
    assert "4    1     3   1.00  0.750" in shown
    for text in ("", "1102", "0000", "yes"):
        assert "0" in refused(call(tmp_path, capsys, "ranking", text))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--items", "10", "--targets", "3", "--average-precision", "1/0"], "such as 0.9167 or 11/12"),
        (["--items", "10", "--targets", "3", "--average-precision", "1e-9999999999"], "such as 0.9167"),
        (["--items", "10", "--targets", "3", "--average-precision", "7/5"], "between 0 and 1; saw 7/5"),
        (["--items", "10", "--targets", "3", "--rank", "5"], "--nth-hit"),
        (["--items", "10", "--targets", "11"], "between 0 and 10"),
        (["--items", "1" + 400 * "0", "--targets", "3"], "at most 9007199254740992 items"),
        (["--items", "10", "--targets", "0"], "undefined because there are no targets"),
        (["--items", "10", "--targets", "3", "--hits", "2"], "within a depth"),
        (["--items", "10", "--targets", "3", "--average-precision", "nan"], "a number between 0 and 1"),
    ],
)
def test_bad_questions_about_chance(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(call(tmp_path, capsys, "chance", *words))
