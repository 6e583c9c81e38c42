"""From data to a tally that knows how it was counted: the one way of reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np

from edgeworth.core.labels import canonical_label
from edgeworth.core.options import GRADES, LABELS, PROBABILITIES, QUERIES, SCORES, SEVERAL, TallyOptions
from edgeworth.errors import OptionError
from edgeworth.pipeline.call_options import Asked, flag_name, takes
from edgeworth.pipeline.tally_record import Origin, Part, TallyRecord, dropped_rows, marked
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import Source
from edgeworth.sources.column_roles import FORMS, GRADED, find_source, guess_roles, names_of, sum_weights
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import (
    FileStates,
    check_unchanged,
    combine_digests,
    file_digests,
    file_states,
)
from edgeworth.sources.suspicious import repeated_ids

ONE_FORM = (
    "give one of prediction (labels), score (a ranking), probabilities (forecasts), correct (right or wrong) "
    "or grade"
)
OTHER_ROLES = ("truth", "cluster", "query", "fold", "id", "weight", "against", "odds", "time", "by")
"""Columns that are taken, beside those of predictions."""
LISTED_COLUMNS = 12


@takes(TallyOptions)
@aligned
def tally(data: Any = None, **options: Unpack[TallyOptions]) -> TallyRecord:
    """Count one part of the data, to be merged with others and reported on later.

    What is merged tells the same as what was counted in one piece: ``a + b`` adds parts up, ``ew.evaluate``
    reports, ``.write(path)`` and ``ew.read_tally`` make it a file.

    Parameters
    ----------
    data : path or dataframe, optional
        What has the columns that the options name; without it the options are arrays. ``prediction`` may be a
        mapping of names to columns: several systems, to be compared. Probabilities without an opponent
        (``against``, ``odds``, ``bookmaker``) are reported on, but do not merge.

    Returns
    -------
    TallyRecord
        The tally, what was asked, and where it came from.

    Examples
    --------
    >>> tally(truth=["a", "b", "b"], prediction=["a", "b", "a"])
    <TallyRecord: labels, 3 rows>
    """
    opened = Opened.of(data, Asked.of(TallyOptions, options))
    asked, name = opened.asked, "predictions_made"
    if asked.get(name) is not None and name not in asked.tally_kind.terms:
        raise OptionError(
            f"{flag_name(name)} has no meaning with {asked.predictions} in a tally, which keeps counts"
        )
    return count(opened, is_final=False)


@dataclass(frozen=True)
class Opened:
    """Data that can be read, with a column for every role that is needed, and options that go together."""

    source: Source | None
    """None for arrays, which are in ``asked`` itself."""
    asked: Asked
    notices: tuple[str, ...] = ()
    states: FileStates = ()
    """The states of its files before they were counted; empty if nobody asks for their digests."""

    @classmethod
    def of(cls, data: Any, asked: Asked) -> Self:
        """Open data, take columns whose names leave no doubt where nobody named them, check the options."""
        if data is None:
            if asked.engine not in (None, "auto") or asked.master is not None:
                raise OptionError("an engine reads files; these are arrays")
            return cls(None, checked(asked))
        engine = None if asked.engine == "auto" else asked.engine
        source = open_source(data, engine=engine, master=asked.master)
        if asked.get("ordered") and asked.get("time") is None and not getattr(source, "keeps_order", True):
            raise OptionError(
                f"{source.name}: Spark does not keep the order of the rows of several files or of a "
                "store: name the column that has it (time=…, --time COLUMN), or count one file at a time"
            )
        states = file_states(getattr(source, "paths", ())) if asked.get("with_digest", True) else ()
        names = column_names(source, data)
        asked, notices = detect_columns(names, asked, source.name)
        asked = checked(asked)
        return cls(source, asked, (*notices, *repeated_cases(source, names, asked)), states)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The SHA-256 of each file that was counted, where they are files and not too large."""
        wanted = self.source is not None and self.asked.get("with_digest", True)
        paths = getattr(self.source, "paths", ())
        found = file_digests(paths) if wanted else ()
        if found and self.states:
            check_unchanged(paths, self.states)
        return found


def checked(asked: Asked) -> Asked:
    """Find out what the predictions are, and refuse options that do not go with them or each other."""
    if sum(asked.get(form) is not None for form in (*FORMS, *GRADED)) != 1:
        raise OptionError(ONE_FORM)
    asked = asked.with_folds(are_ranked=asked.get("score") is not None)
    if asked.get("prediction") is not None:
        predictions = SEVERAL if isinstance(asked.prediction, Mapping) else LABELS
    elif asked.get("score") is not None:
        predictions = SCORES if asked.query is None else QUERIES
    else:
        predictions = GRADES if asked.get("probabilities") is None else PROBABILITIES
    asked = asked.checked(predictions)
    if asked.get("bookmaker") is not None:
        from edgeworth.bet import named_bookmaker

        asked = asked.having(bookmaker=named_bookmaker(asked.bookmaker, seed=asked.get("seed") or 0))
    asked.tally_kind.check(asked.options)
    return asked


def count(opened: Opened, *, is_final: bool) -> TallyRecord:
    """Count what was opened; what is not final can be merged, and its rows are counted too."""
    asked = opened.asked
    counted = asked.tally_kind.read(opened.source, asked.options, is_final=is_final)
    part = Part(counted.source, combine_digests(opened.digests), counted.rows, dropped_rows(counted.tally))
    tallied = TallyRecord(
        counted.tally,
        terms_of(asked, counted.columns),
        Origin((part,), rows=counted.rows),
        is_text=counted.is_text,
        has_whole_weights=counted.has_whole_weights,
        notices=opened.notices,
        has_start_row=asked.get("rows_before") is not None,
    )
    return tallied if is_final else marked(tallied, opened.digests)


