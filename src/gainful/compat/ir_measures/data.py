"""Read judgments and runs in the forms of ir_measures."""

from __future__ import annotations

from gainful.data import Qrels, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["read_judgments", "read_run"]

#: Our column names, and the ones that ir_measures requires in a frame. Aliases such as PyTerrier's
#: `qid` are ignored.
_QRELS = {"query_id": "query_id", "doc_id": "doc_id", "grade": "relevance"}
#: The subtopic of judgments without one, as in ir_measures.
_ALL = "0"
_RUN = {"query_id": "query_id", "doc_id": "doc_id", "score": "score"}


def read_judgments(qrels: Any, kinds: set[str]) -> dict[str, Qrels]:
    """Return judgments by kind: ``"grades"`` and ``"subtopics"``.

    ``{query: {document: grade}}``, a data frame, or an iterable of `Qrel`, whose ``iteration`` is
    the subtopic; without it there is one subtopic. Iterators are stored for the second kind.
    """
    if len(kinds) > 1 and hasattr(qrels, "__next__"):
        qrels = list(qrels)
    found = {}
    if "grades" in kinds:
        found["grades"] = Qrels(qrels, columns=_columns(qrels, _QRELS))
    if "subtopics" in kinds:
        found["subtopics"] = _read_subtopics(qrels)
    return found


def _read_subtopics(qrels: Any) -> Qrels:
    if isinstance(qrels, dict):
        nested = {query: {_ALL: grades} for query, grades in qrels.items()}
        return Qrels(nested, subtopics=True)
    columns = _columns(qrels, _QRELS)
    if columns is not None:
        if "iteration" not in qrels.columns:
            qrels = qrels.assign(iteration=_ALL)
        return Qrels(qrels, columns={**columns, "subtopic": "iteration"}, subtopics=True)
    rows = ((r.query_id, getattr(r, "iteration", _ALL), r.doc_id, r.relevance) for r in qrels)
    return Qrels(rows, subtopics=True)


def read_run(run: Any) -> Run | dict[Any, Any]:
    """Read a run: ``{query: {document: score}}``, a data frame, or an iterable of `ScoredDoc`.

    Dictionaries are returned unchanged; the kernel measures them directly.
    """
    if type(run) is dict:
        return run
    if hasattr(run, "__len__"):
        return _run(run) if len(run) else {}
    if hasattr(run, "__next__"):
        # ir_measures' readers are generators; an empty file is an empty run.
        for first in run:
            return _run(_prepend(first, run))
        return {}
    return _run(run)


def _run(run: Any) -> Run:
    # Duplicates are detected when the run is measured.
    return Run(run, columns=_columns(run, _RUN), duplicates="count")


def _prepend(first: Any, others: Any) -> Iterator[Any]:
    yield first
    yield from others


def _columns(obj: Any, names: dict[str, str]) -> dict[str, str] | None:
    present = getattr(obj, "columns", None)
    return names if present is not None and set(names.values()) <= set(present) else None
