"""A comparison as tables of text: the systems, the pairs, and what is asked for beside them."""

from __future__ import annotations

from gainful.formats.differences import changed, places_for, signed
from gainful.formats.table import TextTable, digits, with_sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.comparison.pair import Pair
    from gainful.comparison.result import Comparison
    from gainful.measures import Measure

__all__ = [
    "CORRECTIONS",
    "NAMES",
    "WIDTH",
    "detail_table",
    "difference",
    "leaderboard_table",
    "pair_table",
    "places_of",
    "probability",
    "risk_table",
    "segment_tables",
    "worst_table",
]

#: Columns of a terminal; what is less needed is left out of a table that is wider.
WIDTH = 100

#: Columns that a table goes without where it would be too wide, the first first.
_SPARE = (
    "effect",
    "won / tied / lost",
    "dominance",
    "t test",
    "p (Holm)",
    "p (Tukey)",
    "p (max-T)",
    "d_z",
)

#: Corrections as a sentence names them.
NAMES = {"holm": "Holm", "max-t": "max-T"}

CORRECTIONS = {"holm": "p (Holm)", "tukey": "p (Tukey)", "max-t": "p (max-T)", "none": "p"}


def leaderboard_table(comparison: Comparison, measure: Measure) -> TextTable:
    """Return the systems with their means, beside the top one, and which cannot be told apart."""
    board = comparison.leaderboard(measure)
    rows = []
    for standing in board:
        pair = standing.beside_top
        rows.append(
            [
                standing.system,
                digits(standing.mean),
                difference(pair, 4) if pair else "",
                _interval(pair.low, pair.high) if pair else "",
                standing.letters,
            ]
        )
    queries = {standing.n for standing in board}
    return TextTable(
        ["system", "mean", "beside the top", _level(comparison), "groups"],
        rows,
        align="lrrrl",
        title=f"{measure!r}, {_counted(queries)}",
    )


def pair_table(
    comparison: Comparison, pairs: Sequence[Pair], *, titled: bool = True, width: int = WIDTH
) -> TextTable:
    """Return the pairs of one measure: difference, interval, p, wins, effect and verdict."""
    places = places_of(pairs)
    one = len({pair.baseline for pair in pairs}) == 1
    counts = {pair.n for pair in pairs}
    columns: list[tuple[str, str, list[str]]] = [
        ("system", "l", [pair.system for pair in pairs]),
    ]
    if one:
        columns.append(("mean", "r", [digits(pair.mean, places) for pair in pairs]))
    else:
        columns.append(("beside", "l", [pair.baseline for pair in pairs]))
    if len(counts) > 1:
        columns.append(("queries", "r", [str(pair.n) for pair in pairs]))
    columns += _found(comparison, pairs, places)
    table = _narrowed(columns, width)
    if not titled:
        return table
    beside = ""
    means = {pair.baseline_mean for pair in pairs}
    if one:
        mean = f" ({digits(means.pop(), places)})" if len(means) == 1 else ""
        beside = f" beside {pairs[0].baseline}{mean}"
    elif len(comparison.systems) > 2 and not comparison.baselines:
        # The leaderboard above has the rest of the title.
        return table.told(title=f"{pairs[0].measure}, pair by pair")
    return table.told(title=f"{pairs[0].measure}{beside}, {_counted(counts)}")


def segment_tables(comparison: Comparison, measure: Measure, width: int = WIDTH) -> list[TextTable]:
    """Return what there is in each slice of the queries: the systems, or a baseline's pairs."""
    by = comparison.attribute or "segment"
    if not comparison.baselines and len(comparison.systems) > 2:
        return [_boards(comparison, measure, by)]
    found = []
    sliced = [pair for own in comparison.segments.values() for pair in own]
    for baseline in comparison.baselines or comparison.systems:
        pairs = [p for p in sliced if p.measure == repr(measure) and p.baseline == baseline]
        if pairs:
            found.append(_slices(comparison, pairs, by, width))
    return found


