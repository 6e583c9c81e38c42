"""Limits that decide what a comparison claims and which method it uses."""

from __future__ import annotations

MIN_PREDICTIONS_TO_NAME_WINNER = 20
"""With fewer predictions of a class, tests of precision and similar measures reject equals too often."""

MIN_REAL_CASES_TO_NAME_WINNER = 10
"""With fewer real cases of a class among three or more, macro F and its like cover 87% and not 95%."""

MIN_RIGHT_AND_WRONG_PREDICTIONS = 5
"""With fewer right or wrong predictions of a class, a rate of predictions names a winner only if Fisher's
test does."""

MAX_SYSTEMS_TESTED_EXACTLY = 10
"""With more systems, the test against chance uses the law of the interval: exact tests take seconds each."""

MAX_SYSTEMS_WITH_INTERVALS = 60
"""With more systems, a leaderboard has no interval per system: some measures take a second each."""

MAX_PAIRS_PLANNED_IN_JSON = 200
"""The pairs of twenty systems. With more, JSON has no sample sizes: planning 200 systems takes minutes."""

MAX_PAIRS_FOLLOWED = 28
"""The pairs of eight systems. With more, a race of forecasters shows only its end, not its path."""

MAX_UNITS_FLIPPED = 20_000
"""With more units, Student's t replaces the permutation test, because both agree by then."""

MAX_CASES_WITH_EXACT_MARGIN = 60
"""Up to this number of cases, "no worse" also needs the exact test: the interval alone errs in up to 5%."""

MIN_UNITS_FOR_NO_WORSE = 15
"""With fewer units, the interval calls a system that is worse by the margin "no worse" in up to 5.4%."""

MAX_AUTOCORRELATION_STATISTIC = 2.576
"""Above this many standard errors (one-sided 0.5%), an autocorrelation that Diebold and Mariano's variance
leaves out is reported: intervals are then too narrow."""

MAX_VARIANCE_SHARE_OF_ONE_ITEM = 0.1
"""If one item carries a larger share of the variance, a mean of grades without a range has a caveat. With 2%
time-outs and 150 items the interval covers 86% and 97% of samples have the caveat. With 150 items or more,
at most 1% of samples of normal grades have it, and 45% of exponential ones at 150 items, 4% at 400."""

MIN_CASES_FOR_CALIBRATION = 100
"""With fewer cases, ten bins have fewer than ten each, and differences of their errors show nothing."""

MAX_SYSTEMS_JUDGED = 8
"""With more systems, calibration errors are not shown by default: each needs an isotonic regression."""

MIN_UNITS_FOR_TOO_CLOSE = 100
"""With fewer units, an unclear difference is not called too close: the sample may be the reason."""

TIMES_AS_MANY_IS_TOO_CLOSE = 10
"""A verdict calls two systems too close to call if confirming their gap needs this many times the sample."""

MAX_PAIRS_SHOWN = 45
"""Tables show at most this many pairs, which are all pairs of ten systems; the others are in the JSON."""

MIN_CASES_BEHIND_DIFFERENCE = 5.0
"""If fewer cases make the difference, its normal distribution is rough, and its line has a caveat."""

MIN_CASES_FOR_NORMAL_SWAPS = 1_000
"""With this many cases that differ, and more ways than that, differences in standard errors are normal."""

MIN_CASES_FOR_STUDENT = 1000
"""With as many targets, and as many other cases, Student's law needs no swaps to hold its level."""

MIN_UNITS_FOR_T_TEST = 30
"""With fewer units, the t test needs differences that are nearly normal, and its line has a caveat."""

MIN_UNITS_FOR_NORMAL_PLAN = 10_000
"""With as many units, Student's t is planned as if it were normal."""

MIN_DISAGREEMENTS_FOR_NORMAL_PLAN = 20_000
"""With more expected disagreements, McNemar's test is planned as if its statistic were normal."""
