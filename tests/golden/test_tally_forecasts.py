"""Probabilities in shards: bets in one path, whose parts follow each other."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from command_line import call, refused
from tally_shards import Command, Row, close, commanding, told, written

HEADER = "y,p,q,odds_0,odds_1"


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return commanding(tmp_path, capsys)


def games(count: int) -> list[Row]:
    draw = random.Random(11)
    rows: list[Row] = []
    for _ in range(count):
        p = round(draw.uniform(0.05, 0.95), 3)
        q = round(min(max(p + draw.gauss(0, 0.15), 0.05), 0.95), 3)
        rows.append((int(draw.random() < p), p, q, round(0.97 / (1 - q), 3), round(0.97 / q, 3)))
    return rows


def races(count: int) -> list[Row]:
    draw = random.Random(12)
    rows: list[Row] = []
    for _ in range(count):
        weights = [draw.uniform(0.2, 1) for _ in range(3)]
        shares = [round(weight / sum(weights), 6) for weight in weights]
        shares[2] = round(1 - shares[0] - shares[1], 6)
        rows.append((draw.choices("ABC", shares)[0], *shares, 0.3, 0.3, 0.4))
    return rows


MADE = ["--truth", "y", "--predictions-made", "before"]
GAMES = ["--probability", "p"]
RACES = ["--probabilities", "p_A,p_B,p_C", "--against", "q_A,q_B,q_C"]
CASES: dict[str, tuple[str, list[Row], list[str]]] = {
    "against a rival": (HEADER, games(90), [*MADE, *GAMES, "--against", "q"]),
    "in time order": (HEADER, games(90), [*MADE, *GAMES, "--against", "q", "--ordered", "--fraction", "0.5"]),
    "nobody said when": (HEADER, games(90), ["--truth", "y", *GAMES, "--against", "q"]),
    "at odds": (HEADER, games(90), [*MADE, *GAMES, "--odds", "odds_0,odds_1"]),
    "races": ("y,p_A,p_B,p_C,q_A,q_B,q_C", races(90), [*MADE, *RACES, "--ordinal"]),
}


def counted_in_parts(case: str, folder: Path, command: Command) -> None:
    header, rows, words = CASES[case]
    written(folder / "whole.csv", header, rows)
    for index, part in enumerate((rows[:40], rows[40:60], rows[60:])):
        written(folder / f"{index}.csv", header, part)
        command("tally", f"{index}.csv", *words, "-o", f"shard{index}.json")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_merged_shards_say_what_the_whole_file_says(case: str, tmp_path: Path, command: Command) -> None:
    counted_in_parts(case, tmp_path, command)
    command("evaluate", "whole.csv", *CASES[case][2], "--json", "whole.json")
    assert "90 rows of 3 sources" in command("merge", "shard*.json", "-o", "merged.json")
    command("report", "merged.json", "--json", "again.json")
    assert close(told(tmp_path / "again.json"), told(tmp_path / "whole.json"))


def test_a_day_goes_on_where_the_past_ended(tmp_path: Path, command: Command) -> None:
    counted_in_parts("in time order", tmp_path, command)
    past = [ew.read_tally(tmp_path / f"shard{index}.json") for index in range(3)]
    command("merge", "shard0.json", "-o", "past.json")
    for day in (1, 2):
        output = command("merge", "past.json", f"shard{day}.json", "-o", "past.json")
        assert "sources, in time order" in output
    merged = ew.read_tally(tmp_path / "past.json").final
    assert merged == ew.TallyRecord.merge(past).final
    assert merged.wealth.blocks.starts.tolist() == list(range(90))
    # In another order it is another path to the same end.
    other = ew.TallyRecord.merge(past[::-1]).final
    assert other.wealth.log_wealth == pytest.approx(merged.wealth.log_wealth, rel=1e-12)
    assert other.wealth.path[5] != pytest.approx(merged.wealth.path[5])


def test_long_paths_have_the_same_points_where_shards_say_where_they_stand() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, 9_001)
    columns: dict[str, Any] = {"truth": (rng.random(9_001) < p).astype(int), "probabilities": p}
    columns |= {"against": np.clip(p + rng.normal(0, 0.1, 9_001), 0.05, 0.95)}
    terms: dict[str, Any] = {"ordered": True, "predictions_made": "before"}
    whole = ew.tally(**columns, **terms).final
    parts = [
        ew.tally(**{name: column[rows] for name, column in columns.items()}, **terms, rows_before=before)
        for rows, before in ((slice(0, 4_501), 0), (slice(4_501, None), 4_501))
    ]
    merged = ew.TallyRecord.merge(parts[::-1]).final
    assert merged.wealth.blocks.starts.tolist() == whole.wealth.blocks.starts.tolist()
    assert merged.wealth.path == pytest.approx(whole.wealth.path, rel=1e-12, abs=1e-12)
    assert merged.wealth.drawdown == pytest.approx(whole.wealth.drawdown, rel=1e-12)


@pytest.mark.slow
def test_drawn_prices_need_the_place_of_a_row(
    tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    header, rows, _ = CASES["against a rival"]
    words = [*MADE, *GAMES, "--bookmaker", "drunken"]
    written(tmp_path / "whole.csv", header, rows)
    for index, part in enumerate((rows[:40], rows[40:])):
        written(tmp_path / f"{index}.csv", header, part)
        command("tally", f"{index}.csv", *words, "-o", f"{index}.json")
    message = refused(call(tmp_path, capsys, "merge", "0.json", "1.json", "-o", "x.json"))
    assert "count 1.json with --rows-before 40" in message
    command("tally", "1.csv", *words, "--rows-before", "40", "-o", "1.json")
    command("evaluate", "whole.csv", *words, "--json", "whole.json")
    command("report", "0.json", "1.json", "--json", "again.json")
    assert close(told(tmp_path / "again.json"), told(tmp_path / "whole.json"))


def test_class_shares_of_parts_are_no_rival_of_the_whole(
    tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    header, rows, _ = CASES["against a rival"]
    for index, part in enumerate((rows[:41], rows[41:])):
        written(tmp_path / f"{index}.csv", header, part)
        done = call(tmp_path, capsys, "tally", f"{index}.csv", *MADE, *GAMES, "-o", f"{index}.json")
        assert done.returncode == 0
        assert "reported on but not merged with others: give --against, --odds" in done.stderr
    message = refused(call(tmp_path, capsys, "merge", "0.json", "1.json", "-o", "x.json"))
    assert "pass a rival (against=, --against)" in message
    command("report", "0.json", "--json", "one.json")
    command("evaluate", "0.csv", *MADE, *GAMES, "--json", "whole.json")
    assert close(told(tmp_path / "one.json"), told(tmp_path / "whole.json"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--fraction", "0.25"], "differ in fraction: 1.0 and 0.25"),
        (["--ordered"], "differ in ordered: False and True"),
        (["--normalise"], "differ in normalise: False and True"),
    ],
    ids=["fraction", "ordered", "normalise"],
)
def test_other_terms_do_not_merge(
    words: list[str], expected: str, tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    header, rows, counted = CASES["against a rival"]
    for index, more in enumerate(([], words)):
        written(tmp_path / f"{index}.csv", header, rows[index::2])
        command("tally", f"{index}.csv", *counted, *more, "-o", f"{index}.json")
    assert expected in refused(call(tmp_path, capsys, "merge", "0.json", "1.json", "-o", "x.json"))


def test_time_and_rows_before_are_refused_where_they_mean_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, rows, counted = CASES["against a rival"]
    written(tmp_path / "x.csv", header, rows)
    message = refused(call(tmp_path, capsys, "tally", "x.csv", *counted, "--time", "q", "-o", "x.json"))
    assert "--ordered" in message
    labels = ["--truth", "y", "--prediction", "y", "--rows-before", "3", "-o", "x.json"]
    assert "--rows-before is not supported" in refused(call(tmp_path, capsys, "tally", "x.csv", *labels))


def test_a_gap_in_time_is_said_at_once(
    tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    header, rows, counted = CASES["in time order"]
    for index, first in ((0, 0), (1, 60)):
        written(tmp_path / f"{index}.csv", header, rows[first : first + 30])
        words = [*counted, "--rows-before", f"{first}", "-o", f"{index}.json"]
        assert call(tmp_path, capsys, "tally", f"{index}.csv", *words).stderr == ""
    done = call(tmp_path, capsys, "merge", "0.json", "1.json", "-o", "both.json")
    assert done.stderr == "edgeworth: Rows are missing on the path in time: positions 31 to 60.\n"
    command("report", "both.json", "--json", "r.json")
    assert any("positions 31 to 60" in warning for warning in told(tmp_path / "r.json")["warnings"])


def test_the_payload_of_forecasts_is_under_tally(tmp_path: Path, command: Command) -> None:
    counted_in_parts("races", tmp_path, command)
    payload = json.loads((tmp_path / "shard0.json").read_text(encoding="utf-8"))
    assert payload["tally"]["kind"] == "forecasts"
    assert payload["terms"]["columns"]["probabilities"] == "p_A, p_B, p_C"
