"""The result of a gate: the verdict, the measures, and reports for GitHub and as JUnit XML."""

from __future__ import annotations

from math import isfinite, pi

from gainful.errors import INCONCLUSIVE, NEGATIVE, SUCCESS, ParameterError
from gainful.evaluation.value_evaluations import GIVEN
from gainful.formats.markup import escape_markdown, markdown
from gainful.formats.numbers import digits, places_adding_up, with_sign
from gainful.formats.table import Note, Table, noted
from gainful.gates.gated_measure import (
    MANY_LOOKS,
    advice,
    describe_pair,
    few,
    number_of,
    worst_losses,
)
from gainful.gates.snapshot import DIGEST
from gainful.keywords import suggest_keywords
from gainful.records import Record, derived, field
from gainful.records.tables import table_of
from gainful.references import refer
from gainful.results import Records, Result, as_records
from gainful.vocabulary import GATE_VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.conventions import Convention
    from gainful.evaluation.predicted import TwoPhaseSample
    from gainful.gates.gated_measure import GatedMeasure
    from gainful.gates.snapshot import Look, Snapshot
    from gainful.plots import Plot

__all__ = [
    "STATUSES",
    "Digests",
    "GateResult",
    "github",
    "headline",
    "junit",
    "look_alpha",
    "remarks",
]


def headline(result: GateResult) -> str:
    """Return the verdict in one line.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> headline(gainful.gate("qrels.txt", "dense.run", snapshot))
    'Gate inconclusive: dense vs. the snapshot of bm25'
    """
    verdict = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive"}[result.verdict]
    baseline = result.snapshot.system
    system = "the run" if result.system == baseline else result.system
    return f"Gate {verdict}: {system} vs. the snapshot of {baseline}"


def remarks(result: GateResult) -> list[str]:
    """Return notes on the correction, the data and the looks."""
    lines = []
    k = len(result.comparisons)
    if k > 1:
        what = "comparisons" if result.anchored else "measures"
        lines.append(
            f"All {k} {what} have to pass. Each is tested for failure at alpha / {k}, so the"
            " chance of a false alarm remains alpha."
        )
    for comparison in result.comparisons:
        if comparison.method == "extended-t":
            units = number_of(
                comparison.changed_units, "cluster" if comparison.clustered else "query"
            )
            lines.append(
                f"{describe_pair(comparison)}: only {units} changed, so the bounds allow for one"
                " more that changes as much as the most changed one."
            )
    if result.growing:
        lines.append(
            "Add queries in random order and check this run again, as often as you like: the error"
            " rate is that of all these checks together."
        )
    effective = {measure.effective for measure in result.measures if measure.effective is not None}
    if effective:
        sizes = " to ".join(f"{count:.1f}" for count in sorted({min(effective), max(effective)}))
        lines.append(f"Effective sample size: {sizes}.")
    for comparison in result.measures:
        if comparison.left_out:
            lines.append(
                f"{comparison.measure}: {number_of(comparison.left_out)} with a value on one side"
                " only."
            )
    lines += _about_judgments(result)
    lines += [
        f"The {_SELECTED[name]} changed since the snapshot was saved."
        for name in result.selection_changed
    ]
    if result.added:
        lines.append(f"Not in the snapshot, so not compared: {few(result.added)}.")
    if result.removed:
        lines.append(f"Only in the snapshot, so not compared: {few(result.removed)}.")
    lines += _about_anchor(result) + _about_looks(result)
    return lines


_SELECTED = {"exclude": "excluded documents", "same": "classes of documents"}


def _about_judgments(result: GateResult) -> list[str]:
    changed = result.judgments_changed
    if result.rescored:
        if changed:
            return [
                "Both sides are evaluated with today's judgments. They differ from the snapshot's"
                f" for {few(changed)}."
            ]
        return ["Both sides are evaluated with today's judgments."]
    if changed:
        return [
            f"The judgments changed since the snapshot was saved, for {few(changed)}. The"
            f" snapshot's values are from the old judgments; use {refer('rescore', 'True')} to"
            " evaluate both sides"
            " with today's judgments."
        ]
    return []


def _about_anchor(result: GateResult) -> list[str]:
    anchor = result.snapshot.anchor
    if anchor is None:
        return []
    lines = []
    known = {difference.measure for difference in result.anchored}
    if missing := [measure.measure for measure in result.measures if measure.measure not in known]:
        lines.append(
            f"{', '.join(missing)}: not checked against the anchor, whose saved ranks do not"
            " suffice."
        )
    passed = {measure.verdict for measure in result.measures} == {"pass"}
    if passed and result.verdict != "pass":
        lines.append(
            f"The anchor is the first snapshot, of {anchor.system}. Losses since then add up. To"
            f" accept them, save a snapshot with {refer('new_anchor', 'True')}."
        )
    return lines


