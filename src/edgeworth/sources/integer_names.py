"""Dataframes of pandas whose columns are called by integers, as those made of arrays are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Self, TypeGuard


class PandasFrame(Protocol):
    """The parts of a pandas dataframe that are used here."""

    @property
    def columns(self) -> Sequence[object]:
        """The names of the columns."""

    def rename(self, *, columns: type[str]) -> Self:
        """Rename every column."""


def has_integer_names(data: object) -> TypeGuard[PandasFrame]:
    """Return whether data are a pandas dataframe in which some column is called by an integer."""
    if type(data).__module__.partition(".")[0] != "pandas" or not hasattr(data, "columns"):
        return False
    return any(_is_integer(name) for name in data.columns)


def _is_integer(name: object) -> bool:
    return isinstance(name, int) and not isinstance(name, bool)


def with_text_names(data: object) -> object:
    """Return a dataframe with its integer column names written as text, and anything else as it is."""
    return data.rename(columns=str) if has_integer_names(data) else data


def name_as_text(data: object, roles: Mapping[str, object]) -> dict[str, object]:
    """Write integers that name columns of the data as text.

    >>> import pandas as pd
    >>> name_as_text(pd.DataFrame([[1, 0, 0.5]]), {"truth": 0, "systems": {"a": [1, 2]}, "by": None})
    {'truth': '0', 'systems': {'a': ['1', '2']}, 'by': None}
    """
    tables = list(data.values()) if isinstance(data, Mapping) else data
    parts = list(tables) if isinstance(tables, (list, tuple)) else [tables]
    if not any(map(has_integer_names, parts)):
        return dict(roles)
    return {role: _as_text(value) for role, value in roles.items()}


def _as_text(value: object) -> object:
    if _is_integer(value):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_as_text(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _as_text(part) for name, part in value.items()}
    return value
