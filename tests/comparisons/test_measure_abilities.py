"""A measure of a user's own is compared by the same methods as the measures of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.core import registry
from edgeworth.core.measures import CaseWorth, Measure

NAMES = ("first", "second")


@pytest.fixture(autouse=True)
def _restore_registered_measures() -> Iterator[None]:
    before = [*registry._REGISTERED]
    yield
    registry._REGISTERED[:] = before
    registry.measures_by_name.cache_clear()
    registry._names_by_letters.cache_clear()


def register_copy(name: str, scope: str, **changes: object) -> str:
    """Register a measure of the catalogue under another name, and return that name."""
    measure = next(entry for entry in ew.catalogue() if (entry.name, entry.scope) == (name, scope))
    return ew.register(replace(measure, name=f"own_{name}", synonyms=(), **changes)).name  # type: ignore[arg-type]  # each test passes fields of Measure


def random_pair(cases: int, classes: int, seed: int, share_undecided: float = 0.0) -> ew.Paired:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, cases)
    truth[:classes] = range(classes)
    predictions = {}
    for name in NAMES:
        labels = np.where(rng.random(cases) < 0.6, truth, rng.integers(0, classes, cases)).tolist()
        predictions[name] = [None if rng.random() < share_undecided else label for label in labels]
    return ew.Paired.from_labels(truth.tolist(), predictions, missing="abstain")


def rare_hits(truth: Sequence[int], predicted: Sequence[int]) -> Fraction:
    """Sum 1/R² over the hits, R the number of real cases of the class."""
    pairs = zip(truth, predicted, strict=True)
    return sum((Fraction(1, truth.count(y) ** 2) for y, label in pairs if y == label), Fraction(0))


@pytest.mark.parametrize("seed", range(6))
def test_swaps_of_a_registered_case_sum_are_counted(seed: int) -> None:
    """The oracle goes through all 2^n swaps in fractions."""
    ew.register(
        Measure(
            name="rare_hits",
            scope="overall",
            formula="Σ_l hits_l / R_l²",
            low=0.0,
            high=1.0,
            chance="",
            direction="higher",
            source="",
            compute=lambda view: (view.hits / view.every_real**2).sum(axis=-1),
            is_case_sum=True,
            case_worth=CaseWorth(lambda _cases, real, _hits, _predicted: (Fraction(0), Fraction(1, real**2))),
        )
    )
    rng = np.random.default_rng(seed)
    truth = [0, 1, 2, *rng.integers(0, 3, 6).tolist()]
    first, second = rng.integers(0, 3, (2, len(truth))).tolist()
    differences = []
    for swaps in product([False, True], repeat=len(truth)):
        one = [b if swap else a for a, b, swap in zip(first, second, swaps, strict=True)]
        two = [a if swap else b for a, b, swap in zip(first, second, swaps, strict=True)]
        differences.append(abs(rare_hits(truth, one) - rare_hits(truth, two)))
    share = Fraction(sum(value >= differences[0] for value in differences), len(differences))
    paired = ew.Paired.from_labels(truth, {"first": first, "second": second})
    difference = label_differences(paired, *NAMES, ["rare_hits"])["rare_hits"]
    assert difference.tests["randomisation"].p_value == pytest.approx(float(share), rel=1e-12)
    assert "studentised" not in difference.tests


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "informedness", "markedness", "coverage"])
@pytest.mark.parametrize("share_undecided", [0.0, 0.2])
def test_a_copy_of_a_measure_gets_the_same_interval_and_tests(name: str, share_undecided: float) -> None:
    own = register_copy(name, "overall")
    paired = random_pair(120, 2, seed=1, share_undecided=share_undecided)
    differences = label_differences(paired, *NAMES, [name, own])
    assert replace(differences[own], measure=name).to_dict() == differences[name].to_dict()


@pytest.mark.parametrize(
    "name", ["precision", "recall", "informedness", "label_accuracy", "false_discovery_rate", "fallout"]
)
@pytest.mark.parametrize("share_undecided", [0.0, 0.2])
def test_a_copy_of_a_measure_of_one_label_does_too(name: str, share_undecided: float) -> None:
    own = register_copy(name, "label")
    paired = random_pair(90, 3, seed=2, share_undecided=share_undecided)
    differences = label_differences(paired, *NAMES, [f"{name}[1]", f"{own}[1]"])
    assert replace(differences[f"{own}[1]"], measure=f"{name}[1]").to_dict() == (
        differences[f"{name}[1]"].to_dict()
    )


def test_a_case_sum_needs_no_standard_errors() -> None:
    own = register_copy("recall", "label", is_case_sum=False, case_worth=None)
    paired = random_pair(60, 2, seed=3)
    differences = label_differences(paired, *NAMES, ["recall[1]", f"{own}[1]"])
    assert "studentised" not in differences["recall[1]"].tests
    assert "studentised" in differences[f"{own}[1]"].tests


def test_few_right_predictions_name_no_winner_by_a_rate_of_predictions() -> None:
    truth = [1] * 2 + [0] * 58
    paired = ew.Paired.from_labels(truth, {"first": [1] * 30 + [0] * 30, "second": [1] * 25 + [0] * 35})
    own = register_copy("precision", "label")
    plain = register_copy("g", "label")
    differences = label_differences(paired, *NAMES, [f"{own}[1]", f"{plain}[1]"])
    assert "fewer than 5 predictions" in (differences[f"{own}[1]"].no_winner or "")
    assert differences[f"{plain}[1]"].no_winner is None


def test_a_copy_of_a_measure_that_weighs_cases_keeps_the_delta_method_with_rare_classes() -> None:
    own = register_copy("mcc", "overall")
    other = register_copy("macro_informedness", "overall")
    table = ew.ContingencyTable.from_matrix([[90, 5, 1], [6, 80, 1], [1, 1, 3]], rows="predicted")
    assert ew.estimate(table, own).method == ew.estimate(table, "mcc").method
    assert ew.estimate(table, own).method != ew.estimate(table, other).method
