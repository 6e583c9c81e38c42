"""Confidence sequences: how fast, how wide, how often they miss. Markdown tables; about two minutes.

    python bench/sequences.py            # 1000 runs a process
    python bench/sequences.py 5000

Widths are compared with the boundary's published formula solved case by case by SciPy's brentq. A run
counts as missed if the interval fails at any time it is shown.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammainc, gammaln
from timing import line, seconds

from edgeworth.bet.fractional import fractional_logs, log_average, score_log_factors
from edgeworth.forecasts import sequential
from edgeworth.forecasts.gamma_mixture import GammaMixture
from edgeworth.forecasts.sequential import (
    BlockSums,
    asymptotic_sequence,
    empirical_bernstein,
)

Floats = NDArray[np.float64]
Step = Callable[[np.random.Generator, int, Floats], tuple[Floats, Floats]]
CASES, LONG = 1000, 25_000
SIDES: tuple[Literal["greater", "less"], ...] = ("greater", "less")
BURN_INS = (2, 10, 50, 100, 200, 500, 1000)


def published(v: float, c: float, rho: float, threshold: float) -> float:
    """The boundary's formula as printed."""
    r, a = rho / c**2, (v + rho) / c**2
    constant = r * math.log(r) - gammaln(r) - math.log(gammainc(r, r)) + gammaln(a) - math.log(threshold)

    def above(s: float) -> float:
        b = (c * s + v + rho) / c**2
        return float(constant + math.log(gammainc(a, b)) - a * math.log(b) + (c * s + v) / c**2)

    return float(brentq(above, 0.0, 100 * (c + math.sqrt(v + 1)), xtol=1e-13, rtol=1e-14))


def speeds() -> None:
    rng = np.random.default_rng(0)
    values = np.clip(rng.normal(0.02, 0.3, LONG), -1, 1)
    mixture = GammaMixture.tuned(v_opt=10.0, alpha=0.05, c=2.0)
    sequence = empirical_bernstein(values)
    some = np.arange(0, LONG, 25)
    few = [float(v) for v in np.maximum(1.0, sequence.V[some])]

    def one_by_one() -> list[float]:
        return [published(v, 2.0, mixture.rho, 40.0) for v in few]

    theirs = seconds(one_by_one, repeat=1) * LONG / len(few)
    ours = seconds(lambda: empirical_bernstein(values))
    line(f"empirical Bernstein, {LONG:,} cases, and by brentq", ours, theirs, 1)
    widths = (sequence.high - sequence.low)[some] * sequence.cases[some] / 2 / np.array(one_by_one())
    print(f"width over the published one: {widths.min():.13f} to {widths.max():.13f}")
    for name, call in (
        ("e-process, winning side", lambda: sequence.evidence("greater")),
        ("e-process, losing side", lambda: sequence.evidence("less")),
        ("blocks of 1024", lambda: empirical_bernstein(BlockSums.of(values, size=1024))),
        ("asymptotic", lambda: asymptotic_sequence(values)),
        ("mixture of 21 stakes", lambda: log_average(np.cumsum(fractional_logs(values), axis=0))),
        (
            "Henzi–Ziegel, log score",
            lambda: score_log_factors(values > 0, abs(values), values**2, score="log"),
        ),
    ):
        print(f"{name:<58} {seconds(call) * 1e3:9.1f} ms for {LONG:,} cases")


def coin(rng: np.random.Generator, _: int, total: Floats) -> tuple[Floats, Floats]:
    return rng.choice([-1.0, 1.0], total.shape), np.zeros(total.shape)


def forecasters(rng: np.random.Generator, _: int, total: Floats) -> tuple[Floats, Floats]:
    truth = rng.uniform(0.1, 0.9, total.shape)
    p, q = np.clip(truth + rng.normal(0, 0.1, truth.shape), 0, 1), np.clip(truth + 0.1, 0, 1)
    y = rng.random(truth.shape) < truth
    mean = truth * ((p - 1) ** 2 - (q - 1) ** 2) + (1 - truth) * (p**2 - q**2)
    return (p - y) ** 2 - (q - y) ** 2, mean


def rare_loss(rng: np.random.Generator, _: int, total: Floats) -> tuple[Floats, Floats]:
    return np.where(rng.random(total.shape) < 0.01, -0.99, 0.01), np.zeros(total.shape)


def against_the_leader(rng: np.random.Generator, _: int, total: Floats) -> tuple[Floats, Floats]:
    mean = -0.8 * np.sign(total)
    return np.where(rng.random(total.shape) < (1 + mean) / 2, 1.0, -1.0), mean


