"""Scores: from ranked targets to average precision, its uncertainty and its law under chance.

The public names are imported when they are first used, because every module of this package passes here.
"""

from importlib import import_module
from typing import Any

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
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
