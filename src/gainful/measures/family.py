"""The declaration of a family of measures, for people and for the kernel."""

from __future__ import annotations

from gainful.measures.parameters import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gainful.measures.parameters import Parameter, Policies, Range, Value, Values


class TrecName:
    """The meaning of a trec_eval name.

    Parameters
    ----------
    takes : {"nothing", "cutoffs", "points", "gains", "p", "numbers"}
        What may follow it: ``ndcg_cut_10`` cutoffs, ``iprec_at_recall_0.10`` points,
        ``ndcg_1=3,2=9`` gains, ``rbp_p=0.5`` a persistence, ``set_F_0.5`` numbers.
    cutoffs : tuple of int
        The default cutoffs; empty for the whole ranking.
    points : tuple of numbers
        The default points, one measure each.
    into : tuple of str
        The parameters to set from points and numbers: the first one from points or a single number;
        one each from several numbers, or a list in the first if it ends in ``...``.
    params : dict
        The parameters that the name sets.
    """

    __slots__ = ("cutoffs", "into", "params", "points", "takes")

    def __init__(
        self,
        takes: str = "nothing",
        *,
        cutoffs: tuple[int, ...] = (),
        points: tuple[float, ...] = (),
        into: tuple[str, ...] = (),
        params: Mapping[str, Value] | None = None,
    ) -> None:
        self.takes = takes
        self.cutoffs = cutoffs
        self.points = points
        self.into = into
        self.params = dict(params or {})


def plain(name: str) -> str:
    """Return a name for lookup: in lower case, without ``_`` and ``-``.

    >>> plain("Hit_Rate"), plain("R-precision")
    ('hitrate', 'rprecision')
    """
    return name.lower().replace("_", "").replace("-", "")


