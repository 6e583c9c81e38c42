"""Scores of cross-validation: ranked within folds, and the trap of predictions that left one case out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, MergeError, OptionError
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
    computed = [
        ew.measure(ew.Ranking.from_scores(truth[fold == k], scores[fold == k]), "roc_auc") for k in range(5)
    ]
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold)
    assert ew.measure(lists, "roc_auc") == pytest.approx(np.mean(computed))
    assert report.numbers["means"]["average_precision"] == pytest.approx(
        ew.measure(lists, "average_precision")
    )
    assert report.numbers["lists"]["counted"] == 5
    assert any("within folds" in warning for warning in report.warnings)


def test_a_comparison_ranks_within_folds_too() -> None:
    truth, scores, fold = folded(2)
    systems = {"good": scores, "none": np.random.default_rng(3).normal(size=300)}
    difference = ew.compare(truth=truth, systems=systems, kind="scores", fold=fold)["good", "none"][
        "average_precision"
    ]
    lists = [ew.RankedLists.from_scores(truth, system, groups=fold) for system in systems.values()]
    one, two = (ew.measure(ranked_list, "average_precision") for ranked_list in lists)
    assert difference.difference == pytest.approx(one - two)


@pytest.mark.slow
def test_folds_of_one_class_are_left_out_and_folds_of_one_row_refused() -> None:
    truth, scores, fold = folded(4)
    fold = np.where(np.arange(300) < 5, 5, fold)
    truth[:5] = True
    assert ew.evaluate(truth=truth, score=scores, fold=fold).numbers["lists"]["counted"] == 5
    with pytest.raises(InputError, match="0 of 300 folds hold both targets and other items"):
        ew.evaluate(truth=truth, score=scores, fold=np.arange(300))
    with pytest.raises(OptionError, match="fold and query are both given"):
        ew.evaluate(truth=truth, score=scores, fold=fold, query=fold)


def test_left_out_probabilities_of_births_are_warned_of() -> None:
    with sample_file() as path:
        report = ew.evaluate(str(path), truth="low", score="smaller_probability", positive="1")
        assert any("leave-one-out predictions" in text for text in report.warnings)
        systems = {"larger": "larger_probability", "smaller": "smaller_probability"}
        compared = ew.compare(str(path), truth="low", systems=systems, kind="scores", positive="1")
    average_precision = compared["larger", "smaller"]["average_precision"]
    assert average_precision.law is None
    assert not average_precision.tests
    assert "is better" not in compared.verdict
    assert any("leave-one-out predictions" in warning for warning in compared.report.warnings)


@pytest.mark.parametrize("strength", [-1.0, 0.0, 1.0, 2.0])
def test_other_rankings_are_not(strength: float) -> None:
    rng = np.random.default_rng(int(strength) + 5)
    for size in (50, 200, 1000) * 5:
        truth = rng.random(size) < 0.3
        scores = rng.normal(size=size) + strength * truth
        for seen in (scores, scores.round(1), 1 / (1 + np.exp(-4 * scores))):
            assert class_split(ew.Ranking.from_scores(truth, seen)) is None
    assert class_split(ew.Ranking.from_scores([1, 0, 1], [np.inf] * 3)) is None


def test_the_leaves_of_a_tree_are_not_taken_for_left_out_cases() -> None:
    """Few scores, each shared by both classes, and neighbouring leaves whose order new cases reverse."""
    scores = np.repeat([0.0, 0.0415, 0.125, 0.269, 0.95, 1.0], [3, 165, 10, 28, 21, 73])
    targets = {0.0: 3, 0.0415: 9, 0.125: 2, 0.269: 6, 0.95: 18, 1.0: 64}
    truth = np.concatenate([np.arange((scores == score).sum()) < hits for score, hits in targets.items()])
    assert class_split(ew.Ranking.from_scores(truth, scores)) is None


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
    roc_auc = compared["good", "none"]["roc_auc"]
    results = [delong_variance(truth[fold == k], scores[fold == k], none[fold == k]) for k in range(5)]
    assert roc_auc.standard_error**2 == pytest.approx(sum(results) / 25)
    assert roc_auc.cases == 300
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
            ew.compare(truth=truth, systems=item, **options)["one", "two"][measure]
            for item in (systems, moved)
        ]
        assert two[0].to_dict() == two[1].to_dict()
        assert 0 < two[0].standard_error < 0.1


def repeated(seed: int, repeats: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Truth, scores, folds and rows of 5-fold cross-validation, repeated."""
    rng = np.random.default_rng(seed)
    truth, rows = rng.random(100) < 0.35, np.tile(np.arange(100), repeats)
    fold = np.concatenate([rng.permutation(100) % 5 + 5 * repeat for repeat in range(repeats)])
    scores = (rng.normal(size=100) + 1.2 * truth)[rows] + rng.normal(0, 0.5, len(rows)) + 10.0 * fold
    return truth[rows], scores, fold, rows


