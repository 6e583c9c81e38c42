"""Values of single units in one run: what each query, case or forecast adds to a mean.

A rerun changes these values. Queries have the measure itself, and forecasts their score. Cases of a ranking
have pseudo-values: the area or average precision, plus n times the influence of the case. Their mean is the
measure, and their variance over n is that of its interval.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.paired_values.differences import query_values
from edgeworth.errors import OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, case_scores
from edgeworth.rankings.intervals.clusters import CaseRanks
from edgeworth.rankings.intervals.methods import Places, check_influence, influence_of
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import resolve_ranking
from edgeworth.rankings.ranking import Ranking

DEFAULT_MEASURES = {"score": "average_precision", "probabilities": "brier"}


class UnitValues(NamedTuple):
    """The values of the units of one run, and what they are called."""

    ids: list[str]
    values: Floats
    is_lower_better: bool = False


def values_of_queries(truth: object, scores: Floats, queries: object, measure: str) -> UnitValues:
    """Compute a measure of each query; queries without a value are left out."""
    lists = RankedLists.from_scores(truth, scores, groups=queries)
    names, values = query_values(lists, measure)
    is_defined = ~np.isnan(values)
    kept = [str(name) for name, is_kept in zip(names, is_defined.tolist(), strict=True) if is_kept]
    return UnitValues(kept, values[is_defined])


def values_of_scores(truth: list[object], scores: Floats, ids: list[str], measure: str) -> UnitValues:
    """Compute the pseudo-value of each case, for average precision or ROC area.

    >>> units = values_of_scores([1, 1, 0, 0], np.array([0.9, 0.4, 0.6, 0.1]), list("abcd"), "roc_auc")
    >>> float(units.values.mean())
    0.75
    """
    ranking = Ranking.from_scores(truth, scores)
    resolved = resolve_ranking(ranking, measure)
    check_influence(resolved)
    target = ranking.labels[1]
    is_target = np.array([label == target for label in truth])
    influence = influence_of(Places.of(ranking.tie_groups), resolved)
    ranks = CaseRanks.among(ranking.target_scores, scores, is_target).place
    effects = influence.concatenate()[ranks]
    return UnitValues(ids, float(influence.value) + len(ids) * effects)


def values_of_forecasts(truth: list[object], probabilities: Floats, ids: list[str], rule: str) -> UnitValues:
    """Compute the score of each case by a scoring rule.

    >>> values_of_forecasts([0, 1], np.array([0.5, 0.4]), ["a", "b"], "brier").values.round(2).tolist()
    [0.25, 0.36]
    """
    if rule not in PROPER_SCORES:
        raise OptionError(f"noise of probabilities needs a score: {', '.join(PROPER_SCORES)}; saw {rule!r}")
    return UnitValues(ids, case_scores(Forecasts.of(truth, probabilities), [rule])[0], is_lower_better=True)
