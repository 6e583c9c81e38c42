"""Which one is better: differences between systems on the same cases."""

from edgeworth.inference.comparing.differences import Difference, Effect
from edgeworth.inference.comparing.examining import (
    compare_forecasts,
    compare_labels,
    compare_lists,
    compare_scores,
)
from edgeworth.inference.comparing.findings import Adjust, ComparisonFindings
from edgeworth.inference.comparing.wealth_race import WealthRace

__all__ = [
    "Adjust",
    "ComparisonFindings",
    "Difference",
    "Effect",
    "WealthRace",
    "compare_forecasts",
    "compare_labels",
    "compare_lists",
    "compare_scores",
]
