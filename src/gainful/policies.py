"""The policies of a convention: their decisions, values and meanings.

`Convention`, error messages, listings, documentation and the search of `gainful.reconcile` derive
from this declaration. Tests compare it with JSON schemas, and with the kernel.
"""

from __future__ import annotations

from gainful.errors import ArgumentError, ConventionError
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypedDict

    class PolicyKeywords(TypedDict, total=False):
        """The policies as keyword arguments."""

        order: str
        ties: str
        precision: str
        unjudged: str | float
        unretrieved: str
        negative: str
        fractions: str
        largest_grade: str | float
        duplicates: str
        same_id: str
        single: str
        no_relevant: str | float
        missing: str
        extra: str
        unweighted: str
        rounding: str


_INFINITY = float("inf")

# Larger grades and seeds are not exact in the kernel.
LARGEST_GRADE = 2**53
LARGEST_SEED = 2**64 - 1
MOST_DIGITS = 15

#: Values of `ties` under which several documents share a rank.
AVERAGE_RANK, AVERAGE_RANK_DOWN = SHARED_RANKS = ("average-rank", "average-rank-down")
#: Values of `ties` under which tied documents have no order among themselves.
UNORDERED_TIES = ("expected", *SHARED_RANKS)


class Policy:
    """A policy of conventions.

    Parameters
    ----------
    name : str
        The field of `Convention`.
    decides : str
        What it decides, in one line.
    values : dict of str to str
        The legal values with their meanings; words in capitals are placeholders. The first is the
        default. A meaning can be a pair with an abbreviation of the value for narrow tables.
    governs : {"documents", "queries", "data"}
        Whether it acts on the documents of a query, or on queries and their mean, or only declares
        how the data were made.
    always_shown : bool
        Whether the text of a convention includes it even with the default value.
    synonyms : dict of str to str, optional
        Values that say more, and give the numbers of another value.

    Attributes
    ----------
    values : dict of str to str
        The values with their meanings.
    short : dict of str to str
        The abbreviations of values that have one.
    """

    __slots__ = ("always_shown", "decides", "governs", "name", "short", "synonyms", "values")

    def __init__(
        self,
        name: str,
        decides: str,
        values: dict[str, str | tuple[str, str]],
        *,
        governs: str = "documents",
        always_shown: bool = False,
        synonyms: dict[str, str] | None = None,
        **unknown: object,
    ) -> None:
        for word in unknown:
            # As `gainful.keywords.suggest_keywords`, which knows the policies.
            raise ArgumentError(
                f"Policy() has no argument {word!r}",
                hint="the arguments are name, decides, values, governs, always_shown, synonyms",
            )
        self.name = name
        self.synonyms = synonyms or {}
        self.decides = decides
        self.values = {v: m if isinstance(m, str) else m[0] for v, m in values.items()}
        self.short = {v: m[1] for v, m in values.items() if not isinstance(m, str)}
        self.governs = governs
        self.always_shown = always_shown

    @property
    def default(self) -> str:
        """The value in the default convention."""
        return next(iter(self.values))

    @property
    def effective(self) -> tuple[str, ...]:
        """The values that are words and evaluate all data, each with other numbers.

        Placeholders, errors and synonyms are not among them.

        Examples
        --------
        >>> POLICIES["unjudged"].effective, POLICIES["fractions"].effective
        (('zero', 'condense'), ('keep', 'truncate'))
        """
        left_out = {"error", *self.synonyms}
        return tuple(word for word in self.values if word.islower() and word not in left_out)

    def meaning(self, value: str | float) -> str:
        """Return what a value means; placeholders may be filled in, as in ``random(7)``.

        Examples
        --------
        >>> POLICIES["rounding"].meaning("mean:5"), POLICIES["no_relevant"].meaning(0.0)
        ('the mean', '0, counted in the mean')
        """
        text = f"{value:g}" if isinstance(value, float) else value
        if text in self.values:
            return self.values[text]
        # A form begins like its values: random(SEED), mean:D. GRADE is a number alone.
        start = text.partition("(" if "(" in text else ":")[0]
        for form, meaning in self.values.items():
            if not form.islower() and (
                form.isupper() or form.startswith((f"{start}(", f"{start}:"))
            ):
                return meaning
        return ""

    def error(self, found: object, hint: str | None = None) -> ConventionError:
        """Return the error for an invalid value."""
        if hint is None:
            from difflib import get_close_matches

            close = get_close_matches(str(found).lower(), self.values, n=1)
            hint = f"did you mean {close[0]!r}?" if close else None
        return ConventionError(
            where=f"policy {self.name!r}",
            found=repr(found),
            expected=", ".join(self.values),
            hint=hint,
        )

    def __repr__(self) -> str:
        return f"<policy {self.name}: {', '.join(self.values)}>"


