"""Nothing that a stranger puts into a label, a column or a name is obeyed by what shows it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

import edgeworth as ew
from command_line import call
from edgeworth.cli.progress_bars import Bars
from hostile_text import TEXTS, WORST, check_harmless

RNG = np.random.default_rng(9)
N = 4 * len(TEXTS)
EVERY = list(TEXTS.values()) * 4
HITS = RNG.random(N) < 0.7
SIDE = np.arange(N) % 2 == 0
WORSE = {"all in one": WORST, "long": TEXTS["long"]}


def labels() -> ew.Report:
    """Every text is a class, and another one is said where the prediction is wrong."""
    predicted = np.where(HITS, EVERY, np.roll(np.array(EVERY, dtype=object), 1))
    return ew.evaluate(truth=EVERY, prediction=predicted.tolist())


def scores(text: str) -> ew.Report:
    truth = np.where(SIDE, text, "b").tolist()
    return ew.evaluate(truth=truth, score=HITS + SIDE + RNG.random(N), positive=text)


def queries() -> ew.Report:
    """Names of queries and documents hold no zero and no half characters: they are refused."""
    named = [text.replace("\0", "").encode(errors="replace").decode() for text in EVERY]
    ids = [f"{text} {index}" for index, text in enumerate(named)]
    return ew.evaluate(truth=SIDE.astype(int), score=HITS + RNG.random(N), query=named, id=ids)


def probabilities(text: str) -> ew.Report:
    truth, p = np.where(SIDE, text, "b").tolist(), np.where(SIDE, 0.7, 0.2)
    return ew.evaluate(truth=truth, probabilities=p, against=np.full(N, 0.5), positive=text)


def several_probabilities() -> ew.Report:
    names = list(TEXTS.values())[:6]
    truth = [names[index % len(names)] for index in range(N)]
    p = RNG.dirichlet(np.ones(len(names)), N)
    return ew.evaluate(truth=truth, probabilities=p, labels=names)


def columns(text: str) -> ew.Report:
    """Columns of a dataframe that are called so, which are found by what they are called."""
    import pandas as pd

    text = text.encode(errors="replace").decode()  # pandas and Arrow refuse half characters
    data = pd.DataFrame({"y_true": SIDE, f"p{text}": SIDE == HITS})
    return ew.evaluate(data, prediction=f"p{text}")


def comparison(text: str) -> ew.Comparison:
    truth = np.where(SIDE, text, "b").tolist()
    other = np.where(HITS, truth, "b").tolist()
    return ew.compare(truth=truth, systems={text: other, "other": truth[::-1], "third": other[::-1]})


def compared_scores(text: str) -> ew.Comparison:
    return ew.compare(truth=SIDE, systems={text: HITS + RNG.random(N), "other": RNG.random(N)}, kind="scores")


def compared_probabilities(text: str) -> ew.Comparison:
    p = np.where(SIDE, 0.7, 0.2)
    return ew.compare(truth=SIDE, systems={text: p, "other": 1 - p}, kind="probabilities")


OF_ALL: dict[str, Callable[[], Any]] = {
    item.__name__: item for item in (labels, queries, several_probabilities)
}
OF_ONE: dict[str, Callable[[str], Any]] = {
    member.__name__: member
    for member in (scores, probabilities, columns, comparison, compared_scores, compared_probabilities)
}


def check_report(report: ew.Report) -> None:
    shown = str(report)
    check_harmless(shown)
    assert max(map(cell_len, shown.splitlines())) <= 120
    assert len(shown) < 200_000
    check_harmless(report._repr_html_())
    check_harmless(report.to_markdown(title="".join(EVERY)))
    text = report.to_json()
    check_harmless(text)
    assert json.loads(text)["verdict"] == report.verdict
    for chart in report.charts.values():
        check_harmless(chart.render("json").decode())
        check_harmless(chart._repr_mimebundle_()["text/plain"])


def check_tables(comparison: ew.Comparison) -> None:
    check_harmless(comparison.to_latex())
    check_harmless(comparison.to_markdown())
    check_harmless(comparison.to_csv())
    rows = list(csv.reader(io.StringIO(comparison.to_csv())))
    assert len({len(row) for row in rows}) == 1
    names = [cell for row in rows[1:] for cell in row[:2]]
    assert not [name for name in names if name.startswith(("=", "+", "-", "@"))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", OF_ALL)
def test_every_text_at_once(kind: str, tmp_path: Path) -> None:
    report = OF_ALL[kind]()
    check_report(report)
    page = report.to_html(tmp_path / "page.html", title="".join(EVERY))
    check_harmless(page)
    assert "<script>alert" not in page
    for chart in report.charts.values():
        check_harmless(chart.render("svg").decode())


@pytest.mark.slow
@pytest.mark.parametrize("name", WORSE)
@pytest.mark.parametrize("kind", OF_ONE)
def test_the_worst_texts(kind: str, name: str) -> None:
    """The library that draws ends the whole process where a picture holds a control character."""
    result = OF_ONE[kind](WORSE[name])
    report = result.report if isinstance(result, ew.Comparison) else result
    check_report(report)
    for chart in report.charts.values():
        check_harmless(chart.render("svg").decode())
    if isinstance(result, ew.Comparison):
        check_tables(result)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("formula")])
def test_names_of_systems_in_tables(name: str) -> None:
    check_tables(comparison(TEXTS[name]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["all in one", "markup", "long", "long words", "quotes", "blanks", "percent"]
)
def test_the_command(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns and labels of a file, words of the command, and what it says of bad ones."""
    text = (TEXTS | WORSE)[name].encode(errors="replace").decode()
    rows = [("y", f"p{text}"), *((f"c{text}", f"c{text}"), ("b", f"c{text}"), ("b", "b")) * 9]
    with (tmp_path / "f.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    bad = [
        ["evaluate", "f.csv", "--truth", "y", "--prediction", f"p{text}"],
        ["evaluate", "f.csv", "--truth", text, "--prediction", "y"],
        ["evaluate", f"no{text}.csv", "--truth", "y", "--prediction", "y"],
        ["evaluate", "f.csv", "--truth", "y", "--score", f"p{text}"],
        ["evaluate", "f.csv", "--truth", "y", "--prediction", "y", "--json", f"no{text}/x.json"],
        ["evaluate", "f.csv", f"--{text}"],
        ["table", text, "--rows", "predicted"],
        ["kelly", "--probabilities", text, "--odds", "2"],
        ["measures", f"no such {text}"],
        [f"no{text}"],
    ]
    for words in bad:
        done = call(tmp_path, capsys, *words)
        check_harmless(done.stdout + done.stderr)
        assert done.returncode in (0, 2), done.stderr
        assert done.stderr.count("\n") == (done.returncode == 2), words
        assert len(done.stderr) < 9_000


