"""Process blocks of rows on all cores at once, with results in the order of the rows.

NumPy lets other threads run while it computes. Blocks are large, and nothing in them calls BLAS, whose own
threads would keep a core busy waiting. What comes back does not depend on the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

Block = TypeVar("Block")
Part = TypeVar("Part")

MAX_THREADS = 8
"""More threads only wait for memory."""


def row_blocks(length: int, rows: int) -> list[slice[int, int, None]]:
    """Cut ``length`` rows into blocks of at most ``rows``; no rows are one empty block.

    >>> row_blocks(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + rows, length)) for start in range(0, max(length, 1), rows)]


def map_blocks(work: Callable[[Block], Part], blocks: Sequence[Block]) -> list[Part]:
    """Call ``work`` with each block, in threads; if several fail, raise the error of the first one.

    No more blocks are worked on at once than there are threads, which bounds the memory.

    >>> map_blocks(lambda block: block.stop, row_blocks(5, 1))
    [1, 2, 3, 4, 5]
    """
    threads = min(available_cores(), MAX_THREADS, len(blocks))
    if threads < 2:
        return [work(block) for block in blocks]
    from concurrent.futures import ThreadPoolExecutor  # with logging, which takes longer than small blocks

    with ThreadPoolExecutor(threads, "edgeworth") as pool:
        return list(pool.map(work, blocks))


def available_cores() -> int:
    """Count the cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux has it
        return os.cpu_count() or 1
