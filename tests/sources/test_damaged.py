"""Files that strangers may send: each is read or refused in a sentence, with bounded memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.errors import InputError
from edgeworth.pipeline.tally_file import tally_text
from edgeworth.rankings.tie_groups import LISTED_RANKS, discount_sum
from edgeworth.rankings.trec.files import read_run
from edgeworth.sources import paths
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import expand_paths
from tallying_files import tallied

DAMAGED = Path(__file__).parent / "damaged"
"""What script/fuzz found to end the process or to raise something else than a sentence."""

READ = """
import sys
import edgeworth as ew
for path in sys.argv[1:]:
    for asked in ({"prediction": "p"}, {"score": "s", "positive": "a"}):
        try:
            ew.tally(path, truth="y", **asked)
        except ew.EdgeworthError:
            pass
    print(path)
"""


def test_what_was_found_by_fuzzing_is_refused_in_a_sentence() -> None:
    files = sorted(map(str, DAMAGED.iterdir()))
    done = subprocess.run(
        [sys.executable, "-c", READ, *files], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, files, "")


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "csv.gz", "jsonl.gz"])
def test_a_file_that_is_cut_is_refused(tmp_path: Path, ending: str) -> None:
    table = pa.table({"y": ["a", "b"] * 500, "p": ["a", "a", "b", "b"] * 250})
    path = tmp_path / f"file.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    elif ending == "csv.gz":
        path.write_bytes(gzip.compress(table.to_pandas().to_csv(index=False).encode()))
    elif ending == "jsonl.gz":
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()))
    else:
        pyarrow.feather.write_feather(
            table, str(path), compression="lz4" if ending == "feather" else "uncompressed"
        )
    whole = path.read_bytes()
    assert tallied(path, truth="y", prediction="p")["counts"] == [[250, 250], [250, 250]]
    for length in range(1, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            tallied(path, truth="y", prediction="p")


@pytest.mark.parametrize(
    "line", [r'{"y": "\ud800", "p": 1}', r'{"y": 1, "p": 1, "\udfff": 2}', r'{"y":["\uD834"]}']
)
def test_half_of_a_character_is_refused_with_its_row(tmp_path: Path, line: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"y": "\\ud834\\udd1e", "p": "\\u00e9"}\n' + line + "\n")
    with pytest.raises(InputError, match="row 2 has half of a character"):
        list(open_source(path).batches(["y"]))


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_first_line_of_more_than_a_glance(tmp_path: Path, ending: str) -> None:
    names = [f"a column with a long name {index}" for index in range(5000)] + ["y"]
    path = tmp_path / f"file.{ending}"
    if ending == "csv":
        path.write_text(",".join(names) + "\n" + ",".join(["x"] * len(names)) + "\n")
    else:
        path.write_text(json.dumps(dict.fromkeys(names, "x")))
    source = open_source(path)
    assert list(getattr(source, "names", ())) == names
    assert [len(batch) for batch in source.batches(["y"])] == [1]


def test_a_first_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_FIRST_LINE_BYTES", 1 << 17)
    path = tmp_path / "file.csv"
    path.write_text("y," * (1 << 17))
    with pytest.raises(InputError, match="the first line has more than 131,072 bytes"):
        open_source(path)


@pytest.mark.parametrize("rows", [4, 40_000])
def test_a_header_in_another_encoding(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes("y,p,né\n".encode("latin-1") + b"a,b,1\n" * rows)
    with pytest.raises(InputError, match=r"not UTF-8 text \(byte 5\)"):
        open_source(path)


@pytest.mark.parametrize("weight", ["1e308", "5e-324", "1e-71", "-1", "inf"])
@pytest.mark.parametrize("asked", [{"prediction": "p"}, {"score": "s"}, {"prediction": "p", "cluster": "s"}])
def test_weights_that_cannot_be_squared_are_refused(
    tmp_path: Path, weight: str, asked: dict[str, str]
) -> None:
    path = tmp_path / "file.csv"
    path.write_text("y,p,s,w\n" + f"0,1,0.2,1\n1,1,0.7,{weight}\n1,0,0.3,1\n")
    with pytest.raises(InputError, match=r"weights must be .*; row 2 has"):
        ew.evaluate(path, truth="y", weight="w", **asked)


def test_whole_weights_of_a_ranking_add_up_to_2_to_the_53_at_most(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("y,s,w\n" + "".join(f"{y},0.{y + 2},{2**51}\n" for y in (0, 1, 0, 1)))
    assert ew.measure(ew.tally(path, truth="y", score="s", weight="w").final, "roc_auc") == 1
    path.write_text("y,s,w\n" + "".join(f"{y},0.{y + 2},{2**51 + 1}\n" for y in (0, 1, 0, 1)))
    with pytest.raises(InputError, match=r"2\^53"):
        ew.evaluate(path, truth="y", score="s", weight="w")


def test_tables_of_very_many_cases_are_not_drawn() -> None:
    """SciPy ends the process where it has no memory for a number a case."""
    labels = [0, 1, 2]
    truth, prediction = [y for y in labels for _ in labels], labels * 3
    assert ew.evaluate(truth=truth, prediction=prediction, weight=[2**44] * 9).verdict


@pytest.mark.parametrize("start", [0, LISTED_RANKS - 3, LISTED_RANKS + 1000])
@pytest.mark.parametrize("length", [2, 9000, 3 * LISTED_RANKS])
def test_discounts_of_many_ranks_are_their_sum(start: int, length: int) -> None:
    expected = (1 / np.log2(np.arange(start + 2.0, start + length + 2))).sum()
    assert discount_sum(np.array([float(start)]), np.array([float(length)]))[0] == pytest.approx(
        expected, rel=1e-10
    )


def test_what_is_small_or_never_ends_is_given_no_great_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "MAX_STREAM_BYTES", 1 << 20)
    monkeypatch.setattr(paths, "MIN_UNPACKED_LIMIT", 1 << 20)
    bomb = tmp_path / "run.gz"
    bomb.write_bytes(gzip.compress(b"q Q0 d 1 1 t\n" * 500_000))
    with pytest.raises(InputError, match=r"run\.gz is too large: it has more than .* when unpacked"):
        read_run(bomb)
    with pytest.raises(InputError, match="/dev/zero is too large: it has more than 1,048,576"):
        ew.read_tally("/dev/zero")
    with pytest.raises(InputError, match="/dev/zero is a device"):
        open_source("/dev/zero")


def test_what_comes_through_a_pipe_by_name_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = tally_text(ew.tally(truth=[1, 0], prediction=[1, 1])).encode()

    def written(content: bytes) -> None:
        threading.Thread(target=pipe.write_bytes, args=[content]).start()

    written(b"y,p\n" + b"a,b\nb,b\n" * 100_000)
    assert tallied(pipe, truth="y", prediction="p")["counts"] == [[0, 0], [100_000, 100_000]]
    for content in (text, gzip.compress(text)):
        written(content)
        assert ew.read_tally(pipe).final.counts.tolist() == [[0, 0], [1, 1]]


def test_a_folder_that_cannot_be_listed_has_no_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(InputError, match=r"none\.csv does not exist$"):
        expand_paths(tmp_path / "none.csv")


@pytest.mark.parametrize("cell", ["0" * 40_000 + "x", "9" * 5000 + "x", "1" * 5000])
def test_a_cell_of_very_many_digits_is_read_or_refused(tmp_path: Path, cell: str) -> None:
    """Python makes no integers of so many digits."""
    path = tmp_path / "file.csv"
    path.write_text(f"y,s\n0,0.5\n1,{cell}\n")
    for columns in ({"score": "s"}, {"prediction": "s"}):
        refusal = ""
        try:
            ew.tally(path, truth="y", **columns)
        except InputError as error:
            refusal = str(error)
        assert not refusal or "row 2" in refusal
    run = tmp_path / "run.txt"
    run.write_text(f"q Q0 d 1 {cell} t\n")
    if cell.endswith("x"):
        with pytest.raises(InputError, match="line 1: a score must be a number"):
            read_run(run)
    else:
        assert read_run(run).score.tolist() == [float("inf")]
