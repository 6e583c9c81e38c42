"""Places on a path in time that no data have are refused when a tally is made and when it is read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.pipeline.tally_file import SECTIONS, _checksum, tally_of_text, tally_text
from edgeworth.pipeline.tally_record import canonical_text

TRUTH = np.arange(30) % 3 == 0


def path(**options: Any) -> Any:
    p = np.where(TRUTH, 0.6, 0.3)
    return ew.tally(truth=TRUTH, probabilities=p, against=np.full(30, 0.5), ordered=True, **options)


def forged(position: int, sums: float | None = None) -> str:
    """The tally of a path that is said to begin at a place."""
    payload = json.loads(tally_text(path(rows_before=10)))
    blocks = payload["tally"]["wealth"]["blocks"]
    for name in ("starts", "ends"):
        blocks[name] = [block - 10 + position for block in blocks[name]]
    if sums is not None:
        blocks["sums"][0][1] = sums
    payload["checksum"] = _checksum(canonical_text(payload[section]) for section in SECTIONS)
    return json.dumps(payload)


@pytest.mark.parametrize("position", [-5, 2**53 - 29, 2**62, 2**63 - 31, 2**63, 10**400])
def test_forged_places_are_refused(position: int) -> None:
    with pytest.raises(ew.EdgeworthError, match="cannot be read as a tally"):
        tally_of_text(forged(position))


def test_far_places_are_reported_and_merged() -> None:
    far = tally_of_text(forged(2**53 - 30))
    assert "verdict" in ew.evaluate(far).to_dict()
    merged = ew.TallyRecord.merge([path(), far], again=True)
    assert merged.final.cases == 60


def test_forged_moments_do_not_overflow() -> None:
    assert ew.evaluate(tally_of_text(forged(10, 1e308))).verdict


@pytest.mark.parametrize("rows", [-1, 2**52 + 1, 2**63, 10**30])
def test_rows_before_that_cannot_be(rows: int) -> None:
    with pytest.raises(ew.EdgeworthError, match="rows_before is a whole number from 0 to"):
        path(rows_before=rows)
