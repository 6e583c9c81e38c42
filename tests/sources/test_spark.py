"""Spark and Dask: the reducer goes to the rows, and what is wrong comes back as one sentence."""

from __future__ import annotations

import atexit
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, MissingExtraError, OptionError
from edgeworth.sources import spark as spark_files
from edgeworth.sources.frames import DaskSource
from edgeworth.sources.opening import open_source
from edgeworth.sources.spark import SparkSource, open_on_spark
from spark_session import MASTER, spark_session
from tallying_files import tally_decisions

dask_frames: Any = import_module("dask.dataframe")
with_spark = pytest.mark.usefixtures("spark")
pytestmark = [pytest.mark.java, pytest.mark.xdist_group("spark")]

ROLES: dict[str, Any] = {"truth": "y", "prediction": "guess"}


@pytest.fixture(scope="module")
def spark() -> Any:
    return spark_session()


def rows(number: int, wrong: int | None = None) -> pa.Table:
    rng = np.random.default_rng(number)
    truth = [f"c{index}" for index in rng.integers(3, size=number)]
    guesses = [f"c{position}" for position in rng.integers(3, size=number)]
    return pa.table({"y": [None if row == wrong else x for row, x in enumerate(truth, 1)], "guess": guesses})


def in_parts(session: Any, table: pa.Table, parts: int) -> Any:
    """Partitions in the order of rows, as files are: a union keeps them."""
    size = -(-table.num_rows // parts)
    frames = [session.createDataFrame(table.slice(size * index, size)) for index in range(parts)]
    joined = frames[0]
    for frame in frames[1:]:
        joined = joined.union(frame)
    return joined


def test_no_row_comes_to_the_driver(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One small answer a partition, and only of partitions that hold something."""
    run = SparkSource.run
    answers = []

    def counted(self: SparkSource, *given: Any) -> list[Any]:
        output = run(self, *given)
        answers.append(len(output))
        return output

    monkeypatch.setattr(SparkSource, "run", counted)
    monkeypatch.setattr(SparkSource, "batches", lambda *_: pytest.fail("rows were fetched"))
    frame = spark.createDataFrame(rows(500)).repartition(3)
    tally = ew.evaluate(frame, **ROLES).to_dict()["tally"]
    assert tally == ew.evaluate(rows(500), **ROLES).to_dict()["tally"]
    assert answers == [3]


def test_an_error_on_a_worker_is_our_sentence(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    frame = in_parts(spark, rows(90, wrong=71), 3)
    with pytest.raises(InputError) as caught:
        tally_decisions(open_source(frame), ROLES)
    with pytest.raises(InputError) as here:
        tally_decisions(open_source(rows(90, wrong=71)), ROLES)
    assert str(caught.value) == str(here.value)
    assert "row 71 (1 such row)" in str(caught.value)
    assert capfd.readouterr().err == ""


def test_what_breaks_on_a_worker_is_told_without_a_stack(spark: Any) -> None:
    def broken(_: Any) -> Any:
        raise ZeroDivisionError("no such thing")

    with pytest.raises(InputError, match=r"Spark could not compute it: ZeroDivisionError: no such thing$"):
        SparkSource(spark.createDataFrame(rows(5))).fold(["y"], broken, ew.ContingencyTable.empty())


def test_workers_of_another_version(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ew, "__version__", "0.0.1")
    with pytest.raises(InputError, match=r"edgeworth is 0.0.1 on the driver and \S+ on the workers"):
        tally_decisions(open_source(spark.createDataFrame(rows(5))), ROLES)


def test_rows_can_be_fetched_in_order_where_nothing_else_will_do(spark: Any) -> None:
    table = pa.table({"y": list(range(50))})
    batches = list(open_source(in_parts(spark, table, 4)).batches(["y"]))
    assert [value for batch in batches for value in np.asarray(batch.columns["y"])] == list(range(50))
    assert batches[0].first_row == 1
    assert all(batch.columns["y"][0] == batch.first_row - 1 for batch in batches)  # type: ignore[index]  # arrays


def test_frames_without_rows(spark: Any) -> None:
    with pytest.raises(InputError, match="pyspark DataFrame: there are no rows"):
        tally_decisions(open_source(spark.createDataFrame(rows(3)).where("1 = 0")), ROLES)


@with_spark
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("short.csv", b"y,guess\na,b\nc\n", r"short.csv: .*Malformed CSV record: c$"),
        ("quote.csv", b'y,guess\na,b\nc,"d\ne,"f"\n', r"quote.csv: "),
        (
            "open.csv",
            b'y,guess\na,"b' + b"\nc,d" * (1 << 18),
            r"open.csv: a field is too long: is a quotation mark not closed\?$",
        ),
        ("cut.parquet", b"PAR1 and nothing else PAR1", r"cut.parquet cannot be read by Spark: .*cut.parquet"),
        ("broken.jsonl", b'{"y": 1, "guess": 1}\n{"y": \n', r"broken.jsonl cannot be read by Spark"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        tally_decisions(open_source(tmp_path / name, engine="spark"), ROLES)
    assert "\n" not in str(caught.value)


@with_spark
def test_paths_mean_what_they_say(tmp_path: Path) -> None:
    """Nothing in them is decoded, and nothing is a pattern."""
    folder = tmp_path / "a b [1] ü"
    folder.mkdir()
    (folder / "a%20b.csv").write_text("y,guess\na,b\n")
    (folder / "a b.csv").write_text("\n\ny,guess\nc,d\n")
    (folder / "{x,y}*?\\.jsonl").write_text('{"y": "e", "guess": "f"}\n')
    (folder / "texts" / "y=7").mkdir(parents=True)
    (folder / "texts" / "y=7" / "a.csv").write_text("guess\n8\n")
    below = folder / "lake" / "y=g"
    below.mkdir(parents=True)
    pq.write_table(pa.table({"guess": ["h"]}), below / "part [1].parquet")
    decoys = ("a1x", "x", "y", "a b 1 ü")
    for name in decoys:
        (tmp_path / name).mkdir()
        (tmp_path / name / "a b.csv").write_text("y,guess\nwrong,wrong\n")
    places = {"a%20b.csv": "ab", "a b.csv": "cd", "{x,y}*?\\.jsonl": "ef", "lake": "gh", "texts": [7, 8]}
    for index, labels in places.items():
        tally = tally_decisions(open_source(folder / index, engine="spark", master=MASTER), ROLES)
        assert tally.to_dict()["labels"] == list(labels)


def test_a_path_that_cannot_be_said() -> None:
    with pytest.raises(InputError, match=r"a path with a colon and one of \{\}"):
        spark_files.address(Path("/a:b/c[1].csv"))


def test_text_without_anything_in_it_is_told_before_spark_starts(tmp_path: Path) -> None:
    for name, content in {"a.csv": "", "b.csv": "\n \n"}.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=rf"{name} is empty$"):
            open_source(tmp_path / name, engine="spark")


@with_spark
def test_text_by_an_address(tmp_path: Path) -> None:
    """Then Spark itself looks for the header."""
    (tmp_path / "a.csv").write_text("\n\ny;guess\na;b\n")
    (tmp_path / "b.csv").write_text("\n")
    tally = tally_decisions(open_source(f"file://{tmp_path}/a.csv", engine="spark"), ROLES)
    assert tally.to_dict()["labels"] == ["a", "b"]
    with pytest.raises(InputError, match=r"b.csv is empty$"):
        open_source(f"file://{tmp_path}/b.csv", engine="spark")


@with_spark
def test_names_that_are_hard_to_hold_or_stand_twice(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('y,"gu`e.s\ns",,z,z\na,b,1,2,3\n')
    roles = ROLES | {"prediction": "gu`e.s\ns"}
    tally = tally_decisions(open_source(tmp_path / "a.csv", engine="spark"), roles)
    assert tally.to_dict()["labels"] == ["a", "b"]
    with pytest.raises(InputError, match=r"has no column 'z'; it has .*'z \(column 4\)'"):
        tally_decisions(open_source(tmp_path / "a.csv", engine="spark"), ROLES | {"prediction": "z"})
    (tmp_path / "b.csv").write_text("guess,y\na,b\n")
    with pytest.raises(InputError, match=r"b.csv has the columns guess, y, but \S+a.csv has y, gu"):
        open_source(tmp_path, engine="spark")


def test_a_session_of_ours_stops_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    class Builder:
        def __getattr__(self, _: str) -> Any:
            return lambda *_: self

        def getOrCreate(self) -> Any:  # noqa: N802  # Spark's name
            return session

    session: Any = SimpleNamespace(
        stop=lambda: None, sparkContext=SimpleNamespace(setLogLevel=lambda _: None)
    )
    ended: list[Any] = []
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession, "builder", Builder())
    monkeypatch.setattr(atexit, "register", ended.append)
    assert spark_files.start_spark("local") is session
    assert ended == [session.stop]


@with_spark
def test_folders_patterns_and_several_files(tmp_path: Path) -> None:
    whole = rows(40)
    for index in range(4):
        pq.write_table(whole.slice(10 * index, 10), tmp_path / f"part-{index}.parquet")
    files = sorted(tmp_path.iterdir())
    expected = tally_decisions(open_source(whole), ROLES)
    for data in (tmp_path, tmp_path / "*.parquet", files, [str(file) for file in files]):
        assert tally_decisions(open_source(data, engine="spark", master=MASTER), ROLES) == expected


@with_spark
def test_a_session_that_runs_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,guess\na,b\n")
    with pytest.raises(OptionError, match=r"a Spark session is running on local\[2\]: stop it"):
        open_source(tmp_path / "a.csv", engine="spark", master="local[7]")


def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    (tmp_path / "a.csv").write_text("y,guess\na,b\n")
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(OptionError, match=r"Spark needs Java.*apt-get install default-jre-headless"):
        open_source(tmp_path / "a.csv", engine="spark")


def test_without_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("y,guess\na,b\n")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"running on Spark .*pip install 'edgeworth\[spark\]'"):
        open_source(tmp_path / "a.csv", engine="spark")


def test_what_spark_does_not_read(tmp_path: Path) -> None:
    for name in ("a.csv", "b.parquet", "c.arrow"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"Spark reads .*Parquet.*ORC.* saw .arrow"):
        open_on_spark(tmp_path / "c.arrow")
    with pytest.raises(InputError, match=r"files of several kinds \(csv, parquet\)"):
        open_on_spark([tmp_path / "a.csv", tmp_path / "b.parquet"])
    with pytest.raises(InputError, match=r"a.cvs does not exist; did you mean a.csv"):
        open_on_spark(tmp_path / "a.cvs")
    with pytest.raises(OptionError, match="reads files or Spark's dataframes; saw DataFrame"):
        open_on_spark(pd.DataFrame({"y": [1]}))
    with pytest.raises(OptionError, match=r"the engine must be .spark. if it is set; saw 'dask'"):
        open_source(tmp_path / "a.csv", engine="dask")
    with pytest.raises(OptionError, match="--master needs --engine spark"):
        open_source(tmp_path / "a.csv", master="local")


@pytest.mark.parametrize(
    ("name", "form"), [("s3://b/x.csv.gz", "csv"), ("hdfs://h/lake/", "parquet"), ("x.PQ", "parquet")]
)
def test_formats_are_told_by_their_endings(name: str, form: str) -> None:
    assert spark_files._spark_format([name], name) == form


@with_spark
def test_the_order_of_several_files_is_not_known_to_spark(tmp_path: Path) -> None:
    """Files of growing size: Spark reads the last one first."""
    for index in range(3):
        rows = "".join(f"{row % 2},0.6,0.5\n" for row in range(10 ** (index + 1)))
        (tmp_path / f"{index}.csv").write_text("y,q,r\n" + rows)
    asked: dict[str, Any] = {"truth": "y", "probabilities": "q", "against": "r", "engine": "spark"}
    with pytest.raises(OptionError, match=r"does not keep the order .* --time COLUMN"):
        ew.tally(tmp_path, ordered=True, **asked)
    one = ew.tally(tmp_path / "1.csv", ordered=True, **asked)
    assert one.tally == ew.tally(tmp_path / "1.csv", ordered=True, **asked | {"engine": None}).tally
    assert ew.tally(tmp_path, **asked).origin.rows == 1110


def test_dask_reads_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for index in range(3):
        rows = [str(index)] * 10 ** (3 - index)
        (tmp_path / f"{index}.csv").write_text("y\n" + "\n".join(rows) + "\n")
    frame = dask_frames.read_csv(str(tmp_path / "*.csv"))
    result = np.concatenate([np.asarray(batch.columns["y"]) for batch in DaskSource(frame).batches(["y"])])
    assert result.tolist() == [0] * 1000 + [1] * 100 + [2] * 10


def test_dask_names_the_row_in_the_whole() -> None:
    frame = dask_frames.from_pandas(rows(90, wrong=71).to_pandas(), npartitions=4)
    with pytest.raises(InputError, match=r"truth is missing in row 71 \(1 such row\)"):
        tally_decisions(open_source(frame), ROLES)


def lost(_: Any) -> Any:
    raise FileNotFoundError("part-3 is gone")


def test_what_breaks_below_dask_is_told_in_a_sentence() -> None:
    frame = dask_frames.from_map(lost, range(2), meta=rows(1).to_pandas())
    with pytest.raises(InputError, match=r"^dask DataFrame cannot be computed: part-3 is gone$"):
        tally_decisions(open_source(frame), ROLES)
    with pytest.raises(InputError, match=r"^dask DataFrame cannot be computed: part-3 is gone$"):
        list(open_source(frame).batches(["y"]))


def test_dask_hands_rows_over_in_order_where_nothing_else_will_do() -> None:
    frame = dask_frames.from_pandas(pd.DataFrame({"y": range(50)}), npartitions=4)
    batches = list(DaskSource(frame).batches(["y"]))
    assert [value for batch in batches for value in np.asarray(batch.columns["y"])] == list(range(50))
    assert [batch.first_row for batch in batches] == [1, 14, 27, 39]
