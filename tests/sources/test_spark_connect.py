"""Spark Connect: frames of a server, in processes of their own, since a process has one kind of Spark."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.sources import spark as spark_module

pytestmark = [pytest.mark.java, pytest.mark.xdist_group("spark")]


@pytest.fixture(autouse=True)
def one_server_at_a_time() -> Iterator[None]:
    """A server listens on one port, and tests may run side by side."""
    with (Path(tempfile.gettempdir()) / "edgeworth-spark-connect.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


ASKED: dict[str, dict[str, Any]] = {
    "labels": {"truth": "y", "prediction": "p"},
    "columns by their names": {},
    "clusters": {"truth": "y", "prediction": "p", "cluster": "g"},
    "slices": {"truth": "y", "prediction": "p", "by": "g"},
    "scores": {"truth": "t", "score": "s"},
    "queries": {"truth": "t", "score": "s", "query": "g"},
    "probabilities": {"truth": "t", "probabilities": "s"},
    "answers": {"correct": "t"},
}

PROGRAM = """
import json, sys
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
import edgeworth as ew

session = SparkSession.builder.remote("local[2]").getOrCreate()
frame = session.read.parquet(sys.argv[1]).repartitionByRange(3, "row")
asked = json.loads(sys.argv[2])
found = {}
for name, options in asked.items():
    rows = frame if options else frame.select("truth", "prediction")
    report = ew.evaluate(rows, **options).to_dict()
    found[name] = {"tally": report.get("tally"), "verdict": report["verdict"]}
compared = ew.compare(frame, truth="y", systems=["p", "q"]).to_dict()
found["comparison"] = {"verdict": compared["verdict"], "comparison": compared["comparison"]}
for name, rows, truth in (
    ("no such column", frame, "nothing"),
    ("a missing label", frame.selectExpr("nullif(y, 'c2') y", "p"), "y"),
    ("a failure of Spark", frame.selectExpr("raise_error('broken') y", "p"), "y"),
):
    try:
        ew.evaluate(rows, truth=truth, prediction="p")
    except ew.EdgeworthError as error:
        found[name] = str(error)
print(json.dumps(found))
session.stop()
"""


def table() -> pa.Table:
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=300)
    names = np.array(["c0", "c1", "c2"])
    name = names[np.where(rng.random(300) < 0.6, truth, 0)]
    columns = {
        "row": np.arange(300),
        "y": names[truth],
        "p": name,
        "q": names[np.where(rng.random(300) < 0.5, truth, 1)],
        "truth": names[truth],
        "prediction": name,
        "t": rng.integers(2, size=300),
        "s": np.round(rng.random(300), 2) * 0.9 + 0.05,
        "g": names[rng.integers(3, size=300)],
    }
    return pa.table(columns)


def test_frames_of_spark_connect(tmp_path: Path) -> None:
    """Every kind gives what it gives on one machine, and errors are sentences."""
    rows = table()
    pq.write_table(rows, tmp_path / "rows.parquet")
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "rows.parquet"), json.dumps(ASKED)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    payload = json.loads(done.stdout.splitlines()[-1])
    for name, options in ASKED.items():
        data = rows if options else rows.select(["truth", "prediction"])
        here = json.loads(ew.evaluate(data, **options).to_json())
        assert payload[name] == {"tally": here.get("tally"), "verdict": here["verdict"]}, name
    here = json.loads(ew.compare(rows, truth="y", systems=["p", "q"]).to_json())
    assert payload["comparison"] == {"verdict": here["verdict"], "comparison": here["comparison"]}
    assert "has no column 'nothing'; it has 'row', 'y'" in payload["no such column"]
    assert payload["a missing label"].startswith("truth is missing in row ")
    assert "Spark could not compute it: " in payload["a failure of Spark"]
    assert "broken" in payload["a failure of Spark"]
    assert "\n" not in payload["a failure of Spark"]


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "edgeworth",
        "evaluate",
        "d.csv",
        "--truth",
        "y",
        "--prediction",
        "p",
        *words,
    ]
    given = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d.csv").write_text("y,p\n" + "a,a\nb,a\nb,b\na,a\n" * 9)
    return tmp_path


def test_the_variable_of_spark_connect(folder: Path) -> None:
    done = run(folder, "--engine", "spark", "--json", "r.json", SPARK_REMOTE="local[2]")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    payload = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    here = ew.evaluate(folder / "d.csv", truth="y", prediction="p").to_dict()
    assert payload["verdict"] == here["verdict"]


@pytest.mark.parametrize("position", ["--master", "SPARK_REMOTE"])
def test_no_server_is_a_sentence(position: str, folder: Path) -> None:
    """One that takes connections and never answers is none either."""
    with socket.create_server(("localhost", 0)) as silent:
        address = f"sc://localhost:{silent.getsockname()[1]}"
        by_option = position == "--master"
        words = ["--engine", "spark", *(["--master", address] if by_option else [])]
        done = run(folder, *words, **({} if by_option else {"SPARK_REMOTE": address}))
    assert done.returncode == 2
    message = re.sub(r"(?m)^edgeworth: .* \([0-9,]+ s\)\n", "", done.stderr)
    assert message == (
        f"edgeworth: no Spark Connect server answers at {address} within 10 seconds: check the address, "
        "or start the server\n"
    )


def test_an_address_that_is_none(folder: Path) -> None:
    done = run(folder, "--engine", "spark", "--master", "sc://")
    assert done.returncode == 2
    assert done.stderr.startswith("edgeworth: sc:// is not the address of a Spark Connect server: ")


def test_nothing_asks_for_what_connect_does_not_have() -> None:
    """``sparkContext`` is asked for only of a session that is not Connect's, and ``rdd`` never."""
    tree = ast.parse(Path(spark_module.__file__).read_text(encoding="utf-8"))
    asked = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert "rdd" not in asked
    assert asked.count("sparkContext") == 1
