"""Render estimates from a sample as tables."""

from __future__ import annotations

from gainful.evaluation.predicted_tables import show_rate
from gainful.formats.numbers import digits, spans, with_sign
from gainful.formats.table import Column, Note, Table, noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.sampled.result import SampleEvaluation

__all__ = ["tables"]


def tables(found: SampleEvaluation) -> list[Table]:
    """Return one table of all estimates."""
    columns = [
        Column("measure"),
        Column("system"),
        Column("mean", show=digits),
        Column("interval", "95% CI", spans(), around="mean"),
        Column("people_mean", "people only", digits),
        Column("people_interval", "95% CI", spans(), priority=4),
        Column("model_mean", "model only", digits),
        Column("rate", "λ", show_rate, priority=3),
        Column("worth", "worth", "{:.0f}".format),
        Column("sampling_error", "sampling error", digits, short="error"),
        Column("bias", "est. bias", _bias),
        Column("bounds", "lowest to highest", spans()),
        Column("outside", "outside the pool", str, align="r"),
    ]
    rows = [
        (
            each.measure,
            each.system,
            each.mean,
            (each.low, each.high),
            each.people_mean,
            (each.people_low, each.people_high),
            each.model_mean,
            each.rate,
            each.worth,
            each.sampling_error,
            each.bias,
            (each.lowest, each.highest),
            each.outside,
        )
        for each in found.estimates
    ]
    absent = set()
    if found.is_combined:
        absent.add("bias")
    else:
        absent |= {"people_mean", "people_interval", "model_mean", "rate", "worth"}
    if not found.not_judged:
        absent.add("bounds")
    if not any(each.outside for each in found.estimates):
        absent.add("outside")
    title = f"Estimates from {found.judged:,} judged documents of {found.queries:,} queries"
    table = Table(columns, rows, title=title, notes=_notes(found))
    return [table.only(lambda column: column.key not in absent)]


def _bias(bias: float) -> str:
    return with_sign(bias) if bias else "0"


def _notes(found: SampleEvaluation) -> list[Note]:
    notes = [*_combined(found)]
    if found.not_judged:
        notes.append(
            f"{found.not_judged:,} drawn documents have no judgment. They count as not relevant;"
            " the interval includes all their grades."
        )
    lower = [each for each in found.estimates if each.outside]
    if lower:
        systems = ", ".join(dict.fromkeys(each.system for each in lower))
        notes.append(
            f"outside the pool: documents above the cutoff that were not sampled ({systems}). They"
            " count as not relevant, so that DCG, CG and P are lower bounds; other measures can be"
            " too low or too high."
        )
    biased = [f"{each.measure} of {each.system}" for each in found.estimates if each.is_biased]
    if biased:
        notes.append(
            "The interval is unreliable, because the bias is large relative to the standard error:"
            f" {_some(biased)}. Judge more documents per query."
        )
    blank = max((each.without_relevant for each in found.estimates), default=0)
    if blank:
        notes.append(
            f"{blank} of {found.queries} queries have no relevant document in the sample: est. bias"
            " does not include them."
        )
    if found.ignored:
        notes.append(
            f"{found.ignored:,} judged documents of the pool were not drawn and are left out: the"
            " sample represents them."
        )
    if found.other_queries:
        notes.append(f"{found.other_queries:,} judged queries are not in the sample and left out.")
    if not found.is_frame_known:
        notes.append(
            "The file of the pool that ends in .ranks.tsv is missing: all runs count as pooled, and"
            " the probabilities are not checked against it."
        )
    return [
        *noted("sample", notes),
        Note("convention", str(found.convention)),
        Note(
            "interval",
            "95% CI: for the mean over new queries, including the sampling error.",
            explains=True,
        ),
        Note(
            "sampling_error",
            "sampling error: standard error over samples of the same queries.",
            explains=True,
        ),
        Note(
            "bias",
            "est. bias: of a ratio to the estimated ideal; DCG, CG and P have none.",
            explains=True,
        ),
    ]


def _combined(found: SampleEvaluation) -> Iterator[str]:
    """Yield the worth of the judgments with labels of a model, and the condition."""
    if not found.is_combined:
        return
    worths = sorted(round(each.worth or 0) for each in found.estimates)
    worth = f"{worths[0]:,}" if worths[0] == worths[-1] else f"{worths[0]:,} to {worths[-1]:,}"
    yield f"Your {found.queries:,} queries are worth {worth}."
    for reason, text in (
        ("few-errors", "people and the model disagree in fewer than 10 queries: people only"),
        ("no-gain", "the model adds nothing: people only"),
    ):
        names = [
            f"{each.measure} of {each.system}" for each in found.estimates if each.reason == reason
        ]
        if names:
            yield f"{_some(names)}: {text}."
    yield (
        "Valid if the model (prompt, examples, calibration) was fixed without the judgments of the"
        " sample."
    )


def _some(names: list[str]) -> str:
    if len(names) <= 4:
        return ", ".join(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} more"
