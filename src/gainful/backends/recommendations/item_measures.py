"""Declarations of measures of recommended items: coverage, novelty, diversity, AUC."""

from __future__ import annotations

from gainful.errors import MeasureError
from gainful.measures import Measure
from gainful.measures.family import plain
from gainful.measures.notation import ENDS_NAME, Scanner
from gainful.measures.parameters import Parameter, flag, number, number_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.conventions import Convention
    from gainful.measures.parameters import Value

    Requested = Measure | str | Iterable[Measure | str] | None

__all__ = ["FAMILIES", "TOOLS", "ItemFamily", "ItemMeasure", "split_measures"]


class ItemFamily:
    """A family of measures of recommended items.

    Parameters
    ----------
    name : str
        The name in notation.
    summary, formula, source : str
        As for `gainful.measures.describe`.
    of : {"user", "run"}
        Whether each user has a value, or only all lists together.
    low, high : float or None
        The range; None if unbounded.
    needs : tuple of str
        Its input besides the lists: popularity, vectors, categories, held_out.
    parameters : tuple of Parameter
        The parameters, in the order in which they are written.
    takes_cutoff : bool
        Whether ``@k`` is allowed.
    """

    __slots__ = (
        "formula",
        "high",
        "low",
        "name",
        "needs",
        "of",
        "parameters",
        "source",
        "summary",
        "takes_cutoff",
    )

    def __init__(
        self,
        name: str,
        *,
        summary: str,
        formula: str,
        source: str,
        of: str = "user",
        low: float | None = 0.0,
        high: float | None = 1.0,
        needs: tuple[str, ...] = (),
        parameters: tuple[Parameter, ...] = (),
        takes_cutoff: bool = True,
    ) -> None:
        self.name = name
        self.summary = summary
        self.formula = formula
        self.source = source
        self.of = of
        self.low = low
        self.high = high
        self.needs = needs
        self.parameters = parameters
        self.takes_cutoff = takes_cutoff

    def __repr__(self) -> str:
        return f"<family {self.name}: {self.summary}>"


def _count(value: object) -> int | float:
    integer = number(value)
    if not isinstance(integer, int) or integer < 0:
        raise ValueError("not a whole number")
    return integer


_PADDING = Parameter(
    "padding",
    _count,
    legal="a whole number of 0 or more",
    meaning="items of the catalogue that exist for padding only and are never recommended",
    default=0,
)
_TIES = Parameter(
    "ties",
    words={"half": "counts one half", "wrong": "counts as wrong"},
    meaning="a pair with equal scores",
    default="half",
)
_PLUS_ONE = Parameter(
    "plus_one",
    flag,
    legal="True or False",
    meaning="add 1 to the number of items that are not relevant, as Elliot does",
    default=False,
)
_AUC = (
    "pairs of a relevant and another candidate with the relevant one scored higher, plus half of"
    " the pairs with equal scores / all such pairs"
)

