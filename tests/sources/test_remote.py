"""Stores through DuckDB. There is no network here: local files take the same path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from edgeworth.errors import InputError
from edgeworth.sources.opening import open_source
from edgeworth.sources.remote import RemoteSource
from tallying_files import tally_decisions

ROWS: list[dict[str, str | None]] = [
    {"y": "a", "guess": "a"},
    {"y": "b", "guess": "a"},
    {"y": None, "guess": "b"},
]


def write(path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        path.write_text("y,guess\n" + "".join(f"{row['y'] or ''},{row['guess']}\n" for row in ROWS))
    return path


@pytest.mark.parametrize("name", ["file.parquet", "file.csv", "file.jsonl"])
def test_the_same_rows_as_a_local_file(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    remote, local = RemoteSource(f"file://{path}"), open_source(path)
    assert remote.is_text == local.is_text
    assert remote.names == ("y", "guess")
    columns = {"truth": "y", "prediction": "guess"}
    result = tally_decisions(remote, columns, missing="drop").to_dict()
    assert repr(result) == repr(tally_decisions(local, columns, missing="drop").to_dict())
    with pytest.raises(InputError, match="truth is missing in row 3"):
        tally_decisions(remote, columns)
    with pytest.raises(InputError, match="no column 'gues'; did you mean 'guess'"):
        list(remote.batches(["gues"]))


def test_a_local_address_is_a_local_file(tmp_path: Path) -> None:
    path = write(tmp_path / "file.csv")
    assert open_source(f"file://{path}").name == str(path)


BAD: dict[str, tuple[str, str]] = {
    "an extension that is not installed": (
        "s3://bucket/*.parquet",
        "needs DuckDB's extension httpfs.*INSTALL",
    ),
    "another extension": ("az://container/file.parquet", "needs DuckDB's extension azure.*INSTALL azure"),
    "a question mark": ("https://example.org/file.csv?x=1", "needs DuckDB's extension httpfs"),
    "another scheme": ("ftp://example.org/file.csv", "ftp:// is not supported; use one of s3, "),
    "another kind": ("s3://bucket/file.xlsx", "by their ending"),
    "a file that is not there": ("file:///nowhere/file.parquet", "DuckDB cannot read it: No files found"),
}


@pytest.mark.parametrize(("url", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_says_so_with_the_address(
    url: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Extensions that somebody has installed here are not found there.
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(InputError, match=message) as caught:
        RemoteSource(url)
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_stores_are_told_from_paths(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ftp:// is not supported"):
        open_source("ftp://example.org/file.csv")
    paths: list[Any] = [write(tmp_path / "file.csv"), "s3://bucket/file.csv"]
    with pytest.raises(InputError, match="one at a time, or by a pattern"):
        open_source(paths)
