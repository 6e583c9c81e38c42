"""Options that commands share: what is counted, and what is asked of it."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from edgeworth.bet import BookmakerName
from edgeworth.cli.arguments import (
    Column,
    Hyphen,
    Label,
    Labels,
    Level,
    Seed,
    Whole,
    named_bookmaker,
    split,
)
from edgeworth.cli.output import Output
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.formats import list_words

Files = Annotated[
    str,
    Hyphen,
    Parameter(
        help=f"Files of predictions with named columns: {list_words()}; folders, quoted patterns, or - for "
        "standard input."
    ),
]

Engine = Annotated[
    Literal["auto", "spark"], Parameter(help="What reads the files: what suits them, or Spark.")
]
Master = Annotated[
    str | None,
    Parameter(
        metavar="MASTER",
        help="With --engine spark: the cluster, such as local[4], yarn or spark://HOST:7077.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True)
class Columns:
    """Which columns play which role, and how they are read."""

    truth: Annotated[
        str | None, Column, Parameter(help="The column of real classes; guessed where plain.")
    ] = None
    score: Annotated[
        str | None,
        Column,
        Parameter(help="The column of scores to rank by, highest first (instead of labels)."),
    ] = None
    probability: Annotated[
        str | None,
        Column,
        Parameter(help="The column of the positive class's probabilities (instead of labels)."),
    ] = None
    probabilities: Annotated[
        str | None,
        Parameter(metavar="COLUMN,…"),
        Parameter(help="The columns of each class's probabilities, separated by commas."),
    ] = None
    against: Annotated[
        str | None,
        Parameter(metavar="COLUMN,…"),
        Parameter(
            help="With probabilities: the rival's column, or columns separated by commas, to bet against."
        ),
    ] = None
    odds: Annotated[
        str | None,
        Parameter(metavar="COLUMN,…"),
        Parameter(help="With probabilities: the columns of decimal odds to bet at, separated by commas."),
    ] = None
    bookmaker: Annotated[
        BookmakerName | None, Parameter(help="With probabilities: bet against prices drawn at random.")
    ] = None
    drunk_interval: Annotated[
        str | None,
        Parameter(metavar="LOW,HIGH"),
        Parameter(help="With --bookmaker drunken: the lowest and the highest price, 0,1 if left out."),
    ] = None
    time: Annotated[
        str | None,
        Column,
        Parameter(
            help="With probabilities: the column of numbers or ISO dates that puts rows in time order."
        ),
    ] = None
    ordered: Annotated[
        bool, Parameter(help="With probabilities: the rows are in time order.", negative="")
    ] = False
    predictions_made: Annotated[
        Literal["before", "cross-validated", "in-sample"] | None,
        Parameter(help="When the probabilities were made: before the outcomes (taken if left out) or not."),
    ] = None
    stake: Annotated[
        float | None, Parameter(help="With probabilities: the fraction of Kelly's stake, 1 if left out.")
    ] = None
    ordinal: Annotated[
        bool,
        Parameter(help="With probabilities: the classes are ordered as their columns.", negative=""),
    ] = False
    normalise: Annotated[
        bool, Parameter(help="Divide each row of probabilities by its sum.", negative="")
    ] = False
    group: Annotated[
        str | None,
        Column,
        Parameter(
            help="The column that says which rows belong together: patient, document; with scores, the query."
        ),
    ] = None
    id: Annotated[
        str | None, Column, Parameter(help="With scores and groups: the column that names each document.")
    ] = None
    weight: Annotated[
        str | None,
        Column,
        Parameter(help="The column of weights: whole numbers count cases, fractions are sampling weights."),
    ] = None
    weight_kind: Annotated[
        Literal["counts", "sampling"] | None,
        Parameter(help="What the weights are, if not as their look says."),
    ] = None
    labels: Labels = None
    positive: Annotated[
        str | None, Label, Parameter(help="The label that is meant where a measure of one label names none.")
    ] = None
    abstain: Annotated[str | None, Label, Parameter(help="The prediction that means no decision.")] = None
    missing: Annotated[
        Literal["error", "drop", "abstain"],
        Parameter(
            help="What an empty field means: an error, a row to drop, or (in predictions) no decision."
        ),
    ] = "error"
    cells: Annotated[
        int | None,
        Whole,
        Parameter(help="With scores from 0 to 1: bound the memory by counting them in so many equal cells."),
    ] = None
    relevant_from: Annotated[
        int | None,
        Whole,
        Parameter(help="With scores and groups: the smallest grade that makes a target, 1 if left out."),
    ] = None

    def read(self, seed: int = 0) -> dict[str, Any]:
        """The words of ``evaluate`` and ``tally``, as these take them."""
        if self.probability is not None and self.probabilities is not None:
            raise OptionError(
                "give either --probability, of the positive class, or --probabilities, of each class"
            )
        words = asdict(self)
        del words["probability"], words["drunk_interval"]
        return words | {
            "probabilities": self.probability if self.probabilities is None else split(self.probabilities),
            "against": split(self.against),
            "odds": split(self.odds),
            "labels": split(self.labels),
            "bookmaker": named_bookmaker(self.bookmaker, seed, self.drunk_interval),
        }


@Parameter(name="*")
@dataclass(frozen=True)
class Question:
    """What a report is to say."""

    level: Level = 0.95
    seed: Seed = 0
    pool: Annotated[float | None, Parameter(help="Dollars in the pool of each bet: 10.")] = None
    margin: Annotated[float | None, Parameter(help="The house's over-round: 0.05 is five per cent.")] = None
    commission: Annotated[float | None, Parameter(help="The house's share of net winnings.")] = None
    depth: Annotated[
        int | None, Whole, Parameter(help="With scores: how many items one looks at, for the verdict.")
    ] = None
    gain: Annotated[float | None, Parameter(help="With scores: what a hit brings.")] = None
    cost: Annotated[float | None, Parameter(help="With scores: what a look costs.")] = None


NO_COLUMNS = Columns()
NO_QUESTION = Question()


def on_engine(engine: str, master: str | None) -> dict[str, str | None]:
    """Who reads the files, as ``evaluate`` and ``tally`` take it."""
    return {"engine": None if engine == "auto" else engine, "master": master}


def named_files(files: tuple[str, ...], *own: str) -> Any:
    """The files of a command: one by itself, several as a list; ``own`` names further options of it."""
    if not files:
        raise OptionError("name a file to read, or - for standard input")
    for name in files:
        # Standard input has a hyphen for a name, so a word that begins with one may arrive here.
        if name.startswith("-") and name != "-":
            import difflib

            near = difflib.get_close_matches(name.partition("=")[0], _options(*own), n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise OptionError(f"Unknown option: {name}.{hint}")
    return files[0] if len(files) == 1 else list(files)


def read_files(files: tuple[str, ...]) -> list[str]:
    """Every file that will be read, those of folders and patterns by name: none is to be written over."""
    from edgeworth.sources.paths import expand_paths

    found = list(files)
    for name in files:
        # What cannot be found is told when it is opened.
        with contextlib.suppress(InputError):
            found += map(str, expand_paths(name))
    return found


def _options(*own: str) -> list[str]:
    shared = [field.name for kind in (Columns, Question, Output) for field in fields(kind)]
    return [
        f"--{name.replace('_', '-')}" for name in [*shared, *own, "prediction", "engine", "master", "output"]
    ]
