"""A season settled in rounds: against a simulation by day, and evidence that no fraction changes."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import edgeworth as ew
from edgeworth.bet.bookmakers import Quote
from edgeworth.bet.ledger import Ledger
from edgeworth.bet.overround import remove_overround
from edgeworth.bet.shared_bankroll import settle_rounds
from edgeworth.core.formatting import format_wealth
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.season import find_exchanged
from edgeworth.report.html.key_figures import key_figures

FIRST_DAY = date(2014, 3, 1)


def season(days: int, seed: int, *, most: int = 3) -> dict[str, Any]:
    """Games of two outcomes on some days, rows in no order; the model knows a little more than the odds."""
    rng = np.random.default_rng(seed)
    games = rng.integers(0, most + 1, size=days)
    day = np.repeat(np.arange(days), games)
    true = rng.uniform(0.2, 0.8, len(day))
    price = 1 / (1 + np.exp(-(np.log(true / (1 - true)) + rng.normal(0, 0.25, len(day)))))
    model = 1 / (1 + np.exp(-(np.log(true / (1 - true)) + rng.normal(0, 0.1, len(day)))))
    odds = np.round(1 / (1.03 * np.stack([1 - price, price], axis=1)), 2)
    came = (rng.random(len(day)) < true).astype(int)
    order = rng.permutation(len(day))
    dates = [(FIRST_DAY + timedelta(days=int(number))).isoformat() for number in day]
    return {
        "truth": came[order],
        "probabilities": model[order],
        "odds": odds[order],
        "time": np.array(dates)[order],
    }


def best_by_grid(p: Any, odds: Any) -> Any:
    """Kelly's stakes on one day's games of two outcomes, over all listed outcomes."""
    worth = [
        game for game in range(len(p)) if max((1 - p[game]) * odds[game, 0], p[game] * odds[game, 1]) > 1
    ]
    stakes = np.zeros((len(p), 2))
    if not worth:
        return stakes
    # With a margin one side at most has value, and only that one is backed.
    sides = [int(p[game] * odds[game, 1] > 1) for game in worth]
    chances = np.array([p[game] if side else 1 - p[game] for game, side in zip(worth, sides, strict=True)])
    prices = np.array([odds[game, side] for game, side in zip(worth, sides, strict=True)])
    results = np.array(list(product([1, 0], repeat=len(worth))))
    weights = np.prod(np.where(results == 1, chances, 1 - chances), axis=1)
    gains = results * prices - 1
    optimum = minimize(
        lambda f: -(weights @ np.log(np.maximum(1 + gains @ f, 1e-12))),
        np.full(len(worth), 0.01),
        jac=lambda f: -((weights / np.maximum(1 + gains @ f, 1e-12)) @ gains),
        bounds=[(0, 1)] * len(worth),
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 500},
    )
    for game, side, stake in zip(worth, sides, optimum.x, strict=True):
        stakes[game, side] = stake
    return stakes


def simulate_by_day(data: dict[str, Any], fraction: float) -> dict[str, float]:
    """Go through the days one by one with a bankroll of 1."""
    bankroll, path = 1.0, {}
    for day in sorted(set(data["time"].tolist())):
        here = data["time"] == day
        p, odds, came = data["probabilities"][here], data["odds"][here], data["truth"][here]
        stakes = fraction * bankroll * best_by_grid(p, odds)
        assert stakes.sum() <= bankroll
        paid = sum(stakes[game, side] * odds[game, side] for game, side in enumerate(came))
        bankroll += paid - stakes.sum()
        path[day] = bankroll
    return path


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [1.0, 0.25])
def test_a_season_of_2000_days_equals_a_simulation_by_day(fraction: float) -> None:
    data = season(2000, 12)
    known = simulate_by_day(data, fraction)
    ledger = ew.evaluate(**data, fraction=fraction).numbers["ledger"]
    assert ledger["path"]["round"] == list(known)
    np.testing.assert_allclose(ledger["path"]["bankroll"], list(known.values()), rtol=1e-5)
    assert ledger["highest"] == pytest.approx(max(1.0, *known.values()), rel=1e-5)
    assert ledger["end"] == pytest.approx(known[max(known)], rel=1e-5)


def test_a_short_season_equals_a_simulation_by_day() -> None:
    data = season(80, 3)
    known = simulate_by_day(data, 0.5)
    ledger = ew.evaluate(**data, fraction=0.5, bankroll=1000).numbers["ledger"]
    np.testing.assert_allclose(ledger["path"]["bankroll"], 1000 * np.array(list(known.values())), rtol=1e-6)
    assert ledger["profit"] == pytest.approx(ledger["end"] - 1000, rel=1e-9)


def test_a_column_of_rounds_takes_the_place_of_dates() -> None:
    data = season(60, 4)
    by_date = ew.evaluate(**data).numbers["ledger"]
    ranks = np.unique(data["time"], return_inverse=True)[1]
    names = np.array([f"week {rank}" for rank in ranks])
    order = np.argsort(ranks, kind="stable")
    rows = {name: values[order] for name, values in data.items() if name != "time"}
    by_round = ew.evaluate(**rows, round=names[order]).numbers["ledger"]
    np.testing.assert_allclose(by_round["path"]["bankroll"], by_date["path"]["bankroll"], rtol=1e-12)
    assert by_round["path"]["round"][0] == "week 0"


def test_times_of_one_date_share_the_bankroll() -> None:
    data = season(40, 5)
    rng = np.random.default_rng(1)
    clock = np.array(
        [f"{day}T{hour:02}:00" for day, hour in zip(data["time"], rng.integers(9, 22, 999), strict=False)]
    )
    with_clock, without = ew.evaluate(**{**data, "time": clock}), ew.evaluate(**data)
    assert with_clock.numbers["ledger"]["path"] == without.numbers["ledger"]["path"]


def test_the_evidence_against_the_market_does_not_depend_on_the_fraction() -> None:
    data = season(300, 6)
    whole, part = (ew.evaluate(**data, fraction=fraction) for fraction in (1.0, 0.25))
    assert whole.numbers["evidence"] == part.numbers["evidence"]
    assert whole.numbers["ledger"]["end"] != part.numbers["ledger"]["end"]
    assert set(whole.numbers["evidence"]) == {"mixture"}


def test_the_evidence_is_the_mean_over_fractions_of_settled_rounds() -> None:
    data = season(120, 7)
    logs = np.diff(np.log([1.0, *ew.evaluate(**data).numbers["ledger"]["path"]["bankroll"]]))
    paths = [np.cumprod(1 - c / 20 + c / 20 * np.exp(logs)) for c in range(21)]
    mean = np.mean(paths, axis=0)
    report = ew.evaluate(**data)
    mixture = report.numbers["evidence"]["mixture"]
    assert mixture["e_value"] == pytest.approx(mean[-1], rel=1e-9)
    assert mixture["p_value"] == pytest.approx(1 / max(1.0, mean.max()), rel=1e-9)
    np.testing.assert_allclose(report.numbers["ledger"]["log_evidence"], np.log(mean), atol=1e-9)


def test_clear_since_is_the_first_day_on_which_the_evidence_crossed_its_line() -> None:
    rng = np.random.default_rng(2)
    data = season(200, 8)
    data["truth"] = (rng.random(len(data["truth"])) < data["probabilities"]).astype(int)
    data["odds"] = np.tile([1.95, 1.95], (len(data["truth"]), 1))
    report = ew.evaluate(**data)
    ledger = report.numbers["ledger"]
    above = np.array(ledger["log_evidence"]) >= np.log(20)
    assert ledger["clear_since"] == ledger["path"]["round"][int(np.argmax(above))]
    assert f"clear since {ledger['clear_since']}" in report.verdict


def test_periods_add_up_to_the_whole() -> None:
    ledger = ew.evaluate(**season(500, 9), period="month").numbers["ledger"]
    for name in ("bets", "turnover", "profit"):
        assert sum(part[name] for part in ledger["periods"]) == pytest.approx(ledger[name], rel=1e-12)
    months = [part["period"] for part in ledger["periods"]]
    assert months == sorted(months)
    assert months[0] == "2014-03"
    assert ledger["periods"][-1]["end"] == ledger["end"]


def test_a_commission_lowers_the_odds_that_are_bet_at() -> None:
    data = season(60, 10)
    charged = ew.evaluate(**data, commission=0.05).numbers["ledger"]
    lowered = ew.evaluate(**{**data, "odds": 1 + 0.95 * (data["odds"] - 1)}).numbers["ledger"]
    assert charged["end"] == pytest.approx(lowered["end"], rel=1e-12)


def test_luck_is_as_probable_as_the_level_says_if_the_market_is_right() -> None:
    """Outcomes drawn from the market's own probabilities: the p-value is near to uniform."""
    rng = np.random.default_rng(11)
    values = []
    for seed in range(40):
        data = season(30, seed)
        fair = remove_overround(data["odds"])
        data["truth"] = (rng.random(len(fair)) < fair[:, 1]).astype(int)
        values.append(ew.evaluate(**data).numbers["luck"]["p_value"])
    assert 0.3 < np.mean(values) < 0.7
    assert np.mean(np.array(values) <= 0.1) <= 0.25


