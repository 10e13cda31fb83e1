"""The options of a search, checked in advance."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from gainful.errors import ArgumentError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Options"]


class Options(NamedTuple):
    """The options of a search; see the parameters of `gainful.search`."""

    k: int
    workers: int
    batch: int | None
    rate: float | None
    retries: int
    timeout: float
    on_failure: str

    def check(self) -> None:
        """Raise for invalid options.

        Raises
        ------
        ArgumentError, ParameterError
            For a wrong type or an invalid value.
        """
        for where, least in (("k", 1), ("workers", 1), ("retries", 0), ("batch", 1)):
            value = getattr(self, where)
            if where == "batch" and value is None:
                continue
            if type(value) is not int or value < least:
                raise ParameterError(
                    where=where, found=repr(value), expected=f"a whole number of {least} or more"
                )
            if value >= 1 << 63:
                raise ParameterError(
                    where=where, found=f"{value:.0e}", expected="a number below 2^63"
                )
        _check_positive("timeout", self.timeout)
        if self.rate is not None:
            _check_positive("rate", self.rate)
        if self.on_failure not in ("mark", "raise"):
            raise ParameterError(
                where="on_failure", found=repr(self.on_failure), expected="'mark' or 'raise'"
            )

    def batch_for(self, name: str, most: int) -> int:
        """Return the number of queries per call.

        Raises
        ------
        ParameterError
            If it is more than the system accepts.
        """
        if self.batch is not None and self.batch > most:
            raise ParameterError(
                f"found {self.batch}, but {name} accepts at most {most} per call", where="batch"
            )
        return self.batch or most


def _check_positive(where: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError(where=where, found=repr(value), expected="a number")
    if not (isfinite(value) and value > 0):
        raise ParameterError(where=where, found=repr(value), expected="a number above 0")
