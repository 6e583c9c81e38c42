"""Forecasts from columns of a file: names say which class a column is of, places where that was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.core.labels import canonical, list_labels, usual_positive
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.column_names import labels_of_columns, named, without_column
from edgeworth.forecasts.forecasts import CameTrue, Forecasts, pair_of
from edgeworth.sources.columns import Coded, Label
from edgeworth.sources.probabilities import checked

Classes: TypeAlias = Forecasts | CameTrue
"""Who knows the first system's classes, and what says them."""


def forecasts_of_columns(
    truth: Coded, table: Floats, columns: Sequence[str], reading: dict[str, Any], name: str = "probabilities"
) -> Forecasts:
    """The first system's columns of a file: names say which class each is of, or labels do."""
    values = table[:, 0] if len(columns) == 1 else table
    return Forecasts.of(truth, values, columns=columns, name=name, **reading)


def rival_of_columns(
    first: Forecasts,
    table: Floats,
    columns: Sequence[str],
    reading: dict[str, Any],
    name: str = "the rival's probabilities",
) -> Forecasts:
    """Another system's columns of the same file, in the order of the first one's classes."""
    order = order_of_rival(columns, first, reading, name)
    return replace(first, probabilities=in_order(table, order, name, normalise=reading["normalise"]))


def order_of_rival(
    columns: Sequence[str], first: Classes, reading: dict[str, Any], name: str = "the rival's probabilities"
) -> list[int]:
    """Which column is of each of the first system's classes; of a single column, which class it is of."""
    if len(columns) > 1:
        return order_of_columns(columns, first, reading, name)
    if first.label_source == "positive":
        return [1]
    return [first.labels.index(pair_of(first.labels, reading["positive"])[1])]


def in_order(
    table: Floats, order: Sequence[int], name: str, *, first_row: int = 1, normalise: bool = False
) -> Floats:
    """Checked probabilities of each class in its place, from columns in the order that was found.

    >>> import numpy as np
    >>> in_order(np.array([[0.25]]), [0], "probabilities").tolist()
    [[0.25, 0.75]]
    """
    if len(order) > 1:
        # Columns that stand in order already are not copied.
        moved = table if list(order) == list(range(table.shape[1])) else table[:, order]
        return checked(moved, name=name, first_row=first_row, normalise=normalise)
    both = checked(table[:, 0], name=name, first_row=first_row, normalise=normalise)
    return both if list(order) == [1] else np.ascontiguousarray(both[:, ::-1])


def order_of_columns(columns: Sequence[str], first: Classes, reading: dict[str, Any], name: str) -> list[int]:
    """Which column is of each of the first system's classes, by name; by place only where that was said."""
    labels = first.labels
    if len(columns) != len(first.labels):
        raise InputError(
            f"{name} need a column for each of {list_labels(labels)}; saw {len(columns)} columns, "
            f"{named(columns)}"
        )
    found = labels_of_columns(columns, labels)
    if found is not None:
        return [found.index(label) for label in labels]
    if reading["labels"] is None and first.label_source == "places":
        return list(range(len(first.labels)))
    if reading["labels"] is None or first.label_source == "names":
        missing = without_column(columns, labels)
        said = (
            "name them so"
            if first.label_source == "names"
            else f"say their order (--labels {_joined(labels)})"
        )
        raise InputError(
            f"the columns of {name}, {named(columns)}, are not named after the classes "
            f"{list_labels(labels)}: "
            f"there is none for {list_labels(missing)}; {said}"
        )
    declared = [canonical(label) for label in reading["labels"]]
    if (
        first.label_source == "positive"
        and reading["positive"] is None
        and usual_positive(declared) == declared[0]
    ):
        raise OptionError(
            f"labels say that {name} have the order {_joined(declared)}; say also which of the two classes "
            "the single column of probabilities is of (positive=, --positive)"
        )
    return [declared.index(label) for label in labels]


def _joined(labels: Sequence[Label]) -> str:
    return ",".join(map(str, labels))
