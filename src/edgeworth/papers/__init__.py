"""The papers that Edgeworth comes from: every printed number beside ours."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, get_args

from edgeworth.common.choices import PaperName
from edgeworth.errors import OptionError
from edgeworth.papers.printed import Paper, PrintedNumber
from edgeworth.report.report import Report, make_provenance

__all__ = ["Paper", "PrintedNumber", "read_paper", "reproduce"]


def read_paper(name: PaperName, *, seed: int = 0) -> Paper:
    """Read what a paper prints, and compute ours.

    >>> read_paper("powers").count("drifted")
    0
    """
    return Paper.read(name, _module(name).compute(seed))


def reproduce(
    name: PaperName, *, items: int | None = None, targets: int | None = None, seed: int = 0
) -> Report:
    """Report on a paper: how many of its numbers agree with ours, and why others do not.

    With "su-zhang" its table of random selection is made for other ``items`` and ``targets`` too. ``seed`` is
    that of what is simulated.
    """
    about, paper = make_provenance(paper=name, items=items, targets=targets, seed=seed), _module(name)
    if (items, targets) != (None, None) and name != "su-zhang":
        raise OptionError("items and targets are of the simulation of su-zhang")
    if (items is None) != (targets is None):
        raise OptionError("a simulation of one's own needs both items and targets")
    more = () if items is None else (paper.own_simulation(items, targets, seed),)
    sections, numbers = paper.details() if hasattr(paper, "details") else ((), {})
    drawn = {"figures": paper.FIGURES, "charts": partial(paper.figures, seed)} if name == "kalia" else {}
    return read_paper(name, seed=seed).report(about, more=(*sections, *more), numbers=numbers, **drawn)


def _module(name: str) -> Any:
    if name not in get_args(PaperName):
        raise OptionError(f"the papers are {', '.join(get_args(PaperName))}; saw {name!r}")
    return import_module(f"edgeworth.papers.{name.replace('-', '_')}")
