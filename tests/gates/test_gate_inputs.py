"""What a gate reads: folders of logs, answers without a grade, one log twice, and ids of several tasks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.errors import InputError, OptionError
from edgeworth.pipeline import tally_rows
from gate_files import answers, write_log

REQUIRE = "accuracy no worse than baseline by 5pp"


def folders_of_logs(folder: Path, wins: int, losses: int, both: int) -> tuple[Path, Path]:
    """Write two tasks of a candidate and of a baseline, each system in a folder of its own."""
    pair = folder / "new", folder / "old"
    for path, right in zip(pair, answers(wins, losses, both), strict=True):
        path.mkdir()
        for task in ("easy", "hard"):
            write_log(path / f"{task}.json", right, model=f"lab/{path.name}", task=task)
    return pair


def test_folders_of_logs_are_compared_as_their_files_are(tmp_path: Path) -> None:
    new, old = folders_of_logs(tmp_path, 10, 5, 285)
    by_folder = ew.check(new, baseline=old, require=REQUIRE)
    files = [[str(path) for path in sorted(folder.glob("*.json"))] for folder in (new, old)]
    by_file = ew.check(files[0], baseline=files[1], require=REQUIRE)
    assert by_folder.outcome == "pass"
    assert by_folder.sentences() == by_file.sentences()
    (new / "hard.json").unlink()
    assert "Task vanished: hard" in ew.check(new, baseline=old, require=REQUIRE).failures[0]


def test_a_baseline_that_is_no_other_log_is_refused(tmp_path: Path) -> None:
    """A gate of one log against itself would always pass."""
    log = write_log(tmp_path / "new.json", [1] * 100)
    (tmp_path / "labels.csv").write_text("y,p\n1,1\n")
    with pytest.raises(OptionError, match=r"are the same log, new\.json: name two files"):
        ew.check(log, baseline=tmp_path / ".." / tmp_path.name / "new.json", require=REQUIRE)
    with pytest.raises(OptionError, match=r"the baseline is one too, .*; saw .*labels\.csv"):
        ew.check(log, baseline=tmp_path / "labels.csv", require=REQUIRE)
    table = ew.ContingencyTable.from_labels([1, 0] * 50, [1, 0] * 50)
    with pytest.raises(OptionError, match=r"is a tally, so the baseline is one too; saw .*labels\.csv"):
        ew.check(table, baseline=tmp_path / "labels.csv", require=REQUIRE)
    with pytest.raises(OptionError, match=r"are of one kind; saw labels in candidate and .* in baseline"):
        ew.check(table, baseline=ew.Grades.from_grades([1, 0] * 50), require=REQUIRE)


@pytest.mark.parametrize("scores", [{}, {"choice": {"value": float("nan")}}])
def test_answers_without_a_grade_fail_the_gate(tmp_path: Path, scores: dict[str, object]) -> None:
    base = write_log(tmp_path / "old.json", [1] * 180 + [0] * 20, model="old")
    log = json.loads(base.read_text())
    log["eval"]["model"] = "new"
    for sample in log["samples"][190:]:
        sample["scores"] = scores
    new = tmp_path / "new.json"
    new.write_text(json.dumps(log))
    for decision in (ew.check(new, baseline=base, require=REQUIRE), ew.check(new, require="accuracy >= 0.5")):
        assert decision.outcome == "fail"
        assert "10 answers of new have no grade (q190, q191, q192, …)" in decision.failures[0]
    allowed = ew.check(new, baseline=base, require=REQUIRE, allow_missing=True)
    assert allowed.outcome == "pass"
    assert allowed.notes == ("10 answers of new have no grade (q190, q191, q192, …).",)
    # Answers that the baseline lacks are no loss of the candidate.
    swapped = ew.check(base, baseline=new, require=REQUIRE)
    assert swapped.outcome == "pass"
    assert swapped.notes == ("10 answers of new have no grade and are not compared.",)


def test_rows_that_are_dropped_are_noted(tmp_path: Path) -> None:
    rows = [("ab"[i % 2], "" if i == 7 else "ab"[i % 2], "ab"[i % 2]) for i in range(200)]
    path = tmp_path / "t.csv"
    path.write_text("y,new,old\n" + "".join(",".join(row) + "\n" for row in rows))
    for given in ({"require": "accuracy >= 0.5"}, {"require": REQUIRE, "baseline": "old"}):
        decision = ew.check(path, truth="y", prediction="new", missing="drop", **given)
        assert "1 row was dropped for missing values." in decision.notes


def test_an_id_that_must_pass_is_meant_in_every_task_that_has_it(tmp_path: Path) -> None:
    new, old = folders_of_logs(tmp_path, 0, 1, 299)
    decision = ew.check(new, baseline=old, require=REQUIRE, must_pass="q0,q5,q999")
    assert decision.failures == (
        "2 of the 5 items that must pass are wrong (easy: q0, hard: q0).",
        "Items that must pass are absent: q999.",
    )
    assert not ew.check(new, baseline=old, require=REQUIRE, must_pass="easy: q5").failures


def test_the_range_of_pooled_rates_comes_from_the_disagreements_in_each_part(tmp_path: Path) -> None:
    """A weight of 1 for one task leaves its own range; two alike tasks have one that is √2 times narrower."""
    new, old = folders_of_logs(tmp_path, 7, 21, 172)

    def spreads(**options: str) -> list[float]:
        evidence = ew.check(new, baseline=old, require=REQUIRE, **options).results[0].evidence
        assert evidence.model is not None
        return [model.spread(evidence.quantity) for model in (evidence.model, *evidence.model.variants())]

    apart, one, both = spreads(), spreads(task_weights="easy=1,hard=0"), spreads(task_weights="equal")
    assert one == pytest.approx(apart)
    relative = [np.ptp(np.square(values)) / values[0] ** 2 for values in (one, both)]
    assert relative[0] == pytest.approx(relative[1] * np.sqrt(2))


def test_an_end_beside_the_bound_is_not_written_as_the_bound() -> None:
    right = [1] * 1000 + [0] * 211
    low = ew.check(correct=right, require="accuracy >= 0.8").results[0].interval.low
    bound = f"{100 * low:.1f}%"
    decision = ew.check(correct=right, require=f"accuracy >= {bound}")
    assert decision.results[0].interval.low != float(bound[:-1]) / 100
    assert f"CI {bound} to" not in decision.sentences()[0]


def test_a_slice_that_decides_nothing_is_named_instead_of_rates() -> None:
    right, other = ([1] * 90 + [0] * 10) * 2, ([0] * 10 + [1] * 90) * 2
    topic = ["law"] * 195 + ["tax"] * 5
    decision = ew.check(correct=right, baseline=other, by={"topic": topic}, require=REQUIRE)
    assert decision.describe_rates() == ["No error rates: nothing can be decided for topic tax."]


def write_search_runs(folder: Path, queries: int = 60, documents: int = 12) -> np.ndarray:
    """Write judgements and two runs; return the average precision per query of both, by its formula."""
    rng = np.random.default_rng(4)
    lines: dict[str, list[str]] = {"qrels.txt": [], "new.run": [], "old.run": []}
    precisions = np.zeros((queries, 2))
    for query in range(queries):
        is_relevant = rng.random(documents) < 0.3
        is_relevant[0] = True
        lines["qrels.txt"] += [f"q{query} 0 d{x} {int(y)}" for x, y in enumerate(is_relevant)]
        scores = is_relevant * 1.0 + rng.normal(size=(2, documents))
        for system, (name, shift) in enumerate((("new.run", 0.6), ("old.run", 0.0))):
            order = np.argsort(-(scores[system] + shift * is_relevant))
            hits = is_relevant[order]
            precisions[query, system] = np.mean((hits.cumsum() / np.arange(1, documents + 1))[hits])
            lines[name] += [
                f"q{query} Q0 d{x} {rank} {documents - rank} {name[:3]}" for rank, x in enumerate(order, 1)
            ]
    for name, rows in lines.items():
        (folder / name).write_text("\n".join(rows) + "\n")
    return precisions


def test_search_runs_are_checked_against_judgements(tmp_path: Path) -> None:
    precisions = write_search_runs(tmp_path)
    run, qrels, require = tmp_path / "new.run", tmp_path / "qrels.txt", "map no worse than baseline by 0.01"
    decision = ew.check(run, baseline=tmp_path / "old.run", qrels=qrels, require=[require, "map >= 0.5"])
    difference, level = decision.results
    expected = stats.ttest_rel(*precisions.T).confidence_interval(0.95)
    assert difference.interval == pytest.approx(tuple(expected), rel=1e-9)
    assert level.evidence.value == pytest.approx(precisions[:, 0].mean(), rel=1e-12)
    assert (decision.candidate, decision.baseline, level.evidence.unit) == ("new", "old", "query")
    # The same runs as tallies in memory, which hold the ids of documents.
    lists = [ew.RankedLists.from_trec(qrels, tmp_path / name) for name in ("new.run", "old.run")]
    again = ew.check(lists[0], baseline=lists[1], require=require)
    assert again.results[0].interval == pytest.approx(tuple(expected), rel=1e-9)


def test_queries_that_vanished_from_a_run_fail_the_gate(tmp_path: Path) -> None:
    precisions = write_search_runs(tmp_path)
    run, require = tmp_path / "new.run", "average_precision no worse than baseline by 0.01"
    kept = [line for line in run.read_text().splitlines() if not line.startswith(("q3 ", "q7 "))]
    run.write_text("\n".join(kept))
    given = {"baseline": tmp_path / "old.run", "qrels": tmp_path / "qrels.txt", "require": require}
    assert ew.check(run, **given).failures == (
        "2 queries vanished from new (q3, q7). To allow this, use --allow-missing.",
    )
    allowed = ew.check(run, **given, allow_missing=True)
    assert not allowed.failures
    rest = np.delete(precisions, [3, 7], axis=0)
    assert allowed.results[0].evidence.quantity == pytest.approx(np.mean(rest @ [1, -1]))
    with pytest.raises(OptionError, match="are the same run"):
        ew.check(run, **given | {"baseline": run})
    with pytest.raises(OptionError, match="by is not supported with search runs"):
        ew.check(run, **given, by="query")


def test_a_baseline_that_is_neither_a_log_nor_a_system_names_the_systems(tmp_path: Path) -> None:
    new, _ = folders_of_logs(tmp_path, 10, 5, 285)
    with pytest.raises(InputError, match=r"one of the systems lab/new: .*absent\.json does not exist"):
        ew.check(new, baseline=tmp_path / "absent.json", require=REQUIRE)


def test_too_few_clusters_are_called_clusters() -> None:
    cluster, new = np.repeat(np.arange(8), 5), [1] * 40
    decision = ew.check(correct=new, baseline=[0, 1] * 20, cluster=cluster, require=REQUIRE)
    assert "8 clusters are too few" in decision.sentences()[0]


def test_a_gate_makes_no_digest_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p,q\n" + "a,a,b\nb,b,b\n" * 60)

    def refuse(*_: object) -> tuple[str, ...]:
        raise AssertionError("a decision has no digest")

    monkeypatch.setattr(tally_rows, "file_digests", refuse)
    monkeypatch.setattr(tally_rows, "file_states", refuse)
    for baseline, require in ((None, "accuracy >= 0.5"), ("q", ["accuracy >= 0.5", "accuracy > baseline"])):
        decision = ew.check(path, truth="y", prediction="p", baseline=baseline, require=require)
        assert decision.outcome == "pass"


def test_tallies_of_labels_say_that_they_are_compared_as_independent_samples() -> None:
    """A table of counts does not show which cases were counted."""
    tables = [ew.ContingencyTable.from_matrix([[x, 60], [60, x]], rows="actual") for x in (440, 430)]
    decision = ew.check(tables[0], baseline=tables[1], require="accuracy no worse than baseline by 6pp")
    assert decision.outcome == "pass"
    [note] = decision.notes
    assert "compared as independent samples" in note
    assert not ew.check(tables[0], require="accuracy >= 0.8").notes
    answers = [ew.Grades.from_grades(x, ids=list(range(200))) for x in ([1] * 200, [1] * 190 + [0] * 10)]
    assert not ew.check(answers[0], baseline=answers[1], require="accuracy > baseline").notes
