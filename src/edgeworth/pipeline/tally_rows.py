"""From data to a tally with the options that it was counted with: every verb reads rows in this way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, Unpack

import numpy as np

from edgeworth.common.choices import WeightKind
from edgeworth.common.json_types import JsonObject, JsonValue
from edgeworth.core.labels import canonical_label
from edgeworth.core.options import (
    GRADES,
    LABELS,
    PROBABILITIES,
    QUERIES,
    SCORES,
    SEVERAL,
    Options,
    TallyOptions,
    select_options,
)
from edgeworth.core.tallies import dropped_rows
from edgeworth.errors import OptionError
from edgeworth.pipeline.call_options import (
    change,
    check_options,
    fill_in,
    flag_name,
    own_kind,
    set_columns,
    tally_kind,
    with_folds,
    with_signature_of,
)
from edgeworth.pipeline.tally_record import Origin, Part, TallyRecord, marked
from edgeworth.report.frames import library_of
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import Source, keeps_order, known_columns, paths_of
from edgeworth.sources.column_roles import FORMS, GRADED, find_source, guess_roles, names_of, sum_weights
from edgeworth.sources.integer_names import name_as_text
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import (
    FileStates,
    check_unchanged,
    combine_digests,
    file_digests,
    file_states,
)
from edgeworth.sources.suspicious import count_repeats, repeated_ids

ONE_FORM = (
    "pass exactly one of prediction (labels), score (a ranking), probabilities (forecasts), correct (right "
    "or wrong) or grade"
)
OTHER_ROLES = (
    "truth",
    "cluster",
    "query",
    "fold",
    "id",
    "weight",
    "against",
    "odds",
    "lay",
    "closing_odds",
    "time",
    "round",
    "by",
)
"""Columns that are taken, beside those of predictions."""
MAX_COLUMNS_LISTED = 12
"""The most columns that an error lists."""


@with_signature_of(TallyOptions)
@aligned
def tally(data: object = None, **given: Unpack[TallyOptions]) -> TallyRecord:
    """Count one part of the data, to be merged with others and reported on later.

    A merged tally gives the same report as data counted in one piece: ``a + b`` adds parts, ``ew.evaluate``
    reports on a tally, and ``.write(path)`` and ``ew.read_tally`` write and read it as a file.

    Parameters
    ----------
    data : path or dataframe, optional
        What has the columns that the options name; without it the options are arrays. ``prediction`` may be a
        mapping of names to columns: several systems, to be compared. Probabilities without an opponent
        (``against``, ``odds``, ``bookmaker``) are reported on, but do not merge.

    Returns
    -------
    TallyRecord
        The tally, the options, and where it came from.

    Examples
    --------
    >>> tally(truth=["a", "b", "b"], prediction=["a", "b", "a"])
    <TallyRecord: labels, 3 rows>
    """
    opened = Opened.of(data, with_named_columns(data, fill_in("tally", TallyOptions, given)))
    options, name = opened.options, "predictions_made"
    if options["predictions_made"] is not None and name not in tally_kind(options).terms:
        raise OptionError(
            f"{flag_name(name)} is not supported with {options['predictions']} in a tally, because a tally "
            "keeps only counts"
        )
    roles = select_options(options, ("truth", *FORMS, *GRADED))
    return replace(count(opened, is_final=False), library=library_of(data, *roles.values()))


def with_named_columns(data: object, options: Options) -> Options:
    """Write the names of columns as text if a dataframe calls its columns by integers."""
    roles = (*FORMS, *GRADED, *OTHER_ROLES, "join", "system")
    columns = name_as_text(data, select_options(options, [role for role in roles if role in options]))
    return set_columns(options, columns)


@dataclass(frozen=True)
class Opened:
    """Data that can be read, with a column for every role that is needed, and options that go together."""

    source: Source | None
    """None for arrays, which are in ``options`` itself."""
    options: Options
    notices: tuple[str, ...] = ()
    states: FileStates = ()
    """The states of its files before they were counted; empty if no digests are needed."""

    @classmethod
    def of(cls, data: object, options: Options) -> Self:
        """Open data, detect columns that were not named, and check the options."""
        if data is None:
            if options["engine"] not in (None, "auto") or options["master"] is not None:
                raise OptionError("engine and master need files, and these are arrays")
            options, notices = cluster_repeated_ids(None, options)
            return cls(None, checked(options), notices)
        engine = None if options["engine"] == "auto" else options["engine"]
        source = open_source(data, engine=engine, master=options["master"])
        if options["ordered"] and options["time"] is None and not keeps_order(source):
            raise OptionError(
                f"{source.name}: Spark does not keep the order of the rows of several files or of a "
                "store: name the column that has it (time=…, --time COLUMN), or count one file at a time"
            )
        states = file_states(paths_of(source)) if options["with_digest"] else ()
        names = column_names(source, data)
        options, notices = detect_columns(names, options, source.name)
        options, repeats = cluster_repeated_ids(source, options)
        notices = (*notices, *repeats)
        options = checked(options)
        return cls(source, options, (*notices, *repeated_cases(source, names, options)), states)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The SHA-256 of each file that was counted, if they are files and not too large."""
        wanted = self.source is not None and self.options["with_digest"]
        paths = paths_of(self.source)
        digests = file_digests(paths) if wanted else ()
        if digests and self.states:
            check_unchanged(paths, self.states)
        return digests


