"""May this be released? The verb ``check``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from edgeworth.common.choices import UndecidedAs
from edgeworth.core.estimates import Estimate
from edgeworth.core.measures import Spelling
from edgeworth.core.options import CheckOptions
from edgeworth.core.sampling_distributions import check_level
from edgeworth.errors import EdgeworthError, InputError, OptionError
from edgeworth.gates.decision import Decision
from edgeworth.gates.evidence import (
    Evidence,
    combine_results,
    decide,
    level_evidence,
    no_interval,
    overall_outcome,
    pool_evidence,
)
from edgeworth.gates.requirements import (
    TASK,
    Region,
    Requirement,
    RequirementError,
    check_weights,
    parse_requirements,
)
from edgeworth.pipeline.call_options import with_signature_of
from edgeworth.pipeline.gate_data import GateData, Missing, known_kinds, names_of_columns, open_gate
from edgeworth.pipeline.slices import name_arrays
from edgeworth.sources.alignment import aligned

if TYPE_CHECKING:
    from edgeworth.comparisons.difference import Difference

MAX_NAMES_LISTED = 5
"""Items or slices that a sentence names."""


@with_signature_of(CheckOptions)
@aligned
def check(
    data: object = None,
    *,
    require: str | Sequence[str] = (),
    requirements: str | Path | None = None,
    baseline: object = None,
    must_pass: str | Sequence[str] | None = None,
    task_weights: Mapping[str, float] | str | None = None,
    allow_missing: bool = False,
    undecided: UndecidedAs | None = None,
    anytime: bool = False,
    **given: Unpack[CheckOptions],
) -> Decision:
    """Check a candidate against requirements: pass, fail, or undecided, with the error rates of the gate.

    Parameters
    ----------
    data : path, dataframe, run logs or tally, optional
        The candidate, as ``evaluate`` takes it. Without ``data``, the columns are arrays.
    require : str or list of str
        Requirements: ``"recall[fraud] >= 0.9"``, ``"average_precision > chance"``,
        ``"accuracy no worse than baseline by 1pp"``, ``"brier within 0.005 of baseline"``.
    requirements : path, optional
        A TOML file of requirements, with ``by``, ``slices``, ``task`` and ``weights``.
    baseline : path, name of a column or system, or array, optional
        What the candidate is compared with: a file if the data are files, otherwise a column or a system.
    must_pass : str or list of str, optional
        Ids of items, or a column that marks them: one wrong answer fails the gate.
    task_weights : mapping of tasks to weights, "equal" or "items", optional
        Check the weighted mean of the tasks, instead of each task.
    allow_missing : bool
        Do not fail if the candidate lacks items, tasks or slices that the baseline has.
    undecided : {"pass", "fail"}, optional
        Count undecided as pass or as fail. By default it is an outcome of its own.
    anytime : bool
        Keep the error rates if you check the same candidate and baseline again as new items arrive.

    Returns
    -------
    Decision
        ``decision.outcome`` is "pass", "fail" or "undecided"; ``print(decision)``,
        ``decision.to_json(path)``, ``decision.to_junit(path)``, ``decision.to_markdown(path)``.

    Notes
    -----
    A requirement passes if its interval lies inside what is allowed, and every slice must pass. It fails if
    the interval, widened by Holm's method for the number of requirements and slices, lies entirely outside.
    Otherwise it is undecided. The printed decision also states how often such a check is wrong.

    Examples
    --------
    >>> truth = [1, 0] * 100
    >>> prediction = [1, 0] * 90 + [0, 1] * 10
    >>> check(truth=truth, prediction=prediction, require="informedness >= 0.6").outcome
    'pass'
    >>> check(truth=truth, prediction=prediction, require="informedness >= 0.8").outcome
    'undecided'
    """
    try:
        rules = parse_requirements(require, requirements, *known_kinds(data, given.get("kind")))
    except RequirementError as error:
        raise _name_scorer(error, data, baseline, given) from None
    level = given.get("level", 0.95)
    check_level(level)
    if undecided not in (None, "pass", "fail"):
        raise OptionError(f'undecided is "pass" or "fail"; saw {undecided!r}')
    groups = given.get("by")
    if data is None and groups is not None and not isinstance(groups, str):
        given["by"] = name_arrays(groups)
    by = tuple(names_of_columns(given.get("by")))
    rules = tuple(replace(rule, by=by) if by and not rule.columns else rule for rule in rules)
    if baseline is None and (relative := next((rule for rule in rules if rule.needs_baseline), None)):
        relative.refuse("no baseline is given (--baseline FILE or COLUMN)")
    gate_data = open_gate(
        data,
        baseline,
        given,
        measures=list(dict.fromkeys(rule.measure for rule in rules if rule.needs_baseline)),
        by=list(dict.fromkeys(column for rule in rules for column in rule.columns)),
    )
    try:
        for rule in rules:
            gate_data.check_requirement(rule)
        missing = gate_data.missing()
        evidence: list[Evidence] = []
        for rule in rules:
            parts, vanished_slices = _gather(rule, gate_data, task_weights, is_anytime=anytime)
            evidence += parts
            missing += vanished_slices
    except EdgeworthError as error:
        raise _with_requirement(error, rules) from None
    allowed = [part for part in missing if allow_missing and part.is_allowed_as_missing]
    caveats = dict.fromkeys(x.caveat for x in evidence if x.caveat and x.caveat != x.reason)
    failures = [f"{x.text}. To allow this, use {x.allowed_by}." for x in missing if x not in allowed]
    if must_pass is not None:
        failures += _check_items(gate_data, must_pass)
    results = decide(evidence, level=level, power=given.get("power", 0.8))
    are_relative = all(rule.needs_baseline for rule in rules)
    is_one = len({rule.text for rule in rules}) == 1
    rates = combine_results(results) if are_relative or is_one else []
    return Decision(
        outcome=overall_outcome(results, failures),
        results=results,
        failures=tuple(failures),
        notes=(
            *gate_data.notices(),
            *(f"{part.text}." for part in allowed),
            *(f"{caveat[:1].upper()}{caveat[1:].rstrip('.')}." for caveat in caveats),
        ),
        candidate=gate_data.candidate,
        baseline=gate_data.baseline,
        level=level,
        undecided_as=undecided,
        is_anytime=anytime,
        rates=tuple(rates),
    )


def _name_scorer(
    error: RequirementError, data: object, baseline: object, given: CheckOptions
) -> RequirementError:
    """Explain how to require a scorer, if an unknown measure is the name of one in run logs."""
    from edgeworth.pipeline.gate_runs import find_scorer_measure

    scorer = error.unknown_measure
    measure = find_scorer_measure(scorer, data, baseline, given) if scorer else None
    if measure is None:
        return error
    message = f"{scorer} is a scorer: require {measure} and pass --scorer {scorer}"
    return RequirementError(message, error.text, error.position, error.source)


def _with_requirement(error: EdgeworthError, rules: Sequence[Requirement]) -> EdgeworthError:
    """Name the requirement that an error is about, if it is about a measure or column of one."""
    if isinstance(error, RequirementError):
        return error
    for rule in rules:
        spelling = Spelling.parse(rule.measure)
        # A name within a path, such as log in runs/log.json, is no measure.
        is_named = spelling.name in (word.rstrip(".") for word in re.findall(r"[\w./]+", str(error)))
        if is_named or (spelling.label is not None and "label" in str(error)):
            return rule.error(str(error), 0)
        if rule.source and any(repr(column) in str(error) for column in rule.columns):
            kind = InputError if isinstance(error, InputError) else OptionError
            return kind(f"{rule.source}: {error}")
    return error


def _gather(
    rule: Requirement,
    data: GateData,
    task_weights: Mapping[str, float] | str | None,
    *,
    is_anytime: bool,
) -> tuple[list[Evidence], list[Missing]]:
    """Gather the evidence on a requirement, in all cases or in each part; also list slices that vanished."""
    columns, weights = list(rule.columns), rule.weights
    if data.tasks and TASK not in columns:
        columns = [TASK, *columns]
    if weights is None and data.tasks and columns == [TASK] and rule.task is None:
        weights = _weights_of(task_weights, data, rule)
    if not columns and weights is not None:
        rule.refuse("weights need several tasks, or a column of slices (by)", 0)
    if not columns:
        result = data.difference(rule.measure) if rule.needs_baseline else data.estimate(rule.measure)
        return [_make_evidence(rule, result, data, is_anytime=is_anytime)], []
    evidence: list[Evidence] = []
    slices: set[str] = set()
    for column in columns:
        parts = _gather_parts(rule, data, column, is_anytime=is_anytime)
        if column in rule.by:
            slices.update(parts)
        if rule.task is not None:
            if rule.task not in parts:
                names = f"there are {', '.join(parts)}" if parts else "the data name no task"
                rule.refuse(f"there is no task {rule.task!r}; {names}", 0)
            parts = {rule.task: parts[rule.task]}
        pooled = None if weights is None else _pool(parts, weights, rule, is_anytime=is_anytime)
        evidence += parts.values() if pooled is None else [pooled]
    vanished = [f"{' or '.join(rule.by)} {name}" for name in rule.slices if name not in slices]
    text = f"{rule.text}: the data have no {', '.join(vanished[:MAX_NAMES_LISTED])}"
    return evidence, [Missing(text)] if vanished else []


def _gather_parts(rule: Requirement, data: GateData, column: str, *, is_anytime: bool) -> dict[str, Evidence]:
    """Gather the evidence in each slice of a column, or in each task."""
    results: Mapping[str, Estimate | Difference | EdgeworthError]
    if rule.needs_baseline:
        results = data.differences_by(column, rule.measure)
    else:
        results = data.estimates_by(column, rule.measure)
    errors = [result for result in results.values() if isinstance(result, OptionError)]
    if errors and len(errors) == len(results):
        # An error of the data may be that of one slice; this one comes from the requirement.
        raise errors[0]
    return {
        name: _make_evidence(rule, result, data, column, name, is_anytime=is_anytime)
        for name, result in results.items()
    }


def _make_evidence(
    rule: Requirement,
    result: Estimate | Difference | EdgeworthError,
    data: GateData,
    column: str = "",
    name: str = "",
    *,
    is_anytime: bool,
) -> Evidence:
    """Turn an estimate or a difference into evidence. A part with an error never passes."""
    part = f"{column} {name}".strip()
    if isinstance(result, EdgeworthError):
        evidence = _undefined(rule, part, data.unit, str(result))
    elif isinstance(result, Estimate):
        evidence = level_evidence(rule, result, part=part, unit=data.level_unit, is_anytime=is_anytime)
    else:
        from edgeworth.gates.differences import difference_evidence

        evidence = difference_evidence(rule, result, part=part, unit=data.unit, is_anytime=is_anytime)
    return replace(evidence, column=column, slice_name=name)


def _undefined(rule: Requirement, part: str, unit: str, reason: str) -> Evidence:
    """Make evidence of a part in which the measure is undefined: it never passes."""
    region = Region(-math.inf, math.inf)
    return Evidence(rule, region, math.nan, math.nan, no_interval, part, unit=unit, reason=reason)


def _pool(
    parts: Mapping[str, Evidence], weights: Mapping[str, float], rule: Requirement, *, is_anytime: bool
) -> Evidence:
    """Pool parts by their weights, which must name every one of them."""
    if lacking := parts.keys() - weights.keys():
        tasks = _list(sorted(parts))
        rule.refuse(f"there is no weight for {_list(sorted(lacking))}; the weights must name {tasks}", 0)
    if unknown := weights.keys() - parts.keys():
        rule.refuse(
            f"there are weights for {_list(sorted(unknown))}, and the data have {_list(sorted(parts))}", 0
        )
    return pool_evidence(
        [(weights[name], evidence) for name, evidence in parts.items()], is_anytime=is_anytime
    )


def _weights_of(
    given: Mapping[str, float] | str | None, data: GateData, rule: Requirement
) -> Mapping[str, float] | None:
    """Find the weights of tasks: named, equal, or by the number of items."""
    if given is None:
        return None
    if given == "equal":
        return check_weights(dict.fromkeys(data.tasks, 1.0), "task_weights")
    if given == "items":
        parts = _gather_parts(rule, data, TASK, is_anytime=False)
        return check_weights({name: evidence.cases for name, evidence in parts.items()}, "task_weights")
    return check_weights(parse_weights(given) if isinstance(given, str) else given, "task_weights")


def parse_weights(text: str) -> dict[str, float]:
    """Read weights by name.

    >>> parse_weights("mmlu=0.7,gsm8k=0.3")
    {'mmlu': 0.7, 'gsm8k': 0.3}
    """
    weights = {}
    for part in text.split(","):
        name, sign, number = part.rpartition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise OptionError(f"task weights are equal, items, or TASK=WEIGHT,…; saw {part!r}")
    return weights


def _check_items(data: GateData, must_pass: str | Sequence[str]) -> list[str]:
    """Write which of the items that must be right are wrong or absent."""
    items = data.check_items(must_pass)
    failures = []
    if items.wrong or items.wrong_rows:
        failures.append(items.describe_wrong())
    if items.absent:
        failures.append(items.describe_absent())
    return failures


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES_LISTED]) + (", …" if len(names) > MAX_NAMES_LISTED else "")