def for_the_leader(rng: np.random.Generator, t: int, total: Floats) -> tuple[Floats, Floats]:
    mean = 0.9 * total / max(t, 1)
    return np.where(rng.random(total.shape) < (1 + mean) / 2, 1.0, -1.0), mean


def hit_and_run(rng: np.random.Generator, t: int, total: Floats) -> tuple[Floats, Floats]:
    size = np.where(total > 2.2 * np.sqrt(t + 1), 0.0, 1.0)
    return size * rng.choice([-1.0, 1.0], total.shape), np.zeros(total.shape)


def calm_then_wild(rng: np.random.Generator, t: int, total: Floats) -> tuple[Floats, Floats]:
    return (0.02 if t < CASES / 2 else 1.0) * rng.choice([-1.0, 1.0], total.shape), np.zeros(total.shape)


FAIR = (coin, rare_loss, hit_and_run, calm_then_wild)


def bounded(runs: int) -> None:
    print("\n| bounded scores, 95%, 1000 cases | missed | in blocks of 50 | an e-process above 20 |")
    print("|---|---|---|---|")
    for step in (forecasters, against_the_leader, for_the_leader, *FAIR):
        rng = np.random.default_rng(1)
        values, means, total = np.empty((CASES, runs)), np.empty((CASES, runs)), np.zeros(runs)
        for t in range(CASES):
            values[t], means[t] = step(rng, t, total)
            total = total + values[t]
        truths = np.cumsum(means, axis=0) / np.arange(1, CASES + 1)[:, None]
        counts = np.zeros(3)
        for run in range(runs):
            truth, sequence = truths[:, run], empirical_bernstein(values[:, run])
            blocks = empirical_bernstein(BlockSums.of(values[:, run], size=50))
            ends = truth[blocks.cases - 1]
            counts[0] += ((truth < sequence.low) | (truth > sequence.high)).any()
            counts[1] += ((ends < blocks.low) | (ends > blocks.high)).any()
            counts[2] += min(sequence.evidence(side).p_value for side in SIDES) <= 1 / 20
        shares = [f"{share:.1%}" for share in counts / runs]
        # One of two may pass 1/.05 in 10% of runs; where the means are not 0 nothing is promised.
        null = shares[2] if step in FAIR else ""
        print(f"| {step.__name__.replace('_', ' ')} | {shares[0]} | {shares[1]} | {null} |")


def unbounded_sample(name: str, rng: np.random.Generator, cases: int) -> tuple[Floats, Floats]:
    nothing = np.zeros(cases)
    if name == "normal":
        return rng.normal(size=cases), nothing
    if name == "Student's t, 3":
        return rng.standard_t(3, cases), nothing
    if name == "exponential":
        return rng.exponential(size=cases) - 1, nothing
    if name == "lognormal":
        return rng.lognormal(size=cases) - np.exp(0.5), nothing
    if name == "one case in 100":
        return np.where(rng.random(cases) < 0.01, 0.99, -0.01), nothing
    low, high = (0.05, 0.95) if name == "log scores" else (0.005, 0.03)
    truth = rng.uniform(low, high, cases)
    logit = np.log(truth / (1 - truth))
    p, q = (1 / (1 + np.exp(-logit - rng.normal(0, 0.5, cases))) for _ in range(2))
    yes, no = np.log(p / q), np.log((1 - p) / (1 - q))
    return np.where(rng.random(cases) < truth, yes, no), truth * yes + (1 - truth) * no


def unbounded(runs: int, tuned_for: int, cases: int = 3000) -> None:
    head = " | ".join(f"from case {burn_in}" for burn_in in BURN_INS)
    print(f"\n| asymptotic, 95%, {cases} cases, tuned for {tuned_for} | {head} |")
    print("|---|" + "---|" * len(BURN_INS))
    names = ("normal", "Student's t, 3", "exponential", "lognormal", "log scores", "log scores, rare events")
    for name in (*names, "one case in 100"):
        rng, missed = np.random.default_rng(2), np.zeros(len(BURN_INS))
        for _ in range(runs):
            values, means = unbounded_sample(name, rng, cases)
            truth = np.cumsum(means) / np.arange(1, cases + 1)
            for index, burn_in in enumerate(BURN_INS):
                sequential.BURN_IN, sequential.CASES_OF_NARROWEST_INTERVAL = burn_in, tuned_for
                result = asymptotic_sequence(values)
                missed[index] += ((truth < result.low) | (truth > result.high)).any()
        print(f"| {name} | " + " | ".join(f"{share:.1%}" for share in missed / runs) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=1000)
    runs = parser.parse_args().runs
    speeds()
    bounded(runs)
    for tuned_for in (1000, 100):
        unbounded(runs, tuned_for)


if __name__ == "__main__":
    main()
