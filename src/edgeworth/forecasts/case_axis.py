"""The horizontal axis of a chart over cases: their dates if these are known, otherwise their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Integers
from edgeworth.report.charts.axes import number_axis
from edgeworth.report.charts.chart import Kit
from edgeworth.report.report import Column

MOMENT = "moment"
"""The field of a row that holds its place on an axis of dates."""

DAY = np.timedelta64(24 * 60 * 60, "s")


@dataclass(frozen=True, eq=False)
class CaseAxis:
    """The horizontal axis of a chart over cases: numbers of cases, or dates.

    ``dates`` are the dates of the cases, in ascending order; None if they are unknown.
    """

    name: str
    """The field that holds the number of cases."""
    dates: NDArray[np.datetime64] | None = None

    def rows(self, cases: Integers) -> list[Mapping[str, object]]:
        """Return the fields of the chart rows after each number of cases.

        The cases of one day are spread evenly over it, so that none hides another.

        >>> dates = np.array(["2024-08-10", "2024-08-10", "2024-08-17"], dtype="datetime64[D]")
        >>> [row["moment"] for row in CaseAxis("cases", dates).rows(np.array([0, 2, 3]))]
        ['2024-08-10T00:00:00', '2024-08-10T16:00:00', '2024-08-17T12:00:00']
        """
        numbers = [{self.name: number} for number in cases.tolist()]
        if self.dates is None:
            return list(numbers)
        days, first, together = np.unique(self.dates, return_index=True, return_counts=True)
        # The path starts at the beginning of the first day.
        day = np.maximum(np.searchsorted(first, np.maximum(cases, 1) - 1, side="right") - 1, 0)
        share = (cases - first[day]) / (together[day] + 1)
        moments = days[day].astype("datetime64[s]") + (share * DAY.astype(np.int64)).astype("timedelta64[s]")
        placed = zip(numbers, moments.astype(str).tolist(), days[day].astype(str).tolist(), strict=True)
        return [{**number, MOMENT: moment, "date": date} for number, moment, date in placed]

    @property
    def field(self) -> str:
        """The field and type of the axis."""
        return f"{self.name}:Q" if self.dates is None else f"{MOMENT}:T"

    @property
    def tooltip(self) -> dict[str, str]:
        """The formats of what a tooltip shows of the place."""
        return {self.name: ","} if self.dates is None else {"date": "", self.name: ","}

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table behind the chart."""
        number = Column(self.name, "count")
        return (number,) if self.dates is None else (Column("date"), number)

    def title(self, text: str | None) -> str | None:
        """Return the title of the axis: dates need none."""
        return text if self.dates is None else None

    def axis(self, kit: Kit, cases: int, *, labels: bool = True) -> object:
        """Make an axis of dates, or of whole numbers up to a number of cases."""
        if self.dates is not None:
            return kit.alt.Axis(grid=False, tickCount=8, labelOverlap=True, labels=labels)
        return kit.alt.Axis(
            **number_axis([cases]), tickCount=5, tickMinStep=1, labelOverlap=True, labels=labels
        )
