"""Tally files of format 1 are read as ever, and come out byte for byte when they are written again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgeworth.core.kinds import every_kind
from edgeworth.pipeline.tally_file import tally_of_text, tally_text
from edgeworth.pipeline.tally_record import canonical_text

FILES = sorted((Path(__file__).parent / "format1").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_format_1_is_read_and_written_again(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    again = tally_text(tally_of_text(text))
    head, *sections, provenance, end = text.split("\n")
    head_again, *sections_again, provenance_again, end_again = again.split("\n")
    assert sections_again == sections
    assert end_again == end == ""
    # Only the versions of who wrote it may be others, and so the checksum.
    versions = {name: json.loads(text)["provenance"][name] for name in ("edgeworth", "versions")}
    computed = json.loads(again)["provenance"] | versions
    assert f'"provenance":{canonical_text(computed)}}}' == provenance
    assert provenance_again.startswith('"provenance":{"digest":')
    assert head_again.split('"checksum"')[0] == head.split('"checksum"')[0]


def test_there_is_a_file_of_every_kind() -> None:
    assert {json.loads(file.read_text(encoding="utf-8"))["tally"]["kind"] for file in FILES} == {
        name for kind in every_kind() for name in (kind.name, *kind.other_names)
    }