def _about_looks(result: GateResult) -> list[str]:
    budget, looks = result.snapshot.budget, result.looks
    text = f"Looks at these queries: {looks}"
    if budget is not None:
        text += f" of a declared budget of {budget}"
    text += "."
    if looks:
        text += f" Expected wrong passes: at most {_figure(result.expected_wrong_passes)}"
        text += f" (this look: {_figure(result.alpha_used)})."
    if result.counted is None and result.look > len(result.snapshot.looks):
        text += " This look was not counted."
    lines = [text]
    if budget is not None and result.look > budget:
        lines.append("The budget is used up, so no error rate is left. Use new queries.")
    elif looks >= MANY_LOOKS:
        lines.append(
            f"After {looks} looks, systems may be tuned to these queries, which no correction"
            " detects. Replace the queries."
        )
    if result.counted is False:
        lines.append(f"The look was not counted because {result.snapshot.file} cannot be written.")
    return lines


def _figure(rate: float) -> str:
    """Return an error rate with three significant digits.

    Examples
    --------
    >>> _figure(0.05), _figure(1.2), _figure(3.04e-6)
    ('.05', '1.2', '3.04e-06')
    """
    return f"{rate:.3g}".removeprefix("0") or "0"


@suggest_keywords
def look_alpha(
    alpha: float, look: int, *, budget: int | None = None, spending: bool = False
) -> float:
    """Return the error rate at which a look is tested.

    Parameters
    ----------
    alpha : float
        The error rate of a single look, or of all looks together with a budget or with spending.
    look : int
        The number of the look, from 1.
    budget : int, optional
        The declared number of looks.
    spending : bool
        Whether alpha is spent over any number of looks.

    Returns
    -------
    float
        From 0 to alpha; 0 after the budget is used up.

    Notes
    -----
    A budget of B looks gives alpha / B to each. Spending gives 6 alpha / (pi i)^2 to look i; these
    rates sum to alpha over all looks. Both bound the chance of any wrong pass by alpha under any
    dependence between runs, by the union bound. For the idea see D. P. Foster, R. A. Stine:
    α-investing: a procedure for sequential control of expected false discoveries. Journal of the
    Royal Statistical Society B 70, 2008.

    Examples
    --------
    >>> [float(f"{look_alpha(0.05, look, spending=True):.1g}") for look in (1, 2, 10, 100)]
    [0.03, 0.008, 0.0003, 3e-06]
    >>> look_alpha(0.05, 2, budget=2), look_alpha(0.05, 3, budget=2), look_alpha(0.05, 3)
    (0.025, 0.0, 0.05)
    """
    if spending:
        return 6.0 * alpha / (pi * look) ** 2
    if budget is None:
        return alpha
    return alpha / budget if look <= budget else 0.0


def expected_wrong_passes(looks: Iterable[Look]) -> float:
    """Return the most wrong passes to expect from several looks.

    A wrong pass is the pass of a run that is worse by the margin or more. The expected number is at
    most the sum of the looks' error rates, whatever the dependence between runs.

    Examples
    --------
    >>> from gainful.gates import Look
    >>> looks = [Look(run=name, system=name, verdict="pass", alpha=0.05) for name in "abc"]
    >>> round(expected_wrong_passes(looks), 2)
    0.15
    """
    return sum(look.alpha for look in looks)


#: The exit status for each verdict.
STATUSES = {"pass": SUCCESS, "fail": NEGATIVE, "inconclusive": INCONCLUSIVE}

_RATE = {"minimum": 0, "maximum": 0.5}

_COUNT = {"minimum": 0}

#: The exported fields of measures.
_FIGURES = (
    *("measure", "verdict", "snapshot_mean", "mean", "difference", "low", "high", "method", "n"),
    *("wins", "losses", "needed", "reference"),
)


class Digests(Record):
    """The digests of what a snapshot was made from, and of what is checked against it."""

    snapshot: str = field(json=DIGEST)
    """Of the snapshot."""
    now: str = field(json=DIGEST)
    """Of today."""


class AnchorComparison(Record):
    """The comparison with the first snapshot of a series of replaced ones."""

    system: str
    """The name of its run."""
    run: str = field(json=DIGEST)
    """The digest of its run."""
    measures: tuple[GatedMeasure, ...]
    """The result for each measure."""


