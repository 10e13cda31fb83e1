"""Why a topic cannot be measured, in the words of trec_eval's first measure that fails."""

from __future__ import annotations

from gainful.compat.trec_eval.ranking import ranked
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
    """What can go wrong with the measures of a command.

    Attributes
    ----------
    form : Row or None
        The first measure that looks at documents, and so finds those that stand twice.
    static : str or None
        Why no topic at all can be measured: judgments of another kind, or wrong coefficients.
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
                self.static = f"{_UNFIT[row.reads]}{_calculate(row)}"
                break
            self.form = self.form or row
            if row.name in plan.misfits:
                what = "trec_eval.calc_utility: improper number of coefficients\n"
                self.static = f"{what}{_calculate(row)}"
                break

    def of(self, topic: str, judgments: Rows, run: Rows | None, *, first: bool) -> str | None:
        """Return what trec_eval says of a topic that it cannot measure, or None."""
        if self.form is not None:
            if run is not None:
                twice = _twice(document for document, _ in self._ranking(run, topic))
                if twice is not None:
                    where = "form_prefs_counts" if self.form.reads == "prefs" else "form_res_qrels"
                    # Without the end of the line: so does trec_eval.
                    text = f"trec_eval.{where}: duplicate docs {twice}"
                    return f"{text}{_calculate(self.form)}"
            if self.form.reads == "qrels":
                ranking = judgments.ranking(topic) or []
                twice = _twice(document for document, _ in ranking)
                if twice is not None:
                    text = f"trec_eval.form_res_rels: duplicate docs {twice}\n"
                    return f"{text}{_calculate(self.form)}"
                if first:
                    said = self.of_first(topic, judgments)
                    if said is not None:
                        return said
        return self.static

    def of_first(self, topic: str, judgments: Rows) -> str | None:
        """Return what trec_eval says of a first topic without any grade of 0 or more, or None.

        It takes the empty table of such grades for a lack of memory. Once it has had one that is
        not empty, all is well.
        """
        if self.form is None or self.form.reads != "qrels":
            return None
        grades = judgments.documents(topic) or {}
        return _calculate(self.form) if max(grades.values(), default=0) < 0 else None

    def contradicted(self, error: GradeError, judgments: Rows, run: Rows, topic: str) -> str:
        """Return what is said of preferences of a topic that contradict each other.

        Of a document preferred to one that is preferred to it trec_eval speaks by internal
        numbers, and stops itself; this is said in our words.
        """
        assert self.form is not None
        if error.code == Code.TWO_RELEVANCES:
            what = f"doc '{error.document}' has both 0 and non-0 rel_level assigned"
        elif error.code == Code.TWO_LEVELS:
            # Judged documents count from 0: those retrieved by rank, ties by id, then the rest.
            ranking = sorted(ranked(run, topic, self._settings), key=lambda each: each[0])
            ranking.sort(key=lambda each: -each[1])
            judged = sorted({document for document, _ in judgments.ranking(topic) or []})
            retrieved = [document for document, _ in ranking if document in judged]
            order = retrieved + [each for each in judged if each not in retrieved]
            number = order.index(error.document or "")
            what = f"Internal docid {number} occurs with different rel_level in same jsg"
        else:
            return f"gainful trec_eval: {error}\n{_calculate(self.form)}"
        return f"trec_eval.form_prefs_counts: {what}\n{_calculate(self.form)}"

    def cut(self, run: Rows, topics: list[str]) -> dict[str, dict[str, float]] | None:
        """Return the rankings cut at -M, if documents stand twice below it; else None."""
        if all(
            _twice(document for document, _ in run.ranking(each) or []) is None for each in topics
        ):
            return None
        return {topic: dict(self._ranking(run, topic)) for topic in topics}

    def _ranking(self, run: Rows, topic: str) -> list[tuple[str, float]]:
        return ranked(run, topic, self._settings)


def _twice(documents: Iterable[str]) -> str | None:
    """The first duplicate document in byte order."""
    order = sorted(document.encode("utf-8", "surrogateescape") for document in documents)
    for at in range(1, len(order)):
        if order[at] == order[at - 1]:
            return order[at].decode("utf-8", "surrogateescape")
    return None


def _calculate(row: Row) -> str:
    return f"trec_eval: Can't calculate measure '{row.name}'\n"
