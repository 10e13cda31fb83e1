"""Convert files between formats."""

from __future__ import annotations

import os

from gainful import _kernel
from gainful.data.coercion import read_qrels, read_run
from gainful.data.columns import EITHER, of_rows
from gainful.data.corpus import read_queries
from gainful.data.inputs import is_read_once
from gainful.data.judgment_lists.queries import known_texts
from gainful.data.layouts import list_format
from gainful.data.paths import as_paths
from gainful.data.qrels import Qrels
from gainful.data.read_options import ReadOptions, column_roles
from gainful.data.run import Run
from gainful.data.table import kernel_rows, table_of_rows
from gainful.errors import Code, FormatError, GainfulError, MatchError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from gainful.data.paths import Path, Paths
    from gainful.data.read_options import ReadKeywords

__all__ = ["convert"]


def convert(
    source: Paths,
    target: Path,
    *,
    kind: str | None = None,
    read_as: str | None = None,
    write_as: str | None = None,
    ids: Path | None = None,
    tag: str | None = None,
    queries: Path | None = None,
    **options: Unpack[ReadKeywords],
) -> Qrels | Run:
    r"""Read judgments or a run and write them in another format.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("mine.qrels").write_text("q1 0 d1 2\n")
    >>> convert("mine.qrels", "mine.json")
    <Qrels 'mine.qrels': 1 query, 1 judgment>
    >>> print(Path("mine.json").read_text(), end="")
    {
    "q1": {"d1": 2}
    }
    """
    read = ReadOptions(format=read_as, **options)
    if read.columns is not None:
        of_runs = {"score", "rank", "results"} & column_roles(read.columns)
        kind = kind or ("run" if of_runs else "qrels")
    table = _read(source, kind, read)
    written = None if write_as is None or of_rows(write_as) else list_format(write_as)
    if written is None and queries is not None:
        raise ParameterError(
            f"the format {write_as} cannot contain query texts"
            if write_as
            else "query texts need the format of a judgment list",
            where="queries",
            hint="formats with texts are quepid, rre and others",
        )
    if ids is not None:
        if written is not None:
            raise ParameterError("judgment lists keep their ids", where="ids", hint="leave it out")
        table = _replace_ids(table, ids)
    if tag is not None and not isinstance(table, Run):
        raise ParameterError("judgments have no name of a system", where="tag", hint="leave it out")
    if isinstance(table, Run):
        table.write(target, write_as, tag=tag)
    elif written is None:
        grouped = None if ids or read.subtopics else _with_groups(source, read)
        try:
            (grouped or table).write(target, write_as)
        except FormatError:
            if grouped is None:
                raise
            # The format has no groups, or cannot contain their names.
            table = table.with_note("Groups of documents are not written in this format.")
            table.write(target, write_as)
    else:
        table.write(target, write_as, queries=_texts(table, source, read_as, queries))
    return table


def _texts(
    qrels: Qrels, source: Paths, read_as: str | None, queries: Path | None
) -> dict[str, str] | None:
    """Return the texts of the queries by id, if known."""
    if queries is not None:
        texts_of_queries = read_queries(queries, list(qrels)).found
        if not texts_of_queries:
            raise MatchError(
                f"no text for any of the {len(qrels):,} judged queries",
                where=os.fspath(queries),
                hint=f"ids have to match those of the judgments "
                f"({', '.join(map(repr, list(qrels)[:3]))})",
            )
        return {id: text.text or text.title for id, text in texts_of_queries.items()}
    if "-" in (as_paths(source) or ()):
        return None  # The standard input can be read only once.
    return known_texts(source, read_as)


def _with_groups(source: Paths, options: ReadOptions) -> Qrels | None:
    """Return judgments with the groups or subtopics of their documents, if columns name them."""
    paths = as_paths(source) or []
    if is_read_once(paths) or any(_kernel.detect(path, "qrels") == "trec" for path in paths):
        return None
    try:
        return read_qrels(source, **options.replace(subtopics=True))
    except GainfulError:
        return None


def _read(source: Paths, kind: str | None, options: ReadOptions) -> Qrels | Run:
    if kind == "qrels":
        return read_qrels(source, **options)
    if kind == "run":
        return read_run(source, **options)
    if kind is not None:
        raise ParameterError(where="kind", found=repr(kind), expected="qrels or run")
    read_as = options.format
    if not of_rows(read_as):
        return read_qrels(source, **options)
    first = source if isinstance(source, (str, os.PathLike)) else next(iter(source))
    name = (as_paths(first) or [""])[0]
    if name.endswith(".lz4"):
        # ranx writes only runs there.
        return read_run(source, **options)
    if name != "-":
        format_name = read_as or ("beir" if os.path.isdir(name) else _kernel.detect(name, "qrels"))
        if format_name in ("beir", "svmlight"):
            return read_qrels(source, **options)
        if format_name == "trec" or _kernel.detect(name, "run") == "trec":
            trec = options.replace(format="trec")
            try:
                return read_qrels(source, **trec)
            except FormatError as error:
                if error.code != Code.LOOKS_LIKE_RUN:
                    raise
            return read_run(source, **trec)
        if read_as is None:
            table = _only_reading(source, options)
            if table is not None:
                return table
    if read_as not in (None, *EITHER):
        # Formats of judgments only; the reader raises an error for unknown ones.
        return read_qrels(source, **options)
    raise ParameterError(
        "the file may contain judgments or a run", where=name, hint="set ⟪kind=qrels⟫ or ⟪kind=run⟫"
    )


def _only_reading(source: Paths, options: ReadOptions) -> Qrels | Run | None:
    """Return what a file contains if it is judgments and no run, or a run and no judgments."""
    tables: list[Qrels | Run] = []
    errors = []
    for read in (read_qrels, read_run):
        try:
            tables.append(read(source, **options))
        except GainfulError as error:
            errors.append(error)
    if not tables:
        raise errors[0]
    return tables[0] if errors else None


def _replace_ids(table: Qrels | Run, ids: Path) -> Qrels | Run:
    if os.path.exists(ids):
        numbers = _kernel.IdMap.read(ids)
    else:
        numbers = _kernel.IdMap([kernel_rows(table)])
        numbers.write(ids)
    rows = numbers.apply(kernel_rows(table))
    replaced = table_of_rows(type(table), rows, name=table.name, source=table.source)
    note = getattr(table, "note", None)
    return replaced.with_note(note) if isinstance(replaced, Qrels) and note else replaced
