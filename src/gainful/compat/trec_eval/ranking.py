"""The ranking of one topic, for output per document.

The kernel computes the measures; this is for messages and debug lines.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful._kernel import Rows
    from gainful.compat.trec_eval.settings import Settings

#: The grade of unjudged documents in trec_eval.
UNJUDGED = -1


def rank_documents(run: Rows, topic: str, settings: Settings) -> list[tuple[str, float]]:
    """Return a topic's documents and scores in trec_eval's order, down to -M."""
    found = [(document, score or 0.0) for document, score in run.ranking(topic) or []]
    if settings.version == 9:
        found = [(document, _single(score)) for document, score in found]
    found.sort(key=lambda each: each[0].encode("utf-8", "surrogateescape"), reverse=True)
    found.sort(key=lambda each: -each[1])
    return found[: settings.depth]


def list_grades(
    judgments: Rows, run: Rows, topic: str, settings: Settings, fake: str
) -> tuple[list[int], list[int]]:
    """Return the grades in rank order, and the number of documents per grade.

    A topic that is missing from the run is ranked as one document, `fake`.
    """
    grades = {each: int(grade) for each, grade in (judgments.documents(topic) or {}).items()}
    documents = [document for document, _ in rank_documents(run, topic, settings)]
    if topic not in run:
        documents = [fake][: settings.depth]
    listed = [grades.get(document, UNJUDGED) for document in documents]
    if settings.judged_only:
        listed = [grade for grade in listed if grade >= 0]
    levels = [0] * (max(grades.values(), default=-1) + 1)
    for grade in grades.values():
        if grade >= 0:
            levels[grade] += 1
    return listed, levels


def _single(score: float) -> float:
    """Return a score as a 32-bit float."""
    import struct

    try:
        (value,) = struct.unpack("f", struct.pack("f", score))
    except OverflowError:
        return float("inf") if score > 0 else float("-inf")
    return float(value)
