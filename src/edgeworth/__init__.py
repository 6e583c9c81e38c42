"""Are these predictions informed, or lucky? How sure is that, and what is the edge worth?

Names are imported when they are first used, so that ``import edgeworth`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth import bet
    from edgeworth.comparison import Comparison, compare
    from edgeworth.errors import EdgeworthError, InputError, MergeError, MissingExtraError, OptionError
    from edgeworth.evaluation import evaluate, evaluate_table
    from edgeworth.inference import (
        AcrossCases,
        AcrossLists,
        BetaPosterior,
        Bootstrap,
        Boyd,
        ClopperPearson,
        Delta,
        Dirichlet,
        Estimate,
        Influence,
        LogWealthLaw,
        Matching,
        Newcombe,
        Survival,
        Tango,
        Wilson,
        bands,
        cases_needed,
        chance,
        estimate,
        examine_bets,
        match,
        reliability_bands,
        superstitious_labels,
        wealth_law,
    )
    from edgeworth.measures import (
        Measure,
        Payoffs,
        catalogue,
        costs,
        expected_cost,
        measure,
        measure_each,
        measure_micro,
        payoffs,
        search,
    )
    from edgeworth.reports import Report
    from edgeworth.searching import evaluate_trec
    from edgeworth.tallied import Tallied, merge_tallies
    from edgeworth.tallies import (
        Calibration,
        ContingencyTable,
        ForecastScores,
        Paired,
        PairedScores,
        RankedLists,
        Ranking,
        Wealth,
        informed_mixture,
        simulate_labels,
    )
    from edgeworth.tally_files import read_tally, write_tally
    from edgeworth.tally_reports import evaluate_tally
    from edgeworth.tallying import tally
else:
    __getattr__, _ = lazy_names(
        __name__,
        {
            "comparison": ("Comparison", "compare"),
            "errors": ("EdgeworthError", "InputError", "MergeError", "MissingExtraError", "OptionError"),
            "evaluation": ("evaluate", "evaluate_table"),
            "inference": (
                "AcrossCases",
                "AcrossLists",
                "BetaPosterior",
                "Bootstrap",
                "Boyd",
                "ClopperPearson",
                "Delta",
                "Dirichlet",
                "Estimate",
                "Influence",
                "LogWealthLaw",
                "Matching",
                "Newcombe",
                "Survival",
                "Tango",
                "Wilson",
                "bands",
                "cases_needed",
                "estimate",
                "examine_bets",
                "match",
                "reliability_bands",
                "superstitious_labels",
                "wealth_law",
            ),
            "measures": (
                "Measure",
                "Payoffs",
                "catalogue",
                "costs",
                "expected_cost",
                "measure",
                "measure_each",
                "measure_micro",
                "payoffs",
                "search",
            ),
            "reports": ("Report",),
            "searching": ("evaluate_trec",),
            "tallied": ("Tallied", "merge_tallies"),
            "tallies": (
                "Calibration",
                "ContingencyTable",
                "ForecastScores",
                "Paired",
                "PairedScores",
                "RankedLists",
                "Ranking",
                "Wealth",
                "informed_mixture",
                "simulate_labels",
            ),
            "tally_files": ("read_tally", "write_tally"),
            "tally_reports": ("evaluate_tally",),
            "tallying": ("tally",),
        },
        modules=("bet", "inference.chance"),
    )

__version__ = "0.1.0"

__all__ = [
    "AcrossCases",
    "AcrossLists",
    "BetaPosterior",
    "Bootstrap",
    "Boyd",
    "Calibration",
    "ClopperPearson",
    "Comparison",
    "ContingencyTable",
    "Delta",
    "Dirichlet",
    "EdgeworthError",
    "Estimate",
    "ForecastScores",
    "Influence",
    "InputError",
    "LogWealthLaw",
    "Matching",
    "Measure",
    "MergeError",
    "MissingExtraError",
    "Newcombe",
    "OptionError",
    "Paired",
    "PairedScores",
    "Payoffs",
    "RankedLists",
    "Ranking",
    "Report",
    "Survival",
    "Tallied",
    "Tango",
    "Wealth",
    "Wilson",
    "bands",
    "bet",
    "cases_needed",
    "catalogue",
    "chance",
    "compare",
    "costs",
    "estimate",
    "evaluate",
    "evaluate_table",
    "evaluate_tally",
    "evaluate_trec",
    "examine_bets",
    "expected_cost",
    "informed_mixture",
    "match",
    "measure",
    "measure_each",
    "measure_micro",
    "merge_tallies",
    "payoffs",
    "read_tally",
    "reliability_bands",
    "search",
    "simulate_labels",
    "superstitious_labels",
    "tally",
    "wealth_law",
    "write_tally",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
