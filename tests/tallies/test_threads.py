"""Blocks over threads: the same parts in the same order, whatever the number of cores."""

from __future__ import annotations

import multiprocessing
import threading

import numpy as np
import pytest

from edgeworth.errors import InputError
from edgeworth.tallies import ForecastScores, threads
from edgeworth.tallies.threads import in_order, row_blocks


def starts(run: list[slice]) -> list[int]:
    return [block.start for block in run]


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 1000])
@pytest.mark.parametrize("cores", [1, 2, 3, 8])
def test_parts_come_back_in_order(length: int, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: cores)
    blocks = row_blocks(length, 4)
    assert in_order(starts, blocks) == list(range(0, max(length, 1), 4))


def test_blocks_cover_the_rows_once() -> None:
    for length in range(20):
        rows = [row for block in row_blocks(length, 6) for row in range(length)[block]]
        assert rows == list(range(length))


def test_several_threads_work_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=30)

    def meet(run: list[slice]) -> list[int]:
        meeting.wait()
        return starts(run)

    assert in_order(meet, row_blocks(8, 1)) == list(range(8))


def test_the_error_of_the_first_rows_is_the_one_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 2)

    def refuse(run: list[slice]) -> list[int]:
        raise InputError(f"row {run[0].start}")

    with pytest.raises(InputError, match="row 0"):
        in_order(refuse, row_blocks(8, 1))


def _total(queue: multiprocessing.Queue[float]) -> None:
    queue.put(scored().mean("log"))


def scored() -> ForecastScores:
    rng = np.random.default_rng(3)
    return ForecastScores.from_probabilities(rng.integers(0, 2, 600_000), rng.random(600_000))


def test_the_number_of_cores_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for cores in (1, 2, 3):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        found.append(scored())
    assert found[0] == found[1] == found[2]


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
