"""Spark's dataframes and the files that Spark reads itself.

The rows stay on the workers, which send back one small tally per partition.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from edgeworth.errors import InputError, MissingExtraError, OptionError
from edgeworth.sources.arrow import arrow_batches, combine_record_batches
from edgeworth.sources.batches import Batch, T
from edgeworth.sources.formats import FORMATS, ending, format_by_ending, list_words
from edgeworth.sources.partitions import (
    FoldTask,
    PartitionedSource,
    PartitionTally,
    fold_partition,
    generate_names,
    is_spark_frame,
)
from edgeworth.sources.paths import expand_paths
from edgeworth.sources.text_files import DelimitedSource, delimiter_of
from edgeworth.sources.worker_values import pack, unpack

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, DataFrameReader, Row, SparkSession


FIELD_TOO_LONG = "a field is too long: is a quotation mark not closed?"

ROWS_SCHEMA = "content binary"
"""What workers send when rows are fetched: record batches as bytes."""

TALLY_SCHEMA = "header string, buffers array<binary>"
"""What workers send when they have counted: see ``edgeworth.sources.worker_values``."""

CONNECT_TIMEOUT = 10.0
"""Seconds in which a Spark Connect server must answer; Spark itself would try for many minutes."""


class SparkSource(PartitionedSource):
    """A Spark dataframe, which each pass computes again unless it is persisted."""

    def __init__(
        self,
        frame: DataFrame,
        name: str = "pyspark DataFrame",
        *,
        is_text: bool = False,
        paths: tuple[Path, ...] = (),
        keeps_order: bool = True,
    ) -> None:
        self._frame = frame
        self.keeps_order = keeps_order
        self.name = name
        self.is_text = is_text
        self.paths = paths

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        with self._spark_errors():
            return tuple(self._frame.columns)

    def run(
        self, columns: list[str], task: FoldTask[T], positions: dict[int, int], only: int | None = None
    ) -> list[PartitionTally[T]]:
        """Fold each partition, or only one of them, on its worker."""
        worker = partial(_fold, columns=columns, task=task, positions=positions, only=only)
        with self._spark_errors():
            answers = self._renamed(columns).mapInArrow(worker, TALLY_SCHEMA).toArrow().to_pylist()
        tallies: list[PartitionTally[T]] = []
        for answer in answers:
            tally = unpack(answer["header"], answer["buffers"])
            if not isinstance(tally, PartitionTally):
                raise InputError(f"{self.name}: the workers sent an answer that is not a tally")
            tallies.append(tally)
        return tallies

    def fetch(self, columns: list[str]) -> Iterator[Batch]:
        """Yield the rows one partition at a time."""
        with self._spark_errors():
            rows = self._renamed(columns).mapInArrow(_send_rows, ROWS_SCHEMA).toLocalIterator()
        return arrow_batches(self._record_batches(rows, columns), columns)

    def _record_batches(self, rows: Iterator[Row], columns: list[str]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        while True:
            with self._spark_errors():
                row = next(rows, None)
            if row is None:
                return
            for batch in pa.ipc.open_stream(row.content):
                yield batch.rename_columns(columns)

    def _renamed(self, columns: list[str]) -> DataFrame:
        """Select columns under neutral names: Spark ignores case, and reads dots in names as paths."""
        functions = import_module(f"{_sql_package(self._frame)}.functions")
        quoted = [functions.col("`" + name.replace("`", "``") + "`") for name in columns]
        if self.is_text:
            # As in our own reading of text files, an empty field is a missing value, quoted or not.
            # Columns that come from the names of folders are text as well.
            quoted = [functions.nullif(column.cast("string"), functions.lit("")) for column in quoted]
        pairs = zip(quoted, generate_names(columns), strict=True)
        return self._frame.select(*(column.alias(new_name) for column, new_name in pairs))

    def _spark_errors(self) -> AbstractContextManager[None]:
        return spark_errors(f"{self.name}: Spark could not compute it")


@contextmanager
def spark_errors(message: str) -> Iterator[None]:
    """Raise Spark's errors as an InputError with one sentence; the stack traces are in Spark's log."""
    try:
        with without_pandas_warnings():
            yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
            raise
        raise InputError(f"{message}: {spark_message(error)}") from None


def spark_message(error: Exception) -> str:
    """Return the cause of an error of Spark or of a worker's Python, without the stack trace.

    >>> spark_message(ValueError("o12\\nCaused by: java.io.IOException: [DISK] The disk is full SQLSTATE: 1"))
    'The disk is full'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "from the Python worker" in str(error):
        stack = ("File ", "at ", "SQLSTATE", "~", "^")
        messages = [line for line in lines if not line.startswith(stack)]
        return messages[-1] if messages else type(error).__name__
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    cause = causes[-1] if causes else next(iter(lines), type(error).__name__)
    cause = re.sub(r"^[\w.$]+(Exception|Error): ", "", cause.split(" SQLSTATE")[0])
    cause = re.sub(r"^Index (\d+) out of bounds for length \1$", FIELD_TOO_LONG, cause)
    file = re.search(r"while reading file (\S+)\.\s", str(error))
    return ("" if file is None else f"{file[1]}: ") + re.sub(r"^\[[A-Z_.]+\] ", "", cause)


