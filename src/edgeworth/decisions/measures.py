"""The catalogue of decisions. To add a measure, write its entry in the file of its subject."""

from __future__ import annotations

from edgeworth.core.measures import Measure
from edgeworth.decisions.information import CELL_MEASURES
from edgeworth.decisions.overall import AVERAGES, OVERALL_MEASURES
from edgeworth.decisions.payoffs_and_costs import HOUSE_MEASURES
from edgeworth.decisions.per_label import LABEL_MEASURES

MEASURES: tuple[Measure, ...] = (
    *OVERALL_MEASURES,
    *AVERAGES,
    *HOUSE_MEASURES,
    *CELL_MEASURES,
    *LABEL_MEASURES,
)
