"""The sentences of a report on probabilities: verdict, warnings and citation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from edgeworth import __version__
from edgeworth.bet.ledger import Ledger
from edgeworth.common.arrays import Floats, finite_or_none
from edgeworth.core.amounts import format_difference, format_levels
from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import (
    MAX_DIGITS,
    MIN_P_VALUE_WRITTEN,
    format_apart,
    format_bound,
    format_cases,
    format_interval,
    format_level,
    format_money,
    format_number,
    format_percent,
    format_signed_percent,
    format_wealth,
    in_clusters,
    plural,
)
from edgeworth.core.labels import list_labels
from edgeworth.core.sampling_distributions import alpha_of, is_significant
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.betting.season import MeanValue
from edgeworth.forecasts.betting.wealth import CLASS_SHARES, RIVAL
from edgeworth.forecasts.curves import Paths
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.forecasts.ledger_report import (
    MAX_TIMES_START,
    describe_end,
    describe_rounds,
    describe_yield,
    yield_numbers,
)
from edgeworth.forecasts.policy import DETECTION_POWER, MIN_CASES_FOR_SCORE_CLAIM
from edgeworth.forecasts.robust_calibration import RobustCalibrationTest
from edgeworth.rankings.estimates import is_turned_round
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_probability, format_option
from edgeworth.sources.columns import Label

CROSS_VALIDATED = (
    "The predictions are cross-validated, not made before the outcomes, so the evidence is approximate. "
    "Choose variables within the folds: otherwise the larger model looks too good."
)
UNORDERED = (
    "The row order is unknown, so the evidence is valid only for the final result, not for results checked "
    "repeatedly as rows arrive. If the rows are in time order, pass --ordered or --time COLUMN."
)
NO_BANKROLL = (
    "Without the times of the games there is no bankroll. Pass --time COLUMN (games of one date share the "
    "bankroll) or --round COLUMN."
)

BOUNDLESS = (
    "The bankroll would grow beyond any number, so there is no ledger. No market pays that much: check that "
    "the odds belong to these games and classes."
)


def forecasts_verdict(findings: ForecastFindings) -> Verdict:
    """Write the verdict: scores, calibration, zeros and evidence, under the columns' own names.

    With odds or a bookmaker, the bets come first.
    """
    wealth = findings.bets.wealth
    model, rival = map(findings.name, findings.scores.systems)
    if findings.is_drunken:
        return Verdict(Claim("bets", text) for text in (_became(findings), *_no_opponent(findings)))
    # Ruin shows only that something with probability 0 happened, which the scores show, too.
    is_proof = wealth.log_wealth > -math.inf or findings.has_odds
    bets = _bets(findings, model, rival) if is_proof and not findings.is_robust else ()
    scores = (_better(findings, model, rival), _describe_quality(findings, model), *_describe_zeros(findings))
    actual = [x for x, n in zip(findings.scores.labels, findings.scores.classes, strict=True) if n]
    text = (
        f"Only one class occurs ({actual[0]}), so these cases cannot show whether {model} separates classes."
    )
    one_class = (Claim("classes", text, "undefined"),) if len(actual) == 1 else ()
    if one_class and wealth.book == "constant":  # the shares counted on these cases are right every time
        return Verdict((*one_class, *scores[1:]))
    if bets and not findings.has_odds:
        bets = _other_conclusion(findings, bets[-1], scores[0])
        if bets and wealth.against == CLASS_SHARES and scores[0].strength != "shown":
            # Whether the forecasts are informed comes before by how much.
            by_how_much = f"How much better it scores than {rival} is unclear"
            return Verdict(
                (*one_class, *bets, *scores[1:], _better(findings, model, rival, unclear=by_how_much))
            )
        # Evidence is left here only if it shows what the mean scores do not.
        bets = tuple(replace(x, text=f"Yet {x.text[0].lower()}{x.text[1:]}") for x in bets)
    comes_first = wealth.against not in (RIVAL, CLASS_SHARES)
    before, after = (bets, ()) if comes_first else ((), bets)
    return Verdict((*one_class, *before, scores[0], *after, *scores[1:]))


def _other_conclusion(findings: ForecastFindings, evidence: Claim, score: Claim) -> tuple[Claim, ...]:
    """Keep the evidence if it shows something that the difference of mean scores does not."""
    if evidence.strength != "shown":
        return ()
    if score.strength != "shown":
        return (evidence,)
    favours_model = findings.bets.stronger.null == findings.bets.against_rival.null
    return () if favours_model == (findings.bets.brier.mean > 0) else (evidence,)


def _bets(findings: ForecastFindings, model: str, rival: str) -> tuple[Claim, ...]:
    """Describe the evidence, and what bets at the user's odds would have earned."""
    money, evidence = _money(findings), _evidence(findings, model, rival)
    if any(claim.numbers.get("bets") == 0 for claim in money):
        return money
    return (evidence, *money)


