"""The laws of paired differences, against derivatives row by row, published intervals and enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special
from statsmodels.stats.contingency_tables import (  # type: ignore[import-untyped]  # it has no stubs
    mcnemar as peer_mcnemar,
)

import edgeworth as ew
from edgeworth.comparisons.labels.joint_cells import JointCells, joint_cells, one_vs_rest
from edgeworth.comparisons.labels.methods import Tango, cases_behind, delta_law, difference_law
from edgeworth.comparisons.labels.proportions import PairedProportions, paired_proportions
from edgeworth.comparisons.labels.resampling import bootstrap, posterior
from edgeworth.decisions.posteriors import probability_of_winning
from edgeworth.decisions.views import Resolved, resolve
from edgeworth.methods import Bootstrap, Delta, Dirichlet, Wilson

SMOOTH = [
    "informedness",
    "markedness",
    "accuracy",
    "mcc",
    "kappa",
    "macro_f",
    "balanced_accuracy",
    "precision[1]",
    "recall[2]",
    "f[0]",
    "f[1](alpha=0.2)",
    "mutual_information",
]


def rows(cases: int, labels: int, seed: int, agree: float = 0.7) -> tuple[Any, Any, Any]:
    """Truth and two predictors of some skill that often say the same."""
    rng = np.random.default_rng(seed)
    truth, noise, other = rng.integers(0, labels, (3, cases))
    one = np.where(rng.random(cases) < 0.6, truth, noise)
    two = np.where(rng.random(cases) < agree, one, np.where(rng.random(cases) < 0.6, truth, other))
    return truth, one, two


def focused(paired: ew.Paired, spelling: str) -> tuple[JointCells, Resolved]:
    cells = joint_cells(paired, "one", "two")
    return one_vs_rest(cells, resolve(cells.tables[0], spelling))


def row_influences(columns: tuple[Any, Any, Any], spelling: str, weights: Any) -> np.ndarray:
    """How much each row moves the difference, by moving its weight up and down a little."""
    truth, one, two = columns

    def difference(moved: Any) -> float:
        tables = (ew.ContingencyTable.from_labels(truth, text, weights=moved) for text in (one, two))
        first, second = (ew.measure(table, spelling) for table in tables)
        return first - second

    result = np.empty(len(truth))
    for row in range(len(truth)):
        step = np.zeros(len(truth))
        step[row] = 1e-5
        result[row] = (difference(weights + step) - difference(weights - step)) / 2e-5
    return result


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SMOOTH)
def test_variance_from_the_influence_of_every_row(spelling: str) -> None:
    columns = rows(60, 3, seed=1)
    cells, resolved = focused(
        ew.Paired.from_labels(columns[0], {"one": columns[1], "two": columns[2]}), spelling
    )
    expected = 60 / 59 * (row_influences(columns, spelling, np.ones(60)) ** 2).sum()
    assert cells.spread(resolved).variance == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("spelling", ["informedness", "accuracy", "f[1]", "mcc"])
def test_variance_with_sampling_weights(spelling: str) -> None:
    columns = rows(50, 3, seed=2)
    weights = np.random.default_rng(3).uniform(0.5, 3, 50)
    paired = ew.Paired.from_labels(columns[0], {"one": columns[1], "two": columns[2]}, weights=weights)
    cells, resolved = focused(paired, spelling)
    size = weights.sum() ** 2 / (weights**2).sum()
    assert cells.units == pytest.approx(size)
    expected = size / (size - 1) * ((weights * row_influences(columns, spelling, weights)) ** 2).sum()
    assert cells.spread(resolved).variance == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("spelling", ["informedness", "accuracy", "f[1]", "mcc"])
def test_variance_with_clusters(spelling: str, weighted: bool) -> None:
    columns = rows(60, 3, seed=4)
    rng = np.random.default_rng(5)
    clusters, weights = rng.integers(0, 9, 60), rng.uniform(0.5, 3, 60) if weighted else np.ones(60)
    paired = ew.Paired.from_labels(
        columns[0],
        {"one": columns[1], "two": columns[2]},
        clusters=clusters,
        weights=weights if weighted else None,
    )
    cells, resolved = focused(paired, spelling)
    sums = np.bincount(clusters, weights=weights * row_influences(columns, spelling, weights))
    # CR2: a cluster's share of the weight that has to do with the measure.
    seen = (np.stack(columns) == 1).any(axis=0) if spelling == "f[1]" else np.ones(60, dtype=bool)
    shares = np.bincount(clusters, weights=weights * seen) / (weights * seen).sum()
    law = delta_law(cells, resolved)
    assert law.standard_error**2 == pytest.approx((sums**2 / (1 - shares)).sum(), rel=1e-6)
    # Of a mean of independent cases: tr(AB)² / tr(ABAB), with A the residuals' projection, B one by cluster.
    member = (clusters[:, None] == np.arange(9)) * np.sqrt(weights * seen / (1 - shares)[clusters])[:, None]
    root = np.sqrt(weights * seen / (weights * seen).sum())
    middle = member.T @ (np.eye(60) - np.outer(root, root)) @ member
    assert law.freedom == pytest.approx(np.trace(middle) ** 2 / np.trace(middle @ middle), rel=1e-9)


@pytest.mark.parametrize("spelling", ["informedness", "accuracy", "f[1]", "markedness", "mcc"])
def test_variance_beside_the_jackknife(spelling: str) -> None:
    """Each row left out in turn; for accuracy, a mean, the two are the same."""
    truth, one, two = rows(400, 3, seed=6)
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
    cells, resolved = focused(paired, spelling)
    kinds, kind = np.unique(np.stack([truth, one, two]), axis=1, return_inverse=True)
    left_out = np.empty(kinds.shape[1])
    # Rows alike leave the same behind, so one of each kind is enough.
    for index in range(len(left_out)):
        kept = np.arange(400) != np.flatnonzero(kind == index)[0]
        first, second = (
            ew.measure(ew.ContingencyTable.from_labels(truth[kept], text[kept]), spelling)
            for text in (one, two)
        )
        left_out[index] = first - second
    values = left_out[kind]
    jackknife = 399 / 400 * ((values - values.mean()) ** 2).sum()
    rel = 1e-9 if spelling == "accuracy" else 0.02
    assert cells.spread(resolved).variance == pytest.approx(jackknife, rel=rel)


@pytest.mark.parametrize("spelling", ["informedness", "accuracy", "f[1]", "mcc"])
@pytest.mark.parametrize("clustered", [False, True])
def test_variance_beside_a_large_bootstrap(spelling: str, clustered: bool) -> None:
    truth, one, two = rows(2000, 3, seed=7)
    clusters = np.arange(2000) // 10 if clustered else None
    cells, resolved = focused(
        ew.Paired.from_labels(truth, {"one": one, "two": two}, clusters=clusters), spelling
    )
    draws = bootstrap(cells, resolved, 10_000, seed=8)
    # 10,000 draws give a standard deviation to 0.7%; the rest is the curvature of the measure.
    assert delta_law(cells, resolved).standard_error == pytest.approx(draws.std(), rel=0.03)


def test_each_case_a_cluster_of_its_own_is_no_clustering() -> None:
    truth, one, two = rows(200, 3, seed=9)
    alone = ew.Paired.from_labels(truth, {"one": one, "two": two})
    clustered = ew.Paired.from_labels(truth, {"one": one, "two": two}, clusters=np.arange(200))
    for spelling in ("informedness", "accuracy", "mcc"):
        assert delta_law(*focused(clustered, spelling)).interval(0.9) == pytest.approx(
            delta_law(*focused(alone, spelling)).interval(0.9), rel=1e-12
        )


def test_weights_of_one_are_no_weights() -> None:
    truth, one, two = rows(200, 3, seed=10)
    alone = ew.Paired.from_labels(truth, {"one": one, "two": two})
    for size in (1.0, 7.5):
        weighted = ew.Paired.from_labels(truth, {"one": one, "two": two}, weights=np.full(200, size))
        assert delta_law(*focused(weighted, "informedness")).interval(0.95) == pytest.approx(
            delta_law(*focused(alone, "informedness")).interval(0.95), rel=1e-12
        )


def test_a_label_against_the_rest_keeps_the_law() -> None:
    paired = ew.Paired.from_labels(*_named(rows(300, 5, seed=11)))
    cells = joint_cells(paired, "one", "two")
    resolved = resolve(cells.tables[0], "f[3]")
    small, focus = one_vs_rest(cells, resolved)
    assert len(small.tables[0].labels) == 2
    assert delta_law(small, focus).interval(0.95) == pytest.approx(delta_law(cells, resolved).interval(0.95))


def _named(columns: tuple[Any, Any, Any]) -> tuple[Any, dict[str, Any]]:
    return columns[0], {"one": columns[1], "two": columns[2]}


# -- two proportions of the same cases ----------------------------------------------------------------------


def test_published_interval_of_paired_proportions() -> None:
    """Complete response before and after consolidation (Cavo et al. 2012), 59, 6, 16 and 80 patients.

    Fagerland, Lydersen & Laake, Statistical Analysis of Contingency Tables (2017), chapter 8: Tango's
    interval −0.1240 to −0.0054, Wald's −0.1184 to −0.0058, McNemar's asymptotic test P = 0.033006.
    """
    table = PairedProportions(6, 16, 161)
    assert table.interval(0.95) == pytest.approx((-0.1240, -0.0054), abs=5e-5)
    reach = special.ndtri(0.975) * table.standard_error
    assert (table.value - reach, table.value + reach) == pytest.approx((-0.1184, -0.0058), abs=5e-5)
    assert table.p_value(0.0, "two-sided") == pytest.approx(0.033006, abs=5e-7)


def test_published_odds_of_discordant_cases() -> None:
    """25 against 2 (Ezra et al. 2010, in the same chapter): odds 12.5, exactly 3.1169 to 108.8892."""
    effect = PairedProportions(25, 2, 100).effect()
    assert effect is not None
    results = [math.exp(number) for number in (effect.value, *effect.interval())]
    assert results == pytest.approx([12.5, 3.1169, 108.8892], rel=2e-5)


@pytest.mark.parametrize(
    ("b", "c", "n"), [(0, 0, 30), (5, 0, 12), (12, 0, 12), (3, 9, 200), (700, 641, 10**7)]
)
def test_bounds_are_where_the_score_is_the_quantile(b: int, c: int, n: int) -> None:
    table = PairedProportions(b, c, n)
    low, high = table.interval(0.9)
    quantile = special.ndtri(0.95)
    assert -1 <= low <= table.value <= high <= 1
    for bound, end, wanted in ((low, -1.0, quantile), (high, 1.0, -quantile)):
        assert bound == end or table.score(bound) == pytest.approx(wanted, rel=1e-6)
    mirrored = PairedProportions(c, b, n)
    assert mirrored.interval(0.9) == pytest.approx((-high, -low), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("b", "c"), [(3, 9), (20, 20), (1, 0), (150, 90)])
def test_the_score_test_of_no_difference_is_mcnemars(b: int, c: int) -> None:
    peer = peer_mcnemar([[40, b], [c, 70]], exact=False, correction=False)
    assert PairedProportions(b, c, 110 + b + c).p_value(0.0, "two-sided") == pytest.approx(peer.pvalue)


def test_the_likeliest_share_under_a_difference() -> None:
    """The variance in the score is that of the likeliest parameters with that difference: by a grid here."""
    b, c, n, difference = 7, 3, 60, 0.1
    shares = np.linspace(1e-6, (1 - difference) / 2 - 1e-6, 400_001)
    rest = n - b - c
    likelihood = (
        b * np.log(shares + difference) + c * np.log(shares) + rest * np.log1p(-2 * shares - difference)
    )
    best = shares[likelihood.argmax()]
    expected = (b - c - n * difference) / math.sqrt(n * (2 * best + difference - difference**2))
    assert PairedProportions(b, c, n).score(difference) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("spelling", "is_pair"),
    [
        ("accuracy", True),
        ("error_rate", True),
        ("recall[1]", True),
        ("fallout[1]", True),
        ("label_accuracy[1]", True),
        ("precision[1]", False),
        ("f[1]", False),
        ("informedness", False),
    ],
)
def test_which_measures_are_proportions_of_the_same_cases(spelling: str, is_pair: bool) -> None:
    truth, one, two = rows(300, 3, seed=12)
    cells, resolved = focused(ew.Paired.from_labels(truth, {"one": one, "two": two}), spelling)
    result = paired_proportions(cells, resolved)
    assert (result is not None) == is_pair
    if result is not None:
        first, second = cells.values(resolved)
        assert result.value == pytest.approx(first - second, abs=1e-12)
        assert result.standard_error == pytest.approx(
            delta_law(cells, resolved).standard_error * math.sqrt(299 / 300), rel=1e-9
        )


def test_an_abstention_is_a_trial_without_success() -> None:
    paired = ew.Paired.from_labels(
        [1, 0, 1, 0], {"one": [1, None, 0, 0], "two": [1, 0, 1, None]}, missing="abstain"
    )
    assert paired_proportions(*focused(paired, "accuracy")) == PairedProportions(1, 2, 4)


# -- draws --------------------------------------------------------------------------------------------------


def test_the_posterior_of_two_classes_gives_wins_and_losses_a_half_each() -> None:
    """¼ on each of 8 combinations: exactly Goutte & Gaussier's posterior of accuracy."""
    truth, one, two = rows(120, 2, seed=30)
    cells, resolved = focused(ew.Paired.from_labels(truth, {"one": one, "two": two}), "accuracy")
    assert len(cells.weight) == 8
    result = paired_proportions(cells, resolved)
    assert result is not None
    draws = posterior(cells, resolved, 2.0, 100_000, seed=1)
    exact = probability_of_winning(result.only_first, result.only_second)
    assert (draws > 0).mean() == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 100_000))


