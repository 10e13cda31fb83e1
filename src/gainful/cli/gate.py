"""``gainful gate``: a run beside a snapshot that was kept."""

from __future__ import annotations

import click

from gainful.cli.arguments import (
    chosen_convention,
    complete_conventions,
    complete_files,
    complete_measures,
    complete_policies,
    examples,
    format_option,
    threads_option,
    weights_option,
)
from gainful.cli.gate_formats import OWN, further, write_gate
from gainful.cli.output import deliver
from gainful.cli.reading import reading_options
from gainful.errors import ArgumentError
from gainful.quoting import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.cli.reading import Reading
    from gainful.conventions import Convention
    from gainful.gates import Snapshot


@click.command(
    epilog=examples(
        "gainful gate qrels.txt main.run --save snapshot.json -m nDCG@10 --budget 20",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --margin 0.01",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --fail-on decrease",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --rescore",
        "gainful gate qrels.txt new.run --snapshot snapshot.json --also junit=gate.xml \\",
        "    --also markdown=comment.md --also github=-",
    )
)
@click.argument("qrels", metavar="QRELS", shell_complete=complete_files)
@click.argument("run", metavar="RUN", shell_complete=complete_files)
@click.option(
    "--snapshot",
    metavar="FILE",
    shell_complete=complete_files,
    help="Check the run against this snapshot.",
)
@click.option(
    "--save",
    metavar="FILE",
    shell_complete=complete_files,
    help="Save the run as a snapshot. The looks at a snapshot that it replaces are carried over.",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    shell_complete=complete_measures,
    help="What to measure; every measure has to pass. Repeatable. Default: all measures of the"
    " snapshot; without a snapshot nDCG@10, or what the convention is verified for.",
)
@click.option(
    "--margin",
    type=float,
    default=0.01,
    show_default=True,
    metavar="X",
    help="How much worse is no harm, in units of the measure.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    metavar="X",
    help="The error rate of each verdict.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("margin", "decrease")),
    default="margin",
    show_default=True,
    help="Fail where the run is worse by more than the margin, or where it is worse at all.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(("fail", "pass")),
    help="Exit as for a failure or a pass where nothing can be concluded; without it with 3.",
)
@click.option(
    "--rescore",
    is_flag=True,
    help="Measure the snapshot's rankings with these judgments, not the ones it was saved with.",
)
@click.option(
    "--budget",
    type=int,
    metavar="N",
    help="With --save: how many runs are going to be checked against it. Each is then tested at"
    " alpha / N.",
)
@click.option(
    "--no-count", is_flag=True, help="Do not write into the snapshot that it was looked at."
)
@click.option(
    "--clusters",
    metavar="FILE[:COLUMN]",
    shell_complete=complete_files,
    help="Queries that stand or fall together, such as those of a user: a file of query ids and"
    " labels.",
)
@click.option(
    "--convention",
    metavar="NAME",
    shell_complete=complete_conventions,
    help="How the numbers are made; without it the snapshot's convention, and gainful-1 where there"
    " is none yet.",
)
@click.option(
    "--policy",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=complete_policies,
    help="Change one policy of the convention. May be given several times.",
)
@format_option(*OWN)
@click.option(
    "--also",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write it in another format, too. May be given several times.",
)
@weights_option
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
    alpha: float,
    fail_on: str,
    inconclusive: str | None,
    rescore: bool,
    budget: int | None,
    no_count: bool,
    clusters: str | None,
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

    With --save the run becomes the snapshot: a JSON file with its values and rankings, and with
    hashes of judgments and run. With --snapshot another run is checked against it. It passes if the
    lower bound of the difference lies above minus the margin, and fails if the upper bound lies
    below that. Anything between is inconclusive.

    Exits with 0 for a pass, 1 for a failure, 3 where it is inconclusive, and 2 for an error.
    """
    from gainful.cli.progress import Progress
    from gainful.cli.runs import check_standard_input, named_runs
    from gainful.cli.weights import read_weights
    from gainful.data.query_attributes import read_query_attribute
    from gainful.gates import gate, make_snapshot, read_snapshot
    from gainful.gates.contract import lines
    from gainful.gates.counting import save_snapshot
    from gainful.measures.choosing import choose_measures

    if (snapshot is None) == (save is None):
        raise ArgumentError(
            where="gate",
            found="neither --snapshot nor --save" if save is None else "both --snapshot and --save",
            expected="one of them",
            hint="--save FILE keeps a run as the snapshot, --snapshot FILE checks a run against it",
        )
    if budget is not None and save is None:
        raise ArgumentError(
            where="--budget",
            found="it without --save",
            expected="both",
            hint="a budget of looks is declared when the snapshot is saved",
        )
    if save is not None:
        _refuse_unused(context)
    others = further(also)
    ((name, path),) = named_runs([run]).items()
    check_standard_input(qrels, path, weights or "", clusters or "", snapshot or "")
    kept = _replaced(save) if snapshot is None else read_snapshot(snapshot)
    policies = _convention(convention, changes, None if kept is None else kept.convention)
    known = choose_measures(None, policies) if kept is None else kept.measures
    # As the snapshot read the judgments: with subtopics if any of its measures needs them.
    asked = known if save is None or not measures else choose_measures(measures, policies)
    shares = read_weights(weights)
    groups = None if clusters is None else read_query_attribute(clusters).values
    with Progress() as progress:
        judged = reading.judgments(qrels, policies.duplicates, asked)
        ranked = reading.run(path, judged, name=name)
        if save is not None:
            made = make_snapshot(
                judged,
                ranked,
                asked,
                convention=policies,
                budget=budget,
                after=kept,
                threads=threads,
                progress=progress,
            )
        else:
            assert snapshot is not None
            assert kept is not None
            result = gate(
                judged,
                ranked,
                # What came by the standard input is gone, and there is no file to count in.
                kept if snapshot == "-" else snapshot,
                measures or None,
                margin=margin,
                alpha=alpha,
                fail_on=fail_on,
                inconclusive=inconclusive,
                rescore=rescore,
                convention=policies,
                weights=shares,
                clusters=groups,
                count=not no_count,
                threads=threads,
                progress=progress,
            )
    if save is not None:
        if save == "-":
            deliver(
                (each.encode("utf-8", "backslashreplace").decode() for each in lines(made)), None
            )
            return
        made = save_snapshot(made, save)
        click.echo(printable(f"{save}: {_told(made)}"))
        return
    for form, file in [(style, output), *others]:
        write_gate(result, form, file)
    context.exit(result.status)


#: What is said of a run that is checked against a snapshot, and of none that is saved as one.
_OF_GATES = (
    *("margin", "alpha", "fail_on", "inconclusive", "rescore", "no_count", "clusters"),
    *("style", "also", "output", "weights"),
)


def _refuse_unused(context: click.Context) -> None:
    """Refuse what --save would pass over in silence."""
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "")
        if option.name in _OF_GATES and given is click.core.ParameterSource.COMMANDLINE:
            raise ArgumentError(
                where=option.opts[-1],
                found="it with --save",
                expected="it with --snapshot",
                hint="a snapshot keeps the values of queries; what is made of them is said when a"
                " run is checked against it",
            )


def _convention(name: str | None, changes: Sequence[str], kept: Convention | None) -> Convention:
    if kept is not None and name is None:
        return chosen_convention(kept.name, changes) if changes else kept
    return chosen_convention(name or "gainful-1", changes)


def _replaced(path: str | None) -> Snapshot | None:
    """Return the snapshot that a new one replaces; anything else is not overwritten."""
    import os

    from gainful.gates import read_snapshot

    if path is None or path == "-":
        return None
    return read_snapshot(path) if os.path.isfile(path) and os.path.getsize(path) else None


def _told(made: Snapshot) -> str:
    depth = "whole rankings" if made.depth is None else f"rankings down to {made.depth}"
    measures = ", ".join(map(repr, made.measures))
    queries = "1 query" if len(made.queries) == 1 else f"{len(made.queries):,} queries"
    count = len(made.looks)
    looks = f"looked at {count} time{'s' if count > 1 else ''}" if count else "not looked at yet"
    budget = "" if made.budget is None else f", of a budget of {made.budget}"
    return f"{measures} of {made.system} on {queries}, {depth}; {looks}{budget}"
