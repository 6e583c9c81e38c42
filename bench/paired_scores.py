"""Paired rankings: speed beside scikit-learn, and how often 95% intervals of a difference cover.

    python bench/paired_scores.py                       # speed
    python bench/paired_scores.py --coverage 2000       # a Markdown table of paired binormal scores
    python bench/paired_scores.py --coverage 500 --permutations 199

Coverage: background N(0, 1), targets N(d, 1) with a strength d of each system, and a correlation of the two
systems' scores within each class. In brackets the share of samples that the difference itself calls doubtful.
Where the strengths are equal, "rejects" is how often "no difference" is rejected at 5%.
"""

from __future__ import annotations

import argparse
import math
from functools import cache
from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score
from timing import line, seconds

from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.differences import score_difference
from edgeworth.methods import Bootstrap

STRENGTHS = ((1.0, 1.0), (2.0, 2.0), (1.5, 1.0), (2.5, 1.5))
CORRELATIONS = (0.0, 0.7, 0.95)
TARGETS = (30, 100, 300)
RATIOS = (2, 10, 50)
SPELLINGS = ("roc_auc", "average_precision")


def paired_sample(
    rng: np.random.Generator, size: int, prevalence: float, strengths: tuple[float, float], shared: float
) -> PairedScores:
    """Two systems with a share of their noise in common."""
    truth = rng.random(size) < prevalence
    common = math.sqrt(shared) * rng.normal(size=size)
    scores = {
        name: common + math.sqrt(1 - shared) * rng.normal(size=size) + strength * truth
        for name, strength in zip("AB", strengths, strict=True)
    }
    return PairedScores.from_scores(truth, scores)


@cache
def population(prevalence: float, strength: float) -> dict[str, float]:
    """Average precision ∫ precision(s) f(s) ds over the targets' scores, and ROC area Φ(d/√2)."""

    def precision(score: float) -> float:
        hits = prevalence * norm.sf(score - strength)
        return float(hits / (hits + (1 - prevalence) * norm.sf(score)) * norm.pdf(score - strength))

    result = quad(precision, strength - 8, strength + 8, limit=500)[0]
    return {"average_precision": result, "roc_auc": float(norm.cdf(strength / math.sqrt(2)))}


def coverage(runs: int, permutations: int) -> None:
    """One row a population: coverage and rejections of both measures."""
    tests = "first test" + (", permutation" if permutations else "")
    print(f"| targets | cases | strengths | correlation | ROC area covers | AP covers | rejects ({tests}) |")
    print("|---|---|---|---|---|---|---|")
    for strengths, shared, targets, ratio in product(STRENGTHS, CORRELATIONS, TARGETS, RATIOS):
        rng = np.random.default_rng([targets, ratio, round(100 * shared), round(10 * sum(strengths))])
        number = max(50, runs // (1 if targets * ratio < 4000 else 4))
        covered = {spelling: np.zeros(2) for spelling in SPELLINGS}
        rejected: dict[str, dict[str, float]] = {spelling: {} for spelling in SPELLINGS}
        for _ in range(number):
            paired = paired_sample(rng, targets * ratio, 1 / ratio, strengths, shared)
            for spelling in SPELLINGS:
                values = [population(1 / ratio, strength)[spelling] for strength in strengths]
                difference = score_difference(paired, "A", "B", spelling, permutations=permutations)
                inside = values[0] - values[1] in difference.interval(0.95)
                covered[spelling] += (inside, difference.caveat is not None)
                for name, tail in difference.tests.items():
                    rejected[spelling][name] = rejected[spelling].get(name, 0) + (tail.p_value <= 0.05)
        shown = [f"{x[0] / number:.1%} [{x[1] / number:.0%}]" for x in covered.values()]
        text = "; ".join(
            f"{spelling} " + ", ".join(f"{count / number:.1%}" for count in rejected[spelling].values())
            for spelling in SPELLINGS
        )
        same = strengths[0] == strengths[1]
        print(
            f"| {targets} | {targets * ratio:,} | {strengths[0]:g}, {strengths[1]:g} | {shared:g} | "
            f"{shown[0]} | {shown[1]} | {text if same else ''} |",
            flush=True,
        )


def speed() -> None:
    """Bootstrap against a loop, and a long list."""
    rng = np.random.default_rng(1)
    paired = paired_sample(rng, 10**5, 0.02, (1.0, 0.9), 0.7)
    truth, (one, two) = paired.targets, paired.scores
    for spelling, score in (("average_precision", average_precision_score), ("roc_auc", roc_auc_score)):
        method = Bootstrap(draws=1000, rng=7)
        ours = seconds(
            lambda s=spelling, m=method: score_difference(paired, "A", "B", s, method=m, permutations=0),
            repeat=2,
        )

        def loop(of: object = score, draws: int = 10) -> None:
            generator = np.random.default_rng(2)
            for _ in range(draws):
                rows = generator.integers(0, len(truth), len(truth))
                of(truth[rows], one[rows]) - of(truth[rows], two[rows])  # type: ignore[operator]  # a score

        theirs = seconds(loop, repeat=1) * 100
        line(f"1000 paired bootstrap replicates, {spelling}, 10⁵ cases, 2% targets", ours, theirs, 20, "s")
    for power in (5, 6):
        truth = rng.random(10**power) < 0.02
        scores = {name: rng.normal(size=10**power) + truth for name in "AB"}
        for spelling in SPELLINGS:

            def difference(spelling: str = spelling, truth: object = truth, scores: object = scores) -> None:
                paired = PairedScores.from_scores(truth, scores)  # type: ignore[arg-type]  # as made above
                score_difference(paired, "A", "B", spelling).interval()

            taken = seconds(difference, repeat=3)
            print(f"{f'{spelling}: difference with interval, 10^{power} cases':<58} {taken * 1e3:9.1f} ms")
    taken = seconds(lambda: score_difference(paired, "A", "B", "roc_auc", permutations=999), repeat=1)
    print(f"{'999 permutations, 10⁵ cases, 2% targets':<58} {taken * 1e3:9.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--coverage", type=int, default=0, help="samples a row")
    parser.add_argument("--permutations", type=int, default=0)
    asked = parser.parse_args()
    if asked.coverage:
        coverage(asked.coverage, asked.permutations)
    else:
        speed()
