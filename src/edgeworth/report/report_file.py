"""Read the JSON of a report or of a gate's decision as typed records; a wrong field is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from edgeworth.common.json_types import JsonObject, JsonValue
from edgeworth.errors import InputError
from edgeworth.sources.json_values import convert, parse_json
from edgeworth.sources.paths import read_whole_file

LEVEL = 0.95
"""The level of intervals whose report has none."""

MAX_NUMBER = 1e100
"""Squares of larger numbers could be beyond the range of floats; no report has them."""

Level = Annotated[float, Meta(gt=0, lt=1)]
Number = Annotated[float, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
Positive = Annotated[float, Meta(gt=0)]
AtLeastZero = Annotated[float, Meta(ge=0)]


class Bounds(Struct):
    """The interval of one system in a comparison."""

    low: Number | None = None
    high: Number | None = None


class ComparisonRecord(Struct):
    """What a comparison holds about each system by itself."""

    headline: str = ""
    level: Level = LEVEL
    cases: float | None = None
    intervals: dict[str, Bounds] | None = None
    values: dict[str, dict[str, Number | None]] | None = None


class ExtremesRecord(Struct):
    """How far grades lie apart, and how far they may; None is unknown."""

    units: Positive | None = None
    unit: str | None = None
    reach: AtLeastZero | None = None
    below: Number | None = None
    above: Number | None = None


class PartRecord(Struct):
    """A report on one system."""

    provenance: dict[str, JsonValue] | None = None
    clusters: JsonValue = None
    extremes: ExtremesRecord | UnsetType | None = UNSET
    queries: JsonValue = None
    item_grades: dict[str, Number | None] | None = None
    estimates: dict[str, JsonValue] | None = None

    @property
    def is_clustered(self) -> bool:
        """Whether the intervals allow for clusters."""
        return bool(self.clusters or (self.provenance or {}).get("cluster"))


class ReportRecord(PartRecord, kw_only=True):
    """A report, or the decision of a gate."""

    schema: str
    kind: str | None = None
    outcome: str | None = None
    comparison: ComparisonRecord | None = None
    reports: dict[str, PartRecord] | None = None

    @property
    def parts(self) -> dict[str, PartRecord]:
        """The report on each system; the whole report has an empty name."""
        return {"": self, **(self.reports or {})}


SCHEMAS = ("edgeworth.report/", "edgeworth/gate/")


class ReportFile:
    """A JSON report: its typed parts, and everything that it holds."""

    def __init__(self, path: str | Path) -> None:
        tree = parse_json(read_whole_file(Path(path)), path)
        schema = tree.get("schema") if isinstance(tree, dict) else None
        if not isinstance(tree, dict) or not str(schema).startswith(SCHEMAS):
            raise InputError(f"{path} is not an Edgeworth report: write reports with --json FILE")
        self.path = path
        self.tree: JsonObject = tree
        self.record = convert(tree, ReportRecord, path)
