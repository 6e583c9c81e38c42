"""The verdict of a comparison: who is better, how surely, and what it would take to know."""

from __future__ import annotations

import math

from edgeworth.inference.comparing import ComparisonFindings, Difference
from edgeworth.measures import Spelling
from edgeworth.reports.wording import MINUS, about, interval_decimals, level_said, plural, probability_words

_MORE = {
    "informedness": ("informed", "points more often"),
    "accuracy": ("right", "points more often"),
    "recall": ("finds its targets", "points more often"),
    "precision": ("right when it speaks", "points more often"),
}
_CALLED = {
    "average_precision": "average precision",
    "roc_auc": "ROC area",
    "log": "log score",
    "brier": "Brier score",
    "ranked": "ranked probability score",
    "spherical": "spherical score",
    "mcc": "MCC",
    "f": "F",
}


_TESTS = {
    "mcnemar": "McNemar",
    "mcnemar mid-p": "McNemar mid-p",
    "wald": "Wald",
    "t": "paired t",
    "delong": "DeLong",
    "wilcoxon": "Wilcoxon",
    "influence": "jackknife t",
    "diebold_mariano": "Diebold–Mariano",
}


def test_named(name: str) -> str:
    """A test as people call it."""
    return _TESTS.get(name, name.replace("_", " "))


def comparison_verdict(findings: ComparisonFindings) -> str:
    """Two systems in a sentence; of more, who leads and who cannot be told from it."""
    if len(findings.names) == 2:
        return " ".join(filter(None, (_of_two(findings), _disagreement(findings), _race(findings))))
    return " ".join(filter(None, (_of_many(findings), _first_two(findings))))


def called(measure: str) -> str:
    """A measure as people call it.

    >>> called("average_precision(ties=trec)"), called("f[1]")
    ('average precision', 'F[1]')
    """
    spelling = Spelling.parse(measure)
    label = "" if spelling.label is None else f"[{spelling.label}]"
    depth = "" if spelling.depth is None else f"@{spelling.depth}"
    return f"{_CALLED.get(spelling.name, spelling.name.replace('_', ' '))}{label}{depth}"


def _of_two(findings: ComparisonFindings) -> str:
    first, second = findings.names
    difference = findings.pairs[first, second][findings.headline]
    if difference.undefined is not None:
        return (
            f"{first} and {second} cannot be compared by {called(findings.headline)}: {difference.undefined}."
        )
    if difference.difference == 0 and difference.standard_error == 0:
        return f"{first} and {second} cannot be told apart: they do the same on every {findings.unit}."
    if difference.difference == 0:
        return f"{first} and {second} cannot be told apart: {called(findings.headline)} is the same for both."
    better = difference if difference.better == first else difference.mirrored()
    said = f"{_how_much(better)} ({_interval(better, findings)}; {_test(better)})"
    if findings.is_settled(first, second):
        return f"{better.first} is better: {said}."
    return (
        f"{first} and {second} cannot be told apart by {called(findings.headline)}: {better.first} is ahead, "
        f"{said}. {_what_it_takes(findings, (first, second))}"
    ).rstrip()


def _of_many(findings: ComparisonFindings) -> str:
    ranked, headline = findings.ranked, findings.headline
    best = ranked[0]
    value = findings.values[best][headline]
    if math.isnan(value):
        reason = next(iter(findings.pairs.values()))[headline].undefined
        return f"The {len(ranked)} systems cannot be compared by {called(headline)}: {reason}."
    same = [name for name in ranked[1:] if not findings.is_settled(best, name)]
    beaten = [name for name in ranked[1:] if findings.is_settled(best, name)]
    leads = f"{best} leads {len(ranked)} systems with {called(headline)} {_number(value)}"
    if not same:
        return f"{leads} and is better than all others, all pairs considered."
    if not beaten:
        return f"{leads}, but cannot be told apart from any of the others, all pairs considered."
    return (
        f"{leads}: better than {_listed(beaten)}, but not to be told apart from {_listed(same)}, all pairs "
        "considered."
    )


def _first_two(findings: ComparisonFindings) -> str:
    first, second = findings.ranked[:2]
    difference = findings.difference(first, second)[findings.headline]
    if math.isnan(difference.difference) or not difference.difference:
        return ""
    said = f"{first} against {second}: {_how_much(difference)} ({_interval(difference, findings)})."
    if findings.is_settled(first, second):
        return said
    key = (first, second) if (first, second) in findings.plans else (second, first)
    return f"{said} {_what_it_takes(findings, key)}".rstrip()


