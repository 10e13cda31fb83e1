"""Evaluate as trec_eval does, and fail where it fails."""

from __future__ import annotations

from math import copysign, log

from gainful import _kernel
from gainful.compat.trec_eval.reading import can_be_read_again, read_run, run_texts
from gainful.compat.trec_eval.settings import MEASURES, NO_TOPICS, Stop, refuse
from gainful.errors import Code, DuplicateError, GainfulError, GradeError, MatchError
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from gainful._kernel import Evaluated, Rows
    from gainful.compat.trec_eval.plan import Kernel, OutputPlan, PrintedValue
    from gainful.compat.trec_eval.reading import Judgments
    from gainful.compat.trec_eval.settings import Row, Settings
    from gainful.conventions import Convention

    Source: TypeAlias = "int | Logarithms | list[float] | list[bytes]"

    #: The table of a plan's formulas, and that of its formulas with negative levels, if any.
    Tables = tuple[Evaluated, Evaluated | None]


#: The grade of unjudged documents in trec_eval.
UNJUDGED = -1


def rank_documents(run: Rows, topic: str, settings: Settings) -> list[tuple[str, float]]:
    """Return a topic's documents and scores in trec_eval's order, down to -M."""
    ranking = [(document, score or 0.0) for document, score in run.ranking(topic) or []]
    if settings.version == 9:
        ranking = [(document, _single(score)) for document, score in ranking]
    ranking.sort(key=lambda entry: entry[0].encode("utf-8", "surrogateescape"), reverse=True)
    ranking.sort(key=lambda entry: -entry[1])
    return ranking[: settings.depth]


def list_grades(
    judgments: Rows, run: Rows, topic: str, settings: Settings, fake: str
) -> tuple[list[int], list[int]]:
    """Return the grades in rank order, and the number of documents per grade.

    A topic that is missing from the run is ranked as one document, `fake`.
    """
    grades = {
        document: int(grade) for document, grade in (judgments.documents(topic) or {}).items()
    }
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


#: The lower limit of values in a geometric mean.
LEAST = 0.00001


class Logarithms:
    """The logarithms of a column of the table, for a geometric mean."""

    __slots__ = ("column",)

    def __init__(self, column: int) -> None:
        self.column = column


class TopicScores:
    """The values of topics, in byte order of topics.

    Attributes
    ----------
    plan : OutputPlan
        The values.
    topics : Evaluated or list of bytes
        The table of the kernel, or the names of the topics.
    sources : list
        For each value of the plan: a column of the table or its logarithms, a list of values, or
        None.
    tag : str
        The tag of the run.
    count : int
        The number of topics, from the first one.
    """

    __slots__ = ("count", "plan", "sources", "tag", "topics")

    def __init__(
        self,
        plan: OutputPlan,
        topics: Evaluated | list[bytes],
        sources: list[Source | None],
        tag: str,
        count: int,
    ) -> None:
        self.plan = plan
        self.topics = topics
        self.sources = sources
        self.tag = tag
        self.count = count

    @classmethod
    def of_tables(cls, plan: OutputPlan, tables: Tables, tag: str) -> TopicScores:
        """Create the values from tables of the kernel."""
        sources = [_source(value, tables, plan.strings) for value in plan.values]
        return cls(plan, tables[0], sources, tag, len(tables[0]))

    @classmethod
    def of_nothing(cls, plan: OutputPlan, tag: str) -> TopicScores:
        """Create the values of no topics."""
        return cls(plan, [], [[] for _ in plan.values], tag, 0)

    def names(self, stop: int | None = None) -> list[bytes]:
        """Return the topics, the first `stop` of them."""
        stop = self.count if stop is None else min(stop, self.count)
        if isinstance(self.topics, list):
            return self.topics[:stop]
        ids = self.topics.query_ids(stop)
        return [topic.encode("utf-8", "surrogateescape") for topic in ids]

    def numbers(self, source: Source | None) -> list[float] | list[bytes]:
        """Return the values of a source, topic by topic."""
        if source is None:
            return [0.0] * self.count
        if isinstance(source, int):
            assert not isinstance(self.topics, list)
            return self.topics.column(source)[: self.count]
        if isinstance(source, Logarithms):
            numbers: list[float] = self.numbers(source.column)  # type: ignore[assignment]
            return [log(max(number, LEAST)) for number in numbers]
        return source[: self.count]

    def before(self, topic: bytes) -> TopicScores:
        """Return the values of the topics before a topic."""
        count = sum(name < topic for name in self.names())
        return TopicScores(self.plan, self.topics, self.sources, self.tag, count)

    def map_values(self, change: Callable[[PrintedValue, list[float]], list[float]]) -> TopicScores:
        """Return the values after applying a function to each value and its list."""
        sources: list[Source | None] = []
        for value, source in zip(self.plan.values, self.sources, strict=True):
            numbers = self.numbers(source)
            text = bool(numbers) and isinstance(numbers[0], bytes)
            sources.append(numbers if text else change(value, numbers))  # type: ignore[arg-type]
        return TopicScores(self.plan, self.names(), sources, self.tag, self.count)

    def blank(self) -> None:
        """Set to 0 what version 10 does not count in its fake rankings, selected by name."""
        for number, value in enumerate(self.plan.values):
            if value.name == b"relstring":
                self.sources[number] = [b"''"] * self.count
            elif value.name in (b"num_ret", b"utility", b"rbp_resid") or value.name[:3] == b"unj":
                self.sources[number] = [0.0] * self.count


