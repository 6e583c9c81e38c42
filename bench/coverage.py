"""How often 95% population intervals of average precision and ROC area cover, as a Markdown table.

    python bench/coverage.py 10000                      # binormal scores: the published grid
    python bench/coverage.py 4000 --scores exponential
    python bench/coverage.py 4000 --scores tied --ties expected
    python bench/coverage.py 4000 --sizes 200 500

A cell is a sample size, a prevalence and a strength d. Scores are binormal (background N(0,1), targets
N(d,1)), exponential (means 1 and e^d) or tied (binormal, cut into 15 levels). Cells in brackets expect fewer
than 30 targets and do not count. At 20,000 cases a fifth of the replications are made.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import norm

from edgeworth.core.sampling_distributions import NormalLaw, Scale
from edgeworth.rankings.intervals.methods import (
    Places,
    TiePolicy,
    average_precision_influence,
    find_caveat,
    independent,
    roc_area_influence,
    separated_area_bound,
    separated_precision_bound,
)

Floats = NDArray[np.float64]
SIZES = (200, 500, 1000, 2000, 5000, 20_000)
PREVALENCES = (0.5, 0.1, 0.02)
STRENGTHS = (0.0, 0.5, 1.0, 2.0, 3.0)
LEVEL = 0.95
WANTED = (0.935, 0.965)
ENOUGH = 30
CUTS = np.linspace(3.5, -2.0, 14)


@dataclass(frozen=True)
class Cell:
    """One population and sample size."""

    scores: str
    ties: TiePolicy
    size: int
    prevalence: float
    strength: float

    @property
    def counts(self) -> bool:
        """Whether enough targets are expected."""
        return self.size * self.prevalence >= ENOUGH

    def background_above(self, share: float) -> float:
        """The share of the background that scores above the best ``share`` of the targets."""
        if self.scores == "exponential":
            return float(share ** math.exp(self.strength))
        return float(norm.sf(norm.isf(share) + self.strength))

    def levels(self) -> tuple[Floats, Floats]:
        """The background's and the targets' shares in each level of tied scores, best first."""
        return tuple(  # type: ignore[return-value]  # a pair
            np.diff(np.concatenate([[0.0], norm.sf(CUTS - shift), [1.0]])) for shift in (0.0, self.strength)
        )

    def population(self) -> tuple[float, float]:
        """The population's average precision and ROC area."""
        if self.scores == "tied":
            return self.tied_population()

        def precision(score: float) -> float:
            hits = self.prevalence * norm.sf(score)
            return float(hits / (hits + (1 - self.prevalence) * self.background_above(norm.sf(score))))

        def beaten(score: float) -> float:
            return 1 - self.background_above(norm.sf(score))

        return tuple(  # type: ignore[return-value]  # a pair
            quad(lambda score, of=of: norm.pdf(score) * of(score), -8, 8, limit=500)[0]
            for of in (precision, beaten)
        )

    def tied_population(self) -> tuple[float, float]:
        """The same for levels: whole, or mixed evenly inside each level."""
        background, targets = self.levels()
        hits, size = self.prevalence * targets, self.prevalence * targets + (1 - self.prevalence) * background
        seen = np.cumsum(size)
        hits_above, above = np.cumsum(hits) - hits, seen - size
        area = float((targets * (1 - np.cumsum(background) + background / 2)).sum())
        parts = hits * (hits_above + hits) / seen
        if self.ties == "expected":
            inside = (hits_above - hits * above / size)[1:] * np.log(seen[1:] / above[1:])
            parts = hits / size * (hits + np.append(0.0, inside))
        return float(parts.sum() / self.prevalence), area

    def samples(self, replications: int) -> Iterator[Places]:
        """Rankings drawn from the population, always the same ones."""
        generator = np.random.default_rng(
            [self.size, round(1000 * self.prevalence), round(10 * self.strength)]
        )
        if self.scores == "tied":
            yield from self.tied_samples(generator, replications)
            return
        draw = generator.standard_exponential if self.scores == "exponential" else generator.standard_normal
        for many in generator.binomial(self.size, self.prevalence, size=replications):
            targets, background = draw(many), np.sort(draw(self.size - many))
            if self.scores == "exponential":
                targets *= math.exp(self.strength)
            else:
                targets += self.strength
            targets = np.sort(targets)[::-1]
            order = np.arange(many, dtype=np.float64)
            above = (len(background) - np.searchsorted(background, targets)).astype(np.float64)
            gap = np.diff(np.concatenate([[0.0], above, [len(background)]]))
            yield Places(np.ones(many), np.zeros(many), order, order + above, gap, 0.0)

    def tied_samples(self, generator: np.random.Generator, replications: int) -> Iterator[Places]:
        """Counts in each level."""
        background, targets = self.levels()
        shares = np.concatenate([(1 - self.prevalence) * background, self.prevalence * targets])
        for draw in generator.multinomial(self.size, shares / shares.sum(), size=replications):
            others, hits = draw.reshape(2, -1).astype(np.float64)
            size, some = hits + others, hits > 0
            hits_above, seen_above = (np.cumsum(hits) - hits)[some], (np.cumsum(size) - size)[some]
            tied = others[some]
            above = seen_above - hits_above
            gap = np.append(above, others.sum()) - np.concatenate([[0.0], above + tied])
            yield Places(hits[some], tied, hits_above, seen_above, gap, 0.0)


