"""JSON without what it would hold twice, unless all is asked for."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import edgeworth as ew
from command_line import call


def forecasts(number: int) -> dict[str, object]:
    rng = np.random.default_rng(7)
    probabilities = rng.beta(1, 2, number)
    return {"truth": (rng.random(number) < probabilities).astype(int), "probabilities": probabilities}


def test_a_probability_report_of_ten_thousand_rows_is_about_a_hundred_kilobytes() -> None:
    report = ew.evaluate(**forecasts(10_000))
    brief, full = report.to_json(), report.to_json(full=True)
    assert len(brief) < 125_000
    assert len(full) > 2.5 * len(brief)


def test_brief_json_keeps_every_result_and_every_sentence() -> None:
    report = ew.evaluate(**forecasts(600))
    brief, full = json.loads(report.to_json()), json.loads(report.to_json(full=True))
    assert brief == json.loads(json.dumps(report.to_dict()))
    assert full.keys() - brief.keys() == {"chart_data"}
    assert brief["charts"].keys() == full["charts"].keys()
    for key in ("verdict", "claims", "sections", "provenance", "means", "skill", "calibration", "best_cut"):
        assert brief[key] == full[key]
    for chart in full["charts"].values():
        assert chart.pop("data")
    assert brief["charts"] == full["charts"]


def test_only_curves_lose_digits() -> None:
    report = ew.evaluate(**forecasts(600))
    brief, full = report.to_dict()["wealth"], report.to_dict(full=True)["wealth"]
    assert brief["log_wealth"] == full["log_wealth"]
    paths = brief["path"]["log_wealth"], full["path"]["log_wealth"]
    assert all(math.isclose(short, exact, rel_tol=5e-6) for short, exact in zip(*paths, strict=True))
    assert paths[0] != paths[1]


def test_lists_of_numbers_are_on_one_line_and_text_is_untouched() -> None:
    awkward = "[\n  1,\n  2\n]"
    table = ew.ContingencyTable.from_labels([awkward, "b"] * 20, [awkward, "b"] * 20)
    text = ew.evaluate(table).to_json()
    tally = json.loads(text)["tally"]
    assert tally["labels"] == [awkward, "b"]
    assert "[20, 0]" in text


def test_the_command_writes_all_with_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "births.csv").write_text("low,larger_model\n" + "1,1\n0,0\n0,1\n" * 20)
    command = ("evaluate", "births.csv", "--truth", "low", "--prediction", "larger_model", "--json", "-")
    brief = call(tmp_path, capsys, *command).stdout
    full = call(tmp_path, capsys, *command, "--full").stdout
    assert "data" not in json.loads(brief)["charts"]["edges"]
    assert json.loads(full)["charts"]["edges"]["data"]