def signed(value: PrintedValue, number: float) -> float:
    """Return a number with the sign that C gives a NaN on x86-64.

    0/0 is negative, the logarithm of a negative number is not.
    """
    if number == number:
        return number
    return copysign(number, 1.0 if value.is_logarithm else -1.0)


def merge_scores(plan: OutputPlan, one: TopicScores, other: TopicScores) -> TopicScores:
    """Merge the topics of two."""
    names = one.names() + other.names()
    order = sorted(range(len(names)), key=names.__getitem__)
    sources: list[Source | None] = []
    for first, second in zip(one.sources, other.sources, strict=True):
        both: list[Any] = [*one.numbers(first), *other.numbers(second)]
        sources.append([both[place] for place in order])
    return TopicScores(plan, [names[place] for place in order], sources, one.tag, len(order))


def _source(value: PrintedValue, tables: Tables, strings: int | None) -> Source | None:
    row = value.row
    table, below = tables
    if row.name == "relstring" and strings is None:
        return None
    if row.name == "relstring":
        return [b"'%b'" % string.encode() for string in table.relevance_strings()]
    kernel = value.kernel
    if kernel is None:
        return None
    if kernel >= 0:
        return Logarithms(kernel) if row.average == "geometric" else kernel
    assert below is not None
    column = below.column(-1 - kernel)
    if row.average == "geometric":
        return [log(max(value, LEAST)) for value in column]
    return column


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

    def __init__(self, settings: Settings, plan: OutputPlan) -> None:
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
            ranking = sorted(rank_documents(run, topic, self._settings), key=lambda entry: entry[0])
            ranking.sort(key=lambda entry: -entry[1])
            judged = sorted({document for document, _ in judgments.ranking(topic) or []})
            retrieved = [document for document, _ in ranking if document in judged]
            order = retrieved + [document for document in judged if document not in retrieved]
            number = order.index(error.document or "")
            what = f"Internal docid {number} occurs with different rel_level in same jsg"
        else:
            return f"gainful trec_eval: {error}\n{_calculation_error(self.form)}"
        return f"trec_eval.form_prefs_counts: {what}\n{_calculation_error(self.form)}"

    def cut(self, run: Rows, topics: list[str]) -> dict[str, dict[str, float]] | None:
        """Return the rankings cut at -M, if there are duplicates below it; else None."""
        if all(
            _find_duplicate(document for document, _ in run.ranking(topic) or []) is None
            for topic in topics
        ):
            return None
        return {topic: dict(self._ranking(run, topic)) for topic in topics}

    def _ranking(self, run: Rows, topic: str) -> list[tuple[str, float]]:
        return rank_documents(run, topic, self._settings)


