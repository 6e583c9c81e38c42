"""The words of the command: kinds of options, and how what is typed is read."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter, Token

from edgeworth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from edgeworth.bet import Bookmaker

# A label, and the name of standard output, may begin with a hyphen.
Hyphen = Parameter(allow_leading_hyphen=True)
Labels = Annotated[str | None, Hyphen, Parameter(help="The labels in their order, separated by commas.")]
Adjust = Annotated[
    Literal["holm", "benjamini-hochberg", "tukey", "none"],
    Parameter(help="How p-values of many pairs are made to hold together."),
]
Level = Annotated[float, Parameter(help="Confidence level of intervals.")]
Seed = Annotated[int, Parameter(help="Seed of what is drawn at random.")]
Pool = Annotated[float, Parameter(help="Dollars in the pool of each bet.")]
Margin = Annotated[float, Parameter(help="The house's over-round: 0.05 is five per cent.")]
Commission = Annotated[float, Parameter(help="The house's share of net winnings.")]


def whole(_type: object, tokens: Sequence[Token]) -> int:
    """A whole number as written; 1.5 is none."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"a whole number is needed; saw {tokens[0].value!r}") from None


Whole = Parameter(converter=whole)


def split(labels: str | None) -> list[str] | None:
    """Labels separated by commas; one that holds a comma stands in double quotes."""
    if labels is None:
        return None
    return [label.strip() for label in next(csv.reader([labels], skipinitialspace=True))]


def numbers(text: str, name: str) -> list[float]:
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError as error:
        raise InputError(f"{name} holds something that is no number: {error}") from None


def named_bookmaker(name: str | None, seed: int) -> Bookmaker | None:
    if name is None:
        return None
    from edgeworth.bet import Drunken

    return Drunken(seed=seed)


def matrix(text: str) -> list[list[float]]:
    rows = [row.replace(",", " ").split() for row in text.replace("\n", ";").split(";") if row.strip()]
    if not rows:
        raise InputError('the table is empty; write its rows as "12 28; 18 42"')
    if any(len(row) != len(rows) for row in rows):
        sizes = ", ".join(str(len(row)) for row in rows)
        raise InputError(f"a contingency table is square; saw {len(rows)} rows of {sizes} numbers")
    try:
        return [[float(number) for number in row] for row in rows]
    except ValueError as error:
        raise InputError(f"the table holds something that is no number: {error}") from None
