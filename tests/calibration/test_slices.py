"""How often equal slices are called different and real gaps are found: a sample of bench/slices.py."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest


def load_bench() -> ModuleType:
    """Import bench/slices.py, which imports its neighbours."""
    folder = str(Path(__file__).parents[2] / "bench")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("slices")
    finally:
        sys.path.remove(folder)


BENCH = load_bench()
NAMED = {setting.name: setting for setting in BENCH.SETTINGS}
SAMPLES = 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "scores, base rates 10% and 40%, 2 × 2,000",
        "right or wrong, 2 slices of 20 clusters × 30 rows",
        "right or wrong, 30 clusters × 20 rows that cross 2 slices",
        "labels, 2 slices of 20 clusters × 20 rows",
        "informedness, base rates 10% and 50%, 2 × 300",
        "kappa, 2 slices of 60, 4 classes",
        "lognormal grades, 10 slices of 60",
        "right or wrong, 10 slices of 40, rate 0.95",
    ],
)
def test_equal_slices_are_seldom_called_different(name: str) -> None:
    outcomes = BENCH.simulate(NAMED[name], SAMPLES)
    named, held = (
        sum(getattr(x, what) for x in outcomes) / SAMPLES for what in ("is_named", "intervals_hold")
    )
    assert named <= 0.07 + 2 * math.sqrt(0.07 * 0.93 / SAMPLES)
    if "lognormal" not in name:  # there nothing is claimed below 150 items
        assert held >= 0.91 - 2 * math.sqrt(0.91 * 0.09 / SAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, setting in NAMED.items() if setting.gap])
def test_real_gaps_are_found_nearly_as_often_as_by_a_z_test(name: str) -> None:
    outcomes = BENCH.simulate(NAMED[name], SAMPLES)
    named, by_z = (
        sum(getattr(x, what) for x in outcomes) / SAMPLES for what in ("is_named", "is_named_by_z")
    )
    # Both judge the same samples, so that their difference varies less than either.
    assert named >= 0.85 * by_z - 2 * math.sqrt(by_z * (1 - by_z) / SAMPLES)


def test_the_short_way_to_the_intervals_of_gaps_agrees_with_a_report() -> None:
    setting = NAMED["macro F, 3 slices of 100, 4 classes, the rarest 5%"]
    tallies = setting.draw(BENCH.np.random.default_rng(3))
    rows = {row.slice: row for row in BENCH.compare(tallies, setting.measures).rows}
    for index, bounds in enumerate(BENCH.gap_bounds(tallies, "macro_f")):
        assert bounds == pytest.approx((rows[str(index)].gap_low, rows[str(index)].gap_high))
