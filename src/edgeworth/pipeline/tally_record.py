"""A tally with what was asked when it was counted and where it came from: what merges, and what travels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any, ClassVar, Self

from edgeworth.core.formatting import html_table, plural
from edgeworth.core.kinds import kind_of
from edgeworth.core.serialization import COUNT, NEEDED, TEXT, Serializable, optional, text_like
from edgeworth.errors import MergeError, OptionError
from edgeworth.sources.column_roles import nothing_left_error

NAMED_PARTS = 100
"""So many parts of a merged tally are told one by one; of the others only fingerprints stay."""

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
    """A tally as it merges, with what was asked when it was counted and where it came from.

    ``tally`` holds the labels of a text file as text: whether they are numbers is known when all shards are
    there, and ``final`` is the tally then. ``terms`` must be the same in tallies that are merged.
    """

    tally: Any
    terms: Mapping[str, Any] = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)
    is_text: bool = False
    has_whole_weights: bool | None = None
    """Whether all weights were whole numbers; None without weights, or when their kind was said."""
    notices: tuple[str, ...] = ()
    """What the reader of a report should know about how it was counted."""
    file: str | None = None
    """The tally file that it was read from."""
    has_start_row: bool = False
    """Whether it was said how many rows of a path in time come before these."""

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        if self.file is not None:
            return self.file
        return self.origin.parts[0].source if self.origin.parts else "a tally"

    @cached_property
    def final(self) -> Any:
        """The tally once everything is known: labels that are numbers, the target, declared labels."""
        kind = kind_of(self.tally)
        if not kind.is_finalised:
            return self.tally
        tally = self.tally.as_counts() if self.has_whole_weights else self.tally
        if not tally.has_cases:
            raise nothing_left_error(self.name, dropped_rows(tally), self.terms.get("columns", {}))
        return kind.finalise(tally, self.terms, is_text=self.is_text)

    def write(self, path: str | PathLike[str]) -> None:
        """Write a tally file, to be read by ``ew.read_tally``; a name that ends in .gz is compressed."""
        from edgeworth.pipeline.tally_file import write_tally

        write_tally(self, path)

    @classmethod
    def merge(cls, tallies: Iterable[Any], *, again: bool = False) -> TallyRecord:
        """Add several up, in the order given; ``again`` allows a source to be counted twice.

        They are what ``ew.tally`` or ``ew.read_tally`` made, or any tallies of one kind: tables, rankings.
        Paths in time follow each other as given, but for those that were counted with ``rows_before``.

        >>> from edgeworth import tally
        >>> days = [tally(truth=[1, 0], prediction=[1, 1]), tally(truth=[1, 1], prediction=[1, 0])]
        >>> TallyRecord.merge(days).final.counts.tolist()
        [[0, 1], [1, 2]]
        """
        if isinstance(tallies, str) or not isinstance(tallies, Iterable):
            raise OptionError(f"tallies to merge are given as a list; saw {type(tallies).__name__}")
        return _merge([as_tally_record(each) for each in tallies], again=again)

    def __add__(self, other: Self) -> TallyRecord:
        """Both; the order matters to what is a path in time."""
        if not isinstance(other, TallyRecord):
            return NotImplemented
        return TallyRecord.merge([self, other])

    def __radd__(self, other: object) -> TallyRecord:
        """So that ``sum`` works, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self) -> str:
        number, rows = self.origin.number, self.origin.rows
        of = f" of {number:,} sources" if number > 1 else ""
        size = "" if rows is None else f", {rows:,} {plural(rows, 'row')}"
        return f"<TallyRecord{of}: {describe_tally(self.tally)}{size}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the facts about the whole, and the tally where it can show itself."""
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


