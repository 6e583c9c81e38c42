"""Spark's dataframes and the files that Spark reads itself.

The reducer goes to the rows, and one small tally a partition comes back.
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
from typing import TYPE_CHECKING, Any

from edgeworth.errors import InputError, MissingExtraError, OptionError
from edgeworth.sources.arrow import arrow_batches, combine_pieces
from edgeworth.sources.batches import Batch
from edgeworth.sources.engines import PartitionedSource, PartitionTally, fold_partition, generate_names
from edgeworth.sources.exchange import pack, unpack
from edgeworth.sources.formats import FORMATS, ending, format_by_ending, list_words
from edgeworth.sources.paths import expand_paths
from edgeworth.sources.text_files import DelimitedSource, delimiter_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession


TOO_LONG = "a field is too long: is a quotation mark not closed?"

SHIPPED = "content binary"
"""What workers send when rows are fetched: Arrow's own bytes."""
ANSWER = "header string, buffers array<binary>"
"""What workers send when they have counted: see ``edgeworth.sources.exchange``."""

PATIENCE = 10.0
"""Seconds in which a Spark Connect server must answer; Spark itself would try for many minutes."""


class SparkSource(PartitionedSource):
    """A Spark dataframe; persisted, it is not computed again for each pass."""

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
        """What the columns are called."""
        with self._spark_errors():
            return tuple(self._frame.columns)

    def run(
        self, columns: list[str], work: dict[str, Any], positions: dict[int, int], only: int | None = None
    ) -> list[PartitionTally]:
        """Fold each partition, or only one of them, on its worker."""
        worker = partial(_fold, columns=columns, positions=positions, only=only, **work)
        with self._spark_errors():
            answers = self._renamed(columns).mapInArrow(worker, ANSWER).toArrow().to_pylist()
        parts = [unpack(answer["header"], answer["buffers"]) for answer in answers]
        if not all(isinstance(part, PartitionTally) for part in parts):
            raise InputError(f"{self.name}: an answer of the workers is no tally")
        return parts

    def fetch(self, columns: list[str]) -> Iterator[Batch]:
        """Bring the rows here a partition at a time."""
        with self._spark_errors():
            rows = self._renamed(columns).mapInArrow(_ship_rows, SHIPPED).toLocalIterator()
        return arrow_batches(self._unpacked(rows, columns), columns)

    def _unpacked(self, rows: Iterator[Any], columns: list[str]) -> Iterator[Any]:
        import pyarrow as pa

        while True:
            with self._spark_errors():
                row = next(rows, None)
            if row is None:
                return
            for piece in pa.ipc.open_stream(row.content):
                yield piece.rename_columns(columns)

    def _renamed(self, columns: list[str]) -> DataFrame:
        """The wanted columns under names of our own: Spark folds case, and reads dots in names as paths."""
        functions = import_module(f"{_sql_package(self._frame)}.functions")
        quoted = [functions.col("`" + name.replace("`", "``") + "`") for name in columns]
        if self.is_text:
            # As in our own reading of text files, an empty field is a missing value, quoted or not.
            # What the names of folders say is text as well.
            quoted = [functions.nullif(column.cast("string"), functions.lit("")) for column in quoted]
        pairs = zip(quoted, generate_names(columns), strict=True)
        return self._frame.select(*(column.alias(ours) for column, ours in pairs))

    def _spark_errors(self) -> AbstractContextManager[None]:
        return spark_errors(f"{self.name}: Spark could not compute it")


@contextmanager
def spark_errors(said: str) -> Iterator[None]:
    """Spark's own failures in one sentence; its stack traces are in its log."""
    try:
        with without_pandas_warnings():
            yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
            raise
        raise InputError(f"{said}: {spark_message(error)}") from None


def spark_message(error: Exception) -> str:
    """The cause in an error of Spark or of a worker's Python, without the stack around it.

    >>> spark_message(ValueError("o12\\nCaused by: java.io.IOException: [DISK] The disk is full SQLSTATE: 1"))
    'The disk is full'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "from the Python worker" in str(error):
        inner = [line for line in lines if not line.startswith(("File ", "at ", "SQLSTATE", "~", "^"))]
        return inner[-1] if inner else type(error).__name__
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    cause = causes[-1] if causes else next(iter(lines), type(error).__name__)
    cause = re.sub(r"^[\w.$]+(Exception|Error): ", "", cause.split(" SQLSTATE")[0])
    cause = re.sub(r"^Index (\d+) out of bounds for length \1$", TOO_LONG, cause)
    file = re.search(r"while reading file (\S+)\.\s", str(error))
    return ("" if file is None else f"{file[1]}: ") + re.sub(r"^\[[A-Z_.]+\] ", "", cause)


@contextmanager
def without_pandas_warnings() -> Iterator[None]:
    """Spark warns of versions of pandas that it does not know; none of its pandas is used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


# -- what runs on the workers ------------------------------------------------------------------------------


