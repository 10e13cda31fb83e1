"""Show compared measures as tables, rows and the JSON contract ``gainful.agreement/1``."""

from __future__ import annotations

from gainful.errors import ParameterError
from gainful.formats.numbers import digits, short, spans
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.agreement.measures_result import Discrimination, MeasureAgreement, MeasurePair

#: Columns of a sorted-p curve.
CURVE = 20
_BLOCKS = "▁▂▃▄▅▆▇█"
#: Pairs are counted at these p-values.
LEVELS = (0.001, 0.01, 0.05, 0.1)

_TESTS = {
    "max-t": "randomization test, p corrected by max-T over a measure's pairs, and for skewness",
    "tukey": "randomized Tukey HSD over the pairs of a measure",
    "t": "paired t test, uncorrected",
    "randomization": "randomization test, uncorrected",
}


def tables(agreement: MeasureAgreement) -> list[Table]:
    """Return the discriminative power, the agreement of the measures, and the ranks."""
    shown = [_power_table(agreement)]
    if agreement.pairs:
        shown.append(_pair_table(agreement))
    shown.append(_rank_table(agreement))
    shown += _slice_tables(agreement)
    return [*shown[:-1], shown[-1].replace(notes=_notes(agreement))]


def _power_table(agreement: MeasureAgreement) -> Table:
    number = len(agreement.measures[0].pairs)
    starts = ["p ≤ ", *["≤ "] * (len(LEVELS) - 1)]
    table = Table(
        [
            Column("measure"),
            Column("queries", show=str),
            Column("significant", show=lambda count: f"{count} of {number}"),
            Column("power", "share", lambda power: f"{power:.0%}"),
            # The fourth digit depends on the seed.
            Column("half_width", "critical difference", lambda value: digits(value, 3)),
            *(
                Column(f"p.{level}", start + short(level), str)
                for start, level in zip(starts, LEVELS, strict=True)
            ),
            Column("curve", "sorted p", curve, align="l", fit="picture"),
        ],
        [
            (
                *(each.measure, each.queries, each.significant, each.power),
                _finite(each.half_width),
                *(sum(pair.p <= level for pair in each.pairs) for level in LEVELS),
                each,
            )
            for each in agreement.measures
        ],
        title=f"Discriminative power: pairs of {len(agreement.systems)} systems",
        notes=[
            Note(
                "curve",
                "sorted p: from the largest p-value to the smallest; the lowest block is"
                " significant.",
                explains=True,
            )
        ],
    )
    by_width = agreement.test == "tukey"
    return table.only(lambda column: by_width or column.key != "half_width")


def curve(each: Discrimination, columns: int = CURVE) -> str:
    """Return the p-values of the pairs from the largest to the smallest, as blocks.

    The lowest block is a significant pair; the others are p in sevenths. With more pairs than
    columns, a block shows the middle pair of its share.
    """
    pairs = each.pairs[::-1]
    if len(pairs) > columns:
        step = len(pairs) / columns
        pairs = tuple(pairs[int((at + 0.5) * step)] for at in range(columns))
    # The second block is the smallest p that is not significant, the eighth is 1.
    return "".join(
        _BLOCKS[0] if pair.significant else _BLOCKS[min(7, 1 + int(pair.p * 7))] for pair in pairs
    )


def _pair_table(agreement: MeasureAgreement) -> Table:
    table = Table(
        _pair_columns(agreement),
        map(_pair_cells, agreement.pairs),
        title="Agreement between measures: rankings and significant pairs",
    )
    return table.only(lambda column: agreement.bootstrap > 0 or column.key not in _INTERVALS)


def _pair_columns(agreement: MeasureAgreement) -> list[Column]:
    level = f"{100 * (1 - agreement.alpha):g}% CI"
    return [
        Column("measure"),
        Column("other", "and"),
        Column("tau_b", "tau-b", _three),
        Column("tau_b_interval", level, spans(_two)),
        Column("tau_ap_b", "tau-AP", _three),
        Column("tau_ap_b_interval", level, spans(_two), priority=1),
        Column("rbo", "RBO_ext", _three, priority=2),
        Column("same_sign", "same sign", str),
        Column("opposite_sign", "opposite sign", str, short="opposite"),
        Column("only_first", "only first", str),
        Column("only_second", "only second", str),
    ]


def _pair_cells(pair: MeasurePair) -> list[object]:
    return [
        *(pair.measure, pair.other),
        *(pair.tau_b, (pair.tau_b_low, pair.tau_b_high)),
        *(pair.tau_ap_b, (pair.tau_ap_b_low, pair.tau_ap_b_high)),
        *(getattr(pair, name) for name in ("rbo", *_DECISIONS)),
    ]


_INTERVALS = ("tau_b_interval", "tau_ap_b_interval")


def _slice_tables(agreement: MeasureAgreement) -> list[Table]:
    """Return the discriminative power and the agreement within the slices."""
    if not agreement.slices:
        return []
    by = agreement.attribute or "slice"
    power: list[list[object]] = []
    pairs: list[list[object]] = []
    for name, part in agreement.slices.items():
        for at, each in enumerate(part.measures):
            start = "" if at else name
            power.append([start, each.measure, each.queries, each.significant, each.power])
        for at, pair in enumerate(part.pairs):
            pairs.append(["" if at else name, *_pair_cells(pair)])
    number = len(agreement.measures[0].pairs)
    shown = [
        Table(
            [
                Column("slice", by),
                Column("measure"),
                Column("queries", show=str),
                Column("significant", show=lambda count: f"{count} of {number}"),
                Column("power", "share", lambda power: f"{power:.0%}"),
            ],
            power,
            title=f"Discriminative power, by {by}",
        )
    ]
    if pairs:
        columns = [Column("slice", by), *_pair_columns(agreement)]
        table = Table(columns, pairs, title=f"Agreement between measures, by {by}")
        left_out = {"rbo", "tau_ap_b", "tau_ap_b_interval"}
        left_out |= set() if agreement.bootstrap else {"tau_b_interval"}
        shown.append(table.only(lambda column: column.key not in left_out))
    return shown


