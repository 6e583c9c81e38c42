"""Convert columns of labels and weights from any library to arrays or codes that can be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import AnyArray
from edgeworth.errors import InputError

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

Label: TypeAlias = Hashable

RowSelection: TypeAlias = "slice[int | None, int | None, int | None] | NDArray[np.intp] | NDArray[np.bool_]"

BLOCK_ROWS = 1 << 16
"""Rows handled at once: temporaries stay inside the processor's cache (fastest of 2^13 to 2^20 measured)."""

GROUPING_ROLES = ("query", "cluster", "clusters", "fold", "folds")
"""Roles of columns whose values are no labels of cases."""

MULTI_LABEL_RECIPE = (
    "Ravel the truth, and predictions, probabilities or each system in the same way. Evaluate them as one "
    "table per label, clustered by case: truth=Y.ravel(), prediction=P.ravel(), "
    'by={"label": np.tile(labels, len(Y))}, cluster=np.repeat(np.arange(len(Y)), Y.shape[1])'
)

MISSING = -1
"""The code of a missing value."""


@dataclass(frozen=True)
class Coded:
    """A column of labels as small whole numbers: row i holds ``labels[codes[i]]``, or is missing at -1."""

    codes: NDArray[np.intp]
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: RowSelection) -> Coded:
        return Coded(self.codes[rows], self.labels)

    def tolist(self) -> list[Label]:
        """Return the label of each row of a column in which none is missing."""
        return [self.labels[code] for code in self.codes.tolist()]


Column: TypeAlias = AnyArray | Coded


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array of another library that can be read through DLPack."""

    def __dlpack__(self, *, stream: None = None) -> CapsuleType:
        """Return the capsule of the array's memory."""


class ArrowArray(Protocol):
    """What Arrow's arrays and chunked arrays have in common."""

    @property
    def null_count(self) -> int:
        """The number of nulls."""

    def __len__(self) -> int: ...

    def to_pylist(self) -> list[Label]:
        """Return the values as Python objects."""


def is_arrow_array(values: object) -> TypeGuard[ArrowArray]:
    """Return whether values are an Arrow array, chunked or not."""
    return hasattr(values, "to_pylist")


def as_column(values: object, name: str) -> Column:
    """Convert a one-dimensional collection to a column; strings stay strings and integers stay exact.

    >>> as_column([1, "a", None], "truth").tolist()
    [1, 'a', None]
    """
    if isinstance(values, Coded):
        return values
    array: AnyArray
    if isinstance(values, np.ma.MaskedArray):
        objects = np.ma.getdata(values).astype(np.object_)
        objects[np.ma.getmaskarray(values)] = None
        array = objects
    elif isinstance(values, np.ndarray):
        array = values
    else:
        array = _to_numpy(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2 and name == "truth":
        raise InputError(
            f"truth has one column per label, shape {array.shape}, so these are multi-label data. "
            f"{MULTI_LABEL_RECIPE}"
        )
    if array.ndim != 1:
        raise InputError(f"{name} must be one column of values; saw an array of shape {array.shape}")
    return array


def _to_numpy(values: object, name: str) -> AnyArray:
    if isinstance(values, (str, bytes, dict, set, frozenset)):
        raise _not_a_column_error(values, name)
    if isinstance(values, (list, tuple, range)):
        # fromiter keeps each item as it is; np.asarray would turn ["a", 1] into two strings.
        return np.fromiter(values, dtype=object, count=len(values))
    series = _series_to_numpy(values)
    if series is not None:
        return series
    if is_arrow_array(values) and (values.null_count or hasattr(values, "dictionary")):
        # An Arrow array: as above, and a null may hide among the entries of a dictionary.
        return np.fromiter(values.to_pylist(), dtype=object, count=len(values))
    if hasattr(values, "__array__") or hasattr(values, "__dlpack__"):
        return as_array(values, name)
    if not isinstance(values, Iterable):
        raise _not_a_column_error(values, name)
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "toarray"):
        raise InputError(f"{name} is a sparse matrix: pass it as an array, with .toarray()")
    return np.array(list(values), dtype=np.object_)


def _not_a_column_error(values: object, name: str) -> InputError:
    return InputError(f"{name} must be a column of values (list, array, series); saw {type(values).__name__}")