def test_lays_are_bets_on_every_other_outcome() -> None:
    """One race: backing at B and laying at L has the stakes of the exchange (bet.kelly with lay odds)."""
    p, back, lay = np.array([0.5, 0.36, 0.14]), np.array([1.9, 3.2, 4.6]), np.array([2.1, 3.6, 5.4])
    for came in range(3):
        settled = settle_rounds(
            p[None], Quote(back[None], lay[None]), np.array([came]), np.zeros(1, np.int64)
        )
        stakes = ew.bet.kelly(p, back, lay=lay)
        known = ew.bet.wealth_after(back, stakes, lay=lay)[came]
        assert np.exp(settled.log_factors[0]) == pytest.approx(known, abs=1e-6)


def test_a_postponed_game_leaves_months_in_time_order() -> None:
    """Round 1 has a game that was played in May, after round 3."""
    times = ["2025-03-01", "2025-05-20", "2025-04-05", "2025-04-05", "2025-05-03", "2025-05-03"]
    report = ew.evaluate(
        truth=[1, 0, 1, 0, 1, 1],
        probabilities=[0.6] * 6,
        odds=[[2.1, 1.9]] * 6,
        time=times,
        round=["r1", "r1", "r2", "r2", "r3", "r3"],
        period="month",
    )
    ledger = report.numbers["ledger"]
    assert [part["period"] for part in ledger["periods"]] == ["2025-04", "2025-05"]
    assert ledger["path"]["round"] == ["r1", "r2", "r3"]
    assert "over 3 rounds" in report.verdict
    by_date = ew.evaluate(truth=[1, 0], probabilities=[0.6] * 2, odds=[[2.1, 1.9]] * 2, time=times[:2])
    assert "over 2 betting days" in by_date.verdict


