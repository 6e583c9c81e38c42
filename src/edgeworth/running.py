"""From run logs to a report or a comparison: systems by the logs' names, items by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from edgeworth.asking import DEFINED, Asked, is_given
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import plural
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.grades import Grades
from edgeworth.report.report import Charts, Grid, Report, Section, gather_reports, make_columns
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.slicing import Slice, cut_slices, with_slices
from edgeworth.sources.joining import as_text
from edgeworth.sources.paths import file_digest
from edgeworth.sources.roles import names_of
from edgeworth.sources.runs.reading import read_runs
from edgeworth.sources.runs.run import Item, Run, choice_probabilities, name_options
from edgeworth.sources.text_files import find_field

Systems = Mapping[str, list[Run]]
Tasks = Mapping[str, Mapping[str, Run]]
"""The run of each system, by task; each has the grades of one scorer."""

COLUMNS = ("truth", "prediction", "score", "probabilities", "correct", "grade", "join", "system", "master")
"""Options of tables: whoever gives one of them means rows and columns."""
OWN = ("data", "kind", "scorer", "with_digest", "by")
SURE = ("level", "seed", "digits")
ANSWERS, CHOICES = "Multiple-choice answers", "Choice probabilities"
SOFTMAX = (
    f"{CHOICES} are the softmax of the logged log-likelihoods. Scores of them, and bets against them, speak "
    "about their calibration; accuracy and informedness are about the answers."
)
TOGETHER = "The verdict is about the items of all tasks together, which count alike."
UNLIKE = (
    "Questions differ in their number of options: the guess rate is the mean over them, and the chance of "
    "doing this well by guessing is an upper bound."
)


def find_systems(data: Any, asked: Asked) -> Systems:
    """Read run logs, by system; nothing where the data are something else, or columns are named."""
    if any(asked.get(name) is not None for name in COLUMNS):
        return {}
    paths = data if isinstance(data, (list, tuple)) else [data]
    found = [(path, run) for path, runs in zip(paths, read_runs(data), strict=False) for run in runs]
    times = Counter((run.system, run.task) for _, run in found)
    twice = {system for (system, _), number in times.items() if number > 1}
    systems: dict[str, list[Run]] = {}
    for path, run in found:
        name = f"{run.system} ({Path(path).name})" if run.system in twice else run.system
        systems.setdefault(name, []).append(run)
    return systems


def evaluate_runs(systems: Systems, asked: Asked, evaluate: Callable[..., Report]) -> Report:
    """Evaluate each system of run logs: its tasks together, task by task, and the answers of choices."""
    reports = {}
    for name, runs in systems.items():
        tasks = _common_tasks({name: runs}, asked)
        whole = _merge([found[name] for found in tasks.values()])
        guess = _guess_rate(whole, asked)
        report = evaluate(_grades(whole, asked), **_given(asked) | guess)
        if guess and asked.guess_rate is None and len({item.options for item in whole.items}) > 1:
            report = replace(report, warnings=(*report.warnings, UNLIKE))
        parts, answers = {}, _answers({name: whole})
        if answers is not None:
            known = {x: answers[x] for x in ("truth", "labels")} | {x: asked.get(x) for x in SURE}
            more = {"cluster": answers["cluster"], "missing": "abstain"}
            parts[ANSWERS] = evaluate(prediction=answers["predictions"][name], **known, **more)
            if answers["probabilities"]:
                more = {"probabilities": answers["probabilities"][name], "predictions_made": "before"}
                parts[CHOICES] = evaluate(**known, **more)
        report = _by_slice(report, whole, _cut({name: whole}, tasks, asked), asked)
        reports[name] = _complete(_compose(report, parts), {name: runs}, tasks, asked)
    if len(reports) == 1:
        return next(iter(reports.values()))
    return gather_reports({name: _without_charts(report) for name, report in reports.items()})


def _by_slice(report: Report, whole: Run, slices: list[Slice], asked: Asked) -> Report:
    """Add the mean of each slice, with the guess rate of its own items."""
    measure = (asked.measures or ["accuracy" if _grades(whole, asked).is_binary else "mean"])[0]

    def mean(run: Run) -> Estimate:
        return estimate_grades(_grades(run, asked), measure, **_guess_rate(run, asked))

    overall, is_lower = mean(whole), bool(asked.lower_is_better)
    terms = (slices, lambda part: {(): mean(*part.arrays.values())}, overall.measure, asked.level)
    return with_slices(report, *terms, is_lower_better=is_lower, overall=overall) if slices else report


def compare_runs(
    systems: Systems, asked: Asked, compare: Callable[..., Any], by_slice: Callable[..., Any]
) -> Any:
    """Compare the systems of run logs by their grades; the answers of choices and the tasks come beside."""
    if len(systems) < 2:
        raise OptionError(f"a comparison needs two systems; the logs hold one, {next(iter(systems))!r}")
    tasks = _common_tasks(systems, asked)
    whole = {name: _merge([found[name] for found in tasks.values()]) for name in systems}

    def of_grades(runs: Mapping[str, Run], **more: Any) -> Any:
        return compare({name: _grades(run, asked) for name, run in runs.items()}, **_given(asked) | more)

    def of_slice(part: Slice, measure: str) -> Any:
        return of_grades(part.arrays, measures=[measure]).findings

    slices = _cut(whole, tasks, asked)
    comparison = by_slice(of_grades(whole), slices, of_slice, asked.level)
    parts, answers = {}, _answers(whole)
    if answers is not None:
        known = {x: answers[x] for x in ("truth", "cluster")} | {x: asked.get(x) for x in (*SURE, "adjust")}
        more = {"kind": "labels", "measures": ["informedness"], "missing": "abstain"}
        parts[ANSWERS] = compare(systems=answers["predictions"], **known, **more)
        if answers["probabilities"]:
            more = {"kind": "probabilities", "measures": ["log", "brier"], "labels": answers["labels"]}
            parts[CHOICES] = compare(systems=answers["probabilities"], **known, **more)

    def finish(report: Report) -> Report:
        report = comparison.finish(report) if comparison.finish else report
        more = {title: _without_charts(each.report) for title, each in parts.items()}
        return _complete(_compose(report, more), systems, tasks, asked)

    return replace(comparison, finish=finish)


def _given(asked: Asked) -> dict[str, Any]:
    """Give the options that were given, but for those of reading the logs."""
    return {name: x for name, x in asked.given.items() if name not in OWN and is_given(x, DEFINED[name][1])}


# -- from the runs of a task to one of all tasks ---------------------------------------------------------


def _common_tasks(systems: Systems, asked: Asked) -> Tasks:
    """Find the tasks that all systems have, each judged by one scorer."""
    tasks: dict[str, dict[str, Run]] = {}
    for name, runs in systems.items():
        for run in runs:
            tasks.setdefault(run.task, {})[name] = run
    common = {task: found for task, found in tasks.items() if len(found) == len(systems)}
    if not common:
        held = "; ".join(f"{runs[0].path} has {', '.join(x.task for x in runs)}" for runs in systems.values())
        raise InputError(f"the logs have no task in common: {held}")
    wanted = asked.get("scorer")
    judged = {task: _by_scorer(found, wanted) for task, found in common.items()}
    if not any(judged.values()):
        held = "; ".join(f"{x.path} has {', '.join(x.grades)}" for runs in systems.values() for x in runs[:2])
        raise OptionError(f"no scorer {wanted or 'in common'} (--scorer): {held}")
    return {task: found for task, found in judged.items() if found}


def _by_scorer(runs: Mapping[str, Run], wanted: str | None) -> dict[str, Run]:
    """Keep the grades of the scorer that was asked for, or of the first; nothing where a run lacks it."""
    first = next(iter(runs.values()))
    common = [name for name in first.grades if all(name in run.grades for run in runs.values())]
    found = next((name for name in common if wanted in (None, name, name.split(",")[0])), None)
    others = ", ".join(name for name in common if name != found)
    notes = [f"{first.task}: other scorers are {others} (--scorer)."] if others else []
    return {} if found is None else {name: run.keep(found, notes) for name, run in runs.items()}


def _merge(runs: Sequence[Run]) -> Run:
    """Make one run of those of several tasks, in which the same id may mean two items."""
    if len(runs) == 1:
        return runs[0]
    has_clusters = any(run.clusters for run in runs)
    items = [
        item._replace(
            id=f"{run.task}: {item.id}",
            cluster=f"{run.task}: {item.cluster or item.id}" if has_clusters else None,
            grades={"": next(iter(item.grades.values()))},
        )
        for run in runs
        for item in run.items
    ]
    return replace(runs[0], items=tuple(items))


def _cut(runs: Mapping[str, Run], tasks: Tasks, asked: Asked) -> list[Slice]:
    """Cut runs by fields of their items, or else by task where there are several; the arrays are runs."""
    items = {item.id: item.about for run in [*runs.values()][::-1] for item in run.items}
    columns, several = {}, ["task"] if len(tasks) > 1 else []
    for name in several if asked.by is None else names_of(asked.by) or [str(asked.by)]:
        found = [find_field(about, name) for about in items.values()]
        columns[name] = [as_text(x) if isinstance(x, (str, int, float)) else None for x in found]
        if set(columns[name]) == {None}:
            held = {x: 0 for about in items.values() for x in about if not isinstance(about[x], (dict, list))}
            raise OptionError(f"no item has a field {name!r:.60} (--by); there are {', '.join(held)}")
    return [
        part._replace(arrays={name: run.having(part.arrays["ids"]) for name, run in runs.items()})
        for part in cut_slices(None, {"ids": list(items)}, columns)
    ]


def _grades(run: Run, asked: Asked) -> Grades:
    [values] = run.grades.values()
    lower = bool(asked.get("lower_is_better"))
    return Grades.from_grades(values, ids=run.ids, clusters=run.clusters, lower_is_better=lower)


def _guess_rate(run: Run, asked: Asked) -> dict[str, Any]:
    """Say how often guessing is right, where every item is multiple choice that is right or wrong."""
    if asked.guess_rate is not None:
        return {"guess_rate": asked.guess_rate}
    [values] = run.grades.values()
    rates = [1 / item.options for item in run.items if item.is_choice]
    is_right = len(rates) == len(run.items) and np.isin(values[~np.isnan(values)], [0, 1]).all()
    return {"guess_rate": float(np.mean(rates))} if is_right else {}


def _answers(runs: Mapping[str, Run]) -> dict[str, Any] | None:
    """Find the answers of multiple choice that all systems gave, joined by id and repeat."""
    found: dict[str, dict[tuple[str, int], Item]] = {name: {} for name in runs}
    for name, run in runs.items():
        seen: Counter[str] = Counter()
        for item in run.items:
            seen[item.id] += 1
            if item.is_choice and not item.is_error:
                found[name][item.id, seen[item.id]] = item
    keys = sorted(set.intersection(*map(set, found.values())))
    kept = {name: [items[key] for key in keys] for name, items in found.items()}
    if not all(any(item.answer is not None for item in items) for items in kept.values()):
        return None
    first, path = next(iter(kept.values())), next(iter(runs.values())).path
    for name, items in kept.items():
        for one, other in zip(first, items, strict=True):
            if one.truth != other.truth:
                where = f"{path} and {runs[name].path}, item {one.id!r}"
                raise InputError(f"{where}: the right answers (target) differ; are these the same task?")
    labels = name_options(max(item.options for item in first))
    units = [item.cluster or item.id for item in first]
    tables = {name: choice_probabilities(items, len(labels)) for name, items in kept.items()}
    return {
        "truth": [labels[item.truth or 0] for item in first],
        "labels": labels,
        "cluster": units if len(set(units)) < len(units) else None,
        "predictions": {
            name: [None if item.answer is None else labels[item.answer] for item in items]
            for name, items in kept.items()
        },
        "probabilities": tables if all(table is not None for table in tables.values()) else {},
    }


# -- sections --------------------------------------------------------------------------------------------


def _compose(report: Report, parts: Mapping[str, Report]) -> Report:
    """Put reports on the same answers below that on the grades, and their first claims into its verdict."""
    if not parts:
        return report
    more, main = gather_reports(parts), f"{ANSWERS}: Class by class"
    first = {title: getattr(each.verdict, "claims", ())[:1] for title, each in parts.items()}
    claims = [
        replace(x, text=f"{title}: {_without_names(x)}") for title, found in first.items() for x in found
    ]
    return replace(
        report,
        verdict=Verdict([*getattr(report.verdict, "claims", ()), *claims]),
        sections=(*report.sections, *(replace(x, is_main=x.title == main) for x in more.sections)),
        warnings=(*report.warnings, *((SOFTMAX,) if CHOICES in parts else ()), *more.warnings),
        charts=Charts(lambda: chain(report.charts.values(), more.charts.values())),
        numbers={**more.numbers, **report.numbers},
    )


def _without_names(claim: Claim) -> str:
    """Write a claim without the systems, where the one before names them."""
    text, pair = claim.text, [claim.numbers.get("first"), claim.numbers.get("second")]
    for one, two in (pair, pair[::-1]):
        text = text.replace(f"No significant difference between {one} and {two}", "no significant difference")
    return text


def _complete(report: Report, systems: Systems, tasks: Tasks, asked: Asked) -> Report:
    """Add what was read and how it was mapped; warn of errors."""
    runs = [(name, run) for found in tasks.values() for name, run in found.items()]
    rows, warnings = [], []
    for name, run in runs:
        [(scorer, values)] = run.grades.items()
        unscored, errors = int(np.isnan(values).sum()), sum(item.is_error for item in run.items)
        rows.append((name, run.task, scorer, len(set(run.ids)), len(run.ids), unscored, errors))
        if run.unfinished:
            warnings.append(f"{run.path}: the run did not finish (status {run.unfinished!r}).")
        if errors:
            place = run.task if len(systems) == 1 else f"{name}, {run.task}"
            failed = plural(errors, "answer is an error", "answers are errors")
            warnings.append(f"{place}: {errors:,} {failed} of the run and without a grade.")
    text = [f"Read as {tool} logs." for tool in dict.fromkeys(run.tool for _, run in runs)]
    text += dict.fromkeys(note for _, run in runs for note in run.notes)
    alone = sorted({run.task for each in systems.values() for run in each} - set(tasks))
    text += [f"Left out, for not all have the task or the scorer: {', '.join(alone)}."] if alone else []
    text += [TOGETHER] if len(tasks) > 1 else []
    columns = ("system/text", "task/text", "scorer/text", "items", "answers", "unscored", "errors")
    grid = Grid("", make_columns(*columns, default="count"), tuple(rows))
    about = [Section("What was read", tuple(text), (grid,), is_main=len(rows) <= 4)]
    paths = list(dict.fromkeys(run.path for _, run in runs))
    digest = {"digest": file_digest(paths)} if asked.with_digest else {}
    return replace(
        report,
        sections=(*report.sections, *about),
        warnings=(*warnings, *report.warnings),
        provenance={**report.provenance, "source": ", ".join(paths), **digest},
    )


def _without_charts(report: Report) -> Report:
    sections = tuple(replace(section, charts=(), slider=None) for section in report.sections)
    return replace(report, sections=sections, charts=Charts(), lead="")
