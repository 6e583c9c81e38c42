"""What a notebook shows: verdicts, figures and tables whose labels are text, and pictures."""

from __future__ import annotations

import re
import sys
from html import escape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.report.charts.chart import slim_picture
from edgeworth.report.html.key_figures import key_figures
from edgeworth.report.html.notebook import report_fragment
from edgeworth.report.report import Column, Grid, Report, Section

HOSTILE = "</td><script>alert(1)</script>"


HARMLESS = {"class", "tabindex", "role", "aria-label", "scope", "title"}
"""Attributes that tables of reports have; nothing in them runs."""

PICTURE = {"svg", "g", "text", "path", "line", "rect", "clippath", "defs", "lineargradient", "stop"}
"""Elements of pictures: what they show is in their attributes, and none of them may run or load anything."""


class Reader(HTMLParser):
    """Tags and text as a browser would read them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        names = {name for name, _ in attrs}
        if tag in PICTURE:
            assert not [name for name in names if name.startswith("on") or "href" in name or name == "src"]
        else:
            assert names <= HARMLESS, (tag, names)
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
    texts = [label if rng.random() < 0.7 else "ham" for label in truth]
    return truth, texts


def tallies() -> dict[str, Any]:
    truth, text = labels()
    hits, scores = [1, 0, 1, 0] * 5, np.linspace(1, 0, 20)
    return {
        "table": ew.ContingencyTable.from_labels(truth, text),
        "clustered": ew.ContingencyTable.from_labels(truth, text, clusters=[row % 7 for row in range(60)]),
        "paired": ew.Paired.from_labels(truth, {"one": text, HOSTILE: text}),
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
    read_back = read(tally)
    assert "table" in read_back.tags
    assert type(tally).__name__ in read_back.text


def test_counts_are_shown_as_they_are() -> None:
    table = tallies()["table"]
    read_back = read(table)
    assert HOSTILE in read_back.text
    for row in table.counts.tolist():
        for count in row:
            assert str(count) in read_back.text


def test_many_labels_are_cut() -> None:
    table = ew.ContingencyTable.from_labels(list(range(200)) * 2, list(range(200)) * 2)
    assert len(table._repr_html_()) < 5000
    assert "and 170 more" in read(table).text


def test_estimates_differences_reports_and_comparisons() -> None:
    truth, text = labels()
    table = ew.ContingencyTable.from_labels(truth, text)
    assert "95% CI" in read(ew.estimate(table, "informedness")).text
    report = ew.evaluate(truth=truth, prediction=text)
    assert report.verdict in read(report).text
    comparison = ew.compare(truth=truth, systems={"one": text, HOSTILE: truth})
    assert comparison.verdict in read(comparison).text
    assert "P(one better)" in read(comparison["one", HOSTILE]["informedness"]).text


def test_a_report_shows_its_verdict_figures_lead_chart_and_main_tables_only() -> None:
    truth, text = labels()
    report = ew.evaluate(truth=truth, prediction=text)
    read_back = read(report)
    assert report.verdict in read_back.text
    for figure in key_figures(report):
        assert figure.value in read_back.text
    assert read_back.tags.count("svg") == 1
    assert report.charts[report.lead].title in read_back.text
    assert {section.is_main for section in report.sections} == {True, False}
    for section in report.sections:
        assert (f"<h4>{escape(section.title)}</h4>" in report._repr_html_()) == section.is_main
    for name in report.charts:
        assert (f"{name}," in read_back.text or f"{name}." in read_back.text) or name == report.lead
    assert all(section.title in report._repr_markdown_() for section in report.main_sections)


def test_ink_is_that_of_the_notebook() -> None:
    """A dark theme has light text: nothing but marks in the middle of both may have a colour of its own."""
    truth, text = labels()
    css = re.search("<style>(.*?)</style>", ew.evaluate(truth=truth, prediction=text)._repr_html_(), re.S)
    assert css is not None
    assert not re.findall(r"[;{ ](?:color|background):(?! inherit| transparent| color-mix)", css[1])
    for colour in re.findall("#[0-9a-f]{6}", css[1]):
        for ground in ("#ffffff", "#111111"):
            assert contrast(colour, ground) >= 3, (colour, ground)  # lines beside text, not text


def contrast(first: str, second: str) -> float:
    """Compute the contrast of two colours by WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_a_gate_is_a_sentence_and_tables() -> None:
    truth, text = labels()
    decision = ew.check(truth=truth, prediction=text, require="informedness>=0.1")
    read_back = read(decision)
    assert decision.headline in read_back.text
    assert "informedness>=0.1" in read_back.text
    assert decision.headline in repr(decision)
    assert decision._repr_markdown_() == decision.to_markdown()


def test_every_result_has_markdown_whose_labels_are_text() -> None:
    truth, text = labels()
    comparison = ew.compare(truth=truth, systems={"one": text, HOSTILE: truth})
    results = (
        ew.evaluate(truth=truth, prediction=text),
        comparison,
        comparison["one", HOSTILE]["informedness"],
        ew.estimate(ew.ContingencyTable.from_labels(truth, text), f"recall[{HOSTILE}]"),
        ew.check(truth=truth, prediction=text, require="informedness>=0.1"),
    )
    for result in results:
        shown = result._repr_markdown_()
        assert "<" not in shown
        assert "|:---|" in shown


