"""Every measure of a ranking against its definition, over every order that its ties allow.

A definition below is written from the literature for a strict order, in fractions. A tie means all orders
of its items, equally likely: the expected value is their mean, the best and the worst are their extremes.
Nothing here calls the program to compute what is expected.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import edgeworth as ew
from brute_force import Number, over
from edgeworth.rankings.measure_lookup import resolve_ranking, tie_groups_of

Item = tuple[int, int]
"""Score and grade; grade 0 is background."""

Order = tuple[int, ...]
"""Grades from the best place to the worst."""


@dataclass(frozen=True)
class Strict:
    """One strict order, and the grades of the targets that were never ranked."""

    order: Order
    lost: Order = ()

    @functools.cached_property
    def ranks(self) -> list[int]:
        return [rank for rank, grade in enumerate(self.order, 1) if grade]

    @functools.cached_property
    def targets(self) -> int:
        return len(self.ranks) + len(self.lost)

    @property
    def items(self) -> int:
        return len(self.order) + len(self.lost)

    @functools.cached_property
    def background(self) -> int:
        return sum(not grade for grade in self.order)

    def hits(self, depth: int) -> int:
        return sum(rank <= depth for rank in self.ranks)


ENDLESS = 10**6
Definition = Callable[[Strict], Number]


def average_precision(depth: int = ENDLESS, *, reachable: bool = False) -> Definition:
    def defined(strict: Strict) -> Number:
        result = sum(
            (Fraction(i, rank) for i, rank in enumerate(strict.ranks, 1) if rank <= depth), Fraction()
        )
        return over(result, min(strict.targets, depth) if reachable else strict.targets)

    return defined


def reciprocal_rank(depth: int = ENDLESS) -> Definition:
    def defined(strict: Strict) -> Number:
        if not strict.targets:
            return None
        first = min(strict.ranks, default=ENDLESS + 1)
        return Fraction(1, first) if first <= depth else Fraction(0)

    return defined


def success(depth: int) -> Definition:
    return lambda strict: None if not strict.targets else Fraction(strict.hits(depth) > 0)


def hits(depth: int) -> Definition:
    return lambda strict: Fraction(strict.hits(depth))


def r_precision(strict: Strict) -> Number:
    return over(strict.hits(strict.targets), strict.targets)


def ndcg(depth: int = ENDLESS, *, exponential: bool = False) -> Definition:
    def gain(grade: int) -> int:
        return 2**grade - 1 if exponential else grade

    def discounted(grades: list[int]) -> float:
        return math.fsum(gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(grades[:depth], 1))

    def defined(strict: Strict) -> Number:
        best = discounted(sorted((*strict.order, *strict.lost), reverse=True))
        return discounted(list(strict.order)) / best if best else None

    return defined


def rbp(persistence: Fraction, depth: int = ENDLESS) -> Definition:
    def defined(strict: Strict) -> Number:
        reached = (persistence ** (rank - 1) for rank in strict.ranks if rank <= depth)
        return None if not strict.targets else (1 - persistence) * sum(reached, Fraction())

    return defined


def roc_auc(strict: Strict) -> Number:
    """Of all pairs of a target and a background item, those in which the target stands above."""
    right = sum(
        not other for index, grade in enumerate(strict.order) if grade for other in strict.order[index + 1 :]
    )
    return over(right, strict.targets * strict.background)


def enrichment_factor(fraction: Fraction) -> Definition:
    def defined(strict: Strict) -> Number:
        looked = math.ceil(fraction * strict.items)
        return over(over(strict.hits(looked), looked), over(strict.targets, strict.items))

    return defined


def value(depth: int, gain: Fraction, cost: Fraction) -> Definition:
    return lambda strict: gain * strict.hits(depth) - cost * min(depth, len(strict.order))


def recall(depth: int) -> Definition:
    return lambda strict: over(strict.hits(depth), strict.targets)


def precision(depth: int) -> Definition:
    return lambda strict: over(strict.hits(depth), min(depth, len(strict.order)))


def padded_precision(depth: int) -> Definition:
    """A list that ends before the depth is charged for the places it leaves empty, as by trec_eval."""
    return lambda strict: over(strict.hits(depth), depth)


def informedness(depth: int) -> Definition:
    def defined(strict: Strict) -> Number:
        alarms = min(depth, len(strict.order)) - strict.hits(depth)
        left, right = recall(depth)(strict), over(alarms, strict.background)
        return None if left is None or right is None else left - right

    return defined


DEPTHS = (1, 2, 4, 9)
QUARTER, HALF, SOME = Fraction(1, 4), Fraction(1, 2), Fraction(3, 10)

OF_ONE: dict[str, Definition] = {
    "average_precision": average_precision(),
    "r_precision": r_precision,
    "reciprocal_rank": reciprocal_rank(),
    "ndcg": ndcg(),
    "ndcg(gain=exponential)": ndcg(exponential=True),
    "rbp": rbp(Fraction(4, 5)),
    "rbp(persistence=0.5)": rbp(HALF),
    "roc_auc": roc_auc,
    "enrichment_factor": enrichment_factor(Fraction(1, 100)),
    "enrichment_factor(fraction=0.3)": enrichment_factor(SOME),
    "enrichment_factor(fraction=1)": enrichment_factor(Fraction(1)),
}
for _depth in DEPTHS:
    OF_ONE |= {
        f"average_precision@{_depth}": average_precision(_depth),
        f"average_precision@{_depth}(over=reachable)": average_precision(_depth, reachable=True),
        f"reciprocal_rank@{_depth}": reciprocal_rank(_depth),
        f"hits@{_depth}": hits(_depth),
        f"success@{_depth}": success(_depth),
        f"ndcg@{_depth}": ndcg(_depth),
        f"ndcg@{_depth}(gain=exponential)": ndcg(_depth, exponential=True),
        f"rbp@{_depth}(persistence=0.5)": rbp(HALF, _depth),
        f"value@{_depth}": value(_depth, Fraction(1), Fraction(1, 10)),
        f"value@{_depth}(cost=0.5, gain=3)": value(_depth, Fraction(3), HALF),
        f"recall@{_depth}": recall(_depth),
    }
OF_A_RANKING = OF_ONE | {
    spelling: definition
    for depth in DEPTHS
    for spelling, definition in (
        (f"precision@{depth}", precision(depth)),
        (f"informedness@{depth}", informedness(depth)),
    )
}
OF_LISTS = OF_ONE | {f"precision@{depth}": padded_precision(depth) for depth in DEPTHS}


# -- all orders, and all cuts --------------------------------------------------------------------------


def tie_groups(items: list[Item]) -> list[list[int]]:
    """The grades of each distinct score, best first."""
    return [
        [grade for score, grade in items if score == level]
        for level in sorted({score for score, _ in items}, reverse=True)
    ]


def all_orders(items: list[Item]) -> list[Order]:
    """Each order once: items of equal grade in one tie are alike, so every one is as likely as the others."""
    groups = [sorted(set(itertools.permutations(group))) for group in tie_groups(items)]
    return [tuple(itertools.chain.from_iterable(parts)) for parts in itertools.product(*groups)]


@functools.lru_cache(maxsize=64)
def all_strict(items: tuple[Item, ...], lost: Order) -> list[Strict]:
    return [Strict(order, lost) for order in all_orders(list(items))]


def mean(values: list[Number]) -> Number:
    known = [number for number in values if number is not None]
    assert len(known) in (0, len(values)), "a measure is defined in every order or in none"
    if not known:
        return None
    return math.fsum(known) / len(known) if isinstance(known[0], float) else sum(known) / len(known)


def expected(items: list[Item], lost: Order, definition: Definition) -> Number:
    return mean([definition(strict) for strict in all_strict(tuple(items), lost)])


Cut = tuple[int, int]
"""Targets found and items seen."""


def cuts(items: list[Item]) -> list[Cut]:
    """What a threshold can do: nothing, then down to the end of each tie."""
    results = [(0, 0)]
    for group in tie_groups(items):
        results.append((results[-1][0] + sum(grade > 0 for grade in group), results[-1][1] + len(group)))
    return results


def hit_curve(items: list[Item]) -> list[Fraction]:
    """h(t) for t = 0, 1, …: a tie spreads its targets evenly over its places."""
    curve = [Fraction(0)]
    for group in tie_groups(items):
        curve += [
            curve[-1] + Fraction(sum(g > 0 for g in group) * index, len(group))
            for index in range(1, len(group) + 1)
        ]
    return curve


def threshold_precision(items: list[Item], targets: int) -> Number:
    """Σ (recall_i − recall_{i−1}) · precision_i over thresholds."""
    groups = itertools.pairwise(cuts(items))
    return over(
        sum((Fraction(new - old) * Fraction(new, seen) for (old, _), (new, seen) in groups), Fraction()),
        targets,
    )


def interpolated(items: list[Item], targets: int, level: Fraction, *, rounds: bool = False) -> Number:
    """Interpolated precision; trec_eval 10 ``rounds`` the number of targets, a half upwards."""
    if not targets:
        return None
    wanted = math.floor(level * targets + Fraction(1, 2)) if rounds else level * targets
    reached = [Fraction(result, seen) for result, seen in cuts(items)[1:] if result >= wanted]
    return max(reached, default=Fraction(0))


def eleven_points(items: list[Item], targets: int, *, rounds: bool = False) -> Number:
    return mean([interpolated(items, targets, Fraction(level, 10), rounds=rounds) for level in range(11)])


def precision_recall_area(items: list[Item], targets: int) -> Number:
    """∫ (H + x)/(T + x·s/a) dx over the a targets of each tie of s items, by Gauss and Legendre."""
    if not targets:
        return None
    nodes, weights = np.polynomial.legendre.leggauss(60)
    area = 0.0
    for (above, seen), (below, upto) in itertools.pairwise(cuts(items)):
        result, size = below - above, upto - seen
        if result:
            x = (nodes + 1) * result / 2
            area += float(weights @ ((above + x) / (seen + x * size / result))) * result / 2
    return area / targets


def best_cut(items: list[Item], gain: Fraction, cost: Fraction) -> tuple[Fraction, int]:
    """The best value of looking at the first t, and the smallest such t."""
    worth = [gain * result - cost * depth for depth, result in enumerate(hit_curve(items))]
    return max(worth), worth.index(max(worth))


def best_informedness(items: list[Item], targets: int) -> Number:
    background = sum(not grade for _, grade in items)
    if not targets or not background:
        return None
    return max(
        Fraction(result, targets) - Fraction(seen - result, background) for result, seen in cuts(items)
    )


# -- one ranking ---------------------------------------------------------------------------------------

SCORES = st.integers(0, 3) | st.integers(0, 9)
flags = st.lists(st.tuples(SCORES, st.integers(0, 1)), min_size=1, max_size=7)
graded = st.lists(st.tuples(SCORES, st.integers(0, 3)), min_size=1, max_size=5)
unranked = st.integers(0, 2)

ALL_TIED: list[Item] = [(1, 1), (1, 0), (1, 0), (1, 1), (1, 1), (1, 0), (1, 0)]
ALL_TARGETS: list[Item] = [(1, 1), (1, 1), (2, 1)]
NO_TARGETS: list[Item] = [(1, 0), (1, 0), (2, 0)]


def ranking_of(items: list[Item], lost: int = 0) -> ew.Ranking:
    scores, grades = zip(*items, strict=True)
    return ew.Ranking.from_scores([int(grade > 0) for grade in grades], list(scores), unranked=lost)


def assert_value(answer: float, wanted: Number, message: str) -> None:
    if wanted is None:
        assert math.isnan(answer), f"{message} is undefined, not {answer}"
    else:
        assert answer == pytest.approx(float(wanted), rel=1e-12, abs=1e-12), message


@pytest.mark.slow
@given(flags, unranked)
@example(ALL_TIED, 0)
@example(ALL_TIED, 2)
@example(ALL_TARGETS, 0)
@example(ALL_TARGETS, 1)
@example(NO_TARGETS, 0)
@example(NO_TARGETS, 1)
@example([(1, 1)], 0)
@example([(1, 0)], 0)
def test_expected_ties_are_the_mean_over_all_orders(items: list[Item], lost: int) -> None:
    ranking = ranking_of(items, lost)
    for spelling, definition in OF_A_RANKING.items():
        assert_value(ew.measure(ranking, spelling), expected(items, (1,) * lost, definition), spelling)


@given(flags, unranked)
@example(ALL_TIED, 1)
def test_best_and_worst_are_the_extremes_over_all_orders(items: list[Item], lost: int) -> None:
    ranking = ranking_of(items, lost)
    values = [average_precision()(Strict(order, (1,) * lost)) for order in all_orders(items)]
    best, worst = (None, None) if values[0] is None else (max(values), min(values))
    assert_value(ew.measure(ranking, "average_precision(ties=best)"), best, "best")
    assert_value(ew.measure(ranking, "average_precision(ties=worst)"), worst, "worst")


@given(flags, unranked)
@example(ALL_TIED, 0)
@example(NO_TARGETS, 0)
@example(NO_TARGETS, 2)
def test_measures_over_cuts_equal_trying_every_cut(items: list[Item], lost: int) -> None:
    ranking, targets = ranking_of(items, lost), sum(grade for _, grade in items) + lost
    wanted: dict[str, Number] = {
        "average_precision(ties=threshold)": threshold_precision(items, targets),
        "eleven_point_precision": eleven_points(items, targets),
        "pr_auc": precision_recall_area(items, targets),
        "best_informedness": best_informedness(items, targets),
    }
    for level in ("0", "0.1", "0.3", "0.5", "0.7", "1"):
        spelling = f"interpolated_precision(recall={level})"
        wanted[spelling] = interpolated(items, targets, Fraction(level))
    for gain, cost in ((1, "0.25"), (3, "0.5"), (1, "0"), (1, "1"), (0, "0"), (-1, "0.5"), (2, "1")):
        best, depth = best_cut(items, Fraction(gain), Fraction(cost))
        wanted[f"best_value(gain={gain}, cost={cost})"] = best
        wanted[f"best_depth(gain={gain}, cost={cost})"] = Fraction(depth)
    for spelling, number in wanted.items():
        assert_value(ew.measure(ranking, spelling), number, spelling)


def test_the_seed_example() -> None:
    first = ew.Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0])
    assert ew.measure(first, "average_precision") == pytest.approx(11 / 12, rel=1e-15)
    assert round(ew.measure(first, "average_precision"), 4) == 0.9167
    second = ew.Ranking.from_hits([0, 1, 0, 0, 1, 1, 0, 0])
    assert ew.measure(second, "average_precision") == pytest.approx(7 / 15, rel=1e-15)
    assert round(ew.measure(second, "average_precision"), 4) == 0.4667


def chance_mean(items: int, targets: int) -> Fraction:
    """Su & Zhang's mean of AP under random selection, as put right in our notes: E[W] = q1 H + q2 (n − H)."""
    harmonic = sum((Fraction(1, k) for k in range(1, items + 1)), Fraction())
    first = Fraction(targets, items)
    second = first * Fraction(targets - 1, items - 1) if items > 1 else Fraction(0)
    return (first * harmonic + second * (items - harmonic)) / targets


