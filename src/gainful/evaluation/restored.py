"""Restore evaluations from rows of queries."""

from __future__ import annotations

from gainful import _kernel
from gainful.data.columns import expand_paths
from gainful.data.inputs import add_location
from gainful.data.paths import as_paths
from gainful.data.table import kernel_rows
from gainful.errors import (
    ArgumentError,
    Code,
    GainfulError,
    MatchError,
    SourceError,
    SourceNotFoundError,
)
from gainful.evaluation.arguments import check_weights
from gainful.evaluation.judgments import judgments_for
from gainful.evaluation.partition.call import evaluate_systems
from gainful.evaluation.query_rows import RowForm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gainful.conventions import Convention
    from gainful.data.inputs import ArrowStream, QrelsLike
    from gainful.data.paths import Paths
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = ["from_rows"]


def from_rows(
    kind: type[Evaluation],
    rows: Paths | ArrowStream | Iterable[ArrowStream],
    measures: Measure | str | Iterable[Measure | str] | None,
    *,
    convention: Convention | str,
    weights: Mapping[str, float] | None,
    bounds: bool | str,
    scale: Iterable[float] | None,
    qrels: QrelsLike | None,
) -> Evaluation:
    """Implement `Evaluation.from_rows`."""
    form = RowForm(measures, convention, bounds, scale)
    judgments = None
    if qrels is not None:
        judgments = judgments_for(form.measures, qrels, duplicates=form.convention.duplicates)
    try:
        tables = dict(
            _kernel.evaluated_rows(
                _streams(rows),
                form.made_by,
                form.columns,
                form.convention.spec(),
                form.kernels,
                bounds=form.bounds,
            )
        )
    except GainfulError as error:
        raise _row_error(error, add_location) from None
    if not tables:
        raise MatchError(where="rows", found="no rows")
    if judgments is not None:
        tables = {
            system: _add_missing_queries(form, table, kernel_rows(judgments))
            for system, table in tables.items()
        }
    for system, table in tables.items():
        judged, _, missing, extra = table.counts[:4]
        if judged == missing:
            raise MatchError(
                where="rows" if len(tables) == 1 else f"rows of {system}",
                found=f"no query in common: {judged} in the judgments, {extra} in the run",
                hint="check that both are of the same collection and use the same ids",
            )
    query_weights = None if weights is None else check_weights(weights)
    scope = form.bounds[0] if form.bounds else None
    return kind(tables, form.measures, form.convention, query_weights, judgments, bounds=scope)


def _add_missing_queries(
    form: RowForm, table: _kernel.Evaluated, judgments: _kernel.Rows
) -> _kernel.Evaluated:
    """Add the judged queries that have no row to a table."""
    known = set(table.query_ids())
    judged = judgments.query_ids()
    absent = [query for query in judged if query not in known]
    if len(known) + len(absent) > len(judged):
        raise MatchError(
            where="rows",
            query=min(known.difference(judged)),
            found="rows of a query without judgments",
            expected="the judgments of these rows",
        )
    if not absent:
        return table
    ids, values, flags, (_, evaluated, _, *rest), tag, (_, extra) = table.state()
    if form.convention.missing == "skip":
        counts = [len(judged), evaluated, len(absent), *rest]
        missing = [query.encode(errors="surrogateescape") for query in sorted(absent)[:100]]
        return form.table([(ids, values, flags, counts, tag, (missing, extra))])
    added = evaluate_systems(form, judgments.select(absent), {"": None})[""]
    return form.table([table.state(), added.state()])


def _streams(rows: object) -> Iterator[object]:
    """Yield the Arrow streams of objects one after the other."""
    paths = as_paths(rows)
    if paths is not None:
        for path in expand_paths(paths, "run"):
            yield _read_parquet(path)
    elif hasattr(rows, "__arrow_c_stream__"):
        yield rows
    elif hasattr(rows, "__iter__") and not isinstance(rows, (bytes, dict)):
        for part in rows:
            if not hasattr(part, "__arrow_c_stream__"):
                raise _no_stream(part)
            yield part
    else:
        raise _no_stream(rows)


def _read_parquet(path: str) -> object:
    """Return the rows of a Parquet file, read in parts."""
    try:
        from pyarrow import ArrowException, RecordBatchReader
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError:
        raise ArgumentError(
            found="paths without pyarrow",
            expected="pyarrow",
            hint="pip install pyarrow, or pass a data frame",
        ) from None
    remote = getattr(path, "open", None)
    try:
        file = ParquetFile(path if remote is None else remote())
        return RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
    except GainfulError:
        raise
    except FileNotFoundError:
        raise SourceNotFoundError(where=path, found="no such file") from None
    except (OSError, ArrowException) as error:
        raise SourceError(where=path, found=f"cannot read the file as Parquet ({error})") from None


def _no_stream(obj: object) -> ArgumentError:
    return ArgumentError(
        found=type(obj).__name__,
        expected="a data frame or another object with an Arrow stream, several of them, or a path",
    )


def _row_error(error: GainfulError, add_location: object) -> GainfulError:
    if isinstance(error, MatchError) and error.query is not None:
        split = error.code == Code.QUERY_SPLIT
        return error.replace(
            where="rows",
            found=error.found if split else "its ranking is in two parts",
            expected=None,
            hint="ids of two types are shuffled differently"
            if split
            else "check that no part was added twice, and that parts share no queries",
        )
    return add_location(error, "rows")  # type: ignore[operator, no-any-return]