def _boards(comparison: Comparison, measure: Measure, by: str) -> TextTable:
    """Return the leaderboards of all segments, one below the other."""
    rows = []
    for segment in comparison.segments:
        for at, standing in enumerate(comparison.leaderboard(measure, segment)):
            pair = standing.beside_top
            rows.append(
                [
                    "" if at else segment,
                    "" if at else str(standing.n),
                    standing.system,
                    digits(standing.mean),
                    difference(pair, 4) if pair else "",
                    _interval(pair.low, pair.high) if pair else "",
                    standing.letters,
                ]
            )
    return TextTable(
        [by, "queries", "system", "mean", "beside the top", _level(comparison), "groups"],
        rows,
        align="lrlrrrl",
        title=f"{measure!r}, by {by}",
    )


def _slices(comparison: Comparison, pairs: Sequence[Pair], by: str, width: int) -> TextTable:
    """Return the pairs of one baseline in all segments."""
    places = places_of(pairs)
    starts = [at == 0 or pairs[at - 1].segment != pair.segment for at, pair in enumerate(pairs)]
    named = list(zip(pairs, starts, strict=True))
    columns = [
        (by, "l", [str(pair.segment) if start else "" for pair, start in named]),
        ("queries", "r", [str(pair.n) for pair in pairs]),
    ]
    one = len({pair.system for pair in pairs}) == 1
    if not one:
        columns.append(("system", "l", [pair.system for pair in pairs]))
    columns.append(("mean", "r", [digits(pair.mean, places) for pair in pairs]))
    table = _narrowed([*columns, *_found(comparison, pairs, places)], width)
    who = f"{pairs[0].system} " if one else ""
    return table.told(title=f"{pairs[0].measure}, {who}beside {pairs[0].baseline}, by {by}")


def detail_table(comparison: Comparison, pairs: Sequence[Pair], width: int = WIDTH) -> TextTable:
    """Return what else is known of pairs: each test alone, the bootstrap, and power."""
    asked = comparison.choices.tests
    columns: list[tuple[str, str, list[str]]] = [
        ("system", "l", [pair.system for pair in pairs]),
    ]
    if len({pair.baseline for pair in pairs}) > 1:
        columns.append(("beside", "l", [pair.baseline for pair in pairs]))
    columns += [
        ("p alone", "r", [probability(pair.p) for pair in pairs]),
        ("t test", "r", [probability(pair.p_t) for pair in pairs]),
    ]
    if "wilcoxon" in asked:
        columns.append(("Wilcoxon", "r", [probability(pair.p_wilcoxon) for pair in pairs]))
    if "sign" in asked:
        columns.append(("sign", "r", [probability(pair.p_sign) for pair in pairs]))
    columns.append(("p (BH)", "r", [probability(pair.p_bh) for pair in pairs]))
    if comparison.margin is not None:
        columns.append(("TOST", "r", [probability(p.p_equivalence_adjusted) for p in pairs]))
    if comparison.choices.bootstrap:
        columns.append(("BCa alone", "r", [_interval(p.bca_low, p.bca_high) for p in pairs]))
    columns += [
        ("d_z", "r", [with_sign(pair.effect, 2) for pair in pairs]),
        ("dominance", "r", [with_sign(pair.dominance, 2) for pair in pairs]),
        ("detectable", "r", [digits(pair.detectable) for pair in pairs]),
    ]
    if comparison.choices.sought is not None:
        needed = ["–" if pair.needed is None else f"{pair.needed:,}" for pair in pairs]
        columns.append(("needed", "r", needed))
    table = _narrowed(columns, width)
    return table.told(title=f"{pairs[0].measure}: more of each pair")


