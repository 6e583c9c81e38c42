"""The decision of a gate as a value: outcome, exit code, sentences, JSON, JUnit XML and Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from edgeworth.common.arrays import plain_values
from edgeworth.common.choices import UndecidedAs
from edgeworth.core.amounts import describe_amount, format_difference, is_share
from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import (
    MINUS,
    displayable,
    escape_markdown,
    format_apart,
    format_count,
    format_level,
    format_p_value,
    format_rounded,
    format_together,
    plural,
)
from edgeworth.gates.error_rates import (
    Chance,
    ErrorRate,
    describe_chance_of,
    rates_to_dicts,
)
from edgeworth.gates.evidence import Outcome, RequirementResult, combine_results, has_too_few_units
from edgeworth.gates.policy import MIN_UNITS_FOR_RATES
from edgeworth.report.formats import grid_to_markdown, write_text
from edgeworth.report.report import Grid, json_text, make_columns, map_texts
from edgeworth.report.wording import describe_measure

PASSED, FAILED, UNDECIDED = 0, 1, 3
"""Exit codes; 2 is bad input."""
WORDS: Mapping[Outcome, str] = {"pass": "PASS", "fail": "FAIL", "undecided": "UNDECIDED"}
SCHEMA = "edgeworth/gate/1"
NEXT_TO_BOUND = 1e-9
"""An end of an interval that is nearer to a bound differs from it by rounding only."""
UNSEEN_ITEMS = "a few unseen items at the worst end could move the mean across the bound"
"""Why nothing is decided although the interval would decide."""


@dataclass(frozen=True, repr=False)
class Decision:
    """The decision of a gate: the outcome, the reasons, and how often the gate decides wrongly.

    ``ew.check`` makes decisions.

    Attributes
    ----------
    outcome : {"pass", "fail", "undecided"}
        The outcome.
    results : tuple of RequirementResult
        The requirements with their numbers and outcomes.
    failures : tuple of str
        Reasons to fail at any values: vanished items, unfinished runs, items that had to be right.
    notes : tuple of str
        Remarks.
    candidate, baseline : str
        The names of the systems.
    level : float
        The confidence level.
    undecided_as : {"pass", "fail"}, optional
        What an undecided outcome counts as.
    is_anytime : bool
        Whether the decision stays valid if you check repeatedly as rows arrive.

    Examples
    --------
    >>> import edgeworth as ew
    >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
    >>> decision = ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8")
    >>> decision.outcome, decision.passed, decision.exit_code, decision.headline[:5]
    ('pass', True, 0, 'PASS:')
    >>> decision.sentences()[0][:28]
    'PASS  accuracy >= 0.8: 90.0%'
    """

    outcome: Outcome
    results: tuple[RequirementResult, ...]
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    candidate: str = "candidate"
    baseline: str | None = None
    level: float = 0.95
    undecided_as: UndecidedAs | None = None
    is_anytime: bool = False
    rates: tuple[ErrorRate, ...] = field(default=(), repr=False)
    """The error rates of all requirements together."""

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == PASSED

    @property
    def exit_code(self) -> int:
        """The exit code: 0 for pass, 1 for fail, 3 for undecided unless ``undecided_as`` is set."""
        if self.outcome == "undecided" and self.undecided_as is not None:
            return PASSED if self.undecided_as == "pass" else FAILED
        return {"pass": PASSED, "fail": FAILED, "undecided": UNDECIDED}[self.outcome]

    def __bool__(self) -> bool:
        return self.passed

    # -- sentences --------------------------------------------------------------------------------------

    @property
    def headline(self) -> str:
        """The decision in one sentence."""
        number = len(self.results)
        has_parts = number > len({result.requirement.text for result in self.results})
        noun = "checks" if has_parts else "requirements"

        def describe_share(outcome: Outcome) -> str:
            share = sum(result.outcome == outcome for result in self.results)
            if share == number:
                return "the requirement" if number == 1 else f"any of {number} {noun}"
            return f"{share} of {number} {noun}"

        if self.outcome == "pass":
            met = "the requirement" if number == 1 else f"{'both' if number == 2 else f'all {number}'} {noun}"
            return f"PASS: {self.candidate} meets {met}."
        if self.outcome == "undecided":
            counts = f" (counts as {self.undecided_as})" if self.undecided_as is not None else ""
            share = describe_share("undecided")
            outside = sum(_place(x) == "outside" for x in self.results if x.outcome == "undecided")
            text = f"UNDECIDED{counts}: the data do not show whether {self.candidate} meets {share}"
            if outside and number > 1:
                text += f"; the {format_level(self.level)} interval of {outside} lies on the wrong side"
            return f"{text}."
        is_failed = any(result.outcome == "fail" for result in self.results)
        verdict = f"does not meet {describe_share('fail')}" if is_failed else "does not pass"
        if is_failed:
            others = len(self.failures)
            also = f", and {others} other {plural(others, 'check')} failed" if others else ""
            return f"FAIL: {self.candidate} {verdict}{also}."
        if len(self.failures) == 1:
            return f"FAIL: {self.candidate} {verdict}: {self.failures[0].partition('. ')[0].rstrip('.')}."
        return f"FAIL: {self.candidate} {verdict}: {len(self.failures)} checks failed."

    def sentences(self) -> list[str]:
        """Write one sentence per requirement and per other reason to fail.

        Returns
        -------
        list of str
            The sentences.
        """
        lines = [f"FAIL  {text}" for text in self.failures]
        return lines + [f"{WORDS[result.outcome]}  {describe_result(result)}" for result in self.results]

    def rates_by_requirement(self) -> dict[str, list[ErrorRate]]:
        """Combine the error rates of each requirement over its parts, which have different items.

        :meta private:
        """
        groups = self._results_by_requirement()
        return {name: combine_results(results) for name, results in groups.items()}

    def _results_by_requirement(self) -> dict[str, list[RequirementResult]]:
        """Group the results; a requirement for parts is apart from the same one for all cases."""
        groups: dict[str, list[RequirementResult]] = {}
        for result in self.results:
            rule = result.requirement
            columns = f" [by {', '.join(rule.columns)}]" if rule.columns else ""
            groups.setdefault(f"{rule.text}{columns}", []).append(result)
        return groups

    def rate_rows(self) -> list[tuple[str, ErrorRate]]:
        """List systems of assumed quality with their rates: by requirement, then for all of them together.

        :meta private:
        """
        groups, rates = self._results_by_requirement(), self.rates_by_requirement()
        rows = []
        for name, results in groups.items():
            which = results[0].requirement.text if len(groups) > 1 else ""
            which = f"{which}{_in_all_parts(results)}".strip()
            which = f"{which}, " if which else ""
            rows += [(f"{which}{self._describe_scenario(rate, results)}", rate) for rate in rates[name]]
        if len(groups) > 1:
            words = {
                "unchanged": f"all requirements together, {self._if_unchanged()}",
                "worse": f"all requirements together, if {self.candidate} were that much worse in each",
            }
            rows += [(words[rate.scenario], rate) for rate in self.rates if rate.scenario in words]
        return rows

    def _if_unchanged(self) -> str:
        return f"if {self.candidate} were exactly as good as {self._baseline_name()}"

    def _baseline_name(self) -> str:
        return self.baseline or "the baseline"

    def _describe_scenario(self, rate: ErrorRate, results: Sequence[RequirementResult]) -> str:
        """Write which quality of the candidate a rate of a requirement assumes, in one or several parts."""
        requirement, region = results[0].requirement, results[0].evidence.region
        measure = requirement.measure
        if rate.scenario == "unchanged":
            return self._if_unchanged()
        rates = [x for result in results for x in result.rates]
        truths = [x.truth for x in rates if x.scenario == rate.scenario]
        reason = ""
        if all(x.scenario != "better" for x in rates) or rate.scenario == "better":
            alone = f" in one {_column_of(results) or 'part'} alone" if len(results) > 1 else ""
            reason = f" (the nearest detected with about {results[0].power:.0%} power{alone})"
        elif rate.scenario == "worse":
            reason = " (as far on the other side)"
        if not requirement.needs_baseline:
            reason = "" if rate.scenario == "at the bound" else reason
            values = _range_of(sorted(truths), lambda x: _write_value(measure, x))
            return f"if the true {describe_measure(measure)} of {self.candidate} were {values}{reason}"
        is_margin = all(abs(truth) == requirement.margin for truth in truths)
        sizes = _range_of(sorted(truths, key=abs), lambda x: _amount(measure, x))
        size = requirement.describe_margin() if is_margin else sizes
        reason = "" if is_margin else reason
        if requirement.relation == "within":
            return f"if {self.candidate} differed from {self._baseline_name()} by {size}{reason}"
        is_better = (truths[0] if math.isfinite(region.low) else -truths[0]) > 0
        than = f"{'better' if is_better else 'worse'} than {self._baseline_name()}"
        return f"if {self.candidate} were {than} by {size}{reason}"

    def describe_most_passes(self) -> str | None:
        """Bound how often an unchanged system passes if no rate of the whole gate can be computed.

        It passes at most as often as the hardest requirement on a difference does, at any level of quality.

        :meta private:
        """
        if self.rates or len(self._results_by_requirement()) < 2:
            return None
        rates = [rate for rates in self.rates_by_requirement().values() for rate in rates]
        chances = [rate.passes for rate in rates if rate.scenario == "unchanged"]
        if not chances:
            return None
        most = Chance(*(min(values) for values in zip(*chances, strict=True)))
        return f"all requirements together, {self._if_unchanged()}: pass at most {describe_chance_of(most)}"

    def describe_rates(self) -> list[str]:
        """Write how often the gate decides each way for systems of assumed quality.

        Returns
        -------
        list of str
            The sentences.

        Examples
        --------
        >>> import edgeworth as ew
        >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
        >>> decision = ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8")
        >>> len(decision.describe_rates()) > 1
        True
        """
        rows = self.rate_rows()
        few = next((x.evidence for x in self.results if has_too_few_units(x.evidence.model)), None)
        if not rows and few is not None:
            number = f"{format_count(few.cases)} {plural(few.cases, few.unit)}"
            return [f"No error rates: {number} are too few to state them (at least {MIN_UNITS_FOR_RATES})."]
        if not rows:
            parts = [x.part for x in self.results if x.part and x.evidence.reason is not None]
            names = ", ".join(parts)
            return [f"No error rates: nothing can be decided for {names}."] if parts else []
        look = ", at one look" if self.is_anytime else ""
        sizes = {(x.evidence.cases, x.evidence.unit, x.part) for x in self.results}
        cases, unit, _ = next(iter(sizes))
        data = "new data of this size"
        # An effective sample size is not a number of cases to collect.
        if len(sizes) == 1 and float(cases).is_integer():
            data = f"{format_count(cases)} new {plural(cases, unit)}"
        head = f"How often this check gives each answer on {data}{look}:"
        lines = [head, *(f"  {name}: {_chances(rate)}{self._exit_rate(rate)}" for name, rate in rows)]
        most = self.describe_most_passes()
        return lines if most is None else [*lines, f"  {most}"]

    def _exit_rate(self, rate: ErrorRate) -> str:
        """Write how often the exit code is 0, if undecided counts as pass or as fail."""
        counted = self._count_passes(rate)
        return "" if counted is None else f"; the exit code is 0 in {describe_chance_of(counted)}"

    def _count_passes(self, rate: ErrorRate) -> Chance | None:
        """Compute how often the exit code is 0, if undecided counts as pass or as fail."""
        if self.undecided_as is None:
            return None
        fails = rate.fails
        is_pass = self.undecided_as == "pass"
        return Chance(1 - fails.value, 1 - fails.high, 1 - fails.low) if is_pass else rate.passes

    def __str__(self) -> str:
        lines = [self.headline, *(f"  {line}" for line in self.sentences()), *self.describe_rates()]
        return "\n".join(map(displayable, [*lines, *(f"Note: {note}" for note in self.notes)]))

    # -- files ------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict
            The outcome, the requirements and the error rates.

        Examples
        --------
        >>> import edgeworth as ew
        >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
        >>> ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8").to_dict()["outcome"]
        'pass'
        """
        return {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "headline": self.headline,
            "candidate": self.candidate,
            "baseline": self.baseline,
            "level": self.level,
            "undecided_as": self.undecided_as,
            "anytime": self.is_anytime,
            "failures": list(self.failures),
            "requirements": [result.to_dict() for result in self.results],
            "error_rates": rates_to_dicts(self.rates),
            "error_rates_by_requirement": {
                text: rates_to_dicts(rates) for text, rates in self.rates_by_requirement().items()
            },
            "notes": list(self.notes),
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the decision as JSON text.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import json
        >>> import edgeworth as ew
        >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
        >>> decision = ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8")
        >>> json.loads(decision.to_json())["outcome"]
        'pass'
        """
        return write_text(json_text(plain_values(self.to_dict()), indent=2) + "\n", path)

    def to_junit(self, path: str | Path | None = None) -> str:
        """Write JUnit XML with one test per requirement. Undecided is "skipped".

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import edgeworth as ew
        >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
        >>> "<testcase" in ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8").to_junit()
        True
        """
        cases = [
            (f"{result.requirement.text}{_in_part(result)}", result.outcome, describe_result(result))
            for result in self.results
        ]
        cases += [(text, "fail", text) for text in self.failures]
        outcomes = [self._counted(outcome) for _, outcome, _ in cases]
        suite = ElementTree.Element(
            "testsuite",
            name="edgeworth check",
            tests=str(len(cases)),
            failures=str(outcomes.count("fail")),
            errors="0",
            skipped=str(outcomes.count("undecided")),
        )
        for (name, _, text), outcome in zip(cases, outcomes, strict=True):
            case = ElementTree.SubElement(
                suite, "testcase", classname="edgeworth.gate", name=displayable(name)
            )
            if outcome != "pass":
                tag = "failure" if outcome == "fail" else "skipped"
                ElementTree.SubElement(case, tag, message=displayable(text))
            else:
                ElementTree.SubElement(case, "system-out").text = displayable(text)
        ElementTree.indent(suite)
        text = ElementTree.tostring(suite, encoding="unicode", xml_declaration=False)
        return write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', path)

    def _counted(self, outcome: Outcome) -> Outcome:
        return self.undecided_as or outcome if outcome == "undecided" else outcome

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Write Markdown for the summary of a workflow step.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import edgeworth as ew
        >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
        >>> decision = ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8")
        >>> "accuracy" in decision.to_markdown()
        True
        """
        parts = [f"### {escape_markdown(_plain(self.headline))}\n", *map(grid_to_markdown, self._grids())]
        parts += [f"{escape_markdown(_plain(note))}\n" for note in self.notes]
        return write_text("\n".join(parts), path)

    def _grids(self) -> list[Grid]:
        """List the results of the requirements, and how often the gate decides each way."""
        rows = [("FAIL", "", text) for text in self.failures]
        rows += [
            (WORDS[result.outcome], f"{result.requirement.text}{_in_part(result)}", describe_numbers(result))
            for result in self.results
        ]
        grids = [Grid("", make_columns("outcome", "requirement", "result", default="text"), tuple(rows))]
        rates = []
        for name, rate in self.rate_rows():
            counted = self._count_passes(rate)
            chances = (rate.passes, rate.undecided, rate.fails, *(() if counted is None else (counted,)))
            rates.append((name, *map(describe_chance_of, chances)))
        if rates:
            names = ["how often this check gives each answer", "pass", "undecided", "fail"]
            columns = make_columns(
                *names, *(() if self.undecided_as is None else ("exit code 0",)), default="text"
            )
            most = self.describe_most_passes()
            grids.append(
                Grid("", columns, tuple(rates), "" if most is None else f"{most[0].upper()}{most[1:]}.")
            )
        return grids

    def _repr_html_(self) -> str:
        """Show the decision in a notebook."""
        from edgeworth.report.html.notebook import tables_fragment

        return tables_fragment(self.headline, map_texts(displayable, self._grids()), self.notes)

    def _repr_markdown_(self) -> str:
        """Show the decision where a notebook becomes Markdown."""
        return self.to_markdown()

    def __repr__(self) -> str:
        return f"<Decision {_plain(self.headline)}>"

    def annotations(self) -> list[str]:
        """Write the workflow commands that GitHub shows beside a run.

        Returns
        -------
        list of str
            The commands.

        Examples
        --------
        >>> import edgeworth as ew
        >>> truth, prediction = [1, 0] * 100, [1, 0] * 90 + [0, 1] * 10
        >>> ew.check(truth=truth, prediction=prediction, require="accuracy >= 0.8").annotations()[0][:8]
        '::notice'
        """
        lines = [_annotation("error", "Gate failed", text) for text in self.failures]
        for result in self.results:
            outcome = self._counted(result.outcome)
            kind = {"pass": "notice", "fail": "error", "undecided": "warning"}[outcome]
            kind = "warning" if result.outcome == "undecided" and kind == "notice" else kind
            title = {"pass": "Gate passed", "fail": "Gate failed", "undecided": "Gate undecided"}[
                result.outcome
            ]
            lines.append(_annotation(kind, title, describe_result(result)))
        return lines


def _plain(text: str) -> str:
    return " ".join(displayable(text).split())


def _annotation(kind: str, title: str, text: str) -> str:
    escaped = displayable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{kind} title={title}::{escaped}"


def _in_part(result: RequirementResult) -> str:
    return f" [{result.part}]" if result.part else ""


def describe_result(result: RequirementResult) -> str:
    """Write one requirement: its text, the numbers, and what would decide if nothing is decided."""
    return f"{result.requirement.text}{_in_part(result)}: {describe_numbers(result)}"


def describe_numbers(result: RequirementResult) -> str:
    """Write the numbers behind an outcome, and what would decide if nothing is decided."""
    evidence = result.evidence
    if math.isnan(evidence.quantity):
        return f"{_sentence(evidence.reason or 'undefined')}"
    text = f"{_levels(result)} {_brackets(result)}."
    if result.outcome == "undecided":
        text += f" {_why_undecided(result)}"
    if result.cannot_pass is not None and result.outcome != "pass":
        text += f" {_sentence(result.cannot_pass)}"
    return text


def _levels(result: RequirementResult) -> str:
    evidence, measure = result.evidence, result.requirement.measure
    if not result.requirement.needs_baseline:
        return _write_levels(measure, evidence.value, result.interval)[0]
    own, other = _write_values(measure, evidence.value, evidence.baseline_value)
    difference, *_ = format_difference(measure, evidence.quantity, result.interval)
    return f"{own} against {other}, {difference}"


def _brackets(result: RequirementResult) -> str:
    evidence, measure = result.evidence, result.requirement.measure
    number = f"{format_count(evidence.cases)} {plural(evidence.cases, evidence.unit)}"
    if math.isnan(result.interval.low):
        return f"({number})"
    name = format_level(result.level)
    if result.requirement.needs_baseline:
        _, low, high = format_difference(measure, evidence.quantity, result.interval)
    else:
        _, low, high = _write_levels(measure, evidence.value, result.interval)
    scale = 100 if is_share(measure) else 1
    bounds = [scale * bound for bound in evidence.region]
    ends = zip((low, high), result.interval, strict=True)
    low, high = (_write_apart(text, scale * end, bounds) for text, end in ends)
    return f"({name} CI {low} to {high}; {number})"


def _write_apart(text: str, end: float, bounds: Iterable[float]) -> str:
    """Write an end of an interval with up to four more decimals if it looks like a bound and is none.

    >>> _write_apart("+0.05", 0.0512, [0.05]), _write_apart("80.0%", 79.97, [80.0])
    ('+0.051', '79.97%')
    """
    unit, sign = "%" if text.endswith("%") else "", "+" if text.startswith("+") else "-"
    number = text.removesuffix("%")
    least = len(number.partition(".")[2])
    for bound in bounds:
        if not math.isfinite(bound) or abs(end - bound) < NEXT_TO_BOUND:
            continue
        tries = (f"{end:{sign}.{decimals}f}" for decimals in range(least, least + 5))
        number = next((x for x in [number, *tries] if _value(x) != bound), number)
    return f"{number.replace('-', MINUS)}{unit}"


def _value(text: str) -> float:
    return float(text.replace(MINUS, "-").replace(",", ""))


def _write_levels(measure: str, value: float, interval: Interval) -> list[str]:
    """Write a value and its bounds: in percent for a share of right answers."""
    if is_share(measure):
        return [f"{100 * x:.1f}%" for x in (value, *interval)]
    own, *ends = format_together(value, *interval)
    return [f"{describe_measure(measure)} {own}", *ends]


def _write_values(measure: str, own: float, other: float) -> list[str]:
    """Write two values with as many decimals as each other."""
    if is_share(measure) or not (math.isfinite(own) and math.isfinite(other)):
        return [_write_value(measure, value) for value in (own, other)]
    return format_apart(own, other)


def _write_value(measure: str, value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if is_share(measure):
        return f"{100 * value:.1f}%"
    return f"{value:.3g}".replace("-", MINUS)


def _why_undecided(result: RequirementResult) -> str:
    """Explain why nothing is decided, and how many more cases would decide."""
    evidence = result.evidence
    if evidence.reason is not None:
        if evidence.test is not None and _place(result) != "across" and not math.isnan(evidence.test.p_value):
            p_value = format_p_value(evidence.test.p_value)
            return _sentence(
                f"the interval excludes {_bound(result)} ({p_value}), but nothing is decided: "
                f"{evidence.reason}"
            )
        return _sentence(evidence.reason)
    reason = _why_not_by_interval(result)
    if math.isnan(result.more):
        return reason or "The interval reaches the bound."
    if math.isinf(result.more):
        return reason or "The estimate is so near to the bound that no practical sample would decide."
    return f"{reason} {_describe_plan(result)}".strip()


def _place(result: RequirementResult) -> Literal["inside", "outside", "across"]:
    """Find where the interval lies: inside what is allowed, outside, or across a bound."""
    (low, high), region = result.interval, result.evidence.region
    if high < region.low or low > region.high:
        return "outside"
    return "inside" if low >= region.low and high <= region.high else "across"


def _bound(result: RequirementResult) -> str:
    return "chance" if result.requirement.reference == "chance" else "0"


def _why_not_by_interval(result: RequirementResult) -> str:
    """Write why nothing is decided although interval or test alone would decide; empty if neither would."""
    evidence, place, test = result.evidence, _place(result), result.evidence.test
    p_value = "" if test is None or math.isnan(test.p_value) else format_p_value(test.p_value)
    if place == "across":
        if test is None or not test.confirms(result.level):
            return ""
        return _sentence(f"{test.name} has {p_value}, but the interval reaches {_bound(result)}")
    level = result.level if place == "inside" else result.failing_level
    if test is not None and not test.confirms(level):
        if not p_value:
            return f"The interval excludes {_bound(result)}, but there is no test to confirm it."
        return (
            f"The interval excludes {_bound(result)}, but the test does not confirm it: {test.name} has "
            f"{p_value}, and{_with_open_checks(result, level)} {'below' if test.is_two_sided else 'at most'} "
            f"{test.limit(level):.3g} is needed."
        )
    is_unseen = any(evidence.unseen_shifts) if place == "inside" else not evidence.fails(result.level)
    if is_unseen:
        despite = f"the interval excludes {_bound(result)} ({p_value}), but " if p_value else ""
        return _sentence(f"{despite}{UNSEEN_ITEMS}")
    if place == "outside":
        return (
            f"The interval lies on the wrong side, but{_with_open_checks(result, level)} a fail needs the "
            f"{_failing_level(level)} interval to lie there too."
        )
    return "The interval is narrow enough, but the exact test for few cases does not confirm it."


def _with_open_checks(result: RequirementResult, level: float) -> str:
    """Name the number of checks that make failing harder; nothing for one check, and for passing."""
    if level == result.level:
        return ""
    number = round((1 - result.level) / (1 - level))
    return f" with {number} checks that could fail (Holm's method)"


def _failing_level(level: float) -> str:
    """Write a level that was divided by a number of checks, with one digit of what it leaves out.

    >>> _failing_level(1 - 0.05 / 7), _failing_level(1 - 0.05 / 700)
    ('99.3%', '99.993%')
    """
    digits = max(1, math.floor(-math.log10(1 - level)) - 1)
    return format_level(round(level, digits + 2))


def _describe_plan(result: RequirementResult) -> str:
    """Write how many more cases would decide, in which direction, and under which assumption."""
    evidence, measure = result.evidence, result.requirement.measure
    if result.requirement.needs_baseline:
        what, value = "difference", format_difference(measure, evidence.quantity, result.interval)[0]
    else:
        what = describe_measure(measure)
        value = _write_levels(measure, evidence.value, result.interval)[0].removeprefix(f"{what} ")
    number = f"about {format_rounded(result.more)} more {plural(result.more, evidence.unit)}"
    return (
        f"With {number}, it would {evidence.likely_outcome} with a probability of {result.power:.0%}, if the "
        f"true {what} is {value}, as observed."
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _range_of(values: Sequence[float], write: Callable[[float], str]) -> str:
    """Write the first and the last of sorted values, or one if they are written alike."""
    first, last = write(values[0]), write(values[-1])
    return first if first == last else f"{first} to {last}"


def _column_of(results: Sequence[RequirementResult]) -> str:
    """Find the column whose values the parts are; nothing if there are several."""
    columns = {result.evidence.column for result in results}
    return columns.pop() if len(columns) == 1 else ""


def _in_all_parts(results: Sequence[RequirementResult]) -> str:
    """Write that rates are about all parts together; nothing for a requirement without parts."""
    if len(results) < 2:
        return ""
    number = "both" if len(results) == 2 else f"all {len(results)}"
    return f" in {number} {plural(2, _column_of(results) or 'part')}"


def _amount(measure: str, amount: float) -> str:
    return describe_amount(measure, float(f"{abs(amount):.2g}"))


def _chances(rate: ErrorRate) -> str:
    parts = {"pass": rate.passes, "undecided": rate.undecided, "fail": rate.fails}
    return ", ".join(f"{name} {describe_chance_of(chance)}" for name, chance in parts.items())
