"""What is said about probabilities before any is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edgeworth.core.policies import PredictionsMade
from edgeworth.sources.columns import Label


@dataclass(frozen=True)
class ForecastTerms:
    """What the caller says about probabilities: whose they are, how they bet, and what is to be shown."""

    labels: Sequence[Label] | None = None
    positive: Label | None = None
    normalise: bool = False
    ordered: bool = False
    predictions_made: PredictionsMade = "before"
    stake: float = 1.0
    ordinal: bool = False
    level: float = 0.95
    seed: int = 0

    @property
    def reading(self) -> dict[str, Any]:
        """How probabilities are read."""
        return {"labels": self.labels, "positive": self.positive, "normalise": self.normalise}

    @property
    def betting(self) -> dict[str, Any]:
        """How the model bets."""
        return {
            "stake": self.stake,
            "ordered": self.ordered,
            "predictions_made": self.predictions_made,
            "ordinal": self.ordinal,
        }