@pytest.mark.parametrize(("items", "targets"), [(1, 1), (2, 1), (5, 2), (7, 3), (7, 7), (6, 1)])
def test_all_tied_is_random_selection(items: int, targets: int) -> None:
    tied = [(1, int(index < targets)) for index in range(items)]
    assert expected(tied, (), average_precision()) == chance_mean(items, targets)
    assert_value(ew.measure(ranking_of(tied), "average_precision"), chance_mean(items, targets), "all tied")


@pytest.mark.parametrize(
    ("items", "targets", "message"),
    [(5, 2, 237 / 400), (10, 3, 14581 / 32400), (100, 10, 0.13806706834217836), (3000, 245, 0.0839889)],
)
def test_published_means_of_random_selection(items: int, targets: int, message: float) -> None:
    tied = ew.Ranking.from_scores([1, 0], [0.5, 0.5], weights=[targets, items - targets])
    computed = ew.measure(tied, "average_precision")
    assert computed == pytest.approx(float(chance_mean(items, targets)), rel=1e-12)
    assert computed == pytest.approx(message, rel=1e-12 if message != 0.0839889 else 5e-7)


@settings(max_examples=30)
@given(flags, unranked)
@example(NO_TARGETS, 1)
def test_chance_is_the_mean_over_every_order_of_everything(items: list[Item], lost: int) -> None:
    """Targets that were never ranked are drawn too, so at random they stand among the others."""
    ranking = ranking_of(items, lost)
    everything = [(0, grade) for _, grade in items] + [(0, 1)] * lost
    for spelling, definition in OF_A_RANKING.items():
        resolved = resolve_ranking(ranking, spelling)
        result = float(resolved.at_random(tie_groups_of(ranking, resolved))[0])
        if len(everything) <= 7 and resolved.measure.scope == "ranking":
            assert_value(result, expected(everything, (), definition), spelling)


