"""Measures compared, as tables, as rows and as JSON: the contract ``gainful.agreement/1``.

The contract's schema is ``agreement-1.json``, next to this file.
"""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.formats.table import TextTable, digits, short, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.measures_result import Discrimination, MeasureAgreement

#: Columns of a terminal, and of a sorted-p curve in it.
WIDTH = 100
CURVE = 20
_BLOCKS = "▁▂▃▄▅▆▇█"
#: The curve is read at these p.
LEVELS = (0.001, 0.01, 0.05, 0.1)

_TESTS = {
    "max-t": "sign flips, corrected by max-T for all pairs of a measure",
    "tukey": "randomized Tukey HSD, for all pairs of a measure at once",
    "t": "the paired t test, each pair by itself",
    "randomisation": "sign flips, each pair by itself",
}


def tables(agreement: MeasureAgreement, *, curves: bool = True) -> list[TextTable]:
    """Return what each measure tells apart, how far measures agree, and the ranks of systems.

    Parameters
    ----------
    curves : bool
        Whether the sorted-p curve is drawn beside its numbers.
    """
    shown = [_power_table(agreement, curves)]
    if agreement.pairs:
        shown.append(_pair_table(agreement))
    shown += _rank_tables(agreement)
    return [*shown[:-1], shown[-1].told(notes=_notes(agreement, curves))]


def _power_table(agreement: MeasureAgreement, curves: bool) -> TextTable:
    number = len(agreement.measures[0].pairs)
    by_width = agreement.test == "tukey"
    rows = []
    for each in agreement.measures:
        counts = [sum(pair.p <= level for pair in each.pairs) for level in LEVELS]
        rows.append(
            [
                each.measure,
                str(each.queries),
                f"{each.apart} of {number}",
                f"{each.power:.0%}".replace("%", " %"),
                *([_half_width(each)] if by_width else []),
                *map(str, counts),
                *([curve(each)] if curves else []),
            ]
        )
    headers = ["measure", "queries", "told apart", "share", *(["from"] if by_width else [])]
    headers += [f"p ≤ {short(LEVELS[0])}", *(f"≤ {short(level)}" for level in LEVELS[1:])]
    return TextTable(
        [*headers, *(["sorted p"] if curves else [])],
        rows,
        align="l" + "r" * (len(headers) - 1) + "l" * curves,
        title=f"What each measure tells apart: pairs of {len(agreement.systems)} systems",
    )


def _half_width(each: Discrimination) -> str:
    # Another seed would change the fourth digit.
    return digits(_finite(each.half_width), 3)


def curve(each: Discrimination, columns: int = CURVE) -> str:
    """Return the p-values of the pairs from the largest to the smallest, as blocks.

    The lowest block stands for pairs that are told apart; the others for p up to 1, in sevenths. Of
    more pairs than columns a block is the pair in the middle of its share.
    """
    pairs = each.pairs[::-1]
    if len(pairs) > columns:
        step = len(pairs) / columns
        pairs = tuple(pairs[int((at + 0.5) * step)] for at in range(columns))
    # A p of 1 is the eighth block, the smallest that tells nothing apart the second.
    return "".join(
        _BLOCKS[0] if pair.apart else _BLOCKS[min(7, 1 + int(pair.p * 7))] for pair in pairs
    )


def _pair_table(agreement: MeasureAgreement) -> TextTable:
    rows = [
        [
            pair.measure,
            pair.other,
            digits(pair.tau_b, 3),
            digits(pair.tau_ap_b, 3),
            digits(pair.rbo, 3),
            str(pair.alike),
            str(pair.contrary),
            str(pair.only_first),
            str(pair.only_second),
        ]
        for pair in agreement.pairs
    ]
    return TextTable(
        [
            *("measure", "and", "tau-b", "tau-AP", "RBO_ext"),
            *("alike", "contrary", "only first", "only second"),
        ],
        rows,
        align="ll" + "r" * 7,
        title="How far measures agree: on the ranking of the systems, and on pairs told apart",
    )


def _rank_tables(agreement: MeasureAgreement) -> list[TextTable]:
    """Return the ranks, in as many tables as fit beside a terminal's edge; best system first."""
    names = sorted(
        agreement.systems,
        key=lambda system: sum(each.ranks[system] for each in agreement.measures),
    )
    room = WIDTH - max(map(width, ("system", *names)))
    groups: list[list[Discrimination]] = [[]]
    used = 0
    for each in agreement.measures:
        wide = 2 + max(width(each.measure), 3)
        if groups[-1] and used + wide > room:
            groups.append([])
            used = 0
        groups[-1].append(each)
        used += wide
    return [
        TextTable(
            ["system", *(each.measure for each in group)],
            [[name, *(_rank(each, name) for each in group)] for name in names],
            align="l" + "r" * len(group),
            title="Ranks of the systems",
        )
        for group in groups
    ]


