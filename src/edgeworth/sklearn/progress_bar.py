"""A progress bar for fits, on a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edgeworth.common.progress import Advance


@contextmanager
def show_bar(label: str, total: float) -> Iterator[Advance]:
    """Show a bar that the entered function moves on."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=total)
        yield lambda number: bar.advance(task, number)
