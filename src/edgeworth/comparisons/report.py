"""The report of a comparison: findings in, sections and tables out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.choices import Adjust
from edgeworth.comparisons.chance import CLASS_SHARES
from edgeworth.comparisons.charts import comparison_charts
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, Disagreement
from edgeworth.comparisons.leaderboard import ADJUSTED, MAX_NAME_LENGTH, drawn_charts, leaderboard_section
from edgeworth.comparisons.margins import margin_section
from edgeworth.comparisons.ordered_losses import sequence_section
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.policy import MAX_PAIRS_SHOWN
from edgeworth.comparisons.suspicious import suspicious_systems
from edgeworth.comparisons.verdict import (
    as_sentence,
    comparison_citation,
    comparison_verdict,
    describe_chance,
    describe_evidence,
    is_withheld,
    name_of_test,
    new_caveat,
    primary_test,
)
from edgeworth.core.formatting import (
    cut_middle,
    format_count,
    format_level,
    format_percent,
    format_wealth,
    plural,
)
from edgeworth.core.options import Options
from edgeworth.core.registry import canonical_spelling, canonical_spellings
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.report.frames import Row
from edgeworth.report.report import About, Cell, Column, Grid, Report, Section, make_columns
from edgeworth.report.wording import describe_measure, interval_cell, p_value_cell

if TYPE_CHECKING:
    from edgeworth.comparisons.forecasts.bets import WealthRow

MAX_MEASURES_SHOWN_FIRST = 8
"""Measures of two systems that are shown first, with their tests."""

MAX_MEASURES_SHOWN = 60
"""Measures of two systems that a page shows; the others are in the JSON."""


RANKED_PAIR, LESS = ("system", "other"), "system − other"
"""Heads of tables of pairs, in which the system of the higher rank comes first.

