"""From run logs to a report or a comparison: systems by the logs' names, items by their ids."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypedDict, Unpack, cast

from edgeworth.common.choices import Adjust, ErrorRule
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.comparison import Comparison
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, Pair
from edgeworth.comparisons.verdict import comparison_verdict
from edgeworth.core.formatting import plural
from edgeworth.core.kinds import kind_of
from edgeworth.core.on_demand import OnDemand
from edgeworth.core.options import EvaluateOptions, Options, select_options
from edgeworth.core.random_seeds import Rng
from edgeworth.core.registry import canonical_spellings
from edgeworth.decisions.position_bias import bias_claim, bias_section, examine_position_bias
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.findings import examine_grades
from edgeworth.grades.report import grade_claims
from edgeworth.pipeline.call_options import change, fill_in, flag_name, given_options
from edgeworth.pipeline.compare_data import add_slices, compare_columns, compare_tallies, comparison_options
from edgeworth.pipeline.evaluate_data import evaluate_rows, report_tally
from edgeworth.pipeline.run_board import lead_with_board, lead_with_values, measure_tasks, with_tasks
from edgeworth.pipeline.run_items import (
    TOGETHER,
    Answers,
    Choices,
    Systems,
    Tasks,
    common_tasks,
    cut_runs,
    describe_same_dates,
    describe_skipped_tasks,
    describe_unreadable,
    find_choices,
    find_guess_rate,
    grade_of,
    make_grades,
)
from edgeworth.pipeline.slice_gaps import with_slices
from edgeworth.pipeline.slices import Slice
from edgeworth.pipeline.tally_record import TallyRecord
from edgeworth.report.report import Charts, Grid, Report, Section, gather_reports, make_columns
from edgeworth.report.verdict import Claim, Verdict, claims_of
from edgeworth.sources.paths import file_digest
from edgeworth.sources.runs.run import Run

OWN = (
    *("data", "kind", "scorer", "errors", "allow_unfinished", "with_digest", "by"),
    *("cluster", "lower_is_better", "grade_range", "unmatched"),
)
"""Options for reading logs and grading answers."""
SURE = ("level", "rng", "digits")


class JudgingOptions(TypedDict, total=False):
    """Options for the statistics of grades."""

    level: float
    rng: Rng
    digits: int
    measures: Sequence[str] | None
    adjust: Adjust | None
    power: float
    guess_rate: float | None
    margin: float | str | None


JUDGED = tuple(JudgingOptions.__annotations__)

MAX_SYSTEMS_COMPARED_BY_CHOICE = 20
"""With more systems, comparing the options that they chose would take longer than everything else."""

ANSWERS, CHOICES = "Multiple-choice answers", "Choice probabilities"
SOFTMAX = (
    f"{CHOICES} are the softmax of the logged log-likelihoods. Their scores describe calibration; accuracy "
    "and informedness describe the chosen answers."
)
FURTHER_TESTS = (
    "This is a further comparison by another measure than in the verdict, and its p-values are not adjusted "
    "for that."
)
UNLIKE = (
    "Questions differ in their number of options. The guess rate is the mean over questions, and the chance "
    "of doing this well by guessing is an upper bound."
)
OTHER_RULE: dict[ErrorRule, ErrorRule] = {"drop": "wrong", "wrong": "drop"}
IF_ERRORS = {
    "drop": "If answers that errored were excluded (--errors drop), the conclusion would change",
    "wrong": "If answers that errored counted as wrong (--errors wrong), the conclusion would change",
}


def evaluate_runs(systems: Systems, options: Options) -> Report:
    """Evaluate each system of run logs: its tasks together, task by task, and the options it chose."""
    judging = judging_options(options)
    # Reports on several systems begin with their names.
    shown = {name: name if len(systems) == 1 else "" for name in systems}
    reports = {
        name: _evaluate_one(name, runs, options, judging, shown[name]) for name, runs in systems.items()
    }
    if len(reports) == 1:
        return next(iter(reports.values()))
    gathered = gather_reports({name: _without_charts(report) for name, report in reports.items()})
    try:
        return lead_with_board(gathered, compare_runs(systems, options))
    except InputError as error:  # they have no task or no item in common
        return lead_with_values(gathered, reports, str(error), options["level"])


def _evaluate_one(
    name: str, runs: list[Run], options: Options, judging: JudgingOptions, shown_name: str
) -> Report:
    """Evaluate one system, whose verdict has the name to be shown."""
    tasks = common_tasks({name: runs}, options)
    answers = Answers.of(tasks, [name], options)

    def of_grades(errors: ErrorRule) -> Report:
        run = answers.judged(errors)[name]
        filled = fill_in("evaluate", EvaluateOptions, {**judging, **find_guess_rate(run, options)})
        grades = make_grades(run, options)
        findings = examine_grades(grades, level=filled["level"], guess_rate=filled["guess_rate"])
        claims = grade_claims(findings, system=shown_name, unit="question", repeats="epochs")
        return replace(report_tally(TallyRecord(grades), filled), verdict=Verdict(claims))

    judged = answers.judged(options["errors"])
    run = judged[name]
    report = of_grades(options["errors"])
    if (
        find_guess_rate(run, options)
        and options["guess_rate"] is None
        and len({x.options for x in run.items}) > 1
    ):
        report = replace(report, warnings=(*report.warnings, UNLIKE))
    conclusion = _guessing_conclusion(report)
    changed = _change_by_errors(answers, conclusion, lambda rule: _guessing_conclusion(of_grades(rule)))
    parts = {}
    choices = find_choices(judged, options)
    if choices is not None:
        known = {"truth": choices.truth, "labels": choices.labels} | select_options(options, SURE)
        decided = {"prediction": choices.predictions[name], "cluster": choices.clusters}
        parts[ANSWERS] = _evaluate_arrays({**known, **decided, "missing": "abstain"})
        if choices.probabilities:
            forecast = {"probabilities": choices.probabilities[name], "predictions_made": "before"}
            parts[CHOICES] = _evaluate_arrays({**known, **forecast})
    report = _by_slice(report, run, cut_runs(judged, tasks, options), options)
    report = _compose(report, parts, _describe_coverage(choices, tasks))
    if choices is not None:
        report = _with_position_bias(report, choices, name, options)
    claims = [*_unfinished_claims({name: runs}, tasks), changed]
    return _complete(report, {name: runs}, tasks, answers, claims, choices)


def _evaluate_arrays(arguments: Mapping[str, object]) -> Report:
    return evaluate_rows(None, fill_in("evaluate", EvaluateOptions, arguments))


def _by_slice(report: Report, whole: Run, slices: list[Slice[Run]], options: Options) -> Report:
    """Compare the mean grade of each slice with that of the rest."""
    if not slices:
        return report
    grades = make_grades(whole, options)
    measure = canonical_spellings(options["measures"]) or list(kind_of(grades).slice_measures(grades))
    tallies = [make_grades(run, options) for part in slices for run in part.arrays.values()]
    return with_slices(
        report, slices, tallies, grades, measure[:1], level=options["level"], seed=options["seed"]
    )


def _with_position_bias(report: Report, choices: Choices, name: str, options: Options) -> Report:
    """Test whether some options are chosen more often, or less often, than they are right."""
    bias = examine_position_bias(
        choices.truth,
        choices.predictions[name],
        choices.labels,
        clusters=choices.clusters,
    )
    if bias is None:
        return report
    section = bias_section(bias, options["level"])
    return replace(
        report,
        verdict=Verdict([*claims_of(report.verdict), bias_claim(bias, options["level"])]),
        sections=(*report.sections, replace(section, title=f"{ANSWERS}: {section.title}")),
        numbers={**report.numbers, "position_bias": bias.to_dict()},
    )


def compare_runs(systems: Systems, options: Options) -> Comparison:
    """Compare the systems of run logs by their grades, then by the options they chose."""
    if len(systems) < 2:
        raise OptionError(" ".join([_only_one(systems), *describe_unreadable(systems)]))
    judging = judging_options(options)
    tasks = common_tasks(systems, options)
    answers = Answers.of(tasks, list(systems), options)
    reasons = {} if options["allow_unfinished"] else _reasons_for_no_winner(systems, tasks)
    # Names that the user gave may stand for prompts or settings of one model.
    are_models = all(name.startswith(run.system) for name, runs in systems.items() for run in runs)
    noun = "model" if are_models else "system"

    def of_grades(runs: Mapping[str, Run], **more: Unpack[JudgingOptions]) -> Comparison:
        grades = {name: make_grades(run, options) for name, run in runs.items()}
        comparison = compare_tallies(grades, comparison_options({**judging, **more}))
        unit = comparison.findings.unit
        named = replace(
            comparison.findings,
            noun=noun,
            unit="question" if unit == "item" else unit,
            clustered_unit="question",
        )
        return _without_winners(replace(comparison, findings=named), reasons)

    def of_slice(part: Slice[Run], measure: str) -> ComparisonFindings:
        return of_grades(part.arrays, measures=[measure]).findings

    judged = answers.judged(options["errors"])
    rates = [find_guess_rate(run, options) for run in judged.values()]
    guess = rates[0] if all(rates) else {}
    comparison = add_slices(
        of_grades(judged, **guess), cut_runs(judged, tasks, options), of_slice, options["level"]
    )
    conclusion = _winners(comparison.findings)
    changed = _change_by_errors(
        answers, conclusion, lambda rule: _winners(of_grades(answers.judged(rule)).findings)
    )
    parts: dict[str, Comparison] = {}
    choices = find_choices(judged, options)
    if choices is not None and len(systems) <= MAX_SYSTEMS_COMPARED_BY_CHOICE:
        shared = {"cluster": choices.clusters, **select_options(options, (*SURE, "adjust"))}
        decided = comparison_options(
            {**shared, "kind": "labels", "measures": ["informedness"], "missing": "abstain"}
        )
        parts[ANSWERS] = _of_answers(
            compare_columns(choices.predictions, change(decided, truth=choices.truth)), choices
        )
        if choices.probabilities:
            measured = {"kind": "probabilities", "measures": ["log", "brier"], "labels": choices.labels}
            forecast = comparison_options({**shared, **measured})
            parts[CHOICES] = _of_answers(
                compare_columns(choices.probabilities, change(forecast, truth=choices.truth)), choices
            )
    # Warnings of runs that did not finish are written once, below.
    reported = {f"{reason[0].upper()}{reason[1:]}." for reason in reasons.values()}

    def complete_report(report: Report) -> Report:
        report = _without_warnings(
            comparison.complete_report(report) if comparison.complete_report else report, reported
        )
        more = {}
        for title, part in parts.items():
            part_report = _without_charts(_without_warnings(_without_winners(part, reasons).report, reported))
            # The verdict says once that no winner is named.
            more[title] = replace(part_report, verdict="") if reasons else part_report
        # The sentence on why no winner is named may name the run already.
        claims = [
            claim
            for claim in _unfinished_claims(systems, tasks)
            if claim.text[1:].rpartition(": ")[0] not in report.verdict
        ]
        report = with_tasks(report, comparison.findings, task_values)
        notes = (*_describe_coverage(choices, tasks), FURTHER_TESTS)
        return _complete(_compose(report, more, notes), systems, tasks, answers, [*claims, changed], choices)

    task_values = measure_tasks(judged, tasks, comparison.findings.headline, options)
    return replace(comparison, complete_report=complete_report)


def _of_answers(comparison: Comparison, choices: Choices) -> Comparison:
    """Count questions, or answers if questions were repeated."""
    unit = "answer" if choices.are_repeated else "question"
    own = comparison.findings.unit
    findings = replace(comparison.findings, unit=unit if own == "case" else own, clustered_unit=unit)
    return replace(comparison, findings=findings)


def _only_one(systems: Systems) -> str:
    """Explain that the logs hold one system, and how two logs of it can be compared."""
    [name] = systems
    advice = "To compare two logs of one model, name them (NAME=FILE NAME=FILE, data={'v1': …, 'v2': …})."
    held = f"the logs hold one, {name!r}: give a log of another system"
    other = "To evaluate one system, use edgeworth evaluate FILE."
    return f"a comparison needs two systems; {held}. {advice} {other}"


def judging_options(options: Options) -> JudgingOptions:
    """Keep the options that say how grades are judged; refuse those that need a table."""
    judging = {name: value for name, value in given_options(options).items() if name not in OWN}
    for name in judging:
        if name not in JUDGED:
            raise OptionError(f"{flag_name(name)} cannot be used with run logs")
    return cast(JudgingOptions, judging)


# -- runs that did not finish ----------------------------------------------------------------------------


def unfinished_runs(systems: Systems, tasks: Tasks) -> dict[str, list[Run]]:
    """Find the runs of each system that did not finish, in the tasks that are judged."""
    unfinished = {
        name: [run for run in runs if run.unfinished and run.task in tasks] for name, runs in systems.items()
    }
    return {name: runs for name, runs in unfinished.items() if runs}


def _describe_progress(run: Run) -> str:
    """Write how far a run got: status 'cancelled', 12 of 400 answers."""
    of_planned = "" if run.planned is None else f" of {run.planned:,}"
    answers = plural(len(run.items) if run.planned is None else run.planned, "answer")
    return f"status {run.unfinished!r}, {len(run.items):,}{of_planned} {answers}"


def describe_unfinished(name: str, runs: Iterable[Run], are_several: bool) -> str:
    """Write that runs of a system did not finish, and how far each got."""
    progress = "; ".join(map(_describe_progress, runs))
    whose = f"the run of {name}" if are_several else "the run"
    return f"{whose} did not finish ({progress})"


def _reasons_for_no_winner(systems: Systems, tasks: Tasks) -> dict[str, str]:
    """Explain for each system with an unfinished run why no difference from it is claimed."""
    return {
        name: f"{describe_unfinished(name, runs, True)}; to name a winner anyway, use --allow-unfinished"
        for name, runs in unfinished_runs(systems, tasks).items()
    }


def _unfinished_claims(systems: Systems, tasks: Tasks) -> list[Claim]:
    """Warn in the verdict that a run did not finish."""
    claims = []
    for name, runs in unfinished_runs(systems, tasks).items():
        text = describe_unfinished(name, runs, len(systems) > 1)
        numbers = {"system": name, "answers": sum(len(run.items) for run in runs)}
        risk = "its answers may not represent the task"
        claims.append(Claim("unfinished", f"{text[0].upper()}{text[1:]}: {risk}.", "advised", numbers))
    return claims


def _without_winners(comparison: Comparison, reasons: Mapping[str, str]) -> Comparison:
    """Claim no difference from systems whose run did not finish."""
    if not reasons:
        return comparison
    findings: ComparisonFindings = comparison.findings

    def withhold(pair: Pair, difference: Difference) -> Difference:
        reason = next((reasons[name] for name in pair if name in reasons), None)
        if reason is None:
            return difference
        return replace(difference, no_winner=reason, unseen_shifts=(0.0, 0.0))

    def withhold_all(pair: Pair) -> Mapping[str, Difference]:
        measures = findings.pairs[pair]
        return OnDemand(measures, lambda measure: withhold(pair, measures[measure]))

    headlines = {pair: withhold(pair, headline) for pair, headline in findings.headlines.items()}
    pairs = OnDemand(findings.pairs, withhold_all)
    return replace(comparison, findings=replace(findings, headlines=headlines, pairs=pairs))


# -- errors ----------------------------------------------------------------------------------------------

Conclusion = tuple[object, str]
"""What is concluded, as a value to compare and as a sentence."""


def _change_by_errors(
    answers: Answers, conclusion: Conclusion, conclude: Callable[[ErrorRule], Conclusion]
) -> Claim | None:
    """Report in the verdict if the other treatment of errors leads to another conclusion."""
    if not any(answers.errors.values()):
        return None
    other = OTHER_RULE[answers.options["errors"]]
    try:
        winners, text = conclude(other)
    except (InputError, OptionError):  # no answer is left, or the worst grade is not known
        return None
    if winners == conclusion[0]:
        return None
    text = f"n{text[1:]}" if text.startswith("No ") else text
    return Claim("errors", f"{IF_ERRORS[other]}: {text}", "not shown", {"errors": other})


def _winners(findings: ComparisonFindings) -> Conclusion:
    """Find the pairs that differ, the better one first, and the sentence on them."""
    shown = frozenset(
        (difference.better, pair)
        for pair, difference in findings.headlines.items()
        if findings.is_conclusive(*pair)
    )
    claims = comparison_verdict(findings).claims
    text = next((claim.text for claim in claims if claim.about == findings.headline), "")
    return shown, text


def _guessing_conclusion(report: Report) -> Conclusion:
    """Find whether a system is better or worse than guessing, and the sentence on it."""
    guessing = report.numbers["guessing"]
    claims = claims_of(report.verdict)
    claim = claims[0]
    if not guessing or not report.numbers["is_conclusive"]:
        return None, claim.text
    return claim.numbers["value"] > guessing["rate"], claim.text


# -- sections --------------------------------------------------------------------------------------------


def _describe_coverage(choices: Choices | None, tasks: Tasks) -> tuple[str, ...]:
    """Name the tasks whose chosen options are judged, if these are not all tasks."""
    if choices is None or len(choices.tasks) == len(tasks):
        return ()
    return (f"This section covers only {plural(len(choices.tasks), 'task')} {', '.join(choices.tasks)}.",)


def _compose(report: Report, parts: Mapping[str, Report], notes: Sequence[str]) -> Report:
    """Put reports on the same answers below the report on the grades, each led by its first claim.

    Warnings on a part that is shown only on request are in the text of its first section.
    """
    if not parts:
        return report
    main = f"{ANSWERS}: Class by class"
    led = {}
    for title, part in parts.items():
        is_shown = any(f"{title}: {section.title}" == main for section in part.sections)
        text = (*notes, *(() if is_shown else part.warnings))
        led[title] = replace(_begin_with(part, text), warnings=part.warnings if is_shown else ())
    more = gather_reports(led)
    return replace(
        report,
        sections=(*report.sections, *(replace(x, is_main=x.title == main) for x in more.sections)),
        warnings=(*report.warnings, *more.warnings),
        charts=Charts(lambda: chain(report.charts.values(), more.charts.values())),
        numbers={**more.numbers, **report.numbers},
    )


def _begin_with(report: Report, text: Sequence[str]) -> Report:
    """Begin the first section of a report with the first claim of its verdict, and with a text."""
    if not report.sections:
        return report
    claims = [claim.text for claim in claims_of(report.verdict)[:1]]
    first, *others = report.sections
    return replace(report, sections=(replace(first, text=(*claims, *text, *first.text)), *others))


def _describe_choices(answers: Answers, choices: Choices | None) -> list[str]:
    """Write how the chosen options were found, or why they are not judged."""
    items = [item for run in answers.runs.values() for item in run.items if item.is_choice]
    if choices is None:
        has_options = any(item.answer is not None for item in items)
        reason = "The grades do not follow from the chosen options, so the options are not evaluated."
        return [reason] if has_options else []
    if len(answers.runs) > MAX_SYSTEMS_COMPARED_BY_CHOICE:
        return [
            f"The chosen options are compared for at most {MAX_SYSTEMS_COMPARED_BY_CHOICE} systems. "
            "Name fewer logs to compare them."
        ]
    if any(item.log_likelihoods is not None for item in items):
        return ["The chosen options are those of highest log-likelihood."]
    if any(item.answers for item in items):
        return ["The chosen options are those of highest log-likelihood per character, as in acc_norm."]
    return []


def _complete(
    report: Report,
    systems: Systems,
    tasks: Tasks,
    answers: Answers,
    claims: Iterable[Claim | None],
    choices: Choices | None,
) -> Report:
    """Add what was read and how it was mapped; warn of answers that do not count."""
    options = answers.options
    runs = [(name, run) for task_runs in tasks.values() for name, run in task_runs.items()]
    facts = [_facts(name, run) for name, run in runs]
    text = [f"Read as {tool} logs." for tool in dict.fromkeys(run.tool for _, run in runs)]
    text += dict.fromkeys(note for _, run in runs for note in run.notes)
    clusters = dict.fromkeys(run.cluster for run in answers.runs.values() if run.cluster)
    own = ", as in the log's own standard error" if options["cluster"] is None else ""
    text += [f"Clusters are {cluster}{own}." for cluster in clusters]
    text += _describe_choices(answers, choices)
    text += [SOFTMAX] if choices is not None and choices.probabilities else []
    text += answers.describe_errors()
    text += [TOGETHER] if len(tasks) > 1 else []
    columns = ("system/text", "task/text", "scorer/text", "items", "answers", "unscored", "errors")
    shown = ("system", "task", "scorer", "items", "answers", "unscored", "errors")
    rows = tuple(tuple(fact[name] for name in shown) for fact in facts)
    grid = Grid("", make_columns(*columns, default="count"), rows)
    about = [Section("What was read", tuple(text), (grid,), is_main=len(rows) <= 4)]
    paths = list(dict.fromkeys(run.path for _, run in runs))
    digest = {"digest": file_digest(paths)} if options["with_digest"] else {}
    unfinished = [claim.text for claim in _unfinished_claims(systems, tasks)]
    others = [*describe_same_dates(systems), *describe_unreadable(systems)]
    skipped = describe_skipped_tasks(systems, tasks)
    return replace(
        report,
        verdict=Verdict([*claims_of(report.verdict), *claims]),
        sections=(*report.sections, *about),
        warnings=tuple(
            dict.fromkeys(
                [*unfinished, *others, *skipped, *answers.describe_unmatched_items(), *report.warnings]
            )
        ),
        provenance={**report.provenance, "source": ", ".join(paths), "errors": options["errors"], **digest},
        numbers={**report.numbers, "logs": facts},
    )


def _facts(name: str, run: Run) -> JsonObject:
    """Describe a run as plain values: where it is, how far it got, and how many answers count."""
    [scorer] = run.grades
    errors = sum(item.is_error for item in run.items)
    unscored = sum(not item.is_error and math.isnan(grade_of(item)) for item in run.items)
    return {
        "system": name,
        "task": run.task,
        "scorer": scorer,
        "path": run.path,
        "is_finished": not run.unfinished,
        "status": run.unfinished or None,
        "items": len(set(run.ids)),
        "answers": len(run.items),
        "planned": run.planned,
        "unscored": unscored,
        "errors": errors,
    }


def _without_warnings(report: Report, reported: Collection[str]) -> Report:
    return replace(report, warnings=tuple(warning for warning in report.warnings if warning not in reported))


def _without_charts(report: Report) -> Report:
    sections = tuple(replace(section, charts=(), slider=None) for section in report.sections)
    return replace(report, sections=sections, charts=Charts(), lead="")
