"""LAGO against plain loops, its invariances, scikit-learn's own checks, and its refusals."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from edgeworth.errors import InputError, OptionError
from edgeworth.sklearn import Lago, lago

Floats = NDArray[np.float64]

FACTORS: dict[str, Callable[[float], float]] = {
    "gaussian": lambda u: math.exp(-(u**2)),
    "triangular": lambda u: max(0.0, 1 - abs(u)),
    "uniform": lambda u: 1.0 if abs(u) <= 1 else 0.0,
}
kernels = pytest.mark.parametrize("kernel", list(FACTORS))


def brute_force_radii(targets: Floats, background: Floats, neighbours: int) -> list[list[float]]:
    """The mean gap in each feature to the nearest background points, by sorting all distances."""
    radii = []
    for x in targets:
        nearest = sorted(background, key=lambda w: math.dist(x, w))[:neighbours]
        radii.append([sum(abs(x[j] - w[j]) for w in nearest) / neighbours for j in range(len(x))])
    return radii


def brute_force_score(
    point: Sequence[float], targets: Floats, radii: Sequence[Sequence[float]], alpha: float, kernel: str
) -> float:
    """The formula of Zhu, Su & Chipman, term by term."""
    total = 0.0
    for x, r in zip(targets, radii, strict=True):
        product = 1.0
        for z_j, x_j, r_j in zip(point, x, r, strict=True):
            product *= FACTORS[kernel]((z_j - x_j) / (alpha * r_j))
        total += product
    return total / len(targets)


def problem(seed: int, *, features: int = 3, targets: int = 6, background: int = 30) -> tuple[Floats, Any]:
    """Targets in a clump inside a wider background, mixed up."""
    rng = np.random.default_rng(seed)
    points = np.concatenate(
        [rng.normal(0.5, 0.6, (targets, features)), rng.normal(0, 1.5, (background, features))]
    )
    classes = np.repeat([1, 0], [targets, background])
    order = rng.permutation(len(points))
    return points[order], classes[order]


def plain(ranker: Lago, points: Any) -> Floats:
    """The score itself."""
    scores = ranker.score_samples(points)
    return np.exp(scores) if ranker.kernel == "gaussian" else scores


# -- the formula -------------------------------------------------------------------------------------------


@kernels
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("neighbours", "alpha", "features"), [(1, 1.0, 1), (5, 0.7, 2), (3, 2.5, 4), (30, 1.0, 3)]
)
def test_scores_are_the_formula_worked_out_in_loops(
    kernel: str, seed: int, neighbours: int, alpha: float, features: int
) -> None:
    points, classes = problem(seed, features=features)
    targets, background = points[classes == 1], points[classes == 0]
    ranker = Lago(neighbours, alpha=alpha, kernel=kernel).fit(points, classes)
    radii = brute_force_radii(targets, background, neighbours)
    np.testing.assert_allclose(ranker.radii_, radii, rtol=1e-12)
    new = np.random.default_rng(seed + 100).normal(0.5, 1.0, (20, features))
    wanted = [brute_force_score(point, targets, radii, alpha, kernel) for point in new]
    np.testing.assert_allclose(plain(ranker, new), wanted, rtol=1e-10)


@kernels
def test_with_all_background_as_neighbours_radii_are_mean_gaps(kernel: str) -> None:
    points, classes = problem(0)
    targets, background = points[classes == 1], points[classes == 0]
    ranker = Lago(len(background), kernel=kernel).fit(points, classes)
    gaps = np.abs(targets[:, None, :] - background[None, :, :]).mean(axis=1)
    np.testing.assert_allclose(ranker.radii_, gaps, rtol=1e-12)


def test_one_target_worked_out_by_hand() -> None:
    """Target (0, 0); its two nearest are (1, 0) and (−1, 2): radii 1 and 1. Radius α = 2 doubles them."""
    training = [[0.0, 0.0], [1.0, 0.0], [-1.0, 2.0], [5.0, 5.0]]
    new = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, -1.0]]
    for kernel, wanted in {
        "gaussian": [1.0, math.exp(-1 / 4), math.exp(-1 / 2), math.exp(-5 / 4)],
        "triangular": [1.0, 1 / 2, 1 / 4, 0.0],
        "uniform": [1.0, 1.0, 1.0, 1.0],
    }.items():
        ranker = Lago(2, alpha=2.0, kernel=kernel).fit(training, [1, 0, 0, 0])
        assert ranker.radii_.tolist() == [[1.0, 1.0]]
        assert plain(ranker, new).tolist() == pytest.approx(wanted, rel=1e-14)


def test_a_target_amid_background_has_a_narrow_kernel_and_one_alone_a_wide_one() -> None:
    crowd = np.linspace(-1, 1, 41)[:, None] + 0.01
    training = np.concatenate([[[0.0], [20.0]], crowd])
    ranker = Lago().fit(training, [1, 1] + [0] * 41)
    narrow, wide = ranker.radii_[:, 0]
    assert narrow < 0.1 < 18 < wide
    # As far from its target as from the other's, a case is likelier beside the one that stands alone.
    assert ranker.score_samples([[21.0]]) > ranker.score_samples([[-1.0]])


@kernels
def test_blocks_do_not_show(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points, classes = problem(1, targets=7)
    whole = Lago(kernel=kernel).fit(points, classes)
    monkeypatch.setattr(lago, "BLOCK_CELLS", 7 * 4)
    pieces = Lago(kernel=kernel).fit(points, classes)
    np.testing.assert_array_equal(pieces.score_samples(points), whole.score_samples(points))
    assert pieces.offset_ == whole.offset_
    monkeypatch.setattr(lago, "BLOCK_CELLS", 1)
    np.testing.assert_array_equal(pieces.score_samples(points), whole.score_samples(points))


# -- invariances -------------------------------------------------------------------------------------------


@kernels
def test_translation_leaves_scores_as_they_are(kernel: str) -> None:
    points, classes = problem(2)
    here = Lago(kernel=kernel).fit(points, classes)
    moved = points + np.array([1e3, -5e4, 7.0])
    there = Lago(kernel=kernel).fit(moved, classes)
    np.testing.assert_allclose(there.score_samples(moved), here.score_samples(points), rtol=1e-8, atol=1e-9)


def test_neighbours_are_found_far_from_the_origin_in_many_features() -> None:
    """Squared lengths of 1e15 would drown squared distances of 40."""
    points, classes = problem(17, features=20)
    moved = Lago().fit(points + 1e7, classes)
    wanted = brute_force_radii(points[classes == 1], points[classes == 0], 5)
    np.testing.assert_allclose(moved.radii_, wanted, rtol=1e-6)


@kernels
def test_units_leave_scores_as_they_are(kernel: str) -> None:
    """Radii are in each feature's unit; with all background as neighbours no unit decides who is near."""
    points, classes = problem(3)
    units = np.array([1e-3, 7.0, 1e5])
    ours = Lago(30, kernel=kernel).fit(points, classes)
    theirs = Lago(30, kernel=kernel).fit(points * units, classes)
    np.testing.assert_allclose(theirs.radii_, ours.radii_ * units, rtol=1e-12)
    np.testing.assert_allclose(
        theirs.score_samples(points * units), ours.score_samples(points), rtol=1e-9, atol=1e-12
    )


