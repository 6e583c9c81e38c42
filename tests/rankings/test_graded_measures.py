"""ERR, the share of judged items, and targets from a grade on: by their definitions, item by item."""

from __future__ import annotations

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import OptionError


def cascade(grades: list[int], highest: int) -> float:
    """Chapelle et al. 2009, algorithm 2: P(stop at rank r)/r, a reader going down the list."""
    left, total = 1.0, 0.0
    for rank, grade in enumerate(grades, start=1):
        stop = (2**grade - 1) / 2**highest
        total += left * stop / rank
        left *= 1 - stop
    return total


def lists_of(item: list[list[int]], **options: int) -> ew.RankedLists:
    grades = np.concatenate(item)
    groups = np.repeat(np.arange(len(item)), [len(x) for x in item])
    return ew.RankedLists.from_scores(grades, -np.arange(float(len(grades))), groups=groups, **options)


def test_err_is_that_of_the_cascade() -> None:
    rng = np.random.default_rng(1)
    results = [[*rng.integers(0, 5, rng.integers(3, 12)).tolist(), 1] for _ in range(40)]
    for depth in (None, 1, 3, 10):
        at = "" if depth is None else f"@{depth}"
        values = list(ew.measure_each(lists_of(results), f"ERR{at}(ties=input)").values())
        assert values == pytest.approx([cascade(grades[:depth], 4) for grades in results], rel=1e-12)
    binary = [[int(grade > 2) for grade in grades] + [1] for grades in results]
    values = list(ew.measure_each(lists_of(binary), "err(max_grade=1, ties=input)").values())
    assert values == pytest.approx([cascade(grades, 1) for grades in binary], rel=1e-12)


def test_err_of_published_stops() -> None:
    """A perfect document first: 15/16, and what is left of 1/16 goes to the second, at rank 2."""
    assert ew.measure(lists_of([[4, 4, 0]]), "ERR(ties=input)") == pytest.approx(15 / 16 + 15 / 16 / 16 / 2)


def test_err_refuses_a_grade_beyond_its_scale_and_ties_without_order() -> None:
    with pytest.raises(OptionError, match=r"write err\(max_grade=5\)"):
        ew.measure(lists_of([[5, 0]]), "err(ties=input)")
    with pytest.raises(OptionError, match="needs document ids or an order"):
        ew.measure(ew.Ranking.from_hits([1, 0]), "err(ties=trec)")


@pytest.mark.parametrize("spelling", ["AP(rel=2)", "P(rel=2)@3", "RR(rel=3)@5", "Rprec(rel=2)"])
def test_a_grade_of_its_own_is_the_same_as_lists_counted_from_it(spelling: str) -> None:
    rng = np.random.default_rng(2)
    results = [rng.integers(0, 4, 9).tolist() for _ in range(30)]
    plain, _, rest = spelling.partition("(rel=")
    grade, _, depth = rest.partition(")")
    counted = lists_of(results, relevant_from=int(grade))
    lists = lists_of(results)
    assert ew.measure(lists, spelling) == ew.measure(counted, f"{plain}{depth}")
    result, known = ew.estimate(lists, spelling), ew.estimate(counted, f"{plain}{depth}")
    assert (*result.interval(), result.chance) == (*known.interval(), known.chance)
    assert ew.measure_each(lists, spelling) == pytest.approx(
        ew.measure_each(counted, f"{plain}{depth}"), nan_ok=True
    )


def test_a_ranking_knows_no_grades() -> None:
    with pytest.raises(OptionError, match="has no grades"):
        ew.measure(ew.Ranking.from_hits([1, 0]), "AP(rel=2)")
    with pytest.raises(OptionError, match="relevant_from of average_precision lies between 1 and"):
        ew.measure(lists_of([[1, 0]]), "AP(rel=0)")


def test_judged_is_the_share_of_the_top_with_a_judgement(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 x -1\n2 0 c 0\n2 0 d 0\n3 0 e 1\n")
    (folder / "run").write_text(
        "1 Q0 a 1 9 r\n1 Q0 x 2 8 r\n1 Q0 b 3 7 r\n1 Q0 y 4 6 r\n2 Q0 y 1 3 r\n2 Q0 d 2 2 r\n3 Q0 z 1 1 r\n"
    )
    lists = ew.RankedLists.from_trec(folder / "qrels", folder / "run")
    assert list(ew.measure_each(lists, "Judged@1").values()) == [1, 0, 0]
    assert list(ew.measure_each(lists, "Judged@3").values()) == pytest.approx([2 / 3, 1 / 2, 0])
    assert ew.measure(lists, "Judged@3") == pytest.approx((2 / 3 + 1 / 2) / 3)
