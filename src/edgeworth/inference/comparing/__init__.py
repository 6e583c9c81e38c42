"""Which one is better: differences between systems on the same cases."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.inference.comparing.differences import Difference, Effect
    from edgeworth.inference.comparing.examining import compare_labels, compare_lists, compare_scores
    from edgeworth.inference.comparing.examining_forecasts import compare_forecasts
    from edgeworth.inference.comparing.findings import Adjust, ComparisonFindings
    from edgeworth.inference.comparing.forecasts.wealth_race import WealthRace
    from edgeworth.inference.comparing.labels.independent_differences import independent_differences
    from edgeworth.inference.comparing.labels.label_methods import Tango
    from edgeworth.inference.comparing.queries.list_differences import QueryRule
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "differences": ("Difference", "Effect"),
            "examining": ("compare_labels", "compare_lists", "compare_scores"),
            "examining_forecasts": ("compare_forecasts",),
            "findings": ("Adjust", "ComparisonFindings"),
            "forecasts.wealth_race": ("WealthRace",),
            "labels.independent_differences": ("independent_differences",),
            "labels.label_methods": ("Tango",),
            "queries.list_differences": ("QueryRule",),
        },
    )

__all__ = [
    "Adjust",
    "ComparisonFindings",
    "Difference",
    "Effect",
    "QueryRule",
    "Tango",
    "WealthRace",
    "compare_forecasts",
    "compare_labels",
    "compare_lists",
    "compare_scores",
    "independent_differences",
]
