"""The page as text: names and kinds of its tables, its headings, its title, its data."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from edgeworth.report.charts.chart import Chart
from edgeworth.report.html.page import pack_columns
from edgeworth.report.html.parts import are_numbers
from edgeworth.report.report import Charts, Column, Grid, Report, Section, gather_reports


class Reader(HTMLParser):
    """Elements with their attributes, and the text of headings and cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], str]] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if data.strip() and self._open:
            self.texts.append((*self._open[-1], data))

    def headings(self) -> list[tuple[int, str]]:
        return [(int(tag[1]), text) for tag, _, text in self.texts if re.fullmatch("h[1-6]", tag)]

    def regions(self) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if attributes.get("class") == "scroll"]


def labels_report() -> ew.Report:
    rng = np.random.default_rng(4)
    truth = rng.choice(["ham", "spam", "other"], 300)
    predicted = np.where(rng.random(300) < 0.7, truth, rng.choice(["ham", "spam", "other"], 300))
    return ew.evaluate(truth=truth, prediction=predicted)


def scores_report() -> ew.Report:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 200)
    return ew.evaluate(truth=truth, score=truth + rng.normal(size=200))


@pytest.fixture(scope="module")
def both() -> Report:
    return gather_reports({"Labels": labels_report(), "Scores": scores_report()})


@pytest.fixture(scope="module")
def page(both: Report) -> str:
    return both.to_html(title="Both")


def plain(*columns: Column, rows: tuple[tuple[Any, ...], ...]) -> Report:
    grid = Grid("", columns, rows)
    return Report("So it is.", (Section("Only section", (), (grid,)),), (), {"cases": 12_000, "pool": 10.0})


@pytest.mark.slow
def test_every_table_has_a_name_of_its_own_and_the_keyboard_reaches_it(both: Report, page: str) -> None:
    regions = Reader(page).regions()
    names = [str(region["aria-label"]) for region in regions]
    assert len(names) > 8
    assert len(set(names)) == len(names)
    assert not any(name.startswith("Table") for name in names)
    assert all(region["tabindex"] == "0" and region["role"] == "region" for region in regions)
    assert "Labels: Overall" in names
    assert "Labels: Contingency table (table)" in names
    assert f"Numbers behind: {both.charts['roc'].title}" in names


def test_headings_of_gathered_reports_are_a_tree(both: Report, page: str) -> None:
    result = Reader(page).headings()
    assert result[0] == (1, "Both")
    assert [text for level, text in result if level == 2] == ["Labels", "Scores"]
    sections = [text for level, text in result if level == 3]
    assert [section.title.partition(": ")[2] for section in both.sections] == sections
    assert all(after <= before + 1 for (before, _), (after, _) in pairwise(result))


def test_headings_of_one_report_are_its_sections() -> None:
    report = labels_report()
    levels = Reader(report.to_html()).headings()
    sections = [(2, section.title) for section in report.sections]
    assert levels == [(1, "Edgeworth report"), (2, "Look at next"), *sections]


def test_the_navigation_leads_to_every_part(both: Report, page: str) -> None:
    elements = Reader(page).elements
    targets = {str(attributes["href"])[1:] for tag, attributes in elements if tag == "a"}
    places = {str(attributes["id"]) for _, attributes in elements if "id" in attributes}
    assert targets <= places
    assert {"report-1", "report-2", *(f"section-{n + 1}" for n in range(len(both.sections)))} == targets


def test_a_verdict_that_holds_a_colon_is_not_taken_apart() -> None:
    """Only gathered reports have names before their verdicts."""
    report = Report("A is better: by 3.\nB: 4.", (), (), {})
    assert "<b>" not in report.to_html()


def test_the_title_is_text_and_can_be_anything() -> None:
    report = plain(Column("a"), rows=(("x",),))
    page = report.to_html(title="  <b>Spring & summer</b>\n")
    assert page.count("&lt;b&gt;Spring &amp; summer&lt;/b&gt;") == 2
    assert "<title>Edgeworth report</title>" in report.to_html(title=" \n")
    assert len(re.findall("<title>(.*)</title>", report.to_html(title="x" * 10_000))[0]) <= 200


