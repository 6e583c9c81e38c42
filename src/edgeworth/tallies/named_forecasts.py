"""Forecasts from columns of a file: names say which class a column is of, places where that was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Coded, Label
from edgeworth.tallies.column_names import labels_of_columns, named, without_column
from edgeworth.tallies.forecast_columns import Forecasts, pair_of
from edgeworth.tallies.joint import Floats
from edgeworth.tallies.labels import canonical, listed, usual_positive


def forecasts_of_columns(
    truth: Coded, table: Floats, columns: Sequence[str], reading: dict[str, Any], name: str = "probabilities"
) -> Forecasts:
    """The first system's columns of a file: names say which class each is of, or labels do."""
    values = table[:, 0] if len(columns) == 1 else table
    return Forecasts.of(truth, values, columns=columns, name=name, **reading)


def rival_of_columns(
    first: Forecasts,
    truth: Coded,
    table: Floats,
    columns: Sequence[str],
    reading: dict[str, Any],
    name: str = "the rival's probabilities",
) -> Forecasts:
    """Another system's columns of the same file, in the order of the first one's classes."""
    normalise = reading["normalise"]
    if len(columns) == 1:
        labels = first.labels if first.told == "positive" else pair_of(first.labels, reading["positive"])
        found = Forecasts.of(truth, table[:, 0], labels=labels, normalise=normalise, name=name)
        return found.in_order_of(first, name)
    order = order_of_columns(columns, first, reading, name)
    return Forecasts.of(truth, table[:, order], labels=first.labels, normalise=normalise, name=name)


def order_of_columns(
    columns: Sequence[str], first: Forecasts, reading: dict[str, Any], name: str
) -> list[int]:
    """Which column is of each of the first system's classes, by name; by place only where that was said."""
    labels = first.labels
    if len(columns) != first.size:
        raise InputError(
            f"{name} need a column for each of {listed(labels)}; saw {len(columns)} columns, {named(columns)}"
        )
    found = labels_of_columns(columns, labels)
    if found is not None:
        return [found.index(label) for label in labels]
    if reading["labels"] is None and first.told == "places":
        return list(range(first.size))
    if reading["labels"] is None or first.told == "names":
        missing = without_column(columns, labels)
        said = "name them so" if first.told == "names" else f"say their order (--labels {_joined(labels)})"
        raise InputError(
            f"the columns of {name}, {named(columns)}, are not named after the classes {listed(labels)}: "
            f"there is none for {listed(missing)}; {said}"
        )
    declared = [canonical(label) for label in reading["labels"]]
    if first.told == "positive" and reading["positive"] is None and usual_positive(declared) == declared[0]:
        raise OptionError(
            f"labels say that {name} have the order {_joined(declared)}; say also which of the two classes "
            "the single column of probabilities is of (positive=, --positive)"
        )
    return [declared.index(label) for label in labels]


def _joined(labels: Sequence[Label]) -> str:
    return ",".join(map(str, labels))