def _how_much(better: Difference) -> str:
    """What the better one does more, or less, of."""
    size = abs(better.difference)
    name = Spelling.parse(better.measure).name
    if name in _MORE:
        does, more = _MORE[name]
        decimals = interval_decimals(*_bounds(better))
        points = f"{size * 100:.{decimals}f}"
        return f"{does} {points} {plural(float(points), 'point more often', more)}"
    word = "higher" if better.difference > 0 else "lower"
    return f"{called(better.measure)} {_number(size)} {word}"


def _interval(better: Difference, findings: ComparisonFindings) -> str:
    low, high = better.interval(findings.level)
    if math.isnan(low):
        return "no interval"
    level = level_said(findings.level)
    if Spelling.parse(better.measure).name in _MORE:
        decimals = interval_decimals(*_bounds(better))
        ends = [_signed(bound * 100, decimals) for bound in (low, high)]
    else:
        turn = sorted((low, high) if better.difference > 0 else (-low, -high))
        ends = [_number(bound) for bound in turn]
    return f"{level} interval {ends[0]} to {ends[1]}"


def _bounds(difference: Difference) -> tuple[float, float]:
    low, high = difference.interval()
    return low, high


def _test(better: Difference) -> str:
    if not better.tests:
        return f"p = {better.p_value():.2g}"
    name, tail = next(iter(better.tests.items()))
    exact = "exact " if tail.kind == "exact" and name in ("randomisation", "permutation") else ""
    said = probability_words(tail).removeprefix("about ")
    sign = "<" if said.startswith("below ") else "="
    return f"{exact}{test_named(name)} p {sign} {said.removeprefix('below ')}"


def _what_it_takes(findings: ComparisonFindings, pair: tuple[str, str]) -> str:
    plan = findings.plans[pair]
    if not math.isfinite(plan.more):
        return ""
    units = plural(2, findings.unit, {"query": "queries"}.get(findings.unit))
    if plan.more <= 0:
        return f"A few more {units} like these should settle it."
    return (
        f"If the difference is real and of this size, about {about(plan.more)} more {units} would show it "
        f"({plan.power:.0%} power{'' if len(findings.names) == 2 else ', this pair by itself'})."
    )


def _disagreement(findings: ComparisonFindings) -> str:
    if not findings.disagreements:
        return ""
    number = findings.disagreements[0]["disagreements"]
    return f"They disagree on {number:,.6g} of {findings.cases:,.6g} {plural(findings.cases, 'case')}."


def _race(findings: ComparisonFindings) -> str:
    """What one would have won by betting against the other."""
    if findings.race is None:
        return ""
    first, second = findings.race.standings
    wealth = findings.race.against(first, second)
    evidence = findings.race.stronger(first, second)
    if evidence is None or not wealth > 0:
        return ""
    said = "without bound" if math.isinf(wealth) else money_said(wealth)
    return (
        f"Betting against {second}, {first} would have turned $1 into {said} "
        f"(evidence against {second}'s probabilities: e = {e_value_said(evidence.log_e_value)}, "
        "both directions paid for)."
    )


def money_said(log_wealth: float) -> str:
    """What $1 has become; a power of ten when that is long.

    >>> money_said(math.log(12.345)), money_said(100.0)
    ('$12.35', '$10^43')
    """
    if log_wealth > math.log(1e9):
        return f"$10^{log_wealth / math.log(10):.0f}"
    return f"${math.exp(log_wealth):,.2f}"


def e_value_said(log_e_value: float) -> str:
    """An e-value with the digits that matter.

    >>> e_value_said(math.log(20)), e_value_said(-math.inf), e_value_said(80.0)
    ('20', '0', '5.5e+34')
    """
    if log_e_value == -math.inf:
        return "0"
    if log_e_value > 709:
        return f"10^{log_e_value / math.log(10):.0f}"
    value = math.exp(log_e_value)
    return (
        f"{value:.2g}" if value < 1 or value >= 1e6 else f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
    )


def _number(value: float) -> str:
    text = f"{abs(value):.3f}" if abs(value) >= 0.0995 or value == 0 else f"{abs(value):#.2g}"
    sign = MINUS if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") and "e" not in text else text)


def _signed(value: float, decimals: int) -> str:
    text = f"{abs(value):.{decimals}f}"
    return f"{MINUS if value < 0 and float(text) else ''}{text}"


def _listed(names: list[str]) -> str:
    if len(names) > 5:
        return f"{', '.join(names[:4])} and {len(names) - 4} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
