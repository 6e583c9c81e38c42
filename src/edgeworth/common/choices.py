"""The words that options can take, where both the library and the command have to know them.

Nothing is imported here, so that help is shown before any library is loaded.
"""

from typing import Literal, TypeAlias

Predictions: TypeAlias = Literal["labels", "scores", "probabilities", "grades", "correct"]
PREDICTIONS_OF_OPTION: dict[str, Predictions] = {
    "prediction": "labels",
    "score": "scores",
    "probability": "probabilities",
    "probabilities": "probabilities",
    "correct": "correct",
    "grade": "grades",
}
"""The predictions that an option names the columns of."""
Missing: TypeAlias = Literal["error", "drop", "abstain"]
Abstentions: TypeAlias = Literal["count", "drop"]
Match: TypeAlias = Literal["one", "many"]
"""How many clusters a class may take."""
RankingMethod: TypeAlias = Literal["influence", "survival"]
PredictionsMade: TypeAlias = Literal["before", "cross-validated", "in-sample"]
WeightKind: TypeAlias = Literal["counts", "sampling"]
"""What weights are: numbers of equal cases, or sampling weights."""
Adjust: TypeAlias = Literal["holm", "benjamini-hochberg", "tukey", "none"]
Unmatched: TypeAlias = Literal["drop", "error"]
ErrorRule: TypeAlias = Literal["drop", "wrong"]
"""How an answer of a run log counts that errored: it is left out, or counts as wrong."""
QueryRule: TypeAlias = Literal["intersection", "error"]
AbsentRule: TypeAlias = Literal["drop", "zero"]
Over: TypeAlias = Literal["targets", "reachable"]
Rows: TypeAlias = Literal["predicted", "actual", "real"]
OddsForm: TypeAlias = Literal["decimal", "fractional", "american", "probability"]
OverroundMethod: TypeAlias = Literal["multiplicative", "power", "shin"]
Period: TypeAlias = Literal["month", "season", "year"]
Unbalanced: TypeAlias = Literal["refuse", "normalise", "cap"]
BookmakerName: TypeAlias = Literal["drunken"]
Engine: TypeAlias = Literal["auto", "spark"]
PaperName: TypeAlias = Literal["powers", "su-zhang", "kalia"]
UndecidedAs: TypeAlias = Literal["pass", "fail"]
