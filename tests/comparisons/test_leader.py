"""The best of several systems: its level allows for having been chosen."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import edgeworth as ew


def labels(number: int, cases: int = 200) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(number)
    truth = rng.integers(0, 2, cases)
    return truth, {f"s{i}": np.where(rng.random(cases) < 0.8, truth, 1 - truth) for i in range(number)}


@pytest.mark.parametrize("number", [3, 8])
def test_the_interval_is_that_of_the_leader_at_bonferronis_level(number: int) -> None:
    truth, systems = labels(number)
    comparison = ew.compare(truth=truth, systems=systems, measures=["accuracy"])
    leader = comparison.findings.leader
    assert leader is not None
    best = max(systems, key=lambda name: float((systems[name] == truth).mean()))
    assert leader.system == best
    table = ew.ContingencyTable.from_labels(truth, systems[best])
    expected = ew.estimate(table, "accuracy").interval(1 - 0.05 / number)
    assert list(leader.interval) == pytest.approx(list(expected))
    assert f"The accuracy of {best} is " in comparison.verdict
    assert f"adjusted for picking the best of {number})" in comparison.verdict
    plain = comparison.to_dict()["comparison"]["leader"]
    assert (plain["system"], plain["chosen_among"], plain["level"]) == (best, number, 0.95)
    assert pickle.loads(pickle.dumps(comparison)).findings.leader == leader


def test_two_systems_have_no_leader() -> None:
    truth, systems = labels(2)
    comparison = ew.compare(truth=truth, systems=systems)
    assert comparison.findings.leader is None
    assert comparison.to_dict()["comparison"]["leader"] is None


def test_without_a_valid_interval_a_sentence_warns() -> None:
    truth, systems = labels(3)
    rng = np.random.default_rng(1)
    scores = {name: x + rng.normal(size=len(x)) for name, x in systems.items()}
    comparison = ew.compare(truth=truth, systems=scores, kind="scores", cluster=np.arange(200) // 4)
    leader = comparison.findings.leader
    assert leader is not None
    assert math.isnan(leader.interval.low)
    assert "picked as the best of 3, so " in comparison.verdict


def test_lower_scores_lead_where_lower_is_better() -> None:
    truth, systems = labels(3)
    rng = np.random.default_rng(1)
    forecasts = {name: np.where(x, 0.7, 0.3) + rng.normal(0, 0.02, 200) for name, x in systems.items()}
    comparison = ew.compare(truth=truth, systems=forecasts, kind="probabilities", measures=["brier"])
    leader = comparison.findings.leader
    assert leader is not None
    assert leader.value == min(np.mean((p - truth) ** 2) for p in forecasts.values())
    assert leader.value in leader.interval
