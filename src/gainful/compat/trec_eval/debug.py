"""-D: the terms of ndcg and ndcg_cut, printed before the topic's values."""

from __future__ import annotations

from math import log2

from gainful._kernel import TopicLines
from gainful.compat.trec_eval.evaluating import FAKE
from gainful.compat.trec_eval.printing import line_sources
from gainful.compat.trec_eval.ranking import list_grades

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful._kernel import Rows
    from gainful.compat.trec_eval.reading import Judgments
    from gainful.compat.trec_eval.scores import Scores
    from gainful.compat.trec_eval.settings import Settings


def debug_lines(
    settings: Settings, judgments: Judgments, run: Rows, scores: Scores
) -> Iterator[bytes]:
    """Yield the debug lines of each topic, followed by its values if requested."""
    lines = TopicLines(scores.topics, line_sources(settings, scores))
    (fake,) = FAKE
    for number, name in enumerate(scores.names()):
        topic = name.decode("utf-8", "surrogateescape")
        listed, levels = list_grades(judgments.rows, run, topic, settings, fake)
        text: list[str] = []
        for row in scores.plan.marked:
            if row.family in ("nDCG", "DCG", "IDCG") and row.takes == "pairs":
                text += _ndcg(listed, levels, dict(scores.plan.tables.get(row.name, ())))
            elif row.name == "ndcg_cut":
                cutoffs = scores.plan.cutoffs(row)
                text += _ndcg_cut(listed, levels, cutoffs, settings.debug)
        yield "".join(text).encode()
        if settings.topics:
            yield lines.chunk(number, number + 1)


def _ndcg(listed: list[int], levels: list[int], gains: dict[int, float]) -> Iterator[str]:
    """Yield rank (from 0), index of the ideal gain, gain, DCG, ideal gain, ideal DCG."""
    table = [(gains.get(level, float(level)), count) for level, count in enumerate(levels)]
    table += [(gain, 0) for level, gain in gains.items() if not 0 <= level < len(levels)]
    table.sort(key=lambda each: each[0])
    gain_of = {level: gains.get(level, float(level)) for level in (*range(len(levels)), *gains)}
    place = len(table) - 1
    ideal = table[place][0] if table else 0.0
    dcg = ideal_dcg = 0.0
    taken = rank = 0
    while rank < len(listed) or ideal > 0:
        gain = gain_of.get(listed[rank], 0.0) if rank < len(listed) else 0.0
        if gain:
            dcg += gain / log2(rank + 2)
        if ideal > 0:
            taken += 1
            while place >= 0 and taken > table[place][1]:
                taken = 1
                place -= 1
                ideal = table[place][0] if place >= 0 else 0.0
            if ideal > 0:
                ideal_dcg += ideal / log2(rank + 2)
            shown = ideal
        else:
            shown = 0.0
        yield f"ndcg: {rank} {place} {gain:3.1f} {dcg:6.4f} {shown:3.1f} {ideal_dcg:6.4f}\n"
        rank += 1


def _ndcg_cut(
    listed: list[int], levels: list[int], cutoffs: list[int], debug: int
) -> Iterator[str]:
    """Yield rank (from 0), gain and sum of the ranking (from debug level 2) and the ideal."""
    dcg = 0.0
    reached = 0
    for rank, grade in enumerate(listed):
        if rank == cutoffs[reached]:
            reached += 1
            if reached == len(cutoffs):
                break
            yield f"ndcg_cut: cutoff {rank} dcg {dcg:6.4f}\n"
        if grade > 0:
            dcg += grade / log2(rank + 2)
            if debug > 1:
                yield f"ndcg_cut:{rank} {grade:3.1f} {dcg:6.4f}\n"
    for cutoff in cutoffs[reached:]:
        yield f"ndcg_cut: cutoff {cutoff} dcg {dcg:6.4f}\n"
    ideal_dcg = 0.0
    reached = 0
    ideal = [level for level in range(len(levels) - 1, 0, -1) for _ in range(levels[level])]
    for rank, level in enumerate(ideal):
        if rank == cutoffs[reached]:
            yield f"ndcg_cut: cutoff {rank} idcg {ideal_dcg:6.4f}\n"
            reached += 1
            if reached == len(cutoffs):
                break
        ideal_dcg += level / log2(rank + 2)
        yield f"ndcg_cut:{rank} {level} {level:3.1f} {ideal_dcg:6.4f}\n"
    for cutoff in cutoffs[reached:]:
        yield f"ndcg_cut: cutoff {cutoff} idcg {ideal_dcg:6.4f}\n"