@pytest.mark.parametrize("name", ["escape sequence", "new lines", "right to left", "markup"])
def test_names_of_files(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXTS[name].replace("/", "").replace("[", "(")
    (tmp_path / f"{text}.csv").write_text("y,p\n" + "a,a\nb,a\nb,b\na,a\n" * 9, encoding="utf-8")
    named = [f"{text}.csv", "--truth", "y", "--prediction", "p"]
    for words in (
        ["tally", *named, "-o", f"{text}.json"],
        ["report", f"{text}.json"],
        ["merge", f"{text}.json", "-o", f"2{text}.json"],
        ["evaluate", *named, "--json", f"{text}.out", "--markdown", f"{text}.md"],
    ):
        done = call(tmp_path, capsys, *words)
        assert done.returncode == 0, done.stderr
        check_harmless(done.stdout + done.stderr)
    check_harmless((tmp_path / f"{text}.md").read_text(encoding="utf-8"))
    check_harmless((tmp_path / f"{text}.out").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TEXTS)
def test_progress_bars(name: str) -> None:
    shown = io.StringIO()
    bars = Bars(Console(file=shown, width=100, no_color=True))
    with bars.bar(TEXTS[name], 3.0) as done:
        done(1)
        bars.display.console.print(bars.display.get_renderable())
    check_harmless(shown.getvalue())


def test_notebooks_show_tallies_as_text() -> None:
    table = ew.ContingencyTable.from_labels(EVERY, EVERY[::-1])
    for tally in (table, ew.tally(truth=EVERY, prediction=EVERY[::-1])):
        check_harmless(tally._repr_html_() or "")
