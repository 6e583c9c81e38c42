"""Columns of labels and weights: whatever the caller holds, as blocks that can be counted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError

Label: TypeAlias = Hashable

BLOCK_ROWS = 1 << 16
"""Rows handled at once: temporaries stay inside the processor's cache (fastest of 2^13 to 2^20 measured)."""

MISSING = -1
"""The code of a missing value."""


@dataclass(frozen=True)
class Coded:
    """A column of labels as small whole numbers: row i holds ``labels[codes[i]]``, or is missing at -1."""

    codes: NDArray[np.intp]
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Coded:
        return Coded(self.codes[rows], self.labels)

    def tolist(self) -> list[Label]:
        """The label of each row, where none is missing."""
        return [self.labels[code] for code in self.codes.tolist()]


Column: TypeAlias = NDArray[Any] | Coded


def as_column(values: Any, name: str) -> Column:
    """Any one-dimensional collection as a column; strings stay strings and integers stay exact.

    >>> as_column([1, "a", None], "truth").tolist()
    [1, 'a', None]
    """
    if isinstance(values, Coded):
        return values
    if isinstance(values, np.ma.MaskedArray):
        absent, values = np.ma.getmaskarray(values), np.ma.getdata(values).astype(object)
        values[absent] = None
    if not isinstance(values, np.ndarray):
        values = _to_numpy(values, name)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(f"{name} must be one column of values; saw an array of shape {values.shape}")
    return values  # type: ignore[no-any-return]  # numpy's Any-typed array, one-dimensional by now


def _to_numpy(values: Any, name: str) -> NDArray[Any]:
    if isinstance(values, (str, bytes, dict, set, frozenset)) or not (
        isinstance(values, Iterable) or hasattr(values, "__array__") or hasattr(values, "__dlpack__")
    ):
        raise InputError(
            f"{name} must be a column of values (list, array, series); saw {type(values).__name__}"
        )
    if isinstance(values, (list, tuple, range)):
        # fromiter keeps each item as it is; np.asarray would turn ["a", 1] into two strings.
        return np.fromiter(values, dtype=object, count=len(values))
    series = _series_to_numpy(values)
    if series is not None:
        return series
    if hasattr(values, "to_pylist") and (values.null_count or hasattr(values, "dictionary")):
        # An Arrow array: as above, and a null may hide among the entries of a dictionary.
        return np.fromiter(values.to_pylist(), dtype=object, count=len(values))
    if hasattr(values, "__array__") or hasattr(values, "__dlpack__"):
        return as_array(values, name)
    return np.array(list(values), dtype=object)


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Another library's array, by ``__array__`` or DLPack; one on a graphics card has to be fetched first."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    try:
        return np.from_dlpack(values)
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError(f"{name} cannot be read from {type(values).__name__} by DLPack: {error}") from None


def from_native(data: Any, **how: Any) -> Any:
    """What narwhals makes of a dataframe or a series; columns of one name are refused."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(data, **how)
    except DuplicateError as error:
        said = str(error).replace("\n", " ")
        raise InputError(f"the dataframe has several columns of one name: {said}") from None


def _series_to_numpy(values: Any) -> NDArray[Any] | None:
    """A dataframe library's series through narwhals, or None when it is not one."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return None
    categories = isinstance(series.dtype, (nw.Categorical, nw.Enum))
    if categories or (series.dtype.is_integer() and series.null_count() > 0):
        # A null would turn integers into floats, and large ones into their neighbours; among categories
        # some libraries do not count it as one.
        return np.fromiter(series.to_list(), dtype=object, count=len(series))
    array: NDArray[Any] = series.to_numpy()
    return array


class _Index(dict[Label, int]):
    """Gives each new label the next code. Missing values are never stored: NaN does not equal itself."""

    def __missing__(self, label: Label) -> int:
        if is_missing(label):
            return MISSING
        code = self[label] = len(self)
        return code


def is_missing(label: Any) -> bool:
    """None, NaN, NaT and the dataframe libraries' null."""
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return False


def encode(column: Column, name: str) -> Coded:
    """A block of a column as codes with the labels it holds.

    >>> encode(np.array(["b", None, "b"], dtype=object), "truth")
    Coded(codes=array([ 0, -1,  0]), labels=('b',))
    """
    if isinstance(column, Coded):
        return column
    if column.dtype.kind in "iu" and np.can_cast(column.dtype, np.intp) and len(column):
        low = int(column.min())
        if int(column.max()) - low < len(column):
            return _encode_narrow(column, low)
    if column.dtype.kind in "biuf":
        values, codes = np.unique(column, return_inverse=True)
        if column.dtype.kind == "f" and len(values) and np.isnan(values[-1]):
            codes = np.where(codes == len(values) - 1, MISSING, codes)
            values = values[:-1]
        return Coded(codes, tuple(values.tolist()))
    index = _Index()
    try:
        # Nanoseconds would come out as bare integers.
        items = (column.astype("datetime64[us]") if column.dtype.kind == "M" else column).tolist()
        codes = np.fromiter(map(index.__getitem__, items), dtype=np.intp, count=len(items))
    except TypeError:
        kind = next((type(item).__name__ for item in items if not isinstance(item, Hashable)), "value")
        raise InputError(
            f"{name} holds a {kind}, which cannot be a label: "
            "labels are text, numbers, booleans or other hashable values"
        ) from None
    return Coded(codes, _as_numbers(tuple(index), items))


def _encode_narrow(column: NDArray[Any], low: int) -> Coded:
    """Number integers that lie close together by counting them, which is faster than to sort them."""
    above = np.subtract(column, low, dtype=np.intp)
    is_there = np.bincount(above) > 0
    codes = (np.cumsum(is_there, dtype=np.intp) - 1)[above]
    return Coded(codes, tuple((np.flatnonzero(is_there) + low).tolist()))


def encode_all(
    column: Column, name: str, first_row: int = 1, advice: str = "drop such rows beforehand"
) -> Coded:
    """As ``encode``, of a column in which nothing is missing."""
    coded = encode(column, name)
    check_gaps(coded.codes == MISSING, name, first_row, advice)
    return coded


def check_gaps(
    missing: NDArray[np.bool_], name: str, first_row: int = 1, advice: str = "drop such rows beforehand"
) -> None:
    """Refuse a column with missing values, naming the first row that has one."""
    if missing.any():
        raise InputError(f"{name} is missing in row {first_row + int(np.argmax(missing)):,}: {advice}")


def concatenate(parts: Sequence[Any]) -> Column:
    """Put parts of a column below each other: all arrays, or all coded."""
    if not isinstance(parts[0], Coded):
        return np.concatenate(parts)
    index: dict[Label, int] = {}
    places = [[*(index.setdefault(x, len(index)) for x in part.labels), MISSING] for part in parts]
    codes = [np.array(place, dtype=np.intp)[x.codes] for place, x in zip(places, parts, strict=True)]
    return Coded(np.concatenate(codes), tuple(index))


def _as_numbers(labels: tuple[Label, ...], items: list[Any]) -> tuple[Label, ...]:
    """True and 1 are one label to Python; with a number among them it is the number."""
    if not any(isinstance(label, bool) for label in labels):
        return labels
    numbers = (int, float, np.number)
    if not any(isinstance(item, numbers) and not isinstance(item, bool) for item in items):
        return labels
    return tuple(int(label) if isinstance(label, bool) else label for label in labels)
