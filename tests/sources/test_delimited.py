"""Delimited text: every dialect people have, and every file that is none."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from edgeworth import evaluate
from edgeworth.errors import InputError
from edgeworth.sources.opening import open_source
from tallying_files import tally_decisions

ROWS = [("a", "a"), ("b", "b"), ("b", "a"), ("a", "a"), ("b", "b")]
TALLY = {"labels": ["a", "b"], "counts": [[2, 1], [0, 2]], "abstained": [0, 0], "dropped": 0}


def text(delimiter: str = ",", newline: str = "\n", head: str = "") -> str:
    lines = [("truth", "prediction"), *ROWS]
    return head + "".join(delimiter.join(line) + newline for line in lines)


def tally(path: Path, **options: Any) -> dict[str, Any]:
    columns = {"truth": "truth", "prediction": "prediction"}
    result = tally_decisions(open_source(path), columns, **options).to_dict()
    return {name: result[name] for name in ("labels", "counts", "abstained", "dropped")}


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(content: str | bytes, name: str = "file.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


DIALECTS: dict[str, tuple[str, str | bytes]] = {
    "comma": ("file.csv", text()),
    "semicolon": ("file.csv", text(";")),
    "tab": ("file.csv", text("\t")),
    "pipe": ("file.txt", text("|")),
    "tsv": ("file.tsv", text("\t")),
    "upper case ending": ("FILE.TSV", text("\t")),
    "no ending": ("file", text()),
    "CRLF": ("file.csv", text(newline="\r\n")),
    "old Mac": ("file.csv", text(newline="\r")),
    "byte order mark": ("file.csv", b"\xef\xbb\xbf" + text().encode()),
    "byte order mark and quotes": ("file.csv", b'\xef\xbb\xbf"truth","prediction"' + text()[16:].encode()),
    "no last newline": ("file.csv", text().rstrip("\n")),
    "blank last lines": ("file.csv", text() + "\n\n"),
    "blank first line": ("file.csv", text(head="\n")),
    "all quoted": ("file.csv", "".join(f'"{a}","{b}"\n' for a, b in [("truth", "prediction"), *ROWS])),
    "gzip": ("file.csv.gz", gzip.compress(text().encode())),
    "bzip2": ("file.csv.bz2", bz2.compress(text().encode())),
    "two gzips in one": (
        "file.csv.gz",
        gzip.compress(text()[:20].encode()) + gzip.compress(text()[20:].encode()),
    ),
    "zstd": ("file.csv.zst", pa.compress(text().encode(), "zstd", asbytes=True)),
    "two zstd frames": (
        "file.tsv.zst",
        pa.compress(text("\t")[:20].encode(), "zstd", asbytes=True)
        + pa.compress(text("\t")[20:].encode(), "zstd", asbytes=True),
    ),
    "gzip that does not say so": ("file.csv", gzip.compress(text().encode())),
    "zstd that does not say so": ("file", pa.compress(text().encode(), "zstd", asbytes=True)),
    "gzipped tsv": ("file.tsv.gz", gzip.compress(text("\t").encode())),
    "spaces in the name": ("my file, final (2).csv", text()),
}


@pytest.mark.parametrize(("name", "content"), DIALECTS.values(), ids=DIALECTS)
def test_every_dialect(write: Write, name: str, content: str | bytes) -> None:
    assert tally(write(content, name)) == TALLY


def test_a_path_may_be_text(write: Write) -> None:
    assert tally(str(write(text()))) == TALLY


def test_commas_in_a_tsv_are_part_of_the_text(write: Write) -> None:
    path = write("truth\tprediction\tnote, one, two, three\na,1\ta,1\tx\nb\ta,1\ty\n", "file.tsv")
    assert tally(path)["labels"] == ["a,1", "b"]


def test_quoted_fields_may_hold_delimiters_quotes_and_newlines(write: Write) -> None:
    path = write('truth,prediction\n"a, ""one""","a, ""one"""\n"two\nlines",b\nb,"two\nlines"\n')
    assert tally(path) == {
        "labels": ['a, "one"', "b", "two\nlines"],
        "counts": [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
        "abstained": [0, 0, 0],
        "dropped": 0,
    }


def test_a_quoted_header_may_hold_the_delimiter_of_another_dialect(write: Write) -> None:
    path = write('truth;prediction;"one, two, three, four"\na;a;1\nb;b;2\n')
    assert tally(path)["counts"] == [[1, 0], [0, 1]]


@pytest.mark.parametrize("field", ["", '""'], ids=["empty", "quoted empty"])
def test_an_empty_field_is_missing(write: Write, field: str) -> None:
    path = write(f"truth,prediction\na,a\nb,{field}\n{field},b\nb,b\n")
    with pytest.raises(InputError, match="truth is missing in row 3"):
        tally(path)
    assert tally(path, missing="drop") == {
        "labels": ["a", "b"],
        "counts": [[1, 0], [0, 1]],
        "abstained": [0, 0],
        "dropped": 2,
    }


def test_nothing_but_an_empty_field_is_missing(write: Write) -> None:
    """NA may be Namibia; the report warns of it."""
    path = write("truth,prediction\nNA,NA\nnull,null\nnan,NA\n")
    assert tally(path)["labels"] == ["NA", "nan", "null"]
    assert any(
        "looks like a missing value" in warning
        for warning in evaluate(path, truth="truth", prediction="prediction").warnings
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "0"], [0, 1]),
        (["1.0", "0"], [0, 1]),
        (["10", "9"], [9, 10]),
        (["007", "1"], ["007", "1"]),
        (["True", "False"], [False, True]),
        (["9007199254740993", "9007199254740992"], [9007199254740992, 9007199254740993]),
    ],
)
def test_numbers_are_recognised_when_all_labels_are_numbers(
    write: Write, labels: list[str], expected: Any
) -> None:
    path = write("truth,prediction\n" + "".join(f"{label},{label}\n" for label in labels))
    assert list(map(repr, tally(path)["labels"])) == list(map(repr, expected))


