"""Descriptions and listings of conventions as text."""

from __future__ import annotations

from io import StringIO
from shutil import get_terminal_size
from textwrap import wrap

from gainful.conventions.convention import Convention, preset_convention
from gainful.conventions.difference import diff
from gainful.conventions.presets import FIELDS, Preset, evidence_of, record_of
from gainful.formats.table import Column, Table, width
from gainful.formats.text import WIDTH, definitions
from gainful.measures import nDCG
from gainful.measures.algebra import is_verified
from gainful.measures.gain_text import dcg_term, meaning
from gainful.measures.parameters import format_value, literal
from gainful.policies import POLICIES, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gainful.measures.parameters import Value

    Entries = Sequence[tuple[str, str]]

    Piece = tuple[str, str]

__all__ = [
    "EVIDENCE",
    "describe_measures",
    "describe_preset",
    "drawn",
    "formula",
    "group_by_field",
    "plain",
    "preset_table",
    "tables",
    "to_dict",
]


#: How a preset was verified against its tool.
EVIDENCE = {
    "defined": "defined by Gainful",
    "run": "equal to the output of the tool",
    "re-expressed": "equal to the output of a reimplementation of the tool",
    "read": "based on the source code of the tool",
}

_DEFAULT = "gainful-1"


def formula(convention: Convention) -> dict[str, str]:
    """Return the formulas of nDCG under a convention, and its other rules.

    Returns
    -------
    dict of str to str
        ``"nDCG@k"``, ``"DCG@k"`` and ``"IDCG@k"`` with the convention's gain and discount, unless
        it is not verified for nDCG; ``"order"`` with the rule for equal scores, ``"cutoff"`` if the
        convention has its own, and ``"mean"``.

    Examples
    --------
    >>> from gainful import Convention
    >>> for term, text in formula(Convention(ties="expected")).items():
    ...     print(f"{term}: {text}")
    nDCG@k: DCG@k / IDCG@k
    DCG@k: sum over rank <= k of grade / log2(rank + 1)
    IDCG@k: the same sum over all judged documents by descending gain, cut at k
    order: by score, descending; ties: the mean of the measure over all orders
    mean: over all evaluated queries
    """
    rules = _formula_of_ndcg(convention)
    order = POLICIES["order"].meaning(convention.order)
    if convention.order == "given":
        rules["order"] = order
    else:
        rules["order"] = f"{order}; ties: {POLICIES['ties'].meaning(convention.ties)}"
    if convention.unretrieved == "last":
        rules["order"] += "; then the judged documents that were not returned, tied"
    rules["mean"] = _describe_mean(convention)
    return rules


def _formula_of_ndcg(convention: Convention) -> dict[str, str]:
    if not is_verified(nDCG, convention):
        return {}
    measure = nDCG.resolve(convention)
    values = measure.params
    rules = {
        "nDCG@k": "DCG@k / IDCG@k",
        "DCG@k": f"sum over rank <= k of {_term(values)}",
        "IDCG@k": _ideal(values),
    }
    if values["gain"] == "judged":
        rules["DCG@k"] += " for judged documents"
    if values.get("judged_only"):
        rules["DCG@k"] += ", after removing unjudged documents"
    if measure.cutoff is not None:
        rules["cutoff"] = f"k is {measure.cutoff} by default"
    return rules


def describe_measures(preset: Preset, most: int | None = None) -> str:
    """Return the measures that a preset is verified for, or their number above `most`.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> describe_measures(describe("gdeval")), describe_measures(describe("gainful"))
    ('nDCG, ERR', 'all measures')
    >>> describe_measures(describe("trec_eval"), most=8)
    '33 measures'
    """
    if preset.measures is None:
        return "all measures"
    if most is not None and len(preset.measures) > most:
        return f"{len(preset.measures)} measures"
    return ", ".join(preset.measures)


