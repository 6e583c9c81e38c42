"""Bad input: one clear sentence, exit code 2, never a traceback, never a wrong number."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from edgeworth.cli import main

GOOD = "truth,prediction,count\na,a,1\nb,b,2\nb,a,3\na,a,4\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edgeworth", *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=False,
    )


def call(
    folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """The same command inside this process: a start costs most of a second, a call nothing."""
    with contextlib.chdir(folder), pytest.raises(SystemExit) as left:
        main(list(arguments))
    shown = capsys.readouterr()
    return subprocess.CompletedProcess(arguments, int(left.value.code or 0), shown.out, shown.err)


def assert_refused(done: subprocess.CompletedProcess[str], message: str) -> None:
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("edgeworth: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("\n")
    assert re.search(message, done.stderr), done.stderr


@dataclass(frozen=True)
class File:
    """A file, the words that evaluate it, and a pattern of what must be said."""

    content: str | bytes
    message: str
    name: str = "file.csv"
    words: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.content.encode() if isinstance(self.content, str) else self.content)
        return path

    @property
    def options(self) -> dict[str, str]:
        return {"truth": "truth", "prediction": "prediction"} | self.words

    @property
    def arguments(self) -> list[str]:
        return [
            part for name, value in self.options.items() for part in (f"--{name.replace('_', '-')}", value)
        ]


def weighing(written: str) -> str:
    return f"truth,prediction,count\na,a,1\nb,b,{written}\nb,a,1\n"


# What the issue lists.
LISTED = {
    "lengths that differ": File("truth,prediction\na,a\nb\n", r"file\.csv.*(Row #?3|row 2)"),
    "a missing prediction": File("truth,prediction\na,a\nb,\n", r"prediction is missing in row 2.*drop"),
    "a weight that is NaN": File(weighing("nan"), "row 2 has nan", words={"weight": "count"}),
    "a negative weight": File(weighing("-1"), "row 2 has -1", words={"weight": "count"}),
    "an infinite weight": File(weighing("inf"), "row 2 has inf", words={"weight": "count"}),
    "a column that is not there": File(GOOD, "did you mean 'prediction'", words={"prediction": "predicton"}),
    "columns that differ only in case": File("truth,Truth,prediction\na,a,a\n", "differ only in case"),
    "a binary file": File(b"\x7fELF\x00\x00\x01" * 40, "binary"),
    "an unreadable file": File(GOOD, "cannot be read", name="file.csv.gz"),
    "an empty file": File("", "is empty"),
    "a header alone": File("truth,prediction\n", "no rows"),
}

OTHERS = {
    "a missing truth": File("truth,prediction\n,a\nb,b\n", r"truth is missing in row 1"),
    "nothing left": File("truth,prediction\n,a\nb,\n", "no (rows|cases)", words={"missing": "drop"}),
    "a weight that is missing": File(weighing(""), "row 2 has nan", words={"weight": "count"}),
    "a negative fraction": File(weighing("-0.5"), r"row 2 has -0\.5", words={"weight": "count"}),
    "a weight that is no number": File(weighing("many"), "many", words={"weight": "count"}),
    "a weight too large": File(weighing("9" * 30), "weights|counts", words={"weight": "count"}),
    "fractions as counts": File(
        weighing("1.5"), r"row 2 has 1\.5", words={"weight": "count", "weight_kind": "counts"}
    ),
    "a column spelt in another case": File(GOOD, "did you mean 'truth'", words={"truth": "TRUTH"}),
    "two columns of one name": File("truth,truth,prediction\na,a,a\n", "2 columns named 'truth'"),
    "text that is not UTF-8": File("truth,prediction\né,é\n".encode("latin-1"), "UTF-8"),
    "half an archive": File(gzip.compress(GOOD.encode() * 9)[:40], "cannot be read", name="file.csv.gz"),
    "a file of blanks": File("\n \n", "is empty"),
    "another format": File(b"PAR1", "cannot be read as Parquet", name="file.parquet"),
    "a label outside the declared": File(GOOD, "'b'", words={"labels": "a"}),
    "a positive label that is none": File(GOOD, "no label 'c'", words={"positive": "c"}),
}

EVERY = LISTED | OTHERS


@pytest.mark.slow
@pytest.mark.parametrize("file", LISTED.values(), ids=LISTED)
def test_a_bad_file_on_the_command_line(tmp_path: Path, file: File) -> None:
    path = file.write(tmp_path)
    assert_refused(run(tmp_path, "evaluate", path.name, *file.arguments), file.message)


@pytest.mark.parametrize("file", OTHERS.values(), ids=OTHERS)
def test_another_bad_file(tmp_path: Path, file: File, capsys: pytest.CaptureFixture[str]) -> None:
    path = file.write(tmp_path)
    assert_refused(call(tmp_path, capsys, "evaluate", path.name, *file.arguments), file.message)


@pytest.mark.parametrize("file", EVERY.values(), ids=EVERY)
def test_a_bad_file_in_python(tmp_path: Path, file: File) -> None:
    options: dict[str, Any] = dict(file.options)
    if "labels" in options:
        options["labels"] = options["labels"].split(",")
    with pytest.raises(ew.EdgeworthError, match=file.message):
        ew.evaluate(file.write(tmp_path), **options)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fle.csv", r"fle\.csv does not exist; did you mean file\.csv\?"),
        ("nothing", "nothing is a folder without data"),
        ("no such folder/file.csv", "does not exist"),
        ("x" * 300, "xxx"),
    ],
    ids=["misspelt", "folder", "no folder", "name too long"],
)
def test_a_file_that_is_not_there(
    tmp_path: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good = File(GOOD, "")
    good.write(tmp_path)
    (tmp_path / "nothing").mkdir()
    assert_refused(call(tmp_path, capsys, "evaluate", name, *good.arguments), message)
    with pytest.raises(ew.EdgeworthError, match=message):
        ew.evaluate(tmp_path / name, **good.options)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("1 2 3; 4 5 6", "square"),
        ("1 2; 3", "square"),
        ("", "empty"),
        ("1 x; 3 4", "not a number"),
        ("1 -2; 3 4", "saw -2"),
        ("1 nan; 3 4", "saw nan"),
        ("0 0; 0 0", "every count of the table is 0"),
        ("1,2 3,4", r"saw 1 row of 4 numbers \(rows are separated by ;\)"),
        ("1e19 1; 1 1", "count"),
    ],
)
def test_a_bad_table(tmp_path: Path, counts: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(call(tmp_path, capsys, "table", counts, "--rows", "predicted"), message)


def test_a_matrix_that_is_not_square_on_the_command_line(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "table", "1 2 3; 4 5 6", "--rows", "predicted"), "square")


@pytest.mark.parametrize(
    "arguments",
    [
        ["table", "1 2; 3 4"],
        ["table", "1 2; 3 4", "--rows", "columns"],
        ["table", "1 2; 3 4", "--rows", "real", "--labels", "a,b,c"],
        ["table", "1 2; 3 4", "--rows", "real", "--level", "95"],
        ["table", "1 2; 3 4", "--rows", "real", "--json", "no such folder/out.json"],
        ["evaluate", "file.csv", "--truth", "prediction"],
        ["evaluate", "file.csv", "--truth", "truth", "--prediction", "prediction", "--nonsense", "1"],
        ["measures", "zebra"],
        ["zebra"],
    ],
    ids=" ".join,
)
def test_bad_words(tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    File(GOOD, "").write(tmp_path)
    assert_refused(call(tmp_path, capsys, *arguments), "")


NAN = float("nan")

ARRAYS: dict[str, tuple[dict[str, Any], str]] = {
    "lengths that differ": ({"truth": [1, 0], "prediction": [1]}, "truth has 2, prediction has 1"),
    "weights of another length": ({"truth": [1, 0], "prediction": [1, 0], "weight": [1]}, "weight has 1"),
    "NaN": ({"truth": np.array([1, NAN]), "prediction": [1, 0]}, "truth is missing in row 2"),
    "None": ({"truth": ["a", "b"], "prediction": ["a", None]}, "prediction is missing in row 2"),
    "a weight that is NaN": ({"truth": [1, 0], "prediction": [1, 0], "weight": [1, NAN]}, "row 2 has nan"),
    "a negative weight": ({"truth": [1, 0], "prediction": [1, 0], "weight": [-1, 1]}, "row 1 has -1"),
    "nothing": ({"truth": [], "prediction": []}, "no rows"),
    "text against numbers": ({"truth": ["1", "0"], "prediction": [1, 0]}, "never agree"),
    "an empty frame": (
        {"data": pd.DataFrame({"y": [], "guess": []}), "truth": "y", "prediction": "guess"},
        "no rows",
    ),
}


@pytest.mark.parametrize(("given", "message"), ARRAYS.values(), ids=ARRAYS)
def test_bad_arrays(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ew.EdgeworthError, match=message):
        ew.evaluate(**given)


@pytest.mark.slow
def test_a_label_never_real_is_said_and_carried_on_with(tmp_path: Path) -> None:
    file = File("truth,prediction\n" + "a,a\nb,b\na,ghost\nb,a\n" * 5, "")
    file.write(tmp_path)
    done = run(tmp_path, "evaluate", "file.csv", *file.arguments, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    texts = [warning for warning in report["warnings"] if "absent from the truth (ghost)" in warning]
    assert len(texts) == 1
    assert "25.0% of predictions" in texts[0]
    assert "count as wrong" in texts[0]
    # By hand: fair odds of a and b at r = 1/2, weighted by their predicted shares 1/2 and 1/4.
    assert report["estimates"]["informedness"]["value"] == pytest.approx(0.5 * (0.5 - 0.5) + 0.25 * (0.5 - 0))


def test_a_single_real_class_is_said_and_carried_on_with(tmp_path: Path) -> None:
    file = File("truth,prediction\n" + "a,a\na,b\na,a\n" * 5, "")
    file.write(tmp_path)
    done = run(tmp_path, "evaluate", "file.csv", *file.arguments, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert "cannot be judged: only one class occurs" in report["verdict"]
    assert report["estimates"]["informedness"]["value"] is None


def test_dropped_rows_are_counted_in_the_report(tmp_path: Path) -> None:
    file = File("truth,prediction\n" + "a,a\nb,b\n,b\na,\n" * 5, "", words={"missing": "drop"})
    file.write(tmp_path)
    done = run(tmp_path, "evaluate", "file.csv", *file.arguments, "--json", "-")
    report = json.loads(done.stdout)
    assert report["tally"]["dropped"] == 10
    assert report["provenance"]["dropped"] == 10
    assert any("10 rows" in warning for warning in report["warnings"])
