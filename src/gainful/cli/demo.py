"""``gainful demo``: the main features on a small shop, and chunkings of a handbook."""

from __future__ import annotations

from gainful.cli.command import Command
from gainful.cli.written_files import Output
from gainful.parameters import Argument, Folder, Group, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from gainful.cli.command import Values
    from gainful.demo.demonstration import Demonstration

#: What is shown, the default first.
_SCENES = ("shop", "rag")

#: The title of the reports.
_TITLE = "Search systems of a small shop"


def _files_in(
    folder: str, values: Mapping[str, Any]
) -> Iterator[tuple[str, Callable[[bytes], bool]]]:
    """Yield the files of the demo, and whether an existing file is one of them."""
    from functools import partial
    from os.path import join

    if values["judge"]:
        return
    if values["scene"] == "rag":
        from gainful.demo.handbook import CHUNKINGS, handbook

        for name, text in handbook().items():
            yield join(folder, "handbook", name), text.encode().startswith
        for name in (*(f"{name}.tsv" for name in CHUNKINGS), "gold.tsv"):
            yield join(folder, name), partial(_contains, b"query_id\tdocument_id\tstart\tend\t")
        yield join(folder, "questions.jsonl"), partial(_contains, b'"reference_contexts"')
        return
    from gainful.demo.collection import paths
    from gainful.demo.demonstration import BASELINES, SYSTEMS

    for path in paths():
        yield join(folder, path.name), path.read_bytes().startswith
    systems = {**dict.fromkeys(SYSTEMS, ""), **dict.fromkeys(BASELINES, "baselines")}
    for system, apart in systems.items():
        yield join(folder, apart, f"{system}.run"), partial(_is_run_of, system)
    for name, mark in (("report.md", _TITLE), ("report.html", _TITLE), ("shop.db", "SQLite")):
        yield join(folder, name), partial(_contains, mark.encode())


def _is_run_of(system: str, head: bytes) -> bool:
    return head.split(b"\n", 1)[0].endswith(f" {system}".encode())


def _contains(mark: bytes, head: bytes) -> bool:
    return mark in head


@Command(
    Argument(
        "scene",
        str,
        choices=_SCENES,
        default=_SCENES[0],
        required=False,
        help="`shop` compares search systems of a small shop. `rag` compares three ways to cut a"
        " handbook into chunks.",
    ),
    Parameter(
        "output",
        Folder,
        flags=("-o", "--output"),
        group=Group.OUTPUT,
        writes=Output(companions=_files_in, is_folder=True),
        help="Write the judgments and the runs to this folder; those of the shop with reports in"
        " Markdown and HTML. Default: no files.",
    ),
    Parameter(
        "judge",
        bool,
        help="Judge products that have no judgment on a local web page. With -o the labels are"
        " kept.",
    ),
    examples=(
        "gainful demo",
        "gainful demo -o gainful-demo",
        "gainful demo rag",
        "gainful demo rag -o gainful-rag",
        "gainful demo --judge",
        "gainful evaluate gainful-demo/qrels.txt gainful-demo/fts5-tuned.run",
    ),
)
def command(values: Values) -> None:
    """Show the main features on a small shop.

    Runs several search systems, evaluates them between random and ideal order, compares them and
    explains the worst query. Gainful includes the products, queries and judgments, and the systems
    run locally. With -o the files are kept for your own commands.

    `gainful demo rag` shows that the best size of chunks depends on what is counted: chunks, or
    characters that are read. It finds the quotes of 40 questions in a handbook, searches the
    handbook in three chunkings, compares them and explains a question.
    """
    if values.scene == "rag":
        values.refuse("judge", "works with the shop only")
        _show_chunkings(values.output)
    elif values.judge:
        _judge(values.output)
    else:
        _show_shop(values.output)


def _show_shop(output: str | None) -> None:
    """Print the comparison of the shop's systems, and write its files."""
    from gainful.cli.output import deliver, make_folder, on_terminal
    from gainful.demo.demonstration import demonstrate
    from gainful.demo.printing import markdown_report, render_demo

    shown = demonstrate()
    page = None
    if output is not None:
        place = make_folder(output)
        runs = _files(shown, place)
        deliver(markdown_report(shown, output), place("report.md"))
        page = _page(place, runs, shown.comparison.baselines)
        if page is not None:
            deliver([page], place("report.html"))
    text = render_demo(
        shown, output, first=_activation(), terminal=on_terminal(), page=page is not None
    )
    deliver([text], None, has_colors=on_terminal())


