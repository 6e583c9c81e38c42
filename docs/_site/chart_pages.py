"""The gallery: every chart that a report can hold, drawn from sample data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from markdown import plain, write_page

import edgeworth as ew
from edgeworth.report.report import Report
from edgeworth.sample import sample_file


def _births(**options: object) -> Callable[[], Report]:
    def evaluate() -> Report:
        with sample_file() as path:
            return ew.evaluate(path, truth="low", **options)

    return evaluate


def _labels_of_two(**options: object) -> Callable[[], Report]:
    def compare() -> Report:
        with sample_file() as path:
            systems = ["larger_model", "smaller_model"]
            return ew.compare(path, truth="low", systems=systems, **options).report

    return compare


def _queries() -> Report:
    rng = np.random.default_rng(3)
    truth = rng.random(400) < 0.2
    score = truth * 0.8 + rng.normal(size=400)
    return ew.evaluate(truth=truth.astype(int), score=score, query=np.repeat(np.arange(20), 20))


def _runs() -> Report:
    rng = np.random.default_rng(4)
    truth = rng.random(400) < 0.2
    systems = {name: truth * skill + rng.normal(size=400) for name, skill in (("old", 0.4), ("new", 1.2))}
    query = np.repeat(np.arange(20), 20)
    return ew.compare(truth=truth.astype(int), systems=systems, kind="scores", query=query).report


def _search_runs() -> Report:
    rng = np.random.default_rng(8)
    with TemporaryDirectory() as folder:
        qrels, *runs = (Path(folder) / name for name in ("qrels", "old", "new"))
        relevant = {(q, d): int(rng.random() < 0.2) for q in range(30) for d in range(20)}
        qrels.write_text("".join(f"{q} 0 d{d} {grade}\n" for (q, d), grade in relevant.items()))
        for run, skill in zip(runs, (0.4, 1.2), strict=True):
            scores = {pair: skill * grade + rng.normal() for pair, grade in relevant.items()}
            run.write_text("".join(f"{q} Q0 d{d} 1 {x} {run.name}\n" for (q, d), x in scores.items()))
        return ew.rankings.evaluate_trec(str(qrels), [str(run) for run in runs])


def _many_forecasts() -> Report:
    rng = np.random.default_rng(10)
    chance = rng.uniform(0.05, 0.95, 3_000)
    model, rival = (np.clip(chance + rng.normal(0, s, 3_000), 0.01, 0.99) for s in (0.05, 0.2))
    truth = (rng.random(3_000) < chance).astype(int)
    return ew.evaluate(truth=truth, probabilities=model, against=rival)


def _bets() -> Report:
    rng = np.random.default_rng(9)
    market = rng.dirichlet([5, 3, 3], 200)
    result = [rng.choice(3, p=row) for row in market]
    model = 0.8 * market + 0.2 * np.eye(3)[result] * 0.4 + 0.2 * 0.6 / 3
    model /= model.sum(axis=1, keepdims=True)
    days = np.datetime64("2026-01-03") + np.arange(200) // 5
    return ew.evaluate(
        truth=["HDA"[each] for each in result],
        probabilities=model,
        labels=["H", "D", "A"],
        odds=0.97 / market,
        time=days.astype(str),
        bankroll=1000.0,
        fraction=0.25,
    )


def _answers() -> Report:
    rng = np.random.default_rng(5)
    skill = np.repeat(rng.beta(2, 1, 60), 4)
    return ew.evaluate(correct=(rng.random(240) < skill).astype(int), id=np.repeat(np.arange(60), 4))


def _models() -> Report:
    rng = np.random.default_rng(6)
    systems = {f"model {i}": (rng.random(300) < 0.55 + 0.05 * i).astype(int) for i in range(5)}
    return ew.compare(truth=None, systems=systems, kind="grades").report


def _forecasters() -> Report:
    with sample_file() as path:
        systems = ["larger_probability", "smaller_probability"]
        return ew.compare(path, truth="low", systems=systems, kind="probabilities").report


LARGER = {"probabilities": "larger_probability", "against": "smaller_probability"}
GALLERY: dict[str, tuple[tuple[str, Callable[[], Report]], ...]] = {
    "Labels": (
        (
            "evaluate births.csv --truth low --prediction larger_model --bets",
            _births(prediction="larger_model", bets=True),
        ),
    ),
    "Scores": (
        (
            "evaluate births.csv --truth low --score larger_probability --gain 5 --cost 1",
            _births(score="larger_probability", gain=5.0, cost=1.0),
        ),
        (
            "evaluate births.csv --truth low --score larger_probability --method survival",
            _births(score="larger_probability", method="survival"),
        ),
        (
            "evaluate births.csv --truth low --score larger_probability --cost-false-alarm 1 --cost-miss 5",
            _births(score="larger_probability", cost_false_alarm=1.0, cost_miss=5.0),
        ),
    ),
    "Search results": (
        ("evaluate results.csv --truth relevant --score score --query query", _queries),
        ("compare results.csv --truth relevant --score old --score new --query query", _runs),
        ("trec qrels old new", _search_runs),
    ),
    "Probabilities": (
        (
            "evaluate births.csv --truth low --probability larger_probability --against smaller_probability "
            "--bets --ordered --orders 50",
            _births(**LARGER, bets=True, ordered=True, orders=50),
        ),
        (
            "evaluate births.csv --truth low --probability larger_probability --bookmaker drunken "
            "--bookmakers 20",
            _births(probabilities="larger_probability", bookmaker=ew.bet.Drunken(bookmakers=20)),
        ),
        ("evaluate forecasts.csv --truth outcome --probability model --against rival", _many_forecasts),
    ),
    "Bets": (
        ("evaluate season.csv --truth result --probabilities h,d,a --odds oh,od,oa --time date", _bets),
    ),
    "Graded answers": (("evaluate answers.csv --correct correct --id question", _answers),),
    "Comparisons": (
        (
            "compare births.csv --truth low --prediction larger_model --prediction smaller_model "
            "--margin 0.05",
            _labels_of_two(kind="labels", margin=0.05),
        ),
        ("compare answers.csv --correct a --correct b --correct c …", _models),
        (
            "compare births.csv --truth low --probability larger_probability "
            "--probability smaller_probability",
            _forecasters,
        ),
    ),
}


def draw_gallery(folder: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Draw each chart once; yield its group, name, title, sentence and command."""
    drawn: set[str] = set()
    folder.mkdir(parents=True, exist_ok=True)
    for group, reports in GALLERY.items():
        for command, make in reports:
            for name, chart in make().charts.items():
                if name not in drawn:
                    drawn.add(name)
                    chart.save(folder / f"{name}.svg")
                    yield group, name, chart.title, chart.description, command


def write_chart_pages(source: Path) -> None:
    """Write the gallery."""
    folder = source / "reference"
    parts = [
        "# Charts",
        "Every chart has a name. `report.charts` holds the charts of a report in Python, and "
        "`--chart NAME FILE` writes one as SVG, PNG, PDF or Vega-Lite JSON. "
        '`report.charts["edges"].altair()` returns an Altair chart that you can change. '
        "A chart holds counts and curves, never rows of your data.",
    ]
    last = ""
    for group, name, title, description, command in draw_gallery(folder / "charts"):
        if group != last:
            parts.append(f"## {group}")
            last = group
        parts += [
            f"### {plain(title)}",
            f"`{name}`, from `edgeworth {command}`",
            f"![{plain(description)}](charts/{name}.svg)",
            plain(description),
        ]
    write_page(folder / "charts.md", *parts)
