"""Published scores: means of systems whose runs are not at hand, in files that people exchange."""

from __future__ import annotations

import json
import os
from math import inf, isfinite
from sys import float_info

from gainful.conventions import get
from gainful.errors import (
    ConventionError,
    FormatError,
    GainfulError,
    ParameterError,
    SourceError,
    SourceNotFoundError,
)
from gainful.formats.delimited import text
from gainful.measures import parse_measure
from gainful.records import Record, field
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gainful.evaluation import Evaluation
    from gainful.evaluation.predicted import PredictedEvaluation
    from gainful.measures import Measure

    Path = str | os.PathLike[str]

    PublishedLike = Path | Iterable[Path | "PublishedScore"]

__all__ = ["PublishedScore", "read_published", "summarize_published", "write_published"]


#: In files null is the same as no field.
_TEXT = {"type": ["string", "null"]}
_NUMBER = {"type": ["number", "null"]}


class PublishedScore(Record):
    """The mean of a measure for a system on a collection.

    Examples
    --------
    >>> PublishedScore(system="BM25", measure="nDCG@10", mean=0.665, collection="scifact").mean
    0.665
    """

    system: str
    """The name of the system."""
    measure: str
    """The measure, such as nDCG@10 or ndcg_cut_10."""
    mean: float
    """The mean over the queries."""
    collection: str | None = field(default=None, optional=True, json=_TEXT)
    """The name of the collection."""
    convention: str | None = field(default=None, optional=True, json=_TEXT)
    """The convention of the number, such as ``trec_eval-9.0.8``; None if it is unknown."""
    low: float | None = field(default=None, optional=True, json=_NUMBER)
    """The lower end of the confidence interval of the mean, if it was published."""
    high: float | None = field(default=None, optional=True, json=_NUMBER)
    """Its upper end."""
    queries: int | None = field(
        default=None, optional=True, json={"type": ["integer", "null"], "minimum": 0}
    )
    """The number of queries."""
    source: str | None = field(default=None, optional=True, json=_TEXT)
    """Where the number is from: an address or a citation."""


class PublishedFile(Record):
    """A file of published scores."""

    SCHEMA = "gainful.published/1"
    FILE = "`--published` reads and `--publish` writes"

    scores: tuple[PublishedScore, ...]
    """One object for each system, collection, measure and convention."""


def check_range(score: float, measure: str, convention: str | None = None) -> None:
    """Reject a score outside the range of a measure; other tools' measures are not checked.

    Examples
    --------
    >>> check_range(0.31, "ndcg_at_10"), check_range(31.2, "DCG")
    (None, None)
    """
    try:
        low, high = parse_measure(measure).range(None if convention is None else get(convention))
    except GainfulError:
        # A measure of another tool, or a convention with changes.
        return
    least, most = -inf if low is None else low, inf if high is None else high
    # Sums of rounded terms can exceed the ends by less.
    if not least - 1e-9 <= score <= most + 1e-9:
        raise FormatError(
            where=measure,
            found=repr(score),
            expected=f"{least:g} to {most:g}" if most < inf else f"at least {least:g}",
            hint="divide percentages by 100" if most < score <= 100 else None,
        )


