"""The options of evaluate, tally, compare and report: each is defined once, here.

Signatures and documentation of the Python functions, the command's flags and help, and the refusals of
options that mean nothing with a kind of prediction are all made from these definitions.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, cast, get_args, get_origin, get_type_hints

from edgeworth.common.choices import (
    AbsentRule,
    Abstentions,
    Adjust,
    Engine,
    ErrorRule,
    Match,
    Missing,
    Over,
    Predictions,
    PredictionsMade,
    QueryRule,
    Unmatched,
    WeightKind,
)

ColumnInput: TypeAlias = object
"""The name of a column of the data, or an array, series or list of any library."""
ColumnNames: TypeAlias = object
"""Names of columns, or arrays by name."""
Labels: TypeAlias = Sequence[Hashable] | None
Label: TypeAlias = Hashable | None

Verb: TypeAlias = Literal["evaluate", "tally", "compare", "trec", "chance"]

Read = Literal[
    "bookmaker", "columns", "label", "label,…", "labels", "method", "range", "text", "texts", "whole"
]

LABELS, SEVERAL, SCORES, QUERIES, PROBABILITIES = "labels", "several", "scores", "queries", "probabilities"
GRADES = "grades"
DECISIONS = (LABELS, SEVERAL)
WEIGHTED = (*DECISIONS, SCORES)
THRESHOLDS = (SCORES, PROBABILITIES)
OF_CLASSES = (LABELS, SEVERAL, SCORES, QUERIES, PROBABILITIES)
EVERY = (*OF_CLASSES, GRADES)
RUN_LOGS = "run logs"
"""What predictions can be: labels of one system or of several, scores in one ranking or one a query, …"""


PANELS: dict[str, tuple[str, ...]] = {
    "Input": EVERY,
    "Labels": DECISIONS,
    "Scores": (SCORES,),
    "Probabilities": (PROBABILITIES,),
    "Bets": (PROBABILITIES,),
    "Grades": (GRADES,),
    "Run logs": (RUN_LOGS,),
    "Statistics": EVERY,
    "Output": EVERY,
}
"""The panels of the help, and with what the options of each mean something unless they say otherwise."""


@dataclass(frozen=True)
class Option:
    """One option: what it means, where it means something, and how the command reads it."""

    help: str
    panel: str
    kinds: tuple[str, ...] = ()
    default: Any = None
    read: Read | None = None
    """What is typed, where the type does not say it; of any type it is the name of a column."""
    flag: str | None = None
    """How the command spells it, where that is not its name; empty where the command does not have it."""
    metavar: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", self.kinds or PANELS[self.panel])


# Options of several groups.
RelevantFrom = Annotated[
    int | None,
    Option("With queries: the smallest grade that makes a target, 1 if left out.", "Scores", (QUERIES,)),
]
GuessRate: TypeAlias = Annotated[
    float | None,
    Option("The share of right answers that guessing gets: 0.25 of four options.", "Grades"),
]
QueriesCompared = Annotated[
    QueryRule,
    Option(
        "Compare on the queries that all systems have, or only if these are the same.",
        "Scores",
        (QUERIES,),
        default="intersection",
    ),
]
CasesUndecided = Annotated[
    Abstentions,
    Option("A case without a decision counts as not right, or is left out.", "Labels", default="count"),
]
Depth = Annotated[int | None, Option("How many items are reviewed.", "Scores")]
Seed = Annotated[int, Option("Seed of random numbers.", "Statistics", default=0)]


class Redeclared(TypedDict, total=False):
    """What can be declared anew of a tally that was counted."""

    labels: Annotated[
        Labels,
        Option(
            "The labels in their order, separated by commas.",
            "Labels",
            (LABELS, PROBABILITIES),
            read="labels",
        ),
    ]
    positive: Annotated[
        Label,
        Option(
            "The label that is meant where a measure of one label names none.",
            "Input",
            OF_CLASSES,
            read="label",
        ),
    ]


class PredictionColumns(TypedDict, total=False):
    """What came true and what was predicted, in one of three ways, or how answers were graded."""

    truth: Annotated[
        ColumnInput, Option("The column of actual classes; detected when unambiguous.", "Input", OF_CLASSES)
    ]
    prediction: Annotated[ColumnInput, Option("The column of predicted labels.", "Labels")]
    score: Annotated[
        ColumnInput, Option("The column of scores to rank by, highest first.", "Scores", (SCORES, QUERIES))
    ]
    probabilities: Annotated[
        ColumnInput,
        Option(
            "The columns of each class's probabilities, separated by commas; in Python also one column, of "
            "the positive class.",
            "Probabilities",
            read="columns",
        ),
    ]
    correct: Annotated[
        ColumnInput, Option("The column of right or wrong: 1/0, true/false, C/I or yes/no.", "Grades")
    ]
    grade: Annotated[ColumnInput, Option("The column of grades: points, a rubric, a latency.", "Grades")]


class Columns(Redeclared, total=False):
    """Which columns play which role, and how they are read."""

    relevant_from: RelevantFrom
    cluster: Annotated[
        ColumnInput,
        Option(
            "The column of rows that are not independent: patient, document; in run logs a field of items.",
            "Input",
            (*DECISIONS, GRADES),
        ),
    ]
    weight: Annotated[
        ColumnInput,
        Option(
            "The column of weights: whole numbers count cases, fractions are sampling weights.",
            "Input",
            WEIGHTED,
        ),
    ]
    weight_kind: Annotated[
        WeightKind | None, Option("What the weights are, if not what they look like.", "Input", WEIGHTED)
    ]
    missing: Annotated[
        Missing,
        Option(
            "An empty field is an error, a row to drop, or (in predictions) no decision.",
            "Input",
            default="error",
        ),
    ]
    abstain: Annotated[
        Hashable | Sequence[Hashable] | None,
        Option("The prediction that means no decision; several with commas.", "Labels", read="label,…"),
    ]
    query: Annotated[
        ColumnInput, Option("The column of the query: one ranked list each.", "Scores", (QUERIES,))
    ]
    fold: Annotated[
        ColumnInput,
        Option(
            "The column of the cross-validation fold: scores are ranked within folds, others told by fold.",
            "Input",
            (*DECISIONS, QUERIES, PROBABILITIES, GRADES),
        ),
    ]
    id: Annotated[
        ColumnInput,
        Option(
            "The column that names each document of a query, or each graded item.",
            "Input",
            (QUERIES, GRADES),
        ),
    ]
    grade_range: Annotated[
        tuple[float, float] | None,
        Option(
            "The lowest and the highest grade possible, such as 0,5.",
            "Grades",
            read="range",
            metavar="LOW,HIGH",
        ),
    ]
    lower_is_better: Annotated[
        bool, Option("A low grade is a good one, as of latencies.", "Grades", default=False)
    ]
    normalise: Annotated[
        bool, Option("Divide each row of probabilities by its sum.", "Probabilities", default=False)
    ]
    clip: Annotated[
        float | None,
        Option("Raise smaller probabilities to this, such as 1e-6; off if left out.", "Probabilities"),
    ]
    ordered: Annotated[bool, Option("The rows are in time order.", "Probabilities", default=False)]
    predictions_made: Annotated[
        PredictionsMade | None,
        Option(
            "When the predictions were made: before the outcomes (taken if left out) or not.",
            "Input",
        ),
    ]


class ReadOptions(PredictionColumns, Columns, total=False):
    """What is counted."""

    bins: Annotated[
        int | None,
        Option(
            "Scores from 0 to 1: bound the memory by counting them in so many equal bins.",
            "Scores",
            read="whole",
        ),
    ]
    ordinal: Annotated[
        bool, Option("The classes are ordered as their columns.", "Probabilities", default=False)
    ]
    time: Annotated[
        ColumnInput,
        Option("The column of numbers or ISO dates that puts rows in time order.", "Probabilities"),
    ]
    date_format: Annotated[
        str | None,
        Option("How dates are written if not as ISO does: dd/mm/yyyy.", "Probabilities", metavar="FORMAT"),
    ]
    against: Annotated[
        ColumnInput,
        Option(
            "The column or columns of another model's probabilities, to bet against.", "Bets", read="columns"
        ),
    ]
    odds: Annotated[
        ColumnInput,
        Option(
            "The columns of decimal odds of each class, separated by commas: forecasts if they stand alone; "
            "of labels also one, of the tip.",
            "Bets",
            (LABELS, PROBABILITIES),
            read="columns",
        ),
    ]
    bookmaker: Annotated[object, Option("Bet against prices drawn at random.", "Bets", read="bookmaker")]
    fraction: Annotated[float | None, Option("The fraction of Kelly's stake, 1 if left out.", "Bets")]
    engine: Annotated[
        Engine, Option("What reads the files: what suits them, or Spark.", "Input", default="auto")
    ]
    master: Annotated[
        str | None,
        Option(
            "With --engine spark: the cluster, such as local[4], yarn or spark://HOST:7077.",
            "Input",
            metavar="MASTER",
        ),
    ]


class TallyOptions(ReadOptions, total=False):
    """What is counted of a part."""

    rows_before: Annotated[
        int | None,
        Option(
            "How many rows of the path in time come before these; left out, files follow each other as they "
            "are named in merge.",
            "Probabilities",
        ),
    ]


class StatisticsOptions(TypedDict, total=False):
    """How sure, by which random numbers, and with how many digits."""

    seed: Seed
    level: Annotated[float, Option("Confidence level of intervals.", "Statistics", default=0.95)]
    digits: Annotated[int, Option("How many digits of a number are shown, 2 to 15.", "Output", default=3)]


class HouseOptions(TypedDict, total=False):
    """The house that labels bet against."""

    pool: Annotated[float | None, Option("Dollars in the pool of each bet: 10.", "Bets", (LABELS,))]
    overround: Annotated[
        float | None, Option("The house's over-round: 0.05 is five per cent.", "Bets", (LABELS,))
    ]
    commission: Annotated[float | None, Option("The house's share of net winnings.", "Bets", (LABELS,))]
    bets: Annotated[
        bool,
        Option(
            "Also say what bets on the predictions would earn.",
            "Bets",
            (LABELS, PROBABILITIES),
            default=False,
        ),
    ]


class ReportOptions(StatisticsOptions, HouseOptions, total=False):
    """What a report is to say; asked again, no data are read again."""

    costs: Annotated[
        object,
        Option(
            'The cost of each pair of label, predicted in rows: "0 1; 10 0", or a CSV file.',
            "Labels",
            (LABELS,),
            metavar="MATRIX|FILE",
            read="text",
        ),
    ]

    depth: Depth
    abstentions: CasesUndecided
    orders: Annotated[int | None, Option("Show wealth over so many random orders of the cases: 400.", "Bets")]
    goal: Annotated[float | None, Option("Say how many cases it takes to make $1 so much: 100.", "Bets")]
    match: Annotated[
        Match | None,
        Option("Predictions are clusters: match one, or many, to each class.", "Labels", (LABELS,)),
    ]
    guess_rate: GuessRate
    gain: Annotated[float | None, Option("What a target found brings.", "Scores")]
    cost: Annotated[float | None, Option("What reviewing an item costs.", "Scores")]
    prevalence: Annotated[
        float | None, Option("Also say what to expect where targets have this share.", "Scores")
    ]
    method: Annotated[
        object,
        Option(
            "The interval of average precision: influence, or Su & Zhang's survival view.",
            "Scores",
            read="method",
        ),
    ]
    cost_false_alarm: Annotated[
        float | None,
        Option("With --cost-miss: choose the threshold of lowest cost.", "Scores", THRESHOLDS),
    ]
    cost_miss: Annotated[
        float | None, Option("What a target below the threshold costs.", "Scores", THRESHOLDS)
    ]
    precision_at_least: Annotated[
        float | None,
        Option("Choose the threshold of highest recall with this precision.", "Scores", THRESHOLDS),
    ]
    recall_at_least: Annotated[
        float | None,
        Option("Choose the threshold of highest precision with this recall.", "Scores", THRESHOLDS),
    ]


class ManyOptions(TypedDict, total=False):
    """By which measures, and how several systems are compared."""

    measures: Annotated[
        Sequence[str] | None,
        Option(
            "A measure to report too, or to compare by instead of the usual ones: the first decides.",
            "Statistics",
            read="texts",
            flag="measure",
            metavar="MEASURE",
        ),
    ]

    adjust: Annotated[
        Adjust | None,
        Option(
            "How p-values of many pairs are made to hold together: holm if left out.",
            "Statistics",
            (SEVERAL,),
        ),
    ]


class PartOptions(TypedDict, total=False):
    """Which part of the cases, or of run logs, is judged."""

    by: Annotated[
        ColumnNames,
        Option("The columns whose values are slices, each judged by itself.", "Input", read="columns"),
    ]

    scorer: Annotated[
        str | None,
        Option(
            "In run logs: the scorer to use; the log's first if left out.",
            "Run logs",
            metavar="NAME",
        ),
    ]
    errors: Annotated[
        ErrorRule,
        Option(
            "In run logs: answers that errored are excluded (drop) or count as wrong.",
            "Run logs",
            default="drop",
        ),
    ]


class EvaluateOptions(ReadOptions, ReportOptions, ManyOptions, PartOptions, total=False):
    """What is counted, and what is asked of it."""

    with_digest: Annotated[
        bool, Option("Whether the report says the SHA-256 of its files.", "Output", default=True, flag="")
    ]


class DifferenceOptions(TypedDict, total=False):
    """What is asked of tallies of some kinds when they are compared: what compares the kind takes it."""

    queries: QueriesCompared
    abstentions: CasesUndecided
    guess_rate: GuessRate
    method: Annotated[
        object, Option("An interval method of ew.methods.", "Statistics", (SEVERAL, SCORES), flag="")
    ]


class CompareOptions(Columns, StatisticsOptions, ManyOptions, DifferenceOptions, PartOptions, total=False):
    """What is compared, and how the rows of several systems are put side by side."""

    join: Annotated[
        ColumnNames,
        Option("Each file is a system: join their rows by this column, or several.", "Input", read="columns"),
    ]
    truth_file: Annotated[
        object,
        Option("With --join: the file that has the truth.", "Input", read="text", metavar="FILE"),
    ]
    system: Annotated[
        ColumnInput,
        Option("One file has a row for each system and case: the column that names the system.", "Input"),
    ]
    unmatched: Annotated[
        Unmatched,
        Option("An id that some systems lack is left out, or an error.", "Input", default="drop"),
    ]
    concatenate: Annotated[
        bool, Option("Several files are parts of one table, one below the other.", "Input", default=False)
    ]
    allow_unfinished: Annotated[
        bool,
        Option(
            "In run logs: name a winner even if a run did not finish.",
            "Run logs",
            default=False,
        ),
    ]
    kind: Annotated[
        Predictions | None,
        Option("What the systems gave; detected when unambiguous.", "Input", flag=""),
    ]
    horizon: Annotated[int, Option("How many rows ahead each forecast was made.", "Probabilities", default=1)]
    power: Annotated[
        float, Option("The power for which the sample size is planned.", "Statistics", default=0.8)
    ]
    with_digest: Annotated[
        bool, Option("Whether the report says the SHA-256 of its file.", "Output", default=True, flag="")
    ]


class TrecOptions(ManyOptions, StatisticsOptions, total=False):
    """How runs of a search engine are judged."""

    relevant_from: RelevantFrom
    queries: QueriesCompared
    absent: Annotated[
        AbsentRule,
        Option("What a judged query counts for which the run has no list.", "Scores", default="drop"),
    ]
    no_targets: Annotated[
        AbsentRule,
        Option(
            "What a query without a relevant document counts: zero, as in trec_eval.",
            "Scores",
            default="zero",
        ),
    ]


class ChanceOptions(TypedDict, total=False):
    """What chance has to reach."""

    depth: Depth
    seed: Seed
    average_precision: Annotated[
        float | Fraction | str | None,
        Option(
            "The average precision that chance has to reach: 11/12, or 0.9167 for all that rounds to it.",
            "Scores",
            read="text",
            metavar="NUMBER",
        ),
    ]
    hits: Annotated[int | None, Option("The hits that chance has to reach, within the depth.", "Scores")]
    nth_hit: Annotated[
        int | None, Option("Show the law of the rank of this hit: 2 for the second target found.", "Scores")
    ]
    rank: Annotated[int | None, Option("With --nth-hit: the rank that this hit has to reach.", "Scores")]
    over: Annotated[
        Over,
        Option(
            "With a depth: average precision over all targets, or over those within reach.",
            "Scores",
            default="targets",
        ),
    ]


class Options(EvaluateOptions, TallyOptions, CompareOptions, TrecOptions, ChanceOptions, total=False):
    """Every option with its value: the defaults are filled in once, and mypy checks each access by name."""

    verb: Verb
    """Which function was called."""
    data: object
    """What was passed as the data."""
    predictions: str
    """What the predictions are, once that is known: labels, scores, …"""


def select_options(options: Options, names: Iterable[str]) -> dict[str, object]:
    """Take the options of these names, such as those of several columns."""
    every = cast(Mapping[str, object], options)
    return {name: every[name] for name in names}


COMPARED = {
    "fold": (*DECISIONS, SCORES, PROBABILITIES, GRADES),
    "cluster": (SEVERAL, SCORES, PROBABILITIES, GRADES),
    "adjust": (SEVERAL, SCORES, QUERIES, PROBABILITIES, GRADES),
    "method": (SEVERAL, SCORES),
}
"""Options that mean more where systems are compared."""


@functools.cache
def options_of(group: type) -> Mapping[str, tuple[Any, Option]]:
    """Read the type and the definition of each option of a group."""
    hints = get_type_hints(group, include_extras=True)
    pairs = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    return MappingProxyType(pairs)