@kernels
def test_one_unit_for_all_features_leaves_neighbours_and_scores_as_they_are(kernel: str) -> None:
    points, classes = problem(4)
    ours, theirs = (Lago(kernel=kernel).fit(points * unit, classes) for unit in (1.0, 1e-4))
    np.testing.assert_allclose(
        theirs.score_samples(points * 1e-4), ours.score_samples(points), rtol=1e-9, atol=1e-12
    )


@kernels
def test_the_order_of_training_cases_and_of_features_does_not_matter(kernel: str) -> None:
    points, classes = problem(5)
    order = np.random.default_rng(0).permutation(len(points))
    ours = Lago(kernel=kernel).fit(points, classes)
    theirs = Lago(kernel=kernel).fit(points[order][:, ::-1], classes[order])
    np.testing.assert_allclose(
        theirs.score_samples(points[:, ::-1]), ours.score_samples(points), rtol=1e-12, atol=1e-15
    )
    assert theirs.offset_ == pytest.approx(ours.offset_, rel=1e-12)


def test_background_beyond_the_neighbours_does_not_move_the_radii() -> None:
    points, classes = problem(6)
    far = np.full((50, 3), 1e6)
    more = Lago().fit(np.concatenate([points, far]), np.append(classes, np.zeros(50)))
    np.testing.assert_allclose(more.radii_, Lago().fit(points, classes).radii_, rtol=1e-9)


# -- far points, and radii of 0 ----------------------------------------------------------------------------


def test_far_points_keep_their_order_where_the_score_itself_underflows() -> None:
    points, classes = problem(7)
    ranker = Lago().fit(points, classes)
    away = np.outer([50.0, 60.0, 1e3, 1e6, 1e9], np.ones(3))
    scores = ranker.score_samples(away)
    assert not np.exp(scores).any()
    assert np.isfinite(scores).all()
    assert (np.diff(scores) < 0).all()


@pytest.mark.parametrize("kernel", ["triangular", "uniform"])
def test_points_outside_all_kernels_that_end_tie_at_0(kernel: str) -> None:
    points, classes = problem(8)
    assert Lago(kernel=kernel).fit(points, classes).score_samples(np.full((2, 3), 99.0)).tolist() == [
        0.0,
        0.0,
    ]


