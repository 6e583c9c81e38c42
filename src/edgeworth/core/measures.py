"""Measures: pure functions with their metadata, and the spelling that selects one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypedDict, Unpack

import numpy as np

from edgeworth.common.arrays import Floats, Values
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.core.sampling_distributions import SamplingLaw
    from edgeworth.core.test_results import TestResult

Depth: TypeAlias = Literal["none", "optional", "required"]
Direction: TypeAlias = Literal["higher", "lower", "neither"]
RankingTheory: TypeAlias = Literal["none", "average precision", "ROC area"]
CaseMean: TypeAlias = Literal["mean", "total", "exponential"]
Arguments: TypeAlias = Mapping[str, float | str]
MeasureFormula: TypeAlias = Callable[..., Values]
"""A function of what the scope of a measure names, and of the measure's options."""
MeasureBounds: TypeAlias = Callable[..., tuple[float, float]]
"""A function of a depth, if there is one, and of options, that returns the smallest and the largest value."""
IgnoresPrevalence: TypeAlias = Literal["no", "two classes", "always"]
Strata: TypeAlias = Literal["none", "classes", "target"]

POWERS = "Powers 2003, Recall & Precision versus The Bookmaker"
RETRIEVAL = "van Rijsbergen 1979, Information Retrieval"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure: a number within a range, or one of a few words."""

    default: float | str
    low: float = -np.inf
    high: float = np.inf
    choices: tuple[str, ...] = ()
    is_whole: bool = False

    def take(self, name: str, value: object) -> float | str:
        """Return a value of the parameter, or raise an error if it is not allowed."""
        if self.choices:
            if value not in self.choices:
                raise OptionError(f"{name} is one of {', '.join(self.choices)}; saw {value!r}")
            return str(value)
        try:
            number = float(value)  # type: ignore[arg-type]  # what has no float is refused below
        except (TypeError, ValueError):
            raise OptionError(f"{name} is a number; saw {value!r}") from None
        if not (math.isfinite(number) and self.low <= number <= self.high):
            raise OptionError(f"{name} lies between {self.low:g} and {self.high:g}; saw {number:g}")
        if self.is_whole and number != round(number):
            raise OptionError(f"{name} is a whole number; saw {number:g}")
        return number


@dataclass(frozen=True)
class Requirement:
    """A condition for a measure to be defined, and the reason to give if it does not hold."""

    holds: Callable[..., Values]
    otherwise: str
    with_options: bool = False


@dataclass(frozen=True)
class Combination:
    """A measure as ``constant + Σ coefficient · successes/trials`` of independent proportions.

    For weighted cases and for clusters, ``trials`` are effective numbers of independent trials.
    """

    constant: float
    coefficients: Values
    successes: Values
    trials: Values
    fewest: Values | None = None
    """The effective trials if all cases of a cluster were alike."""
    freedoms: Values | None = None
    """The degrees of freedom with which clusters estimate the effective trials."""
    correlation: Values | None = None
    """The correlation matrix of the proportions, whose cases share clusters."""
    freedom: float = math.inf
    """The degrees of freedom of the whole."""
    caveat: str | None = None
    """Why intervals may cover less than their level."""


@dataclass(frozen=True)
class CaseWorth:
    """What an output of one label adds to the difference between two systems that judged the same cases.

    ``worth(cases, real, hits, predicted)`` takes the number of cases and, for one label, the number of real
    cases and the hits and predictions of both systems together. None of these change when outputs are
    swapped. It returns the worth of an output of the label, and what is added if the output is right, in any
    unit. With these, swaps of the outputs can be counted exactly.
    """

    worth: Callable[[int, int, int, int], tuple[Fraction, Fraction]]
    needs_decisions: bool = False
    """Whether the worth holds only if both systems decide every case."""


@dataclass(frozen=True)
class BetaCounts:
    """The counts behind the Beta posterior of a proportion X, or of F1 = 2X/(1 + X) of a proportion X.

    With a prior weight λ per cell, X ~ Beta(successes + λ, failures + λ · failure_cells).
    """

    successes: float
    failures: float
    failure_cells: int = 1
    is_f1: bool = False


@dataclass(frozen=True)
class OutcomeLaw:
    """How a measure of calibration varies with the outcomes: its name and the law of a curve."""

    name: str
    law: Callable[..., SamplingLaw] = field(repr=False)


@dataclass(frozen=True)
class Guidance:
    """What a person needs to know about a measure: the prose of its page in the documentation."""

    reads_as: str
    """What a value means, with an example value."""
    latex: str = ""
    """The formula, where ``Measure.formula`` is hard to read."""
    use_when: str = ""
    avoid_when: tuple[str, ...] = ()
    """Each says what goes wrong, and which measure to use instead."""


MarginSlopes: TypeAlias = tuple[Floats, Floats, Floats, Floats]
"""Derivatives by the hits, predictions, real cases and abstentions of each label."""


@dataclass(frozen=True)
class Measure:
    """A measure with its formula, range, chance level and what inference may use.

    ``ew.catalogue()`` lists the measures, and ``ew.register`` adds one.

    Attributes
    ----------
    name : str
        The name to spell it with.
    scope : {"label", "overall", "cells", "ranking", "scores", "calibration", "wealth", "grades"}
        What ``compute`` takes before the options: a view of one label ("label"), of all labels
        ("overall"), counts of shape (…, K, K) ("cells"), tie groups and a depth ("ranking"),
        ``ForecastScores`` and a system ("scores"), a reliability curve ("calibration"), ``Wealth`` ("wealth")
        or ``Grades`` ("grades").
    formula : str
        The formula as text.
    low, high : float
        The smallest and the largest possible value.
    chance : str
        The chance level as a formula.
    direction : {"higher", "lower", "neither"}
        Which values are better.
    source : str
        The publication that defines it.
    compute : callable
        The function that computes the value.
    synonyms : tuple of str
        Other names.
    options : mapping of str to Parameter
        The parameters of the measure with their ranges and defaults.
    needs : tuple of Requirement
        The conditions under which the value is defined.
    proportion : callable, optional
        Successes and trials, if the measure is a proportion. It then has Wilson's interval.
    combination : callable, optional
        Independent proportions that the measure combines. It then has Newcombe's interval.
    gradient : callable, optional
        The derivatives for the delta method. Without them, views are differentiated numerically.
    guessing : callable, optional
        The slope on each diagonal cell with fixed margins, which makes the test against guessing exact.
    expected : callable, optional
        The mean under guessing, if it differs from the measure of the mean table.
    margin_slopes : callable, optional
        The derivatives by the margins of many labels, in closed form.
    beta_counts : callable, optional
        The counts behind an exact Beta posterior.
    no_interval : str, optional
        Why there is no interval unless you pass a method.
    counts_pairs : bool
        Whether the measure counts pairs of cases, and so needs whole cases.
    depth : {"none", "optional", "required"}
        Whether the measure of a ranking is taken at a depth.
    allows_weights : bool
        Whether the formula holds for sampling weights.
    has_mean_chance : bool
        Whether the value with all items tied is the mean under random selection.
    relevant_from : int, optional
        The smallest grade that counts as relevant, if the measure fixes it.

    Examples
    --------
    >>> import edgeworth as ew
    >>> [accuracy] = [measure for measure in ew.catalogue(kind="decisions") if measure.name == "accuracy"]
    >>> accuracy.words, accuracy.spelling, accuracy.range, accuracy.chance
    ('accuracy', 'accuracy', (0.0, 1.0), 'Σ_l p_l r_l')
    """

    name: str
    scope: str
    formula: str
    low: float
    high: float
    chance: str
    direction: Direction
    source: str
    compute: MeasureFormula = field(repr=False)
    kind: str = "decisions"
    """Whose measure it is: of decisions, rankings, probabilities, grades."""
    title: str = ""
    """What people call it, if that is more than its name."""
    synonyms: tuple[str, ...] = ()
    guidance: Guidance | None = field(default=None, repr=False)
    """How to read the value and when not to use it, for the measures that people use most."""
    limit: str = ""
    """The largest value in words, if it depends on the data."""
    options: Mapping[str, Parameter] = field(default_factory=dict)
    needs: tuple[Requirement, ...] = field(default=(), repr=False)
    proportion: Callable[..., tuple[Values, Values]] | None = field(default=None, repr=False)
    combination: Callable[..., Combination | None] | None = field(default=None, repr=False)
    gradient: Callable[..., Values] | None = field(default=None, repr=False)
    guessing: Callable[[list[int], list[int]], list[Fraction]] | None = field(default=None, repr=False)
    expected: Callable[..., Values] | None = field(default=None, repr=False)
    margin_slopes: Callable[..., MarginSlopes | None] | None = field(default=None, repr=False)
    beta_counts: Callable[..., BetaCounts | None] | None = field(default=None, repr=False)
    no_interval: str | None = field(default=None, repr=False)
    counts_pairs: bool = field(default=False, repr=False)
    depth: Depth = field(default="none", repr=False)
    allows_weights: bool = field(default=False, repr=False)
    has_mean_chance: bool = field(default=True, repr=False)
    relevant_from: int | None = field(default=None, repr=False)
    score: str = field(default="", repr=False)
    """The proper score of a forecast whose mean over cases it is a function of."""
    of_case_mean: CaseMean | None = field(default=None, repr=False)
    """How a measure of forecasts follows from a mean over cases, which gives it Student's interval."""
    by_chance: Callable[..., float] | None = field(default=None, repr=False)
    """Its value by chance for the tally of some forecasts, if that is one number."""
    bounds: MeasureBounds | None = field(default=None, repr=False)
    """The range at a depth and with options, or for the tally of some forecasts, if that is narrower."""
    outcome_law: OutcomeLaw | None = field(default=None, repr=False)
    """The sampling law of a measure of calibration, if it has an interval."""
    calibration_test: Callable[..., TestResult | None] | None = field(default=None, repr=False)
    """The test of calibration by the measure, for a curve, an alternative, a seed and options."""
    ranking_theory: RankingTheory = field(default="none", repr=False)
    """Whose formulas hold for a ranking's measure: the influence of each case, the bound for a ranking that
    separates the classes, and the distribution under random selection."""
    is_case_sum: bool = field(default=False, repr=False)
    """Whether a difference between systems is a sum over cases, with divisors that depend on the truth only.

    Systems with equal values are then interchangeable, and swaps of their outputs need no standard errors."""
    case_worth: CaseWorth | None = field(default=None, repr=False)
    """What each output adds to that sum, if swaps can be counted exactly."""
    combination_strata: Strata = field(default="none", repr=False)
    """How ``combination`` splits the cases by their real class, so that paired proportions can be compared:
    one recall per class ("classes"), or recall minus fallout of one label ("target")."""
    is_share_of_right_answers: bool = field(default=False, repr=False)
    """Whether reports write the value as a percentage, and differences in points."""
    is_mean_of_grades: bool = field(default=False, repr=False)
    """Whether the value is a mean of grades in their own unit, so that a rare extreme grade may change it."""
    is_rate_of_predictions: bool = field(default=False, repr=False)
    """Whether the value is a rate among the predictions of a label, which may be few."""
    counts_abstention_as_rejection: bool = field(default=False, repr=False)
    """Whether an abstention has the same effect on the value as a prediction of another label."""
    ignores_prevalence: IgnoresPrevalence = field(default="no", repr=False)
    """Whether the value stays the same if only the shares of the classes change: never, of two classes, or
    always."""
    weighs_classes_by_cases: bool = field(default=False, repr=False)
    """Whether a class with few cases has little effect, so that the delta method suits rare classes."""
    weighs_classes_equally: bool = field(default=False, repr=False)
    """Whether a class with few cases has the same weight as a common one, so that few cases decide."""

    @property
    def words(self) -> str:
        """The name of the measure as people write it."""
        return self.title or self.name.replace("_", " ")

    @property
    def is_average_precision(self) -> bool:
        """Whether the formulas for average precision hold.

        :meta private:
        """
        return self.ranking_theory == "average precision"

    @property
    def is_area(self) -> bool:
        """Whether the formulas for the area under the ROC curve hold, such as DeLong's variance.

        :meta private:
        """
        return self.ranking_theory == "ROC area"

    @property
    def has_chance_law(self) -> bool:
        """Whether the distribution under random selection is known, so that there is an exact test.

        :meta private:
        """
        return self.ranking_theory != "none"

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.low, self.high

    @property
    def spelling(self) -> str:
        """The measure as you write it, with its options."""
        label = {"label": "[label]", "calibration": "[label]", "scores": "[system]"}.get(self.scope, "")
        depth = {"none": "", "optional": "[@depth]", "required": "@depth"}[self.depth]
        options = ", ".join(f"{name}={option.default}" for name, option in self.options.items())
        return f"{self.name}{label}{depth}{f'({options})' if options else ''}"

    def arguments(self, given: Arguments) -> dict[str, float | str]:
        """Check options and fill in defaults; for F, convert ``beta`` to ``alpha``.

        Parameters
        ----------
        given : mapping of str to float or str
            Options by name.

        Returns
        -------
        dict
            Every option with its value.

        Examples
        --------
        >>> import edgeworth as ew
        >>> f = next(measure for measure in ew.catalogue(kind="decisions") if measure.name == "f")
        >>> f.arguments({"beta": 2.0})
        {'alpha': 0.8}
        """
        if "beta" in given and "alpha" in self.options and "alpha" not in given:
            beta = float(Parameter(1.0, low=0.0).take(f"beta of {self.name}", given["beta"]))
            rest = {name: value for name, value in given.items() if name != "beta"}
            given = {**rest, "alpha": beta**2 / (1 + beta**2)}
        for name in given:
            if name not in self.options:
                has = f"it has {', '.join(self.options)}" if self.options else "it has none"
                raise OptionError(f"{self.name} has no option {name!r}; {has}")
        return {
            name: option.take(f"{name} of {self.name}", given.get(name, option.default))
            for name, option in self.options.items()
        }


