"""The conventions to search, and what a reported number can mean under them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from decimal import Decimal, InvalidOperation, localcontext
from functools import lru_cache
from itertools import product
from math import nextafter

from gainful import _kernel
from gainful.conventions import Convention, Preset, presets
from gainful.conventions.convention import preset_convention
from gainful.data.table import kernel_rows
from gainful.errors import GainfulError, ParameterError
from gainful.evaluation.arguments import add_convention_context
from gainful.measures import Measure
from gainful.measures.definitions.cumulated_gain import DISCOUNT, GAIN, IDEAL
from gainful.numerals import parse_number
from gainful.policies import POLICIES, split
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from gainful.data import Qrels, Run


#: Policies that change a ranking or the grades of its documents.
RANKING: Mapping[str, tuple[object, ...]] = {
    policy.name: policy.effective
    for policy in POLICIES
    if policy.governs == "documents" and len(policy.effective) > 1
} | {"order": ("score", "given", "rank")}  # Of equal effects, the order of rows explains more.

#: Policies on the aggregation of queries.
NUMBER: Mapping[str, tuple[object, ...]] = {
    "no_relevant": (0.0, 1.0, "skip", "agree"),
    "missing": POLICIES["missing"].effective,
    "rounding": ("none", "query:2", "query:3", "query:4"),
    "aggregation": ("mean", "median"),
}

#: A mean that was taken over other queries: with judged queries that the data lack, which count 0,
#: or without queries of the value 0.
OTHER_COUNTS = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5)

#: Commonly reported measures with their cutoffs (None: the whole ranking). nDCG is searched at
#: every cutoff.
COMMON_MEASURES: tuple[tuple[str, tuple[int | None, ...]], ...] = (
    ("AP", (None, 10, 20, 50, 100, 1000)),
    ("RR", (None, 5, 10, 20, 100, 1000)),
    ("P", (1, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)),
    ("R", (None, 1, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)),
    ("Success", (1, 3, 5, 10, 20, 50, 100)),
    ("ERR", (None, 5, 10, 20)),
    ("RBP", (None, 10, 20)),
    ("Rprec", (None,)),
    ("F", (1, 3, 5, 10, 20, 50, 100)),
    ("bpref", (None,)),
    ("DCG", (None, 3, 5, 10, 20, 50, 100, 1000)),
)

#: If no cutoff is given, every cutoff up to this one is searched.
DEEPEST = 1000

#: The maximum number of relevance levels to search.
MOST_LEVELS = 8

#: Parameters to search unless the measure sets them; ``rel`` and ``max_grade`` come from the
#: judgments. 1/ln(r + 1) is 1/log2(r + 1) times a constant, which cancels out in nDCG.
PARAMETERS: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "nDCG": {
        "gain": GAIN.words,
        "discount": tuple(word for word in DISCOUNT.words if word != "ln"),
        "ideal": IDEAL.words,
    },
    "IDCG": {"gain": GAIN.words, "discount": DISCOUNT.words, "ideal": IDEAL.words},
    "DCG": {"gain": GAIN.words, "discount": DISCOUNT.words},
    "CG": {"gain": GAIN.words},
    "AP": {"norm": ("relevant", "capped")},
    "R": {"capped": (False, True)},
    "RBP": {"p": (0.8, 0.5, 0.9, 0.95)},
}

#: Common cutoffs, the most common first.
_USUAL: tuple[tuple[int | None, ...], ...] = (
    (10,),
    (None, 5, 20, 100),
    (1, 3, 1000, 50, 30, 15),
    (25, 200, 500, 2, 4, 32),
)
#: The minimum cost of other cutoffs.
UNUSUAL = 40_000
#: Cutoffs that are tried in the place of a reported one.
USUAL_CUTOFFS: tuple[int | None, ...] = tuple(cutoff for usual in _USUAL[:3] for cutoff in usual)
#: Measures that usually have a cutoff; others are usually computed on the whole ranking.
_CUT_FAMILIES = ("nDCG", "DCG", "IDCG", "CG", "P", "R", "Success", "F")


@lru_cache(maxsize=1 << 15)
def cutoff_cost(cutoff: int | None, family: str = "nDCG") -> int:
    """Return a cost that is larger for less usual cutoffs.

    For nDCG, 10 costs least. Common cutoffs follow, then multiples of 10, then multiples of 5.

    Examples
    --------
    >>> sorted([137, 20, 10, 40, 35, None], key=cutoff_cost)
    [10, None, 20, 40, 35, 137]
    """
    if cutoff is None and family not in _CUT_FAMILIES:
        return 0
    for cost, usual in enumerate(_USUAL):
        if cutoff in usual:
            return 100 * cost + usual.index(cutoff) + 1
    assert cutoff is not None
    kind = 0 if cutoff % 10 == 0 else 1 if cutoff % 5 == 0 else 2
    return UNUSUAL + 10_000 * kind + cutoff


#: Conventions that reject no data. Ties have the largest effect under the second.
_PLAIN = Convention(duplicates="count")
_OPEN = _PLAIN.replace(ties="expected")
#: A convention whose other policies can leave documents without judgments.
_GAPS = _PLAIN.replace(duplicates="blank", negative="unjudged")
#: Policies on tied scores, which have no effect if the ranking does not depend on scores.
_SCORE_POLICIES = ("ties", "precision")
#: Policies that only reject data.
REFUSALS = {"extra": "ignore", "single": "keep", "largest_grade": "any"}
#: The value that replaces that of a policy that rejects the data.
_RELAXED = {**REFUSALS, "missing": "empty", "negative": "zero", "fractions": "keep"}

_REASONS = {
    "order": "the rows are in score order",
    "ties": "no equal scores",
    "precision": "no scores that are equal in 32 bits",
    "unjudged": "every returned document has a judgment",
    "unretrieved": "every judged document was returned",
    "negative": "no negative grades",
    "fractions": "no grades with a fraction",
    "duplicates": "no duplicate documents",
    "same_id": "no document with the id of its query",
    "missing": "the run has every judged query",
    "no_relevant": "every query has relevant documents",
    "gain": "the grades are 0 and 1",
}


@dataclass(frozen=True)
class TriedPreset:
    """A preset, with changes if it rejects the data.

    Parameters
    ----------
    name : str
        The name of the preset.
    convention : Convention
        Its convention, with policies that reject the data replaced.
    relaxed : tuple of str
        The replacements, such as ``"single=keep"``.
    refuses : bool
        Whether the convention rejects the data in spite of the replacements.
    """

    name: str
    convention: Convention
    relaxed: tuple[str, ...] = ()
    _: KW_ONLY
    refuses: bool = False


class Survey:
    """The presets and policy values that can make a difference on given data.

    Attributes
    ----------
    known : list of TriedPreset
        The presets; those that reject the data unless changed come last.
    refusals : dict of str to str
        The error message of each preset that rejects the data, by its name.
    values : dict of str to list
        The values of each ranking policy to try; a single one if the policy makes no difference.
    indifferent : dict of str to str
        Policies that make no difference on these data, and why.
    grades : list of float
        The distinct grades, ascending.
    missing : int
        Number of judged queries that the run with the fewest queries lacks.
    queries, longest, deepest, rows : int
        Number of judged queries in the run with the fewest, of documents in the longest ranking and
        in the largest pool, and of rows in all runs.
    tied : (int, int)
        Number of tied documents, with scores of 64 and of 32 bits.
    """

    def __init__(
        self, qrels: Qrels, runs: Sequence[Run], tied: tuple[int, int], threads: int
    ) -> None:
        named = presets()
        self.tied = tied
        variants = [
            (policy, value, base)
            for policy, values in RANKING.items()
            for value in values
            for base in (_PLAIN, _OPEN)
        ]
        variants += [("unjudged", value, _GAPS) for value in RANKING["unjudged"]]
        bases = [base.replace(**{policy: value}) for policy, value, base in variants]
        surveyed = _kernel.reconcile_survey(
            kernel_rows(qrels),
            [kernel_rows(run) for run in runs],
            [base.spec() for base in bases]
            + [preset_convention(preset).spec() for preset in named],
            threads=threads,
        )
        self.queries, self.longest, self.deepest, self.grades, fingerprints = surveyed
        faults = [each for each in fingerprints if isinstance(each, GainfulError)]
        if len(faults) == len(fingerprints):
            # No convention is for such data.
            raise faults[0]
        self.rows = sum(len(kernel_rows(run)) for run in runs)
        self.missing = len(qrels) - self.queries
        self.refusals: dict[str, str] = {}
        self.known: list[TriedPreset] = []
        refusing: list[Preset] = []
        for preset, fingerprint in zip(named, fingerprints[len(bases) :], strict=True):
            if isinstance(fingerprint, GainfulError):
                self.refusals[preset.name] = str(
                    add_convention_context(fingerprint, preset_convention(preset))
                )
                refusing.append(preset)
            else:
                self.known.append(TriedPreset(preset.name, preset_convention(preset)))
        self.known += [_relax(preset, qrels, runs, threads) for preset in refusing]
        self._same: dict[tuple[str, object], object] = {}
        self.values: dict[str, list[object]] = {}
        self.indifferent: dict[str, str] = {}
        self._compare(variants, fingerprints)

    def _compare(
        self, variants: list[tuple[str, object, Convention]], fingerprints: list[int | Exception]
    ) -> None:
        by_policy: dict[str, dict[object, list[int | Exception]]] = {}
        for (policy, value, _), fingerprint in zip(variants, fingerprints, strict=False):
            by_policy.setdefault(policy, {}).setdefault(value, []).append(fingerprint)
        for policy, by_value in by_policy.items():
            first: dict[tuple[object, ...], object] = {}
            distinct: list[object] = []
            for value, groups in by_value.items():
                if any(isinstance(result, Exception) for result in groups):
                    continue  # The value rejects the data, such as order=rank without ranks.
                # Tie policies are all distinct, unless no documents are tied (below).
                key = (*groups[:1], value) if policy == "ties" else tuple(groups)
                if key not in first:
                    distinct.append(value)
                self._same[policy, value] = first.setdefault(key, value)
            self.values[policy] = distinct
        if not any(self.tied) and len(self.values["unretrieved"]) == 1:
            for value in self.values["ties"]:
                self._same["ties", value] = "doc-id-desc"
            self.values["ties"] = ["doc-id-desc"]
        for policy, values in self.values.items():
            if len(values) == 1:
                self.indifferent[policy] = _REASONS[policy]
        if not self.missing:
            self.indifferent["missing"] = _REASONS["missing"]

    def same(self, policy: str, value: object) -> object:
        """Return the first value of a policy that has the same effect as a given value."""
        return self._same.get((policy, value), value)

    def has_effect(self, policy: str, convention: Convention) -> bool:
        """Return whether a policy has any effect under the others of a convention."""
        if policy not in _SCORE_POLICIES or convention.unretrieved == "last":
            return True
        if convention.order != "score":
            return policy == "ties" and convention.order == "rank"
        if policy == "ties":
            return bool(self.tied[convention.precision == "float32"])
        return True

    def values_of(self, convention: Convention) -> tuple[object, ...]:
        """Return a convention's values of the ranking policies, each replaced by `same`."""
        return tuple(self.same(policy, getattr(convention, policy)) for policy in RANKING)

    def key(self, convention: Convention) -> tuple[object, ...]:
        """Return the values of the ranking policies, None for policies without effect."""
        return tuple(
            value if self.has_effect(policy, convention) else None
            for policy, value in zip(RANKING, self.values_of(convention), strict=True)
        )

    def differing(self, ours: Convention, theirs: Convention) -> list[str]:
        """Return the names of the ranking policies in which two conventions differ."""
        pairs = zip(RANKING, self.key(ours), self.values_of(theirs), strict=True)
        return [policy for policy, ours, other in pairs if ours is not None and ours != other]

    def relevance_levels(self) -> list[float]:
        """Return the grades that may be the lowest relevant grade."""
        return [grade for grade in self.grades if grade > 0]