In data, CSV, JSON and frames, ``first`` and ``second`` are in the order in which the systems were given."""


class FinalPaired(Protocol):
    """A record of joint counts whose labels are final."""

    @property
    def final(self) -> Paired: ...


def report_paired(tallied: FinalPaired, options: Options, about: About) -> Report:
    """Compare the systems of joint counts and report on them."""
    from edgeworth.comparisons.labels.differences import compare_labels

    paired, measures = tallied.final, canonical_spellings(options["measures"])
    adjust: Adjust = options["adjust"] or "holm"
    findings = compare_labels(
        paired, measures=measures, adjust=adjust, level=options["level"], seed=options["seed"]
    )
    findings = replace(findings, notes=(*suspicious_systems(paired), *findings.notes))
    known = {"kind": "labels", "systems": ", ".join(paired.names), "adjust": adjust}
    spellings = None if measures is None else ", ".join(measures)
    return compose_comparison(findings, about(**known, measures=spellings, cases=findings.cases))


def compose_comparison(findings: ComparisonFindings, provenance: Mapping[str, object]) -> Report:
    """Build the report of a comparison."""
    is_pair = len(findings.names) == 2
    first = _two(findings) if is_pair else [leaderboard_section(findings), _pairs(findings)]
    sections = [
        *first,
        margin_section(findings),
        _chance(findings),
        _tests(findings),
        _disagreements(findings),
        _race(findings),
        sequence_section(findings),
        _posterior(findings) if is_pair else None,
        _planning(findings),
    ]
    verdict = comparison_verdict(findings)
    caveats = [
        as_sentence(caveat).strip()
        for difference in findings.headlines.values()
        for caveat in (
            difference.no_winner if is_withheld(difference, findings) else None,
            difference.caveat,
        )
    ]
    return Report(
        verdict=verdict,
        citation=comparison_citation(findings),
        lead=next((name for name, is_drawn in drawn_charts(findings).items() if is_drawn), "differences"),
        sections=tuple(section for section in sections if section is not None),
        warnings=tuple(dict.fromkeys((*findings.notes, *_merge_caveats(caveats, verdict)))),
        provenance=provenance,
        numbers={"kind": "comparison", "comparison": findings.numbers},
        charts=comparison_charts(findings),
    )


def _merge_caveats(caveats: Sequence[str], verdict: str) -> list[str]:
    """Keep one caveat per cause, the text before the colon; none that the verdict has. Rows have them all."""
    first_of_cause: dict[str, str] = {}
    for caveat in caveats:
        first_of_cause.setdefault(caveat.partition(":")[0], caveat)
    return [caveat for cause, caveat in first_of_cause.items() if cause and cause not in verdict]


_columns = partial(make_columns, default="text")


def difference_rows(findings: ComparisonFindings) -> Iterator[Row]:
    """Make a row of every pair and measure; only the primary measure is adjusted for the pairs."""
    for pair, differences in findings.pairs.items():
        for name, difference in differences.items():
            low, high = difference.interval(findings.level)
            row: dict[str, object] = {
                "first": pair[0],
                "second": pair[1],
                "measure": name,
                "value": difference.difference,
                "low": low,
                "high": high,
                "level": findings.level,
                "p": difference.p_value(),
                "cases": difference.cases,
                "caveat": _caveat(difference, findings) or None,
            }
            if name == findings.headline:
                row["p_adjusted"] = findings.adjusted[pair]
            yield row


def difference_grid(findings: ComparisonFindings) -> Grid:
    """Tabulate every pair and measure in a line: the table for a paper."""
    interval, adjusted = f"{format_level(findings.level)}/interval", f"{findings.adjust} p/probability"
    columns = (
        *_columns("measure/measure", "first", "second", "first value/number", "second value/number"),
        *_columns("difference/number", interval, "p/probability", "P(first better)/belief", "test"),
        *_columns("interval by", adjusted, "effect/number", f"{_units(findings)}/count", "caveat"),
    )
    rows = tuple(
        (
            difference.measure,
            difference.first,
            difference.second,
            *_line(difference, findings),
            primary_test(difference),
            difference.interval_method,
            finite_or_none(findings.adjusted[pair]) if difference.measure == findings.headline else None,
            None if difference.effect is None else finite_or_none(difference.effect.value),
            whole_or_none(difference.cases),
            _caveat(difference, findings),
        )
        for pair, differences in findings.pairs.items()
        for difference in differences.values()
    )
    return Grid("", columns, rows)


def _line(difference: Difference, findings: ComparisonFindings) -> tuple[Cell, ...]:
    """Make the cells of a row: values, difference, interval, p-value and probability."""
    return (
        *(finite_or_none(value) for value in difference.values),
        finite_or_none(difference.difference),
        interval_cell(difference.interval(findings.level)),
        _p_cell(difference),
        finite_or_none(difference.probability_better),
    )


def _p_cell(difference: Difference) -> float | None:
    """Make the cell of the primary p-value, which may be an upper bound."""
    for tail in difference.tests.values():
        return p_value_cell(tail) if difference.undefined is None else None
    return finite_or_none(difference.p_value())


def _caveat(difference: Difference, findings: ComparisonFindings) -> str:
    """Explain why a row lacks something, or what to know before reading its interval and p-value."""
    missing = difference.undefined or difference.no_interval
    if missing is not None:
        return missing
    if difference.no_winner is not None:
        return f"no winner: {difference.describe_no_winner()}"
    return new_caveat(difference, findings) or ""


def _two(findings: ComparisonFindings) -> list[Section]:
    """Tabulate the measures of two systems; if there are many, the most informative first and all below."""
    differences = _shown_of_two(findings)
    hidden = len(findings.measures) - len(differences)
    note = (
        f"measures of single classes: the clearest differences; {hidden} more under All measures"
        if hidden
        else ""
    )
    main = _grid_of_two(findings, differences, note)
    texts = _describe_calibration(findings)
    sections = [Section("Which is better", texts, (main,), ("differences",), is_main=True)]
    if hidden:
        every = list(findings.difference(*findings.ranked).items())[:MAX_MEASURES_SHOWN]
        grid = _grid_of_two(findings, dict(every), "p-values are not adjusted for the number of measures")
        sections.append(Section("All measures", (), (grid,), is_folded=True))
    return sections


def _describe_calibration(findings: ComparisonFindings) -> tuple[str, ...]:
    """Write which of two systems is better calibrated, unless the verdict is about it."""
    name = "squared_calibration_error"
    difference = findings.difference(*findings.ranked).get(name)
    if difference is None or difference.law is None or name == findings.headline or findings.is_in_sample:
        return ()
    if difference.is_shown(findings.level) and is_significant(difference.p_value(), findings.level):
        worse = difference.second if difference.better == difference.first else difference.first
        return (f"{difference.better} is better calibrated than {worse} (squared calibration error).",)
    return ("Neither system is shown to be better calibrated (squared calibration error).",)


def _grid_of_two(findings: ComparisonFindings, differences: Mapping[str, Difference], note: str) -> Grid:
    first, second = findings.ranked
    less, level = f"{_short(first)} − {_short(second)}", format_level(findings.level)
    columns = (
        *_columns("measure/measure", *(f"{head}/number" for head in (first, second, less))),
        *_columns(f"{level} CI/interval", "p/probability"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *_line(difference, findings)[:-1]) for name, difference in differences.items()
    )
    caveats, footnotes = number_caveats(
        [_caveat(difference, findings) for difference in differences.values()]
    )
    if any(caveats):
        columns = (*columns, Column("caveat"))
        rows = tuple((*row, caveat) for row, caveat in zip(rows, caveats, strict=True))
    lower = [
        describe_measure(name) for name, difference in differences.items() if not difference.is_higher_better
    ]
    parts = (
        findings.direction != "neither"
        and f"the system with better {describe_measure(findings.headline)} comes first",
        lower and f"lower is better for {', '.join(lower)}",
        note,
        *footnotes,
    )
    return Grid("", columns, rows, "; ".join(part for part in parts if part))


def number_caveats(caveats: Sequence[str]) -> tuple[list[str], list[str]]:
    """Replace caveats of which one repeats by numbers, and return the notes that they refer to.

    >>> number_caveats(["", "no winner: too few cases", "no winner: too few cases"])
    (['', 'no winner (1)', 'no winner (1)'], ['(1) too few cases'])
    >>> number_caveats(["", "no winner: too few cases"])
    (['', 'no winner: too few cases'], [])
    """
    distinct = list(dict.fromkeys(filter(None, caveats)))
    if len(distinct) == sum(map(bool, caveats)):
        return list(caveats), []
    start = "no winner: "
    cells = {
        caveat: f"{'no winner ' if caveat.startswith(start) else ''}({number})"
        for number, caveat in enumerate(distinct, 1)
    }
    notes = [f"({number}) {caveat.removeprefix(start)}" for number, caveat in enumerate(distinct, 1)]
    return [cells.get(caveat, "") for caveat in caveats], notes


def _posterior(findings: ComparisonFindings) -> Section | None:
    """Tabulate the posterior probability that the first system is better; it does not decide the verdict."""
    rows = tuple(
        (name, difference.probability_better, difference.probability_method)
        for name, difference in _shown_of_two(findings).items()
        if math.isfinite(difference.probability_better)
    )
    if not rows:
        return None
    first = findings.ranked[0]
    text = (
        "This is a Bayesian summary, not a test, and the verdict does not use it. It can be far above one "
        "half although the data do not show a clear difference."
    )
    columns = _columns("measure/measure", f"P({first} better)/belief", "method")
    return Section("Posterior probability", (text,), (Grid("", columns, rows),), is_folded=True)


def _shown_of_two(findings: ComparisonFindings) -> dict[str, Difference]:
    """Choose differences of two systems, better minus worse: of all cases first, then the clearest."""
    differences = findings.difference(*findings.ranked)

    def place(name: str) -> tuple[bool, float]:
        difference, is_labelled = differences[name], canonical_spelling(name).label is not None
        size = (
            abs(difference.difference) / difference.standard_error if difference.standard_error > 0 else 0.0
        )
        return is_labelled, -size if is_labelled else 0.0

    names = sorted(differences, key=place) if len(differences) > MAX_MEASURES_SHOWN_FIRST else differences
    return {name: differences[name] for name in list(names)[:MAX_MEASURES_SHOWN_FIRST]}


def _pairs(findings: ComparisonFindings) -> Section:
    adjusted_p = () if findings.adjust == "none" else (f"{ADJUSTED[findings.adjust]}/probability",)
    interval = f"{format_level(findings.level)} CI/interval"
    columns = _columns(
        *(*RANKED_PAIR, f"{LESS}/number", interval),
        *("p/probability", *adjusted_p, "posterior P(better)/belief"),
    )
    pairs = findings.ranked_pairs
    rows: list[tuple[Cell, ...]] = []
    caveats = []
    for pair in pairs[:MAX_PAIRS_SHOWN]:
        difference = findings.difference(*pair)[findings.headline]
        _, _, *line, better = _line(difference, findings)
        adjusted = finite_or_none(findings.adjusted[findings.as_given(*pair)])
        rows.append((*map(_short, pair), *line, *(() if findings.adjust == "none" else (adjusted,)), better))
        caveats.append(_caveat(difference, findings))
    caveats, footnotes = number_caveats(caveats)
    if any(caveats):
        columns = (*columns, Column("caveat"))
        rows = [(*row, caveat) for row, caveat in zip(rows, caveats, strict=True)]
    note = "intervals are for single pairs; the adjusted p allows for all pairs"
    if len(pairs) > MAX_PAIRS_SHOWN:
        note += f"; the first {MAX_PAIRS_SHOWN} of {len(pairs):,} pairs, the others are in the JSON"
    grid = Grid("", columns, tuple(rows), "; ".join((note, *footnotes)))
    return Section(f"Pairs, by {describe_measure(findings.headline)}", (), (grid,), ("differences",))


def _chance(findings: ComparisonFindings) -> Section | None:
    """Tabulate each system against chance, by the primary measure."""
    known = [name for name in findings.ranked if name in findings.chance]
    if not any(math.isfinite(findings.chance[name].chance) for name in known):
        return None
    adjusted = () if findings.adjust == "none" else ("Holm p/probability",)
    columns = _columns(
        *("system", f"{describe_measure(findings.headline)}/number", "chance level/number"),
        *("p/probability", *adjusted, "method"),
    )
    rows = []
    for name in known[:MAX_PAIRS_SHOWN]:
        result = findings.chance[name]
        p_values = (result.p_value, findings.adjusted_chance[name])[: 1 + len(adjusted)]
        numbers = map(finite_or_none, (result.value, result.chance, *p_values))
        rows.append((_short(name), *numbers, result.undefined or result.method))
    null = findings.chance_null
    note = f"p: how often {null} alone does as well (one-sided)"
    if null == CLASS_SHARES:
        note = "p: one-sided test against the score of the class shares of these cases"
    if len(known) > MAX_PAIRS_SHOWN:
        note += f"; the first {MAX_PAIRS_SHOWN} of {len(known):,} systems, the others are in the JSON"
    text = describe_chance(findings)
    grid = Grid("", columns, tuple(rows), note)
    return Section(f"Each against {null}", (text,) if text else (), (grid,))


def _tests(findings: ComparisonFindings) -> Section | None:
    """Tabulate all tests of two systems if a measure has more than one."""
    if len(findings.names) > 2:
        return None
    differences = _shown_of_two(findings)
    rows = tuple(
        (name, name_of_test(test, tail), p_value_cell(tail), tail.method)
        for name, difference in differences.items()
        if len(difference.tests) > 1
        for test, tail in difference.tests.items()
    )
    if not rows:
        return None
    columns = _columns("measure/measure", "test", "p/probability", "method")
    grids = [Grid("", columns, rows, "primary test listed first")]
    effects = [
        (name, difference.effect) for name, difference in differences.items() if difference.effect is not None
    ]
    if effects:
        columns = _columns("measure/measure", "effect", "size/number", "interval/interval")
        lines = tuple(
            (name, x.name, finite_or_none(x.value), interval_cell(x.interval(findings.level)))
            for name, x in effects
        )
        grids.append(Grid("Effect sizes", columns, lines))
    return Section("Tests", (), tuple(grids), is_folded=True)


def _disagreements(findings: ComparisonFindings) -> Section | None:
    """Tabulate who is right where, of labels: in lines for two systems, in columns for more."""
    if not findings.disagreements:
        return None
    disagreements = findings.ranked_disagreements[:MAX_PAIRS_SHOWN]
    if len(findings.names) == 2:
        only = disagreements[0]
        lines = (
            "both right",
            f"only {only['first']} right",
            f"only {only['second']} right",
            "both wrong, same answer",
            "both wrong, different answers",
        )
        counts = tuple(zip(lines, _discordance_counts(only), strict=True))
        grid = Grid("", (Column("outcome"), Column("cases", "count")), counts)
    else:
        heads = ("both right", "only system", "only other", "both wrong, same", "both wrong, different")
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (_short(pair["first"]), _short(pair["second"]), *_discordance_counts(pair))
            for pair in disagreements
        )
        columns = _columns(*RANKED_PAIR, *(f"{head}/count" for head in heads))
        grid = Grid("", columns, rows, "cases by which of the two systems is right")
    return Section("Where they differ", (), (grid,), ("disagreements",))


def _discordance_counts(pair: Disagreement) -> tuple[float, ...]:
    """List the counts of cases by who is right, in the order of the table's columns."""
    return (
        pair["both_right"],
        pair["only_first_right"],
        pair["only_second_right"],
        pair["both_wrong_alike"],
        pair["both_wrong_differently"],
    )


