"""Describe a gate's result in sentences."""

from __future__ import annotations

from gainful.formats.numbers import digits
from gainful.references import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.gates.gated_measure import GatedMeasure
    from gainful.gates.result import GateResult

__all__ = ["MANY_LOOKS", "advice", "few", "headline", "percent", "remarks", "sentence"]

#: The most queries to name; others are counted.
_NAMED = 5
#: From this number of looks on, the notes recommend new queries: at alpha .05 one wrong pass is
#: expected if each run is worse by the margin.
MANY_LOOKS = 20


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


def sentence(measure: GatedMeasure) -> str:
    """Return the result for a measure as a sentence."""
    name, margin = _comparison(measure), _margin(measure.margin)
    share = measure.alpha_high if measure.verdict == "fail" else measure.alpha_low
    confidence = f"with {percent(1 - share)} confidence"
    if not measure.changed and measure.verdict == "pass":
        return f"{name} passes: the value of no query changed."
    if not measure.alpha_low:
        return f"{name} is inconclusive: the budget of looks is used up."
    low, high = measure.gain_bounds
    if measure.verdict == "fail":
        if high < -measure.margin:
            return f"{name} fails: {confidence} it is worse by more than the margin {margin}."
        return f"{name} fails: {confidence} it is worse."
    if measure.verdict == "pass":
        if low > 0:
            return f"{name} passes: {confidence} it is better."
        more = ", though worse" if high < 0 else ""
        return f"{name} passes: {confidence} it is not worse by the margin {margin} or more{more}."
    if not measure.margin:
        return f"{name} is inconclusive: it may or may not be worse."
    if high < 0:
        return f"{name} is inconclusive: {confidence} it is worse, perhaps by more than {margin}."
    return f"{name} is inconclusive: it may or may not be worse by more than the margin {margin}."


def _comparison(measure: GatedMeasure) -> str:
    return (
        measure.measure if measure.reference == "snapshot" else f"{measure.measure} vs. the anchor"
    )


def _margin(margin: float) -> str:
    """Return the margin as tables print it, or in full if that would round it.

    Examples
    --------
    >>> _margin(0.05), _margin(0.0), _margin(1e-9), _margin(0.00125)
    ('.0500', '.0000', '1e-09', '0.00125')
    """
    text = digits(margin)
    return text if float(text) == margin and margin < 1000 else f"{margin:.6g}"


def advice(measure: GatedMeasure) -> list[str]:
    """Return the number of queries needed for a verdict, if known."""
    if measure.needed is None:
        return []
    name = _comparison(measure)
    if measure.needed <= measure.n:
        return [f"{name}: there are enough queries, but the difference is near the margin."]
    return [
        f"{name}: with {measure.needed:,} queries like these, an unchanged system would pass"
        " (80% power)."
    ]


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
    for each in result.comparisons:
        if each.method == "extended-t":
            units = _queries(each.changed_units, "cluster" if each.clustered else "query")
            lines.append(
                f"{_comparison(each)}: only {units} changed, so the bounds allow for one more that"
                " changes as much as the most changed one."
            )
    effective = {each.effective for each in result.measures if each.effective is not None}
    if effective:
        sizes = " to ".join(f"{each:.1f}" for each in sorted({min(effective), max(effective)}))
        lines.append(f"Effective sample size: {sizes}.")
    for each in result.measures:
        if each.left_out:
            lines.append(
                f"{each.measure}: {_queries(each.left_out)} with a value on one side only."
            )
    lines += _about_judgments(result)
    if result.added:
        lines.append(f"Not in the snapshot, so not compared: {few(result.added)}.")
    if result.removed:
        lines.append(f"Only in the snapshot, so not compared: {few(result.removed)}.")
    lines += _about_anchor(result) + _about_looks(result)
    return lines


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
    known = {each.measure for each in result.anchored}
    if missing := [each.measure for each in result.measures if each.measure not in known]:
        lines.append(
            f"{', '.join(missing)}: not checked against the anchor, whose saved ranks do not"
            " suffice."
        )
    passed = {each.verdict for each in result.measures} == {"pass"}
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


def few(queries: Sequence[str]) -> str:
    """Return the number of queries and the names of the first.

    Examples
    --------
    >>> few(["q7"]), few([f"q{n}" for n in range(9)])
    ('1 query (q7)', '9 queries (q0, q1, q2, q3, q4, ...)')
    """
    named = ", ".join(queries[:_NAMED]) + (", ..." if len(queries) > _NAMED else "")
    return f"{_queries(len(queries))} ({named})"


def _queries(count: int, noun: str = "query") -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {'queries' if noun == 'query' else f'{noun}s'}"


def percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.95), percent(1 - 0.05 / 20)
    ('95%', '99.75%')
    """
    return f"{100 * share:.6g}%"
