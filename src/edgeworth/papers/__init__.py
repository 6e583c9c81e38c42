"""Reproduce the papers that Edgeworth is based on, number by number."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, get_args

from edgeworth.common.choices import PaperName
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.errors import OptionError
from edgeworth.papers.printed import Paper, PrintedNumber
from edgeworth.report.report import Report, make_provenance

__all__ = ["Paper", "PrintedNumber", "read_paper", "reproduce"]


def read_paper(name: PaperName, *, rng: Rng = 0) -> Paper:
    """Read the numbers that a paper prints, and compute them again.

    Parameters
    ----------
    name : {"powers", "su-zhang", "kalia"}
        The paper.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers for simulations.

    Returns
    -------
    Paper
        Printed and computed numbers side by side.

    Examples
    --------
    >>> read_paper("powers").count("drifted")
    0
    """
    return Paper.read(name, _module(name).compute(make_seed(rng)))


def reproduce(
    name: PaperName, *, items: int | None = None, targets: int | None = None, rng: Rng = 0
) -> Report:
    """Report how many numbers of a paper agree with ours, and why others do not.

    Parameters
    ----------
    name : {"powers", "su-zhang", "kalia"}
        The paper.
    items, targets : int, optional
        With "su-zhang": also make its table of random selection for these numbers.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers for simulations.

    Returns
    -------
    Report
        The report, with the figures of the paper as charts.

    Examples
    --------
    >>> reproduce("powers").verdict.splitlines()[0]
    'Powers 2003, Recall & Precision versus The Bookmaker (poster and paper).'
    """
    seed = make_seed(rng)
    about, paper = make_provenance(paper=name, items=items, targets=targets, seed=seed), _module(name)
    if (items, targets) != (None, None) and name != "su-zhang":
        raise OptionError("--items and --targets are only for the simulation of su-zhang")
    if (items is None) != (targets is None):
        raise OptionError("the simulation needs both --items and --targets")
    more = () if items is None else (paper.own_simulation(items, targets, seed),)
    sections, numbers = paper.details() if hasattr(paper, "details") else ((), {})
    drawn = {"figures": paper.FIGURES, "charts": partial(paper.figures, seed)} if name == "kalia" else {}
    return read_paper(name, rng=seed).report(about, more=(*sections, *more), numbers=numbers, **drawn)


def _module(name: str) -> Any:
    if name not in get_args(PaperName):
        raise OptionError(f"the paper must be one of {', '.join(get_args(PaperName))}; saw {name!r}")
    return import_module(f"edgeworth.papers.{name.replace('-', '_')}")