# -- the closing line --------------------------------------------------------------------------------------


def test_closing_odds_of_one_class_are_refused() -> None:
    data = {"truth": [1, 0] * 20, "probabilities": [0.6] * 40, "odds": [2.0] * 40}
    with pytest.raises(OptionError, match="pass those of every class"):
        ew.evaluate(**data, closing_odds=[1.9] * 40)
    both = ew.evaluate(**data, closing_odds=[[2.1, 1.9]] * 40)
    # Without the overround, 1.9 is 2.1 / 4: every bet at 2.0 has 2 · 2.1 / 4.
    assert both.numbers["closing_line"]["fair"]["mean_log"] == pytest.approx(np.log(2 * 2.1 / 4))


def test_closing_line_value_by_hand() -> None:
    """One game a day, so every bet is a cluster: Student's t over bets."""
    data = season(90, 13, most=1)
    rng = np.random.default_rng(0)
    closing = data["odds"] * np.exp(rng.normal(-0.02, 0.05, data["odds"].shape))
    report = ew.evaluate(**data, closing_odds=closing)
    p, odds = data["probabilities"], data["odds"]
    value = np.stack([(1 - p) * odds[:, 0], p * odds[:, 1]], axis=1)
    game, side = np.nonzero(value > 1)
    fair = np.log(odds[game, side] * remove_overround(closing)[game, side])
    raw = np.log(odds[game, side] / closing[game, side])
    closing_line = report.numbers["closing_line"]
    assert closing_line["bets"] == len(game)
    assert closing_line["fair"]["mean_log"] == pytest.approx(fair.mean(), abs=1e-12)
    assert closing_line["raw"]["mean_log"] == pytest.approx(raw.mean(), abs=1e-12)
    error = fair.std(ddof=1) / np.sqrt(len(fair))
    half = (closing_line["fair"]["high"] - closing_line["fair"]["low"]) / 2
    assert half == pytest.approx(2.0 * error, rel=0.05)
    # The sentence prints the mean log that JSON has, not exp of the mean − 1.
    text = next(section for section in report.sections if section.title == "Closing line").text[0]
    assert f"Closing-line value {fair.mean():+.1%} " in text.replace("−", "-")
    assert text.replace("−", "-").endswith(f"Against the raw closing odds it is {raw.mean():+.1%}.")


