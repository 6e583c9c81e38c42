"""The front door: from data to a report, by composing sources, tallies, inference and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from edgeworth.bet import Bookmaker, Market
from edgeworth.errors import InputError, OptionError
from edgeworth.gathering import (
    find_source,
    labels_of_columns,
    read_forecasts,
    tally_decisions,
    tally_lists,
    tally_ranking,
)
from edgeworth.inference import (
    ForecastFindings,
    examine_decisions,
    examine_forecasts,
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
from edgeworth.sources import Label, Source, open_source
from edgeworth.tallies import (
    Calibration,
    ClusteredTable,
    ContingencyTable,
    ForecastScores,
    Wealth,
)
from edgeworth.tallies.bookmaker_forecasts import as_races, bookmaker_forecasts
from edgeworth.tallies.cells import Cells
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.forecast_pairs import ForecastPairs
from edgeworth.tallies.labels import listed
from edgeworth.tallies.ladder import rungs
from edgeworth.tallies.likeliest import likeliest
from edgeworth.tallies.policies import Missing, WeightKind
from edgeworth.tallies.serial import labels_to_json
from edgeworth.tallies.wealth import PredictionsMade


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
    time: str | None = None,
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
    """Evaluate labels (``prediction``) or a ranking (``score``): informed or lucky, how sure, worth what?

    ``data`` is the path of a file or a dataframe, and then the other words are names of its columns; without
    it they are the columns themselves. With labels, ``group`` names clusters of rows that are not independent
    (patients, documents), and pool, margin and commission are the house's. With scores, ``group`` makes one
    list of each query (``id`` names its documents), ``depth`` is how far one looks, ``gain`` and ``cost``
    are what a hit brings and a look costs, and ``cells`` bounds the memory.

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
        asked = {"labels": labels, "positive": positive, "normalise": normalise, "time": time}
        asked |= {"predictions_made": predictions_made or "before", "stake": 1.0 if stake is None else stake}
        asked |= {"ordered": ordered or time is not None, "level": level, "ordinal": ordinal, "seed": seed}
        return _evaluate_probabilities(data, truth, probabilities, against, odds, bookmaker, asked)
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
    data: Any, truth: Any, probabilities: Any, against: Any, odds: Any, bookmaker: Any, asked: dict[str, Any]
) -> Report:
    if sum(x is not None for x in (against, odds, bookmaker)) > 1:
        raise OptionError("bet against one of them: against (probabilities), odds or bookmaker")
    if data is None:
        if asked["time"] is not None:
            raise OptionError(
                "time names a column of data; arrays are put in order beforehand (ordered=True)"
            )
        return forecasts_report(*_examined(truth, probabilities, against, odds, bookmaker, asked, "arrays"))
    wanted, priced = (_column_names(x) for x in (probabilities, against if odds is None else odds))
    source = open_source(data)
    truth, values, prices, order = read_forecasts(source, truth, wanted, priced, asked["time"])
    if len(wanted) > 1:
        prices = _matched(wanted, priced, prices, truth, asked)
    against, odds = (prices, None) if odds is None else (None, prices)
    if order is not None:
        # Errors name rows of the file, so what can be wrong with a row is found before they are moved.
        _examined(truth, values, against, odds, bookmaker, asked, source.name)
        truth, values = [truth[row] for row in order], values[order]
        against, odds = (None if x is None else x[order] for x in (against, odds))
    return forecasts_report(*_examined(truth, values, against, odds, bookmaker, asked, source.name))


def _matched(
    wanted: list[str], priced: list[str], prices: Any, truth: list[Label], asked: dict[str, Any]
) -> Any:
    """Which class each column is of, by its name; a rival's columns in the same order."""
    classes = list(dict.fromkeys(truth))
    if asked["labels"] is None:
        asked["labels"] = labels_of_columns(wanted, classes)
        places = all(type(label) is int and 0 <= label < len(wanted) for label in classes)
        if asked["labels"] is None and not places:
            raise InputError(
                f"{len(wanted)} columns, {', '.join(wanted)}, are not named after the classes "
                f"{listed(classes)}: say which column is which (labels=, --labels)"
            )
    if prices is None or len(priced) < 2 or asked["labels"] is None:
        return prices
    its = labels_of_columns(priced, asked["labels"])
    return prices if its is None else prices[:, [its.index(label) for label in asked["labels"]]]


def _examined(
    truth: Any, probabilities: Any, against: Any, odds: Any, bookmaker: Any, asked: dict[str, Any], name: str
) -> tuple[ForecastFindings, dict[str, Any]]:
    names = {key: asked[key] for key in ("labels", "positive", "normalise")}
    forecasts = Forecasts.of(truth, probabilities, **names)
    terms = {key: asked[key] for key in ("stake", "ordered", "predictions_made")}
    systems = {"model": forecasts}
    if odds is not None:
        bookmaker = Market(as_races(odds, forecasts))
    if bookmaker is not None:
        wealth = Wealth.from_bookmaker(forecasts, bookmaker, **terms)
        systems[wealth.against] = bookmaker_forecasts(forecasts, bookmaker)
    else:
        rival, who = _rival(truth, forecasts, against, names)
        systems[who] = rival
        terms["book"] = "constant" if against is None else "fair"
        wealth = Wealth.from_forecasts(forecasts, rival, against=who, **terms)
    ladder = {}
    if asked["ordinal"] and forecasts.size > 2 and bookmaker is None:
        mine, its = (rungs(each) for each in systems.values())
        ladder = {
            label: Wealth.from_forecasts(mine[label], its[label], against=wealth.against, **terms)
            for label in mine
        }
    scores = ForecastScores.from_forecasts(systems)
    calibrations = {key: Calibration.from_forecasts(each) for key, each in systems.items()}
    tables = {key: likeliest(each) for key, each in systems.items()}
    pairs = ForecastPairs.from_forecasts(*systems.values()) if forecasts.size == 2 else None
    how = {key: asked[key] for key in ("level", "seed")}
    findings = examine_forecasts(wealth, scores, calibrations, tables, ladder=ladder, pairs=pairs, **how)
    return findings, about_run(source=name, against=wealth.against, cases=wealth.cases, **asked)


def _rival(truth: Any, forecasts: Forecasts, against: Any, names: dict[str, Any]) -> tuple[Forecasts, str]:
    """The rival's forecasts; left out, the class shares of these very cases."""
    if against is not None:
        return Forecasts.of(truth, against, name="the rival's probabilities", **names), "the rival"
    shares = np.bincount(forecasts.codes, minlength=forecasts.size) / len(forecasts.codes)
    constant = np.broadcast_to(shares, forecasts.probabilities.shape)
    return replace(forecasts, probabilities=constant), "constant class shares"


def _column_names(columns: Any) -> list[str]:
    if columns is None:
        return []
    names = [columns] if isinstance(columns, str) else list(columns)
    if not all(isinstance(name, str) for name in names):
        raise OptionError("with data, probabilities, against and odds are names of columns")
    return names


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
    return {"edgeworth": __version__, **said}


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