def describe_check(preset: Preset, family: str) -> str:
    """Return how a measure of a preset's tool compares with Gainful's, and how it is known.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> describe_check(describe("recpack"), "Success")
    'refused: HitK is the mean number of hits (run)'
    >>> describe_check(describe("implicit"), "AP"), describe_check(describe("implicit"), "RR")
    ('equal to mean_average_precision_at_k (run)', 'not offered')
    """
    check = preset.checks[family]
    if check.status == "absent":
        return "not offered"
    evidence = check.evidence or preset.evidence
    if check.where is not None:
        evidence += f", {check.where}"
    name = check.names[0] if check.names else "the tool"
    if check.status == "different":
        return f"refused: {name} {check.text} ({evidence})"
    if evidence == "defined":
        return "defined by Gainful"
    equal = f"equal to {', '.join(check.names)}" if check.names else "equal"
    return f"{equal}{check.text and f' {check.text}'} ({evidence})"


def describe_tool_names(preset: Preset) -> str:
    """Return the tool's names for other measures than those of its checks.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> describe_tool_names(describe("ranx"))
    "hits is CG(gain='binary'); dcg_burges is DCG(gain='exponential'); rbp.95 is RBP(p=0.95)"
    """
    families = {name: family for family, check in preset.checks.items() for name in check.names}
    return "; ".join(
        f"{name} is refused"
        if means is None
        else f"{name}.95 is {means.format(95)}"
        if "{}" in means
        else f"{name} is {means}"
        for name, means in preset.names.items()
        if name not in families or families[name] != means
    )


def describe_preset(preset: Preset, columns: int = WIDTH) -> str:
    r"""Return the description of a convention as text.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> print(describe_preset(describe("ir_measures")).partition("\n")[0])
    ir_measures-0.4.3: 32-bit scores; negative grades are no judgments; missing queries count as 0
    """
    first, others = _group_entries(preset)
    title = wrap(
        f"{preset.name}: {preset.summary}", columns, subsequent_indent="  ", break_on_hyphens=False
    )
    lines = definitions("\n".join(title), first, width=columns)
    for heading, entries in others:
        lines += "\n" + definitions(heading, entries, width=columns)
    return lines


def preset_table(preset: Preset) -> Table:
    """Return the description of a convention as a table, for documentation pages."""
    first, others = _group_entries(preset)
    rows = [[term, text] for term, text in first]
    for heading, entries in others:
        rows += [[f"{term} ({_WHERE[heading]})", text] for term, text in entries]
    columns = [Column("policy", ""), Column("meaning", "what it does", fit="wrap")]
    return Table(columns, rows, title=f"{preset.name}: {preset.summary}")


def to_dict(preset: Preset) -> dict[str, Any]:
    """Return a preset for JSON; its ``"convention"`` makes a Convention again.

    Examples
    --------
    >>> from gainful import Convention
    >>> from gainful.conventions import describe, get
    >>> plain = to_dict(describe("trec_eval"))
    >>> plain["evidence"], Convention(**plain["convention"]) == get("trec_eval")
    ('run', True)
    """
    return {
        "name": preset.name,
        "field": preset.field,
        "summary": preset.summary,
        "evidence": preset.evidence,
        "source": preset.source,
        "measures": None if preset.measures is None else list(preset.measures),
        "checks": {
            family: {
                "status": check.status,
                "names": list(check.names),
                "text": check.text,
                "evidence": evidence_of(preset, check),
            }
            for family, check in preset.checks.items()
        },
        "names": dict(preset.names),
        "usual": list(preset.usual),
        "remarks": list(preset.remarks),
        "formula": formula(preset_convention(preset)),
        "convention": preset_convention(preset).to_dict(),
    }


_DIFFERENT = f"Different from {_DEFAULT}"
_SAME = f"Same as {_DEFAULT}"
_ALL = "Policies"
_CHECKED = "Measures of the tool"
_WHERE = {
    _CHECKED: "measure",
    _DIFFERENT: f"differs from {_DEFAULT}",
    _SAME: f"same as {_DEFAULT}",
    _ALL: "policy",
}


