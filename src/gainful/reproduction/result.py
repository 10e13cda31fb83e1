"""The result of `reproduce`: scores, rankings, improvements and a verdict."""

from __future__ import annotations

import json
import re
from typing import Literal

from gainful.data.text_files import opened
from gainful.errors import INCONCLUSIVE, NEGATIVE, SUCCESS, FormatError
from gainful.formats.numbers import digits, span, with_sign
from gainful.formats.table import Column, Note, Table, noted
from gainful.input_files import digest_file
from gainful.keywords import path_argument, suggest_keywords
from gainful.records import Interval, Record, derived, field
from gainful.records.tables import table_of
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gainful.conventions import Convention
    from gainful.data.paths import Path

__all__ = ["Claim", "Estimate", "Reproduction", "Scores", "Verdict", "Verification", "verify"]


#: The exit status by the state of a file.
STATUSES = {
    "unchanged": SUCCESS,
    "changed": NEGATIVE,
    "missing": NEGATIVE,
    "unknown": INCONCLUSIVE,
}

#: The data of an HTML report.
_FACTS = re.compile(r'<script type="application/json" id="facts">(.*?)</script>', re.DOTALL)


class Verification(Result):
    """Whether the input files of a result are unchanged.

    Examples
    --------
    >>> import gainful
    >>> inputs = ["qrels.txt", "bm25.run"]
    >>> gainful.evaluate(*inputs, "nDCG@10").save("result.json", inputs=inputs)
    >>> gainful.verify("result.json")
    <Verification of result.json: 2 unchanged>
    """

    SCHEMA = "gainful.verification/1"
    COMMAND = "verify"
    RECORDS = {"files": None}

    result: str
    """The file of the result."""
    status: int = derived(
        lambda verification: max(STATUSES[state] for state in verification.files.values()),
        json={"enum": sorted({*STATUSES.values()})},
    )
    """The exit status: 4 if a file is changed or missing, else 3 if one is unknown, else 0."""
    files: dict[str, str] = field(json={"additionalProperties": {"enum": list(STATUSES)}})
    """The state of each input file, by path; ``unknown`` if the result has no digest of it, as for
    the standard input."""

    def tables(self) -> list[Table]:
        """Return one row per file."""
        return [Table([Column("file"), Column("state")], self.files.items(), title=self.result)]

    def _records(self, name: str) -> Records:
        return {"file": list(self.files), "state": list(self.files.values())}

    def __repr__(self) -> str:
        states = list(self.files.values())
        counts = ", ".join(
            f"{states.count(state)} {state}" for state in STATUSES if state in states
        )
        return f"<Verification of {self.result}: {counts}>"


@suggest_keywords
def verify(result: Path) -> Verification:
    """Check whether the input files of a result are unchanged.

    Parameters
    ----------
    result : path
        A JSON result of a command, one that `Result.save` wrote with ``inputs``, a snapshot of
        `gainful.gate`, or an HTML report. Relative paths in it are relative to the current folder.

    Returns
    -------
    Verification
        The state of each file.

    Raises
    ------
    SourceError
        If the result cannot be read.
    FormatError
        If it has no digests of its inputs.

    Examples
    --------
    >>> import gainful
    >>> gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    >>> gainful.verify("snapshot.json").files
    {'qrels.txt': 'unchanged', 'bm25.run': 'unchanged'}
    """
    with opened(path_argument(result, "verify")) as (name, stream):
        text = stream.read().decode("utf-8", "surrogateescape")
    report = _FACTS.search(text)
    try:
        inputs = json.loads(report[1] if report else text)["inputs"]
        files = {str(file["path"]): _state(file["path"], file["sha256"]) for file in inputs}
    except (ValueError, KeyError, TypeError, RecursionError):
        files = {}
    if not files:
        raise FormatError(
            file=name,
            found="no digests of input files",
            expected="a JSON result of a command, a snapshot or a report",
        )
    return Verification(result=name, files=files)


def _state(path: str, digest: str | None) -> str:
    if digest is None:
        return "unknown"
    try:
        return "unchanged" if digest_file(path) == digest else "changed"
    except OSError:
        return "missing"


Verdict = Literal["reproduced", "partly reproduced", "not reproduced", "inconclusive"]

_SHARE = {"minimum": 0, "maximum": 1}


def _p_text(p: float) -> str:
    return "<.0001" if p < 0.0001 else digits(p)


def _or_blank(name: str) -> Callable[[Record], object]:
    """Return a function that returns the value of a field, or an empty text for None."""

    def cell(record: Record) -> object:
        value = getattr(record, name)
        return "" if value is None else value

    return cell


class Estimate(Record):
    """A number with its confidence interval."""

    value: float
    """The number."""
    interval: Interval | None
    """Its confidence interval; None if it is not defined."""
    p: float | None = None
    """The two-sided p-value of a t test of whether the value is 0, where there is one."""