def _planning(findings: ComparisonFindings) -> Section:
    units = _units(findings)
    columns = _columns(
        *RANKED_PAIR, f"{units} now/count", f"{units} needed/count", "minimum detectable/number"
    )
    rows = tuple(
        (*map(_short, pair), whole_or_none(plan.cases), _needed(plan.needed), finite_or_none(plan.detectable))
        for pair in findings.ranked_pairs[:MAX_PAIRS_SHOWN]
        for plan in (findings.plans[findings.as_given(*pair)],)
    )
    pairs = len(findings.plans)
    considered = "" if pairs == 1 else f", adjusted for {pairs} pairs"
    power = findings.plans[next(iter(findings.plans))].power
    note = (
        "needed: in total, to confirm the observed difference; minimum detectable: the smallest difference "
        f"that the current sample would confirm; {format_percent(power)} power at the "
        f"{format_level(findings.level)} level{considered}"
    )
    return Section("Sample size", _describe_agreement(findings), (Grid("", columns, rows, note),))


def _describe_agreement(findings: ComparisonFindings) -> tuple[str, ...]:
    """Write how often two systems are both right or both wrong, which planning by accuracy needs."""
    only = next(iter(findings.headlines.values()))
    agreement, cases = only.agreement, only.cases
    if agreement is None and findings.disagreements and "[" not in findings.headline:
        both_right, first, second, *both_wrong = _discordance_counts(findings.disagreements[0])
        counted = both_right + first + second + sum(both_wrong)
        # With sampling weights these counts are not what the accuracies are shares of.
        if counted in (cases, findings.clustered):
            cases, agreement = counted, 1 - (first + second) / counted
    if len(findings.names) > 2 or agreement is None:
        return ()
    alike = round(agreement * cases)
    if not 0 < alike < cases:  # a plan takes no share of 0 or 1
        return ()
    share = f"{agreement:.6f}" if alike > 0.999 * cases else f"{agreement:.3f}".rstrip("0")
    unit = findings.clustered_unit if findings.unit == "cluster" else findings.unit
    seen = f"{alike:,} of {format_count(cases)} {plural(cases, unit)}"
    text = f"Both right or both wrong: {seen}. To plan a comparison like this one, pass"
    return (f"{text} --agreement {share} to edgeworth plan.",)