def _find_duplicate(documents: Iterable[str]) -> str | None:
    """Return the first duplicate document in byte order."""
    order = sorted(document.encode("utf-8", "surrogateescape") for document in documents)
    for index in range(1, len(order)):
        if order[index] == order[index - 1]:
            return order[index].decode("utf-8", "surrogateescape")
    return None


def _calculation_error(row: Row) -> str:
    return f"trec_eval: Can't calculate measure '{row.name}'\n"


#: The ranking in version 10 of a topic that is missing from the run.
FAKE = {"ceci_nest_pas_un_docno": 1.0}


class Evaluator:
    """Evaluate the run of a command.

    Parameters
    ----------
    settings : Settings
        The settings.
    plan : OutputPlan
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
        plan: OutputPlan,
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

    def scores(self) -> tuple[TopicScores, Stop | None]:
        """Return the values of the topics, and the error that ended the evaluation."""
        scores, failure = self._scores()
        if scores.count:
            first = scores.names(1)[0].decode("utf-8", "surrogateescape")
            text = self.failures.of_first(first, self.judgments.rows)
            if text is not None:
                return TopicScores.of_nothing(self.plan, scores.tag), Stop(MEASURES, text)
        return scores, failure

    def _scores(self) -> tuple[TopicScores, Stop | None]:
        while True:
            try:
                return self._attempt()
            except _Contradiction as contradiction:
                # The kernel reports one topic with contradictory preferences; there may be an
                # earlier one.
                self.contradicted[contradiction.topic] = contradiction.error

    def _attempt(self) -> tuple[TopicScores, Stop | None]:
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

    def _of_rows(self, run: _kernel.Rows | None) -> tuple[TopicScores, Stop | None]:
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

    def _none(self, tag: str) -> tuple[TopicScores, Stop | None]:
        """Return the error if no judged topic has a ranking."""
        nothing = TopicScores.of_nothing(self.plan, tag)
        if self.settings.version > 9 and self.rows is not None:
            return self._missing(nothing, _sorted(self.rows))
        return nothing, Stop(
            NO_TOPICS, "trec_eval: No queries with both results and relevance info\n"
        )

    def _complete(self, tables: Tables, tag: str = "") -> tuple[TopicScores, Stop | None]:
        """Return the result if all topics with a ranking were measured."""
        assert self.rows is not None
        table = tables[0]
        scores = TopicScores.of_tables(self.plan, tables, tag or table.tag)
        if table.counts[2] == 0 or self.settings.version == 9:
            return scores, None
        known = set(table.query_ids())
        return self._missing(scores, [row for row in _sorted(self.rows) if row not in known])

    def _missing(self, scores: TopicScores, missing: list[str]) -> tuple[TopicScores, Stop | None]:
        """Return the result of version 10 for topics that are missing from the run."""
        if not self.settings.complete:
            return scores.before(_bytes(missing[0])), missing_topic_error(missing[0])
        assert self.rows is not None
        tables = self._evaluate(self.rows.select(missing), dict.fromkeys(missing, FAKE))
        fake = TopicScores.of_tables(self.plan, tables, scores.tag)
        fake.blank()
        return merge_scores(self.plan, scores, fake), None

    def _find_failure(self, run: _kernel.Rows | None) -> tuple[TopicScores, Stop | None]:
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
        scores = TopicScores.of_nothing(self.plan, run.tag)
        if good:
            source = self.failures.cut(run, good)
            tables = self._evaluate(self.rows.select(good), run if source is None else source)
            scores = TopicScores.of_tables(self.plan, tables, run.tag)
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