def _group_entries(preset: Preset) -> tuple[Entries, list[tuple[str, Entries]]]:
    known = list(formula(preset_convention(preset)).items())
    known.append(("measures", describe_measures(preset)))
    tool_names = describe_tool_names(preset)
    if tool_names:
        known.append(("names", tool_names))
    record = record_of(preset, next(iter(preset.checks.values())))
    evidence = EVIDENCE[preset.evidence] + (f", recorded in {record}" if record else "")
    known += [("evidence", evidence), ("source", preset.source)]
    known += [("remark", _end_sentence(remark)) for remark in preset.remarks]
    differ: list[tuple[str, str]] = []
    for difference in diff(_DEFAULT, preset_convention(preset)):
        ours, theirs = difference.values
        start = f"{theirs}" if difference.their_meaning else f"{theirs}, not {ours}"
        meaning = difference.their_meaning or difference.decides
        differ.append((difference.label, f"{start}. {_join_meaning(difference.decides, meaning)}"))
    names = {name for name, _ in differ}
    same: list[tuple[str, str]] = []
    for policy in POLICIES:
        if policy.name not in names:
            value = getattr(preset_convention(preset), policy.name)
            meaning = _join_meaning(policy.decides, policy.meaning(value))
            same.append((policy.name, f"{format_value(value)}. {meaning}"))
    if preset.measures is None:
        return known, [(_ALL, same)]
    checked = [(family, describe_check(preset, family)) for family in preset.checks]
    return known, [(_CHECKED, checked), (_DIFFERENT, differ), (_SAME, same)]


def _term(values: Mapping[str, Value]) -> str:
    """Return the term of one rank."""
    base = values.get("base", 2)
    assert isinstance(base, (int, float))
    return dcg_term(values["gain"], values["discount"], base)


def _ideal(values: Mapping[str, Value]) -> str:
    ideal = values["ideal"]
    if ideal == "ones":
        one = _term({**values, "gain": "judged"})
        return f"sum over rank <= min(k, n) of {one}, with n judged documents that gain something"
    if ideal == "max-grade":
        return f"the same sum with the grade {values['max_grade']} at every rank up to k"
    if isinstance(ideal, tuple):
        return f"the same sum over the grades {literal(ideal)}, cut at k"
    return f"the same sum over {meaning('ideal', ideal)}"


def _join_meaning(decides: str, meaning: str) -> str:
    start = decides[0].upper() + decides[1:]
    return f"{start}: {meaning}" if meaning and meaning != decides else start


def _describe_mean(convention: Convention) -> str:
    text = "over all evaluated queries"
    what, digits = split(convention.rounding)
    if what == "mean":
        text += f", rounded to {digits} digits"
    elif what == "query":
        text = f"{text}, each value rounded to {digits} digits"
    elif what in ("term", "term-down"):
        way = "down " if what == "term-down" else ""
        text += (
            f"; each term of the sums is rounded {way}to {digits} digits, and so is the quotient"
        )
    if convention.unweighted != "nothing":
        text += "; queries with no relevant documents are unweighted in weighted means"
    return text


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


PLAIN_WIDTH = 120

