"""How many cases do I need? The verb ``plan``, which needs no data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgeworth.common.arrays import MAX_EXACT_INTEGER, finite_or_none
from edgeworth.comparisons.study_design import (
    Aim,
    Clusters,
    Design,
    Means,
    OfTargets,
    OneShare,
    PairedAnswers,
    PairedInformedness,
    StudyPlan,
    roc_area_deviation,
    smallest_amount,
)
from edgeworth.core.amounts import describe_amount, exceeds_range, parse_margin, parse_share
from edgeworth.core.formatting import format_count, format_level, format_percent, plural
from edgeworth.core.sampling_distributions import check_level
from edgeworth.errors import OptionError
from edgeworth.grades.grades import LARGEST_GRADE
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns, make_provenance
from edgeworth.report.verdict import Claim, Verdict

LEVELS = ("accuracy", "recall", "informedness", "roc_area", "sd")
TIMES = (0.5, 1.0, 1.5, 2.0)
"""Multiples of the amount in the table of alternatives."""
TRIED_REPEATS = (1, 2, 3, 5, 10)
"""Numbers of repeats in the table of repeats."""


@dataclass(frozen=True)
class _Assumed:
    """A design, how its amounts are written, and the assumptions in words."""

    design: Design
    measure: str
    words: tuple[str, ...]
    unit: str
    are_points: bool = True

    @property
    def largest(self) -> float:
        """The largest difference that two systems can have in this measure."""
        return math.inf if self.measure == "mean" else 2.0 if self.measure == "informedness" else 1.0

    def write(self, amount: float) -> str:
        """Write an amount: in points for shares, otherwise as a number."""
        if not self.are_points:
            return f"{amount:.3g}"
        points = f"{100 * amount:.3g}"
        return f"{points} {'point' if points == '1' else 'points'}"


def plan(
    *,
    difference: float | str | None = None,
    margin: float | str | None = None,
    width: float | str | None = None,
    cases: int | None = None,
    accuracy: float | str | None = None,
    agreement: float | str | None = None,
    recall: float | str | None = None,
    informedness: float | str | None = None,
    roc_area: float | str | None = None,
    targets: float | str | None = None,
    sd: float | None = None,
    correlation: float | None = None,
    cluster_size: int = 1,
    icc: float = 0.0,
    repeats: int = 1,
    flip_rate: float | str | None = None,
    rerun_sd: float | None = None,
    unit: str | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> Report:
    """Plan how many cases a test needs, or what a given number of cases can show.

    Parameters
    ----------
    difference : float or str, optional
        The true difference between two systems that the test has to show: 0.02, or "2pp" for two points.
    margin : float or str, optional
        How much worse a system may be and still count as no worse; both are assumed equally good.
    width : float or str, optional
        The half-width of the interval: "1pp" is plus or minus one point.
    cases : int, optional
        The number of cases, instead of an aim. The report shows which differences they can detect.
    accuracy : float or str, optional
        The share of right answers, 0.8 or "80%", for labels and for answers that are right or wrong.
    agreement : float or str, optional
        The share of cases on which both systems are right or both are wrong. Systems that err independently
        are assumed if it is left out.
    recall, informedness, roc_area : float or str, optional
        Instead of accuracy: the expected value of this measure, with ``targets``.
    targets : float or str, optional
        The share of targets, or of the class, among all cases.
    sd : float, optional
        For points, losses or values per query: the standard deviation of one system's values.
    correlation : float, optional
        The correlation between the values, or the scores, of the two systems; 0 if it is left out.
    cluster_size, icc : int and float
        Cases per cluster, and the correlation between cases of one cluster.
    repeats : int
        Answers per item and system.
    flip_rate : float or str, optional
        With repeats: the share of answers that change between two runs, as ``noise`` reports it.
    rerun_sd : float, optional
        With repeats and ``sd``: the standard deviation between reruns of an item.
    unit : str, optional
        What a case is called: "question", "query".
    level, power : float
        The level of the two-sided interval, and the power of the test.

    Returns
    -------
    Report
        ``report.numbers["needed"]`` is the number of cases.

    Examples
    --------
    >>> report = plan(difference="2pp", accuracy=0.75, agreement=0.85)
    >>> report.numbers["needed"]
    3028
    """
    check_level(level)
    if not 0 < power < 1:
        raise OptionError(f"power lies between 0 and 1; saw {power!r}")
    _check_counts(
        {"cluster_size": cluster_size, "repeats": repeats} | ({} if cases is None else {"cases": cases})
    )
    texts = {"accuracy": accuracy, "agreement": agreement, "recall": recall, "informedness": informedness}
    texts |= {"roc_area": roc_area, "targets": targets, "flip_rate": flip_rate}
    shares = {name: None if text is None else parse_share(name, text) for name, text in texts.items()}
    if not 0 <= icc <= 1:
        raise OptionError(f"icc lies between 0 and 1; saw {icc!r}")
    if correlation is not None and not -1 <= correlation < 1:
        raise OptionError(f"correlation lies between -1 and 1; saw {correlation!r}")
    aims: dict[Aim, float] = {}
    given: tuple[tuple[Aim, float | str | None], ...] = (
        ("difference", difference),
        ("margin", margin),
        ("width", width),
    )
    for name, text in given:
        if text is not None:
            aims[name] = parse_margin(text)
    if (cases is None) == (not aims) or len(aims) > 1:
        raise OptionError(
            "give one aim: --difference 2pp, --margin 1pp or --width 1pp; or --cases N to see what these show"
        )
    values = {name: shares[name] for name in ("accuracy", "recall", "informedness", "roc_area")} | {"sd": sd}
    aim, amount = next(iter(aims.items()), ("difference", 0.0))
    measure = next((name for name in LEVELS if values[name] is not None), "accuracy")
    if measure != "sd" and exceeds_range("roc_auc" if measure == "roc_area" else measure, amount):
        raise OptionError(f"a {aim} of {amount:g} in {measure} is impossible: for points write {amount:g}pp")
    assumed = _assume(
        values,
        unit or ("item" if sd is not None or repeats > 1 else "case"),
        are_two=aim != "width" or agreement is not None or correlation is not None,
        gain=amount if aim == "difference" else 0.0,
        agreement=shares["agreement"],
        correlation=correlation,
        targets=shares["targets"],
        repeats=repeats,
        flip_rate=shares["flip_rate"],
        rerun_sd=rerun_sd,
    )
    clusters = Clusters(cluster_size, icc)
    study = StudyPlan(assumed.design, aim, amount, level, power, clusters)
    if clusters.size > 1:
        extra = f"clusters of {cluster_size} with correlation {icc:g} (design effect {clusters.effect:.3g})"
        assumed = replace(assumed, words=(*assumed.words, extra))
    if cases is not None:
        return _report_of_cases(study, assumed, cases)
    return _report_of_aim(study, assumed)


def _check_counts(counts: dict[str, int]) -> None:
    for name, number in counts.items():
        if number < 1 or number != int(number):
            raise OptionError(f"{name} is a whole number of at least 1; saw {number!r}")
        if number > MAX_EXACT_INTEGER:
            raise OptionError(f"{name} is at most 2^53; saw a number of {len(str(int(number)))} digits")


def _assume(
    values: dict[str, float | None],
    unit: str,
    *,
    are_two: bool,
    gain: float,
    agreement: float | None,
    correlation: float | None,
    targets: float | None,
    repeats: int,
    flip_rate: float | None,
    rerun_sd: float | None,
) -> _Assumed:
    """Make the design that the expected values describe."""
    named = [name for name, value in values.items() if value is not None]
    if not named and agreement is not None:
        named, values = ["accuracy"], {**values, "accuracy": math.nan}
    if len(named) != 1:
        raise OptionError(
            "give the expected value of one measure: --accuracy 0.75, --recall, --informedness, --roc-area, "
            f"or --sd for points and queries; saw {', '.join(named) or 'none'}"
        )
    [name] = named
    value = values[name]
    assert value is not None
    if name in ("recall", "informedness", "roc_area") and targets is None:
        raise OptionError(f"{name} needs the share of targets among the cases: --targets 0.1")
    if name in ("roc_area", "sd") and agreement is not None:
        raise OptionError(f"--agreement is for right or wrong answers; with {name} use --correlation")
    if name not in ("roc_area", "sd") and correlation is not None:
        raise OptionError(f"--correlation is for scores and points; with {name} use --agreement")
    if repeats > 1 and (
        name not in ("accuracy", "sd") or (flip_rate if name == "accuracy" else rerun_sd) is None
    ):
        raise OptionError(
            "repeats need accuracy with --flip-rate, or --sd with --rerun-sd: edgeworth noise reports both"
        )
    share_of_targets = targets or math.nan
    if name == "sd":
        return _assume_values(value, unit, correlation, repeats, rerun_sd, are_two=are_two)
    if name == "roc_area":
        rho = correlation or 0.0 if are_two else None
        words = [f"ROC area {value:g}", f"{format_percent(share_of_targets, 1)} targets"]
        words += [f"correlation {rho:g} between the scores of the two systems"] if rho is not None else []
        spread = roc_area_deviation(value, share_of_targets, rho)
        return _Assumed(Means(spread, is_student=False), "ROC area", tuple(words), unit, are_points=False)
    level = (1 + value) / 2 if name == "informedness" else value
    words = [] if math.isnan(value) else [f"{name} {_write_level(name, value)}"]
    words += [] if targets is None else [f"{format_percent(targets, 1)} targets"]
    if not are_two:
        if name == "informedness":
            spread = math.sqrt(level * (1 - level) * (1 / share_of_targets + 1 / (1 - share_of_targets)))
            return _Assumed(Means(spread, is_student=False), name, tuple(words), unit, are_points=False)
        one_share: Design = OneShare(level, flip_rate or 0.0, repeats)
        design = OfTargets(one_share, share_of_targets) if name == "recall" else one_share
        return _Assumed(design, name, (*words, *_repeat_words(repeats, flip_rate, unit)), unit)
    own_gain = gain / 2 if name == "informedness" else gain
    other = level - own_gain if level + own_gain > 1 + 1e-12 else min(level + own_gain, 1.0)
    if other < 0:
        raise OptionError(
            f"no system differs by {describe_amount(name, gain)} from one with {name} "
            f"{_write_level(name, value)}"
        )
    disagreement = 1 - agreement if agreement is not None else level * (1 - other) + other * (1 - level)
    _check_disagreement(disagreement, own_gain, level, other)
    if repeats > 1 and (flip_rate or 0.0) > disagreement:
        raise OptionError(
            f"systems whose answers flip in {format_percent(flip_rate or 0.0, 1)} of reruns disagree at "
            f"least as often, so the agreement is at most {format_percent(1 - (flip_rate or 0.0), 1)}"
        )
    how = "" if agreement is not None else " (systems that err independently; --agreement changes it)"
    words.append(
        f"both right or both wrong on {format_percent(1 - disagreement, 1)} of the {plural(2, unit)}{how}"
    )
    if name == "informedness":
        paired: Design = PairedInformedness(disagreement, share_of_targets)
        return _Assumed(paired, name, tuple(words), unit, are_points=False)
    answers: Design = PairedAnswers(disagreement, flip_rate or 0.0, repeats)
    design = OfTargets(answers, share_of_targets) if name == "recall" else answers
    return _Assumed(design, name, (*words, *_repeat_words(repeats, flip_rate, unit)), unit)


def _write_level(name: str, value: float) -> str:
    return f"{value:g}" if name == "informedness" else format_percent(value, 1)


def _repeat_words(repeats: int, flip_rate: float | None, unit: str) -> tuple[str, ...]:
    if repeats == 1:
        return ()
    flips = f"{format_percent(flip_rate or 0.0, 1)} of which flip in a rerun"
    return (f"{repeats} answers per {unit}, {flips}",)


def _check_disagreement(disagreement: float, gain: float, level: float, other: float) -> None:
    """Refuse shares that no two systems can have."""
    if gain > disagreement:
        raise OptionError(
            f"two systems {100 * gain:.3g} points apart disagree on at least that share of cases: "
            f"the agreement is at most {1 - gain:.3g}"
        )
    if not math.isnan(level) and disagreement > min(level + other, 2 - level - other) + 1e-12:
        raise OptionError(
            f"two systems with these accuracies agree on at least "
            f"{1 - min(level + other, 2 - level - other):.3g} of the cases; saw {1 - disagreement:.3g}"
        )


def _assume_values(
    sd: float, unit: str, correlation: float | None, repeats: int, rerun_sd: float | None, *, are_two: bool
) -> _Assumed:
    if not 1 / LARGEST_GRADE <= sd <= LARGEST_GRADE:
        raise OptionError(f"sd lies between {1 / LARGEST_GRADE:g} and {LARGEST_GRADE:g}; saw {sd:g}")
    if rerun_sd is not None and not 0 <= rerun_sd <= sd:
        raise OptionError(f"the standard deviation between reruns lies between 0 and sd; saw {rerun_sd:g}")
    within = (rerun_sd or 0.0) ** 2 * (1 - 1 / repeats)
    words = [f"standard deviation {sd:g}"]
    variance = sd**2 - within
    if are_two:
        rho = correlation or 0.0
        variance = 2 * sd**2 * (1 - rho) - 2 * within
        how = "" if correlation is not None else " (--correlation changes it)"
        words.append(f"correlation {rho:g} between the two systems{how}")
    if repeats > 1:
        words.append(f"{repeats} answers per {unit}, standard deviation {rerun_sd:g} between reruns")
    if variance <= 0:
        raise OptionError("the reruns vary more than the difference does: a lower --correlation is needed")
    return _Assumed(Means(math.sqrt(variance)), "mean", tuple(words), unit, are_points=False)


def _aim_words(aim: Aim, amount: str) -> str:
    return {
        "difference": f"show a difference of {amount}",
        "margin": f"show that a system is no worse by {amount} when both are equally good",
        "width": f"have an interval of ±{amount}",
    }[aim]


def _certainty(study: StudyPlan, unit: str) -> str:
    power = "" if study.aim == "width" else f"{format_percent(study.power)} power, "
    return f"{power}{format_level(study.level)} level, {_method(study, unit)}"


def _method(study: StudyPlan, unit: str) -> str:
    """Name the method with the unit of the plan: designs call every unit an item."""
    return study.design.method(study.aim).replace(" items", f" {plural(2, unit)}")


def _report_of_aim(study: StudyPlan, assumed: _Assumed) -> Report:
    needed, units = study.needed, plural(2, assumed.unit)
    if needed > MAX_EXACT_INTEGER:
        raise OptionError(
            f"no practical number of {units} would {_aim_words(study.aim, assumed.write(study.amount))}"
        )
    size = f"{format_count(needed)} {units}"
    if study.clusters.size > 1:
        size += f" in {format_count(study.number_of_clusters)} clusters"
    aim = _aim_words(study.aim, assumed.write(study.amount))
    text = f"You need {size} to {aim} ({_certainty(study, assumed.unit)})."
    claims = [
        Claim("sample size", text, "advised", {"needed": needed}, study.design.method(study.aim)),
        Claim("assumptions", f"Assumed: {'; '.join(assumed.words)}.", "advised"),
    ]
    return _make_report(
        study, assumed, claims, needed, [_alternatives(study, assumed), *_by_repeats(study, assumed)]
    )


def _alternatives(study: StudyPlan, assumed: _Assumed) -> Grid:
    """Tabulate the number of cases for other amounts, as far as two systems can differ so much."""
    rows: list[tuple[Cell, ...]] = []
    for times in TIMES:
        amount = study.amount * times
        if amount > assumed.largest:
            continue
        needed = study.at(amount).needed
        rows.append((assumed.write(amount), _practical_number(needed)))
    head = {"difference": "difference", "margin": "margin", "width": "half-width"}[study.aim]
    columns = make_columns(f"{head}/text", f"{plural(2, assumed.unit)} needed/count")
    return Grid("If you need another amount", columns, tuple(rows))


def _practical_number(needed: float) -> int | None:
    """Return a number of cases, or None if no practical number is enough."""
    return round(needed) if needed <= MAX_EXACT_INTEGER else None


def _by_repeats(study: StudyPlan, assumed: _Assumed) -> Sequence[Grid]:
    """Tabulate items and answers by the number of repeats, if the noise of reruns is known."""
    design = study.design
    if not isinstance(design, (PairedAnswers, OneShare)) or not design.within:
        return ()
    rows = []
    for repeats in sorted({*TRIED_REPEATS, design.repeats}):
        needed = replace(study, design=replace(design, repeats=repeats)).needed
        cases = _practical_number(needed)
        rows.append((repeats, cases, None if cases is None else cases * repeats))
    units = plural(2, assumed.unit)
    heads = (f"answers per {assumed.unit}", f"{units} needed", "answers per system")
    note = f"More {units} help more than repeats do, if they cost no more than reruns."
    return (Grid("Repeats", make_columns(*heads, default="count"), tuple(rows), note),)


def _report_of_cases(study: StudyPlan, assumed: _Assumed, cases: int) -> Report:
    """Report what a number of cases suffices for."""
    aims: list[Aim] = ["difference", "margin", "width"]
    largest = 1.0 if not isinstance(study.design, Means) else 20 * study.design.spread
    least = {aim: smallest_amount(replace(study, aim=aim), cases, largest) for aim in aims}
    units = plural(cases, assumed.unit)
    power = format_percent(study.power)
    if math.isnan(least["difference"]):
        text = f"{format_count(cases)} {units} are too few to show any difference with {power} power."
    else:
        text = (
            f"{format_count(cases)} {units} can show a difference of {assumed.write(least['difference'])} "
            f"with {power} power ({format_level(study.level)} level, {_method(study, assumed.unit)})."
        )
    claims = [
        Claim("detectable", text, "advised", {"difference": finite_or_none(least["difference"])}),
        Claim("assumptions", f"Assumed: {'; '.join(assumed.words)}.", "advised"),
    ]
    words = {
        "difference": f"smallest difference shown ({power} power)",
        "margin": f"smallest margin shown, equal systems ({power} power)",
        "width": "half-width of the interval of the difference",
    }
    rows = tuple((words[aim], None if math.isnan(x) else assumed.write(x)) for aim, x in least.items())
    grid = Grid("", make_columns("what", "value", default="text"), rows)
    return _make_report(study, assumed, claims, float(cases), [grid], detectable=least)


def _make_report(
    study: StudyPlan,
    assumed: _Assumed,
    claims: Sequence[Claim],
    cases: float,
    grids: Sequence[Grid],
    detectable: dict[Aim, float] | None = None,
) -> Report:
    numbers = {
        "kind": "plan",
        "measure": assumed.measure,
        "aim": None if detectable else study.aim,
        "amount": None if detectable else study.amount,
        "needed": round(cases),
        "clusters": round(cases / study.clusters.size) if study.clusters.size > 1 else None,
        "unit": assumed.unit,
        "detectable": None if detectable is None else {x: finite_or_none(y) for x, y in detectable.items()},
        "method": study.design.method(study.aim),
        "assumptions": list(assumed.words),
        "level": study.level,
        "power": study.power,
    }
    units = plural(2, assumed.unit)
    title = f"What these {units} show" if detectable else f"How many {units}"
    return Report(
        verdict=Verdict(claims),
        sections=(Section(title, (), tuple(grids), is_main=True),),
        warnings=(),
        provenance=make_provenance(level=study.level, power=study.power),
        numbers=numbers,
    )