def _fold(
    pieces: Iterator[Any],
    *,
    columns: list[str],
    positions: dict[int, int],
    only: int | None = None,
    **work: Any,
) -> Iterator[Any]:
    from pyspark import TaskContext

    task = TaskContext.get()
    partition = task.partitionId() if task is not None else 0
    if only is not None and partition != only:
        return
    named = (piece.rename_columns(columns) for piece in combine_pieces(pieces))
    before = positions.get(partition, 0)
    part = fold_partition(arrow_batches(named, columns), partition=partition, before=before, **work)
    if part.rows or part.error:
        import pyarrow as pa

        header, buffers = pack(part)
        answer = [pa.array([header], pa.string()), pa.array([buffers], pa.list_(pa.binary()))]
        yield pa.record_batch(answer, names=["header", "buffers"])


def _ship_rows(pieces: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    for piece in combine_pieces(pieces):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, piece.schema) as writer:
            writer.write_batch(piece)
        yield _pack(sink.getvalue().to_pybytes())


def _pack(content: bytes) -> Any:
    import pyarrow as pa

    return pa.record_batch({"content": pa.array([content], pa.binary())})


LONGEST_FIELD = 1 << 20
"""A longer field of text means a quotation mark that is not closed: Spark would swallow the rows after it."""

NO_JAVA = (
    "Spark needs Java, and there is none: install one (on Debian and Ubuntu: apt-get install "
    "default-jre-headless), or say where it is in JAVA_HOME"
)


def open_on_spark(data: Any, master: str | None = None) -> SparkSource:
    """A file, several, a folder or the address of a remote one, read by Spark on ``master``.

    Without a master it is what ``spark-submit`` or a running session says, or all cores of this machine.
    """
    if is_spark_frame(data):
        return SparkSource(data)
    places = data if isinstance(data, (list, tuple)) else [data]
    if not places or not all(isinstance(each, (str, os.PathLike)) for each in places):
        raise OptionError(f"engine='spark' reads files or Spark's dataframes; saw {type(data).__name__}")
    name = ", ".join(map(str, places))
    # Addresses are Spark's to understand.
    files: list[Path | str] = [
        file for place in places for file in ([str(place)] if "://" in str(place) else expand_paths(place))
    ]
    form = _format(files, name)
    addresses = [file if isinstance(file, str) else address(file) for file in files]
    # What is wrong with text files is told as without Spark, and before it is started.
    texts = [DelimitedSource(file) for file in files if isinstance(file, Path)] if form == "csv" else []
    _check_headers(texts)
    local = tuple(file for file in files if isinstance(file, Path))
    paths = local if len(local) == len(files) else ()
    session = start_spark(master)
    with spark_errors(f"{name} cannot be read by Spark"):
        reader = session.read
        if len(places) == 1 and "://" not in str(places[0]) and Path(places[0]).is_dir():
            # The names of folders below it are columns. This is no pattern: nothing in it is escaped.
            reader = reader.option("basePath", f"file://{Path(places[0]).absolute()}")
        if form == "csv":
            first = texts[0] if len(texts) == len(files) else None
            frame = _read_text(session, reader, addresses, first)
        else:
            frame = reader.format(form).load(addresses, mode="FAILFAST")
        # Several files come in the order of their sizes, and parts of them as they fit together.
        keeps_order = len(files) == len(paths) == 1
        return SparkSource(frame, name, is_text=form == "csv", paths=paths, keeps_order=keeps_order)