def _three(value: float) -> str:
    return digits(value, 3)


def _two(value: float) -> str:
    return digits(value, 2)


def _rank_table(agreement: MeasureAgreement) -> Table:
    """Return the ranks, best system first."""
    names = sorted(
        agreement.systems,
        key=lambda system: sum(each.ranks[system] for each in agreement.measures),
    )
    return Table(
        [
            Column("system"),
            *(
                Column(f"rank.{each.measure}", each.measure, align="r")
                for each in agreement.measures
            ),
        ],
        [[name, *(_rank(each, name) for each in agreement.measures)] for name in names],
        title="Ranks of the systems",
    )


def _rank(each: Discrimination, system: str) -> str:
    ranks = each.ranks
    shared = sum(rank == ranks[system] for rank in ranks.values()) > 1
    return f"{ranks[system]}=" if shared else str(ranks[system])


def _notes(agreement: MeasureAgreement) -> list[Note]:
    test = _TESTS[agreement.test]
    notes = [Note("test", f"Significant: p ≤ {short(agreement.alpha)} ({test}).")]
    if agreement.test == "tukey":
        text = "critical difference: the smallest significant difference of means."
        notes.append(Note("half_width", text, explains=True))
    left = {each.measure: each.left_out for each in agreement.measures if each.left_out}
    notes += noted(
        "left_out",
        (
            f"{name}: {number} queries left out because they do not count for all systems."
            for name, number in left.items()
        ),
    )
    if agreement.too_small:
        text = f"Slices with too few queries: {', '.join(agreement.too_small)}."
        notes.append(Note("too_small", text))
    if agreement.pairs:
        if agreement.bootstrap:
            of = f"clusters ({agreement.cluster})" if agreement.cluster else "queries"
            text = f"Intervals of tau-b and tau-AP: {agreement.bootstrap:,} resamples of {of}."
            notes.append(Note("tau_b_interval", text, explains=True))
        text = "same sign, opposite sign: pairs that differ significantly under both measures."
        notes.append(Note("same_sign", text, explains=True))
        text = (
            f"RBO_ext: p {short(agreement.persistence)}; the reverse ranking of"
            f" {len(agreement.systems)} systems has {digits(agreement.least_rbo, 3)}."
        )
        notes.append(Note("rbo", text))
    return [*notes, Note("convention", agreement.convention)]


# --- for programs -------------------------------------------------------------------------------


def columns(agreement: MeasureAgreement, what: str = "agreement") -> dict[str, list[object]]:
    """Return one part of the result, column by column.

    Raises
    ------
    ParameterError
        For an unknown part.
    """
    makers = {
        "agreement": _pair_rows,
        "power": _power_rows,
        "ranks": _rank_rows,
        "curve": _p_rows,
        "slices": _slice_rows,
    }
    if what not in makers:
        raise ParameterError(where="what", found=repr(what), expected=f"one of {', '.join(makers)}")
    names, rows = makers[what](agreement)
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


_Part = tuple[tuple[str, ...], list[tuple[object, ...]]]
_TAUS = ("tau_b", "tau_b_low", "tau_b_high", "tau_ap_b", "tau_ap_b_low", "tau_ap_b_high")
_PAIR = ("measure", "other", *_TAUS, "rbo")
_DECISIONS = ("same_sign", "opposite_sign", "only_first", "only_second")


def _pair_rows(agreement: MeasureAgreement) -> _Part:
    names = (*_PAIR, *_DECISIONS)
    return names, [tuple(getattr(pair, name) for name in names) for pair in agreement.pairs]


def _slice_rows(agreement: MeasureAgreement) -> _Part:
    names, _ = _pair_rows(agreement)
    return ("slice", *names), [
        (name, *row) for name, part in agreement.slices.items() for row in _pair_rows(part)[1]
    ]


def _power_rows(agreement: MeasureAgreement) -> _Part:
    names = ("measure", "queries", "left_out", "pairs", "significant", "power", "half_width")
    return names, [
        (
            *(each.measure, each.queries, each.left_out),
            *(len(each.pairs), each.significant, each.power, _finite(each.half_width)),
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
    return ("measure", "system", "other", "difference", "p", "significant"), [
        (each.measure, pair.system, pair.other, pair.difference, pair.p, pair.significant)
        for each in agreement.measures
        for pair in each.pairs
    ]


def _finite(value: float | None) -> float | None:
    return None if value is None or value == float("inf") else value


def document(agreement: MeasureAgreement) -> dict[str, object]:
    """Return the result as JSON values; the schema is ``agreement-1.json``."""
    whole: dict[str, object] = {
        "schema": "gainful.agreement/1",
        "convention": agreement.convention,
        "systems": list(agreement.systems),
        "test": agreement.test,
        "alpha": agreement.alpha,
        "resamples": agreement.resamples,
        "seed": agreement.seed,
        "bootstrap": agreement.bootstrap,
        "persistence": agreement.persistence,
        "least_rbo": agreement.least_rbo,
        "measures": [
            {
                "measure": each.measure,
                "queries": each.queries,
                "left_out": each.left_out,
                "significant": each.significant,
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
                        "significant": pair.significant,
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
    if agreement.slices or agreement.too_small:
        whole["by"] = agreement.attribute
        whole["slices"] = {name: document(part) for name, part in agreement.slices.items()}
        whole["too_small"] = list(agreement.too_small)
    return whole