def _is_evidence(findings: ForecastFindings) -> bool:
    """Return whether the bets are evidence against the opponent's prices, or against the model."""
    # The p-value is 1 over an e-value, and an e-value of exactly 20 counts at 95% (Ville's inequality).
    return findings.bets.stronger.p_value <= alpha_of(findings.level)


def _by_luck(findings: ForecastFindings, profit: float, low: float) -> str:
    """Write that luck can explain a profit, if neither the evidence nor its interval rules that out."""
    return ", which luck can explain" if profit > 0 >= low and not _is_evidence(findings) else ""


def _money(findings: ForecastFindings) -> tuple[Claim, ...]:
    """Describe the bankroll after bets at the user's odds."""
    ledger, fraction = findings.ledger, findings.bets.wealth.fraction
    if ledger is None:
        return _unit_stakes(findings)
    part = "Kelly's stakes" if fraction == 1 else f"{format_option(fraction)} of Kelly's stakes"
    if not len(ledger):
        text = (
            f"No outcome was worth its odds in {describe_rounds(ledger)}, so nothing would have been staked."
        )
        return (Claim("bankroll", text, "estimated", {"bets": 0}),)
    numbers = {"start": ledger.start, "end": ledger.end, **yield_numbers(ledger, findings.level)}
    text = (
        f"Betting {part} {describe_end(ledger)} over {describe_rounds(ledger)}"
        f"{_by_luck(findings, ledger.profit, ledger.interval(findings.level)[0])}: "
        f"{len(ledger):,} {plural(len(ledger), 'bet')}, {describe_yield(ledger, findings.level)}."
    )
    return (Claim("bankroll", text, "estimated", numbers, "score test"),)


def _unit_stakes(findings: ForecastFindings) -> tuple[Claim, ...]:
    """Describe what unit stakes earned if the rounds, and so the bankroll, are unknown."""
    flat = findings.flat
    if flat is None:
        return ()
    if not flat.bets:
        text = "No outcome was worth its odds, so nothing would have been staked."
        return (Claim("unit stakes", text, "estimated", {"bets": 0}),)
    ends = flat.interval(findings.level)
    low, high = map(format_signed_percent, ends)
    interval = f"{format_level(findings.level)} CI {low} to {high}"
    text = (
        f"A unit bet on the outcome of best value, in the {flat.bets:,} of {findings.scores.cases:,} games "
        f"with an outcome worth its odds, would have yielded {format_signed_percent(flat.rate)} ({interval})"
        f"{_by_luck(findings, flat.profit, ends[0])}."
    )
    numbers = {"yield": flat.rate, "yield_low": ends[0], "yield_high": ends[1], "level": findings.level}
    return (Claim("unit stakes", text, "estimated", {**numbers, "bets": flat.bets}, "score test"),)


