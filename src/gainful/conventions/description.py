"""One convention for people: its formula, its measures, and how it differs from the default."""

from __future__ import annotations

from textwrap import wrap

from gainful.conventions.convention import Convention, preset_convention
from gainful.conventions.difference import diff
from gainful.conventions.policies import POLICIES
from gainful.formats.table import Column, Table
from gainful.formats.terms import WIDTH, definitions
from gainful.measures import nDCG
from gainful.measures.checking import is_verified
from gainful.measures.gain_text import dcg_term, meaning
from gainful.measures.parameters import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.conventions.presets import Preset
    from gainful.measures.parameters import Value

    Entries = Sequence[tuple[str, str]]

__all__ = ["EVIDENCE", "formula", "of_preset", "preset_table", "to_dict", "tool_names", "verified"]

#: How the numbers of a convention are known to be its tool's.
EVIDENCE = {
    "defined": "defined here",
    "run": "the tool was run, and its numbers are met",
    "re-expressed": "the tool's program was written again and run, and its numbers are met",
    "read": "the tool's program was read",
}

_DEFAULT = "gainful-1"


def formula(convention: Convention) -> dict[str, str]:
    """Return nDCG as a convention has it: the formulas, and the rules in words.

    Returns
    -------
    dict of str to str
        ``"nDCG@k"``, ``"DCG@k"`` and ``"IDCG@k"`` with the gain and discount in force, unless the
        convention is not verified for nDCG; ``"order"`` with the rule for equal scores,
        ``"cutoff"`` where the convention has one of its own, and ``"mean"``.

    Examples
    --------
    >>> from gainful import Convention
    >>> for term, text in formula(Convention(ties="expected")).items():
    ...     print(f"{term}: {text}")
    nDCG@k: DCG@k / IDCG@k
    DCG@k: sum over rank <= k of grade / log2(rank + 1)
    IDCG@k: the same sum over all judged documents, the best first, cut at k
    order: by score, from the highest; of equal scores the measure is averaged over all their orders
    mean: of all queries that count
    """
    told = _formula_of_ndcg(convention)
    order = {
        "score": "by score, from the highest",
        "rank": "by the rank column, from the lowest",
        "given": "as the run lists them",
    }[convention.order]
    if convention.order == "given":
        told["order"] = order
    else:
        meaning = POLICIES["ties"].meaning(convention.ties)
        none, colon, rest = meaning.partition("none: ")
        # A rule that ends in a clause of its own closes it.
        rule = rest if colon and not none else f"{meaning}{',' * (',' in meaning)} stands first"
        keys = "scores" if convention.order == "score" else "ranks"
        told["order"] = f"{order}; of equal {keys} {rule}"
    if convention.unretrieved == "last":
        told["order"] += "; then, tied, the judged documents that the run did not return"
    told["mean"] = _mean(convention)
    return told


def _formula_of_ndcg(convention: Convention) -> dict[str, str]:
    if not is_verified(nDCG, convention):
        return {}
    measure = nDCG.resolve(convention)
    values = measure.params
    told = {
        "nDCG@k": "DCG@k / IDCG@k",
        "DCG@k": f"sum over rank <= k of {_term(values)}",
        "IDCG@k": _ideal(values),
    }
    if values["gain"] == "judged":
        told["DCG@k"] += " where the document is judged"
    if values.get("judged_only"):
        told["DCG@k"] += ", unjudged documents taken out first"
    if measure.cutoff is not None:
        told["cutoff"] = f"k is {measure.cutoff} where the measure does not say"
    return told


def verified(preset: Preset, most: int | None = None) -> str:
    """Return the measures that a preset is verified for; more than `most` are counted.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> verified(describe("gdeval")), verified(describe("gainful"))
    ('nDCG, ERR', 'all measures')
    >>> verified(describe("trec_eval"), most=8)
    '33 measures'
    """
    if preset.measures is None:
        return "all measures"
    if most is not None and len(preset.measures) > most:
        return f"{len(preset.measures)} measures"
    return ", ".join(preset.measures)


def tool_names(preset: Preset) -> str:
    """Return how a preset reads names of its tool that Gainful reads otherwise.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> tool_names(describe("ranx"))
    "hits is CG(gain='binary'); recall is R; dcg_burges is DCG(gain='exponential'); rbp.95 is..."
    """
    return "; ".join(
        f"{name} is refused"
        if means is None
        else f"{name}.95 is {means.format(95)}"
        if "{}" in means
        else f"{name} is {means}"
        for name, means in preset.names.items()
    )


