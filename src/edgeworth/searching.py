"""Search runs against judgements: each by itself, and one against the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from edgeworth.comparing.examining import compare_lists
from edgeworth.comparing.findings import Adjust
from edgeworth.comparing.queries.differences import QueryRule
from edgeworth.comparing.report import comparison_report
from edgeworth.errors import InputError, OptionError
from edgeworth.evaluation import about_run
from edgeworth.rankings.list_findings import examine_lists
from edgeworth.rankings.list_report import trec_report
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measures import TREC_NAMES
from edgeworth.rankings.trec.files import read_qrels, read_run
from edgeworth.report.report import Report, joined_reports

COMPARED = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")
"""What runs are compared by, unless asked otherwise."""


def evaluate_trec(
    qrels: str | Path,
    runs: Sequence[str | Path],
    *,
    measures: Sequence[str] = (),
    relevant_from: int = 1,
    absent: str = "leave_out",
    no_targets: str = "leave_out",
    queries: QueryRule = "intersection",
    adjust: Adjust = "holm",
    level: float = 0.95,
    seed: int = 0,
) -> Report:
    """Evaluate runs of a search engine against judgements, in TREC's formats and with trec_eval's tie rule.

    Queries that were judged but that a run does not have (``absent``), and queries without a relevant
    document (``no_targets``), are left out of means ("leave_out") or counted as 0 ("zero"). Several runs are
    also compared pair by pair, on the queries that all have (``queries``).
    """
    for name, rule in (("absent", absent), ("no_targets", no_targets)):
        if rule not in ("leave_out", "zero"):
            raise OptionError(f'{name} is "leave_out" or "zero"; saw {rule!r}')
    if not runs:
        raise OptionError("there is no run to evaluate")
    if len({str(path) for path in runs}) < len(runs):
        raise OptionError("a run is given twice")
    judged = read_qrels(Path(qrels))
    found = {}
    for path in runs:
        lists = RankedLists.from_qrels(judged, read_run(Path(path)), relevant_from=relevant_from)
        if not lists.number:
            raise InputError(f"{path}: none of its queries is judged in {qrels}")
        if absent == "zero":
            lists = lists.with_absent()
        if no_targets == "zero":
            lists = replace(lists, empty_is_zero=True)
        wanted = tuple(measures) or tuple(TREC_NAMES.values())
        found[str(path)] = examine_lists(lists, measures=wanted, ties="trec", level=level, seed=seed)
    about = {"qrels": str(qrels), "runs": ", ".join(found), "measures": ", ".join(measures) or None}
    rules = {"relevant_from": relevant_from, "absent": absent, "no_targets": no_targets}
    report = trec_report(found, about_run(**about, **rules, level=level, seed=seed))
    if len(found) < 2:
        return report
    spellings = list(next(iter(found.values())).estimates)
    compared = compare_lists(
        {name: each.lists for name, each in found.items()},
        measures=spellings if measures else [f"{name}(ties=trec)" for name in COMPARED],
        queries=queries,
        adjust=adjust,
        level=level,
        seed=seed,
    )
    return joined_reports(comparison_report(compared, report.provenance), report)
