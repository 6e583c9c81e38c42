"""Policy for decisions: the limits that decide what a report claims and which method is used."""

from __future__ import annotations

# -- which method estimates a measure ----------------------------------------------------------------------

MAX_CLASSES_FOR_DEFAULT_POSTERIOR = 12
"""With more classes, the delta method is used alone: a posterior pulls many small classes to its prior."""

MIN_CLASS_CASES_FOR_DELTA = 20
"""If a class has fewer cases, the delta method is joined by a posterior: it takes rare classes as certain."""

MIN_CASES_FOR_DELTA_DESPITE_RARE_CLASS = 100
"""From this many cases on, one rare class matters little to a measure that weighs cases equally."""

MAX_CLASSES_FOR_POSTERIOR = 100
"""Tables with more classes are too large to be drawn by the ten thousand."""