# -- from files --------------------------------------------------------------------------------------------


def write_football(folder: Path, form: str) -> Path:
    data = season(60, 14)
    lines = ["Date,FTR,p,B0,B1"]
    for day, came, p, (no, yes) in zip(
        data["time"], data["truth"], data["probabilities"], data["odds"], strict=True
    ):
        lines.append(f"{date.fromisoformat(day).strftime(form)},{came},{p},{no},{yes}")
    path = folder / "games.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d"])
def test_both_date_forms_of_football_data(form: str, tmp_path: Path) -> None:
    path = write_football(tmp_path, form)
    report = ew.evaluate(str(path), truth="FTR", probabilities="p", odds=["B0", "B1"], time="Date")
    known = ew.evaluate(**season(60, 14)).numbers["ledger"]
    assert report.numbers["ledger"]["path"]["round"] == known["path"]["round"]
    np.testing.assert_allclose(
        report.numbers["ledger"]["path"]["bankroll"], known["path"]["bankroll"], rtol=1e-9
    )


def test_one_book_as_probabilities_against_another() -> None:
    data = season(60, 15)
    sharp = 1 / (1.02 * np.stack([1 - data["probabilities"], data["probabilities"]], axis=1))
    of_odds = ew.evaluate(
        **{**data, "probabilities": sharp}, remove_overround="multiplicative", labels=[0, 1]
    )
    both = np.stack([1 - data["probabilities"], data["probabilities"]], axis=1)
    known = ew.evaluate(**{**data, "probabilities": both}, labels=[0, 1])
    assert of_odds.numbers["ledger"]["end"] == pytest.approx(known.numbers["ledger"]["end"], rel=1e-9)


def test_what_bets_need_is_named() -> None:
    data = season(20, 16)
    plain = {name: data[name] for name in ("truth", "probabilities")}
    with pytest.raises(ew.EdgeworthError, match=r"--commission .* needs .*--odds"):
        ew.evaluate(**plain, commission=0.05)
    with pytest.raises(ew.EdgeworthError, match=r"--period .*--time COLUMN"):
        ew.evaluate(**plain, odds=data["odds"], period="month")
    with pytest.raises(ew.EdgeworthError, match="needs odds"):
        ew.evaluate(**plain, remove_overround="shin")


def test_numbers_are_json() -> None:
    report = ew.evaluate(**season(20, 17), period="season")
    assert json.loads(json.dumps(report.to_dict()))["ledger"]["rounds"] > 5


# -- the ledger itself ---------------------------------------------------------------------------------------


def test_the_interval_is_wilsons_for_equal_odds_and_stakes() -> None:
    won, number, z = 37, 60, 1.959963984540054
    profits = np.repeat([1.0, -1.0], [won, number - won])
    ledger = Ledger(
        (), None, np.zeros(number, np.intp), np.ones(number), np.full(number, 2.0), profits, np.zeros(0)
    )
    share = won / number
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = z / (1 + z * z / number) * np.sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    assert ledger.interval() == pytest.approx((2 * (middle - half) - 1, 2 * (middle + half) - 1), abs=1e-12)


def test_a_page_of_bets_starts_with_the_bankroll_by_date() -> None:
    report = ew.evaluate(**season(60, 18))
    assert report.lead == "bankroll"
    assert report.sections[0].title == "Bankroll"
    bankroll, evidence = report.charts["bankroll"], report.charts["evidence"]
    assert "returns" not in report.charts
    days = report.numbers["ledger"]["path"]["round"]
    assert [row["date"][:10] for row in bankroll.data["bankroll"]] == days
    axis = bankroll.to_dict()["layer"][-1]["encoding"]["x"]
    assert axis["type"] == "temporal"
    values = [row["log evidence"] for row in evidence.data["evidence"]]
    np.testing.assert_allclose(values, report.numbers["ledger"]["log_evidence"], rtol=1e-5, atol=1e-6)


