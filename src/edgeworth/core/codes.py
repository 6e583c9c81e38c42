"""A block of rows as one whole number a row, so that counting combinations is counting numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.sources.columns import Column, Label, encode

DENSE_CELLS = 1 << 16
"""Combinations counted in a full array; above this they are sorted."""

WIDE_CELLS = 1 << 22
"""Combinations of integers that may have a full array of their own, where there are as many rows."""

LARGEST_CODE = 1 << 62

FAR_FROM_ZERO = 1 << 31
"""Integers beyond this are moved to 0 one by one, so that no product overflows."""

Coding: TypeAlias = tuple[int, int, type]
"""The range of integers that are their own codes, and whether they are booleans."""


@dataclass(frozen=True)
class RowCodes:
    """A block with one code a row, and how to get from codes back to keys.

    A key is 0 for missing and otherwise 1 + the position of a label.

    Blocks of equal ``coding`` use the same codes for the same labels and can be added as they are.
    """

    codes: NDArray[np.intp]
    size: int
    keys_of: Callable[[NDArray[np.intp]], NDArray[np.intp]]
    labels: list[Sequence[Label]]
    coding: Coding | None = None


def row_codes(
    pieces: list[Column],
    domains: tuple[int, ...],
    names: Sequence[str],
    coding: Coding | None,
    most: int = DENSE_CELLS,
) -> RowCodes:
    """Number the combinations of a block; ``coding`` is the last block's, kept where it still fits.

    Integers are their own codes as long as they have at most ``most`` combinations.
    """
    integers = [piece for piece in pieces if isinstance(piece, np.ndarray) and _is_plain_integer(piece.dtype)]
    if len(integers) == len(pieces) and len(set(domains)) == 1:
        found = _integer_codes(integers, coding, most)
        if found is not None:
            return found
    return _label_codes(pieces, domains, names)


def _is_plain_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "bi" or (dtype.kind == "u" and dtype.itemsize < 8)


def _integer_codes(pieces: list[NDArray[Any]], coding: Coding | None, most: int) -> RowCodes | None:
    """Take integers within a narrow range as their own codes: no sorting, no dictionary."""
    arrays = [piece.view(np.uint8) if piece.dtype.kind == "b" else piece for piece in pieces]
    low = min(int(array.min()) for array in arrays)
    high = max(int(array.max()) for array in arrays)
    kind = bool if all(piece.dtype.kind == "b" for piece in pieces) else int
    if coding is not None and coding[0] <= low and high <= coding[1] and coding[2] is kind:
        low, high, _ = coding
    span = high - low + 1
    size = span ** len(arrays)
    if size > most:
        return None
    if abs(low) > FAR_FROM_ZERO:
        arrays = [array.astype(np.intp) - low for array in arrays]
        offset = 0
    else:
        offset = low * sum(span**power for power in range(len(arrays)))
    codes = np.empty(len(arrays[0]), dtype=np.intp)
    codes[:] = arrays[0]
    for array in arrays[1:]:
        np.multiply(codes, span, out=codes)
        np.add(codes, array, out=codes)
    if offset:
        codes -= offset
    levels = (span,) * len(arrays)
    return RowCodes(
        codes,
        size,
        lambda present: _split_codes(present, levels) + 1,
        [[kind(value) for value in range(low, high + 1)]],
        (low, high, kind),
    )


def _label_codes(pieces: list[Column], domains: tuple[int, ...], names: Sequence[str]) -> RowCodes:
    index: list[dict[Label, int]] = [{} for _ in range(max(domains) + 1)]
    columns = []
    coded = [encode(piece, name) for piece, name in zip(pieces, names, strict=True)]
    # Numbers first: True and 1 are one label, and the first form met is the one that stays.
    for domain, label in sorted(
        ((d, x) for column, d in zip(coded, domains, strict=True) for x in column.labels),
        key=lambda pair: isinstance(pair[1], bool),
    ):
        index[domain].setdefault(label, len(index[domain]))
    for column, domain in zip(coded, domains, strict=True):
        place = index[domain]
        # The last entry translates code -1, missing, to 0.
        translate = [place[label] + 1 for label in column.labels] + [0]
        columns.append(np.array(translate, dtype=np.intp)[column.codes])
    levels = tuple(len(index[domain]) + 1 for domain in domains)
    labels: list[Sequence[Label]] = [list(place) for place in index]
    if prod(levels) < LARGEST_CODE:
        codes = _join_codes(columns, levels)
        return RowCodes(codes, prod(levels), lambda present: _split_codes(present, levels), labels)
    # One whole number cannot hold a combination of so many columns: number those that occur.
    distinct, codes = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return RowCodes(codes.reshape(-1), len(distinct), lambda present: distinct[present], labels)


def _join_codes(columns: list[NDArray[np.intp]], levels: tuple[int, ...]) -> NDArray[np.intp]:
    """Compute mixed-radix numbers (numpy's own function stops at 64 columns)."""
    codes = columns[0].copy()
    for column, level in zip(columns[1:], levels[1:], strict=True):
        codes *= level
        codes += column
    return codes


def _split_codes(codes: NDArray[np.intp], levels: tuple[int, ...]) -> NDArray[np.intp]:
    """Compute the columns back from the codes."""
    keys = np.empty((len(codes), len(levels)), dtype=np.intp)
    rest = codes
    for column in range(len(levels) - 1, -1, -1):
        rest, keys[:, column] = np.divmod(rest, levels[column])
    return keys