def _evidence(findings: ForecastFindings, model: str, rival: str) -> Claim:
    """Describe the strength of the evidence."""
    wealth, evidence, stronger = findings.bets.wealth, findings.bets.against_rival, findings.bets.stronger
    numbers = {"log_e_value": evidence.log_e_value, "cases": wealth.cases, "p_value": stronger.p_value}
    sides = "" if findings.bets.against_model is None else ", two-sided"
    is_shown = _is_evidence(findings)
    value = stronger.p_value if is_shown else findings.bets.p_value
    proof = "p < 1e-6" if value < MIN_P_VALUE_WRITTEN else f"p ≤ {format_bound(value)}"
    is_crossed = wealth.predictions_made == "cross-validated"
    hedge = ", if these were out-of-sample predictions" if is_crossed else ""
    of_what = {
        CLASS_SHARES: f"that {model} knows more than the class shares",
        RIVAL: f"that {rival}'s probabilities are not exactly right",
    }.get(wealth.against, "that some outcomes were likelier than their odds imply")
    if stronger.null != evidence.null:
        of_what = f"against the hypothesis that {findings.with_names(stronger.null)}"
    strength = "There is evidence" if is_shown else "There is not enough evidence"
    since = findings.season.clear_since(findings.level) if findings.ledger and findings.season else None
    clear = f", clear since {since}" if is_shown and since is not None else ""
    # The largest e-value counts for the p-value; a huge one adds nothing to "p < 1e-6".
    best = stronger.log_e_value if stronger.log_maximum is None else stronger.log_maximum
    name = "e-value" if best == stronger.log_e_value else "highest e-value"
    shown = "" if value < MIN_P_VALUE_WRITTEN or not is_shown else f"{name} {format_wealth(best)}, "
    # A bound that shows nothing tells a reader nothing; the table has it.
    brackets = f" ({shown}{proof}{sides}{hedge})" if is_shown else ""
    text = f"{strength} {of_what}{clear}{brackets}."
    return Claim("bets", text, "shown" if is_shown else "not shown", numbers, stronger.null)


def _describe_quality(findings: ForecastFindings, model: str) -> Claim:
    """Describe discrimination and calibration; with several classes, of the worst calibrated one."""
    classes = len(findings.reliability)
    if findings.scores.clusters is not None and classes > 1:
        text = "Calibration is not tested: with several classes its test is not supported with clusters."
        return Claim("calibration", text, "undefined")
    label, bands = min(findings.reliability.items(), key=lambda item: item[1].test.p_value)
    p_value = min(1.0, classes * bands.test.p_value)
    is_off = is_significant(p_value, findings.level)
    of_class = f" of {label}" if classes > 1 and is_off else ""
    verb = "have" if math.isnan(bands.test.p_value) else "are" if is_off else "show"
    shows = f"probabilities{of_class} {verb} {describe_calibration(label, findings)}."
    text = f"{_capitalize(model)}'s {shows}"
    if classes == 1 and math.isfinite(findings.areas[label]):
        text = f"The ROC area of {model} is {_describe_area(findings, label)}; its {shows}"
    numbers = {"roc_area": findings.areas[label], "p_value": p_value}
    method = "t tests of the mean error and of Spiegelhalter's z" if findings.is_robust else "Monte Carlo"
    return Claim("calibration", text, "shown" if is_off else "not shown", numbers, method)


MIN_SCORE_DIFFERENCE_WRITTEN = 0.001
"""An unclear difference of mean scores is written as a bound, if its interval lies within it and within 1% of
the score."""


def _capitalize(name: str) -> str:
    """Start a sentence with a name: "the model" becomes "The model", and a column's name stays."""
    return f"The {name[4:]}" if name.startswith("the ") else name


def _describe_area(findings: ForecastFindings, label: Label) -> str:
    """Write a ROC area with its interval, if it has one."""
    area = findings.area_estimates[label]
    if area.law is None:
        return format_number(area.value)
    value, *ends = format_apart(area.value, *area.interval(findings.level))
    # The test of calibration follows in the same sentence, often with the same caveat.
    test = findings.reliability[label].test
    known = test.caveat if isinstance(test, RobustCalibrationTest) else None
    caveat = "" if area.caveat in (None, known) else f", but {area.caveat}"
    return f"{value} ({format_level(findings.level)} CI {' to '.join(ends)}{caveat})"


