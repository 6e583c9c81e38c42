"""Scores: from ranked targets to average precision, its uncertainty and its distribution under chance.

The public names are imported when they are first used, because every module of this package passes here.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgeworth.rankings.intervals.bands import bands
    from edgeworth.rankings.intervals.hit_survival import hit_survival
    from edgeworth.rankings.lists import RankedLists
    from edgeworth.rankings.measure_lookup import measure_each, measure_micro
    from edgeworth.rankings.ranking import Ranking
    from edgeworth.rankings.thresholds import choose_threshold

_HOMES = {
    "RankedLists": "edgeworth.rankings.lists",
    "Ranking": "edgeworth.rankings.ranking",
    "bands": "edgeworth.rankings.intervals.bands",
    "hit_survival": "edgeworth.rankings.intervals.hit_survival",
    "evaluate_trec": "edgeworth.calculators",
    "choose_threshold": "edgeworth.rankings.thresholds",
    "measure_each": "edgeworth.rankings.measure_lookup",
    "measure_micro": "edgeworth.rankings.measure_lookup",
}
__all__ = [
    "RankedLists",
    "Ranking",
    "bands",
    "choose_threshold",
    "evaluate_trec",
    "hit_survival",
    "measure_each",
    "measure_micro",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
