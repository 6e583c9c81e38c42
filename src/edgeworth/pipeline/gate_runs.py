"""The data of a gate in run logs."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from edgeworth.comparisons.difference import Difference
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import plural
from edgeworth.core.measures import Spelling
from edgeworth.core.options import CheckOptions, Options, select_options
from edgeworth.core.registry import measure_title, measures_by_name
from edgeworth.errors import EdgeworthError, InputError, OptionError
from edgeworth.gates.requirements import Requirement
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.grades import Grades
from edgeworth.grades.kind import GRADES
from edgeworth.pipeline.call_options import change, fill_in
from edgeworth.pipeline.compare_data import (
    compare_tallies,
    comparison_options,
)
from edgeworth.pipeline.gate_data import (
    TRUE,
    ByPart,
    GateData,
    ItemCheck,
    Missing,
    attempt,
    check_grades,
    describe_data,
    list_ids,
    list_items,
    name_pair,
    pair_difference,
    split_ids,
)
from edgeworth.pipeline.run_items import (
    Answers,
    Systems,
    Tasks,
    common_tasks,
    cut_runs,
    describe_same_dates,
    find_guess_rate,
    find_systems,
    has_no_grade,
    make_grades,
    short_ids,
)
from edgeworth.pipeline.run_logs import describe_unfinished, judging_options, unfinished_runs
from edgeworth.sources.paths import expand_paths
from edgeworth.sources.runs.reading import find_shared_tasks
from edgeworth.sources.runs.run import Run


@dataclass(frozen=True, eq=False)
class RunData(GateData):
    """Run logs of the candidate, and of the baseline if there is one."""

    runs: Systems
    options: Options
    candidate: str
    baseline: str | None = None

    @property
    def unit(self) -> str:  # type: ignore[override]  # depends on the options
        """What is counted."""
        runs = self._judged.values() if self.baseline is not None else ()
        is_clustered = self.options["cluster"] is not None or any(run.clusters for run in runs)
        return "cluster" if is_clustered else self.level_unit

    @property
    def level_unit(self) -> str:
        """What is counted for a requirement on the candidate alone."""
        return "question"

    @classmethod
    def of(cls, systems: Systems, data: object, baseline: object, options: Options) -> RunData:
        """Find candidate and baseline among the logs, or read the baseline's own."""
        judging_options(options)
        if baseline is None:
            if len(systems) != 1:
                raise OptionError(
                    f"a gate checks one candidate, and the logs hold {', '.join(systems)}: name one of them "
                    "as the baseline (--baseline)"
                )
            return cls(systems, options, *systems)
        if isinstance(baseline, str) and baseline in systems and not Path(baseline).exists():
            candidates = [name for name in systems if name != baseline]
            if len(candidates) != 1:
                raise OptionError(
                    f"a gate checks one candidate; beside {baseline!r} there are {', '.join(candidates)}"
                )
            [candidate] = candidates
            return cls({name: systems[name] for name in (candidate, baseline)}, options, candidate, baseline)
        if isinstance(baseline, (str, Path)) and not Path(baseline).exists():
            try:
                expand_paths(baseline)
            except InputError as error:
                names = ", ".join(systems)
                raise InputError(f"--baseline names a log, or one of the systems {names}: {error}") from None
        baseline_systems = find_systems(baseline, change(options, by=None))
        if not baseline_systems:
            raise OptionError(
                f"the candidate is a run log, so the baseline is one too, or a system of the same logs; saw "
                f"{describe_data(baseline)}"
            )
        every = [run for x in (systems, baseline_systems) for runs in x.values() for run in runs]
        shared = find_shared_tasks(every)
        systems, baseline_systems = (
            {name: [shared.get(run.path, run) for run in runs] for name, runs in x.items()}
            for x in (systems, baseline_systems)
        )
        if len(systems) != 1 or len(baseline_systems) != 1:
            names = f"{', '.join(systems)} and {', '.join(baseline_systems)}"
            raise OptionError(f"a gate compares one candidate with one baseline; the logs hold {names}")
        [(candidate, runs)], [(reference, baseline_runs)] = systems.items(), baseline_systems.items()
        paths, baseline_paths = ({Path(run.path).resolve() for run in x} for x in (runs, baseline_runs))
        if both := paths & baseline_paths:
            raise OptionError(f"candidate and baseline are the same log, {min(both).name}: name two files")
        if candidate == reference:
            candidate, reference = name_pair(data, baseline)
        return cls({candidate: runs, reference: baseline_runs}, options, candidate, reference)

    @cached_property
    def tasks(self) -> tuple[str, ...]:  # type: ignore[override]  # found in the logs
        """The tasks that are checked, if there are several."""
        names = tuple(self._common if self.baseline is not None else self._alone)
        return names if len(names) > 1 else ()

    @cached_property
    def _alone(self) -> Tasks:
        return common_tasks({self.candidate: self.runs[self.candidate]}, self.options)

    @cached_property
    def _common(self) -> Tasks:
        return common_tasks(self.runs, self.options)

    @cached_property
    def _own_answers(self) -> Answers:
        return Answers.of(self._alone, [self.candidate], self.options)

    @cached_property
    def _own_run(self) -> Run:
        """The candidate's answers that have a grade."""
        return self._own_answers.judged(self.options["errors"])[self.candidate]

    @cached_property
    def _answers(self) -> Answers:
        return Answers.of(self._common, list(self.runs), change(self.options, unmatched="drop"))

    @cached_property
    def _judged(self) -> dict[str, Run]:
        """The answers of both systems to the items that both have."""
        return self._answers.judged(self.options["errors"])

    def check_requirement(self, rule: Requirement) -> None:
        """Refuse a measure that answers with grades never have, and a scorer that did not grade a task."""
        names = measures_by_name(GRADES, "grades")
        is_measure = rule.word.lower() in names
        scorer = "" if is_measure or not _has_scorer(rule.word, self.runs) else rule.word
        if Spelling.parse(rule.measure).name not in names:
            measure = _measure_for(self.runs, scorer)
            if scorer:
                rule.refuse(f"{scorer} is a scorer: require {measure} and pass --scorer {scorer}", 0)
            title = measure_title(Spelling.parse(rule.measure).name)
            rule.refuse(
                f"{title[0].upper()}{title[1:]} cannot be computed from graded answers: use {measure}", 0
            )
        if scorer:
            self._refuse_other_scorers(rule)

    def _refuse_other_scorers(self, rule: Requirement) -> None:
        """Raise an error if a task is graded by another scorer than the one that a requirement names."""
        tasks = self._common if rule.needs_baseline else self._alone
        chosen = {task: next(iter(runs[self.candidate].grades)) for task, runs in tasks.items()}
        others = {
            task: scorer
            for task, scorer in chosen.items()
            if rule.task in (None, task) and not _is_named(scorer, rule.word)
        }
        if not others:
            return
        name, measure = rule.word, rule.measure
        if self.options["scorer"] is not None:
            rule.refuse(
                f"{name} is a scorer, and --scorer chooses {self.options['scorer']}: require {measure}, or "
                f"pass --scorer {name}",
                0,
            )
        held = {run.task: run.grades for run in self.runs[self.candidate]}
        lacking = [task for task in others if not any(_is_named(scorer, name) for scorer in held[task])]
        listed = ", ".join(lacking or others)
        if not lacking:
            used = ", ".join(dict.fromkeys(others.values()))
            rule.refuse(
                f"{name} is a scorer, and {listed} {plural(len(others), 'is', 'are')} graded by {used}: pass "
                f"--scorer {name}, or require {measure} by the scorers in use",
                0,
            )
        rule.refuse(
            f"{name} is a scorer, and {listed} {plural(len(lacking), 'has', 'have')} no grades by it: pass "
            f"--scorer {name} --allow-missing to leave {plural(len(lacking), 'that task', 'those tasks')} "
            f"out, or require {measure} by the scorer of each task",
            0,
        )

    def _estimate(self, run: Run, measure: str) -> Estimate:
        return estimate_grades(make_grades(run, self.options), measure, **find_guess_rate(run, self.options))

    def estimate(self, measure: str) -> Estimate:
        """Estimate a measure of the candidate's answers."""
        return self._estimate(self._own_run, measure)

    def estimates_by(self, column: str, measure: str) -> ByPart[Estimate]:
        """Estimate a measure in each slice, by a field of the items."""
        parts = cut_runs({self.candidate: self._own_run}, self._alone, change(self.options, by=[column]))
        return {part.name: attempt(self._estimate, part.arrays[self.candidate], measure) for part in parts}

    def _difference(self, runs: Mapping[str, Run], measure: str) -> Difference:
        grades = {name: make_grades(run, self.options) for name, run in runs.items()}
        given = select_options(self.options, ("level", "rng", "power"))
        options = comparison_options({**given, "measures": [measure]})
        return pair_difference(compare_tallies(grades, options), self.names, measure)

    def difference(self, measure: str) -> Difference:
        """Compare candidate and baseline on the items that both have."""
        return self._difference(self._judged, measure)

    def differences_by(self, column: str, measure: str) -> ByPart[Difference]:
        """Compare in each slice, by a field of the items."""
        parts = cut_runs(self._judged, self._common, change(self.options, by=[column]))
        return {part.name: attempt(self._difference, part.arrays, measure) for part in parts}

    def missing(self) -> list[Missing]:
        """List tasks and items that vanished, answers that errored, and runs that did not finish."""
        missing = []
        if not self.options["allow_unfinished"]:
            own = unfinished_runs({self.candidate: self.runs[self.candidate]}, self._alone)
            others = {} if self.baseline is None else unfinished_runs(self.runs, self._common)
            for name, runs in {**others, **own}.items():
                text = describe_unfinished(name, runs, True)
                missing.append(Missing(f"{text[0].upper()}{text[1:]}", "--allow-unfinished"))
        unreadable = dict.fromkeys(
            error for runs in self.runs.values() for run in runs for error in run.unreadable
        )
        missing += [Missing(f"A log is left out: {error}") for error in unreadable]
        kept = {run.task for run in self.runs[self.candidate]}
        if unjudged := sorted(kept - set(self._alone)):
            nouns = plural(len(unjudged), "Task")
            missing.append(Missing(f"{nouns} without grades by this scorer: {', '.join(unjudged)}"))
        own_items = [item for runs in self._alone.values() for item in runs[self.candidate].items]
        if self.options["errors"] == "drop" and (errored := [x for x in own_items if x.is_error]):
            number = f"{len(errored):,} {plural(len(errored), 'answer')} of {self.candidate} errored"
            missing.append(Missing(f"{number} ({list_items(errored)})", "--errors wrong or --allow-missing"))
        if unscored := [x for x in own_items if has_no_grade(x)]:
            verb = plural(len(unscored), "answer of", "answers of")
            have = plural(len(unscored), "has", "have")
            number = f"{len(unscored):,} {verb} {self.candidate} {have} no grade"
            missing.append(Missing(f"{number} ({list_items(unscored)})"))
        if self.baseline is None:
            return missing
        before = {run.task for run in self.runs[self.baseline]}
        if ungraded := sorted((kept & before) - set(self._common) - set(unjudged)):
            nouns = plural(len(ungraded), "Task")
            missing.append(Missing(f"{nouns} without a scorer that both have: {', '.join(ungraded)}"))
        if gone := sorted(before - kept):
            missing.append(Missing(f"{plural(len(gone), 'Task')} vanished: {', '.join(gone)}"))
        if unmatched := self._answers.unmatched[self.baseline]:
            number = f"{len(unmatched):,} {plural(len(unmatched), 'item')} of {self.baseline}"
            listed = list_ids(unmatched)
            missing.append(Missing(f"{number} vanished from {self.candidate} ({listed})"))
        return missing

    def notices(self) -> tuple[str, ...]:
        """Name the scorers of several tasks, and list new items of the candidate, which are not compared."""
        notices = [*describe_same_dates(self.runs), *self._describe_scorers()]
        if self.baseline is None:
            return tuple(notices)
        own, before = ({run.task for run in self.runs[name]} for name in self.names)
        if tasks := sorted(own - before):
            verb = plural(
                len(tasks),
                "This task of the candidate is new and is",
                "These tasks of the candidate are new and are",
            )
            notices.append(f"{verb} not compared: {', '.join(tasks)}.")
        if new := self._answers.unmatched[self.candidate]:
            verb = plural(
                len(new), "item of the candidate is new and is", "items of the candidate are new and are"
            )
            notices.append(f"{len(new):,} {verb} not compared.")
        before_items = [item for runs in self._common.values() for item in runs[self.baseline].items]
        is_dropped = self.options["errors"] == "drop"
        if lost := sum(has_no_grade(x) or (is_dropped and x.is_error) for x in before_items):
            verb = plural(lost, "answer of", "answers of")
            have = plural(lost, "has no grade and is", "have no grade and are")
            notices.append(f"{lost:,} {verb} {self.baseline} {have} not compared.")
        return tuple(notices)

    def _describe_scorers(self) -> list[str]:
        """Write which scorer graded each task, if tasks have different ones."""
        is_judged_alone = self.baseline is None or "_own_answers" in vars(self)
        tasks = self._alone if is_judged_alone else self._common
        scorers = {task: next(iter(runs[self.candidate].grades)) for task, runs in tasks.items()}
        if len(set(scorers.values())) < 2:
            return []
        listed = ", ".join(f"{task} by {scorer}" for task, scorer in scorers.items())
        return [f"Tasks are graded by different scorers (--scorer chooses one): {listed}."]

    def check_items(self, must_pass: str | Sequence[str]) -> ItemCheck:
        """Check items by their ids, or by a field that marks them."""
        # An answer that errored has no grade, so it is absent if it must pass.
        items = self._own_answers.runs[self.candidate].items
        grades = make_grades(self._own_run, self.options)
        is_field = isinstance(must_pass, str) and any(must_pass in item.about for item in items)
        if not is_field:
            return self._check_ids(split_ids(must_pass), grades)
        field = str(must_pass)
        marked = [item.id for item in items if str(item.about.get(field)).strip().lower() in TRUE]
        if not marked:
            raise OptionError(f"no item has a true value in the field {field!r} (--must-pass)")
        check = check_grades(grades, list(dict.fromkeys(marked)))
        wrong, absent = ([self._short_ids.get(x, x) for x in names] for names in (check.wrong, check.absent))
        return check._replace(wrong=tuple(wrong), absent=tuple(absent))

    def _check_ids(self, given: Sequence[str], grades: Grades) -> ItemCheck:
        """Check items by their ids or short ids, with or without the task."""
        by_name = self._ids_by_name
        # Items of several tasks may share an id.
        given_as = {item_id: name for name in given for item_id in by_name.get(name, [name])}
        check = check_grades(grades, list(given_as))

        def display(item_id: str) -> str:
            is_shared = len(by_name.get(given_as[item_id], [])) > 1
            return self._short_ids.get(item_id, item_id) if is_shared else given_as[item_id]

        # Without short ids, the reader knows the ids from the logs.
        example = "" if all(name in by_name for name in given) else next(iter(self._short_ids.values()), "")
        return check._replace(
            wrong=tuple(map(display, check.wrong)), absent=tuple(map(display, check.absent)), example=example
        )

    @cached_property
    def _short_ids(self) -> dict[str, str]:
        """The names that reports print for items whose ids are hashes."""
        return short_ids(self._own_answers.runs[self.candidate].items, has_tasks=len(self._alone) > 1)

    @cached_property
    def _ids_by_name(self) -> dict[str, list[str]]:
        """The ids of the items that a name stands for: the id or the short id, with or without the task."""
        exact: dict[str, dict[str, None]] = {}
        short: dict[str, dict[str, None]] = {}
        for item in self._own_answers.runs[self.candidate].items:
            task = f"{item.about['task']}: "
            for names, name in ((exact, item.id), (short, self._short_ids.get(item.id, item.id))):
                plain = name.removeprefix(task) if len(self._alone) > 1 else name
                for spelling in (plain, f"{task}{plain}"):
                    names.setdefault(spelling, {})[item.id] = None
        return {name: list(ids) for name, ids in (short | exact).items()}


