"""How to read the measures of probabilities that people use most, and when not to use them."""

from __future__ import annotations

from edgeworth.core.measures import Guidance

LOG = Guidance(
    reads_as="A log score of 0.69 for two classes is that of always forecasting 50%. Lower is better; 0 "
    "is certain and right every time.",
    latex=r"-\frac{1}{n} \sum_i \ln p_i(y_i)",
    use_when="Forecasts feed decisions, and a confident error is bad. Differences of log scores are what "
    "bets at the other's prices earn per case.",
    avoid_when=(
        "**A probability of 0 came true.** The score is infinite. Pass `--clip`, and say so, or use the "
        "[Brier score](brier.md).",
        "**Readers need a bounded number.** Report [log skill](log-skill.md) beside it.",
    ),
)
BRIER = Guidance(
    reads_as="A Brier score of 0.11 for two classes is the mean squared distance between forecast and "
    "outcome. Always forecasting 50% has 0.25.",
    latex=r"\frac{1}{n} \sum_i (p_i - y_i)^2",
    use_when="Forecasts feed decisions, and you want a score that no single case can ruin.",
    avoid_when=(
        "**The class is rare.** Always forecasting a rare event's share has a tiny Brier score. Report "
        "[Brier skill](brier-skill.md).",
        "**Small probabilities must be told apart.** 0.001 and 0.01 score almost the same. Use the [log "
        "score](log.md).",
    ),
)
BRIER_SKILL = Guidance(
    reads_as="A Brier skill of 0.57 means: 57% of the score of always forecasting the class shares is "
    "gone. Below 0 the forecasts are worse than the shares.",
    latex=r"1 - \frac{\text{Brier}}{\text{Brier of the class shares}}",
    use_when="You report one number for forecasts, and readers need to see what is better than nothing.",
    avoid_when=(
        "**Few cases.** The class shares come from the same cases, which makes the comparison slightly "
        "too hard.",
        "**A stronger baseline exists**, such as a market. Use `--against`.",
    ),
)
MISCALIBRATION = Guidance(
    reads_as="A miscalibration of 0.02 is the part of the score that recalibrating the forecasts would "
    "remove.",
    use_when="You want to know whether forecasts of 30% come true in 30% of the cases. It needs no bins.",
    avoid_when=(
        "**You judge it without its test.** Even perfect forecasts have a miscalibration above 0 in a "
        "sample. The report tests it.",
        "**You want to know how useful forecasts are.** Always forecasting the class share is perfectly "
        "calibrated. Look at [discrimination](discrimination.md) too.",
    ),
)
WEALTH = Guidance(
    reads_as="A wealth of 20 means: somebody who started with 1 and bet by these forecasts, at fair "
    "prices of the other forecasts, has 20. If the other forecasts were right, this happens with "
    "probability 1/20 at most.",
    latex=r"\prod_i \frac{p_i(y_i)}{q_i(y_i)}",
    use_when="You bet, or you want evidence that stays valid while cases arrive.",
    avoid_when=(
        "**Forecasts were made after the outcomes.** Wealth is then no evidence.",
        "**Many cases.** The number has no scale; report [growth](growth.md) per case.",
    ),
)
GROWTH = Guidance(
    reads_as="A growth of 0.02 means: wealth grows by about 2% per case if bets follow these forecasts.",
    latex=r"\frac{1}{n} \sum_i \ln \frac{p_i(y_i)}{q_i(y_i)}",
    use_when="You compare bettors over different numbers of cases.",
    avoid_when=(
        "**There are no bets.** It is the difference of two [log scores](log.md). Report that.",
        "**A probability of 0 came true.** All capital is lost and growth is −∞.",
    ),
)
