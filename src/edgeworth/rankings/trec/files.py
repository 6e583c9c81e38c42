"""Judgements and runs as TREC writes them: columns of text separated by spaces or tabs.

A file of qrels has lines "query iteration document grade", a run has "query Q0 document rank score tag".
As in trec_eval, iteration, Q0 and rank are not used: a run is ordered by its scores. Queries and documents
are text as it is written, so "007" and "7" are two queries. Lines that are empty or begin with # are left
out. A file may be compressed (gzip).

BEIR's judgements (query-id, corpus-id, score below a header) and the dictionaries of MTEB, BEIR and ranx in
JSON, ``{query: {document: score}}``, are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.rankings.trec.identifiers import Identifiers, as_identifiers, first_repeat, identifiers
from edgeworth.sources.columns import Coded, encode
from edgeworth.sources.formats import ending
from edgeworth.sources.paths import read_whole_file
from edgeworth.sources.runs.retrieval import read_dictionary

if TYPE_CHECKING:
    import pyarrow as pa

QRELS_COLUMNS = ("query", "iteration", "document", "grade")
RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
BEIR_COLUMNS, BEIR_HEADER = ("query", "document", "grade"), b"query-id\tcorpus-id\tscore"

PIECE_BYTES = 1 << 19
BLOCK_BYTES = 1 << 18
SPACE = 0x20
"""Spaces, tabs and ends of lines are at most this."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class Qrels:
    """Judgements: which document has which grade for which query. Every pair occurs once."""

    name: str
    query: Coded
    document: Identifiers
    grade: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.grade)


@dataclass(frozen=True)
class TrecRun:
    """What a system retrieved: documents with scores, by query. Every pair occurs once."""

    name: str
    tag: str
    """What the system calls itself, as its last line says."""
    query: Coded
    document: Identifiers
    score: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.score)


def read_qrels(path: str | Path) -> Qrels:
    """Read a file of judgements."""
    if ending(Path(path)) == ".json":
        return Qrels(str(path), *_from_dictionary(*read_dictionary(Path(path), int)[1:]))
    file = _TrecFile(Path(path), QRELS_COLUMNS, "grade", _WHOLE, "a grade is a whole number")
    query, document, grade, _ = file.columns()
    return Qrels(str(path), query, document, grade)


def read_run(path: str | Path) -> TrecRun:
    """Read the run of a system."""
    if ending(Path(path)) == ".json":
        name, *found = read_dictionary(Path(path), float)
        return TrecRun(name, name, *_from_dictionary(*found))
    need = "a score is a number, and NaN has no rank"
    file = _TrecFile(Path(path), RUN_COLUMNS, "score", _NUMBER, need)
    query, document, score, tag = file.columns()
    return TrecRun(str(path), tag, query, document, score)


@dataclass(frozen=True)
class _TrecFile:
    """A file and what its lines should be. The fast way is tried first; the slow one says what is wrong."""

    path: Path
    names: tuple[str, ...]
    value: str
    pattern: re.Pattern[bytes]
    need: str

    def columns(self) -> tuple[Coded, Identifiers, NDArray[Any], str]:
        """Query, document, grade or score, and the last field of the last line."""
        try:
            import pyarrow.csv  # noqa: F401  # fails here, before any work, when the extra is absent
        except ImportError:
            raise MissingExtraError("reading files", "files") from None
        content = self._content()
        if self.value == "grade" and content.startswith(BEIR_HEADER):
            return replace(self, names=BEIR_COLUMNS)._columns_of(b"#" + content)
        return self._columns_of(content)

    def _columns_of(self, content: bytes) -> tuple[Coded, Identifiers, NDArray[Any], str]:
        separator = b"\t" if b"\t" in content else b" "
        lines = content
        if not _is_regular(content, separator):
            lines, separator = b"\n".join(b" ".join(fields) for _, fields in _lines(content)) + b"\n", b" "
        table = _parse(lines, separator, self._types)
        values = None if table is None else table.column(self.value).to_numpy()
        if table is None or values is None or np.isnan(values).any():
            self._check_lines(content)
            table, values = self._read_as_text(lines, separator)
        query, document = _encode(table.column("query")), _identifiers(table.column("document"))
        self._check_pairs(query, document, content)
        last = lines[lines.rfind(b"\n", 0, -1) + 1 :].split()[-1]
        return query, document, values, last.decode()

    @property
    def _types(self) -> dict[str, Any]:
        """How each column is read; None where it is not wanted."""
        import pyarrow as pa

        label = pa.dictionary(pa.int32(), pa.string())
        types = {"query": label, "document": pa.binary(), "grade": pa.int64(), "score": pa.float64()}
        return {name: types.get(name) for name in self.names}

    def _read_as_text(self, lines: bytes, separator: bytes) -> tuple[pa.Table, NDArray[Any]]:
        """Lines that were checked one by one; numbers as Python reads them."""
        import pyarrow as pa

        table = _parse(lines, separator, self._types | {self.value: pa.string()})
        if table is None:
            raise InputError(f"{self.path} cannot be read as lines of {len(self.names)} columns")
        number, kind = (int, np.int64) if self.value == "grade" else (float, np.float64)
        written = table.column(self.value).to_pylist()
        return table, np.array([number(str(text)) for text in written], dtype=kind)

    def _content(self) -> bytes:
        """The whole file as UTF-8 text without carriage returns, or a sentence about why there is none."""
        if self.path.is_dir():
            raise InputError(f"{self.path} is a folder; name a file in it")
        content = bytes(read_whole_file(self.path)).removeprefix(BYTE_ORDER_MARK)
        if b"\0" in content:
            raise InputError(f"{self.path} is a binary file (it holds zero bytes); lines of text are needed")
        if not content.isascii():
            try:
                content.decode("utf-8")
            except UnicodeDecodeError as error:
                line = content.count(b"\n", 0, error.start) + 1
                raise InputError(
                    f"{self.path}, line {line:,}: this is not UTF-8 text; "
                    "convert it, for instance with iconv -f latin1 -t utf-8"
                ) from None
        if b"\r" in content:
            content = content.replace(b"\r\n", b"\n")
        if not any(True for _ in _lines(content)):
            raise InputError(f"{self.path} is empty: lines of {' '.join(self.names)} are needed")
        return content

    def _check_lines(self, content: bytes) -> None:
        """Go through the lines one by one and name the first that is wrong."""
        place = self.names.index(self.value)
        for line, fields in _lines(content):
            if len(fields) != len(self.names):
                raise InputError(
                    f"{self.path}, line {line:,}: {len(self.names)} columns are needed "
                    f"({' '.join(self.names)}); saw {len(fields)}"
                )
            if not self.pattern.fullmatch(fields[place]):
                raise InputError(f"{self.path}, line {line:,}: {self.need}; saw {fields[place].decode()!r}")

    def _check_pairs(self, query: Coded, document: Identifiers, content: bytes) -> None:
        """Refuse a document that a query has twice."""
        repeat = first_repeat(query.codes, document, len(query.labels))
        if repeat is None:
            return
        lines = [line for row, (line, _) in enumerate(_lines(content)) if row in repeat]
        said = query.labels[query.codes[repeat[0]]]
        raise InputError(
            f"{self.path}, lines {lines[0]:,} and {lines[1]:,}: query {said!r} "
            f"has document {document[repeat[0]].decode()!r} twice"
        )


