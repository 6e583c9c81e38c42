"""What a notebook shows: tables whose labels are text, and charts it draws itself."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.report.html.parts import report_fragment
from edgeworth.report.report import Column, Grid, Report, Section

HOSTILE = "</td><script>alert(1)</script>"


HARMLESS = {"class", "tabindex", "role", "aria-label", "scope", "title"}
"""Attributes that tables of reports have; nothing in them runs."""


class Reader(HTMLParser):
    """Tags and text as a browser would read them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert {name for name, _ in attrs} <= HARMLESS
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(value: Any) -> Reader:
    reader = Reader()
    reader.feed(value._repr_html_())
    assert reader.open == []
    assert "script" not in reader.tags
    return reader


def labels() -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    truth = rng.choice(["ham", HOSTILE], 60).tolist()
    said = [label if rng.random() < 0.7 else "ham" for label in truth]
    return truth, said


def tallies() -> dict[str, Any]:
    truth, said = labels()
    hits, scores = [1, 0, 1, 0] * 5, np.linspace(1, 0, 20)
    return {
        "table": ew.ContingencyTable.from_labels(truth, said),
        "clustered": ew.ContingencyTable.from_labels(truth, said, clusters=[row % 7 for row in range(60)]),
        "paired": ew.Paired.from_labels(truth, {"one": said, HOSTILE: said}),
        "ranking": ew.Ranking.from_scores(hits, scores),
        "lists": ew.RankedLists.from_scores(hits, scores, groups=["a", HOSTILE] * 10),
        "paired scores": PairedScores.from_scores(hits, {"one": scores, HOSTILE: -scores}),
        "scores": ew.ForecastScores.from_probabilities(hits, scores),
        "calibration": ew.Calibration.from_probabilities(hits, scores),
        "wealth": ew.Wealth.from_probabilities(hits, scores, against=np.full(20, 0.5)),
    }


@pytest.mark.parametrize("name", tallies())
def test_every_tally_is_a_table(name: str) -> None:
    tally = tallies()[name]
    found = read(tally)
    assert "table" in found.tags
    assert type(tally).__name__ in found.text


def test_counts_are_shown_as_they_are() -> None:
    table = tallies()["table"]
    found = read(table)
    assert HOSTILE in found.text
    for row in table.counts.tolist():
        for count in row:
            assert str(count) in found.text


def test_many_labels_are_cut() -> None:
    table = ew.ContingencyTable.from_labels(list(range(200)) * 2, list(range(200)) * 2)
    assert len(table._repr_html_()) < 5000
    assert "and 170 more" in read(table).text


def test_estimates_differences_reports_and_comparisons() -> None:
    truth, said = labels()
    table = ew.ContingencyTable.from_labels(truth, said)
    assert "95% CI" in read(ew.estimate(table, "informedness")).text
    report = ew.evaluate(truth=truth, prediction=said)
    found = read(report)
    assert report.verdict in found.text
    for section in report.sections:
        assert section.title in found.text
    comparison = ew.compare(truth=truth, systems={"one": said, HOSTILE: truth})
    assert comparison.verdict in read(comparison).text
    assert "P(one better)" in read(comparison["one", HOSTILE]["informedness"]).text


def test_a_chart_brings_its_specification() -> None:
    truth, said = labels()
    chart = ew.evaluate(truth=truth, prediction=said).charts["edges"]
    bundle = chart._repr_mimebundle_()
    assert bundle["text/plain"] == chart.says
    spec = bundle["application/vnd.vegalite.v6+json"]
    assert spec["datasets"]["edges"]


def test_the_json_has_what_every_chart_shows() -> None:
    truth, said = labels()
    report = ew.evaluate(truth=truth, prediction=said)
    plain = report.to_dict()["charts"]
    assert list(plain) == list(report.charts)
    for name, chart in report.charts.items():
        assert plain[name]["says"] == chart.says
        assert plain[name]["data"] == {key: [dict(row) for row in rows] for key, rows in chart.data.items()}


def test_a_long_table_says_how_many_of_its_rows_are_shown() -> None:
    grid = Grid("", (Column("n", "count"),), tuple((number,) for number in range(100)))
    shown = report_fragment(Report("", (Section("", grids=(grid,)),), (), {}))
    assert shown.count("<td ") == 30
    assert "the first 30 of 100 rows" in shown


def test_a_notebook_never_shows_a_probability_of_being_better_as_0_or_1() -> None:
    truth = [1] * 200 + [0] * 200
    sure, poor = truth, [1] * 100 + [0] * 200 + [1] * 100
    for pair in (("sure", "poor"), ("poor", "sure")):
        found = ew.compare(truth=truth, systems={"sure": sure, "poor": poor})[pair]["informedness"]
        shown = found._repr_html_()
        cell = shown.partition(f"P({pair[0]} better)</td><td>")[2].partition("</td>")[0]
        assert cell == ("&gt; 0.999" if pair[0] == "sure" else "&lt; 0.001")