def _relax(preset: Preset, qrels: Qrels, runs: Sequence[Run], threads: int) -> TriedPreset:
    """Return a preset changed to accept the data, if possible in only one policy."""
    convention = preset_convention(preset)
    refusing = [name for name, value in _RELAXED.items() if _rejects_data(convention, name, value)]
    tries = [[name] for name in refusing]
    if len(refusing) > 1:
        tries.append(refusing)
    relaxed = [convention.replace(**{name: _RELAXED[name] for name in names}) for names in tries]
    surveyed = _kernel.reconcile_survey(
        kernel_rows(qrels),
        [kernel_rows(run) for run in runs],
        [convention.spec() for convention in relaxed],
        threads=threads,
    )
    for names, relaxed_names, fingerprint in zip(tries, relaxed, surveyed[-1], strict=True):
        if not isinstance(fingerprint, Exception):
            return TriedPreset(
                preset.name, relaxed_names, tuple(f"{name}={_RELAXED[name]}" for name in names)
            )
    return TriedPreset(preset.name, convention, refuses=True)


def _rejects_data(convention: Convention, policy: str, neutral: str) -> bool:
    value = getattr(convention, policy)
    return value == "error" or (policy == "largest_grade" and value != neutral)


@dataclass(frozen=True)
class Series:
    """A measure with its parameters set, at several cutoffs.

    `rank` is the position of the measure in the search. `preset` is the index of the only preset
    that the series belongs to, or None. `as_reported` is false for a measure other than the
    reported one, which is as implausible as an unusual cutoff.
    """

    measure: Measure
    params: dict[str, object]
    cutoffs: Sequence[int | None]
    _: KW_ONLY
    rank: int = 0
    preset: int | None = None
    rounding: str = "none"
    as_reported: bool = True

    def spec(self, convention: Convention | None) -> _kernel.Series:
        """Return the series as the kernel's argument."""
        kernel, values = self.measure.spec(convention)
        family = self.measure.family
        base = 1000 * self.rank + (0 if self.as_reported else UNUSUAL)
        costs = [base]
        if len(self.cutoffs) > 1:
            costs = [base + cutoff_cost(cutoff, family) for cutoff in self.cutoffs]
        rounding = split(self.rounding)
        return repr(self.measure), kernel, values, list(self.cutoffs), costs, *rounding


