"""Several files, patterns, standard input, guessed columns and engines: all through the same door."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from command_line import call, flat, refused
from edgeworth.errors import OptionError
from tally_shards import Command, close, commanding, told, written

ROWS: list[tuple[object, ...]] = [(index % 2, (index * index // 3) % 2, index % 9) for index in range(60)]
WORDS = ["--truth", "y_true", "--prediction", "y_pred"]
HEADER = "y_true,y_pred,score"


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return commanding(tmp_path, capsys)


@pytest.fixture
def days(tmp_path: Path, command: Command) -> Path:
    written(tmp_path / "whole.txt", HEADER, ROWS)
    written(tmp_path / "day1.csv", HEADER, ROWS[:25])
    written(tmp_path / "day2.csv", HEADER, ROWS[25:])
    command("evaluate", "whole.txt", *WORDS, "--json", "whole.json")
    return tmp_path


def _without_pooling(path: Path) -> dict[str, Any]:
    """Read a report on two files without the notice that two files were read."""
    report = told(path)
    [pooled] = [warning for warning in report["warnings"] if "rows of 2 files" in warning]
    report["warnings"].remove(pooled)
    return report


@pytest.mark.parametrize("files", [["day1.csv", "day2.csv"], ["day*.csv"], ["."]], ids=str)
def test_several_files_are_one(files: list[str], days: Path, command: Command) -> None:
    command("evaluate", *files, *WORDS, "--json", "again.json")
    assert close(_without_pooling(days / "again.json"), told(days / "whole.json"))
    provenance = json.loads((days / "again.json").read_text(encoding="utf-8"))["provenance"]
    assert provenance["digest"].startswith("sha256:")
    command("tally", *files, *WORDS, "-o", "shard.json")
    assert ew.read_tally(days / "shard.json").origin.rows == 60
    command("report", "shard.json", "--json", "reported.json")
    assert close(told(days / "reported.json"), told(days / "whole.json"))


def test_words_may_come_in_any_order(days: Path, command: Command) -> None:
    command("evaluate", *WORDS, "day1.csv", "--json", "again.json", "day2.csv")
    assert close(_without_pooling(days / "again.json"), told(days / "whole.json"))


def test_standard_input_is_a_file(days: Path) -> None:
    words = [sys.executable, "-m", "edgeworth", "evaluate", "-", *WORDS, "--json", "-"]
    with (days / "whole.txt").open("rb") as rows:
        shown = subprocess.run(words, stdin=rows, capture_output=True, check=True)
    payload = json.loads(shown.stdout)
    assert payload["verdict"] == told(days / "whole.json")["verdict"]


def test_none_of_several_inputs_is_written_over(days: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(days, capsys, "evaluate", "day1.csv", "day2.csv", *WORDS, "--json", "day2.csv")
    assert "day2.csv is read, so nothing is written over it" in refused(done)
    for verb, target in (("evaluate", "--json"), ("tally", "-o")):
        for files in ("day*.csv", "."):
            done = call(days, capsys, verb, files, *WORDS, target, "day2.csv")
            assert "day2.csv is read, so nothing is written over it" in refused(done)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["evaluate", "day1.csv", "--truth", "y_true", "--predicton", "y_pred"],
            "Did you mean --prediction?",
        ),
        (["evaluate", "day1.csv", *WORDS, "--levl", "0.9"], "Unknown option: --levl. Did you mean --level?"),
        (["evaluate", "day1.csv", "--truth", "y_true", "--pred", "y_pred"], "Did you mean --prediction?"),
        (
            ["evaluate", "day1.csv", *WORDS, "--join", "id"],
            "evaluate has no option --join; check and compare have it. edgeworth evaluate --help lists",
        ),
        (
            ["noise", "day1.csv", "--system", "s"],
            "noise is about the runs of one system: pass only its rows.",
        ),
        (["noise", "day1.csv", "--run", "r"], "so --id COLUMN is enough."),
        (["evaluate", "day1.csv", "--predictions", "y_pred"], "Did you mean --prediction?"),
        (["evaluate", "day1.csv", "--y-true", "y_true"], "Did you mean --truth?"),
        (["evaluate", "day1.csv", *WORDS, "--group", "x"], "Did you mean --cluster?"),
        (["evaluate", "day1.csv", "y_true", "y_pred"], "to name a column, use an option such as --truth"),
        (["evaluate", "day1.csv", *WORDS, "--html", "r.pdf"], "open the page in a browser and print it"),
        (["compare", "day1.csv", "--quux"], "--quux. edgeworth compare --help lists its options."),
        (["compare", "day1.csv", "day2.csv", "--join", "id", "--join", "date"], "by commas"),
        (
            ["evaluate", "day1.csv", *WORDS, "--seed", "1", "--seed", "2"],
            "--seed is given twice: pass it once\n",
        ),
        (["evaluate", "day1.csv", *WORDS, "--prediction", "y_old"], "edgeworth compare"),
        (["evaluate", "day1.csv", "--probabilities", "a,b", "--probabilities", "c,d"], "edgeworth compare"),
        (["evaluate", "day1.csv", *WORDS, "--measure", "auc"], "--score"),
        (["evaluate", *WORDS], "name a file to read, or - for standard input"),
        (["tally", "day1.csv", *WORDS], "--output"),
        (["evaluate", "day1.csv", *WORDS, "--engine", "abacus"], "abacus"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_slips_of_the_hand(
    words: list[str], expected: str, days: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in refused(call(days, capsys, *words))


def test_only_options_that_the_command_has_are_suggested(
    days: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--output" not in refused(call(days, capsys, "evaluate", "day1.csv", *WORDS, "--group", "x"))


def test_columns_are_guessed_and_that_is_said(days: Path, command: Command) -> None:
    written(days / "plain.csv", "id,y_true,y_pred", [(1, *row[:2]) for row in ROWS])
    shown = flat(command("evaluate", "plain.csv", "--json", "plain.json"))
    notice = "Took 'y_true' as truth and 'y_pred' as prediction."
    assert notice in shown
    result = told(days / "plain.json")
    assert result["warnings"][0] == notice
    assert result["verdict"] == told(days / "whole.json")["verdict"]
    command("tally", "plain.csv", "-o", "plain.tally.json")
    assert ew.evaluate(ew.read_tally(days / "plain.tally.json")).warnings[0] == notice


def test_columns_of_dataframes_are_guessed_too() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {"label": [1, 0] * 20, "prediction": [1, 0, 1, 1] * 10, "age": list(range(40))}
    reports = [
        ew.evaluate(frame) for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns))
    ]
    for report in reports:
        assert report.warnings[0] == "Took 'label' as truth and 'prediction' as prediction."
        assert report.verdict == reports[0].verdict


def test_doubts_are_left_to_the_caller(days: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(call(days, capsys, "evaluate", "day1.csv"))
    assert "'y_pred' or 'score' could be evaluated: pass --prediction y_pred or --score score." in message
    written(days / "odd.csv", "a,b", [(1, 1), (0, 0)])
    assert "truth is needed" in refused(call(days, capsys, "evaluate", "odd.csv", "--prediction", "b"))
    message = refused(call(days, capsys, "evaluate", "odd.csv", "--truth", "a"))
    assert "odd.csv has the columns a, b: pass exactly one of prediction" in message
    assert "as --prediction COLUMN, --score COLUMN or --probability COLUMN" in message


@pytest.mark.usefixtures("days")
def test_an_engine_is_handed_on(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from edgeworth.pipeline import tally_rows
    from edgeworth.sources.opening import open_source

    asked = []

    def opened(data: Any, **options: Any) -> Any:
        asked.append((data, options))
        return open_source(data)

    monkeypatch.setattr(tally_rows, "open_source", opened)
    command("evaluate", "whole.txt", *WORDS, "--engine", "spark", "--master", "local[2]")
    command("tally", "whole.txt", *WORDS, "-o", "x.json")
    spark, plain = {"engine": "spark", "master": "local[2]"}, {"engine": None, "master": None}
    assert asked == [("whole.txt", spark), ("whole.txt", plain)]
    with pytest.raises(OptionError, match="engine and master need files, and these are arrays"):
        ew.evaluate(truth=[1], prediction=[1], engine="spark")


STOPPED = """
import sys, time
from contextlib import contextmanager
from edgeworth.cli import main
from edgeworth.common.progress import listen_to_progress

