"""The tables of a comparison."""

from __future__ import annotations

from gainful.comparison.pair import interval_places_of, pair_table_of, places_of
from gainful.evaluation.summary_tables import count_queries
from gainful.formats.numbers import (
    digits,
    places_adding_up,
    probability,
    spans,
    with_sign,
)
from gainful.formats.table import Column, Table
from gainful.records.tables import table_of
from gainful.vocabulary import CORRECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gainful.comparison.data import ComparisonData
    from gainful.comparison.pair import Pair
    from gainful.comparison.paired_result import PairedResult, PosteriorRank, Rank, Standing
    from gainful.measures import Measure

__all__ = [
    "bayes_table",
    "detail_table",
    "labels_of",
    "leaderboard_table",
    "pair_table",
    "posterior_rank_columns",
    "posterior_ranks_table",
    "rank_cells",
    "rank_columns",
    "risk_table",
    "segment_tables",
    "show_rank_interval",
    "slice_table",
    "worst_table",
]


def leaderboard_table(comparison: ComparisonData, measure: Measure) -> Table:
    """Return the leaderboard: means, comparison with the best system, and letters."""
    board = comparison.leaderboard(measure)
    return Table(
        _board_columns(comparison, board, measure.direction),
        map(_standing, board),
        title=f"{measure!r}, {count_queries({standing.n for standing in board})}",
    )


def _board_columns(
    comparison: ComparisonData, board: Sequence[Standing], direction: int
) -> list[Column]:
    pairs = [standing.vs_top for standing in board if standing.vs_top is not None]
    places, interval_places = places_of(pairs), interval_places_of(pairs)
    return [
        Column("system"),
        *rank_columns(comparison.alpha),
        Column("mean", show=lambda value: digits(value, places), best=direction),
        Column("difference", "vs. top", lambda value: with_sign(value, places)),
        Column(
            "interval",
            _level(comparison.alpha),
            spans(lambda value: with_sign(value, interval_places)),
            around="difference",
            zero=True,
        ),
        Column("group", fit="whole"),
    ]


def _standing(standing: Standing) -> list[object]:
    pair = standing.vs_top
    versus: list[object] = ["", ""]
    if pair is not None:
        versus = [pair.difference, pair.interval]
    return [
        standing.system,
        *rank_cells(standing.ranks),
        standing.mean,
        *versus,
        standing.letters,
    ]


def rank_columns(alpha: float) -> list[Column]:
    """Return the columns of a rank and its interval."""
    return [
        Column("rank", show=str),
        Column("rank_interval", _level(alpha), show_rank_interval),
    ]


def posterior_rank_columns(alpha: float) -> list[Column]:
    """Return the columns of the posterior probability of rank 1 and the set of ranks."""
    return [
        Column("first", "P(rank 1)", probability),
        Column("ranks", f"{100 * (1 - alpha):g}% set of ranks", show_rank_interval),
    ]


def show_rank_interval(ends: tuple[int, int]) -> str:
    """Format an interval of ranks.

    Examples
    --------
    >>> show_rank_interval((1, 3)), show_rank_interval((2, 2))
    ('1 to 3', '2')
    """
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"


def rank_cells(rank: Rank | None) -> list[object]:
    """Return the cells of `rank_columns` for one system; empty without a rank."""
    return ["", ""] if rank is None else [rank.rank, (rank.low, rank.high)]


def pair_table(comparison: ComparisonData, pairs: Sequence[Pair], *, titled: bool = True) -> Table:
    """Return the pairs of one measure: difference, interval, p, wins, verdict."""
    one = len({pair.baseline for pair in pairs}) == 1
    counts = {pair.n for pair in pairs}
    table = _pairs(comparison, pairs)
    left_out = {"baseline" if one else "mean", "n" if len(counts) == 1 else ""}
    table = table.only(lambda column: column.key not in left_out)
    if not titled:
        return table
    versus = ""
    means = {pair.baseline_mean for pair in pairs}
    if one:
        mean = f" ({digits(means.pop(), places_of(pairs))})" if len(means) == 1 else ""
        versus = f", baseline {pairs[0].baseline}{mean}"
    elif len(comparison.systems) > 2 and not comparison.baselines:
        # The title of the leaderboard above has the number of queries.
        return table.replace(title=f"{pairs[0].measure}, all pairs")
    return table.replace(title=f"{pairs[0].measure}, {count_queries(counts)}{versus}")


def _pairs(comparison: PairedResult, pairs: Sequence[Pair], table: str = "pairs") -> Table:
    labels = labels_of(comparison.alpha, pairs)
    return pair_table_of(pairs, table, labels)


def labels_of(alpha: float, pairs: Sequence[Pair]) -> dict[str, str]:
    """Return the parts of column headings that depend on the comparison."""
    within = any(pair.probability_within is not None for pair in pairs)
    correction = CORRECTIONS.get(pairs[0].correction)
    return {
        "level": _level(alpha),
        "p": f"p ({correction})" if correction else "p",
        "chances": "better / within margin / worse" if within else "better / worse",
    }


