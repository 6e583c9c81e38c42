"""Stakes in many races, and a hundred drunken bookmakers: seconds and memory."""

from __future__ import annotations

import numpy as np
from timing import limit_line, peak_bytes, seconds

from edgeworth import bet
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.tally import ForecastTally, Opponent


def races() -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(5), 10**6)
    odds = 1 / (rng.dirichlet(np.full(5, 4.0), 10**6) * 1.1 + 1e-3)
    odds = np.maximum(odds, 1.01)
    book = (1 / odds).sum(axis=1)
    print(f"10⁶ races of 5 outcomes, implied prices {book.min():.3f} to {book.max():.3f}")

    def backing() -> None:
        bet.kelly(probabilities, odds)

    limit_line("  backing only", seconds(backing, repeat=3), 2, f"  {peak_bytes(backing) / 1e6:7.0f} MB")
    lay = odds * 1.2

    def exchange() -> None:
        bet.kelly(probabilities, odds, lay=lay)

    limit_line("  back and lay at two prices", seconds(exchange, repeat=1), 10)
    some = slice(0, 10**4)

    def capped() -> None:
        bet.kelly(probabilities[some], odds[some], lay=odds[some], unbalanced="cap")

    limit_line("  10⁴ of them back and lay at one price, capped", seconds(capped, repeat=1), 10)


def drunken() -> None:
    rng = np.random.default_rng(1)
    probabilities = rng.uniform(0.05, 0.95, 10**4)
    forecasts = Forecasts.of((rng.random(10**4) < probabilities).astype(int), probabilities)
    for low, high in ((0.0, 1.0), (0.15, 0.85)):
        opponent = Opponent(bookmaker=bet.Drunken(low, high, rng=7, bookmakers=100))

        def play(opponent: Opponent = opponent) -> None:
            ForecastTally.of(forecasts, opponent)

        limit_line(
            f"100 drunken bookmakers on ({low:g}, {high:g}), 10⁴ cases",
            seconds(play, repeat=3),
            2,
            f"  {peak_bytes(play) / 1e6:7.0f} MB",
        )


def rounds() -> None:
    rng = np.random.default_rng(2)
    for games in (4, 8, 12, 16):
        both = [(p, 1.15 / p) for p in rng.uniform(0.2, 0.8, games)]
        taken = seconds(lambda games=both: bet.kelly_together(games), repeat=1)
        limit_line(f"{games} games at once, {2**games:,} joint outcomes", taken, 10)


if __name__ == "__main__":
    races()
    drunken()
    rounds()