def _needed(cases: float) -> str:
    if math.isnan(cases):
        return "–"
    return "no sample size" if math.isinf(cases) else format_count(cases)


def _units(findings: ComparisonFindings) -> str:
    return plural(2, findings.unit)


def _short(name: str) -> str:
    # Systems that are called alike differ at their ends.
    return cut_middle(name, MAX_NAME_LENGTH)


def whole_or_none(number: float) -> float | None:
    """Return a whole number as an integer, another number as it is, and None if it is infinite or nan."""
    return int(number) if float(number).is_integer() else finite_or_none(number)


def _race(findings: ComparisonFindings) -> Section | None:
    """Tabulate the evidence of each forecaster against each other."""
    if findings.race is None:
        return None
    columns = _columns(
        "system", "against", "log e-value/number", f"per {findings.unit}/number", "e-value", "p/probability"
    )
    rows = tuple(
        (
            row["bettor"],
            row["against"],
            row["log_wealth"],
            row["growth"],
            _evidence(row),
            None if row["evidence"] is None else row["evidence"]["p_value"],
        )
        for row in findings.race.rows()[: 2 * MAX_PAIRS_SHOWN]
    )
    grids = [Grid("", columns, rows, "each row is one direction of one pair, not adjusted for the others")]
    text = (
        "An e-value of a system is the likelihood ratio of its probabilities to the other's. A large one is "
        'evidence against "the other\'s probabilities are the true ones, given all that the system knew". It '
        "does not say which is better on average."
    )
    if findings.no_evidence is not None:
        text = f"No evidence is reported: {findings.no_evidence}."
        grids = [Grid("", columns[:4], tuple(row[:4] for row in rows))]
    elif findings.duels and findings.duels[0].wealth.ordered:
        grids.append(_sequences(findings))
    texts = tuple(part for part in (describe_evidence(findings), text) if part)
    return Section("Evidence against each other", texts, tuple(grids), ("race",))


