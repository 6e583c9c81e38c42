"""Blocks of rows worked on by all cores at once, with answers in the order of the rows.

NumPy lets other threads run while it computes. Each call of it hands over between threads, so blocks are
large, and nothing in them calls BLAS, whose own threads would keep a core busy waiting. What comes back does
not depend on the number of cores, where blocks do not: they come back in order.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from typing import TypeVar

Part = TypeVar("Part")

MOST_THREADS = 8
"""More of them wait for memory."""

FEWEST_BLOCKS = 4
"""Fewer blocks are not worth a thread."""


def row_blocks(length: int, rows: int) -> list[slice]:
    """Blocks of so many rows; of no rows, one block that is empty.

    >>> row_blocks(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + rows, length)) for start in range(0, max(length, 1), rows)]


def in_order(
    work: Callable[[Iterator[slice]], list[Part]], blocks: list[slice], fewest: int = FEWEST_BLOCKS
) -> list[Part]:
    """What ``work`` makes of each block. Called once a core, it is handed the next block until none is left.

    The first rows' error is the one raised, as if rows had been gone through one by one.

    >>> in_order(lambda run: [block.stop for block in run], row_blocks(5, 1))
    [1, 2, 3, 4, 5]
    """
    threads = min(cores(), MOST_THREADS, len(blocks))
    if threads == 1 or len(blocks) < fewest:
        parts = work(iter(blocks))
        assert len(parts) == len(blocks), "every block is gone through"
        return parts
    waiting = deque(enumerate(blocks))
    done: dict[int, Part] = {}
    errors: dict[int, Exception] = {}

    def share() -> None:
        taken: list[int] = []

        def run() -> Iterator[slice]:
            with suppress(IndexError):  # nothing is left
                while True:
                    place, block = waiting.popleft()
                    taken.append(place)
                    yield block

        try:
            done.update(zip(taken, work(run()), strict=True))
        except Exception as error:
            # Blocks are handed out in order: those before this one are done, or their own error comes first.
            waiting.clear()
            errors[taken[-1] if taken else len(blocks)] = error

    # The caller's own thread takes its share: it is awake already.
    others = [_pool().submit(share) for _ in range(threads - 1)]
    try:
        share()
    finally:
        waiting.clear()
        # What has not begun has nothing left to do, and may never begin: its thread may be waiting as we do.
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()
    if errors:
        first = errors[min(errors)]
        # An error that holds itself would keep the tables in memory until garbage is looked for.
        errors.clear()
        try:
            raise first
        finally:
            del first
    assert len(done) == len(blocks), "every block is gone through"
    return [done[place] for place in range(len(blocks))]


@cache
def _pool() -> ThreadPoolExecutor:
    # Kept: new threads ask the system for memory of their own, which took a tenth of the time.
    return ThreadPoolExecutor(min(cores(), MOST_THREADS), "edgeworth")


if hasattr(os, "register_at_fork"):
    # A forked process has none of its parent's threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux says it
        return os.cpu_count() or 1
