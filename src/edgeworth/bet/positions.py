"""Bookmakers whose prices depend on the position of a case in the whole path."""

from __future__ import annotations

from dataclasses import replace

from edgeworth.bet.bookmakers import Bookmaker, Commission
from edgeworth.bet.drunken import Drunken


def is_drawn(bookmaker: Bookmaker) -> bool:
    """Whether prices are drawn for as many cases as there are, and none is held for each case."""
    if isinstance(bookmaker, Commission):
        return is_drawn(bookmaker.bookmaker)
    return isinstance(bookmaker, Drunken)


def later(bookmaker: Bookmaker, first: int) -> Bookmaker:
    """Who draws prices draws those of later cases; anyone else's are of the cases that are asked for.

    >>> (later(Drunken(seed=1), 2).quote((1,)).back == Drunken(seed=1).quote((3,)).back[2:]).tolist()
    [True]
    """
    if isinstance(bookmaker, Commission):
        return replace(bookmaker, bookmaker=later(bookmaker.bookmaker, first))
    return replace(bookmaker, first=bookmaker.first + first) if isinstance(bookmaker, Drunken) else bookmaker
