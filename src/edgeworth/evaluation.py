"""The front door: from data to a report, by composing sources, tallies, inference and reports."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np

from edgeworth.bet import Bookmaker
from edgeworth.errors import OptionError
from edgeworth.forecasting import ForecastTerms, examined, read_arrays, read_file
from edgeworth.gathering import (
    find_source,
    tally_decisions,
    tally_lists,
    tally_ranking,
)
from edgeworth.inference import (
    examine_decisions,
    examine_lists,
    examine_ranking,
)
from edgeworth.measures import table_of
from edgeworth.reports import (
    Report,
    decisions_report,
    forecasts_report,
    lists_report,
    ranking_report,
)
from edgeworth.sources import Label, Source
from edgeworth.sources.digests import file_digest
from edgeworth.tallies import (
    ClusteredTable,
    ContingencyTable,
)
from edgeworth.tallies.cells import Cells
from edgeworth.tallies.policies import Missing, WeightKind
from edgeworth.tallies.serial import labels_to_json
from edgeworth.tallies.wealth import PredictionsMade

TAKEN_AS_BEFORE = (
    "The predictions are taken as made before the outcomes: predictions_made (--predictions-made) says if "
    "they were not."
)


def evaluate(
    data: Any = None,
    *,
    truth: Any,
    prediction: Any = None,
    score: Any = None,
    probabilities: Any = None,
    against: Any = None,
    odds: Any = None,
    bookmaker: Bookmaker | None = None,
    time: Any = None,
    ordered: bool = False,
    predictions_made: PredictionsMade | None = None,
    stake: float | None = None,
    normalise: bool = False,
    ordinal: bool = False,
    group: Any = None,
    id: Any = None,  # the word of the command and of the column
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
    level: float = 0.95,
    seed: int = 0,
    pool: float | None = None,
    margin: float | None = None,
    commission: float | None = None,
    depth: int | None = None,
    gain: float | None = None,
    cost: float | None = None,
    cells: Cells = None,
    relevant_from: int | None = None,
) -> Report:
    """Evaluate labels, a ranking (``score``) or ``probabilities``: informed or lucky, how sure, worth what?

    ``data`` is the path of a file or a dataframe, and then the other words are names of its columns; without
    it they are the columns themselves. With labels, ``group`` names clusters of rows that are not independent
    (patients, documents), and pool, margin and commission are the house's. With scores, ``group`` makes one
    list of each query (``id`` names its documents), ``depth`` is how far one looks, ``gain`` and ``cost``
    are what a hit brings and a look costs, and ``cells`` bounds the memory.

    Probabilities, (n,) of the positive class or (n, K), bet ``stake`` of Kelly's stakes ``against`` a rival's
    probabilities, at decimal ``odds`` or with a ``bookmaker``; left out, against the class shares of these
    cases. ``time`` or ``ordered`` says in what order cases became known, ``predictions_made`` whether the
    predictions were made "before" the outcomes, "cross-validated" or "in-sample"; ``normalise`` divides rows
    by their sums, ``ordinal`` takes the classes in the order of their columns.

    >>> report = evaluate(truth=[1, 0, 1, 0, 1, 0] * 10, prediction=[1, 0, 1, 1, 1, 0] * 10)
    >>> print(report.verdict.split(" (")[0])
    Does as well as one who knows the answer 67% of the time and guesses otherwise
    """
    kinds = [prediction is not None, score is not None, probabilities is not None]
    if sum(kinds) != 1:
        raise OptionError("give one of prediction (labels), score (a ranking) or probabilities (forecasts)")
    if probabilities is not None:
        _refuse("with probabilities", group=group, id=id, weight=weight, weight_kind=weight_kind, cells=cells)
        _refuse("with probabilities", abstain=abstain, depth=depth, gain=gain, cost=cost, margin=margin)
        _refuse("with probabilities", pool=pool, commission=commission, relevant_from=relevant_from)
        if missing != "error":
            raise OptionError("missing values among probabilities are errors: drop such rows beforehand")
        terms = ForecastTerms(
            labels=labels,
            positive=positive,
            normalise=normalise,
            ordered=ordered or time is not None,
            predictions_made=predictions_made or "before",
            stake=1.0 if stake is None else stake,
            ordinal=ordinal,
            level=level,
            seed=seed,
        )
        report = _evaluate_probabilities(data, truth, probabilities, against, odds, bookmaker, time, terms)
        unsaid = () if predictions_made is not None else (TAKEN_AS_BEFORE,)
        return replace(report, warnings=(*unsaid, *report.warnings))
    _refuse("without probabilities", against=against, odds=odds, bookmaker=bookmaker, time=time, stake=stake)
    _refuse("without probabilities", predictions_made=predictions_made, ordered=ordered or None)
    _refuse("without probabilities", normalise=normalise or None, ordinal=ordinal or None)
    known: dict[str, Any] = {"level": level, "seed": seed, "missing": missing, "positive": positive}
    if prediction is not None:
        _refuse("with a prediction", id=id, depth=depth, gain=gain, cost=cost, cells=cells)
        _refuse("with a prediction", relevant_from=relevant_from)
        roles = {"truth": truth, "prediction": prediction, "group": group, "weight": weight}
        source, columns = find_source(data, ("truth", "prediction"), **roles)
        known |= {"labels": labels, "abstain": abstain, "weight_kind": weight_kind}
        house = {
            "pool": 10.0 if pool is None else pool,
            "margin": margin or 0.0,
            "commission": commission or 0.0,
        }
        return _evaluate_labels(source, columns, known, house)
    _refuse("with a score", labels=labels, abstain=abstain, pool=pool, margin=margin, commission=commission)
    if missing == "abstain":
        raise OptionError('missing is "error" or "drop" with scores: a score is no decision to abstain from')
    roles = {"truth": truth, "score": score, "group": group, "id": id, "weight": weight}
    source, columns = find_source(data, ("truth", "score"), **roles)
    if group is not None:
        _refuse("with groups", weight=weight, weight_kind=weight_kind, cells=cells)
        _refuse("with groups", gain=gain, cost=cost, depth=depth)
        known |= {"relevant_from": 1 if relevant_from is None else relevant_from}
        return _evaluate_lists(source, columns, known)
    _refuse("without groups", id=id, relevant_from=relevant_from)
    known |= {"weight_kind": weight_kind, "cells": cells, "depth": depth, "gain": gain, "cost": cost}
    return _evaluate_scores(source, columns, known)


def _evaluate_probabilities(
    data: Any,
    truth: Any,
    probabilities: Any,
    against: Any,
    odds: Any,
    bookmaker: Bookmaker | None,
    time: Any,
    terms: ForecastTerms,
) -> Report:
    if sum(x is not None for x in (against, odds, bookmaker)) > 1:
        raise OptionError("bet against one of them: against (probabilities), odds or bookmaker")
    if data is None:
        if isinstance(time, str):
            raise OptionError(f"time={time!r} names a column, but there is no data to find it in")
        # Handed on without a name here, so that the forecasts can go when they are tallied.
        found = examined(read_arrays(truth, probabilities, against, odds, bookmaker, time, terms), terms)
    else:
        found = examined(read_file(data, truth, probabilities, against, odds, bookmaker, time, terms), terms)
    named = {"time": time if isinstance(time, str) or time is None else "an array"}
    if data is not None:
        columns = {"truth": truth, "probabilities": probabilities, "rival": against, "odds": odds}
        named |= {role: _columns_said(given) for role, given in columns.items() if given is not None}
    report = forecasts_report(found.findings, about_run(**found.about, **named))
    return replace(report, warnings=(*found.warnings, *report.warnings))


def _columns_said(columns: Any) -> str:
    return columns if isinstance(columns, str) else ", ".join(map(str, columns))


def _evaluate_labels(
    source: Source, columns: dict[str, str], known: dict[str, Any], house: dict[str, float]
) -> Report:
    counting = {name: known[name] for name in ("weight_kind", "abstain", "missing")}
    tally = tally_decisions(source, columns, **counting).declare(
        labels=known["labels"], positive=known["positive"]
    )
    findings = examine_decisions(tally, level=known["level"], seed=known["seed"], **house)
    said = known | {"labels": known["labels"] and labels_to_json(known["labels"])}
    report = decisions_report(
        findings, _about_decisions(tally, source=source.name, **columns, **said, **house)
    )
    return replace(report, warnings=(*_slips(columns, tally, known["abstain"]), *report.warnings))


def _evaluate_scores(source: Source, columns: dict[str, str], known: dict[str, Any]) -> Report:
    counting = {name: known[name] for name in ("weight_kind", "positive", "cells", "missing")}
    ranking = tally_ranking(source, columns, **counting)
    asked = {name: known[name] for name in ("level", "seed", "depth", "gain", "cost")}
    sizes = {"items": ranking.total, "targets": ranking.target_total, "dropped": ranking.dropped}
    about = about_run(source=source.name, **columns, **known, **sizes)
    return ranking_report(examine_ranking(ranking, **asked), about)


def _evaluate_lists(source: Source, columns: dict[str, str], known: dict[str, Any]) -> Report:
    if known["missing"] != "error":
        raise OptionError("missing values in ranked lists are errors: drop such rows beforehand")
    lists = tally_lists(source, columns, positive=known["positive"], relevant_from=known["relevant_from"])
    sizes = {"lists": lists.number, "items": len(lists.scores), "dropped": lists.dropped}
    about = about_run(source=source.name, **columns, **known, **sizes)
    return lists_report(examine_lists(lists, level=known["level"], seed=known["seed"]), about)


def evaluate_table(
    table: ContingencyTable | ClusteredTable,
    *,
    level: float = 0.95,
    seed: int = 0,
    pool: float = 10.0,
    margin: float = 0.0,
    commission: float = 0.0,
) -> Report:
    """The report on a table that is already counted."""
    findings = examine_decisions(
        table, level=level, seed=seed, pool=pool, margin=margin, commission=commission
    )
    return decisions_report(findings, _about_decisions(table, source="a table", seed=seed))


def _refuse(when: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise OptionError(f"{name} has no meaning {when}")


def about_run(**known: Any) -> dict[str, Any]:
    """Where a report came from: what is needed to make it again."""
    from edgeworth import __version__

    said = {
        name: value if isinstance(value, (str, int, float, list)) else repr(value)
        for name, value in known.items()
        if value is not None
    }
    digest = file_digest(known["source"]) if isinstance(known.get("source"), str) else None
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, scipy {version('scipy')}"
    seen = said if digest is None else said | {"digest": digest}
    return {"edgeworth": __version__, "versions": versions, **seen}


def _about_decisions(tally: ContingencyTable | ClusteredTable, **known: Any) -> dict[str, Any]:
    table = table_of(tally)
    return about_run(**known) | {"cases": table.cells.sum().item(), "dropped": table.dropped}


def _slips(
    columns: dict[str, str], tally: ContingencyTable | ClusteredTable, abstain: Label | None
) -> tuple[str, ...]:
    """What was asked for and can hardly have been meant."""
    said = []
    if columns["truth"] == columns["prediction"]:
        said.append(f"Truth and prediction are the same column, {columns['truth']!r}.")
    if abstain is not None and not table_of(tally).abstained.any():
        said.append(f"No prediction is {abstain!r}, which was to mean no decision.")
    return tuple(said)