# Columns by importance: narrow terminals leave out the last ones. For each its heading, the one on
# pages, and its legend.
_COLUMNS = (
    (
        "gain",
        "gain",
        "linear: grade; exp: 2^grade - 1; exp+1: 2^(grade + 1) - 1; binary: 1 if above 0; "
        "judged: 1 if judged; table: custom",
    ),
    (
        "discount",
        "discount",
        "log2, ln: 1/log(r + 1); JK: 1 up to rank b, then 1/log_b(r), b is 2 by default; 1/r; "
        "table: custom",
    ),
    (
        "ideal",
        "ideal",
        "judged: all judged documents, cut at k; uncut: not cut; depth: also cut at the number "
        "returned; list: returned documents; list-cut: the top k of them; given: judgments in "
        "their order; ones: gain 1 per relevant document; max: the largest grade at every rank; "
        "own: given grades",
    ),
    (
        "ties",
        "ties",
        "id: by document id; given, reverse: order of the run; expected: mean over all orders; "
        "avg rank: mean rank, avg down: rounded down; best, worst: by grade",
    ),
    (
        "no rel.",
        "no relevant",
        "value of queries with no relevant documents; skip: left out; agree: 1 if nothing was "
        "returned, else 0",
    ),
    (
        "missing",
        "missing",
        "judged queries missing from the run; empty: counted as an empty ranking; skip: left out",
    ),
    (
        "dupl.",
        "duplicates",
        "documents listed twice; first, last, best: that one counts; blank: the first counts, "
        "the others gain nothing; count: each counts; copies: each counts, also in the ideal",
    ),
    (
        "mean",
        "aggregation",
        "to D: rounded to D digits; values, terms: rounded before averaging; *: queries with no "
        "relevant documents are unweighted",
    ),
    (
        "evidence",
        "evidence",
        "how it was verified; run: against the tool; rewritten: against a reimplementation; "
        "read: from its source code",
    ),
)
_HEADERS = tuple(header for header, _, _ in _COLUMNS)
#: What is rounded, in short and in full.
_AGGREGATIONS = {
    "none": ("mean", "mean"),
    "mean": ("to {}", "mean to {} digits"),
    "query": ("values to {}", "values to {} digits, mean"),
    "term": ("terms to {}", "terms to {} digits, mean"),
    "term-down": ("terms ↓ {}", "terms down to {} digits, mean"),
}

# Abbreviations of values that are too long for a column.
_SHORT: dict[str, dict[str, str]] = {
    "gain": {"exponential": "exp", "exponential+1": "exp+1"},
    "discount": {"jarvelin-kekalainen": "JK", "reciprocal": "1/r"},
    "ideal": {
        "judged-uncut": "uncut",
        "judged-to-depth": "depth",
        "given-order": "given",
        "max-grade": "max",
    },
    "ties": POLICIES["ties"].short,
    "evidence": {"re-expressed": "rewritten"},
}

_NOTE = (
    "`gainful conventions NAME` shows all policies and verified measures of a convention. "
    "`gainful conventions diff A B` compares two conventions."
)


def group_by_field(presets: Iterable[Preset]) -> dict[str, list[Preset]]:
    """Return presets by field, in the order of the fields.

    Examples
    --------
    >>> from gainful.conventions import presets
    >>> [preset.name for preset in group_by_field(presets())["retrieval"]][0]
    'gainful-1'
    """
    groups: dict[str, list[Preset]] = {field: [] for field in FIELDS}
    for preset in presets:
        groups[preset.field].append(preset)
    return {field: members for field, members in groups.items() if members}


def plain(presets: Iterable[Preset], columns: int = PLAIN_WIDTH) -> str:
    """Return the listing as text.

    Parameters
    ----------
    presets : iterable of Preset
        The presets to list.
    columns : int
        The width of a line: columns that do not fit are left out from the right; a wide line also
        shows the summaries.

    Examples
    --------
    >>> from gainful.conventions import describe
    >>> print(plain([describe("gainful-1")], 80))
    retrieval  gain    discount  ideal   ties     no rel.  missing  dupl.  mean
    ───────────────────────────────────────────────────────────────────────────
    gainful-1  linear  log2      judged  id desc  0        empty    error  mean
    ...
    """
    lines = ("".join(text for text, _ in line).rstrip() for line in _layout(presets, columns))
    return "\n".join(lines) + "\n"


def drawn(presets: Iterable[Preset], columns: int | None = None) -> str:
    """Return the listing with terminal colors, rendered by Rich."""
    from rich.text import Text

    from gainful.formats.console import open_console

    wide = columns or max(40, get_terminal_size().columns)
    into = StringIO()
    console = open_console(into, wide)
    for line in _layout(presets, wide):
        console.print(Text.assemble(*line), soft_wrap=True)
    return into.getvalue()


