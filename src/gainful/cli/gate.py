"""``gainful gate``, ``reproduce`` and ``verify``: runs and files checked against earlier ones."""

from __future__ import annotations

from gainful.cli.arguments import (
    FORMATS,
    STRICT,
    THREADS,
    choose_format,
    convention_options,
    format_option,
    measure_option,
    parse_convention,
)
from gainful.cli.command import Command
from gainful.cli.option_values import WEIGHTS
from gainful.cli.output import deliver, echo, input_fields, write
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Output
from gainful.errors import ArgumentError, ParameterError
from gainful.parameters import Argument, Combined, File, Group, Parameter, gating
from gainful.parameters.comparing import CLUSTERS
from gainful.parameters.inputs import (
    DOCUMENTS,
    LOWER_IS_BETTER,
    PREDICTIONS,
    QRELS,
    RUN,
    VALUE_RANGE,
)
from gainful.quoting import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.conventions import Convention
    from gainful.gates import GateResult, Snapshot

#: Formats that only this command has.
_OWN = ("junit", "github")

_EVERY = (*FORMATS, *_OWN)


def _parse_also(also: Sequence[str]) -> list[tuple[str, str]]:
    """Return the formats and files of ``--also``."""
    parsed = []
    for word in also:
        style, equals, file = word.partition("=")
        if not equals or style not in _EVERY or not file:
            raise ParameterError(
                where="--also",
                found=repr(word),
                expected=f"FORMAT=FILE, with one of {', '.join(_EVERY)}",
            )
        parsed.append((choose_format(style, file, _EVERY), file))
    return parsed


ALSO = Combined(
    "also",
    _parse_also,
    Parameter(
        "also",
        group=Group.OUTPUT,
        repeatable=True,
        metavar="FORMAT=FILE",
        # Without a file the command reports the error.
        writes=Output(path=lambda word: word.partition("=")[2] or "-"),
        help="Also write this file in another format. Repeatable.",
    ),
)

MAKE_SNAPSHOT = "gainful.gates:make_snapshot"

SAVE = Parameter(
    "save",
    File,
    writes=Output(None, reads="--snapshot"),
    help="Save the run as a snapshot. Looks at a snapshot that it replaces are kept.",
)

SYSTEM = Parameter(
    "system",
    metavar="NAME",
    help="In a file of values, the system to check. Default: the only one.",
)


def _read_clusters(path: str, values: Values) -> Mapping[str, Any]:
    from gainful.data.query_attributes import read_query_clusters

    return read_query_clusters(path).values


