"""What became of the stake, what that proves and who scores better, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from edgeworth import __version__
from edgeworth.common.arrays import Floats, finite_or_none
from edgeworth.core.formatting import (
    NEGLIGIBLE,
    format_apart,
    format_bound,
    format_cases,
    format_interval,
    format_level,
    format_money,
    format_number,
    format_percent,
    format_wealth,
)
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.betting.wealth import CLASS_SHARES, RIVAL
from edgeworth.forecasts.curves import Paths
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.forecasts.reliability import ReliabilityBands
from edgeworth.rankings.estimates import is_turned_round
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_probability, format_option

CROSS_VALIDATED = (
    "The predictions are cross-validated: they were not made before the outcomes, so what the wealth "
    "proves holds only roughly; choosing variables outside the folds flatters the larger model."
)
UNORDERED = (
    "The order of the rows is not known, so only the final result is evidence, looked at once and not again "
    "and again as rows come in. Rows in time order: ordered=True (--ordered) or time (--time)."
)


def forecasts_verdict(findings: ForecastFindings) -> Verdict:
    """Write the verdict: scores, calibration, zeros, and what the bets prove, under the columns' own names.

    Who brings odds or asks for a bookmaker is told of the bets first.
    """
    wealth = findings.bets.wealth
    model, rival = map(findings.name, findings.scores.systems)
    if findings.is_drunken:
        rate = f"{format_percent(findings.bets.rate, 2)} a case" if wealth.log_wealth > -math.inf else "ruin"
        became = f"{_became(findings, wealth.against)} over {format_cases(wealth.cases)} ({rate})."
        return Verdict(Claim("bets", text) for text in (became, *_no_opponent(findings)))
    # Ruin proves only that what was ruled out happened, which the scores say.
    bets = () if wealth.log_wealth == -math.inf else (_bets(findings, model, rival),)
    scores = (_better(findings, model, rival), _describe_quality(findings, model), *_describe_zeros(findings))
    actual = [x for x, n in zip(findings.scores.labels, findings.scores.classes, strict=True) if n]
    text = f"Only one class occurs ({actual[0]}), so nothing tells whether {model} can tell classes apart."
    alone = (Claim("classes", text, "undefined"),) if len(actual) == 1 else ()
    if alone and wealth.book == "constant":  # shares counted on these cases know every outcome
        return Verdict((*alone, *scores[1:]))
    if bets and bets[0].strength == "shown" and scores[0].strength == "not shown":
        text = f"{bets[0].text[:-1]}, which is another question than which scores better."
        bets = (replace(bets[0], text=text),)
    comes_first = wealth.against not in (RIVAL, CLASS_SHARES)
    return Verdict((*alone, *bets, *scores) if comes_first else (*alone, *scores, *bets))


def _bets(findings: ForecastFindings, model: str, rival: str) -> Claim:
    """Say what $1 would have become, and what that proves."""
    wealth, evidence, stronger = findings.bets.wealth, findings.bets.against_rival, findings.bets.stronger
    whose = f"{rival}'s probabilities" if wealth.against == RIVAL else rival
    text = _became(findings, whose)
    numbers = {"log_wealth": wealth.log_wealth, "cases": wealth.cases, "p_value": stronger.p_value}
    if wealth.book == "constant" and wealth.fraction < 1:
        text += f" (at full stakes {format_money(evidence.log_e_value)})"
    elif evidence.log_maximum is not None and evidence.log_maximum > evidence.log_e_value + 1e-9:
        text += f" (highest {format_money(evidence.log_maximum)})"
    sides = "" if findings.bets.against_model is None else ", two-sided"
    is_shown = stronger.p_value <= 1 - findings.level
    value = stronger.p_value if is_shown else findings.bets.p_value
    proof = "p < 1e-6" if value < NEGLIGIBLE else f"p ≤ {format_bound(value)}"
    is_crossed = wealth.predictions_made == "cross-validated"
    hedge = ", if these were out-of-sample predictions" if is_crossed else ""
    priced = "some outcomes were likelier than their price" if is_shown else "the odds were wrong"
    of_what = {
        CLASS_SHARES: f"that {model} knows more than the class shares",
        RIVAL: f"against {whose}",
    }.get(wealth.against, f"that {priced}")
    if stronger.null != evidence.null:
        of_what = f"against the hypothesis that {findings.with_names(stronger.null)}"
    strength = "strong evidence" if is_shown else "not enough evidence"
    brackets = f" ({proof}{sides}{hedge})" if value < 1 else ""
    text = f"{text}: {strength} {of_what}{brackets}."
    return Claim("bets", text, "shown" if is_shown else "not shown", numbers, stronger.null)


def _describe_quality(findings: ForecastFindings, model: str) -> Claim:
    """Describe discrimination and calibration; with several classes, of the worst calibrated one."""
    classes = len(findings.reliability)
    label, bands = min(findings.reliability.items(), key=lambda item: item[1].p_value)
    p_value = min(1.0, classes * bands.p_value)
    is_off = p_value <= 1 - findings.level
    where = f" of {label}" if classes > 1 and is_off else ""
    shows = f"probabilities{where} show {describe_calibration(bands, findings)}."
    text = f"{model.replace('the ', 'The ', 1) if model.startswith('the ') else model}'s {shows}"
    if classes == 1 and math.isfinite(findings.areas[label]):
        text = f"The ROC area of {model} is {format_number(findings.areas[label])}; its {shows}"
    numbers = {"roc_area": findings.areas[label], "p_value": p_value}
    return Claim("calibration", text, "shown" if is_off else "not shown", numbers, "Monte Carlo")


def describe_calibration(bands: ReliabilityBands, findings: ForecastFindings) -> str:
    """Say whether a class's forecasts stray further from calibration than luck, all classes considered."""
    classes = len(findings.reliability)
    conclusion = (
        "miscalibration" if classes * bands.p_value <= 1 - findings.level else "no sign of miscalibration"
    )
    return (
        f"{conclusion} ({bands.p_text(classes)}{f', adjusted for {classes} classes' if classes > 1 else ''})"
    )