def describe_calibration(label: Label, findings: ForecastFindings) -> str:
    """Describe whether the forecasts of a class are miscalibrated, adjusted for the number of classes.

    If not, also describe what the test would have detected.
    """
    classes, bands = len(findings.reliability), findings.reliability[label]
    adjusted = f", adjusted for {classes} classes" if classes > 1 else ""
    p_value = f"{bands.p_text(classes)}{adjusted}"
    if is_significant(classes * bands.test.p_value, findings.level):
        words, values = _describe_miscalibration(label, findings)
        ways = f": {' and '.join(words)}" if words else ""
        return f"miscalibrated{ways} ({'; '.join([*values, p_value])})"
    if isinstance(bands.test, RobustCalibrationTest):
        is_tested = math.isfinite(bands.test.p_value)
        return (
            f"no sign of miscalibration ({p_value})"
            if is_tested
            else "too few cases or clusters to test calibration"
        )
    times = findings.detectable_overconfidence(label)
    detected = "even strong overconfidence could have been missed"
    if times is not None:
        example = overconfidence_example(times, bands.mean_forecast)
        detected = f"{format_percent(DETECTION_POWER)} power if {example}"
    return f"no sign of miscalibration ({p_value}; {detected})"


def _describe_miscalibration(label: Label, findings: ForecastFindings) -> tuple[list[str], list[str]]:
    """Describe which way forecasts err, as far as intervals show it, and by how much."""
    estimates, bands = findings.calibration[label], findings.reliability[label]
    words, values = list[str](), list[str]()
    low, high = estimates["calibration_intercept"].interval(findings.level)
    if low > 0 or high < 0:
        mean, rate = format_apart(bands.mean_forecast, bands.event_rate)
        words.append(f"too {'low' if low > 0 else 'high'} on average")
        values.append(f"mean {mean}, event rate {rate}")
    low, high = estimates["calibration_slope"].interval(findings.level)
    if low > 1 or high < 1:
        too_extreme = "inverted" if high < 0 else "too extreme"
        words.append("not extreme enough" if low > 1 else too_extreme)
        values.append(f"calibration slope {format_number(estimates['calibration_slope'].value)}")
    return words, values


TYPICAL_FORECAST = 0.9
"""The forecast in an example of overconfidence, unless the mean forecast is more extreme."""

MIN_FORECAST_SHOWN = 0.001
"""No example is more extreme than this, because what is stated of it would look like 0 or 1."""


def overconfidence_example(times: float, mean: float) -> str:
    """Write log odds that are some times too extreme as a forecast and what it should have been.

    >>> overconfidence_example(1.3, 0.4), overconfidence_example(1.8, 0.014)
    ('events forecast at 90% occur in 84% of cases', 'events forecast at 1.4% occur in 8.6% of cases')
    >>> overconfidence_example(1.02, 0.5), overconfidence_example(2.0, 1.0)
    ('events forecast at 90.0% occur in 89.6% of cases', 'events forecast at 99.9% occur in 96.9% of cases')
    """
    is_usual = 1 - TYPICAL_FORECAST <= mean <= TYPICAL_FORECAST
    forecast = TYPICAL_FORECAST if is_usual else min(max(mean, MIN_FORECAST_SHOWN), 1 - MIN_FORECAST_SHOWN)
    odds = (forecast / (1 - forecast)) ** (1 / times)
    shares = forecast, odds / (1 + odds)
    least = (0 if 0.1 <= share <= 0.9 else 1 for share in shares)
    stated, actual = (format_percent(x, digits) for x, digits in zip(shares, least, strict=True))
    for digits in range(1, MAX_DIGITS):
        if stated != actual:
            break
        stated, actual = (format_percent(x, digits) for x in shares)
    return f"events forecast at {stated} occur in {actual} of cases"


def _describe_zeros(findings: ForecastFindings) -> tuple[Claim, ...]:
    """Describe the cases in which the model gave probability 0 to what happened."""
    zeros = int(findings.scores.zeros[0])
    if not zeros:
        return ()
    text = (
        f"It gave probability 0 to the actual class in {zeros:,} of {format_cases(findings.scores.cases)}, "
        "so its log score is infinite. Set a lowest probability with --clip (clip=)."
    )
    return (Claim("zeros", text, "shown", {"zeros": zeros}),)


