"""Tests of a measure against guessing with the same margins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from edgeworth.core.laws import Alternative
from edgeworth.core.tails import Tail
from edgeworth.decisions.guessing import GuessingLaw, draws_within_seconds, guessing_law, random_tables
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved, at_guessing
from edgeworth.errors import OptionError

SAME = 1e-12


def guessing_tail(
    tally: ContingencyTable, resolved: Resolved, alternative: Alternative, seed: int = 0
) -> Tail | None:
    """Compute P(guessing does as much), exactly where possible; None for weighted or clustered cases."""
    if tally.clusters is not None or not tally.is_counted:
        return None
    if alternative not in ("two-sided", "greater", "less"):
        raise OptionError(f'alternative is "two-sided", "greater" or "less"; saw {alternative!r}')
    if resolved.position is not None:
        law, sign = label_law(tally, resolved.position, seed), _label_sign(resolved)
    elif resolved.measure.guessing is not None and _on_decided_cases(tally, resolved):
        law, sign = guessing_law(tally, resolved.measure.guessing, seed=seed), 1
    else:
        return _drawn_tail(tally, resolved, alternative, seed)
    hits = np.diagonal(tally.counts).tolist()
    value = law.value_of(hits if resolved.position is None else [hits[resolved.position], 0])
    if alternative == "two-sided":
        return law.two_sided(value)
    return law.tail(value) if (alternative == "greater") == (sign > 0) else law.lower_tail(value)


def label_law(table: ContingencyTable, position: int, seed: int = 0) -> GuessingLaw:
    """Make the law of one label's hits, which all its measures follow once the margins are fixed."""
    total = int(table.total)
    p, r = int(table.predicted[position]), int(table.real[position])
    return GuessingLaw((p, total - p), (r, total - r), (Fraction(1), Fraction(0)), seed)


def label_tail(table: ContingencyTable, position: int, alternative: Alternative) -> Tail:
    """Compute P(guessing hits a label so often), or so seldom."""
    law = label_law(table, position)
    # The rest has slope 0, so its hits do not matter.
    value = law.value_of([int(table.counts[position, position]), 0])
    return law.tail(value) if alternative == "greater" else law.lower_tail(value)


def _label_sign(resolved: Resolved) -> int:
    if resolved.measure.direction == "neither":
        raise OptionError(
            f"{resolved.spelling} is the same however one guesses with these margins: give a null= to test"
        )
    return 1 if resolved.measure.direction == "higher" else -1


def _on_decided_cases(table: ContingencyTable, resolved: Resolved) -> bool:
    return not table.abstained.any() or resolved.arguments.get("abstentions") != "zero_weight"


def _drawn_tail(table: ContingencyTable, resolved: Resolved, alternative: Alternative, seed: int) -> Tail:
    """Draw tables of guessing and take the measure of each, for measures without an exact law."""
    draws = draws_within_seconds(len(table.labels))
    observed, middle = float(resolved.values(table.cells)), at_guessing(resolved, table)
    # Rounding may make a table count as extreme, never as harmless.
    same = SAME * max(1.0, abs(observed))
    cells_abstained = table.abstained[None, None, :]
    count = 0
    for tables in random_tables(table.predicted.tolist(), table.real.tolist(), draws, seed):
        abstained = np.broadcast_to(cells_abstained, (len(tables), 1, tables.shape[2]))
        values = resolved.values(np.concatenate([tables, abstained], axis=1))
        if alternative == "two-sided":
            beyond = np.abs(values - middle) >= abs(observed - middle) - same
        elif alternative == "greater":
            beyond = values >= observed - same
        else:
            beyond = values <= observed + same
        # A draw in which the measure is undefined counts against the claim.
        count += int((beyond | np.isnan(values)).sum())
    return Tail.drawn(count, draws, seed)
