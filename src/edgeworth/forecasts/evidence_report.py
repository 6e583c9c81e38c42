"""The evidence of a report on probabilities: e-values, luck and goals."""

from __future__ import annotations

from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import format_wealth
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.betting.wealth import RIVAL
from edgeworth.forecasts.findings import Bets, ForecastFindings
from edgeworth.forecasts.ledger_report import describe_flat_stakes
from edgeworth.forecasts.sequential import Evidence
from edgeworth.forecasts.verdict import (
    describe_drunken,
    describe_goal,
    describe_luck,
    describe_orders,
    describe_tail,
)
from edgeworth.report.report import Cell, Grid, Section, make_columns
from edgeworth.report.wording import format_option

EVIDENCE = "Evidence"
BETS = {
    "full_stakes": "full stakes",
    "mixture": "all stake fractions",
    "reverse": "reverse direction",
    "brier_rounds": "bets on the Brier score",
    "log_rounds": "bets on the log score",
}
LIKELIHOODS = {
    "full_stakes": "likelihood ratio",
    "mixture": "mean over blends of both",
    "reverse": "reverse likelihood ratio",
    "brier_rounds": "Brier scores, case by case",
    "log_rounds": "log scores, case by case",
}
"""What the same e-values are called if the user neither brought odds nor asked for bets."""

ONE_CASE = (
    "This is one case of many that the hypothesis in the table allows, at the end of all rounds. The bound "
    "in the table is valid for all of them and after every round, so it is usually larger."
)
"""Why the simulated probability of a season and the bound of its e-value differ."""

NOT_BEFORE = {
    "cross-validated": ("The evidence is approximate, because the predictions are cross-validated.",),
}


def evidence_of(bets: Bets) -> dict[str, Evidence]:
    """Return the evidence of every bet that proves something, by name."""
    full = None if bets.against_rival is bets.mixture else bets.against_rival
    evidences = (full, bets.mixture, bets.against_model, bets.brier_rounds, bets.log_rounds)
    return {name: evidence for name, evidence in zip(BETS, evidences, strict=True) if evidence is not None}


def evidence_section(findings: ForecastFindings) -> Section:
    """Make the section on what the bets and the likelihoods prove."""
    source = "bet" if findings.is_about_bets else "evidence from"
    wealth, evidences = findings.bets.wealth, evidence_of(findings.bets)
    # The p-value is that of the highest e-value so far, if the order of the rows is known.
    has_paths = any(evidence.log_maximum is not None for evidence in evidences.values())
    e_values = ("last e-value/text", "highest/text") if has_paths else ("e-value/text",)
    heads = f"{source}/text", *e_values, "p at most/probability", "hypothesis tested/text"
    names = dict(BETS if findings.is_about_bets else LIKELIHOODS)
    if findings.ledger is not None:
        names["mixture"] = "all stake fractions, rounds settled together"
    if wealth.fraction < 1 and wealth.book != "constant":
        names["full_stakes"] = f"{format_option(wealth.fraction)} of Kelly's stakes"
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            names[name],
            format_wealth(evidence.log_e_value),
            *((_highest(evidence),) if has_paths else ()),
            evidence.p_value,
            findings.with_names(evidence.null),
        )
        for name, evidence in evidences.items()
    )
    note = "an e-value of 20 or more has probability at most 1/20 if the hypothesis is true"
    if "mixture" in evidences and not findings.is_about_bets:
        note += "; blends: weighted means of the two forecasts, each with its own likelihood ratio"
    if len(rows) > 1:
        note += "; choose one row in advance: the smallest p of several is not a p-value"
    text = [*NOT_BEFORE.get(wealth.predictions_made, ()), *_luck_lines(findings)]
    text += (*describe_goal(findings), *describe_flat_stakes(findings))
    if findings.orders is not None:
        text.append(describe_orders(findings.orders))
    paragraphs = tuple(map(findings.with_names, text))
    return Section(EVIDENCE, paragraphs, (Grid("", make_columns(*heads), rows, note),))


def _highest(evidence: Evidence) -> str:
    return "–" if evidence.log_maximum is None else format_wealth(evidence.log_maximum)


def _luck_lines(findings: ForecastFindings) -> tuple[str, ...]:
    luck, book = findings.bets.luck, findings.bets.wealth.book
    if findings.is_robust:
        rows = "weighted" if findings.is_weighted else "clustered"
        independent = "These e-values treat rows as equal and independent"
        return (f"{independent}. The rows are {rows}, so the e-values are no evidence.",)
    if book == "constant":
        return (
            "The class shares were counted on these cases, and no constant shares fit them better. So the "
            "final e-value is evidence; its maximum so far is not.",
        )
    if findings.is_drunken:
        return describe_drunken(findings)
    if luck is None:
        return ()
    if findings.ledger is not None:
        hypothesis = "If the market's probabilities are right"
        return (f"{hypothesis}, a result this good has {_luck_words(luck)}. {ONE_CASE}",)
    if not findings.is_about_bets:
        hypothesis = f"If {RIVAL}'s probabilities are right"
        return (f"{hypothesis}, a likelihood ratio this large has {_luck_words(luck)}.",)
    sentence = describe_luck(luck, book)
    if book != "fair":
        sentence += (
            " This is one case of many that the hypothesis allows; the bound in the table is valid for all "
            "of them."
        )
    # With too many games to keep, only sums of their moments are known.
    method = (
        "" if findings.bets.wealth.games is not None else f" Method: {luck.method}, from sums of moments."
    )
    return (f"{sentence}{method}",)


def _luck_words(luck: TestResult) -> str:
    return f"probability {describe_tail(luck)} ({luck.method})"


def goal_numbers(findings: ForecastFindings) -> JsonObject | None:
    """Return how soon wealth reaches the goal, for JSON; None without a goal."""
    if findings.goal is None:
        return None
    cases_needed = dict(zip(("cases", "low", "high"), findings.cases_to(findings.goal), strict=True))
    # For very many distinct games only moments are kept, and the mean of log wealth replaces its median.
    method = "distribution of log wealth" if findings.bets.wealth.games is not None else "mean of log wealth"
    median = {"median_log_wealth": findings.expected_median, "median_method": method}
    return {"wealth": findings.goal, **cases_needed, **median}