class GateResult(Result):
    """The result of checking a run against a snapshot.

    ``print`` shows a table. It exports the Arrow C stream, with one row per measure and query.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> print(gainful.gate("qrels.txt", "dense.run", snapshot, margin=0.05))
    Gate inconclusive: dense vs. the snapshot of bm25
    measure  before    now  difference   lower   upper  changed  verdict
    ─────────────────────────────────────────────────────────────────────────
    nDCG@10   .7193  .7581      +.0388  -.0930  +.1757      5/6  inconclusive
    ...
    """

    SCHEMA = "gainful.gate/1"
    COMMAND = "gate"
    RECORDS = {"changes": None, "measures": None}
    PICTURES = ("differences",)

    verdict: str = derived(
        lambda result: _verdict(result.comparisons), json={"enum": list(STATUSES)}
    )
    """``fail`` if a measure fails against the snapshot or its anchor, else ``inconclusive`` if one
    is, else ``pass``."""
    status: int = derived(
        lambda result: _status(result.verdict, result.inconclusive),
        json={"enum": sorted(STATUSES.values())},
    )
    """The exit status: 0 pass, 3 inconclusive, 4 fail, unless that counts as pass or fail."""
    system: str
    """The name of the run."""
    _saved_system: str = derived(lambda result: result.snapshot.system, key="snapshot")
    """The name of the snapshot's run."""
    convention: Convention
    """The convention of both sides."""
    margin: float = field(json=_COUNT)
    """The non-inferiority margin."""
    anchor_margin: float = field(json=_COUNT)
    """The margin for the loss since the anchor."""
    alpha: float = field(json=_RATE)
    """The requested error rate."""
    alpha_used: float = field(json=_RATE)
    """The error rate of this look: alpha, alpha over a declared budget, 0 after the budget is used
    up, or the part of alpha that spending leaves to this look; reduced for growing queries
    whose bounds are not of bets."""
    fail_on: str = field(json={"enum": ["margin", "decrease"]})
    """Whether a run also fails if it is significantly worse by any amount."""
    measures: tuple[GatedMeasure, ...]
    """The result for each measure."""
    anchor: AnchorComparison | None = derived(lambda result: _anchor(result))
    """The comparison with the first snapshot of a series of replaced ones; None if there is none.
    """
    rescored: bool
    """Whether the snapshot's rankings were evaluated with today's judgments."""
    growing: bool = False
    """Whether `alpha` is the error rate of the checks at all numbers of queries together."""
    judgments: Digests
    """The digests of the judgments."""
    runs: Digests
    """The digests of the runs."""
    judgments_changed: tuple[str, ...]
    """Compared queries whose judgments changed since the snapshot was saved."""
    selection_changed: tuple[str, ...] = field(default=(), json={"items": {"type": "string"}})
    """``exclude`` and ``same``, if they have other pairs or classes than in the snapshot."""
    added: tuple[str, ...]
    """Queries only in the run's evaluation; they are not compared."""
    removed: tuple[str, ...]
    """Queries only in the snapshot; they are not compared."""
    look: int
    """The number of this look at the queries; 0 for the snapshot's own run."""
    looks: int = derived(lambda result: max(len(result.snapshot.looks), result.look))
    """The number of different runs that were checked on these queries, with this one."""
    expected_wrong_passes: float = derived(
        lambda result: _expected_wrong_passes(result), json=_COUNT
    )
    """The sum of `alpha_used` over these looks: the most passes to expect if each run were worse by
    the margin."""
    budget: int | None = derived(lambda result: result.snapshot.budget, json={"minimum": 1})
    """The number of looks that the snapshot declares."""
    spending: bool = derived(lambda result: result.snapshot.spending)
    """Whether the snapshot spends alpha over any number of looks."""
    counted: bool | None = None
    """Whether the look is in the snapshot's file; None if not requested."""
    notes: list[str] = derived(remarks)
    """Notes on the correction, the data and the looks, one per line."""
    snapshot: Snapshot = field(key="")
    """The snapshot; with this look counted, if requested and possible."""
    inconclusive: str | None = field(key="")
    """What an inconclusive verdict counts as, if requested."""
    anchored: tuple[GatedMeasure, ...] = field(default=(), key="")
    """The result for each measure against the snapshot's anchor; empty without an anchor."""
    sample: TwoPhaseSample | None = field(default=None, key="")
    """With predictions of a model, the queries that people judged, among all."""
    values: Mapping[str, Mapping[str, tuple[float, float]]] = field(key="")
    """The snapshot's value and the run's, by measure and query."""

    @property
    def comparisons(self) -> tuple[GatedMeasure, ...]:
        """The result for each measure against the snapshot, then against its anchor."""
        return self.measures + self.anchored

    def worst(self, measure: str | None = None, k: int = 5) -> list[tuple[str, float]]:
        """Return the queries with the largest losses in a measure (default: the first measure).

        Examples
        --------
        >>> import gainful
        >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
        >>> result = gainful.gate("qrels.txt", "dense.run", snapshot)
        >>> [(query, round(lost, 4)) for query, lost in result.worst()]
        [('q4', -0.2033)]
        """
        name = self.measures[0].measure if measure is None else measure
        if name not in self.values:
            raise ParameterError(
                where="measure", found=repr(name), expected=f"one of {', '.join(self.values)}"
            )
        (direction,) = {measure.direction for measure in self.measures if measure.measure == name}
        losses = worst_losses(self.values[name], k, direction=direction)
        return [(loss.query_id, loss.difference) for loss in losses]

    def __repr__(self) -> str:
        measures = ", ".join(f"{measure.measure} {measure.verdict}" for measure in self.comparisons)
        return f"<GateResult of {self.system} vs. {self.snapshot.system}: {measures}>"

    def tables(self) -> list[Table]:
        """Return one table of the measures with notes."""
        comparisons = self.comparisons
        places = places_adding_up(
            (measure.snapshot_mean, measure.mean, measure.difference) for measure in comparisons
        )
        shows = {
            "snapshot_mean": lambda value: digits(value, places),
            "mean": lambda value: digits(value, places),
            "difference": lambda value: with_sign(value, places),
        }
        name = "anchored" if self.anchored else "gate"
        table = table_of(comparisons, name, title=headline(self), notes=_notes(self), show=shows)
        return [table]

    def to_markdown(self, *, notes: bool = False) -> str:
        """Return the result as a comment for a pull request."""
        (table,) = self.tables()
        # The sign repeats the verdict for readers who skim a list of comments.
        sign = {"pass": "🟢", "fail": "🔴", "inconclusive": "⚪"}[self.verdict]
        *remarks, convention = table.notes
        lines = [f"### {sign} {escape_markdown(table.title)}", ""]
        lines.append(markdown(table.replace(title="", notes=())))
        for note in remarks:
            if note.key == "verdict":
                lines += [escape_markdown(note), ""]
        lines += [*(f"- {escape_markdown(note)}" for note in remarks if note.key != "verdict"), ""]
        lines += [f"<sub>{escape_markdown(convention)}</sub>"]
        return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"

    def _picture(self, name: str) -> Plot:
        """Draw the change of each measure, with its one-sided bounds and the margin."""
        from gainful import plots

        rows = [
            {
                "system": measure.measure,
                "difference": measure.difference,
                "low": measure.low if isfinite(measure.low) else None,
                "high": measure.high if isfinite(measure.high) else None,
                "verdict": measure.verdict,
            }
            for measure in self.measures
        ]
        title = f"{self.system} − the snapshot of {self.snapshot.system}"
        return plots.differences(rows, title, margins=(-self.margin,))

    def _records(self, name: str) -> Records:
        if name == "measures":
            rows = []
            for measure in self.comparisons:
                saved = self.snapshot if measure.reference == "snapshot" else self.snapshot.first
                exported = measure.to_dict()
                rows.append([self.system, saved.system, *(exported[name] for name in _FIGURES)])
            return as_records(("system", "snapshot", *_FIGURES), rows)
        return as_records(
            ("measure", "query_id", "snapshot", "value", "difference"),
            [
                (measure, query, old, new, new - old)
                for measure, values in self.values.items()
                for query, (old, new) in values.items()
            ],
        )


