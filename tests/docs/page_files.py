"""Files that the blocks of a page need, beside the samples that ``edgeworth demo --data`` writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from sample_tables import write_counts, write_days, write_parquet_days, write_tool_files, write_two_logs
from task_files import write_answers, write_forecasts, write_mails, write_tickets

from gate_files import write_log


def write_two_model_files(folder: Path) -> None:
    """Write the labels of two models into a file each, with an id per row."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 300)
    for name, accuracy in {"small": 0.72, "large": 0.85}.items():
        labels = np.where(rng.random(300) < accuracy, truth, 1 - truth)
        rows = [
            f"{i},{'spam' if y else 'ham'},{'spam' if p else 'ham'}"
            for i, (y, p) in enumerate(zip(truth, labels, strict=True))
        ]
        (folder / f"{name}.csv").write_text("\n".join(["id,label,prediction", *rows]) + "\n")


def write_gate_logs(folder: Path) -> None:
    """Write run logs of a pull request and of the main branch, and a file of requirements."""
    rng = np.random.default_rng(11)
    old = (rng.random(600) < 0.8).astype(int)
    new = np.where(rng.random(600) < np.where(old == 1, 0.03, 0.15), 1 - old, old)
    topics = ["law", "medicine", "code"]
    for name, right in (("main", old), ("pr", new)):
        write_log(folder / f"{name}.json", right.tolist(), model=f"lab/{name}", topics=topics)
    (folder / "gate.toml").write_text(
        'require = "accuracy >= 0.7"\n\n[[gate]]\n'
        'require = "accuracy no worse than baseline by 8pp"\n'
        'by = "topic"\nslices = ["law", "medicine"]\n'
    )


def write_patients(folder: Path) -> None:
    """Write predictions for patients of two sites, of which women are served worse."""
    rng = np.random.default_rng(3)
    sex, site = rng.choice(["f", "m"], 1200), rng.choice(["north", "south"], 1200)
    sick = rng.random(1200) < np.where(sex == "f", 0.3, 0.4)
    flag = np.where(rng.random(1200) < np.where(sex == "f", 0.75, 0.85), sick, ~sick)
    rows = [f"{a},{b},{int(y)},{int(p)}" for a, b, y, p in zip(sex, site, sick, flag, strict=True)]
    (folder / "patients.csv").write_text("\n".join(["sex,site,sick,flag", *rows]) + "\n")


def write_search_runs(folder: Path) -> None:
    """Write judgements of 40 queries and the runs of three systems."""
    rng = np.random.default_rng(11)
    strengths = {"bm25": 0.8, "dense": 1.3, "fused": 1.7}
    grades = rng.choice([0, 0, 0, 0, 1, 2], (40, 30))
    lines = [f"q{q} 0 d{d} {grade}" for q, row in enumerate(grades.tolist()) for d, grade in enumerate(row)]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, strength in strengths.items():
        scores = strength * grades + rng.normal(size=grades.shape)
        lines = [
            f"q{query} Q0 d{document} {rank} {scores[query, document]:.4f} {name}"
            for query in range(len(scores))
            for rank, document in enumerate(np.argsort(-scores[query]).tolist(), 1)
        ]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")


def write_answers_seconds_and_alarms(folder: Path) -> None:
    """Write answers of four models, run times of two programs, and two forecasters of rare alarms."""
    rng = np.random.default_rng(11)
    hard = rng.random(400)
    right = {name: hard + rng.normal(0, 0.3, 400) < rate for name, rate in zip(NAMES, RATES, strict=True)}
    _write_columns(folder / "answers.csv", {name: x.astype(int) for name, x in right.items()})
    old = rng.lognormal(1.0, 0.3, 30)
    new = old * rng.uniform(0.55, 1.05, 30)
    _write_columns(folder / "seconds.csv", {"old": old.round(2), "new": new.round(2)})
    alarm = np.zeros(200, dtype=int)
    alarm[[60, 140]] = 1
    bold, careful = rng.uniform(0.0005, 0.0015, 200), rng.uniform(0.01, 0.03, 200)
    _write_columns(
        folder / "alarms.csv", {"alarm": alarm, "bold": bold.round(5), "careful": careful.round(4)}
    )


NAMES, RATES = ("alpha", "beta", "gamma", "delta"), (0.8, 0.77, 0.78, 0.65)