def read_published(path: Path) -> tuple[PublishedScore, ...]:
    """Read a file of published scores.

    Parameters
    ----------
    path : path
        A JSON file that follows
        [published-1.json](schemas/published-1.json).

    Returns
    -------
    tuple of PublishedScore
        In the order of the file. The name of a known convention is written in full:
        ``trec_eval`` becomes ``trec_eval-9.0.8``.

    Raises
    ------
    SourceError
        If the file cannot be read, or is not JSON.
    FormatError
        If it does not follow the schema, a mean is outside the range of its measure, or a system
        has two scores for one measure, collection and convention.

    Examples
    --------
    >>> write_published("scores.json", [PublishedScore(system="BM25", measure="AP", mean=0.25)])
    >>> read_published("scores.json")[0].mean
    0.25
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            document = json.loads(stream.read())
    except FileNotFoundError as error:
        raise SourceNotFoundError(file=name, found="no such file") from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SourceError(f"the file cannot be read ({why})", file=name) from error
    except json.JSONDecodeError as error:
        raise SourceError(file=name, line=error.lineno, found="invalid JSON") from None
    except (ValueError, RecursionError):
        raise SourceError(file=name, found="invalid JSON") from None
    if not isinstance(document, dict) or document.get("schema") != PublishedFile.SCHEMA:
        schema = document.get("schema") if isinstance(document, dict) else None
        raise FormatError(
            file=name,
            found="no schema" if schema is None else f"the schema {schema!r}",
            expected=repr(PublishedFile.SCHEMA),
        )
    rows = document.get("scores")
    if not isinstance(rows, list):
        raise FormatError(file=name, found="no list of scores", expected='"scores": [...]')
    scores: dict[tuple[object, ...], PublishedScore] = {}
    for number, row in enumerate(rows, 1):
        try:
            score = _read_score(row)
        except GainfulError as error:
            raise error.inside(f"{name}, score {number}") from None
        key = (score.system, score.collection, score.measure, score.convention)
        if key in scores:
            raise FormatError(
                f"{score.system} has two scores of {score.measure}",
                file=name,
                hint="name their collections or conventions",
            )
        scores[key] = score
    return tuple(scores.values())


def write_published(path: Path, scores: Iterable[PublishedScore]) -> None:
    """Write scores to a file, which is replaced atomically.

    Raises
    ------
    SourceError
        If the file cannot be written.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
    >>> write_published("own.json", summarize_published(result, collection="recipes"))
    >>> read_published("own.json")[0].convention
    'gainful-1'
    """
    document = PublishedFile(scores=tuple(scores)).to_dict()
    write_whole(os.fspath(path), [text(document, indent=1).encode("utf-8", "backslashreplace")])


def summarize_published(
    evaluation: Evaluation | PredictedEvaluation,
    *,
    collection: str | None = None,
    source: str | None = None,
) -> tuple[PublishedScore, ...]:
    """Return the means of an evaluation as scores to publish.

    Parameters
    ----------
    evaluation : Evaluation or PredictedEvaluation
        The evaluation.
    collection, source : str, optional
        As for `PublishedScore`.

    Returns
    -------
    tuple of PublishedScore
        By system and measure, with 95% confidence intervals. Means without queries are left out.

    Examples
    --------
    >>> import gainful
    >>> result = gainful.evaluate("qrels.txt", "bm25.run", "nDCG@10")
    >>> [(score.system, score.queries) for score in summarize_published(result)]
    [('bm25', 6)]
    """
    summaries = []
    for system in evaluation.systems:
        for measure in evaluation.measures:
            summary = evaluation.summary(measure, system)
            if isfinite(summary.value):
                summaries.append(
                    PublishedScore(
                        system=system,
                        measure=repr(measure),
                        mean=summary.value,
                        collection=collection,
                        convention=evaluation.convention.label,
                        low=None if summary.interval is None else summary.interval.low,
                        high=None if summary.interval is None else summary.interval.high,
                        queries=summary.n,
                        source=source,
                    )
                )
    return tuple(summaries)


def as_published(given: PublishedLike | None) -> tuple[PublishedScore, ...]:
    """Return the scores of files, or scores in memory."""
    if given is None:
        return ()
    parts = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    scores: list[PublishedScore] = []
    for part in parts:
        scores += [part] if isinstance(part, PublishedScore) else read_published(part)
    return tuple(scores)


def of_collection(
    scores: Sequence[PublishedScore], collection: str | None
) -> tuple[PublishedScore, ...]:
    """Return the scores of a collection; without a name, of the only one."""
    names = list(dict.fromkeys(score.collection for score in scores))
    named = ", ".join(name for name in names if name is not None)
    if collection is None:
        if len(names) > 1:
            raise ParameterError(
                "the published scores are of several collections",
                where="published",
                hint=f"choose one with ⟪collection⟫: {named}",
            )
        return tuple(scores)
    if scores and collection not in names:
        raise ParameterError(
            where="collection",
            found=f"no published score of {collection!r}",
            expected=f"one of {named}" if named else None,
        )
    return tuple(score for score in scores if score.collection == collection)


def select_published(
    scores: Sequence[PublishedScore], measure: Measure
) -> Iterator[PublishedScore]:
    """Yield the scores of a measure, whatever its name in the file."""
    for score in scores:
        try:
            same = parse_measure(score.measure) == measure
        except GainfulError:
            # A measure of another tool.
            same = False
        if same:
            yield score


def _read_score(row: object) -> PublishedScore:
    if not isinstance(row, dict):
        raise FormatError(found=f"{type(row).__name__}", expected="an object")
    for name in ("system", "measure", "mean"):
        if row.get(name) is None:
            raise FormatError(f"the field {name} is missing")
    known = PublishedScore.FIELDS
    values = {name: value for name, value in row.items() if name in known and value is not None}
    for name, value in values.items():
        kind = known[name].annotation.partition(" ")[0]
        if kind == "str":
            good = isinstance(value, str) and value != ""
        else:
            good = isinstance(value, (int, float)) and not isinstance(value, bool)
            # Integers of hundreds of digits have no float.
            good = good and abs(value) <= float_info.max
            good = good and (kind == "float" or value == int(value) >= 0)
        if not good:
            wanted = "text" if kind == "str" else "a number"
            raise FormatError(where=name, found=repr(value), expected=wanted)
    if values.get("low", 0) > values.get("high", values.get("low", 0)):
        raise FormatError(
            where="low", found=repr(values["low"]), expected=f"at most high, {values['high']!r}"
        )
    if "convention" in values:
        try:
            values["convention"] = get(values["convention"]).label
        except ConventionError:
            # A convention with changes, or of another version.
            pass
    score = PublishedScore(**values)
    check_range(score.mean, score.measure, score.convention)
    return score


def scores_by_task(
    scores: Sequence[PublishedScore], measure: str | None = None
) -> tuple[dict[str, dict[str, float]], str]:
    """Return the means of a measure by collection and system, and the measure.

    A system with scores under several conventions is one system for each of them.
    """
    names = list(dict.fromkeys(score.measure for score in scores))
    if measure is None and len(names) != 1:
        raise ParameterError(
            where="measure",
            found=f"scores of {len(names)} measures",
            expected=f"one of {', '.join(names)}" if names else "one",
        )
    label = names[0] if measure is None else measure
    chosen = [score for score in scores if score.measure == label]
    if not chosen:
        chosen = list(select_published(scores, parse_measure(label)))
    if not chosen:
        raise ParameterError(
            where="measure",
            found=f"no published score of {label}",
            expected=f"one of {', '.join(names)}",
        )
    conventions: dict[str, set[str | None]] = {}
    for score in chosen:
        conventions.setdefault(score.system, set()).add(score.convention)
    by_task: dict[str, dict[str, float]] = {}
    for score in chosen:
        several = len(conventions[score.system]) > 1
        system = f"{score.system} ({score.convention or 'unknown'})" if several else score.system
        by_task.setdefault(score.collection or "no collection", {})[system] = score.mean
    return by_task, label
