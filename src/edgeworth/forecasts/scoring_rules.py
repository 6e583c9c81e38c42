"""Proper scores of probabilities: each is one function of arrays and one entry of ``RULES``.

A new one needs nothing else: tallies, measures, skills and reports go through ``RULES``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Floats, row_sums
from edgeworth.core.measures import Guidance
from edgeworth.forecasts import guidance
from edgeworth.forecasts.forecasts import Forecasts


def log_score(forecasts: Forecasts) -> Floats:
    """−ln p(y)."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(forecasts.happened))


def brier_score(forecasts: Forecasts) -> Floats:
    """Σ_k (p_k − y_k)², for two classes (p − y)²."""
    missed = (1 - forecasts.happened) ** 2
    return missed if forecasts.size == 2 else missed + _other_squares(forecasts)


def ranked_score(forecasts: Forecasts) -> Floats:
    """Σ_k (P(Y ≤ k) − 1[y ≤ k])², over all classes but the last."""
    below, total = np.zeros(len(forecasts)), np.zeros(len(forecasts))
    # Along short rows NumPy is slow.
    for k in range(forecasts.size - 1):
        below += forecasts.probabilities[:, k]
        total += (below - (forecasts.codes <= k)) ** 2
    return total


def spherical_score(forecasts: Forecasts) -> Floats:
    """1 − p(y)/‖p‖, as Σ_{k≠y} p_k² / (‖p‖ (‖p‖ + p(y))), which keeps its digits near 0."""
    happened, other_squares = forecasts.happened, _other_squares(forecasts)
    norm = np.sqrt(happened**2 + other_squares)
    return np.asarray(other_squares / (norm * (norm + happened)))


def _other_squares(forecasts: Forecasts) -> Floats:
    """Sum p_k² over the classes that did not happen; a difference of sums would lose digits near 0."""
    squares = np.square(forecasts.probabilities, order="C")
    squares.ravel()[np.arange(0, squares.size, squares.shape[1]) + forecasts.codes] = 0
    return row_sums(squares)


def _entropy(shares: Floats) -> float:
    present = shares[shares > 0]
    # Adding 0 makes the −0 of a single class 0.
    return float(-(present * np.log(present)).sum()) + 0.0


def _gini(shares: Floats) -> float:
    spread = float((shares * (1 - shares)).sum())
    return spread / 2 if len(shares) == 2 else spread


def _ranked_spread(shares: Floats) -> float:
    below = np.cumsum(shares)[:-1]
    return float((below * (1 - below)).sum())


def _spherical_spread(shares: Floats) -> float:
    return float(1 - np.sqrt((shares**2).sum()))


@dataclass(frozen=True)
class Rule:
    """A proper score, lower being better.

    ``score`` takes checked forecasts and returns one number per case.
    ``climatology`` is the mean score of always saying the class shares s, and ``highest`` the largest score
    of one case with K classes. ``is_ordered`` marks a score that depends on the order of the classes.
    """

    name: str
    words: str
    formula: str
    score: Callable[[Forecasts], Floats]
    climatology: Callable[[Floats], float]
    climatology_formula: str
    highest: Callable[[float], float]
    source: str
    synonyms: tuple[str, ...] = ()
    skill_synonyms: tuple[str, ...] = ()
    is_ordered: bool = False
    limit: str = ""
    """The highest score in words, if it depends on the number of classes K."""
    guidance: Guidance | None = None
    skill_guidance: Guidance | None = None

    @property
    def skill_words(self) -> str:
        """What its skill is called."""
        return f"{self.words.removesuffix(' score')} skill"


RULES = {
    rule.name: rule
    for rule in (
        Rule(
            name="log",
            words="log score",
            formula="−ln p(y)",
            score=log_score,
            climatology=_entropy,
            climatology_formula="−Σ s ln s",
            highest=lambda _: math.inf,
            source="Good 1952, Rational Decisions",
            synonyms=("log loss", "logarithmic score", "ignorance"),
            skill_synonyms=("log skill score", "D2 log loss"),
            guidance=guidance.LOG,
        ),
        Rule(
            name="brier",
            words="Brier score",
            formula="Σ_k (p_k − y_k)², for two classes (p − y)²",
            score=brier_score,
            climatology=_gini,
            climatology_formula="Σ s(1 − s), for two classes half of it",
            highest=lambda classes: 1.0 if classes == 2 else 2.0,
            source="Brier 1950; half of his for two classes",
            synonyms=("Brier score loss", "quadratic score", "mean squared error of probabilities"),
            skill_synonyms=("Brier skill score", "BSS", "D2 Brier"),
            guidance=guidance.BRIER,
            skill_guidance=guidance.BRIER_SKILL,
        ),
        Rule(
            name="ranked",
            words="ranked probability score",
            formula="Σ_k (P(Y ≤ k) − 1[y ≤ k])², classes in the order of their columns",
            score=ranked_score,
            climatology=_ranked_spread,
            climatology_formula="Σ_k S_k(1 − S_k), S_k = s_1 + … + s_k",
            highest=lambda classes: classes - 1.0,
            source="Epstein 1969; Murphy 1971; papers on football often divide it by K − 1",
            synonyms=("ranked probability score", "RPS"),
            skill_synonyms=("RPSS", "ranked probability skill score"),
            is_ordered=True,
            limit="K − 1",
        ),
        Rule(
            name="spherical",
            words="spherical score",
            formula="1 − p(y)/‖p‖",
            score=spherical_score,
            climatology=_spherical_spread,
            climatology_formula="1 − ‖s‖",
            highest=lambda _: 1.0,
            source="Gneiting & Raftery 2007, Strictly Proper Scoring Rules",
            synonyms=("spherical score",),
            skill_synonyms=("spherical skill score",),
        ),
    )
}

PROPER_SCORES = tuple(RULES)


def case_scores(forecasts: Forecasts, names: Sequence[str]) -> Floats:
    """Compute the scores of each case, one row per score; lower is better.

    >>> case_scores(Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]])), ["brier"]).round(2).tolist()
    [[0.25, 0.36]]
    """
    return np.array([RULES[name].score(forecasts) for name in names])
