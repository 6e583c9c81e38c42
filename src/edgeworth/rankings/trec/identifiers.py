"""Identifiers of documents as bytes, and where their pairs with a query stand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError

Identifiers: TypeAlias = NDArray[np.bytes_]
"""UTF-8, padded with zeros to one width; ordered as strcmp orders them."""

LARGEST_TABLE = 1 << 33
"""Bytes of fixed-width identifiers beyond which one very long identifier was hardly meant."""


def as_identifiers(texts: list[bytes]) -> Identifiers:
    """Identifiers from a list of bytes."""
    longest = max(map(len, texts), default=1)
    if len(texts) * longest > LARGEST_TABLE:
        raise InputError(
            f"an identifier is {longest:,} bytes long; among {len(texts):,} of them that is hardly meant"
        )
    return np.array(texts, dtype=np.bytes_)


def texts_of(ids: Identifiers) -> list[str]:
    """Identifiers as text; bytes that are no UTF-8 come back through ``surrogateescape``."""
    return [text.decode("utf-8", "surrogateescape") for text in ids.tolist()]


def first_repeat(query: NDArray[np.intp], ids: Identifiers) -> tuple[int, int] | None:
    """The rows of the first pair of query and identifier that occurs twice; None when all differ.

    >>> first_repeat(np.array([0, 1, 0]), as_identifiers([b"a", b"a", b"a"]))
    (0, 2)
    """
    order = np.argsort(query, kind="stable")
    names, ends = ids[order].tolist(), 1 + np.flatnonzero(np.diff(query[order], append=-1))
    # A set for each query is small: several times faster than one of all pairs.
    if all(len({*names[start:end]}) == end - start for start, end in pairwise([0, *ends.tolist()])):
        return None
    first: dict[tuple[int, bytes], int] = {}
    pairs = enumerate(_pairs(query, ids))
    return next((first[pair], row) for row, pair in pairs if first.setdefault(pair, row) < row)


def look_up(
    query: NDArray[np.intp], ids: Identifiers, within_query: NDArray[np.intp], within_ids: Identifiers
) -> NDArray[np.intp]:
    """Where each pair of query and identifier stands among others, all different; -1 where it does not.

    >>> there = as_identifiers([b"a", b"b"])
    >>> look_up(np.array([0, 0]), as_identifiers([b"b", b"c"]), np.array([0, 0]), there).tolist()
    [1, -1]
    """
    row_of_pair = {pair: row for row, pair in enumerate(_pairs(within_query, within_ids))}
    return np.array([row_of_pair.get(pair, -1) for pair in _pairs(query, ids)], dtype=np.intp)


def _pairs(query: NDArray[np.intp], ids: Identifiers) -> Iterator[tuple[int, bytes]]:
    return zip(query.tolist(), ids.tolist(), strict=True)
