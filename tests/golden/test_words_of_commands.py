"""What a command says of its words: its help, what is missing, what is too much, and how it ends early."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import edgeworth as ew
from command_line import call, refused
from edgeworth.cli.app import app
from edgeworth.errors import OptionError

COMMANDS = [name for name in app if not name.startswith("-")]
NOISE = ("[default: ()]", "[default: False]", "[ARGS", " STR", " VALUE")
ROWS = "y_true,a,b,p_cat,p_bird,p_dog\n" + (
    "cat,cat,dog,.7,.2,.1\nbird,bird,bird,.1,.8,.1\ndog,cat,dog,.3,.1,.6\ncat,cat,cat,.5,.3,.2\n" * 5
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["merge", "x.json"], r"merge needs --output FILE (-o): the tally file to write"),
        (["tally", "x.csv", "--outptu", "t.json"], "saw '--outptu'"),
        (["table", "1 2; 3 4"], "table needs --rows predicted|actual|real: what the rows of the table are"),
        (["chance", "--items", "3"], "chance needs --targets INT: how many of them are targets\n"),
        (["trec"], "trec needs QRELS: judgements"),
        (
            ["table", "1", "2", "--rows", "real"],
            'table 1 has one class: write a table row by row, "12 28; 18 42"',
        ),
        (["demo", "x"], "demo takes only options; saw 'x'"),
        (["evaluate", "x.csv", "--chart", "edges"], "--chart is followed by NAME FILE; saw 'edges'"),
        (["compare", "x.csv", "--prediction"], "--prediction is followed by COLUMN; saw nothing"),
        (["evalute", "x.csv"], "there is no command 'evalute' (did you mean 'evaluate'?); there are "),
        (["kelly", "--probabilities", ".5,.4", "--odds", "2,2"], "--normalise"),
        (["evaluate", "x.csv", "--probabilities", "p_cat,p_brid,p_dog"], "no column 'p_brid'; did you mean"),
        (["compare", "x.csv", "--prediction", "p_cat", "--prediction", "a"], "--score, --probability"),
        (["compare"], "name a file to read, or - for standard input"),
        (
            [
                "compare",
                "x.csv",
                "--truth",
                "y_true",
                "--prediction",
                "a",
                "--prediction",
                "b",
                "--horizon",
                "2",
            ],
            "horizon is not supported with labels",
        ),
        (
            [
                "compare",
                "x.csv",
                "--score",
                "p_cat",
                "--score",
                "p_dog",
                "--weight-kind",
                "counts",
                "--query",
                "a",
            ],
            "--weight-kind is not supported with queries",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_sentence_says_what_was_needed(
    folder: Path, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in refused(call(folder, capsys, *words))


def test_all_commands_are_told_to_who_asks_for_another(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(call(folder, capsys, "zebra")).endswith(f"there are {', '.join(COMMANDS)}\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_no_words_of_python(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = call(folder, capsys, command, "--help").stdout
    for noise in NOISE:
        assert noise not in shown, noise


def test_usage_names_what_a_command_takes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def usage(command: str) -> str:
        return call(folder, capsys, command, "--help").stdout.splitlines()[0]

    assert usage("compare") == "Usage: edgeworth compare [OPTIONS] FILES..."
    assert usage("trec") == "Usage: edgeworth trec [OPTIONS] QRELS RUNS..."
    assert usage("measures") == "Usage: edgeworth measures [OPTIONS] [WORDS...]"
    assert usage("table") == "Usage: edgeworth table --rows predicted|actual|real [OPTIONS] COUNTS..."


SYSTEMS = ["--prediction", "a", "--prediction", "b", "--json", "-"]


def test_compare_reads_what_evaluate_reads(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.read_csv(folder / "x.csv")
    (folder / "parts").mkdir()
    frame[:7].to_parquet(folder / "parts" / "1.parquet")
    frame[7:].to_parquet(folder / "parts" / "2.parquet")
    frame[:7].to_csv(folder / "1.csv", index=False)
    frame[7:].to_csv(folder / "2.csv", index=False)
    wanted = ew.compare(frame, truth="y_true", systems=["a", "b"]).to_dict()["comparison"]

    def found(*files: str) -> object:
        done = call(folder, capsys, "compare", *files, "--truth", "y_true", *SYSTEMS)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["comparison"]

    wanted = json.loads(json.dumps(wanted))
    for files in (["x.csv"], ["1.csv", "2.csv", "--concatenate"], ["[12].csv"], ["parts"]):
        assert found(*files) == wanted, files
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROWS.encode()), encoding="utf-8"))
    assert found("-") == wanted


@pytest.mark.parametrize(
    "systems",
    [
        ["--prediction", "a", "--prediction", "b"],
        ["--probability", "p", "--probability", "q"],
        ["--score", "p", "--score", "q"],
        ["--score", "p", "--score", "q", "--query", "query"],
    ],
    ids=" ".join,
)
def test_compare_guesses_the_truth_and_says_so(
    folder: Path, systems: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.DataFrame({"y_true": [1, 0, 0, 1] * 6, "a": [1, 0, 1, 1] * 6, "b": [0, 0, 0, 1] * 6})
    rows = rows.assign(p=[0.9, 0.2, 0.6, 0.7] * 6, q=[0.4, 0.3, 0.2, 0.8] * 6, query=list("uvwxyz") * 4)
    rows.to_csv(folder / "z.csv", index=False)
    done = call(folder, capsys, "compare", "z.csv", *systems, "--json", "-")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["warnings"][0] == "Took 'y_true' as truth."
    assert report["provenance"]["truth"] == "y_true"
    payload = json.loads(
        call(folder, capsys, "compare", "z.csv", "--truth", "y_true", *systems, "--json", "-").stdout
    )
    assert report["comparison"] == payload["comparison"]
    assert "Took 'y_true' as truth." not in payload["warnings"]


def test_a_truth_in_doubt_is_not_guessed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "two.csv").write_text("label,target,a,b\n1,1,0,1\n0,1,1,1\n", encoding="utf-8")
    message = refused(call(folder, capsys, "compare", "two.csv", *SYSTEMS))
    assert "'label' and 'target' could both be the truth: pass --truth" in message
    # A system is no truth, whatever it is called.
    (folder / "one.csv").write_text("target,a\n1,0\n0,1\n", encoding="utf-8")
    words = ["--prediction", "target", "--prediction", "a"]
    assert "truth is needed" in refused(call(folder, capsys, "compare", "one.csv", *words))
    with pytest.raises(OptionError, match="truth is needed"):
        ew.compare(truth=None, systems={"a": [1, 0], "b": [0, 1]})


@pytest.mark.parametrize("command", [["compare", *SYSTEMS[:4]], ["evaluate", "--prediction", "a"]])
@pytest.mark.parametrize("link", [os.link, os.symlink, shutil.copy])
def test_another_name_of_the_input_is_not_written_over(
    folder: Path, command: list[str], link: object, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder / "other.json"
    assert callable(link)
    link(folder / "x.csv", other)
    done = call(folder, capsys, command[0], "x.csv", *command[1:], "--json", "other.json")
    if link is shutil.copy:
        assert done.returncode == 0, done.stderr
    else:
        assert "other.json is read, so nothing is written over it" in refused(done)
        assert other.read_text(encoding="utf-8") == ROWS
    assert (folder / "x.csv").read_text(encoding="utf-8") == ROWS


# Stands where a module that the command needs would be, and never ends to load.
ENDLESS = "import time\nprint('loading', flush=True)\ntime.sleep(60)\n"


@pytest.mark.parametrize(
    "start", [["-m", "edgeworth"], ["-c", "from edgeworth.__main__ import main; main()"]]
)
@pytest.mark.parametrize("module", ["cyclopts", "numpy"])
def test_an_interrupt_while_the_command_loads_ends_in_a_sentence(
    tmp_path: Path, start: list[str], module: str
) -> None:
    (tmp_path / f"{module}.py").write_text(ENDLESS, encoding="utf-8")
    words = [sys.executable, *start, "table", "1 2; 3 4", "--rows", "real"]
    child = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "loading\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, text = child.communicate(timeout=30)
    finally:
        child.kill()
        child.wait()
    assert (child.returncode, text) == (130, "edgeworth: interrupted\n")


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        (ew.evaluate, {"truth": [1, 0], "probability": [0.7, 0.3]}, "did you mean 'probabilities'"),
        (ew.compare, {"truth": [1, 0], "prediction": [1, 0]}, "did you mean 'systems'"),
        (ew.evaluate, {"xyzzy": 1}, "'xyzzy'$"),
    ],
)
def test_a_parameter_by_another_name_is_answered_with_the_nearest(
    function: Any, given: dict[str, Any], expected: str
) -> None:
    with pytest.raises(TypeError, match=expected):
        function(**given)
