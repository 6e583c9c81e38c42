"""A tally with its origin and the options that it was counted with: what merges, and what files hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import ClassVar, Self, TypeGuard

from edgeworth.common.json_types import JsonObject, JsonValue, Terms
from edgeworth.core.formatting import html_table, plural
from edgeworth.core.kinds import kind_if_tally, kind_of
from edgeworth.core.serialization import COUNT, NEEDED, TEXT, Serializable, optional, text_like
from edgeworth.core.tallies import HasCases, HasWeights, Tally, dropped_rows, labels_of
from edgeworth.errors import MergeError, OptionError
from edgeworth.sources.column_roles import nothing_left_error

MAX_PARTS_KEPT = 100
"""The most parts of a merged tally that are kept by name; of the others only fingerprints are kept."""

DIGEST = text_like("sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Part(Serializable):
    """One source that was counted."""

    FIELDS: ClassVar = {
        "source": TEXT,
        "digest": optional(DIGEST, NEEDED),
        "rows": optional(COUNT, NEEDED),
        "dropped": COUNT,
    }
    is_closed: ClassVar = True

    source: str
    digest: str | None = None
    rows: int | None = None
    dropped: int = 0


@dataclass(frozen=True)
class Origin:
    """The sources behind a tally: the first ones in full, and fingerprints of each."""

    parts: tuple[Part, ...] = ()
    fingerprints: tuple[str, ...] = ()
    """Of each source those of its files, joined by +."""
    rows: int | None = None

    @property
    def number(self) -> int:
        """How many sources there are."""
        return max(len(self.parts), len(self.fingerprints))

    @property
    def digest(self) -> str:
        """One fingerprint of all parts, in their order."""
        return f"sha256:{hashlib.sha256(' '.join(self.fingerprints).encode()).hexdigest()}"


@dataclass(frozen=True, eq=False)
class TallyRecord:
    """A tally that can be merged, with the options it was counted with and its origin.

    ``ew.tally`` and ``ew.read_tally`` return records. You can add them: ``monday + tuesday``.

    Attributes
    ----------
    tally : tally
        What was counted. Labels from text files stay text, because only all parts together show whether they
        are numbers.
    terms : mapping
        The options. They must be the same in records that are merged.
    origin : Origin
        The sources, with a fingerprint of each.
    is_text : bool
        Whether labels come from a text file.

    Examples
    --------
    >>> import edgeworth as ew
    >>> record = ew.tally(truth=[1, 0, 1], prediction=[1, 1, 1])
    >>> record.name, record.final.counts.tolist()
    ('arrays', [[0, 0], [1, 2]])
    """

    tally: Tally
    terms: Terms = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)
    is_text: bool = False
    has_whole_weights: bool | None = None
    """Whether all weights were whole numbers; None without weights, or if their kind was declared."""
    notices: tuple[str, ...] = ()
    """What the reader of a report should know about how it was counted."""
    file: str | None = None
    """The tally file that it was read from."""
    has_start_row: bool = False
    """Whether the number of earlier rows of a path in time was given."""
    library: str = ""
    """The library whose frame was counted."""

    @property
    def name(self) -> str:
        """The name of the record in messages."""
        if self.file is not None:
            return self.file
        return self.origin.parts[0].source if self.origin.parts else "a tally"

    @cached_property
    def final(self) -> Tally:
        """The tally with final labels, target and declared order, for ``ew.measure`` and ``ew.estimate``."""
        kind = kind_of(self.tally)
        if not kind.is_finalised:
            return self.tally
        tally = self.tally
        if self.has_whole_weights and isinstance(tally, HasWeights):
            tally = tally.as_counts()
        if isinstance(tally, HasCases) and not tally.has_cases:
            raise nothing_left_error(self.name, dropped_rows(tally), self.terms.get("columns", {}))
        return kind.finalise(tally, self.terms, is_text=self.is_text)

    def write(self, path: str | PathLike[str]) -> None:
        """Write a tally file, which ``ew.read_tally`` reads.

        Parameters
        ----------
        path : str or Path
            The file. A name that ends in .gz is compressed.

        Examples
        --------
        >>> import edgeworth as ew
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "monday.tally.gz")
        ...     ew.tally(truth=[1, 0, 1], prediction=[1, 1, 1]).write(path)
        ...     path.exists()
        True
        """
        from edgeworth.pipeline.tally_file import write_tally

        write_tally(self, path)

    @classmethod
    def merge(cls, tallies: Iterable[Tally | TallyRecord], *, again: bool = False) -> TallyRecord:
        """Add several records, in the order given.

        Parameters
        ----------
        tallies : iterable
            Records that ``ew.tally`` or ``ew.read_tally`` made, or any tallies of one kind. Paths in time
            follow each other in the order given, except those that were counted with ``rows_before``.
        again : bool
            Whether a source may be counted twice.

        Returns
        -------
        TallyRecord
            The sum.

        Examples
        --------
        >>> from edgeworth import tally
        >>> days = [tally(truth=[1, 0], prediction=[1, 1]), tally(truth=[1, 1], prediction=[1, 0])]
        >>> TallyRecord.merge(days).final.counts.tolist()
        [[0, 1], [1, 2]]
        """
        if isinstance(tallies, str) or not isinstance(tallies, Iterable):
            raise OptionError(f"tallies to merge are given as a list; saw {type(tallies).__name__}")
        return _merge([as_tally_record(tally) for tally in tallies], again=again)

    def __add__(self, other: Self) -> TallyRecord:
        """Merge two records; the order matters if the rows are in time order."""
        if not isinstance(other, TallyRecord):
            return NotImplemented
        return TallyRecord.merge([self, other])

    def __radd__(self, other: object) -> TallyRecord:
        """Support ``sum``, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        number, rows = self.origin.number, self.origin.rows
        of = f" of {number:,} sources" if number > 1 else ""
        size = "" if rows is None else f", {rows:,} {plural(rows, 'row')}"
        return f"<TallyRecord{of}: {describe_tally(self.tally)}{size}>"

    def _repr_html_(self) -> str:
        """Show the facts in a notebook, and the tally if it can be shown."""
        columns = [f"{role}: {name}" for role, name in self.terms.get("columns", {}).items()]
        facts = {
            "of": describe_tally(self.tally),
            "rows": self.origin.rows,
            "dropped": dropped_rows(self.tally) or None,
            "sources": self.origin.number,
            "columns": ", ".join(columns) or None,
        }
        known = [(name, value) for name, value in facts.items() if value is not None]
        shown = getattr(self.tally, "_repr_html_", None)
        return html_table("TallyRecord", [], known) + ("" if shown is None else str(shown()))


