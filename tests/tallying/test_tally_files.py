"""Tally files: what is read is what was written, and anything else is refused with a sentence."""

from __future__ import annotations

import datetime
import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.pipeline.tally_file import tally_of_text, tally_text, write_tally
from edgeworth.pipeline.tally_record import (
    MAX_PARTS_KEPT,
    Part,
    TallyRecord,
    as_tally_record,
    canonical_text,
    fingerprint,
)
from edgeworth.sources import paths

TRUTH, GUESS = ["a", "b", "b", "a", "b"], ["a", "a", "b", "a", "b"]
SCORES = [0.1, np.inf, 0.5, -np.inf, 0.5]
HALVES = [0.2, 0.5, 0.7, 0.4, 0.9]
GROUPS = ["x", "y", "x", "y", "x"]
ZEROS = [0, 1, 1, 0, 1]

MADE: dict[str, Callable[[], TallyRecord]] = {
    "labels": lambda: ew.tally(truth=TRUTH, prediction=GUESS, positive="b"),
    "weights": lambda: ew.tally(truth=TRUTH, prediction=GUESS, weight=HALVES),
    "whole weights": lambda: ew.tally(truth=TRUTH, prediction=GUESS, weight=[1, 2, 3, 4, 5]),
    "groups": lambda: ew.tally(truth=TRUTH, prediction=GUESS, cluster=GROUPS),
    "weighed groups": lambda: ew.tally(truth=TRUTH, prediction=GUESS, cluster=GROUPS, weight=HALVES),
    "scores": lambda: ew.tally(truth=TRUTH, score=SCORES, positive="b"),
    "weighed scores": lambda: ew.tally(truth=TRUTH, score=SCORES, weight=HALVES, positive="b"),
    "cells": lambda: ew.tally(truth=ZEROS, score=HALVES, bins=4),
    "edges": lambda: ew.tally(truth=ZEROS, score=HALVES, bins=[0.0, 0.5]),
    "lists": lambda: ew.tally(truth=ZEROS, score=HALVES, query=GROUPS),
    "several": lambda: ew.tally(truth=TRUTH, prediction={"one": GUESS, "two": TRUTH}),
    "probabilities": lambda: ew.tally(truth=ZEROS, probabilities=HALVES, against=[0.5] * 5),
}
BARE: dict[str, Any] = {
    "table": ew.ContingencyTable.from_labels(TRUTH, GUESS),
    "ranking": ew.Ranking.from_scores(ZEROS, HALVES),
    "wealth": ew.Wealth.from_probabilities(ZEROS, HALVES, against=[0.5] * 5),
    "calibration": ew.Calibration.from_probabilities(ZEROS, HALVES),
    "paired scores": PairedScores.from_scores(ZEROS, {"one": HALVES, "two": HALVES[::-1]}),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_a_tally_comes_back_as_it_was(made: Callable[[], TallyRecord], tmp_path: Path) -> None:
    tallied = made()
    tallied.write(tmp_path / "t.json")
    again = ew.read_tally(tmp_path / "t.json")
    assert type(again.final) is type(tallied.final)
    assert again.final == tallied.final
    assert again.origin == tallied.origin
    assert tally_text(again) == tally_text(tallied)
    assert [path.name for path in tmp_path.iterdir()] == ["t.json"]


@pytest.mark.parametrize("tally", BARE.values(), ids=BARE)
def test_any_tally_can_be_written(tally: Any, tmp_path: Path) -> None:
    TallyRecord(tally).write(tmp_path / "t.json.gz")
    assert gzip.decompress((tmp_path / "t.json.gz").read_bytes()).startswith(b'{"format":"edgeworth.tally"')
    again = ew.read_tally(tmp_path / "t.json.gz").final
    assert again.to_dict() == tally.to_dict()


def test_what_is_no_tally_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"a tally is a table, a ranking.*saw dict"):
        write_tally({"counts": [[1]]}, tmp_path / "t.json")
    assert not list(tmp_path.iterdir())


def test_a_whole_weight_is_a_count_and_stays_one() -> None:
    table = MADE["whole weights"]().final
    assert table.is_counted
    assert table.cells.dtype == np.int64
    fraction = ew.tally(truth=TRUTH, prediction=GUESS, weight=HALVES)
    both = (MADE["whole weights"]() + fraction).final
    whole = ew.ContingencyTable.from_labels(
        TRUTH * 2, GUESS * 2, weights=[1.0, 2, 3, 4, 5, *HALVES], weight_kind="sampling"
    )
    np.testing.assert_allclose(both.cells, whole.cells, rtol=1e-12)
    assert whole.squared is not None
    np.testing.assert_allclose(both.squared, whole.squared, rtol=1e-12)