def tables(presets: Iterable[Preset]) -> list[Table]:
    """Return one table per field, with full values and summaries, for pages."""
    return [
        Table(
            [
                *map(
                    Column,
                    ("convention", *(full for _, full, _ in _COLUMNS), "measures", "summary"),
                )
            ],
            [
                [
                    preset.name,
                    *_cells(preset, short=False),
                    describe_measures(preset, 8),
                    preset.summary,
                ]
                for preset in members
            ],
            title=field.capitalize(),
        )
        for field, members in group_by_field(presets).items()
    ]


def describe_aggregation(convention: Convention, *, short: bool = False) -> str:
    """Describe how the values of queries are aggregated.

    Examples
    --------
    >>> from gainful import Convention
    >>> describe_aggregation(Convention(rounding="mean:5"))
    'mean to 5 digits'
    >>> describe_aggregation(Convention(rounding="query:2"))
    'values to 2 digits, mean'
    """
    what, digits = split(convention.rounding)
    text = _AGGREGATIONS[what][0 if short else 1].format(digits)
    if convention.unweighted == "nothing":
        return text
    return f"{text} *" if short else f"{text}, queries with no relevant documents unweighted"


def _cells(preset: Preset, *, short: bool) -> list[str]:
    convention = preset_convention(preset)
    gains = nDCG.resolve(convention).params

    def word(policy: str, value: object) -> str:
        text = format_value(value)
        if not short:
            return text
        if isinstance(value, tuple):
            return "table" if policy != "ideal" else "own"
        return _SHORT.get(policy, {}).get(text, text.partition("(")[0])

    cells = [word(name, gains[name]) for name in ("gain", "discount", "ideal")]
    cells.append(word("ties", convention.ties))
    cells.append(word("no_relevant", convention.no_relevant))
    cells.append(convention.missing)
    cells.append(convention.duplicates)
    cells.append(describe_aggregation(convention, short=short))
    cells.append(word("evidence", preset.evidence))
    return cells


def _layout(presets: Iterable[Preset], columns: int) -> Iterator[list[Piece]]:
    """Yield lines of text pieces, each with its Rich style."""
    groups = group_by_field(presets)
    rows = {
        preset.name: _cells(preset, short=True) for group in groups.values() for preset in group
    }
    table = [
        ["", *_HEADERS],
        *([name, *cells] for name, cells in rows.items()),
        *([field] for field in groups),
    ]
    widths = [
        max(width(row[index]) for row in table if index < len(row))
        for index in range(len(_HEADERS) + 1)
    ]
    kept = len(widths)
    while kept > 2 and sum(widths[:kept]) + 2 * (kept - 1) > columns:
        kept -= 1
    wide = sum(widths[:kept]) + 2 * (kept - 1)
    summaries = [preset.summary for group in groups.values() for preset in group]
    room = wide + 2 + max(map(width, summaries), default=0) <= columns
    for field, members in groups.items():
        headers = [*_HEADERS[: kept - 1], *(["summary"] if room else [])]
        yield [(_row([field, *headers], widths), "bold")]
        yield [("─" * (wide + (2 + max(map(width, summaries)) if room else 0)), "dim")]
        for preset in members:
            cells = [*rows[preset.name][: kept - 1], *([preset.summary] if room else [])]
            start = _row([preset.name], widths)
            whole = _row([preset.name, *cells], widths)
            yield [(start, "cyan"), (whole[len(start) :], "")]
        yield []
    shown = ("", *_HEADERS[: kept - 1])
    for header, _, text in _COLUMNS:
        if header in shown:
            yield from _wrap(f"{header}: {text}", columns)
    if kept <= len(_HEADERS):
        left = ", ".join(_HEADERS[kept - 1 :])
        yield from _wrap(f"A wider terminal also shows: {left}", columns)
    yield []
    yield from _wrap(_NOTE, columns)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    wide = [*widths, *([0] * len(cells))]
    padded = (
        cell + " " * (column - width(cell)) for cell, column in zip(cells, wide, strict=False)
    )
    return "  ".join(padded).rstrip()


def _wrap(text: str, columns: int) -> Iterator[list[Piece]]:
    lines = wrap(text, columns, subsequent_indent="  ", break_on_hyphens=False)
    yield from ([(line, "dim")] for line in lines)
