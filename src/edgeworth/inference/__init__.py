"""Tally, measure and method to estimate: intervals, tests, chance laws, matching."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.inference.comparing.labels.label_methods import Tango
    from edgeworth.inference.estimates import Estimate, Interval
    from edgeworth.inference.estimating import estimate
    from edgeworth.inference.findings import DecisionFindings, examine_decisions, superstitious_labels
    from edgeworth.inference.forecast_estimates import AcrossCases
    from edgeworth.inference.guessing import GuessingLaw
    from edgeworth.inference.list_findings import ListFindings, examine_lists
    from edgeworth.inference.matching import Matching, match
    from edgeworth.inference.methods import (
        Bootstrap,
        ClopperPearson,
        Delta,
        Dirichlet,
        Method,
        Newcombe,
        Wilson,
    )
    from edgeworth.inference.planning import Plan, cases_needed
    from edgeworth.inference.posteriors import BetaPosterior
    from edgeworth.inference.random_selection import AveragePrecisionLaw
    from edgeworth.inference.ranking_findings import Look, RankingFindings, examine_ranking
    from edgeworth.inference.ranking_methods import AcrossLists, Boyd, Influence, Survival
    from edgeworth.inference.recall_bands import Bands, bands
    from edgeworth.inference.reliability import ReliabilityBands, reliability_bands
    from edgeworth.inference.tails import Tail
    from edgeworth.inference.wealth_findings import Bets, ForecastFindings, examine_bets, examine_forecasts
    from edgeworth.inference.wealth_laws import LogWealthLaw, wealth_law
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "comparing.labels.label_methods": ("Tango",),
            "estimates": ("Estimate", "Interval"),
            "estimating": ("estimate",),
            "findings": ("DecisionFindings", "examine_decisions", "superstitious_labels"),
            "forecast_estimates": ("AcrossCases",),
            "guessing": ("GuessingLaw",),
            "list_findings": ("ListFindings", "examine_lists"),
            "matching": ("Matching", "match"),
            "methods": ("Bootstrap", "ClopperPearson", "Delta", "Dirichlet", "Method", "Newcombe", "Wilson"),
            "planning": ("Plan", "cases_needed"),
            "posteriors": ("BetaPosterior",),
            "random_selection": ("AveragePrecisionLaw",),
            "ranking_findings": ("Look", "RankingFindings", "examine_ranking"),
            "ranking_methods": ("AcrossLists", "Boyd", "Influence", "Survival"),
            "recall_bands": ("Bands", "bands"),
            "reliability": ("ReliabilityBands", "reliability_bands"),
            "tails": ("Tail",),
            "wealth_findings": ("Bets", "ForecastFindings", "examine_bets", "examine_forecasts"),
            "wealth_laws": ("LogWealthLaw", "wealth_law"),
        },
    )

__all__ = [
    "AcrossCases",
    "AcrossLists",
    "AveragePrecisionLaw",
    "Bands",
    "BetaPosterior",
    "Bets",
    "Bootstrap",
    "Boyd",
    "ClopperPearson",
    "DecisionFindings",
    "Delta",
    "Dirichlet",
    "Estimate",
    "ForecastFindings",
    "GuessingLaw",
    "Influence",
    "Interval",
    "ListFindings",
    "LogWealthLaw",
    "Look",
    "Matching",
    "Method",
    "Newcombe",
    "Plan",
    "RankingFindings",
    "ReliabilityBands",
    "Survival",
    "Tail",
    "Tango",
    "Wilson",
    "bands",
    "cases_needed",
    "estimate",
    "examine_bets",
    "examine_decisions",
    "examine_forecasts",
    "examine_lists",
    "examine_ranking",
    "match",
    "reliability_bands",
    "superstitious_labels",
    "wealth_law",
]