KIND_WORDS = {SEVERAL: (LABELS,), QUERIES: (SCORES,), GRADES: (GRADES, "correct")}
"""The values of ``kind`` that fit predictions, if they are not called like the predictions."""


def checked(options: Options) -> Options:
    """Find out what the predictions are, and refuse options that do not go with them or each other."""
    own = own_kind(options)
    if own is not None:
        missing = [role for role, column in select_options(options, own.roles).items() if column is None]
        if missing:
            raise OptionError(
                f"{own.title} need {' and '.join(missing)}: pass {missing[0]}=COLUMN or an array"
            )
        options = with_folds(options, are_ranked=False)
        options = check_options(options, own.predictions or own.name)
        own.check(options)
        return options
    forms = select_options(options, (*FORMS, *GRADED))
    if sum(column is not None for column in forms.values()) != 1:
        seen = " and ".join(name for name, column in forms.items() if column is not None)
        raise OptionError(f"{ONE_FORM}; saw {seen}" if seen else ONE_FORM)
    options = with_folds(options, are_ranked=options["score"] is not None)
    if options["prediction"] is not None:
        predictions = SEVERAL if isinstance(options["prediction"], Mapping) else LABELS
    elif options["score"] is not None:
        predictions = SCORES if options["query"] is None else QUERIES
    else:
        predictions = GRADES if options["probabilities"] is None else PROBABILITIES
    word = options["kind"]
    if word is not None and word not in KIND_WORDS.get(predictions, (predictions,)):
        raise OptionError(f"kind is {word!r}, but the columns hold {predictions}: change one of them")
    options = check_options(options, predictions)
    if options["bookmaker"] is not None:
        from edgeworth.bet import named_bookmaker

        options = change(options, bookmaker=named_bookmaker(options["bookmaker"], seed=options["seed"]))
    tally_kind(options).check(options)
    return options


def count(opened: Opened, *, is_final: bool) -> TallyRecord:
    """Count what was opened; what is not final can be merged, and its rows are counted too."""
    options = opened.options
    counted = tally_kind(options).read(opened.source, options, is_final=is_final)
    part = Part(counted.source, combine_digests(opened.digests), counted.rows, dropped_rows(counted.tally))
    tallied = TallyRecord(
        counted.tally,
        terms_of(options, counted.columns),
        Origin((part,), rows=counted.rows),
        is_text=counted.is_text,
        has_whole_weights=counted.has_whole_weights,
        notices=opened.notices,
        has_start_row=options["rows_before"] is not None,
    )
    return tallied if is_final else marked(tallied, opened.digests)


def settle_weights(source: Source | None, options: Options) -> tuple[Options, tuple[str, ...]]:
    """Find out whether weights count cases, if the caller did not declare it, and note it.

    One batch is not enough: whole numbers in one and fractions in the next are all sampling weights.
    """
    if options["weight"] is None or options["weight_kind"] is not None:
        return options, ()
    opened, columns = find_source(source, (), weight=options["weight"])
    are_whole, rows, total = sum_weights(opened, columns["weight"])
    notice = (
        f"Weights are whole numbers, so {rows:,} rows count as {total:,.0f} cases. If they are sampling "
        'weights, pass weight_kind="sampling" (--weight-kind sampling).'
    )
    kind: WeightKind = "counts" if are_whole else "sampling"
    return change(options, weight_kind=kind), (notice,) if are_whole and rows != total else ()


def note_pooled(source: Source | None) -> tuple[str, ...]:
    """Return a notice if the rows of several files are taken as one sample."""
    files = len(paths_of(source))
    return (f"Note: the rows of {files:,} files are evaluated together, as one sample.",) if files > 1 else ()


def cluster_repeated_ids(source: Source | None, options: Options) -> tuple[Options, tuple[str, ...]]:
    """Take rows with the same id for one cluster, as in repeated cross-validation.

    A tally does so without looking, because an id may occur again in another part. Queries and grades have
    ids of their own. Scores within folds keep the ids too, because an id may occur once per fold.
    """
    is_ranked = options["score"] is not None and options["query"] is not None
    is_graded = options["correct"] is not None or options["grade"] is not None
    has_own_ids = is_ranked or is_graded or own_kind(options) is not None
    if options["id"] is None or has_own_ids or options["verb"] not in ("evaluate", "tally"):
        return options, ()
    if options["cluster"] is not None:
        raise OptionError("id and cluster are both given: give the column of the larger groups as cluster")
    opened, columns = find_source(source, (), id=options["id"])
    repeats = 0 if options["verb"] == "tally" else count_repeats(opened, columns["id"])
    if options["verb"] == "evaluate" and not repeats:
        return set_columns(options, {"id": None}), ()
    notice = f"{repeats:,} rows repeat an earlier id: rows with the same id are taken as one cluster."
    is_folded = options["score"] is not None and options["fold"] is not None
    roles = {"id": options["id"] if is_folded else None, "cluster": options["id"]}
    return set_columns(options, roles), (notice,) if repeats else ()


