"""Scores of cross-validation: ranked within folds, and the trap of predictions that left one case out."""

from __future__ import annotations

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.estimates import class_split
from edgeworth.sample import sample_file


def folded(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, scores and folds; each fold's scores are on a scale of their own."""
    rng = np.random.default_rng(seed)
    fold = np.arange(300) % 5
    truth = rng.random(300) < 0.3
    return truth, rng.normal(size=300) + 1.5 * truth + 10.0 * fold, fold


@pytest.mark.slow
def test_ranks_are_within_folds() -> None:
    truth, scores, fold = folded(1)
    report = ew.evaluate(truth=truth, score=scores, fold=fold)
    each = [
        ew.measure(ew.Ranking.from_scores(truth[fold == k], scores[fold == k]), "roc_auc") for k in range(5)
    ]
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold)
    assert ew.measure(lists, "roc_auc") == pytest.approx(np.mean(each))
    assert report.numbers["means"]["average_precision"] == pytest.approx(
        ew.measure(lists, "average_precision")
    )
    assert report.numbers["lists"]["counted"] == 5
    assert any("within folds" in said for said in report.warnings)


def test_a_comparison_ranks_within_folds_too() -> None:
    truth, scores, fold = folded(2)
    systems = {"good": scores, "none": np.random.default_rng(3).normal(size=300)}
    found = ew.compare(truth=truth, systems=systems, kind="scores", fold=fold)["good", "none"][
        "average_precision"
    ]
    lists = [ew.RankedLists.from_scores(truth, each, groups=fold) for each in systems.values()]
    one, two = (ew.measure(each, "average_precision") for each in lists)
    assert found.difference == pytest.approx(one - two)


@pytest.mark.slow
def test_folds_of_one_class_are_left_out_and_folds_of_one_row_refused() -> None:
    truth, scores, fold = folded(4)
    fold = np.where(np.arange(300) < 5, 5, fold)
    truth[:5] = True
    assert ew.evaluate(truth=truth, score=scores, fold=fold).numbers["lists"]["counted"] == 5
    with pytest.raises(InputError, match="0 of 300 folds hold targets and others"):
        ew.evaluate(truth=truth, score=scores, fold=np.arange(300))
    with pytest.raises(OptionError, match="fold and query are both given"):
        ew.evaluate(truth=truth, score=scores, fold=fold, query=fold)


def test_left_out_probabilities_of_births_are_warned_of() -> None:
    with sample_file() as path:
        report = ew.evaluate(str(path), truth="low", score="smaller_probability", positive="1")
        assert any("split by class" in said for said in report.warnings)
        systems = {"larger": "larger_probability", "smaller": "smaller_probability"}
        compared = ew.compare(str(path), truth="low", systems=systems, kind="scores", positive="1")
    found = compared["larger", "smaller"]["average_precision"]
    assert found.law is None
    assert not found.tests
    assert "is better" not in compared.verdict
    assert any("split by class" in said for said in compared.report.warnings)


@pytest.mark.parametrize("strength", [-1.0, 0.0, 1.0, 2.0])
def test_other_rankings_are_not(strength: float) -> None:
    rng = np.random.default_rng(int(strength) + 5)
    for size in (50, 200, 1000) * 5:
        truth = rng.random(size) < 0.3
        scores = rng.normal(size=size) + strength * truth
        for seen in (scores, scores.round(1), 1 / (1 + np.exp(-4 * scores))):
            assert class_split(ew.Ranking.from_scores(truth, seen)) is None
    assert class_split(ew.Ranking.from_scores([1, 0, 1], [np.inf] * 3)) is None


def test_leaving_one_out_of_group_means_is_seen() -> None:
    rng = np.random.default_rng(9)
    group = rng.integers(0, 6, 240)
    truth = rng.random(240) < (0.15 + 0.1 * group)
    sums, sizes = np.bincount(group, weights=truth), np.bincount(group)
    left_out = (sums[group] - truth) / (sizes[group] - 1)
    assert class_split(ew.Ranking.from_scores(truth, left_out)) is not None
    assert class_split(ew.Ranking.from_scores(truth, (sums / sizes)[group])) is None


def delong_variance(truth: np.ndarray, one: np.ndarray, two: np.ndarray) -> float:
    """DeLong, DeLong & Clarke-Pearson's variance of a difference of areas, by all pairs of cases."""
    wins = [np.sign(row[truth][:, None] - row[~truth]) / 2 + 0.5 for row in (one, two)]
    gap = wins[0] - wins[1]
    return float(gap.mean(1).var(ddof=1) / truth.sum() + gap.mean(0).var(ddof=1) / (~truth).sum())


def test_cases_vary_within_folds_and_five_folds_name_a_winner() -> None:
    truth, scores, fold = folded(6)
    none = np.random.default_rng(7).normal(size=300)
    compared = ew.compare(truth=truth, systems={"good": scores, "none": none}, kind="scores", fold=fold)
    found = compared["good", "none"]["roc_auc"]
    each = [delong_variance(truth[fold == k], scores[fold == k], none[fold == k]) for k in range(5)]
    assert found.standard_error**2 == pytest.approx(sum(each) / 25)
    assert found.cases == 300
    assert compared.findings.is_conclusive("good", "none")
    assert compared.findings.unit == "case"
    assert compared.measures == ("average_precision", "roc_auc")


def test_swaps_and_draws_are_within_folds() -> None:
    truth, scores, fold = folded(8)
    # The same ranks in each fold, on one scale for all: a common shift of a fold changes nothing.
    systems = {"one": scores, "two": scores + np.random.default_rng(9).normal(size=300)}
    moved = {name: row - 10 * fold for name, row in systems.items()}
    for measure in ("average_precision", "precision@10"):
        options = {"kind": "scores", "fold": fold, "measures": [measure]}
        two = [
            ew.compare(truth=truth, systems=each, **options)["one", "two"][measure]
            for each in (systems, moved)
        ]
        assert two[0].to_dict() == two[1].to_dict()
        assert 0 < two[0].standard_error < 0.1


def test_folds_and_clusters_are_not_given_together() -> None:
    truth, scores, fold = folded(8)
    with pytest.raises(OptionError, match="fold and cluster are both given"):
        ew.compare(truth=truth, systems={"a": scores, "b": -scores}, kind="scores", fold=fold, cluster=fold)


def test_a_report_speaks_of_folds_and_tells_the_area() -> None:
    truth, scores, fold = folded(1)
    report = ew.evaluate(truth=truth, score=scores, fold=fold)
    assert "over 5 folds" in report.verdict
    assert "quer" not in report.verdict.lower()
    assert "roc_auc" in report.numbers["means"]