def test_the_columns_that_tell_rows_apart_head_them_on_a_phone() -> None:
    columns = (Column("task"), Column("system"), Column("cases", "count"), Column("share", "number"))
    rows = tuple((task, name, 3, 0.5) for task in ("law", "code") for name in ("a", "b"))
    page = plain(*columns, rows=rows).to_html()
    assert page.count(" data-above>") == 8
    assert page.count(" data-above>law<") == 2


def test_the_head_of_a_page_counts_the_files_that_were_read() -> None:
    source = "runs/large.json, runs/small.json"
    assert "source 2 files" in Report("So.", (), (), {"source": source}).to_html()
    assert "2 files" not in Report("So.", (), (), {"source": "data/one.csv"}).to_html()


def test_numbers_typed_as_text_stand_to_the_right() -> None:
    columns = (Column("label"), Column("value"), Column("said"), Column("cases", "count"))
    rows = (("1", "$1,134.50", "12", 3), ("2", "–", "twelve", 4), ("3", "< 1e-12", "1", 5))
    cells = [
        (tag, str(result["class"]))
        for tag, result, _ in Reader(plain(*columns, rows=rows).to_html()).texts
        if tag in ("td", "th")
    ]
    assert cells[:4] == [("th", kind) for kind in ("text", "number", "text", "number")]
    assert cells[4:8] == [("th", "text"), ("td", "number"), ("td", "text"), ("td", "number")]


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "0.514",
        "−0.012",
        "4.9e-5",
        "1.2e43",
        "> 0.999",
        "1,134",
        "−$0.52",
        "62.2%",
        "1.277 or more",
        "0.089 to 0.351",
        "about .5",
        "∞",
    ],
)
def test_what_looks_like_a_number(text: str) -> None:
    assert are_numbers([text, "7"])


@pytest.mark.parametrize(
    "text", ["delta method", "exact, all 37 tables", "3 of 4", "a", "2024-01-01", "1.2.3", "e5", "%"]
)
def test_what_does_not_look_like_a_number(text: str) -> None:
    assert not are_numbers([text, "7"])
    assert not are_numbers(["–", ""])


def test_words_are_broken_only_when_they_must() -> None:
    page = plain(Column("a"), rows=(("informedness",), ("x" * 40,))).to_html()
    assert '<th scope="row" class="text">informedness</th>' in page
    assert f'<th scope="row" class="text long">{"x" * 40}</th>' in page


def test_two_charts_of_one_name_are_refused() -> None:
    charts = tuple(labels_report().charts.values())
    assert list(Charts(charts)) == [chart.name for chart in charts]
    with pytest.raises(ew.EdgeworthError, match="two charts have the name 'edges'"):
        Charts((*charts, labels_report().charts["edges"]))
    with pytest.raises(ew.EdgeworthError, match="two charts have the name"):
        gather_reports({"one": labels_report(), "two": labels_report()})


def unpacked(columns: list[Any]) -> list[dict[str, Any]]:
    """What the page's script does."""
    length = len(columns[0][-1]) if columns else 0
    return [
        {name: values[more[0][row]] if more else values[row] for name, values, *more in columns}
        for row in range(length)
    ]


def test_data_of_charts_come_back_whole(both: Report, page: str) -> None:
    for name, chart in both.charts.items():
        text = re.findall(rf'<script type="application/json" id="spec-{name}">(.*?)</script>', page)[0]
        datasets = json.loads(text)["datasets"]
        for item, rows in chart.data.items():
            back = unpacked(datasets[item])
            assert len(back) == len(rows)
            for one, other in zip(back, rows, strict=True):
                for key, value in other.items():
                    assert one[key] == (pytest.approx(value, rel=1e-5) if isinstance(value, float) else value)


def test_rows_without_all_columns_are_packed() -> None:
    assert unpacked(pack_columns([{"a": 1}, {"b": "x"}])) == [{"a": 1, "b": None}, {"a": None, "b": "x"}]
    assert pack_columns([]) == unpacked([]) == []


