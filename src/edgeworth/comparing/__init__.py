"""Which of several systems is better: differences on the same cases, and how sure they are.

The public names are imported when they are first used, because every module of this package passes here.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Paired": "edgeworth.comparing.paired",
    "PairedScores": "edgeworth.comparing.paired_scores",
    "compare_independent": "edgeworth.comparing.labels.independent",
    "permutation_test": "edgeworth.comparing.queries.permutation",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
