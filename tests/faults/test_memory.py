"""Small files that would take all memory are refused in a sentence, within a gigabyte."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from command_line import call, refused
from edgeworth.errors import InputError
from edgeworth.sources import text_files
from edgeworth.sources.arrow import MAX_LABEL_BYTES
from edgeworth.sources.opening import open_source
from edgeworth.sources.runs.reading import read_runs
from run_logs import inspect_log, inspect_sample, zip_archive

MOST_MEGABYTES = 1000
"""What all of them take one after the other; each took gigabytes."""

RUN = """
import json, sys
from pathlib import Path
from edgeworth.cli import main

codes = []
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as left:
        codes.append(left.code)
# Not getrusage, which begins with the memory of the parent.
peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(json.dumps([codes, int(peak) >> 10]))
"""

HEADER = json.dumps({name: x for name, x in inspect_log([]).items() if name != "samples"}).encode()
EMPTY_LISTS = b"[" + b"[]," * (40 << 20) + b"[]]"


def zipped(method: int, **files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.json", content)
    return stream.getvalue()


def write_bombs(folder: Path) -> list[list[str]]:
    """Write the files, and list the commands that read them."""
    columns = ["--truth", "y", "--prediction", "p"]
    sample = b'[{"id": 1, "scores": {"a": {"value": "C"}}, "metadata": {"x": ' + EMPTY_LISTS + b"}}]"
    (folder / "bzip2.eval").write_bytes(
        zipped(zipfile.ZIP_BZIP2, header=HEADER, summaries=b" " * (256 << 20))
    )
    (folder / "deflate.eval").write_bytes(
        zipped(zipfile.ZIP_DEFLATED, header=HEADER, summaries=b" " * (256 << 20))
    )
    (folder / "zstd.eval").write_bytes(zip_archive({"header.json": HEADER, "summaries.json": sample}))
    parts = {f"samples/{number}.json": b'{"id": 1}' + b" " * (8 << 20) for number in range(40)}
    (folder / "many.eval").write_bytes(zip_archive({"header.json": HEADER, **parts}))
    tally = b'{"format":"edgeworth.tally","version":1,"checksum":"","tally":{"a":' + EMPTY_LISTS + b"}}"
    (folder / "tally.json.gz").write_bytes(gzip.compress(tally, 1))
    (folder / "table.json.gz").write_bytes(gzip.compress(b'{"rows":' + EMPTY_LISTS + b"}", 1))
    (folder / "lines.jsonl.gz").write_bytes(gzip.compress(b'{"y":1}\n{"y":1,"p":' + EMPTY_LISTS + b"}\n", 1))
    label = pa.table({"y": ["a", "b", "x" * (100 << 20)], "p": ["a", "b", "a"]})
    pq.write_table(label, folder / "label.parquet", compression="zstd")
    pyarrow.feather.write_feather(label, str(folder / "label.feather"), compression="zstd")
    long_labels = pa.chunked_array([pa.array(["x" * (100 << 20), "b"])] * 20)
    several = pa.table({"y": long_labels, "p": ["a", "b"] * 20})
    pq.write_table(several, folder / "labels.parquet", compression="zstd")
    logs = [["evaluate", f"{name}.eval"] for name in ("bzip2", "deflate", "zstd", "many")]
    tables = ("table.json.gz", "lines.jsonl.gz", "label.parquet", "labels.parquet", "label.feather")
    return [*logs, ["report", "tally.json.gz"], *(["evaluate", name, *columns] for name in tables)]


@pytest.mark.slow
def test_small_files_take_no_great_memory(tmp_path: Path) -> None:
    commands = write_bombs(tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 8 << 20
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(commands)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    codes, megabytes = json.loads(done.stdout)
    assert codes == [2] * len(commands), done.stderr
    assert done.stderr.count("\n") == len(commands)
    assert megabytes < MOST_MEGABYTES, done.stderr


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archives_are_packed_as_the_tool_packs_them(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.eval"
    samples = json.dumps([inspect_sample(1, "C")]).encode()
    path.write_bytes(zipped(method, header=HEADER, summaries=samples))
    with pytest.raises(InputError, match=rf"compressed by method {method}: only deflate and zstd can"):
        read_runs(path)
    for known in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        path.write_bytes(zipped(known, header=HEADER, summaries=samples))
        assert read_runs(path)[0][0].ids == ["q1"]


@pytest.mark.parametrize("claim", [10, 15 << 20])
def test_a_deflated_file_that_is_larger_or_smaller_than_it_says(tmp_path: Path, claim: int) -> None:
    content = zipped(zipfile.ZIP_DEFLATED, header=HEADER, summaries=b"[" + b" " * (8 << 20) + b"]")
    true, forged = ((2 + (8 << 20)).to_bytes(4, "little"), claim.to_bytes(4, "little"))
    assert content.count(true) == 2
    path = tmp_path / "a.eval"
    path.write_bytes(content.replace(true, forged))
    with pytest.raises(InputError, match=rf"summaries\.json is damaged: it is not the {claim:,} bytes"):
        read_runs(path)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_the_longest_label(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "t.feather"
    for length, is_read in ((MAX_LABEL_BYTES, True), (MAX_LABEL_BYTES + 1, False)):
        texts = pa.array(["a", None, "x" * length, "b"], kind)
        pyarrow.feather.write_feather(pa.table({"y": texts}), str(path))
        for table in (path, pa.table({"y": texts})) if kind != pa.string_view() else (path,):
            batches = open_source(table).batches(["y"])
            if is_read:
                assert [len(batch) for batch in batches] == [4]
            elif table is path:
                with pytest.raises(InputError, match=f"y holds a text of {length:,} bytes: a label has at"):
                    list(batches)


def test_no_memory_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_for_too_much(*_: object, **__: object) -> None:
        raise MemoryError

    (tmp_path / "t.csv").write_text("y,p\n1,1\n0,1\n")
    monkeypatch.setattr(text_files, "open_bytes", ask_for_too_much)
    done = call(tmp_path, capsys, "evaluate", "t.csv", "--truth", "y", "--prediction", "p")
    assert "there is not enough memory" in refused(done)