def _describe_zeros(findings: ForecastFindings) -> tuple[Claim, ...]:
    """Describe the cases in which the model gave probability 0 to what happened."""
    zeros = int(findings.scores.zeros[0])
    if not zeros:
        return ()
    text = (
        f"It gave probability 0 to what happened in {zeros:,} of {format_cases(findings.scores.cases)}: its "
        "log score is infinite, the worst there is, and betting on it at full stakes loses everything. Set a "
        "lowest probability by clip (--clip)."
    )
    return (Claim("zeros", text, "shown", {"zeros": zeros}),)


def _became(findings: ForecastFindings, whose: str) -> str:
    """Say what $1 would have become."""
    wealth, model = findings.bets.wealth, findings.name(findings.scores.systems[0])
    kelly = "" if wealth.fraction == 1 else f" at {format_option(wealth.fraction)} of Kelly's stakes"
    became, money = "grown" if wealth.log_wealth >= 0 else "shrunk", format_money(wealth.log_wealth)
    return f"Betting on {model} against {whose}{kelly} would have {became} $1 to {money}"


def _no_opponent(findings: ForecastFindings) -> tuple[str, ...]:
    """Describe wealth at prices drawn at random, which proves nothing about them."""
    wealth = findings.bets.wealth
    caveat = "Prices drawn at random are no opponent: beating them proves nothing about a forecast."
    if findings.expected_log_wealth is None or wealth.fraction < 1 or not math.isfinite(wealth.log_wealth):
        return (caveat,)
    here, expected = (format_number(log) for log in (wealth.log_wealth, findings.expected_log_wealth))
    if findings.crowd is not None:
        here += f"; {describe_crowd(findings.crowd)}"
    return (caveat, f"Log wealth is {here}; over all such bookmakers it is {expected} on average.")


def describe_crowd(crowd: Paths) -> str:
    """Describe the final log wealth against many bookmakers."""
    number, (low, middle, high) = len(crowd.log_wealth), map(format_number, crowd.spread()[:, -1].tolist())
    return f"against {number} such bookmakers its median is {middle} (5% to 95%: {low} to {high})"


def describe_orders(orders: Paths) -> str:
    """Describe extremes of wealth over random orders of the cases."""
    low, high = (_describe_spread(orders.spread(x), format_wealth) for x in ("log_minimum", "log_maximum"))
    fall = _describe_spread(-np.expm1(-orders.spread("drawdown")), format_percent)
    return (
        f"Over {len(orders.log_wealth):,} random orders of the cases, in the median (5% to 95%): lowest "
        f"wealth {low}, highest {high}, worst drawdown {fall}."
    )


def _describe_spread(values: Floats, form: Callable[[float], str]) -> str:
    low, middle, high = map(form, values.tolist())
    return f"{middle} ({low} to {high})"


def describe_goal(findings: ForecastFindings) -> list[str]:
    """Describe how soon wealth reaches a goal, and its median if the model is right."""
    if findings.goal is None and findings.flat is None:
        return []
    if findings.bets.growth == math.inf:
        opponent = findings.name(findings.scores.systems[1])
        return [
            f"Wealth has no bound, for {opponent} gave 0 to what happened: no time to a goal can be told."
        ]
    goal = findings.goal or 2.0
    aim, (value, *ends) = format_money(math.log(goal)), map(finite_or_none, findings.cases_to(goal))
    sure = f" ({format_level(findings.level)} CI {format_interval(*ends)})" if any(ends) else ""
    when = "never becomes" if value is None else f"takes about {format_number(value)} cases{sure} to become"
    median = format_money(findings.expected_median)
    median_sentence = f"If the model is right, $1 has become {median} after these cases in the median."
    return [f"At this growth $1 {when} {aim}.", *([] if findings.goal is None else [median_sentence])]


def describe_drunken(findings: ForecastFindings) -> tuple[str, ...]:
    """Describe the wealth of a bettor on the class shares at the same prices and full stakes."""
    wealth = findings.bets.wealth
    if wealth.fraction < 1 or not math.isfinite(wealth.log_wealth):
        return ()
    return (
        "At these prices one who bets the class shares would have ended at "
        f"{format_wealth(findings.shares_log_wealth)}: two who bet full stakes at the same fair prices "
        "differ by their log scores, whatever the prices are.",
    )


