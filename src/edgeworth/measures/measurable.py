"""What a measure can be taken of. It loads every kind of tally, so it is for type checkers to look at."""

from __future__ import annotations

from typing import TypeAlias

from edgeworth.measures.along import Ranked
from edgeworth.measures.forecast_resolving import Forecast
from edgeworth.tallies.decisions import ContingencyTable

Measurable: TypeAlias = ContingencyTable | Ranked | Forecast
