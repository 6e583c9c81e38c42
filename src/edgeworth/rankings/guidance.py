"""How to read the measures of scores that people use most, and when not to use them."""

from __future__ import annotations

from edgeworth.core.measures import Guidance

AVERAGE_PRECISION = Guidance(
    reads_as="An average precision of 0.69 means: if you stop at a target chosen at random, 69% of the "
    "items down to there are targets, on average.",
    latex=r"AP = \frac{1}{m} \sum_{i=1}^{m} \frac{i}{T_i}",
    use_when="Targets, the items that you look for, are rare, and you work down the list from the top. In "
    "the formula, $T_i$ is the rank of the $i$-th of $m$ targets.",
    avoid_when=(
        "**You compare lists with different shares of targets.** The chance level depends on that "
        "share. Compare with it, or use [ROC area](roc-auc.md).",
        "**Many scores are tied.** Choose a rule with `ties=`. By default the value is the mean over "
        "random orders of tied items.",
    ),
)
ROC_AUC = Guidance(
    reads_as="A ROC area of 0.83 means: a target chosen at random has a higher score than another item "
    "chosen at random in 83% of the pairs.",
    latex=r"P(S_\text{target} > S_\text{other}) + \tfrac12 P(S_\text{target} = S_\text{other})",
    use_when="You want to know how well two classes are separated, whatever their shares.",
    avoid_when=(
        "**Targets are rare and only the top counts.** An area of 0.95 can hide that most of the first "
        "hundred items are wrong. Use [average precision](average-precision.md) or precision at a depth.",
        "**Probabilities matter, not only their order.** Use the [Brier](brier.md) or [log score](log.md).",
    ),
)
PR_AUC = Guidance(
    reads_as="A PR area of 0.65 is the area under the curve of precision against recall.",
    latex=r"\int \text{precision} \; d\,\text{recall}",
    use_when="A benchmark prescribes the area with Davis and Goadrich's interpolation.",
    avoid_when=(
        "**You can choose.** [Average precision](average-precision.md) measures nearly the same and has "
        "an exact test.",
        "**You compare with a value from another program.** Programs that interpolate linearly give other, "
        "higher values.",
    ),
)
NDCG = Guidance(
    reads_as="An NDCG of 0.80 means: the list collects 80% of the discounted gain that the best order "
    "would collect.",
    latex=r"\text{NDCG} = \frac{\sum_r g_r / \log_2(r + 1)}{\sum_r g^*_r / \log_2(r + 1)}",
    use_when="Relevance has grades, and readers look at the top first. Give the depth that they read: "
    "`ndcg@10`.",
    avoid_when=(
        "**You compare with a value from another program.** The gain of a document is its grade $g$ by "
        "default, and $2^g - 1$ with `gain=exponential`. Values differ, so state which gain you use.",
        "**Queries have few relevant documents.** The value is then close to 0 or 1 for each query.",
    ),
)
RECIPROCAL_RANK = Guidance(
    reads_as="A reciprocal rank of 0.5 means: the first target is at rank 2. The mean over queries is "
    "called MRR.",
    latex=r"\frac{1}{T_1}",
    use_when="One good result is enough, as in question answering.",
    avoid_when=(
        "**Readers look at more than one result.** Use [NDCG](ndcg.md) or [average "
        "precision](average-precision.md).",
        "**All ranks matter alike.** The first ranks decide the mean: ranks 1 and 2 differ by 0.5, ranks 9 "
        "and 10 by 0.01.",
    ),
)
SUCCESS = Guidance(
    reads_as="Success at 5 of 0.80 means: in 80% of the queries, at least one target is among the first "
    "five.",
    use_when="A page shows a fixed number of results, and one good result is enough.",
    avoid_when=("**The rank within the page matters.** Use [reciprocal rank](reciprocal-rank.md).",),
)
