"""The families by name, also by the names of trec_eval."""

from __future__ import annotations

from gainful.errors import ArgumentError, MeasureError
from gainful.keywords import suggest_keywords
from gainful.measures.family import plain
from gainful.measures.index import ALIASES, FAMILIES, TREC_NAMES
from gainful.measures.parameters import MEMORY
from gainful.packages import MEASURES, error_in, installed, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from gainful.measures.family import Family, TrecName

#: trec_eval's default cutoffs and multiples.
NINE_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

TENTHS = (0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2)


# The names added in version 10.
SINCE_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

# Names for several measures, those of version 9 in output order. runid and relstring are left out
# because they are not measures.
NICKNAMES = {
    "official": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
        "recip_rank", "iprec_at_recall", "P",
    ),
    "set": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P",
        "set_recall", "set_map", "set_F",
    ),
    "all_trec": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref",
        "recip_rank", "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult",
        "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut",
        "relative_P", "success", "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
        "num_nonrel_judged_ret",
    ),
    "prefs": (
        "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
        "prefs_simp", "prefs_pair", "prefs_avgjg",
    ),
    "all_prefs": (
        "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
        "prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret",
        "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp",
        "prefs_pair_imp", "prefs_avgjg_imp",
    ),
    "qrels_jg": ("num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}  # fmt: skip

# Known names get a better error than misspelled ones.
NOT_COMPUTED = frozenset(("ndcg_p", "relstring", "runid"))


def split(word: str) -> tuple[str, str]:
    """Split a word into a trec_eval name and the rest; ``("", "")`` for other words.

    >>> split("ndcg_cut_10"), split("ndcg_cut.5"), split("set_F_0.5"), split("nDCG")
    (('ndcg_cut', '10'), ('ndcg_cut', '5'), ('set_F', '0.5'), ('', ''))
    """
    if word in TREC_NAMES:
        return word, ""
    # The longest name wins: ndcg_cut_10 is not ndcg with the parameter "cut_10".
    for index in range(len(word) - 1, 0, -1):
        if word[index] in "._" and word[:index] in TREC_NAMES:
            return word[:index], word[index + 1 :]
    return "", ""


#: The names of measures of recommended items, without `_` and in lower case.
OF_ITEMS = frozenset(
    (
        *("coverage", "gini", "entropy", "novelty", "popularity", "popularityrank"),
        *("longtail", "ild", "categoryentropy", "auc", "gauc"),
    )
)

_loaded: dict[str, Family] = {}

#: The families of `gainful.measures.define` and `declare`, by name.
_registered: dict[str, Family] = {}


def family(name: str) -> Family:
    """Return the family of exactly this name.

    Examples
    --------
    >>> family("nDCG").kernel
    'ndcg'
    """
    declared = _loaded.get(name) or _registered.get(name)
    if declared is None:
        module = FAMILIES.get(name)
        if module is None:
            if is_installed(name):
                return _registered[name]
            raise unknown(name)
        # importlib takes a millisecond to load.
        loaded = __import__(f"gainful.measures.definitions.{module}", fromlist=["FAMILIES"])
        for member in loaded.FAMILIES:
            _loaded[member.name] = member
        declared = _loaded[name]
    return declared


def register(family: Family) -> None:
    """Make a family known by its name; it replaces a registered one."""
    _registered[family.name] = family
    MEMORY.forget()


def is_family(name: str) -> bool:
    """Return whether a loaded or declared family has exactly this name."""
    return name in FAMILIES or name in _registered


def is_registered(name: object) -> bool:
    """Return whether a name was defined or declared in this process."""
    return isinstance(name, str) and name in _registered


def is_installed(name: str) -> bool:
    """Return whether an installed package defines a measure of this name, after loading it."""
    for entry, _ in installed(MEASURES, name):
        if name not in _registered:
            raise error_in(entry, f"defines no measure {name!r}, as gainful.measures.define does")
        return True
    return False


def installed_families() -> tuple[list[Family], list[str]]:
    """Return the measures of installed packages, and what is wrong with those that fail."""
    measures, problems = [], []
    for name in sorted(names(MEASURES)):
        try:
            if is_installed(name):
                measures.append(_registered[name])
        except ArgumentError as error:
            problems.append(str(error))
    return measures, problems


def registered() -> dict[str, Family]:
    """Return the measures that were defined or declared in this process, by name."""
    return dict(_registered)


def trec_name(name: str) -> TrecName:
    """Return the meaning of a name in `gainful.measures.index.TREC_NAMES`."""
    return family(TREC_NAMES[name]).trec_names[name]


@suggest_keywords
def families() -> list[Family]:
    """Return every family of measures, nDCG's first.

    Examples
    --------
    >>> [each.name for each in families()][:4]
    ['nDCG', 'DCG', 'IDCG', 'CG']
    """
    return [family(name) for name in FAMILIES]


def named_by(formulas: Container[str]) -> list[str]:
    """Return the families whose formulas are in a registry.

    Examples
    --------
    >>> named_by({"rr", "ndcg"})
    ['nDCG', 'RR']
    """
    return [known.name for known in families() if known.kernel in formulas]


def is_separated(name: str) -> bool:
    """Return whether each ``_`` and ``-`` of a name is between two of its words.

    A single letter is a word only if it is a measure itself.

    >>> [is_separated(name) for name in ("hit_rate", "R-precision", "ndcg-", "AP--", "n-dcg")]
    [True, True, False, False, False]
    """
    words = name.lower().replace("-", "_").split("_")
    return len(words) == 1 or (
        all(len(word) > 1 or word in ALIASES or not word.isascii() for word in words) and all(words)
    )


def unknown(name: str, where: str | None = None, presets: Sequence[str] = ()) -> MeasureError:
    """Return the error for an unknown measure name, with presets that know it, or similar names."""
    from difflib import get_close_matches

    listing = "⟪measures()⟫ lists all"
    if name in NOT_COMPUTED:
        return MeasureError(
            where=where,
            found=f"{name!r}, which trec_eval computes and Gainful does not",
            expected="a measure that Gainful computes",
            hint=listing,
        )
    if ".py:" in name:
        listing = "FILE.py:NAME works on the command line; in Python, import the file"
    if plain(name) in OF_ITEMS:
        return MeasureError(
            where=where,
            found=f"{name!r}, a measure of recommended items",
            expected="a measure of rankings",
            hint="⟪recommenders()⟫ computes it",
        )
    if presets:
        computing = " or ".join(f"⟪convention={preset}⟫" for preset in presets[:3])
        return MeasureError(
            where=where, found=f"unknown measure {name!r}", hint=f"{computing} computes it"
        )
    if of_packages := names(MEASURES):
        listing += f"; installed packages add {', '.join(of_packages)}"
    known = [*FAMILIES, *_registered, *of_packages]
    written = {plain(trec_name): trec_name for trec_name in reversed(known)}
    for alias, means in ALIASES.items():
        written.setdefault(alias, means)
    for trec_name in TREC_NAMES:
        written.setdefault(plain(trec_name), trec_name)
    close: list[str] = []
    for match in get_close_matches(plain(name), written, n=5, cutoff=0.6):
        if written[match] not in close:
            close.append(written[match])
    return MeasureError(
        where=where,
        found=f"unknown measure {name!r}" if name else "no measure",
        expected=None if name else "the name of a measure",
        hint=f"did you mean {' or '.join(close[:3])}? {listing}" if close else listing,
    )