class MeasureFields(TypedDict, total=False):
    """The fields of a measure that a family of measures may share."""

    scope: str
    low: float
    high: float
    chance: str
    direction: Direction
    source: str
    kind: str
    title: str
    guidance: Guidance | None
    limit: str
    options: Mapping[str, Parameter]
    needs: tuple[Requirement, ...]
    proportion: Callable[..., tuple[Values, Values]] | None
    combination: Callable[..., Combination | None] | None
    gradient: Callable[..., Values] | None
    guessing: Callable[[list[int], list[int]], list[Fraction]] | None
    expected: Callable[..., Values] | None
    margin_slopes: Callable[..., MarginSlopes | None] | None
    beta_counts: Callable[..., BetaCounts | None] | None
    no_interval: str | None
    counts_pairs: bool
    depth: Depth
    allows_weights: bool
    has_mean_chance: bool
    relevant_from: int | None
    score: str
    of_case_mean: CaseMean | None
    by_chance: Callable[..., float] | None
    bounds: MeasureBounds | None
    outcome_law: OutcomeLaw | None
    calibration_test: Callable[..., TestResult | None] | None
    ranking_theory: RankingTheory
    is_case_sum: bool
    case_worth: CaseWorth | None
    combination_strata: Strata
    is_share_of_right_answers: bool
    is_mean_of_grades: bool
    is_rate_of_predictions: bool
    counts_abstention_as_rejection: bool
    ignores_prevalence: IgnoresPrevalence
    weighs_classes_by_cases: bool
    weighs_classes_equally: bool


