"""JSON lines: values stay what they are, rows are counted, and every wrong line is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import edgeworth as ew
from edgeworth.errors import EdgeworthError, InputError
from edgeworth.sources import text_files
from edgeworth.sources.columns import Coded
from edgeworth.sources.opening import open_source
from edgeworth.sources.text_files import column_of
from tallying_files import tallied

ROWS: list[dict[str, Any]] = [
    {"y": "a", "guess": "a", "n": 1},
    {"y": "b", "guess": "a", "n": 2},
    {"n": 3, "guess": "b", "y": "b", "more": {"deep": [1, 2]}},
]
TEXT = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
COUNTS = [[1, 1], [0, 1]]

FORMS: dict[str, tuple[str, bytes]] = {
    "jsonl": ("file.jsonl", TEXT),
    "ndjson": ("file.NDJSON", TEXT),
    "json that is lines": ("file.json", TEXT),
    "without an ending": ("file", TEXT),
    "gzip": ("file.jsonl.gz", gzip.compress(TEXT)),
    "zstd": ("file.ndjson.zst", pa.compress(TEXT, "zstd", asbytes=True)),
    "byte order mark": ("file.jsonl", b"\xef\xbb\xbf" + TEXT),
    "CRLF": ("file.jsonl", TEXT.replace(b"\n", b"\r\n")),
    "no last newline": ("file.jsonl", TEXT.rstrip()),
    "blank lines": ("file.jsonl", b"\n\n" + TEXT.replace(b"\n", b"\n \n")),
}


@pytest.mark.parametrize(("name", "content"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("piece", [7, 1 << 20])
def test_every_form(
    tmp_path: Path, name: str, content: bytes, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "LINES_BYTES", piece)
    path = tmp_path / name
    path.write_bytes(content)
    assert tallied(path, truth="y", prediction="guess")["counts"] == COUNTS
    assert tallied(path, truth="y", prediction="guess", weight="n")["counts"] == [[1, 2], [0, 3]]


LABELS: dict[str, list[Any]] = {
    "integers": [0, 1, -5],
    "large integers": [2**53, 2**53 + 1, 2**64, 10**30],
    "numbers": [0.5, 1, 1.0, 2],
    "booleans": [True, False],
    "text that looks like a date": ["2020-01-01", "2020-01-02"],
    "text that looks like a number": ["1", "01", "1.0"],
    "unicode": ["é", "\u2028", "🦆", '"', "\\", "a\nb"],
    "of all kinds": ["a", 1, True, 0.5],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("plain", [True, False], ids=["escaped", "as it is"])
def test_labels_are_those_in_memory(tmp_path: Path, labels: list[Any], plain: bool) -> None:
    path = tmp_path / "file.jsonl"
    lines = [json.dumps({"y": label, "guess": label}, ensure_ascii=plain) + "\n" for label in labels]
    path.write_text("".join(lines), encoding="utf-8")
    from edgeworth import ContingencyTable

    expected = ContingencyTable.from_labels(labels, labels).to_dict()
    assert repr(tallied(path, truth="y", prediction="guess")) == repr(expected)


def test_null_and_a_field_that_is_not_there_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"y": 1, "guess": 1}\n{"y": null, "guess": 1}\n{"guess": 0}\n{"y": 0, "guess": 0}\n')
    with pytest.raises(InputError, match=r"truth is missing in row 2 \(2 such rows\)"):
        tallied(path, truth="y", prediction="guess")
    assert tallied(path, truth="y", prediction="guess", options={"missing": "drop"})["dropped"] == 2


def test_weights_that_are_whole_in_one_piece_and_fractions_in_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.jsonl"
    rows = [{"y": k % 2, "guess": 0, "w": 1 if k < 50 else 0.5} for k in range(100)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(text_files, "LINES_BYTES", 256)
    from edgeworth import ContingencyTable

    columns = {name: [row[name] for row in rows] for name in ("y", "guess", "w")}
    expected = ContingencyTable.from_labels(columns["y"], columns["guess"], weights=columns["w"]).to_dict()
    assert tallied(path, truth="y", prediction="guess", weight="w") == expected


def test_a_field_may_come_late(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    first = '{"y": 1, "padding": "' + "x" * 70_000 + '"}\n'
    path.write_text(first + '{"y": 1, "guess": 1}\n{"y": 0, "guess": 1}\n')
    tally = tallied(path, truth="y", prediction="guess", options={"missing": "drop"})
    assert tally["counts"] == [[0, 0], [1, 1]]


def test_columns_are_found_as_in_any_source(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(TEXT)
    assert getattr(open_source(path), "names", None)[:4] == ("y", "guess", "n", "more")
    with pytest.raises(InputError, match="no column 'gues'; did you mean 'guess'"):
        tallied(path, truth="y", prediction="gues")
    path.write_text('{"y": 1, "Y": 1, "guess": 1}\n')
    with pytest.raises(InputError, match="differ only in case"):
        tallied(path, truth="y", prediction="guess")


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "an array of numbers": (b"[1, 2]", "row 1 is a int, not a JSON object"),
    "pretty, and broken": (b'{\n  "y": 1,\n', "row 1 is not JSON .*one object per line; saw {"),
    "half a line": (TEXT + b'{"y": "a", "gue', "row 4 is not JSON"),
    "two objects in a line": (TEXT + b'{"y": 1, "guess": 1} {"y": 1}\n', r"row 4 is not JSON \(Extra data"),
    "a number": (TEXT + b"\n17\n" + TEXT, "row 4 is a int, not a JSON object"),
    "latin-1": (TEXT + '{"y": "é"}\n'.encode("latin-1"), "row 4 is not JSON .*utf-8"),
    "deep": (TEXT + b'{"y":' * 100_000, "row 4 is not JSON"),
    "byte order mark in the middle": (TEXT + b"\xef\xbb\xbf" + TEXT, "row 4 is not JSON"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("piece", [64, 1 << 20])
def test_what_is_wrong_is_said_with_the_row(
    tmp_path: Path, content: bytes, message: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "LINES_BYTES", piece)
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        tallied(path, truth="y", prediction="guess")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "LINES_BYTES", 1 << 16)
    monkeypatch.setattr(text_files, "MAX_LINE_BYTES", 1 << 18)
    path = tmp_path / "file.jsonl"
    path.write_bytes(TEXT + b'{"y": "' + b"x" * (1 << 19))
    with pytest.raises(InputError, match="the row after row 4 has no end"):
        tallied(path, truth="y", prediction="guess")


def test_columns_have_the_types_of_their_values() -> None:
    whole, real, flags = column_of([1, 2]), column_of([0.5, 1.5]), column_of([True, False])
    assert isinstance(whole, np.ndarray)
    assert isinstance(real, np.ndarray)
    assert isinstance(flags, np.ndarray)
    assert [whole.dtype.kind, real.dtype.kind, flags.dtype.kind] == ["i", "f", "b"]
    assert isinstance(column_of(["a", None]), Coded)
    mixed = column_of([1, "a", None, 2**70])
    assert isinstance(mixed, np.ndarray)
    assert mixed.tolist() == [1, "a", None, 2**70]


CASES = [{"y": 1, "doc": {"answer": 0}}, {"y": 0, "doc": {"answer": 0}}, {"y": 1, "doc": {"answer": 1}}]
DOCUMENTS = {
    "an array": CASES,
    "an array in an object": {"run": {"name": "a", "cases": CASES, "scores": [{"mean": 1}], "none": []}},
    "a table": {"columns": ["y", "doc"], "ncols": 2, "data": [[row["y"], row["doc"]] for row in CASES]},
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_json_value_has_rows(tmp_path: Path, document: Any, indent: int | None) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(document, indent=indent))
    lines = tmp_path / "file.jsonl"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in CASES))
    tables = [ew.tally(item, truth="y", prediction="doc.answer").final for item in (path, lines)]
    assert [table.counts.tolist() for table in tables] == [[[1, 1], [0, 1]]] * 2
    with pytest.raises(InputError, match=r"no column 'doc\.reply'"):
        ew.tally(path, truth="y", prediction="doc.reply")


def test_fields_inside_are_columns_and_are_suggested(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = {"data": {"expected": "A", "picks": ["A", {"p": 1}]}, "long": list(range(99))}
    path.write_text("".join(json.dumps(row) + "\n" for _ in range(3)), encoding="utf-8")
    inside = ("data.expected", "data.picks", "data.picks.0", "data.picks.1", "data.picks.1.p")
    source = open_source(path)
    assert source.names == ("data", *inside, "long")  # type: ignore[attr-defined]  # files have it
    with pytest.raises(InputError, match=r"no column 'expected'; did you mean 'data\.expected'\?"):
        next(source.batches(["expected"]))
    assert next(source.batches(["long.98"])).columns["long.98"].tolist() == [98] * 3


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"columns": ["y", ["p"]], "data": [[1, 0]]},
            r"the field 'columns' must be a list of different names",
        ),
        (
            {"columns": ["y", None], "data": [[1, 0]]},
            r"the field 'columns' must be a list of different names",
        ),
        ({"columns": ["y", "y"], "data": [[1, 0]]}, r"the field 'columns' must be .* saw one twice"),
        (
            {"columns": ["y", "p"], "data": [[1, 0], [1]]},
            r"row 2 of the field 'data' has 1 values for 2 columns",
        ),
    ],
)
def test_a_table_below_its_columns_that_does_not_fit(tmp_path: Path, document: object, message: str) -> None:
    (tmp_path / "t.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=rf"t\.json: {message}"):
        open_source(tmp_path / "t.json")


@pytest.mark.parametrize("levels", [70, 900, 100_000])
def test_rows_that_are_nested_without_end_are_refused(tmp_path: Path, levels: int) -> None:
    deep = "[" * levels + "]" * levels
    for name, text in (
        ("t.jsonl", f'{{"y": 1}}\n{{"y": {deep}}}\n'),
        ("t.json", f'{{"rows": [{{"y": {deep}}}]}}'),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=r"t\.jsonl?.*(nested|not JSON)"):
            list(open_source(tmp_path / name).batches(["y"]))


@pytest.mark.parametrize("column", ["list", "empty", "object"])
@pytest.mark.parametrize(
    "columns",
    [
        {"truth": "y", "score": "*"},
        {"truth": "y", "score": "s", "weight": "*"},
        {"truth": "y", "probabilities": "*"},
        {"truth": "t", "prediction": "*"},
        {"grade": "*"},
        {"correct": "*"},
        {"truth": "y", "score": "s", "query": "*"},
    ],
    ids=str,
)
def test_columns_of_lists_are_refused_in_a_sentence(
    tmp_path: Path, column: str, columns: dict[str, str]
) -> None:
    rows = [
        {"y": n % 2, "s": n / 9, "t": "ab"[n % 2], "list": [n % 2], "empty": [], "object": {"a": 1}}
        for n in range(8)
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    named = {role: column if name == "*" else name for role, name in columns.items()}
    for data in (tmp_path / "t.jsonl", pd.DataFrame(rows)):
        with pytest.raises(EdgeworthError, match=rf"{column}|a (list|dict)|prediction holds lists of labels"):
            ew.evaluate(data, **named)