def test_labels_other_than_json_has_travel_as_text() -> None:
    day = datetime.date(2026, 1, 2)
    tallied = ew.tally(truth=[day, "x"], prediction=[day, day], positive=day)
    again = tally_of_text(tally_text(tallied)).final
    assert set(again.labels) == {"datetime.date(2026, 1, 2)", "x"}
    assert again.positive == "datetime.date(2026, 1, 2)"


TEXT = tally_text(MADE["labels"]())


def changed(**sections: Any) -> str:
    return json.dumps(json.loads(TEXT) | sections)


def edited(section: str, **fields: Any) -> str:
    payload = json.loads(TEXT)
    payload[section] |= fields
    return json.dumps(payload)


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "not a tally file, or only a part of one"),
    "truncated": (TEXT[: len(TEXT) // 2], "not a tally file, or only a part of one"),
    "truncated by a byte": (TEXT[:-2], "not a tally file, or only a part of one"),
    "no JSON": ("y,p\n1,1\n", "it is not complete JSON"),
    "not text": (b"\xff\xfe\x00", "not a tally file, or only a part of one"),
    "a list": ("[1, 2]", "it holds list, not an object"),
    "another format": ('{"counts": [[1]]}', "it does not name its format"),
    "a report": ('{"schema": "edgeworth.report/1"}', "it is a report"),
    "a newer version": (
        changed(version=2),
        "is of version 2 of the format, and this Edgeworth reads versions up to 1: install a later one",
    ),
    "no version": (changed(version=None), "its version is None"),
    "version as truth": (changed(version=True), "its version is True"),
    "no tally": (changed(tally=None), "it has no 'tally'"),
    "no terms": (changed(terms=[]), "it has no 'terms'"),
    "no provenance": (changed(provenance="x"), "it has no 'provenance'"),
    "no checksum": (changed(checksum=None), "was changed after it was written"),
    "an edited count": (edited("tally", counts=[[9, 1], [0, 2]]), "was changed after it was written"),
    "an edited option": (edited("terms", positive="a"), "was changed after it was written"),
    "an edited origin": (edited("provenance", rows=6), "was changed after it was written"),
    "NaN": (TEXT.replace('"dropped":0', '"dropped":NaN'), "it is not complete JSON"),
    "deep": ("[" * 100_000, "it is not complete JSON"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_another_file_is_refused(content: str | bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "shard.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError) as caught:
        ew.read_tally(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def signed(result: dict[str, Any]) -> str:
    """With a checksum that fits, as who writes such files may make it."""
    import hashlib

    lines = "\n".join(canonical_text(result[name]) for name in ("tally", "terms", "provenance"))
    return json.dumps(result | {"checksum": f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"})


PART = {"source": "arrays", "digest": None, "rows": 5, "dropped": 0}
COLUMNS = {"truth": "truth", "prediction": "prediction"}

WRONG: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "an unknown kind": ("labels", "tally", {"kind": "horoscope"}, "saw 'horoscope'"),
    "no kind": ("labels", "tally", {"kind": None}, "saw None"),
    "counts that are no square": ("labels", "tally", {"counts": [[1, 2]]}, ""),
    "labels in one text": ("labels", "tally", {"labels": "ab"}, "'labels'"),
    "text in text": ("labels", "terms", {"text": "yes"}, "'yes' as 'text'"),
    "whole weights as a number": ("labels", "terms", {"whole_weights": 1}, "1 as 'whole_weights'"),
    "whole weights with fractions": ("weights", "terms", {"whole_weights": True}, "but their sums are not"),
    "whole weights, groups": ("weighed groups", "terms", {"whole_weights": True}, "but their sums are not"),
    "an unknown term": ("labels", "terms", {"mood": "good"}, "'mood', which is not one of its fields"),
    "a term of scores": ("labels", "terms", {"cells": 4}, "'cells', which is not one of its fields"),
    "terms of what has none": (
        "wealth",
        "terms",
        {"missing": "drop"},
        "its wealth cannot have 'missing'",
    ),
    "columns as text": ("labels", "terms", {"columns": "abc"}, "'abc' as 'columns'"),
    "columns as numbers": ("labels", "terms", {"columns": {"truth": 1}}, "1} as 'columns'"),
    "no column of predictions": (
        "labels",
        "terms",
        {"columns": {"truth": "y"}},
        "no column of prediction",
    ),
    "no column of scores": ("scores", "terms", {"columns": {"truth": "y"}}, "no column of score"),
    "no column of a predictor": (
        "several",
        "terms",
        {"columns": {"truth": "y", "prediction of one": "p"}},
        "no column of prediction of two",
    ),
    "labels of a term": ("labels", "terms", {"labels": "ab"}, "'ab' as 'labels'"),
    "a label that is a list": ("labels", "terms", {"positive": ["b"]}, "['b'] as 'positive'"),
    "a policy nobody knows": ("labels", "terms", {"missing": "guess"}, "'guess' as 'missing'"),
    "a kind of weights": ("labels", "terms", {"weight_kind": 3}, "3 as 'weight_kind'"),
    "cells as text": ("cells", "terms", {"cells": "4"}, "'4' as 'cells'"),
    "no cells": ("cells", "terms", {"cells": []}, "[] as 'cells'"),
    "a grade as text": ("lists", "terms", {"relevant_from": "1"}, "'1' as 'relevant_from'"),
    "a stake that is true": ("probabilities", "terms", {"fraction": True}, "True as 'fraction'"),
    "an order of 1": ("probabilities", "terms", {"ordered": 1}, "1 as 'ordered'"),
    "made at another time": (
        "probabilities",
        "terms",
        {"predictions_made": "later"},
        "'later' as 'predictions_m",
    ),
    "rows as text": ("labels", "provenance", {"rows": "abc"}, "'abc' as 'rows'"),
    "rows as truth": ("labels", "provenance", {"rows": True}, "True as 'rows'"),
    "rows below 0": ("labels", "provenance", {"rows": -5}, "-5 as 'rows'"),
    "dropped as text": ("labels", "provenance", {"dropped": "0"}, "'0' as 'dropped'"),
    "no number of sources": ("labels", "provenance", {"number": None}, "None as 'number'"),
    "parts that are none": ("labels", "provenance", {"parts": [{"file": "x"}]}, "must have 'source'"),
    "parts with more": ("labels", "provenance", {"parts": [PART | {"owner": "x"}]}, "'owner', which is not"),
    "parts as text": ("labels", "provenance", {"parts": ["arrays"]}, "saw 'arrays'"),
    "no parts": ("labels", "provenance", {"parts": []}, "as 'parts'"),
    "a source that is a number": ("labels", "provenance", {"parts": [PART | {"source": 5}]}, "5 as 'source'"),
    "a digest that is none": ("labels", "provenance", {"parts": [PART | {"digest": "x"}]}, "as 'digest'"),
    "a fingerprint that is none": ("labels", "provenance", {"fingerprints": ["0"]}, "'0' in 'fingerprints'"),
    "no fingerprints": ("labels", "provenance", {"fingerprints": []}, "as 'fingerprints'"),
    "no digest": ("labels", "provenance", {"digest": None}, "None as 'digest'"),
    "notices as one text": ("labels", "provenance", {"notices": "abc"}, "'abc' as 'notices'"),
    "notices that are no text": ("labels", "provenance", {"notices": [1, {}]}, "1 in 'notices'"),
    "versions that are no text": ("labels", "provenance", {"versions": []}, "as 'versions'"),
    "half a fingerprint more": (
        "labels",
        "provenance",
        {"fingerprints": ["0" * 16 + "+0"]},
        "+0' in 'fing",
    ),
    "a place of labels": ("labels", "terms", {"placed": True}, "its contingency_table cannot have 'placed'"),
    "a place as a number": (
        "probabilities",
        "terms",
        {"placed": 1},
        "forecasts cannot have 1 as 'placed'",
    ),
    "more in the provenance": ("labels", "provenance", {"mood": 1}, "'mood', which is not one of its fields"),
}


@pytest.mark.parametrize(("made", "section", "fields", "message"), WRONG.values(), ids=WRONG)
def test_a_checksum_does_not_make_it_right(
    made: str, section: str, fields: dict[str, Any], message: str
) -> None:
    payload = json.loads(tally_text(MADE[made]() if made in MADE else as_tally_record(BARE[made])))
    assert tally_of_text(signed(payload)), "as it was it can be read"
    payload[section] |= fields
    with pytest.raises(InputError) as caught:
        tally_of_text(signed(payload))
    assert "cannot be read as a tally" in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("section", ["terms", "provenance"])
def test_every_field_is_needed_or_may_be_left_out(section: str) -> None:
    for name in json.loads(TEXT)[section]:
        payload = json.loads(TEXT)
        del payload[section][name]
        if section == "terms" and name not in ("text", "whole_weights"):
            assert tally_of_text(signed(payload)).tally == tally_of_text(TEXT).tally
        else:
            with pytest.raises(InputError, match=r"^a tally cannot be read as a tally: "):
                tally_of_text(signed(payload))


def test_a_small_file_is_given_no_great_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = tmp_path / "bomb.json.gz"
    bomb.write_bytes(gzip.compress(b" " * (8 << 20)))
    monkeypatch.setattr(paths, "MIN_UNPACKED_LIMIT", 2 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"bomb\.json\.gz is too large: it has .* when unpacked"):
            ew.read_tally(bomb)
        assert tracemalloc.get_traced_memory()[1] < 7 << 20
    finally:
        tracemalloc.stop()
    MADE["labels"]().write(tmp_path / "t.json")
    monkeypatch.setattr(paths, "MAX_WHOLE_FILE_BYTES", 100)
    with pytest.raises(InputError, match=r"t\.json is too large: it has more than 100"):
        ew.read_tally(tmp_path / "t.json")


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(InputError, match="cannot be read: embedded null byte"):
        ew.read_tally("a\0b.json")


def test_half_a_character_is_no_reason_to_fail() -> None:
    computed = json.loads(TEXT) | {"checksum": "sha256:0"}
    computed["tally"]["labels"] = ["a", "\ud800"]
    with pytest.raises(InputError, match="was changed after it was written"):
        tally_of_text(json.dumps(computed))


def test_spaces_and_order_do_not_matter() -> None:
    payload = json.loads(TEXT)
    laid_out = json.dumps(dict(reversed(payload.items())), indent=2)
    assert tally_of_text(laid_out).final == tally_of_text(TEXT).final


def test_files_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.json does not exist"):
        ew.read_tally(tmp_path / "no.json")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        ew.read_tally(tmp_path)
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(TEXT.encode())[:-12])
    with pytest.raises(InputError, match=r"cut\.json\.gz cannot be read: it is damaged or incomplete"):
        ew.read_tally(tmp_path / "cut.json.gz")


def test_arrays_and_text_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("y,p\n" + "1,1\n0,1\n" * 3, encoding="utf-8")
    text = ew.tally(tmp_path / "x.csv", truth="y", prediction="p")
    typed = ew.tally(truth=[1, 0], prediction=[1, 1])
    with pytest.raises(MergeError, match=r"differ in the column of truth|counted from text"):
        _ = text + typed
    words = ew.tally(truth=["1", "0"], prediction=["1", "1"])
    with pytest.raises(MergeError, match="the labels of arrays are text, those of arrays are not"):
        _ = typed + words


def test_arrays_counted_twice_are_noticed_by_their_tally() -> None:
    one, other = MADE["labels"](), MADE["labels"]()
    with pytest.raises(MergeError, match="hold the same source"):
        ew.TallyRecord.merge([one, other])
    assert ew.TallyRecord.merge([one, other], again=True).final.total == 10


def test_many_parts_are_told_in_short() -> None:
    days = [ew.tally(truth=[1, 0] * (day + 1), prediction=[1, 1] * (day + 1)) for day in range(150)]
    merged = tally_of_text(tally_text(ew.TallyRecord.merge(days)))
    assert (merged.origin.number, len(merged.origin.parts)) == (150, MAX_PARTS_KEPT)
    assert merged.origin.rows == sum(2 * (day + 1) for day in range(150))
    provenance = ew.evaluate(merged).provenance
    assert provenance["source"] == "150 sources, merged"
    assert provenance["parts"][-1] == "… and 130 more"
    # A source that is no longer told is still known.
    with pytest.raises(MergeError, match=r"hold the same source \(arrays\)"):
        ew.TallyRecord.merge([days[149], merged])


def test_a_digest_says_which_file_it_was() -> None:
    assert fingerprint(Part("a.csv", "sha256:1"), {}) != fingerprint(Part("a.csv", "sha256:2"), {})
    assert fingerprint(Part("a.csv"), {"n": 1}) != fingerprint(Part("b.csv"), {"n": 1})
    assert fingerprint(Part("a.csv"), {"n": 1}) != fingerprint(Part("a.csv"), {"n": 2})


def test_nothing_to_say_is_said() -> None:
    with pytest.raises(OptionError, match="nothing to merge"):
        ew.TallyRecord.merge([])
    nothing = ew.tally(truth=["a", None], prediction=[None, "a"], missing="drop")
    with pytest.raises(InputError, match="no rows are left after 2 were dropped"):
        ew.evaluate(nothing)
    wealth = TallyRecord(BARE["wealth"])
    with pytest.raises(OptionError, match="no report for wealth"):
        ew.evaluate(wealth)


def test_options_without_meaning_are_refused() -> None:
    labels, lists = MADE["labels"](), MADE["lists"]()
    refused: tuple[tuple[TallyRecord, dict[str, Any], str], ...] = (
        (labels, {"depth": 3}, "depth is not supported with labels"),
        (labels, {"gain": 1.0}, "gain is not supported with labels"),
        (lists, {"pool": 3.0}, "pool is not supported with queries"),
        (lists, {"positive": 1}, "count it anew"),
        (lists, {"labels": [0, 1]}, "labels was decided when this was counted"),
        (MADE["several"](), {"depth": 3}, "depth is not supported"),
    )
    for tallied, options, text in refused:
        with pytest.raises(OptionError, match=text):
            ew.evaluate(tallied, **options)