def _rank(each: Discrimination, system: str) -> str:
    ranks = each.ranks
    shared = sum(rank == ranks[system] for rank in ranks.values()) > 1
    return f"{ranks[system]}=" if shared else str(ranks[system])


def _notes(agreement: MeasureAgreement, curves: bool) -> list[str]:
    test = _TESTS[agreement.test]
    notes = [f"Told apart: p ≤ {short(agreement.alpha)} by {test}."]
    if agreement.test == "tukey":
        notes.append(
            "from: the difference of means below which that is never so, in units of the measure."
        )
    if curves:
        notes.append(
            "sorted p: from the least certain pair to the surest; lowest where told apart."
        )
    left = {each.measure: each.left_out for each in agreement.measures if each.left_out}
    notes += [
        f"{name}: {number} more queries do not count for all systems and are left out."
        for name, number in left.items()
    ]
    if agreement.pairs:
        notes.append(
            "alike, contrary: pairs that both measures tell apart, the same way round or not."
        )
        notes.append(
            f"RBO_ext with p {short(agreement.persistence)}; for the reverse order of"
            f" {len(agreement.systems)} systems it is {digits(agreement.least_rbo, 3)}. tau-AP is"
            " tau-AP,b."
        )
    notes.append(
        "A measure that tells more apart needs fewer queries. It is not thereby closer to users."
    )
    return [*notes, agreement.convention]


# --- for programs -------------------------------------------------------------------------------


def columns(agreement: MeasureAgreement, what: str = "agreement") -> dict[str, list[object]]:
    """Return one part of the result column by column.

    Raises
    ------
    ParameterError
        For a part that there is not.
    """
    makers = {"agreement": _pair_rows, "power": _power_rows, "ranks": _rank_rows, "curve": _p_rows}
    if what not in makers:
        raise ParameterError(where="what", found=repr(what), expected=f"one of {', '.join(makers)}")
    names, rows = makers[what](agreement)
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


_Part = tuple[tuple[str, ...], list[tuple[object, ...]]]
_PAIR = ("measure", "other", "tau_b", "tau_ap_b", "rbo")
_DECISIONS = ("alike", "contrary", "only_first", "only_second")


def _pair_rows(agreement: MeasureAgreement) -> _Part:
    names = (*_PAIR, *_DECISIONS)
    return names, [tuple(getattr(pair, name) for name in names) for pair in agreement.pairs]


def _power_rows(agreement: MeasureAgreement) -> _Part:
    names = ("measure", "queries", "left_out", "pairs", "apart", "power", "half_width")
    return names, [
        (
            *(each.measure, each.queries, each.left_out),
            *(len(each.pairs), each.apart, each.power, _finite(each.half_width)),
        )
        for each in agreement.measures
    ]


def _rank_rows(agreement: MeasureAgreement) -> _Part:
    return ("measure", "system", "mean", "rank"), [
        (each.measure, system, mean, each.ranks[system])
        for each in agreement.measures
        for system, mean in each.means.items()
    ]


def _p_rows(agreement: MeasureAgreement) -> _Part:
    return ("measure", "system", "other", "difference", "p", "apart"), [
        (each.measure, pair.system, pair.other, pair.difference, pair.p, pair.apart)
        for each in agreement.measures
        for pair in each.pairs
    ]


def _finite(value: float | None) -> float | None:
    return None if value is None or value == float("inf") else value


def document(agreement: MeasureAgreement) -> dict[str, object]:
    """Return the whole of it as plain values, for JSON."""
    return {
        "schema": "gainful.agreement/1",
        "convention": agreement.convention,
        "systems": list(agreement.systems),
        "test": agreement.test,
        "alpha": agreement.alpha,
        "resamples": agreement.resamples,
        "seed": agreement.seed,
        "persistence": agreement.persistence,
        "least_rbo": agreement.least_rbo,
        "measures": [
            {
                "measure": each.measure,
                "queries": each.queries,
                "left_out": each.left_out,
                "apart": each.apart,
                "power": each.power,
                "half_width": _finite(each.half_width),
                "means": dict(each.means),
                "ranks": each.ranks,
                "pairs": [
                    {
                        "system": pair.system,
                        "other": pair.other,
                        "difference": pair.difference,
                        "p": pair.p,
                        "apart": pair.apart,
                    }
                    for pair in each.pairs
                ],
            }
            for each in agreement.measures
        ],
        "pairs": [
            {name: getattr(pair, name) for name in (*_PAIR, *_DECISIONS)}
            for pair in agreement.pairs
        ],
    }