@contextmanager
def without_pandas_warnings() -> Iterator[None]:
    """Hide Spark's warning about pandas versions it does not know; Edgeworth uses none of its pandas."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


# -- functions that run on the workers ---------------------------------------------------------------------


def _fold(
    record_batches: Iterator[pa.RecordBatch],
    *,
    columns: list[str],
    task: FoldTask[T],
    positions: dict[int, int],
    only: int | None = None,
) -> Iterator[pa.RecordBatch]:
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = context.partitionId() if context is not None else 0
    if only is not None and partition != only:
        return
    renamed = (batch.rename_columns(columns) for batch in combine_record_batches(record_batches))
    rows_before = positions.get(partition, 0)
    tally = fold_partition(
        arrow_batches(renamed, columns), task, partition=partition, rows_before=rows_before
    )
    if tally.rows or tally.error:
        import pyarrow as pa

        header, buffers = pack(tally)
        answer = [pa.array([header], pa.string()), pa.array([buffers], pa.list_(pa.binary()))]
        yield pa.record_batch(answer, names=["header", "buffers"])


def _send_rows(record_batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in combine_record_batches(record_batches):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        content = sink.getvalue().to_pybytes()
        yield pa.record_batch({"content": pa.array([content], pa.binary())})


MAX_FIELD_CHARACTERS = 1 << 20
"""A longer text field means an unclosed quotation mark, after which Spark would lose rows."""

NO_JAVA = (
    "Spark needs Java, which is not installed: install it (on Debian and Ubuntu: apt-get install "
    "default-jre-headless), or set JAVA_HOME"
)


def open_on_spark(data: object, master: str | None = None) -> SparkSource:
    """Open files, a folder, a remote address or a Spark dataframe with Spark on ``master``.

    Without a master, Spark uses that of ``spark-submit`` or of a running session, or all cores of this
    machine.
    """
    if is_spark_frame(data):
        return SparkSource(data)
    values = data if isinstance(data, (list, tuple)) else [data]
    locations = [value for value in values if isinstance(value, (str, os.PathLike))]
    if not locations or len(locations) < len(values):
        raise OptionError(f"engine='spark' reads files or Spark's dataframes; saw {type(data).__name__}")
    name = ", ".join(map(str, locations))
    files: list[Path | str] = []
    for location in locations:
        # Spark itself resolves remote addresses.
        files += [str(location)] if "://" in str(location) else expand_paths(location)
    spark_format = _spark_format(files, name)
    addresses = [file if isinstance(file, str) else address(file) for file in files]
    local_paths = tuple(file for file in files if isinstance(file, Path))
    # Errors in text files are raised before Spark starts, in the same words as without Spark.
    text_files = [DelimitedSource(path) for path in local_paths] if spark_format == "csv" else []
    _check_headers(text_files)
    paths = local_paths if len(local_paths) == len(files) else ()
    session = start_spark(master)
    with spark_errors(f"{name} cannot be read by Spark"):
        reader = session.read
        if len(locations) == 1 and "://" not in str(locations[0]) and Path(locations[0]).is_dir():
            # The names of folders below it are columns. This is no pattern: nothing in it is escaped.
            reader = reader.option("basePath", f"file://{Path(locations[0]).absolute()}")
        if spark_format == "csv":
            first = text_files[0] if len(text_files) == len(files) else None
            frame = _read_text(session, reader, addresses, first)
        else:
            frame = reader.format(spark_format).load(addresses, mode="FAILFAST")
        # Spark orders several files by size, and combines parts of them.
        keeps_order = len(files) == len(paths) == 1
        is_text = spark_format == "csv"
        return SparkSource(frame, name, is_text=is_text, paths=paths, keeps_order=keeps_order)


def start_spark(master: str | None = None) -> SparkSession:
    """Return the running session, or start one whose workers use this Python; it stops with the program."""
    try:
        with without_pandas_warnings():
            from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("running on Spark", "spark") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        running_master = running.conf.get("spark.master", None)
        if None not in (master, running_master) and running_master != master:
            raise OptionError(f"a Spark session is running on {running_master}: stop it to run on {master}")
        return running
    # Spark itself reads this variable, which asks for Spark Connect on a server or on this machine.
    target = master or os.environ.get("SPARK_REMOTE")
    is_server = target is not None and target.startswith("sc://")
    java_home = os.environ.get("JAVA_HOME")
    has_java = shutil.which("java") or (java_home and (Path(java_home) / "bin" / "java").exists())
    if not is_server and not has_java:
        raise OptionError(NO_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("edgeworth")
    if is_server and target is not None:
        _check_server(target)
    elif target == master:  # Spark Connect does not allow these to be changed
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        if master is not None and master.startswith("local"):
            # On one machine Spark's page is of no use, and slow to start.
            builder = builder.config("spark.ui.enabled", "false")
    if master is not None:
        builder = builder.remote(master) if is_server else builder.master(master)
    try:
        with without_pandas_warnings(), _quiet():
            session: SparkSession = builder.getOrCreate()
    except Exception as error:
        raise OptionError(
            f"Spark does not start on {target or 'this machine'}: {spark_message(error)}"
        ) from None
    if not _is_connect(session):
        # Errors in the data are reported in a sentence, not in Java's stack traces.
        session.sparkContext.setLogLevel("FATAL")
    # Not after each use: starting takes seconds, and another call may follow.
    atexit.register(session.stop)
    return session


def _is_connect(value: DataFrame | SparkSession) -> bool:
    """Return whether a frame or session belongs to Spark Connect."""
    return type(value).__module__.startswith("pyspark.sql.connect.")


def _sql_package(frame: DataFrame) -> str:
    """Return the package whose functions make columns for a frame: Spark Connect has its own."""
    return "pyspark.sql.connect" if _is_connect(frame) else "pyspark.sql"


def _check_server(address: str) -> None:
    """Raise an error soon if no Spark Connect server answers at an address."""
    try:
        with without_pandas_warnings():
            import grpc
            from pyspark.sql.connect.client import DefaultChannelBuilder

        channel = DefaultChannelBuilder(address).toChannel()
    except ImportError:
        raise MissingExtraError("Spark Connect", "spark") from None
    except Exception as error:
        raise OptionError(
            f"{address} is not the address of a Spark Connect server: {spark_message(error)}"
        ) from None
    try:
        grpc.channel_ready_future(channel).result(timeout=CONNECT_TIMEOUT)
    except grpc.FutureTimeoutError:
        raise OptionError(
            f"no Spark Connect server answers at {address} within {CONNECT_TIMEOUT:g} seconds: "
            "check the address, or start the server"
        ) from None
    finally:
        channel.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Start Java with our log settings, unless the user has others."""
    before = os.environ.get("SPARK_SUBMIT_OPTS", "")
    folders = [os.environ.get("SPARK_CONF_DIR"), f"{os.environ.get('SPARK_HOME', '')}/conf"]
    if "log4j" in before or any(
        (Path(folder) / "log4j2.properties").exists() for folder in folders if folder
    ):
        yield
        return
    settings = Path(__file__).with_name("log4j2.properties")
    os.environ["SPARK_SUBMIT_OPTS"] = f'{before} "-Dlog4j2.configurationFile={settings}"'
    try:
        yield
    finally:
        os.environ["SPARK_SUBMIT_OPTS"] = before