def _became(findings: ForecastFindings) -> str:
    """Describe what $1 would have become at prices drawn at random; only its growth if it is very large."""
    wealth, model = findings.bets.wealth, findings.name(findings.scores.systems[0])
    kelly = "" if wealth.fraction == 1 else f" at {format_option(wealth.fraction)} of Kelly's stakes"
    bets = f"Betting on {model} against {wealth.against}{kelly}"
    cases, log = f"over {format_cases(wealth.cases)}", wealth.log_wealth
    if log == math.inf:
        return f"{bets} would have grown wealth without limit {cases}."
    rate = f"{format_percent(findings.bets.rate, 2)} per case" if log > -math.inf else "ruin"
    if log >= math.log(MAX_TIMES_START):
        return f"{bets} would have grown wealth by {rate} {cases}."
    became = "grown" if log >= 0 else "shrunk"
    return f"{bets} would have {became} $1 to {format_money(log)} {cases} ({rate})."


def _no_opponent(findings: ForecastFindings) -> tuple[str, ...]:
    """Describe wealth at prices drawn at random, which proves nothing about them."""
    wealth = findings.bets.wealth
    caveat = "Prices drawn at random are no opponent: beating them is no evidence for a forecast."
    if findings.expected_log_wealth is None or wealth.fraction < 1 or not math.isfinite(wealth.log_wealth):
        return (caveat,)
    observed, expected = (format_number(log) for log in (wealth.log_wealth, findings.expected_log_wealth))
    if findings.crowd is not None:
        observed += f"; {describe_crowd(findings.crowd)}"
    return (caveat, f"Log wealth is {observed}; over all such bookmakers it is {expected} on average.")


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
    if findings.goal is None:
        return []
    if findings.ledger is not None:
        return [_describe_rounds_to_goal(findings.ledger, findings.goal, findings.level)]
    if findings.bets.growth == math.inf:
        opponent = findings.name(findings.scores.systems[1])
        return [
            f"Wealth is infinite because {opponent} gave probability 0 to the actual class, so the time to a "
            "goal is undefined."
        ]
    goal = findings.goal
    aim, (value, *ends) = format_money(math.log(goal)), map(finite_or_none, findings.cases_to(goal))
    sure = f" ({format_level(findings.level)} CI {format_interval(*ends)})" if any(ends) else ""
    outlook = (
        "never becomes" if value is None else f"takes about {format_number(value)} cases{sure} to become"
    )
    # Of very many distinct games the law is not kept, and the median is taken for exp of the mean.
    is_rounded = findings.bets.wealth.games is None and findings.expected_median < math.log(MAX_TIMES_START)
    median = f"{'about ' if is_rounded else ''}{format_money(findings.expected_median)}"
    median_sentence = f"If the model is right, $1 has become {median} after these cases in the median."
    return [f"At this growth $1 {outlook} {aim}.", median_sentence]


def _describe_rounds_to_goal(ledger: Ledger, goal: float, level: float) -> str:
    """Describe how many rounds multiply the bankroll by the goal, at its growth per round."""
    with np.errstate(divide="ignore"):
        logs = np.diff(np.log(np.concatenate([[ledger.start], ledger.bankroll])))
    aim = f"{format_number(goal)} times its start"
    if not np.isfinite(logs).all() or len(logs) < 2:
        return f"The bankroll is lost, so it never becomes {aim}."
    growth = MeanValue.of(logs, np.arange(len(logs)), level)
    times = [
        math.log(goal) / rate if rate > 0 else math.inf for rate in (growth.mean, growth.high, growth.low)
    ]
    value, *ends = map(finite_or_none, times)
    if value is None:
        return f"At this growth the bankroll never becomes {aim}."
    sure = f" ({format_level(level)} CI {format_interval(*ends)})" if any(ends) else ""
    return f"At this growth the bankroll takes about {format_number(value)} rounds{sure} to become {aim}."