class Policies:
    """The policies by name, in the order in which conventions are written."""

    __slots__ = ("_policies",)

    def __init__(self, *policies: Policy) -> None:
        self._policies = {policy.name: policy for policy in policies}

    def __getitem__(self, name: str) -> Policy:
        return self._policies[name]

    def __iter__(self) -> Iterator[Policy]:
        return iter(self._policies.values())

    def __contains__(self, name: object) -> bool:
        return name in self._policies

    def __len__(self) -> int:
        return len(self._policies)


POLICIES = Policies(
    Policy(
        "order",
        "how a run's documents are ordered",
        {
            "score": "by score, descending",
            "rank": "by rank column, ascending",
            "given": "as listed in the run",
        },
    ),
    Policy(
        "ties",
        "the order of documents with equal scores",
        {
            "doc-id-desc": ("descending document id, compared as bytes", "id desc"),
            "doc-id-asc": ("ascending document id, compared as bytes", "id asc"),
            "given": "the order of the run",
            "reverse": "the reverse order of the run",
            "expected": "the mean of the measure over all orders",
            AVERAGE_RANK: ("each document has the mean of the shared ranks", "avg rank"),
            AVERAGE_RANK_DOWN: (
                "each document has the mean of the shared ranks, rounded down",
                "avg down",
            ),
            "optimistic": ("descending grade, for the best possible value", "best"),
            "pessimistic": ("ascending grade, for the worst possible value", "worst"),
            "random(SEED)": "random, but repeatable for the same seed, query and documents",
            "error": "equal scores are an error",
        },
        always_shown=True,
    ),
    Policy(
        "precision",
        "the precision of scores in comparisons",
        {
            "float64": "64-bit floats",
            "float32": "32-bit floats, in which close scores become equal",
        },
    ),
    Policy(
        "unjudged",
        "treatment of returned documents without a judgment",
        {
            "zero": "not relevant, no gain",
            "irrelevant": "not relevant: the judgments are complete, and none is missing",
            "condense": "removed from the ranking before evaluation",
            "GRADE": "treated as judged with this grade in the ranking, but not in the ideal",
        },
        always_shown=True,
        synonyms={"irrelevant": "zero"},
    ),
    Policy(
        "unretrieved",
        "treatment of judged documents that the run did not return",
        {
            "absent": "not in the ranking",
            "last": "in the ranking below all returned documents, tied with each other",
        },
    ),
    Policy(
        "negative",
        "treatment of negative grades",
        {
            "zero": "judged, not relevant, no gain",
            "signed": "a negative gain",
            "unjudged": "treated as unjudged",
            "drop": "treated as unjudged, and the document is removed from the ranking",
            "error": "an error",
        },
        always_shown=True,
    ),
    Policy(
        "fractions",
        "treatment of grades with a fraction",
        {
            "keep": "unchanged",
            "truncate": "truncated, so 0.7 is 0",
            "error": "an error",
        },
    ),
    Policy(
        "largest_grade",
        "the largest valid grade",
        {
            "any": "no limit",
            "GRADE": "larger grades are an error",
        },
    ),
    Policy(
        "duplicates",
        "treatment of documents that a run lists twice for a query",
        {
            "error": "an error",
            "first": "the first one counts",
            "last": "the last one counts",
            "best": "the one with the better score counts",
            "count": "each one counts, so measures can exceed 1",
            "copies": "each one counts as a separate document, also in the ideal of nDCG",
            "blank": "the first one counts; the others keep their ranks without gain",
        },
        always_shown=True,
    ),
    Policy(
        "same_id",
        "treatment of returned documents with the id of the query",
        {
            "keep": "evaluated like other documents",
            "drop": "removed from the ranking before evaluation",
        },
    ),
    Policy(
        "single",
        "treatment of rankings of one document",
        {"keep": "evaluated like other rankings", "error": "an error"},
    ),
    Policy(
        "no_relevant",
        "the value of queries with no relevant documents",
        {
            "0": "0, counted in the mean",
            "1": "1, counted in the mean",
            "nan": "not a number, and so is the mean",
            "agree": "1 if the run returned nothing, else 0",
            "skip": "left out of the mean",
            "error": "an error",
        },
        governs="queries",
        always_shown=True,
    ),
    Policy(
        "missing",
        "treatment of judged queries missing from the run",
        {
            "empty": "an empty ranking, counted in the mean",
            "skip": "left out of the mean",
            "error": "an error",
        },
        governs="queries",
        always_shown=True,
    ),
    Policy(
        "extra",
        "treatment of queries in the run without judgments",
        {
            "ignore": "left out",
            "no-relevant": "treated as judged, with no relevant documents",
            "error": "an error",
        },
        governs="queries",
    ),
    Policy(
        "unweighted",
        "which values are unweighted in a weighted mean",
        {
            "nothing": "none",
            "no-relevant": (
                "those of queries with no relevant documents, although their weights count in "
                "the denominator"
            ),
        },
        governs="queries",
    ),
    Policy(
        "rounding",
        "what is rounded to D decimal digits, halves away from zero",
        {
            "none": "nothing",
            "term:D": "each term of a sum, and the quotient of the sums",
            "term-down:D": "the same, rounded down",
            "query:D": "the value of each query, before the mean",
            "mean:D": "the mean",
        },
        governs="queries",
    ),
    Policy(
        "candidates",
        "which documents could be retrieved",
        {
            "all": "all documents of the collection, or all items",
            "sampled(N)": "the relevant ones and N others, drawn at random for each query; the "
            "values are not those of a full ranking",
            "sampled(N of M)": "the same, for a collection of M documents",
        },
        governs="data",
    ),
)


