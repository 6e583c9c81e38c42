"""Identifiers of documents: hashes find pairs with queries, and hashes that collide change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from edgeworth.rankings.trec import identifiers
from edgeworth.rankings.trec.identifiers import as_identifiers, first_repeat, join_identifiers, look_up


def drawn(seed: int, number: int) -> tuple[np.ndarray, list[bytes]]:
    """Queries and identifiers of up to 20 bytes, so many of one query that some are alike."""
    rng = np.random.default_rng(0)
    words = [bytes(rng.integers(97, 100, rng.integers(1, 21)).astype(np.uint8)) for _ in range(40)]
    rng = np.random.default_rng(seed)
    return rng.integers(0, 30, number), [words[index] for index in rng.integers(0, 40, number)]


def distinct(query: np.ndarray, ids: list[bytes]) -> tuple[np.ndarray, list[bytes]]:
    pairs = list(dict.fromkeys(zip(query.tolist(), ids, strict=True)))
    return np.array([pair[0] for pair in pairs]), [pair[1] for pair in pairs]


@pytest.fixture(params=["hashes", "colliding hashes"])
def _hashing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "colliding hashes":
        monkeypatch.setattr(identifiers, "_hash_pairs", lambda query, *_: np.zeros(len(query), np.uint64))


@pytest.mark.usefixtures("_hashing")
@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_found_where_a_dictionary_finds_them(seed: int) -> None:
    query, ids = drawn(seed, 300)
    within_query, within = distinct(*drawn(seed + 100, 500))
    row_of_pair = {pair: row for row, pair in enumerate(zip(within_query.tolist(), within, strict=True))}
    expected = [row_of_pair.get(pair, -1) for pair in zip(query.tolist(), ids, strict=True)]
    result = look_up(query, as_identifiers(ids), within_query, as_identifiers(within))
    assert result.tolist() == expected
    assert -1 in expected
    assert max(expected) > 0


@pytest.mark.usefixtures("_hashing")
@pytest.mark.parametrize("seed", range(5))
def test_the_first_repeat_is_found_and_none_where_all_differ(seed: int) -> None:
    query, ids = distinct(*drawn(seed, 300))
    assert first_repeat(query, as_identifiers(ids)) is None
    doubled = np.append(query, query[7]), as_identifiers([*ids, ids[7]])
    assert first_repeat(*doubled) == (7, len(ids))


def test_nothing_is_found_among_nothing() -> None:
    none = np.zeros(0, np.intp)
    some = as_identifiers([b"a"])
    assert look_up(np.array([0]), some, none, as_identifiers([])).tolist() == [-1]
    assert look_up(none, as_identifiers([]), np.array([0]), some).tolist() == []
    assert first_repeat(none, as_identifiers([])) is None


def test_bytes_one_after_the_other_become_identifiers() -> None:
    _, ids = drawn(1, 200)
    lengths = np.array([len(text) for text in ids], np.int32)
    joined = join_identifiers(lengths, np.frombuffer(b"".join(ids), np.uint8))
    assert joined.tolist() == ids
    assert joined.dtype == as_identifiers(ids).dtype