@pytest.mark.parametrize("size", [10, 10**4, 10**6, 10**9])
@pytest.mark.parametrize(("answer", "depth"), [(1, 1), (1, 7), (3, 2), (2, 9)])
def test_success_keeps_its_digits_in_a_large_tie(size: int, answer: int, depth: int) -> None:
    tied = ew.Ranking.from_scores([1, 0], [0.5, 0.5], weights=[answer, size - answer])
    missed = Fraction(math.comb(size - depth, answer), math.comb(size, answer))
    assert ew.measure(tied, f"success@{depth}") == pytest.approx(float(1 - missed), rel=1e-9, abs=0)


@pytest.mark.parametrize("size", [50, 10**4, 10**7, 10**12])
@pytest.mark.parametrize("above", [0, 3, 10**6])
def test_average_precision_keeps_its_digits_in_a_large_tie(size: int, above: int) -> None:
    """One target in a tie of s items after T others: (1/s) Σ 1/(T + j), a difference of harmonic numbers."""
    ranking = ew.Ranking.from_scores([1, 0, 0], [0.5, 0.5, 0.9], weights=[1, size - 1, above])
    if size <= 10**4:
        wanted = math.fsum(1 / (above + position) for position in range(1, size + 1)) / size
    else:
        start = max(above, 10**4)
        head = math.fsum(1 / index for index in range(above + 1, start + 1))
        end = above + size
        tail = (
            math.log1p((end - start) / start) + (1 / end - 1 / start) / 2 - (1 / end**2 - 1 / start**2) / 12
        )
        wanted = (head + tail) / size
    assert ew.measure(ranking, "average_precision") == pytest.approx(wanted, rel=1e-13)


