"""Small files in the layouts of other tools, for the page on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

SYSTEMS = ("small", "large")
RNG = np.random.default_rng(20)
TRUTH = RNG.integers(0, 2, 60).tolist()


def guesses(right: float) -> list[int]:
    return [y if RNG.random() < right else 1 - y for y in TRUTH]


GUESSES = {"small": guesses(0.6), "large": guesses(0.9)}
MAIL = ("ham", "spam")


def write_trackers(folder: Path) -> None:
    rows = [[*item] for item in zip(RNG.integers(20, 80, 60).tolist(), TRUTH, GUESSES["large"], strict=True)]
    table: dict[str, Any] = {"columns": ["age", "target", "prediction"], "data": rows}
    (folder / "eval_results_table.json").write_text(json.dumps(table))
    for name, text in GUESSES.items():
        rows = [
            [i, MAIL[y], MAIL[p], 0.8 - 0.6 * p, 0.2 + 0.6 * p]
            for i, (y, p) in enumerate(zip(TRUTH, text, strict=True))
        ]
        table = {
            "columns": ["id", "truth", "guess", "score_ham", "score_spam"],
            "ncols": 5,
            "nrows": 60,
            "data": rows,
        }
        (folder / name).mkdir()
        (folder / name / "predictions.table.json").write_text(
            json.dumps(table | {"column_types": {"wb_type": "typedDict"}})
        )


def write_openai(folder: Path) -> None:
    for name, text in GUESSES.items():
        lines: list[dict[str, Any]] = [{"spec": {"eval_name": "made-up", "run_id": "1"}}]
        for index, (y, p) in enumerate(zip(TRUTH, text, strict=True)):
            event = {"run_id": "1", "sample_id": f"made-up.test.{index}"}
            lines.append(event | {"event_id": 2 * index, "type": "sampling", "data": {"sampled": ["AB"[p]]}})
            data = {"correct": y == p, "expected": "AB"[y], "picked": "AB"[p], "options": ["A", "B"]}
            lines.append(event | {"event_id": 2 * index + 1, "type": "match", "data": data})
        lines.append({"final_report": {"accuracy": 0.5}, "run_id": "1"})
        (folder / f"{name}.log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def write_deepeval(folder: Path) -> None:
    for name, text in GUESSES.items():
        cases = [
            {
                "name": f"test_case_{index}",
                "success": y == p,
                "metricsData": [
                    {"name": "Answer Relevancy", "threshold": 0.5, "score": 0.8 if y == p else index / 200}
                ],
            }
            for index, (y, p) in enumerate(zip(TRUTH, text, strict=True))
        ]
        scores = [{"metric": "Answer Relevancy", "scores": [1]}]
        run = {
            "testFile": "test.py",
            "testCases": cases,
            "conversationalTestCases": [],
            "metricsScores": scores,
        }
        (folder / f"{name}.json").write_text(json.dumps({"testRunData": run, "testRunLink": None}))


def write_forecastbench(folder: Path) -> None:
    market = [(f"m{i}", "metaculus", None) for i in range(20)]
    asked = [*market, *((f"d{i}", "fred", f"2026-0{month}-15") for i in range(20) for month in (8, 9))]
    gold = [
        {
            "id": x,
            "source": source,
            "direction": None,
            "resolution_date": date or "2026-09-30",
            "resolved": index != 7,
        }
        | {"resolved_to": float(y)}
        for index, ((x, source, date), y) in enumerate(zip(asked, TRUTH, strict=True))
    ]
    (folder / "2026-08-01_resolution_set.json").write_text(json.dumps({"resolutions": gold}, indent=4))
    for letter, guess in zip("ab", GUESSES.values(), strict=True):
        rows = [
            {"id": x, "source": source, "forecast": [0.2, 0.8][p], "resolution_date": date, "reasoning": None}
            for (x, source, date), p in zip(asked, guess, strict=True)
        ]
        path = folder / f"2026-08-01.Lab.forecaster-{letter}.json"
        path.write_text(json.dumps({"organization": "Lab", "model": letter, "forecasts": rows}, indent=4))


def write_kaggle(folder: Path) -> None:
    for name, column in {"solution": TRUTH, "first": GUESSES["small"], "second": GUESSES["large"]}.items():
        lines = [f"{index},{value}\n" for index, value in enumerate(column)]
        (folder / f"{name}.csv").write_text("id,label\n" + "".join(lines))


def write_football(folder: Path) -> None:
    season, forecasts, model, market = [], [], [], []
    for index in range(60):
        result = "HDA"[RNG.choice(3, p=[0.5, 0.2, 0.3])]
        odds, date = "1.96,3.62,3.88", f"{index % 28 + 1:02}/{index // 28 + 8:02}/2025"
        sure = {"H": "0.6,0.2,0.2", "D": "0.3,0.4,0.3", "A": "0.2,0.2,0.6"}[result]
        season.append(f"E0,{date},Team {index},Saint-Étienne,{result},{odds}\n")
        forecasts.append(f"{date},{result},{sure},{odds}\n")
        model.append(f"Team {index},X,{sure}\n")
        market.append(f"Team {index},X,0.5,0.25,0.25\n")
    season = [line.replace("Saint-Étienne", "X,Référée") for line in season]
    head = "Div,Date,HomeTeam,AwayTeam,Referee,FTR,B365H,B365D,B365A\n"
    (folder / "E0.csv").write_bytes((head + "".join(season)).encode("latin-1"))
    (folder / "forecasts.csv").write_text("Date,FTR,p_H,p_D,p_A,B365H,B365D,B365A\n" + "".join(forecasts))
    for name, lines in {"model": model, "market": market}.items():
        (folder / f"{name}.csv").write_text("HomeTeam,AwayTeam,p_H,p_D,p_A\n" + "".join(lines))
