"""A gate's result in words."""

from __future__ import annotations

from gainful.formats.numbers import digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.gates.measured import GatedMeasure
    from gainful.gates.result import GateResult

__all__ = ["advice", "few", "headline", "percent", "remarks", "sentence"]

#: So many queries are named; the others are counted.
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
    said = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive"}[result.verdict]
    own = result.snapshot.system
    system = "the run" if result.system == own else result.system
    return f"Gate {said}: {system} vs. the snapshot of {own}"


def sentence(each: GatedMeasure, result: GateResult) -> str:
    """Return what was found for a measure in a sentence."""
    name, margin = each.measure, _margin(result.margin)
    share = result.alpha_used / (len(result.measures) if each.verdict == "fail" else 1)
    sure = f"with {percent(1 - share)} confidence"
    if not each.changed:
        return f"{name} passes: no query's value changed."
    if not result.alpha_used:
        return f"{name} is inconclusive: the budget of looks is spent."
    if each.verdict == "fail":
        if each.high < -result.margin:
            return f"{name} fails: {sure} it is worse by more than the margin {margin}."
        return f"{name} fails: {sure} it is worse."
    if each.verdict == "pass":
        if each.low > 0:
            return f"{name} passes: {sure} it is better."
        more = ", though worse" if each.high < 0 else ""
        return f"{name} passes: {sure} it is not worse by the margin {margin} or more{more}."
    if not result.margin:
        return f"{name} is inconclusive: it may be worse, or no worse at all."
    if each.high < 0:
        return f"{name} is inconclusive: {sure} it is worse, perhaps by more than {margin}."
    return f"{name} is inconclusive: it may be worse by more than {margin}, or no worse at all."


def _margin(margin: float) -> str:
    """Return the margin as tables print it; in full where that would be another number.

    Examples
    --------
    >>> _margin(0.05), _margin(0.0), _margin(1e-9), _margin(0.00125)
    ('.0500', '.0000', '1e-09', '0.00125')
    """
    text = digits(margin)
    return text if float(text) == margin and margin < 1000 else f"{margin:.6g}"


def advice(each: GatedMeasure) -> list[str]:
    """Return what it would take to conclude, as lines; none where that is not known."""
    if each.needed is None:
        return []
    if each.needed <= each.n:
        return [f"{each.measure}: the queries are enough, but the difference is near the margin."]
    return [
        f"{each.measure}: with {each.needed:,} queries like these, a run that is no different would"
        " pass in 80% of cases."
    ]


def remarks(result: GateResult) -> list[str]:
    """Return what else a reader should know, a line each."""
    lines = []
    share, k = result.alpha_used, len(result.measures)
    if k > 1:
        lines.append(
            f"Each of the {k} measures has to pass; one fails at the error rate alpha / {k}, so"
            " that together they keep alpha."
        )
    for each in result.measures:
        if each.method == "randomisation":
            units = _queries(each.changed_units, "cluster" if each.clustered else "query")
            lines.append(
                f"{each.measure}: only {units} changed, so the bounds are those of the"
                " randomisation test, not Student's t."
            )
    for each in result.measures:
        if each.left_out:
            lines.append(f"{each.measure}: {_queries(each.left_out)} without a value on one side.")
    lines += _about_judgments(result)
    if result.added:
        lines.append(f"New, and not compared: {few(result.added)}.")
    if result.removed:
        lines.append(
            f"In the snapshot, not evaluated any more, and not compared: {few(result.removed)}."
        )
    lines += _about_looks(result, share)
    return lines


def _about_judgments(result: GateResult) -> list[str]:
    changed = result.judgments_changed
    if result.rescored:
        if changed:
            return [
                "Both sides are measured with today's judgments, which are others than the"
                f" snapshot's for {few(changed)}."
            ]
        return ["Both sides are measured with today's judgments."]
    if changed:
        return [
            f"The judgments have changed since the snapshot was saved, for {few(changed)}. Its"
            " values are those of the old ones; --rescore measures both sides with today's."
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
                f"This is look {result.look} at these queries. Nothing is corrected for looks, as"
                " the snapshot declares no budget of them."
            )
    elif result.look > budget:
        lines.append(
            f"This is look {result.look} at these queries, beyond the declared budget of {budget}:"
            " no error rate is left for it. New queries are needed."
        )
    else:
        lines.append(
            f"Look {result.look} of a declared budget of {budget}: the error rate is alpha /"
            f" {budget} = {share:.4g}."
        )
    if result.counted is False:
        lines.append(
            f"The look could not be counted, for {result.snapshot.file} cannot be written."
        )
    return lines


def few(queries: Sequence[str]) -> str:
    """Return a number of queries and the first of them.

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
