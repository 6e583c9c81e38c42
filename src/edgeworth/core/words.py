"""What measures are called where people read them; their names are for asking."""

from __future__ import annotations

from edgeworth.forecasts.scoring_rules import RULES

WORDS = {
    "adjusted_rand_index": "adjusted Rand index",
    "average_f": "average F",
    "average_g": "average G",
    "bpref": "bpref",
    "break_even_commission": "break-even commission",
    "break_even_margin": "break-even margin",
    "chi_square": "χ²",
    "cramers_v": "Cramér's V",
    "eleven_point_precision": "eleven-point precision",
    "f": "F",
    "g": "G",
    "g_square": "G²",
    "inverse_f": "inverse F",
    "inverse_g": "inverse G",
    "macro_f": "macro F",
    "mcc": "MCC",
    "ndcg": "NDCG",
    "pr_auc": "PR area",
    "r_precision": "R-precision",
    "rand_index": "Rand index",
    "rbp": "RBP",
    "real_weighted_informedness": "real-weighted informedness",
    "roc_auc": "ROC area",
    "weighted_f": "weighted F",
    **{rule.name: rule.words for rule in RULES.values()},
    **{f"{rule.name}_skill": rule.skill_words for rule in RULES.values()},
}
"""Where the words are more than the name with spaces."""


def words_of(name: str) -> str:
    """A measure's name in words.

    >>> words_of("balanced_accuracy"), words_of("mcc")
    ('balanced accuracy', 'MCC')
    """
    return WORDS.get(name, name.replace("_", " "))