def test_charts_over_cases_have_dates_where_they_are_known() -> None:
    bets = season(60, 18)
    days = np.sort(np.array(bets["time"], dtype="datetime64[D]"))
    rival = {name: bets[name] for name in ("truth", "probabilities", "time")}
    hours = [f"{day}T{number // 60:02}:{number % 60:02}" for number, day in enumerate(bets["time"])]
    against = bets["probabilities"][::-1]
    report = ew.evaluate(**(rival | {"time": hours}), against=against, bets=True)
    drawn = ("sequence", "wealth", "returns", "paths")
    charts = [ew.evaluate(**bets).charts["sequence"], *(report.charts[name] for name in drawn)]
    for chart in charts:
        assert '"type": "temporal"' in json.dumps(chart.to_dict()), chart.name
        number = "case" if chart.name in ("returns", "paths") else "cases settled"
        number = "cases" if chart.name == "sequence" else number
        for row in chart.data[chart.name]:
            # The case that was settled last has this date in the sorted column of dates.
            assert row["date"] == str(days[max(int(row[number]), 1) - 1])
            assert row["moment"][:10] == row["date"]
        assert {"date", number} <= {column.name for column in chart.table}
        moments = [row["moment"] for row in chart.data[chart.name] if row.get("score") != "log score"]
        assert moments == sorted(moments)


def test_charts_over_cases_count_them_if_times_are_no_dates() -> None:
    bets = season(60, 18)
    numbers = np.unique(bets["time"], return_inverse=True)[1]
    chart = ew.evaluate(**(bets | {"time": numbers})).charts["sequence"]
    assert "moment" not in chart.data["sequence"][0]
    assert "temporal" not in json.dumps(chart.to_dict())


def test_the_large_figures_of_a_page_of_bets_are_about_money() -> None:
    report = ew.evaluate(**season(60, 18), bankroll=1000.0)
    ledger = report.numbers["ledger"]
    figures = {figure.label: figure for figure in key_figures(report)}
    assert list(figures) == ["Final bankroll", "Yield", "Bets"]
    assert figures["Final bankroll"].value == f"${ledger['end']:,.2f}"
    assert figures["Final bankroll"].detail == "from $1,000.00"
    ends = [f"{ledger[name]:+.1%}".replace("-", "−") for name in ("yield", "yield_low", "yield_high")]
    assert figures["Yield"].value == ends[0]
    assert figures["Yield"].detail == f"95% CI {ends[1]} to {ends[2]}"
    assert figures["Bets"].value == f"{ledger['bets']:,}"
    # Without rounds there is no bankroll, but the yield of unit stakes.
    without = ew.evaluate(**{name: value for name, value in season(60, 18).items() if name != "time"})
    assert [figure.label for figure in key_figures(without)] == ["Yield", "Bets"]


def test_odds_that_no_bookmaker_quotes_are_pointed_out() -> None:
    odds = [[1.3, 3.8, 1.01], [2.0, 3.5, 4.0]]
    probabilities = [[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]]
    options: dict[str, Any] = {"truth": ["D", "H"], "labels": ["H", "D", "A"], "probabilities": probabilities}
    warnings = " ".join(ew.evaluate(**options, odds=odds).warnings)
    assert "In 1 of 2 games the odds imply probabilities that add up to more than 150%." in warnings
    usual = " ".join(ew.evaluate(**options, odds=[odds[1], odds[1]]).warnings)
    assert "add up to more" not in usual


@pytest.mark.parametrize("role", ["odds", "probabilities"])
def test_odds_as_forecasts_that_no_bookmaker_quotes_are_pointed_out(role: str, tmp_path: Path) -> None:
    rows = ["H,2.0,3.5,4.0", "D,1.9,3.6,4.1", "A,2.2,3.4,3.5", "D,1.3,3.8,1.01"]
    path = tmp_path / "games.csv"
    options: dict[str, Any] = {"truth": "FTR", role: ["oH", "oD", "oA"]}
    options |= {"remove_overround": "power"} if role == "probabilities" else {}
    for number, is_warned in ((3, False), (4, True)):
        path.write_text("\n".join(["FTR,oH,oD,oA", *rows[:number]]) + "\n", encoding="utf-8")
        text = " ".join(ew.evaluate(str(path), **options).warnings)
        assert (
            "the odds in oH, oD, oA imply probabilities that add up to more than 150%" in text
        ) == is_warned