@kernels
def test_a_constant_feature_is_left_out(kernel: str) -> None:
    points, classes = problem(9)
    ours = Lago(kernel=kernel).fit(points, classes)
    constant = np.full((len(points), 1), 0.1)
    theirs = Lago(kernel=kernel).fit(np.hstack([points, constant]), classes)
    assert np.isinf(theirs.radii_[:, 3]).all()
    np.testing.assert_array_equal(
        theirs.score_samples(np.hstack([points, constant + 5])), ours.score_samples(points)
    )


def test_a_radius_of_0_becomes_the_smallest_in_its_feature() -> None:
    """A yes-or-no feature: the neighbours of the first target share its value, those of the second do not."""
    training = [[0.0, 1.0], [10.0, 1.0], [0.1, 1.0], [0.3, 1.0], [10.1, 0.0], [10.3, 1.0]]
    ranker = Lago(2).fit(training, [1, 1, 0, 0, 0, 0])
    np.testing.assert_allclose(ranker.radii_, [[0.2, 0.5], [0.2, 0.5]])
    assert np.isfinite(ranker.score_samples([[0.0, 0.0]])).all()


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_where_all_radii_are_0_the_feature_has_its_standard_deviation(unit: float) -> None:
    training = np.array([[0.0, 1.0], [0.1, 1.0], [0.2, 1.0], [9.0, 0.0]]) * [1.0, unit]
    ranker = Lago(2).fit(training, [1, 0, 0, 0])
    assert ranker.radii_[0, 1] == pytest.approx(np.std([1, 1, 1, 0]) * unit)


def test_rounding_error_is_no_radius() -> None:
    """0.1 + 0.2 is not 0.3 in floats: a gap of 6e-17 would be a needle instead of a kernel."""
    training = [[0.0, 0.3], [0.1, 0.1 + 0.2], [0.2, 0.1 + 0.2], [9.0, 0.4]]
    ranker = Lago(2).fit(training, [1, 0, 0, 0])
    assert ranker.radii_[0, 1] == pytest.approx(np.std([0.3, 0.3, 0.3, 0.4]))


# -- decisions ---------------------------------------------------------------------------------------------


@kernels
def test_the_cut_gives_as_many_training_cases_as_there_are_targets(kernel: str) -> None:
    """Each training target is scored by the others, as a new case would be."""
    points, classes = problem(10, targets=12, background=60)
    targets = points[classes == 1]
    ranker = Lago(kernel=kernel, alpha=1.5).fit(points, classes)
    radii = brute_force_radii(targets, points[classes == 0], 5)
    scores = []
    for point, label in zip(points, classes, strict=True):
        others = [i for i, x in enumerate(targets) if label == 0 or not np.array_equal(x, point)]
        chosen = [radii[i] for i in others]
        scores.append(brute_force_score(point, targets[others], chosen, 1.5, kernel))
    cut = math.exp(ranker.offset_) if kernel == "gaussian" else ranker.offset_
    above = sum(score > cut for score in scores)
    ranked = sorted(scores, reverse=True)
    assert above == 12 if ranked[11] > ranked[12] else above < 12
    assert above > 0


@kernels
def test_decisions_are_scores_cut_at_the_offset(kernel: str) -> None:
    points, classes = problem(11)
    ranker = Lago(kernel=kernel).fit(points, np.where(classes == 1, "yes", "no"))
    new = np.random.default_rng(1).normal(0, 1.5, (50, 3))
    scores = ranker.score_samples(new)
    np.testing.assert_array_equal(ranker.decision_function(new), scores - ranker.offset_)
    assert ranker.predict(new).tolist() == ["yes" if score > ranker.offset_ else "no" for score in scores]
    assert ranker.classes_.tolist() == ["no", "yes"]


@kernels
def test_targets_may_be_the_first_class(kernel: str) -> None:
    """ "active" sorts before "decoy"; the decision function keeps scikit-learn's sign."""
    points, classes = problem(12)
    names = np.where(classes == 1, "active", "decoy")
    named = Lago(kernel=kernel, positive="active").fit(points, names)
    numbered = Lago(kernel=kernel).fit(points, classes)
    np.testing.assert_array_equal(named.score_samples(points), numbered.score_samples(points))
    np.testing.assert_array_equal(named.decision_function(points), -numbered.decision_function(points))
    wanted = np.where(numbered.predict(points) == 1, "active", "decoy")
    np.testing.assert_array_equal(named.predict(points), wanted)


