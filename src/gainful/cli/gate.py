"""``gainful gate``: a run checked against a saved snapshot."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    convention_options,
    examples,
    format_option,
    measure_option,
    parse_convention,
    prediction_options,
    strict_option,
    threads_option,
    weights_option,
)
from gainful.cli.comparing import clusters_option
from gainful.cli.gate_formats import OWN, parse_also, write_gate
from gainful.cli.option_groups import Command, Group, complete_files, option
from gainful.cli.output import deliver, input_fields
from gainful.cli.reading import reading_options
from gainful.cli.written_files import Output
from gainful.errors import ArgumentError
from gainful.quoting import printable
from gainful.vocabulary import FAILURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.cli.reading import Reading
    from gainful.conventions import Convention
    from gainful.gates import Snapshot


@click.command(
    cls=Command,
    epilog=examples(
        "gainful gate qrels.txt main.run --save snapshot.json -m nDCG@10 --budget 20",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --margin 0.01",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --fail-on decrease",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --rescore",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --also junit=gate.xml \\",
        "    --also markdown=comment.md --also github=-",
    ),
)
@click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
@click.argument("run", metavar="RUN", shell_complete=complete_files)
@option(
    "--snapshot",
    metavar="FILE",
    shell_complete=complete_files,
    help="Check the run against this snapshot.",
)
@option(
    "--save",
    metavar="FILE",
    shell_complete=complete_files,
    writes=Output(None, reads="--snapshot"),
    help="Save the run as a snapshot. Looks at a snapshot that it replaces are kept.",
)
@measure_option(
    multiple=True,
    default="all measures of the snapshot; with --save nDCG@10, or the measures that the convention"
    " is verified for",
    has_convention=False,
)
@option(
    "--margin",
    type=float,
    default=0.01,
    metavar="D",
    help="Non-inferiority margin: the largest loss that does not matter, in units of the measure.",
)
@option(
    "--anchor-margin",
    type=float,
    metavar="D",
    help="Margin for the loss since the first snapshot, the anchor. Default: the margin.",
)
@option(
    "--fail-on",
    type=click.Choice(FAILURES),
    default="margin",
    help="Fail if the run is worse by more than the margin, or on any significant decrease.",
)
@option(
    "--inconclusive",
    type=click.Choice(("fail", "pass")),
    help="The exit status for an inconclusive result. Default: 3.",
)
@option(
    "--budget",
    type=int,
    metavar="N",
    help="With --save: the number of looks (runs to check). Each is tested at alpha / N.",
)
@option(
    "--spending",
    is_flag=True,
    help="With --save: spend alpha over any number of looks. Look i has 6 alpha / (pi i)^2.",
)
@option(
    "--new-anchor",
    is_flag=True,
    help="With --save: make this run the anchor. Default: keep that of the replaced snapshot.",
)
@option(
    "--rescore",
    is_flag=True,
    help="Score the rankings of the snapshot with these judgments. Default: use its saved values.",
)
@option("--no-count", is_flag=True, help="Do not count this look in the snapshot.")
@weights_option
@option(
    "--alpha",
    group=Group.STATISTICS,
    type=float,
    default=0.05,
    metavar="P",
    help="The error rate of each verdict.",
)
@clusters_option
@prediction_options()
@convention_options(otherwise="the convention of the snapshot, else gainful-1")
@format_option(*OWN)
@option(
    "--also",
    group=Group.OUTPUT,
    multiple=True,
    metavar="FORMAT=FILE",
    # Without a file the command reports the error.
    writes=Output(path=lambda word: word.partition("=")[2] or "-"),
    help="Also write this file in another format. Repeatable.",
)
@strict_option
@threads_option
@reading_options()
@click.pass_context
def command(
    context: click.Context,
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
) -> None:
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
        _refuse_unused(context)
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
            return
        made = save_snapshot(made, save, kept)
        click.echo(printable(f"{save}: {describe_snapshot(made, kept)}"))
        return
    for form, file in [(style, output), *others]:
        write_gate(result, form, file)
    context.exit(result.status)


#: The options that --snapshot has and --save does not.
_SNAPSHOT_ONLY = (
    *("margin", "anchor_margin", "alpha", "fail_on", "inconclusive", "rescore", "no_count"),
    *("clusters", "style", "also", "output", "weights", "predicted", "sampled"),
)


def _refuse_unused(context: click.Context) -> None:
    """Refuse options that --save would ignore."""
    for param in context.command.params:
        given = context.get_parameter_source(param.name or "")
        if param.name in _SNAPSHOT_ONLY and given is click.core.ParameterSource.COMMANDLINE:
            raise ArgumentError(
                f"{param.opts[-1]} does not work with --save",
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