def start_spark(master: str | None = None) -> SparkSession:
    """The running session, or a new one whose workers have this very Python; it stops with the program."""
    try:
        with without_pandas_warnings():
            from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("running on Spark", "spark") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        there = running.conf.get("spark.master", None)
        if None not in (master, there) and there != master:
            raise OptionError(f"a Spark session is running on {there}: stop it to run on {master}")
        return running
    # Spark itself reads this variable: it asks for Spark Connect, on a server or on this machine.
    where = master or os.environ.get("SPARK_REMOTE")
    is_server = where is not None and where.startswith("sc://")
    home = os.environ.get("JAVA_HOME")
    has_java = shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())
    if not is_server and not has_java:
        raise OptionError(NO_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("edgeworth")
    if is_server and where is not None:
        _check_server(where)
    elif where == master:  # Spark Connect lets nobody change these
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        if master is not None and master.startswith("local"):
            # On one machine nobody looks at Spark's page, and it takes its time to start.
            builder = builder.config("spark.ui.enabled", "false")
    if master is not None:
        builder = builder.remote(master) if is_server else builder.master(master)
    try:
        with without_pandas_warnings(), _quiet():
            session: SparkSession = builder.getOrCreate()
    except Exception as error:
        raise OptionError(
            f"Spark does not start on {where or 'this machine'}: {spark_message(error)}"
        ) from None
    if not _is_connect(session):
        # What is wrong with the data is said in a sentence, not in Java's stack traces.
        session.sparkContext.setLogLevel("FATAL")
    # Not with the last use of it: the next call may come soon, and starting takes seconds.
    atexit.register(session.stop)
    return session


def is_spark_frame(data: Any) -> bool:
    """Return whether data are a Spark dataframe.

    The class is asked: a frame of Spark Connect has an attribute of any name, which is a column.
    """
    return hasattr(type(data), "mapInArrow")


def _is_connect(value: Any) -> bool:
    return type(value).__module__.startswith("pyspark.sql.connect.")


def _sql_package(frame: DataFrame) -> str:
    """Name the package whose functions make columns for a frame: Spark Connect has its own."""
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
            f"{address} is no address of a Spark Connect server: {spark_message(error)}"
        ) from None
    try:
        grpc.channel_ready_future(channel).result(timeout=PATIENCE)
    except grpc.FutureTimeoutError:
        raise OptionError(
            f"no Spark Connect server answers at {address} within {PATIENCE:g} seconds: check the address, "
            "or start the server"
        ) from None
    finally:
        channel.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Java starts with our settings of its log, unless somebody has made others."""
    before = os.environ.get("SPARK_SUBMIT_OPTS", "")
    folders = [os.environ.get("SPARK_CONF_DIR"), f"{os.environ.get('SPARK_HOME', '')}/conf"]
    if "log4j" in before or any((Path(each) / "log4j2.properties").exists() for each in folders if each):
        yield
        return
    settings = Path(__file__).with_name("log4j2.properties")
    os.environ["SPARK_SUBMIT_OPTS"] = f'{before} "-Dlog4j2.configurationFile={settings}"'
    try:
        yield
    finally:
        os.environ["SPARK_SUBMIT_OPTS"] = before


def address(file: Path) -> str:
    """A file as Spark is told of it: Hadoop decodes nothing, and takes each address as a pattern.

    >>> print(address(Path("/a b/50%[1].csv")))
    file:///a b/50%\\[1\\].csv
    """
    path = str(file.absolute())
    escaped = re.sub(r"([{}\[\]*?\\])", r"\\\1", path)
    if ":" in path and escaped != path:
        raise InputError(f"{file}: Spark cannot read a path with a colon and one of {{}}[]*?\\: rename it")
    return f"file://{escaped}"


def _format(files: Sequence[Path | str], name: str) -> str:
    found = {ending(Path(file)): format_by_ending(Path(file)) for file in files}
    known = {form.spark for form in found.values() if form is not None and form.spark is not None}
    # The address of a folder says nothing of what is in it; most hold Parquet.
    forms = sorted(known | {"parquet"} if "" in found else known)
    if any(each and (form is None or form.spark is None) for each, form in found.items()):
        words = list_words(tuple(each for each in FORMATS if each.spark is not None), " and")
        raise InputError(f"{name}: Spark reads {words}, by their endings; saw {', '.join(sorted(found))}")
    if len(forms) > 1:
        raise InputError(f"{name}: files of several kinds ({', '.join(forms)}) cannot be read as one")
    return forms[0]


def _read_text(
    session: SparkSession, reader: DataFrameReader, addresses: list[str], local: DelimitedSource | None
) -> DataFrame:
    """Delimited text; of a local file we know the header, and Spark need not look for it."""
    from pyspark.sql.types import StringType, StructField, StructType

    if local is not None:
        # Spark would take an address as a pattern once more when it looks for the header.
        schema = StructType([StructField(name, StringType()) for name in _apart(local.names)])
        sep = local.delimiter
    else:
        first = session.read.text(addresses[0]).where("trim(value) != ''").first()
        if first is None:
            raise InputError(f"{addresses[0]} is empty")
        schema, sep = None, delimiter_of(Path(addresses[0]), str(first[0]))
    return reader.csv(
        addresses,
        schema=schema,
        sep=sep,
        header=True,
        quote='"',
        escape='"',
        multiLine=True,
        unescapedQuoteHandling="RAISE_ERROR",
        maxCharsPerColumn=LONGEST_FIELD,
        enforceSchema=local is not None,
        mode="FAILFAST",
    )


def _apart(names: Sequence[str]) -> list[str]:
    """Names that Spark can tell apart: of those that it cannot, each with the place where it stands.

    >>> _apart(["y", "z", "Z"])
    ['y', 'z (column 2)', 'Z (column 3)']
    """
    folded = [name.lower() for name in names]
    return [
        f"{name} (column {place})" if folded.count(name.lower()) > 1 else name
        for place, name in enumerate(names, 1)
    ]


def _check_headers(files: Sequence[DelimitedSource]) -> None:
    """Spark takes the columns of text by their places."""
    other = next((file for file in files if file.names != files[0].names), None)
    if other is not None:
        said, there = (", ".join(file.names) for file in (other, files[0]))
        raise InputError(
            f"{other.name} has the columns {said} where {files[0].name} has {there}: "
            "Spark reads text files together only when their headers are the same"
        )
