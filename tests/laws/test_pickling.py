"""Tallies come back from other processes and machines as they went."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.test_merge import KINDS, Kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@given(data=st.data())
def test_pickled_and_back(kind: Kind, data: st.DataObject) -> None:
    rows: Any = data.draw(kind.rows)
    tally = kind.count(rows)
    again = pickle.loads(pickle.dumps(tally))
    assert again == tally
    assert again + type(tally).empty() == tally