@dataclass(frozen=True)
class Way:
    """An aggregation of the values of queries.

    A mean is over `extra` more queries than are evaluated, all with the value 0, or over fewer.
    """

    no_relevant: str | float
    missing: str
    rounding: str
    aggregation: str
    preset: int | None = None
    extra: int = 0

    def spec(self) -> _kernel.Way:
        """Return the aggregation as the kernel's argument."""
        valued = not isinstance(self.no_relevant, str)
        return (
            "value" if valued else str(self.no_relevant),
            float(self.no_relevant) if valued else 0.0,
            self.missing,
            *split(self.rounding),
            self.aggregation,
            self.extra,
        )


def common_measures() -> list[tuple[Measure, Sequence[int | None]]]:
    """Return the measures to search if none is given."""
    named = [(Measure(family), cutoffs) for family, cutoffs in COMMON_MEASURES]
    return [(Measure("nDCG"), ()), *named]


def cutoffs_of(measure: Measure, deepest: int) -> Sequence[int | None]:
    """Return the cutoffs of a measure: its own, or all that make a difference."""
    if measure.cutoff is not None:
        return [measure.cutoff]
    if not measure.declaration.takes_cutoff:
        return [None]
    return [*range(1, min(deepest, DEEPEST) + 1), None]


def variants(measure: Measure, survey: Survey) -> Iterator[tuple[Measure, dict[str, object]]]:
    """Yield a measure with every combination of the parameters that it does not set."""
    plain = Measure(measure.family, measure.params)
    free: dict[str, Sequence[object]] = {}
    for parameter in plain.declaration.parameters:
        name = parameter.name
        if name in measure.params:
            continue
        if name == "rel":
            levels = survey.relevance_levels()[:MOST_LEVELS]
            free[name] = sorted({1.0, *levels})
        elif name == "max_grade" and measure.family in ("ERR", "nERR"):
            free[name] = sorted({4.0, *(grade for grade in survey.grades[-1:] if grade > 0)})
        elif name in PARAMETERS.get(measure.family, {}):
            free[name] = PARAMETERS[measure.family][name]
    if "gain" in free and set(survey.grades) <= {0.0, 1.0}:
        free["gain"] = ("linear", "exponential+1", "judged")
    largest = survey.grades[-1] if survey.grades else 0.0
    for chosen in product(*free.values()):
        params = dict(zip(free, chosen, strict=True))
        if params.get("ideal") == "max-grade":
            if largest <= 0:
                continue
            params["max_grade"] = largest
        variant = plain(**params)
        yield variant, dict(variant.resolve().params)


