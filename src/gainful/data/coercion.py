"""Convert paths, mappings, data frames and records to `Qrels` and `Run`."""

from __future__ import annotations

from gainful.data.inputs import open_source, path_name, rows_of, with_documents
from gainful.data.qrels import Qrels
from gainful.data.read_options import ReadOptions
from gainful.data.run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful import _kernel
    from gainful.data.disk_judgments import DiskQrels
    from gainful.data.inputs import Progress, QrelsLike, RunLike

__all__ = ["as_qrels", "as_run", "keeping_duplicates", "one_ranking", "run_input", "run_name"]


def as_qrels(obj: QrelsLike, **options: Any) -> Qrels:
    """Return judgments as `Qrels`.

    Parameters
    ----------
    obj
        As for `Qrels`; `Qrels` themselves are returned unchanged.
    **options
        The keyword arguments of `Qrels`.
    """
    return obj if isinstance(obj, Qrels) else Qrels(obj, **options)


def as_run(obj: RunLike, **options: Any) -> Run:
    """Return a ranking as a `Run`.

    Parameters
    ----------
    obj
        As for `Run`; a `Run` itself is returned unchanged.
    **options
        The keyword arguments of `Run`.
    """
    return obj if isinstance(obj, Run) else Run(obj, **options)


def one_ranking(
    obj: RunLike,
    query: str,
    options: ReadOptions | None = None,
    *,
    judgments: Qrels | DiskQrels | None = None,
) -> Run:
    """Return the ranking of one query as a `Run`, which is empty if the query has none.

    Files and Arrow streams are read as a whole and each row is validated, but only the rows of the
    query are kept. A `Run` is returned unchanged. Duplicate documents are kept.

    Parameters
    ----------
    obj
        As for `Run`.
    query : str
        The id of the query.
    options, judgments
        As for `run_input`.
    """
    if isinstance(obj, Run):
        return obj
    options = keeping_duplicates(options or ReadOptions())
    rows, source = rows_of(obj, "run", options, judgments=judgments, query=query)
    return Run._of(rows, name=path_name(obj), source=source)


def run_input(
    obj: RunLike,
    options: ReadOptions | None = None,
    *,
    judgments: Qrels | DiskQrels | None = None,
    extra: str = "ignore",
    order: str = "score",
    threads: int | None = None,
    progress: Progress = None,
) -> _kernel.Rows | _kernel.Columnar | list[str]:
    """Return the input of the kernel's `evaluate`: rows, a table in columns, or TREC paths.

    The kernel evaluates tables in columns and TREC files while reading them, so their rows are
    never all in memory. Duplicate documents are kept: the convention of the evaluation decides.

    Parameters
    ----------
    obj
        As for `Run`.
    options : ReadOptions, optional
        Options of reading.
    judgments : Qrels, optional
        For a file of scores only: the judgments whose rows they belong to.
    extra : str
        The policy of the convention. If queries without judgments count, all rows are read into
        memory.
    order : str
        The policy of the convention. If ranks are the order, scores need not be numbers.
    threads : int, optional
        As in `gainful.threads.thread_count`.
    progress : callable, optional
        Called with (bytes done, bytes in total) while files are read.
    """
    if isinstance(obj, Run):
        return with_documents(obj._rows, judgments)
    options = options or ReadOptions()
    source = None
    # The rows of a stream are as they are read, and the convention handles duplicates.
    if extra != "no-relevant" and options.rules in ("error", "count"):
        source = open_source(obj, "run", options)
        paths, format, columnar = source
        if format == "trec" and not options.replace(format=None):
            return paths or []
        if columnar is not None and not (columnar.given or columnar.systems):
            return columnar
    rows, _ = rows_of(
        obj,
        "run",
        keeping_duplicates(options),
        source=source,
        judgments=judgments,
        threads=threads,
        progress=progress,
        by_rank=order == "rank",
    )
    return rows


def keeping_duplicates(options: ReadOptions) -> ReadOptions:
    """Return options that keep duplicates for the convention, unless they handle them."""
    return options.replace(duplicates="count") if options.duplicates == "error" else options


def run_name(obj: object, default: str | None = "run") -> str | None:
    """Return the name of a run: its own, the stem of its file, or the default.

    Examples
    --------
    >>> run_name("runs/bm25.run.gz"), run_name({"q1": ["d1"]})
    ('bm25', 'run')
    """
    if isinstance(obj, Run):
        return obj.name or default
    return path_name(obj) or default
