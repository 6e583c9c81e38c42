"""Standard input: any kind, read as often as needed, and nothing left behind."""

from __future__ import annotations

import gc
import gzip
import hashlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.opening import open_source
from tallying_files import tallied

TABLE = pa.table({"y": ["a", "b", "b"], "guess": ["a", "a", "b"], "w": [1, 2, 3]})
CSV = b"y,guess,w\na,a,1\nb,a,2\nb,b,3\n"


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink)
    return sink.getvalue()


def arrow(*, is_stream: bool) -> bytes:
    sink = io.BytesIO()
    with (ipc.new_stream if is_stream else ipc.new_file)(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return sink.getvalue()


FORMS: dict[str, bytes] = {
    "CSV": CSV,
    "TSV": CSV.replace(b",", b"\t"),
    "JSON lines": b'{"y": "a", "guess": "a", "w": 1}\n{"y":"b","guess":"a","w":2}\n'
    b'{"y":"b","guess":"b","w":3}\n',
    "gzip": gzip.compress(CSV),
    "zstd": pa.compress(CSV, "zstd", asbytes=True),
    "Parquet": parquet(),
    "Arrow file": arrow(is_stream=False),
    "Arrow stream": arrow(is_stream=True),
}


class Piped:
    """Standard input of some bytes."""

    def __init__(self, content: bytes, *, is_terminal: bool = False) -> None:
        self.buffer = io.BytesIO(content)
        self.closed = False
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def descriptors() -> set[str]:
    """The files that are open, by number."""
    return set(os.listdir("/proc/self/fd"))  # noqa: PTH208  # no path is needed, and none is opened longer


@pytest.mark.slow
@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("is_nameless", [True, False], ids=["nameless", "named"])
def test_every_kind_twice_and_nothing_stays(
    content: bytes, is_nameless: bool, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_nameless:
        exists = Path.exists
        monkeypatch.setattr(Path, "exists", lambda path: not str(path).startswith("/proc") and exists(path))
    monkeypatch.setattr(sys, "stdin", Piped(content))
    before = descriptors()
    source = open_source("-")
    assert source.name == "standard input"
    assert len(list(spool.iterdir())) == (0 if is_nameless else 1)
    for _ in range(2):
        batches = list(source.batches(["y", "guess"]))
        assert sum(map(len, batches)) == 3
    del source, batches
    gc.collect()
    assert descriptors() <= before
    assert not list(spool.iterdir())


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_weights_need_a_second_pass(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(content))
    assert tallied("-", truth="y", prediction="guess", weight="w")["counts"] == [[1, 2], [0, 3]]


BAD: dict[str, tuple[Any, str]] = {
    "nothing": (Piped(b""), "standard input is empty"),
    "a terminal": (Piped(CSV, is_terminal=True), "nothing is piped into standard input"),
    "closed": (None, "standard input is closed"),
    "no bytes": (io.StringIO("y,guess\n"), "standard input is not a stream of bytes: name a file"),
    "bytes": (Piped(b"\0\1\2"), "standard input is a binary file"),
    "half a Parquet file": (Piped(parquet()[:200]), "standard input cannot be read as Parquet"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("stdin", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read(stdin: Any, message: str, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    before = descriptors()
    with pytest.raises(InputError, match=message):
        open_source("-")
    assert not list(spool.iterdir())
    assert descriptors() <= before


def test_a_full_disk_is_said(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", refuse)
    monkeypatch.setattr(sys, "stdin", Piped(CSV))
    with pytest.raises(InputError, match="copied to a temporary file: No space left on device"):
        open_source("-")
    assert not list(spool.iterdir())


def test_a_file_called_like_standard_input_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("-", "standard input", "arrays"):
        Path(name).write_bytes(b"y,guess\na,a\n")
    monkeypatch.setattr(sys, "stdin", Piped(CSV))
    piped = ew.tally("-", truth="y", prediction="guess")
    assert piped.origin.parts[0].digest == f"sha256:{hashlib.sha256(CSV).hexdigest()}"
    columns: dict[str, Any] = {"truth": ["a", "b"] * 9, "prediction": ["a", "b"] * 9}
    assert "digest" not in ew.evaluate(**columns).provenance
    two = {"one": columns["prediction"], "two": columns["prediction"][::-1]}
    assert "digest" not in ew.compare(truth=columns["truth"], systems=two).report.provenance
    # Counted from the file it was a copy of, it is the same source.
    Path("copy.csv").write_bytes(CSV)
    with pytest.raises(MergeError, match="hold the same source"):
        ew.TallyRecord.merge([piped, ew.tally("copy.csv", truth="y", prediction="guess")])


def test_errors_name_standard_input_and_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(CSV + b"b\n"))
    with pytest.raises(
        InputError, match="standard input cannot be read as delimited text: row 4: Expected 3"
    ):
        tallied("-", truth="y", prediction="guess")


def test_a_process_that_is_killed_leaves_nothing(spool: Path) -> None:
    code = (
        "import sys, time\nfrom edgeworth.sources.opening import open_source\n"
        "source = open_source('-')\nprint('ready', flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(spool)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(CSV)
        process.stdin.close()
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 5
    while list(spool.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not list(spool.iterdir())