def _show_chunkings(output: str | None) -> None:
    """Print the comparison of chunkings, and write its files."""
    from gainful.cli.output import deliver, make_folder, on_terminal
    from gainful.demo.collection import questions_path
    from gainful.demo.handbook import compare_chunkings
    from gainful.demo.printing import render_chunkings, run_lines

    shown = compare_chunkings()
    if output is not None:
        place = make_folder(output)
        handbook = make_folder(place("handbook"))
        for name, text in shown.texts.items():
            deliver([text], handbook(name))
        deliver([questions_path().read_text(encoding="utf-8")], place("questions.jsonl"))
        shown.location.save(place("gold.tsv"))
        for name in shown.runs:
            deliver(run_lines(shown, name), place(f"{name}.tsv"))
    text = render_chunkings(shown, output, first=_activation(), terminal=on_terminal())
    deliver([text], None, has_colors=on_terminal())


def _judge(output: str | None) -> None:
    """Serve the page on which the shop's unjudged products are judged."""
    import os
    from tempfile import TemporaryDirectory

    from gainful.cli.judge import Serving, serve
    from gainful.cli.output import echo, make_folder
    from gainful.demo import products_path, qrels, queries_path, runs
    from gainful.judging import Session
    from gainful.pooling import pool

    systems, judged = runs(), qrels()
    with TemporaryDirectory() as temporary:
        if output is None:
            path = os.path.join(temporary, "shop.session")
            echo("The labels are deleted at the end. `gainful demo --judge -o FOLDER` keeps them.")
        else:
            path = make_folder(output)("shop.session")
        with Session(
            path,
            pool(systems, judged=judged),
            queries=queries_path(),
            documents=products_path(),
            scale="0=irrelevant,1=related,2=good,3=perfect",
            practice=judged,
        ) as session:
            site = {"title": "Shop", "runs": systems, "judged": judged, "measure": "nDCG@10"}
            serve(session, path, site, Serving(port=0), echo)


def _files(shown: Demonstration, place: Callable[[str], str]) -> dict[str, str]:
    """Write the collection, the tuned system and the runs; return where the runs are."""
    import os

    from gainful.cli.output import deliver
    from gainful.demo import collection
    from gainful.demo.search import Index

    for path in collection.paths():
        deliver([path.read_text(encoding="utf-8")], place(path.name))
    with Index() as index:
        index.save(place("shop.db"))
    # Baselines get a folder of their own.
    if shown.baselines:
        os.makedirs(place("baselines"), exist_ok=True)
    written = {}
    for system, run in shown.runs.items():
        apart = "baselines/" if system in shown.baselines else ""
        written[system] = place(f"{apart}{system}.run")
        # TREC cannot contain a query without documents; an evaluation counts it as empty.
        run.select(query for query, ranking in run.items() if ranking).write(written[system])
    return written


def _page(
    place: Callable[[str], str], runs: dict[str, str], baselines: tuple[str, ...]
) -> str | None:
    """Return the HTML report of the written files, or None if its dependencies are missing.

    It compares the same pairs as the terminal, so that both have the same verdicts.
    """
    from gainful.errors import GainfulError
    from gainful.report import MEASURES, make_report
    from gainful.report.library import check_installed

    try:
        check_installed()
    except GainfulError:
        return None
    from dataclasses import replace
    from shlex import join

    from gainful.input_files import InputFiles

    texts = {"docs": place("products.jsonl"), "queries": place("queries.tsv")}
    words = ["gainful", "report", place("qrels.txt"), *runs.values()]
    for name, path in texts.items():
        words += [f"--{name}", path]
    for name in baselines:
        words += ["--baseline", name]
    command = join([*words, "--title", _TITLE, "-o", place("report.html")])
    result = make_report(
        place("qrels.txt"),
        runs,
        MEASURES,
        baseline=baselines or None,
        docs=texts["docs"],
        queries=texts["queries"],
        title=_TITLE,
        command=command,
    )
    inputs = InputFiles([place("qrels.txt"), *runs.values(), *texts.values()])
    return replace(result, inputs=inputs.digests()).html()


def _activation() -> str:
    """Return the command that activates this program's environment, if that is needed."""
    import os
    import sys
    from shutil import which

    folder = os.path.dirname(sys.argv[0])
    script = os.path.join(folder, "activate")
    program = which("gainful")
    if (program and os.path.dirname(program) == folder) or not os.path.exists(script):
        return ""
    return f"source {script}"
