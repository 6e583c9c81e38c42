"""One entry point to every measured coverage, size and power.

    script/coverage --list                             # the grids, by the file that they write
    script/coverage                                    # all grids, 500 samples each
    script/coverage roc-area slices-gaps -n 2000       # some of them
    script/coverage slices-gaps -n 2000 --write        # and replace their records in docs/methods/data
    script/coverage roc-area --json coverage.json      # or write them elsewhere
    script/coverage coverage -n 200                    # a program with a table of its own

Every grid is seeded, so that only the seconds differ between runs. A record of the JSON files has the keys
grid, setting, method, n, share, clusters, coverage (of a 95% interval), rejected (of a 5% test, or how often
a winner or a slice is named), se (the standard error of rejected, or else of coverage), width (the mean),
seconds (per sample), samples, and caveats (the share of samples whose line carries a caveat or claims
nothing).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import clusters
import forecast_rows
import intervals
import several_systems
import slices
import unit_intervals
import winners
from coverage_records import Record, print_records

import calibration

QUOTES = '"' * 3
DATA = Path(__file__).parents[1] / "docs" / "methods" / "data"
Grids = Mapping[str, Callable[[int], Iterator[Record]]]
FILES: dict[str, Grids] = {
    "intervals": {**intervals.GRIDS, **unit_intervals.GRIDS},
    "slices": slices.GRIDS,
    "winners": winners.GRIDS,
    "several-systems": several_systems.GRIDS,
    "clusters": clusters.GRIDS,
    "calibration": calibration.GRIDS,
    "forecast-rows": forecast_rows.GRIDS,
}
"""The grids whose records a file of the documentation holds."""
GRIDS = {name: grid for grids in FILES.values() for name, grid in grids.items()}
PROGRAMS = {"coverage": Path(__file__).with_name("coverage.py")}
"""Files with settings and tables of their own; ``coverage`` is the grid of average precision and ROC area."""
Values = Mapping[str, str | float | None]


def main() -> None:
    """Run the named grids, print their tables and write their records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("grids", nargs="*", metavar="GRID", help="default: all that write records")
    parser.add_argument("-n", "--samples", type=int, default=500)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help="replace the records in docs/methods/data")
    parser.add_argument("--list", action="store_true", help="list the grids and stop")
    options = parser.parse_args()
    unknown = [name for name in options.grids if name not in GRIDS | PROGRAMS]
    if unknown:
        parser.error(f"there is no grid {unknown[0]!r}; there are {', '.join(GRIDS | PROGRAMS)}")
    if options.list:
        _print_list()
        return
    records: list[Values] = []
    for name in options.grids or GRIDS:
        if name in PROGRAMS:
            subprocess.run([sys.executable, PROGRAMS[name], str(options.samples)], check=True)
            continue
        print(f"## {name}\n")
        rows = [{"grid": name, **row.to_dict()} for row in print_records(GRIDS[name](options.samples))]
        records += rows
        if options.write:
            replace_records(name, rows)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        write_records(options.json, records)


def _print_list() -> None:
    for file, grids in FILES.items():
        for name, grid in grids.items():
            what = (grid.__doc__ or "").removeprefix("Yield ").strip()
            print(f"{file:<12} {name:<24} {what}")
    for name, path in PROGRAMS.items():
        first = path.read_text(encoding="utf-8").splitlines()[0]
        print(f"{'':<12} {name:<24} {first.removeprefix(QUOTES)}")


def replace_records(grid: str, records: Iterable[Values]) -> None:
    """Replace the records of a grid in its file, in the order of the grids."""
    file = next(name for name, grids in FILES.items() if grid in grids)
    path = DATA / f"{file}.json"
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    order = list(FILES[file])
    kept = [record for record in old if record["grid"] in order and record["grid"] != grid]
    write_records(path, sorted([*kept, *records], key=lambda record: order.index(str(record["grid"]))))


def write_records(path: Path, records: Iterable[Values]) -> None:
    """Write one record per line."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
