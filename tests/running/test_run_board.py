"""A folder of runs: the leaderboard, the matrix of systems and tasks, and both averages."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from gate_files import write_log

RIGHT = {"law": {"a": 60, "b": 40, "c": 20}, "code": {"a": 10, "b": 14, "c": 2}}
ITEMS = {"law": 80, "code": 20}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for task, systems in RIGHT.items():
        for name, right in systems.items():
            answers = [1] * right + [0] * (ITEMS[task] - right)
            write_log(tmp_path / f"{name}-{task}.json", answers, model=f"lab/{name}", task=task)
    return tmp_path


def table(report: Any, title: str) -> Any:
    [section] = [section for section in report.sections if section.title == title]
    return section.grids[0]


@pytest.mark.parametrize("verb", [ew.evaluate, lambda path: ew.compare(path).report])
def test_both_averages_are_those_of_the_counts(verb: Any, folder: Path) -> None:
    report = verb(folder)
    grid = table(report, "Systems by task")
    assert [column.name for column in grid.columns] == [
        *("system", "code", "law", "macro average", "micro average")
    ]
    for name, *values in grid.rows:
        system = name.removeprefix("lab/")
        code, law = (RIGHT[task][system] / ITEMS[task] for task in ("code", "law"))
        pooled = sum(RIGHT[task][system] for task in RIGHT) / 100
        assert values == pytest.approx([code, law, (code + law) / 2, pooled])
    averages = report.to_dict()["by_task"]["systems"]["lab/b"]
    assert averages["macro_average"] == pytest.approx((0.7 + 0.5) / 2)
    assert averages["micro_average"] == pytest.approx(0.54)


def test_a_folder_has_one_row_per_system_with_its_own_interval(folder: Path) -> None:
    report = ew.evaluate(folder)
    main = [section.title for section in report.sections if section.is_main]
    assert main == ["Leaderboard", "Systems by task"]
    grid = table(report, "Leaderboard")
    columns = [column.name for column in grid.columns]
    assert columns == ["system", "accuracy", "95% CI", "rank", "first", "letters"]
    assert [row[0] for row in grid.rows] == ["lab/a", "lab/b", "lab/c"]
    for name, value, interval, *_ in grid.rows:
        right = sum(counts[name.removeprefix("lab/")] for counts in RIGHT.values())
        # Wilson 1927, equation 4.
        z = 1.959963984540054
        centre, half = (
            (right + z * z / 2) / (100 + z * z),
            z * math.sqrt(right * (100 - right) / 100 + z * z / 4),
        )
        half /= 100 + z * z
        assert value == right / 100
        assert interval == pytest.approx((centre - half, centre + half))
    assert grid.rows[0][4] == "first"
    assert report.lead == "systems"
    assert next(iter(report.charts)) == "systems"
    assert set(report.to_dict()["reports"]) == {"lab/a", "lab/b", "lab/c"}


def test_systems_that_tie_are_marked(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for name in "abc":
        write_log(tmp_path / f"{name}.json", rng.integers(0, 2, 50).tolist(), model=f"lab/{name}")
    grid = table(ew.evaluate(tmp_path), "Leaderboard")
    assert [row[3:5] for row in grid.rows] == [("1 to 3", "tied")] * 3


def test_systems_without_a_common_task_are_listed_without_ranks(tmp_path: Path) -> None:
    for name in "abc":
        write_log(tmp_path / f"{name}.json", [1, 0, 1, 1], model=f"lab/{name}", task=f"task {name}")
    report = ew.evaluate(tmp_path)
    assert "not ranked: the logs have no task in common" in report.verdict
    assert [row[2] for row in table(report, "Systems").rows] == [0.75] * 3


def test_a_page_of_a_folder_can_be_written(folder: Path, tmp_path: Path) -> None:
    page = ew.evaluate(folder).to_html(tmp_path / "page.html")
    assert page.index("Leaderboard") < page.index("lab/a: How good")


def test_a_task_that_a_system_did_not_run_is_a_warning(folder: Path) -> None:
    write_log(folder / "a-more.json", [1, 0] * 20, model="lab/a", task="more")
    for report in (ew.evaluate(folder), ew.compare(folder).report):
        assert "Task more left out: lab/b, lab/c did not run it." in report.warnings
    assert not any("left out" in warning for warning in ew.evaluate(folder / "a-more.json").warnings)