def canonical_text(value: Any) -> str:
    """JSON with one spelling: keys in order, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def fingerprint(part: Part, payload: Mapping[str, Any], digests: Sequence[str] = ()) -> str:
    """What tells one source from another: its bytes where these were read, or else its name and its tally.

    ``digests`` are those of its files where there are several, each of which has a fingerprint.

    >>> fingerprint(Part("a.csv", "sha256:12"), {}) == fingerprint(Part("b.csv", "sha256:12"), {})
    True
    """
    said = digests or [part.digest or f"{part.source}\n{canonical_text(payload)}"]
    return "+".join(hashlib.sha256(each.encode(errors="surrogatepass")).hexdigest()[:16] for each in said)


def dropped_rows(tally: Any) -> int:
    """Rows that were left out for missing values."""
    return int(getattr(tally, "dropped", 0))


def describe_tally(tally: Any) -> str:
    """Say what a tally holds."""
    return kind_of(tally).title + (" in clusters" if getattr(tally, "clusters", None) is not None else "")


def as_tally_record(tally: Any) -> TallyRecord:
    """What was counted by ``ew.tally`` as it is; any other tally as one that was made in Python.

    >>> from edgeworth import ContingencyTable
    >>> as_tally_record(ContingencyTable.from_labels([1, 0], [1, 1])).name
    'Python'
    """
    tallied = tally if isinstance(tally, TallyRecord) else TallyRecord(tally)
    return tallied if tallied.origin.fingerprints else marked(tallied)


def marked(tallied: TallyRecord, digests: Sequence[str] = ()) -> TallyRecord:
    """The same, with a fingerprint that tells its source from others, or one of each of its files."""
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
    rows = [each.origin.rows for each in tallies]
    whole = [each.has_whole_weights for each in tallies]
    kind = kind_of(tallies[0].tally)
    placed, has_start_row = kind.chain(tallies)
    try:
        summed = _sum(placed)
    except MergeError as error:
        raise _refusal(placed, [each.name for each in tallies], error) from None
    return replace(
        tallies[0],
        tally=summed,
        origin=Origin(
            tuple(part for each in tallies for part in each.origin.parts)[:NAMED_PARTS],
            tuple(mark for each in tallies for mark in each.origin.fingerprints),
            None if None in rows else sum(number for number in rows if number is not None),
        ),
        has_whole_weights=None if None in whole else all(whole),
        notices=kind.merge_notices((notice for each in tallies for notice in each.notices), summed),
        file=None,
        has_start_row=has_start_row,
    )


def _sum(tallies: list[Any]) -> Any:
    """Neighbours first, so that no tally is copied more often than there are rounds."""
    while len(tallies) > 1:
        pairs = [tallies[place : place + 2] for place in range(0, len(tallies), 2)]
        tallies = [pair[0] + pair[1] if len(pair) == 2 else pair[0] for pair in pairs]
    return tallies[0]


def _refusal(tallies: Sequence[Any], names: Sequence[str], error: MergeError) -> MergeError:
    """Which two of the tallies do not merge, and why; the error itself where any two do."""
    for (one, first), (two, second) in combinations(zip(names, tallies, strict=True), 2):
        try:
            _ = first + second
        except MergeError as why:
            return MergeError(f"{one} and {two} do not merge: {why}")
    return error


def _check_terms(first: TallyRecord, other: TallyRecord) -> None:
    """Refuse tallies that were counted in different ways, naming the difference."""
    both = f"{first.name} and {other.name}"
    kinds = [describe_tally(each.tally) for each in (first, other)]
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


def _differences(mine: Mapping[str, Any], its: Mapping[str, Any]) -> list[tuple[str, tuple[Any, Any]]]:
    """Options that are not the same; of columns, which role's."""
    found = []
    for name in dict.fromkeys([*mine, *its]):
        one, two = mine.get(name), its.get(name)
        if one == two:
            continue
        if name == "columns" and isinstance(one, Mapping) and isinstance(two, Mapping):
            found += [(f"the column of {role}", pair) for role, pair in _differences(one, two)]
        else:
            found.append((name.replace("_", " "), (one, two)))
    return found


def _check_kinds_of_labels(tallies: Sequence[TallyRecord]) -> None:
    """Labels of typed columns are numbers in every shard, or text in every shard."""
    seen: dict[bool, TallyRecord] = {}
    for each in tallies:
        labels = each.tally.labels if kind_of(each.tally).redeclared else ()
        kinds = {isinstance(label, str) for label in labels}
        if not each.is_text and len(kinds) == 1:
            seen.setdefault(kinds.pop(), each)
    if len(seen) == 2:
        raise MergeError(
            f"the labels of {seen[True].name} are text, those of {seen[False].name} are not: convert one of "
            "them, as they are they never agree"
        )


def _check_once(tallies: Sequence[TallyRecord]) -> None:
    """Refuse a source that is in two of the tallies: it would count twice."""
    holder: dict[str, tuple[TallyRecord, list[str]]] = {}
    for each in tallies:
        own: dict[str, tuple[TallyRecord, list[str]]] = {}
        for place, marks in enumerate(each.origin.fingerprints):
            told = [part.source for part in each.origin.parts[place : place + 1]]
            own |= dict.fromkeys(marks.split("+"), (each, told))
        twice = next((mark for mark in own if mark in holder), None)
        if twice is not None:
            # Of a list of files and one of them, the one is what is there twice.
            what = min(own[twice][1] + holder[twice][1], key=len, default="one of the sources")
            raise MergeError(
                f"{holder[twice][0].name} and {each.name} hold the same source ({what}), which would count "
                "twice: leave one of them out, or say that it is meant (--again, again=True)"
            )
        holder |= own
