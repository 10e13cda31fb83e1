"""The policies of a convention: their decisions, legal values and meanings.

Error messages, documentation and help texts are generated from this table.
"""

from __future__ import annotations

from gainful.errors import ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_INFINITY = float("inf")

# Larger grades and seeds are not exact in the kernel.
LARGEST_GRADE = 2**53
LARGEST_SEED = 2**64 - 1
MOST_DIGITS = 15


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
        default.
    """

    __slots__ = ("decides", "name", "values")

    def __init__(self, name: str, decides: str, values: dict[str, str]) -> None:
        self.name = name
        self.decides = decides
        self.values = values

    @property
    def default(self) -> str:
        """The value in the default convention."""
        return next(iter(self.values))

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
        "what puts a run's documents in order",
        {
            "score": "the score, from the highest",
            "rank": "the rank column, from the lowest",
            "given": "the order in which the run lists them",
        },
    ),
    Policy(
        "ties",
        "which of several documents with equal scores stands first",
        {
            "doc-id-desc": "the one with the greater id, compared as bytes",
            "doc-id-asc": "the one with the smaller id, compared as bytes",
            "given": "the one that the run lists first",
            "reverse": "the one that the run lists last",
            "expected": "none: the measure is averaged over all their orders",
            "average-rank": "none: each stands at the mean of the ranks that they share",
            "average-rank-down": "none: each stands at that mean without its fraction",
            "optimistic": "the one with the higher grade, so that the value is the best possible",
            "pessimistic": "the one with the lower grade, so that the value is the worst possible",
            "random(SEED)": "one drawn at random, the same for the same seed, query and documents",
            "error": "none: equal scores are an error",
        },
    ),
    Policy(
        "precision",
        "how finely scores are compared",
        {
            "float64": "as 64-bit floating-point numbers",
            "float32": "as 32-bit floating-point numbers, in which close scores become equal",
        },
    ),
    Policy(
        "unjudged",
        "what a returned document without a judgment is",
        {
            "zero": "not relevant, and worth nothing",
            "condense": "taken out of the ranking before it is measured",
            "GRADE": "judged with this grade, in the ranking but not in the ideal",
        },
    ),
    Policy(
        "unretrieved",
        "what a judged document is that the run did not return",
        {
            "absent": "not in the ranking",
            "last": "in the ranking after all that was returned, tied with the others of its kind",
        },
    ),
    Policy(
        "negative",
        "what a negative grade is",
        {
            "zero": "judged, not relevant, and worth nothing",
            "signed": "a loss: its gain is negative",
            "unjudged": "no judgment at all",
            "drop": "no judgment at all, and the document is taken out of the ranking",
            "error": "an error",
        },
    ),
    Policy(
        "fractions",
        "what a grade that is not a whole number is",
        {
            "keep": "the grade that it is",
            "truncate": "the grade without its fraction, so 0.7 is 0",
            "error": "an error",
        },
    ),
    Policy(
        "largest_grade",
        "which grades are too large",
        {
            "any": "none",
            "GRADE": "those above this one: they are an error",
        },
    ),
    Policy(
        "duplicates",
        "what happens when a run lists a document twice for one query",
        {
            "error": "an error that names the place",
            "first": "the first listed counts",
            "last": "the last listed counts",
            "best": "the one with the better score counts",
            "count": "each counts, so that a measure can exceed 1",
            "copies": "each counts as a document of its own, in the ideal of nDCG too",
            "blank": "the first listed counts, the others keep their ranks and are worth nothing",
        },
    ),
    Policy(
        "same_id",
        "what a returned document is whose id is the query's own",
        {
            "keep": "a document like any other",
            "drop": "taken out of the ranking before it is measured",
        },
    ),
    Policy(
        "single",
        "what a ranking of one document is",
        {"keep": "a ranking like any other", "error": "an error that names the query"},
    ),
    Policy(
        "no_relevant",
        "the value of a query for which nothing is relevant",
        {
            "0": "0, counted in the mean",
            "1": "1, counted in the mean",
            "nan": "not a number, which the mean then is too",
            "agree": "1 where the run returned nothing either, else 0",
            "skip": "none: the mean is over the other queries",
            "error": "an error that names the query",
        },
    ),
    Policy(
        "missing",
        "what a judged query is that the run lacks",
        {
            "empty": "a query that returned no document, counted in the mean",
            "skip": "left out: the mean is over the queries that the run has",
            "error": "an error that names the query",
        },
    ),
    Policy(
        "extra",
        "what a query of the run is that has no judgments",
        {"ignore": "left out", "error": "an error that names the query"},
    ),
    Policy(
        "unweighted",
        "which values enter a weighted mean without their weight",
        {
            "nothing": "none",
            "no-relevant": "those of queries with nothing relevant, whose weights still divide",
        },
    ),
    Policy(
        "rounding",
        "what is rounded to D decimal digits, half away from zero",
        {
            "none": "nothing",
            "term:D": "each term of a sum, and the quotient of the sums",
            "term-down:D": "the same, but always downwards",
            "query:D": "the value of each query, before the mean",
            "mean:D": "the mean",
        },
    ),
)


def canonical(name: str, value: object) -> str | float:
    """Return the canonical form of a policy's value.

    Raises
    ------
    ConventionError
        If the value is invalid; the message lists the valid ones.

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
        convert = float
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