# -- many lists ----------------------------------------------------------------------------------------


def lists_of(many: list[list[Item]], **options: Any) -> ew.RankedLists:
    scores, truth, groups = [], [], []
    for number, items in enumerate(many):
        for score, grade in items:
            scores.append(score)
            truth.append(grade)
            groups.append(number)
    return ew.RankedLists.from_scores(truth, scores, groups=groups, **options)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(graded, min_size=1, max_size=3))
@example([[(1, 2), (1, 0), (1, 1), (1, 0)], NO_TARGETS, ALL_TARGETS])
def test_lists_against_all_orders(many: list[list[Item]]) -> None:
    lists = lists_of(many)
    for spelling, definition in OF_LISTS.items():
        wanted = [expected(items, (), definition) for items in many]
        result = ew.measure_each(lists, spelling)
        assert list(result) == list(range(len(many)))
        for number, one in enumerate(wanted):
            assert_value(result[number], one, f"{spelling} of list {number}")
        counted = [
            float(one)
            for one, items in zip(wanted, many, strict=True)
            if one is not None and any(grade for _, grade in items)
        ]
        assert_value(
            ew.measure(lists, spelling), math.fsum(counted) / len(counted) if counted else None, spelling
        )


@given(st.lists(graded, min_size=1, max_size=3))
def test_lists_over_cuts(many: list[list[Item]]) -> None:
    lists = lists_of(many)
    wanted: dict[str, Callable[[list[Item], int], Number]] = {
        "average_precision(ties=threshold)": threshold_precision,
        "eleven_point_precision": eleven_points,
        "pr_auc": precision_recall_area,
        "best_informedness": best_informedness,
        "interpolated_precision(recall=0.3)": lambda items, targets: interpolated(items, targets, SOME),
        "best_value(cost=0.25)": lambda items, _: best_cut(items, Fraction(1), QUARTER)[0],
        "best_depth(cost=0.25)": lambda items, _: Fraction(best_cut(items, Fraction(1), QUARTER)[1]),
    }
    for spelling, definition in wanted.items():
        result = ew.measure_each(lists, spelling)
        for number, items in enumerate(many):
            assert_value(result[number], definition(items, sum(grade > 0 for _, grade in items)), spelling)


