"""Random judgments and runs for other tools: ties, zeros, unjudged documents, short lists."""

from __future__ import annotations

import random
from typing import NamedTuple


class Drawn(NamedTuple):
    """Judgments and a run of the same queries; ids sort in the order in which a run lists them."""

    qrels: dict[str, dict[str, float]]
    run: dict[str, dict[str, float]]

    def rows(self, query: str) -> tuple[list[float], list[float]]:
        """Return (grade, score) pairs of a run's list, with grade 0 for unjudged documents."""
        judged = self.qrels[query]
        ranked = self.run[query]
        return [judged.get(document, 0) for document in ranked], list(ranked.values())


def draw(
    seed: int,
    *,
    queries: int = 150,
    longest: int = 40,
    shortest: int = 1,
    ties: bool = True,
    grades: tuple[float, ...] = (0, 0, 0, 1, 2, 3, 4),
    outside: bool = True,
) -> Drawn:
    """Draw queries, some of which have few judgments or no relevant documents.

    Parameters
    ----------
    seed
        The random seed.
    queries, longest, shortest
        How many lists, and how many documents they have.
    ties
        Whether scores repeat, and lie so close that they are equal as 32-bit numbers.
    grades
        What judged documents are graded with.
    outside
        Whether there are judged documents that the run does not return.
    """
    source = random.Random(seed)
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(queries):
        size = source.randint(shortest, longest)
        names = [f"d{at:03}" for at in range(size)]
        if ties:
            levels = [source.randrange(-8, 8) / 4 for _ in range(1 + size // 3)]
            scores = [source.choice(levels) + source.choice((0, 0, 1e-9)) for _ in names]
        else:
            # Also distinct as 32-bit numbers.
            scores = [value / 64 for value in source.sample(range(-2000, 2000), size)]
        chance = source.choice((0.1, 0.6, 1))
        own = (0,) if source.random() < 0.1 else grades
        judged = [name for name in names if source.random() < chance] or names[:1]
        if outside:
            judged += [f"e{at}" for at in range(source.randrange(4))]
        query = f"q{number:03}"
        qrels[query] = {name: source.choice(own) for name in judged}
        run[query] = dict(zip(names, scores, strict=True))
    return Drawn(qrels, run)
