"""Read what several systems predicted for the same cases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from edgeworth.common.choices import Missing, WeightKind
from edgeworth.comparisons.kind import PAIRED, PAIRED_SCORES
from edgeworth.comparisons.paired import Paired
from edgeworth.core.kinds import SystemTallies
from edgeworth.core.labels import as_labels, canonical_label, list_labels, parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import Counted, count_source, read_whole
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.batches import Batch, Reducer, Source, keeps_order
from edgeworth.sources.column_roles import nothing_left_error
from edgeworth.sources.columns import DROP_MISSING, Label
from edgeworth.sources.numbers import as_weights

if TYPE_CHECKING:
    from edgeworth.forecasts.forecasts import Forecasts


def named_systems(systems: object) -> dict[str, object]:
    """Name the systems, two at least; a list of columns of a file names them by their columns.

    >>> named_systems(["first", "second"])
    {'first': 'first', 'second': 'second'}
    """
    if not isinstance(systems, (Mapping, Sequence)) or isinstance(systems, bytes):
        raise OptionError(f'systems are given by name: {{"A": …, "B": …}}; saw {type(systems).__name__}')
    if isinstance(systems, str):
        raise OptionError(
            f"a comparison needs at least two systems; saw one, {systems!r}. To judge one, use evaluate"
        )
    if isinstance(systems, Mapping):
        names = [str(name) for name in systems]
        columns: list[object] = list(systems.values())
    elif all(isinstance(name, str) for name in systems):
        names = [str(name) for name in systems]
        columns = list(systems)
    else:
        raise OptionError('systems are given by name: {"A": …, "B": …}')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError(f"two systems are called {twice!r}: give each a name of its own")
    if len(names) < 2:
        seen = f"one, {names[0]!r}" if names else "none"
        raise OptionError(f"a comparison needs at least two systems; saw {seen}. To judge one, use evaluate")
    return dict(zip(names, columns, strict=True))


def count_several(source: Source | None, options: Options, *, is_final: bool) -> Counted[Paired]:
    """Fold truth and the labels of every system into joint counts; ``prediction`` maps names to columns."""
    systems = options["prediction"]
    assert isinstance(systems, Mapping)
    roles = select_options(options, ("truth", "cluster", "weight"))
    roles |= {f"prediction of {name}": column for name, column in systems.items()}
    abstaining_labels = as_labels(options["abstain"])
    reducer = partial(
        pairs_reducer, systems=tuple(systems), abstain=abstaining_labels, missing=options["missing"]
    )
    return count_source(source, roles, PAIRED.roles, options["weight_kind"], reducer, is_final=is_final)


def pairs_reducer(
    columns: dict[str, str],
    *,
    systems: tuple[str, ...],
    is_text: bool,
    abstain: Sequence[Label] = (),
    missing: Missing = "error",
    weight_kind: WeightKind | None = None,
) -> Reducer[Paired]:
    """Build the reducer that turns a batch into joint counts."""
    prepare = partial(
        _count_batch,
        columns=columns,
        systems=systems,
        abstain=[str(label) for label in abstain] if is_text else abstain,
        missing=missing,
        weight_kind=weight_kind,
    )
    return Reducer(tuple(columns.values()), prepare, Paired.empty(), counts_suffice="weight" not in columns)


def finalise_pairs(paired: Paired, terms: Mapping[str, object], *, is_text: bool) -> Paired:
    """Make labels of text numbers where every one of them is written so, now that all are known."""
    if is_text:
        paired = paired.rename(parse_labels)
    paired.check_kinds()
    _check_systems(paired)
    positive = terms.get("positive")
    if positive is None:
        return paired
    assert isinstance(positive, Hashable)
    return paired.declare(positive=positive)


def _count_batch(
    batch: Batch,
    *,
    columns: dict[str, str],
    systems: tuple[str, ...],
    abstain: Sequence[Label],
    missing: Missing,
    weight_kind: WeightKind | None,
) -> Paired:
    """Count the rows of a batch."""
    by_role = {role: batch.columns[name] for role, name in columns.items()}
    weights = None
    if "weight" in by_role:
        weights = as_weights(by_role["weight"], columns["weight"], batch.first_row)
    return Paired.from_columns(
        by_role["truth"],
        {name: by_role[f"prediction of {name}"] for name in systems},
        by_role.get("cluster"),
        weights=weights,
        weight_kind=weight_kind,
        abstain=abstain,
        missing=missing,
        first_row=batch.first_row,
        repeats=batch.repeats,
    )


def _check_systems(paired: Paired) -> None:
    """Refuse a system none of whose labels is ever real: another kind or column was meant."""
    real = paired.joint.labels_seen(0)
    for column, name in enumerate(paired.names, start=1):
        seen = paired.joint.labels_seen(column)
        if seen and not seen & real:
            raise InputError(
                f"{name} holds {list_labels(sorted(seen, key=str))}, and truth has none of these "
                f"({list_labels(sorted(real, key=str))}): are these labels, or scores or probabilities "
                "(kind=; --score, --probability)?"
            )


def read_labels(
    source: Source | None, truth: object, systems: Mapping[str, object], options: Options
) -> SystemTallies:
    """Count the labels of every system together with the truth."""
    counted = count_several(source, {**options, "truth": truth, "prediction": systems}, is_final=True)
    paired: Paired = counted.tally
    if not paired.has_cases:
        raise nothing_left_error(counted.source, paired.dropped, counted.columns)
    positive = None if options["positive"] is None else canonical_label(options["positive"])
    paired = finalise_pairs(paired, {"positive": positive}, is_text=counted.is_text)
    return SystemTallies(PAIRED, paired, counted.source)


def read_scores(
    source: Source | None, truth: object, systems: Mapping[str, object], options: Options
) -> SystemTallies:
    """Read the truth and every system's scores."""
    from edgeworth.comparisons.paired_scores import PairedScores
    from edgeworth.rankings.reading import missing_scores

    roles = {"truth": truth, "weights": options["weight"]}
    roles |= {"clusters": options["cluster"], "folds": options["fold"]}
    columns = _read_columns(source, roles, systems, are_checked_later=True)
    scores = PairedScores.from_scores(
        columns.roles["truth"],
        columns.systems,
        clusters=columns.roles["clusters"],
        weights=columns.roles["weights"],
        positive=options["positive"],
        weight_kind=options["weight_kind"],
        missing=missing_scores(options),
        folds=columns.roles["folds"],
    )
    return SystemTallies(PAIRED_SCORES, scores, columns.source)