def find_scorer_measure(name: str, data: object, baseline: object, given: Mapping[str, object]) -> str | None:
    """Find the measure of grades by a scorer; None unless the data are run logs with such a scorer."""
    for logs in (data, baseline):
        with contextlib.suppress(EdgeworthError):
            systems = find_systems(logs, change(fill_in("evaluate", CheckOptions, given), by=None))
            if _has_scorer(name, systems):
                return _measure_for(systems, name)
    return None


def _has_scorer(name: str, systems: Systems) -> bool:
    return any(_is_named(x, name) for runs in systems.values() for run in runs for x in run.grades)


def _is_named(scorer: str, name: str) -> bool:
    """Return whether a name is that of a scorer, or its beginning before a comma.

    >>> _is_named("exact_match,strict-match", "exact_match"), _is_named("acc_norm", "acc")
    (True, False)
    """
    return name in (scorer, scorer.partition(",")[0])


def _measure_for(systems: Systems, scorer: str = "") -> str:
    """Choose the measure of grades by a scorer: accuracy if they are right or wrong, otherwise the mean."""
    grades = np.concatenate(
        [
            values
            for runs in systems.values()
            for run in runs
            for name, values in [*run.grades.items()][: None if scorer else 1]
            if not scorer or _is_named(name, scorer)
        ]
    )
    return "accuracy" if np.isin(grades[~np.isnan(grades)], (0, 1)).all() else "mean"
