"""The public names of Edgeworth; ``__init__.py`` imports each from here when it is first used."""

from edgeworth import bet as bet
from edgeworth import chance as chance
from edgeworth import comparisons as comparisons
from edgeworth import decisions as decisions
from edgeworth import forecasts as forecasts
from edgeworth import grades as grades
from edgeworth import methods as methods
from edgeworth import papers as papers
from edgeworth import rankings as rankings
from edgeworth import testing as testing
from edgeworth.comparison import compare as compare
from edgeworth.comparisons.comparison import Comparison as Comparison
from edgeworth.comparisons.paired import Paired as Paired
from edgeworth.core.estimates import Estimate as Estimate
from edgeworth.core.estimates import estimate as estimate
from edgeworth.core.measures import Measure as Measure
from edgeworth.core.registry import catalogue as catalogue
from edgeworth.core.registry import measure as measure
from edgeworth.core.registry import register as register
from edgeworth.decisions.matching import match as match
from edgeworth.decisions.payoffs_and_costs import payoffs as payoffs
from edgeworth.decisions.table import ContingencyTable as ContingencyTable
from edgeworth.errors import EdgeworthError as EdgeworthError
from edgeworth.evaluation import evaluate as evaluate
from edgeworth.forecasts.betting.wealth import Wealth as Wealth
from edgeworth.forecasts.calibration import Calibration as Calibration
from edgeworth.forecasts.scores import ForecastScores as ForecastScores
from edgeworth.gate import check as check
from edgeworth.gates.decision import Decision as Decision
from edgeworth.grades.grades import Grades as Grades
from edgeworth.pipeline.tally_file import read_tally as read_tally
from edgeworth.pipeline.tally_record import TallyRecord as TallyRecord
from edgeworth.pipeline.tally_rows import tally as tally
from edgeworth.planner import plan as plan
from edgeworth.rankings.lists import RankedLists as RankedLists
from edgeworth.rankings.measure_lookup import measure_each as measure_each
from edgeworth.rankings.ranking import Ranking as Ranking
from edgeworth.report.report import Report as Report
from edgeworth.reruns import noise as noise

__version__: str