def _write_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    rows = (",".join(map(str, row)) for row in zip(*(x.tolist() for x in columns.values()), strict=True))
    path.write_text("\n".join([",".join(columns), *rows]) + "\n")


def write_visits(folder: Path) -> None:
    """Write scores and probabilities of the visits of 40 patients."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(40), 1 + rng.poisson(7, 40))
    ill = rng.random(len(patient)) < rng.beta(3, 6, 40)[patient]
    score = rng.normal(size=len(patient)) + 1.3 * ill + rng.normal(0, 0.8, 40)[patient]
    probability = 1 / (1 + np.exp(1.2 - 0.8 * score))
    columns = zip(patient, ill, score, probability, strict=True)
    rows = [f"P{p:02},{'yes' if y else 'no'},{s:.2f},{q:.3f}" for p, y, s, q in columns]
    (folder / "visits.csv").write_text("\n".join(["patient,ill,score,probability", *rows]) + "\n")


def write_rain_forecasts(folder: Path) -> None:
    """Write a thousand forecasts of rain by two forecasters, one of them with log odds twice too extreme."""
    rng = np.random.default_rng(11)
    odds = rng.normal(-0.5, 1.4, 1000)
    cautious, bold = (1 / (1 + np.exp(-times * odds)) for times in (1, 2))
    rain = rng.random(1000) < cautious
    rows = [f"{int(y)},{p:.4f},{q:.4f}" for y, p, q in zip(rain, cautious, bold, strict=True)]
    (folder / "rain.csv").write_text("\n".join(["rain,cautious,bold", *rows]) + "\n")


def write_season(folder: Path) -> None:
    """Write a season of games: results, a model's probabilities, a bookmaker's odds and closing odds."""
    rng = np.random.default_rng(12)
    number = 380
    strength = rng.normal(0.35, 0.8, number)
    true = np.stack([np.exp(strength), np.full(number, 0.85), np.exp(-strength)], axis=1)
    true /= true.sum(axis=1, keepdims=True)

    def noisy(spread: float) -> np.ndarray:
        table = true * np.exp(rng.normal(0, spread, true.shape))
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    model, odds, closing = noisy(0.05), 1 / (1.05 * noisy(0.27)), 1 / (1.025 * noisy(0.05))
    results = [("H", "D", "A")[k] for k in (rng.random((number, 1)) > np.cumsum(true, axis=1)).sum(axis=1)]
    days = np.datetime64("2024-08-10") + 7 * (np.arange(number) // 10)
    lines = ["date,result,pH,pD,pA,B365H,B365D,B365A,PSCH,PSCD,PSCA"]
    for row in range(number):
        shares = [f"{x:.3f}" for x in (model[row, 0], model[row, 1])]
        shares.append(f"{1 - float(shares[0]) - float(shares[1]):.3f}")
        prices = [f"{x:.2f}" for x in (*odds[row], *closing[row])]
        lines.append(",".join([str(days[row]), results[row], *shares, *prices]))
    (folder / "season.csv").write_text("\n".join(lines) + "\n")


def write_bets(folder: Path) -> None:
    """Write a record of bets, some of them void or half lost."""
    rng = np.random.default_rng(4)
    lines = ["date,result,odds,stake"]
    for number in range(240):
        day = np.datetime64("2025-01-04") + 3 * (number // 3)
        odds, stake = round(float(rng.uniform(1.6, 4.5)), 2), int(rng.choice([10, 20, 50]))
        result = "won" if rng.random() < 1.05 / odds else "lost"
        result = "void" if number % 29 == 0 else f"half-{result}" if number % 41 == 5 else result
        lines.append(f"{day},{result},{odds:.2f},{stake}")
    (folder / "bets.csv").write_text("\n".join(lines) + "\n")


def write_fixtures(folder: Path) -> None:
    """Write outcomes of three games with probabilities and odds."""
    (folder / "fixtures.csv").write_text(
        "game,outcome,probability,odds\nLeeds-York,home,0.52,2.10\nLeeds-York,draw,0.26,3.50\n"
        "Leeds-York,away,0.22,3.90\nHull-Derby,home,0.45,2.05\nHull-Derby,away,0.30,4.10\n"
        "Bath-Ely,home,0.60,1.60\n"
    )


def write_daily_losses(folder: Path) -> None:
    """Write daily demand, the means and spreads of two forecasts made three days ahead, and quantiles."""
    rng = np.random.default_rng(19)
    shocks = rng.normal(size=(365, 3)).cumsum(axis=1)[:, -1]
    season = 50 + 10 * np.sin(np.arange(365) * 2 * np.pi / 7)
    demand = season + np.convolve(rng.normal(size=367), np.ones(3), "valid") + 0.5 * shocks
    old, new = season + rng.normal(0, 1.6, 365), season + rng.normal(0, 0.8, 365)
    rows = [
        f"{day},{y:.2f},{a:.2f},{b:.2f}" for day, (y, a, b) in enumerate(zip(demand, old, new, strict=True))
    ]
    (folder / "demand.csv").write_text("\n".join(["day,demand,old,new", *rows]) + "\n")


def write_folder_of_runs(folder: Path) -> None:
    """Write run logs of four models on three tasks."""
    rng = np.random.default_rng(2)
    (folder / "runs").mkdir()
    for task, number, ease in (("law", 200, 0.0), ("code", 120, -0.4), ("history", 80, 0.2)):
        difficulty = 1.2 * rng.normal(size=number)
        for model, skill in (("small", 0.2), ("medium", 1.0), ("large", 1.3), ("tuned", 1.4)):
            bonus = 0.9 if (task, model) == ("code", "tuned") else 0.0
            right = rng.random(number) < 1 / (1 + np.exp(-(skill + ease + bonus + difficulty)))
            name = folder / "runs" / f"{model}-{task}.json"
            write_log(name, right.astype(int).tolist(), model=f"lab/{model}", task=task)


def write_reruns(folder: Path) -> None:
    """Write three run logs of the same system, whose answers to some questions change."""
    rng = np.random.default_rng(5)
    rates = rng.beta(1.2, 0.4, 400)
    for number in (1, 2, 3):
        right = (rng.random(400) < rates).astype(int)
        write_log(folder / f"run{number}.json", right.tolist(), model="lab/small")


def write_two_weeks(folder: Path) -> None:
    """Write the answers of two models in two weeks, on other questions each week."""
    rng = np.random.default_rng(6)
    for week, skills in (("monday", (0.74, 0.70)), ("friday", (0.75, 0.58))):
        first = 0 if week == "monday" else 1000
        (folder / week).mkdir()
        for name, skill in zip(("chat", "search"), skills, strict=True):
            right = (rng.random(400) < skill).astype(int).tolist()
            write_log(folder / week / f"{name}.json", right, model=f"lab/{name}", first=first)


def write_answers_and_search_runs(folder: Path) -> None:
    """Write graded answers, and judgements with search runs."""
    write_answers(folder)
    write_search_runs(folder)


PAGE_FILES: dict[str, Callable[[Path], None]] = {
    "have/a-record-of-bets.md": write_bets,
    "have/a-tracker.md": write_two_logs,
    "have/clusters.md": write_visits,
    "have/labels.md": write_tickets,
    "have/losses-in-time-order.md": write_daily_losses,
    "have/odds.md": write_season,
    "have/several-runs.md": write_folder_of_runs,
    "have/probabilities.md": write_forecasts,
    "have/right-or-wrong.md": write_answers,
    "have/scores.md": write_mails,
    "have/search-runs.md": write_search_runs,
    "want/is-it-calibrated.md": write_rain_forecasts,
    "have/other-tools.md": write_tool_files,
    "have/run-logs.md": write_two_logs,
    "past-one-machine/counts-from-sql.md": write_counts,
    "past-one-machine/duckdb.md": write_parquet_days,
    "past-one-machine/tally-and-merge.md": write_days,
    "want/compare-two-models.md": write_two_model_files,
    "want/which-one-is-better.md": write_answers_seconds_and_alarms,
    "want/gate-a-release.md": write_gate_logs,
    "want/what-changed.md": write_two_weeks,
    "want/what-to-stake.md": write_fixtures,
    "want/no-worse-than.md": write_gate_logs,
    "want/noise.md": write_reruns,
    "want/which-number-to-report.md": write_answers_and_search_runs,
    "want/which-group-is-served-worse.md": write_patients,
}
"""For each page, by its path relative to ``docs``, a function that writes its files into a folder."""

JAVA_PAGES = {"past-one-machine/spark.md"}
"""Pages whose blocks start Spark."""

SLOW_PAGES = {"have/a-tracker.md", "want/which-pipeline-is-better.md", "past-one-machine/dask.md"}
"""Pages whose blocks take more than about two seconds."""
