"""The words of an evaluation are written in several places, and these tests hold them together."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

import edgeworth as ew
from edgeworth.cli.evaluate import evaluate as evaluate_command
from edgeworth.cli.options import Columns, Question
from edgeworth.cli.tally import report as report_command
from edgeworth.cli.tally import tally as tally_command
from edgeworth.evaluation import Asked
from edgeworth.tallying import CountingTerms

# With what each word is left out: what a word means there is what it means everywhere.
Words = dict[str, Any]

ENGINE: Words = {"data": None, "engine": None, "master": None}


def taken(function: Callable[..., Any]) -> Words:
    return {name: each.default for name, each in inspect.signature(function).parameters.items()}


def typed(function: Callable[..., Any]) -> dict[str, str]:
    return {name: str(each.annotation) for name, each in inspect.signature(function).parameters.items()}


def held(kind: Any) -> Words:
    assert all(field.default is not MISSING for field in fields(kind))
    return {field.name: field.default for field in fields(kind)}


def test_evaluate_takes_what_is_counted_and_what_is_asked() -> None:
    assert taken(ew.evaluate) == held(CountingTerms) | held(Asked) | ENGINE | {"with_digest": True}


def test_tally_takes_what_is_counted() -> None:
    assert taken(ew.tally) == held(CountingTerms) | ENGINE | {"rows_before": None}


def test_a_report_on_a_tally_takes_what_is_asked() -> None:
    again = {"labels": None, "positive": None, "measures": None, "adjust": None}
    assert taken(ew.evaluate_tally) == held(Asked) | again | {"tally": inspect.Parameter.empty}


def test_words_have_one_type() -> None:
    said = {field.name: str(field.type) for kind in (CountingTerms, Asked) for field in fields(kind)}
    for function in (ew.evaluate, ew.tally, ew.evaluate_tally):
        found = typed(function)
        assert {name: found[name] for name in said if name in found} == {
            name: kind for name, kind in said.items() if name in found
        }


def test_commands_have_the_same_words() -> None:
    # One column of probabilities, and the ends of drawn prices, are words of the command alone.
    alone = {"probability": None, "drunk_interval": None}
    columns = {**held(Columns), "prediction": None}
    assert columns == held(CountingTerms) | alone
    assert held(Question) == held(Asked)
    shared = {"files", "prediction", "columns", "engine", "master", "output"}
    assert set(taken(evaluate_command)) == shared | {"question"}
    assert set(taken(tally_command)) == shared | {"rows_before"}
    assert set(taken(report_command)) == {
        *("files", "question", "output"),
        *("labels", "positive", "measure", "adjust", "again"),
    }
