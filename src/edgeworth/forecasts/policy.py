"""Limits that decide what a report on forecasts claims or shows."""

MAX_CLASSES_SHOWN = 6
"""Classes whose reliability is shown: more do not fit on a page. JSON has all."""

MAX_RELIABILITY_DRAWS = 5000
"""Reliability curves drawn over all classes together, so that many classes take no longer than one."""

MAX_LABELS_IN_CONFUSION_TABLE = 8
"""Classes of a confusion table that fit on a terminal."""

MAX_RELIABILITY_STEPS_SHOWN = 12
"""Steps of a reliability diagram shown on a terminal, over all classes. JSON has all."""

MIN_EXPECTED_CLASS_CHANGES = 20
"""Changes of class expected by chance before fewer of them are a sign that rows are sorted by outcome."""

MAX_GAPS_LISTED = 3
"""Gaps in a path that a sentence lists one by one."""

DETECTION_POWER = 0.8
"""The power for which a report states what its test would have detected: the usual one."""

MAX_OVERCONFIDENCE_CONSIDERED = 10.0
"""A larger factor of too extreme log odds is not reported as detectable, because it is no useful limit."""

SPIEGELHALTER_DRAWS = 10_000
"""Sets of outcomes drawn for Spiegelhalter's test alone: its p-value near 0.05 is known to ±0.004."""

MIN_OUTCOMES_FOR_WALD = 2000
"""With this many events and as many other cases, profile likelihood and normal bounds of a slope agree."""

MIN_CASES_PER_BIN = 2
"""With fewer cases per bin on average, the part of a calibration error that is luck cannot be estimated."""

MAX_ROWS_FROM_WEIGHTS = 1 << 26
"""The largest total weight of one batch: a case of weight 3 is read as three rows."""

MIN_CASES_FOR_SCORE_CLAIM = 30
"""With fewer cases no difference of mean scores is claimed. Between equal forecasters, a 95% t interval for a
mean Brier difference excludes 0 in up to 27% of samples at 6 cases, 17% at 8, 12% at 10, 9.1% at 15, 8.2% at
20 and 7.3% at 30 with 20% targets, and in up to 12%, 11%, 10%, 8.1%, 7.2% and 6.4% with balanced classes."""

MIN_CASES_OF_RARER_OUTCOME = 10
"""With fewer, the errors that would hurt an overconfident forecaster may not have occurred yet: the mean
score then names the worse forecaster in up to 60% of samples."""

MIN_CASES_TOP_CLASS_FAILED = 10
"""With fewer cases in which a forecaster's most likely class did not occur, the spread of scores is not
known."""

MIN_OUTCOMES_FOR_GAP = 10
"""With fewer cases of the rarer outcome in a slice, the errors that would move its mean may be missing."""

MAX_HOEFFDING_P_VALUE = 0.05
"""If too little happened for Student's t, a forecaster wins only if Hoeffding's p-value, which holds however
rare the outcomes are, is at most this."""

MIN_VARIANCE_SEEN = 0.5
"""If a score difference varies less than this share of what its forecasts imply, the outcomes that would
change it most may be missing: a forecaster who is too sure in rare cases is then named in up to 29%."""

MAX_CLASSES_FOR_VARIANCE_SEEN = 12
"""With more classes, the implied variance is not computed: it needs the scores of every class."""

MAX_CLASSES_COMPARED_BY_SLICE = 5
"""Slices of forecasts of several classes have one table per class. Only the most common classes have one."""

MAX_LUCK_DRAWS = 10_000
"""Simulated seasons behind the probability of luck: p-values down to 0.0001."""

MIN_LUCK_DRAWS = 400
"""Simulated seasons at least, however many games there are."""

MAX_OUTCOMES_SIMULATED = 30_000_000
"""Outcomes of games simulated for the probability of luck: a few seconds."""

MAX_USUAL_SUM_OF_PRICES = 1.5
"""Prices of two or three outcomes that add up to more are probably misread columns."""

MIN_SUM_OF_BEST_PRICES = 0.9
"""Prices that add up to less are not the best odds of several books, but wrong: they are refused."""

MIN_RATIO_OF_EXCHANGE = 1000.0
"""From this likelihood ratio on, the columns of odds are suspected to be in the wrong order."""
