"""The order of queries: by the bytes of their ids, as in the kernel."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["in_byte_order"]


def in_byte_order(ids: Iterable[str]) -> list[str]:
    r"""Return ids in byte order; bytes that are not UTF-8 are surrogate escapes.

    Examples
    --------
    >>> in_byte_order(["\udcff", "\uffff", "q2", "q10"])
    ['q10', 'q2', '\uffff', '\udcff']
    """
    return sorted(ids, key=lambda identifier: identifier.encode("utf-8", "surrogateescape"))
