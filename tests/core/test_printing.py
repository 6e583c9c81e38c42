"""What Python prints of results is as readable as a report."""

from __future__ import annotations

import edgeworth as ew


def test_estimates_tables_and_the_catalogue_print_to_be_read() -> None:
    table = ew.ContingencyTable.from_matrix([[581, 204], [119, 96]], rows="predicted", labels=["a", "b"])
    text = str(ew.estimate(table, "informedness"))
    assert text == "informedness 0.15 (95% CI 0.09 to 0.21, Newcombe); chance level 0, p < 1e-6"
    nothing = ew.ContingencyTable.from_matrix([[5, 5], [0, 0]], rows="actual")
    assert "undefined: " in str(ew.estimate(nothing, "informedness"))
    assert [line.split() for line in str(table).splitlines()[2:]] == [
        ["a", "581", "204", "785"],
        ["b", "119", "96", "215"],
        ["all", "700", "300", "1,000"],
    ]
    lines = repr(ew.catalogue()).splitlines()
    assert len(lines) == len(ew.catalogue()) + 4
    assert lines[0] == "decisions"
