"""``gainful reproduce`` and ``verify``: reruns of experiments, and input files of results."""

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
from gainful.parameters import Argument, File, Parameter
from gainful.parameters.inputs import QRELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.cli.command import Values


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
    targets=("gainful.reproduction:reproduce",),
    common="original rerun original_baseline rerun_baseline rerun_qrels"
    " measures margin convention output style",
    examples=(
        "gainful reproduce qrels.txt --original paper.run --rerun ours.run",
        "gainful reproduce qrels.txt --original paper.run --rerun ours.run"
        " --original-baseline paper-bm25.run --rerun-baseline our-bm25.run",
        "gainful reproduce qrels.txt --original a.run --rerun b.run --rerun-qrels other.txt"
        " --original-baseline a0.run --rerun-baseline b0.run",
    ),
)
def command(values: Values) -> None:
    """Check whether a rerun reproduces an original experiment.

    Compares scores, rankings and, with a baseline on both sides, improvements: RMSE over queries,
    Kendall's tau, rank-biased overlap, p-values, effect ratio and delta relative improvement. The
    verdict is reproduced, partly reproduced, not reproduced or inconclusive.
    """
    from gainful.cli.output import write
    from gainful.measures.choosing import choose_measures
    from gainful.reproduction import reproduce

    convention, reading = values.convention, values.reading
    chosen = choose_measures(values.measures or None, convention)
    judged = reading.load_judgments(values.qrels, convention.duplicates, chosen)
    others = judged
    if values.rerun_qrels is not None:
        others = reading.load_judgments(values.rerun_qrels, convention.duplicates, chosen)
    sides = {"original": judged, "rerun": others}
    sides |= {f"{name}_baseline": qrels for name, qrels in sides.items()}
    runs: dict[str, Any] = {
        name: reading.load_run(path, qrels)
        for name, qrels in sides.items()
        if (path := getattr(values, name)) is not None
    }
    rerun_qrels = None if values.rerun_qrels is None else others
    inputs = values.arguments(qrels=judged, measures=chosen, rerun_qrels=rerun_qrels)
    result = reproduce(**inputs | runs)
    write(result, values.style, values.output)


@Command(
    Argument("result"),
    format_option(),
    targets=("gainful.reproduction:verify",),
    examples=(
        "gainful evaluate qrels.txt bm25.run --format json -o result.json",
        "gainful verify result.json",
        "gainful verify snapshot.json",
    ),
)
def verify(values: Values) -> int:
    """Check whether a result's input files are unchanged.

    RESULT is a JSON result of a command, a snapshot of `gainful gate`, or an HTML report. It has
    the SHA-256 digests of the files that it was made from. Relative paths are relative to the
    current folder.

    The exit status is 0 if all files are unchanged, 4 if one is changed or missing, and 3 if the
    digest of one is unknown, as for the standard input.
    """
    from gainful.cli.output import write

    verification = values.call()
    write(verification, values.style, values.output)
    return int(verification.status)