def repeated_cases(source: Source, names: Sequence[str], options: Options) -> tuple[str, ...]:
    """Warn of rows with the same identifier, unless a column says which rows belong together."""
    units = select_options(options, ("cluster", "query", "id", "join", "system"))
    if any(column is not None for column in units.values()):
        return ()
    return repeated_ids(
        source,
        names,
        [name for column in select_options(options, OTHER_ROLES).values() for name in names_of(column)],
    )


def column_names(source: Source, data: object) -> list[str]:
    """List what the columns are called, as far as is known without reading."""
    names: object = known_columns(source)
    if names is None:  # the frame itself may know them
        names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    return [name for name in names if isinstance(name, str)] if isinstance(names, Iterable) else []


def detect_columns(
    names: Sequence[str], options: Options, source: str = "the data"
) -> tuple[Options, tuple[str, ...]]:
    """Find columns for the roles that were not given, with a notice; raise an error if that is ambiguous.

    >>> detect_columns(["y_true", "y_pred"], fill_in("tally", TallyOptions, {}))[1]
    ("Took 'y_true' as truth and 'y_pred' as prediction.",)
    """
    if own_kind(options) is not None:
        return options, ()
    columns = select_options(options, (*FORMS, *OTHER_ROLES))
    is_graded = any(column is not None for column in select_options(options, GRADED).values())
    if is_graded or (columns["truth"] is not None and any(columns[form] is not None for form in FORMS)):
        return options, ()
    guessed = guess_roles(names, columns)
    options = set_columns(options, guessed.roles)
    if guessed.ambiguities:
        raise OptionError(" ".join(guessed.ambiguities))
    seen = f"{source} has the columns {_some(names)}: " if names else ""
    suggested = ". To see commands that fit the file, run edgeworth preview FILE"
    if options["truth"] is None and options["correct"] is None:
        raise OptionError(
            f"{seen}truth is needed. Name the column of actual classes (--truth COLUMN), or the column that "
            f"marks answers as right or wrong (--correct COLUMN){suggested}"
        )
    if all(column is None for column in select_options(options, (*FORMS, *GRADED)).values()):
        if len(names_of(options["odds"])) < 2:
            forms = f"{ONE_FORM}, as --prediction COLUMN, --score COLUMN or --probability COLUMN"
            raise OptionError(f"{seen}{forms}{suggested}")
        prices = f"Note: the odds are evaluated as the market's forecasts, {_overround_words(options)}."
        return change(options, probabilities=options["odds"]), (*guessed.notices, prices)
    return options, guessed.notices


def _overround_words(options: Options) -> str:
    """Describe how the overround of odds is removed."""
    method = options["remove_overround"] or "multiplicative"
    return {
        "multiplicative": "1/odds, each row divided by its sum",
        "power": "1/odds to the power that makes each row add up to 1",
        "shin": "by Shin's model of the overround",
    }[method]


def _some(names: Sequence[str]) -> str:
    """List names of columns in a sentence, up to a limit."""
    more = len(names) - MAX_COLUMNS_LISTED
    return ", ".join(names[:MAX_COLUMNS_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def terms_of(options: Options, columns: Mapping[str, object]) -> JsonObject:
    """Gather what must be the same in tallies that are merged, in one form however the caller wrote it.

    >>> options = fill_in("tally", TallyOptions, {"labels": np.array([0, 1])})
    >>> terms_of(check_options(options, "labels"), {})["labels"]
    [0, 1]
    """
    terms = select_options(options, tally_kind(options).terms)
    if "ordered" in terms:
        terms["ordered"] = options["ordered"] or options["time"] is not None
    left_out = {name: default for name, default in LEFT_OUT.items() if terms.get(name, 0) is None}
    return canonical_terms(terms | left_out) | {"columns": dict(columns)}


LEFT_OUT = {"relevant_from": 1, "fraction": 1.0}
"""What options of a kind mean if they are not given."""

FORMS_OF_TERMS: dict[str, Callable[[JsonValue], JsonValue]] = {
    "positive": canonical_label,
    "abstain": lambda x: (
        [canonical_label(label) for label in x] if isinstance(x, (list, tuple)) else canonical_label(x)
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


def canonical_terms(terms: Mapping[str, object]) -> JsonObject:
    """Write options in one form however the caller wrote them, without those that were left out."""
    return {
        name: FORMS_OF_TERMS[name](value) if name in FORMS_OF_TERMS else value
        for name, value in terms.items()
        if value is not None
    }