@Command(
    QRELS,
    RUN.replace(required=False, metavar="[RUN]"),
    gating.SNAPSHOT,
    SAVE,
    measure_option(
        multiple=True,
        default="all measures of the snapshot; with --save nDCG@10, or the measures that the"
        " convention is verified for",
        has_convention=False,
    ),
    gating.MARGIN,
    gating.ANCHOR_MARGIN,
    gating.FAIL_ON,
    gating.INCONCLUSIVE,
    gating.BUDGET,
    gating.SPENDING,
    gating.NEW_ANCHOR,
    gating.RESCORE,
    gating.GROWING,
    gating.NO_COUNT,
    SYSTEM,
    LOWER_IS_BETTER,
    VALUE_RANGE,
    WEIGHTS,
    DOCUMENTS,
    gating.ALPHA,
    CLUSTERS.replace(convert=_read_clusters, annotation="Mapping[str, Hashable] | None", doc=""),
    PREDICTIONS,
    convention_options(otherwise="the convention of the snapshot, else gainful-1"),
    format_option(*_OWN),
    ALSO,
    STRICT,
    THREADS,
    reading_options(),
    targets=("gainful.gates:gate", MAKE_SNAPSHOT),
    excludes={
        "save": "margin anchor_margin alpha fail_on inconclusive rescore growing no_count clusters"
        " style also output weights predicted sampled"
    },
    requires={"budget": "save", "spending": "save", "new_anchor": "save"},
    common="snapshot save measures margin fail_on inconclusive budget convention also output style",
    examples=(
        "gainful gate qrels.txt main.run --save snapshot.json -m nDCG@10 --budget 20",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --margin 0.01",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --fail-on decrease",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --rescore",
        "gainful gate scores.csv --system new --snapshot snapshot.json",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --also junit=gate.xml"
        " --also markdown=comment.md --also github=-",
    ),
)
def gate(values: Values) -> int:
    """Check a run for regressions against a saved snapshot.

    With --save, the run becomes the snapshot: a JSON file with its values and rankings, and hashes
    of judgments and run. With --snapshot, another run is checked against it. The run passes if the
    lower bound of the difference is above minus the margin, and fails if the upper bound is below.
    Otherwise the result is inconclusive.

    Without a RUN, the file has values that were computed elsewhere, as for `gainful compare`.

    The exit status is 0 for a pass, 4 for a failure, 3 if inconclusive, and 2 for an error.
    """
    from gainful.cli.given_values import read_values
    from gainful.cli.reading import parse_runs
    from gainful.gates import read_snapshot
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    if (values.snapshot is None) == (values.save is None):
        raise ArgumentError(
            "give either --snapshot or --save",
            hint="--save FILE saves a run as a snapshot, --snapshot FILE checks a run against it",
        )
    is_check = values.save is None
    others = values.also
    kept = read_snapshot(values.snapshot) if is_check else _read_replaced(values.save)
    # The standard input cannot be read again, and has no file for the count.
    snapshot = kept if values.snapshot == "-" else values.snapshot
    if values.run is None:
        options = {"qrels": read_values(values), "run": values.system}
        options |= {"measures": list(values.measures) or None, "convention": None}
        if not is_check:
            del options["convention"]
            return _save(values.call(MAKE_SNAPSHOT, **options, after=kept), values.save, kept)
        result = values.call(**options, snapshot=snapshot, count=not values.no_count)
        return _write(result, [(values.style, values.output), *others])
    values.refuse("system lower_is_better value_range", "works with a file of values only")
    ((name, path),) = parse_runs([values.run]).items()
    convention = _choose_convention(values.convention, values.changes, kept)
    measures = values.measures
    if kept is not None and (is_check or not measures):
        # Judgments are read as for the snapshot: with subtopics if any measure needs them.
        chosen: Any = kept.measures
    else:
        chosen = choose_measures(measures or None, convention)
    with Bar() as progress:
        judged = values.reading.load_judgments(values.qrels, convention.duplicates, chosen)
        inputs = {
            "qrels": judged,
            "run": values.reading.load_run(path, judged, name=name),
            "convention": convention,
            "progress": progress,
        }
        if not is_check:
            made = values.call(MAKE_SNAPSHOT, **inputs, measures=chosen, after=kept)
            return _save(made, values.save, kept)
        result = values.call(**inputs, snapshot=snapshot, count=not values.no_count)
    return _write(result, [(values.style, values.output), *others])


def _write(result: GateResult, outputs: Iterable[tuple[str, str | None]]) -> int:
    """Write a result in several formats, and return the exit status."""
    for style, output in outputs:
        _write_as(result, style, output)
    return int(result.status)


def _write_as(result: GateResult, style: str, output: str | None) -> None:
    """Write a result in a format to a file or the standard output."""
    if style == "junit":
        from gainful.gates.result import junit

        deliver([junit(result)], output)
    elif style == "github":
        from gainful.gates.result import github

        deliver([github(result)], output)
    else:
        write(result, style, output, records="measures")


def _save(made: Snapshot, path: str, kept: Snapshot | None) -> int:
    from gainful.gates.call import save_snapshot
    from gainful.gates.margins import describe_snapshot
    from gainful.gates.snapshot import lines

    made = made.replace(**input_fields())
    if path == "-":
        texts = (line.encode("utf-8", "backslashreplace").decode() for line in lines(made))
        deliver(texts, None)
    else:
        made = save_snapshot(made, path, kept)
        echo(printable(f"{path}: {describe_snapshot(made, kept)}"))
    return 0


def _choose_convention(
    name: str | None, changes: Sequence[str], kept: Snapshot | None
) -> Convention:
    if kept is not None and name is None:
        saved = kept.convention
        return parse_convention(saved.name, changes) if changes else saved
    return parse_convention(name or "gainful-1", changes)


def _read_replaced(path: str | None) -> Snapshot | None:
    """Return the snapshot that a new one replaces; other files are not overwritten."""
    import os

    from gainful.gates import read_snapshot

    if path is None or path == "-":
        return None
    return read_snapshot(path) if os.path.isfile(path) and os.path.getsize(path) else None


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
def reproduce(values: Values) -> None:
    """Check whether a rerun reproduces an original experiment.

    Compares scores, rankings and, with a baseline on both sides, improvements: RMSE over queries,
    Kendall's tau, rank-biased overlap, p-values, effect ratio and delta relative improvement. The
    verdict is reproduced, partly reproduced, not reproduced or inconclusive.
    """
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
    verification = values.call()
    write(verification, values.style, values.output)
    return int(verification.status)
