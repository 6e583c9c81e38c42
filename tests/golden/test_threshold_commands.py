"""A threshold from the command line: of a file, of a tally, and refused where it means nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import edgeworth as ew
from command_line import call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    truth = (rng.random(200) < 0.3).astype(int)
    scores = np.round(1 / (1 + np.exp(1 - rng.normal(size=200) - 1.5 * truth)), 3)
    rows = [f"{a},{b},{int(b > 0.5)}" for a, b in zip(truth, scores, strict=True)]
    (tmp_path / "cases.csv").write_text("\n".join(["y,s,said", *rows]) + "\n", encoding="utf-8")
    return tmp_path


def test_costs_choose_a_threshold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    goal = ("--cost-false-alarm", "1", "--cost-miss", "4")
    columns = np.loadtxt(folder / "cases.csv", delimiter=",", skiprows=1)
    ranking = ew.Ranking.from_scores(columns[:, 0].astype(int), columns[:, 1], positive=1)
    choice = ew.rankings.choose_threshold(ranking, cost_false_alarm=1, cost_miss=4)
    for kind in (("--score", "s"), ("--probability", "s")):
        done = call(folder, capsys, "evaluate", "cases.csv", "--truth", "y", *kind, *goal, "--json", "r.json")
        assert done.returncode == 0, done.stderr
        assert "Where to cut" in done.stdout
        report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
        best_cut = report["best_cut"]
        assert best_cut["threshold"] == choice.threshold
        assert best_cut["estimates"]["cost"]["value"] == pytest.approx(choice.estimates["cost"].value)
        assert best_cut["cross_fitted"]["cost"]["value"] == pytest.approx(choice.expected["cost"].value)
        claim = next(item for item in report["claims"] if item["about"] == "threshold")
        assert claim["numbers"]["threshold"] == choice.threshold
        assert claim["numbers"]["value"] == pytest.approx(choice.expected["cost"].value)
        assert claim["text"] in report["verdict"]


def test_a_tally_is_asked_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(folder, capsys, "tally", "cases.csv", "--truth", "y", "--score", "s", "-o", "t.json")
    assert done.returncode == 0, done.stderr
    for least in ("0.5", "0.9"):
        done = call(folder, capsys, "report", "t.json", "--recall-at-least", least, "--json", "r.json")
        assert done.returncode == 0, done.stderr
        best_cut = json.loads((folder / "r.json").read_text(encoding="utf-8"))["best_cut"]
        assert best_cut["estimates"]["recall"]["value"] >= float(least)


def test_nonsense_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = ("--score", "s")
    for options in (
        (*scores, "--cost-miss", "4"),
        (*scores, "--cost-false-alarm", "0", "--cost-miss", "0"),
        (*scores, "--precision-at-least", "90"),
        ("--prediction", "said", "--recall-at-least", "0.5"),
    ):
        done = call(folder, capsys, "evaluate", "cases.csv", "--truth", "y", *options)
        assert done.returncode == 2
        assert done.stderr.startswith("edgeworth: ")
