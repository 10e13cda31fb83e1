"""Compute the values of all topics: usually in one call of the kernel."""

from __future__ import annotations

from gainful import _kernel
from gainful.compat.trec_eval.failing import Failures
from gainful.compat.trec_eval.reading import (
    can_be_read_again,
    read_run,
    run_texts,
)
from gainful.compat.trec_eval.scores import Scores, merge_scores
from gainful.compat.trec_eval.stopping import MEASURES, NO_TOPICS, Stop, refuse
from gainful.errors import DuplicateError, GainfulError, GradeError, MatchError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.compat.trec_eval.plan import Kernel, Plan
    from gainful.compat.trec_eval.reading import Judgments
    from gainful.compat.trec_eval.scores import Tables
    from gainful.compat.trec_eval.settings import Settings
    from gainful.conventions import Convention

#: The ranking in version 10 of a topic that is missing from the run.
FAKE = {"ceci_nest_pas_un_docno": 1.0}


class Evaluator:
    """Evaluate the run of a command.

    Parameters
    ----------
    settings : Settings
        The settings.
    plan : Plan
        The requested values.
    convention : Convention
        The convention.
    judgments : Judgments
        The judgments.
    run : Rows, optional
        The run, if it was read already.
    """

    def __init__(
        self,
        settings: Settings,
        plan: Plan,
        convention: Convention,
        judgments: Judgments,
        run: _kernel.Rows | None = None,
    ) -> None:
        self.settings = settings
        self.run = run
        self.plan = plan
        self.failures = Failures(settings, plan)
        self.judgments = judgments
        rows: _kernel.Rows | None = judgments.rows
        if settings.only is not None:
            rows = (
                judgments.rows.select([settings.only]) if settings.only in judgments.rows else None
            )
        self.rows = rows
        # Topics with contradictory preferences.
        self.contradicted: dict[str, GradeError] = {}
        # Duplicates matter only if a measure uses documents.
        duplicates = "error" if self.failures.form else "first"
        convention = convention.replace(duplicates=duplicates)
        self.convention = convention.spec()
        self.below = convention.replace(unjudged=-1.0, negative="signed").spec()

    def scores(self) -> tuple[Scores, Stop | None]:
        """Return the values of the topics, and the error that ended the evaluation.

        Returns
        -------
        scores : Scores
            The values of the topics before the first one that cannot be measured.
        failure : Stop or None
            The error of that topic.

        Raises
        ------
        Stop
            If the run cannot be read.
        """
        scores, failure = self._scores()
        if scores.count:
            first = scores.names(1)[0].decode("utf-8", "surrogateescape")
            text = self.failures.of_first(first, self.judgments.rows)
            if text is not None:
                return Scores.of_nothing(self.plan, scores.tag), Stop(MEASURES, text)
        return scores, failure

    def _scores(self) -> tuple[Scores, Stop | None]:
        while True:
            try:
                return self._attempt()
            except _Contradiction as found:
                # The kernel reports one topic with contradictory preferences; there may be an
                # earlier one.
                self.contradicted[found.topic] = found.error

    def _attempt(self) -> tuple[Scores, Stop | None]:
        settings = self.settings
        if self.rows is None:
            self._read()
            return self._none("")
        if self.judgments.repeated or self.failures.static is not None or self.contradicted:
            return self._find_failure(self._read())
        if self.run is not None or not can_be_read_again(settings.run):
            return self._of_rows(self._read())
        try:
            tables = self._evaluate(self.rows, [settings.run])
        except DuplicateError:
            return self._find_failure(self._read())
        except MatchError:
            return self._of_rows(self._read())
        except GainfulError as error:
            texts = run_texts(settings)
            if texts.is_blank(error):
                return self._none("")
            if error.query is not None and error.line is None:
                refuse(str(error))
            raise texts.stop(error) from None
        return self._complete(tables)

    def _read(self) -> _kernel.Rows | None:
        """Return the complete run, read once; None if it is empty."""
        if self.run is None:
            self.run = read_run(self.settings)
        return self.run

    def _of_rows(self, run: _kernel.Rows | None) -> tuple[Scores, Stop | None]:
        if run is None:
            return self._none("")
        assert self.rows is not None
        try:
            tables = self._evaluate(self.rows, run)
        except DuplicateError:
            return self._find_failure(run)
        except MatchError:
            return self._none(run.tag)
        return self._complete(tables, run.tag)

    def _evaluate(
        self, rows: _kernel.Rows, run: _kernel.Rows | dict[str, dict[str, float]] | list[str]
    ) -> Tables:
        depth = self.settings.depth
        if depth < 0:
            refuse(f"found -M {depth}, expected a number of documents of 0 or more")

        def table(kernels: list[Kernel], convention: dict[str, object]) -> _kernel.Evaluated:
            return _kernel.evaluate(
                rows,
                run,
                convention,
                kernels or [("num_q", "num_q", {})],
                threads=thread_count(),
                counts=False,
                depth=depth,
                relevance_strings=self.plan.strings,
                comments=self.settings.version > 9,
                dialect="trec_eval",
            )

        try:
            first = table(self.plan.kernels, self.convention)
            below = table(self.plan.below, self.below) if self.plan.below else None
        except GradeError as error:
            form = self.failures.form
            if form is None or form.reads != "prefs" or error.query is None:
                raise
            raise _Contradiction(error.query, error) from None
        return first, below

    def _none(self, tag: str) -> tuple[Scores, Stop | None]:
        """Return the error if no judged topic has a ranking."""
        nothing = Scores.of_nothing(self.plan, tag)
        if self.settings.version > 9 and self.rows is not None:
            return self._missing(nothing, _sorted(self.rows))
        return nothing, Stop(
            NO_TOPICS, "trec_eval: No queries with both results and relevance info\n"
        )

    def _complete(self, tables: Tables, tag: str = "") -> tuple[Scores, Stop | None]:
        """Return the result if all topics with a ranking were measured."""
        assert self.rows is not None
        table = tables[0]
        scores = Scores.of_tables(self.plan, tables, tag or table.tag)
        if table.counts[2] == 0 or self.settings.version == 9:
            return scores, None
        known = set(table.query_ids())
        return self._missing(scores, [each for each in _sorted(self.rows) if each not in known])

    def _missing(self, scores: Scores, missing: list[str]) -> tuple[Scores, Stop | None]:
        """Return the result of version 10 for topics that are missing from the run."""
        if not self.settings.complete:
            return scores.before(_bytes(missing[0])), missing_topic_error(missing[0])
        assert self.rows is not None
        tables = self._evaluate(self.rows.select(missing), dict.fromkeys(missing, FAKE))
        fake = Scores.of_tables(self.plan, tables, scores.tag)
        fake.blank()
        return merge_scores(self.plan, scores, fake), None

    def _find_failure(self, run: _kernel.Rows | None) -> tuple[Scores, Stop | None]:
        """Find the first topic that cannot be measured, and measure those before it."""
        if run is None:
            return self._none("")
        assert self.rows is not None
        failure = None
        good: list[str] = []
        missing: list[str] = []
        for topic in _sorted(self.rows):
            present = topic in run
            if not present and self.settings.version == 9:
                continue
            if not present and not self.settings.complete:
                failure = missing_topic_error(topic)
                break
            rows = self.judgments.rows
            first = not good and not missing
            text = self.failures.of(topic, rows, run if present else None, first=first)
            if not text and topic in self.contradicted:
                text = self.failures.contradicted(self.contradicted[topic], rows, run, topic)
            if text:
                failure = Stop(MEASURES, text)
                break
            (good if present else missing).append(topic)
        scores = Scores.of_nothing(self.plan, run.tag)
        if good:
            source = self.failures.cut(run, good)
            tables = self._evaluate(self.rows.select(good), run if source is None else source)
            scores = Scores.of_tables(self.plan, tables, run.tag)
        if missing:
            scores, _ = self._missing(scores, missing)
        if failure is None and not good and not missing:
            return self._none(run.tag)
        return scores, failure


class _Contradiction(Exception):  # noqa: N818 - of the judgments, not ours
    """The preferences of a topic are contradictory."""

    def __init__(self, topic: str, error: GradeError) -> None:
        super().__init__(topic, error)
        self.topic = topic
        self.error = error


def missing_topic_error(topic: str) -> Stop:
    """Return the error of version 10 for a topic that is missing from the run."""
    return Stop(MEASURES, f"trec_eval: result qid '{topic}' not found in qrels\n")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _sorted(rows: _kernel.Rows) -> list[str]:
    """Return the topics in byte order."""
    return sorted(rows.query_ids(), key=_bytes)
