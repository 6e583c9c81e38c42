"""Tally to number: pure functions and their metadata. No input, no output, no randomness."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.measures.along import Ranked, ResolvedRanking, cut_of, resolve_ranking, steps_of
    from edgeworth.measures.computing import Resolved, at_guessing, resolve
    from edgeworth.measures.definition import Combination, Measure
    from edgeworth.measures.dollars import Costs, Payoffs, costs, expected_cost, payoffs
    from edgeworth.measures.forecast_resolving import Forecast, ResolvedForecast, resolve_forecast
    from edgeworth.measures.list_values import counted_values, measure_each, measure_micro
    from edgeworth.measures.measurable import Measurable
    from edgeworth.measures.measuring import measure
    from edgeworth.measures.rankings import TREC_NAMES
    from edgeworth.measures.registry import catalogue, search
    from edgeworth.measures.spelling import Spelling, quoted
    from edgeworth.measures.words import words_of
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "along": ("Ranked", "ResolvedRanking", "cut_of", "resolve_ranking", "steps_of"),
            "computing": ("Resolved", "at_guessing", "resolve"),
            "definition": ("Combination", "Measure"),
            "dollars": ("Costs", "Payoffs", "costs", "expected_cost", "payoffs"),
            "forecast_resolving": ("Forecast", "ResolvedForecast", "resolve_forecast"),
            "list_values": ("counted_values", "measure_each", "measure_micro"),
            "measurable": ("Measurable",),
            "measuring": ("measure",),
            "rankings": ("TREC_NAMES",),
            "registry": ("catalogue", "search"),
            "spelling": ("Spelling", "quoted"),
            "words": ("words_of",),
        },
    )

__all__ = [
    "TREC_NAMES",
    "Combination",
    "Costs",
    "Forecast",
    "Measurable",
    "Measure",
    "Payoffs",
    "Ranked",
    "Resolved",
    "ResolvedForecast",
    "ResolvedRanking",
    "Spelling",
    "at_guessing",
    "catalogue",
    "costs",
    "counted_values",
    "cut_of",
    "expected_cost",
    "measure",
    "measure_each",
    "measure_micro",
    "payoffs",
    "quoted",
    "resolve",
    "resolve_forecast",
    "resolve_ranking",
    "search",
    "steps_of",
    "words_of",
]
