"""How to read the measures of probabilities that people use most, and when not to use them."""

from __future__ import annotations

from edgeworth.core.measures import Guidance

LOG = Guidance(
    reads_as="A log score of 0.69 for two classes is that of always forecasting 50%. Lower is better; 0 "
    "is certain and right every time.",
    latex=r"-\frac{1}{n} \sum_i \ln p_i(y_i)",
    use_when="Forecasts feed decisions, and a confident error is bad. The difference of two log scores is "
    "the [growth](growth.md) per case of a bettor who uses one forecast at prices that are fair by the "
    "other.",
    avoid_when=(
        "**An event with probability 0 happened.** The score is infinite. Pass `--clip` and state it, or use "
        "the [Brier score](brier.md).",
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
    reads_as="A Brier skill of 0.57 means: the Brier score is 57% lower than that of always forecasting the "
    "class shares. Below 0, the forecasts are worse than the class shares.",
    latex=r"1 - \frac{\text{Brier}}{\text{Brier of the class shares}}",
    use_when="You report one number for forecasts, and readers need to see whether they are better than the "
    "class shares.",
    avoid_when=(
        "**There are few cases.** The class shares come from the same cases, which puts the forecasts at a "
        "slight disadvantage.",
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
ECE = Guidance(
    reads_as="An expected calibration error of 0.03 means: in bins of similar forecasts, the mean forecast "
    "and the share of events differ by 3 points on average, after subtracting an estimate of what luck "
    "adds.",
    latex=r"\sum_b \frac{n_b}{n} \left| \text{share}_b - \text{mean forecast}_b \right| - \text{luck}",
    use_when="You want the size of calibration errors in points, and readers expect this number.",
    avoid_when=(
        "**You compare with a published value.** It depends on the bins and on the correction. Programs that "
        "do not correct need `debias=no`, and often `bins=15, binning=width`.",
        "**You compare two systems.** Its interval is wide. Use the [squared calibration "
        "error](squared-calibration-error.md).",
        "**You want to know how useful forecasts are.** Always forecasting the class share is calibrated. "
        "Use the [Brier score](brier.md).",
    ),
)
CALIBRATION_SLOPE = Guidance(
    reads_as="A calibration slope of 0.7 means: the forecasts are too extreme. Multiply their log odds by "
    "0.7 to correct this. Above 1 they are too timid.",
    latex=r"\operatorname{logit} P(y) = a + b \operatorname{logit} p",
    use_when="You validate a risk model on new data, and want to know whether it is overconfident.",
    avoid_when=(
        "**All forecasts are too high or too low.** The slope may be 1. Look at the [calibration "
        "intercept](calibration-intercept.md) too.",
        "**The error has another shape.** Use [miscalibration](miscalibration.md), which detects any shape.",
        "**A forecast of 0 or 1 was wrong.** The slope is undefined. Pass `--clip`.",
    ),
)
WEALTH = Guidance(
    reads_as="Wealth compares your forecasts with other forecasts of the same events: those of a market or "
    "another model, or the class shares. A bettor starts with 1 and bets by your forecasts, at prices that "
    "are fair if the other forecasts are right. A wealth of 20 means that the bettor ends with 20. If the "
    "other forecasts are right, this happens with probability 1/20 at most.",
    latex=r"\prod_i \frac{p_i(y_i)}{q_i(y_i)}",
    use_when="You bet, or you want evidence that stays valid while cases arrive. In the formula, "
    "$p_i(y_i)$ is the probability that you gave to the outcome of case $i$, and $q_i(y_i)$ that of the "
    "other forecasts.",
    avoid_when=(
        "**Forecasts were made after the outcomes.** Wealth is then no evidence.",
        "**There are many cases.** Wealth then becomes extremely large or small. Report [growth](growth.md) "
        "per case.",
    ),
)
GROWTH = Guidance(
    reads_as="A growth of 0.02 means: the [wealth](wealth.md) of a bettor who uses these forecasts grows by "
    "about 2% per case.",
    latex=r"\frac{1}{n} \sum_i \ln \frac{p_i(y_i)}{q_i(y_i)}",
    use_when="You compare bettors over different numbers of cases.",
    avoid_when=(
        "**There are no bets.** Growth is then the difference of two [log scores](log.md). Report that.",
        "**An event with probability 0 happened.** All capital is lost, and growth is −∞.",
    ),
)
