"""Describe a gate's result in sentences."""

from __future__ import annotations

from gainful.formats.numbers import digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.gates.gated_measure import GatedMeasure
    from gainful.gates.result import GateResult

__all__ = ["advice", "few", "headline", "percent", "remarks", "sentence"]

#: The most queries to name; others are counted.
_NAMED = 5


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


def sentence(each: GatedMeasure, result: GateResult) -> str:
    """Return the result for a measure as a sentence."""
    name, margin = each.measure, _margin(result.margin)
    share = result.alpha_used / (len(result.measures) if each.verdict == "fail" else 1)
    confidence = f"with {percent(1 - share)} confidence"
    if not each.changed:
        return f"{name} passes: the value of no query changed."
    if not result.alpha_used:
        return f"{name} is inconclusive: the budget of looks is used up."
    if each.verdict == "fail":
        if each.high < -result.margin:
            return f"{name} fails: {confidence} it is worse by more than the margin {margin}."
        return f"{name} fails: {confidence} it is worse."
    if each.verdict == "pass":
        if each.low > 0:
            return f"{name} passes: {confidence} it is better."
        more = ", though worse" if each.high < 0 else ""
        return f"{name} passes: {confidence} it is not worse by the margin {margin} or more{more}."
    if not result.margin:
        return f"{name} is inconclusive: it may or may not be worse."
    if each.high < 0:
        return f"{name} is inconclusive: {confidence} it is worse, perhaps by more than {margin}."
    return f"{name} is inconclusive: it may or may not be worse by more than the margin {margin}."


def _margin(margin: float) -> str:
    """Return the margin as tables print it, or in full if that would round it.

    Examples
    --------
    >>> _margin(0.05), _margin(0.0), _margin(1e-9), _margin(0.00125)
    ('.0500', '.0000', '1e-09', '0.00125')
    """
    text = digits(margin)
    return text if float(text) == margin and margin < 1000 else f"{margin:.6g}"


def advice(each: GatedMeasure) -> list[str]:
    """Return the number of queries needed for a verdict, if known."""
    if each.needed is None:
        return []
    if each.needed <= each.n:
        return [f"{each.measure}: there are enough queries, but the difference is near the margin."]
    return [
        f"{each.measure}: with {each.needed:,} queries like these, an unchanged system would pass"
        " (80% power)."
    ]


def remarks(result: GateResult) -> list[str]:
    """Return notes on the correction, the data and the looks."""
    lines = []
    share, k = result.alpha_used, len(result.measures)
    if k > 1:
        lines.append(
            f"All {k} measures have to pass. Each is tested for failure at alpha / {k}, so the"
            " chance of a false alarm remains alpha."
        )
    for each in result.measures:
        if each.method == "randomization":
            units = _queries(each.changed_units, "cluster" if each.clustered else "query")
            lines.append(
                f"{each.measure}: only {units} changed, so the bounds are from the randomization"
                " test instead of Student's t."
            )
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
    lines += _about_looks(result, share)
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
            " snapshot's values are from the old judgments; use --rescore to evaluate both sides"
            " with today's judgments."
        ]
    return []


def _about_looks(result: GateResult, share: float) -> list[str]:
    budget = result.snapshot.budget
    lines = []
    if not result.look:
        pass
    elif budget is None:
        if result.look > 1:
            lines.append(
                f"This is look {result.look} at these queries. The snapshot declares no budget of"
                " looks, so there is no correction for them."
            )
    elif result.look > budget:
        lines.append(
            f"This is look {result.look} at these queries, beyond the declared budget of {budget}:"
            " the error rate is used up. Use new queries."
        )
    else:
        lines.append(
            f"Look {result.look} of a declared budget of {budget}: the error rate is alpha /"
            f" {budget} = {share:.4g}."
        )
    if result.counted is False:
        lines.append(f"The look was not counted because {result.snapshot.file} cannot be written.")
    return lines


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