def test_a_chart_brings_a_picture_that_needs_nothing_around_it() -> None:
    truth, text = labels()
    report = ew.evaluate(truth=truth, prediction=text)
    for chart in report.charts.values():
        bundle = chart._repr_mimebundle_()
        assert bundle["text/plain"] == chart.description
        assert bundle["application/vnd.vegalite.v6+json"]["datasets"]
        root = ElementTree.fromstring(bundle["image/svg+xml"])
        assert root.findtext("{http://www.w3.org/2000/svg}title") == chart.description
        ground = root.find("{http://www.w3.org/2000/svg}rect")
        assert ground is not None
        assert ground.get("fill") == "white"
        assert list(root).index(ground) == 1, "it is behind everything else"
        assert not [part for part in root.iter() if "currentColor" in part.attrib.values()]
        # nbconvert prefers HTML and Markdown to a picture.
        assert not {"text/html", "text/markdown"} & set(bundle)


def named_parts(svg: str) -> set[str]:
    return set(re.findall(r'id="([^"]+)"', svg))


def test_pictures_from_different_sessions_share_no_names_of_parts() -> None:
    """Each session numbers gradients and clips from 0, and a browser takes the first of a name."""
    part = '<clipPath id="clip0"/><g clip-path="url(#clip0)"/><rect fill="url(#gradient_0)"/>'
    drawn = [slim_picture(f"<svg>{part}<text>{name}</text></svg>") for name in ("a", "b")]
    assert not named_parts(drawn[0]) & named_parts(drawn[1])
    for picture in drawn:
        used = re.findall(r"url\(#([^)]+)\)", picture)
        assert len(used) == 2
        assert used[0] in named_parts(picture)
    truth, text = labels()
    chart = ew.evaluate(truth=truth, prediction=text).charts["contingency"]
    svg = chart._repr_mimebundle_()["image/svg+xml"]
    used = re.findall(r"url\(#([^)]+)\)", svg)
    assert used
    assert set(used) <= named_parts(svg)


def test_labels_beside_an_axis_have_room_for_a_wide_font() -> None:
    """DejaVu Sans is up to a fifth wider than the font in which labels are measured."""
    truth, text = labels()
    comparison = ew.compare(truth=truth, systems={"one": text, "two": truth})
    chart = comparison.charts["differences"]
    measured = ElementTree.fromstring(chart.svg())
    shown = ElementTree.fromstring(chart._repr_mimebundle_()["image/svg+xml"])
    plot = re.search(r'transform="translate\((\d+),', chart.svg())
    assert plot is not None
    left, _, width, _ = map(float, shown.attrib["viewBox"].split())
    assert -left >= 0.2 * int(plot[1]) - 1
    assert left + width == float(measured.attrib["width"])
    assert width == float(shown.attrib["width"])


def test_tables_of_values_keep_their_columns_apart_without_a_style_around_them() -> None:
    truth, text = labels()
    table = ew.ContingencyTable.from_labels(truth, text)
    for value in (table, ew.estimate(table, "informedness")):
        assert "padding" in re.findall("<style>(.*?)</style>", value._repr_html_())[0]


def test_charts_are_listed_by_name() -> None:
    truth, text = labels()
    report = ew.evaluate(truth=truth, prediction=text)
    assert repr(report.charts) == f"<Charts: {', '.join(report.charts)}>"
    assert repr(report.charts["edges"]) == f"<Chart edges: {report.charts['edges'].title}>"


def test_without_the_libraries_of_reports_the_figures_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, text = labels()
    report = ew.evaluate(truth=truth, prediction=text)
    monkeypatch.setitem(sys.modules, "altair", None)
    shown = report._repr_html_()
    assert "edgeworth[report]" in shown
    assert "<svg" not in shown
    assert list(report.charts["edges"]._repr_mimebundle_()) == ["text/plain"]


def test_the_full_json_has_what_every_chart_shows() -> None:
    truth, text = labels()
    report = ew.evaluate(truth=truth, prediction=text)
    plain = report.to_dict(full=True)["charts"]
    assert list(plain) == list(report.charts)
    for name, chart in report.charts.items():
        assert plain[name]["description"] == chart.description
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
        difference = ew.compare(truth=truth, systems={"sure": sure, "poor": poor})[pair]["informedness"]
        shown = difference._repr_html_()
        cell = shown.partition(f"P({pair[0]} better)</td><td>")[2].partition("</td>")[0]
        assert cell == ("&gt; 0.999" if pair[0] == "sure" else "&lt; 0.001")


def test_the_differences_of_a_pair_are_a_table_with_one_row_per_measure() -> None:
    truth, said = labels()
    comparison = ew.compare(truth=truth, systems={"one": said, HOSTILE: truth})
    differences = comparison["one", HOSTILE]
    shown = differences._repr_html_()
    assert HOSTILE not in shown
    assert shown.count("<tr>") == len(differences) + 1
    for measure in differences:
        assert f"<td>{escape(measure)}</td>" in shown or HOSTILE in measure


def test_entries_of_a_legend_stay_apart_in_a_wide_font() -> None:
    """DejaVu Sans is up to a fifth wider than the font in which entries are measured."""
    rng = np.random.default_rng(1)
    chart = ew.evaluate(truth=rng.integers(0, 2, 50), score=rng.random(50)).charts["hits"]
    entry = r'translate\(([\d.]+),0\)"><path class="background" aria-hidden="true" d="M0,0h([\d.]+)v12h'
    (start, width), (end, _) = [map(float, place) for place in re.findall(entry, chart.svg())]
    assert end - start >= 1.2 * width
