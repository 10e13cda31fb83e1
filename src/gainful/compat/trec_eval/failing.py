"""Error messages of trec_eval for topics that cannot be measured."""

from __future__ import annotations

from gainful.compat.trec_eval.ranking import rank_documents
from gainful.errors import Code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful._kernel import Rows
    from gainful.compat.trec_eval.measures import Row
    from gainful.compat.trec_eval.plan import Plan
    from gainful.compat.trec_eval.settings import Settings
    from gainful.errors import GradeError

_UNFIT = {
    "qrels": "trec_eval.form_res_qrels: rel_info format not qrels or results format not "
    "trec_results\n",
    "qrels_jg": "trec_eval: rel_info format not qrels_jg or results format not trec_results\n",
    "prefs": "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results "
    "format not trec_results\n",
}


class Failures:
    """The possible errors of the measures of a command.

    Attributes
    ----------
    form : Row or None
        The first measure that uses documents, which detects duplicates.
    static : str or None
        The error of all topics: judgments of the wrong kind, or invalid coefficients.
    """

    def __init__(self, settings: Settings, plan: Plan) -> None:
        self._settings = settings
        kind = "prefs" if settings.judgments_format == "qrels_prefs" else settings.judgments_format
        self.form: Row | None = None
        self.static: str | None = None
        for row in plan.marked:
            if row.reads == "anything":
                continue
            if row.reads != kind:
                self.static = f"{_UNFIT[row.reads]}{_calculation_error(row)}"
                break
            self.form = self.form or row
            if row.name in plan.invalid:
                what = "trec_eval.calc_utility: improper number of coefficients\n"
                self.static = f"{what}{_calculation_error(row)}"
                break

    def of(self, topic: str, judgments: Rows, run: Rows | None, *, first: bool) -> str | None:
        """Return the error of a topic, or None."""
        if self.form is not None:
            if run is not None:
                twice = _find_duplicate(document for document, _ in self._ranking(run, topic))
                if twice is not None:
                    where = "form_prefs_counts" if self.form.reads == "prefs" else "form_res_qrels"
                    # Without a line end, as in trec_eval.
                    text = f"trec_eval.{where}: duplicate docs {twice}"
                    return f"{text}{_calculation_error(self.form)}"
            if self.form.reads == "qrels":
                ranking = judgments.ranking(topic) or []
                twice = _find_duplicate(document for document, _ in ranking)
                if twice is not None:
                    text = f"trec_eval.form_res_rels: duplicate docs {twice}\n"
                    return f"{text}{_calculation_error(self.form)}"
                if first:
                    said = self.of_first(topic, judgments)
                    if said is not None:
                        return said
        return self.static

    def of_first(self, topic: str, judgments: Rows) -> str | None:
        """Return the error of a first topic without grades of 0 or more, or None.

        trec_eval mistakes the empty table of grades for a lack of memory, unless an earlier topic
        had a table.
        """
        if self.form is None or self.form.reads != "qrels":
            return None
        grades = judgments.documents(topic) or {}
        return _calculation_error(self.form) if max(grades.values(), default=0) < 0 else None

    def contradicted(self, error: GradeError, judgments: Rows, run: Rows, topic: str) -> str:
        """Return the error of contradictory preferences of a topic.

        trec_eval reports internal numbers of documents that are preferred to each other; the
        message here is our own.
        """
        assert self.form is not None
        if error.code == Code.TWO_RELEVANCES:
            what = f"doc '{error.document}' has both 0 and non-0 rel_level assigned"
        elif error.code == Code.TWO_LEVELS:
            # Judged documents are numbered from 0: retrieved ones by rank, ties by id, then the
            # others.
            ranking = sorted(rank_documents(run, topic, self._settings), key=lambda each: each[0])
            ranking.sort(key=lambda each: -each[1])
            judged = sorted({document for document, _ in judgments.ranking(topic) or []})
            retrieved = [document for document, _ in ranking if document in judged]
            order = retrieved + [each for each in judged if each not in retrieved]
            number = order.index(error.document or "")
            what = f"Internal docid {number} occurs with different rel_level in same jsg"
        else:
            return f"gainful trec_eval: {error}\n{_calculation_error(self.form)}"
        return f"trec_eval.form_prefs_counts: {what}\n{_calculation_error(self.form)}"

    def cut(self, run: Rows, topics: list[str]) -> dict[str, dict[str, float]] | None:
        """Return the rankings cut at -M, if there are duplicates below it; else None."""
        if all(
            _find_duplicate(document for document, _ in run.ranking(each) or []) is None
            for each in topics
        ):
            return None
        return {topic: dict(self._ranking(run, topic)) for topic in topics}

    def _ranking(self, run: Rows, topic: str) -> list[tuple[str, float]]:
        return rank_documents(run, topic, self._settings)


def _find_duplicate(documents: Iterable[str]) -> str | None:
    """Return the first duplicate document in byte order."""
    order = sorted(document.encode("utf-8", "surrogateescape") for document in documents)
    for at in range(1, len(order)):
        if order[at] == order[at - 1]:
            return order[at].decode("utf-8", "surrogateescape")
    return None


def _calculation_error(row: Row) -> str:
    return f"trec_eval: Can't calculate measure '{row.name}'\n"