FAMILIES: dict[str, ItemFamily] = {
    family.name: family
    for family in (
        ItemFamily(
            "Coverage",
            summary="Catalogue coverage: the share of all items that are recommended to any user",
            formula="|union over users of their top k| / (items + padding)",
            source="M. Ge, C. Delgado-Battenfeld, D. Jannach: Beyond accuracy. RecSys 2010",
            of="run",
            high=None,
            parameters=(
                _PADDING,
                Parameter(
                    "count",
                    flag,
                    legal="True or False",
                    meaning="the number of recommended items instead of their share",
                    default=False,
                ),
            ),
        ),
        ItemFamily(
            "Gini",
            summary="Gini coefficient of how often items are recommended: 0 if all equally often",
            formula=(
                "sum over the n items by ascending c of (2 i - n - 1) c(i) / (n sum of c), with c"
                " the number of lists with the item in the top k"
            ),
            source="D. Fleder, K. Hosanagar: Blockbuster culture's next rise or fall. "
            "Management Science 55(5), 2009",
            of="run",
            parameters=(
                _PADDING,
                Parameter(
                    "norm",
                    words={"n": "the number of items", "n-1": "one less, so that 1 is possible"},
                    meaning="the factor n in the denominator",
                    default="n",
                ),
                Parameter(
                    "complement",
                    flag,
                    legal="True or False",
                    meaning="1 minus the coefficient, so that more equal is higher",
                    default=False,
                ),
                Parameter(
                    "persistence",
                    number_between(0, 1, low_open=True),
                    legal="a number above 0, up to 1",
                    meaning="an item at rank r counts persistence^(r - 1) instead of 1",
                    default=1,
                ),
            ),
        ),
        ItemFamily(
            "Entropy",
            summary="Shannon entropy of how often items are recommended",
            formula="-sum over items of p log p, with p the item's share of all recommendations",
            source="G. Adomavicius, Y. Kwon: Improving aggregate recommendation diversity using "
            "ranking-based techniques. TKDE 24(5), 2012",
            of="run",
            high=None,
            parameters=(
                Parameter(
                    "base",
                    number_between(1, low_open=True),
                    words={"e": "natural logarithms"},
                    legal="a number above 1",
                    meaning="the base of the logarithm",
                    default=2,
                ),
                Parameter(
                    "over",
                    words={
                        "recommendations": "the entropy",
                        "items": "the entropy divided by the number of recommended items",
                        "users": "the mean over users of the mean of -log p in their list, which"
                        " is the entropy if all lists are equally long",
                    },
                    meaning="what is averaged over",
                    separator="; ",
                    default="recommendations",
                ),
            ),
        ),
        ItemFamily(
            "Novelty",
            summary="Mean self-information of the recommended items: rare items are novel",
            formula=(
                "mean over the top k of -log2(p), with p the share of users who interacted with"
                " the item; an item without interactions has that of the rarest item with some"
            ),
            source="T. Zhou et al.: Solving the apparent diversity-accuracy dilemma of "
            "recommender systems. PNAS 107(10), 2010; S. Vargas, P. Castells: Rank and relevance "
            "in novelty and diversity metrics. RecSys 2011",
            high=None,
            needs=("popularity",),
            parameters=(
                Parameter(
                    "scale",
                    words={
                        "information": "-log2(p)",
                        "complement": "1 - p, with p = 0 for items without interactions",
                    },
                    meaning="the novelty of an item",
                    default="information",
                ),
                Parameter(
                    "share",
                    words={"users": "all users", "interactions": "all interactions"},
                    meaning="what p is the item's share of",
                    default="users",
                ),
                Parameter(
                    "discount",
                    words={
                        "none": "all ranks count alike",
                        "log2": "rank r counts 1 / log2(r + 1)",
                    },
                    meaning="the weight of ranks in the mean",
                    default="none",
                ),
                Parameter(
                    "relevant",
                    flag,
                    legal="True or False",
                    meaning="items that are not relevant have novelty 0",
                    default=False,
                ),
            ),
        ),
        ItemFamily(
            "Popularity",
            summary="Average recommendation popularity: mean interactions of recommended items",
            formula="mean over the top k of the number of interactions of the item",
            source="H. Yin et al.: Challenging the long tail recommendation. VLDB 2012",
            high=None,
            needs=("popularity",),
        ),
        ItemFamily(
            "PopularityRank",
            summary="Mean popularity rank of the recommended items, 1 for the most popular item",
            formula=(
                "mean over the top k of the item's average rank by ascending interactions / items"
                " with interactions; 0 without interactions"
            ),
            source="M. Ekstrand et al.: Sturgeon and the cool kids. FLAIRS 2017",
            needs=("popularity",),
        ),
        ItemFamily(
            "LongTail",
            summary="The share of recommended items from the long tail of unpopular items",
            formula="items of the long tail in the top k / items in the top k",
            source="H. Abdollahpouri, R. Burke, B. Mobasher: Controlling popularity bias in "
            "learning-to-rank recommendation. RecSys 2017",
            needs=("popularity",),
            parameters=(
                Parameter(
                    "by",
                    words={
                        "interactions": "all items but the most popular ones that together have "
                        "the share head of the interactions",
                        "items": "the least popular share tail of the items with interactions",
                    },
                    meaning="the long tail; equally popular items are in column order",
                    separator="; ",
                    default="interactions",
                ),
                Parameter(
                    "head",
                    number_between(0, 1, low_open=True),
                    legal="a number above 0, up to 1",
                    meaning="the share of interactions of the head",
                    default=0.8,
                ),
                Parameter(
                    "tail",
                    number_between(0, 1, low_open=True),
                    legal="a number above 0, up to 1",
                    meaning="the share of items in the tail",
                    default=0.1,
                ),
            ),
        ),
        ItemFamily(
            "ILD",
            summary="Intra-list diversity: the mean distance of two recommended items",
            formula=(
                "mean over pairs of the top k of 1 - cosine of their vectors (a zero vector has"
                " cosine 0), or 1 - Jaccard index of their categories"
            ),
            source="B. Smyth, P. McClave: Similarity vs. diversity. ICCBR 2001; C.-N. Ziegler et "
            "al.: Improving recommendation lists through topic diversification. WWW 2005",
            high=2.0,
            parameters=(
                Parameter(
                    "of",
                    words={
                        "vectors": "1 - cosine",
                        "categories": "1 - Jaccard index",
                    },
                    meaning="the distance",
                    default="vectors",
                ),
            ),
        ),
        ItemFamily(
            "CategoryEntropy",
            summary="Shannon entropy of the categories in a list",
            formula="-sum over categories of p log2 p, with p its share of the top k's categories",
            source="L. Qin, X. Zhu: Promoting diversity in recommendation by entropy regularizer. "
            "IJCAI 2013",
            high=None,
            needs=("categories",),
        ),
        ItemFamily(
            "AUC",
            summary="Area under the ROC curve of each user's candidates",
            formula=f"{_AUC}; users without such pairs are left out",
            source="S. Rendle et al.: BPR: Bayesian personalized ranking from implicit feedback. "
            "UAI 2009",
            needs=("held_out",),
            parameters=(_TIES, _PLUS_ONE),
            takes_cutoff=False,
        ),
        ItemFamily(
            "GAUC",
            summary="Group AUC: the mean of the users' AUC, weighted by their impressions",
            formula=f"sum over users of weight x AUC / sum of weights; AUC is {_AUC}",
            source="H. Zhu et al.: Optimized cost per click in Taobao display advertising. KDD "
            "2017; G. Zhou et al.: Deep interest network for click-through rate prediction. KDD "
            "2018",
            needs=("held_out",),
            parameters=(
                Parameter(
                    "weight",
                    words={
                        "candidates": "the number of scored items of the user, seen ones excluded",
                        "relevant": "the number of scored relevant items",
                    },
                    meaning="the weight of a user",
                    default="candidates",
                ),
                _TIES,
                _PLUS_ONE,
            ),
            takes_cutoff=False,
        ),
    )
}

