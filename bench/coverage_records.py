"""One record per setting and method: what the tables and the documentation's charts are made of."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Record:
    """How often an interval covered, or a test rejected, with its standard error, width and cost."""

    setting: str
    method: str
    n: int
    share: float | None = None
    clusters: int | None = None
    coverage: float | None = None
    rejected: float | None = None
    se: float | None = None
    width: float | None = None
    seconds: float | None = None
    samples: int | None = None
    caveats: float | None = None
    """The share of samples in which the line carries a caveat, or in which nothing is claimed."""
    covers_or_caveat: float | None = None
    """The share of samples whose interval covers or carries a caveat."""

    def to_dict(self) -> dict[str, str | float | None]:
        """Return plain values with four significant digits; what does not apply is None."""
        rounded = {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in asdict(self).items()}
        return {**rounded, "seconds": None if self.seconds is None else float(f"{self.seconds:.1g}")}


def rate(count: int, samples: int) -> tuple[float, float]:
    """Return a share and its standard error."""
    share = count / samples
    return share, math.sqrt(share * (1 - share) / samples)


def print_records(records: Iterable[Record]) -> list[Record]:
    """Print a Markdown table row by row, shares in per cent, and return the records."""
    heads = ["setting", "method", "n", "share", "clusters"]
    heads += ["covers %", "rejects %", "±", "caveats %", "or caveat %", "width"]
    print(f"| {' | '.join(heads)} |\n|---|---{'|--:' * (len(heads) - 2)}|", flush=True)
    printed = []
    for record in records:
        printed.append(record)
        percents = (record.coverage, record.rejected, record.se, record.caveats, record.covers_or_caveat)
        cells = [record.setting, record.method, record.n, _plain(record.share), _plain(record.clusters)]
        cells += ["" if x is None else f"{100 * x:.1f}" for x in percents]
        print(f"| {' | '.join(map(str, [*cells, _plain(record.width)]))} |", flush=True)
    print()
    return printed


def run_grids(grids: Mapping[str, Callable[[int], Iterable[Record]]], description: str | None) -> None:
    """Print the tables of the grids whose names hold the text of --only."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("samples", type=int, nargs="?", default=500)
    parser.add_argument("--only", default="", help="grids whose name holds this text")
    options = parser.parse_args()
    for name, grid in grids.items():
        if options.only in name:
            print_records(grid(options.samples))


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