def read_lists(
    source: Source | None, truth: object, systems: Mapping[str, object], options: Options
) -> SystemTallies:
    """Read the ranked lists of every system."""
    from edgeworth.rankings.kind import LISTS
    from edgeworth.rankings.lists import RankedLists

    roles = {"truth": truth, "ids": options["id"], "groups": options["query"]}
    columns = _read_columns(source, roles, systems)
    lists = {
        name: RankedLists.from_scores(
            columns.roles["truth"],
            scores,
            groups=columns.roles["groups"],
            ids=columns.roles["ids"],
            positive=options["positive"],
            relevant_from=1 if options["relevant_from"] is None else options["relevant_from"],
        )
        for name, scores in columns.systems.items()
    }
    return SystemTallies(LISTS, lists, columns.source)


@dataclass(frozen=True)
class _SystemColumns:
    """The columns of a comparison: by role (None if there is none), and the scores of each system."""

    roles: Mapping[str, object]
    systems: Mapping[str, object]
    source: str


def _read_columns(
    source: Source | None,
    roles: Mapping[str, object],
    systems: Mapping[str, object],
    *,
    are_checked_later: bool = False,
) -> _SystemColumns:
    """Read the columns of a comparison, which came as arrays or as names of a file's columns.

    Missing labels are an error, unless the caller checks or drops them.
    """
    if source is None:
        return _SystemColumns(roles, systems, "arrays")
    from edgeworth.forecasts.reading import columns_of

    names = {role: columns_of(column, role)[0] for role, column in roles.items() if column is not None}
    if "truth" not in names:
        raise OptionError("truth is needed: the name of a column")
    scores = {name: columns_of(column, f"the score of {name}")[0] for name, column in systems.items()}
    label_columns = [column for role, column in names.items() if role != "weights"]
    number_columns = [*scores.values(), *(column for role, column in names.items() if role == "weights")]
    label_columns, number_columns = (list(dict.fromkeys(x)) for x in (label_columns, number_columns))
    may_be_missing = label_columns if are_checked_later else ()
    read = read_whole(source, label_columns, number_columns, may_be_missing=may_be_missing)
    by_role: dict[str, object] = dict.fromkeys(roles)
    for role, column in names.items():
        by_role[role] = read.numbers[column] if role == "weights" else read.labels[column]
    return _SystemColumns(by_role, {name: read.numbers[column] for name, column in scores.items()}, read.name)