@pytest.mark.parametrize("positive", ["first", "second"])
def test_no_training_case_in_reach_of_another_target(positive: str) -> None:
    """All tie at 0: the cut is above 0, whichever class comes first."""
    training = [[0.0], [100.0], [40.0], [50.0], [60.0]]
    other = "second" if positive == "first" else "first"
    names = [positive] * 2 + [other] * 3
    ranker = Lago(1, alpha=0.01, kernel="uniform", positive=positive).fit(training, names)
    assert ranker.predict([[0.0], [50.0]]).tolist() == [positive, other]


def test_a_single_target_is_enough() -> None:
    points, classes = problem(13, targets=1)
    ranker = Lago().fit(points, classes)
    assert math.isfinite(ranker.offset_)
    assert ranker.predict(points[classes == 1]).tolist() == [1]


def test_it_finds_what_a_line_cannot() -> None:
    """Targets in two clumps amid the background: nothing linear ranks them."""
    rng = np.random.default_rng(14)

    def drawn() -> tuple[Floats, NDArray[np.int64]]:
        clumps = [rng.normal(centre, 0.25, (20, 2)) for centre in ([1.5, 0.5], [-1.5, 3.5])]
        background = rng.uniform([-3, -1], [3, 5], (1960, 2))
        return np.concatenate([*clumps, background]), np.repeat([1, 0], [40, 1960])

    training, test = drawn(), drawn()
    ranker = Lago(alpha=2.0).fit(*training)
    assert average_precision_score(test[1], ranker.decision_function(test[0])) > 10 * 40 / 2000


# -- scikit-learn's ways -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("ranker", [Lago(kernel=kernel) for kernel in FACTORS], ids=str)
def test_it_is_an_estimator_by_scikit_learns_own_checks(ranker: Lago) -> None:
    checks = check_estimator(ranker, on_fail=None, on_skip=None)
    failed = {check["check_name"]: check["exception"] for check in checks if check["status"] == "failed"}
    assert not failed
    # Array API input is checked only where SciPy was told to take it.
    left_out = {check["check_name"] for check in checks if check["status"] != "passed"}
    assert left_out <= {"check_array_api_input"}
    assert len(checks) > 40


def test_it_is_tuned_in_a_pipeline() -> None:
    points, classes = problem(15, targets=20, background=100)
    pipeline = make_pipeline(StandardScaler(), Lago())
    grid = {
        "lago__alpha": [0.01, 1.0],
        "lago__n_neighbors": [3, 5],
        "lago__kernel": ["gaussian", "triangular"],
    }
    search = GridSearchCV(pipeline, grid, scoring="average_precision", cv=3).fit(points, classes)
    assert search.best_params_["lago__alpha"] == 1.0
    assert search.best_score_ > 20 / 120


def test_it_is_copied_and_kept() -> None:
    points, classes = problem(16)
    ranker = Lago(3, alpha=2.0, kernel="triangular", positive=1).fit(points, classes)
    assert clone(ranker).get_params() == {
        "alpha": 2.0,
        "kernel": "triangular",
        "n_neighbors": 3,
        "positive": 1,
    }
    kept = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(kept.decision_function(points), ranker.decision_function(points))


# -- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "classes", "message"),
    [
        ({}, [0, 0, 0, 0], "needs two classes, targets and background; saw 1 class, 0"),
        ({}, [0, 1, 2, 0], "saw 3 classes; name the targets and make the rest one class"),
        ({"positive": 7}, [0, 1, 0, 0], r"there are no targets: positive is 7, and the classes are \[0, 1\]"),
        ({"n_neighbors": 4}, [0, 1, 0, 0], "its 4 nearest background points .* and there are 3 among"),
        ({}, [0.5, 1.5, 0.5, 0.5], "Unknown label type"),
    ],
)
def test_data_that_do_not_fit_are_refused(
    options: dict[str, Any], classes: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Lago(**{"n_neighbors": 2, **options}).fit([[0.0], [1.0], [2.0], [3.0]], classes)


def test_the_refusals_are_edgeworths() -> None:
    with pytest.raises(InputError, match="a smaller n_neighbors"):
        Lago().fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors is a whole number of at least 1; saw 0"),
        ({"n_neighbors": 2.5}, "n_neighbors is a whole number of at least 1; saw 2.5"),
        ({"n_neighbors": True}, "n_neighbors is a whole number of at least 1; saw True"),
        ({"alpha": 0}, "alpha is a number above 0; saw 0"),
        ({"alpha": math.nan}, "alpha is a number above 0; saw nan"),
        ({"alpha": "wide"}, "alpha is a number above 0; saw 'wide'"),
        ({"kernel": "cosine"}, "the kernels are gaussian, triangular, uniform; saw 'cosine'"),
        ({"kernel": ["gaussian"]}, r"the kernels are gaussian, triangular, uniform; saw \['gaussian'\]"),
    ],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Lago(**options).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
