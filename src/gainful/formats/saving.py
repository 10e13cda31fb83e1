"""Write a result to a file in the format that the file's name ends with."""

from __future__ import annotations

from io import BytesIO
from os import fspath
from os.path import splitext

from gainful.errors import ParameterError
from gainful.extras import load_package
from gainful.formats.delimited import WRITERS
from gainful.formats.json import text
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from gainful.results import Result

__all__ = ["SUFFIXES", "save"]

_PAGE = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{}</title>\n{}\n</html>\n'
)


def save(result: Result, path: str | PathLike[str], records: str | None) -> None:
    """Do what `gainful.results.Result.save` does."""
    name = fspath(path)
    writer = _WRITERS.get(splitext(name)[1].lower())
    if writer is None:
        raise ParameterError(
            where="save", found=repr(name), expected=f"a name that ends in {', '.join(SUFFIXES)}"
        )
    write_whole(name, writer(result, records))


def _delimited(style: str) -> Callable[[Result, str | None], Iterable[bytes]]:
    def write(result: Result, records: str | None) -> Iterable[bytes]:
        columns = result.records(records)
        rows = list(zip(*columns.values(), strict=True))
        return _encoded(WRITERS[style](list(columns), rows))

    return write


def _parquet(result: Result, records: str | None) -> Iterable[bytes]:
    into = BytesIO()
    load_package("pyarrow.parquet").write_table(result.to_arrow(records), into)
    return [into.getvalue()]


def _json(result: Result, records: str | None) -> Iterable[bytes]:
    return _encoded([text(result.to_dict(), indent=2)])


def _page(result: Result, records: str | None) -> Iterable[bytes]:
    from html import escape

    return _encoded([_PAGE.format(escape(type(result).__name__), result.to_html())])


def _encoded(chunks: Iterable[str]) -> Iterable[bytes]:
    return (chunk.encode("utf-8", "surrogateescape") for chunk in chunks)


_WRITERS: dict[str, Callable[[Result, str | None], Iterable[bytes]]] = {
    ".csv": _delimited("csv"),
    ".tsv": _delimited("tsv"),
    ".parquet": _parquet,
    ".json": _json,
    ".md": lambda result, records: _encoded([result.to_markdown()]),
    ".tex": lambda result, records: _encoded([result.to_latex()]),
    ".html": _page,
    ".txt": lambda result, records: _encoded([f"{result}\n"]),
}

#: What the names of files may end with.
SUFFIXES = tuple(_WRITERS)
