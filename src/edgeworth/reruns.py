"""How noisy is my benchmark? The verb ``noise``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.choices import ErrorRule
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.study_design import Means, PairedAnswers, StudyPlan, smallest_amount
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import (
    format_count,
    format_level,
    format_number,
    format_percent,
    format_together,
    plural,
)
from edgeworth.core.options import CheckOptions
from edgeworth.core.random_seeds import Rng
from edgeworth.core.registry import canonical_spelling, catalogue
from edgeworth.core.sampling_distributions import check_level
from edgeworth.errors import OptionError
from edgeworth.forecasts.scoring_rules import PROPER_SCORES
from edgeworth.gates.requirements import Requirement, parse_requirements
from edgeworth.gates.rerun_decisions import RerunDecisions, simulate_decisions
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.findings import split_variance
from edgeworth.grades.grades import Grades
from edgeworth.grades.policy import PASS_AT_K_DEPTHS
from edgeworth.grades.reruns import Agreement, rerun_agreement, rerun_deviation, share_from_reruns
from edgeworth.pipeline.call_options import fill_in
from edgeworth.pipeline.repeated_runs import RepeatedRuns, read_repeated_runs
from edgeworth.pipeline.run_items import TOGETHER
from edgeworth.report.estimates import estimates_grid
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns, make_provenance
from edgeworth.report.verdict import Claim, Verdict, estimate_numbers
from edgeworth.report.wording import describe_measure, interval_cell
from edgeworth.sources.paths import natural_key

LISTED_ITEMS = 10
"""Items that flip most, in the table."""

MAX_P_VALUE_FOR_SHARED_SHIFTS = 0.01
"""Below this, the runs differ by more than independent changes of items explain."""


def noise(
    data: object = None,
    *,
    correct: str | Sequence[str] | None = None,
    grade: str | Sequence[str] | None = None,
    prediction: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    probabilities: str | Sequence[str] | None = None,
    truth: str | None = None,
    positive: str | None = None,
    query: str | None = None,
    measure: str | None = None,
    id: str | None = None,
    require: str | Sequence[str] = (),
    requirements: str | Path | None = None,
    scorer: str | None = None,
    errors: ErrorRule = "drop",
    grade_range: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    level: float = 0.95,
    power: float = 0.8,
    rng: Rng = 0,
) -> Report:
    """Report how much the answers of one system change between runs, and what that hides.

    Parameters
    ----------
    data : path, list or dict of paths, dataframe or Grades
        Run logs of one system, one log with repeats, tables with a run each, or one table with all runs.
        A dict names the runs. Logs of several tasks are grouped into runs by the dates in their names, by
        file or by folder.
    correct, grade, prediction : str or list of str, optional
        The column of right or wrong answers, of points, or of labels; one per run, or one with ``id``.
    score, probabilities : str or list of str, optional
        The column of scores, or of probabilities of the positive class; one per run, or one with ``id``.
    truth : str, optional
        With labels, scores and probabilities: the column of actual classes.
    positive : str, optional
        With scores and probabilities: the class that high values indicate, unless the classes are 0 and 1.
    query : str, optional
        With scores: the column of queries. Each query then has a value of its own.
    measure : str, optional
        What scores and probabilities are judged by: "average_precision" (the default for scores),
        "roc_auc", with queries any ranking measure, or "brier" (the default for probabilities) or "log".
    id : str, optional
        The column that identifies an item; rows with the same id are repeats.
    require : str or list of str, optional
        Requirements of a gate, as ``check`` takes them. The first run is the baseline. The report shows how
        often two identical runs would get different decisions.
    requirements : path, optional
        A TOML file of requirements, as ``check`` reads it. Requirements for slices or tasks are left out.
    scorer, errors : optional
        In run logs: the scorer to use, and whether answers that errored are dropped or wrong.
    grade_range, lower_is_better : optional
        The lowest and the highest grade, and whether low grades are good.
    level, power : float
        The level of intervals, and the power for the smallest difference that can be shown.
    rng : int, Generator or None
        The seed of the simulated runs, a numpy generator, or None for a new seed.

    Returns
    -------
    Report

    Examples
    --------
    >>> import edgeworth as ew
    >>> runs = ew.Grades.from_grades([1, 1, 0, 1, 1, 0, 0, 0] * 10, ids=[x // 2 for x in range(80)])
    >>> noise(runs).numbers["flip_rate"]["value"]
    0.5
    """
    check_level(level)
    if not 0 < power < 1:
        raise OptionError(f"power lies between 0 and 1; saw {power!r}")
    given: dict[str, object] = {"id": id, "scorer": scorer, "errors": errors, "level": level, "rng": rng}
    given |= {"grade_range": grade_range, "lower_is_better": lower_is_better, "unmatched": "drop"}
    options = fill_in("evaluate", CheckOptions, given)
    options["truth"], options["query"], options["positive"] = truth, query, positive
    columns = {"correct": _listed(correct), "grade": _listed(grade), "prediction": _listed(prediction)}
    columns |= {"score": _listed(score), "probabilities": _listed(probabilities)}
    rules = parse_requirements(require, requirements) if require or requirements is not None else ()
    rules, left_out = _split_by_scope(rules)
    if measure is None and rules and (columns["score"] or columns["probabilities"]):
        measure = rules[0].measure
    runs = read_repeated_runs(data, options, columns, measure)
    gate = None
    if rules:
        rules = tuple(_about_mean(rule, runs.measure) for rule in rules)
        gate = simulate_decisions(
            rules, runs.whole, next(iter(runs.runs.values())), level=level, seed=options["seed"]
        )
    return _report(runs, gate, left_out, level=level, power=power, seed=options["seed"])


def _split_by_scope(
    rules: Sequence[Requirement],
) -> tuple[tuple[Requirement, ...], tuple[Requirement, ...]]:
    """Separate requirements for all items from those for slices and tasks, which noise cannot simulate."""
    whole = tuple(rule for rule in rules if not rule.columns and rule.weights is None)
    parts = tuple(rule for rule in rules if rule not in whole)
    if parts and not whole:
        parts[0].refuse("noise checks requirements for all items, and this one is for slices or tasks", 0)
    return whole, parts


def _about_mean(rule: Requirement, measure: str) -> Requirement:
    """Turn a requirement on the measure of the runs into one on the mean of their values."""
    if not measure:
        names = {measure.name for measure in catalogue(kind="grades")}
        if canonical_spelling(rule.measure).name not in names:
            rule.refuse("noise counts these answers as right or wrong: write a requirement on accuracy", 0)
        return rule
    if canonical_spelling(rule.measure) != canonical_spelling(measure):
        rule.refuse(f"noise checks requirements on one measure, here {measure}", 0)
    return replace(rule, measure="mean")


@dataclass(frozen=True)
class NoiseEstimates:
    """How much answers, and the score, change from one run to the next."""

    number: int
    """The number of items."""
    deviation: float
    """The standard deviation between reruns of an item."""
    flips: Estimate | None
    kappa: Agreement | None
    share: float
    """The part of the variance of single answers that is between reruns."""
    least: float
    """The smallest difference between two systems that rerun noise does not hide."""

    @classmethod
    def of(cls, grades: Grades, level: float, power: float) -> NoiseEstimates:
        """Estimate the noise of repeated grades."""
        deviation = rerun_deviation(grades)
        return cls(
            grades.number,
            deviation,
            estimate_grades(grades, "flip_rate") if grades.is_binary else None,
            rerun_agreement(grades, level) if grades.is_binary else None,
            share_from_reruns(split_variance(grades)),
            _smallest_difference(grades, deviation, level, power),
        )

    @property
    def moves(self) -> float:
        """The standard deviation of the score of a run."""
        return self.deviation / math.sqrt(self.number)

    def to_dict(self, level: float) -> JsonObject:
        """Return the estimates as plain values."""
        return {
            "items": self.number,
            "flip_rate": None if self.flips is None else self.flips.to_dict(level),
            "kappa": None if self.kappa is None else _kappa_numbers(self.kappa),
            "share_from_reruns": finite_or_none(self.share),
            "rerun_sd": self.deviation,
            "score_sd": self.moves,
            "detectable": finite_or_none(self.least),
        }


def _listed(columns: str | Sequence[str] | None) -> list[str]:
    return [columns] if isinstance(columns, str) else list(columns or ())


def _report(
    runs: RepeatedRuns,
    gate: RerunDecisions | None,
    left_out: Sequence[Requirement],
    *,
    level: float,
    power: float,
    seed: int,
) -> Report:
    whole = runs.whole
    units = plural(whole.number, runs.unit)
    estimates = NoiseEstimates.of(whole, level, power)
    moves, least = estimates.moves, estimates.least
    amount = (lambda x: f"{f'{100 * x:#.2g}'.rstrip('.')} points") if whole.is_binary else format_number
    claims = [_flip_claim(runs, estimates, level)]
    difference = moves * math.sqrt(2)
    text = (
        f"Between two runs on the same {units}, the score typically differs by {amount(difference)} (one "
        "standard deviation)."
    )
    deviations = {"deviation": moves, "difference_deviation": difference}
    claims.append(Claim("rerun noise", text, "estimated", deviations))
    if not math.isnan(least):
        text = (
            f"Rerun noise alone hides differences below {amount(least)} between two systems "
            f"({format_percent(power)} power, one run per system)."
        )
        claims.append(Claim("detectable", text, "advised", {"difference": least, "power": power}))
    if gate is not None:
        changes = format_percent(gate.changes)
        passes, fails, open_ = (format_percent(gate.outcomes[x]) for x in ("pass", "fail", "undecided"))
        text = (
            f"The gate would decide differently in {changes} of pairs of identical runs: it passes {passes} "
            f"of runs, fails {fails}, and leaves {open_} undecided."
        )
        claims.append(
            Claim("gate", text, "estimated", {"changes": gate.changes, "standard_error": gate.error})
        )
    sections = [_runs_section(runs, level), *_tries_section(runs, estimates.flips, level)]
    sections += [*_tasks_section(runs, level, power), _items_section(runs)]
    if gate is not None:
        rows = tuple((name, x) for name, x in gate.outcomes.items())
        note = (
            f"{gate.pairs} simulated pairs of runs; standard error of changes {100 * gate.error:.1f} points"
        )
        grid = Grid("", make_columns("decision/text", "share of runs/percent"), rows, note)
        sections.append(Section("The gate", (), (grid,), is_main=True))
    return Report(
        verdict=Verdict(claims),
        sections=tuple(sections),
        warnings=(
            *runs.notices,
            *_describe_gate(runs, gate),
            *_describe_left_out(left_out),
            *_describe_shared_shifts(runs, moves),
        ),
        provenance=make_provenance(level=level, power=power, seed=seed),
        numbers={
            "kind": "noise",
            "measure": runs.measure or ("accuracy" if whole.is_binary else "mean"),
            "level": level,
            "repeats": float(whole.repeats.mean()),
            **estimates.to_dict(level),
            "power": power,
            "gate": None
            if gate is None
            else {"changes": gate.changes, "outcomes": gate.outcomes, "pairs": gate.pairs},
            "tasks": {
                task: NoiseEstimates.of(grades, level, power).to_dict(level)
                for task, grades in runs.tasks.items()
            },
        },
    )


def _describe_gate(runs: RepeatedRuns, gate: RerunDecisions | None) -> list[str]:
    """Warn that the simulated gate covers several tasks together."""
    if gate is None or len(runs.tasks) < 2:
        return []
    return [
        "The gate is simulated on the questions of all tasks together, but edgeworth check decides in each "
        "task. Pass the logs of one task to simulate its decision."
    ]


def _describe_left_out(rules: Sequence[Requirement]) -> list[str]:
    """Warn that the simulated gate has fewer checks than the file."""
    if not rules:
        return []
    texts = ", ".join(f'"{rule.text}"' for rule in rules)
    return [
        f"The gate is simulated without its requirements for slices or tasks: {texts}. With them it passes "
        "less often."
    ]


def _kappa_numbers(kappa: Agreement) -> dict[str, float | None]:
    return {
        "value": finite_or_none(kappa.value),
        "low": finite_or_none(kappa.interval.low),
        "high": finite_or_none(kappa.interval.high),
    }


def is_average_of_pseudo_values(runs: RepeatedRuns) -> bool:
    """Return whether the runs are rankings of cases, which have no value of a single case."""
    return runs.unit == "case" and runs.measure not in PROPER_SCORES


def _describe_shared_shifts(runs: RepeatedRuns, moves: float) -> list[str]:
    """Warn if the runs differ by more than independent changes of single items explain.

    If items change independently, (k − 1) times the variance of k run means over the expected one has a
    χ² law with k − 1 degrees of freedom.
    """
    means = [float(run.means.mean()) for run in runs.runs.values() if run.repeats.max() == 1]
    if len(means) < 2 or not moves > 0:
        return []
    seen = float(np.std(means, ddof=1))
    p_value = float(scipy.special.chdtrc(len(means) - 1, (len(means) - 1) * (seen / moves) ** 2))
    if p_value >= MAX_P_VALUE_FOR_SHARED_SHIFTS:
        return []
    return [
        f"The scores of the runs have a standard deviation of {format_number(seen)}, and independent changes "
        f"of single items explain {format_number(moves)}. Reruns shift many items together, so the smallest "
        "difference shown here is too optimistic: use more runs, and compare runs instead of items."
    ]


def _flip_claim(runs: RepeatedRuns, estimates: NoiseEstimates, level: float) -> Claim:
    """Write how much a single answer changes from one run to the next."""
    flips, kappa, deviation = estimates.flips, estimates.kappa, estimates.deviation
    number, units = runs.whole.number, plural(runs.whole.number, runs.unit)
    if flips is None or kappa is None:
        what = f"the {describe_measure(runs.measure) if runs.measure else 'grade'} of one {runs.unit}"
        if is_average_of_pseudo_values(runs):
            what = f"the contribution of one {runs.unit} to the {describe_measure(runs.measure)}"
        change = format_number(math.sqrt(2) * deviation)
        text = (
            f"From one run to the next, {what} typically changes by {change} (one standard deviation; "
            f"{format_count(number)} {units})."
        )
        return Claim("reruns", text, "estimated", {"rerun_sd": deviation})
    low, high = (format_percent(x, 1) for x in flips.interval(level))
    text = (
        f"{format_percent(flips.value, 1)} of answers change between right and wrong from one run to the "
        f"next ({format_level(level)} CI {low} to {high}; {format_count(number)} {units})"
    )
    if not math.isnan(kappa.value):
        own, *ends = format_together(kappa.value, *kappa.interval)
        interval = "" if math.isnan(kappa.interval.low) else f" ({' to '.join(ends)})"
        text += f"; agreement beyond chance (kappa) {own}{interval}"
    return Claim("flip_rate", f"{text}.", "estimated", estimate_numbers(flips, level))


def _smallest_difference(grades: Grades, deviation: float, level: float, power: float) -> float:
    """Find the smallest difference that these items show if reruns are all that differs beside it."""
    number = grades.number
    if grades.is_binary:
        design = PairedAnswers(2 * deviation**2)
        return smallest_amount(StudyPlan(design, "difference", 1.0, level, power), number)
    if not deviation > 0:
        return math.nan
    spread = math.sqrt(2) * deviation
    return smallest_amount(StudyPlan(Means(spread), "difference", 1.0, level, power), number, 20 * spread)


def _runs_section(runs: RepeatedRuns, level: float) -> Section:
    """Tabulate each run, and what the variance of single answers is made of."""
    measure = "accuracy" if runs.whole.is_binary else "mean"
    rows: list[tuple[Cell, ...]] = []
    for name, run in runs.runs.items():
        estimate = estimate_grades(run, measure)
        ends = None if estimate.law is None else tuple(estimate.interval(level))
        rows.append((name, estimate.value, ends, int(run.repeats.max())))  # type: ignore[arg-type]  # a pair of ends
    head = describe_measure(runs.measure) if runs.measure else measure
    columns = make_columns("run/text", head, f"{format_level(level)} CI/interval", "answers per item/count")
    grids = [Grid("", columns, tuple(rows), "the interval is about new items, not about reruns")]
    split = split_variance(runs.whole)
    if split is not None:
        share = share_from_reruns(split)
        parts = (
            ("between items", math.sqrt(split.between), 1 - share),
            ("between reruns of an item", math.sqrt(split.within), share),
        )
        heads = make_columns("what/text", "standard deviation", "share of the variance of answers/percent")
        grids.append(Grid("Where the variance comes from", heads, parts))
    return Section("Runs", (), tuple(grids), is_main=True)


def _tries_section(runs: RepeatedRuns, flips: Estimate | None, level: float) -> list[Section]:
    """Tabulate pass@k, a right answer in k tries, beside pass^k, k right answers."""
    if flips is None:
        return []
    most = int(runs.whole.repeats.min())
    depths = [*(depth for depth in PASS_AT_K_DEPTHS if depth < most), *((most,) if most > 1 else ())]
    names = [f"{name}@{depth}" for depth in depths for name in ("pass", "pass_all")]
    estimates = [flips, *(estimate_grades(runs.whole, name) for name in names)]
    note = "pass@k: at least one of k tries is right; pass_all@k (pass^k): all k are right"
    return [Section("Several tries", (note,), (estimates_grid(estimates, level),), is_main=True)]


def _tasks_section(runs: RepeatedRuns, level: float, power: float) -> list[Section]:
    """Tabulate the noise of each task, if there are several."""
    rows: list[tuple[Cell, ...]] = []
    are_binary = all(grades.is_binary for grades in runs.tasks.values())
    scale, unit = (100, " (points)") if are_binary else (1, "")
    for task, grades in runs.tasks.items():
        estimates = NoiseEstimates.of(grades, level, power)
        flips = estimates.flips
        own: tuple[Cell, ...] = (estimates.deviation,)
        if are_binary and flips is not None:
            own = (flips.value, interval_cell(flips.interval(level)))
        moved = scale * estimates.moves * math.sqrt(2)
        rows.append((task, estimates.number, *own, moved, finite_or_none(scale * estimates.least)))
    if not rows:
        return []
    own_heads = ("flip rate", f"{format_level(level)} CI/interval") if are_binary else ("SD between reruns",)
    columns = ("task/text", "questions/count", *own_heads, f"score differs by{unit}", f"hidden below{unit}")
    note = (
        "score differs by: standard deviation of the difference between two runs; hidden below: the smallest "
        f"difference between two systems that a test finds ({format_percent(power)} power)"
    )
    return [
        Section("By task", (TOGETHER,), (Grid("", make_columns(*columns), tuple(rows), note),), is_main=True)
    ]


def _items_section(runs: RepeatedRuns) -> Section:
    """List the items whose reruns vary most."""
    whole = runs.whole
    spread = (whole.squares - whole.sums**2 / whole.repeats) / np.maximum(whole.repeats - 1, 1)
    changed = np.flatnonzero(spread > 0).tolist()
    names = {x: str((whole.ids or ())[x]) for x in changed}
    names = {x: runs.short_ids.get(name, name) for x, name in names.items()}
    order = sorted(changed, key=lambda x: (-spread[x], natural_key(names[x])))[:LISTED_ITEMS]
    rows = tuple((names[x], float(whole.means[x]), int(whole.repeats[x])) for x in order)
    units = plural(whole.number, runs.unit)
    value = "value" if runs.measure else "grade"
    text = f"{len(changed):,} of {whole.number:,} {units} did not get the same {value} in every run"
    text += f"; the first {len(rows)} are listed." if len(rows) < len(changed) else "."
    head = f"mean {describe_measure(runs.measure) if runs.measure else 'grade'}"
    if is_average_of_pseudo_values(runs):
        head = "mean pseudo-value"
    grid = Grid("", make_columns(f"{runs.unit}/text", head, "answers/count"), rows)
    return Section("What changes most", (text,), (grid,) if rows else (), is_main=True)
