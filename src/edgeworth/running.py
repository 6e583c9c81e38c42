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
from edgeworth.core.estimates import estimate
from edgeworth.core.formatting import format_level, plural
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.grades import Grades
from edgeworth.report.report import Charts, Grid, Report, Section, gather_reports, make_columns
from edgeworth.report.verdict import Verdict
from edgeworth.sources.paths import file_digest
from edgeworth.sources.runs.reading import read_runs
from edgeworth.sources.runs.run import Item, Run, choice_probabilities, name_options

Systems = Mapping[str, list[Run]]
Tasks = Mapping[str, Mapping[str, Run]]
"""The run of each system, by task; each has the grades of one scorer."""

COLUMNS = ("truth", "prediction", "score", "probabilities", "correct", "grade", "join", "system", "master")
"""Options of tables: whoever gives one of them means rows and columns."""
OWN = ("data", "kind", "scorer", "with_digest")
SURE = ("level", "seed", "digits")
ANSWERS, CHOICES = "Answers", "Choice probabilities"
SOFTMAX = (
    f"{CHOICES} are the softmax of the logged log-likelihoods. Scores of them, and bets against them, speak "
    "about their calibration; accuracy and informedness are about the answers."
)
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
        guess = _guess_rate(whole)
        report = evaluate(_grades(whole, asked), **guess | _given(asked))
        if guess and len({item.options for item in whole.items}) > 1:
            report = replace(report, warnings=(*report.warnings, UNLIKE))
        parts, answers = {}, _answers({name: whole})
        if answers is not None:
            known = {x: answers[x] for x in ("truth", "labels")} | {x: asked.get(x) for x in SURE}
            more = {"cluster": answers["cluster"], "missing": "abstain"}
            parts[ANSWERS] = evaluate(prediction=answers["predictions"][name], **known, **more)
            if answers["probabilities"]:
                more = {"probabilities": answers["probabilities"][name], "predictions_made": "before"}
                parts[CHOICES] = evaluate(**known, **more)
        means = {task: estimate(_grades(found[name], asked), "mean") for task, found in tasks.items()}
        rows = [(task, x.value, tuple(x.interval(asked.level))) for task, x in means.items()]
        heads = ("task/text", "mean", f"{format_level(asked.level)} CI/interval")
        reports[name] = _complete(_compose(report, parts), {name: runs}, tasks, asked, heads, rows)
    if len(reports) == 1:
        return next(iter(reports.values()))
    return gather_reports({name: _without_charts(report) for name, report in reports.items()})


def compare_runs(systems: Systems, asked: Asked, compare: Callable[..., Any]) -> Any:
    """Compare the systems of run logs by their grades; the answers of choices and the tasks come beside."""
    if len(systems) < 2:
        raise OptionError(f"a comparison needs two systems; the logs hold one, {next(iter(systems))!r}")
    tasks = _common_tasks(systems, asked)
    whole = {name: _merge([found[name] for found in tasks.values()]) for name in systems}
    comparison = compare({name: _grades(run, asked) for name, run in whole.items()}, **_given(asked))
    parts, answers = {}, _answers(whole)
    if answers is not None:
        known = {x: answers[x] for x in ("truth", "cluster")} | {x: asked.get(x) for x in (*SURE, "adjust")}
        more = {"kind": "labels", "measures": ["informedness"], "missing": "abstain"}
        parts[ANSWERS] = compare(systems=answers["predictions"], **known, **more)
        if answers["probabilities"]:
            more = {"kind": "probabilities", "measures": ["log", "brier"], "labels": answers["labels"]}
            parts[CHOICES] = compare(systems=answers["probabilities"], **known, **more)

    def finish(report: Report) -> Report:
        more = {title: _without_charts(each.report) for title, each in parts.items()}
        return _complete(_compose(report, more), systems, tasks, asked, *_differences(tasks, asked, compare))

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