def is_tally(value: object) -> TypeGuard[Tally | TallyRecord]:
    """Return whether a value was counted already, and is not data to be read."""
    return isinstance(value, TallyRecord) or kind_if_tally(value) is not None


def holds_tallies(data: object) -> bool:
    """Return whether data are a tally, or a mapping that has one."""
    return any(map(is_tally, data.values() if isinstance(data, Mapping) else [data]))


def canonical_text(value: JsonValue) -> str:
    """Write JSON in one spelling: sorted keys, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def fingerprint(part: Part, payload: JsonObject, digests: Sequence[str] = ()) -> str:
    """Compute the fingerprint of a source from its bytes, or from its name and tally if they were not read.

    With several files, ``digests`` are those of the files, and each has a fingerprint.

    >>> fingerprint(Part("a.csv", "sha256:12"), {}) == fingerprint(Part("b.csv", "sha256:12"), {})
    True
    """
    texts = digests or [part.digest or f"{part.source}\n{canonical_text(payload)}"]
    return "+".join(hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16] for text in texts)


def describe_tally(tally: Tally) -> str:
    """Describe what a tally holds."""
    return kind_of(tally).title + (" in clusters" if getattr(tally, "clusters", None) is not None else "")


def as_tally_record(tally: Tally | TallyRecord) -> TallyRecord:
    """Return a record of ``ew.tally`` unchanged; make a record of any other tally, with the source "Python".

    >>> from edgeworth import ContingencyTable
    >>> as_tally_record(ContingencyTable.from_labels([1, 0], [1, 1])).name
    'Python'
    """
    tallied = tally if isinstance(tally, TallyRecord) else TallyRecord(tally)
    return tallied if tallied.origin.fingerprints else marked(tallied)


def marked(tallied: TallyRecord, digests: Sequence[str] = ()) -> TallyRecord:
    """Add the fingerprint of the source, or one per file."""
    origin = tallied.origin
    parts = origin.parts or (Part("Python", None, origin.rows, dropped_rows(tallied.tally)),)
    kind_of(tallied.tally)  # refuses what is no tally
    mark = fingerprint(parts[0], {} if parts[0].digest is not None else tallied.tally.to_dict(), digests)
    return replace(tallied, origin=replace(origin, parts=parts, fingerprints=(mark,)))


# -- merging ----------------------------------------------------------------------------------------------


def _merge(tallies: list[TallyRecord], *, again: bool) -> TallyRecord:
    if not tallies:
        raise OptionError("there is nothing to merge: name the tallies")
    for other in tallies[1:]:
        _check_terms(tallies[0], other)
    _check_kinds_of_labels(tallies)
    if not again:
        _check_once(tallies)
    rows = [record.origin.rows for record in tallies]
    whole = [record.has_whole_weights for record in tallies]
    kind = kind_of(tallies[0].tally)
    placed, has_start_row = kind.chain(tallies)
    try:
        summed = _sum(placed)
    except MergeError as error:
        raise _refusal(placed, [record.name for record in tallies], error) from None
    return replace(
        tallies[0],
        tally=summed,
        origin=Origin(
            tuple(part for record in tallies for part in record.origin.parts)[:MAX_PARTS_KEPT],
            tuple(mark for record in tallies for mark in record.origin.fingerprints),
            None if None in rows else sum(number for number in rows if number is not None),
        ),
        has_whole_weights=None if None in whole else all(whole),
        notices=kind.merge_notices((notice for record in tallies for notice in record.notices), summed),
        file=None,
        has_start_row=has_start_row,
    )


def _sum(tallies: list[Tally]) -> Tally:
    """Add neighbours first, so that no tally is copied more often than there are rounds."""
    while len(tallies) > 1:
        pairs = [tallies[start : start + 2] for start in range(0, len(tallies), 2)]
        tallies = [pair[0] + pair[1] if len(pair) == 2 else pair[0] for pair in pairs]
    return tallies[0]


def _refusal(tallies: Sequence[Tally], names: Sequence[str], error: MergeError) -> MergeError:
    """Name the two tallies that do not merge, and why; return the error itself if any two merge."""
    for (one, first), (two, second) in combinations(zip(names, tallies, strict=True), 2):
        try:
            _ = first + second
        except MergeError as why:
            return MergeError(f"{one} and {two} do not merge: {why}")
    return error


def _check_terms(first: TallyRecord, other: TallyRecord) -> None:
    """Refuse tallies that were counted in different ways, naming the difference."""
    both = f"{first.name} and {other.name}"
    kinds = [describe_tally(record.tally) for record in (first, other)]
    if kinds[0] != kinds[1]:
        raise MergeError(f"{first.name} holds {kinds[0]}, {other.name} holds {kinds[1]}: they do not merge")
    for name, (mine, its) in _differences(first.terms, other.terms):
        raise MergeError(f"{both} differ in {name}: {mine!r} and {its!r}")
    if first.is_text != other.is_text:
        texts, typed = (first, other) if first.is_text else (other, first)
        raise MergeError(
            f"{texts.name} was counted from text and {typed.name} from typed columns, so it is not known "
            "whether '1' and 1 are one label: count both from the same kind of file"
        )


def _differences(mine: Terms, its: Terms) -> list[tuple[str, tuple[JsonValue, JsonValue]]]:
    """List the options that differ; for columns, with their role."""
    differences = []
    for name in dict.fromkeys([*mine, *its]):
        one, two = mine.get(name), its.get(name)
        if one == two:
            continue
        if name == "columns" and isinstance(one, Mapping) and isinstance(two, Mapping):
            differences += [(f"the column of {role}", pair) for role, pair in _differences(one, two)]
        else:
            differences.append((name.replace("_", " "), (one, two)))
    return differences


def _check_kinds_of_labels(tallies: Sequence[TallyRecord]) -> None:
    """Refuse shards whose labels are numbers in one and text in another."""
    seen: dict[bool, TallyRecord] = {}
    for record in tallies:
        labels = labels_of(record.tally) if kind_of(record.tally).redeclared else ()
        kinds = {isinstance(label, str) for label in labels}
        if not record.is_text and len(kinds) == 1:
            seen.setdefault(kinds.pop(), record)
    if len(seen) == 2:
        raise MergeError(
            f"the labels of {seen[True].name} are text, those of {seen[False].name} are not: convert one of "
            "them, because otherwise they never agree"
        )


def _check_once(tallies: Sequence[TallyRecord]) -> None:
    """Refuse a source that is in two of the tallies: it would count twice."""
    holder: dict[str, tuple[TallyRecord, list[str]]] = {}
    for record in tallies:
        own: dict[str, tuple[TallyRecord, list[str]]] = {}
        for index, marks in enumerate(record.origin.fingerprints):
            sources = [part.source for part in record.origin.parts[index : index + 1]]
            own |= dict.fromkeys(marks.split("+"), (record, sources))
        twice = next((mark for mark in own if mark in holder), None)
        if twice is not None:
            # Of a list of files and one of them, the one is what is there twice.
            what = min(own[twice][1] + holder[twice][1], key=len, default="one of the sources")
            raise MergeError(
                f"{holder[twice][0].name} and {record.name} hold the same source ({what}), which would count "
                "twice: leave one of them out, or pass --again (again=True) to count it twice"
            )
        holder |= own
