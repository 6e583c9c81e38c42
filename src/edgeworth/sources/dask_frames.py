"""Dask's dataframes: the reducer goes to the partitions, wherever Dask's scheduler has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from edgeworth.progress import progress_of
from edgeworth.sources.batches import Batch, T, check_columns, no_rows_error, require_rows
from edgeworth.sources.engines import (
    PartitionTally,
    add_partitions,
    engine_errors,
    fold_partition,
    needs_positions,
    number_rows,
    package_version,
    rows_before,
)
from edgeworth.sources.frames import open_frame


class DaskSource:
    """A Dask dataframe. Its rows are in the order of its partitions; each pass computes it again."""

    is_text = False
    name = "dask DataFrame"

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(self._frame.columns)

    def fold(self, columns: Sequence[str], prepare: Callable[[Batch], T], empty: T) -> T:
        """Each partition prepared and added up where it is, and the parts added here in their order."""
        wanted = list(dict.fromkeys(columns))
        partitions = self._partitions(wanted)
        fold = partial(_fold, columns=wanted, prepare=prepare, empty=empty, version=package_version())
        positions = None
        if needs_positions(empty):
            positions = rows_before(enumerate(self._computed([(len, each, {}) for each in partitions])))
        before = positions or {}

        def task(place: int, before: int) -> tuple[Callable[..., Any], Any, dict[str, int]]:
            return fold, partitions[place], {"partition": place, "before": before}

        def again(*where: int) -> PartitionTally:
            part: PartitionTally = self._computed([task(*where)])[0]
            return part

        parts = self._computed([task(place, before.get(place, 0)) for place in range(len(partitions))])
        return add_partitions(parts, empty, self.name, again, positions)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The rows themselves, a partition at a time: for what cannot be folded."""
        wanted = list(dict.fromkeys(columns))
        computed = (self._computed([(_itself, each, {})])[0] for each in self._partitions(wanted))
        batches = number_rows(batch for part in computed for batch in _batches(part, wanted))
        yield from require_rows(batches, no_rows_error(self.name))

    def _partitions(self, columns: list[str]) -> list[Any]:
        check_columns(columns, self.names, self.name)
        with engine_errors(self.name):
            return list(self._frame[columns].to_delayed())

    def _computed(self, tasks: list[tuple[Callable[..., Any], Any, dict[str, int]]]) -> list[Any]:
        """Each function of its partition and of some numbers, computed by whichever scheduler is set up."""
        dask, callbacks = import_module("dask"), import_module("dask.callbacks")
        works = [dask.delayed(work)(rows, **given) for work, rows, given in tasks]
        keys = {work.key for work in works}
        with engine_errors(self.name), progress_of("partitions", len(works)) as done:

            def finished(key: Any, *_: Any) -> None:
                if key in keys:
                    done(1)

            # A scheduler on other machines calls nothing back.
            with callbacks.Callback(posttask=finished):
                return list(dask.compute(*works))


def _itself(rows: Any) -> Any:
    return rows


def _fold(rows: Any, *, columns: list[str], **work: Any) -> PartitionTally:
    return fold_partition(_batches(rows, columns), **work)


def _batches(rows: Any, columns: list[str]) -> Iterator[Batch]:
    return open_frame(rows).batches(columns) if len(rows) else iter(())
