"""How to read the measures of graded answers that people use most, and when not to use them."""

from __future__ import annotations

from edgeworth.core.measures import Guidance

ACCURACY = Guidance(
    reads_as="An accuracy of 0.75 means: 75% of the answers are right. With repeats, each question counts "
    "once, with the share of its right answers.",
    latex=r"\frac{1}{I} \sum_{i=1}^{I} \frac{\text{right}_i}{k_i}",
    use_when="Answers are right or wrong.",
    avoid_when=(
        "**Answers are chosen from a list.** Pass `--guess-rate 0.25` for four options, and compare with it.",
        "**Questions come in groups**, such as several about one passage. Pass `--cluster`, or the "
        "interval is too narrow.",
    ),
)
MEAN = Guidance(
    reads_as="A mean grade of 3.4 is the average over questions. With repeats, each question counts "
    "once, with the mean of its grades.",
    latex=r"\frac{1}{I} \sum_{i=1}^{I} \frac{1}{k_i} \sum_j x_{ij}",
    use_when="Answers get points.",
    avoid_when=(
        "**Grades are categories without a distance.** The mean of “good” and “poor” depends on the "
        "numbers that you assign.",
        "**A few questions have extreme grades.** They dominate the mean. Look at the distribution.",
    ),
)
PASS = Guidance(
    reads_as="A pass@2 of 0.90 means: if a question is asked twice, at least one answer is right with "
    "probability 0.90, averaged over questions.",
    latex=r"\frac{1}{I} \sum_{i=1}^{I} \left[ 1 - \binom{k_i - \text{right}_i}{k} \Big/ \binom{k_i}{k} "
    r"\right]",
    use_when="Several attempts are allowed and success can be checked, as with code and its tests.",
    avoid_when=(
        "**A user gets one answer.** Use [accuracy](accuracy-of-grades.md).",
        "**There are few repeats.** Each question needs at least k answers. More answers make the estimate "
        "more precise.",
    ),
)
PASS_ALL = Guidance(
    reads_as="A pass all@2 of 0.60 means: if a question is asked twice, both answers are right with "
    "probability 0.60, averaged over questions.",
    latex=r"\frac{1}{I} \sum_{i=1}^{I} \binom{\text{right}_i}{k} \Big/ \binom{k_i}{k}",
    use_when="The system must be right every time, as an agent that acts without a check.",
    avoid_when=(
        "**Any success counts.** Use [pass@k](pass.md).",
        "**Answers of one question are not independent runs.** Cached answers never differ, so the value "
        "equals the [accuracy](accuracy-of-grades.md).",
    ),
)