def test_two_spellings_of_a_number_are_one_label(write: Write) -> None:
    assert tally(write("truth,prediction\n1,1.0\n0.0,0\n1.0,1\n1,0\n"))["counts"] == [[1, 1], [0, 2]]


@pytest.mark.parametrize("written", ["-1", "-1.0"])
@pytest.mark.parametrize("abstain", [-1, "-1", -1.0])
def test_no_decision_may_be_written_in_another_way(write: Write, written: str, abstain: Any) -> None:
    """pandas writes a column of floats as -1.0; the same arrays in memory abstain."""
    path = write(f"truth,prediction\n1,1\n0,{written}\n0,0\n")
    assert tally(path, abstain=abstain)["abstained"] == [1, 0]


def test_a_column_may_be_named_twice_by_the_caller(write: Write) -> None:
    report = evaluate(write(text()), truth="truth", prediction="truth")
    assert report.to_dict()["tally"]["counts"] == [[2, 0], [0, 3]]


def test_a_file_of_one_column(write: Write) -> None:
    path = write("truth\na\n\nb\n")
    with pytest.raises(InputError, match="missing in row 2"):
        evaluate(path, truth="truth", prediction="truth")


BAD: dict[str, tuple[str, bytes, str]] = {
    "empty": ("file.csv", b"", "is empty"),
    "blank": ("file.csv", b" \n\n ", "is empty"),
    "empty gzip": ("file.csv.gz", gzip.compress(b""), "is empty"),
    "header only": ("file.csv", b"truth,prediction\n", "a header but no rows"),
    "header without newline": ("file.csv", b"truth,prediction", "a header but no rows"),
    "binary": ("file.csv", b"\x00\x01\x02truth,prediction\n" * 5, "binary"),
    "PDF": ("file.pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "not a table.*CSV.*Parquet"),
    "HTML": ("file.csv", b"<!DOCTYPE html>\n<p>truth, prediction\n", "not a table.*CSV.*Parquet"),
    "UTF-16": ("file.csv", text().encode("utf-16"), "binary"),
    "latin-1": ("file.csv", "truth,prediction\né,é\n".encode("latin-1"), r"not UTF-8 text \(byte 17\)"),
    "latin-1 behind the head": (
        "file.csv",
        b"truth,prediction\n" + b"a,a\n" * 30000 + b"\xe9,a\n",
        "row 30,001: .*UTF-?8",
    ),
    "no gzip": ("file.csv.gz", text().encode(), "cannot be read"),
    "half a gzip": (
        "file.csv.gz",
        gzip.compress(bytes(range(1, 256)) * 99)[:200],
        "cannot be read|not UTF-8",
    ),
    "half a zstd": (
        "file.csv.zst",
        pa.compress(text().encode() * 9, "zstd", asbytes=True)[:-5],
        "cannot be read",
    ),
    "too few fields": ("file.csv", b"truth,prediction\na,a\nb\nb,b\n", "row 2: Expected 2 columns, got 1"),
    "too many fields": (
        "file.csv",
        b"truth,prediction\na,a\nb,b,b\nb,b\n",
        "row 2: Expected 2 columns, got 3",
    ),
    "blank lines are no rows": ("file.csv", b"\ntruth,prediction\n\na,a\n\nb\nb,b\n", "row 2: Expected 2"),
    "far down": (
        "file.csv",
        b"truth,prediction\n" + b"cat,dog\n" * 2_999_999 + b"cat\n" + b"cat,dog\n" * 9,
        "row 3,000,000: Expected 2 columns, got 1",
    ),
    "a quote that never ends": ("file.csv", b'truth,prediction\na,a\nb,"b\na,a\nb,b\n', "quot"),
    # Nobody asked for the notes, but they swallow the rows of those that were asked for.
    "a quote that never ends in another column": (
        "file.csv",
        b'truth,prediction,note\na,a,x\nb,b,"open\na,a,x\nb,b,x\n',
        "quot",
    ),
    "spreadsheet": ("file.xlsx", b"PK", "is a spreadsheet, not delimited text"),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_says_so_with_the_file(
    write: Write, name: str, content: bytes, message: str
) -> None:
    path = write(content, name)
    with pytest.raises(InputError, match=message) as caught:
        tally(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_row_eight_million_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("wb") as file:
        file.write(b"truth,prediction\n" + b"1,0\n" * 7_999_999 + b"1,0,7\n" + b"1,1\n" * 1000)
    with pytest.raises(InputError, match=r"long\.csv .*row 8,000,000: .*1,0,7"):
        tally(path)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder without data"):
        open_source(tmp_path)


def test_a_file_that_is_not_there_names_the_near_misses(write: Write) -> None:
    path = write(text(), "predictions.csv")
    with pytest.raises(InputError, match=r"predictons\.csv does not exist; did you mean predictions\.csv\?"):
        open_source(path.with_name("predictons.csv"))
    with pytest.raises(InputError, match=r"does not exist$"):
        open_source(path.parent / "no such folder" / "file.csv")


def test_a_name_no_file_can_have() -> None:
    with pytest.raises(InputError, match="xxx"):
        open_source("x" * 5000)


def test_columns_are_found_as_in_any_source(write: Write) -> None:
    with pytest.raises(InputError, match="no column 'prediction'; did you mean 'predicted'"):
        tally(write("truth,predicted\na,a\n"))
    with pytest.raises(InputError, match="differ only in case"):
        tally(write("truth,prediction,Prediction\na,a,b\n"))
    with pytest.raises(InputError, match="2 columns named 'prediction'"):
        tally(write("truth,prediction,prediction\na,a,b\n"))
    assert tally(write("truth,prediction,n,N,n\na,a,1,2,3\nb,b,1,2,3\n"))["counts"] == [[1, 0], [0, 1]]


def test_a_column_that_is_not_read_may_be_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes("HomeTeam,truth,prediction\nÉtampes,a,b\nSète,b,b\n".encode("latin-1"))
    assert sum(map(sum, tally(path)["counts"])) == 2
    with pytest.raises(InputError, match=r"not UTF-8 text \(byte 26\).*iconv"):
        evaluate(path, truth="truth", prediction="HomeTeam")
