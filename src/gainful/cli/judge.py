"""``gainful judge``: judging sessions of files, served as a local web page."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from gainful.cli.arguments import QUIET, format_option, measure_of_file
from gainful.cli.command import Command
from gainful.cli.output import echo, say, write
from gainful.cli.written_files import Content, Output
from gainful.errors import ParameterError
from gainful.parameters import Argument, File, Folder, Group, Parameter
from gainful.vocabulary import JUDGING_STRATEGIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.judging import Session
    from gainful.results import Result

__all__ = ["Serving", "serve"]


@Command(
    Argument("files", metavar="FILE [RUN]...", repeatable=True),
    Parameter(
        "queries",
        File,
        help="Texts of the queries, and all their other fields: JSON lines, CSV or TREC topics.",
    ),
    Parameter("docs", File, help="Titles, texts and all other fields of the documents."),
    Parameter(
        "scale",
        metavar="GRADES",
        help="The grades and their names. Default: those of the session, else"
        ' "0=irrelevant,1=relevant".',
    ),
    Parameter(
        "guidelines",
        File,
        help="A Markdown file with guidelines. Its version is stored with each label.",
    ),
    Parameter(
        "images",
        Folder,
        help="The folder of images that fields of documents name. No other images are shown.",
    ),
    Parameter(
        "markdown",
        bool,
        help="Show the texts of documents as Markdown. HTML in them is shown as text.",
    ),
    Parameter("title", default="Judging", metavar="TEXT", help="The title of the page."),
    Parameter(
        "mode",
        default="grades",
        choices=("grades", "list", "pairs"),
        help="grades: one document after the other. list: all documents of a query. pairs: which"
        " of two documents is better.",
    ),
    measure_of_file(
        Parameter(
            "measure",
            flags=("-m", "--measure"),
            default="nDCG@10",
            metavar="MEASURE",
            help="With runs: the measure on which an owner sees the effect of the labels.",
        )
    ),
    Parameter(
        "practice",
        File,
        metavar="QRELS",
        help="Judgments from which five documents for practice are chosen. Default: the judgments,"
        " if FILE is judgments.",
    ),
    Parameter(
        "suggestions",
        File,
        metavar="QRELS",
        help="Grades of a model. A judge sees each after grading the document.",
    ),
    Parameter(
        "session",
        File,
        help="The file of the session. Default: the first file with the suffix .session.",
    ),
    Parameter(
        "depth",
        int,
        metavar="K",
        help="With judgments and runs: judge the documents down to this rank. Default: 10.",
    ),
    Parameter(
        "strategy",
        default="depth",
        choices=JUDGING_STRATEGIES,
        help="With judgments and runs: how documents are chosen, as for `gainful pool`. mtf,"
        " maxmean and mtc choose the next documents by the labels so far, until no label can"
        " reverse an order.",
    ),
    Parameter(
        "budget", int, help="With judgments and runs: the maximum number of documents to judge."
    ),
    Parameter(
        "overlap",
        default="0%",
        metavar="SHARE",
        help="With judgments and runs: the share of documents that two people judge.",
    ),
    Parameter(
        "name",
        flags=("--judge",),
        metavar="NAME",
        group=Group.REQUESTS,
        help="Your name, if you judge alone. Default: the name of your account.",
    ),
    Parameter(
        "users",
        File,
        group=Group.REQUESTS,
        help="The people of a team, one name per line; `NAME, owner` sees the results too. Each"
        " gets an address of their own. Remove a line to lock a person out.",
    ),
    Parameter(
        "host",
        default="127.0.0.1",
        metavar="ADDRESS",
        group=Group.REQUESTS,
        help="Listen on this address: 0.0.0.0 is the whole network. Default: only this computer.",
    ),
    Parameter("port", int, 8765, range="[0, 65535]", group=Group.REQUESTS, help="The port."),
    Parameter(
        "tls_cert",
        File,
        group=Group.REQUESTS,
        help="The TLS certificate for --host, with --tls-key.",
    ),
    Parameter("tls_key", File, group=Group.REQUESTS, help="The key of the certificate."),
    Parameter(
        "insecure_lan",
        bool,
        group=Group.REQUESTS,
        help="Serve other computers without TLS: everybody in the network can read the traffic.",
    ),
    Parameter(
        "browser",
        bool,
        True,
        flags=("--browser/--no-browser",),
        group=Group.REQUESTS,
        help="Open the page in a browser if the output is a terminal. Default: open it.",
    ),
    Parameter(
        "recover",
        bool,
        help="First save the labels that can be read of a damaged session. The damaged file is"
        " kept.",
    ),
    Parameter("status", bool, group=Group.OUTPUT, help="Print the progress instead."),
    Parameter(
        "load",
        metavar="[NAME=]LABELS",
        repeatable=True,
        group=Group.OUTPUT,
        help="Add labels from spreadsheets (CSV or TSV) to the session instead, as `gainful"
        " assess-judgments` reads them: with a column of raters, a column per rater, or one rater"
        " per file. Repeatable.",
    ),
    Parameter(
        "raters",
        metavar="COLUMN,...",
        group=Group.OUTPUT,
        help="With --load: the columns with the grades of one rater each. Default: detected by"
        " their names.",
    ),
    Parameter(
        "plan",
        int,
        metavar="JUDGES",
        range="[1, inf)",
        group=Group.OUTPUT,
        help="With judgments and runs: print instead how many labels could settle the order of each"
        " two systems, and the hours for this many judges.",
    ),
    Parameter(
        "pace",
        float,
        30.0,
        range="(0, inf)",
        metavar="SECONDS",
        group=Group.OUTPUT,
        help="With --plan: seconds per label.",
    ),
    Parameter(
        "export",
        metavar="FILE",
        group=Group.OUTPUT,
        writes=Output(Content.JUDGMENTS),
        help="Write the labels instead: as qrels with one grade per document, or by the suffix"
        " .csv or .jsonl with one row per label.",
    ),
    format_option(only=("table", "json"), help="Format of the result of --status and --plan."),
    QUIET,
    common="queries docs scale guidelines mode session depth strategy users status export",
    examples=(
        "gainful judge qrels.txt bm25.run dense.run --queries queries.tsv --docs docs.jsonl",
        "gainful judge pool.jsonl --queries queries.tsv --docs docs.jsonl"
        ' --scale "0=irrelevant,1=related,2=good,3=perfect"',
        "gainful judge qrels.txt bm25.run dense.run --plan 5",
        "gainful judge pool.jsonl --load labels.csv --raters Anna,Ben",
        "gainful judge pool.jsonl --status",
        "gainful judge pool.jsonl --export new-qrels.txt",
    ),
)
def command(values: Values) -> None:
    """Judge documents on a local web page.

    FILE is a pool of `gainful pool`, a session, or judgments. With judgments and runs, the
    documents that the runs rank high and that have no judgment are judged. All answers are stored
    in a session file, from which the same command continues.
    """
    from gainful.judging import Session
    from gainful.judging_page.documents import version_of

    chosen = _choose_files(values.files, values.session)
    if values.plan is not None:
        write(_plan(chosen, values), values.style, values.output)
        return
    if values.raters is not None and not values.load:
        raise ParameterError("--raters works with --load", where="--raters")
    if values.recover:
        say(_recovered(chosen.session))
    if values.load:
        echo(_loaded(chosen, values))
        return
    if values.status or values.export is not None:
        with Session(chosen.session, read_only=True) as session:
            if values.export is not None:
                session.export(values.export, judged=chosen.qrels)
            if values.status:
                _show_status(session, chosen, values)
        return
    serving = Serving.of(values)
    serving.check()
    site = _site(values) | _systems(chosen, values.measure)
    with Session(
        chosen.session,
        _pool(site, chosen, values),
        queries=values.queries,
        documents=values.docs,
        scale=values.scale or _scale(chosen),
        guidelines=version_of(site["guidelines"]),
        practice=values.practice or chosen.qrels,
        suggestions=values.suggestions,
    ) as session:
        if chosen.qrels is not None:
            _add_documents(session, site, values)
        if not session.needed:
            more = "" if chosen.qrels is None else " A larger --depth adds documents."
            echo(f"Nothing is left to judge.{more}")
            if not session.requested:
                return
        serve(session, chosen.session, site, serving, echo)


def _add_documents(session: Session, site: dict[str, Any], values: Values) -> None:
    """Let an adaptive strategy add documents to a session whenever none is left."""
    from functools import partial

    from gainful.pooling.call import continue_pool
    from gainful.pooling.result import ADAPTIVE

    if values.strategy not in ADAPTIVE:
        return
    known = {name: site[name] for name in ("runs", "judged", "measure")}
    site["add_documents"] = partial(continue_pool, session, **known, **_choices(values))
    if not session.needed:
        site["add_documents"]()


def _choices(values: Values) -> dict[str, Any]:
    return {"strategy": values.strategy, "depth": values.depth, "budget": values.budget}


def _recovered(path: str) -> str:
    """Recover a session, and return what was saved as a sentence."""
    from gainful.judging import recover_session

    saved = recover_session(path)
    if saved is None:
        return f"{path}: the session is not damaged."
    return (
        f"{path}: saved {saved.answers:,} answers of judges; {saved.lost:,} are lost."
        f" The damaged file is {saved.damaged}."
    )


def _show_status(session: Session, chosen: Files, values: Values) -> None:
    """Print the progress and, with runs, whether further labels could reverse their order."""
    from gainful.pooling.call import effect_of_labels

    progress = session.progress()
    effect = effect_of_labels(session, **_systems(chosen, values.measure), settling=True)
    more = [] if effect is None else effect.tables()
    write(progress, values.style, values.output, tables=[*progress.tables(), *more])


def _plan(chosen: Files, values: Values) -> Result:
    """Return how many labels could settle the order of systems, and how long they take."""
    from gainful.cli.option_values import parse_share
    from gainful.judging.sessions.events import Scale
    from gainful.pooling.comparing import plan_settling

    if chosen.qrels is None or len(chosen.runs) < 2:
        raise ParameterError("--plan needs judgments and two or more runs", where="--plan")
    systems = _systems(chosen, values.measure)
    grades = values.scale or _scale(chosen)
    return plan_settling(
        systems["judged"],
        systems["runs"],
        values.measure,
        judges=values.plan,
        pace=values.pace,
        overlap=parse_share(values.overlap),
        scale=None if grades is None else list(Scale.parse(grades).names),
    )


def _loaded(chosen: Files, values: Values) -> str:
    """Add labels from files to a session, and return what was added as a sentence."""
    from gainful.cli.pool import parse_rater_files
    from gainful.judging import Session, read_ratings

    raters = values.raters
    columns = [column.strip() for column in raters.split(",")] if raters else None
    ratings = read_ratings(parse_rater_files(values.load), raters=columns)
    with Session(chosen.session, chosen.pool, scale=values.scale or _scale(chosen)) as opened:
        added, foreign = opened.load(ratings)
    names = ", ".join(rater.name for rater in ratings.raters)
    lacking = f" {foreign:,} are of documents that the session lacks." if foreign else ""
    return f"{chosen.session}: added {added:,} labels of {names}.{lacking}"


def _pool(site: dict[str, Any], chosen: Files, values: Values) -> Any:
    """Return the documents of the session; for adaptive strategies none, since they are added."""
    from gainful.cli.option_values import parse_share
    from gainful.pooling import pool
    from gainful.pooling.result import ADAPTIVE

    share = parse_share(values.overlap)
    if chosen.qrels is None:
        return chosen.pool
    if values.strategy in ADAPTIVE:
        return []
    return pool(site["runs"], **_choices(values), judged=site["judged"] or None, overlap=share)


def _systems(chosen: Files, measure: str) -> dict[str, Any]:
    from gainful.data import Qrels
    from gainful.data.coercion import as_run
    from gainful.measures import parse_measure

    parse_measure(measure)
    return {
        "runs": {name: as_run(path) for name, path in chosen.runs.items()},
        "judged": {} if chosen.qrels is None else Qrels(chosen.qrels).to_dict(),
        "measure": measure,
    }


def _scale(chosen: Files) -> str | None:
    """Return the grades of the judgments for a new session, if there are several."""
    from gainful.data import Qrels

    if chosen.qrels is None or os.path.exists(chosen.session):
        return None
    grades = {
        grade for grades in Qrels(chosen.qrels).to_dict().values() for grade in grades.values()
    }
    return ",".join(f"{grade:g}" for grade in sorted(grades)) if len(grades) > 1 else None


def _site(values: Values) -> dict[str, Any]:
    from gainful.errors import SourceNotFoundError
    from gainful.judging_page.documents import Images, Mode, read_guidelines

    images, guidelines = values.images, values.guidelines
    if images is not None and not os.path.isdir(images):
        raise SourceNotFoundError(f"no such folder: {images}", where="images")
    return {
        "title": values.title,
        "guidelines": "" if guidelines is None else read_guidelines(guidelines),
        "images": Images(images),
        "is_markdown": values.markdown,
        "mode": Mode(values.mode),
    }


#: How SQLite files begin.
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True)
class Files:
    """What the arguments of ``gainful judge`` are.

    Attributes
    ----------
    session : str
        The path of the session.
    pool : str or None
        The path of the pool.
    qrels : str or None
        The path of judgments, if the documents are those of `runs` that they lack.
    runs : dict of str to str
        The paths of runs by name.
    """

    session: str
    pool: str | None = None
    qrels: str | None = None
    runs: dict[str, str] = field(default_factory=dict)


def _choose_files(words: Sequence[str], session: str | None) -> Files:
    """Return what each file is: a session, a pool, or judgments; all further ones are runs."""
    from gainful.cli.reading import parse_runs

    first, runs = words[0], parse_runs(words[1:])
    if _begins_with(first, _MAGIC) or first.endswith(".session"):
        return Files(first, runs=runs)
    if not runs or _is_pool(first):
        return Files(session or f"{_stem(first)}.session", pool=first, runs=runs)
    return Files(session or f"{_stem(first)}.session", qrels=first, runs=runs)


def _stem(path: str) -> str:
    stem = os.path.basename(path).partition(".")[0]
    return os.path.join(os.path.dirname(path), stem or "judging")


def _is_pool(path: str) -> bool:
    """Return whether a file is a pool of Gainful, whose rows have a number of judges."""
    return _begins_with(path, b'{"query_id": ') and b'"judges": ' in _start(path)


def _begins_with(path: str, start: bytes) -> bool:
    return _start(path).startswith(start)


def _start(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(4096)
    except OSError:
        return b""


@dataclass(frozen=True)
class Serving:
    """How a page is served.

    Attributes
    ----------
    host, port
        Where it listens.
    name : str or None
        The name of the only judge. Default: the name of the account.
    users : str or None
        The file of the people of a team.
    certificate, key : str or None
        The files of a TLS certificate and its key.
    insecure : bool
        Whether other computers may reach the page without TLS.
    browser : bool
        Whether to open the page.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    name: str | None = None
    users: str | None = None
    certificate: str | None = None
    key: str | None = None
    insecure: bool = False
    browser: bool = True

    @classmethod
    def of(cls, values: Values) -> Serving:
        """Return how the values of the command say that a page is served."""
        return cls(
            host=values.host,
            port=values.port,
            name=values.name,
            users=values.users,
            certificate=values.tls_cert,
            key=values.tls_key,
            insecure=values.insecure_lan,
            browser=values.browser,
        )

    def check(self) -> None:
        """Refuse to serve a network without names for its people, and without encryption."""
        from gainful.judging_page.server import is_local

        if (self.certificate is None) != (self.key is None):
            raise ParameterError("a certificate needs its key, and a key its certificate")
        if is_local(self.host):
            return
        if self.users is None:
            raise ParameterError(
                "other computers can reach this address, so each person needs a name",
                where="host",
                hint="add --users FILE with one name per line",
            )
        if self.certificate is None and not self.insecure:
            raise ParameterError(
                "other computers can reach this address, and could read all traffic",
                where="host",
                hint="add --tls-cert and --tls-key, or --insecure-lan if you trust everybody in"
                " this network",
            )