@settings(max_examples=20)
@given(st.lists(flags, min_size=1, max_size=4))
def test_a_list_is_a_ranking(many: list[list[Item]]) -> None:
    """All measures of the catalogue, with whole tie groups and at depths that the list fills."""
    lists = lists_of(many)
    for measure in ew.catalogue(kind="rankings"):
        at = "" if measure.depth != "required" else "@3"
        for policy in ("expected", "threshold", "best", "worst"):
            # Nobody judged the items of a ranking.
            if policy not in measure.options["ties"].choices or measure.name == "judged":
                continue
            spelling = f"{measure.name}{at}(ties={policy})"
            for number, result in ew.measure_each(lists, spelling).items():
                alone = ew.measure(ranking_of(many[int(str(number))]), spelling)
                assert result == pytest.approx(alone, rel=1e-12, abs=1e-12, nan_ok=True), spelling


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_lists_at_once_equal_one_at_a_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, size=10).tolist()
    many = [
        list(zip(rng.integers(0, 4, n).tolist(), rng.integers(0, 3, n).tolist(), strict=True)) for n in sizes
    ]
    lists = lists_of(many, ids=[f"d{row * 7 % 97:02}" for row in range(sum(map(len, many)))])
    for measure in ew.catalogue(kind="rankings"):
        for policy in measure.options["ties"].choices:
            spelling = f"{measure.name}{'' if measure.depth != 'required' else '@2'}(ties={policy})"
            together = ew.measure_each(lists, spelling)
            alone = {
                query: ew.measure_each(lists.select([query]), spelling)[query] for query in lists.queries
            }
            assert together == pytest.approx(alone, rel=1e-15, nan_ok=True), spelling


