"""Paths in time that are merged: in the order given, unless it was said where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import MergeError
from edgeworth.pipeline.tally_file import tally_of_text, tally_text
from edgeworth.pipeline.tally_record import TallyRecord

CASES = 40


def day(seed: int, before: int | None = None, *, ordered: bool = True) -> TallyRecord:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.9, CASES)
    words: dict[str, Any] = {} if before is None else {"rows_before": before}
    return ew.tally(
        truth=(rng.random(CASES) < p).astype(int),
        probabilities=p,
        against=np.full(CASES, 0.5),
        ordered=ordered,
        **words,
    )


def steps(tallied: TallyRecord) -> dict[int, float]:
    """The log factor at each position."""
    blocks = tallied.tally.wealth.blocks
    return dict(zip(blocks.starts.tolist(), blocks.logs[:, 0].tolist(), strict=True))


def shifted(tallied: TallyRecord, cases: int) -> dict[int, float]:
    return {position + cases: step for position, step in steps(tallied).items()}


def travelled(tallied: TallyRecord) -> TallyRecord:
    return tally_of_text(tally_text(tallied))


@pytest.mark.parametrize("how", [lambda tallied: tallied, travelled], ids=["in memory", "by file"])
def test_one_without_a_place_follows_those_before_it(how: Any) -> None:
    first, second = how(day(1, 100)), how(day(2))
    merged = how(ew.TallyRecord.merge([first, second]))
    assert steps(merged) == steps(first) | shifted(second, 100 + CASES)
    # A third goes on behind both, and one that says so goes before them.
    third, start = how(day(3)), how(day(4, 0))
    whole = ew.TallyRecord.merge([merged, third, start])
    assert steps(whole) == steps(start) | steps(merged) | shifted(third, 100 + 2 * CASES)


def test_what_was_merged_without_places_moves_as_a_whole() -> None:
    first, second, third = (day(seed) for seed in (1, 2, 3))
    later = travelled(ew.TallyRecord.merge([second, third]))
    assert not later.has_start_row
    assert steps(first + later) == steps(ew.TallyRecord.merge([first, second, third]))


def test_a_place_that_was_said_is_kept_or_refused() -> None:
    first, start = day(1), travelled(day(2, 0))
    assert start.has_start_row
    assert steps(start + first) == steps(start) | shifted(first, CASES)
    with pytest.raises(MergeError, match="contain the case at position 0"):
        _ = first + start
    # Said of some shards only, it is no difference in what was asked.
    assert steps(first + day(3, CASES)) == steps(first) | shifted(day(3), CASES)


def test_gaps_are_said_until_they_are_filled() -> None:
    first, middle, last = day(1, 0), day(2, CASES), day(3, 2 * CASES)
    text = f"Rows are missing on the path in time: positions {CASES + 1} to {2 * CASES}."
    holed = travelled(first + last)
    assert holed.notices == (text,)
    assert text in ew.evaluate(holed).warnings
    whole = holed + middle
    assert whole.notices == ()
    assert steps(whole) == steps(ew.TallyRecord.merge([first, middle, last]))
    assert ew.TallyRecord.merge([first, middle]).notices == ()
    assert (day(1, 5) + day(2, 5 + CASES)).notices == (), "what comes before a part of a path is elsewhere"


def test_many_gaps_are_told_in_short() -> None:
    days = [day(seed, seed * (CASES + 1)) for seed in range(6)]
    (notice,) = ew.TallyRecord.merge(days).notices
    assert notice.endswith("positions 41, 82, 123 and 2 more such gaps.")
    (notice,) = ew.TallyRecord.merge(days[:2]).notices
    assert notice.endswith("position 41.")


def written(path: Path, rows: str) -> Path:
    path.write_text(f"y,p\n{rows}", encoding="utf-8")
    return path


def test_each_file_of_several_counts_once(tmp_path: Path) -> None:
    one, two, three = (
        written(tmp_path / f"f{index}.csv", f"{index % 2},1\n0,0\n1,1\n" * (index + 1)) for index in range(3)
    )
    words: dict[str, Any] = {"truth": "y", "prediction": "p"}
    both, single, other = (travelled(ew.tally(data, **words)) for data in ([one, two], one, three))
    assert both.origin.number == 1
    assert both.origin.fingerprints[0].split("+")[0] == single.origin.fingerprints[0]
    for given in ([both, single], [single, both], [both + other, single]):
        with pytest.raises(MergeError, match=r"hold the same source \(.*f0\.csv\)") as caught:
            ew.TallyRecord.merge(given)
        assert "f1.csv" not in str(caught.value).split("hold the same source")[1]
    assert ew.TallyRecord.merge([both, single], again=True).origin.rows == 12
    assert ew.TallyRecord.merge([both, other]).origin.rows == 18
    # A list of the same files in another order is the same rows.
    with pytest.raises(MergeError, match="hold the same source"):
        ew.TallyRecord.merge([both, ew.tally([two, one], **words)])
    assert ew.tally(one, **words).origin.parts == single.origin.parts
