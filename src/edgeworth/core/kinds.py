"""Kinds: what the product does with each type of tally, as values whose functions are loaded on first use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from edgeworth.errors import OptionError

KINDS = {
    "contingency_table": "edgeworth.decisions.kind:TABLE",
    "clustered_table": "edgeworth.decisions.kind:TABLE",
    "paired": "edgeworth.comparing.kind:PAIRED",
    "labelled_scores": "edgeworth.rankings.kind:SCORES_BY_CLASS",
    "ranking": "edgeworth.rankings.kind:RANKING",
    "ranked_lists": "edgeworth.rankings.kind:LISTS",
    "forecasts": "edgeworth.forecasts.kind:FORECASTS",
    "forecast_scores": "edgeworth.forecasts.kind:SCORES",
    "calibration": "edgeworth.forecasts.kind:CALIBRATION",
    "wealth": "edgeworth.forecasts.kind:WEALTH",
    "paired_scores": "edgeworth.comparing.kind:PAIRED_SCORES",
    "grades": "edgeworth.grades.kind:GRADES",
}
"""Every kind of tally by the name that files use, in the order in which a search loads them."""


@dataclass(frozen=True)
class Kind:
    """One kind of tally. Functions are named as ``"module:function"``; None where there is no such thing.

    ``check(asked)`` refuses options that do not go together, ``count(source, asked, is_final=)`` folds rows
    into a ``Counted``, ``finalise(tally, terms, is_text=)`` makes the tally of which numbers are taken once
    all rows are there, ``measure(tally, spelling)`` gives a number, ``estimate(tally, measure, method=,
    seed=)`` an ``Estimate``, ``report(tallied, asked, about)`` a ``Report``.
    """

    name: str
    title: str
    """What a sentence calls such a tally."""
    tally: str
    """The class that holds it, with ``from_dict``."""
    measures: str | None = None
    """The catalogue of its measures."""
    measure: str | None = None
    estimate: str | None = None
    report: str | None = None
    draws_orders: bool = False
    """Whether the test against chance draws random orders, which takes seconds for each measure."""
    usual: tuple[str, ...] = ()
    """Measures to go by, the first that is defined above all; of one ending in [], that of each label."""
    items: str | None = None
    """Gives the value of each item: ``items(tally, measure)``."""
    predictions: str = ""
    """What a column of such predictions holds, for those that are read: labels, scores, probabilities."""
    roles: tuple[str, ...] = ()
    """Columns that must be there."""
    terms: tuple[str, ...] = ()
    """Options that must be the same in tallies that are merged."""
    redeclared: tuple[str, ...] = ()
    """Options that may be given anew for a report, since they decide nothing before ``finalise``."""
    check: str | None = None
    count: str | None = None
    finalise: str | None = None

    def call(self, stage: str, *arguments: Any, **options: Any) -> Any:
        """Call the function of a stage, or say that there is none."""
        reference = getattr(self, stage)
        if reference is None:
            raise OptionError(f"there is no {stage} of {self.title} by itself")
        return load(reference)(*arguments, **options)


@cache
def load(reference: str) -> Any:
    """Import what ``"module:name"`` refers to."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def find_kind(name: str) -> Kind:
    """Find the kind that has this name."""
    kind: Kind = load(KINDS[name])
    return kind


def kind_of(tally: Any) -> Kind:
    """Find the kind of a tally by the name that its class carries.

    >>> from edgeworth.decisions.table import ContingencyTable
    >>> kind_of(ContingencyTable.empty()).title
    'labels'
    """
    kind = getattr(type(tally), "kind", None)
    if isinstance(kind, Kind):
        return kind
    if isinstance(kind, str) and kind in KINDS:
        return find_kind(kind)
    raise OptionError(f"a tally is a table, a ranking, lists, wealth, …; saw {type(tally).__name__}")


def find_predictions(predictions: str) -> Kind:
    """Find the kind of tally that such predictions are counted in."""
    return next(kind for kind in every_kind() if kind.predictions == predictions and kind.count)


def every_kind() -> Iterator[Kind]:
    """Go over all kinds, each once; what comes late is loaded late."""
    return map(load, dict.fromkeys(KINDS.values()))