MEASURES = ("roc_auc", "average_precision")


@pytest.mark.parametrize("measure", MEASURES)
def test_one_fold_with_clusters_equals_no_fold(measure: str) -> None:
    truth, scores, fold, rows = repeated(1)
    once = ew.RankedLists.from_scores(truth, scores, groups=np.zeros(len(truth)), clusters=rows)
    plain = ew.Ranking.from_scores(truth, scores, clusters=rows)
    result, expected = ew.estimate(once, measure), ew.estimate(plain, measure)
    assert result.value == pytest.approx(expected.value)
    assert result.interval() == pytest.approx(expected.interval())
    assert result.method == expected.method
    options = {"truth": truth, "systems": {"a": scores, "b": scores * (fold % 2)}, "kind": "scores"}
    one, none = (
        ew.compare(**options, cluster=rows, **more)["a", "b"][measure] for more in ({"fold": fold * 0}, {})
    )
    assert (one.difference, one.standard_error) == pytest.approx((none.difference, none.standard_error))


@pytest.mark.parametrize("measure", MEASURES)
def test_the_error_is_that_of_leaving_out_one_cluster_in_all_folds(measure: str) -> None:
    truth, scores, fold, rows = repeated(2)
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold, clusters=rows)
    values = []
    for row in range(100):
        rest = rows != row
        values.append(
            ew.measure(ew.RankedLists.from_scores(truth[rest], scores[rest], groups=fold[rest]), measure)
        )
    # Folds differ in size by one case, so the values do not center on the mean over all.
    by_hand = np.sqrt(99 * np.var(values))
    estimate = ew.estimate(lists, measure)
    assert estimate.value == ew.measure(lists, measure)
    assert estimate.standard_error == pytest.approx(by_hand, rel=0.08)
    independent = ew.estimate(ew.RankedLists.from_scores(truth, scores, groups=fold), measure)
    assert independent.standard_error < 0.8 * estimate.standard_error


def test_rows_that_are_clusters_have_delongs_variance_in_each_fold() -> None:
    truth, scores, fold = folded(3)
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold, clusters=np.arange(300))
    none = np.zeros(300)  # a score that ranks nothing varies not at all
    variances = [delong_variance(truth[fold == k], scores[fold == k], none[fold == k]) for k in range(5)]
    assert ew.estimate(lists, "roc_auc").standard_error ** 2 == pytest.approx(sum(variances) / 25)


def test_repeats_of_a_row_are_clusters_when_an_id_is_given(tmp_path: Path) -> None:
    truth, scores, fold, rows = repeated(4)
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold, clusters=rows)
    expected = ew.estimate(lists, "roc_auc").to_dict()
    path = tmp_path / "repeats.csv"
    lines = [f"{y:d},{s!r},f{f},{r}" for y, s, f, r in zip(truth, scores.tolist(), fold, rows, strict=True)]
    path.write_text("\n".join(["y,s,fold,case", *lines]) + "\n", encoding="utf-8")
    by_id = ew.evaluate(path, truth="y", score="s", fold="fold", id="case")
    by_cluster = ew.evaluate(truth=truth, score=scores, fold=fold, cluster=rows)
    for report in (by_id, by_cluster):
        roc_auc = report.numbers["measures"]["roc_auc"]
        assert (roc_auc["value"], roc_auc["low"], roc_auc["high"]) == pytest.approx(
            (expected["value"], expected["low"], expected["high"])
        )
        assert any("allow for 100 clusters" in warning for warning in report.warnings)
        assert not any("Only" in warning for warning in report.warnings)
        assert "interval excludes the chance level" in report.verdict
        assert report.numbers["random_order"]["tail"] is None
    assert any("300 rows repeat an earlier id" in warning for warning in by_id.warnings)


def test_a_row_is_in_a_fold_once() -> None:
    truth, scores, fold, rows = repeated(5)
    with pytest.raises(InputError, match="each repeat needs its own names of folds"):
        ew.evaluate(truth=truth, score=scores, fold=fold % 5, id=rows)