def address(file: Path) -> str:
    """Return the address of a file for Spark, with the characters of patterns escaped.

    >>> print(address(Path("/a b/50%[1].csv")))
    file:///a b/50%\\[1\\].csv
    """
    path = str(file.absolute())
    escaped = re.sub(r"([{}\[\]*?\\])", r"\\\1", path)
    if ":" in path and escaped != path:
        raise InputError(f"{file}: Spark cannot read a path with a colon and one of {{}}[]*?\\: rename it")
    return f"file://{escaped}"


def _spark_format(files: Sequence[Path | str], name: str) -> str:
    """Return Spark's name of the files' format."""
    formats = {ending(Path(file)): format_by_ending(Path(file)) for file in files}
    known = {form.spark for form in formats.values() if form is not None and form.spark is not None}
    # The address of a folder does not show what is in it; most hold Parquet.
    spark_formats = sorted(known | {"parquet"} if "" in formats else known)
    if any(suffix and (form is None or form.spark is None) for suffix, form in formats.items()):
        words = list_words(tuple(form for form in FORMATS if form.spark is not None), " and")
        raise InputError(
            f"{name}: Spark reads {words}, recognised by their endings; saw {', '.join(sorted(formats))}"
        )
    if len(spark_formats) > 1:
        raise InputError(f"{name}: files of several kinds ({', '.join(spark_formats)}) cannot be read as one")
    return spark_formats[0]


