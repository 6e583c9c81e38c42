"""Limits that decide what a comparison claims and which method it uses."""

from __future__ import annotations

MIN_PREDICTIONS_TO_NAME_WINNER = 20
"""With fewer predictions of a class, tests of precision and similar measures reject equals too often."""

MIN_RIGHT_AND_WRONG_PREDICTIONS = 5
"""With fewer right or wrong predictions of a class, a rate of predictions names a winner only if Fisher's
test does."""

MAX_SYSTEMS_TESTED_EXACTLY = 10
"""With more systems, the test against chance uses the law of the interval: exact tests take seconds each."""

MAX_PAIRS_FOLLOWED = 28
"""The pairs of eight systems. With more, a race of forecasters shows only its end, not its path."""

MAX_UNITS_FLIPPED = 20_000
"""With more units, Student's t replaces the permutation test, because both agree by then."""