def of_preset(preset: Preset) -> str:
    """Return all about one convention as text of 100 columns: first its formula, then what differs.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> print(of_preset(describe("ir_measures")).partition(",")[0])
    ir_measures-0.4.3: scores compared as 32-bit floats
    """
    first, others = _groups(preset)
    title = wrap(
        f"{preset.name}: {preset.summary}", WIDTH, subsequent_indent="  ", break_on_hyphens=False
    )
    lines = definitions("\n".join(title), first, width=WIDTH)
    for heading, entries in others:
        lines += "\n" + definitions(heading, entries, width=WIDTH)
    return lines


def preset_table(preset: Preset) -> Table:
    """Return all about one convention as a table, for pages."""
    first, others = _groups(preset)
    rows = [[term, text] for term, text in first]
    for heading, entries in others:
        rows += [[f"{term} ({_WHERE[heading]})", text] for term, text in entries]
    columns = [Column("policy", ""), Column("meaning", "what it does", fit="wrap")]
    return Table(columns, rows, title=f"{preset.name}: {preset.summary}")


def to_dict(preset: Preset) -> dict[str, object]:
    """Return a preset as plain values, for JSON; ``"convention"`` makes a Convention again.

    Examples
    --------
    >>> from gainful import Convention
    >>> from gainful.conventions import describe, get
    >>> told = to_dict(describe("trec_eval"))
    >>> told["evidence"], Convention(**told["convention"]) == get("trec_eval")
    ('run', True)
    """
    return {
        "name": preset.name,
        "field": preset.field,
        "summary": preset.summary,
        "evidence": preset.evidence,
        "source": preset.source,
        "measures": None if preset.measures is None else list(preset.measures),
        "names": dict(preset.names),
        "usual": list(preset.usual),
        "remarks": list(preset.remarks),
        "formula": formula(preset_convention(preset)),
        "convention": preset_convention(preset).to_dict(),
    }


_OTHERWISE = f"Otherwise than {_DEFAULT}"
_ALIKE = f"As {_DEFAULT}"
_ALL = "Policies"
_WHERE = {_OTHERWISE: f"not as {_DEFAULT}", _ALIKE: f"as {_DEFAULT}", _ALL: "policy"}


def _groups(preset: Preset) -> tuple[Entries, list[tuple[str, Entries]]]:
    known = list(formula(preset_convention(preset)).items())
    known.append(("measures", verified(preset)))
    if preset.names:
        known.append(("names", tool_names(preset)))
    known += [("evidence", EVIDENCE[preset.evidence]), ("source", preset.source)]
    known += [("remark", _sentence(remark)) for remark in preset.remarks]
    differ: list[tuple[str, str]] = []
    for each in diff(_DEFAULT, preset_convention(preset)):
        ours, theirs = each.values
        start = f"{theirs}" if each.their_meaning else f"{theirs}, not {ours}"
        meaning = each.their_meaning or each.decides
        differ.append((each.label, f"{start}. {_told(each.decides, meaning)}"))
    names = {name for name, _ in differ}
    alike: list[tuple[str, str]] = []
    for policy in POLICIES:
        if policy.name not in names:
            value = getattr(preset_convention(preset), policy.name)
            text = f"{value:g}" if isinstance(value, float) else value
            alike.append((policy.name, f"{text}. {_told(policy.decides, policy.meaning(value))}"))
    if not differ:
        return known, [(_ALL, alike)]
    return known, [(_OTHERWISE, differ), (_ALIKE, alike)]


def _term(values: Mapping[str, Value]) -> str:
    """Return what one rank adds."""
    base = values.get("base", 2)
    assert isinstance(base, (int, float))
    return dcg_term(values["gain"], values["discount"], base)


def _ideal(values: Mapping[str, Value]) -> str:
    ideal = values["ideal"]
    if ideal == "ones":
        one = _term({**values, "gain": "judged"})
        return f"sum over rank <= min(k, n) of {one}, where n judged documents gain something"
    if ideal == "max-grade":
        return f"the same sum with the grade {values['max_grade']} at every rank up to k"
    if isinstance(ideal, tuple):
        return f"the same sum over the grades {literal(ideal)}, cut at k"
    return f"the same sum over {meaning('ideal', ideal)}"


def _told(decides: str, meaning: str) -> str:
    start = decides[0].upper() + decides[1:]
    return f"{start}: {meaning}" if meaning and meaning != decides else start


def _mean(convention: Convention) -> str:
    told = "of all queries that count"
    what, _, digits = convention.rounding.partition(":")
    if what == "mean":
        told += f", rounded to {digits} digits"
    elif what == "query":
        told = f"{told}, each value rounded to {digits} digits"
    elif what in ("term", "term-down"):
        way = "down " if what == "term-down" else ""
        told += (
            f"; each term of the sums is rounded {way}to {digits} digits, and so is their quotient"
        )
    if convention.unweighted != "nothing":
        told += "; with weights, queries with nothing relevant count without theirs"
    return told


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