class MeasureMaker(Protocol):
    """Makes the measures of a family. Synonyms are separated by commas."""

    def __call__(
        self,
        name: str,
        formula: str,
        compute: Callable[..., Values],
        synonyms: str = "",
        **own: Unpack[MeasureFields],
    ) -> Measure: ...


def measure_family(**shared: Unpack[MeasureFields]) -> MeasureMaker:
    """Make a constructor of measures that have the given fields in common unless an entry overrides them."""

    def make(
        name: str,
        formula: str,
        compute: Callable[..., Values],
        synonyms: str = "",
        **own: Unpack[MeasureFields],
    ) -> Measure:
        names = tuple(synonyms.split(", ")) if synonyms else ()
        return Measure(name=name, formula=formula, compute=compute, synonyms=names, **(shared | own))

    return make


_SPELLING = re.compile(
    r"""\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    (?:\[(?P<label>"(?:[^"\\]|\\.)*"|[^\[\]"]*)\])?
    (?:\((?P<before>[^()]*)\)(?=@))?
    (?:@(?P<depth>[0-9]+))?
    (?:\((?P<options>[^()]*)\))?\s*""",
    re.VERBOSE,
)
MAX_DIGITS_OF_DEPTH = 18
"""More digits may not fit into the integers of arrays."""
_PASS_HAT = re.compile(r"pass\s?\^\s?([0-9]+)", re.IGNORECASE)
"""How papers write the chance that k tries are all right; here it is pass_all@k."""
_PLAIN_LABEL = re.compile(r'[^\[\]"\s]+(?: [^\[\]"\s]+)*')


