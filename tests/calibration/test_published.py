"""The records that the pages of methods show: they hold what the pages promise, and every marker has some."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

METHODS = Path(__file__).parents[2] / "docs" / "methods"
Record = dict[str, Any]
MOST_NAMED, LEAST_COVERED, LEAST_COVERED_IN_CLUSTERS, LEAST_SHARE_OF_POWER = 0.07, 0.91, 0.92, 0.85


def read_records(name: str) -> list[Record]:
    records: list[Record] = json.loads((METHODS / "data" / f"{name}.json").read_text(encoding="utf-8"))
    return records


RECORDS = {path.stem: read_records(path.stem) for path in (METHODS / "data").glob("*.json")}


def of_edgeworth(file: str, *grids: str) -> list[Record]:
    rows = [row for row in RECORDS[file] if row["grid"] in grids and row["method"].startswith("Edgeworth")]
    assert rows
    return rows


def test_every_marker_names_grids_that_were_measured() -> None:
    measured = {row["grid"] for rows in RECORDS.values() for row in rows}
    marked = [
        grid
        for page in METHODS.glob("*.md")
        for names in re.findall(r"^<!-- measured: (.*) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
        for grid in names.split()
    ]
    assert len(marked) >= 20
    assert {*marked} <= measured


@pytest.mark.parametrize(
    ("file", "grid"),
    [
        *(("slices", f"slices-{name}") for name in ("base-rates", "clusters", "labels", "scores", "grades")),
        *(("winners", f"winners-{name}") for name in ("forecasters", "grades", "classes")),
        ("clusters", "constant-costs"),
    ],
)
def test_nothing_is_named_by_mistake_in_more_than_7_percent_of_samples(file: str, grid: str) -> None:
    for row in of_edgeworth(file, grid):
        error = math.sqrt(MOST_NAMED * (1 - MOST_NAMED) / row["samples"])
        assert row["rejected"] <= MOST_NAMED + 2 * error, row["setting"]


@pytest.mark.parametrize("file", ["slices", "winners", "clusters"])
def test_intervals_cover_or_carry_a_caveat(file: str) -> None:
    rows = [
        row for row in RECORDS[file] if row["method"].startswith("Edgeworth") and row["coverage"] is not None
    ]
    assert len(rows) > 20
    for row in rows:
        error = math.sqrt(LEAST_COVERED * (1 - LEAST_COVERED) / row["samples"])
        covered = row["coverage"] if row["covers_or_caveat"] is None else row["covers_or_caveat"]
        assert covered >= LEAST_COVERED - 2 * error, (row["setting"], row["n"])


def test_clustered_roc_area_average_precision_and_brier_score_cover() -> None:
    for row in of_edgeworth("clusters", "clusters-rankings"):
        error = math.sqrt(LEAST_COVERED_IN_CLUSTERS * (1 - LEAST_COVERED_IN_CLUSTERS) / row["samples"])
        assert row["coverage"] >= LEAST_COVERED_IN_CLUSTERS - 2 * error, (row["setting"], row["clusters"])


def test_slices_have_most_of_the_power_of_a_z_test_in_the_same_samples() -> None:
    by_z = {row["setting"]: row for row in RECORDS["slices"] if row["method"] == "z test"}
    for row in of_edgeworth("slices", "slices-gaps"):
        assert row["rejected"] >= LEAST_SHARE_OF_POWER * by_z[row["setting"]]["rejected"], row["setting"]


def test_the_table_of_weighted_probabilities_is_what_the_seeded_script_wrote() -> None:
    names = {
        "strata, weights 1 and 16": "20% of the rows with weight 16",
        "by outcome, weights 1 and 10": "weight 1 for events and 10 for others",
    }
    rows: dict[str, list[str]] = {}
    for record in RECORDS["forecast-rows"]:
        share = record["rejected"] if record["coverage"] is None else record["coverage"]
        assert record["samples"] == 1000
        rows.setdefault(record["setting"], []).append(f"{share:.1%}")
    page = (METHODS / "probabilities.md").read_text(encoding="utf-8")
    assert len(rows) == 6
    for setting, cells in rows.items():
        assert f"| {names.get(setting, setting)} | {' | '.join(cells)} |" in page
