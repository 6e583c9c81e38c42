"""Numbers that were printed before this program existed.

Paper: Powers 2003, "Recall & Precision versus The Bookmaker" (Figure 1 and the table of twelve classes).
Poster: the poster of the same name and year. MATH: the project's page of mathematics, section A, whose
numbers were computed independently of this program. All tables have predictions in rows unless said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import edgeworth as ew

CENT = 0.005
PERCENT = 0.005
HUNDREDTH_OF_A_PERCENT = 0.00005


def table_of(counts: list[list[float]]) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["+", "-"])


# -- the poster ---------------------------------------------------------------------------------------------

POSTER = [[12, 28], [18, 42]]


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        ("recall[+]", 0.40),  # "tpr = 12/30 = 40%"
        ("precision[+]", 0.30),  # "12 right 28 wrong; precision is 12/40 or 30%"
        ("inverse_recall[+]", 0.60),  # "inverse recall or specificity is 42/70 = 60%"
        ("inverse_precision[+]", 0.70),  # "inverse precision is 42/60 or 70%"
        ("fallout[+]", 0.40),  # "fallout = fpr = 28/70 = 40%"
        ("accuracy", 0.54),  # "accuracy is 12+42 correct labels out of 100 or 54%"
        ("informedness", 0.0),  # "his edge is zero"
    ],
)
def test_the_posters_guesser(measure: str, printed: float) -> None:
    assert ew.measure(table_of(POSTER), measure) == pytest.approx(printed, abs=1e-12)


def test_the_posters_dollars_at_the_track() -> None:
    """He won 12 x $7 + 42 x $3 = $210; he lost 18 x $7 + 28 x $3 = $210."""
    played = ew.payoffs(table_of(POSTER), pool=10)
    np.testing.assert_allclose(played.track, [[12 * 7, -28 * 3], [-18 * 7, 42 * 3]], atol=1e-9)
    assert (played.won, played.lost, played.net) == pytest.approx((210.0, 210.0, 0.0), abs=1e-9)


def test_the_posters_half_informed_player() -> None:
    """Poster: the average of the guessing matrix and of the perfect one has B = 0.5."""
    half = table_of([[0.06 + 0.15, 0.14 + 0.0], [0.09 + 0.0, 0.21 + 0.35]])
    assert ew.measure(half, "informedness") == pytest.approx(0.5, abs=1e-12)


# -- the paper's Figure 1 -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SpreadsheetModel:
    """One block of Figure 1, as printed."""

    counts: list[list[float]]
    edge: float
    whole_percents: tuple[float, ...]
    percents: tuple[float, ...]
    cells: list[list[float]]
    won: list[float]
    columns: list[float]
    weighted: list[float]
    total: float


# In the order of the figure.
WHOLE_PERCENTS = ("precision[+]", "inverse_precision[+]", "recall[+]", "inverse_recall[+]", "accuracy")
PERCENTS = ("f[+]", "inverse_f[+]", "average_f", "g[+]", "inverse_g[+]", "average_g")

FIGURE_1 = {
    "model 1": SpreadsheetModel(
        [[56, 24], [14, 6]],
        0.0,
        (0.70, 0.30, 0.80, 0.20, 0.62),
        (0.7467, 0.2400, 0.5250, 0.7483, 0.2449, 0.5985),
        [[8.00, -8.00], [-2.00, 2.00]],
        [0.00, 0.00],
        [6.00, -6.00],
        [0.00, 0.00],
        0.00,
    ),
    "model 2": SpreadsheetModel(
        [[70, 0], [0, 30]],
        1.0,
        (1.0, 1.0, 1.0, 1.0, 1.0),
        (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        [[10.00, 0.00], [0.00, 10.00]],
        [10.00, 10.00],
        [10.00, 10.00],
        [7.00, 3.00],
        10.00,
    ),
    "model 3": SpreadsheetModel(
        [[58.1, 20.4], [11.9, 9.6]],
        0.15,
        (0.74, 0.45, 0.83, 0.32, 0.68),
        (0.7825, 0.3728, 0.6330, 0.7838, 0.3780, 0.6700),
        [[8.30, -6.80], [-1.70, 3.20]],
        [1.50, 1.50],
        [6.60, -3.60],
        [1.18, 0.32],
        1.50,
    ),
    "model 4": SpreadsheetModel(
        [[47.6, 24.9], [22.4, 5.1]],
        -0.15,
        (0.66, 0.19, 0.68, 0.17, 0.53),
        (0.6681, 0.1774, 0.3794, 0.6682, 0.1776, 0.4641),
        [[6.80, -8.30], [-3.20, 1.70]],
        [-1.50, -1.50],
        [3.60, -6.60],
        [-1.09, -0.41],
        -1.50,
    ),
}

each_model = pytest.mark.parametrize("model", FIGURE_1.values(), ids=FIGURE_1.keys())


@each_model
def test_figure_1_measures(model: SpreadsheetModel) -> None:
    table = table_of(model.counts)
    for name, printed in zip(WHOLE_PERCENTS, model.whole_percents, strict=True):
        assert ew.measure(table, name) == pytest.approx(printed, abs=PERCENT), name
    for name, printed in zip(PERCENTS, model.percents, strict=True):
        assert ew.measure(table, name) == pytest.approx(printed, abs=HUNDREDTH_OF_A_PERCENT), name


@each_model
def test_figure_1_edges(model: SpreadsheetModel) -> None:
    """With two classes both labels have the same edge, which is B, and the break-even margin is B too."""
    table = table_of(model.counts)
    for name in ("informedness", "informedness[+]", "informedness[-]", "break_even_margin"):
        assert ew.measure(table, name) == pytest.approx(model.edge, abs=1e-12), name


@each_model
def test_figure_1_dollars(model: SpreadsheetModel) -> None:
    """Every cell, the "Won" column, the column totals and the "Weighted" column with its total."""
    played = ew.payoffs(table_of(model.counts), pool=10)
    np.testing.assert_allclose(played.cells, model.cells, rtol=0, atol=CENT)
    np.testing.assert_allclose(played.rows, model.won, rtol=0, atol=CENT)
    np.testing.assert_allclose(played.columns, model.columns, rtol=0, atol=CENT)
    np.testing.assert_allclose(played.weighted, model.weighted, rtol=0, atol=CENT)
    assert played.total == pytest.approx(model.total, abs=CENT)


def test_model_3_is_model_1_informed_15_percent_of_the_time() -> None:
    mixture = ew.decisions.informed_mixture([0.7, 0.3], [0.8, 0.2], 0.15, cases=100)
    np.testing.assert_allclose(mixture.counts, FIGURE_1["model 3"].counts, atol=1e-12)
    wrong = ew.decisions.informed_mixture([0.7, 0.3], [0.8, 0.2], -0.15, cases=100)
    np.testing.assert_allclose(wrong.counts, FIGURE_1["model 4"].counts, atol=1e-12)


# -- the rest of the paper ----------------------------------------------------------------------------------


def test_always_saying_noun() -> None:
    """Paper, "Label Bias": recall 100%, precision 90%; and no information."""
    table = table_of([[90, 10], [0, 0]])
    seen = [ew.measure(table, name) for name in ("recall[+]", "precision[+]", "informedness")]
    assert seen == pytest.approx([1.0, 0.9, 0.0], abs=1e-12)


# Paper, the 12 x 12 table of "dog" and "train": (label, recall, precision, F, G), all in whole percents.
# Its matrix is not printed, and r and p are rounded, so F and G come out to one in the last digit.
TWELVE_CLASSES = [
    ("A", 100, 35, 52, 60),
    ("B", 3, 100, 5, 16),
    ("E", 33, 100, 50, 58),
    ("G", 7, 33, 11, 15),
    ("H", 13, 25, 17, 18),
    ("I", 10, 100, 18, 32),
    ("K", 33, 25, 29, 29),
    ("M", 100, 33, 50, 58),
    ("N", 100, 24, 39, 49),
    ("O", 8, 25, 13, 14),
    ("P", 13, 100, 22, 35),
    ("Z", 20, 100, 33, 45),
]


@pytest.mark.parametrize(("label", "recall", "precision", "f", "g"), TWELVE_CLASSES)
def test_twelve_classes(label: str, recall: int, precision: int, f: int, g: int) -> None:
    hits = recall * precision
    counts = [[hits, 100 * recall - hits], [100 * precision - hits, 1]]
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=[label, "rest"])
    assert ew.measure(table, f"recall[{label}]") == pytest.approx(recall / 100, abs=1e-12)
    assert ew.measure(table, f"precision[{label}]") == pytest.approx(precision / 100, abs=1e-12)
    assert abs(round(100 * ew.measure(table, f"f[{label}]")) - f) <= 1
    assert abs(round(100 * ew.measure(table, f"g[{label}]")) - g) <= 1


def test_abstentions_discount_informedness() -> None:
    """Paper: "overall informedness is estimated at 0.86 * 0.34 = 29%", 170 of 500 cases being classified.

    Its matrix is not printed. Here ten times as many cases: 1700 kept with B = (790 - 59)/850 = 0.86, and a
    catch-all class of 3300 that is ignored.
    """
    catch_all = ew.ContingencyTable.from_matrix(
        [[790, 59, 0], [60, 791, 0], [1000, 2300, 0]], rows="predicted", labels=["dog", "train", "catch-all"]
    )
    kept = catch_all.map_predictions({"catch-all": None})
    assert ew.measure(kept, "coverage") == pytest.approx(170 / 500, abs=1e-12)
    assert ew.measure(kept, "informedness(abstentions=drop)") == pytest.approx(0.86, abs=1e-12)
    assert ew.measure(kept, "informedness") == pytest.approx(0.86 * 170 / 500, abs=1e-12)
    assert round(ew.measure(kept, "informedness(abstentions=discount)"), 2) == 0.29
    # Route (a) of MATH A6 by hand: all 5000 cases stay in the shares (1850 dogs, 3150 trains).
    dog, train = 790 / 1850 - 59 / 3150, 791 / 3150 - 60 / 1850
    by_hand = (849 * dog + 851 * train) / 5000
    assert ew.measure(kept, "informedness(abstentions=zero_weight)") == pytest.approx(by_hand, abs=1e-12)


# -- MATH, section A ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("informedness", 31 / 72),
        ("adjusted_balanced_accuracy", 0.416667),
        ("macro_informedness", 0.388889),
        ("micro_informedness", 0.375),
        ("real_weighted_informedness", 0.333333),
        ("markedness", 0.310714),
    ],
)
def test_six_definitions_told_apart(measure: str, value: float) -> None:
    table = ew.ContingencyTable.from_matrix([[3, 0, 0], [0, 1, 2], [2, 1, 3]], rows="real")
    assert ew.measure(table, measure) == pytest.approx(value, abs=5e-7)


def test_all_wrong_in_a_circle() -> None:
    """MATH: cyclic all-wrong with three equal classes has B = -0.5, not -1."""
    circle = ew.ContingencyTable.from_matrix([[0, 4, 0], [0, 0, 4], [4, 0, 0]], rows="predicted")
    assert ew.measure(circle, "informedness") == pytest.approx(-0.5, abs=1e-12)


def test_informedness_is_not_the_share_of_informed_decisions() -> None:
    """MATH A3: r = (.9, .1), informed .2 and .9 of the time, guesses (.9, .1): 27% informed, B = 0.83."""
    real, informed, guess = (0.9, 0.1), (0.2, 0.9), (0.9, 0.1)
    cells = [
        [real[k] * ((1 - informed[k]) * guess[row] + informed[k] * (row == k)) for k in range(2)]
        for row in range(2)
    ]
    np.testing.assert_allclose(cells, [[0.828, 0.009], [0.072, 0.091]], atol=1e-15)
    assert real[0] * informed[0] + real[1] * informed[1] == pytest.approx(0.27, abs=1e-15)
    counted = table_of([[828, 9], [72, 91]])
    assert ew.measure(counted, "informedness") == pytest.approx(0.83, abs=1e-12)
    assert ew.measure(table_of(cells), "informedness") == pytest.approx(0.83, abs=1e-12)