@dataclass(frozen=True)
class Spelling:
    """A measure as written. It prints as it parses.

    >>> str(Spelling.parse("f[spam]( alpha = 0.30 )")), str(Spelling.parse("pass^3"))
    ('f[spam](alpha=0.3)', 'pass_all@3')
    """

    name: str
    label: str | None = None
    depth: int | None = None
    options: Mapping[str, float | str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Spelling:
        """Parse a spelling, or raise an error that shows how one is written."""
        match = _SPELLING.fullmatch(_PASS_HAT.sub(r"pass_all@\1", text))
        if match is None:
            start = _SPELLING.match(text)
            hint = f" (did you mean {start[0].strip()}?)" if start and start["depth"] else ""
            raise OptionError(
                f"{text!r} is not a measure; write name, name[label], name@depth or name(option=value), "
                f"and put a label with brackets in double quotes{hint}"
            )
        label = match["label"]
        if label is not None:
            label = _unquote(label, text) if label.startswith('"') else label.strip()
        if len(match["depth"] or "") > MAX_DIGITS_OF_DEPTH:
            raise OptionError(f"a depth has at most {MAX_DIGITS_OF_DEPTH} digits; saw {text!r}")
        depth = None if match["depth"] is None else int(match["depth"])
        options = ",".join(match[part] or "" for part in ("before", "options"))
        return cls(match["name"].lower(), label, depth, _parse_options(options, text))

    def __str__(self) -> str:
        label = "" if self.label is None else f"[{quote_label(self.label)}]"
        depth = "" if self.depth is None else f"@{self.depth}"
        options = ", ".join(f"{name}={_write_value(value)}" for name, value in sorted(self.options.items()))
        return f"{self.name}{label}{depth}{f'({options})' if options else ''}"


def quote_label(label: str) -> str:
    """Write a label for a spelling, in double quotes if it would be ambiguous without."""
    return label if _PLAIN_LABEL.fullmatch(label) else json.dumps(label, ensure_ascii=False)


def _unquote(label: str, whole: str) -> str:
    try:
        return str(json.loads(label))
    except ValueError:
        raise OptionError(
            f"the quoted label in {whole!r} is not a JSON string: write a backslash twice"
        ) from None


def _write_value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value!r}".removesuffix(".0")


def _parse_options(text: str, whole: str) -> dict[str, float | str]:
    options: dict[str, float | str] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise OptionError(f"{part.strip()!r} in {whole!r} is not an option; write name=value")
        if name in options:
            raise OptionError(f"{name} appears twice in {whole!r}")
        try:
            options[name] = float(value)
        except ValueError:
            options[name] = value
    return options