def test_what_folds_and_clusters_do_not_support_says_so() -> None:
    truth, scores, fold, rows = repeated(6)
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold, clusters=rows)
    assert "folds and clusters" in str(ew.estimate(lists, "precision@10").no_interval)
    with pytest.raises(OptionError, match="not supported with folds and clusters"):
        ew.estimate(lists, "roc_auc", method=ew.methods.AcrossLists())
    systems = {"a": scores, "b": -scores}
    options = {"truth": truth, "systems": systems, "kind": "scores", "fold": fold, "cluster": rows}
    difference = ew.compare(**options, measures=["precision@10"])["a", "b"]["precision@10"]
    assert "folds and clusters" in str(difference.no_interval)
    assert not difference.tests
    with pytest.raises(OptionError, match="cluster is not supported with queries"):
        ew.evaluate(truth=truth, score=scores, query=fold, cluster=rows)
    with pytest.raises(OptionError, match="fold is not supported with a tally"):
        ew.tally(truth=truth, score=scores, fold=fold)
    whole_class = np.where(truth, -1, rows)
    one = ew.RankedLists.from_scores(truth, scores, groups=fold, clusters=whole_class)
    assert "one cluster holds a whole class" in str(ew.estimate(one, "roc_auc").no_interval)


def test_a_cluster_that_holds_a_class_of_a_fold_and_changes_nothing_leaves_no_interval() -> None:
    """The first cluster has all targets of the first fold, and they are ranked first."""
    lists = ew.RankedLists.from_scores(
        [1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1],
        [9, 8, 3, 2, 1, 0, 3, 5, 6, 1, 2, 4],
        groups=np.repeat([0, 1], 6),
        clusters=[0, 0, 1, 1, 2, 2, 0, 1, 1, 2, 2, 3],
    )
    reason = "one cluster holds a whole class of a fold, so the variance cannot be estimated"
    assert ew.estimate(lists, "roc_auc").no_interval == reason
    fold, rows = np.repeat([0, 1], 6), [0, 0, 1, 1, 2, 2, 0, 1, 1, 2, 2, 3]
    report = ew.evaluate(
        truth=[1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1],
        score=[9.0, 8, 3, 2, 1, 0, 3, 5, 6, 1, 2, 4],
        fold=fold,
        cluster=rows,
    )
    assert "None" not in report.citation
    assert all(claim.rests_on != "None" for claim in report.verdict.claims)


def test_lists_with_clusters_add_and_are_written() -> None:
    truth, scores, fold, rows = repeated(7)
    lists = ew.RankedLists.from_scores(truth, scores, groups=fold, clusters=rows)
    cut = 130
    parts = [
        ew.RankedLists.from_scores(truth[part], scores[part], groups=fold[part], clusters=rows[part])
        for part in (slice(0, cut), slice(cut, None))
    ]
    assert parts[0] + parts[1] == lists
    assert ew.RankedLists.from_dict(lists.to_dict()) == lists
    with pytest.raises(MergeError, match="without clusters"):
        _ = lists + ew.RankedLists.from_scores(truth, scores, groups=fold)


def test_a_comparison_clusters_cases_over_folds() -> None:
    truth, scores, fold, rows = repeated(8)
    noisy = scores + np.random.default_rng(9).normal(0, 1.5, len(rows))
    systems = {"a": scores, "b": noisy}
    difference = ew.compare(truth=truth, systems=systems, kind="scores", fold=fold, cluster=rows)["a", "b"]
    values = []
    for row in range(100):
        rest = rows != row
        lists = (
            ew.RankedLists.from_scores(truth[rest], item[rest], groups=fold[rest]) for item in (scores, noisy)
        )
        one, two = (ew.measure(ranked_list, "roc_auc") for ranked_list in lists)
        values.append(one - two)
    assert difference["roc_auc"].standard_error == pytest.approx(np.sqrt(99 * np.var(values)), rel=0.08)
    assert "permutation" not in difference["roc_auc"].tests


def test_a_report_speaks_of_folds_and_tells_the_area() -> None:
    truth, scores, fold = folded(1)
    report = ew.evaluate(truth=truth, score=scores, fold=fold)
    assert "over 5 folds" in report.verdict
    assert "quer" not in report.verdict.lower()
    assert "roc_auc" in report.numbers["means"]
