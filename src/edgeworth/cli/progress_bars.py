"""Progress on standard error: bars on a terminal, now and then a line if it is a file or a pipe."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

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

from edgeworth.common.progress import Advance, has_listener, listen_to_progress
from edgeworth.core.formatting import displayable

SECONDS_BEFORE_BARS = 1.0
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


SECONDS_BEFORE_FIRST_LINE = 10.0
"""Seconds before the first line: a command that is done by then writes none."""

SECONDS_BETWEEN_LINES = 30.0
"""Seconds from one line to the next."""


@dataclass(eq=False)
class Operation:
    """Something under way: how much is done, and of how much if that is known."""

    what: str
    total: float | None
    done: float = 0.0

    def advance(self, number: float) -> None:
        """Count what is done."""
        self.done += number

    def __str__(self) -> str:
        of_all = "" if self.total is None else f" of {self.total:,.0f}"
        counted = f": {self.done:,.0f}{of_all}" if of_all or self.done else ""
        return f"{displayable(self.what)}{counted}"


class Lines:
    """The operations in progress, each reported on one line when the user asks for it."""

    def __init__(self) -> None:
        self.under_way: list[Operation] = []
        self._lock = threading.Lock()

    @contextmanager
    def operation(self, what: str, total: float | None) -> Iterator[Advance]:
        """Show an operation while it runs, and remove it even if it fails."""
        operation = Operation(what, total)
        with self._lock:
            self.under_way.append(operation)
        try:
            yield operation.advance
        finally:
            with self._lock:
                self.under_way.remove(operation)

    def line(self, seconds: float) -> str:
        """Write the running operation and its seconds: the widest one whose end is known, or any."""
        with self._lock:
            counted = [task for task in self.under_way if task.total is not None]
            shown = next(iter(counted or self.under_way[-1:]), None)
            return f"edgeworth: {'working' if shown is None else shown} ({seconds:,.0f} s)\n"

    def write_until(self, is_over: threading.Event) -> None:
        """Write a line now and then until the command is over, or standard error is gone."""
        began, pause = time.monotonic(), SECONDS_BEFORE_FIRST_LINE
        while not is_over.wait(pause):
            try:
                sys.stderr.write(self.line(time.monotonic() - began))
                sys.stderr.flush()
            except (OSError, ValueError):
                return
            pause = SECONDS_BETWEEN_LINES


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show long operations on standard error: as bars on a terminal, otherwise in lines.

    A program that calls the command and listens itself gets no lines. The environment variable
    ``EDGEWORTH_PROGRESS=off`` turns both off.
    """
    console = Console(stderr=True)
    if os.environ.get("EDGEWORTH_PROGRESS") == "off":
        shown: AbstractContextManager[None] = nullcontext()
    elif sys.stderr.isatty() and console.is_interactive:
        shown = _bars(console)
    else:
        shown = nullcontext() if has_listener() else _lines()
    with shown:
        yield


@contextmanager
def _lines() -> Iterator[None]:
    lines, is_over = Lines(), threading.Event()
    writer = threading.Thread(target=lines.write_until, args=(is_over,), daemon=True)
    writer.start()
    try:
        with listen_to_progress(lines.operation):
            yield
    finally:
        is_over.set()
        writer.join()


@contextmanager
def _bars(console: Console) -> Iterator[None]:
    bars = Bars(console)
    timer = threading.Timer(SECONDS_BEFORE_BARS, bars.open)
    timer.daemon = True
    timer.start()
    try:
        with listen_to_progress(bars.bar):
            yield
    finally:
        timer.cancel()
        timer.join()
        bars.open(False)