class Scores(Record):
    """The scores of one run and its rerun."""

    role: str = field(key="", tables="scores", label="")
    """Which run it is: ``system`` or ``baseline``."""
    original: float = field(tables="scores")
    """The mean of the original over queries."""
    rerun: float = field(tables="scores")
    """The mean of the rerun over queries."""
    difference: Estimate = field(
        tables="scores", cell=lambda scores: scores.difference.value, show=with_sign
    )
    """Rerun minus original. The t test is paired for the same collection, otherwise Welch's."""
    interval: Interval | None = derived(
        lambda scores: scores.difference.interval,
        key="",
        tables="scores",
        label="{level} CI",
        show=with_sign,
    )
    """The interval of the difference."""
    p: float | None = derived(
        lambda scores: scores.difference.p,
        key="",
        tables="scores",
        cell=_or_blank("p"),
        show=_p_text,
    )
    """The p-value of the difference."""
    rmse: float | None = field(tables="scores", label="RMSE", cell=_or_blank("rmse"), show=digits)
    """The root of the mean squared difference over queries; None for another collection."""
    tau: float | None = field(
        tables="scores", label="Kendall's tau", cell=_or_blank("tau"), show=digits
    )
    """The mean of Kendall's tau (union) of the rankings of queries; None for another collection."""
    rbo: float | None = field(tables="scores", label="RBO", cell=_or_blank("rbo"), show=digits)
    """The mean rank-biased overlap of the rankings of queries; None for another collection."""


class Claim(Record):
    """What the rerun shows about one measure."""

    measure: str = field(key="")
    """The name of the measure."""
    queries: int
    """The number of queries of the original."""
    rerun_queries: int
    """The number of queries of the rerun."""
    few_changes: bool
    """Whether the scores of only one to nine queries, or the improvements with baselines, differ;
    for another collection, whether one has fewer than ten queries. Too few for *reproduced*."""
    verdict: Verdict
    """What the rule says."""
    scores: dict[str, Scores] = field(key="runs", json={"required": ["system"]})
    """The scores by role: of the system and, if given, of the baseline."""
    improvement: Estimate | None
    """The mean of system minus baseline of the original, with a paired t test; None without
    baselines."""
    rerun_improvement: Estimate | None
    """The mean of system minus baseline of the rerun, with a paired t test; None without baselines.
    """
    effect_ratio: Estimate | None
    """The rerun's improvement divided by the original's."""
    delta_relative_improvement: Estimate | None
    """The original's relative improvement minus the rerun's."""


class Reproduction(Result):
    """How well a rerun reproduces an original experiment.

    Examples
    --------
    >>> import gainful
    >>> found = gainful.reproduce("qrels.txt", "dense.run", "dense.run", "nDCG@10")
    >>> found.claims["nDCG@10"].verdict
    'reproduced'
    """

    SCHEMA = "gainful.reproduction/1"
    COMMAND = "reproduce"
    RECORDS = {"claims": None}

    convention: Convention
    """The policies of the numbers, as in gainful.evaluation/1."""
    same_collection: bool
    """Whether both experiments have the same judgments and queries."""
    margin: float
    """Differences of means up to this are considered equal, if there are no baselines."""
    least_ratio: float
    """With baselines, the share of the original's improvement that reproduces it."""
    level: float = field(json=_SHARE)
    """The confidence level of the intervals; verdicts are at alpha = 1 - level."""
    depth: int = field(json={"minimum": 1})
    """The number of ranks that are compared."""
    persistence: float = field(json=_SHARE)
    """The persistence of rank-biased overlap."""
    reproduced: bool = derived(
        lambda found: all(claim.verdict == "reproduced" for claim in found.claims.values())
    )
    """Whether the verdict of every measure is *reproduced*."""
    claims: dict[str, Claim] = field(key="measures")
    """What the rerun shows, by measure."""

    def tables(self) -> list[Table]:
        """Return the scores of each measure and, with baselines, the improvements."""
        tables = []
        for claim in self.claims.values():
            tables.append(_score_table(self, claim))
            if claim.improvement is not None:
                tables.append(_improvement_table(self, claim))
        return [*tables[:-1], tables[-1].replace(notes=_notes(self))]

    def _records(self, name: str) -> Records:
        sizes = ("measure", "run", "verdict", "queries", "rerun_queries", "original", "rerun")
        scores = (*_ends("difference"), "p", "rmse", "tau", "rbo")
        gains = (*_ends("effect_ratio"), *_ends("delta_relative_improvement"))
        return as_records((*sizes, *scores, *gains), _rows(self))

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{name} {claim.verdict}" for name, claim in self.claims.items())
        return f"<Reproduction: {verdicts}>"


def _ends(name: str) -> tuple[str, ...]:
    return name, f"{name}_low", f"{name}_high"


