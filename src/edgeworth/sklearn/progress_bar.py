"""A progress bar for fits, on a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from html import escape

from edgeworth.common.progress import Advance


def show_bar(label: str, total: float) -> AbstractContextManager[Advance]:
    """Show a bar that the entered function moves on."""
    from rich.console import Console

    # In a notebook the bar of rich needs ipywidgets, which JupyterLab does not bring.
    return _show_in_cell(label, total) if Console().is_jupyter else _show_on_terminal(label, total)


@contextmanager
def _show_on_terminal(label: str, total: float) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(label, total=total)
        yield lambda number: bar.advance(task, number)


@dataclass
class CellBar:
    """A bar in the output of a notebook cell, as HTML without scripts.

    >>> CellBar("fits", 10, done=4)
    fits: 4 of 10
    """

    label: str
    total: float
    done: float = 0

    def __repr__(self) -> str:
        return f"{self.label}: {self.done:,.0f} of {self.total:,.0f}"

    def _repr_html_(self) -> str:
        return f'<progress value="{self.done:g}" max="{self.total:g}"></progress> {escape(repr(self))}'


@contextmanager
def _show_in_cell(label: str, total: float) -> Iterator[Advance]:
    """Show a bar in the output of a cell, and replace it whenever it moves."""
    from IPython.display import display

    bar = CellBar(label, total)
    handle = display(bar, display_id=True)  # type: ignore[no-untyped-call]  # IPython has few types

    def advance(number: float) -> None:
        bar.done += number
        if handle is not None:
            handle.update(bar)

    yield advance
