"""How often some of several equal systems are called different: adjusted tests beside unadjusted t tests.

python bench/several_systems.py 300
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from coverage_records import Record, print_records, rate
from numpy.typing import NDArray
from scipy.stats import ttest_rel

import edgeworth as ew
from edgeworth.common.choices import Adjust

ITEMS = 50
LEVEL = 0.05
ADJUSTMENTS: dict[str, Adjust] = {"Edgeworth, Holm": "holm", "Edgeworth, --adjust tukey": "tukey"}
UNADJUSTED = "t tests, unadjusted"


def several_systems(samples: int) -> Iterator[Record]:
    """Yield how often some pair of equal systems is called different: by Holm, by Tukey, unadjusted."""
    for number in (3, 5, 10):
        rng = np.random.default_rng([70, number])
        counts = dict.fromkeys((*ADJUSTMENTS, UNADJUSTED), 0)
        for _ in range(samples):
            values = _draw(rng, number)
            names = [f"s{index}" for index in range(number)]
            systems = dict(zip(names, values.T, strict=True))
            for method, adjust in ADJUSTMENTS.items():
                comparison = ew.compare(
                    truth=None, systems=systems, kind="grades", grade_range=(0, 1), adjust=adjust
                )
                counts[method] += len(set(comparison.letters.values())) > 1
            pairs = [(one, other) for one in range(number) for other in range(one)]
            p_values = [ttest_rel(values[:, one], values[:, other]).pvalue for one, other in pairs]
            counts[UNADJUSTED] += int(min(p_values) < LEVEL)
        for method, count in counts.items():
            rejected, error = rate(count, samples)
            setting = f"{number} equal systems, {ITEMS} items"
            yield Record(setting, method, ITEMS, rejected=rejected, se=error, samples=samples)


def _draw(rng: np.random.Generator, number: int) -> NDArray[np.float64]:
    """Draw values of equal systems: items differ in difficulty, and each system has an effect of its own."""
    difficulty = rng.beta(2, 2, ITEMS)[:, None]
    return rng.beta(4 * difficulty + 0.2, 4 * (1 - difficulty) + 0.2, (ITEMS, number))


GRIDS = {"several-systems": several_systems}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("samples", type=int, nargs="?", default=300)
    print_records(several_systems(parser.parse_args().samples))


if __name__ == "__main__":
    main()
