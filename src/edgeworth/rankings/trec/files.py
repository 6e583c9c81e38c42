"""Judgements and runs as TREC writes them: columns of text separated by spaces or tabs.

A file of qrels has lines "query iteration document grade", a run has "query Q0 document rank score tag".
Words after the tag belong to it. As in trec_eval, iteration, Q0 and rank are not used: a run is ordered by
its scores, unless the caller wants ranks. Ranks are read all the same, to warn where they disagree with the
scores. Queries and documents are text as it is written, so "007" and "7" are two queries. Lines that are
empty or begin with # are left out. A file may be compressed (gzip).

Other layouts that are read: runs of MS MARCO ("query document rank"), CSV files with named columns, BEIR's
judgements (query-id, corpus-id, score below a header), and the dictionaries of MTEB, BEIR and ranx in JSON,
``{query: {document: score}}``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Numbers
from edgeworth.errors import InputError
from edgeworth.rankings.trec.identifiers import Identifiers, as_identifiers, first_repeat, join_identifiers
from edgeworth.sources.arrow import arrow_column
from edgeworth.sources.columns import Coded, encode
from edgeworth.sources.formats import ending
from edgeworth.sources.paths import read_whole_file
from edgeworth.sources.runs.retrieval import read_dictionary

if TYPE_CHECKING:
    import pyarrow as pa

QRELS_COLUMNS = ("query", "iteration", "document", "grade")
RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
MARCO_COLUMNS = ("query", "document", "rank")
CSV_NAMES = {
    "query": ("query", "qid", "query_id", "query-id", "topic", "topic_id", "q_id"),
    "document": ("document", "docid", "docno", "doc_id", "doc", "document_id", "corpus-id", "pid"),
    "score": ("score", "sim", "similarity"),
    "rank": ("rank", "position"),
    "grade": ("grade", "relevance", "rel", "label", "judgement", "judgment", "relevance_score", "score"),
}
"""Names of columns in CSV files, by what they hold. Case does not matter."""
BEIR_COLUMNS, BEIR_HEADER = ("query", "document", "grade"), b"query-id\tcorpus-id\tscore"

LINES_DETECTED = 20
"""The first lines, which show whether a file is a run or judgements."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)
_VALUES: dict[str, tuple[re.Pattern[bytes], type, str]] = {
    "grade": (_WHOLE, int, "a grade is a whole number"),
    "score": (_NUMBER, float, "a score must be a number"),
    "rank": (_WHOLE, int, "a rank is a whole number"),
}
"""The values that a column may hold: how they are written, what they are, and the sentence for others."""


Ranks: TypeAlias = NDArray[np.int64] | None

_Columns: TypeAlias = tuple[Coded, Identifiers, Numbers, str, Ranks]
"""Query, document, grade or score, the last field of the last line, and ranks if all are whole numbers."""


@dataclass(frozen=True)
class Qrels:
    """Judgements: which document has which grade for which query. Every pair occurs once."""

    name: str
    query: Coded
    document: Identifiers
    grade: NDArray[np.int64]


@dataclass(frozen=True)
class TrecRun:
    """What a system retrieved: documents with scores, by query. Every pair occurs once."""

    name: str
    tag: str
    """The name of the system, as in its last line."""
    query: Coded
    document: Identifiers
    score: NDArray[np.float64]
    rank: Ranks = None
    """The ranks that the file has; None if it has none, or some that are not whole numbers."""


def rank_conflicts(run: TrecRun) -> int:
    """Count the queries in which a document with a better rank has a lower score than another.

    >>> query = Coded(np.array([0, 0, 1, 1], np.intp), ("a", "b"))
    >>> documents, ranks = as_identifiers([b"x", b"y", b"x", b"y"]), np.array([1, 2, 1, 2])
    >>> rank_conflicts(TrecRun("", "", query, documents, np.array([0.2, 0.1, 1.0, 2.0]), ranks))
    1
    """
    if run.rank is None:
        return 0
    codes = run.query.codes
    is_same = np.diff(codes) == 0
    is_grouped = len(codes) - int(is_same.sum()) == len(run.query.labels)
    if is_grouped and (np.diff(run.rank)[is_same] > 0).all():  # as most files are: no need to sort
        rises = is_same & (np.diff(run.score) > 0)
        return len(np.unique(codes[1:][rises]))
    order = np.lexsort((-run.score, run.rank, codes))
    # Documents of one rank come in falling order of scores, so any rise is between two ranks.
    rises = (np.diff(run.score[order]) > 0) & (np.diff(codes[order]) == 0)
    return len(np.unique(codes[order][1:][rises]))


