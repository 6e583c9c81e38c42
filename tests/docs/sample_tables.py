"""Tables and logs for the pages on run logs and on data past one machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gate_files import answers, write_log
from recipe_files import write_football, write_forecastbench


def write_two_logs(folder: Path) -> None:
    """Write the logs of a small and a large model that answered the same 400 questions."""
    large, small = answers(62, 21, 240, 77)
    write_log(folder / "small.json", small, model="lab/small")
    write_log(folder / "large.json", large, model="lab/large")


def write_tool_files(folder: Path) -> None:
    """Write the files that the Python blocks of the page on other tools read."""
    write_forecastbench(folder)
    write_football(folder)


def write_counts(folder: Path) -> None:
    """Write what GROUP BY returns for a million rows: labels, two models, slices and rounded scores."""
    classes, shares = ["cat", "dog", "fox"], np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(11)

    def guess(right: float) -> np.ndarray:
        return right * np.eye(3) + (1 - right) * np.tile(shares, (3, 1))

    def write(name: str, head: str, lines: list[str]) -> None:
        (folder / name).write_text("\n".join([head, *lines]) + "\n")

    def labels(total: int, right: float, front: str = "") -> list[str]:
        counts = rng.multinomial(total, (shares[:, None] * guess(right)).ravel()).reshape(3, 3)
        return [
            f"{front}{y},{p},{counts[i, j]}" for i, y in enumerate(classes) for j, p in enumerate(classes)
        ]

    write("counts.csv", "actual,predicted,n", labels(1_000_000, 0.6))
    regions = [
        line for name, right in (("north", 0.62), ("south", 0.5)) for line in labels(4000, right, f"{name},")
    ]
    write("by_region.csv", "region,actual,predicted,n", regions)
    both = rng.multinomial(5000, np.einsum("i,ij,ik->ijk", shares, guess(0.58), guess(0.62)).ravel()).reshape(
        3, 3, 3
    )
    write(
        "pairs.csv",
        "actual,old_model,new_model,n",
        [
            f"{y},{a},{b},{both[i, j, k]}"
            for i, y in enumerate(classes)
            for j, a in enumerate(classes)
            for k, b in enumerate(classes)
        ],
    )
    truth = rng.random(20_000) < 0.1
    scores = np.round(1 / (1 + np.exp(2.5 - 1.5 * truth - rng.normal(size=20_000))), 3)
    values, counts = np.unique(np.column_stack([truth, scores]), axis=0, return_counts=True)
    write(
        "scores.csv", "actual,score,n", [f"{y:.0f},{x},{n}" for (y, x), n in zip(values, counts, strict=True)]
    )


def daily_labels(seed: int) -> tuple[list[str], list[str]]:
    """Draw the truth and the predictions of one day."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(["ham", "spam"], 500, p=[0.8, 0.2])
    return truth.tolist(), np.where(rng.random(500) < 0.7, truth, rng.choice(["ham", "spam"], 500)).tolist()


def write_days(folder: Path) -> None:
    """Write one CSV file per day."""
    for seed, day in enumerate(("monday", "tuesday", "wednesday")):
        lines = [f"{y},{p}" for y, p in zip(*daily_labels(seed), strict=True)]
        (folder / f"{day}.csv").write_text("\n".join(["actual,predicted", *lines]) + "\n")


def write_parquet_days(folder: Path) -> None:
    """Write one Parquet file per day."""
    import polars as pl

    (folder / "days").mkdir()
    for seed in range(3):
        truth, predicted = daily_labels(seed)
        pl.DataFrame({"actual": truth, "predicted": predicted}).write_parquet(
            folder / "days" / f"{seed}.parquet"
        )
