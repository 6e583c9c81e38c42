"""Read several runs of one system: run logs, repeats in one log, files, columns, or a tally."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np

from edgeworth.core.formatting import plural
from edgeworth.core.options import Options
from edgeworth.core.row_reading import read_whole
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.grades import UNBOUNDED, Grades, as_points, as_right, check_bounds
from edgeworth.pipeline.rerun_groups import group_reruns
from edgeworth.pipeline.rerun_values import (
    DEFAULT_MEASURES,
    values_of_forecasts,
    values_of_queries,
    values_of_scores,
)
from edgeworth.pipeline.run_items import (
    Answers,
    common_tasks,
    describe_same_dates,
    describe_skipped_tasks,
    describe_unreadable,
    find_systems,
    make_grades,
    short_ids,
)
from edgeworth.pipeline.tally_record import TallyRecord
from edgeworth.sources.columns import Coded, as_column
from edgeworth.sources.joining import name_systems
from edgeworth.sources.runs.run import Run

ZERO_ONE = frozenset({"0", "1", "0.0", "1.0", "False", "True", "false", "true"})
"""Classes of which the positive one is known."""

NEEDS_TWO_RUNS = (
    "noise needs at least two runs of the same system: give several logs or files, several columns, or "
    "repeats of an item under one id (--id)"
)


@dataclass(frozen=True)
class RepeatedRuns:
    """The grades of each run, and of all together, in which a run is a repeat of its items."""

    runs: Mapping[str, Grades]
    whole: Grades
    unit: str
    notices: tuple[str, ...] = ()
    measure: str = ""
    """What the values of scores or probabilities are; empty for grades and labels."""
    short_ids: Mapping[str, str] = field(default_factory=dict)
    """Shorter names for items whose ids are hashes."""
    tasks: Mapping[str, Grades] = field(default_factory=dict)
    """All runs together in each task, if there are several tasks."""


def combine_runs(runs: Mapping[str, Grades], unit: str, notices: Sequence[str] = ()) -> RepeatedRuns:
    """Put runs together on the items that all of them have."""
    common = set.intersection(*(set(run.ids or ()) for run in runs.values()))
    if not common:
        raise InputError("the runs have no item in common: are these runs of the same benchmark?")
    unmatched = len({item for run in runs.values() for item in run.ids or ()} - common)
    kept = {name: run.select(common) for name, run in runs.items()}
    if unmatched:
        verb = plural(unmatched, "item that not every run has is", "items that not every run has are")
        notices = (*notices, f"{unmatched:,} {verb} left out.")
    whole = reduce(add, kept.values())
    if not (whole.repeats > 1).any():
        raise InputError(NEEDS_TWO_RUNS)
    return RepeatedRuns(kept, whole, unit, tuple(notices))


def read_repeated_runs(
    data: object, options: Options, columns: Mapping[str, Sequence[str]], measure: str | None = None
) -> RepeatedRuns:
    """Read runs of one system. ``columns`` holds the columns of each form of predictions, if named.

    ``measure`` is what scores and probabilities are judged by.
    """
    tally = data.final if isinstance(data, TallyRecord) else data
    if isinstance(tally, Grades):
        return combine_runs({"all runs": tally}, "item")
    named = [form for form, names in columns.items() if names]
    if not named:
        return _read_logs(data, options)
    if len(named) > 1:
        raise OptionError(f"runs of one system are of one kind; saw --{' and --'.join(named)}")
    [form] = named
    # A dataframe is a table, and so is a dictionary of columns. A dictionary of paths names the runs.
    names = list(data) if isinstance(data, Mapping) and _are_paths(data.values()) else []
    files = [data[name] for name in names] if isinstance(data, Mapping) and names else _listed(data)
    has_ids = options["id"] is not None or options["query"] is not None
    if not has_ids and (len(files) > 1 or len(columns[form]) == 1):
        raise OptionError("name the column that identifies an item (--id COLUMN), or one column per run")
    if measure is not None and form not in DEFAULT_MEASURES:
        raise OptionError(f"--measure is for scores and probabilities; saw it with --{form}")
    paths = names or (name_systems(files) if _are_paths(files) else [])
    chosen = measure or DEFAULT_MEASURES.get(form, "")
    runs: dict[str, Grades] = {}
    for index, file in enumerate(files):
        for column in columns[form]:
            name = column if len(files) == 1 else f"{paths[index] if paths else index + 1}"
            name = f"{name} {column}" if len(files) > 1 and len(columns[form]) > 1 else name
            if chosen:
                runs[name] = _read_values(file, form, column, options, chosen)
            else:
                runs[name] = _read_column(file, form, column, options)
    unit = "query" if options["query"] is not None else "case" if chosen else "item"
    return replace(combine_runs(runs, unit), measure=chosen)


def _are_paths(values: Iterable[object]) -> bool:
    return all(isinstance(value, (str, os.PathLike)) for value in values)


def _listed(data: object) -> list[object]:
    return list(data) if isinstance(data, (list, tuple)) else [data]


def _read_values(file: object, form: str, column: str, options: Options, measure: str) -> Grades:
    """Compute the value of each query or case in one run of scores or probabilities."""
    item, truth, query = (options[role] for role in ("id", "truth", "query"))
    if not isinstance(truth, str):
        raise OptionError(f"--{form} needs the column of actual classes (--truth COLUMN)")
    wanted = [truth, *(str(name) for name in (item, query) if name is not None)]
    table = read_whole(file, list(dict.fromkeys(wanted)), [column])
    coded, numbers = table.labels[truth], table.numbers[column]
    classes = _classes(coded, options["positive"], is_graded=query is not None)
    ids = list(map(str, range(len(classes)))) if item is None else _texts(table.labels[str(item)])
    if query is not None and form == "score":
        units = values_of_queries(classes, numbers, _texts(table.labels[str(query)]), measure)
    elif form == "score":
        units = values_of_scores(classes, numbers, ids, measure)
    else:
        units = values_of_forecasts(classes, numbers, ids, measure)
    names = as_column(units.ids, "id")
    bounds = (0.0, 1.0) if query is not None else UNBOUNDED
    return Grades.from_columns(units.values, names, bounds=bounds, lower_is_better=units.is_lower_better)


def _classes(truth: Coded, positive: object, *, is_graded: bool) -> list[object]:
    """Turn actual classes into 1 for the positive one and 0; grades and 0/1 are kept if none is named."""
    labels = list(truth.labels)
    if positive is not None:
        if str(positive) not in map(str, labels):
            raise OptionError(
                f"there is no class {positive!r} (--positive); there are {', '.join(map(str, labels))}"
            )
        labels = [int(str(label) == str(positive)) for label in labels]
    elif not is_graded and not set(map(str, labels)) <= ZERO_ONE:
        raise OptionError(
            f"name the class that high values predict (--positive); there are {', '.join(map(str, labels))}"
        )
    return [labels[code] for code in truth.codes.tolist()]


def _read_column(file: object, form: str, column: str, options: Options) -> Grades:
    """Grade one column of a table: labels are right if they equal the truth."""
    item, truth = options["id"], options["truth"]
    if form == "prediction" and not isinstance(truth, str):
        raise OptionError("predictions are right or wrong by the truth: name its column (--truth)")
    wanted = [column, *(str(x) for x in (item, truth if form == "prediction" else None) if x is not None)]
    table = read_whole(file, list(dict.fromkeys(wanted)), [])
    answers = table.labels[column]
    ids = as_column(np.arange(len(answers.codes)) if item is None else _texts(table.labels[str(item)]), "id")
    if form == "prediction":
        pairs = zip(_texts(answers), _texts(table.labels[str(truth)]), strict=True)
        return Grades.from_columns(np.array([float(answer == actual) for answer, actual in pairs]), ids)
    values = as_right(answers, column) if form == "correct" else as_points(answers, column)
    bounds = UNBOUNDED if options["grade_range"] is None else check_bounds(options["grade_range"])
    is_lower = bool(options["lower_is_better"])
    return Grades.from_columns(values, ids, bounds=bounds, lower_is_better=is_lower)


def _texts(column: Coded) -> list[str]:
    return [str(column.labels[code]) for code in column.codes.tolist()]


def _read_logs(data: object, options: Options) -> RepeatedRuns:
    systems = find_systems(data, options, read_reruns=True)
    if not systems:
        raise OptionError(
            "no run log is given: name the columns of the runs (--correct, --grade or --prediction)"
        )
    notices = []
    if not isinstance(data, Mapping):
        logs = [run for runs in systems.values() for run in runs]
        systems = _group_by_run(logs)
        if not any(log.is_system_named for log in logs) and len({log.system for log in logs}) > 1:
            notices.append(f"The logs name no system, so {', '.join(systems)} count as runs of one system.")
    tasks = common_tasks(systems, options)
    answers = Answers.of(tasks, list(systems), options)
    judged = answers.judged(options["errors"])
    runs = {name: make_grades(run, options) for name, run in judged.items()}
    unreadable = describe_unreadable(systems)
    notices += [*unreadable, *describe_same_dates(systems), *describe_skipped_tasks(systems, tasks)]
    notices += [*answers.describe_unmatched_items(), *answers.describe_errors()]
    if len(runs) == 1 and not any((run.repeats > 1).any() for run in runs.values()):
        held = "; ".join(f"{log.path} has {log.task}" for logs in systems.values() for log in logs)
        raise InputError(". ".join([f"{NEEDS_TWO_RUNS}. Here every task has one log: {held}", *unreadable]))
    combined = combine_runs(runs, "question", notices)
    items = {item.id: item for run in judged.values() for item in run.items}
    combined = replace(combined, short_ids=short_ids(items.values(), has_tasks=len(tasks) > 1))
    if len(tasks) == 1:
        return combined
    by_task: dict[str, list[str]] = {task: [] for task in tasks}
    for item in items.values():
        by_task[str(item.about["task"])].append(item.id)
    wholes = {task: combined.whole.select(ids) for task, ids in by_task.items()}
    repeated = {task: grades for task, grades in wholes.items() if (grades.repeats > 1).any()}
    if single := [task for task in wholes if task not in repeated]:
        notice = f"No question was answered twice in {', '.join(single)}, so noise there is unknown."
        combined = replace(combined, notices=(*combined.notices, notice))
    return replace(combined, tasks=repeated)


def _group_by_run(logs: list[Run]) -> dict[str, list[Run]]:
    """Group the logs of one system into runs, named by the system and by what differs between runs."""
    models = sorted({log.system for log in logs})
    are_named = any(log.is_system_named for log in logs)
    if len(models) > 1 and are_named:
        raise OptionError(
            f"noise compares reruns of one system, but the logs hold {', '.join(models)}: pass those of one"
        )
    groups = group_reruns(logs)
    if len(groups) == 1:
        return {models[0]: logs}
    return {f"{models[0]} ({label})" if are_named else label: group for label, group in groups.items()}
