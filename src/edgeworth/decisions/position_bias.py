"""Position bias: are some options chosen more often, or less often, than they are right?

Predicted and actual options are paired, question by question, so their shares are compared by tests of
marginal homogeneity. A question in which both are the same option does not count. In any other, the predicted
option has a step of +1 and the actual one of −1. If every option is chosen as often as it is right, each unit
(a question, or a cluster of questions) is as likely to have the opposite steps.

One option is tested by the exact law of these sign flips: for single questions this is McNemar's exact test.
All options together are tested by Stuart and Maxwell's statistic d' V⁻ d (``equal_margins``).

Sign flips suppose that steps are symmetric. If every cluster favours an option of its own, they are not: an
option has a few large steps for it and many small steps against it. So with clusters, a second test deals the
steps of each cluster to the options at random. It supposes that all options are alike, which sign flips do
not, and the larger of the two p-values counts. The joint p-value is the smallest one of the options, times
their number. tests/calibration/test_position_bias.py measures how often it is below 5% without position bias.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Integers
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import format_count, format_p_value, format_percent, plural
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.core.test_results import SMALLEST_FLOAT, TestResult
from edgeworth.decisions.margins import equal_margins
from edgeworth.decisions.table import ContingencyTable
from edgeworth.report.estimates import test_result_to_dict
from edgeworth.report.report import Grid, Section, make_columns
from edgeworth.report.verdict import Claim
from edgeworth.report.wording import describe_p_value

CLUSTERED_TEST = "sign flips of clusters and random deals of their steps to the options, the larger p-value"

TEST_WITHOUT_ERRORS = TestResult.from_probability(1.0, "every answer is right")


@dataclass(frozen=True)
class OptionShares:
    """How often one option was chosen and how often it was right, with the exact test of no difference."""

    option: str
    predicted: int
    actual: int
    p_value: float
    adjusted: float
    """The p-value adjusted by Holm for all options."""


@dataclass(frozen=True)
class PositionBias:
    """Predicted and actual shares of each option, and the test of all of them together."""

    options: tuple[OptionShares, ...]
    answers: int
    test: TestResult
    has_clusters: bool = False

    def shown(self, level: float) -> list[OptionShares]:
        """Find the options whose shares differ, adjusted for all options; the clearest first."""
        differing = [option for option in self.options if is_significant(option.adjusted, level)]
        return sorted(differing, key=lambda option: option.adjusted)

    def to_dict(self) -> JsonObject:
        """Return the shares and tests as plain values for JSON."""
        options = [vars(option) for option in self.options]
        test = {"test": test_result_to_dict(self.test), "adjust": "holm"}
        return {"answers": self.answers, **test, "options": options}


def examine_position_bias(
    truth: Sequence[str],
    predictions: Sequence[str | None],
    options: Sequence[str],
    *,
    clusters: Sequence[Hashable] | None = None,
) -> PositionBias | None:
    """Test whether options are chosen as often as they are right; None if no answer names an option.

    Parameters
    ----------
    truth, predictions : sequences of options
        The right option and the chosen one of each question; a choice that is None is left out.
    options : sequence
        Every option, in order.
    clusters : sequence, optional
        The cluster of each question. The steps of a cluster are flipped, or dealt, together.

    Examples
    --------
    >>> truth = ["A", "B"] * 6
    >>> bias = examine_position_bias(truth, ["A"] * 12, ["A", "B"])
    >>> [(option.option, option.predicted, option.actual) for option in bias.options]
    [('A', 12, 6), ('B', 0, 6)]
    >>> round(bias.test.p_value, 6), 2 * 0.5**6
    (0.03125, 0.03125)
    """
    index_of_option = {option: number for number, option in enumerate(options)}
    answered = [row for row, chosen in enumerate(predictions) if chosen is not None]
    if not answered or len(options) < 2:
        return None
    chosen_options = [option for option in predictions if option is not None]
    chosen = np.array([index_of_option[option] for option in chosen_options])
    actual = np.array([index_of_option[truth[row]] for row in answered])
    unit_numbers: dict[Hashable, int] = {}
    cluster_names: Sequence[Hashable] = range(len(truth)) if clusters is None else clusters
    units = np.array([unit_numbers.setdefault(cluster_names[row], len(unit_numbers)) for row in answered])
    steps = np.zeros((len(unit_numbers), len(options)), dtype=np.int64)
    for indices, step in ((chosen, 1), (actual, -1)):
        cells = np.bincount(units * len(options) + indices, minlength=steps.size)
        steps += step * cells.reshape(steps.shape)
    p_values = [exact_sign_flips(column) for column in steps.T]
    if len(unit_numbers) < len(answered):  # some cluster has several questions
        p_values = np.maximum(p_values, exact_deals(steps)).tolist()
    if clusters is None:
        labels = [[options[number] for number in indices] for indices in (actual, chosen)]
        test = equal_margins(ContingencyTable.from_labels(*labels, labels=options)) or TEST_WITHOUT_ERRORS
    else:
        test = _test_clusters(p_values)
    counts = [np.bincount(indices, minlength=len(options)).tolist() for indices in (chosen, actual)]
    rows = zip(options, *counts, p_values, holm(p_values).tolist(), strict=True)
    options_tested = tuple(OptionShares(*row) for row in rows)
    return PositionBias(options_tested, len(answered), test, has_clusters=clusters is not None)


def exact_sign_flips(steps: Integers) -> float:
    """Compute P(|sum of ±steps| is at least that seen) if every sign is a fair coin.

    >>> exact_sign_flips(np.array([1, 1, 1, -1, 0])), exact_sign_flips(np.array([2, 1, 1]))
    (0.625, 0.25)
    """
    from scipy.signal import fftconvolve
    from scipy.stats import binom

    sizes, counts = np.unique(np.abs(steps[steps != 0]), return_counts=True)
    # The steps that are positive add up to a number between 0 and the sum of all sizes.
    distribution = np.ones(1)
    for size, number in zip(sizes.tolist(), counts.tolist(), strict=True):
        size_law = np.zeros(size * number + 1)
        size_law[::size] = binom.pmf(np.arange(number + 1), number, 0.5)
        is_short = min(len(distribution), len(size_law)) < 1000
        if is_short:
            distribution = np.convolve(distribution, size_law)
        else:
            distribution = np.maximum(fftconvolve(distribution, size_law), 0.0)
    distances = np.abs(2 * np.arange(len(distribution)) - (len(distribution) - 1))
    return min(1.0, max(float(distribution[distances >= abs(int(steps.sum()))].sum()), SMALLEST_FLOAT))


def exact_deals(steps: Integers) -> list[float]:
    """Compute, for each option, P(|sum of steps| is at least that seen) if units deal steps at random.

    Each unit deals its steps, one per option, to the options in a random order. So a step of an option is any
    of the unit's steps with the same probability, and the sum has the same law for every option.

    >>> steps = np.array([[2, -1, -1], [2, -1, -1]])  # 2 + 2 in 1 of 9 deals, −1 − 1 in 4 more
    >>> [round(9 * p_value, 9) for p_value in exact_deals(steps)]
    [1.0, 5.0, 5.0]
    """
    lowest = steps.min(axis=1)
    units, counts = np.unique(np.sort(steps - lowest[:, None], axis=1), axis=0, return_counts=True)
    size = int((units.max(axis=1) * counts).sum()) + 1
    transform = np.ones(size // 2 + 1, dtype=np.complex128)
    for unit, count in zip(units, counts.tolist(), strict=True):
        transform *= np.fft.rfft(np.bincount(unit) / len(unit), size) ** count
    law = np.maximum(np.fft.irfft(transform, size), 0.0)
    distances = np.abs(np.arange(size) + lowest.sum())
    seen = np.abs(steps.sum(axis=0)).tolist()
    return [min(1.0, max(float(law[distances >= sum_seen].sum()), SMALLEST_FLOAT)) for sum_seen in seen]


def _test_clusters(p_values: Sequence[float]) -> TestResult:
    """Test all options together, given the p-value of each option."""
    if len(p_values) == 2:  # what one option has too many, the other has too few
        return TestResult.from_probability(p_values[0], "sign flips of clusters")
    method = "smallest p of the options times their number"
    return TestResult.from_probability(min(1.0, len(p_values) * min(p_values)), method)


def bias_claim(bias: PositionBias, level: float) -> Claim | None:
    """Write the sentence of a verdict on position bias, if some is shown."""
    shown = bias.shown(level)
    if not shown:
        return None
    first, *others = shown
    predicted, actual = (format_percent(x / bias.answers, 1) for x in (first.predicted, first.actual))
    text = (
        f"Position bias: option {first.option} is chosen in {predicted} of answers and right in {actual} "
        f"(Holm {format_p_value(first.adjusted)})"
    )
    for words, is_over in (("often", True), ("rarely", False)):
        names = [option.option for option in others if (option.predicted > option.actual) == is_over]
        also = "also " if (first.predicted > first.actual) == is_over else ""
        text += f"; {also}chosen too {words}: {', '.join(names)}" if names else ""
    numbers = {option.option: option.adjusted for option in shown}
    test = CLUSTERED_TEST if bias.has_clusters else "exact McNemar tests"
    return Claim("position bias", f"{text}.", "shown", numbers, f"{test}, adjusted by Holm")


def bias_section(bias: PositionBias, level: float) -> Section:
    """Tabulate predicted and actual shares of each option."""
    overall = f"all options together: {describe_p_value(bias.test)} ({bias.test.method})"
    number = f"{format_count(bias.answers)} {plural(bias.answers, 'answer')}"
    claim = bias_claim(bias, level)
    if claim is not None:
        text = claim.text
    elif is_significant(bias.test.p_value, level):
        text = (
            "Some options are chosen more or less often than they are right, but no single option stands out."
        )
    else:
        text = "No significant position bias."
    rows = tuple(
        (
            option.option,
            option.predicted / bias.answers,
            option.actual / bias.answers,
            (option.predicted - option.actual) / bias.answers,
            option.p_value,
            option.adjusted,
        )
        for option in bias.options
    )
    shares = ("option/text", "chosen/percent", "right/percent", "difference/percent")
    columns = make_columns(*shares, "p/probability", "Holm p/probability")
    test = CLUSTERED_TEST if bias.has_clusters else "McNemar's exact test"
    note = f"{number}; p: {test}; {overall}"
    return Section("Position bias", (text,), (Grid("", columns, rows, note),))
