"""Collapsed rankings: background between targets is counted and not kept, and no measure can tell."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import Ranking
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, MergeError
from edgeworth.rankings.findings import examine_ranking
from edgeworth.rankings.report import compose_ranking

NEXT = math.nextafter(1.0, 2.0)
SCORES = st.sampled_from([-math.inf, -2.0, -0.0, 0.0, 0.25, 0.5, 1.0, NEXT, 3.0, math.inf])
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.sampled_from([0, 1, 1, 2, 5])), min_size=2, max_size=25)
Row = tuple[bool, float, int]


def ranked(rows: list[Row], weights: str | None = None, unranked: int = 0) -> Ranking:
    truth, scores, numbers = (np.array(column) for column in zip(*rows, strict=True))
    given_weights = {"counts": numbers, "sampling": numbers * 0.7, None: None}[weights]
    return Ranking.from_scores(truth, scores, positive=True, weights=given_weights, unranked=unranked)


def with_both_classes(rows: list[Row]) -> list[Row]:
    return [*rows, (True, 0.5, 1), (False, 0.25, 1)]


def spans_by_hand(rows: list[Row], *, weighted: bool) -> list[tuple[float, float, int]]:
    """Background in each gap between targets and at each target: lowest score, highest score, cases."""
    heavy = [(truth, score + 0.0, number if weighted else 1) for truth, score, number in rows]
    targets = {score for truth, score, number in heavy if truth and number}
    result: dict[Any, list[tuple[float, int]]] = defaultdict(list)
    for truth, score, number in heavy:
        if not truth and number:
            results = (sum(target < score for target in targets), score in targets)
            result[results].append((score, number))
    spans = [
        (min(s for s, _ in part), max(s for s, _ in part), sum(n for _, n in part))
        for part in result.values()
    ]
    return sorted(spans)


def spans_of(ranking: Ranking) -> list[tuple[float, float, int]]:
    run = ranking.background
    weight = np.ones(len(run.scores), dtype=int) if run.weight is None else run.weight
    return list(zip(run.scores.tolist(), run.ends.tolist(), weight.tolist(), strict=True))


@given(ROWS, st.booleans())
def test_spans_are_those_found_by_hand(rows: list[Row], weighted: bool) -> None:
    rows = with_both_classes(rows)
    small = ranked(rows, "counts" if weighted else None).collapse()
    assert spans_of(small) == spans_by_hand(rows, weighted=weighted)
    assert "-0.0" not in str(spans_of(small))
    assert small.collapse() == small


# -- measures ------------------------------------------------------------------------------------------


def spellings(ranking: Ranking) -> list[str]:
    along = [measure.name for measure in ew.catalogue(kind="rankings")]
    cut = [
        f"{name}@{depth}" for name in ("precision", "recall", "informedness", "mcc") for depth in (1, 2, 5)
    ]
    ties = [f"average_precision(ties={ties})" for ties in ("threshold", "best", "worst")]
    return along + cut + (ties if ranking.is_counted else ties[:1])


def values_of(ranking: Ranking) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for spelling in spellings(ranking):
        try:
            results[spelling] = ew.measure(ranking, spelling)
        except ew.EdgeworthError as error:
            results[spelling] = str(error)
    return results


@pytest.mark.slow
@given(ROWS, st.sampled_from([None, "counts"]), st.sampled_from([0, 2]))
def test_no_measure_differs_in_any_digit(rows: list[Row], weights: str | None, unranked: int) -> None:
    exact = ranked(with_both_classes(rows), weights, unranked)
    whole, small = values_of(exact), values_of(exact.collapse())
    assert sum(isinstance(value, float) for value in whole.values()) > 20
    assert repr(whole) == repr(small)


@pytest.mark.slow
@given(ROWS)
def test_sampling_weights_differ_by_rounding_only(rows: list[Row]) -> None:
    exact = ranked(with_both_classes(rows), "sampling")
    whole, small = values_of(exact), values_of(exact.collapse())
    assert whole.keys() == small.keys()
    for spelling, value in whole.items():
        expected = (
            value if isinstance(value, str) else pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)
        )
        assert small[spelling] == expected, spelling


@given(ROWS)
def test_values_are_those_counted_by_hand(rows: list[Row]) -> None:
    rows = with_both_classes(rows)
    small = ranked(rows).collapse()
    targets = [score for truth, score, _ in rows if truth]
    others = [score for truth, score, _ in rows if not truth]
    beaten = sum(Fraction((t > o) * 2 + (t == o), 2) for t in targets for o in others)
    assert ew.measure(small, "roc_auc") == pytest.approx(
        float(beaten / (len(targets) * len(others))), abs=1e-15
    )
    precisions = sum(
        Fraction(sum(x >= t for x in targets), sum(x >= t for x in [*targets, *others])) for t in targets
    )
    threshold = float(precisions / len(targets))
    assert ew.measure(small, "average_precision(ties=threshold)") == pytest.approx(threshold, abs=1e-15)


def continuous(rows: int, seed: int, share: float = 0.1) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    truth = generator.random(rows) < share
    return truth, generator.normal(size=rows) + truth


@pytest.mark.slow
@pytest.mark.parametrize("rounded", [None, 1], ids=["continuous", "tied"])
@pytest.mark.parametrize("weights", [None, "counts", "sampling"])
def test_the_whole_report_is_the_same(rounded: int | None, weights: str | None) -> None:
    truth, scores = continuous(800, 5)
    scores = scores if rounded is None else np.round(scores, rounded)
    numbers = np.random.default_rng(6).integers(1, 4, len(truth))
    heavy = {None: None, "counts": numbers, "sampling": numbers * 0.5}[weights]
    exact = Ranking.from_scores(truth, scores, weights=heavy)
    small = exact.collapse()
    assert small.is_collapsed
    assert len(small.background.scores) < len(exact.background.scores)
    whole, other = (
        compose_ranking(examine_ranking(ranking, gain=3.0, cost=0.4), {}).to_dict()
        for ranking in (exact, small)
    )
    if rounded is not None and weights != "sampling":
        # Random orders of a whole ranking keep its ties, those of a collapsed one do not know them.
        for report in (whole, other):
            for key in ("verdict", "citation", "random_selection"):
                del report[key]
            del report["charts"]["chance"]
            report["claims"] = [claim for claim in report["claims"] if claim["about"] != "chance"]
            del report["sections"][0]["tables"][1]
    if weights != "sampling":
        assert json.dumps(whole) == json.dumps(other)
    else:
        assert_close(json.loads(json.dumps(whole)), json.loads(json.dumps(other)), "")


AT_A_DEPTH = re.compile(r"/depths/\d+/(precision|recall)/(low|high|standard_error)|.*/rows/.*")
"""Bounds that need Σw² up to a depth, which inside a span is taken in proportion."""


def assert_close(first: Any, second: Any, where: str) -> None:
    assert type(first) is type(second), where
    if isinstance(first, dict):
        assert first.keys() == second.keys(), where
        for key in first:
            assert_close(first[key], second[key], f"{where}/{key}")
    elif isinstance(first, list):
        assert len(first) == len(second), where
        for index, (one, other) in enumerate(zip(first, second, strict=True)):
            assert_close(one, other, f"{where}/{index}")
    elif isinstance(first, float):
        near = 1e-2 if AT_A_DEPTH.fullmatch(where) else 1e-9
        assert first == pytest.approx(second, rel=near, abs=1e-12, nan_ok=True), where
    else:
        assert first == second, where


def tail_of(ranking: Ranking) -> TestResult:
    result = ew.estimate(ranking, "roc_auc").test_against_chance("greater")
    assert result is not None
    return result


def test_the_chance_of_a_roc_area_takes_unknown_background_as_untied() -> None:
    generator = np.random.default_rng(8)
    truth = np.arange(4000) < 400
    scores = np.where(truth, generator.random(4000), generator.random(4000) - 0.02)
    # A third of the background has one of two scores below every target: a span, in which ties are not known.
    low = ~truth & (np.arange(4000) % 3 == 0)
    tied = np.where(low, -1.0 - (np.arange(4000) % 2), scores)
    broken = np.where(low, tied - generator.random(4000) / 10, scores)
    exact, small = Ranking.from_scores(truth, tied), Ranking.from_scores(truth, tied).collapse()
    without_ties = Ranking.from_scores(truth, broken)
    assert tail_of(small).p_value == tail_of(without_ties).p_value
    assert tail_of(small).p_value > tail_of(exact).p_value
    assert "exact variance" in tail_of(exact).method
    assert "without ties" in tail_of(small).method


# -- cuts ----------------------------------------------------------------------------------------------


@given(ROWS, SCORES)
def test_a_threshold_is_exact_or_refused(rows: list[Row], threshold: float) -> None:
    exact = ranked(with_both_classes(rows))
    small = exact.collapse()
    inside = any(
        low < threshold <= high for low, high, _ in spans_by_hand(with_both_classes(rows), weighted=False)
    )
    if inside:
        with pytest.raises(InputError, match="scores were not kept, because no target is there"):
            small.at_threshold(threshold)
    else:
        assert small.at_threshold(threshold) == exact.at_threshold(threshold)


@given(ROWS, st.integers(1, 30))
def test_every_depth_is_exact(rows: list[Row], depth: int) -> None:
    exact = ranked(with_both_classes(rows))
    assert exact.collapse().at_depth(depth) == exact.at_depth(depth)


def test_a_depth_inside_a_tie_of_one_class_counts_whole_cases() -> None:
    table = Ranking.from_scores([1, 0, 0, 0, 1], [0.9, 0.5, 0.5, 0.5, 0.1]).at_depth(2)
    assert table.counts.tolist() == [[2, 1], [1, 1]]
    assert table.is_counted
    table = Ranking.from_scores([0, 1, 1, 1, 0], [0.9, 0.5, 0.5, 0.5, 0.1]).at_depth(2)
    assert table.counts.tolist() == [[1, 2], [1, 1]]
    assert table.is_counted


# -- merging and travelling ----------------------------------------------------------------------------


@pytest.mark.slow
@given(ROWS, ROWS, st.booleans())
def test_merging_is_exact_or_refused(first: list[Row], second: list[Row], both: bool) -> None:
    parts = [with_both_classes(rows) for rows in (first, second)]
    small = ranked(parts[0]).collapse()
    other = ranked(parts[1]).collapse() if both else ranked(parts[1])
    spans = [span for rows in parts[: 2 if both else 1] for span in spans_by_hand(rows, weighted=False)]
    targets = [score + 0.0 for rows in parts for truth, score, _ in rows if truth]
    if any(low <= target <= high for low, high, _ in spans if low < high for target in targets):
        with pytest.raises(MergeError, match="were collapsed to save memory and cannot be merged"):
            small + other
        with pytest.raises(MergeError, match="read the rows of both at once"):
            other + small
        return
    merged = small + other
    assert merged == other + small
    assert repr(values_of(merged)) == repr(values_of(ranked(parts[0] + parts[1])))
    assert merged.collapse() == ranked(parts[0] + parts[1]).collapse()


@given(ROWS, st.sampled_from([None, "counts", "sampling"]))
def test_it_travels(rows: list[Row], weights: str | None) -> None:
    small = ranked(with_both_classes(rows), weights).collapse()
    assert Ranking.from_dict(json.loads(json.dumps(small.to_dict(), allow_nan=False))) == small
    assert small + Ranking.empty() == small


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("background", "highest", [0.2, 0.05]),
        ("background", "highest", [0.2]),
        ("background", "highest", [0.35, 0.4]),
        ("background", "highest", "much"),
        ("background", "weight", None),
        ("background", "fourth", [1.0, 1.0]),
        ("targets", "highest", [0.35, 0.5]),
    ],
)
def test_edited_tallies_are_refused(part: str, field: str, value: Any) -> None:
    small = Ranking.from_scores([0, 0, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.35, 0.4, 0.5]).collapse()
    payload = small.to_dict()
    assert payload["background"]["highest"] == [0.2, 0.4]
    payload[part][field] = value
    with pytest.raises(InputError):
        Ranking.from_dict(payload)


def test_weights_of_an_older_tally_have_no_fourth_powers() -> None:
    payload = ranked([(True, 0.5, 2), (False, 0.1, 3), (False, 0.1, 1)], "sampling").to_dict()
    squares = payload["background"]["square"]
    del payload["background"]["fourth"]
    old = Ranking.from_dict(payload).background.fourth
    assert old is not None
    assert old.tolist() == [squares[0] ** 2]
