"""The recipes of the docs run, on small files in the layouts of the tools."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import call
from recipe_files import (
    write_deepeval,
    write_football,
    write_forecastbench,
    write_kaggle,
    write_openai,
    write_trackers,
)

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "have" / "other-tools.md").read_text(encoding="utf-8")
SECTIONS = {section.partition("\n")[0]: section for section in PAGE.split("\n## ")[1:]}
LAYOUTS = {
    "MLflow and Weights & Biases tables": write_trackers,
    "OpenAI evals": write_openai,
    "DeepEval": write_deepeval,
    "Kaggle": write_kaggle,
    "football-data.co.uk": write_football,
}


def test_every_recipe_is_tried() -> None:
    assert {*LAYOUTS, "ForecastBench"} == set(SECTIONS)


@pytest.mark.parametrize("section", LAYOUTS)
def test_commands_run(section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LAYOUTS[section](tmp_path)
    commands = [
        x
        for block in re.findall(r"```text\n(.*?)```", SECTIONS[section], re.DOTALL)
        for x in block.splitlines()
    ]
    assert commands
    for command in commands:
        words = shlex.split(command)
        if words[0] == "grep":
            lines = [x for x in (tmp_path / words[2]).read_text().splitlines(keepends=True) if words[1] in x]
            (tmp_path / words[4]).write_text("".join(lines))
            continue
        done = call(tmp_path, capsys, *words[1:], "--json", "-")
        assert done.returncode == 0, (command, done.stderr)
        payload = json.loads(done.stdout)
        assert payload["verdict"]
        if words[1] == "compare" and words[2].startswith("small"):
            assert "large" in json.dumps(payload["verdict"])


def test_forecastbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_forecastbench(tmp_path)
    monkeypatch.chdir(tmp_path)
    results: dict[str, Any] = {}
    (code,) = re.findall(r"```python\n(.*?)```", SECTIONS["ForecastBench"], re.DOTALL)
    exec(code, results)  # our own page
    comparison = results["comparison"]
    assert comparison.names == ("forecaster-a", "forecaster-b")
    assert comparison.findings.cases == 59


def test_odds_are_judged_as_forecasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_football(tmp_path)
    monkeypatch.chdir(tmp_path)
    results: dict[str, Any] = {}
    (code,) = re.findall(r"```python\n(.*?)```", SECTIONS["football-data.co.uk"], re.DOTALL)
    exec(code, results)  # our own page
    shares = 1 / results["season"][["B365H", "B365D", "B365A"]]
    shares = shares.div(shares.sum(axis=1), axis=0)
    came = np.array([[result == item for item in "HDA"] for result in results["season"]["FTR"]])
    brier = ((shares.to_numpy() - came) ** 2).sum(axis=1).mean()
    values = [x["value"] for x in results["report"].to_frame().to_dict("records") if "brier" in x["measure"]]
    assert any(value == pytest.approx(brier) for value in values), values
