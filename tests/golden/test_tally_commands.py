"""Count here, add up there, report where it is read: the same report as on the whole file."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import edgeworth as ew
from command_line import call, refused
from tally_shards import Command, Row, close, commanding, told, written


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return commanding(tmp_path, capsys)


def numbers(count: int, seed: int = 3) -> list[Row]:
    draw = random.Random(seed)
    rows: list[Row] = []
    for number in range(count):
        real = draw.random() < 0.4
        score = round(draw.gauss(1.0 if real else 0.0, 1.0), 1)
        text = int(score > 0.5)
        rows.append((int(real), text, score, f"g{number % 7}", f"d{number}", 1 + number % 3))
    return rows


HEADER = "y,p,s,g,d,w"
ROWS = numbers(90)
# Labels that look like numbers in the first shard, and are text as soon as the others come.
WORDS = [(f"{y}", f"{p}", *rest) for y, p, *rest in ROWS[:30]]
WORDS += [("spam" if y else "1", "spam" if p else "007", *rest) for y, p, *rest in ROWS[30:]]
SPELLINGS = [("1.0" if y else "0", "1" if p else "0.0", *rest) for y, p, *rest in ROWS]
AWAY = [(y, "-1.0" if index % 9 == 4 else p, *rest) for index, (y, p, *rest) in enumerate(ROWS)]
HOLES = [(y, "" if position % 10 == 3 else p, *rest) for position, (y, p, *rest) in enumerate(ROWS)]
NO_SCORE = [(y, p, "" if row % 11 == 3 else s, *rest) for row, (y, p, s, *rest) in enumerate(ROWS)]
# Whole numbers in the first two shards, and fractions in the last: all of them are sampling weights.
FRACTIONS = [(*rest, w if place < 60 else f"{w}.5") for place, (*rest, w) in enumerate(ROWS)]
UNIT = [(y, p, f"{min(max((float(str(s)) + 3) / 7, 0), 1):.3f}", *rest) for y, p, s, *rest in ROWS]
# In the first shard there is no target at all.
LATE = sorted(ROWS, key=lambda row: int(str(row[0])))

CASES: dict[str, tuple[list[Row], list[str], list[str]]] = {
    "labels": (ROWS, ["--prediction", "p"], []),
    "labels at another level": (ROWS, ["--prediction", "p"], ["--level", "0.9", "--pool", "20"]),
    "labels that are numbers in one shard": (WORDS, ["--prediction", "p"], []),
    "one label in two spellings": (SPELLINGS, ["--prediction", "p"], []),
    "labels in groups": (ROWS, ["--prediction", "p", "--cluster", "g"], []),
    "labels in groups, text": (WORDS, ["--prediction", "p", "--cluster", "g"], []),
    "declared labels": (ROWS, ["--prediction", "p", "--labels", "1,0,2", "--positive", "0"], []),
    "no decision": (AWAY, ["--prediction", "p", "--abstain", "-1"], []),
    "nobody abstains": (ROWS, ["--prediction", "p", "--abstain", "none"], []),
    "dropped": (HOLES, ["--prediction", "p", "--missing", "drop"], []),
    "missing is no decision": (HOLES, ["--prediction", "p", "--missing", "abstain"], []),
    "counts": (ROWS, ["--prediction", "p", "--weight", "w"], []),
    "weights": (FRACTIONS, ["--prediction", "p", "--weight", "w"], []),
    "weights in groups": (FRACTIONS, ["--prediction", "p", "--weight", "w", "--cluster", "g"], []),
    "counts by the said kind": (
        ROWS,
        ["--prediction", "p", "--weight", "w", "--weight-kind", "counts"],
        [],
    ),
    "a ranking": (ROWS, ["--score", "s"], ["--depth", "20", "--gain", "3", "--cost", "1"]),
    "a ranking, targets late": (LATE, ["--score", "s"], []),
    "a ranking of text": (WORDS, ["--score", "s", "--positive", "spam"], []),
    "a ranking with spellings": (SPELLINGS, ["--score", "s"], []),
    "a ranking, dropped": (NO_SCORE, ["--score", "s", "--missing", "drop"], []),
    "a ranking with counts": (ROWS, ["--score", "s", "--weight", "w"], []),
    "a ranking with weights": (FRACTIONS, ["--score", "s", "--weight", "w"], []),
    "a ranking on cells": (UNIT, ["--score", "s", "--bins", "50"], []),
    "lists": (ROWS, ["--score", "s", "--query", "g"], []),
    "lists with ids": (ROWS, ["--score", "s", "--query", "g", "--id", "d"], []),
    "lists, a label positive": (LATE, ["--score", "s", "--query", "g", "--positive", "1"], []),
}


REPORTED = (
    "labels at another level",
    "labels that are numbers in one shard",
    "labels in groups",
    "no decision",
    "dropped",
    "weights in groups",
    "a ranking",
    "a ranking with weights",
    "a ranking on cells",
    "lists with ids",
)
"""Cases of which the whole report is compared; of all of them the tallies are."""


def counted_in_parts(case: str, folder: Path, command: Command) -> None:
    rows, counted, _ = CASES[case]
    written(folder / "whole.csv", HEADER, rows)
    for place, part in enumerate((rows[:30], rows[30:31], rows[31:])):
        written(folder / f"{place}.csv", HEADER, part)
        command("tally", f"{place}.csv", "--truth", "y", *counted, "-o", f"shard{place}.json")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_merged_shards_are_the_tally_of_the_whole_file(case: str, tmp_path: Path, command: Command) -> None:
    counted_in_parts(case, tmp_path, command)
    command("tally", "whole.csv", "--truth", "y", *CASES[case][1], "-o", "whole.json")
    output = command("merge", "shard*.json", "-o", "merged.json")
    assert "90 rows" in output
    assert "of 3 sources" in output
    command("merge", "shard0.json", "shard1.json", "-o", "half.json")
    whole, merged, half, last = (
        ew.read_tally(tmp_path / f"{name}.json") for name in ("whole", "merged", "half", "shard2")
    )
    again = (half + last).final
    assert close(merged.final.to_dict(), whole.final.to_dict())
    assert close(again.to_dict(), whole.final.to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("case", REPORTED)
def test_merged_shards_say_what_the_whole_file_says(case: str, tmp_path: Path, command: Command) -> None:
    counted_in_parts(case, tmp_path, command)
    _, counted, asked = CASES[case]
    command("evaluate", "whole.csv", "--truth", "y", *counted, *asked, "--json", "whole.json")
    command("report", "shard*.json", *asked, "--json", "again.json")
    assert close(told(tmp_path / "again.json"), told(tmp_path / "whole.json"))


def test_several_predictors_travel_too(tmp_path: Path, command: Command) -> None:
    draw = random.Random(9)
    rows = [(*row, int(draw.random() < 0.5)) for row in ROWS]
    words = ["--truth", "y", "--prediction", "p", "--prediction", "r"]
    written(tmp_path / "whole.csv", HEADER + ",r", rows)
    command("compare", "whole.csv", *words, "--json", "whole.json")
    for place, part in enumerate((rows[:50], rows[50:])):
        written(tmp_path / f"{place}.csv", HEADER + ",r", part)
        command("tally", f"{place}.csv", *words, "-o", f"shard{place}.json")
    command("merge", "shard0.json", "shard1.json", "-o", "merged.json")
    command("report", "merged.json", "--json", "again.json")
    assert close(told(tmp_path / "again.json"), told(tmp_path / "whole.json"))


@pytest.fixture
def shards(tmp_path: Path, command: Command) -> Path:
    for place, part in enumerate((ROWS[:50], ROWS[50:])):
        written(tmp_path / f"{place}.csv", HEADER, part)
        command("tally", f"{place}.csv", "--truth", "y", "--prediction", "p", "-o", f"{place}.json")
    return tmp_path


def test_a_nightly_job_adds_a_day_to_the_past(shards: Path, command: Command) -> None:
    command("merge", "0.json", "-o", "past.json")
    assert command("merge", "past.json", "1.json", "-o", "past.json") == "past.json: 90 rows of 2 sources\n"
    provenance = json.loads((shards / "past.json").read_text(encoding="utf-8"))["provenance"]
    assert [part["source"] for part in provenance["parts"]] == ["0.csv", "1.csv"]
    assert [part["rows"] for part in provenance["parts"]] == [50, 40]
    assert sorted(path.name for path in shards.iterdir()) == [
        "0.csv",
        "0.json",
        "1.csv",
        "1.json",
        "past.json",
    ]


def test_the_first_night_has_no_past(
    shards: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(call(shards, capsys, "merge", "past.json", "0.json", "-o", "past.json"))
    assert (
        "past.json does not exist yet: on the first day, run edgeworth merge 0.json -o past.json" in message
    )
    command("merge", "0.json", "-o", "past.json")
    command("merge", "past.json", "1.json", "-o", "past.json")
    # Another file is another file, not a slip.
    message = refused(call(shards, capsys, "merge", "past.jsn", "0.json", "-o", "x.json"))
    assert "past.jsn does not exist; did you mean past.json?" in message
    assert refused(call(shards, capsys, "report", "week.json")).endswith("week.json does not exist\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--truth", "y"], "0.csv has the columns y, p, s, g, d, w: pass exactly one of prediction (labels)"),
        (["--prediction", "p"], "0.csv has the columns y, p, s, g, d, w: truth is needed"),
        (
            ["--truth", "y", "--prediction", "p", "--master", "local"],
            "--master needs --engine spark",
        ),
        (
            ["--truth", "y", "--prediction", "p", "--rows-before", "5"],
            "--rows-before is not supported with labels",
        ),
    ],
    ids=["no form", "no truth", "master", "option"],
)
def test_what_is_lacking_is_named(
    words: list[str], expected: str, shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in refused(call(shards, capsys, "tally", "0.csv", *words, "-o", "x.json"))


def test_a_source_is_not_counted_twice(
    shards: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command("merge", "0.json", "1.json", "-o", "both.json")
    message = refused(call(shards, capsys, "merge", "both.json", "1.json", "-o", "more.json"))
    assert "both.json and 1.json hold the same source (1.csv)" in message
    assert "--again" in message
    assert "130 rows" in command("merge", "both.json", "1.json", "--again", "-o", "more.json")
    assert "--again" in refused(call(shards, capsys, "report", "both.json", "1.json"))
    command("report", "both.json", "1.json", "--again", "--json", "r.json")
    assert json.loads((shards / "r.json").read_text(encoding="utf-8"))["provenance"]["rows"] == 130
    # A copy under another name, counted again, is the same source.
    (shards / "copy.csv").write_bytes((shards / "1.csv").read_bytes())
    command("tally", "copy.csv", "--truth", "y", "--prediction", "p", "-o", "copy.json")
    assert "1.json and copy.json hold" in refused(
        call(shards, capsys, "merge", "1.json", "copy.json", "-o", "x.json")
    )


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        (["--prediction", "p", "--positive", "0"], "differ in positive: None and '0'"),
        (["--prediction", "w"], "differ in the column of prediction: 'p' and 'w'"),
        (["--prediction", "p", "--abstain", "7"], "differ in abstain: None and '7'"),
        (["--prediction", "p", "--missing", "drop"], "differ in missing: 'error' and 'drop'"),
        (["--prediction", "p", "--cluster", "g"], "0.json holds labels, other.json holds labels in clusters"),
        (["--prediction", "p", "--weight", "w"], "differ in the column of weight: None and 'w'"),
        (["--score", "s"], "0.json holds labels, other.json holds scores"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_what_was_counted_otherwise_does_not_merge(
    counted: list[str], expected: str, shards: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command("tally", "1.csv", "--truth", "y", *counted, "-o", "other.json")
    assert expected in refused(call(shards, capsys, "merge", "0.json", "other.json", "-o", "x.json"))
    assert not (shards / "x.json").exists()


def test_cells_of_rankings_must_be_the_same(
    tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for place, cells in enumerate(("10", "20")):
        written(tmp_path / f"{place}.csv", HEADER, UNIT[place::2])
        words = ["--truth", "y", "--score", "s", "--bins", cells, "-o", f"{place}.json"]
        command("tally", f"{place}.csv", *words)
    message = refused(call(tmp_path, capsys, "merge", "0.json", "1.json", "-o", "x.json"))
    assert "0.json and 1.json differ in bins: 10 and 20" in message


def test_another_label_can_be_positive_without_counting_again(shards: Path, command: Command) -> None:
    command("report", "0.json", "1.json", "--positive", "0", "--json", "zero.json")
    rows = [tuple(map(int, (str(y), str(p)))) for y, p, *_ in ROWS]
    truth, prediction = zip(*rows, strict=True)
    whole = ew.evaluate(truth=truth, prediction=prediction, positive=0)
    # A file's column has a name, which the verdict has.
    named = whole.verdict.replace("The predictions beat", "p beats", 1)
    assert told(shards / "zero.json")["verdict"] == named
    assert told(shards / "zero.json")["tally"]["positive"] == 0


def test_targets_are_checked_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tally", "nowhere.csv", "--truth", "y", "--prediction", "p", "-o"]
    assert "'no/x.json' cannot be written" in refused(call(tmp_path, capsys, *words, "no/x.json"))
    assert "nowhere.csv is read, so nothing" in refused(call(tmp_path, capsys, *words, "nowhere.csv"))
    assert "name the tally files" in refused(call(tmp_path, capsys, "merge", "-o", "x.json"))
    assert "no file matches day*.json" in refused(call(tmp_path, capsys, "merge", "day*.json", "-o", "x"))


def test_a_tally_on_standard_output_is_alone_there(shards: Path, command: Command) -> None:
    text = command("tally", "0.csv", "--truth", "y", "--prediction", "p", "-o", "-")
    assert text == (shards / "0.json").read_text(encoding="utf-8")


def test_a_merged_report_tells_its_parts(shards: Path, command: Command) -> None:
    command("report", "0.json", "1.json", "--json", "r.json")
    provenance = json.loads((shards / "r.json").read_text(encoding="utf-8"))["provenance"]
    assert provenance["source"] == "2 sources, merged"
    assert provenance["parts"] == ["0.csv: 50 rows", "1.csv: 40 rows"]
    assert (provenance["rows"], provenance["cases"], provenance["truth"]) == (90, 90, "y")


def test_a_day_without_rows_adds_nothing(shards: Path, command: Command) -> None:
    written(shards / "holes.csv", HEADER, [("1", "", 0, "g", "d", 1)])
    words = ["--truth", "y", "--prediction", "p", "--missing", "drop"]
    for name in ("0", "holes"):
        command("tally", f"{name}.csv", *words, "-o", f"{name}.d.json")
    assert "51 rows (1 dropped)" in command("merge", "holes.d.json", "0.d.json", "-o", "m.json")
