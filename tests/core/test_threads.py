"""Blocks over threads: the same parts in the same order, whatever the number of cores."""

from __future__ import annotations

import gc
import multiprocessing
import threading
import time
import weakref
from contextlib import suppress

import numpy as np
import pytest

from edgeworth.common import threads
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.errors import InputError
from edgeworth.forecasts.scores import ForecastScores


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 1000])
@pytest.mark.parametrize("cores", [1, 2, 3, 8])
def test_parts_come_back_in_order(length: int, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: cores)
    blocks = row_blocks(length, 4)
    assert map_blocks(lambda block: block.start, blocks) == list(range(0, max(length, 1), 4))


def test_blocks_cover_the_rows_once() -> None:
    for length in range(20):
        rows = [row for block in row_blocks(length, 6) for row in range(length)[block]]
        assert rows == list(range(length))


def test_no_more_blocks_are_begun_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    begun: list[int] = []

    def work(block: slice) -> None:
        begun.append(block.start)
        if block.start == 0:
            raise InputError("row 0")
        time.sleep(0.01)

    with pytest.raises(InputError, match="row 0"):
        map_blocks(work, row_blocks(1000, 1))
    assert len(begun) < 1000


@pytest.mark.parametrize("wrong", [{0, 1}, {1, 2}, {2, 3, 4, 5}, {6, 7}, {7}])
def test_the_error_of_the_first_rows_is_the_one_raised(
    wrong: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 3)
    later = threading.Event()

    def work(block: slice) -> None:
        if block.start == min(wrong):
            # Rows further down are found wrong before.
            later.wait(0.2)
        if block.start in wrong:
            later.set()
            raise InputError(f"row {block.start}")

    with pytest.raises(InputError, match=f"row {min(wrong)}"):
        map_blocks(work, row_blocks(8, 1))


def test_an_error_does_not_keep_what_was_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 2)

    class Table:
        def refuse(self, block: slice) -> None:
            raise InputError(f"row {block.start}")

    table = Table()
    left = weakref.ref(table)
    gc.disable()
    try:
        # Not by pytest.raises, which keeps the error.
        with suppress(InputError):
            map_blocks(table.refuse, row_blocks(8, 1))
        del table
        # The other thread lets go of it a moment after it is done.
        until = time.monotonic() + 10
        while left() is not None and time.monotonic() < until:
            time.sleep(0.01)
        assert left() is None
    finally:
        gc.enable()


def _total(queue: multiprocessing.Queue[float]) -> None:
    queue.put(scored().mean("log"))


def scored() -> ForecastScores:
    rng = np.random.default_rng(3)
    return ForecastScores.from_probabilities(rng.integers(0, 2, 600_000), rng.random(600_000))


def test_the_number_of_cores_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for cores in (1, 2, 3):
        monkeypatch.setattr(threads, "available_cores", lambda cores=cores: cores)
        results.append(scored())
    assert results[0] == results[1] == results[2]


def test_a_forked_process_has_threads_of_its_own() -> None:
    context = multiprocessing.get_context("fork")
    here = scored().mean("log")
    queue = context.Queue()
    child = context.Process(target=_total, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=60) == here
    finally:
        child.join(10)
        child.kill()