def test_the_posterior_of_one_predictor_is_that_of_its_table() -> None:
    """A second predictor that is always right: the difference is the first's, less one."""
    truth, one, _ = rows(150, 2, seed=31)
    cells, resolved = focused(ew.Paired.from_labels(truth, {"one": one, "two": truth}), "accuracy")
    right = int((one == truth).sum())
    draws = posterior(cells, resolved, 2.0, 100_000, seed=2)
    # Six combinations with a third each: two of both right, two of only one right, and their mirrors.
    wins, losses, rest = 2 / 3, 150 - right + 2 / 3, right + 2 / 3
    total = wins + losses + rest
    assert draws.mean() == pytest.approx((wins - losses) / total, abs=1e-3)


def test_bootstrap_draws_keep_the_pairing() -> None:
    """Of two predictors that are right on the same cases the difference never varies."""
    truth = np.arange(90) % 3
    one = np.where(np.arange(90) < 30, (truth + 1) % 3, truth)
    two = np.where(np.arange(90) < 30, (truth + 2) % 3, truth)
    cells, resolved = focused(ew.Paired.from_labels(truth, {"one": one, "two": two}), "accuracy")
    assert set(bootstrap(cells, resolved, 500, seed=4).tolist()) == {0.0}


@pytest.mark.parametrize(
    "method",
    [
        Bootstrap(draws=4000, rng=1),
        Dirichlet(draws=4000),
        Delta(),
    ],
    ids=str,
)
@pytest.mark.parametrize("spelling", ["informedness", "f[1]"])
def test_methods_agree_on_many_cases(method: Any, spelling: str) -> None:
    truth, one, two = rows(5000, 3, seed=32)
    cells, resolved = focused(ew.Paired.from_labels(truth, {"one": one, "two": two}), spelling)
    plain = delta_law(cells, resolved, natural=False)
    law = difference_law(cells, resolved, method)
    assert law.standard_error == pytest.approx(plain.standard_error, rel=0.06)
    assert law.interval(0.9) == pytest.approx(plain.interval(0.9), abs=0.15 * plain.standard_error)