PRICES = {"backing": " divided by their sum", "exchange": " inside the spread at which the model bets"}
"""Which prices are taken as right, where a book has more than one."""


def describe_luck(tail: TestResult, book: str) -> str:
    """Describe how probable this wealth is by luck."""
    chance = f"luck gives at least this wealth with probability {describe_tail(tail)}"
    return f"If the prices{PRICES.get(book, '')} are right, {chance}."


def describe_tail(tail: TestResult) -> str:
    """Write a tail probability: both ends if they differ when rounded, one end if it is a bound.

    >>> describe_tail(TestResult(0.27, 0.33, 0.33, "by moments", kind="bracket"))
    'between 0.270 and 0.330'
    >>> describe_tail(TestResult(0.0, 2e-9, 2e-9, "by moments", kind="bound"))
    'at most 2e-9'
    """
    if tail.kind == "bound" and tail.p_value >= 1e-12:
        return f"at most {describe_probability(replace(tail, kind='exact'))}"
    low, high = (
        describe_probability(replace(tail, p_value=end, kind="exact", exact=None))
        for end in (tail.low, tail.high)
    )
    if tail.kind == "bracket" and low != high:
        return f"between {low} and {high}"
    return describe_probability(tail)


def _better(findings: ForecastFindings, model: str, rival: str) -> Claim:
    difference, wealth = findings.bets.brier, findings.bets.wealth
    model_score, rival_score = (
        format_number(findings.scores.mean("brier", x)) for x in findings.scores.systems
    )
    how, made = "better" if difference.mean > 0 else "worse", wealth.predictions_made
    numbers = {
        "difference": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "level": difference.level,
    }
    text = f"Brier score of {model} {model_score}, of {rival} {rival_score} (lower is better)"
    if difference.mean == 0:
        return Claim("score", f"{text}: the same.", "estimated", numbers)
    low, high = (
        (difference.low, difference.high) if difference.mean > 0 else (-difference.high, -difference.low)
    )
    size, *ends = format_apart(abs(difference.mean), low, high)
    if difference.says_nothing:
        text = f"{text}: {how} by {size}, but too few cases to tell who scores better."
        return Claim("score", text, "not shown", numbers)
    kind = f"{format_level(findings.level)} {'confidence sequence' if difference.at_all_times else 'CI'}"
    roughly = "roughly " if difference.holds.startswith("roughly") else ""
    interval = f"{roughly}{kind} {' to '.join(ends)}"
    if low <= 0:
        text = f"{text}: no significant difference ({how} by {size}, {interval})."
        return Claim("score", text, "not shown", numbers, difference.method)
    text += f": {how} by {size} ({interval})"
    cross = "" if made == "before" else ", by cross-validation"
    return Claim("score", f"{text}{cross}.", "shown", numbers, difference.method)


def forecasts_warnings(findings: ForecastFindings) -> tuple[str, ...]:
    """List the warnings about the forecasts and their order."""
    wealth, warnings = findings.bets.wealth, []
    if wealth.predictions_made == "cross-validated":
        warnings.append(CROSS_VALIDATED)
    # Prices made with hindsight have no way to use, in whatever order.
    if not wealth.ordered and wealth.book != "constant":
        warnings.append(UNORDERED)
    table = next(iter(findings.tables.values()))
    real = dict(zip(table.labels, table.real.tolist(), strict=True))
    areas = findings.areas.items()
    inverted = [x for x, area in areas if is_turned_round(area, real[x], float(table.total) - real[x])]
    if inverted:
        ask = "are these the probabilities of another class, or columns in another order?"
        area = f"ROC area of {inverted[0]} {format_number(findings.areas[inverted[0]])}"
        warnings.append(
            f"{area}: {ask} Taken order: {', '.join(map(str, table.labels))} (labels=, --labels)."
        )
    for index, system in enumerate(findings.scores.systems):
        zeros = int(findings.scores.zeros[index])
        if zeros and (index or findings.is_drunken):
            name, score = findings.name(system), "its log score is infinite"
            text = f"{name} gave probability 0 to what happened in {format_cases(zeros)}: {score}."
            warnings.append(text[:1].upper() + text[1:])
    return tuple(warnings)


def forecasts_citation(findings: ForecastFindings) -> str:
    """Write the sentence for a paper or a model card."""
    difference, wealth = findings.bets.brier, findings.bets.wealth
    model_score, rival_score = (
        format_number(findings.scores.mean("brier", x)) for x in findings.scores.systems
    )
    size, *ends = format_apart(difference.mean, difference.low, difference.high)
    interval = f"{format_level(difference.level)} CI {' to '.join(ends)}, {difference.method}"
    sentence = f"Brier score {model_score}, of {wealth.against} {rival_score}, difference {size} ({interval})"
    areas = [area for area in findings.areas.values() if math.isfinite(area)]
    area = f"; ROC area {format_number(areas[0])}" if len(areas) == 1 else ""
    return f"{sentence}{area}; n = {wealth.cases:,}; Edgeworth {__version__}."
