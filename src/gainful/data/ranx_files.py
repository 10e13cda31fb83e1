"""Read the LZ4 files of ranx: mappings in CBOR, compressed twice."""

from __future__ import annotations

from io import BytesIO

from gainful.data.decompressed import limit_size, opened
from gainful.errors import FormatError
from gainful.extras import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["read_ranx"]


def read_ranx(path: str) -> dict[Any, Any]:
    """Return the run in a file that ``Run.save`` of ranx wrote with the suffix .lz4.

    Raises
    ------
    SourceError
        For a file that cannot be read, or is larger than the limits of decompression.
    FormatError
        For a file with other content.
    MissingPackageError
        If lz4 or cbor2 is not installed. ranx needs both.
    """
    with opened(path) as (name, stream):
        lz4 = load_package("lz4.frame", where=name, package="lz4")
        cbor2 = load_package("cbor2", where=name)
        content = stream.read()
    size = len(content)
    try:
        for _ in range(2):
            with lz4.open(BytesIO(content)) as inner:
                content = limit_size(inner, size, name).read()
        found = cbor2.loads(content)
    except (RuntimeError, EOFError, cbor2.CBORDecodeError) as error:
        raise FormatError(
            f"not a file of ranx ({error})",
            file=name,
            hint="decompress other files first: `lz4 -d`",
        ) from None
    if not isinstance(found, dict):
        raise FormatError(
            file=name, found=type(found).__name__, expected="a mapping of queries to documents"
        )
    return found