@pytest.mark.slow
@settings(max_examples=20)
@given(graded, st.permutations(range(6)))
def test_strict_orders(items: list[Item], numbers: list[int]) -> None:
    """``input`` puts the earlier row first in a tie, ``trec`` the higher id: one order each."""
    ids = [f"d{number}" for number in numbers[: len(items)]]
    lists = lists_of([items], ids=ids)
    rows = range(len(items))
    by_row = sorted(rows, key=lambda row: (-items[row][0], row))
    by_id = sorted(sorted(rows, key=lambda row: ids[row], reverse=True), key=lambda row: -items[row][0])
    for ties, arranged in (("input", by_row), ("trec", by_id)):
        strict = Strict(tuple(items[row][1] for row in arranged))
        for spelling, definition in OF_LISTS.items():
            name, _, options = spelling.partition("(")
            spelt = f"{name}({options.removesuffix(')')}{', ' if options else ''}ties={ties})"
            assert_value(ew.measure_each(lists, spelt)[0], definition(strict), spelt)
        untied = [(-index, grade) for index, grade in enumerate(strict.order)]
        for spelling, wanted in {
            "eleven_point_precision": eleven_points(untied, strict.targets, rounds=ties == "trec"),
            "best_depth": best_cut(untied, Fraction(1), Fraction(1, 10))[1] if strict.targets else 0,
            "pr_auc": precision_recall_area(untied, strict.targets),
        }.items():
            assert_value(ew.measure_each(lists, f"{spelling}(ties={ties})")[0], wanted, spelling)


def judged_preference(strict: Strict) -> Number:
    """Buckley & Voorhees, as trec_eval computes it; every item is judged here."""
    if not strict.targets:
        return None
    fewer, total = min(strict.targets, strict.background), Fraction(0)
    for rank in strict.ranks:
        above = sum(not grade for grade in strict.order[:rank])
        total += 1 - Fraction(min(above, strict.targets), fewer) if above else 1
    return total / strict.targets


@given(graded)
@example(ALL_TARGETS)
def test_bpref_of_judged_lists(items: list[Item]) -> None:
    arranged = sorted(range(len(items)), key=lambda row: (-items[row][0], row))
    strict = Strict(tuple(items[row][1] for row in arranged))
    assert_value(ew.measure(lists_of([items]), "bpref(ties=input)"), judged_preference(strict), "bpref")


@given(st.lists(flags, min_size=1, max_size=4))
@example([NO_TARGETS, ALL_TIED])
@example([NO_TARGETS])
def test_lists_without_targets_are_left_out_or_count_as_zero(many: list[list[Item]]) -> None:
    left_out = lists_of(many)
    counted = ew.RankedLists.from_dict(left_out.to_dict() | {"empty_is_zero": True})
    assert counted.empty_is_zero
    values = [expected(items, (), average_precision()) for items in many]
    known = [number for number in values if number is not None]
    assert_value(ew.measure(left_out, "average_precision"), mean(list(known)) if known else None, "left out")
    assert_value(ew.measure(counted, "average_precision"), sum(known, Fraction()) / len(many), "as zero")


def test_the_threshold_of_relevance_decides_what_is_found() -> None:
    lists = lists_of([[(3, 1), (2, 2), (1, 0)]])
    higher = lists.with_threshold(2)
    assert ew.measure(lists, "average_precision") == 1
    assert ew.measure(higher, "average_precision") == 0.5
    assert ew.measure(higher, "recall@1") == 0
    assert math.isnan(ew.measure(lists.with_threshold(3), "average_precision"))
    # A gain counts from grade 1 on all the same, as in trec_eval.
    assert ew.measure(higher, "ndcg") == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