_NAMES = {plain(name): name for name in FAMILIES}

#: By tool, its names as measures of these families. The tool's convention also sets the parameters
#: of a family of which the tool has one measure.
TOOLS: dict[str, dict[str, str]] = {
    "recbole": {
        "itemcoverage": "Coverage(padding=1)",
        "giniindex": "Gini(padding=1)",
        "shannonentropy": "Entropy(base='e', over='items')",
        "averagepopularity": "Popularity",
        "tailpercentage": "LongTail(by='items', tail=0.1)",
        "gauc": "GAUC(weight='relevant')",
    },
    "lenskit": {
        "listgini": "Gini",
        "exposuregini": "Gini(persistence=0.85)",
        "meanpoprank": "PopularityRank",
        "entropy": "CategoryEntropy",
    },
    "cornac": {"auc": "AUC(ties='wrong')"},
    "elliot": {
        "itemcoverage": "Coverage(count=True)",
        "gini": "Gini(norm='n-1', complement=True)",
        "sentropy": "Entropy(over='users')",
        "epc": "Novelty(scale='complement', discount='log2', relevant=True)",
        "efd": "Novelty(share='interactions', discount='log2', relevant=True)",
        "arp": "Popularity",
        "aplt": "LongTail",
        "auc": "GAUC(weight='relevant', ties='wrong', plus_one=True)",
        "gauc": "AUC(ties='wrong', plus_one=True)",
    },
}


class ItemMeasure:
    """A measure of recommended items, such as ``Gini(norm='n-1')@10``.

    Attributes
    ----------
    family : ItemFamily
        Its declaration.
    params : dict of str to value
        The parameters that are set on the measure.
    cutoff : int or None
        The number of items of each list that count; None for all.
    resolved : dict of str to value
        All parameters, with those of the convention.
    """

    __slots__ = ("cutoff", "family", "params", "resolved")

    def __init__(
        self,
        family: ItemFamily,
        params: Mapping[str, object],
        cutoff: int | None,
        convention: Convention,
    ) -> None:
        self.family = family
        self.params = {name: _checked(family, name, value) for name, value in params.items()}
        self.cutoff = cutoff
        defaults = {parameter.name: parameter.default for parameter in family.parameters}
        self.resolved = {**defaults, **_of_convention(family, convention), **self.params}

    @property
    def needs(self) -> tuple[str, ...]:
        """Its input besides the lists."""
        needed = self.family.needs
        if self.family.name == "ILD":
            needed = (str(self.resolved["of"]),)
        return (*needed, "held_out") if self.resolved.get("relevant") else needed

    @property
    def range(self) -> tuple[float | None, float | None]:
        """The lowest and highest value; None if unbounded."""
        # A Jaccard index is from 0 to 1, a cosine from -1.
        is_jaccard = self.resolved.get("of") == "categories"
        return self.family.low, 1.0 if is_jaccard else self.family.high

    def __repr__(self) -> str:
        return _written(self.family, self.params, self.cutoff)

    @property
    def text(self) -> str:
        """The measure with every parameter."""
        return _written(self.family, self.resolved, self.cutoff)

    def __json__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.family.name, self.params, self.cutoff, self.resolved)


