"""Methods of estimation by name: each is an object that owns its options and makes a sampling law."""

from edgeworth.comparisons.labels.methods import Tango
from edgeworth.core.estimates import Method
from edgeworth.decisions.estimates import Bootstrap, ClopperPearson, Delta, Dirichlet, Newcombe, Wilson
from edgeworth.decisions.posteriors import BetaPosterior
from edgeworth.forecasts.estimates import AcrossCases, GivenForecasts
from edgeworth.rankings.intervals.methods import AcrossLists, Boyd, Influence, Survival

__all__ = [
    "AcrossCases",
    "AcrossLists",
    "BetaPosterior",
    "Bootstrap",
    "Boyd",
    "ClopperPearson",
    "Delta",
    "Dirichlet",
    "GivenForecasts",
    "Influence",
    "Method",
    "Newcombe",
    "Survival",
    "Tango",
    "Wilson",
]