def risk_table(comparison: Comparison, measure: Measure, aversion: float) -> TextTable:
    """Return what each system risks beside each baseline."""
    found = comparison.risk(measure, aversion)
    rows = [
        [
            each.system,
            each.baseline,
            with_sign(each.u_risk, 4),
            with_sign(each.t_risk, 2),
            digits(each.geo_risk),
            str(each.losses),
            each.worst or "–",
            with_sign(each.worst_difference, 4),
        ]
        for each in found
    ]
    return TextTable(
        ["system", "beside", "URisk", "TRisk", "GeoRisk", "lost", "worst query", "there"],
        rows,
        align="llrrrrlr",
        title=f"{measure!r}: risk, with each loss counted {1 + aversion:g} times",
    )


def worst_table(comparison: Comparison, pair: Pair, k: int) -> TextTable:
    """Return the queries that a pair's system loses most on."""
    rows = [
        [query, digits(one), digits(two), signed(changed(two, one, 4), 4)]
        for query, one, two in comparison.worst(pair, k)
    ]
    return TextTable(
        ["query_id", pair.system, pair.baseline, "difference"],
        rows,
        align="lrrr",
        title=f"{pair.measure}: where {pair.system} loses most beside {pair.baseline}",
    )


# --- columns ------------------------------------------------------------------------------------


def _found(
    comparison: Comparison, pairs: Sequence[Pair], places: int
) -> list[tuple[str, str, list[str]]]:
    correction = CORRECTIONS[pairs[0].correction]
    return [
        ("difference", "r", [difference(pair, places) for pair in pairs]),
        (_level(comparison), "r", [_interval(p.low, p.high, places) for p in pairs]),
        (correction, "r", [probability(pair.p_adjusted) for pair in pairs]),
        ("won / tied / lost", "r", _counts(pairs)),
        ("effect", "r", [with_sign(pair.effect, 2) for pair in pairs]),
        ("verdict", "l", [pair.words for pair in pairs]),
    ]


def _narrowed(columns: list[tuple[str, str, list[str]]], width: int) -> TextTable:
    """Make a table, without what is told elsewhere, too, where it would be too wide."""
    table = _table(columns)
    for name in _SPARE:
        if max(map(len, str(table).split("\n"))) <= width:
            break
        columns = [column for column in columns if column[0] != name]
        table = _table(columns)
    return table


def _table(columns: Sequence[tuple[str, str, list[str]]]) -> TextTable:
    headers, sides, cells = zip(*columns, strict=True)
    return TextTable(headers, list(zip(*cells, strict=True)), align="".join(sides))


# --- cells --------------------------------------------------------------------------------------


def probability(p: float | None) -> str:
    """Write a p-value.

    Examples
    --------
    >>> probability(0.0312), probability(0.00001), probability(1.0), probability(None)
    ('.0312', '<.0001', '1.0000', '–')
    """
    if p is None:
        return "–"
    return "<.0001" if p < 0.0001 else digits(p)


def places_of(pairs: Sequence[Pair]) -> int:
    """Return how many digits show that what is better is not the same."""
    return places_for(
        [(pair.baseline_mean, pair.mean) for pair in pairs if pair.verdict in ("better", "worse")],
        1e-12,
    )


def _counts(pairs: Sequence[Pair]) -> list[str]:
    """Write wins, ties and losses below each other."""
    rows = [[str(pair.wins), str(pair.ties), str(pair.losses)] for pair in pairs]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        " / ".join(cell.rjust(each) for cell, each in zip(row, wide, strict=True)) for row in rows
    ]


def difference(pair: Pair, places: int) -> str:
    """Write a difference as the means are printed, so that what is printed adds up."""
    return signed(changed(pair.baseline_mean, pair.mean, places), places)


def _interval(low: float | None, high: float | None, places: int = 4) -> str:
    if low is None or high is None:
        return "–"
    return f"{with_sign(low, places)} to {with_sign(high, places)}"


def _level(comparison: Comparison) -> str:
    return f"{100 * (1 - comparison.alpha):g} % interval"


def _counted(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low} quer{'y' if low == 1 else 'ies'}"
    return f"{low} to {high} queries"