def _restored(
    family: str, params: dict[str, Value], cutoff: int | None, resolved: dict[str, object]
) -> ItemMeasure:
    measure = object.__new__(ItemMeasure)
    measure.family, measure.params = FAMILIES[family], params
    measure.cutoff, measure.resolved = cutoff, resolved
    return measure


def _written(family: ItemFamily, params: Mapping[str, object], cutoff: int | None) -> str:
    listed = ", ".join(f"{name}={value!r}" for name, value in params.items())
    return family.name + f"({listed})" * bool(listed) + (f"@{cutoff}" if cutoff else "")


def _checked(family: ItemFamily, name: str, value: object) -> Value:
    for parameter in family.parameters:
        if parameter.name == name:
            assert parameter.check is not None
            try:
                return parameter.check(value)
            except ValueError:
                raise MeasureError(
                    where=family.name, found=f"{name}={value!r}", expected=parameter.legal
                ) from None
    known = ", ".join(parameter.name for parameter in family.parameters)
    raise MeasureError(
        where=family.name,
        found=f"the parameter {name!r}",
        expected=f"one of {known}" if known else "no parameter",
    )


def _of_tool(convention: Convention) -> Mapping[str, str]:
    preset = convention.preset
    return {} if preset is None else TOOLS.get(preset.name.partition("-")[0], {})


def _of_convention(family: ItemFamily, convention: Convention) -> Mapping[str, object]:
    """Return the parameters that a convention sets."""
    measures = [_Reader(text).measure() for text in _of_tool(convention).values()]
    params = [declared for name, declared, _ in measures if name == family.name]
    return params[0] if len(params) == 1 else {}


class _Reader(Scanner):
    """A reader of the notation ``Name(parameter=value)@cutoff``."""

    __slots__ = ()

    def measure(self) -> tuple[str, dict[str, object], str | None]:
        self.skip(",;")
        word = self.run(ENDS_NAME)
        params = self.parameters() if self.take("(") else {}
        cutoff = None
        if self.take("@"):
            self.skip()
            cutoff = self.run(ENDS_NAME)
        return word, params, cutoff


def split_measures(
    measures: Requested, convention: Convention
) -> tuple[Requested, tuple[ItemMeasure, ...]]:
    """Return the measures of rankings, and those of recommended items, without duplicates.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> split_measures("nDCG@10 Gini(norm=n-1)@10", get("gainful-1"))
    ('nDCG@10 ', (Gini(norm='n-1')@10,))
    >>> split_measures(["itemcoverage@5"], get("recbole"))
    ([], (Coverage(padding=1)@5,))
    """
    if measures is None or isinstance(measures, Measure):
        return measures, ()
    items: dict[str, ItemMeasure] = {}
    if isinstance(measures, str):
        rest = _split_text(measures, convention, items)
        return (rest if rest or not items else []), tuple(items.values())
    others: list[Measure | str] = []
    for measure in measures:
        if not isinstance(measure, str):
            others.append(measure)
        elif rest := _split_text(measure, convention, items):
            others.append(rest)
    return others, tuple(items.values())


def _split_text(text: str, convention: Convention, items: dict[str, ItemMeasure]) -> str:
    """Collect the measures of items in a text, and return the rest of it."""
    names = _of_tool(convention)
    if not any(name in plain(text) for name in (*_NAMES, *names)):
        return text
    reader, rest, is_changed = _Reader(text), [], False
    while reader.at < len(text):
        start = reader.at
        word, params, cutoff = reader.measure()
        reader.skip(",;")
        if plain(word) not in names and plain(word) not in _NAMES:
            rest.append(text[start : reader.at])
        else:
            is_changed = True
            measure = _built(word, params, cutoff, convention, reader)
            items.setdefault(repr(measure), measure)
    return "".join(rest) if is_changed else text


def _built(
    word: str,
    params: dict[str, object],
    cutoff: str | None,
    convention: Convention,
    reader: _Reader,
) -> ItemMeasure:
    names = _of_tool(convention)
    name = _NAMES.get(plain(word), "")
    if plain(word) in names:
        name, preset, _ = _Reader(names[plain(word)]).measure()
        params = {**preset, **params}
    family = FAMILIES[name]
    if cutoff is not None and not family.takes_cutoff:
        raise reader.error(f"{word}@{cutoff}", f"{word}, a measure of all candidates")
    if cutoff is not None and not (cutoff.isascii() and cutoff.isdigit() and int(cutoff) > 0):
        raise reader.error(f"cutoff {cutoff}", "a whole number of 1 or more")
    return ItemMeasure(family, params, None if cutoff is None else int(cutoff), convention)
