"""``gainful gate``: a run checked against a saved snapshot."""

from __future__ import annotations

from gainful.cli.arguments import (
    STRICT,
    THREADS,
    convention_options,
    format_option,
    measure_option,
    parse_convention,
)
from gainful.cli.command import Command
from gainful.cli.gate_formats import OWN, parse_also, write_gate
from gainful.cli.output import deliver, echo, input_fields
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Output
from gainful.errors import ArgumentError
from gainful.parameters import File, Group, Parameter
from gainful.parameters.comparing import CLUSTERS
from gainful.parameters.inputs import PREDICTIONS, QRELS, RUN, WEIGHTS
from gainful.quoting import printable
from gainful.vocabulary import FAILURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.cli.command import Values
    from gainful.cli.reading import Reading
    from gainful.conventions import Convention
    from gainful.gates import Snapshot


@Command(
    QRELS,
    RUN,
    Parameter("snapshot", File, help="Check the run against this snapshot."),
    Parameter(
        "save",
        File,
        writes=Output(None, reads="--snapshot"),
        help="Save the run as a snapshot. Looks at a snapshot that it replaces are kept.",
    ),
    measure_option(
        multiple=True,
        default="all measures of the snapshot; with --save nDCG@10, or the measures that the"
        " convention is verified for",
        has_convention=False,
    ),
    Parameter(
        "margin",
        float,
        0.01,
        metavar="D",
        help="Non-inferiority margin: the largest loss that does not matter, in units of the"
        " measure.",
    ),
    Parameter(
        "anchor_margin",
        float,
        metavar="D",
        help="Margin for the loss since the first snapshot, the anchor. Default: the margin.",
    ),
    Parameter(
        "fail_on",
        default="margin",
        choices=FAILURES,
        help="Fail if the run is worse by more than the margin, or on any significant decrease.",
    ),
    Parameter(
        "inconclusive",
        choices=("fail", "pass"),
        help="The exit status for an inconclusive result. Default: 3.",
    ),
    Parameter(
        "budget",
        int,
        help="With --save: the number of looks (runs to check). Each is tested at alpha / N.",
    ),
    Parameter(
        "spending",
        bool,
        help="With --save: spend alpha over any number of looks. Look i has 6 alpha / (pi i)^2.",
    ),
    Parameter(
        "new_anchor",
        bool,
        help="With --save: make this run the anchor. Default: keep that of the replaced snapshot.",
    ),
    Parameter(
        "rescore",
        bool,
        help="Score the rankings of the snapshot with these judgments. Default: use its saved"
        " values.",
    ),
    Parameter("no_count", bool, help="Do not count this look in the snapshot."),
    WEIGHTS,
    Parameter(
        "alpha",
        float,
        0.05,
        metavar="P",
        group=Group.STATISTICS,
        help="The error rate of each verdict.",
    ),
    CLUSTERS,
    PREDICTIONS,
    convention_options(otherwise="the convention of the snapshot, else gainful-1"),
    format_option(*OWN),
    Parameter(
        "also",
        metavar="FORMAT=FILE",
        group=Group.OUTPUT,
        repeatable=True,
        writes=Output(path=lambda word: word.partition("=")[2] or "-"),
        help="Also write this file in another format. Repeatable.",
    ),
    STRICT,
    THREADS,
    reading_options(),
    examples=(
        "gainful gate qrels.txt main.run --save snapshot.json -m nDCG@10 --budget 20",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --margin 0.01",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --fail-on decrease",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --rescore",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --also junit=gate.xml \\",
        "    --also markdown=comment.md --also github=-",
    ),
)
def command(
    values: Values,
    qrels: str,
    run: str,
    snapshot: str | None,
    save: str | None,
    measures: tuple[str, ...],
    margin: float,
    anchor_margin: float | None,
    alpha: float,
    fail_on: str,
    inconclusive: str | None,
    rescore: bool,
    budget: int | None,
    spending: bool,
    new_anchor: bool,
    no_count: bool,
    clusters: str | None,
    predicted: str | None,
    sampled: str | None,
    convention: str | None,
    changes: tuple[str, ...],
    style: str,
    also: tuple[str, ...],
    output: str | None,
    weights: str | None,
    threads: int | None,
    reading: Reading,
) -> int:
    """Check a run for regressions against a saved snapshot.

    With --save, the run becomes the snapshot: a JSON file with its values and rankings, and hashes
    of judgments and run. With --snapshot, another run is checked against it. The run passes if the
    lower bound of the difference is above minus the margin, and fails if the upper bound is below.
    Otherwise the result is inconclusive.

    The exit status is 0 for a pass, 4 for a failure, 3 if inconclusive, and 2 for an error.
    """
    from gainful.cli.runs import check_standard_input, parse_runs
    from gainful.cli.weights import read_weights
    from gainful.data.query_attributes import read_query_attribute
    from gainful.gates import gate, make_snapshot, read_snapshot
    from gainful.gates.counting import save_snapshot
    from gainful.gates.description import describe_snapshot
    from gainful.gates.snapshot import lines
    from gainful.measures.choosing import choose_measures
    from gainful.progress import Bar

    if (snapshot is None) == (save is None):
        raise ArgumentError(
            "give either --snapshot or --save",
            hint="--save FILE saves a run as a snapshot, --snapshot FILE checks a run against it",
        )
    for word, given in (
        ("--budget", budget is not None),
        ("--spending", spending),
        ("--new-anchor", new_anchor),
    ):
        if given and save is None:
            raise ArgumentError(
                f"{word} works with --save only", hint="declare it when the snapshot is saved"
            )
    if save is not None:
        _refuse_unused(values)
    others = parse_also(also)
    ((name, path),) = parse_runs([run]).items()
    check_standard_input(
        qrels, path, weights or "", clusters or "", snapshot or "", predicted or ""
    )
    kept = _read_replaced(save) if snapshot is None else read_snapshot(snapshot)
    policies = _choose_convention(convention, changes, None if kept is None else kept.convention)
    known = choose_measures(None, policies) if kept is None else kept.measures
    # Judgments are read as for the snapshot: with subtopics if any of its measures needs them.
    asked = known if save is None or not measures else choose_measures(measures, policies)
    shares = read_weights(weights)
    groups = None if clusters is None else read_query_attribute(clusters).values
    with Bar() as progress:
        judged = reading.load_judgments(qrels, policies.duplicates, asked)
        ranked = reading.load_run(path, judged, name=name)
        if save is not None:
            made = make_snapshot(
                judged,
                ranked,
                asked,
                convention=policies,
                budget=budget,
                spending=spending,
                after=kept,
                new_anchor=new_anchor,
                threads=threads,
                progress=progress,
            )
        else:
            assert snapshot is not None
            assert kept is not None
            result = gate(
                judged,
                ranked,
                # The standard input cannot be read again, and has no file for the count.
                kept if snapshot == "-" else snapshot,
                measures or None,
                margin=margin,
                anchor_margin=anchor_margin,
                alpha=alpha,
                fail_on=fail_on,
                inconclusive=inconclusive,
                rescore=rescore,
                convention=policies,
                weights=shares,
                clusters=groups,
                predicted=reading.path_or_table(predicted, "qrels") if predicted else None,
                sampled=sampled,
                count=not no_count,
                threads=threads,
                progress=progress,
            )
    if save is not None:
        made = made.replace(**input_fields())
        if save == "-":
            deliver(
                (each.encode("utf-8", "backslashreplace").decode() for each in lines(made)), None
            )
            return 0
        made = save_snapshot(made, save, kept)
        echo(printable(f"{save}: {describe_snapshot(made, kept)}"))
        return 0
    for form, file in [(style, output), *others]:
        write_gate(result, form, file)
    return int(result.status)


#: The options that --snapshot has and --save does not.
_SNAPSHOT_ONLY = (
    *("margin", "anchor_margin", "alpha", "fail_on", "inconclusive", "rescore", "no_count"),
    *("clusters", "style", "also", "output", "weights", "predicted", "sampled"),
)


def _refuse_unused(values: Values) -> None:
    """Refuse options that --save would ignore."""
    for name, parameter in values.declared.parameters.items():
        if name in _SNAPSHOT_ONLY and values.origins.get(name) == "command line":
            raise ArgumentError(
                f"{parameter.flags[-1]} does not work with --save",
                hint="use it with --snapshot, when a run is checked",
            )


def _choose_convention(
    name: str | None, changes: Sequence[str], kept: Convention | None
) -> Convention:
    if kept is not None and name is None:
        return parse_convention(kept.name, changes) if changes else kept
    return parse_convention(name or "gainful-1", changes)


def _read_replaced(path: str | None) -> Snapshot | None:
    """Return the snapshot that a new one replaces; other files are not overwritten."""
    import os

    from gainful.gates import read_snapshot

    if path is None or path == "-":
        return None
    return read_snapshot(path) if os.path.isfile(path) and os.path.getsize(path) else None
