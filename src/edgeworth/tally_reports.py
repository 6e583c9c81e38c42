"""The front door for what was counted earlier: from a tally, read or merged, to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from edgeworth.comparing.findings import Adjust
from edgeworth.comparing.paired import Paired
from edgeworth.comparison import compare
from edgeworth.core.labels import canonical
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.evaluation import Asked, about_tally, report_of
from edgeworth.rankings.scores.by_class import ScoresByClass
from edgeworth.report.report import Report
from edgeworth.sources.columns import Label
from edgeworth.tallied import Tallied, as_tallied
from edgeworth.tallying import option_of


def evaluate_tally(
    tally: Any,
    *,
    level: float = 0.95,
    seed: int = 0,
    pool: float | None = None,
    margin: float | None = None,
    commission: float | None = None,
    depth: int | None = None,
    gain: float | None = None,
    cost: float | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    measures: Sequence[str] | None = None,
    adjust: Adjust | None = None,
) -> Report:
    """The report on a tally: what ``evaluate`` says of the same rows (of several predictors, ``compare``).

    ``tally`` is what ``ew.tally``, ``ew.merge_tallies`` or ``ew.read_tally`` made, or any table or ranking.
    ``labels`` and ``positive`` stand in for what was said when it was counted; ``measures`` and ``adjust``
    are of comparisons.

    >>> from edgeworth.tallying import tally
    >>> days = tally(truth=[1, 0] * 30, prediction=[1, 0] * 30) + tally(truth=[0, 1], prediction=[0, 0])
    >>> evaluate_tally(days).provenance["cases"]
    62
    """
    tallied = restated(as_tallied(tally), labels=labels, positive=positive)
    asked = Asked(level, seed, pool, margin, commission, depth, gain, cost)
    if isinstance(tallied.tally, Paired):
        asked.check("several")
        return _comparison(tallied, asked, {"measures": measures, "adjust": adjust or "holm"})
    for name, value in (("measures", measures), ("adjust", adjust)):
        if value is not None:
            raise OptionError(f"{name}{option_of(name)} has no meaning without several predictors")
    return report_of(tallied, asked)


def restated(
    tallied: Tallied, *, labels: Sequence[Label] | None = None, positive: Label | None = None
) -> Tallied:
    """The same tally with other labels declared, or another one positive, where that needs no new count."""
    said: dict[str, Any] = {}
    if labels is not None:
        if not isinstance(tallied.tally, ContingencyTable):
            raise OptionError("labels are declared of tables of labels; other tallies have theirs already")
        said["labels"] = [canonical(label) for label in labels]
    if positive is not None:
        if not isinstance(tallied.tally, (ContingencyTable, ScoresByClass, Paired)):
            raise OptionError("which label is positive was decided when this was counted: count it anew")
        said["positive"] = canonical(positive)
    return replace(tallied, terms={**tallied.terms, **said}) if said else tallied


def _comparison(tallied: Tallied, asked: Asked, options: dict[str, Any]) -> Report:
    paired = tallied.settled
    comparison = compare(paired, level=asked.level, seed=asked.seed, **options)
    measures = options["measures"]
    known = {
        "kind": "labels",
        "systems": ", ".join(paired.names),
        "adjust": options["adjust"],
        "measures": None if measures is None else ", ".join(measures),
        "cases": comparison.findings.cases,
    }
    report = replace(comparison.report, provenance=about_tally(tallied, asked, **known))
    return replace(report, warnings=(*tallied.notices, *report.warnings))
