"""Policy for decisions: the limits that decide what a report claims and which method is used."""

from __future__ import annotations

# -- which method estimates a measure ----------------------------------------------------------------------

MAX_CLASSES_FOR_DEFAULT_POSTERIOR = 12
"""With more classes, the delta method is used alone: a posterior pulls many small classes to its prior."""

MIN_CLASS_CASES_FOR_DELTA = 20
"""If a class has fewer cases, the delta method is joined by a posterior: it takes rare classes as certain."""

MIN_CLASS_CASES_FOR_COVERAGE = 10
"""If one of three or more classes has fewer cases, the interval of a macro average carries a caveat: that of
macro F covers 85 to 89% with 3.6 cases expected, 88 to 91% with 5, and 92 to 93% with 7.5."""

MIN_RIGHT_FOR_DELTA = 10
"""With many classes and fewer right predictions, the delta method takes their number as nearly certain (its
variance is 0 with none right), so its interval is too narrow and carries a caveat."""

MIN_CASES_FOR_DELTA_DESPITE_RARE_CLASS = 100
"""From this many cases on, one rare class matters little to a measure that weighs cases equally."""

MIN_MARGIN_CASES_FOR_DELTA = 10
"""If a class of two has fewer cases or fewer predictions, a posterior replaces the delta method, whose
intervals for MCC, kappa and macro F then cover 58 to 92% (bench/clusters.py)."""

MIN_WEIGHTED_CASES_FOR_DELTA = 500
"""If sampling weights are worth fewer cases, a posterior joins the delta method, which takes the few heavy
cases as certain."""

MAX_CLASSES_FOR_POSTERIOR = 100
"""Tables with more classes are too large to be drawn by the ten thousand."""

MAX_UNDEFINED_SHARE_OF_DRAWS = 0.05
"""If a measure is undefined in a larger share of the draws, the others are no fair sample of its values."""

# -- which test is used ------------------------------------------------------------------------------------

MAX_ENUMERATION_WORK = 360_000
"""The most work, in cells, before enumeration is given up: some tenths of a second."""

MAX_REPORTED_BOUND = 1e-6
"""A proven bound on a p-value below this is reported, because draws could not show a smaller one."""

MAX_CASES_DRAWN = 1 << 27
"""The most cases of a table that is drawn: SciPy takes 8 bytes per case, and crashes without memory."""

MAX_CASES_PLANNED_BY_DRAWS = 60
"""Up to this many cases, the power of the exact test is found by drawing tables."""

TABLES_PER_PLANNED_SIZE = 2000
"""The number of tables drawn to find the power of the exact test at one sample size."""

MAX_CLASSES_FOR_EQUAL_MARGINS = 500
"""With more classes, the test of equal margins is left out: it inverts a matrix of classes by classes."""

MIN_CLASS_CASES_FOR_GAP = 10
"""With weights or clusters, a gap in F, kappa and the like is not claimed if a class has fewer cases."""

MAX_TABLES_REDRAWN = 9_999
"""The most tables drawn to test a gap: enough for some hundred slices at once."""

MIN_TABLES_REDRAWN = 999
"""The fewest tables drawn to test a gap, for very many classes."""

MAX_CELLS_REDRAWN = 4_000_000
"""The most cells drawn to test a gap: a tenth of a second."""

# -- how clusters are matched to classes -------------------------------------------------------------------

MAX_MAPS_TRIED = 200_000
"""Up to this many maps are all tried. With more, the best map is searched for."""

SEARCH_STARTS = 30
"""The number of starts of a search for the best map."""

# -- what a report says ------------------------------------------------------------------------------------

MAX_LABELS_EXAMINED = 200
"""With more labels, only the most frequent ones are examined one by one."""

MIN_INTEGERS_OF_REGRESSION = 30
"""With fewer different integers in the truth, they are taken as classes without a question."""

MAX_CASES_PER_INTEGER_OF_REGRESSION = 2
"""With fewer cases per different integer than this, and mostly wrong, integers look like a regression."""

MIN_CASES_OF_WEAKEST_CLASS = 10
"""A class with fewer cases is too rare to be called the weakest."""

MIN_CLASSES_FOR_WEAKEST_CLASS = 3
"""With two classes, the two recalls already show which class is weaker."""

MIN_CLASS_CASES_WITHOUT_WARNING = 10
"""With fewer cases of a class, a report warns that intervals are wide and approximate."""

MIN_CLUSTERS_WITHOUT_WARNING = 20
"""With fewer clusters, a report says that they are few."""
