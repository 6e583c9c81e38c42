"""One spelling: whatever is printed parses back, and what does not parse is a sentence, not a traceback."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.core.measures import Spelling, quote_label
from edgeworth.errors import OptionError

names = st.from_regex(r"[a-z_][a-z0-9_]*", fullmatch=True)
words = st.from_regex(r"[a-z_]+", fullmatch=True).filter(lambda word: word not in ("nan", "inf", "infinity"))
numbers = st.floats(allow_nan=False) | st.integers(-(10**6), 10**6).map(float)
# Surrogates are text to Python, though no file can hold them.
labels = st.text(st.characters(codec=None), max_size=12)


@given(
    names,
    st.none() | labels,
    st.none() | st.integers(0, 10**9),
    st.dictionaries(words, numbers | words, max_size=3),
)
@example("recall", "", None, {})
@example("recall", " ", None, {})
@example("recall", "a b", 10, {"ties": "expected"})
@example("recall", "a  b", None, {})
@example("recall", "]", None, {})
@example("recall", "[x](y=1)@3", None, {})
@example("recall", '"', None, {})
@example("recall", '"quoted"', None, {})
@example("recall", "back\\slash", None, {})
@example("recall", "\\", None, {})
@example("recall", "line\nbreak\r\n\ttab", None, {})
@example("recall", "\x00\x1c\x85\u2028\ufeff", None, {})
@example("recall", "\ud800", None, {})
@example("recall", "naïve 🐕", None, {})
@example("f", None, None, {"alpha": 1e-300, "beta": 1e22, "gamma": -0.1, "delta": math.inf})
def test_prints_as_it_parses(
    name: str, label: str | None, depth: int | None, options: dict[str, float | str]
) -> None:
    spelling = Spelling(name, label, depth, options)
    assert Spelling.parse(str(spelling)) == spelling
    assert str(Spelling.parse(str(spelling))) == str(spelling)


@given(labels)
def test_a_quoted_label_finds_its_label(label: str) -> None:
    table = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=[label, label + "!"])
    assert ew.measure(table, f"recall[{quote_label(label)}]") == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("  recall[spam]  ", "recall[spam]"),
        ("RECALL[Spam]", "recall[Spam]"),
        ("recall[ spam ]", "recall[spam]"),
        ('recall["spam"]', "recall[spam]"),
        ("f( alpha = 0.30 )", "f(alpha=0.3)"),
        ("f(alpha=1.0)", "f(alpha=1)"),
        ("unit_return(overround=.05, commission=.02)", "unit_return(commission=0.02, overround=0.05)"),
        ("precision@100", "precision@100"),
        ("average_precision@10(ties=expected)", "average_precision@10(ties=expected)"),
        ('recall["a[b]"]', 'recall["a[b]"]'),
    ],
)
def test_one_way_of_writing_it(written: str, printed: str) -> None:
    assert str(Spelling.parse(written)) == printed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "recall[",
        "recall]",
        "recall[a]b",
        "recall[[a]]",
        "recall[a](",
        "recall@",
        "recall@-1",
        "recall@1.5",
        "2recall",
        "re call",
        "f(alpha)",
        "f(=1)",
        "f(alpha=)",
        "f(alpha=0.1, alpha=0.2)",
        "f(alpha=(1))",
        'recall["a]',
    ],
)
def test_what_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(OptionError):
        Spelling.parse(text)


@pytest.mark.parametrize("label", ['"a\\q"', '"\\u12"', '"tab\there"', '"line\nbreak"'])
def test_a_badly_quoted_label_is_refused_in_our_own_words(label: str) -> None:
    """Quotes are read as JSON, whose own errors must not come through."""
    with pytest.raises(OptionError, match="recall"):
        Spelling.parse(f"recall[{label}]")


@pytest.mark.parametrize("text", ["ndcg@", "pass^", "precision[a]@"])
def test_a_depth_that_no_array_can_hold_is_refused(text: str) -> None:
    assert Spelling.parse(text + "9" * 18).depth == 10**18 - 1
    for digits in (19, 5000):
        with pytest.raises(OptionError, match="at most 18 digits"):
            Spelling.parse(text + "9" * digits)