def as_array(values: object, name: str) -> AnyArray:
    """Convert another library's array, by ``__array__`` or DLPack.

    The caller has to fetch an array from a graphics card first.
    """
    if hasattr(values, "__array__"):
        return np.asarray(values)
    if not isinstance(values, SupportsDLPack):
        raise InputError(f"{name} cannot be read from {type(values).__name__}: it is not an array")
    try:
        return np.from_dlpack(values)
    except (AttributeError, TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError(f"{name} cannot be read from {type(values).__name__} by DLPack: {error}") from None


@contextmanager
def unique_column_names() -> Iterator[None]:
    """Raise an InputError where narwhals refuses a dataframe with several columns of one name."""
    from narwhals.exceptions import DuplicateError

    try:
        yield
    except DuplicateError as error:
        message = str(error).replace("\n", " ")
        raise InputError(f"the dataframe has several columns of one name: {message}") from None


def _series_to_numpy(values: object) -> AnyArray | None:
    """Convert a dataframe library's series through narwhals, or return None for anything else."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return None
    is_categorical = isinstance(series.dtype, (nw.Categorical, nw.Enum))
    if is_categorical or (series.dtype.is_integer() and series.null_count() > 0):
        # A null would turn integers into floats, and large ones into their neighbours; among categories
        # some libraries do not count it as one.
        return np.fromiter(series.to_list(), dtype=object, count=len(series))
    array: AnyArray = series.to_numpy()
    return array


class _LabelCodes(dict[Label, int]):
    """A mapping that gives each new label the next code, and missing values the code MISSING."""

    # Missing values are never stored: NaN does not equal itself.

    def __missing__(self, label: Label) -> int:
        if is_missing(label):
            return MISSING
        code = self[label] = len(self)
        return code


def is_missing(label: object) -> bool:
    """Return whether a label is None, NaN, NaT or a dataframe library's null."""
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return False


MAX_LABELS_WITH_ONE_HASH = 100
"""Integers with one hash, such as the multiples of 2^61 − 1, take quadratic time in a dictionary."""


def share_one_hash(labels: Iterable[object]) -> bool:
    """Return whether more than 100 different integers of more than 64 bits have one hash.

    >>> share_one_hash(k * (2**61 - 1) for k in range(200)), share_one_hash(range(2**70, 2**70 + 200))
    (True, False)
    """
    long: list[int] = []
    for label in labels:
        if isinstance(label, Decimal) and not label.is_finite():
            continue
        if isinstance(label, (int, Decimal, Fraction)) and abs(int(label)) >= 1 << 64:
            long.append(int(label))
    # Sorting takes n log n comparisons for any hashes.
    different = [label for label, _ in groupby(sorted(long))]
    return max(Counter(map(hash, different)).values(), default=0) > MAX_LABELS_WITH_ONE_HASH


def encode(column: Column, name: str) -> Coded:
    """Encode a block of a column as codes and the labels it holds.

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
    label_codes = _LabelCodes()
    try:
        # Nanoseconds would come out as bare integers.
        items = (column.astype("datetime64[us]") if column.dtype.kind == "M" else column).tolist()
        if not {int, Decimal, Fraction}.isdisjoint(map(type, items)) and share_one_hash(items):
            raise InputError(
                f"{name} holds more than {MAX_LABELS_WITH_ONE_HASH} integers of more than 64 bits that have "
                "the same hash, which would take very long to count: write them as text"
            )
        codes = np.fromiter(map(label_codes.__getitem__, items), dtype=np.intp, count=len(items))
    except TypeError:
        item = next((item for item in items if not isinstance(item, Hashable)), None)
        if isinstance(item, (list, set, np.ndarray)) and name.removeprefix("the ") not in GROUPING_ROLES:
            raise InputError(
                f"{name} holds lists of labels, so these are multi-label data. Make a matrix Y with one row "
                f"per case and one column per label, which is 1 where the label applies. {MULTI_LABEL_RECIPE}"
            ) from None
        raise InputError(
            f"{name} holds a {type(item).__name__}, which cannot be a label: "
            "labels are text, numbers, booleans or other hashable values"
        ) from None
    return Coded(codes, _merge_booleans(tuple(label_codes), items))


def _encode_narrow(column: AnyArray, low: int) -> Coded:
    """Encode integers of a narrow range by counting, which is faster than sorting."""
    offsets = np.subtract(column, low, dtype=np.intp)
    is_present = np.bincount(offsets) > 0
    codes = (np.cumsum(is_present, dtype=np.intp) - 1)[offsets]
    return Coded(codes, tuple((np.flatnonzero(is_present) + low).tolist()))


DROP_MISSING = "drop such rows, with --missing drop (missing='drop')"
"""Advice if that option is available."""


def encode_all(
    column: Column, name: str, first_row: int = 1, advice: str = "drop such rows beforehand"
) -> Coded:
    """Encode a column as ``encode`` does, and raise an error if a value is missing."""
    coded = encode(column, name)
    check_not_missing(coded.codes == MISSING, name, first_row, advice)
    return coded


def check_not_missing(
    missing: NDArray[np.bool_], name: str, first_row: int = 1, advice: str = "drop such rows beforehand"
) -> None:
    """Raise an error if a value is missing, naming the first such row."""
    if missing.any():
        raise InputError(f"{name} is missing in row {first_row + int(np.argmax(missing)):,}: {advice}")


def concatenate(parts: Sequence[Column]) -> Column:
    """Concatenate parts of a column: the result is coded if one of them is."""
    arrays = [part for part in parts if not isinstance(part, Coded)]
    if len(arrays) == len(parts):
        return np.concatenate(arrays)
    label_codes: dict[Label, int] = {}
    codes = []
    for part in parts:
        coded = encode(part, "")
        new_codes = [label_codes.setdefault(label, len(label_codes)) for label in coded.labels]
        codes.append(np.array([*new_codes, MISSING], dtype=np.intp)[coded.codes])
    return Coded(np.concatenate(codes), tuple(label_codes))


def _merge_booleans(labels: tuple[Label, ...], items: Sequence[object]) -> tuple[Label, ...]:
    """Replace booleans by numbers if there are numbers too, because True and 1 are one label to Python."""
    if not any(isinstance(label, bool) for label in labels):
        return labels
    numbers = (int, float, np.number)
    if not any(isinstance(item, numbers) and not isinstance(item, bool) for item in items):
        return labels
    return tuple(int(label) if isinstance(label, bool) else label for label in labels)