@pytest.mark.slow
def test_the_largest_tables_that_are_drawn_keep_the_page_small() -> None:
    """Thirty labels of long names, some of signs that take six bytes each on the page."""
    rng = np.random.default_rng(6)
    labels = [f"{'<' * 30} a long name of a class in a deep tree {number:02d}" for number in range(30)]
    truth = rng.choice(labels, 3000)
    predicted = np.where(rng.random(3000) < 0.6, truth, rng.choice(labels, 3000))
    report = ew.evaluate(truth=truth, prediction=predicted, bets=True)
    assert {"contingency", "bookmaker"} <= set(report.charts)
    assert len(report.to_html().encode()) < 1_500_000


def test_a_layer_is_named_by_any_text() -> None:
    """A name with a quote inside is data, not the end of an expression."""
    from edgeworth.report.charts.axes import colour_layer

    text = 'it\'s "ours" \\'
    rows = ({"x": 1, "y": 2},)

    def draw(kit: Any) -> Any:
        layer = kit.base("points").mark_point().encode(x="x:Q", y="y:Q")
        return colour_layer(kit.alt, layer, text, {text: "#123456"})

    svg = Chart("points", "", "", {"points": rows}, draw).svg()
    assert "it&apos;s" in svg or "it's" in svg
    assert 'stroke="#123456"' in svg


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("/home/me/predictions.csv", "predictions.csv – Edgeworth"),
        ("C:\\data\\run 7.parquet", "run 7.parquet – Edgeworth"),
        ("arrays", "Edgeworth report"),
        ("3 sources, merged", "Edgeworth report"),
        (None, "Edgeworth report"),
    ],
)
def test_a_page_without_a_title_is_called_by_its_file(source: str | None, wanted: str) -> None:
    report = Report("It is so.", (), (), {"source": source})
    assert f"<title>{wanted}</title>" in report.to_html()
    assert "<title>Mine</title>" in report.to_html(title="Mine")


def test_a_page_of_a_comparison_is_called_by_its_systems_and_says_how_to_report_it() -> None:
    truth = [1, 0] * 20
    names = {"lab/<a>": [1, 0] * 20, "lab/b": [1, 1] * 20, "c": [0, 0] * 20}
    for systems, wanted in (
        (2, "lab/&lt;a&gt; against lab/b – Edgeworth"),
        (3, "lab/&lt;a&gt;, lab/b, c – Edgeworth"),
    ):
        comparison = ew.compare(truth=truth, systems=dict(list(names.items())[:systems]))
        page = comparison.to_html()
        assert f"<title>{wanted}</title>" in page
        assert page.count(f"Edgeworth {ew.__version__}.</p>") == 1


def test_methods_are_plain_words_in_json_and_the_baseline_has_its_name() -> None:
    data = {"y": [1, 0, 1, 1] * 10, "lr": [0.7, 0.2, 0.6, 0.8] * 10, "xgb": [0.9, 0.3, 0.4, 0.8] * 10}
    methods = [
        x["method"] for x in ew.evaluate(truth=data["y"], prediction=data["y"]).numbers["estimates"].values()
    ]
    assert "Wilson" in methods
    assert not any("(" in str(method) for method in methods)
    report = ew.evaluate(pd.DataFrame(data), truth="y", probabilities="xgb", against="lr", positive=1)
    assert report.provenance["against"] == "lr"


def test_the_same_warning_of_several_reports_is_said_once() -> None:
    parts = {name: Report("", (), ("few cases", f"warning of {name}"), {}) for name in "ab"}
    assert gather_reports(parts).warnings == ("a, b: few cases", "a: warning of a", "b: warning of b")


def test_how_data_were_read_is_no_warning() -> None:
    took, warned = "Took 'label' as truth.", "Took too few rows."
    page = Report("It is so.", (), (took, f"Labels: {took}", warned), {}).to_html()
    assert page.count('<p class="note">') == 2
    assert re.findall("<li>(.*)</li>", page.partition("<nav")[0]) == [warned]
    assert 'aria-label="Warnings"' not in Report("It is so.", (), (took,), {}).to_html()


def test_no_line_ends_inside_a_number() -> None:
    report = Report(
        "Better (p < 1e-12). Or 4.9e-5 & more.", (Section("A", ("It is 1e-3.",)),), ("q ≤ 2e-4",), {}
    )
    page = report.to_html()
    for number in ("&lt; 1e-12", "4.9e-5", "1e-3", "≤ 2e-4"):
        assert f'<span class="whole">{number}</span>' in page
    assert " &amp; more." in page
