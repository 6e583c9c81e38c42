"""The desk's JavaScript computes what Edgeworth's Python computes: thousands of cases, four tabs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Route

import edgeworth as ew

pytestmark = [pytest.mark.browser, pytest.mark.slow]

JS = Path(ew.__file__).parent / "desk" / "js"
RUNNER = Path(__file__).with_name("desk_golden.js")
CLOSE = 1e-9
TABLES, RANKINGS, GAMES, RACES, WEALTHS = 1300, 500, 500, 500, 250
Case = dict[str, Any]


@pytest.fixture(scope="module")
def desk(browser: Browser) -> Iterator[Callable[[list[Case]], list[Any]]]:
    """Run cases through the modules in chromium, which loads them as ES modules."""
    page = browser.new_page()

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix("http://desk.test/")
        if not name:
            route.fulfill(content_type="text/html", body='<script type="module" src="golden.js"></script>')
        else:
            path = RUNNER if name == "golden.js" else JS / name.removeprefix("js/")
            route.fulfill(content_type="text/javascript", body=path.read_text(encoding="utf-8"))

    page.route("http://desk.test/**", answer)
    page.goto("http://desk.test/")
    page.wait_for_function("window.golden !== undefined")
    yield lambda cases: page.evaluate("cases => window.golden(cases)", cases)
    page.close()


def near(found: Any, wanted: Any, where: str, absolute: float = 1e-12) -> None:
    """Compare numbers, lists of them and dictionaries, NaN with NaN and infinity with infinity."""
    if isinstance(wanted, np.ndarray):
        wanted = wanted.tolist()
    if isinstance(wanted, dict):
        for name, value in wanted.items():
            near(found[name], value, f"{where}.{name}", absolute)
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted), where
        for index, value in enumerate(wanted):
            near(found[index], value, f"{where}[{index}]", absolute)
    elif wanted is None or isinstance(wanted, bool):
        assert found == wanted, where
    else:
        assert found == pytest.approx(float(wanted), rel=CLOSE, abs=absolute, nan_ok=True), where


# -- tables --------------------------------------------------------------------------------------------------


def random_counts(rng: np.random.Generator, number: int) -> np.ndarray[Any, Any]:
    """Draw a table of one of many kinds: sparse, fractional, huge, perfect, without some row or column."""
    size = int(rng.choice([2, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12]))
    scale = float(rng.choice([0.3, 2, 10, 100, 1e4, 1e8]))
    counts = rng.poisson(scale * rng.gamma(0.5, 2, (size, size)) + 0.01).astype(float)
    counts += np.diag(rng.poisson(scale * rng.choice([0, 1, 5]), size))
    kind = number % 10
    if kind == 1:
        counts[rng.integers(size)] = 0  # a label that is never predicted
    elif kind == 2:
        counts[:, rng.integers(size)] = 0  # a class that never occurs
    elif kind == 3:
        counts = counts * rng.choice([0.1, 0.37, 1 / 3])  # fractions
    elif kind == 4:
        counts = np.diag(counts.diagonal() + 1)  # perfection
    elif kind == 5:
        counts[1:] = 0  # always the same prediction
    elif kind == 6:
        np.fill_diagonal(counts, 0)  # all wrong
    elif kind == 7:
        counts = np.round(counts * 0.173, 2)  # two decimals
    if counts.sum() == 0:
        counts[0, 0] = 1
    return counts


def table_cases() -> list[Case]:
    rng = np.random.default_rng(33)
    cases = []
    for number in range(TABLES):
        counts = random_counts(rng, number)
        cases.append(
            {"kind": "table", "counts": counts.tolist(), "alpha": float(rng.choice([0.5, 0.2, 0, 1]))}
        )
    return cases


LABEL_MEASURES = [
    "recall",
    "inverse_recall",
    "precision",
    "inverse_precision",
    "fallout",
    "f",
    "inverse_f",
    "g",
    "inverse_g",
    "jaccard",
    "informedness",
    "prevalence",
    "predicted_share",
]
OVERALL_MEASURES = [
    "informedness",
    "accuracy",
    "balanced_accuracy",
    "average_f",
    "average_g",
    "mcc",
    "kappa",
    "conditional_entropy",
    "break_even_margin",
    "break_even_commission",
]


def spelled(name: str, alpha: float, label: str = "") -> str:
    options = f"(alpha={alpha})" if name in ("f", "inverse_f", "average_f") else ""
    return f"{name}{f'[{label}]' if label else ''}{options}"


@pytest.fixture(scope="module")
def tables(desk: Callable[[list[Case]], list[Any]]) -> list[tuple[ew.ContingencyTable, Case, Any]]:
    cases = table_cases()
    made = []
    for case in cases:
        labels = [f"c{k}" for k in range(len(case["counts"]))]
        cells = np.array(case["counts"])
        whole = cells.astype(np.int64) if (cells == np.rint(cells)).all() else cells
        made.append(ew.ContingencyTable.from_matrix(whole, rows="predicted", labels=labels))
    return list(zip(made, cases, desk(cases), strict=True))


def test_measures_of_tables(tables: list[tuple[ew.ContingencyTable, Case, Any]]) -> None:
    for table, case, result in tables:
        alpha, where = case["alpha"], str(case["counts"])
        overall = {name: ew.measure(table, spelled(name, alpha)) for name in OVERALL_MEASURES}
        near(result["overall"], overall, where)
        for index, label in enumerate(table.labels):
            wanted = {name: ew.measure(table, spelled(name, alpha, str(label))) for name in LABEL_MEASURES}
            near(result["labels"][index], wanted, f"{where} {label}")


def test_dollars_of_tables(tables: list[tuple[ew.ContingencyTable, Case, Any]]) -> None:
    for table, case, result in tables:
        played = ew.payoffs(table, pool=10)
        names = ("odds", "cells", "track", "rows", "weighted", "columns", "total", "won", "lost")
        wanted = {name: getattr(played, name) for name in names}
        size = max(1.0, float(np.nanmax(np.abs(np.nan_to_num(played.track)))))
        near(result["payoffs"], wanted, str(case["counts"]), absolute=1e-12 * size)


def whole_table(table: ew.ContingencyTable) -> ew.ContingencyTable:
    """Round fractions to whole cases, as tests need them."""
    counts = np.rint(table.counts).astype(np.int64)
    return ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=table.labels)


def test_intervals_tests_and_plans_of_tables(tables: list[tuple[ew.ContingencyTable, Case, Any]]) -> None:
    delta = ew.methods.Delta()
    exact = enumerated = bounded = 0
    for table, case, result in tables:
        where = str(case["counts"])
        accuracy = ew.estimate(table, "accuracy")
        near(result["accuracy"], list(accuracy.interval()), where)
        near([x["accuracy"] for x in [result["overall"]]], [accuracy.value], where)
        for index, label in enumerate(table.labels):
            edge = ew.estimate(table, f"informedness[{label}]")
            if edge.law is not None:
                low, high = edge.interval()
                wanted = {"low": low, "high": high, "error": edge.standard_error}
                near(result["edges"][index], wanted, where)
            # Chance levels take long to estimate, so each label of a table has another measure checked.
            name = ("recall", "precision", "f", "informedness")[index % 4]
            estimate = ew.estimate(table, spelled(name, case["alpha"], str(label)))
            if estimate.undefined is None:
                near(result["chance"][index][name], estimate.chance, f"{where} {name} by chance")
        if math.isnan(ew.measure(table, "informedness")):
            assert math.isnan(result["interval"]["low"]), where
            continue
        seen = (table.predicted > 0) | (table.real > 0)
        by_delta = ew.estimate(table, "informedness", method=delta)
        low, high = by_delta.interval()
        near(result["delta"], {"low": low, "high": high, "error": by_delta.standard_error}, where, 1e-9)
        if result["interval"]["method"] == "Newcombe":
            estimate = ew.estimate(table, "informedness")
            assert str(estimate.method) == "Newcombe", where
            near(result["interval"], dict(zip(("low", "high"), estimate.interval(), strict=True)), where)
            tails = result["luck"]["tails"]
            for alternative, name in (("two-sided", "twoSided"), ("greater", "greater")):
                tail = estimate.test_against_chance(alternative)
                if tail is not None and tails is not None:
                    exact += 1
                    near(tails[name], tail.p_value, f"{where} {alternative}", absolute=1e-300)
            needed = estimate.cases_needed().needed
            if result["luck"]["needed"] is None:
                enumerated += 1
            else:
                near(result["luck"]["needed"], needed, f"{where} cases needed")
        elif result["luck"]["bound"] is not None:
            bounded += 1
            whole = whole_table(table)
            law = ew.chance.informedness(whole)
            tail = law.two_sided(law.value_of(np.diag(whole.counts).tolist()))
            if tail.kind == "bound":
                near(math.log(result["luck"]["bound"]), math.log(tail.p_value), f"{where} bound")
            else:
                assert tail.p_value <= result["luck"]["bound"], where
        elif seen.sum() > 2 and by_delta.standard_error > 1e-9:
            near(result["deltaNeeded"], by_delta.cases_needed().needed, f"{where} cases needed")
    assert exact > 400
    assert enumerated > 10
    assert bounded > 100


def test_planned_cases_of_small_tables(desk: Callable[[list[Case]], list[Any]]) -> None:
    """Python samples tables to find the power and the desk enumerates them, so they agree within sampling."""
    tables = [[[9, 1], [1, 9]], [[14, 4], [5, 17]], [[30, 2], [9, 12]], [[5, 0], [0, 5]], [[8, 2], [3, 6]]]
    for counts in tables:
        table = ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["a", "b"])
        needed = ew.estimate(table, "informedness").cases_needed().needed
        asked = {"counts": counts, "cases": needed}
        cases, power = desk([{"kind": "plan", **asked}, {"kind": "power", **asked}])
        assert abs(cases - needed) <= 2, counts
        # Three standard errors of a share of 80% of 2,000 tables.
        assert power >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / 2000), counts


def test_sampled_tests_of_tables(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(7)
    draws, cases, wanted = 20_000, [], []
    for number in range(60):
        size = int(rng.integers(3, 7))
        counts = rng.poisson(rng.choice([1, 2, 8]), (size, size)) + np.diag(
            rng.poisson(rng.choice([0, 1, 2]), size)
        )
        table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
        value = ew.measure(table, "informedness")
        if math.isnan(value):
            continue
        law = ew.chance.informedness(table, draws=20_000)
        wanted.append((law.two_sided(value), law.tail(value)))
        cases.append({"kind": "guessing", "counts": counts.tolist(), "draws": draws, "seed": number})
    assert len(cases) > 50
    for case, (two_sided, greater), result in zip(cases, wanted, desk(cases), strict=True):
        for name, tail in (("twoSided", two_sided), ("greater", greater)):
            p = tail.p_value
            error = 5 * math.sqrt(2 * max(p * (1 - p), 1e-4) / draws)
            assert result[name]["p"] == pytest.approx(p, abs=error), case
            assert result[name]["low"] <= result[name]["p"] <= result[name]["high"] + 1e-4, case


def test_posterior_intervals(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(8)
    cases = []
    for number in range(30):
        size = int(rng.integers(3, 8))
        counts = (rng.poisson(2, (size, size)) + np.diag(rng.poisson(6, size))).tolist()
        cases.append(
            {"kind": "posterior", "counts": counts, "prior": 0.5 / size, "draws": 4000, "seed": number}
        )
    for case, result in zip(cases, desk(cases), strict=True):
        table = ew.ContingencyTable.from_matrix(case["counts"], rows="predicted")
        law = ew.estimate(table, "informedness", method=ew.methods.Dirichlet(prior=case["prior"])).law
        assert law is not None
        # The standard error of a 2.5% quantile of 4,000 draws is 0.042 standard deviations.
        near(
            result,
            list(np.quantile(law.draws, [0.025, 0.975])),
            str(case),
            absolute=0.26 * law.standard_error,
        )


def test_mixtures_and_prevalence(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(9)
    mixtures, shifted = [], []
    for _ in range(200):
        size = int(rng.integers(2, 13))
        actual, guess = (rng.dirichlet(np.ones(size)).tolist() for _ in range(2))
        informed = float(rng.choice([0, 1, 0.15, rng.random()])) * (
            -1 if size == 2 and rng.random() < 0.5 else 1
        )
        cases = float(rng.choice([1, 100, 12345]))
        mixtures.append(
            {"kind": "mixture", "actual": actual, "guess": guess, "informed": informed, "cases": cases}
        )
        counts = (rng.poisson(5, (size, size)) + 1).tolist()
        shifted.append(
            {
                "kind": "prevalence",
                "counts": counts,
                "chosen": int(rng.integers(size)),
                "share": float(rng.random()),
            }
        )
    for case, result in zip(mixtures, desk(mixtures), strict=True):
        inputs = {name: case[name] for name in ("informed", "cases")}
        near(result, ew.decisions.informed_mixture(case["actual"], case["guess"], **inputs).counts, str(case))
    for case, result in zip(shifted, desk(shifted), strict=True):
        before = ew.ContingencyTable.from_matrix(case["counts"], rows="predicted")
        after = ew.ContingencyTable.from_matrix(result, rows="predicted")
        near(after.total, before.total, str(case))
        near(ew.measure(after, f"prevalence[{case['chosen']}]"), case["share"], str(case))
        for label in before.labels:
            near(ew.measure(after, f"recall[{label}]"), ew.measure(before, f"recall[{label}]"), str(case))


# -- rankings ------------------------------------------------------------------------------------------------


def test_rankings(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(10)
    cases: list[Case] = [
        {"kind": "ranking", "hits": "11010000", "depth": 4},
        {"kind": "ranking", "hits": "1" * 9, "depth": 9},
        {"kind": "ranking", "hits": "0001", "depth": 1},
        {"kind": "ranking", "hits": "1", "depth": 1},
    ]
    while len(cases) < RANKINGS:
        items = int(rng.choice([2, 5, 8, 12, 15, 20, 60, 300]))
        marks = (rng.random(items) < rng.choice([0.1, 0.3, 0.8])).astype(int)
        if marks.sum():
            text = "".join(map(str, marks))
            cases.append({"kind": "ranking", "hits": text, "depth": int(rng.integers(1, items + 1))})
    exact = 0
    for case, result in zip(cases, desk(cases), strict=True):
        marks = [int(mark) for mark in case["hits"]]
        n, m, t = len(marks), sum(marks), case["depth"]
        ranking = ew.Ranking.from_scores(marks, list(range(n, 0, -1)))
        near(result["ap"], ew.measure(ranking, "average_precision"), str(case))
        law, hits = ew.chance.average_precision(n, m), ew.chance.hits(n, m, t)
        near(result["moments"], {"mean": law.mean, "variance": law.variance}, str(case), absolute=1e-15)
        low, high = hits.interval(0.95)
        near(result["chance"], {"mean": hits.mean, "low": low, "high": high}, str(case))
        near(result["tail"], hits.tail(sum(marks[:t])).p_value, str(case), absolute=1e-300)
        if result["exact"] is not None:
            exact += 1
            near(result["exact"], law.tail(result["ap"]).p_value, str(case))
    assert exact > 250


def test_exact_tails_at_the_ends(desk: Callable[[list[Case]], list[Any]]) -> None:
    """One target in a long list, nothing but targets, and values that every order or none reaches."""
    asked = [
        (300_000, 1, 0.01),
        (300_000, 1, 1 / 7),
        (50, 50, 1.0),
        (50, 50, 0.3),
        (10, 3, 0.0),
        (9, 4, 0.9999),
    ]
    asked += [(800, 2, 0.2), (600, 599, 0.99), (40, 4, 0.25)]
    cases = [{"kind": "precision", "items": n, "targets": m, "value": x} for n, m, x in asked]
    for (n, m, x), result in zip(asked, desk(cases), strict=True):
        near(result, ew.chance.average_precision(n, m).tail(x).p_value, f"{n}, {m}, {x}")


def test_moments_of_long_lists(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(11)
    sizes = [(5, 2), (10, 3), (100, 10), (3000, 245), (1, 1), (2, 1), (3, 3), (100_000, 5), (50_000, 49_999)]
    sizes += [(int(n), int(rng.integers(1, n + 1))) for n in 10 ** rng.uniform(0, 4.5, 80)]
    cases = [{"kind": "moments", "items": n, "targets": m} for n, m in sizes]
    for (n, m), result in zip(sizes, desk(cases), strict=True):
        law = ew.chance.average_precision(n, m)
        near(result, {"mean": law.mean, "variance": law.variance}, f"{n}, {m}", absolute=1e-15)


def test_sampled_tails_of_average_precision(desk: Callable[[list[Case]], list[Any]]) -> None:
    asked = [(20, 5, 0.6), (10, 3, 0.8), (60, 10, 0.3), (200, 20, 0.18), (3000, 245, 0.09), (500, 3, 0.05)]
    draws = 20_000
    cases = [
        {"kind": "orders", "items": n, "targets": m, "value": x, "draws": draws, "seed": 1}
        for n, m, x in asked
    ]
    for (n, m, x), result in zip(asked, desk(cases), strict=True):
        p = ew.chance.average_precision(n, m).tail(x).p_value
        assert result["p"] == pytest.approx(p, abs=5 * math.sqrt(2 * p * (1 - p) / draws)), (n, m, x)


# -- bets ----------------------------------------------------------------------------------------------------


def test_games(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(12)
    cases = []
    for _ in range(GAMES):
        odds = float(rng.choice([2.0, 1.01, 3.0, 1 + rng.exponential(3) + 1e-6, 1000.0]))
        p = float(rng.choice([0, 1, 1 / odds, 0.5, rng.random()]))
        options = {
            "commission": float(rng.choice([0, 0.05, 0.3])),
            "fraction": float(rng.choice([1, 0.5, 0.25, 0])),
            "backOnly": bool(rng.random() < 0.3),
        }
        cases.append({"kind": "game", "p": p, "odds": odds, "options": options})
    for case, result in zip(cases, desk(cases), strict=True):
        p, odds, options = case["p"], case["odds"], case["options"]
        kept = 1 - options["commission"]
        back, lay = 1 + (odds - 1) * kept, 1 + (odds - 1) / kept
        bets: Any = {"lay": np.inf if options["backOnly"] else lay, "fraction": options["fraction"]}
        stake = float(ew.bet.kelly_game(p, back, **bets))
        near(result["stake"], stake, str(case))
        true, false = ew.bet.game_factors(p, back, outcome=[True, False], **bets)
        near([result["ifTrue"], result["ifFalse"]], [true, false], str(case))
        near(result["growth"], ew.bet.growth(p, back, stake, lay=bets["lay"]), str(case))


def test_races(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(13)
    cases: list[Case] = [
        {"p": [0.2, 0.4, 0.3, 0.08, 0.02], "odds": [5.5, 2.625, 3.25, 6, 21]},
        {"p": [0.5, 0.25, 0.25], "odds": [3, 3, 3]},
        {"p": [0.5, 0.5], "odds": [2.2, 2.1]},
        {"p": [1, 0, 0], "odds": [1.5, 4, 9]},
    ]
    while len(cases) < RACES:
        size = int(rng.integers(2, 13))
        p = rng.dirichlet(np.full(size, rng.choice([0.3, 1, 10])))
        if rng.random() < 0.2:
            p[rng.integers(size)] = 0
        overround = float(rng.choice([1, 1.05, 1.2, 0.95, 1.5]))
        if rng.random() < 0.3:
            odds = np.full(size, size / overround + 1e-9)  # ties
        else:
            odds = 1 / np.clip(rng.dirichlet(np.full(size, 5)) * overround, 1e-3, 0.98)
        if (odds > 1.001).all() and p.sum() > 0:
            cases.append({"p": (p / p.sum()).tolist(), "odds": odds.tolist()})
    for case in cases:
        options = {"commission": float(rng.choice([0, 0.05])), "fraction": float(rng.choice([1, 0.5]))}
        case |= {"kind": "race", "options": options}
    arbitrages = 0
    for case, result in zip(cases, desk(cases), strict=True):
        p, options = case["p"], case["options"]
        odds = 1 + (np.array(case["odds"]) - 1) * (1 - options["commission"])
        stakes = ew.bet.kelly(p, odds, fraction=options["fraction"])
        near(result["stakes"], stakes, str(case), absolute=1e-9)
        near(
            result["factors"],
            ew.bet.factors_by_outcome(p, odds, fraction=options["fraction"]),
            str(case),
            1e-9,
        )
        near(result["growth"], ew.bet.growth(p, odds, stakes), str(case))
        name = ew.bet.arbitrage(odds)
        arbitrages += name != "none"
        assert result["isArbitrage"] == (name != "none"), case
    assert arbitrages > 20


# -- races of forecasters ------------------------------------------------------------------------------------


def test_wealth(desk: Callable[[list[Case]], list[Any]]) -> None:
    rng = np.random.default_rng(14)
    cases: list[Case] = [{"outcomes": [1, 0, 1], "model": [0.6, 0.3, 0.8], "rival": [0.5, 0.5, 0.5]}]
    while len(cases) < WEALTHS:
        rows = int(rng.choice([1, 2, 5, 30, 200]))
        outcomes = rng.integers(0, 2, rows)
        model, rival = rng.random(rows), rng.random(rows)
        if len(cases) % 5 == 1:
            model[rng.integers(rows)] = rng.integers(0, 2)  # certainty, perhaps ruin
        if len(cases) % 5 == 2:
            rival[rng.integers(rows)] = rng.integers(0, 2)  # what only the rival rules out pays without bound
        if len(cases) % 5 == 3:
            rival = model.copy()
        cases.append({"outcomes": outcomes.tolist(), "model": model.tolist(), "rival": rival.tolist()})
    for case in cases:
        case["kind"] = "wealth"
    ruined = 0
    for case, result in zip(cases, desk(cases), strict=True):
        where = str(case)[:300]
        inputs = case["outcomes"], case["model"]
        wealth = ew.Wealth.from_probabilities(*inputs, against=case["rival"], positive=1)
        near(result["path"], wealth.path, where, absolute=1e-10)
        near(result["final"], wealth.log_wealth, where, absolute=1e-10)
        near(result["drawdown"], wealth.drawdown, where, absolute=1e-10)
        near(result["top"], wealth.log_maximum, where, absolute=1e-10)
        ruined += wealth.log_wealth == -math.inf
        for name, prefix in (("ifModel", "model"), ("ifRival", "price")):
            with np.errstate(invalid="ignore"):
                wanted = {x: np.cumsum(wealth.sums(f"{prefix}_{x}")) for x in ("mean", "variance")}
            near(result[name], wanted, where, absolute=1e-9)
        for index, column in enumerate(("model", "rival")):
            scores = ew.ForecastScores.from_probabilities(case["outcomes"], case[column], positive=1)
            near(result["logScores"][index], scores.mean("log"), where, absolute=1e-10)
            near(result["brierScores"][index], scores.mean("brier"), where)
    assert ruined > 5


def test_enough_cases() -> None:
    assert TABLES + 200 + 200 + 60 + 30 + RANKINGS + 80 + GAMES + RACES + WEALTHS >= 3000
