"""What a measure can be taken of. It loads every kind of tally, so it is for type checkers to look at."""

from __future__ import annotations

from typing import TypeAlias

from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.resolving import Forecast
from edgeworth.rankings.along import Ranked

Measurable: TypeAlias = ContingencyTable | Ranked | Forecast