def describe_drunken(findings: ForecastFindings) -> tuple[str, ...]:
    """Describe the wealth of a bettor on the class shares at the same prices and full stakes."""
    wealth = findings.bets.wealth
    if wealth.fraction < 1 or not math.isfinite(wealth.log_wealth):
        return ()
    return (
        "Betting on the class shares at these prices would have ended at "
        f"{format_wealth(findings.shares_log_wealth)}. At the same fair prices and full stakes, the log "
        "wealth of two bettors differs by their log scores.",
    )


PRICES = {"backing": " with the overround removed", "exchange": " inside the spread at which the model bets"}
"""Which prices are taken as right, for books with more than one."""


def describe_luck(tail: TestResult, book: str, quantity: str = "wealth") -> str:
    """Describe how probable this wealth is by luck."""
    subject = "wealth" if quantity == "wealth" else f"a {quantity}"
    chance = f"{subject} this large occurs by luck with probability {describe_tail(tail)}"
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


def _better(findings: ForecastFindings, model: str, rival: str, *, unclear: str = "") -> Claim:
    """Write which system has the better mean score; ``unclear`` begins the sentence if no winner is named."""
    unclear = unclear or f"No clear difference in mean score between {model} and {rival}"
    difference, wealth = findings.bets.brier, findings.bets.wealth
    means = [findings.scores.mean("brier", system) for system in findings.scores.systems]
    model_score, rival_score = format_levels("brier", *means, gap=means[0] - means[1])
    predictions_made = wealth.predictions_made
    reported = difference.model_less_baseline
    names = map(findings.short_name, findings.scores.systems)
    compared = {"measure": "brier", "values": dict(zip(names, means, strict=True))}
    numbers = {
        "difference": reported.mean,
        "low": reported.low,
        "high": reported.high,
        "level": reported.level,
        **compared,
    }
    cases = format_cases(findings.scores.cases)
    if findings.scores.weighting is not None:
        cases += f", effective sample size {findings.scores.effective_cases:,.0f}"
    clusters = findings.scores.clusters
    cases += in_clusters(None if clusters is None else clusters.number)
    levels = f"Brier score {model_score} vs {rival_score} (lower is better)"
    if difference.mean == 0:
        text = f"{_capitalize(model)} and {rival} have the same Brier score: {model_score} ({cases})."
        return Claim("score", text, "estimated", numbers)
    has_few_cases = findings.scores.cases < MIN_CASES_FOR_SCORE_CLAIM and not difference.at_all_times
    if has_few_cases or (difference.is_uninformative and difference.no_winner is None):
        needed = f"; at least {MIN_CASES_FOR_SCORE_CLAIM} are needed" if has_few_cases else ""
        text = f"Too few cases to compare {model} with {rival}: {levels[:-1]}; {cases}{needed})."
        return Claim("score", text, "not shown", numbers)
    if difference.no_winner is not None:
        text = f"{unclear}: {levels[:-1]}; {cases}); {difference.no_winner}."
        return Claim("score", text, "not shown", {"difference": reported.mean, **compared})
    is_shown = min(abs(reported.low), abs(reported.high)) > 0 and (reported.low > 0) == (reported.high > 0)
    value, *ends = format_difference("brier", reported.mean, Interval(reported.low, reported.high))
    kind = f"{format_level(findings.level)} {'confidence sequence' if difference.at_all_times else 'CI'}"
    approximate = "approximate " if difference.is_approximate else ""
    cross = "" if predictions_made == "before" else ", cross-validated"
    # A fixed-sample interval may name a winner if a confidence sequence does not.
    why_wide = ", valid at every look and therefore wider" if difference.at_all_times and not is_shown else ""
    interval = f"{approximate}{kind} {' to '.join(ends)}{why_wide}"
    detail = (
        f"Brier score {model_score} vs {rival_score}, {value} ({interval}; {cases}{cross}; lower is better)"
    )
    largest = max(abs(reported.low), abs(reported.high))
    if not is_shown and largest < min(MIN_SCORE_DIFFERENCE_WRITTEN, means[1] / 100):
        small = f"at most {MIN_SCORE_DIFFERENCE_WRITTEN:g}"
        detail = f"Brier score {format_number(means[0])}, difference {small} ({kind}; {cases}{cross})"
    if not is_shown:
        text = f"{unclear}: {detail}."
        return Claim("score", text, "not shown", numbers, difference.method)
    relation = "beats" if difference.mean > 0 else "is worse than"
    text = f"{_capitalize(model)} {relation} {rival}: {detail}."
    return Claim("score", text, "shown", numbers, difference.method)


