"""Limits that decide what a gate states and which method computes its error rates."""

from __future__ import annotations

MIN_SKEWNESS_SIMULATED = 0.05
"""Below this skewness of the mean (that of the units over √n), rates are at most 0.5 points from normal."""

MIN_UNITS_FOR_RATES = 40
"""With fewer units, the skewness of a mean is so uncertain that stated rates are more than 3 points off."""

MAX_TRIALS_ENUMERATED = 100_000
"""With more trials, a number of right answers is normal."""

MAX_UNITS_SIMULATED = 200
"""More units are replaced by this many with the same skewness of the mean."""

MAX_TIMES_MORE_CASES = 1_000
"""A plan for more than this multiple of the cases at hand states no number."""
