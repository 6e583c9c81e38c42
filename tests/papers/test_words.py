"""The papers' words are found by ``edgeworth measures WORDS``."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

import edgeworth as ew
from command_line import call, flat
from edgeworth.cli import measure_search
from edgeworth.cli.measure_search import find_elsewhere
from edgeworth.sample import SAMPLE_FILES

WORDS = {
    "survival": "ew.methods.Survival()",
    "Kaplan–Meier": "ew.methods.Survival()",
    "Breiman–Ripley": "ew.Wealth",
    "wealth process": "ew.Wealth",
    "drunken bookmaker": "--bookmaker drunken",
    "unit stake": "unit_return",
    "arbitrage": "ew.bet.arbitrage",
    "Dutch book": "ew.bet.arbitrage",
    "LAGO": "edgeworth.sklearn.Lago",
    "hit function": "hits",
    "superstitious": "superstitious_labels",
    "MAP error": "error_rate",
    "martingale": "ew.Wealth.martingale",
    "Kelly": "edgeworth kelly",
    "prequential": "--ordered",
    "perplexity": "conditional_entropy",
    "AvPrecision": "accuracy",
    "IRecall": "inverse_recall[label]",
    "house percentage": "break_even_margin",
    "drunk-interval": "--drunk-interval",
    "Kalia": "edgeworth reproduce",
    "Newcombe": "ew.methods.Newcombe",
    "calibration curve": "--chart reliability",
}


AUTHORS = {
    "zero sum": "ew.bet.fair_odds",
    "informed decision": "edgeworth mixture",
    "random guess": "edgeworth mixture",
    "informed incorrect decision": "superstitious_labels",
    "sufficient test data": "every report on labels",
    "tagger": "--cluster person",
    "electroencephalogram": "--cluster person",
    "vision": "--cluster person",
    "horse race": "--prediction tip --odds",
    "perfect play": "edgeworth mixture",
    "unsupervised learning": "--match many",
    "AutoClass": "--match many",
    "stay out of the market": "--abstain",
    "broker": "break_even_commission",
    "extremely unbalanced": "--score",
    "hypergeometric": "edgeworth chance",
    "sampling distribution": "edgeworth chance",
    "support vector machines": "Lago",
    "H_ij": "Survival()",
    "outperform random selection": "edgeworth chance",
    "Wilcoxon": "edgeworth compare",
    "area under the recall-precision curve": "--chart precision_recall",
    "joint distribution of T_i and T_j": "joint_hit_ranks",
    "odds space": "--drunk-interval 1.3,4",
    "many drunken bookmakers": "--bookmakers 50",
    "randomly ordered test cases": "--orders 400",
    "natural scale": "--orders 400",
    "expected time to reach a level of wealth": "--goal 100",
    "nested models": "--against q",
    "back and lay": "edgeworth kelly",
    "fractional investment surface": "edgeworth kelly",
    "exact distribution of wealth": "ew.forecasts.wealth_law",
    "ordered classes": "--ordinal",
    "covariate space": "--by COLUMN",
    "implied distributions": "--odds",
    "Markov process": "ew.Wealth",
}
"""Words that the authors use of their ideas, and where each leads."""


@pytest.mark.parametrize(
    ("words", "result"),
    {
        "permute classes": "ew.match",
        "permuted class": "ew.match",
        "multiple positions": "--odds oa,ob,oc",
        "position multiple": "--odds oa,ob,oc",
        "general approach": "hit_survival",
        "bookmakers drunken": "--bookmaker drunken",
        "training targets": "balanced",
    }.items(),
)
def test_words_are_found_in_other_forms_and_orders(words: str, result: str) -> None:
    assert any(result in where for _, _, where in find_elsewhere(words))


def test_words_that_are_nowhere_find_nothing() -> None:
    assert find_elsewhere("zebra crossing") == []
    assert find_elsewhere("…") == []


def test_answers_name_only_what_an_installation_has() -> None:
    """Documentation and examples are in the repository, not in what pip installs."""
    places = list(measure_search._places())
    assert len(places) > 100
    for name, what, where in places:
        assert not re.search(r"docs/|examples/|script/|bench/|\.md\b", f"{what} {where}"), name
    for file in re.findall(r"\w+\.csv", " ".join(where for _, _, where in places)):
        assert file in SAMPLE_FILES
    for measure in ew.catalogue():
        assert "docs/" not in f"{measure.source} {measure.formula}"


@pytest.mark.parametrize(("words", "result"), AUTHORS.items(), ids=AUTHORS.keys())
def test_the_authors_words_lead_somewhere(words: str, result: str) -> None:
    places = find_elsewhere(words)
    assert any(result in where for _, _, where in places)
    # What is shown of a line of many words is its first and those that were meant.
    assert all(len(name.split(", ")) <= 4 for name, _, _ in places)


@pytest.mark.slow
@pytest.mark.parametrize(("words", "result"), WORDS.items(), ids=WORDS.keys())
def test_the_papers_words(
    words: str, result: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(tmp_path, capsys, "measures", *words.split())
    assert done.returncode == 0
    assert result in flat(done.stdout)


def test_the_charts_of_the_list_are_those_of_reports() -> None:
    truth, chances = [0, 1] * 20, [0.3, 0.7, 0.4, 0.6, 0.55] * 8
    reports = (
        ew.evaluate(truth=truth, prediction=[int(p > 0.5) for p in chances], bets=True),
        ew.evaluate(truth=truth, score=chances, gain=1.0, cost=0.1),
        ew.evaluate(truth=truth, probabilities=chances, against=[0.5] * 40, orders=3),
        ew.evaluate(truth=truth, probabilities=chances, bookmaker=ew.bet.Drunken(bookmakers=2)),
    )
    words = files("edgeworth.papers").joinpath("words.toml").read_text(encoding="utf-8")
    listed = set(re.findall(r"--chart (\w+) FILE", words))
    assert listed == {name for report in reports for name in report.charts} - {"sequence"}


def test_whole_words_come_first() -> None:
    assert [measure.name for measure in ew.catalogue(words="fpr")] == ["fallout"]
    recalls = [measure.name for measure in ew.catalogue(words="recall")]
    assert recalls[0] == "recall"
    assert {"recall", "inverse_recall"} <= set(recalls)
    assert "average_precision" in {measure.name for measure in ew.catalogue(words="preci")}


def test_without_words_there_are_only_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = call(tmp_path, capsys, "measures").stdout
    assert "ew.methods" not in shown
    assert shown.startswith("informedness")
