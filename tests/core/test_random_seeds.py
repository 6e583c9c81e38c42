"""``rng`` is a seed, a numpy Generator or None, at every public door (SPEC 7)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
import edgeworth.sklearn
from edgeworth.core.random_seeds import make_seed
from edgeworth.errors import OptionError

TRUTH = ["a", "b", "c"] * 20
PREDICTION = ["a", "b", "c", "a", "c", "c"] * 10


def table() -> ew.ContingencyTable:
    return ew.ContingencyTable.from_labels(TRUTH, PREDICTION)


def test_an_integer_is_the_seed_itself() -> None:
    assert make_seed(7) == 7
    number = make_seed(np.int64(7))  # type: ignore[arg-type]  # accepted, as numpy does
    assert (number, type(number)) == (7, int)


def test_a_generator_draws_a_new_seed_each_time() -> None:
    generator, other = np.random.default_rng(3), np.random.default_rng(3)
    seeds = [make_seed(generator) for _ in range(5)]
    assert len(set(seeds)) == 5
    assert seeds == [make_seed(other) for _ in range(5)]


def test_none_draws_fresh_seeds_that_javascript_can_read() -> None:
    seeds = {make_seed(None) for _ in range(20)}
    assert len(seeds) == 20
    assert all(0 <= seed < 2**53 for seed in seeds)


@pytest.mark.parametrize("wrong", [-1, 1.5, "7", True, [1], np.random.RandomState(1), np.array([2.0])])
def test_anything_else_is_refused_in_a_sentence(wrong: Any) -> None:
    with pytest.raises(OptionError, match=r"a seed (is a|\(a) whole number"):
        make_seed(wrong)


def report_draws(rng: Any) -> ew.Report:
    return ew.evaluate(truth=TRUTH, prediction=PREDICTION, rng=rng)


def comparison_draws(rng: Any) -> ew.Comparison:
    return ew.compare(truth=TRUTH, systems={"one": PREDICTION, "two": TRUTH[1:] + TRUTH[:1]}, rng=rng)


@pytest.mark.parametrize("make", [report_draws, comparison_draws])
def test_the_json_records_the_seed_that_repeats_the_result(make: Callable[[Any], Any]) -> None:
    for rng in (np.random.default_rng(5), None):
        made = make(rng).to_dict()
        seed = made["provenance"]["seed"]
        assert isinstance(seed, int)
        assert make(seed).to_dict() == made


def test_methods_keep_the_seed_they_were_given() -> None:
    method = ew.methods.Bootstrap(draws=200, rng=np.random.default_rng(4))
    assert method == ew.methods.Bootstrap(draws=200, rng=method.rng)
    first, again = (ew.estimate(table(), "kappa", method=method).interval() for _ in range(2))
    assert first == again
    assert repr(ew.methods.Bootstrap(draws=200, rng=7)) == "Bootstrap(draws=200, rng=7)"
    assert ew.bet.Drunken(rng=None) != ew.bet.Drunken(rng=None)


def public_callables() -> Iterator[tuple[str, Any]]:
    """Every public function and class, and the public methods of the classes."""
    for name in dir(ew):
        value = getattr(ew, name)
        names = getattr(value, "__all__", []) if inspect.ismodule(value) else []
        members = {f"{name}.{x}": getattr(value, x) for x in names} if names else {name: value}
        for spelling, member in members.items():
            yield spelling, member
            if inspect.isclass(member):
                result = inspect.getmembers(member, inspect.isfunction)
                yield from ((f"{spelling}.{x}", method) for x, method in result if not x.startswith("_"))
    yield from ((x, getattr(edgeworth.sklearn, x)) for x in edgeworth.sklearn.__all__)


def test_no_public_signature_says_seed() -> None:
    signatures = {}
    for name, value in public_callables():
        if callable(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
            signatures[name] = set(inspect.signature(value).parameters)
    assert not [name for name, parameters in signatures.items() if {"seed", "random_state"} & parameters]
    with_rng = {name for name, parameters in signatures.items() if "rng" in parameters}
    assert {"evaluate", "compare", "estimate", "match", "methods.Bootstrap", "bet.Drunken"} <= with_rng
