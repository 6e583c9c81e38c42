"""Tallies with their terms: the same terms however written, any tally at every door, sums and names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import MergeError, OptionError
from edgeworth.pipeline.tally_file import tally_of_text, tally_text, write_tally
from edgeworth.pipeline.tally_record import TallyRecord, as_tally_record

TRUTH, GUESS, OTHER = [1, 0, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 1, 1, 1]
SCORES = [0.9, 0.2, 0.7, 0.4, 0.1]
TABLE = ew.ContingencyTable.from_labels(TRUTH * 6, GUESS * 6)
AGAIN = ew.ContingencyTable.from_labels(TRUTH * 5, OTHER * 5)


def counted(place: int, **words: Any) -> TallyRecord:
    """A part that differs from others by its rows."""
    return ew.tally(truth=TRUTH * (place + 1), prediction=GUESS * (place + 1), **words)


SPELLINGS: dict[str, list[dict[str, Any]]] = {
    "labels": [{"labels": [0, 1]}, {"labels": (0, 1)}, {"labels": np.array([0, 1])}, {"labels": [0.0, True]}],
    "positive": [{"positive": 1}, {"positive": np.int64(1)}, {"positive": 1.0}],
    "abstain": [{"abstain": -1}, {"abstain": np.int8(-1)}],
}


@pytest.mark.parametrize("words", SPELLINGS.values(), ids=SPELLINGS)
def test_the_same_terms_however_written(words: list[dict[str, Any]]) -> None:
    parts = [counted(index, **word) for index, word in enumerate(words)]
    read = [tally_of_text(tally_text(part)) for part in parts]
    assert all(item.terms == parts[0].terms for item in (*parts, *read))
    # In memory and from files, in any order.
    mixed = [
        part if position % 2 else again
        for position, (part, again) in enumerate(zip(parts, read, strict=True))
    ]
    assert ew.TallyRecord.merge(mixed).final == ew.TallyRecord.merge(parts[::-1]).final
    assert ew.evaluate(ew.TallyRecord.merge(mixed)).verdict


def test_the_same_bins_however_written() -> None:
    for edges in ([0.0, 0.5], (0, 0.5), np.array([0.0, 0.5])):
        tallied = ew.tally(truth=TRUTH, score=SCORES, bins=edges)
        assert tallied.terms["bins"] == [0.0, 0.5]
        again = tally_of_text(tally_text(tallied))
        assert again.terms == tallied.terms
        assert ew.TallyRecord.merge([again, tallied], again=True).final.total == 10
    four: Any = np.int64(4)
    assert ew.tally(truth=TRUTH, score=SCORES, bins=four).terms["bins"] == 4


def test_other_terms_do_not_merge() -> None:
    with pytest.raises(MergeError, match=r"differ in labels: \[0, 1\] and \[1, 0\]"):
        _ = counted(0, labels=(0, 1)) + counted(1, labels=np.array([1, 0]))
    with pytest.raises(MergeError, match="differ in labels: None and"):
        _ = counted(0) + counted(1, labels=np.array([1, 0]))


def test_a_report_takes_arrays_of_labels() -> None:
    labels: Any = np.array([1, 0])
    report = ew.evaluate(counted(3), labels=labels, positive=np.int64(0))
    assert report.provenance["labels"] == [1, 0]
    assert report.provenance["positive"] == 0


def test_any_tally_at_every_door(tmp_path: Path) -> None:
    merged = ew.TallyRecord.merge([TABLE, AGAIN])
    assert merged.final == TABLE + AGAIN
    assert merged.origin.number == 2
    assert ew.evaluate(TABLE).verdict == ew.evaluate(TallyRecord(TABLE)).verdict
    TallyRecord(TABLE).write(tmp_path / "t.json")
    write_tally(TABLE, tmp_path / "u.json")
    assert (tmp_path / "t.json").read_bytes() == (tmp_path / "u.json").read_bytes()
    ranking = ew.Ranking.from_scores(TRUTH * 8, SCORES * 8)
    assert ew.evaluate(ranking).verdict == ew.evaluate(truth=TRUTH * 8, score=SCORES * 8).verdict
    assert as_tally_record(merged) is merged


def test_an_estimate_of_a_record_is_refused_with_what_to_pass() -> None:
    record = ew.tally(truth=TRUTH, prediction=TRUTH)
    with pytest.raises(OptionError, match=r"saw TallyRecord: pass its \.final$"):
        ew.estimate(record, "accuracy")
    with pytest.raises(OptionError, match=r"saw TallyRecord: pass its \.final$"):
        ew.measure(record, "accuracy")
    assert ew.estimate(record.final, "accuracy").value == 1


def test_what_is_no_tally_is_refused() -> None:
    for wrong in ("shard.json", None, {"counts": [[1]]}, [TABLE]):
        with pytest.raises(OptionError, match=r"a tally is a table, a ranking.*; saw "):
            ew.TallyRecord.merge([wrong])
    wealth = ew.Wealth.from_probabilities(TRUTH, SCORES, against=[0.5] * 5)
    with pytest.raises(OptionError, match="no report for wealth"):
        ew.evaluate(wealth)


@pytest.mark.parametrize("wrong", [TABLE, "ab", 5, None], ids=["table", "text", "number", "none"])
def test_tallies_are_merged_from_a_list(wrong: Any) -> None:
    with pytest.raises(OptionError, match="tallies to merge are given as a list; saw"):
        ew.TallyRecord.merge(wrong)


def test_generators_and_sums() -> None:
    parts = [counted(index) for index in range(4)]
    whole = ew.TallyRecord.merge(parts)
    assert ew.TallyRecord.merge(counted(position) for position in range(4)).final == whole.final
    total = sum(parts, start=0)
    assert isinstance(total, TallyRecord)
    assert total.final == whole.final
    assert total.origin == whole.origin
    with pytest.raises(TypeError):
        _ = 1 + parts[0]


@pytest.mark.parametrize("wrong", ["5", 2.0, -1, True], ids=str)
def test_rows_before_are_a_whole_number(wrong: Any) -> None:
    words: dict[str, Any] = {"truth": TRUTH, "probabilities": SCORES, "against": [0.5] * 5, "ordered": True}
    with pytest.raises(OptionError, match="rows_before is a whole number from 0 to 2"):
        ew.tally(**words, rows_before=wrong)
    placed = ew.tally(**words, rows_before=np.int64(7))  # type: ignore[arg-type]  # numpy's whole numbers too
    assert int(placed.tally.wealth.blocks.starts[0]) == 7


def test_the_two_that_do_not_merge_are_named(tmp_path: Path) -> None:
    words: dict[str, Any] = {"ordered": True, "against": [0.5] * 5}
    days = [
        ew.tally(truth=TRUTH, probabilities=[score * part for score in SCORES], **words, rows_before=first)
        for first, part in ((0, 1.0), (5, 0.9), (10, 0.8), (7, 0.7))
    ]
    for position, day in enumerate(days):
        day.write(tmp_path / f"{position}.json")
    read = [ew.read_tally(tmp_path / f"{index}.json") for index in range(4)]
    with pytest.raises(MergeError) as caught:
        ew.TallyRecord.merge(read)
    assert f"{tmp_path / '1.json'} and {tmp_path / '3.json'} do not merge: " in str(caught.value)


def test_kinds_of_labels_are_compared_beyond_the_first() -> None:
    nothing = ew.tally(truth=[None], prediction=[1], missing="drop")
    words = ew.tally(truth=["a"], prediction=["b"], missing="drop")
    numbers = ew.tally(truth=[1], prediction=[0], missing="drop")
    with pytest.raises(MergeError, match="the labels of arrays are text"):
        ew.TallyRecord.merge([nothing, words, numbers])


@pytest.mark.parametrize("kind", [dict, MappingProxyType], ids=["dict", "mapping"])
def test_several_predictions_are_compared_not_evaluated(kind: Any) -> None:
    several: Mapping[str, Any] = kind({"one": GUESS, "two": OTHER})
    with pytest.raises(OptionError, match=r"evaluate takes one prediction: use ew\.compare for several"):
        ew.evaluate(truth=TRUTH, prediction=several)
    with pytest.raises(OptionError, match="pool is not supported with labels of several"):
        ew.evaluate(truth=TRUTH, prediction=several, pool=5.0)
    tallied = ew.tally(truth=TRUTH, prediction=several)
    assert isinstance(tallied.tally, ew.Paired)
    with pytest.raises(OptionError, match="overround is not supported with labels of several"):
        ew.evaluate(tallied, overround=0.1)


SHOWN: dict[str, tuple[dict[str, Any], str]] = {
    "labels": ({"prediction": GUESS}, "<TallyRecord: labels, 5 rows>"),
    "several": (
        {"prediction": {"<one>": GUESS, "two": OTHER}},
        "<TallyRecord: labels of several systems, 5 rows>",
    ),
    "scores": ({"score": SCORES}, "<TallyRecord: scores, 5 rows>"),
    "lists": ({"score": SCORES, "query": [1, 1, 2, 2, 2]}, "<TallyRecord: queries, 5 rows>"),
    "probabilities": (
        {"probabilities": SCORES, "against": [0.5] * 5},
        "<TallyRecord: probabilities, 5 rows>",
    ),
}


@pytest.mark.parametrize(("words", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_is_shown_is_short_and_safe(words: dict[str, Any], shown: str) -> None:
    tallied = ew.tally(truth=TRUTH, **words)
    assert repr(tallied) == shown
    page = tallied._repr_html_()
    assert page.startswith("<table")
    assert "<caption>TallyRecord</caption>" in page
    assert "<td>rows</td><td>5</td>" in page
    assert "<one>" not in page
    assert repr(as_tally_record(TABLE)) == "<TallyRecord: labels>"
    assert repr(counted(0) + counted(1)) == "<TallyRecord of 2 sources: labels, 15 rows>"
