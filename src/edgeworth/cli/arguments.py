"""The words of the command: kinds of options, and how what is typed is read."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter, Token

from edgeworth.choices import BookmakerName, OddsForm
from edgeworth.errors import InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from edgeworth.bet import Bookmaker

PANELS = {
    name: Group.create_ordered(name)
    for name in ("Input", "Labels", "Scores", "Probabilities", "Bets", "Statistics", "Output")
}
"""The panels of the help, in their order."""

# A label, and the name of standard output, may begin with a hyphen.
Hyphen = Parameter(allow_leading_hyphen=True)
# What stands after an option, as its help calls it.
File = Parameter(metavar="FILE", allow_leading_hyphen=True)
Column = Parameter(metavar="COLUMN")
Label = Parameter(metavar="LABEL", allow_leading_hyphen=True)
Adjust = Annotated[
    Literal["holm", "benjamini-hochberg", "tukey", "none"],
    Parameter(help="How p-values of many pairs are made to hold together."),
]
OddsWritten = Annotated[
    OddsForm, Parameter(help="How odds are written: 3.5, 5/2, +250 or the probability they imply.")
]
Level = Annotated[float, Parameter(help="Confidence level of intervals.")]
Seed = Annotated[int, Parameter(help="Seed of what is drawn at random.")]


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
    """Numbers separated by commas or blanks."""
    found = []
    for part in text.replace(",", " ").split():
        try:
            found.append(float(part))
        except ValueError:
            raise InputError(f"{name} holds something that is no number: {part!r}") from None
    return found


def decimal_numbers(text: str, name: str, form: OddsForm, *, infinite: bool = False) -> list[float]:
    """Odds as they were written, as decimal odds; infinite ones, where nothing can be laid, stay."""
    from edgeworth.bet.odds import decimal_odds

    found = []
    for place, part in enumerate(text.replace(",", " ").split(), start=1):
        if infinite and part.lower() in ("inf", "infinity", "∞"):
            found.append(math.inf)
            continue
        try:
            found.append(float(decimal_odds(part, form=form)))
        except (InputError, OverflowError) as error:
            other = "" if form != "decimal" else "; --odds-form says if they are written in another way"
            raise InputError(f"{name} of outcome {place}: {error}{other}") from None
    return found


def named_bookmaker(name: BookmakerName | None, seed: int, interval: str | None = None) -> Bookmaker | None:
    """Find the bookmaker of a name, with prices from the interval."""
    if name is None:
        if interval is not None:
            raise OptionError("drunk-interval has no meaning without --bookmaker drunken")
        return None
    from edgeworth.bet import BOOKMAKERS

    ends = [0.0, 1.0] if interval is None else numbers(interval, "drunk-interval")
    if len(ends) != 2:
        raise OptionError(f"drunk-interval is the lowest and the highest price: 0.15,0.85; saw {interval!r}")
    return BOOKMAKERS[name](ends[0], ends[1], seed=seed)


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
