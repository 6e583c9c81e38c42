"""Limits that decide what a report may claim, for every kind of prediction."""

MIN_DEGREES_OF_FREEDOM = 4.0 - 1e-9
"""With fewer degrees of freedom, cluster intervals cover too little to name a winner by them."""

MIN_EFFECTIVE_UNITS_FOR_COVERAGE = 30.0
"""With fewer effective clusters or weighted cases, an interval carries a caveat: coverage may fall short."""

MAX_T_OF_CLUSTER_SIZE = 2.0
"""If cluster sizes and results correlate with a larger t value, an interval carries a caveat. Sizes that have
nothing to do with the results exceed it in 3 to 7% of samples (bench/clusters.py)."""

MIN_CASES_TO_NAME_SLICE = 30
"""With fewer independent cases in a slice or in the rest, no gap between them is claimed."""

MIN_CLUSTERS_TO_NAME_SLICE = 10
"""With fewer clusters in a slice or in the rest, no gap between them is claimed."""

UNSEEN_ITEMS_TO_SURVIVE = 3
"""Items at the worst end of the range that must not reverse a mean. What the sample lacks may still occur in
three of as many new items: the rule of three (Hanley & Lippman-Hand 1983, JAMA 249, 1743)."""

MIN_ITEMS_WITHOUT_RANGE = 150
"""Grades without a stated range may have a rare large value that the sample lacks. A value that occurs in 2%
of items is missing from 150 items in 5% of samples, and from 45 items in 40%."""

MIN_ITEMS_WITHIN_RANGE = 50
"""With fewer graded items, intervals cover less than their level if grades are skewed. If 4% of grades are at
the other end of the range, the interval of a mean covers 68% at 30 items."""

WORST_ITEMS_TO_SURVIVE = 5
"""Items like the worst one seen that must not reverse a mean of grades without a range. With equal means and
2 to 4% time-outs, 150 to 400 items name a winner in up to 9.1% of samples with three such items and in up to
6.8% with five. Five cost up to 4 points of power on lognormal grades with σ = 1, and none on normal ones."""

MAX_UNSEEN_VALUE_IN_SEEN_RANGES = 100.0
"""A mean of grades without a range has a caveat if three unseen items could reverse it with values of at most
this many times the range of the grades seen. If 1% of items take 60 seconds instead of 2, 200 items contain
none of them in 13% of samples. Then only the caveat warns of them."""

LOWEST_LEVEL_OF_CONCLUSIONS = 0.8
"""A difference that is unclear at this level has no caveat about what could reverse it."""
