"""What is counted in some data, without the inference that a report adds."""

from __future__ import annotations

from typing import Any

from edgeworth.core.labels import as_labels
from edgeworth.core.options import EvaluateOptions
from edgeworth.decisions.reading import finalise_table, table_reducer
from edgeworth.decisions.table import ContingencyTable
from edgeworth.pipeline.call_options import fill_in
from edgeworth.pipeline.tally_rows import settle_weights
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.reading import tally_ranking
from edgeworth.sources.batches import Source
from edgeworth.sources.column_roles import nothing_left_error
from edgeworth.sources.opening import open_source


def settled(source: Source, columns: dict[str, str]) -> Any:
    """What the weights of a source are, as ``evaluate`` finds out; None without weights."""
    asked = fill_in("evaluate", EvaluateOptions, {"weight": columns.get("weight")})
    return settle_weights(source, asked)[0]["weight_kind"]


def tally_scores(source: Source, columns: dict[str, str], **options: Any) -> Ranking:
    """The ranking of a source; ``columns`` maps roles to names of columns."""
    return tally_ranking(source, columns, **{"weight_kind": settled(source, columns)} | options)


def tally_decisions(
    source: Source, columns: dict[str, str], *, weight_kind: Any = None, abstain: Any = None, **options: Any
) -> ContingencyTable:
    """The table of a source; ``columns`` maps roles to names of columns."""
    options |= {"weight_kind": weight_kind or settled(source, columns), "abstain": as_labels(abstain)}
    tally = table_reducer(columns, is_text=source.is_text, **options).fold(source)
    if not tally.cells.any():
        raise nothing_left_error(source.name, tally.dropped, columns)
    return finalise_table(tally, {}, is_text=source.is_text)


def tallied(data: Any, *, options: dict[str, Any] | None = None, **columns: str) -> dict[str, Any]:
    """The tally of labels, or of scores where there is a score."""
    tally = tally_scores if "score" in columns else tally_decisions
    result: dict[str, Any] = tally(open_source(data), columns, **(options or {})).to_dict()
    return result
