"""The options of a search, checked in advance."""

from __future__ import annotations

from typing import NamedTuple

from gainful.errors import ParameterError
from gainful.parameters.searching import BATCH, DEPTH, RATE, RETRIES, TIMEOUT, WORKERS

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

    def checked(self) -> Options:
        """Return valid options, with Python's numbers.

        Raises
        ------
        ParameterError
            For an invalid value.
        """
        numbers: dict[str, Any] = {}
        for parameter in (DEPTH, WORKERS, RETRIES, BATCH, TIMEOUT, RATE):
            number = parameter.check(getattr(self, parameter.python))
            numbers[parameter.python] = None if number is None else parameter.kind(number)
        if self.on_failure not in ("mark", "raise"):
            raise ParameterError(
                where="on_failure", found=repr(self.on_failure), expected="'mark' or 'raise'"
            )
        return self._replace(**numbers)

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