@dataclass
class Count:
    """How often a measure's interval was below, above and around the truth, and how often it was doubted."""

    low: int = 0
    high: int = 0
    all: int = 0
    doubted: int = 0

    def add(self, truth: float, bounds: tuple[float, float], doubted: bool) -> None:
        """One more interval."""
        missed = not bounds[0] <= truth <= bounds[1]
        self.all += 1
        self.low += truth < bounds[0]
        self.high += missed and not truth < bounds[0]
        self.doubted += doubted

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return 1 - (self.low + self.high) / self.all

    @property
    def inside(self) -> bool:
        """Whether coverage is where it should be."""
        return WANTED[0] <= self.coverage <= WANTED[1]

    def __str__(self) -> str:
        misses = f"{100 * self.low / self.all:.1f} + {100 * self.high / self.all:.1f}"
        return f"{100 * self.coverage:.1f} | {misses} | {100 * self.doubted / self.all:.0f}"


def measure(cell: Cell, replications: int) -> tuple[Count, Count]:
    """Coverage of both measures in one cell. A sample without two cases of each kind has no interval."""
    truths = cell.population()
    results = Count(), Count()
    bounds_of = (separated_precision_bound, separated_area_bound)
    for places in cell.samples(replications):
        if min(places.targets, places.background) < 2:
            continue
        counts = places.hits, places.tied, places.gap, np.array([places.lost])
        both = average_precision_influence(places, cell.ties), roc_area_influence(places)
        for count, truth, effects, separated in zip(results, truths, both, bounds_of, strict=True):
            spread = independent(effects, counts, counts)
            if effects.value >= 1:
                bounds = separated(places.targets, places.background, LEVEL), 1.0
            else:
                error, freedom = math.sqrt(spread.variance), max(spread.freedom, 1.0)
                law = NormalLaw(float(effects.value), error, Scale(0.0, 1.0), freedom)
                bounds = law.interval(LEVEL) if error > 0 else (math.nan, math.nan)
            count.add(
                truth, bounds, find_caveat(places.targets, places.background, spread.freedom) is not None
            )
    return results


def main() -> None:
    """Print the table and how many of the cells that count lie outside."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("replications", type=int, nargs="?", default=4000)
    parser.add_argument("--scores", choices=("binormal", "exponential", "tied"), default="binormal")
    parser.add_argument("--ties", choices=("threshold", "expected"), default="threshold")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    print("| n | share | d | AP | covered % | misses % | warned % | ROC | covered % | misses % | warned % |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    counting: list[tuple[Count, Count]] = []
    for size in options.sizes:
        replications = options.replications if size <= 5000 else max(1, options.replications // 5)
        for prevalence in PREVALENCES:
            for strength in STRENGTHS:
                cell = Cell(options.scores, options.ties, size, prevalence, strength)
                precision, area = cell.population()
                value = measure(cell, replications)
                name = f"{size}" if cell.counts else f"({size})"
                row = f"| {name} | {prevalence:g} | {strength:g} | {precision:.3f} | {value[0]}"
                print(f"{row} | {area:.3f} | {value[1]} |", flush=True)
                if cell.counts:
                    counting.append(value)
    for index, what in enumerate(("average precision", "ROC area")):
        cells = [result[index] for result in counting]
        outside = sum(not cell.inside for cell in cells)
        covered = [cell.coverage for cell in cells]
        print(
            f"\n{what}: {outside} of {len(cells)} cells outside {WANTED[0]:.1%} to {WANTED[1]:.1%};"
            f" lowest {min(covered):.1%}, highest {max(covered):.1%}"
        )
        unwarned = [cell for cell in cells if cell.doubted < cell.all / 2]
        print(
            f"where most results carry no warning: {sum(not c.inside for c in unwarned)} of {len(unwarned)}"
        )


if __name__ == "__main__":
    main()
