"""Reading decisions: batches of labels are counted into a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from edgeworth.common.choices import Missing, WeightKind
from edgeworth.core.labels import parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import Counted, count_source
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.kind import TABLE
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.sources.batches import Batch, Reducer, Source
from edgeworth.sources.columns import Coded, Column, Label
from edgeworth.sources.numbers import as_weights


def count_labels(source: Source | None, options: Options, *, is_final: bool) -> Counted:
    """Fold the columns of truth, prediction, cluster and weight into a table."""
    if not is_final and options["odds"] is not None:
        raise OptionError("odds on labels are of single cases, which a tally does not keep: evaluate them")
    roles = select_options(options, ("truth", "prediction", "cluster", "weight"))
    # Several labels that mean no decision are counted as labels; finalising takes them out.
    one = None if isinstance(options["abstain"], (list, tuple)) else options["abstain"]
    reducer = partial(table_reducer, abstain=one, missing=options["missing"])
    return count_source(source, roles, TABLE.roles, options["weight_kind"], reducer, is_final=is_final)


def table_reducer(
    columns: dict[str, str],
    *,
    is_text: bool,
    weight_kind: WeightKind | None = None,
    abstain: Label | None = None,
    missing: Missing = "error",
) -> Reducer[ContingencyTable]:
    """Make the reducer that counts batches, by cluster where there are groups."""
    # Whether text stands for numbers is known only when all labels are, so until then abstention is text.
    away = str(abstain) if is_text and abstain is not None else abstain
    options = {"weight_kind": weight_kind, "abstain": away, "missing": missing}
    prepare = partial(_count_batch, columns=columns, options=options, is_text=is_text)
    empty = replace(ContingencyTable.empty(), clusters=Clusters.empty() if "cluster" in columns else None)
    return Reducer(tuple(columns.values()), prepare, empty, counts_suffice="weight" not in columns)


def finalise_table(tally: ContingencyTable, terms: Mapping[str, Any], *, is_text: bool) -> ContingencyTable:
    """Make labels of text numbers where every one of them is written so, now that all are known."""
    if isinstance(terms.get("abstain"), list):
        wanted = {parse_labels([label])[0] for label in terms["abstain"]}
        away = [x for x in tally.labels if x in wanted or (is_text and parse_labels([x])[0] in wanted)]
        tally = tally.map_predictions(dict.fromkeys(away)).without_empty_labels()
    if is_text:
        tally = tally.rename_labels(parse_labels(tally.labels))
        if tally.clusters is not None:
            tally = replace(tally, clusters=tally.clusters.rename(parse_labels))
    tally.check_kinds()
    return tally.declare(labels=terms.get("labels"), positive=terms.get("positive"))


def _count_batch(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_text: bool
) -> ContingencyTable:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    if is_text and options["abstain"] is not None:
        roles["prediction"] = _unify_spellings(roles["prediction"], options["abstain"])
    weights = None
    if "weight" in roles:
        weights = as_weights(roles.pop("weight"), columns["weight"], batch.first_row)
    options = options | {"weights": weights, "first_row": batch.first_row, "repeats": batch.repeats}
    clusters = roles.get("cluster")
    return ContingencyTable.from_columns(roles["truth"], roles["prediction"], clusters=clusters, **options)


def _unify_spellings(column: Column, wanted: str) -> Column:
    """Spell every label that equals ``wanted`` the same way: -1 and -1.0 are two labels of text."""
    if not isinstance(column, Coded):
        return column
    value = parse_labels([wanted])
    return Coded(column.codes, tuple(wanted if parse_labels([x]) == value else x for x in column.labels))