def segment_tables(comparison: ComparisonData, measure: Measure) -> list[Table]:
    """Return the tables of the slices: leaderboards, or one baseline's pairs."""
    by = comparison.attribute or "segment"
    if not comparison.baselines and len(comparison.systems) > 2:
        return [_boards(comparison, measure, by)]
    listed = []
    sliced = [pair for segment in comparison.segments.values() for pair in segment]
    for baseline in comparison.baselines or comparison.systems:
        pairs = [p for p in sliced if p.measure == repr(measure) and p.baseline == baseline]
        if pairs:
            listed.append(slice_table(comparison, pairs, by))
    return listed


def _boards(comparison: ComparisonData, measure: Measure, by: str) -> Table:
    """Return the leaderboards of all segments in one table."""
    rows: list[list[object]] = []
    every: list[Standing] = []
    for segment in comparison.segments:
        board = comparison.leaderboard(measure, segment)
        every += board
        for index, standing in enumerate(board):
            start: list[object] = ["", ""] if index else [segment, standing.n]
            rows.append([*start, *_standing(standing)])
    return Table(
        [
            Column("segment", by),
            Column("n", "queries", str),
            *_board_columns(comparison, every, measure.direction),
        ],
        rows,
        title=f"{measure!r}, by {by}",
    )


def slice_table(
    comparison: PairedResult, pairs: Sequence[Pair], by: str, without: str = ""
) -> Table:
    """Return the pairs of one baseline in all segments."""
    one = len({pair.system for pair in pairs}) == 1
    left_out = {"baseline", "system" if one else "", without}
    table = _pairs(comparison, pairs).only(lambda column: column.key not in left_out)
    queries = table.keys.index("n")
    starts = [
        index == 0 or pairs[index - 1].segment != pair.segment for index, pair in enumerate(pairs)
    ]
    count = table.columns[queries]
    rest = table.only(lambda column: column is not count)
    systems = f"{pairs[0].system} vs. " if one else "baseline "
    return rest.replace(
        columns=[Column("segment", by), count, *rest.columns],
        rows=[
            [str(pair.segment) if start else "", pair.n, *row]
            for pair, start, row in zip(pairs, starts, rest.rows, strict=True)
        ],
        title=f"{pairs[0].measure}, {systems}{pairs[0].baseline}, by {by}",
    )


def detail_table(comparison: ComparisonData, pairs: Sequence[Pair]) -> Table:
    """Return further tests, bootstrap interval and power of each pair."""
    one = len({pair.baseline for pair in pairs}) == 1
    table = _pairs(comparison, pairs, "details")
    table = table.only(lambda column: not one or column.key != "baseline")
    return table.replace(title=f"{pairs[0].measure}, details")


def bayes_table(comparison: ComparisonData, pairs: Sequence[Pair]) -> Table:
    """Return the posterior probabilities of each pair under both priors."""
    one = len({pair.baseline for pair in pairs}) == 1
    table = _pairs(comparison, pairs, "bayes")
    table = table.only(lambda column: not one or column.key != "baseline")
    versus = f" of systems vs. {pairs[0].baseline}" if one else ""
    return table.replace(title=f"{pairs[0].measure}, posterior probabilities{versus}")


def posterior_ranks_table(
    comparison: ComparisonData, chances: Mapping[str, PosteriorRank], measure: Measure
) -> Table:
    """Return the posterior probability of rank 1 of each system, and its set of ranks."""
    return Table(
        [Column("system"), *posterior_rank_columns(comparison.alpha)],
        [(system, chance.first, (chance.low, chance.high)) for system, chance in chances.items()],
        title=f"{measure!r}, posterior probabilities of ranks",
    )


def risk_table(comparison: ComparisonData, measure: Measure, aversion: float) -> Table:
    """Return the risk of each system vs. each baseline."""
    title = f"{measure!r}, risk (each loss counts {1 + aversion:g} times)"
    return table_of(comparison.risk(measure, aversion), "risk", title=title)


def worst_table(comparison: ComparisonData, pair: Pair, k: int) -> Table:
    """Return the queries on which a pair's system loses most."""
    rows = [(query, one, two, one - two) for query, one, two in comparison.worst(pair, k)]
    places = places_adding_up((two, one, change) for _, one, two, change in rows)
    return Table(
        [
            Column("query_id"),
            Column("system", pair.system, lambda value: digits(value, places)),
            Column("baseline", pair.baseline, lambda value: digits(value, places)),
            Column("difference", show=lambda value: with_sign(value, places)),
        ],
        rows,
        title=f"{pair.measure}, largest losses of {pair.system} vs. {pair.baseline}",
    )


def _level(alpha: float) -> str:
    return f"{100 * (1 - alpha):g}% CI"