def settle_weights(source: Source | None, asked: Asked) -> tuple[Asked, tuple[str, ...]]:
    """Find out whether weights count cases where nobody said it, and say so unless each is one.

    A batch cannot tell by itself: whole numbers in one and fractions in the next are all sampling weights.
    """
    if asked.get("weight") is None or asked.weight_kind is not None:
        return asked, ()
    found, columns = find_source(source, (), weight=asked.weight)
    are_whole, rows, total = sum_weights(found, columns["weight"])
    said = (
        f"Weights are whole numbers, so {rows:,} rows are taken as {total:,.0f} cases; sampling weights are "
        'declared: weight_kind="sampling" (--weight-kind sampling).'
    )
    kind = "counts" if are_whole else "sampling"
    return asked.having(weight_kind=kind), (said,) if are_whole and rows != total else ()


def repeated_cases(source: Source, names: Sequence[str], asked: Asked) -> tuple[str, ...]:
    """Warn of rows with the same identifier, unless a column says which rows belong together."""
    if any(asked.get(role) is not None for role in ("cluster", "query", "id", "join", "system")):
        return ()
    return repeated_ids(source, names, [name for role in OTHER_ROLES for name in names_of(asked.get(role))])


def column_names(source: Source, data: Any) -> list[str]:
    """List what the columns are called, as far as is known without reading."""
    names = getattr(source, "names", None)
    if names is None:
        names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    return [] if names is None or callable(names) else [name for name in names if isinstance(name, str)]


def detect_columns(
    names: Sequence[str], asked: Asked, source: str = "the data"
) -> tuple[Asked, tuple[str, ...]]:
    """Find columns for the roles that nobody gave, and what to say about it; where there is doubt, refuse.

    >>> detect_columns(["y_true", "y_pred"], Asked.of(TallyOptions, {}))[1]
    ("Took 'y_true' as truth and 'y_pred' as prediction.",)
    """
    given = {role: asked.get(role) for role in (*FORMS, *OTHER_ROLES)}
    is_graded = any(asked.get(form) is not None for form in GRADED)
    if is_graded or (given["truth"] is not None and any(given[form] is not None for form in FORMS)):
        return asked, ()
    guessed = guess_roles(names, given)
    asked = asked.having(**guessed.roles)
    if guessed.doubts:
        raise OptionError(" ".join(guessed.doubts))
    seen = f"{source} has the columns {_some(names)}: " if names else ""
    suggested = "; edgeworth preview suggests commands"
    if asked.truth is None and asked.get("correct") is None:
        raise OptionError(
            f"{seen}truth is needed, the name of the column of actual classes (--truth COLUMN); "
            f"answers that are right or wrong have none (--correct COLUMN){suggested}"
        )
    if all(asked.get(form) is None for form in (*FORMS, *GRADED)):
        if len(names_of(asked.get("odds"))) < 2:
            said = f"{ONE_FORM}, as --prediction COLUMN, --score COLUMN or --probability COLUMN"
            raise OptionError(f"{seen}{said}{suggested}")
        prices = "The odds are judged as the market's own forecasts: 1/odds, each row divided by its sum."
        return asked.having(probabilities=asked.odds), (*guessed.notices, prices)
    return asked, guessed.notices


def _some(names: Sequence[str]) -> str:
    """List names of columns in a sentence, not more than can be read."""
    more = len(names) - LISTED_COLUMNS
    return ", ".join(names[:LISTED_COLUMNS]) + (f" and {more:,} more" if more > 0 else "")


def terms_of(asked: Asked, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Gather what must be the same in tallies that are merged, in one form however the caller wrote it.

    >>> terms_of(Asked.of(TallyOptions, {"labels": np.array([0, 1])}).checked("labels"), {})["labels"]
    [0, 1]
    """
    terms = {name: asked.get(name) for name in asked.tally_kind.terms}
    if "ordered" in terms:
        terms["ordered"] |= asked.time is not None
    left_out = {name: default for name, default in LEFT_OUT.items() if terms.get(name, 0) is None}
    return canonical_terms(terms | left_out) | {"columns": dict(columns)}


LEFT_OUT = {"relevant_from": 1, "fraction": 1.0}
"""What options of a kind mean where nobody gave them."""

FORMS_OF_TERMS: dict[str, Callable[[Any], Any]] = {
    "positive": canonical_label,
    "abstain": lambda x: (
        [canonical_label(each) for each in x] if isinstance(x, (list, tuple)) else canonical_label(x)
    ),
    "labels": lambda labels: [canonical_label(label) for label in labels],
    "bins": lambda bins: np.asarray(bins).tolist(),
    "bookmaker": repr,
    "relevant_from": int,
    "fraction": float,
    "clip": float,
    "ordered": bool,
    "normalise": bool,
    "ordinal": bool,
}


def canonical_terms(given: Mapping[str, Any]) -> dict[str, Any]:
    """Write options in one form however the caller wrote them, without those that were left out."""
    return {
        name: FORMS_OF_TERMS[name](value) if name in FORMS_OF_TERMS else value
        for name, value in given.items()
        if value is not None
    }
