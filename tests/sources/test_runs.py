"""Readers of run logs: what each layout becomes, and what damaged ones are told."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from edgeworth.errors import InputError
from edgeworth.rankings.trec.files import read_qrels, read_run
from edgeworth.sources.runs.reading import READERS, Reader, find_reader, read_runs, register_reader
from edgeworth.sources.runs.run import Item, Run, choice_probabilities, make_run
from run_logs import (
    inspect_log,
    inspect_sample,
    lm_eval_choice,
    promptfoo_results,
    promptfoo_row,
    write_eval,
    write_lm_eval,
    zip_archive,
)


def only(data: object) -> Run:
    [[run]] = read_runs(data)
    return run


CHOICES = {"choices": ["w", "x", "y", "z"]}
CLUSTERED = {"scores": [{"metrics": {"stderr": {"params": {"cluster": "passage"}}}}]}
SAMPLES = [
    inspect_sample(1, "C", answer="A", metadata={"passage": 7}, **CHOICES),
    inspect_sample(2, "I", answer="C", target="B", metadata={"passage": 7}, **CHOICES),
    inspect_sample(1, "I", answer="none of it", epoch=2, metadata={"passage": 7}, **CHOICES),
    inspect_sample(2, math.nan, epoch=2, target="B", metadata={"passage": 8}, **CHOICES),
]


@pytest.mark.parametrize("layout", ["frames", "samples", "json"])
def test_inspect(tmp_path: Path, layout: str) -> None:
    log, path = inspect_log(SAMPLES, results=CLUSTERED), tmp_path / "a.json"
    if layout == "json":
        path.write_text(json.dumps(log))
    else:
        path = write_eval(tmp_path / "a.eval", log, 3, summaries=layout == "frames")
    run = only(path)
    assert (run.tool, run.system, run.task) == ("Inspect", "lab/small", "quiz")
    assert run.ids == ["q1", "q2", "q1", "q2"]
    np.testing.assert_array_equal(run.grades["choice"], [1, 0, 0, math.nan])
    assert run.clusters == ["7", "7", "7", "8"]
    assert [(x.options, x.truth, x.answer) for x in run.items] == [
        (4, 0, 0),
        (4, 1, 2),
        (4, 0, None),
        (4, 1, None),
    ]
    assert not any(item.is_error for item in run.items)


@pytest.mark.parametrize(
    ("value", "grades"),
    [
        ("P", {"choice": 0.5}),
        ("N", {"choice": 0.0}),
        (True, {"choice": 1.0}),
        (3.5, {"choice": 3.5}),
        ({"style": 2, "facts": "C"}, {"choice.style": 2.0, "choice.facts": 1.0}),
    ],
)
def test_values_of_inspect(tmp_path: Path, value: object, grades: dict[str, float]) -> None:
    run = only(write_eval(tmp_path / "a.eval", inspect_log([inspect_sample(1, value)])))
    assert {name: values.tolist() for name, values in run.grades.items()} == {
        n: [g] for n, g in grades.items()
    }
    assert not any(item.is_choice for item in run.items)


def test_errors_and_status_of_inspect(tmp_path: Path) -> None:
    failed = inspect_sample(2, "C", error="timed out")
    run = only(write_eval(tmp_path / "a.eval", inspect_log([SAMPLES[0], failed], status="cancelled")))
    assert [item.is_error for item in run.items] == [False, True]
    assert math.isnan(run.grades["choice"][1])
    assert run.unfinished == "cancelled"


def test_the_planned_answers_and_the_arguments_of_inspect(tmp_path: Path) -> None:
    log = inspect_log(SAMPLES)
    log["eval"] |= {
        "dataset": {"sample_ids": [1, 2, 3]},
        "config": {"epochs": 2},
        "task_args": {"prompt": "v2", "shots": 5},
        "task_args_passed": {"prompt": "v2"},
        "solver": "cot",
        "solver_args": {"steps": [1, 2]},
    }
    run = only(write_eval(tmp_path / "a.eval", log))
    assert (run.unfinished, run.planned) == ("", 6)
    assert run.arguments == {"solver": "cot", "prompt": "v2", "steps": "[1, 2]"}


def test_a_folder_prefers_the_newest_run_that_finished(tmp_path: Path) -> None:
    days = {"success": 1, "success again": 2, "cancelled": 3, "error": 4}
    for status, day in days.items():
        log = inspect_log([inspect_sample(day, "C")], status=status.split()[0])
        write_eval(tmp_path / f"2026-01-0{day}_quiz.eval", log)
    write_eval(tmp_path / "2026-01-05_quiz.eval", inspect_log([], status="started"))
    [[run]] = read_runs(tmp_path)
    assert run.ids == ["q2"]
    earlier, stopped = run.notes
    assert ["01-01" in earlier, "01-03" in earlier] == [True, False]
    assert ["01-01" in stopped, *(f"01-0{day}" in stopped for day in (3, 4, 5))] == [False, True, True, True]
    for day in (1, 2):
        (tmp_path / f"2026-01-0{day}_quiz.eval").unlink()
    [[run]] = read_runs(tmp_path)
    assert (run.ids, run.unfinished) == (["q4"], "error")
    with pytest.raises(InputError, match=r"05_quiz\.eval.*'started'.*score"):
        read_runs(tmp_path / "2026-01-05_quiz.eval")


def test_one_model_with_two_prompts_is_two_systems(tmp_path: Path) -> None:
    for day, prompt in enumerate(("v1", "v2", "v1")):
        log = inspect_log([inspect_sample(day, "C")])
        log["eval"]["task_args"] = {"prompt": prompt, "shots": 5}
        write_eval(tmp_path / f"{day}.eval", log)
    [runs] = read_runs(tmp_path)
    assert [(run.system, run.ids) for run in runs] == [
        ("lab/small (prompt=v1)", ["q2"]),
        ("lab/small (prompt=v2)", ["q1"]),
    ]
    write_eval(tmp_path / "3.eval", inspect_log([inspect_sample(3, "C")]))
    [runs] = read_runs(tmp_path)
    assert [run.system for run in runs] == [
        "lab/small (prompt=v1, shots=5)",
        "lab/small (prompt=v2, shots=5)",
        "lab/small",
    ]


def test_answers_by_length_are_those_that_acc_norm_grades(tmp_path: Path) -> None:
    """Per character the long option wins, with the highest log-likelihood the short one."""
    options = [" yes", " certainly not, for many reasons"]
    arguments = {f"gen_args_{n}": {"arg_0": "?", "arg_1": text} for n, text in enumerate(options)}
    metrics = {"metrics": ["acc", "acc_norm"], "acc_norm": 1.0, "arguments": arguments}
    run = only(write_lm_eval(tmp_path, "t", [lm_eval_choice(0, [-3, -8], 1, **metrics)]))
    assert [run.keep(scorer).items[0].answer for scorer in ("acc", "acc_norm")] == [0, 1]
    assert run.keep("acc_norm").items[0].log_likelihoods is None


def test_lm_eval(tmp_path: Path) -> None:
    lines = [lm_eval_choice(0, [-1, -2], 0), lm_eval_choice(1, [-1, -2, math.log(3) - 1], 0)]
    run = only(write_lm_eval(tmp_path / "lab__small", "quiz_v2", lines))
    assert (run.system, run.task) == ("lab__small", "quiz_v2")
    assert run.grades["acc"].tolist() == [1, 0]
    assert [(x.options, x.truth, x.answer) for x in run.items] == [(2, 0, 0), (3, 0, 2)]
    shares = choice_probabilities(run.items, 3)
    assert shares is not None
    np.testing.assert_allclose(shares[0], [1 / (1 + math.exp(-1)), 1 / (1 + math.e), 0])
    np.testing.assert_allclose(shares[1, 2] / shares[1, 0], 3)


def test_filters_of_lm_eval_are_scorers_and_equal_documents_are_items_of_their_own(tmp_path: Path) -> None:
    base = {"target": "7", "filtered_resps": ["7"], "metrics": ["exact_match"]}
    lines = [
        {
            "doc_id": n,
            "doc": {},
            "doc_hash": "same" if n < 2 else "other",
            "filter": kept,
            "exact_match": n,
            **base,
        }
        for kept in ("strict", "loose")
        for n in range(3)
    ]
    run = only(write_lm_eval(tmp_path, "sums", lines))
    assert run.ids == ["same", "same#2", "other"]
    assert {name: x.tolist() for name, x in run.grades.items()} == {
        "exact_match,strict": [0, 1, 2],
        "exact_match,loose": [0, 1, 2],
    }
    assert not any(item.is_choice for item in run.items)


def test_unconditional_log_likelihoods_are_no_options(tmp_path: Path) -> None:
    metrics = {"metrics": ["acc", "acc_mutual_info"], "acc_mutual_info": 0.0}
    run = only(write_lm_eval(tmp_path, "t", [lm_eval_choice(0, [-1, -2, -9, -9], 1, **metrics)]))
    assert run.items[0].options == 2


def test_a_folder_gives_the_newest_log_of_each_task_and_the_name_of_the_model(tmp_path: Path) -> None:
    old = write_lm_eval(tmp_path, "quiz", [lm_eval_choice(0, [-1, -2], 0)])
    write_lm_eval(tmp_path, "quiz", [lm_eval_choice(0, [-1, -2], 1)], date="2026-02-01")
    write_lm_eval(tmp_path, "sums", [lm_eval_choice(0, [-1, -2], 1)])
    (tmp_path / "results_2026.json").write_text('{"model_name": "lab/small"}')
    [runs] = read_runs(tmp_path)
    assert [(run.system, run.task, run.grades["acc"].tolist()) for run in runs] == [
        ("lab/small", "quiz", [0]),
        ("lab/small", "sums", [0]),
    ]
    assert str(old) in runs[0].notes[-1]


@pytest.mark.parametrize("layout", ["json", "jsonl"])
def test_promptfoo(tmp_path: Path, layout: str) -> None:
    rows = [promptfoo_row(t, p, t == 1) for t in (1, 2) for p in ("small", "large")]
    rows += [promptfoo_row(3, "small", False, vars={"q": "question 1"}, namedScores={"tone": 0.5})]
    rows += [promptfoo_row(4, "large", False, failureReason=2)]
    path = tmp_path / f"results.{layout}"
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(json.dumps(promptfoo_results(rows)) if layout == "json" else lines)
    [[small, large]] = read_runs(str(path))
    assert (small.system, large.system, small.task) == ("small", "large", "tests")
    assert small.grades["pass"].tolist() == [1, 0, 0]
    assert small.ids[0] == small.ids[2] != small.ids[1]
    np.testing.assert_array_equal(small.grades["tone"], [math.nan, math.nan, 0.5])
    assert sum(item.is_error for item in large.items) == 1
    assert math.isnan(large.grades["pass"][2])


def test_prompts_are_systems(tmp_path: Path) -> None:
    rows = [promptfoo_row(1, "m", True, prompt={"label": label}) for label in ("short", "long")]
    (tmp_path / "r.json").write_text(json.dumps(promptfoo_results(rows)))
    [runs] = read_runs(tmp_path / "r.json")
    assert [run.system for run in runs] == ["m, short", "m, long"]


def test_other_files_are_no_run_logs(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0\n")
    (tmp_path / "b.jsonl").write_text('{"y": 1}\n')
    assert read_runs([tmp_path / "a.csv", tmp_path / "b.jsonl"]) == []
    assert read_runs(tmp_path) == read_runs("-") == read_runs("s3://x/y.eval") == read_runs({}) == []


def test_readers_of_others(tmp_path: Path) -> None:
    def read(path: Path) -> list[Run]:
        return [make_run("ours", "m", "t", path, [Item("1", {"right": 1.0})], "One line is one item.")]

    register_reader(Reader("ours", (".log",), (b"OURS",), read))
    (tmp_path / "a.log").write_text("OURS 1")
    assert only(tmp_path / "a.log").notes == ("One line is one item.",)
    (tmp_path / "b.log").write_text("THEIRS 1")
    assert find_reader(tmp_path / "b.log") is None


def test_a_registered_reader_ends_with_its_test() -> None:
    assert all(".log" not in reader.endings for reader in READERS), "test_readers_of_others registered one"


# -- bad input -------------------------------------------------------------------------------------------


def told(path: object, *parts: str) -> None:
    with pytest.raises(InputError) as error:
        read_runs(path)
    for part in parts:
        assert part in str(error.value), str(error.value)


def test_a_truncated_archive(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", inspect_log(SAMPLES))
    path.write_bytes(path.read_bytes()[:-40])
    told(path, str(path), "damaged")


@pytest.mark.parametrize("claim", [10, 15 << 20, 17 << 20, 3 << 30])
def test_an_archive_that_unpacks_to_more_or_less_than_it_says(tmp_path: Path, claim: int) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(zip_archive({"header.json": b" " * (8 << 20)}, claim=claim))
    told(path, str(path), "header.json", f"{claim:,}" if claim < 16 << 20 else "too large")


def test_bytes_that_are_not_zstd(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", inspect_log(SAMPLES))
    path.write_bytes(path.read_bytes().replace(b"\x28\xb5\x2f\xfd", b"\0\0\0\0"))
    told(path, str(path), "damaged")


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"version": 3}, ["version 3", "version 2"]),
        ({"eval": {"run_id": "r", "task": "t"}}, ["'model'"]),
        ({"samples": [{"epoch": 1}]}, ["sample 1", "'id'"]),
        ({"samples": [{"id": "q9", "scores": {"choice": {}}}]}, ["q9", "choice", "'value'"]),
        ({"samples": [inspect_sample(9, "maybe")]}, ["q9", "choice", "'maybe'"]),
        ({"samples": []}, ["no items"]),
        ({"samples": [{"id": 1, "scores": None}]}, ["no item", "score"]),
        ({"samples": {}}, ["'samples'"]),
    ],
)
def test_bad_logs_of_inspect(tmp_path: Path, change: dict[str, object], parts: list[str]) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**inspect_log(SAMPLES), **change}))
    told(path, str(path), *parts)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"metrics": ["acc", "gone"]}, ["doc_id 0", "'gone'"]),
        ({"filtered_resps": [["-1", "True"], ["x", "False"]]}, ["doc_id 0", "filtered_resps"]),
        ({"filtered_resps": [["nan", "True"], ["-1", "False"]]}, ["doc_id 0", "filtered_resps"]),
        ({"target": "2"}, ["doc_id 0", "target", "2"]),
    ],
)
def test_bad_samples_of_lm_eval(tmp_path: Path, change: dict[str, object], parts: list[str]) -> None:
    path = write_lm_eval(tmp_path, "quiz", [lm_eval_choice(0, [-1, -2], 0, **change)])
    told(path, str(path), "line 1", *parts)


def test_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "quiz", [lm_eval_choice(n, [-1, -2], 0) for n in range(2)])
    path.write_bytes(path.read_bytes()[:-30])
    told(path, str(path), "line 2", "JSON")


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        (promptfoo_results([], version=2), ["version 2", "version 3"]),
        (promptfoo_results([{"promptIdx": 0}]), ["result 1", "'testIdx'"]),
        (promptfoo_results([promptfoo_row(5, "m", True, score="high")]), ["testIdx 5", "score", "'high'"]),
        (promptfoo_results([promptfoo_row(5, "m", True, provider=None)]), ["result 1", "'provider'", "null"]),
    ],
)
def test_bad_results_of_promptfoo(tmp_path: Path, whole: dict[str, object], parts: list[str]) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(whole))
    told(path, str(path), *parts)


def test_one_file_twice_and_logs_beside_tables(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", inspect_log(SAMPLES))
    told([path, path], str(path), "twice")
    (tmp_path / "t.csv").write_text("y,p\n")
    told([path, tmp_path / "t.csv"], "t.csv", "a.eval")


# -- retrieval -------------------------------------------------------------------------------------------


def test_dictionaries_and_qrels_of_beir_and_mteb(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n")
    (tmp_path / "q.json").write_text('{"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}')
    for name in ("q.tsv", "q.json"):
        qrels = read_qrels(tmp_path / name)
        result = zip(
            [qrels.query.labels[x] for x in qrels.query.codes], qrels.document, qrels.grade, strict=True
        )
        assert list(result) == [("q1", b"d1", 2), ("q1", b"d2", 0), ("q2", b"d1", 1)]
    scores = {"q1": {"d1": 0.5, "d3": 1}, "q2": {}}
    meta = {"mteb_model_meta": {"model_name": "lab/encoder"}, "default": {"test": scores}}
    for content, name in ((scores, str(tmp_path / "r.json")), (meta, "lab/encoder")):
        (tmp_path / "r.json").write_text(json.dumps(content))
        run = read_run(tmp_path / "r.json")
        assert (run.name, run.document.tolist(), run.score.tolist()) == (name, [b"d1", b"d3"], [0.5, 1.0])


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('{"q1": {"d1": "x"}}', ["q1", "d1", "'x'"]),
        ('{"q1": {"d1": NaN}}', ["q1", "d1", "nan"]),
        ('{"q1": {"d1": 1}, "q2": 3}', ["q2", "3"]),
        ('{"mteb_model_meta": {"model_name": "m"}, "de": {"test": {"q": {"d": 1}}}, "en": {}}', ["de, en"]),
        ('{"mteb_model_meta": {}, "de": {}}', ["model_name"]),
        ('{"q1": 3}', ["q1", "3"]),
        ('{"de": {"test": {"q": {"d": 1}}}}', ["de", "test"]),
        ("[1]", ["{query: {document: score}}"]),
        ('{"q1": {', ["JSON"]),
    ],
)
def test_bad_dictionaries(tmp_path: Path, content: str, parts: list[str]) -> None:
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_run(path)
    for part in [str(path), *parts]:
        assert part in str(error.value)


def test_grades_of_a_dictionary_are_whole(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('{"q1": {"d1": 0.5}}')
    with pytest.raises(InputError, match=r"q1.*whole.*0\.5"):
        read_qrels(tmp_path / "q.json")


def test_a_run_without_scores_is_empty(tmp_path: Path) -> None:
    for content in ("{}", '{"q1": {}}'):
        (tmp_path / "r.json").write_text(content)
        with pytest.raises(InputError, match=r"r\.json is empty: \{query: \{document: score\}\} is needed"):
            read_run(tmp_path / "r.json")


def test_numbers_that_no_column_holds(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps({"q1": {"d1": 10**400}}))
    with pytest.raises(InputError, match=r"q1.*d1"):
        read_run(tmp_path / "r.json")
    (tmp_path / "r.json").write_text('{"q1": {"d1": Infinity, "d2": -1e999, "d3": 2}}')
    assert read_run(tmp_path / "r.json").score.tolist() == [math.inf, -math.inf, 2.0]
    for grade in ("Infinity", str(2**63), "1e300"):
        (tmp_path / "q.json").write_text(f'{{"q1": {{"d1": {grade}}}}}')
        with pytest.raises(InputError, match=r"q1.*whole.*d1"):
            read_qrels(tmp_path / "q.json")


# -- fields of another type ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"id": None}, "the field 'id' must be a whole number or text; saw null"),
        ({"id": "q", "scores": [1]}, "the field 'scores' must be an object or null; saw a list"),
        ({"id": "q", "scores": {"choice": 3}}, "a value of the field 'scores' must be an object"),
        ({"id": "q", "target": 5}, "the field 'target' must be text or a list or null; saw a whole number"),
        ({"id": "q", "choices": 4}, "the field 'choices' must be a list or null"),
        ({"id": "q", "metadata": "x"}, "the field 'metadata' must be an object or null; saw text"),
    ],
)
@pytest.mark.parametrize("layout", ["json", "eval", "samples"])
def test_a_wrong_field_is_named_with_its_file_and_item(
    tmp_path: Path, layout: str, sample: dict[str, object], message: str
) -> None:
    log = inspect_log([SAMPLES[0], {"epoch": 1, **sample}])
    path = tmp_path / "a.json"
    if layout == "json":
        path.write_text(json.dumps(log))
    else:
        files = {"summaries.json": json.dumps(log["samples"]).encode()}
        if layout == "samples":
            files = {f"samples/{n}.json": json.dumps(x).encode() for n, x in enumerate(log["samples"])}
        header = {name: value for name, value in log.items() if name != "samples"}
        path = tmp_path / "a.eval"
        path.write_bytes(zip_archive(files | {"header.json": json.dumps(header).encode()}))
    item = "samples/1.json" if layout == "samples" else "sample 2"
    told(path, str(path), item, message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"eval": ["run_id", "task"]}, "the field 'eval' must be an object; saw a list"),
        ({"eval": {"task": 1, "model": "m", "run_id": "r"}}, "eval: the field 'task' must be text"),
        ({"results": {"scores": {}}}, "results: the field 'scores' must be a list or null; saw an object"),
        ({"status": 7}, "the field 'status' must be text; saw a whole number"),
        ({"version": "2"}, "the field 'version' must be a whole number; saw text"),
    ],
)
def test_a_wrong_field_of_the_header_is_named(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(inspect_log(SAMPLES) | change))
    told(tmp_path / "a.json", "a.json", message)


def test_numbers_that_json_does_not_have_and_halves_of_characters(tmp_path: Path) -> None:
    """Fields that nobody reads may hold anything; ids that differ stay different."""
    samples = [
        {**SAMPLES[0], "id": f"\ud800{n}", "messages": ["\udfff"], "total_time": math.inf} for n in (1, 2)
    ]
    (tmp_path / "a.json").write_text(json.dumps(inspect_log([*samples, SAMPLES[3]])))
    run = only(tmp_path / "a.json")
    assert len(set(run.ids)) == 3
    assert all(name.encode() for name in run.ids)
    np.testing.assert_array_equal(run.grades["choice"], [1, 1, math.nan])


@pytest.mark.parametrize("levels", [60, 70, 500, 100_000])
def test_bounded_nesting(tmp_path: Path, levels: int) -> None:
    deep = "[" * levels + "]" * levels
    rows = json.dumps(inspect_log([SAMPLES[0]])).replace('"passage": 7', f'"passage": 7, "deep": {deep}')
    (tmp_path / "a.json").write_text(rows)
    if levels < 64:
        assert only(tmp_path / "a.json").ids == ["q1"]
    else:
        told(tmp_path / "a.json", "a.json")


def test_a_folder_that_cannot_be_listed_and_a_log_that_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_eval(tmp_path / "a.eval", inspect_log(SAMPLES))

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    for owner, name, given in ((os, "scandir", tmp_path), (Path, "stat", path), (Path, "is_file", path)):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, refused)
            with pytest.raises(InputError, match="cannot be read: Permission denied"):
                read_runs(given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc_id": None}, "the field 'doc_id' must be a whole number or text; saw null"),
        ({"metrics": "acc"}, "the field 'metrics' must be a list; saw text"),
        ({"metrics": [["acc"]]}, "item 1 must be text; saw a list"),
        ({"filtered_resps": {"a": 1}}, "the field 'filtered_resps' must be a list or null; saw an object"),
        ({"filtered_resps": [[10**400, "a"], ["-1", "b"]]}, "log-likelihood that is not a number"),
        ({"filtered_resps": [["inf", "a"], ["-1", "b"]]}, "log-likelihood that is not a number"),
        ({"doc_hash": 5}, "the field 'doc_hash' must be text or null; saw a whole number"),
    ],
)
def test_a_wrong_field_of_lm_eval_is_named(tmp_path: Path, change: dict[str, object], message: str) -> None:
    lines = [lm_eval_choice(0, [-1, -2], 0), lm_eval_choice(1, [-1, -2], 0, **change)]
    told(write_lm_eval(tmp_path, "quiz", lines), "line 2", message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": "p"}, "the field 'prompt' must be an object; saw text"),
        ({"namedScores": [1]}, "the field 'namedScores' must be an object or null; saw a list"),
        ({"vars": 3}, "the field 'vars' must be an object or null; saw a whole number"),
        ({"provider": {"label": ""}}, "the field 'provider' has neither an id nor a label"),
        ({"score": None}, "score must be a number, true or false; saw None"),
        ({"score": 10**400}, "score must be a number"),
    ],
)
@pytest.mark.parametrize("layout", ["json", "jsonl"])
def test_a_wrong_field_of_promptfoo_is_named(
    tmp_path: Path, layout: str, change: dict[str, object], message: str
) -> None:
    rows = [promptfoo_row(1, "m", True), promptfoo_row(2, "m", True, **change)]
    path = tmp_path / f"r.{layout}"
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(json.dumps(promptfoo_results(rows)) if layout == "json" else lines)
    told(path, str(path), "result 2" if layout == "json" else "line 2", message)


def test_results_without_a_row_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(promptfoo_results([])))
    told(tmp_path / "r.json", "r.json holds no results")


def test_an_unreadable_log_of_a_folder_is_left_out_if_there_are_others(tmp_path: Path) -> None:
    write_eval(tmp_path / "a.eval", inspect_log(SAMPLES))
    (tmp_path / "b.eval").write_bytes(b"damaged")
    [[run]] = read_runs(tmp_path)
    [error] = run.unreadable
    assert "b.eval cannot be read" in error
    with pytest.raises(InputError, match=r"b\.eval cannot be read"):
        read_runs([tmp_path / "a.eval", tmp_path / "b.eval"])
    (tmp_path / "a.eval").unlink()
    with pytest.raises(InputError, match=r"b\.eval cannot be read"):
        read_runs(tmp_path)
