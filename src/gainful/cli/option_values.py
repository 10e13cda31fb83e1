"""Options whose values commands parse: pairs, grades, shares, weights and slices of queries."""

from __future__ import annotations

from gainful.errors import FormatError, ParameterError
from gainful.numerals import parse_number
from gainful.parameters import File, Parameter
from gainful.parameters.comparing import BY, CLUSTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "FAMILIES",
    "SCALE",
    "WEIGHTS",
    "parse_pairs",
    "parse_prior",
    "parse_scale",
    "parse_share",
    "query_groups",
    "read_weights",
    "split_pairs",
]

FAMILIES = Parameter(
    "families",
    flags=("--family",),
    repeatable=True,
    convert=lambda words, values: split_pairs(words, "--family", "NAME=FAMILY"),
    metavar="NAME=FAMILY",
    help="The family of a system or model: the audit reports whether a model favors one."
    " Repeatable.",
)


def parse_pairs(
    words: Iterable[str],
    flag: str,
    form: str,
    *,
    once: Callable[[str], str] | None = None,
    hint: str | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an option ``NAME=VALUE``; a value keeps its spaces."""
    seen = set()
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(where=flag, found=repr(word), expected=form)
        if once is not None and name in seen:
            raise ParameterError(where=flag, found=f"{name} twice", expected=once(name), hint=hint)
        seen.add(name)
        yield name, value


def split_pairs(words: Iterable[str], flag: str, form: str) -> dict[str, str]:
    """Return the values of an option ``NAME=VALUE`` by name; no value is empty.

    Examples
    --------
    >>> split_pairs(["dense=small", "llm=small"], "--family", "NAME=FAMILY")
    {'dense': 'small', 'llm': 'small'}
    """
    pairs = {name: value.strip() for name, value in parse_pairs(words, flag, form)}
    for name, value in pairs.items():
        if not value:
            raise ParameterError(where=flag, found=repr(f"{name}="), expected=form)
    return pairs


SCALE = Parameter(
    "scale",
    metavar="GRADES",
    convert=lambda text, values: parse_scale(text),
    help="With --bounds or --sample, the possible grades of unjudged documents: 0,1,2,3. Default: 0"
    " and the grades of the judgments.",
    annotation="Iterable[float] | None",
)


def parse_scale(scale: str | None) -> list[float] | None:
    """Return the grades of ``--scale``.

    Examples
    --------
    >>> parse_scale("0,1,2.5"), parse_scale(None)
    ([0.0, 1.0, 2.5], None)
    """
    if scale is None:
        return None
    try:
        return [parse_number(grade) for grade in scale.split(",")]
    except ValueError:
        raise ParameterError(
            where="--scale", found=repr(scale), expected="numbers and commas, as in 0,1,2,3"
        ) from None


def parse_prior(prior: str | None) -> str | dict[float, float] | None:
    """Return the prior of ``--prior``: a name, or probabilities by grade.

    Examples
    --------
    >>> parse_prior("run"), parse_prior("0=0.9,1=0.1"), parse_prior(None)
    ('run', {0.0: 0.9, 1.0: 0.1}, None)
    """
    if prior is None or "=" not in prior:
        return prior
    try:
        pairs = [pair.split("=") for pair in prior.split(",")]
        return {parse_number(grade): parse_number(share) for grade, share in pairs}
    except ValueError:
        raise ParameterError(
            where="--prior",
            found=repr(prior),
            expected="run, pool, or as in 0=0.9,1=0.1",
        ) from None


def parse_share(text: str) -> float:
    """Return a share such as ``20%`` or ``0.2``."""
    number = text.removesuffix("%")
    try:
        share = parse_number(number) / (100.0 if number != text else 1.0)
    except ValueError:
        share = float("nan")
    if not 0.0 <= share <= 1.0:
        raise ParameterError(
            where="overlap", found=repr(text), expected="a share such as 20% or 0.2"
        )
    return share


WEIGHTS = Parameter(
    "weights",
    File,
    convert=lambda path, values: read_weights(path),
    help="Weight the queries in the means: lines of a query id and a number.",
    annotation="Mapping[str, float] | None",
    type="mapping of query id to float",
)


def query_groups(*, verb: str = "compare", where: str = "") -> tuple[Parameter, ...]:
    """Declare ``--by``, ``--weights`` and ``--clusters``."""
    slices = BY.replace(help=BY.help.replace("compare", verb, 1) + where, doc="", annotation="")
    return slices, WEIGHTS, CLUSTERS.replace(doc="", annotation="")


def read_weights(path: str | None) -> dict[str, float] | None:
    """Read lines of a query id, white space and a number; an id may contain spaces.

    Without a path, return None.
    """
    if path is None:
        return None
    from gainful.data.text_files import text_lines

    name, lines = text_lines(path)
    weights: dict[str, float] = {}
    for number, line in lines:
        query, _, text = line.replace("\t", " ").rpartition(" ")
        try:
            weight = parse_number(text)
        except ValueError:
            weight = -1.0
        if not query.strip() or not 0 <= weight < float("inf"):
            raise FormatError(
                file=name,
                line=number,
                found=repr(line[:80]),
                expected="a query id and a finite number that is not negative",
            )
        if query.strip() in weights:
            raise FormatError(
                file=name,
                line=number,
                found=f"query {query.strip()!r} a second time",
                expected="one line per query",
            )
        weights[query.strip()] = weight
    if not weights:
        raise FormatError("the file of weights is empty", file=name)
    return weights
