"""Reproduce the papers that Edgeworth is based on, number by number."""

from __future__ import annotations

from functools import partial
from typing import get_args

from edgeworth.common.choices import PaperName
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.errors import OptionError
from edgeworth.papers.printed import Ours, Paper, PrintedNumber
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
    return Paper.read(name, _compute(name, make_seed(rng)))


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
    about = make_provenance(paper=name, items=items, targets=targets, seed=seed)
    if (items, targets) != (None, None) and name != "su-zhang":
        raise OptionError("--items and --targets are only for the simulation of su-zhang")
    if (items is None) != (targets is None):
        raise OptionError("the simulation needs both --items and --targets")
    paper = read_paper(name, rng=seed)
    if name == "su-zhang":
        from edgeworth.papers import su_zhang

        if items is None or targets is None:
            return paper.report(about)
        return paper.report(about, more=(su_zhang.own_simulation(items, targets, seed),))
    if name == "powers":
        from edgeworth.papers import powers

        sections, numbers = powers.details()
        return paper.report(about, more=sections, numbers=numbers)
    from edgeworth.papers import kalia

    sections, numbers = kalia.details()
    charts = partial(kalia.figures, seed)
    return paper.report(about, more=sections, numbers=numbers, figures=kalia.FIGURES, charts=charts)


def _compute(name: PaperName, seed: int) -> Ours:
    """Compute the numbers of a paper. Only the module of this paper is loaded."""
    if name == "powers":
        from edgeworth.papers import powers

        return powers.compute(seed)
    if name == "su-zhang":
        from edgeworth.papers import su_zhang

        return su_zhang.compute(seed)
    if name == "kalia":
        from edgeworth.papers import kalia

        return kalia.compute(seed)
    raise OptionError(f"the paper must be one of {', '.join(get_args(PaperName))}; saw {name!r}")