def test_replicates_are_made_once_for_all_measures() -> None:
    truth, one, two = rows(300, 3, seed=33)
    cells, informedness = focused(ew.Paired.from_labels(truth, {"one": one, "two": two}), "informedness")
    posterior(cells, informedness, 2.0, 500, seed=0)
    made = len(cells.cached_replicates)
    posterior(cells, resolve(cells.tables[0], "mcc"), 2.0, 500, seed=0)
    assert len(cells.cached_replicates) == made
    posterior(cells, informedness, 2.0, 500, seed=1)
    assert len(cells.cached_replicates) == made + 1


def test_how_many_cases_a_difference_rests_on() -> None:
    """For accuracy, about those on which one is right and the other is wrong."""
    truth = np.ones(10_000, dtype=int)
    one = np.where(np.arange(10_000) < 30, 0, 1)
    two = np.where((np.arange(10_000) >= 30) & (np.arange(10_000) < 60), 0, 1)
    cells, resolved = focused(ew.Paired.from_labels(truth, {"one": one, "two": two}), "accuracy")
    assert cases_behind(cells, cells.influences(resolved)) == pytest.approx(60)


def test_methods_that_do_not_apply() -> None:
    truth, one, two = rows(60, 3, seed=34)
    predictions = {"one": one, "two": two}
    plain = ew.Paired.from_labels(truth, predictions)
    weighted = ew.Paired.from_labels(truth, predictions, weights=np.full(60, 0.5))
    clustered = ew.Paired.from_labels(truth, predictions, clusters=np.arange(60) // 3)
    together = ew.Paired.from_labels(truth, predictions, clusters=np.zeros(60, dtype=int))
    for paired, spelling, method, text in [
        (plain, "precision[1]", Tango(), "proportions of the same"),
        (clustered, "f[1]", Tango(), "proportions of the same"),
        (weighted, "accuracy", Bootstrap(), "count alike"),
        (clustered, "accuracy", Dirichlet(), "independent"),
        (together, "accuracy", Bootstrap(), "one cluster"),
        (together, "accuracy", Delta(), "one cluster"),
        (plain, "accuracy", Wilson(), "Delta"),
        (plain, "accuracy", Delta, "object"),
    ]:
        with pytest.raises(ew.EdgeworthError, match=text):
            difference_law(*focused(paired, spelling), method)


def test_a_class_in_one_cluster_leaves_no_interval_and_a_test() -> None:
    """Swapping clusters needs no variance."""
    truth = [1] * 3 + [0] * 9
    systems = {"a": [1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0], "b": [1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0]}
    difference = ew.compare(truth=truth, systems=systems, cluster=[1] * 3 + [2] * 3 + [3] * 3 + [4] * 3)[
        "a", "b"
    ]
    assert difference["informedness"].law is None
    assert "in one cluster" in str(difference["informedness"].no_interval)
    # Two clusters differ, both for the first system: 1/3 and 1/9, so two of four ways are as far.
    assert difference["informedness"].difference == pytest.approx(4 / 9)
    assert difference["informedness"].p_value() == 0.5
    assert list(difference["informedness"].tests) == ["randomisation"]
    assert difference["accuracy"].law is not None


def test_tables_of_clusters_without_an_error_leave_open_which_is_better() -> None:
    """Nothing varies, so the delta method's law has no width and would call a tie certain."""
    table = ew.ContingencyTable.from_labels([0, 1, 2] * 10, [0, 1, 2] * 10, clusters=np.arange(30) // 3)
    difference = ew.compare({"one": table, "two": table})["one", "two"]["mcc"]
    assert difference.law is None
    assert math.isnan(difference.probability_better)
