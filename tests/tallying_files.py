"""What is counted in some data, without the inference that a report adds."""

from __future__ import annotations

from typing import Any

from edgeworth.decisions.reading import tally_decisions
from edgeworth.rankings.reading import tally_ranking
from edgeworth.sources.opening import open_source


def tallied(data: Any, *, options: dict[str, Any] | None = None, **columns: str) -> dict[str, Any]:
    """The tally of labels, or of scores where there is a score."""
    tally = tally_ranking if "score" in columns else tally_decisions
    found: dict[str, Any] = tally(open_source(data), columns, **(options or {})).to_dict()
    return found
