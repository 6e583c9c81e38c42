"""From a source to a tally: which columns play which role, batch by batch."""

from edgeworth.gathering.decisions import tally_decisions
from edgeworth.gathering.finding import find_source
from edgeworth.gathering.lists import tally_lists
from edgeworth.gathering.rankings import tally_ranking

__all__ = [
    "find_source",
    "tally_decisions",
    "tally_lists",
    "tally_ranking",
]