def forecasts_warnings(findings: ForecastFindings) -> tuple[str, ...]:
    """List the warnings about the forecasts and their order."""
    wealth, warnings = findings.bets.wealth, []
    if findings.scores.weighting is not None:
        warnings.append(
            f"Effective sample size {findings.scores.effective_cases:,.0f} (weighted); tests are approximate."
        )
    if findings.scores.clusters is not None:
        warnings.append(
            f"Intervals allow for {findings.scores.clusters.number:,} clusters. The e-values and reliability "
            "bands do not: they treat rows as independent, so do not use them as evidence."
        )
    if wealth.predictions_made == "cross-validated":
        warnings.append(CROSS_VALIDATED)
    # Against class shares counted on these cases only the end is evidence, in whatever order.
    if not wealth.ordered and wealth.book != "constant" and not findings.is_weighted:
        warnings.append(NO_BANKROLL if findings.has_odds else UNORDERED)
    season = findings.season
    if season is not None and season.is_in_rounds and findings.ledger is None:
        warnings.append(BOUNDLESS)
    if season is not None and season.exchanged:
        classes = list_labels([findings.scores.labels[index] for index in season.exchanged])
        warnings.append(
            f"The odds fit the results far better if the columns of odds of the classes {classes} "
            "change places. Check the order of the columns."
        )
    table = next(iter(findings.tables.values()))
    real = dict(zip(table.labels, table.real.tolist(), strict=True))
    areas = findings.areas.items()
    inverted = [x for x, area in areas if is_turned_round(area, real[x], float(table.total) - real[x])]
    if inverted:
        area = f"The ROC area of {inverted[0]} is {format_number(findings.areas[inverted[0]])}"
        order = ", ".join(map(str, table.labels))
        warnings.append(
            f"{area}, worse than chance. Check that the columns are in the order {order}, or pass --labels "
            "(labels=)."
        )
    for index, system in enumerate(findings.scores.systems):
        zeros = int(findings.scores.zeros[index])
        if zeros and (index or findings.is_drunken):
            name = _capitalize(findings.name(system))
            where = f"to the actual class in {format_cases(zeros)}"
            warnings.append(f"{name} gave probability 0 {where}: its log score is infinite.")
    return tuple(warnings)


def forecasts_citation(findings: ForecastFindings) -> str:
    """Write the sentence for a paper or a model card."""
    difference, wealth = findings.bets.brier.model_less_baseline, findings.bets.wealth
    means = [findings.scores.mean("brier", system) for system in findings.scores.systems]
    model_score, rival_score = map(format_number, means)
    size, *ends = format_apart(difference.mean, difference.low, difference.high)
    interval = f"{format_level(difference.level)} CI {' to '.join(ends)}, {difference.method}"
    rival = findings.name(findings.scores.systems[1])
    scores = f"Brier score {model_score} (lower is better; {rival}: {rival_score})"
    sentence = f"{scores}, difference {size} ({interval})"
    areas = [area for area in findings.areas.values() if math.isfinite(area)]
    area = f"; ROC area {format_number(areas[0])}" if len(areas) == 1 else ""
    clusters = findings.scores.clusters
    sample = f"n = {wealth.cases:,}{in_clusters(None if clusters is None else clusters.number)}"
    return f"{sentence}{area}; {sample}; Edgeworth {__version__}."
