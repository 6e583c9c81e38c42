"""Names of strangers in gates, reruns, stakes, ledgers, search tables and diffs are text in every output."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from command_line import call, refused
from hostile_text import TEXTS, WORST, check_harmless
from run_logs import inspect_log, inspect_sample

Capture = pytest.CaptureFixture[str]

NAME = WORST.encode("utf-8", "replace").decode()
IN_TABLES = NAME.replace("\0", "")
"""A table of text that holds zero bytes is refused as binary."""
COLUMN = re.sub("[\x0a-\x0d]", "", IN_TABLES)
"""The first line of a table of text ends at the first line break."""
REPORT = ("--json", "--markdown", "--html")
GATE = ("--json", "--markdown", "--junit")
TABLES = ("--csv", "--latex")
LIVE_MARKDOWN = re.compile(r"<(script|img|b)\b|(?<!\\)(?:\\\\)*\[x\]\(|(?<!\\)(?:\\\\)*`code")
LIVE_LATEX = re.compile(r"\\input|\\end\{tabular\}&|(?<!\\)\$x")


def write_log(path: Path, shift: int, model: str, task: str = NAME) -> None:
    samples = [inspect_sample(n, "CI"[(n * 7 + shift) % 4 == 0]) for n in range(12)]
    for number, sample in enumerate(samples):
        sample |= {"id": NAME + sample["id"], "metadata": {"topic": [NAME, "z"][number % 2]}}
    path.write_text(json.dumps(inspect_log(samples, model=model, task=task)), encoding="utf-8")


def write_csv(path: Path, *rows: list[Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_log(tmp_path / "a.json", 0, NAME)
    write_log(tmp_path / "b.json", 1, NAME)
    write_log(tmp_path / "other.json", 1, f"{NAME}2")
    (tmp_path / "gate.toml").write_text(
        f'[[gate]]\nrequire = "accuracy >= 0.99"\nby = "topic"\nslices = [{json.dumps(IN_TABLES[-60:])}]\n',
        encoding="utf-8",
    )
    games = [
        [game, outcome, p, o]
        for game in (IN_TABLES, "g")
        for outcome, p, o in ((IN_TABLES, 0.6, 2), ("A", 0.4, 2.2))
    ]
    write_csv(tmp_path / "games.csv", ["game", "outcome", "probability", "odds"], *games)
    bets = [[f"2025-01-{day:02}", ["won", "lost"][day % 2], 2.1] for day in range(1, 20)]
    write_csv(tmp_path / "bets.csv", ["date", "result", COLUMN], *bets)
    lists = {f"{NAME}{q}": {f"{NAME}{d}": (q * d) % 3 for d in range(1, 6)} for q in range(1, 6)}
    runs = {q: {d: float(len(q) * index % 5) for index, d in enumerate(docs)} for q, docs in lists.items()}
    meta = {"mteb_model_meta": {"model_name": NAME}, "default": {"test": runs}}
    for name, value in {"qrels": lists, "run": meta, "second": runs}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    labels = [
        [[IN_TABLES, "b"][n % 2], [IN_TABLES, "b"][n % 3 % 2], [IN_TABLES, "b"][n % 5 % 2]] for n in range(40)
    ]
    write_csv(tmp_path / "labels.csv", ["y", "p", "q"], *labels)
    return tmp_path


COMMANDS = {
    "gate": (
        [
            "check",
            "a.json",
            "--baseline",
            "other.json",
            "--require",
            "accuracy no worse than baseline by 5pp",
            "--by",
            "topic",
        ],
        GATE,
    ),
    "gate, no such slice": (["check", "a.json", "--requirements", "gate.toml"], GATE),
    "gate of labels": (
        [
            "check",
            "labels.csv",
            "--truth",
            "y",
            "--prediction",
            "p",
            "--require",
            "accuracy >= 0.9",
            "--by",
            "q",
        ],
        GATE,
    ),
    "noise": (["noise", "a.json", "b.json"], REPORT),
    "stakes": (["stakes", "games.csv", "--bankroll", "100"], REPORT),
    "ledger": (["ledger", "bets.csv", "--odds", COLUMN], REPORT),
    "trec": (["trec", "qrels.json", "run.json", "second.json"], (*REPORT, *TABLES, "--per-query")),
    "compare": (
        ["compare", "labels.csv", "--truth", "y", "--prediction", "p", "--prediction", "q"],
        (*REPORT, *TABLES),
    ),
    "compare logs": (["compare", "a.json", "other.json", "--by", "topic"], (*REPORT, *TABLES)),
    "diff": (["diff", "old.json", "new.json"], REPORT),
    "preview": (["preview", "labels.csv"], ()),
    "preview of a log": (["preview", "a.json"], ()),
    "a unit": (["plan", "--difference", "2pp", "--accuracy", ".7", "--unit", IN_TABLES], REPORT),
}


@pytest.mark.parametrize("what", COMMANDS)
def test_names_are_text_in_every_output(
    what: str, folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    words, outputs = COMMANDS[what]
    if what == "diff":
        for name, column in (("old", "p"), ("new", "q")):
            evaluate = ["evaluate", "labels.csv", "--truth", "y", "--prediction", column]
            assert call(folder, capsys, *evaluate, "--json", f"{name}.json").returncode == 0
    for output in ("", *outputs):
        done = call(
            folder, capsys, *words, *([output, "-"] if output else ["--full"] if outputs == REPORT else [])
        )
        assert done.returncode in (0, 1, 3), done.stderr
        check_harmless(done.stdout + done.stderr)
        if output == "--markdown":
            assert not LIVE_MARKDOWN.search(done.stdout)
        elif output == "--latex":
            assert not LIVE_LATEX.search(done.stdout.replace("\\end{tabular}\n", ""))
        elif output == "--junit":
            ElementTree.fromstring(done.stdout)
        elif output == "--json":
            json.loads(done.stdout)
        elif output in ("--csv", "--per-query"):
            texts = [cell for row in csv.reader(io.StringIO(done.stdout)) for cell in row if cell]
            assert not [cell for cell in texts if cell[0] in "=+-@" and not is_number(cell)]
        else:
            lines = [line for line in done.stdout.splitlines() if line.startswith("::")]
            assert all(
                re.match("::(error|warning|notice) title=Gate (passed|failed|undecided)::", x) for x in lines
            )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", ["new lines", "C0 controls", "quotes"])
def test_a_list_of_names_that_cannot_be_split(name: str, folder: Path, capsys: Capture) -> None:
    text = TEXTS[name].replace("\0", "")
    words = ["evaluate", "labels.csv", "--truth", "y", "--prediction", "p", "--by", text]
    check_harmless(refused(call(folder, capsys, *words)).removesuffix("\n"))