def read_forecasts(
    source: Source | None, truth: object, systems: Mapping[str, object], options: Options
) -> SystemTallies:
    """Read every system's probabilities, in the order of the first one's classes, and the clusters.

    With ``missing="drop"``, a row that lacks the truth, the cluster or a probability of a system is left out.
    """
    from edgeworth.forecasts.class_columns import ReadingOptions, order_of_rival
    from edgeworth.forecasts.complete_rows import CompleteRows, rows_of_arrays, take_rows
    from edgeworth.forecasts.forecasts import Forecasts, forecasts_of_columns
    from edgeworth.forecasts.kind import FORECASTS
    from edgeworth.forecasts.reading import columns_of

    if options["weight"] is not None:
        raise OptionError(
            "--weight (weight=) is not supported with compare on probabilities: evaluate one system with "
            "--against (against=) for the other"
        )
    reading: ReadingOptions = {
        "labels": options["labels"],
        "positive": options["positive"],
        "normalise": options["normalise"],
    }
    clusters = options["cluster"]
    titles = {name: f"the probabilities of {name}" for name in systems}
    forecasts: dict[str, Forecasts] = {}
    first: Forecasts | None = None
    drops, dropped = options["missing"] == "drop", 0
    if source is None:
        if drops:
            rows, dropped = rows_of_arrays(truth, [*systems.values()], clusters, None, None, drops=True)
            if not len(rows):
                raise InputError(NO_COMPLETE_ROW)
            truth, clusters = take_rows(truth, rows), take_rows(clusters, rows)
            systems = {name: take_rows(values, rows) for name, values in systems.items()}
        for name, values in systems.items():
            make = Forecasts.of if first is None else partial(Forecasts.beside, first)
            forecasts[name] = make(truth, values, name=titles[name], **reading)
            first = first or forecasts[name]
        clipped = {name: system.clip(options["clip"]) for name, system in forecasts.items()}
        return SystemTallies(FORECASTS, clipped, "arrays", clusters, dropped)
    class_columns = {name: columns_of(columns, titles[name]) for name, columns in systems.items()}
    label_columns = columns_of(truth, "truth")[:1]
    if clusters is not None:
        label_columns += columns_of(clusters, "clusters")
    number_columns = list(dict.fromkeys(column for columns in class_columns.values() for column in columns))
    complete = CompleteRows(source, label_columns, number_columns, drops=drops)
    labels = list(dict.fromkeys(label_columns))
    read = read_whole(complete if drops else source, labels, number_columns, advice=DROP_MISSING)
    if not len(read.labels[label_columns[0]].codes) and complete.dropped:
        raise InputError(NO_COMPLETE_ROW)
    coded_truth = read.labels[label_columns[0]]
    for name, columns in class_columns.items():
        table = np.stack([read.numbers[column] for column in columns], axis=1)
        if first is None:
            first = forecasts[name] = Forecasts.of(
                coded_truth, table, columns=columns, name=titles[name], **reading
            )
        else:
            order = order_of_rival(columns, first, reading, titles[name])
            forecasts[name] = forecasts_of_columns(
                first.codes, first, table, order, name=titles[name], normalise=reading["normalise"]
            )
    clipped = {name: system.clip(options["clip"]) for name, system in forecasts.items()}
    units = None if clusters is None else read.labels[label_columns[1]]
    return SystemTallies(FORECASTS, clipped, read.name, units, complete.dropped)


NO_COMPLETE_ROW = "no row is complete: each has a missing value, so nothing is left to compare"


def read_grades(
    source: Source | None, truth: object, systems: Mapping[str, object], options: Options
) -> SystemTallies:
    """Read the grades of every system."""
    from edgeworth.grades.grades import Grades
    from edgeworth.grades.kind import GRADES
    from edgeworth.grades.reading import count_grades

    del truth
    if options["ordered"] and source is not None and not keeps_order(source):
        raise OptionError("--ordered needs rows in their order, which Spark does not keep for several files")
    counted: dict[str, Counted[Grades]] = {}
    for name, column in systems.items():
        own: Options = (
            {**options, "correct": column} if options["kind"] == "correct" else {**options, "grade": column}
        )
        counted[name] = count_grades(source, own, is_final=True, by_row=True)
    first = next(iter(counted.values()))
    return SystemTallies(GRADES, {name: record.tally for name, record in counted.items()}, first.source)