def _verdict(comparisons: tuple[GatedMeasure, ...]) -> str:
    verdicts = {measure.verdict for measure in comparisons}
    return next(verdict for verdict in GATE_VERDICTS if verdict in verdicts)


def _status(verdict: str, inconclusive: str | None) -> int:
    return STATUSES[(inconclusive or verdict) if verdict == "inconclusive" else verdict]


def _anchor(result: GateResult) -> AnchorComparison | None:
    anchor = result.snapshot.anchor
    if anchor is None:
        return None
    return AnchorComparison(system=anchor.system, run=anchor.run, measures=result.anchored)


def _expected_wrong_passes(result: GateResult) -> float:
    looks = result.snapshot.looks
    new = result.alpha_used if result.look > len(looks) else 0.0
    return expected_wrong_passes(looks) + new


def _notes(result: GateResult) -> list[Note]:
    notes = noted("verdict", (measure.text for measure in result.comparisons))
    for measure in result.comparisons:
        notes += noted("advice", advice(measure) + _describe_losses(measure))
    notes += noted("remark", result.notes)
    notes += _describe_predictions(result)
    is_given = result.convention == GIVEN
    convention = "The values were computed elsewhere." if is_given else str(result.convention)
    return [*notes, Note("convention", convention)]


def _describe_losses(measure: GatedMeasure) -> list[str]:
    """Return the queries with the largest losses, if the measure did not pass."""
    losses = (measure.worst or ()) if measure.verdict != "pass" else ()
    named = ", ".join(f"{loss.query_id} {with_sign(loss.difference)}" for loss in losses)
    return [f"Largest losses in {measure.measure}: {named}."] if named else []


