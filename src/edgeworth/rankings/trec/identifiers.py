"""Identifiers of documents as fixed-width bytes, and their pairs with a query as single numbers.

Sorting a million texts takes seconds, sorting a million whole numbers a hundredth of one. So a pair of
query and identifier is looked up by a key of 64 bits, the query above and a hash of the identifier below;
and because a hash may collide, what the keys say is checked on the bytes themselves.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import blocks

Identifiers: TypeAlias = NDArray[np.bytes_]
"""UTF-8, padded with zeros to a multiple of eight bytes; ordered as strcmp orders them."""

Keys: TypeAlias = NDArray[np.uint64]

WORD = 8
GOLDEN, STIRRER, ALL_BITS = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xFFFFFFFFFFFFFFFF

LARGEST_TABLE = 1 << 33
"""Bytes of fixed-width identifiers beyond which one very long identifier was hardly meant."""


def identifiers(lengths: NDArray[np.int64], content: NDArray[np.uint8]) -> Identifiers:
    """Identifiers from their lengths and their bytes, one after the other.

    >>> identifiers(np.array([1, 3]), np.frombuffer(b"adoc", dtype=np.uint8)).tolist()
    [b'a', b'doc']
    """
    longest = int(lengths.max(initial=1))
    width = -(-longest // WORD) * WORD
    if len(lengths) * width > LARGEST_TABLE:
        raise InputError(
            f"an identifier is {longest:,} bytes long; among {len(lengths):,} of them that is hardly meant"
        )
    table = np.zeros((len(lengths), width), dtype=np.uint8)
    if len(lengths) and int(lengths.min()) == longest:
        table[:, :longest] = content.reshape(len(lengths), longest)
    else:
        table[np.arange(width) < lengths[:, None]] = content
    return table.view(f"S{width}").reshape(-1)


def as_identifiers(texts: list[bytes]) -> Identifiers:
    """Identifiers from a list of bytes."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return identifiers(lengths, np.frombuffer(b"".join(texts), dtype=np.uint8))


def texts_of(ids: Identifiers) -> list[str]:
    """Identifiers as text; bytes that are no UTF-8 come back through ``surrogateescape``."""
    return [text.decode("utf-8", "surrogateescape") for text in ids.tolist()]


def pad(ids: NDArray[Any], width: int) -> Identifiers:
    """The same identifiers, at least so many bytes wide."""
    width = -(-max(width, ids.dtype.itemsize) // WORD) * WORD
    return ids if ids.dtype.itemsize == width else ids.astype(f"S{width}")


def concatenate_ids(left: Identifiers, right: Identifiers) -> Identifiers:
    """Identifiers of both, one after the other."""
    width = max(left.dtype.itemsize, right.dtype.itemsize)
    return np.concatenate((pad(left, width), pad(right, width)))


def words(ids: Identifiers) -> NDArray[np.uint64]:
    """The bytes of each identifier, eight at a time, in the machine's own order."""
    contiguous = np.ascontiguousarray(ids)
    return contiguous.view(np.uint64).reshape(len(ids), ids.dtype.itemsize // WORD)


def pair_keys(query: NDArray[np.intp], ids: Identifiers, queries: int) -> Keys:
    """One number for each pair of query and identifier: equal pairs have equal keys, and keys sort by query.

    Unequal pairs have unequal keys almost always, not always. Width does not matter: zeros add nothing.
    """
    bits = np.uint64(max(int(queries).bit_length(), 1))
    parts = words(ids)
    keys = np.empty(len(ids), dtype=np.uint64)
    for rows in blocks(len(ids)):
        keys[rows] = _stir(parts[rows]) >> bits
        keys[rows] |= query[rows].astype(np.uint64) << (np.uint64(64) - bits)
    return keys


def _stir(parts: NDArray[np.uint64]) -> Keys:
    """A hash of the words of each row."""
    mixed = np.zeros(len(parts), dtype=np.uint64)
    for place, word in enumerate(parts.T):
        # Each word is stirred with a multiplier of its own (odd, from the golden ratio) and then added.
        stirred = word * np.uint64((GOLDEN * (2 * place + 1)) & ALL_BITS)
        stirred ^= stirred >> np.uint64(32)
        stirred *= np.uint64(STIRRER)
        mixed += stirred
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(STIRRER)
    return mixed


def first_repeat(query: NDArray[np.intp], ids: Identifiers, queries: int) -> tuple[int, int] | None:
    """The rows of the first pair of query and identifier that occurs twice; None when all differ.

    >>> first_repeat(np.array([0, 1, 0]), as_identifiers([b"a", b"a", b"a"]), 2)
    (0, 2)
    """
    keys = pair_keys(query, ids, queries)
    ordered = np.sort(keys)
    alike = ordered[1:] == ordered[:-1]
    if not alike.any():
        return None
    seen: dict[tuple[int, bytes], int] = {}
    for row in np.flatnonzero(np.isin(keys, ordered[1:][alike])).tolist():
        pair = (int(query[row]), bytes(ids[row]))
        if pair in seen:
            return seen[pair], row
        seen[pair] = row
    return None


def look_up(
    query: NDArray[np.intp],
    ids: Identifiers,
    within_query: NDArray[np.intp],
    within_ids: Identifiers,
    queries: int,
) -> NDArray[np.intp]:
    """Where each pair of query and identifier stands among others, all different; -1 where it does not.

    >>> there = as_identifiers([b"a", b"b"])
    >>> look_up(np.array([0, 0]), as_identifiers([b"b", b"c"]), np.array([0, 0]), there, 1).tolist()
    [1, -1]
    """
    if not len(within_ids) or not len(ids):
        return np.full(len(ids), -1, dtype=np.intp)
    width = max(ids.dtype.itemsize, within_ids.dtype.itemsize)
    wanted, there = pair_keys(query, ids, queries), pair_keys(within_query, within_ids, queries)
    order = np.argsort(there)
    ordered = there[order]
    place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    found = np.flatnonzero(ordered[place] == wanted)
    result = np.full(len(ids), -1, dtype=np.intp)
    result[found] = order[place[found]]
    if (ordered[1:] == ordered[:-1]).any():
        # Keys that collide cannot tell their pairs apart, so the pairs themselves are looked up.
        pairs = zip(within_query.tolist(), within_ids.tolist(), strict=True)
        rows = {pair: row for row, pair in enumerate(pairs)}
        result[found] = [rows.get((int(query[row]), bytes(ids[row])), -1) for row in found.tolist()]
        return result
    same = (query[found] == within_query[result[found]]) & np.all(
        words(pad(ids[found], width)) == words(pad(within_ids[result[found]], width)), axis=1
    )
    result[found[~same]] = -1
    return result
