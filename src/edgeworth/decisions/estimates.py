"""Estimates of measures of decisions: the method that suits each, and its test against guessing."""

from __future__ import annotations

from dataclasses import replace

from edgeworth.core.estimates import Estimate, Method, law_or_reason, undefined_estimate
from edgeworth.core.measures import Measure
from edgeworth.decisions.methods import Delta, Dirichlet, default_method, is_at_an_end
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.testing import guessing_tail
from edgeworth.decisions.views import Resolved, at_guessing, resolve


def estimate_table(
    tally: ContingencyTable, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """Estimate a measure of decisions with its uncertainty."""
    resolved = resolve(tally, measure)
    table, focus = _in_focus(tally, resolved)
    undefined = focus.undefined(table)
    if undefined is not None:
        return undefined_estimate(tally, resolved.spelling, undefined, _size(tally))
    chosen = default_method(table, focus, seed) if method is None else method
    law, no_interval = law_or_reason(chosen, table, focus, required=method is not None)
    if method is None and isinstance(chosen, Delta) and is_at_an_end(table, focus, law):
        # An error of 0 proves nothing.
        chosen = Dirichlet(seed=seed)
        law, no_interval = law_or_reason(chosen, table, focus, required=False)
    return Estimate(
        measure=resolved.spelling,
        value=float(focus.values(table.cells)),
        chance=at_guessing(focus, table),
        method=chosen,
        undefined=None,
        no_interval=no_interval,
        tally=tally,
        law=law,
        chance_test=lambda alternative: guessing_tail(tally, resolved, alternative, seed),
        size=_size(tally),
    )


def _in_focus(table: ContingencyTable, resolved: Resolved) -> tuple[ContingencyTable, Resolved]:
    """Reduce the table to the four cells that a measure of one label needs."""
    if resolved.position is None or table.clusters is not None or len(table.labels) <= 2:
        return table, resolved
    return table.one_against_rest(resolved.label), replace(resolved, position=0)


def _size(table: ContingencyTable) -> float:
    """Count the cases; with sampling weights, as many as would tell as much if they all weighed the same."""
    total = float(table.cells.sum())
    return total if table.squared is None or not total else total**2 / float(table.squared.sum())
