"""How often a gate changes its decision between two identical runs, by simulating further runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgeworth.comparisons.grades import compare_grades
from edgeworth.gates.differences import difference_evidence
from edgeworth.gates.error_rates import Levels
from edgeworth.gates.evidence import Evidence, Outcome, level_evidence
from edgeworth.gates.requirements import BASELINE, CANDIDATE, Requirement
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.grades import Grades
from edgeworth.grades.reruns import draw_runs

PAIRS_OF_RUNS = 200
"""Pairs of simulated runs: the standard error of a share is at most 3.5 points."""


@dataclass(frozen=True)
class RerunDecisions:
    """How often a gate decides each way for reruns of one system, and how often two of them differ."""

    changes: float
    outcomes: dict[Outcome, float]
    pairs: int = PAIRS_OF_RUNS

    @property
    def error(self) -> float:
        """The standard error of the share of changes."""
        return math.sqrt(self.changes * (1 - self.changes) / self.pairs)


def decide_run(rules: Sequence[Requirement], run: Grades, baseline: Grades, level: float) -> Outcome:
    """Decide as the gate does: pass if all requirements pass, fail if one fails by Holm's first step."""
    strict = Levels.of(level, len(rules)).failing
    evidence = [_evidence(rule, run, baseline, level) for rule in rules]
    if any(part.fails(strict) for part in evidence):
        return "fail"
    return "pass" if all(part.passes(level) for part in evidence) else "undecided"


def _evidence(rule: Requirement, run: Grades, baseline: Grades, level: float) -> Evidence:
    if not rule.needs_baseline:
        return level_evidence(rule, estimate_grades(run, rule.measure))
    findings = compare_grades({CANDIDATE: run, BASELINE: baseline}, measures=[rule.measure], level=level)
    return difference_evidence(rule, findings.difference(CANDIDATE, BASELINE)[rule.measure])


def _refuse_undefined(rules: Sequence[Requirement], run: Grades) -> None:
    """Refuse requirements on measures that a single run does not have, such as pass@2."""
    for rule in rules:
        reason = estimate_grades(run, rule.measure).undefined
        if reason is not None:
            rule.refuse(f"one run with one answer per item has no {rule.measure}: {reason}", 0)


def simulate_decisions(
    rules: Sequence[Requirement], grades: Grades, baseline: Grades, *, level: float, seed: int
) -> RerunDecisions:
    """Draw pairs of runs of the same system on the same items, and let the gate decide each."""
    rng = np.random.default_rng(seed)
    _refuse_undefined(rules, *draw_runs(grades, 1, np.random.default_rng(seed)))
    decided = [
        [decide_run(rules, run, baseline, level) for run in draw_runs(grades, 2, rng)]
        for _ in range(PAIRS_OF_RUNS)
    ]
    outcomes = [outcome for pair in decided for outcome in pair]
    names: tuple[Outcome, ...] = ("pass", "undecided", "fail")
    shares = {name: outcomes.count(name) / len(outcomes) for name in names}
    return RerunDecisions(sum(first != second for first, second in decided) / PAIRS_OF_RUNS, shares)