def _evidence(row: WealthRow) -> str:
    evidence = row["evidence"]
    if evidence is None:
        return str(row["undefined"])
    if evidence["log_e_value"] is None:
        return "0" if row["ruined"] else "infinite"
    return format_wealth(evidence["log_e_value"])


def _sequences(findings: ComparisonFindings) -> Grid:
    """Tabulate the mean score differences of ordered cases with their confidence sequences."""
    rows = []
    duels = {(duel.first, duel.second): duel for duel in findings.duels}
    for pair in findings.ranked_pairs[:MAX_PAIRS_SHOWN]:
        duel = duels[findings.as_given(*pair)]
        sign = 1 if pair[0] == duel.first else -1
        for name, sequence in (("Brier", duel.brier_sequence), ("log", duel.log_sequence)):
            if sequence is not None and len(sequence.mean):
                mean, *ends = (sign * float(x[-1]) for x in (sequence.mean, sequence.low, sequence.high))
                low, high = (finite_or_none(end) for end in ends[::sign])
                rows.append((*pair, name, finite_or_none(mean), (low, high)))
    sequence_head = f"{format_level(findings.level)} confidence sequence/interval"
    columns = _columns(*RANKED_PAIR, "score", f"{LESS}, mean/number", sequence_head)
    note = (
        "lower scores are better; the rows are in time order, so you may look at these intervals as often as "
        "you like; the one for the log score is asymptotic"
    )
    return Grid("Mean score differences", columns, tuple(rows), note)