def _rows(found: Reproduction) -> Iterator[tuple[object, ...]]:
    """Yield one row per measure and run, with the improvements of the measure."""
    for claim in found.claims.values():
        sizes = (claim.verdict, claim.queries, claim.rerun_queries)
        gains = (*_values(claim.effect_ratio), *_values(claim.delta_relative_improvement))
        for role, scores in claim.scores.items():
            means = (scores.original, scores.rerun, *_values(scores.difference), scores.p)
            rest = (scores.rmse, scores.tau, scores.rbo, *gains)
            yield claim.measure, role, *sizes, *means, *rest


def _values(estimate: Estimate | None) -> tuple[float | None, ...]:
    if estimate is None:
        return None, None, None
    return estimate.value, *(estimate.interval or (None, None))


# --- tables ---------------------------------------------------------------------------------------


def _score_table(found: Reproduction, claim: Claim) -> Table:
    size = f"{claim.queries} queries"
    if not found.same_collection:
        size += f" vs. {claim.rerun_queries} of another collection"
    across = () if found.same_collection else ("rmse", "tau", "rbo")
    return table_of(
        list(claim.scores.values()),
        "scores",
        title=f"{claim.measure}, {size}: {claim.verdict}",
        labels={"level": f"{100 * found.level:g}%"},
    ).only(lambda column: column.key not in across)


def _improvement_table(found: Reproduction, claim: Claim) -> Table:
    named = [
        ("original: system − baseline", claim.improvement, with_sign),
        ("rerun: system − baseline", claim.rerun_improvement, with_sign),
        ("effect ratio", claim.effect_ratio, digits),
        ("delta relative improvement", claim.delta_relative_improvement, with_sign),
    ]
    columns = [
        Column("quantity", ""),
        Column("value"),
        Column("interval", f"{100 * found.level:g}% CI"),
        Column("p", show=_p_text),
    ]
    rows = [
        (name, show(estimate.value), _span(estimate, show), _or_blank("p")(estimate))
        for name, estimate, show in named
        if estimate is not None
    ]
    return Table(columns, rows, title=f"{claim.measure}, improvement over the baseline")


def _span(estimate: Estimate, show: Callable[[float], str]) -> str:
    low, high = estimate.interval or (None, None)
    return span(low, high, show)


# --- sentences ------------------------------------------------------------------------------------


def _describe_verdict(claim: Claim, margin: float) -> str:
    """Return in one sentence whether a claim is reproduced."""
    verdict = claim.verdict.capitalize()
    few = " Fewer than 10 queries differ: too few to be reproduced." if claim.few_changes else ""
    first, second, ratio = claim.improvement, claim.rerun_improvement, claim.effect_ratio
    if first is None or second is None:
        where = {
            "reproduced": f"within {margin:g} of",
            "not reproduced": f"more than {margin:g} from",
        }.get(claim.verdict, f"possibly within {margin:g} of")
        interval = _span(claim.scores["system"].difference, with_sign)
        return (
            f"{verdict}: the rerun's {claim.measure} is {where} the original's ({interval}).{few}"
        )
    share = f", {100 * ratio.value:.0f}% of it" if ratio is not None else ""
    return (
        f"{verdict}: the original improves {claim.measure} by {_gain(first)}, the rerun by"
        f" {_gain(second)}{share}.{few}"
    )


def _gain(estimate: Estimate) -> str:
    p = "" if estimate.p is None else f" (p {_p_text(estimate.p)})"
    return f"{with_sign(estimate.value)}{p}"


def _notes(found: Reproduction) -> list[Note]:
    alpha = f"{1 - found.level:.4g}"
    sentences = [_describe_verdict(claim, found.margin) for claim in found.claims.values()]
    with_baselines = any(claim.improvement is not None for claim in found.claims.values())
    if with_baselines:
        rule = (
            f"Reproduced: both improvements are significant (p ≤ {alpha}), and the interval of the"
            f" effect ratio is at or above {found.least_ratio:g}. Partly: both are significant, and"
            " the interval is below that. Not reproduced: the interval is below that, and the"
            " rerun's improvement is not significant; or that is significant in the other"
            " direction. Otherwise inconclusive."
        )
    else:
        rule = (
            f"Reproduced: the interval of the difference is within ±{found.margin:g} (margin). Not"
            " reproduced: it is outside. Otherwise inconclusive."
        )
    tests = "paired t test" if found.same_collection else "Welch's t test, for other queries"
    explained = [
        f"difference: rerun − original; p: {tests}. Intervals are corrected for skewness.",
        f"RMSE is over queries. Kendall's tau (union) and RBO (p {found.persistence:g}) are means"
        f" over queries, down to rank {found.depth}.",
    ]
    if with_baselines:
        explained.append(
            "effect ratio: rerun's improvement / original's, with Fieller's interval. Delta"
            " relative improvement: original's relative improvement − rerun's."
        )
    return [
        *noted("verdict", sentences),
        *noted("rule", [rule]),
        *noted("methods", explained, explains=True),
        Note("convention", str(found.convention), explains=True),
    ]
