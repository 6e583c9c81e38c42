"""Small files for the task pages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np


def write_tickets(folder: Path) -> None:
    """Write the topics of 400 support tickets and a model's labels; outages are rare and often missed."""
    rng = np.random.default_rng(5)
    topics = np.array(["billing", "login", "outage"])
    truth = rng.choice(3, 400, p=[0.6, 0.3, 0.1])
    guess = rng.choice(3, 400, p=[0.65, 0.3, 0.05])
    model = np.where(rng.random(400) < np.array([0.7, 0.6, 0.3])[truth], truth, guess)
    _write_rows(folder / "tickets.csv", "topic,model", zip(topics[truth], topics[model], strict=True))


def write_mails(folder: Path) -> None:
    """Write the scores of a spam filter for 300 mails."""
    rng = np.random.default_rng(6)
    spam = rng.random(300) < 0.2
    score = (rng.normal(size=300) + 1.8 * spam).round(2)
    _write_rows(folder / "mails.csv", "label,score", zip(np.where(spam, "spam", "ham"), score, strict=True))


def write_forecasts(folder: Path) -> None:
    """Write forecasts of rain on 500 days, and of the results of 300 games."""
    rng = np.random.default_rng(4)
    share = 1 / (1 + np.exp(0.5 - rng.normal(0, 1.4, 500)))
    rain = (rng.random(500) < share).astype(int)
    _write_rows(folder / "rain.csv", "rain,forecast", zip(rain, share.round(3), strict=True))
    strength = rng.normal(0.2, 0.9, 300)
    odds = np.exp(np.stack([strength, np.full(300, -0.2), -strength], axis=1))
    percent = np.floor(100 * odds / odds.sum(axis=1, keepdims=True))
    percent[:, 1] += 100 - percent.sum(axis=1)
    result = (rng.random((300, 1)) > np.cumsum(percent / 100, axis=1)).sum(axis=1)
    names = np.array(["home", "draw", "away"])[result]
    rows = ((name, *row) for name, row in zip(names, percent / 100, strict=True))
    _write_rows(folder / "games.csv", "result,home,draw,away", rows)


def write_answers(folder: Path) -> None:
    """Write grades of answers to 120 questions, asked once and three times, and points of essays."""
    rng = np.random.default_rng(8)
    chance = np.clip(1.15 - rng.random(120), 0.05, 0.95)
    right = (rng.random((120, 3)) < chance[:, None]).astype(int)
    _write_rows(folder / "answers.csv", "question,correct", enumerate(right[:, 0], 1))
    rows = ((question, run) for question, runs in enumerate(right, 1) for run in runs)
    _write_rows(folder / "runs.csv", "question,correct", rows)
    _write_rows(folder / "essays.csv", "essay,points", enumerate(rng.binomial(5, chance), 1))


def _write_rows(path: Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    lines = (",".join(map(str, row)) for row in rows)
    path.write_text("\n".join([header, *lines]) + "\n")
