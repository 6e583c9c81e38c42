"""No command writes over a file that it reads, whatever option named the file and whatever it is called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import call, refused

ROWS = "id,y,p\n" + "".join(f"{number},{'ab'[number % 2]},{'ab'[number % 3 == 0]}\n" for number in range(60))
COSTS = "predicted,a,b\na,0,1\nb,2,0\n"
GOLD = "id,y\n" + "".join(f"{number},{'ab'[number % 2]}\n" for number in range(60))
SAMPLES = [
    {"doc_id": n, "doc": {"q": n}, "target": "0", "metrics": ["acc"], "acc": float(n % 3 == 0)}
    for n in range(30)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(ROWS)
    (tmp_path / "gold.csv").write_text(GOLD)
    (tmp_path / "costs.csv").write_text(COSTS)
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 d1 1 2.0 x\n2 Q0 d1 1 2.0 x\n")
    logs = tmp_path / "logs"
    logs.mkdir()
    lines = "".join(f"{json.dumps(sample)}\n" for sample in SAMPLES)
    (logs / "samples_task_2026-01-02T03.jsonl").write_text(lines)
    (logs / "results_2026-01-02T03.json").write_text('{"model_name": "m"}')
    return tmp_path


JOINED = ["compare", "a.csv", "b.csv", "--join", "id", "--truth", "y", "--truth-file", "gold.csv"]
MIXTURE = ["mixture", "--real", ".7,.3", "--predicted", ".8,.2", "--informed", ".15"]
READ = {
    "the data": (["evaluate", "a.csv", "--truth", "y", "--prediction", "p"], "a.csv"),
    "the truth": ([*JOINED, "--prediction", "p"], "gold.csv"),
    "costs": (
        ["evaluate", "a.csv", "--truth", "y", "--prediction", "p", "--costs", "costs.csv"],
        "costs.csv",
    ),
    "costs of a table": (
        ["table", "12 28; 18 42", "--rows", "predicted", "--labels", "a,b", "--costs", "costs.csv"],
        "costs.csv",
    ),
    "costs of a mixture": ([*MIXTURE, "--labels", "a,b", "--costs", "costs.csv"], "costs.csv"),
    "samples of a folder": (["evaluate", "logs"], "logs/samples_task_2026-01-02T03.jsonl"),
    "results beside samples": (
        ["evaluate", "logs/samples_task_2026-01-02T03.jsonl"],
        "logs/results_2026-01-02T03.json",
    ),
    "judgements": (["trec", "qrels.txt", "run.txt"], "qrels.txt"),
    "a run": (["trec", "qrels.txt", "run.txt"], "run.txt"),
}


@pytest.mark.parametrize("link", ["same name", "symbolic link", "hard link", "other spelling"])
@pytest.mark.parametrize("what", READ)
def test_nothing_that_is_read_is_written_over(
    what: str, link: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, name = READ[what]
    target = name
    if link == "symbolic link":
        target = "link"
        (folder / target).symlink_to(folder / name)
    elif link == "hard link":
        target = "link"
        os.link(folder / name, folder / target)
    elif link == "other spelling":
        target = f"{folder}/logs/../{name}"
    before = (folder / name).read_bytes()
    for option in ("--json", "--html", "--markdown"):
        message = refused(call(folder, capsys, *words, option, target))
        assert "is read, so nothing is written over it" in message
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("what", READ)
def test_the_same_commands_write_elsewhere(
    what: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise the refusals above could be of something else."""
    for _ in range(2):
        done = call(folder, capsys, *READ[what][0], "--json", "logs/report.json")
        assert done.returncode == 0, done.stderr
    assert "verdict" in json.loads((folder / "logs" / "report.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("< a.csv", ["-", "--json", "a.csv"]),
        ("< link.csv", ["-", "--json", "a.csv"]),
        ("< a.csv", ["/dev/stdin", "--json", "a.csv"]),
        ("< a.csv >> a.csv", ["-", "--json", "-"]),
        (">> a.csv", ["a.csv"]),
    ],
)
def test_redirected_streams_are_files_too(shell: str, words: list[str], folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder / "a.csv")
    file, *rest = words
    line = [sys.executable, "-m", "edgeworth", "evaluate", file, "--truth", "y", "--prediction", "p", *rest]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {shell}', "sh", *line],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "is read, so nothing is written over it" in done.stderr
    assert (folder / "a.csv").read_text() == ROWS


GAMES = "game,outcome,probability,odds\n1,H,.6,2\n1,A,.4,2.2\n"
BETS = "date,result,odds\n" + "".join(
    f"2025-01-{n:02},{'won' if n % 2 else 'lost'},2.1\n" for n in range(1, 20)
)
GATE = ["check", "a.csv", "--truth", "y", "--prediction", "p", "--requirements", "gate.toml"]
REPORT = ("--json", "--html", "--markdown")
WRITERS = {
    "a gate": (GATE, ("a.csv", "gate.toml"), ("--json", "--junit", "--markdown")),
    "reruns": (["noise", "a.csv", "--prediction", "p", "--id", "y"], ("a.csv",), REPORT),
    "reports": (["diff", "old.json", "new.json"], ("old.json", "new.json"), REPORT),
    "games": (["stakes", "games.csv", "--bankroll", "100"], ("games.csv",), REPORT),
    "bets": (["ledger", "bets.csv"], ("bets.csv",), REPORT),
    "search": (
        ["trec", "qrels.txt", "x=run.txt"],
        ("qrels.txt", "run.txt"),
        ("--csv", "--latex", "--per-query"),
    ),
    "two tallies": (["compare", "one.json", "two.json"], ("one.json", "two.json"), ("--csv", "--latex")),
}


@pytest.mark.parametrize("what", WRITERS)
def test_commands_with_files_of_their_own(
    what: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "games.csv").write_text(GAMES)
    (folder / "bets.csv").write_text(BETS)
    (folder / "gate.toml").write_text('require = "accuracy >= 0.1"')
    for name, output in {"old": "--json", "new": "--json", "one": "-o", "two": "-o"}.items():
        made = ["tally" if output == "-o" else "evaluate", "a.csv", "--truth", "y", "--prediction", "p"]
        assert call(folder, capsys, *made, output, f"{name}.json").returncode == 0
    words, names, outputs = WRITERS[what]
    for name in names:
        before = (folder / name).read_bytes()
        for output in outputs:
            message = refused(call(folder, capsys, *words, output, str(folder / name)))
            assert "is read, so nothing is written over it" in message
        assert (folder / name).read_bytes() == before