def serve(
    session: Session, path: str, site: Mapping[str, Any], serving: Serving, say: Callable[..., None]
) -> None:
    """Serve the page of a session until Ctrl-C."""
    from gainful.judging_page import Access, Role, make_app
    from gainful.judging_page.documents import Site
    from gainful.judging_page.server import PageServer, read_users
    from gainful.packages import load_package

    load_package("starlette", where="the judging page", extra="judge")
    people = {serving.name or _account(): Role.OWNER}
    if serving.users is not None:
        people = read_users(serving.users)
    access = Access(f"{path}.access", people, serving.users)
    server = PageServer(
        serving.host, serving.port, certificate=serving.certificate, key=serving.key
    )
    app = make_app(
        Site(session, **site, stop=server.stop),
        access,
        server.hosts,
        scheme=server.scheme,
        cookie=f"gainful-judge-{server.port}",
    )
    server.run(app, lambda: _greet(session, path, access, server, serving, say))
    if session.end is not None:
        raise session.end
    done, requested = session.requested - session.needed, session.requested
    say(f"\nStopped. {done:,} of {requested:,} labels are in {path}.")


def _greet(
    session: Session,
    path: str,
    access: Any,
    server: Any,
    serving: Serving,
    say: Callable[..., None],
) -> None:
    from gainful.cli.output import on_terminal
    from gainful.judging_page.server import qr_code

    done, requested = session.requested - session.needed, session.requested
    say(f"{path}: {done:,} of {requested:,} labels. Every answer is saved at once.")
    team = serving.users is not None
    for name, (_, browsers) in access.people().items():
        if team and browsers:
            say(f"{name}: has entered with {browsers} browser{'s' * (browsers > 1)}")
            continue
        address = f"{server.address}#{access.issue(name)}"
        say(f"{name}: {address}" if team else f"Open {address}")
        if on_terminal():
            say(qr_code(address))
            if serving.browser and not team:
                import webbrowser

                webbrowser.open(address)
    say("An address works once, in one browser. Ctrl-C stops the page; start it again to go on.")


def _account() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError, ImportError):
        return "judge"
