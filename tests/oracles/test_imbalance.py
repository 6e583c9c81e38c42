"""Tables whose classes differ by up to fifteen powers of ten, against exact fractions of their counts."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

import edgeworth as ew
from edgeworth.errors import InputError

Cells = list[list[int]]
LARGEST = 2**53


def digits(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def root(number: Fraction) -> float:
    return float(digits(number).sqrt())


def bits(counts: list[int]) -> Decimal:
    """The entropy of counts, in bits."""
    shares = [digits(Fraction(c, sum(counts))) for c in counts if c]
    return -sum((share * share.ln() for share in shares), Decimal(0)) / Decimal(2).ln()


def expected(c: Cells) -> dict[str, float]:
    """Each measure from its definition; rows of ``c`` are predicted."""
    size = range(len(c))
    n = sum(map(sum, c))
    p, r = [sum(row) for row in c], [sum(row[k] for row in c) for k in size]
    hits = [c[k][k] for k in size]
    recall = [Fraction(hits[k], r[k]) for k in size]
    precision = [Fraction(hits[k], p[k]) for k in size]
    fallout = [Fraction(p[k] - hits[k], n - r[k]) for k in size]
    omission = [Fraction(r[k] - hits[k], n - p[k]) for k in size]
    edges = [recall[k] - fallout[k] for k in size]
    covariance = n * sum(hits) - sum(p[k] * r[k] for k in size)
    results: dict[str, Fraction | float] = {
        "informedness": sum(Fraction(p[k], n) * edges[k] for k in size),
        "markedness": sum(Fraction(r[k], n) * (precision[k] - omission[k]) for k in size),
        "macro_informedness": sum(edges) / len(c),
        "real_weighted_informedness": sum(Fraction(r[k], n) * edges[k] for k in size),
        "accuracy": Fraction(sum(hits), n),
        "error_rate": Fraction(n - sum(hits), n),
        "balanced_accuracy": sum(recall) / len(c),
        "kappa": Fraction(covariance, n * n - sum(p[k] * r[k] for k in size)),
        "mcc": math.copysign(1, covariance)
        * root(Fraction(covariance**2, (n * n - sum(x * x for x in p)) * (n * n - sum(x * x for x in r)))),
        "macro_f": sum(Fraction(2 * hits[k], p[k] + r[k]) for k in size) / len(c),
        "break_even_margin": sum(recall) - 1,
    }
    winnings = sum(recall) - Fraction(sum(hits), n)
    results["break_even_commission"] = 1 - Fraction(n - sum(hits), n) / winnings
    for k in size:
        determinant = n * hits[k] - p[k] * r[k]
        results |= {
            f"recall[{k}]": recall[k],
            f"fallout[{k}]": fallout[k],
            f"precision[{k}]": precision[k],
            f"inverse_recall[{k}]": 1 - fallout[k],
            f"inverse_precision[{k}]": 1 - omission[k],
            f"informedness[{k}]": edges[k],
            f"markedness[{k}]": precision[k] - omission[k],
            f"mcc[{k}]": math.copysign(1, determinant)
            * root(Fraction(determinant**2, p[k] * r[k] * (n - p[k]) * (n - r[k]))),
            f"lift[{k}]": Fraction(hits[k] * n, p[k] * r[k]),
            f"jaccard[{k}]": Fraction(hits[k], p[k] + r[k] - hits[k]),
            f"evenness[{k}]": Fraction(r[k] * (n - r[k]), n * n),
            f"g[{k}]": root(Fraction(hits[k] ** 2, p[k] * r[k])),
        }
    pairs = [math.comb(n, 2), sum(math.comb(x, 2) for x in p), sum(math.comb(x, 2) for x in r)]
    both = sum(math.comb(x, 2) for row in c for x in row)
    results["rand_index"] = Fraction(pairs[0] - pairs[1] - pairs[2] + 2 * both, pairs[0])
    chance = Fraction(pairs[1] * pairs[2], pairs[0])
    results["adjusted_rand_index"] = (both - chance) / (Fraction(pairs[1] + pairs[2], 2) - chance)
    square = sum(Fraction((c[j][k] * n - p[j] * r[k]) ** 2, n * p[j] * r[k]) for j in size for k in size)
    results["chi_square"] = square
    results["cramers_v"] = root(square / (n * (len(c) - 1)))
    joint = bits([x for row in c for x in row])
    results["conditional_entropy"] = float(joint - bits(p))
    results["mutual_information"] = float(bits(p) + bits(r) - joint)
    results["information_share"] = float((bits(p) + bits(r) - joint) / bits(r))
    results["real_entropy"] = float(bits(r))
    return {name: float(value) for name, value in results.items()}


@pytest.mark.parametrize("size", [10**3, 10**11, 10**14, 10**15, int(10**15.9), LARGEST - 40])
@pytest.mark.parametrize(
    "rest", [[[0, 10], [0, 10]], [[0, 7], [3, 10]], [[0, 5, 1], [2, 9, 4], [1, 0, 8]]], ids=str
)
def test_measures_of_very_unequal_classes_are_those_of_exact_fractions(size: int, rest: Cells) -> None:
    cells = [[size + rest[0][0], *rest[0][1:]], *rest[1:]]
    table = ew.ContingencyTable.from_matrix(cells, rows="predicted")
    with localcontext() as context:
        context.prec = 80
        wanted = expected(cells)
    for spelling, value in wanted.items():
        assert ew.measure(table, spelling) == pytest.approx(value, rel=1e-9), spelling
    informed = wanted["informedness"]
    assert ew.decisions.payoffs(table).total == pytest.approx(10 * informed, rel=1e-9)


def test_more_cases_than_floats_hold_are_refused() -> None:
    table = ew.ContingencyTable.from_matrix([[LARGEST, 10], [0, 10]], rows="predicted")
    with pytest.raises(InputError, match="2\\^53"):
        ew.measure(table, "informedness")
