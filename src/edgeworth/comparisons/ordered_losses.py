"""Losses or grades in time order: Diebold and Mariano's test, and a confidence sequence within a range.

Differences of losses that were forecast h rows ahead overlap with h − 1 neighbours. The variance of their
mean therefore counts the first h − 1 autocovariances (Diebold & Mariano 1995, JBES 13, 253–263), with Harvey,
Leybourne and Newbold's correction for few rows (1997, International Journal of Forecasting 13, 281–291).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats, finite_or_none
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, Pair
from edgeworth.comparisons.forecasts.differences import mean_score_difference
from edgeworth.comparisons.graded_means import guard_mean
from edgeworth.comparisons.policy import MAX_AUTOCORRELATION_STATISTIC, MAX_PAIRS_SHOWN
from edgeworth.core.formatting import format_level, format_number
from edgeworth.forecasts.sequential import ConfidenceSequence, empirical_bernstein
from edgeworth.report.report import Grid, Section, make_columns


def ordered_difference(difference: Difference, values: Floats, horizon: int, reach: float) -> Difference:
    """Compare two columns of losses or grades, one row per point in time, by Diebold and Mariano's test.

    ``difference`` names the measure, the systems and the direction. ``reach`` is how far apart two values may
    be. The test is about the mean over time, looked at once.

    >>> losses = np.array([[0.2, 0.5], [0.1, 0.3], [0.4, 0.9], [0.3, 0.4]])
    >>> bare = Difference("mean", "A", "B", (0.25, 0.525), "lower")
    >>> result = ordered_difference(bare, losses, 1, math.inf)
    >>> round(result.p_value(), 4), list(result.tests)
    (0.0486, ['diebold-mariano'])
    """
    first, second = values.T
    names = difference.first, difference.second
    result = mean_score_difference(first, second, names=names, score=difference.measure, horizon=horizon)
    if difference.direction != "lower":
        result = replace(
            result, direction=difference.direction, probability_better=1 - result.probability_better
        )
    tests = {name: test for name, test in result.tests.items() if name == "diebold-mariano"}
    caveats = [result.caveat, describe_autocorrelation(first - second, horizon), difference.caveat]
    caveat = "; ".join(caveat for caveat in caveats if caveat) or None
    result = replace(result, tests=tests or result.tests, caveat=caveat)
    return guard_mean(result, values, reach, is_ordered=True)


def describe_autocorrelation(differences: Floats, horizon: int) -> str | None:
    """Warn if differences that are ``horizon`` rows apart are correlated, which the variance leaves out.

    The standard error of the autocorrelation at lag h is that of a moving average of order h − 1 (Bartlett
    1946): (1 + 2 Σ_{k<h} r_k²)/n.
    """
    rest = differences - differences.mean()
    total = float((rest**2).sum())
    if len(rest) <= horizon + 1 or total <= 0:
        return None
    lags = [float((rest[lag:] * rest[:-lag]).sum()) / total for lag in range(1, horizon + 1)]
    *counted, correlation = lags
    error = math.sqrt((1 + 2 * sum(lagged**2 for lagged in counted)) / len(rest))
    if correlation < MAX_AUTOCORRELATION_STATISTIC * error:
        return None
    rows = "neighbouring rows" if horizon == 1 else f"rows {horizon} apart"
    return (
        f"differences in {rows} are correlated ({format_number(correlation)}), so the interval may be too "
        "narrow: pass a longer --horizon if forecasts overlap for longer"
    )


def loss_sequence(values: Floats, reach: float, level: float) -> ConfidenceSequence:
    """Bound the mean difference after every row, for values that are at most ``reach`` apart.

    Differences are divided by their reach first: the sequence is tuned for differences within ±1.
    """
    sequence = empirical_bernstein(values @ [1.0, -1.0] / reach, level=level)
    return replace(sequence, mean=sequence.mean * reach, low=sequence.low * reach, high=sequence.high * reach)


def sequence_section(findings: ComparisonFindings) -> Section | None:
    """Tabulate the confidence sequences after the last row, for people who look at results as they arrive."""
    sequences = findings.loss_sequences
    if not sequences:
        return None
    rows = []
    for first, second in findings.ranked_pairs[:MAX_PAIRS_SHOWN]:
        pair = findings.as_given(first, second)
        sequence = sequences[pair] if pair == (first, second) else sequences[pair].mirror()
        mean, low, high = (finite_or_none(end) for end in sequence.last)
        rows.append((first, second, mean, (low, high)))
    head = f"{format_level(findings.level)} confidence sequence/interval"
    columns = make_columns("system/text", "other/text", "system − other, mean", head)
    text = (
        "You may look at these intervals after every row. The verdict uses Diebold and Mariano's test, which "
        "is valid for one look at the end."
    )
    note = "empirical Bernstein, from the stated range of grades; each pair by itself"
    return Section("If you look repeatedly", (text,), (Grid("", columns, tuple(rows), note),), is_main=True)


def plain_sequences(sequences: Mapping[Pair, ConfidenceSequence]) -> list[dict[str, object]]:
    """Make plain values of each sequence after the last row."""
    rows: list[dict[str, object]] = []
    for (first, second), sequence in sequences.items():
        mean, low, high = (finite_or_none(end) for end in sequence.last)
        bounds = {"mean": mean, "low": low, "high": high, "level": sequence.level}
        rows.append({"first": first, "second": second, **bounds, "method": sequence.method})
    return rows


def pair_columns(values: Floats, names: tuple[str, ...], pair: Pair) -> Floats:
    """Take the columns of two systems from a table with one column per system."""
    return np.asarray(values[:, [names.index(name) for name in pair]])
