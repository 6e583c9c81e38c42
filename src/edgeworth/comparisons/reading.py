"""From a source to what several systems said of the same cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeworth.comparisons.kind import PAIRED, PAIRED_SCORES
from edgeworth.comparisons.paired import Paired
from edgeworth.core.kinds import SystemTallies
from edgeworth.core.labels import as_labels, canonical_label, list_labels, parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import Counted, count_source, read_whole
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.column_roles import nothing_left_error
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import as_weights

if TYPE_CHECKING:
    from edgeworth.forecasts.forecasts import Forecasts


def named_systems(systems: Any) -> dict[str, Any]:
    """Name the systems, two at least; a list of columns of a file names them by their columns.

    >>> named_systems(["first", "second"])
    {'first': 'first', 'second': 'second'}
    """
    if not isinstance(systems, (Mapping, Sequence)) or isinstance(systems, bytes):
        raise OptionError(f'systems are given by name: {{"A": …, "B": …}}; saw {type(systems).__name__}')
    if isinstance(systems, str):
        raise OptionError(f"a comparison needs two systems; saw one, {systems!r}")
    if isinstance(systems, Mapping):
        names, columns = [str(name) for name in systems], list(systems.values())
    elif all(isinstance(name, str) for name in systems):
        names = columns = list(systems)
    else:
        raise OptionError('systems are given by name: {"A": …, "B": …}')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError(f"two systems are called {twice!r}: give each a name of its own")
    if len(names) < 2:
        seen = f"one, {names[0]!r}" if names else "none"
        raise OptionError(f"a comparison needs two systems; saw {seen}")
    return dict(zip(names, columns, strict=True))


def count_several(source: Source | None, options: Options, *, is_final: bool) -> Counted:
    """Fold truth and the labels of every system into joint counts; ``prediction`` maps names to columns."""
    systems = options["prediction"]
    assert isinstance(systems, Mapping)
    roles = select_options(options, ("truth", "cluster", "weight"))
    roles |= {f"prediction of {name}": column for name, column in systems.items()}
    away = as_labels(options["abstain"])
    reducer = partial(pairs_reducer, systems=tuple(systems), abstain=away, missing=options["missing"])
    return count_source(source, roles, PAIRED.roles, options["weight_kind"], reducer, is_final=is_final)


def pairs_reducer(
    columns: dict[str, str],
    *,
    systems: tuple[str, ...],
    is_text: bool,
    abstain: Sequence[Label] = (),
    **options: Any,
) -> Reducer[Paired]:
    """Build the reducer that turns a batch into joint counts."""
    options["abstain"] = [str(label) for label in abstain] if is_text else abstain
    prepare = partial(_paired, columns=columns, systems=systems, options=options)
    return Reducer(tuple(columns.values()), prepare, Paired.empty(), counts_suffice="weight" not in columns)


def finalise_pairs(paired: Paired, terms: Mapping[str, Any], *, is_text: bool) -> Paired:
    """Make labels of text numbers where every one of them is written so, now that all are known."""
    if is_text:
        paired = paired.rename(parse_labels)
    paired.check_kinds()
    _check_systems(paired)
    positive = terms.get("positive")
    return paired if positive is None else paired.declare(positive=positive)


def _paired(
    batch: Batch, columns: dict[str, str], systems: tuple[str, ...], options: dict[str, Any]
) -> Paired:
    found, first = {role: batch.columns[name] for role, name in columns.items()}, batch.first_row
    return Paired.from_columns(
        found["truth"],
        {name: found[f"prediction of {name}"] for name in systems},
        found.get("cluster"),
        weights=as_weights(found["weight"], columns["weight"], first) if "weight" in found else None,
        first_row=first,
        repeats=batch.repeats,
        **options,
    )


def _check_systems(paired: Paired) -> None:
    """Refuse a system none of whose labels is ever real: another kind or column was meant."""
    real = paired.joint.labels_seen(0)
    for place, name in enumerate(paired.names, start=1):
        seen = paired.joint.labels_seen(place)
        if seen and not seen & real:
            raise InputError(
                f"{name} says {list_labels(sorted(seen, key=str))}, and truth is never any of these "
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


def read_scores(data: Any, truth: Any, systems: Mapping[str, Any], options: Options) -> SystemTallies:
    """Read the truth and every system's scores."""
    from edgeworth.comparisons.paired_scores import PairedScores
    from edgeworth.rankings.reading import missing_scores

    columns = {"truth": truth, "weights": options["weight"], "clusters": options["cluster"]}
    found = _columns_by_role(data, columns, systems)
    scores = PairedScores.from_scores(
        found["truth"],
        found["systems"],
        clusters=found["clusters"],
        weights=found["weights"],
        positive=options["positive"],
        weight_kind=options["weight_kind"],
        missing=missing_scores(options),
    )
    return SystemTallies(PAIRED_SCORES, scores, found["name"])


