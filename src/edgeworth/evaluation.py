"""The front door: from data to a report, by composing sources, tallies, inference and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from edgeworth.errors import InputError, OptionError
from edgeworth.inference import examine_decisions
from edgeworth.measures import table_of
from edgeworth.reports import Report, decisions_report
from edgeworth.sources import ArraySource, Batch, Coded, Column, Label, Source, fold, open_source
from edgeworth.sources.weights import as_weights
from edgeworth.tallies import ClusteredTable, ContingencyTable
from edgeworth.tallies.labels import parsed
from edgeworth.tallies.policies import Missing, WeightKind
from edgeworth.tallies.serial import labels_to_json


def evaluate(
    data: Any = None,
    *,
    truth: Any,
    prediction: Any,
    group: Any = None,
    weight: Any = None,
    weight_kind: WeightKind | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
    level: float = 0.95,
    seed: int = 0,
    pool: float = 10.0,
    margin: float = 0.0,
    commission: float = 0.0,
) -> Report:
    """Evaluate labels: is the predictor informed, how sure is that, what is it worth?

    ``data`` is the path of a file or a dataframe, and then the other words are names of its columns; without
    it they are the columns themselves. ``group`` names clusters of rows that are not independent (patients,
    documents).

    >>> report = evaluate(truth=[1, 0, 1, 0, 1, 0] * 10, prediction=[1, 0, 1, 1, 1, 0] * 10)
    >>> print(report.verdict.split(" (")[0])
    Does as well as one who knows the answer 67% of the time and guesses otherwise
    """
    source, columns = _source(data, truth=truth, prediction=prediction, group=group, weight=weight)
    tally = tally_decisions(
        source, columns, weight_kind=weight_kind, abstain=abstain, missing=missing
    ).declare(labels=labels, positive=positive)
    findings = examine_decisions(
        tally, level=level, seed=seed, pool=pool, margin=margin, commission=commission
    )
    named = {"labels": labels and labels_to_json(labels), "positive": positive, "abstain": abstain}
    options = {"seed": seed, "missing": missing} | named
    terms = {"level": level, "pool": pool, "margin": margin, "commission": commission}
    known = options | terms | {"weight_kind": weight_kind}
    report = decisions_report(findings, _about(tally, source=source.name, **columns, **known))
    return replace(report, warnings=(*_slips(columns, tally, abstain), *report.warnings))


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
    return decisions_report(findings, _about(table, source="a table", seed=seed))


def tally_decisions(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> ContingencyTable | ClusteredTable:
    """Fold a source into a tally of decisions. ``columns`` maps roles to names of columns."""
    # Text is told from numbers only when all labels are known, so until then abstention is text too.
    away = str(abstain) if source.is_text and abstain is not None else abstain
    if source.is_text and "weight" in columns and weight_kind is None:
        weight_kind = _weight_kind(source, columns["weight"])
    options = {"weight_kind": weight_kind, "abstain": away, "missing": missing}
    prepare = partial(_prepare, columns=columns, options=options, is_text=source.is_text)
    empty = ClusteredTable.empty() if "group" in columns else ContingencyTable.empty()
    tally = fold(source.batches(list(columns.values())), prepare, empty)
    table = table_of(tally)
    if not table.cells.any():
        why = f"no rows are left after {table.dropped:,} were dropped for missing values"
        raise InputError(f"{source.name}: {why if table.dropped else 'every weight is 0'}")
    if source.is_text:
        tally = tally.renamed(parsed(table.labels))
    table_of(tally).check_kinds()
    return tally


def _weight_kind(source: Source, column: str) -> WeightKind:
    """Counts when every weight of the file is written as a whole number: a pass over that column alone.

    A batch cannot tell by itself: whole numbers in one and fractions in the next are all sampling weights.
    """
    whole = all(
        as_weights(batch.columns[column], column).dtype.kind == "i" for batch in source.batches([column])
    )
    return "counts" if whole else "sampling"


def _prepare(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_text: bool
) -> ContingencyTable | ClusteredTable:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    if is_text and options["abstain"] is not None:
        roles["prediction"] = _spelt_alike(roles["prediction"], options["abstain"])
    weights = as_weights(roles.pop("weight"), columns["weight"]) if "weight" in roles else None
    options = options | {"weights": weights, "first_row": batch.first_row}
    if "group" in roles:
        return ClusteredTable.from_columns(roles["truth"], roles["prediction"], roles["group"], **options)
    return ContingencyTable.from_columns(roles["truth"], roles["prediction"], **options)


def _spelt_alike(column: Column, wanted: str) -> Column:
    """In text -1 and -1.0 are two labels; as the prediction that means no decision they are one."""
    if not isinstance(column, Coded):
        return column
    value = parsed([wanted])
    return Coded(column.codes, tuple(wanted if parsed([x]) == value else x for x in column.labels))


def _source(data: Any, **roles: Any) -> tuple[Source, dict[str, str]]:
    """The source, and the name of the column that plays each role."""
    given = {role: value for role, value in roles.items() if value is not None}
    for role in ("truth", "prediction"):
        if role not in given:
            raise OptionError(f"{role} is needed: the name of a column, or the column itself")
    if data is None:
        for role, value in given.items():
            if isinstance(value, str):
                raise OptionError(f"{role}={value!r} names a column, but there is no data to find it in")
        return ArraySource(given), {role: role for role in given}
    for role, value in given.items():
        if not isinstance(value, str):
            raise OptionError(f"with data, {role} is the name of a column; saw {type(value).__name__}")
    return open_source(data), given


def _about(tally: ContingencyTable | ClusteredTable, **known: Any) -> dict[str, Any]:
    from edgeworth import __version__

    table = table_of(tally)
    cases = table.cells.sum().item()
    said = {
        name: value if isinstance(value, (str, int, float, list)) else repr(value)
        for name, value in known.items()
        if value is not None
    }
    return {"edgeworth": __version__, **said, "cases": cases, "dropped": table.dropped}


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
