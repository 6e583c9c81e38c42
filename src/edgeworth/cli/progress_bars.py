"""Progress bars on a terminal, for operations that take longer than a moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from edgeworth.core.formatting import displayable
from edgeworth.progress import Advance, listen_to_progress

PATIENCE = 1.0
"""Seconds before bars appear: a command that is done by then shows none."""


class Bars:
    """A display of the operations under way. It is on the screen only while there is one."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), Count())
        times = (TimeElapsedColumn(), TimeRemainingColumn())
        # Standard output is not redirected: rich would write it to this console, which is standard error.
        self.display = Progress(
            *columns, *times, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self.is_open = False
        self._lock = threading.Lock()

    @contextmanager
    def bar(self, what: str, total: float | None) -> Iterator[Advance]:
        """Show an operation from its beginning to its end, however it ends."""
        with self._lock:
            task = self.display.add_task(displayable(what), total=total)
            self._refresh()
        try:
            yield lambda number: self.display.advance(task, number)
        finally:
            with self._lock:
                self.display.remove_task(task)
                self._refresh()

    def open(self, is_open: bool = True) -> None:
        """Allow the display on the screen, or take it away."""
        with self._lock:
            self.is_open = is_open
            self._refresh()

    def _refresh(self) -> None:
        if self.is_open and self.display.tasks:
            self.display.start()
        elif self.display.live.is_started:
            self.display.stop()


class Count(ProgressColumn):
    """How much is done, and of how much if that is known."""

    def render(self, task: Task) -> Text:
        """Render a task that has no steps as nothing."""
        total = "" if task.total is None else f" of {task.total:,.0f}"
        return Text(f"{task.completed:,.0f}{total}" if total or task.completed else "")


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show the operations inside on standard error, if that is a terminal and they take long."""
    console = Console(stderr=True)
    if not (sys.stderr.isatty() and console.is_interactive):
        yield
        return
    bars = Bars(console)
    timer = threading.Timer(PATIENCE, bars.open)
    timer.daemon = True
    timer.start()
    try:
        with listen_to_progress(bars.bar):
            yield
    finally:
        timer.cancel()
        timer.join()
        bars.open(False)
