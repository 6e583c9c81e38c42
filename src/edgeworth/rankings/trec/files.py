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
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.rankings.trec.identifiers import Identifiers, as_identifiers, first_repeat
from edgeworth.sources.columns import Coded, encode
from edgeworth.sources.formats import ending
from edgeworth.sources.paths import read_whole_file
from edgeworth.sources.runs.retrieval import read_dictionary

QRELS_COLUMNS = ("query", "iteration", "document", "grade")
RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
BEIR_COLUMNS, BEIR_HEADER = ("query", "document", "grade"), b"query-id\tcorpus-id\tscore"

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


@dataclass(frozen=True)
class TrecRun:
    """What a system retrieved: documents with scores, by query. Every pair occurs once."""

    name: str
    tag: str
    """What the system calls itself, as its last line says."""
    query: Coded
    document: Identifiers
    score: NDArray[np.float64]


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
    """A file and what its lines should be."""

    path: Path
    names: tuple[str, ...]
    value: str
    pattern: re.Pattern[bytes]
    need: str

    def columns(self) -> tuple[Coded, Identifiers, NDArray[Any], str]:
        """Query, document, grade or score, and the last field of the last line."""
        content = self._content()
        if self.value == "grade" and content.startswith(BEIR_HEADER):
            return replace(self, names=BEIR_COLUMNS)._columns_of(b"#" + content)
        return self._columns_of(content)

    def _columns_of(self, content: bytes) -> tuple[Coded, Identifiers, NDArray[Any], str]:
        places = [self.names.index(name) for name in ("document", self.value)]
        queries, documents, texts, fields = list[bytes](), list[bytes](), list[bytes](), list[bytes]()
        for line, fields in _lines(content):
            if len(fields) != len(self.names):
                raise InputError(
                    f"{self.path}, line {line:,}: {len(self.names)} columns are needed "
                    f"({' '.join(self.names)}); saw {len(fields)}"
                )
            queries.append(fields[0])
            documents.append(fields[places[0]])
            texts.append(fields[places[1]])
        for row, match in enumerate(map(self.pattern.fullmatch, texts)):
            if not match:
                where = f"{self.path}, line {_line_of(content, row):,}"
                raise InputError(f"{where}: {self.need}; saw {texts[row].decode()!r}")
        number, kind = (int, np.int64) if self.value == "grade" else (float, np.float64)
        code = {label: place for place, label in enumerate(dict.fromkeys(queries))}
        labels = tuple(label.decode() for label in code)
        query = Coded(np.array([*map(code.get, queries)], np.intp), labels)
        document = as_identifiers(documents)
        repeat = first_repeat(query.codes, document)
        if repeat is not None:
            first, second = (_line_of(content, row) for row in repeat)
            raise InputError(
                f"{self.path}, lines {first:,} and {second:,}: query {queries[repeat[0]].decode()!r} "
                f"has document {documents[repeat[0]].decode()!r} twice"
            )
        return query, document, np.fromiter(map(number, texts), kind, len(texts)), fields[-1].decode()

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


def _from_dictionary(queries: Any, documents: Any, values: Any) -> tuple[Coded, Identifiers, NDArray[Any]]:
    ids = as_identifiers([document.encode() for document in documents])
    return encode(np.array(queries, dtype=object), "query"), ids, np.array(values)


def _lines(content: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """The lines that count, with their numbers and their fields."""
    for number, line in enumerate(content.split(b"\n"), 1):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            yield number, fields


def _line_of(content: bytes, row: int) -> int:
    """The number of the line that a row is written in."""
    return next(islice(_lines(content), row, None))[0]
