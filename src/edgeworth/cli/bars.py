"""Bars on a terminal for what takes longer than a moment; nothing anywhere else.

A bar appears by the clock, not by what an operation tells: one slow step that tells nothing shows a spinner
and the time it has taken so far. All bars are lines of one display, which goes before anything is written to
standard output, since that is often the same terminal.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from edgeworth.progress import Advance, listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0
"""Seconds before a bar appears: what is done by then needs none."""

WORKING = "working"
"""What is said as long as no operation says more."""


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show progress on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    bars = Bars()
    written = sys.stdout
    sys.stdout = cast(TextIO, _First(written, bars.close))
    try:
        with listening(bars.bar), bars.bar(WORKING, None):
            yield
    finally:
        bars.close()
        sys.stdout = written


class Bars:
    """The operations under way, drawn by a thread of their own once they have proved long."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.under_way: list[_Operation] = []
        self.display: Progress | None = None
        self.closed = threading.Event()
        self.clock: threading.Thread | None = None

    @contextmanager
    def bar(self, what: str, total: float | None) -> Iterator[Advance]:
        """An operation from its beginning to its end, however it ends."""
        operation = _Operation(what, total)
        with self.lock:
            self.under_way.append(operation)
            if self.clock is None and not self.closed.is_set():
                self.clock = threading.Thread(target=self._watch, daemon=True)
                self.clock.start()
        try:
            yield operation.advance
        finally:
            with self.lock:
                self.under_way.remove(operation)
                if self.display is not None and operation.task is not None:
                    self.display.remove_task(operation.task)

    def close(self) -> None:
        """Take the display away for good."""
        self.closed.set()
        with self.lock:
            if self.display is not None:
                self.display.stop()
                self.display = None

    def _watch(self) -> None:
        while not self.closed.wait(PATIENCE / 10):
            with self.lock:
                if not self.closed.is_set():
                    self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        long = [each for each in self.under_way if now - each.begun >= PATIENCE]
        # Of the whole command only as long as nothing in it says more.
        shown = [each for each in long if each.what != WORKING] or long
        if shown and self.display is None:
            self.display = _display()
            self.display.start()
        for each in self.under_way:
            if self.display is not None and each in shown:
                if each.task is None:
                    each.task = self.display.add_task(each.what, total=each.total, told="")
                self.display.update(each.task, completed=each.done, visible=True, told=each.told(now))
            elif self.display is not None and each.task is not None:
                self.display.update(each.task, visible=False)


class _Operation:
    """How far along one operation is."""

    def __init__(self, what: str, total: float | None) -> None:
        self.what, self.total = what, total
        self.done, self.begun = 0.0, time.monotonic()
        self.task: TaskID | None = None

    def advance(self, number: float) -> None:
        """So much more is done."""
        self.done += number

    def told(self, now: float) -> str:
        """How much is done, how long it has taken, and how long it will at this pace.

        >>> operation = _Operation("draws", 2000)
        >>> operation.advance(500)
        >>> operation.told(operation.begun + 3)
        '500 of 2,000 · 0:03 · 0:09 left'
        """
        taken = now - self.begun
        parts = [_clock(taken)]
        if self.total is not None:
            parts.insert(0, f"{self.done:,.0f} of {self.total:,.0f}")
            if 0 < self.done < self.total:
                parts.append(f"{_clock(taken * (self.total - self.done) / self.done)} left")
        elif self.done:
            parts.insert(0, f"{self.done:,.0f}")
        return " · ".join(parts)


def _clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> _clock(3.2), _clock(125), _clock(4000)
    ('0:03', '2:05', '1:06:40')
    """
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def _display() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    class Bar(BarColumn):
        def render(self, task: Any) -> Any:
            """Nothing without an end: what only moves is the spinner."""
            return super().render(task) if task.total else ""

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        Bar(),
        TextColumn("{task.fields[told]}"),
        console=Console(stderr=True),
        transient=True,
        # What is written to standard output is for standard output, not for the display.
        redirect_stdout=False,
        redirect_stderr=False,
    )


class _First:
    """Standard output, with something to be done before it is written to."""

    def __init__(self, stream: TextIO, before: Callable[[], None]) -> None:
        self._stream, self._before = stream, before

    def __getattr__(self, name: str) -> Any:
        if name in ("write", "writelines", "buffer"):
            self._before()
        return getattr(self._stream, name)
