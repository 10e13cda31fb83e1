"""``gainful reproduce``: whether a rerun reproduces an original experiment."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
)
from gainful.cli.command import Command
from gainful.cli.reading import reading_options
from gainful.parameters import File, Parameter
from gainful.parameters.inputs import QRELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention


@Command(
    QRELS,
    Parameter(
        "original", File, metavar="RUN", required=True, help="The run of the original experiment."
    ),
    Parameter("rerun", File, metavar="RUN", required=True, help="The run of the rerun experiment."),
    Parameter(
        "original_baseline", File, metavar="RUN", help="The baseline of the original experiment."
    ),
    Parameter(
        "rerun_baseline",
        File,
        metavar="RUN",
        help="The baseline of the rerun experiment. With both, improvements are compared.",
    ),
    Parameter(
        "rerun_qrels", File, help="The judgments of the rerun, if it is on another collection."
    ),
    measure_option(multiple=True, default="nDCG@10"),
    Parameter(
        "margin",
        float,
        0.01,
        metavar="X",
        help="Without baselines, differences of means up to this are considered equal.",
    ),
    Parameter(
        "least_ratio",
        float,
        0.9,
        metavar="X",
        help="With baselines, the share of the original's improvement that reproduces it.",
    ),
    Parameter("depth", int, 1000, metavar="K", help="Number of ranks to compare."),
    Parameter("persistence", float, 0.8, metavar="P", help="Persistence of rank-biased overlap."),
    Parameter("level", float, 0.95, metavar="X", help="Confidence level; alpha is 1 - level."),
    convention_options(),
    format_option(),
    STRICT,
    THREADS,
    reading_options(),
    examples=(
        "gainful reproduce qrels.txt --original paper.run --rerun ours.run",
        "gainful reproduce qrels.txt --original paper.run --rerun ours.run"
        " --original-baseline paper-bm25.run --rerun-baseline our-bm25.run",
        "gainful reproduce qrels.txt --original a.run --rerun b.run --rerun-qrels other.txt"
        " --original-baseline a0.run --rerun-baseline b0.run",
    ),
)
def command(
    qrels: str,
    original: str,
    rerun: str,
    original_baseline: str | None,
    rerun_baseline: str | None,
    rerun_qrels: str | None,
    measures: tuple[str, ...],
    margin: float,
    least_ratio: float,
    depth: int,
    persistence: float,
    level: float,
    convention: Convention,
    style: str,
    output: str | None,
    threads: int | None,
    reading: Reading,
) -> None:
    """Check whether a rerun reproduces an original experiment.

    Compares scores, rankings and, with a baseline on both sides, improvements: RMSE over queries,
    Kendall's tau, rank-biased overlap, p-values, effect ratio and delta relative improvement. The
    verdict is reproduced, partly reproduced, not reproduced or inconclusive.
    """
    from gainful.cli.output import write
    from gainful.measures.choosing import choose_measures
    from gainful.reproduction import reproduce

    chosen = choose_measures(measures or None, convention)
    judged = reading.load_judgments(qrels, convention.duplicates, chosen)
    others = judged
    if rerun_qrels is not None:
        others = reading.load_judgments(rerun_qrels, convention.duplicates, chosen)
    found = reproduce(
        judged,
        reading.load_run(original, judged),
        reading.load_run(rerun, others),
        chosen,
        original_baseline=None
        if original_baseline is None
        else reading.load_run(original_baseline, judged),
        rerun_baseline=None if rerun_baseline is None else reading.load_run(rerun_baseline, others),
        rerun_qrels=None if rerun_qrels is None else others,
        margin=margin,
        least_ratio=least_ratio,
        depth=depth,
        persistence=persistence,
        convention=convention,
        level=level,
        threads=threads,
    )
    write(found, style, output)