@pytest.mark.parametrize("time", [(), ("--time", "Date")])
def test_games_without_a_result_are_refused_with_advice(time: tuple[str, ...], tmp_path: Path) -> None:
    path = write_football(tmp_path, "%Y-%m-%d")
    options = {"truth": "FTR", "probabilities": "p", "odds": ["B0", "B1"]}
    options |= {"time": "Date"} if time else {}
    whole = ew.evaluate(str(path), **options)
    with path.open("a", encoding="utf-8") as file:
        file.write("2014-06-01,,0.5,1.9,1.9\n")
    with pytest.raises(InputError, match=r"FTR is missing in row \d+: drop such rows, with --missing drop"):
        ew.evaluate(str(path), **options)
    without = ew.evaluate(str(path), **options, missing="drop")
    assert without.numbers["means"] == whole.numbers["means"]


def test_games_that_are_pending_are_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    rows = ["H,0.5,0.3,0.2", "D,0.4,0.3,0.3", "A,0.3,0.3,0.4", "pending,0.3,0.3,0.4"]
    path.write_text("\n".join(["result,pH,pD,pA", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"'pending' in row 4: leave the field empty .* --missing drop"):
        ew.evaluate(str(path), truth="result", probabilities=["pH", "pD", "pA"])


@pytest.mark.parametrize("method", ["multiplicative", "power", "shin"])
def test_forecasts_that_are_the_closing_odds_are_pointed_out(method: str) -> None:
    data = season(60, 14)
    closing = data["odds"] * np.exp(np.random.default_rng(0).normal(0, 0.05, data["odds"].shape))
    own = data | {"probabilities": closing, "remove_overround": method}
    selected = ew.evaluate(**own, closing_odds=closing)
    assert any("positive by selection" in warning for warning in selected.warnings)
    # Bets are placed only where the odds beat the closing line, whatever the outcomes.
    assert selected.numbers["closing_line"]["fair"]["mean_log"] > 0
    others = ew.evaluate(**data, closing_odds=closing)
    assert not any("by selection" in warning for warning in others.warnings)


# -- columns of odds in the wrong order ----------------------------------------------------------------------


def exchanged_season(days: int, seed: int) -> dict[str, Any]:
    data = season(days, seed, most=8)
    return data | {"odds": data["odds"][:, ::-1].copy()}


def test_columns_of_odds_that_changed_places_are_pointed_out() -> None:
    warning = " ".join(ew.evaluate(**exchanged_season(80, 18)).warnings)
    assert "far better if the columns of odds of the classes 0, 1 change places" in warning
    assert "change places" not in " ".join(ew.evaluate(**season(80, 18, most=8)).warnings)


def test_a_right_market_is_suspected_of_another_order_once_in_a_thousand() -> None:
    rng = np.random.default_rng(19)
    suspected = 0
    for _ in range(2000):
        prices = rng.dirichlet([8.0, 6.0, 7.0], size=30)
        outcomes = (rng.random((30, 1)) > np.cumsum(prices, axis=1)[:, :2]).sum(axis=1)
        suspected += bool(find_exchanged(prices, outcomes))
    assert suspected <= 6
    prices = rng.dirichlet([8.0, 6.0, 2.0], size=300)
    outcomes = (rng.random((300, 1)) > np.cumsum(prices, axis=1)[:, :2]).sum(axis=1)
    assert find_exchanged(prices[:, [0, 2, 1]], outcomes) == (1, 2)


def test_a_bankroll_beyond_any_number_has_no_ledger() -> None:
    report = ew.evaluate(**exchanged_season(2000, 20))
    assert report.numbers["ledger"] is None
    assert "beyond any number" in " ".join(report.warnings)
    assert "change places" in " ".join(report.warnings)
    assert "bankroll" not in report.charts


def test_the_evidence_table_has_the_last_and_the_highest_e_value() -> None:
    """The p-value is 1 over the highest, so a table of the last alone does not fit it."""
    rng = np.random.default_rng(2)
    data = season(200, 8)
    data["truth"] = (rng.random(len(data["truth"])) < data["probabilities"]).astype(int)
    report = ew.evaluate(**data | {"odds": np.tile([1.95, 1.95], (len(data["truth"]), 1))})
    log_evidence = np.array(report.numbers["ledger"]["log_evidence"])
    assert log_evidence.max() > log_evidence[-1]
    (grid,) = next(section for section in report.sections if section.title == "Evidence").grids
    assert [column.name for column in grid.columns[1:3]] == ["last e-value", "highest"]
    _, last, highest, p_value, _ = grid.rows[0]
    assert (last, highest) == tuple(format_wealth(log) for log in (log_evidence[-1], log_evidence.max()))
    assert p_value == pytest.approx(np.exp(-log_evidence.max()))
