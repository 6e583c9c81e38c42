"""What is to be counted: which columns play which role, how they are read, and what goes with what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from edgeworth.core.policies import Missing, PredictionsMade, WeightKind
from edgeworth.errors import OptionError
from edgeworth.forecasts.forecast_terms import ForecastTerms
from edgeworth.rankings.scores.cells import Cells
from edgeworth.sources.columns import Label

if TYPE_CHECKING:
    from edgeworth.bet.bookmakers import Bookmaker

Kind: TypeAlias = Literal["labels", "several", "scores", "lists", "probabilities"]

TERMS = {
    "labels": ("missing", "positive", "labels", "abstain", "weight_kind"),
    "several": ("missing", "positive", "abstain", "weight_kind"),
    "scores": ("missing", "positive", "weight_kind", "cells"),
    "lists": ("missing", "positive", "relevant_from"),
    "probabilities": (
        "labels",
        "positive",
        "normalise",
        "ordinal",
        "ordered",
        "stake",
        "predictions_made",
        "bookmaker",
    ),
}
"""The terms of what is counted, but for its columns."""

ONE_FORM = "give one of prediction (labels), score (a ranking) or probabilities (forecasts)"


@dataclass(frozen=True)
class CountingTerms:
    """The words of ``evaluate`` and ``tally`` that say what is counted."""

    truth: Any = None
    prediction: Any = None
    score: Any = None
    probabilities: Any = None
    against: Any = None
    odds: Any = None
    bookmaker: Bookmaker | None = None
    time: Any = None
    ordered: bool = False
    predictions_made: PredictionsMade | None = None
    stake: float | None = None
    normalise: bool = False
    ordinal: bool = False
    group: Any = None
    id: Any = None
    weight: Any = None
    weight_kind: WeightKind | None = None
    labels: Sequence[Label] | None = None
    positive: Label | None = None
    abstain: Label | None = None
    missing: Missing = "error"
    cells: Cells = None
    relevant_from: int | None = None

    @property
    def kind(self) -> Kind:
        """What kind of prediction it is; options that mean nothing with it are refused."""
        given = [self.prediction is not None, self.score is not None, self.probabilities is not None]
        if sum(given) != 1:
            raise OptionError(ONE_FORM)
        if self.probabilities is not None:
            self._check_probabilities()
            return "probabilities"
        self._refuse("without probabilities", "against", "odds", "bookmaker", "time", "stake")
        self._refuse("without probabilities", "predictions_made", "ordered", "normalise", "ordinal")
        if self.prediction is not None:
            self._refuse("with a prediction", "id", "cells", "relevant_from")
            return "several" if isinstance(self.prediction, Mapping) else "labels"
        return self._checked_scores()

    @property
    def threshold(self) -> int:
        """The smallest grade that makes a target."""
        return 1 if self.relevant_from is None else self.relevant_from

    def forecast_terms(self, *, level: float = 0.95, seed: int = 0) -> ForecastTerms:
        """What is said about probabilities, with what is left out filled in."""
        return ForecastTerms(
            labels=self.labels,
            positive=self.positive,
            normalise=self.normalise,
            ordered=self.ordered or self.time is not None,
            predictions_made=self.predictions_made or "before",
            stake=1.0 if self.stake is None else self.stake,
            ordinal=self.ordinal,
            level=level,
            seed=seed,
        )

    def _check_probabilities(self) -> None:
        when = "with probabilities"
        self._refuse(when, "group", "id", "weight", "weight_kind", "cells", "abstain", "relevant_from")
        if self.missing != "error":
            raise OptionError("missing values among probabilities are errors: drop such rows beforehand")
        if sum(x is not None for x in (self.against, self.odds, self.bookmaker)) > 1:
            raise OptionError("bet against one of them: against (probabilities), odds or bookmaker")

    def _checked_scores(self) -> Kind:
        self._refuse("with a score", "labels", "abstain")
        if self.missing == "abstain":
            raise OptionError(
                'missing is "error" or "drop" with scores: a score is no decision to abstain from'
            )
        if self.group is None:
            self._refuse("without groups", "id", "relevant_from")
            return "scores"
        self._refuse("with groups", "weight", "weight_kind", "cells")
        if self.missing != "error":
            raise OptionError("missing values in ranked lists are errors: drop such rows beforehand")
        return "lists"

    def _refuse(self, when: str, *names: str) -> None:
        refuse(when, **{name: getattr(self, name) for name in names})


def refuse(when: str, **options: Any) -> None:
    """Options that would be ignored are refused: who gives them believes in them."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise OptionError(f"{name}{option_of(name)} has no meaning {when}")


def option_of(name: str) -> str:
    """The option of the command that says the same as a word of Python, where it is spelt otherwise.

    >>> option_of("predictions_made"), option_of("measures"), option_of("time")
    (' (--predictions-made)', ' (--measure)', '')
    """
    option = {"measures": "measure"}.get(name, name).replace("_", "-")
    return f" (--{option})" if option != name else ""