def _from_dictionary(queries: Any, documents: Any, values: Any) -> tuple[Coded, Identifiers, NDArray[Any]]:
    ids = as_identifiers([document.encode() for document in documents])
    return encode(np.array(queries, dtype=object), "query"), ids, np.array(values)


def _lines(content: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """The lines that count, with their numbers and their fields."""
    start, number = 0, 1
    while start < len(content):
        stop = content.find(b"\n", start)
        stop = len(content) if stop < 0 else stop
        fields = content[start:stop].split()
        if fields and not fields[0].startswith(b"#"):
            yield number, fields
        start, number = stop + 1, number + 1


def _is_regular(content: bytes, separator: bytes) -> bool:
    """Whether one separator of one kind stands between fields: then no field is hidden or moved."""
    others = b"\r\v\f " if separator == b"\t" else b"\r\v\f"
    if any(other in content for other in others):
        return False
    if content.startswith(b"#") or (b"#" in content and b"\n#" in content):
        return False
    codes = np.frombuffer(content, dtype=np.uint8)
    if codes[0] <= SPACE or content.endswith(separator):
        return False
    for start in range(0, len(codes), BLOCK_BYTES):
        is_space = codes[start : start + BLOCK_BYTES + 1] <= SPACE
        if np.any(is_space[1:] & is_space[:-1]):
            return False
    return True


def _parse(content: bytes, separator: bytes, types: dict[str, Any]) -> pa.Table | None:
    """The columns as Arrow reads them; None when a line is not as it should be."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    wanted = {name: kind for name, kind in types.items() if kind is not None}
    try:
        return arrow_csv.read_csv(
            # The stubs know only paths and Python's own files here.
            cast(IO[bytes], pa.BufferReader(content)),
            read_options=arrow_csv.ReadOptions(column_names=list(types), block_size=PIECE_BYTES),
            parse_options=arrow_csv.ParseOptions(
                delimiter=separator.decode(), quote_char=False, ignore_empty_lines=True
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(wanted),
                column_types=wanted,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None


def _encode(column: pa.ChunkedArray[Any]) -> Coded:
    whole: Any = column.unify_dictionaries().combine_chunks()
    return Coded(whole.indices.to_numpy().astype(np.intp), tuple(whole.dictionary.to_pylist()))


def _identifiers(column: pa.ChunkedArray[Any]) -> Identifiers:
    lengths, contents = [], []
    piece: Any
    for piece in column.chunks:
        _, offsets, content = piece.buffers()
        edges = np.frombuffer(offsets, dtype=np.int32, count=len(piece) + 1, offset=4 * piece.offset)
        lengths.append(np.diff(edges).astype(np.int64))
        contents.append(np.frombuffer(content, dtype=np.uint8)[edges[0] : edges[-1]])
    return identifiers(np.concatenate(lengths), np.concatenate(contents))