def read_qrels(path: str | Path) -> Qrels:
    """Read a file of judgements."""
    if ending(Path(path)) == ".json":
        query, document, grade = _from_dictionary(*read_dictionary(Path(path), int)[1:])
    else:
        query, document, grade, *_ = _read_columns(Path(path), QRELS_COLUMNS)
    return Qrels(str(path), query, document, grade.astype(np.int64, copy=False))


def read_run(path: str | Path, *, rank_only: bool = False) -> TrecRun:
    """Read the run of a system. With ``rank_only`` the ranks order its documents, not the scores."""
    if ending(Path(path)) == ".json":
        name, queries, documents, scores = read_dictionary(Path(path), float)
        query, document, score = _from_dictionary(queries, documents, scores)
        tag, rank = name, None
    else:
        name = str(path)
        query, document, score, tag, rank = _read_columns(Path(path), RUN_COLUMNS)
    run = TrecRun(name, tag, query, document, score.astype(np.float64, copy=False), rank)
    if not rank_only:
        return run
    if run.rank is None:
        raise InputError(f"{path} has no ranks, or some that are not whole numbers: omit --rank-only")
    return replace(run, score=-run.rank.astype(np.float64))


BYTES_OF_HEAD = 1 << 16
"""Bytes in which the first line that is no comment is looked for before all lines are."""

