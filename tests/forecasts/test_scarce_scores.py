"""``evaluate`` against an opponent: when too little happened for a t test, by the rule of ``compare``."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.forecasts.differences import compare_forecasts
from edgeworth.forecasts.estimates import AverageDifference
from edgeworth.forecasts.findings import examine_forecasts
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.possible_differences import PossibleDifferences, possible_differences
from edgeworth.forecasts.scarce_outcomes import HOEFFDING
from edgeworth.forecasts.tally import ForecastTally, Opponent
from edgeworth.sources.columns import as_column, encode

HARDLY = "too few unlikely outcomes occurred, and these weigh most in the difference"


def of_two(codes: list[int], shares: list[float]) -> Forecasts:
    p = np.array(shares)
    return Forecasts(np.array(codes), np.stack([1 - p, p], axis=1), ("no", "yes"))


def differences(tally: ForecastTally) -> dict[str, AverageDifference]:
    bets = examine_forecasts(tally).bets
    assert bets.log is not None
    return {"brier": bets.brier.model_less_baseline, "log": bets.log.model_less_baseline}


CODES = [0, 1] * 50 + [0] * 100
TOO_SURE = [0.45] * 100 + [0.0001] * 100
CALIBRATED = [0.4505] * 100 + [0.01] * 100
"""Events in the first half, in which both say nearly the same, and none in the second."""

SETTINGS = {
    "too sure": (CODES, TOO_SURE, CALIBRATED),
    "one event": ([1] + [0] * 99, [0.0001] * 100, [0.01] * 100),
    "clearly better": ([0, 1] * 100, [0.2, 0.8] * 100, [0.4, 0.6] * 100),
    "enough": ([0, 1, 1, 0, 0, 1, 0, 0, 1, 1] * 20, [0.3, 0.7, 0.4, 0.6] * 50, [0.5, 0.6, 0.5, 0.4] * 50),
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("score", ["brier", "log"])
def test_evaluate_and_compare_agree(setting: str, score: str) -> None:
    codes, first, second = SETTINGS[setting]
    model, rival = of_two(codes, first), of_two(codes, second)
    pair = compare_forecasts({"model": model, "rival": rival}, measures=[score]).pairs["model", "rival"][
        score
    ]
    single = differences(ForecastTally.of(model, Opponent(rival)))[score]
    assert (single.no_winner, single.caveat) == (pair.no_winner, pair.caveat)
    assert (single.method == HOEFFDING) == (pair.interval_method == HOEFFDING) == (setting != "enough")
    assert [single.low, single.high] == pytest.approx(list(pair.interval(0.95)), rel=1e-9)


def test_no_winner_is_named_while_the_outcomes_that_matter_hardly_occurred() -> None:
    report = ew.evaluate(truth=CODES, probabilities=TOO_SURE, against=CALIBRATED, positive=1)
    assert report.verdict.startswith("No clear difference in mean score between")
    assert HARDLY in report.verdict
    assert "Hoeffding's bounds" in str(report)
    # With the expected number of events in the second half, enough has happened.
    seen = ForecastTally.of(
        of_two([0, 1] * 50 + [1] + [0] * 99, TOO_SURE),
        Opponent(of_two([0, 1] * 50 + [1] + [0] * 99, CALIBRATED)),
    )
    assert differences(seen)["brier"].no_winner is None


def test_bounds_that_exclude_0_name_the_winner() -> None:
    codes, model, rival = SETTINGS["clearly better"]
    report = ew.evaluate(truth=codes, probabilities=model, against=rival, positive=1)
    assert " beats " in report.verdict
    assert "No t test: in 0 cases" in str(report)


def test_parts_and_files_keep_what_outcomes_could_add() -> None:
    model, rival = of_two(CODES, TOO_SURE), of_two(CODES, CALIBRATED)
    parts = [
        ForecastTally.of(model[rows], Opponent(rival[rows]), first=rows.start)
        for rows in (slice(0, 30), slice(30, 130), slice(130, 200))
    ]
    read = [ForecastTally.from_dict(json.loads(json.dumps(part.to_dict()))) for part in parts]
    merged, whole = sum(read[1:], read[0]), ForecastTally.of(model, Opponent(rival))
    assert merged.possible is not None
    assert whole.possible is not None
    for name in ("observed", "implied", "squared_ranges", "lowest", "highest"):
        assert getattr(merged.possible, name) == pytest.approx(getattr(whole.possible, name), rel=1e-12)
    assert differences(merged)["brier"].no_winner == HARDLY


def test_a_file_without_these_sums_warns_that_they_are_not_known() -> None:
    payload = ForecastTally.of(of_two(CODES, TOO_SURE), Opponent(of_two(CODES, CALIBRATED))).to_dict()
    assert payload.pop("possible")
    old = ForecastTally.from_dict(payload)
    assert any("counted by an older version" in warning for warning in old.warnings)
    assert differences(old)["brier"].no_winner is None
    assert not any("older version" in warning for warning in ForecastTally.empty().warnings)


def test_sums_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(4)
    codes, (one, two), weights = (
        np.array([2, 0, 1, 1]),
        rng.dirichlet(np.ones(3), (2, 4)),
        [0.5, 2.0, 1.0, 3.0],
    )
    first, second = (Forecasts(codes, p, (0, 1, 2), weights=np.array(weights)) for p in (one, two))
    sums = PossibleDifferences.of(first, second, ("log",))
    observed = implied = squared_range = low = 0.0
    for case, weight in enumerate(weights):
        d = [weight * (math.log(two[case, k]) - math.log(one[case, k])) for k in range(3)]
        middle = (one[case] + two[case]) / 2
        mean = sum(m * x for m, x in zip(middle, d, strict=True))
        observed += (d[codes[case]] - mean) ** 2
        implied += sum(m * (x - mean) ** 2 for m, x in zip(middle, d, strict=True))
        squared_range += (max(d) - min(d)) ** 2
        low += min(d)
    found = (sums.observed, sums.implied, sums.squared_ranges, sums.lowest)
    assert [x.item() for x in found] == pytest.approx([observed, implied, squared_range, low])


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_probability_0_leaves_the_log_score_without_a_bound(probability: float) -> None:
    codes = [int(probability)] * 40
    tally = ForecastTally.of(of_two(codes, [probability] * 40), Opponent(of_two(codes, [0.6] * 40)))
    again = ForecastTally.from_dict(json.loads(json.dumps(tally.to_dict())))
    log = differences(again)["log"]
    assert math.isnan(log.low)
    assert "so the log score has no bound" in (log.no_winner or "")
    assert not math.isnan(differences(again)["brier"].low)


def test_bounds_of_clusters_hold_if_their_outcomes_are_equal() -> None:
    """Enumerated: six clusters of three cases with one outcome each."""
    p, q, truth = np.array([0.99, 0.9, 0.95, 0.97, 0.92, 0.98]), np.full(6, 0.8), np.full(6, 0.9)
    names = np.repeat(list("abcdef"), 3)
    covered = 0.0
    for way in product((0, 1), repeat=6):
        codes = np.repeat(way, 3).tolist()
        model, rival = (of_two(codes, np.repeat(x, 3).tolist()) for x in (p, q))
        clusters = encode(as_column(names, "clusters"), "clusters")
        tally = ForecastTally.of(model, Opponent(rival), clusters=clusters)
        brier = differences(tally)["brier"]
        if_yes, if_no = (1 - p) ** 2 - (1 - q) ** 2, p**2 - q**2
        expected = float((truth * if_yes + (1 - truth) * if_no).mean())
        chance = math.prod(0.9 if outcome else 0.1 for outcome in way)
        covered += chance * (brier.low <= expected <= brier.high)
        by_cluster = compare_forecasts(
            {"model": model, "rival": rival}, measures=["brier"], clusters=clusters
        )
        low, high = by_cluster.pairs["model", "rival"]["brier"].interval(0.95)
        assert [brier.low, brier.high] == pytest.approx([low, high])
    assert covered >= 0.95


def test_equal_weights_change_no_bounds() -> None:
    model, rival = of_two(CODES, TOO_SURE), of_two(CODES, CALIBRATED)
    weighted = model.weigh(np.full(200, 0.5))
    plain, tally = (differences(ForecastTally.of(x, Opponent(rival)))["brier"] for x in (model, weighted))
    assert (plain.no_winner, [plain.low, plain.high]) == (
        tally.no_winner,
        pytest.approx([tally.low, tally.high]),
    )


def test_a_case_can_add_what_its_score_would_change_by() -> None:
    pair = of_two([1, 0], [0.9, 0.9]), of_two([1, 0], [0.5, 0.5])
    assert possible_differences(*pair, "brier") == pytest.approx(np.array([[0.56, 0.56], [-0.24, -0.24]]))


@pytest.mark.parametrize(
    ("setting", "has_p_value"), [("too sure", False), ("one event", False), ("enough", True)]
)
def test_the_frame_has_no_p_value_where_too_little_happened(setting: str, has_p_value: bool) -> None:
    codes, model, rival = SETTINGS[setting]
    report = ew.evaluate(truth=codes, probabilities=model, against=rival, positive=1)
    p_values = report.to_frame("pandas").set_index("measure")["p"]
    assert [math.isfinite(p_values[score]) for score in ("brier", "log")] == [has_p_value] * 2
