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