class Family:
    """A family of measures, such as nDCG.

    Parameters
    ----------
    name : str
        The name in Gainful's notation.
    kernel : str
        The kernel's name for it.
    summary : str
        One line.
    formula : str
        The formula as text, with r the rank counted from 1.
    source : str
        The publication that defines it: authors, title, venue, year.
    example : str
        A measure of this family, in Gainful's notation.
    group : str
        The heading in listings: a key of `gainful.measures.listing.GROUPS`.
    aliases : tuple of str, optional
        Common names in lower case without ``_`` and ``-``; `name` is added.
    variants : dict of str to dict, optional
        Common names that set parameters: ``{"f2": {"beta": 2}}``.
    renames : dict of str to dict, optional
        By common name, the parameters that have another name after it.
    trec_names : dict of str to TrecName, optional
        trec_eval's names for measures of this family.
    parameters : tuple of Parameter
        The parameters, in the order in which they are written.
    takes_cutoff : bool
        Whether ``@k`` is allowed.
    judgments : {"grades", "subtopics", "groups", "strata", "alternatives", "spans"}
        Its input: one grade per document, one per subtopic of the query, one per group of
        assessors, one per document with its sampling stratum, groups of alternatives if the
        judgments have any and otherwise one grade per document, or spans of text.
    at : str or None
        The parameter that ``@`` sets if it is not a cutoff.
    low, high : float or None
        The lowest and highest value; ``None`` if unbounded.
    aggregate : {"mean", "sum", "geometric"}
        How the values of queries are combined: ``"geometric"`` is exp of the mean of log(max(value,
        0.00001)).
    inherits : str or None
        The family whose defaults in a convention apply to this one too.
    describes_data : bool
        Whether it describes the data instead of the ranking's quality; every preset allows such a
        family.
    higher_is_better : bool
        Whether a higher value means a better ranking.
    translate : callable, optional
        Convert parameters from another notation; return the family and its parameters.
    relate : callable, optional
        Check the set parameters; return what is wrong between them, or ``None``.
    complete : callable, optional
        Take all values and those set on the measure itself; add and remove values that depend on
        others, in place.
    to_kernel : callable, optional
        Take all values; return those for the kernel. Default: each value, numbers as `float`.
    bounds : callable, optional
        Take all values and the convention, if any; return the range. Default: ``low, high``.
    """

    __slots__ = (
        "aggregate",
        "aliases",
        "at",
        "bounds",
        "complete",
        "describes_data",
        "example",
        "formula",
        "group",
        "high",
        "higher_is_better",
        "inherits",
        "judgments",
        "kernel",
        "low",
        "name",
        "parameters",
        "relate",
        "renames",
        "source",
        "summary",
        "takes_cutoff",
        "to_kernel",
        "translate",
        "trec_names",
        "variants",
    )

    #: Whether it is a measure of the user's own, whose values do not come from the kernel.
    is_own = False

    def __init__(
        self,
        name: str,
        *,
        kernel: str,
        summary: str,
        formula: str,
        source: str,
        example: str,
        group: str,
        aliases: tuple[str, ...] = (),
        variants: Mapping[str, Values] | None = None,
        renames: Mapping[str, Mapping[str, str]] | None = None,
        trec_names: Mapping[str, TrecName] | None = None,
        parameters: tuple[Parameter, ...] = (),
        takes_cutoff: bool = True,
        judgments: str = "grades",
        at: str | None = None,
        low: float | None = 0.0,
        high: float | None = 1.0,
        aggregate: str = "mean",
        inherits: str | None = None,
        describes_data: bool = False,
        higher_is_better: bool = True,
        translate: Callable[[dict[str, object]], tuple[str, dict[str, object]]] | None = None,
        relate: Callable[[Values], str | None] | None = None,
        complete: Callable[[Values, Values], None] | None = None,
        to_kernel: Callable[[Values], dict[str, object]] | None = None,
        bounds: Callable[[Values, Policies | None], Range] | None = None,
    ) -> None:
        self.name = name
        self.kernel = kernel
        self.summary = summary
        self.formula = formula
        self.source = source
        self.example = example
        self.group = group
        self.variants = dict(variants or {})
        #: The common names, in any case and with or without ``_`` and ``-``.
        self.aliases = (plain(name), *aliases, *self.variants)
        self.renames = dict(renames or {})
        self.trec_names = dict(trec_names or {})
        self.parameters = parameters
        self.takes_cutoff = takes_cutoff
        self.judgments = judgments
        self.at = at
        self.low = low
        self.high = high
        self.aggregate = aggregate
        self.inherits = inherits
        self.describes_data = describes_data
        self.higher_is_better = higher_is_better
        self.translate = translate
        self.relate = relate
        self.complete = complete
        self.to_kernel = to_kernel
        self.bounds = bounds

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of this name, or ``None``."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None

    def named(self, alias: str, given: Mapping[str, object]) -> dict[str, object]:
        """Return the family's parameters for a common name with parameters.

        Examples
        --------
        >>> from gainful.measures import describe
        >>> describe("F").named("SetF", {"beta": 4, "rel": 2})
        {'weight': 4, 'rel': 2}
        """
        renames = self.renames.get(plain(alias), {})
        parameters = {renames.get(name, name): value for name, value in given.items()}
        return {**self.variants.get(plain(alias), {}), **parameters}

    def restoring(self, params: Values, cutoff: int | None) -> tuple[object, ...] | None:
        """Return what restores a pickled measure; ``None`` if its name does."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as plain values, for tables and JSON."""
        return {
            "name": self.name,
            "group": self.group,
            "summary": self.summary,
            "formula": self.formula,
            "source": self.source,
            "example": self.example,
            "cutoff": self.takes_cutoff,
            "judgments": self.judgments,
            "aggregate": self.aggregate,
            "low": self.low,
            "high": self.high,
            "parameters": [
                {
                    "name": parameter.name,
                    "legal": parameter.legal,
                    "meaning": parameter.meaning,
                    "default": None if parameter.default is None else literal(parameter.default),
                }
                for parameter in self.parameters
            ],
            "trec_eval": list(self.trec_names),
            "aliases": list(self.aliases),
        }

    def __repr__(self) -> str:
        return f"<family {self.name}: {self.summary}>"
