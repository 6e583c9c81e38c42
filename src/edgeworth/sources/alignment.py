"""Arrays are paired by position, so the rows of series with an index must be in one order."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import ParamSpec, Protocol, TypeGuard, TypeVar

from edgeworth.errors import InputError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Index(Protocol):
    """The row labels of a pandas series or dataframe."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Hashable]: ...

    def equals(self, other: object, /) -> bool:
        """Return whether another index has the same labels in the same order."""

    def sort_values(self) -> Index:
        """Return the labels in ascending order."""


def aligned(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function so that it refuses arguments with the same index in different orders.

    ``data`` is not checked: a table is read by the names of its columns.
    """
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        columns: dict[str, object] = dict(zip(names, arguments, strict=False))
        columns |= options
        columns.pop("data", None)
        check_alignment(columns)
        return function(*arguments, **options)

    return call


def check_alignment(columns: Mapping[str, object]) -> None:
    """Raise an error if two columns have indexes with the same labels in different orders.

    >>> import pandas as pd
    >>> truth, prediction = pd.Series([1, 0, 0]), pd.Series([1, 0, 0], index=[2, 1, 0])
    >>> check_alignment({"truth": truth, "prediction": prediction})
    Traceback (most recent call last):
    ...
    edgeworth.errors.InputError: truth and prediction have the same index in different orders, and rows are \
paired by position: align them first (prediction.reindex(truth.index)), or pass both without an index \
(.to_numpy()) if their rows are in the same order
    """
    different: dict[str, Index] = {}
    for name, index in _indexes(columns):
        if any(index.equals(other) for other in different.values()):
            continue
        for earlier, other in different.items():
            if _is_reordered(index, other):
                raise InputError(
                    f"{earlier} and {name} have the same index in different orders, and rows are paired by "
                    f"position: align them first ({name}.reindex({earlier}.index)), or pass both without an "
                    "index (.to_numpy()) if their rows are in the same order"
                )
        different[name] = index


def _indexes(columns: Mapping[str, object]) -> Iterator[tuple[str, Index]]:
    """Yield the index of each column that has one; mappings and lists may hold columns of their own."""
    for name, values in columns.items():
        if isinstance(values, Mapping):
            yield from _indexes({str(key): column for key, column in values.items()})
        elif isinstance(values, (list, tuple)):
            if values and _index_of(values[0]) is not None:
                yield from _indexes({f"{name}[{number}]": column for number, column in enumerate(values)})
        elif (index := _index_of(values)) is not None:
            yield name, index


def _index_of(values: object) -> Index | None:
    """Return the index of a series or a dataframe, or None."""
    index: object = getattr(values, "index", None)
    return index if _is_index(index) else None


def _is_index(index: object) -> TypeGuard[Index]:
    # Lists have a method of this name, and lazy frames an index that is not computed yet.
    return hasattr(index, "equals") and hasattr(index, "sort_values")


def _is_reordered(index: Index, other: Index) -> bool:
    """Return whether two different indexes have the same labels, each equally often."""
    if len(index) != len(other):
        return False
    try:
        return bool(index.sort_values().equals(other.sort_values()))
    except TypeError:  # labels of several kinds, which have no order
        return Counter(index) == Counter(other)
