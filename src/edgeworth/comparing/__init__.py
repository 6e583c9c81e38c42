"""Which of several systems is better: differences on the same cases, and how sure they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgeworth.comparing.queries.permutation import permutation_test

__all__ = ["permutation_test"]


def __getattr__(name: str) -> Any:
    # Whoever compares labels needs nothing of queries.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from edgeworth.comparing.queries.permutation import permutation_test

    return permutation_test
