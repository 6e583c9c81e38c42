"""Choosing a threshold: the best cut for costs or requirements, and what such a choice does on new cases."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, finite_or_none, ratio
from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.formatting import format_number
from edgeworth.core.options import Options
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.decisions.payoffs_and_costs import expected_cost
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.intervals.bands import RELATIVE_SUM_TOLERANCE, thin_curve
from edgeworth.rankings.ranking import Ranking

FOLDS = 10
DIVISIONS_INTO_FOLDS = 10
"""Random divisions of the cases into folds, over which the cross-fitted table is a mean."""
MAX_THRESHOLDS_DRAWN = 100
"""Thresholds at which the cost is drawn: enough for a line, and each has an interval."""

MAX_CUTS = 6_000
"""Cuts that the cross-fitting tells apart: of more, neighbours are taken together, at the ends the fewest."""


@dataclass(frozen=True)
class Goal:
    """What a threshold is chosen for: the lowest cost, or the best that requirements leave.

    Without costs, a least precision asks for the highest recall, a least recall for the highest precision;
    both, or none of them, for the highest informedness.
    """

    cost_false_alarm: float | None = None
    cost_miss: float | None = None
    precision_at_least: float | None = None
    recall_at_least: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            is_cost = name.startswith("cost")
            requirement = "a finite number of at least 0" if is_cost else "a number above 0 and at most 1"
            fits = is_number and (0 <= value < math.inf if is_cost else 0 < value <= 1)
            if value is not None and not fits:
                raise OptionError(f"{name} is {requirement}; saw {value!r}")
        if (self.cost_false_alarm is None) != (self.cost_miss is None):
            raise OptionError("pass both cost_false_alarm and cost_miss (--cost-false-alarm, --cost-miss)")
        if self.cost_false_alarm == self.cost_miss == 0:
            raise OptionError("at least one of cost_false_alarm and cost_miss must be above 0")

    @classmethod
    def of(cls, options: Options) -> Self:
        """Read the goal from the options of a call."""
        return cls(
            cost_false_alarm=options["cost_false_alarm"],
            cost_miss=options["cost_miss"],
            precision_at_least=options["precision_at_least"],
            recall_at_least=options["recall_at_least"],
        )

    @property
    def aim(self) -> str:
        """What the threshold is best at."""
        if self.cost_miss is not None:
            return "cost"
        if len(self.required) == 1:
            return "recall" if "precision" in self.required else "precision"
        return "informedness"

    @property
    def required(self) -> dict[str, float]:
        """What the threshold must reach."""
        least = {"precision": self.precision_at_least, "recall": self.recall_at_least}
        return {name: value for name, value in least.items() if value is not None}

    @property
    def requirements(self) -> str:
        """The same in words."""
        return " and ".join(f"{name} of at least {value:g}" for name, value in self.required.items())

    @property
    def words(self) -> str:
        """What the threshold was chosen for, in words."""
        aim = f"{'lowest' if self.aim == 'cost' else 'highest'} {self.aim}"
        return f"{aim} with {self.requirements}" if self.required else aim

    def best(self, cuts: Cuts) -> tuple[int, bool]:
        """Find the best cut, and whether it meets the requirements: the nearest to them does not.

        Of equals that is the highest; of equal precisions the lowest, which has the highest recall.
        """
        values = {"recall": cuts.recall, "precision": cuts.precision}
        slack = np.full(len(cuts.hits), np.inf)
        for name, least in self.required.items():
            slack = np.minimum(slack, np.nan_to_num(values[name], nan=-1.0) - least)
        if slack.max() < -RELATIVE_SUM_TOLERANCE:
            return int(np.argmax(slack)), False
        worth = values.get(self.aim, cuts.recall - cuts.fallout)
        if self.cost_miss is not None and self.cost_false_alarm is not None:
            worth = -self.cost_false_alarm * cuts.alarms - self.cost_miss * (cuts.targets - cuts.hits)
        worth = np.where((slack >= -RELATIVE_SUM_TOLERANCE) & ~np.isnan(worth), worth, -np.inf)
        # The last digit of a sum decides nothing.
        equals = np.flatnonzero(
            worth >= worth.max() - RELATIVE_SUM_TOLERANCE * max(1.0, abs(float(worth.max())))
        )
        return int(equals[-1 if self.aim == "precision" else 0]), True


@dataclass(frozen=True)
class Cuts:
    """What each cut takes: at first nothing, then all down to each score of a target, the highest first.

    A cut anywhere else takes background and no further target, so none of them is better.
    """

    hits: Floats
    alarms: Floats
    targets: float
    background: float

    @classmethod
    def of(cls, ranking: Ranking) -> Self:
        hits = np.append(0.0, ranking.tie_groups.hits_below)
        selected = np.append(0.0, ranking.tie_groups.seen_below)
        totals = float(ranking.target_total), float(ranking.background.total)
        return cls(hits, np.maximum(selected - hits, 0.0), *totals)

    @property
    def recall(self) -> Floats:
        """The share of targets taken, 0 if there are none."""
        return self.hits / (self.targets or 1.0)

    @property
    def fallout(self) -> Floats:
        """The share of the background taken, 0 if there is none."""
        return self.alarms / (self.background or 1.0)

    @property
    def precision(self) -> Floats:
        """The share of targets among what is taken, nan if that is nothing."""
        return np.asarray(ratio(self.hits, self.hits + self.alarms))


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold, and the tables of its decisions on these data and on cases that it was not chosen on."""

    threshold: float
    goal: Goal
    recall: float
    fallout: float
    table: ContingencyTable
    cross_fitted: ContingencyTable | None
    """The mean over divisions into folds; None with weights or clusters, or fewer than two of a class."""
    seed: int = field(default=0, repr=False)

    @property
    def informedness(self) -> float:
        return self.recall - self.fallout

    @property
    def depth(self) -> float:
        """The items taken."""
        return float(self.table.predicted[self.table.index(self.table.positive)])

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Recall, precision, informedness and cost a case on these data, which flatter the choice."""
        return self._estimates(self.table)

    @property
    def expected(self) -> dict[str, Estimate]:
        """The same on new cases, by cross-fitting; empty if that is not possible."""
        return {} if self.cross_fitted is None else self._estimates(self.cross_fitted)

    def _estimates(self, table: ContingencyTable) -> dict[str, Estimate]:
        names = ("recall", "precision", "informedness")
        estimates = {name: estimate(table, name, rng=self.seed) for name in names}
        if self.goal.cost_miss is not None:
            estimates["cost"] = self.cost(table)
        return estimates

    def cost(self, table: ContingencyTable) -> Estimate:
        """Estimate the cost per case of decisions."""
        target_index, matrix = table.index(table.positive), np.zeros((2, 2))
        matrix[target_index, 1 - target_index] = self.goal.cost_false_alarm
        matrix[1 - target_index, target_index] = self.goal.cost_miss
        return estimate(table, expected_cost(table, matrix, rows="predicted"), rng=self.seed)

    @property
    def constant_costs(self) -> dict[str, Estimate]:
        """Estimate the cost per case of flagging nobody and of flagging everybody; empty without costs."""
        if self.goal.cost_miss is None:
            return {}
        target_row = self.table.index(self.table.positive)
        tables = {}
        for name, row in (("flagging nobody", 1 - target_row), ("flagging everybody", target_row)):
            cells = np.zeros_like(self.table.cells)
            cells[row] = self.table.cells.sum(axis=0)
            squared = None
            if self.table.squared is not None:
                squared = np.zeros_like(self.table.squared)
                squared[row] = self.table.squared.sum(axis=0)
            tables[name] = replace(self.table, cells=cells, squared=squared, clusters=None)
        return {name: self.cost(table) for name, table in tables.items()}

    def to_dict(self, level: float = 0.95) -> dict[str, object]:
        """Return plain values; the threshold that takes nothing is None."""
        own, new = (
            {name: result.to_dict(level) for name, result in estimates.items()}
            for estimates in (self.estimates, self.expected)
        )
        return {
            "threshold": finite_or_none(self.threshold),
            "depth": self.depth,
            "informedness": self.informedness,
            "goal": vars(self.goal) | {"chosen_for": self.goal.words},
            "tally": self.table.to_dict(),
            "estimates": own,
            "cross_fitted": new or None,
            "constant_costs": {name: cost.to_dict(level) for name, cost in self.constant_costs.items()},
        }


def choose_threshold(ranking: Ranking, *, rng: Rng = 0, **goal: float | None) -> ThresholdChoice:
    """Choose the threshold that suits costs or requirements best, and estimate its performance on new cases.

    Parameters
    ----------
    ranking : Ranking
        The scores of targets and background.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers.
    **goal : float
        ``cost_false_alarm`` and ``cost_miss`` choose the threshold with the lowest cost.
        ``precision_at_least`` and ``recall_at_least`` must hold on these data.

    Returns
    -------
    ThresholdChoice
        The threshold, its ``table`` on these data, and ``expected``: its performance on new cases.

    Notes
    -----
    Among thresholds that decide alike, the one with the fewest digits is returned. The best of many
    thresholds is partly luck. Therefore the cases are divided into ten folds, and each fold is judged by the
    threshold that the other nine choose. This is done ten times, and ``expected`` is the mean.

    Examples
    --------
    >>> ranking = Ranking.from_scores([0, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.36, 0.42, 0.53, 0.8])
    >>> choose_threshold(ranking, cost_false_alarm=1, cost_miss=5).threshold
    0.36
    >>> choose_threshold(ranking, precision_at_least=0.9).threshold
    0.5
    """
    requested, cuts = Goal(**goal), Cuts.of(ranking)
    seed = make_seed(rng)
    if not cuts.hits[-1] or not cuts.background:
        raise InputError(
            "choosing a threshold needs scores of targets and of other items; one of the two is missing"
        )
    cut, is_met = requested.best(cuts)
    if not is_met:
        precision, recall = (format_number(column[cut]) for column in (cuts.precision, cuts.recall))
        near = f"the nearest has precision {precision} and recall {recall}"
        raise InputError(f"no threshold has {requested.requirements}; {near}")
    [threshold] = thresholds_at(ranking, np.array([cut]))
    is_plain = ranking.is_counted and ranking.clusters is None
    can_divide = is_plain and min(cuts.hits[-1], cuts.background) >= 2
    fitted = cross_fit(ranking, requested, seed=seed) if can_divide else None
    shares = float(cuts.recall[cut]), float(cuts.fallout[cut])
    choice = ThresholdChoice(threshold, requested, *shares, ranking.at_threshold(threshold), fitted, seed)
    if not cut and choice.depth:
        raise InputError(
            "the best choice is to select nothing, but infinite scores exceed every threshold; remove them"
        )
    return choice


def find_threshold(
    ranking: Ranking | None, goal: Goal, *, seed: int
) -> tuple[ThresholdChoice | None, tuple[str, ...]]:
    """Choose a threshold for a report, or warn that none meets the goal; neither where none is of use."""
    if ranking is None and goal != Goal():
        raise OptionError(
            "a threshold applies to the probabilities of one class: name it (positive=, --positive)"
        )
    if ranking is None or not ranking.targets.total or not ranking.background.total:
        return None, ()
    try:
        choice = choose_threshold(ranking, rng=seed, **vars(goal))
    except InputError as error:
        return None, () if goal == Goal() else (f"{str(error)[0].upper()}{str(error)[1:]}.",)
    return (None if goal == Goal() and not choice.depth else choice), ()


def thresholds_at(ranking: Ranking, places: NDArray[np.intp]) -> list[float]:
    """Find the threshold of fewest digits that takes what each cut takes; infinity takes nothing."""
    scores, background = ranking.target_scores, ranking.background
    highest = np.append(np.inf, scores)[places]
    if ranking.bins is not None:
        # Inside a bin a threshold would not decide as its edge does.
        return [float(score) for score in highest]
    ends = np.append(-np.inf, np.maximum.accumulate(background.ends))
    below = np.maximum(np.append(scores, -np.inf)[places], ends[np.searchsorted(background.scores, highest)])
    return list(map(round_between, below.tolist(), highest.tolist()))


def round_between(low: float, high: float) -> float:
    """Find the largest number of fewest decimals above ``low`` and at most ``high``.

    >>> round_between(0.3081, 0.3127), round_between(0.28, 0.29), round_between(1234.2, 1299.5)
    (0.31, 0.29, 1299.0)
    """
    for decimals in range(16 if abs(high) < 1e15 else 0):
        # The last digit of a product must not push 0.29 down to 0.28.
        tried = float(round(math.floor(high * 10**decimals + 1e-6) / 10**decimals, decimals))
        if low < tried <= high:
            return tried
    return high


def thin_cuts(ranking: Ranking, most: int) -> list[float]:
    """Choose thresholds to look at, lowest first; the last takes nothing.

    Corners of the convex hull of the ROC curve come first: whatever the costs are, the cheapest cut is one.
    """
    cuts = Cuts.of(ranking)
    return thresholds_at(ranking, thin_curve(cuts.fallout, cuts.recall, most))[::-1]


def cost_curve(ranking: Ranking, choice: ThresholdChoice, level: float) -> dict[str, Floats]:
    """Compute the cost per case at each threshold, with an interval that takes the threshold as given."""
    thresholds = sorted({*thin_cuts(ranking, MAX_THRESHOLDS_DRAWN), choice.threshold} - {math.inf})
    costs = [choice.cost(ranking.at_threshold(threshold)) for threshold in thresholds]
    low, high = np.array([cost.interval(level) for cost in costs]).reshape(-1, 2).T
    values = np.array([cost.value for cost in costs])
    return {"threshold": np.array(thresholds), "cost per case": values, "low": low, "high": high}


def _some_cuts(number: int) -> NDArray[np.intp]:
    """Choose all cuts; of too many a third evenly, and from each end a third at growing distances.

    A strict requirement is met near one of the ends.
    """
    if number <= MAX_CUTS:
        return np.arange(number)
    last, third = number - 1, MAX_CUTS // 3
    near = np.geomspace(1, number, third) - 1
    return np.unique(np.concatenate([np.linspace(0, last, third), near, last - near]).astype(np.intp))


def cross_fit(ranking: Ranking, goal: Goal, *, seed: int = 0) -> ContingencyTable:
    """Judge each fold by the threshold chosen on the others: the mean table over random divisions."""
    rng, cuts = np.random.default_rng(seed), Cuts.of(ranking)
    # What each cut takes more than the one above it; last, what none of them takes.
    starts = _some_cuts(len(cuts.hits))
    steps = [
        np.add.reduceat(np.round(np.diff(sums, append=total)).astype(np.int64), starts)
        for sums, total in ((cuts.hits, cuts.targets), (cuts.alarms, cuts.background))
    ]
    selected = np.zeros(2)
    for _ in range(DIVISIONS_INTO_FOLDS):
        divided = (rng.multinomial(step, np.full(FOLDS, 1 / FOLDS)).T for step in steps)
        for fold in zip(*divided, strict=True):
            training = [step - part for step, part in zip(steps, fold, strict=True)]
            hits, alarms = (np.append(0.0, np.cumsum(step)[:-1]) for step in training)
            cut, _met = goal.best(Cuts(hits, alarms, float(training[0].sum()), float(training[1].sum())))
            # A threshold lies anywhere down to what the others have next: half of what is there is taken.
            selected_counts = hits + alarms
            lower = int(np.searchsorted(selected_counts, selected_counts[cut], side="right")) - 1
            selected += [
                (part[:cut].sum() + part[:lower].sum()) / (2 * DIVISIONS_INTO_FOLDS) for part in fold
            ]
    table = ranking.at_threshold(math.inf)
    cut, cells = table.index(ranking.target), np.zeros(table.cells.shape)
    order, totals = [cut, 1 - cut], np.array([cuts.targets, cuts.background])
    # A mean over divisions is rounded.
    selected = np.minimum(selected, totals)
    cells[cut, order], cells[1 - cut, order] = selected, totals - selected
    return replace(table, cells=cells, squared=cells)