def _describe_predictions(result: GateResult) -> list[Note]:
    """Return the worth of the judgments of people with predictions, and the conditions."""
    if result.sample is None:
        return []
    from gainful.evaluation.predicted import Worth, condition_notes, describe_worth

    estimates = []
    for measure in result.comparisons:
        if measure.worth is not None:
            low, high = measure.worth_interval or (None, None)
            reason, p_random = measure.reason or "", measure.p_random or 0.0
            worth = Worth(measure.n, measure.worth, low, high, reason, p_random)
            estimates.append((measure.measure, worth))
    note = Note("worth", describe_worth([worth for _, worth in estimates]))
    return [note, *condition_notes(result.sample, estimates)]


_LEVELS = {"pass": "notice", "fail": "error", "inconclusive": "warning"}


def github(result: GateResult) -> str:
    """Return one line per comparison: an error, a warning, or a notice if it passes.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> print(github(gainful.gate("qrels.txt", "bm25.run", snapshot)), end="")
    ::notice title=Gate passed%3A the run vs. the snapshot of bm25::nDCG@10 passes: the value ...
    """
    more = result.notes
    lines = []
    for index, measure in enumerate(result.comparisons):
        verdict = measure.verdict
        if verdict == "inconclusive":
            verdict = result.inconclusive or verdict
        texts = [measure.text, *advice(measure), *(more if index == 0 else ())]
        message = _data("\n".join(texts))
        lines.append(f"::{_LEVELS[verdict]} title={_property(headline(result))}::{message}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(result: GateResult) -> str:
    """Return the result as JUnit XML.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> xml = junit(gainful.gate("qrels.txt", "dense.run", snapshot))
    >>> print(xml.splitlines()[1])
    <testsuites tests="1" failures="0" errors="0" skipped="1">
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    suite = Element("testsuite", name="gainful gate")
    counts = {"pass": 0, "fail": 0, "skip": 0}
    for measure in result.comparisons:
        outcome = measure.verdict
        if outcome == "inconclusive":
            outcome = result.inconclusive or "skip"
        counts[outcome] += 1
        versus = "" if measure.reference == "snapshot" else " vs. the anchor"
        name = _plain(f"{measure.measure} of {result.system}{versus}")
        case = SubElement(suite, "testcase", classname="gainful.gate", name=name, time="0")
        message = _plain(measure.text)
        if outcome == "fail":
            element = SubElement(case, "failure", message=message, type=measure.verdict)
            element.text = _plain(str(result))
        elif outcome == "skip":
            SubElement(case, "skipped", message=message)
        SubElement(case, "system-out").text = message
    totals = {
        "tests": str(len(result.comparisons)),
        "failures": str(counts["fail"]),
        "errors": "0",
        "skipped": str(counts["skip"]),
    }
    suite.attrib.update(totals, time="0")
    properties = Element("properties")
    known = {
        "verdict": result.verdict,
        "headline": headline(result),
        "looks": str(result.looks),
        "expected_wrong_passes": f"{result.expected_wrong_passes:.6g}",
    }
    for key, value in known.items():
        SubElement(properties, "property", name=key, value=_plain(value))
    suite.insert(0, properties)
    root = Element("testsuites", totals)
    root.append(suite)
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _plain(text: str) -> str:
    """Escape the characters that XML 1.0 does not allow, as Python writes them."""
    return "".join(char if _allowed(ord(char)) else ascii(char)[1:-1] for char in text)


def _allowed(code: int) -> bool:
    if code < 0x20:
        return code in (0x9, 0xA, 0xD)
    return not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)
