"""From a source to a tally: which columns play which role, batch by batch."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.gathering.decisions import decisions_reducer, settled_decisions, tally_decisions
    from edgeworth.gathering.finding import find_source
    from edgeworth.gathering.labelled import labelled_reducer, settled_ranking
    from edgeworth.gathering.lists import lists_reducer, settled_lists, tally_lists
    from edgeworth.gathering.rankings import tally_ranking
    from edgeworth.gathering.weighing import weights_are_whole
    from edgeworth.gathering.whole_cases import in_whole_cases
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "decisions": ("decisions_reducer", "settled_decisions", "tally_decisions"),
            "finding": ("find_source",),
            "labelled": ("labelled_reducer", "settled_ranking"),
            "lists": ("lists_reducer", "settled_lists", "tally_lists"),
            "rankings": ("tally_ranking",),
            "weighing": ("weights_are_whole",),
            "whole_cases": ("in_whole_cases",),
        },
    )

__all__ = [
    "decisions_reducer",
    "find_source",
    "in_whole_cases",
    "labelled_reducer",
    "lists_reducer",
    "settled_decisions",
    "settled_lists",
    "settled_ranking",
    "tally_decisions",
    "tally_lists",
    "tally_ranking",
    "weights_are_whole",
]
