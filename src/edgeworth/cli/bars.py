"""Bars on a terminal for what takes longer than a moment; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from edgeworth.progress import Advance, listening

PATIENCE = 1.0
"""Seconds before a bar appears: what is done by then needs none."""


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show progress on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with listening(_bar):
        yield


@contextmanager
def _bar(what: str, total: float | None) -> Iterator[Advance]:
    bar = _Bar(what, total)
    try:
        yield bar.advance
    finally:
        bar.stop()


class _Bar:
    """A bar that draws itself once an operation has proved long."""

    def __init__(self, what: str, total: float | None) -> None:
        self.what, self.total = what, total
        self.done, self.begun = 0.0, time.monotonic()
        self.drawn: tuple[object, object] | None = None

    def advance(self, number: float) -> None:
        """So much more is done."""
        self.done += number
        if self.drawn is None:
            if time.monotonic() - self.begun < PATIENCE:
                return
            self._draw()
        assert self.drawn is not None
        progress, task = self.drawn
        progress.update(task, completed=self.done)  # type: ignore[attr-defined]  # rich is imported late

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        left = TimeElapsedColumn() if self.total is None else TimeRemainingColumn()
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}" + ("" if self.total is None else " of {task.total:,.0f}")),
            left,
            console=Console(stderr=True),
            transient=True,
        )
        progress.start()
        self.drawn = (progress, progress.add_task(self.what, total=self.total, completed=int(self.done)))

    def stop(self) -> None:
        """The bar goes, whether the operation ended well, badly or was interrupted."""
        if self.drawn is not None:
            self.drawn[0].stop()  # type: ignore[attr-defined]  # as above