@contextmanager
def stop(what, total):
    yield lambda number: (print("reading", flush=True), time.sleep(60))

with listen_to_progress(stop):
    main(sys.argv[1:])
"""
"""The command, which stops in the middle of its rows until it is killed."""


def large_file(folder: Path, kind: str) -> Path:
    """More rows than one batch has."""
    rng = np.random.default_rng(5)
    truth, prediction = rng.integers(0, 2, (2, 300_000))
    path = folder / f"large.{kind}"
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"y": truth, "p": prediction}), path, row_group_size=50_000)
    else:
        rows = zip(truth.tolist(), prediction.tolist(), strict=True)
        path.write_text("y,p\n" + "\n".join(f"{y},{p}" for y, p in rows), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("verb", ["evaluate", "tally"])
def test_a_killed_run_leaves_nothing_and_a_rerun_succeeds(
    verb: str, kind: str, tmp_path: Path, command: Command
) -> None:
    path, out = large_file(tmp_path, kind), tmp_path / "out"
    out.mkdir()
    (out / "x.json").write_text("old", encoding="utf-8")
    target = ["--json" if verb == "evaluate" else "-o", str(out / "x.json")]
    words = [verb, str(path), "--truth", "y", "--prediction", "p", *target]
    with subprocess.Popen([sys.executable, "-c", STOPPED, *words], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"reading\n"
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    assert [item.name for item in out.iterdir()] == ["x.json"]
    assert (out / "x.json").read_text(encoding="utf-8") == "old"
    command(*words)
    payload = json.loads((out / "x.json").read_text(encoding="utf-8"))
    assert np.sum(payload["tally"]["counts"]) == 300_000
    assert [member.name for member in out.iterdir()] == ["x.json"]
