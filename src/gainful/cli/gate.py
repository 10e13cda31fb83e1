"""``gainful gate``: a run checked against a saved snapshot."""

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
from gainful.parameters import Combined, File, Group, Parameter, gating
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
    """Return the formats and files of ``--also``.

    Raises
    ------
    ParameterError
        For anything but ``FORMAT=FILE``.
    """
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
def command(values: Values) -> int:
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
