"""Every byte of a report gets out, or the command fails; an interrupt while it starts prints one line."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TABLE = "; ".join(" ".join(str(30 if row == column else 1) for column in range(40)) for row in range(40))
"""Forty classes: the JSON of the report is longer than a pipe holds at once."""
REPORT = ["table", TABLE, "--rows", "predicted"]
PIPE_BYTES = 65_536


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "edgeworth", *words]


def environment(unbuffered: bool, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else "", **more}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The length of each output as a file."""
    folder = tmp_path_factory.mktemp("whole")
    files = {"--json": "r.json", "--html": "r.html"}
    words = [word for option, name in files.items() for word in (option, name)]
    subprocess.run(command(*REPORT, *words), cwd=folder, check=True, capture_output=True)
    sizes = {option: (folder / name).stat().st_size for option, name in files.items()}
    sizes["--full"] = len(subprocess.run(command(*REPORT, "--full"), check=True, capture_output=True).stdout)
    return sizes


@pytest.mark.parametrize("unbuffered", [True, False])
@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_pipe_that_does_not_block_gets_every_byte(
    option: str, unbuffered: bool, whole: dict[str, int]
) -> None:
    assert whole[option] > 2 * PIPE_BYTES
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    words = command(*REPORT, option, "-")
    with subprocess.Popen(
        words, stdout=writing, stderr=subprocess.PIPE, env=environment(unbuffered)
    ) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            parts = []
            while part := pipe.read(PIPE_BYTES):
                parts.append(part)
                time.sleep(0.01)  # a reader that is slower than the writer
        assert process.wait() == 0, process.stderr and process.stderr.read()
    assert len(b"".join(parts)) == whole[option]


@pytest.mark.parametrize("unbuffered", [True, False])
@pytest.mark.parametrize("words", [["--json", "-"], ["--html", "-"], ["--full"]])
def test_a_disk_that_gets_full_is_an_error(
    words: list[str], unbuffered: bool, tmp_path: Path, whole: dict[str, int]
) -> None:
    """A limit on the size of a file cuts a write short as a full disk does."""
    limit = whole[words[0]] // 2
    out = tmp_path / "out"
    with out.open("wb") as file:
        done = subprocess.run(
            command(*REPORT, *words),
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(unbuffered),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(r"edgeworth: standard output cannot be written: .*\n", done.stderr)


def test_a_tally_on_a_pipe_that_does_not_block(tmp_path: Path) -> None:
    rows = "".join(f"c{number % 300},c{number % 299}\n" for number in range(40_000))
    (tmp_path / "d.csv").write_text(f"y,p\n{rows}")
    words = ["tally", "d.csv", "--truth", "y", "--prediction", "p", "-o"]
    subprocess.run(command(*words, "t.json"), cwd=tmp_path, check=True, capture_output=True)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with subprocess.Popen(
        command(*words, "-"), cwd=tmp_path, stdout=writing, env=environment(True)
    ) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            content = pipe.read()
        assert process.wait() == 0
    assert len(content) > PIPE_BYTES
    assert json.loads(content)["tally"] == json.loads((tmp_path / "t.json").read_text())["tally"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437"])
def test_an_encoding_without_a_minus_sign_shows_a_hyphen(encoding: str) -> None:
    done = subprocess.run(
        command("table", "12 28; 18 42", "--rows", "predicted", "--full"),
        capture_output=True,
        check=True,
        env=environment(False, PYTHONIOENCODING=encoding),
    )
    shown = done.stdout.decode(encoding)
    assert "95% CI -0." in shown
    assert "?" not in shown
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("columns", "words", "message"),
    [
        *(
            (columns, ["table", "12 28; 18 42", "--rows", "predicted"], "Informedness")
            for columns in ("0", "1", "19")
        ),
        ("0", ["--help"], "evaluate"),
    ],
)
def test_a_terminal_without_columns_shows_something(columns: str, words: list[str], message: str) -> None:
    done = subprocess.run(
        command(*words), capture_output=True, text=True, check=False, env=environment(False, COLUMNS=columns)
    )
    assert done.returncode == 0, done.stderr
    assert message in re.sub(r"[^A-Za-z]", "", done.stdout)


INTERRUPTED = """
import os, signal, sys

module, number = sys.argv[1], int(sys.argv[2])
if signal.getsignal(number) is signal.SIG_IGN:  # inherited from nohup, say
    signal.signal(number, signal.SIG_DFL)
sys.argv = ["edgeworth", *sys.argv[3:]]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), number)

from edgeworth.__main__ import main

sys.meta_path.insert(0, Interrupting())
main()
"""
"""A process that gets a signal when it loads a module."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "module", ["cyclopts", "rich.console", "edgeworth.cli.app", "numpy", "edgeworth.evaluation"]
)
def test_a_signal_while_modules_are_loaded_prints_one_line(module: str, number: signal.Signals) -> None:
    words = [sys.executable, "-c", INTERRUPTED, module, str(int(number)), *REPORT]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stderr == "edgeworth: interrupted\n"
    assert done.returncode == 128 + number


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_inside_exec_has_its_own_exit_code(tmp_path: Path, number: signal.Signals) -> None:
    """As a module, where Python has a rule of its own for a KeyboardInterrupt inside exec."""
    send = f"import os; os.kill(os.getpid(), {int(number)})\nfor _ in range(1000): pass"
    (tmp_path / "interrupted.py").write_text(
        "import edgeworth.__main__, edgeworth.cli\n"
        f"edgeworth.cli.main = lambda: exec({send!r})\n"
        "edgeworth.__main__.main()\n"
    )
    words = [sys.executable, "-m", "interrupted"]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (128 + number, "edgeworth: interrupted\n")
