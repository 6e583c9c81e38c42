"""The options of evaluate, tally, compare and report: each is defined once, here or in a module beside this.

Signatures and documentation of the Python functions, the command's flags and help, and the error messages for
options that do not apply to a kind of prediction are all made from these definitions.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias, TypedDict, cast, get_args, get_origin, get_type_hints

from edgeworth.common.choices import (
    AbsentRule,
    Abstentions,
    Adjust,
    Engine,
    Match,
    Missing,
    Over,
    Predictions,
    PredictionsMade,
    QueryRule,
    WeightKind,
)
from edgeworth.core.bet_options import HouseOptions as HouseOptions
from edgeworth.core.bet_options import LedgerOptions, MarketOptions
from edgeworth.core.data_options import JoinOptions, PartOptions
from edgeworth.core.kinds import AnyKind
from edgeworth.core.option import CLUSTERED, DECISIONS, OF_CLASSES, THRESHOLDS, WEIGHTED
from edgeworth.core.option import EVERY as EVERY
from edgeworth.core.option import GRADES as GRADES
from edgeworth.core.option import LABELS as LABELS
from edgeworth.core.option import PANELS as PANELS
from edgeworth.core.option import PROBABILITIES as PROBABILITIES
from edgeworth.core.option import QUERIES as QUERIES
from edgeworth.core.option import RUN_LOGS as RUN_LOGS
from edgeworth.core.option import SCORES as SCORES
from edgeworth.core.option import SEVERAL as SEVERAL
from edgeworth.core.option import ColumnInput as ColumnInput
from edgeworth.core.option import Option as Option
from edgeworth.core.random_seeds import Rng

Labels: TypeAlias = Sequence[Hashable] | None
Label: TypeAlias = Hashable | None

Verb: TypeAlias = Literal["evaluate", "tally", "compare", "trec", "chance"]

# Options of several groups.
RelevantFrom = Annotated[
    int | None,
    Option(
        "With queries: the smallest grade that makes a document a target, 1 by default.", "Scores", (QUERIES,)
    ),
]
GuessRate: TypeAlias = Annotated[
    float | None,
    Option("The share of right answers expected from guessing: 0.25 with four options.", "Grades"),
]
QueriesCompared = Annotated[
    QueryRule,
    Option(
        "Compare on the queries that all systems have, or raise an error if the queries differ.",
        "Scores",
        (QUERIES,),
        default="intersection",
    ),
]
CasesUndecided = Annotated[
    Abstentions,
    Option("Whether a case without a decision counts as wrong or is dropped.", "Labels", default="count"),
]
Depth = Annotated[int | None, Option("The number of items that are reviewed.", "Scores")]
RandomNumbers: TypeAlias = Annotated[
    Rng,
    Option(
        "The seed of the random numbers.",
        "Statistics",
        default=0,
        read="whole",
        flag="seed",
        in_python="The seed of the random numbers, a Generator, or None for a new seed.",
    ),
]
PredictionKind: TypeAlias = Annotated[
    Predictions | AnyKind | None,
    Option("What the predictions are, or a kind of your own; detected when unambiguous.", "Input", flag=""),
]


class Redeclared(TypedDict, total=False):
    """What can be declared anew of a tally that was counted."""

    labels: Annotated[
        Labels,
        Option(
            "All labels, in the order in which the report lists them, separated by commas.",
            "Labels",
            (LABELS, PROBABILITIES),
            read="labels",
            in_python="All labels, in the order in which the report lists them.",
        ),
    ]
    positive: Annotated[
        Label,
        Option(
            "The positive label: used when a measure of one label does not name it.",
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
            "The columns of each class's probabilities, separated by commas.",
            "Probabilities",
            read="columns",
            in_python="The columns of each class's probabilities, or one column, of the positive class.",
        ),
    ]
    correct: Annotated[
        ColumnInput,
        Option("The column that marks answers as right or wrong: 1/0, true/false, C/I or yes/no.", "Grades"),
    ]
    grade: Annotated[ColumnInput, Option("The column of grades: points, a rubric, a latency.", "Grades")]


class Columns(Redeclared, total=False):
    """Which columns play which role, and how they are read."""

    relevant_from: RelevantFrom
    cluster: Annotated[
        ColumnInput,
        Option(
            "The column that groups rows that are not independent, such as a patient "
            "or document; in run logs, a field of the items.",
            "Input",
            (*CLUSTERED, QUERIES),
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
        WeightKind | None,
        Option(
            "Whether weights are counts or sampling weights, if their values do not show it.",
            "Input",
            WEIGHTED,
        ),
    ]
    missing: Annotated[
        Missing,
        Option(
            "Whether an empty field is an error, a reason to drop the row, or (in predictions) no decision.",
            "Input",
            default="error",
        ),
    ]
    abstain: Annotated[
        Hashable | Sequence[Hashable] | None,
        Option(
            "The prediction that means no decision; separate several with commas.",
            "Labels",
            read="label,…",
            in_python="The prediction, or a list of predictions, that means no decision.",
        ),
    ]
    query: Annotated[
        ColumnInput,
        Option("The column of queries: each query has its own ranked list.", "Scores", (QUERIES,)),
    ]
    fold: Annotated[
        ColumnInput,
        Option(
            "The column of cross-validation folds: scores are ranked within "
            "folds, other results are reported by fold.",
            "Input",
            (*DECISIONS, QUERIES, PROBABILITIES, GRADES),
        ),
    ]
    id: Annotated[
        ColumnInput,
        Option(
            "The column that identifies a document, graded item or case: rows with one id form a cluster.",
            "Input",
            (LABELS, SCORES, QUERIES, PROBABILITIES, GRADES),
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
        bool, Option("Lower grades are better, as for latencies.", "Grades", default=False)
    ]
    normalise: Annotated[
        bool, Option("Divide each row of probabilities by its sum.", "Probabilities", default=False)
    ]
    clip: Annotated[
        float | None,
        Option(
            "Raise smaller probabilities to this value, such as 1e-6. By "
            "default, probabilities are unchanged.",
            "Probabilities",
        ),
    ]
    ordered: Annotated[
        bool,
        Option(
            "The rows are in time order, so evidence counts after every row.", "Probabilities", default=False
        ),
    ]
    predictions_made: Annotated[
        PredictionsMade | None,
        Option(
            "When the predictions were made: before the outcomes were known "
            "(the default), cross-validated or in sample.",
            "Input",
        ),
    ]


class ReadOptions(PredictionColumns, Columns, MarketOptions, total=False):
    """What is counted."""

    kind: PredictionKind
    bins: Annotated[
        int | None,
        Option(
            "For scores from 0 to 1: count them in this many equal bins, which limits memory.",
            "Scores",
            read="whole",
        ),
    ]
    ordinal: Annotated[
        bool,
        Option("The classes are ordered, in the order of their columns.", "Probabilities", default=False),
    ]
    time: Annotated[
        ColumnInput,
        Option("The column of numbers or ISO dates that gives the time order of the rows.", "Probabilities"),
    ]
    date_format: Annotated[
        str | None,
        Option(
            "The format of dates that are not ISO dates, such as dd/mm/yyyy.",
            "Probabilities",
            metavar="FORMAT",
        ),
    ]
    engine: Annotated[
        Engine,
        Option("The engine that reads the files: chosen automatically, or Spark.", "Input", default="auto"),
    ]
    master: Annotated[
        str | None,
        Option(
            "With the engine spark: the cluster, such as local[4], yarn or spark://HOST:7077.",
            "Input",
            metavar="MASTER",
        ),
    ]


class TallyOptions(ReadOptions, total=False):
    """What is counted of a part."""

    rows_before: Annotated[
        int | None,
        Option(
            "How many rows come before these in time. By default, files follow each other in the order given "
            "to merge.",
            "Probabilities",
        ),
    ]


class StatisticsOptions(TypedDict, total=False):
    """How sure, by which random numbers, and with how many digits."""

    rng: RandomNumbers
    level: Annotated[float, Option("Confidence level of intervals.", "Statistics", default=0.95)]
    digits: Annotated[int, Option("The number of digits shown, 2 to 15.", "Output", default=3)]


class ReportOptions(StatisticsOptions, HouseOptions, LedgerOptions, total=False):
    """What a report contains. A change needs no second reading of the data."""

    costs: Annotated[
        object,
        Option(
            'The costs, one row per predicted and one column per actual label: "0 1; 10 0", or a CSV file.',
            "Labels",
            (LABELS,),
            metavar="MATRIX|FILE",
            read="text",
        ),
    ]

    depth: Depth
    abstentions: CasesUndecided
    match: Annotated[
        Match | None,
        Option("Predictions are unnamed clusters: match one, or many, to each class.", "Labels", (LABELS,)),
    ]
    guess_rate: GuessRate
    gain: Annotated[float | None, Option("The gain per target found, for the best depth.", "Scores")]
    cost: Annotated[float | None, Option("The cost per item reviewed, beside a gain.", "Scores")]
    prevalence: Annotated[
        float | None, Option("Also report what to expect if targets have this share.", "Scores")
    ]
    method: Annotated[
        object,
        Option(
            "The interval for average precision: influence (the default), or survival as in Su & Zhang.",
            "Scores",
            read="method",
        ),
    ]
    cost_false_alarm: Annotated[
        float | None,
        Option("The cost of a false alarm: the threshold of lowest cost is chosen.", "Scores", THRESHOLDS),
    ]
    cost_miss: Annotated[
        float | None, Option("The cost of a target below the threshold.", "Scores", THRESHOLDS)
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
            "A measure to report as well. If systems are compared, it replaces the "
            "default measures, and the first one decides.",
            "Statistics",
            read="texts",
            flag="measure",
            metavar="MEASURE",
        ),
    ]

    adjust: Annotated[
        Adjust | None,
        Option(
            "How p-values are adjusted for the number of pairs: holm by default.",
            "Statistics",
            (SEVERAL,),
        ),
    ]


class EvaluateOptions(ReadOptions, ReportOptions, ManyOptions, PartOptions, total=False):
    """What is counted, and what is asked of it."""

    with_digest: Annotated[
        bool, Option("Whether the report includes the SHA-256 of its files.", "Output", default=True, flag="")
    ]


class DifferenceOptions(TypedDict, total=False):
    """What is asked of tallies of some kinds when they are compared: what compares the kind takes it."""

    queries: QueriesCompared
    abstentions: CasesUndecided
    guess_rate: GuessRate
    method: Annotated[
        object, Option("An interval method of ew.methods.", "Statistics", (SEVERAL, SCORES), flag="")
    ]


Power = Annotated[
    float, Option("The power for which the number of further cases is computed.", "Statistics", default=0.8)
]


class CompareOptions(
    Columns, StatisticsOptions, ManyOptions, DifferenceOptions, PartOptions, JoinOptions, total=False
):
    """What is compared."""

    kind: PredictionKind
    horizon: Annotated[
        int,
        Option(
            "How many rows ahead each forecast was made.",
            "Probabilities",
            (PROBABILITIES, GRADES),
            default=1,
        ),
    ]
    power: Power
    margin: Annotated[
        float | str | None,
        Option(
            "How much worse a system may be and still count as no worse: 0.02, or 1pp for a point.",
            "Statistics",
            read="text",
            metavar="AMOUNT",
        ),
    ]
    with_digest: Annotated[
        bool, Option("Whether the report includes the SHA-256 of its file.", "Output", default=True, flag="")
    ]


class CheckOptions(PredictionColumns, Columns, StatisticsOptions, PartOptions, JoinOptions, total=False):
    """What a gate reads, and how sure it is to be."""

    kind: PredictionKind
    queries: QueriesCompared
    qrels: Annotated[
        object, Option("For search runs: the file of judgements.", "Scores", read="text", metavar="FILE")
    ]
    abstentions: CasesUndecided
    guess_rate: GuessRate
    power: Power


class TrecOptions(ManyOptions, StatisticsOptions, total=False):
    """How runs of a search engine are judged."""

    relevant_from: RelevantFrom
    queries: QueriesCompared
    absent: Annotated[
        AbsentRule,
        Option(
            "Whether a judged query that the run lacks is dropped or counts as 0.", "Scores", default="drop"
        ),
    ]
    no_targets: Annotated[
        AbsentRule,
        Option(
            "Whether a query without relevant documents counts as 0 or is dropped.", "Scores", default="zero"
        ),
    ]
    baseline: Annotated[
        str | None,
        Option("The run against which tables for papers test the others.", "Scores", metavar="NAME"),
    ]
    rank_only: Annotated[
        bool, Option("Order documents by the rank in the run, not by the score.", "Scores", default=False)
    ]


class ChanceOptions(TypedDict, total=False):
    """What chance has to reach."""

    depth: Depth
    rng: RandomNumbers
    average_precision: Annotated[
        float | Fraction | str | None,
        Option(
            "Print the probability that chance reaches this value, such as 11/12 or the rounded 0.9167.",
            "Scores",
            read="text",
            metavar="NUMBER",
        ),
    ]
    hits: Annotated[int | None, Option("Print the probability of at least this many hits.", "Scores")]
    nth_hit: Annotated[
        int | None, Option("Show the distribution of this hit's rank: 2 for the second hit.", "Scores")
    ]
    rank: Annotated[
        int | None,
        Option("With --nth-hit: print the probability of this rank, and of it or earlier.", "Scores"),
    ]
    over: Annotated[
        Over,
        Option(
            "With a depth: average precision over all targets, or over those within reach.",
            "Scores",
            default="targets",
        ),
    ]


class Options(
    EvaluateOptions, TallyOptions, CompareOptions, CheckOptions, TrecOptions, ChanceOptions, total=False
):
    """Every option with its value: the defaults are filled in once, and mypy checks each access by name."""

    verb: Verb
    """Which function was called."""
    data: object
    """What was passed as the data."""
    seed: int
    """The seed that ``rng`` became."""
    predictions: str
    """What the predictions are, once that is known: labels, scores, …"""


def select_options(options: Options, names: Iterable[str]) -> dict[str, object]:
    """Take the options of these names, such as those of several columns."""
    every = cast(Mapping[str, object], options)
    return {name: every[name] for name in names}


COMPARED = {
    "fold": (*DECISIONS, SCORES, PROBABILITIES, GRADES),
    "cluster": (SEVERAL, SCORES, PROBABILITIES, GRADES),
    "id": (QUERIES, GRADES),
    "adjust": EVERY,
    "method": (SEVERAL, SCORES),
    "ordered": (PROBABILITIES, GRADES),
}
"""Options that mean more where systems are compared."""


@functools.cache
def options_of(group: type) -> Mapping[str, tuple[object, Option]]:
    """Read the type and the definition of each option of a group."""
    hints = get_type_hints(group, include_extras=True)
    pairs = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    return MappingProxyType(pairs)
