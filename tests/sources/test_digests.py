"""A report says which bytes it is about; no file is read for that where nobody sees it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from command_line import call
from edgeworth.sources.paths import FileSource

COLUMNS = {"truth": "y_true", "prediction": "y_pred"}


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table({"y_true": [0, 1, 1, 0] * 50, "y_pred": [0, 1, 0, 0] * 50}), path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("words", ["evaluate", "compare"])
def test_a_file_is_read_for_its_fingerprint_where_somebody_sees_it(
    words: str, parquet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = "sha256:" + hashlib.sha256(parquet.read_bytes()).hexdigest()
    truth, prediction = COLUMNS["truth"], COLUMNS["prediction"]
    names = [f"--truth={truth}", f"--prediction={prediction}"]
    asked = [words, str(parquet), *names, *([f"--prediction={truth}"] if words == "compare" else [])]
    done = call(parquet.parent, capsys, *asked, "--json=-")
    assert json.loads(done.stdout)["provenance"]["digest"] == expected
    for kind in ("html", "markdown"):
        done = call(parquet.parent, capsys, *asked, f"--{kind}=-")
        assert expected[:20] in done.stdout

    def refuse(*_: Any) -> str:
        raise AssertionError("nobody sees it on a terminal")

    shown = call(parquet.parent, capsys, *asked)
    monkeypatch.setattr(hashlib, "file_digest", refuse)
    assert call(parquet.parent, capsys, *asked).stdout == shown.stdout
    assert expected[7:20] not in shown.stdout


@pytest.mark.parametrize("change", ["grows", "is replaced"])
@pytest.mark.parametrize("command", ["tally", "evaluate", "compare"])
def test_a_file_that_changes_while_it_is_counted_gets_no_digest(
    command: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest would be of other bytes than those that were counted."""
    path = tmp_path / "d.csv"
    path.write_text("y,p,q\n" + "a,a,b\nb,a,b\n" * 30)
    read = FileSource.batches

    def changing(self: FileSource, columns: Any) -> Any:
        yield from read(self, columns)
        if change == "grows":
            with path.open("a") as file:
                file.write("a,b,b\n")
        else:
            (tmp_path / "other").write_text("y,p,q\n" + "a,b,b\nb,b,b\n" * 30)
            (tmp_path / "other").replace(path)

    monkeypatch.setattr(FileSource, "batches", changing)
    commands: dict[str, Callable[[], object]] = {
        "tally": lambda: ew.tally(path, truth="y", prediction="p"),
        "evaluate": lambda: ew.evaluate(path, truth="y", prediction="p"),
        "compare": lambda: ew.compare(path, truth="y", systems=["p", "q"]),
    }
    with pytest.raises(ew.EdgeworthError, match=r"d\.csv changed while it was read"):
        commands[command]()
    if command == "evaluate":  # where nobody asks for a digest, nothing is claimed of the file
        assert ew.evaluate(path, truth="y", prediction="p", with_digest=False).verdict