def is_declared(candidates: str) -> bool:
    """Return whether a text is a value of `candidates`, not the name of a file.

    Examples
    --------
    >>> is_declared("sampled(100)"), is_declared("all"), is_declared("sizes.tsv")
    (True, True, False)
    """
    return candidates == "all" or (candidates.startswith("sampled(") and candidates.endswith(")"))


def sample_of(candidates: str) -> tuple[int, int | None] | None:
    """Return the number of sampled candidates, and that of all if it is known.

    Examples
    --------
    >>> sample_of("sampled(100 of 26744)"), sample_of("sampled(100)"), sample_of("all")
    ((100, 26744), (100, None), None)
    """
    if candidates == "all":
        return None
    drawn, _, documents = candidates[len("sampled(") : -1].partition(" of ")
    return int(drawn), int(documents) if documents else None


def split(value: str) -> tuple[str, int]:
    """Return the word and the number of a value; without a number, 0.

    Examples
    --------
    >>> split("mean:5"), split("random(7)"), split("none")
    (('mean', 5), ('random', 7), ('none', 0))
    """
    word, _, number = value.rstrip(")").replace("(", ":").partition(":")
    return word, int(number or 0)


def canonical(name: str, value: object) -> str | float:
    """Return the canonical form of a policy's value.

    Examples
    --------
    >>> canonical("no_relevant", "1"), canonical("ties", "random(007)"), canonical("unjudged", 2)
    (1.0, 'random(7)', 2.0)
    """
    policy = POLICIES[name]
    if isinstance(value, str):
        if value in policy.values and value not in ("0", "1", "nan") and value.islower():
            return value
        if name == "ties":
            return _random(policy, value)
        if name == "rounding":
            return _rounding(policy, value)
        if name == "candidates":
            return _candidates(policy, value)
    if name == "no_relevant":
        number = _number(policy, value)
        if number in (0.0, 1.0):
            return number + 0.0  # -0.0 becomes 0.0
        if number != number:
            return number
    elif name in ("unjudged", "largest_grade"):
        number = _number(policy, value)
        if -LARGEST_GRADE <= number <= LARGEST_GRADE:
            return number + 0.0
    raise policy.error(value)


def _number(policy: Policy, value: object) -> float:
    convert = getattr(type(value), "__float__", None)
    if isinstance(value, str):
        convert = parse_number
    if convert is None or isinstance(value, bool):
        raise policy.error(value)
    try:
        return float(convert(value))
    except (TypeError, ValueError, OverflowError) as error:
        raise policy.error(value) from error


def _whole(text: str, most: int) -> int | None:
    if text.isascii() and text.isdigit() and len(text) <= 25 and int(text) <= most:
        return int(text)
    return None


def _random(policy: Policy, value: str) -> str:
    if value.startswith("random"):
        seed = _whole(value[len("random(") : -1], LARGEST_SEED)
        if value.startswith("random(") and value.endswith(")") and seed is not None:
            return f"random({seed})"
        raise policy.error(
            value, f"write a seed from 0 to {LARGEST_SEED} in parentheses, such as random(7)"
        )
    raise policy.error(value)


def _rounding(policy: Policy, value: str) -> str:
    what, colon, digits = value.partition(":")
    if what in ("term", "term-down", "query", "mean"):
        places = _whole(digits, MOST_DIGITS)
        if colon and places is not None:
            return f"{what}:{places}"
        raise policy.error(
            value, f"write the digits, 0 to {MOST_DIGITS}, after a colon, such as {what}:4"
        )
    raise policy.error(value)


def _candidates(policy: Policy, value: str) -> str:
    inner = value.removeprefix("sampled(").removesuffix(")")
    numbers = [_whole(part.strip(), LARGEST_GRADE) for part in inner.split(" of ")]
    if value == f"sampled({inner})" and len(numbers) < 3 and None not in numbers:
        drawn, *others = (number or 0 for number in numbers)
        if drawn and all(drawn < documents for documents in others):
            return f"sampled({' of '.join(map(str, (drawn, *others)))})"
    raise policy.error(
        value, "write the number of sampled documents, such as sampled(100) or sampled(100 of 5000)"
    )
