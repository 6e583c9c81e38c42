"""Forecasters compared: what clusters, a horizon and hindsight leave of the evidence, and what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.forecasts.differences import compare_forecasts, mean_score_difference
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts


def two(y: Any, **chances: Any) -> dict[str, Forecasts]:
    """Forecasts of two classes from the probability of the second."""
    return {
        name: Forecasts(np.asarray(y, dtype=np.intp), np.stack([1 - p, p], axis=1), (0, 1))
        for name, p in chances.items()
    }


def drawn(cases: int, seed: int) -> dict[str, Forecasts]:
    rng = np.random.default_rng(seed)
    p, q = rng.uniform(0.05, 0.95, (2, cases))
    return two(rng.integers(0, 2, cases), A=p, B=q)


def test_clusters_are_bets_and_the_race_is_of_clusters() -> None:
    given = drawn(60, seed=1)
    clusters = np.repeat(np.arange(20), 3)
    findings = compare_forecasts(given, clusters=clusters, ordered=True)
    assert findings.unit == "cluster"
    assert findings.race is not None
    assert (findings.race.cases, findings.race.unit) == (20, "cluster")
    assert findings.duels[0].unit == "cluster"
    assert "knew about other clusters" in findings.race.evidence["A", "B"].null
    logs = [np.log(value.of_truth(value.probabilities)) for value in given.values()]
    expected = (logs[0] - logs[1]).reshape(20, 3).mean(axis=1).sum()
    assert findings.race.against("A", "B") == pytest.approx(expected, rel=1e-12)
    sequence = findings.duels[0].brier_sequence
    assert sequence is not None
    assert sequence.cases[-1] == 20
    assert findings.no_evidence is None
    assert findings.to_dict()["race"]["unit"] == "cluster"


def test_many_systems_have_the_same_race_without_its_way() -> None:
    rng = np.random.default_rng(2)
    y, clusters = rng.integers(0, 2, 40), np.repeat(np.arange(10), 4)
    many = two(y, **{f"s{i}": rng.uniform(0.1, 0.9, 40) for i in range(9)})
    findings = compare_forecasts(many, clusters=clusters, measures=["brier"])
    assert findings.duels == ()
    few = compare_forecasts(
        {name: many[name] for name in ("s0", "s8")}, clusters=clusters, measures=["brier"]
    )
    assert findings.race is not None
    assert few.race is not None
    assert few.duels
    assert findings.race.cases == few.race.cases == 10
    assert findings.race.against("s0", "s8") == pytest.approx(few.race.against("s0", "s8"), rel=1e-10)
    assert findings.race.evidence["s0", "s8"].null == few.race.evidence["s0", "s8"].null


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"horizon": 3}, "3 steps ahead overlap"),
        ({"predictions_made": "in-sample"}, "in sample"),
    ],
)
def test_what_proves_nothing_says_so(options: dict[str, Any], reason: str) -> None:
    given = drawn(60, seed=3)
    findings = compare_forecasts(given, **options)
    assert findings.no_evidence is not None
    assert reason in findings.no_evidence
    assert findings.duels == ()
    race = findings.race
    assert race is not None
    assert race.no_evidence == findings.no_evidence
    assert race.evidence == {}
    assert race.stronger("A", "B") is None
    # How much it was is still told.
    assert race.against("A", "B") == pytest.approx(
        Wealth.from_forecasts(given["A"], given["B"]).log_wealth, rel=1e-12
    )
    assert len(race.path("A", "B")) == 60
    assert [row["undefined"] for row in race.rows()] == [findings.no_evidence] * 2
    plain = findings.to_dict()
    assert plain["no_evidence"] == plain["race"]["no_evidence"] == findings.no_evidence
    assert plain["race"]["stronger"] == []


def test_forecasters_nearly_alike_are_judged_by_their_cases() -> None:
    rng = np.random.default_rng(4)
    y, p = rng.integers(0, 2, 5_000), rng.uniform(0.1, 0.9, 5_000)
    given = two(y, A=p, B=p + rng.normal(0, 1e-7, 5_000))
    difference = compare_forecasts(given).difference("A", "B")
    for score in ("log", "brier"):
        chances = [value.of_truth(value.probabilities) for value in given.values()]
        one, other = (-np.log(x) if score == "log" else (1 - x) ** 2 for x in chances)
        assert difference[score].p_value() == pytest.approx(stats.ttest_rel(one, other).pvalue, rel=1e-4)


def test_diebold_and_mariano_at_horizon_one_is_the_t_test() -> None:
    difference = compare_forecasts(drawn(80, seed=5)).difference("A", "B")
    for value in difference.values():
        assert list(value.tests) == ["t", "wald", "diebold-mariano"]
        assert value.p_value("diebold-mariano") == value.p_value("t")
        assert value.tests["diebold-mariano"].method.startswith("Diebold–Mariano, corrected for few cases")
    clustered = compare_forecasts(drawn(80, seed=5), clusters=np.arange(80) // 2).difference("A", "B")
    assert list(clustered["log"].tests) == ["t", "wald"]


def test_the_probability_of_being_better_is_that_of_the_t_test() -> None:
    """P(better) = one-sided p, by the same law as the test: few cases make the normal one too sure."""
    rng = np.random.default_rng(6)
    y, p, q = rng.integers(0, 2, 8), rng.uniform(0.2, 0.8, 8), rng.uniform(0.2, 0.8, 8)
    losses = ((x - y) ** 2 for x in (p, q))
    difference = mean_score_difference(*losses, names=("A", "B"), score="brier")
    worse = min(difference.probability_better, 1 - difference.probability_better)
    assert worse == pytest.approx(difference.p_value() / 2, rel=1e-9)
    assert worse > difference.p_value("wald") / 2


def test_level_and_power_reach_effects_and_plans() -> None:
    given = drawn(200, seed=7)
    usual, strict = compare_forecasts(given), compare_forecasts(given, level=0.99, power=0.95)
    for name in usual.measures:
        one, other = (result.difference("A", "B")[name].effect for result in (usual, strict))
        assert one is not None
        assert other is not None
        assert one.interval(0.99) == other.interval(0.99)
        low, high = one.interval()
        assert other.to_dict(0.99)["low"] < low < one.value < high
    plan = strict.plans["A", "B"]
    assert (plan.level, plan.power) == (0.99, 0.95)
    assert plan.needed > usual.plans["A", "B"].needed


@pytest.mark.parametrize("ordered", [False, True])
def test_ordered_rows_have_the_sequence_of_evaluate(ordered: bool) -> None:
    """``evaluate --against`` and ``compare`` give the same bounds; the p-value is that of the interval."""
    rng = np.random.default_rng(0)
    truth = (rng.random(300) < 0.4).astype(int)
    systems = {
        name: np.clip(0.4 + lift * (truth - 0.4) + rng.normal(0, 0.1, 300), 0.01, 0.99)
        for name, lift in (("A", 0.3), ("B", 0.2))
    }
    report = ew.evaluate(truth=truth, probabilities=systems["A"], against=systems["B"], ordered=ordered)
    difference = ew.compare(truth=truth, systems=systems, kind="probabilities", ordered=ordered)["A", "B"]
    for score in ("brier", "log"):
        theirs = report.to_dict()["sequences"][score]
        low, high = difference[score].interval()
        assert (low, high) == pytest.approx((theirs["low"], theirs["high"]), rel=1e-9)
        assert (difference[score].p_value() < 0.05) == (not low <= 0 <= high)
    assert next(iter(difference["brier"].tests)) == ("sequence" if ordered else "t")


def test_rows_with_missing_values_are_dropped_from_all_systems(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth, clusters = rng.integers(0, 2, 120), np.arange(120) // 4
    chances = rng.uniform(0.05, 0.95, (2, 120))
    lacking = chances.copy()
    lacking[0, 3] = lacking[1, 7] = lacking[1, 9] = np.nan
    kept = np.setdiff1d(np.arange(120), [3, 7, 9])
    expected = ew.compare(
        truth=truth[kept],
        systems={"a": chances[0, kept], "b": chances[1, kept]},
        kind="probabilities",
        cluster=clusters[kept],
    )["a", "b"]["brier"]
    frame = pd.DataFrame({"y": truth, "a": lacking[0], "b": lacking[1], "c": clusters})
    frame.to_csv(tmp_path / "p.csv", index=False)
    arrays = {"truth": truth, "systems": {"a": lacking[0], "b": lacking[1]}, "cluster": clusters}
    columns = {"truth": "y", "systems": ["a", "b"], "cluster": "c"}
    for data, named in ((None, arrays), (frame, columns), (tmp_path / "p.csv", columns)):
        comparison = ew.compare(data, kind="probabilities", missing="drop", **named)
        brier = comparison["a", "b"]["brier"]
        assert brier.values == pytest.approx(expected.values)
        assert brier.interval() == pytest.approx(expected.interval())
        assert brier.p_value() == pytest.approx(expected.p_value())
        assert comparison.provenance["dropped"] == 3
        assert "3 rows were dropped for missing values." in comparison.report.warnings
        with pytest.raises(InputError, match="missing"):
            ew.compare(data, kind="probabilities", **named)
    frame["a"] = np.nan
    with pytest.raises(InputError, match="no row is complete"):
        ew.compare(frame, kind="probabilities", missing="drop", **columns)


@pytest.mark.parametrize("kind", ["labels", "scores", "probabilities"])
def test_a_comparison_that_is_given_an_id_says_to_use_clusters(kind: str) -> None:
    truth, chances = np.tile([0, 1], 20), np.linspace(0.1, 0.9, 40)
    systems = {"a": truth, "b": 1 - truth} if kind == "labels" else {"a": chances, "b": 1 - chances}
    with pytest.raises(OptionError, match=r"id is not supported with .*: give the column as cluster"):
        ew.compare(truth=truth, systems=systems, kind=kind, id=np.arange(40) // 2)