#: Tools that compute the same value may differ beyond this digit.
MOST_DIGITS = 12
#: Larger values are percentages. Shares are at most 1, but defects of tools give up to 2.
LARGEST_SHARE = 2


@dataclass(frozen=True, slots=True)
class Reported:
    """A number as printed.

    Attributes
    ----------
    text : str
        The original text.
    value : float
        The number as a share, not a percentage.
    digits : int
        The number of digits after the point, as a share.
    per_cent : bool
        Whether the text is a percentage.
    low, high : float
        The smallest and the largest float that round to the number; halfway values round in both
        directions.
    """

    text: str
    value: float
    digits: int
    per_cent: bool
    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Return whether a value rounds to the number."""
        return self.low <= value <= self.high

    def distance(self, value: float) -> float:
        """Return the distance of a value from the range that rounds to the number."""
        return max(self.low - value, value - self.high, 0.0)


def are_percentages(values: Iterable[object], largest: float | None) -> bool:
    """Return whether the values are percentages: one of them is too large for a share."""
    if largest != 1:
        return False
    for value in values:
        try:
            if parse_number(str(value).rstrip("% ")) > LARGEST_SHARE:
                return True
        except ValueError:
            continue
    return False


def joint_value(values: Sequence[float], numbers: Sequence[Reported]) -> float:
    """Return one value for those of several runs, as the kernel does.

    It is the first if all round to their numbers, else the one with the largest distance, both on
    the scale of the first number.

    Examples
    --------
    >>> numbers = [read_reported("0.4"), read_reported("0.35")]
    >>> joint_value([0.41, 0.352], numbers), round(joint_value([0.41, 0.365], numbers), 3)
    (0.41, 0.55)
    """
    first = numbers[0]
    joint = values[0]
    for value, number in zip(values[1:], numbers[1:], strict=True):
        scale = (first.high - first.low) / (number.high - number.low)
        value = first.low + (value - number.low) * scale
        if value != value or first.distance(value) > first.distance(joint):
            joint = value
    return joint


def read_reported(
    reported: object,
    digits: int | None = None,
    *,
    largest: float | None = 1.0,
    where: str = "reported",
) -> Reported:
    """Parse a reported number.

    Examples
    --------
    >>> read_reported("43.12").value, read_reported("43.12").digits
    (0.4312, 4)
    >>> read_reported(".25").contains(0.2549), read_reported(".25").contains(0.2551)
    (True, False)
    """
    text, number = _number(reported, where)
    per_cent = text.endswith("%")
    if digits is not None and (type(digits) is not int or not 1 <= digits <= MOST_DIGITS):
        raise ParameterError(
            where="digits",
            found=repr(digits),
            expected=f"a whole number from 1 to {MOST_DIGITS}: the digits after the point",
        )
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    places = digits if digits is not None else min(max(0, -exponent), MOST_DIGITS)
    if largest is not None and abs(number) > max(LARGEST_SHARE, 2 * largest):
        per_cent = per_cent or largest == 1
    if per_cent and largest == 1 and abs(number) > 100 * LARGEST_SHARE:
        raise ParameterError(where=where, found=text, expected="at most 1, or 100%")
    if places + (2 if per_cent else 0) < 1:
        raise ParameterError(
            where=where,
            found=f"{text}, which has no digits after the point",
            expected="a number as printed, such as 0.4312",
        )
    from fractions import Fraction

    exact = Fraction(number)
    half = Fraction(1, 2 * 10**places)
    shift = 100 if per_cent else 1
    return Reported(
        text=text,
        value=float(exact / shift),
        digits=places + (2 if per_cent else 0),
        per_cent=per_cent,
        low=_round_up((exact - half) / shift),
        high=_round_down((exact + half) / shift),
    )


def _number(reported: object, where: str) -> tuple[str, Decimal]:
    convert = getattr(type(reported), "__float__", None)
    if isinstance(reported, str):
        text = reported.strip().replace("−", "-")
        plain = text.removesuffix("%").strip()
    elif convert is not None and not isinstance(reported, bool):
        text = plain = repr(float(convert(reported)))
    else:
        text, plain = repr(reported), ""
    number = None
    if plain.isascii() and "_" not in plain and len(plain) < 400:
        try:
            with localcontext():
                number = Decimal(plain)
        except InvalidOperation:
            number = None
    if number is None or not number.is_finite() or abs(number.adjusted()) > 300:
        raise ParameterError(
            where=where,
            found=shown(text),
            expected="a finite number, such as 0.4312",
            hint="use a decimal point" if plain.count(",") == 1 else None,
        )
    return text, number


def _round_up(exact: Fraction) -> float:
    value = float(exact)
    return nextafter(value, float("inf")) if value < exact else value


def _round_down(exact: Fraction) -> float:
    value = float(exact)
    return nextafter(value, float("-inf")) if value > exact else value


#: The reciprocal rank of the MIND challenge, whose script averages it over relevant documents.
MIND = "as the mean of 1/rank over all relevant documents, like MIND's script"


def other_readings(measure: Measure, survey: Survey) -> list[tuple[Measure, Sequence[int | None]]]:
    """Return a measure as reported, then what else its name may stand for.

    A page may print P@15 under the name P@10, or count only the highest grades as relevant without
    saying so. A measure without a cutoff is searched at every cutoff in any case.
    """
    cutoffs = [measure.cutoff]
    readings: list[tuple[Measure, Sequence[int | None]]] = [(measure, cutoffs)]
    if measure.cutoff is not None:
        others = [cutoff for cutoff in USUAL_CUTOFFS if cutoff != measure.cutoff]
        readings.append((Measure(measure.family, measure.params), others))
    readings += [(other, cutoffs) for other in _other_thresholds(measure, survey)]
    return readings


def _other_thresholds(measure: Measure, survey: Survey) -> list[Measure]:
    """Return the measure with each other lowest relevant grade."""
    plain = Measure(measure.family, measure.params)
    names = [parameter.name for parameter in plain.declaration.parameters]
    levels = survey.relevance_levels()[:MOST_LEVELS]
    if "rel" in names:
        threshold = measure.params.get("rel", 1)
        return [plain(rel=level) for level in levels if level != threshold]
    if "gain" in names and "gain" not in measure.params:
        tables = [
            tuple((grade, float(grade >= level)) for grade in survey.grades) for level in levels
        ]
        return [plain(gain=table) for table in tables]
    return []


def describe_factor(low: float, high: float, queries: int) -> tuple[float, str]:
    """Return a factor between two ends and what it means: the number of queries, or itself.

    Examples
    --------
    >>> describe_factor(0.87990, 0.88010, 88)[1], describe_factor(99.5, 100.5, 88)[1]
    ('as a mean over 100 queries, not 88', 'times 100')
    """
    other = round(2 * queries / (low + high))
    if other and low <= queries / other <= high:
        return queries / other, f"as a mean over {other} queries, not {queries}"
    middle = (low + high) / 2
    rounded = (round(middle, places) for places in range(17))
    factor = next((value for value in rounded if low <= value <= high), middle)
    return factor, f"times {factor:.12g}"


def describe_reading(reported: Measure, measure: Measure, queries: int, extra: int) -> list[str]:
    """Return in what a measure and its mean differ from those reported.

    Examples
    --------
    >>> from gainful.measures import Measure
    >>> describe_reading(Measure("P", cutoff=10), Measure("P", cutoff=15), 173, 1)
    ['at cutoff 15, not 10', 'as a mean over 174 queries, not 173']
    """
    reading = []
    if reported.cutoff is not None and measure.cutoff != reported.cutoff:
        cutoff = "without a cutoff" if measure.cutoff is None else f"at cutoff {measure.cutoff}"
        reading.append(f"{cutoff}, not {reported.cutoff}")
    if dict(measure.params) != dict(reported.params):
        reading.append(f"as {Measure(measure.family, measure.params)!r}")
    if extra:
        reading.append(f"as a mean over {queries + extra} queries, not {queries}")
    return reading
