"""Constants that decide what a report on rankings claims, or which method is used."""

MIN_CASES_FOR_COVERAGE = 50
"""With fewer targets or other cases, coverage of 93.5 to 96.5% at nominal 95% was not reached everywhere."""
MIN_FREEDOM_FOR_COVERAGE = 12.0
"""With fewer degrees of freedom, that coverage was not reached everywhere either."""

MIN_LISTS_FOR_INTERVAL = 3
"""With two lists, Student's quantile is 12.7: an interval reaches over most of the range of a measure."""
MIN_LISTS_FOR_COVERAGE = 20
"""With fewer queries or folds, the interval of a mean over them is called approximate."""

MIN_CLASS_CASES_FOR_GAP = 20
"""With fewer targets or other cases in a slice, a gap between ROC areas is claimed by chance too often."""

MAX_PAIRS_COUNTED = 20_000
"""Up to this many pairs of a target and another item, the test of a ROC area counts all orders."""
MIN_TIED_SHARE = 0.01
"""From this share of tied pairs of items, random orders keep the ties: they change the distribution."""
MAX_P_VALUE_WITHOUT_TIES = 1e-3
"""Up to this p-value, e times the tail without ties replaces the tail with ties: no level is as small."""
MIN_P_VALUE_COMPUTED = 1e-12
"""A smaller p-value is left to a bound, because its digits do not matter and take seconds."""

NEARLY_EQUAL_SHARES = (0.003, 0.01, 0.03, 0.05)
"""Neighbours closer than one of these shares of the range of the scores count as nearly equal."""
MAX_Z_FOR_CLASS_SPLIT = -4.5
"""Below this z-value, a report warns that nearly equal scores are split by class: luck hardly does that."""

MAX_USUAL_FALLOUT = 0.05
"""The fallout of a usual cut: Powers' limit on errors of the first kind."""

MAX_CLUSTERED_ENTRIES_WITH_BANDS = 10_000
"""The most entries of clustered scores whose curves get bands: each of 100 cuts counts all of them again."""

MAX_RELATIVE_EDGEWORTH_CORRECTION = 0.25
"""Edgeworth's correction relative to the normal tail beyond which it is not chosen by itself."""

MAX_SKEWNESS_FOR_EDGEWORTH_DENSITY = 0.5
"""Skewness up to which Edgeworth's density gives the law well."""
