"""The desk as people use it: typed, pasted, linked, printed, on a phone, in the dark, by keyboard."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import edgeworth as ew
from command_line import call, flat
from edgeworth.desk.build import INTERFACE, LIBRARY, build
from edgeworth.sample import sample_file
from hostile_text import TEXTS

pytestmark = pytest.mark.browser

LARGEST = 300_000


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("desk") / "edgeworth-desk.html"
    path.write_text(build(), encoding="utf-8")
    return path


def cell(page: Page, predicted: str, actual: str) -> Any:
    return page.get_by_label(f"predicted {predicted}, actual {actual}", exact=True)


def number(text: str) -> float:
    """Read a number as the page writes it."""
    plain = text.replace("−", "-").replace("$", "").replace(",", "").replace("%", "").replace("bits", "")
    return float(plain)


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def saved_address(page: Page) -> str:
    """Copy the link, which also writes it into the address."""
    page.get_by_role("button", name="Copy link").click()
    return page.url


def paste(target: Any, text: str) -> None:
    target.focus()
    target.evaluate(
        """(element, text) => {
          const data = new DataTransfer();
          data.setData("text", text);
          const event = { clipboardData: data, bubbles: true, cancelable: true };
          element.dispatchEvent(new ClipboardEvent("paste", event));
        }""",
        text,
    )


def test_typing_moves_dollars_and_measures(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    assert page.locator("#weighted-total").inner_text() == "$1.50"
    cell(page, "+", "+").fill("70")
    cell(page, "+", "−").fill("0")
    cell(page, "−", "+").fill("0")
    cell(page, "−", "−").fill("30")
    assert page.locator("#weighted-total").inner_text() == "$10.00"
    assert page.locator("#informedness").inner_text() == "1.000"
    cell(page, "+", "−").fill("x")
    assert "is not a count" in page.locator(".sheet [role=alert]").first.inner_text()


def test_a_table_is_pasted_from_a_spreadsheet(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    paste(cell(page, "+", "+"), "\tcat\tdog\teel\ncat\t3\t0\t2\ndog\t0\t1\t1\neel\t0\t2\t3\n")
    assert page.locator(".sheet-table").first.locator("tbody tr").count() == 3
    assert number(page.locator("#informedness").inner_text()) == pytest.approx(31 / 72, abs=0.0005)
    names = page.get_by_label(re.compile("Name of class"))
    assert names.evaluate_all("inputs => inputs.map(input => input.value)") == ["cat", "dog", "eel"]
    expect(page.locator("#p-value")).to_contain_text("p = ")
    assert number(page.locator("#p-value").inner_text().removeprefix("p = ")) == pytest.approx(
        13 / 168, abs=0.005
    )
    assert "sampled, ±" in page.locator(".luck").inner_text()


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("12 28; 18 42", [[12, 28], [18, 42]]),
        ("[[12, 28], [18, 42]]", [[12, 28], [18, 42]]),
        ("12,28\n18,42", [[12, 28], [18, 42]]),
        ("12 28 40\n18 42 60\n30 70 100", [[12, 28], [18, 42]]),
        ("12 & 28 \\\\ 18 & 42", [[12, 28], [18, 42]]),
        ("1,200\t28\n18\t4,200", [[1200, 28], [18, 4200]]),
    ],
)
def test_tables_are_read_as_papers_print_them(
    desk: Path, visit: Any, text: str, cells: list[list[int]]
) -> None:
    page = visit(desk).page
    page.get_by_text("Paste a table").click()
    page.get_by_label("Paste a table").fill(text)
    page.get_by_role("button", name="Use this table").click()
    result = page.locator(".sheet-table").first.locator("input.cell")
    values = result.evaluate_all("inputs => inputs.map(input => Number(input.value))")
    assert values == [count for row in cells for count in row]


def test_percentages_take_the_number_of_cases(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    paste(cell(page, "+", "+"), "12%\t28%\n18%\t42%")
    page.get_by_label("Number of cases N").fill("1000")
    assert "$2,100.00 won, $2,100.00 lost" in page.locator(".house").inner_text()


def test_a_link_brings_the_table_back(desk: Path, visit: Any) -> None:
    first = visit(desk).page
    paste(cell(first, "+", "+"), "3\t0\t2\n0\t1\t1\n0\t2\t3")
    first.get_by_label("Name of class 2").fill("a,b;c&d=é #1")
    first.get_by_label("Rows are").get_by_role("button", name="actual").click()
    address = saved_address(first)
    second = visit(desk).page
    second.goto("about:blank")
    second.goto(address)
    for selector in (".dollars", ".overall", ".labels"):
        assert texts(second, selector) == texts(first, selector)
    assert second.get_by_label("Name of class 2").input_value() == "a,b;c&d=é #1"
    pressed = second.get_by_label("Rows are").get_by_role("button", name="actual")
    assert pressed.get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize(
    "fragment",
    [
        "tab=table&cells=1;2,3",
        "tab=%E0%A4%A&x",
        "tab=bet&runners=,,;",
        "&&&===",
        "tab=table&cells=" + "9,9;" * 400,
    ],
)
def test_a_broken_link_still_opens(desk: Path, visit: Any, fragment: str) -> None:
    seen = visit(desk)
    seen.page.goto(f"{desk.as_uri()}#{fragment}")
    seen.page.reload()
    assert seen.page.get_by_role("tab").count() == 4
    assert seen.complaints == []


# -- the papers' numbers -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reproduced() -> dict[str, dict[str, float]]:
    """What ``edgeworth reproduce`` computes for the three papers, by place."""
    places: dict[str, dict[str, float]] = {}
    for paper in ("powers", "su-zhang", "kalia"):
        for row in ew.papers.reproduce(paper).numbers["printed_numbers"]:
            if row["ours"] is not None:
                places.setdefault(row["where"], {})[row["what"]] = row["ours"]
    return places


@pytest.mark.parametrize(
    ("button", "position"),
    [
        ("Model 1", "Figure 1, model 1: guessing"),
        ("Model 2", "Figure 1, model 2: perfection"),
        ("Model 3", "Figure 1, model 3: informed 15% of the time"),
        ("Model 4", "Figure 1, model 4: informed wrongly 15% of the time"),
    ],
)
def test_models_are_those_of_figure_1(
    desk: Path, visit: Any, button: str, position: str, reproduced: dict[str, dict[str, float]]
) -> None:
    page, wanted = visit(desk).page, reproduced[position]
    page.get_by_role("button", name=button, exact=True).click()
    rows = page.locator(".dollars tbody tr")
    results = [[number(text) for text in rows.nth(row).locator("td").all_inner_texts()[2:]] for row in (0, 1)]
    for row, sign in enumerate("+-"):
        cells = [wanted[f"dollars {sign}P+R"], wanted[f"dollars {sign}P-R"]]
        assert results[row] == pytest.approx(
            [*cells, wanted[f"Won {sign}"], wanted[f"Weighted {sign}"]], abs=0.005
        )
    total = number(page.locator("#weighted-total").inner_text())
    assert total == pytest.approx(wanted["Weighted, total"], abs=0.005)
    label = [
        number(text.split("\n")[0])
        for text in page.locator(".labels tbody tr").first.locator("td").all_inner_texts()[:8]
    ]
    words = ("Recall", "IRecall", "Precision", "IPrecision", "F(0.5)", "IF(0.5)", "G(0.5)", "IG(0.5)")
    assert label == pytest.approx([wanted[word] for word in words], abs=0.0005)
    for name, word in (("accuracy", "Accuracy"), ("average_f", "AvF(0.5)"), ("average_g", "AvG(0.5)")):
        shown = number(page.locator(f"[data-measure={name}]").inner_text())
        assert shown == pytest.approx(wanted[word], abs=0.0005), word
    assert number(page.locator("#informedness").inner_text()) == pytest.approx(
        wanted["Bookmaker"], abs=0.0005
    )


def test_the_slider_makes_the_models(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    slider = page.get_by_role("slider", name="Informed share")
    for value, weighted in ((0, "$0.00"), (100, "$10.00"), (-15, "−$1.50")):
        slider.fill(str(value))
        assert page.locator("#weighted-total").inner_text() == weighted
    assert page.get_by_role("button", name="Model 4").get_attribute("aria-pressed") == "true"


def test_the_poster_and_the_noun(desk: Path, visit: Any, reproduced: dict[str, dict[str, float]]) -> None:
    page = visit(desk).page
    page.get_by_role("button", name="Poster").click()
    guesser = reproduced["Poster: the guesser"]
    won, lost = guesser["won, 12 × $7 + 42 × $3"], guesser["lost, 18 × $7 + 28 × $3"]
    assert f"${won:.2f} won, ${lost:.2f} lost" in page.locator(".house").inner_text()
    assert number(page.locator("[data-measure=accuracy]").inner_text()) == pytest.approx(guesser["Accuracy"])
    assert page.locator(".dollars .odds").first.inner_text() == "7:3"
    page.get_by_role("button", name="Always noun").click()
    noun = reproduced["Label Bias: always a noun"]
    row = page.locator(".labels tbody tr").first.locator("td").all_inner_texts()
    assert [number(row[0].split("\n")[0]), number(row[2].split("\n")[0])] == [
        noun["Recall"],
        noun["Precision"],
    ]
    assert page.locator("#informedness").inner_text() == "0.000"
    verb = page.locator(".labels tbody tr").nth(1)
    assert verb.get_by_label("undefined: no case was predicted as verb").count() >= 1
    assert "only one label was ever predicted" in page.locator(".overall").inner_text()


def test_the_twelve_classes_have_the_rebuilt_margins(
    desk: Path, visit: Any, reproduced: dict[str, dict[str, float]]
) -> None:
    page = visit(desk).page
    page.get_by_role("button", name="12 classes").click()
    edges = [number(text) for text in texts(page, ".labels .edge > span")]
    wanted = reproduced["The twelve classes, corrected"]
    assert edges == pytest.approx([wanted[f"B of {label}"] for label in "ABEGHIKMNOPZ"], abs=0.0005)
    shown = number(page.locator("#informedness").inner_text())
    assert shown == pytest.approx(wanted["B, weighted average"], abs=0.0005)
    for name, word in (("accuracy", "r"), ("average_f", "F"), ("average_g", "G")):
        average = number(page.locator(f"[data-measure={name}]").inner_text())
        assert average == pytest.approx(wanted[f"{word}, weighted average"], abs=0.0005), word
    assert "one of the tables with these totals" in page.locator("#example-note").inner_text()
    assert "not determined" in page.locator(".overall").inner_text()
    assert "95% CI" not in page.locator(".main-answer").inner_text()


def test_the_ten_digits_are_what_naive_bayes_predicts(desk: Path, visit: Any) -> None:
    from sklearn.datasets import load_digits
    from sklearn.metrics import confusion_matrix
    from sklearn.naive_bayes import GaussianNB

    images, digits = load_digits(return_X_y=True)
    half = len(digits) // 2
    predicted = GaussianNB().fit(images[:half], digits[:half]).predict(images[half:])
    page = visit(desk).page
    page.get_by_role("button", name="10 digits").click()
    values = (
        page.locator(".sheet-table")
        .first.locator("input.cell")
        .evaluate_all("x => x.map(y => Number(y.value))")
    )
    assert values == confusion_matrix(digits[half:], predicted).ravel().tolist()


# -- what if -------------------------------------------------------------------------------------------------


def test_prevalence_moves_precision_and_not_informedness(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    slider = page.get_by_role("slider", name="Prevalence")
    before = texts(page, ".labels tbody tr:first-child td")
    slider.fill("20")
    after = texts(page, ".labels tbody tr:first-child td")
    assert page.locator("#informedness").inner_text() == "0.150"
    assert before[0].split("\n")[0] == after[0].split("\n")[0]
    assert before[2] != after[2]
    page.get_by_role("button", name="Back to the typed table").click()
    assert texts(page, ".labels tbody tr:first-child td") == before


def test_more_cases_shrink_p_and_not_informedness(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    page.get_by_role("slider", name="Multiply by").fill("3")
    assert page.locator("#informedness").inner_text() == "0.150"
    assert (
        "× 10" in page.locator("#p-value").inner_text()
        or number(page.locator("#p-value").inner_text()[4:]) < 0.01
    )
    assert page.locator("#luck-words").inner_text().startswith("Significant")


def test_changes_are_undone(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    cell(page, "+", "+").fill("99")
    page.get_by_role("button", name="Add a class").click()
    assert page.get_by_label(re.compile("Name of class")).count() == 3
    page.keyboard.press("Control+z")
    assert page.get_by_label(re.compile("Name of class")).count() == 2
    page.keyboard.press("Control+z")
    assert cell(page, "+", "+").input_value() == "58.1"
    page.keyboard.press("Control+Shift+z")
    assert cell(page, "+", "+").input_value() == "99"


# -- other tabs ----------------------------------------------------------------------------------------------


def test_a_ranking(desk: Path, visit: Any, reproduced: dict[str, dict[str, float]]) -> None:
    page = visit(desk).page
    page.get_by_role("tab", name="Ranking").click()
    for name in ("Algorithm 1", "Algorithm 2"):
        page.get_by_role("button", name=name).click()
        assert page.locator("#ap").inner_text() == f"{reproduced[f'Example, {name}']['AP']:.4f}"
    law = ew.chance.average_precision(8, 3)
    assert number(page.locator("#expected-ap").inner_text()) == pytest.approx(law.mean, abs=5e-6)
    assert number(page.locator("#sd-ap").inner_text()) == pytest.approx(law.standard_deviation, abs=5e-6)
    page.get_by_role("slider", name="Depth t").fill("5")
    assert page.locator("#precision-at").inner_text() == "40.0%"
    expect(page.locator("#ap-tail")).to_contain_text(" = ")
    p = number(page.locator("#ap-tail").inner_text().split(" = ")[1])
    assert p == pytest.approx(law.tail(1.4 / 3).p_value, abs=0.0005)
    page.get_by_role("button", name="n, m and hits").click()
    page.get_by_label("Items n").fill("3000")
    page.get_by_label("Targets m").fill("245")
    assert number(page.locator("#expected-ap").inner_text()) == pytest.approx(0.08399, abs=5e-6)
    assert number(page.locator("#sd-ap").inner_text()) == pytest.approx(0.00561, abs=5e-6)


def test_a_bet_and_a_race(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    page.get_by_role("tab", name="Bet").click()
    assert page.locator("#stake").inner_text() == "20.00%"
    page.get_by_role("textbox", name="Your probability").fill("0.25")
    assert number(page.locator("#stake").inner_text()) == pytest.approx(
        100 * float(ew.bet.kelly_game(0.25, 2))
    )
    page.get_by_role("textbox", name="Odds offered").fill("7:3")
    stake = 100 * float(ew.bet.kelly_game(0.25, 1 + 7 / 3))
    assert number(page.locator("#stake").inner_text()) == pytest.approx(stake, abs=0.005)
    page.get_by_role("button", name="a race").click()
    rows = texts(page, ".main-answer tbody tr")
    assert [row.split("\t")[1] for row in rows] == ["5.96%", "10.59%", "6.25%", "0.00%", "0.00%"]


def test_births_race(desk: Path, visit: Any, reproduced: dict[str, dict[str, float]]) -> None:
    page = visit(desk).page
    page.get_by_role("tab", name="Race").click()
    wealth = reproduced["Births: wealth"]["log wealth of stepAIC against small glm, leave-one-out"]
    assert f"log wealth {wealth:.4f}" in page.locator(".main-answer").last.inner_text()
    page.get_by_role("button", name="Shuffle the rows").click()
    assert f"log wealth {wealth:.4f}" in page.locator(".main-answer").last.inner_text()


@pytest.mark.parametrize(
    ("figure", "is_backed"), [("Figure 2: back and lay", False), ("Figure 3: back only", True)]
)
def test_stakes_are_those_of_the_surfaces(
    desk: Path, visit: Any, figure: str, is_backed: bool, reproduced: dict[str, dict[str, float]]
) -> None:
    page = visit(desk).page
    page.get_by_role("tab", name="Bet").click()
    page.get_by_label("Backing only").set_checked(is_backed)
    for where, stake in reproduced[figure].items():
        p, odds = re.findall(r"[\d.]+", where)
        page.get_by_role("textbox", name="Your probability").fill(p)
        page.get_by_role("textbox", name="Odds offered").fill(odds)
        assert number(page.locator("#stake").inner_text()) == pytest.approx(100 * stake, abs=0.005), where


def test_a_hundred_thousand_rows(desk: Path, visit: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    p, q = rng.random(100_000), rng.random(100_000)
    outcomes = (rng.random(100_000) < q).astype(int)
    path = tmp_path / "many.csv"
    rows = (f"{y},{a:.6f},{b:.6f}" for y, a, b in zip(outcomes, p, q, strict=True))
    path.write_text("happened,rival,model\n" + "\n".join(rows) + "\n", encoding="utf-8")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    wealth = ew.Wealth.from_probabilities(table[:, 0].astype(int), table[:, 2], against=table[:, 1])
    page = visit(desk).page
    page.get_by_role("tab", name="Race").click()
    page.locator("#race-file").set_input_files(path)
    expect(page.locator("#race-growth")).not_to_have_text("0.02817 nats", timeout=20_000)
    growth = page.locator("#race-growth").inner_text().removesuffix(" nats")
    assert number(growth) == pytest.approx(wealth.log_wealth / 100_000, abs=5e-6)
    assert "grows by" in page.locator(".main-answer").last.inner_text()


# -- what leaves the page ------------------------------------------------------------------------------------


def test_commands_and_sentences_are_copied(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text; }")
    page.get_by_role("button", name="Poster").click()
    page.get_by_role("button", name="Copy as command").click()
    assert (
        page.evaluate("window.copied")
        == "edgeworth table \"12 28; 18 42\" --rows predicted --labels='+,−' --bets"
    )
    page.get_by_role("button", name="Copy for a paper").click()
    sentence = page.evaluate("window.copied")
    assert sentence.startswith(
        "Informedness 0.000 (95% CI −0.194 to 0.206; Newcombe); two-sided p = 1 against guessing"
    )
    assert sentence.endswith(f"n = 100, 2 classes; Edgeworth {ew.__version__}.")
    page.get_by_role("button", name="Copy link").click()
    assert page.evaluate("window.copied") == page.url


def test_copied_commands_report_the_same(
    desk: Path, visit: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = visit(desk).page
    page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text; }")

    def run() -> str:
        page.locator("button:visible", has_text="Copy as command").click()
        words = shlex.split(page.evaluate("window.copied"))
        result = call(tmp_path, capsys, *words[1:])
        assert result.returncode == 0, result.stderr
        return flat(result.stdout)

    assert "informedness 0.15 (95% CI −0.02 to 0.34)" in run()
    page.get_by_role("button", name="10 digits").click()
    assert "informedness 0.79 (95% CI 0.76 to 0.82)" in run()
    page.get_by_role("tab", name="Ranking").click()
    assert "0.917" in run()
    page.get_by_role("button", name="3,000 items").click()
    assert "average precision of 0.084 on average" in run()
    page.get_by_role("tab", name="Bet").click()
    assert "Back the event with 20%" in run()
    page.get_by_role("textbox", name="Commission on winnings").fill("0.05")
    page.get_by_role("textbox", name="Your probability").fill("0.3")
    assert f"{100 * -float(ew.bet.kelly_game(0.3, 1.95, lay=1 + 1 / 0.95)):.2f}%" in run()
    page.get_by_role("button", name="a race").click()
    page.get_by_role("textbox", name="Commission on winnings").fill("0")
    assert "10.59" in run()
    page.get_by_role("tab", name="Race").click()
    with sample_file() as path:
        (tmp_path / "births.csv").write_bytes(path.read_bytes())
    # exp(5.323494): the seed's leave-one-out log wealth of the larger model against the smaller one.
    assert "likelihood ratio 205" in run()
    assert "205" in page.locator("body").inner_text()


def test_numbers_and_pictures_are_downloaded(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    page.get_by_label("Name of class 1").fill("=1+1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "informedness,0.15" in text
    assert "\n=1+1" not in text
    assert ",=1+1" not in text
    with page.expect_download() as download:
        page.get_by_role("button", name="Download SVG").click()
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("<svg")


def test_nothing_leaves_and_nothing_complains(desk: Path, visit: Any) -> None:
    seen = visit(desk)
    for tab in ("Ranking", "Bet", "Race", "Table"):
        seen.page.get_by_role("tab", name=tab).click()
    for button in ("10 digits", "12 classes", "Always noun"):
        seen.page.get_by_role("button", name=button).click()
        seen.page.wait_for_timeout(300)
    others = [url for url in seen.requests if not url.startswith((desk.as_uri(), "blob:"))]
    assert others == []
    assert seen.complaints == []


def test_the_policy_allows_this_script_alone(desk: Path) -> None:
    page = desk.read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    for text, directive in ((script, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in policy
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"\bon\w+=\"|\bstyle=\"|https?://(?!www\.w3\.org)", page)


def test_the_page_is_small() -> None:
    assert len(build().encode()) <= LARGEST


def test_every_module_is_on_the_page() -> None:
    folder = Path(ew.__file__).parent / "desk" / "js"
    assert sorted(path.stem for path in folder.glob("*.js")) == sorted((*LIBRARY, *INTERFACE))


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_class_names_stay_text(desk: Path, visit: Any, name: str) -> None:
    seen = visit(desk)
    # Half a character cannot be sent to the browser.
    typed = TEXTS[name].encode("utf-8", "replace").decode()[:80]
    before = seen.page.evaluate("document.querySelectorAll('script, img, iframe, b').length")
    seen.page.get_by_label("Name of class 1").fill(typed)
    shown = seen.page.locator(".labels tbody th").first.evaluate("cell => cell.textContent")
    assert shown == seen.page.get_by_label("Name of class 1").input_value()
    assert seen.page.evaluate("document.querySelectorAll('script, img, iframe, b').length") == before
    address = saved_address(seen.page)
    seen.page.goto("about:blank")
    seen.page.goto(address)
    assert seen.page.get_by_label("Name of class 1").input_value() == shown
    assert seen.complaints == []


# -- for everybody -------------------------------------------------------------------------------------------


def test_the_keyboard_is_enough(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the desk"
    page.get_by_role("tab", name="Table").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Ranking").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    cell(page, "+", "+").focus()
    page.keyboard.type("70")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("0")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("30")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("0")
    assert page.locator("#informedness").inner_text() == "1.000"
    page.get_by_role("button", name="What is Informedness?").focus()
    page.keyboard.press("Enter")
    assert "Powers 2003" in page.locator(".help-box").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".help-box").count() == 0
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "What is Informedness?"


def test_everything_that_can_be_used_has_a_name(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    for tab in ("Table", "Ranking", "Bet", "Race"):
        page.get_by_role("tab", name=tab).click()
        nameless = page.evaluate(
            """() => [...document.querySelectorAll(
                "button, input, select, textarea, a, svg[role=img], [role=region]")]
              .filter(each => each.offsetParent !== null || each.closest("svg"))
              .filter(each => !each.getAttribute("aria-label") && !each.labels?.length)
              .filter(each => !each.textContent.trim())
              .map(each => each.outerHTML.slice(0, 120))"""
        )
        assert nameless == []
    assert page.locator("[aria-live=polite]").count() >= 1
    assert page.locator("html").get_attribute("lang") == "en"


def test_each_number_is_explained(desk: Path, visit: Any) -> None:
    page = visit(desk).page
    page.get_by_role("button", name="What is Break-even margin?").click()
    box = page.locator(".help-box")
    assert "Σ recall(l) − 1" in box.inner_text()
    for measure in ("Recall", "Precision", "F", "G", "Jaccard", "MCC", "Kappa", "Fair odds", "Cases needed"):
        assert page.get_by_role("button", name=f"What is {measure}?", exact=True).count() >= 1, measure


@pytest.mark.parametrize("tab", ["Table", "Ranking", "Bet", "Race"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(desk: Path, visit: Any, tab: str, scheme: str) -> None:
    page = visit(desk, width=390, scheme=scheme).page
    page.get_by_role("tab", name=tab).click()
    if tab == "Table":
        page.get_by_role("button", name="12 classes").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def luminance(colour: list[float]) -> float:
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_schemes(desk: Path, visit: Any, scheme: str) -> None:
    page = visit(desk, scheme=scheme).page
    colours = page.evaluate(
        """() => [".meaning", ".soft", ".chance", ".huge", ".tiles dt", ".problem", ".foot p",
          ".chip[aria-pressed=true]"].map(name => {
          const element = document.querySelector(name);
          const read = value => value.match(/[\\d.]+/g).map(Number).slice(0, 3);
          let below = element;
          while (getComputedStyle(below).backgroundColor === "rgba(0, 0, 0, 0)") below = below.parentElement;
          return [name, read(getComputedStyle(element).color), read(getComputedStyle(below).backgroundColor)];
        })"""
    )
    for name, ink, paper in colours:
        light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name
    background = colours[0][2]
    assert (luminance(background) > 0.5) == (scheme == "light")


def test_paper_shows_answers_and_no_controls(desk: Path, visit: Any) -> None:
    page = visit(desk, scheme="dark").page
    page.emulate_media(media="print")
    for hidden in (".tabs", ".what-if", ".actions", ".examples .chips"):
        assert not page.locator(hidden).first.is_visible(), hidden
    for shown in ("#informedness", ".dollars table", ".labels table", ".mosaic"):
        assert page.locator(shown).is_visible(), shown
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_data_of_the_page_are_those_of_the_sample(desk: Path) -> None:
    (data,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', desk.read_text(encoding="utf-8"), re.S
    )
    assert json.loads(data)["version"] == ew.__version__


def test_too_many_cases_are_refused(desk: Path, visit: Any) -> None:
    """An exact test of 10¹⁵ cases would hold the page up for minutes."""
    page = visit(desk).page
    cell(page, "+", "+").fill("1e15")
    assert "up to 10,000,000,000 cases" in page.locator(".sheet [role=alert]").first.inner_text()
