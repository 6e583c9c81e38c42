"""The command as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgeworth as ew
from close_values import assert_close
from command_line import call


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edgeworth", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            "COLUMNS": "100",
            "EDGEWORTH_PROGRESS": "off",
            "PATH": "/usr/bin:/bin",
            "PYTHONIOENCODING": "utf-8",
            "HOME": str(folder or "/"),
        },
        check=False,
    )


def test_version() -> None:
    assert run("--version").stdout.strip() == ew.__version__


def test_the_verdict_comes_first() -> None:
    # Model 3 of the paper's Figure 1, a hundred times over.
    shown = run(
        "table", "5810 2040; 1190 960", "--rows", "predicted", "--labels", "noun,verb", "--full", "--bets"
    )
    assert shown.returncode == 0, shown.stderr
    text = " ".join(shown.stdout.replace("│", " ").split())
    assert "The predictions beat guessing: informedness 0.15" in text
    order = [
        shown.stdout.index(title) for title in ("Verdict", "How informed", "Class by class", "bookmaker")
    ]
    assert order == sorted(order)


def test_json_on_standard_output_is_alone_there() -> None:
    shown = run("table", "12 28; 18 42", "--rows", "predicted", "--json", "-")
    report = json.loads(shown.stdout)
    assert report["schema"] == "edgeworth.report/1"
    assert report["estimates"]["informedness"]["value"] == 0
    assert report["payoffs"]["won"] == pytest.approx(210)
    assert report["guessing"]["at_least"]["exact"] is not None
    assert report["tally"]["counts"] == [[12, 28], [18, 42]]


@pytest.mark.slow
def test_a_file_of_labels_from_end_to_end(tmp_path: Path) -> None:
    lines = ["y,yhat,who,w"] + [
        f"{'ab'[i % 2]},{'ab'[(i * i // 3) % 2]},p{i // 4},{1 + i % 3}" for i in range(80)
    ]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    weights = ["--weight", "w"]
    for extra in ([], ["--cluster", "who"], weights, [*weights, "--weight-kind", "sampling"]):
        shown = run(
            "evaluate",
            "p.csv",
            "--truth",
            "y",
            "--prediction",
            "yhat",
            "--json",
            "out.json",
            *extra,
            folder=tmp_path,
        )
        assert shown.returncode == 0, shown.stderr
        assert "Verdict" in shown.stdout
        report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        again = ew.evaluate(
            str(tmp_path / "p.csv"),
            truth="y",
            prediction="yhat",
            cluster="who" if "--cluster" in extra else None,
            weight="w" if "--weight" in extra else None,
            weight_kind="sampling" if "sampling" in extra else None,
        )
        assert report["verdict"] == again.verdict
        # Sums over arrays at other addresses may differ in the last bit.
        assert_close(report["estimates"], json.loads(again.to_json())["estimates"])


@pytest.mark.slow
def test_measures_are_all_listed_and_searched_by_synonym() -> None:
    shown = run("measures").stdout
    for measure in ew.catalogue():
        assert measure.name in shown
    stdout = run("measures", "youden").stdout
    assert "informedness" in stdout
    assert "kappa" not in stdout


@pytest.mark.slow
def test_hostile_labels_are_text(tmp_path: Path) -> None:
    labels = ["[red]x[/red]", "</script>", "\u202eabc", "a\tb"]
    text = "y;p\n" + "".join(f'"{label}";"{label}"\n' for label in labels * 5)
    (tmp_path / "h.csv").write_text(text, encoding="utf-8")
    shown = run("evaluate", "h.csv", "--truth", "y", "--prediction", "p", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "[red]x[/red]" in shown.stdout


def test_nothing_is_left_half_written(tmp_path: Path) -> None:
    shown = run("table", "1 2; 3 4", "--rows", "real", "--json", "no/such/folder.json", folder=tmp_path)
    assert shown.returncode == 2
    assert "cannot be written" in shown.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_is_no_error() -> None:
    shown = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m edgeworth measures | head -1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [[], ["--json", "-"], ["--markdown", "-"]], ids=["shown", "json", "markdown"]
)
def test_a_full_disk_is_said_in_a_sentence(words: list[str]) -> None:
    command = [sys.executable, "-m", "edgeworth", "table", "1 2; 3 4", "--rows", "real", *words]
    with Path("/dev/full").open("wb") as full:
        shown = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert shown.returncode == 2
    assert shown.stderr == "edgeworth: standard output cannot be written: No space left on device\n"


ENDS = "from edgeworth.__main__ import main; main()"


def ended(start: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", start, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["table", "1 2", "--rows", "real"], 2)])
def test_what_others_want_done_at_the_end_is_done(words: list[str], code: int) -> None:
    shown = ended(f"import atexit; atexit.register(print, 'goodbye'); {ENDS}", *words)
    assert shown.returncode == code
    assert shown.stdout.splitlines()[-1] == "goodbye"


def test_a_profiler_gets_to_its_end(tmp_path: Path) -> None:
    kept = tmp_path / "profile"
    command = ["-m", "cProfile", "-o", str(kept), "-m", "edgeworth", "--version"]
    subprocess.run([sys.executable, *command], capture_output=True, check=True)
    assert kept.stat().st_size > 0


@pytest.mark.parametrize(("message", "code", "error"), [("", 0, ""), ("3", 3, ""), ("'no'", 1, "no\n")])
def test_an_exit_code_is_what_it_would_be_anyway(message: str, code: int, error: str) -> None:
    start = f"import sys, edgeworth.cli; edgeworth.cli.main = lambda: sys.exit({message}); {ENDS}"
    shown = ended(start)
    assert (shown.returncode, shown.stderr) == (code, error)


def test_json_is_utf8_whatever_the_terminal_is() -> None:
    shown = subprocess.run(
        [
            sys.executable,
            "-m",
            "edgeworth",
            "table",
            "1 2; 3 4",
            "--rows",
            "real",
            "--labels",
            "é,ü",
            "--json",
            "-",
        ],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"},
        check=True,
    )
    assert json.loads(shown.stdout.decode("utf-8"))["tally"]["labels"] == ["é", "ü"]


def test_a_terminal_without_signs_still_shows_the_report() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "edgeworth", "table", "1 2; 3 4", "--rows", "real"],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"},
        check=True,
    )
    assert b"Verdict" in shown.stdout


def test_a_seed_that_is_none_is_refused() -> None:
    shown = run("table", "1 2; 3 4", "--rows", "real", "--seed", "-1")
    assert shown.returncode == 2
    assert shown.stderr == "edgeworth: a seed is a whole number of at least 0; saw -1\n"


@pytest.mark.slow
def test_a_report_fits_a_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 600)
    systems = [np.where(rng.random(600) < right, truth, rng.integers(0, 10, 600)) for right in (0.7, 0.6)]
    lines = [",".join(map(str, row)) for row in zip(truth, *systems, strict=True)]
    (tmp_path / "x.csv").write_text("y,a,b\n" + "\n".join(lines) + "\n", encoding="utf-8")
    for words in (["evaluate", "--prediction", "a"], ["compare", "--prediction", "a", "--prediction", "b"]):
        shown = call(tmp_path, capsys, words[0], "x.csv", "--truth", "y", *words[1:]).stdout.splitlines()
        assert len(shown) <= 40
        assert max(map(len, shown)) <= 80