def _read_text(
    session: SparkSession, reader: DataFrameReader, addresses: list[str], local: DelimitedSource | None
) -> DataFrame:
    """Read delimited text, with the header of a local file if there is one."""
    from pyspark.sql.types import StringType, StructField, StructType

    if local is not None:
        # Spark would take an address as a pattern once more when it looks for the header.
        schema = StructType([StructField(name, StringType()) for name in _distinct_names(local.names)])
        sep = local.delimiter
    else:
        first = session.read.text(addresses[0]).where("trim(value) != ''").first()
        if first is None:
            raise InputError(f"{addresses[0]} is empty")
        schema = None
        sep = delimiter_of(Path(addresses[0]), str(first[0]))
    return reader.csv(
        addresses,
        schema=schema,
        sep=sep,
        header=True,
        quote='"',
        escape='"',
        multiLine=True,
        unescapedQuoteHandling="RAISE_ERROR",
        maxCharsPerColumn=MAX_FIELD_CHARACTERS,
        enforceSchema=local is not None,
        mode="FAILFAST",
    )


def _distinct_names(names: Sequence[str]) -> list[str]:
    """Return names that Spark can distinguish: those that differ only in case get a column number.

    >>> _distinct_names(["y", "z", "Z"])
    ['y', 'z (column 2)', 'Z (column 3)']
    """
    folded = [name.lower() for name in names]
    return [
        f"{name} (column {number})" if folded.count(name.lower()) > 1 else name
        for number, name in enumerate(names, 1)
    ]


def _check_headers(files: Sequence[DelimitedSource]) -> None:
    """Raise an error if headers differ, because Spark identifies columns of text by position."""
    other = next((file for file in files if file.names != files[0].names), None)
    if other is not None:
        raise InputError(
            f"{other.name} has the columns {', '.join(other.names)}, but {files[0].name} has "
            f"{', '.join(files[0].names)}: "
            "Spark reads text files together only if their headers are the same"
        )