def read_lists(data: Any, truth: Any, systems: Mapping[str, Any], options: Options) -> SystemTallies:
    """Read the ranked lists of every system."""
    from edgeworth.rankings.kind import LISTS
    from edgeworth.rankings.lists import RankedLists

    found = _columns_by_role(
        data, {"truth": truth, "ids": options["id"], "groups": options["query"]}, systems
    )
    lists = {
        name: RankedLists.from_scores(
            found["truth"],
            scores,
            groups=found["groups"],
            ids=found["ids"],
            positive=options["positive"],
            relevant_from=1 if options["relevant_from"] is None else options["relevant_from"],
        )
        for name, scores in found["systems"].items()
    }
    return SystemTallies(LISTS, lists, found["name"])


def _columns_by_role(data: Any, columns: dict[str, Any], systems: Mapping[str, Any]) -> dict[str, Any]:
    """Find columns by role, whether they came as arrays or as names of a file's columns."""
    if data is None:
        return columns | {"systems": dict(systems), "name": "arrays"}
    from edgeworth.forecasts.reading import columns_of

    words = {role: columns_of(name, role)[0] for role, name in columns.items() if name is not None}
    if "truth" not in words:
        raise OptionError("truth is needed: the name of a column")
    scores = {name: columns_of(column, f"the score of {name}")[0] for name, column in systems.items()}
    text = {role: column for role, column in words.items() if role != "weights"}
    numbers = [*scores.values(), *(column for role, column in words.items() if role == "weights")]
    read = read_whole(data, list(dict.fromkeys(text.values())), list(dict.fromkeys(numbers)))
    found: dict[str, Any] = dict.fromkeys(columns)
    found |= {role: (read.labels if role in text else read.numbers)[words[role]] for role in words}
    found["systems"] = {name: read.numbers[column] for name, column in scores.items()}
    return found | {"name": read.name}


def read_forecasts(data: Any, truth: Any, systems: Mapping[str, Any], options: Options) -> SystemTallies:
    """Read every system's probabilities, in the order of the first one's classes, and the clusters."""
    from edgeworth.forecasts.class_columns import ReadingOptions, order_of_rival
    from edgeworth.forecasts.forecasts import Forecasts, forecasts_of_columns
    from edgeworth.forecasts.kind import FORECASTS
    from edgeworth.forecasts.reading import columns_of

    terms: ReadingOptions = {
        "labels": options["labels"],
        "positive": options["positive"],
        "normalise": options["normalise"],
    }
    clusters = options["cluster"]
    names = {name: f"the probabilities of {name}" for name in systems}
    found: dict[str, Forecasts] = {}
    first: Forecasts | None = None
    if data is None:
        for name, values in systems.items():
            make = Forecasts.of if first is None else partial(Forecasts.beside, first)
            found[name] = make(truth, values, name=names[name], **terms)
            first = first or found[name]
        clipped = {name: each.clip(options["clip"]) for name, each in found.items()}
        return SystemTallies(FORECASTS, clipped, "arrays", clusters)
    wanted = {name: columns_of(columns, names[name]) for name, columns in systems.items()}
    text = [columns_of(truth, "truth")[0], *([] if clusters is None else columns_of(clusters, "clusters"))]
    numbers = list(dict.fromkeys(column for columns in wanted.values() for column in columns))
    read = read_whole(data, list(dict.fromkeys(text)), numbers)
    coded = read.labels[text[0]]
    for name, columns in wanted.items():
        table = np.stack([read.numbers[column] for column in columns], axis=1)
        if first is None:
            first = found[name] = Forecasts.of(coded, table, columns=columns, name=names[name], **terms)
        else:
            order = order_of_rival(columns, first, terms, names[name])
            found[name] = forecasts_of_columns(
                first.codes, first, table, order, name=names[name], normalise=terms["normalise"]
            )
    found = {name: each.clip(options["clip"]) for name, each in found.items()}
    units = None if clusters is None else read.labels[text[1]]
    return SystemTallies(FORECASTS, found, read.name, units)


def read_grades(
    source: Source | None, truth: object, systems: Mapping[str, object], options: Options
) -> SystemTallies:
    """Read the grades of every system."""
    from edgeworth.grades.kind import GRADES
    from edgeworth.grades.reading import count_grades

    del truth
    counted: dict[str, Counted] = {}
    for name, column in systems.items():
        own: Options = (
            {**options, "correct": column} if options["kind"] == "correct" else {**options, "grade": column}
        )
        counted[name] = count_grades(source, own, is_final=True, by_row=True)
    first = next(iter(counted.values()))
    return SystemTallies(GRADES, {name: each.tally for name, each in counted.items()}, first.source)