def _grades(run: Run, asked: Asked) -> Grades:
    [values] = run.grades.values()
    lower = bool(asked.get("lower_is_better"))
    return Grades.from_grades(values, ids=run.ids, clusters=run.clusters, lower_is_better=lower)


def _guess_rate(run: Run) -> dict[str, float]:
    """Say how often guessing is right, where every item is multiple choice that is right or wrong."""
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


def _differences(tasks: Tasks, asked: Asked, compare: Callable[..., Any]) -> tuple[Any, Any]:
    """Tabulate the difference of each pair of systems on each task."""
    from edgeworth.comparing.families import holm

    found: dict[tuple[str, ...], Any] = {}
    for task, runs in tasks.items() if len(tasks) > 1 else ():
        grades = {name: _grades(run, asked) for name, run in runs.items()}
        findings = compare(grades, level=asked.level, seed=asked.seed).findings
        found |= {(task, *pair): each[findings.headline] for pair, each in findings.pairs.items()}
    p_values = holm([each.p_value() for each in found.values()]).tolist()
    rows = [
        (*key, each.difference, tuple(each.interval(asked.level)), p_value)
        for (key, each), p_value in zip(found.items(), p_values, strict=True)
    ]
    level = f"{format_level(asked.level)} CI/interval"
    return ("task/text", "first/text", "second/text", "first − second", level, "Holm p/probability"), rows


def _compose(report: Report, parts: Mapping[str, Report]) -> Report:
    """Put reports on the same answers below that on the grades, and their first claims into its verdict."""
    if not parts:
        return report
    more, main = gather_reports(parts), f"{ANSWERS}: Class by class"
    first = {title: getattr(each.verdict, "claims", ())[:1] for title, each in parts.items()}
    claims = [
        replace(claim, text=f"{title}: {claim.text}") for title, found in first.items() for claim in found
    ]
    return replace(
        report,
        verdict=Verdict([*getattr(report.verdict, "claims", ()), *claims]),
        sections=(*report.sections, *(replace(x, is_main=x.title == main) for x in more.sections)),
        warnings=(*report.warnings, *((SOFTMAX,) if CHOICES in parts else ()), *more.warnings),
        charts=Charts(lambda: chain(report.charts.values(), more.charts.values())),
        numbers={**more.numbers, **report.numbers},
    )


def _complete(
    report: Report, systems: Systems, tasks: Tasks, asked: Asked, heads: Any, by_task: Any
) -> Report:
    """Add the tasks, and what was read and how it was mapped; warn of answers without a grade."""
    runs = [(name, run) for found in tasks.values() for name, run in found.items()]
    rows, warnings = [], []
    for name, run in runs:
        [(scorer, values)] = run.grades.items()
        unscored, errors = int(np.isnan(values).sum()), sum(item.is_error for item in run.items)
        rows.append((name, run.task, scorer, len(set(run.ids)), len(run.ids), unscored, errors))
        if unscored:
            said = f"{unscored:,} {plural(unscored, 'answer has', 'answers have')} no grade"
            warnings.append(f"{name}, {run.task}: {said} ({errors:,} for an error); left out of the mean.")
    text = [f"Read as {tool} logs." for tool in dict.fromkeys(run.tool for _, run in runs)]
    text += dict.fromkeys(note for _, run in runs for note in run.notes)
    alone = sorted({run.task for each in systems.values() for run in each} - set(tasks))
    text += [f"Left out, for not all have the task or the scorer: {', '.join(alone)}."] if alone else []
    columns = ("system/text", "task/text", "scorer/text", "items", "answers", "unscored", "errors")
    grid = Grid("", make_columns(*columns, default="count"), tuple(rows))
    about = [Section("What was read", tuple(text), (grid,), is_main=len(rows) <= 4)]
    if len(tasks) > 1:
        note = "The verdict is about the items of all tasks together, which count alike."
        shown = Grid("", make_columns(*heads), tuple(by_task), note)
        about.insert(0, Section("Task by task", grids=(shown,), is_main=True))
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
