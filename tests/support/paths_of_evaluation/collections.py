"""Judgments and runs that paths are compared on, with data that conventions treat differently.

Rows are listed as a file would list them. What a path cannot carry of them (a rank and a score,
a document twice in a dictionary) it says in its declaration.
"""

from __future__ import annotations

import random
from typing import NamedTuple


class Judgment(NamedTuple):
    """A row of judgments."""

    query: str
    document: str
    grade: float
    subtopic: str = "0"


class Row(NamedTuple):
    """A row of a run."""

    query: str
    document: str
    rank: int
    score: float


class Collection(NamedTuple):
    """Judgments and a run.

    ``integers`` says that ids are whole numbers, which have a column of such where a path has
    types; ``subtopics`` that the judgments are of subtopics.
    """

    name: str
    qrels: tuple[Judgment, ...]
    run: tuple[Row, ...]
    integers: bool = False
    subtopics: bool = False

    def queries(self) -> list[str]:
        """Return the ids of all queries of judgments and run, in the order of first appearance."""
        return list(dict.fromkeys(row.query for row in (*self.qrels, *self.run)))

    @property
    def has_duplicates(self) -> bool:
        """Return whether a query of the run has a duplicate document."""
        return len({row[:2] for row in self.run}) < len(self.run)

    def part(self, queries: set[str]) -> Collection:
        """Return the rows of some queries."""
        return self._replace(
            qrels=tuple(row for row in self.qrels if row.query in queries),
            run=tuple(row for row in self.run if row.query in queries),
        )


LETTERS = ("a", "B", "b", "é", "Z", "10", "9", "日", "_", "A", "ß", "'", '"', "%", "N/A", "\\")
CLOSE = (0.0, 0.0, 0.0, 1e-9)  # Equal as 32-bit numbers, but not as 64-bit ones.
LEVELS = (3.0, 1.5, 0.5, -0.0, 0.0, -2.25)


def drawn(
    name: str,
    *,
    grades: tuple[float, ...],
    integers: bool = False,
    ties: bool = True,
    twice: bool = False,
    gaps: bool = True,
    unjudged: bool = True,
    turns: bool = False,
    subtopics: bool = False,
    count: int = 9,
) -> Collection:
    """Draw a collection; the same each time for the same name.

    Parameters
    ----------
    name
        The name of the collection, which is also the seed.
    grades
        The possible grades. Unless ``gaps``, the first is relevant and each query has a document
        with it.
    integers
        Whether ids are whole numbers.
    ties
        Whether scores repeat.
    twice
        Whether the run has duplicate documents.
    gaps
        Whether some queries lack results, judgments or relevant documents.
    unjudged
        Whether the run has unjudged documents.
    turns
        Whether the rows of a query are scattered.
    subtopics
        Whether half of the judged documents are judged for a second subtopic.
    count
        The number of queries.
    """
    source = random.Random(name)
    ids = (
        [str(number) for number in source.sample(range(-20, 1000), 60)]
        if integers
        else [first + second for first in LETTERS for second in LETTERS]
    )
    own = source.sample(ids, count)
    qrels: list[Judgment] = []
    lists: list[list[Row]] = []
    for at, query in enumerate(own):
        # Some documents have the id of their query, unless a path may have no document ids.
        pool = [*source.sample([each for each in ids if each not in own], 13), *[query] * unjudged]
        source.shuffle(pool)
        judged = source.sample(pool, source.randint(4, 12))
        graded = [source.choice(grades) for _ in judged]
        if not gaps:
            graded[source.randrange(len(judged))] = grades[0]
        elif at == 3:
            graded = [min(grade, 0.0) for grade in graded]
        if not gaps or at not in (1, 5):
            qrels += map(Judgment, [query] * len(judged), judged, graded)
        if subtopics:
            again = source.sample(range(len(judged)), len(judged) // 2)
            qrels += [Judgment(query, judged[each], source.choice(grades), "2") for each in again]
        pool = pool if unjudged else judged
        returned = source.sample(pool, source.randint(3, min(10, len(pool))))
        if gaps and at == 4:
            returned = returned[:1]
        if twice:
            returned += source.sample(returned, min(2, len(returned)))
            source.shuffle(returned)
        few = source.sample(LEVELS, 4)
        scores = (
            [source.choice(few) + source.choice(CLOSE) for _ in returned]
            if ties
            else [value / 8 for value in source.sample(range(-100, 100), len(returned))]
        )
        ranks = source.sample(range(1, len(returned) + 1), len(returned))
        if not gaps or at not in (2, 7):
            lists.append(list(map(Row, [query] * len(returned), returned, ranks, scores)))
    run = [row for rows in lists for row in rows]
    if turns:
        longest = max(map(len, lists))
        run = [rows[at] for at in range(longest) for rows in lists if at < len(rows)]
        source.shuffle(qrels)
    return Collection(name, tuple(qrels), tuple(run), integers, subtopics)


COLLECTIONS: dict[str, Collection] = {
    each.name: each
    for each in (
        drawn("wild", grades=(0, 0, 1, 2, 3, 4, -1, -2, 0.5, -0.5)),
        drawn("whole grades", grades=(4, 0, 0, 1, 2, 3), integers=True),
        drawn("twice", grades=(2, 0, 0, 1, 3), twice=True),
        drawn("scattered", grades=(3, 0, 0, 1, 2), integers=True, turns=True),
        drawn("binary", grades=(1, 0), gaps=False),
        drawn("no ties", grades=(1, 0), gaps=False, ties=False, unjudged=False, integers=True),
        drawn("all judged", grades=(3, 0, 0, 1, 2), gaps=False, unjudged=False),
        drawn("subtopics", grades=(1, 0, 0, 2), subtopics=True),
    )
}