TABLE_ENDINGS = (".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".arrow", ".feather")
"""Files that are tables or logs by their name; their content is not guessed at."""


def detect_layout(path: Path) -> Literal["qrels", "run"] | None:
    """Detect the layout of judgements and runs, TREC's or MS MARCO's, by their first lines; None for others.

    MS MARCO's files end in .tsv, as tables do: such judgements have 0 in the second column, and such runs
    begin with the first rank.
    """
    is_tsv = ending(path) == ".tsv"
    if not path.is_file() or (ending(path) in TABLE_ENDINGS and not is_tsv):
        return None
    try:
        lines = list(islice(_lines(_read_text(path)), LINES_DETECTED))
    except InputError:
        return None
    widths = {len(fields) for _, fields in lines}
    if widths == {len(QRELS_COLUMNS)} and all(_WHOLE.fullmatch(fields[3]) for _, fields in lines):
        return "qrels" if not is_tsv or {fields[1] for _, fields in lines} == {b"0"} else None
    if widths == {len(MARCO_COLUMNS)} and all(_WHOLE.fullmatch(fields[2]) for _, fields in lines):
        return "run" if not is_tsv or lines[0][1][2] == b"1" else None
    if is_tsv:
        return None
    if (
        widths
        and min(widths) >= len(RUN_COLUMNS)
        and all(_NUMBER.fullmatch(fields[4]) for _, fields in lines)
    ):
        return "run"
    return None


def _read_columns(path: Path, names: Sequence[str]) -> _Columns:
    """Read the columns of a file, in which every pair of query and document occurs once."""
    content, value = _read_text(path), "score" if "score" in names else "grade"
    body = content
    if value == "grade" and content.startswith(BEIR_HEADER):
        names, content, body = BEIR_COLUMNS, b"#" + content, content.partition(b"\n")[2]
    if ending(path) == ".csv":
        columns = _read_csv(path, content, value)
        content = b"#" + content
    elif value == "score" and _count_fields(content) == len(MARCO_COLUMNS):
        names = MARCO_COLUMNS
        ranked = _read_regular(body, names, "rank") or _read_lines(path, content, names, "rank")
        columns = *ranked[:2], -ranked[2].astype(np.float64), "", ranked[2].astype(np.int64)
    else:
        columns = _read_regular(body, names, value) or _read_lines(path, content, names, value)
    query, document, *_ = columns
    repeat = first_repeat(query.codes, document)
    if repeat is not None:
        first, second = (_line_of(content, row) for row in repeat)
        raise InputError(
            f"{path}, lines {first:,} and {second:,}: query {query.labels[query.codes[repeat[0]]]!r} "
            f"has document {document[repeat[0]].decode()!r} twice"
        )
    return columns


def _read_regular(content: bytes, names: Sequence[str], value: str) -> _Columns | None:
    """Read lines as Arrow does, many times faster; None if it is absent or would take them otherwise."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv
    except ImportError:
        return None
    separator = b"\t" if b"\t" in content else b" "
    # Other white space separates too, also several of them, and lines may be comments: not so for Arrow.
    odd = {b" ", b"\r", b"\v", b"\f", b"\n#"} - {separator}
    is_space = np.frombuffer(b"\n" + content, dtype=np.uint8) <= ord(" ")
    if np.any(is_space[1:] & is_space[:-1]) or any(separator_byte in content for separator_byte in odd):
        return None
    if content.startswith((BYTE_ORDER_MARK, b"#")) or content.endswith(separator):
        return None
    text = pa.dictionary(pa.int32(), pa.string())
    types = {"query": text, "document": pa.binary(), value: pa.float64() if value == "score" else text}
    if value == "score":
        types["rank"] = text
    try:
        # Arrow's own memory: a thread of Arrow that still held Python's at exit would abort the process.
        buffer = pa.allocate_buffer(len(content))
        np.frombuffer(memoryview(buffer), dtype=np.uint8)[:] = np.frombuffer(content, dtype=np.uint8)
        table = arrow_csv.read_csv(
            pa.BufferReader(buffer),  # type: ignore[arg-type]  # the stubs lack streams of Arrow
            arrow_csv.ReadOptions(column_names=list(names)),
            arrow_csv.ParseOptions(delimiter=separator.decode(), quote_char=False),
            arrow_csv.ConvertOptions(column_types=types, null_values=[], include_columns=[*types]),
        )
    except pa.ArrowInvalid:
        return None
    query, values = (arrow_column(table.column(name).combine_chunks(), name) for name in ("query", value))
    if isinstance(values, Coded):
        grades = [str(label) for label in values.labels]
        if not all(_WHOLE.fullmatch(grade.encode()) for grade in grades):
            return None
        values = np.array([*map(int, grades)])[values.codes]
    elif np.isnan(values).any():
        return None
    documents = _identifiers_of(table.column("document"))
    tag = content.rsplit(None, 1)[-1].decode()
    ranks: Ranks = None
    if value == "score":
        written = arrow_column(table.column("rank").combine_chunks(), "rank")
        assert isinstance(written, Coded)
        ranks_of_labels = _as_ranks([str(label).encode() for label in written.labels])
        ranks = None if ranks_of_labels is None else ranks_of_labels[written.codes]
    return encode(query, "query"), documents, cast(Numbers, values), tag, ranks


def _identifiers_of(column: pa.ChunkedArray) -> Identifiers:  # type: ignore[type-arg]  # of any type
    """Read identifiers from the memory of Arrow's binary arrays."""
    lengths, data = [np.zeros(0, np.int32)], [np.zeros(0, np.uint8)]
    for chunk in column.chunks:
        _, ends, content = chunk.buffers()
        assert ends is not None
        offsets = np.frombuffer(memoryview(ends), np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        lengths.append(np.diff(offsets))
        if content is not None:
            data.append(np.frombuffer(memoryview(content), np.uint8)[offsets[0] : offsets[-1]])
    return join_identifiers(np.concatenate(lengths), np.concatenate(data))


def _as_ranks(texts: list[bytes]) -> Ranks:
    """Read ranks; None unless all of them are whole numbers."""
    if not all(map(_WHOLE.fullmatch, texts)):
        return None
    return np.fromiter(map(int, texts), np.int64, len(texts))


def _read_lines(path: Path, content: bytes, names: Sequence[str], value: str) -> _Columns:
    """Read line by line, and report the first line with an error."""
    pattern, number, need = _VALUES[value]
    places = [names.index(name) for name in ("document", value)]
    queries, documents, texts, ranks = list[bytes](), list[bytes](), list[bytes](), list[bytes]()
    for line, fields in _lines(content):
        # Lines that end in a lone carriage return would look like one line with a long tag.
        is_tag_of_words = value == "score" and len(fields) > len(names) and b"\r" not in content
        if len(fields) != len(names) and not is_tag_of_words:
            swapped = value == "grade" and len(fields) == len(RUN_COLUMNS)
            saw = f"saw {len(fields)}{': is this the run? Qrels come first' if swapped else ''}"
            raise InputError(
                f"{path}, line {line:,}: {len(names)} columns are needed ({' '.join(names)}); {saw}"
            )
        queries.append(fields[0])
        documents.append(fields[places[0]])
        texts.append(fields[places[1]])
        if value == "score":
            ranks.append(fields[names.index("rank")])
    if not texts:
        raise InputError(f"{path} is empty: lines of {' '.join(names)} are needed")
    for row, match in enumerate(map(pattern.fullmatch, texts)):
        if not match:
            line_text = f"{path}, line {_line_of(content, row):,}"
            raise InputError(f"{line_text}: {need}; saw {texts[row].decode()!r}")
    code = {label: index for index, label in enumerate(dict.fromkeys(queries))}
    labels = tuple(label.decode() for label in code)
    query = Coded(np.array([*map(code.get, queries)], np.intp), labels)
    values: Numbers = np.fromiter(map(number, texts), number, len(texts))
    rank_values = _as_ranks(ranks) if ranks else None
    tag = b" ".join(fields[len(names) - 1 :]).decode()
    return query, as_identifiers(documents), values, tag, rank_values


def _count_fields(content: bytes) -> int:
    """Count the fields of the first line that counts."""
    head = content[: 1 + content.find(b"\n", BYTES_OF_HEAD)]
    return next((len(fields) for part in (head, content) for _, fields in _lines(part)), 0)


def _read_csv(path: Path, content: bytes, value: str) -> _Columns:
    """Read a CSV file whose first line names the columns, in any order."""
    try:
        header, *rows = csv.reader(StringIO(content.decode(), newline=""))
    except (csv.Error, ValueError) as error:
        reason = error if isinstance(error, csv.Error) else "it is empty"
        raise InputError(f"{path} cannot be read as CSV: {reason}") from None
    header = [name.strip().lower() for name in header]

    def position(role: str) -> int | None:
        return next((header.index(name) for name in CSV_NAMES[role] if name in header), None)

    at = {role: position(role) for role in ("query", "document", value, "rank")}
    ordered_by = value if at[value] is not None else "rank"
    missing = [role for role in ("query", "document", ordered_by) if at[role] is None]
    if missing or (value == "grade" and ordered_by == "rank"):
        needed = f"query, document and {'grade' if value == 'grade' else 'score or rank'}"
        raise InputError(
            f"{path}: the first line must name the columns {needed}; saw {', '.join(header) or 'nothing'}"
        )
    rows = [row for row in rows if row]
    short = next((number for number, row in enumerate(rows, 2) if len(row) < len(header)), None)
    if short is not None:
        raise InputError(f"{path}, line {short:,}: {len(header)} columns are needed; saw fewer")
    if not rows:
        raise InputError(f"{path} has no rows below its header")

    def texts(role: str) -> list[bytes]:
        index = at[role]
        assert index is not None
        return [row[index].strip().encode() for row in rows]

    pattern, number, need = _VALUES[ordered_by]
    written = texts(ordered_by)
    for line, text in enumerate(written, 2):
        if not pattern.fullmatch(text):
            raise InputError(f"{path}, line {line:,}: {need}; saw {text.decode()!r}")
    values: Numbers = np.fromiter(map(number, written), number, len(written))
    ranks = _as_ranks(texts("rank")) if value == "score" and at["rank"] is not None else None
    if ordered_by == "rank":
        values = -values.astype(np.float64)
    queries = encode(np.array([text.decode() for text in texts("query")], dtype=object), "query")
    return queries, as_identifiers(texts("document")), values, "", ranks


def _read_text(path: Path) -> bytes:
    """Read the whole file as UTF-8 text without carriage returns, or raise an error with the reason."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it")
    content = bytes(read_whole_file(path)).removeprefix(BYTE_ORDER_MARK)
    if b"\0" in content:
        raise InputError(f"{path} is a binary file (it holds zero bytes); lines of text are needed")
    if not content.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{path}, line {line:,}: this is not UTF-8 text; "
                "convert it, for instance with iconv -f latin1 -t utf-8"
            ) from None
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    return content


def _from_dictionary(
    queries: list[str], documents: list[str], values: list[float]
) -> tuple[Coded, Identifiers, Numbers]:
    ids = as_identifiers([document.encode() for document in documents])
    return encode(np.array(queries, dtype=object), "query"), ids, np.array(values)


def _lines(content: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines that are neither blank nor comments, with their numbers and fields."""
    for number, line in enumerate(content.split(b"\n"), 1):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            yield number, fields


def _line_of(content: bytes, row: int) -> int:
    """Return the number of the line in which a row is written."""
    return next(islice(_lines(content), row, None))[0]
