"""The typed face of the Rust core. Ids are text; invalid UTF-8 travels by surrogateescape."""

from collections.abc import Callable, Sequence
from os import PathLike

Kernel = tuple[str, str, dict[str, object]]
Report = Callable[[int, int], object] | None

class Evaluated:
    """The table of one run: a row a query, in byte order of the query ids."""

    def __len__(self) -> int: ...
    @property
    def counts(self) -> tuple[int, int, int, int]: ...
    def query_ids(self) -> list[str]: ...
    def column(self, column: int) -> list[float]: ...
    def flags(self, measure: int) -> bytes: ...
    def summary(
        self, measure: int, weights: Sequence[float] | None = None
    ) -> tuple[int, float, float, float, float, float, float, float, float, int]: ...
    def total(self, column: int) -> float: ...
    def positive(self, column: int) -> int: ...

def evaluate(
    qrels: Rows,
    run: Rows | Sequence[str | PathLike[str]],
    convention: dict[str, object],
    measures: Sequence[Kernel],
    *,
    threads: int,
    comments: bool = False,
    memory: int = ...,
    report: Report = None,
) -> Evaluated: ...

def explain(
    qrels: Rows,
    run: Rows,
    query: str | bytes | int,
    convention: dict[str, object],
    measure: Kernel,
    *,
    depth: int | None = None,
) -> dict[str, object] | None: ...
def explain_list(
    grades: Sequence[float | None],
    convention: dict[str, object],
    measure: Kernel,
    *,
    depth: int | None = None,
) -> dict[str, object]: ...

def plain(code: int, grades: object, k: object, /) -> float | None: ...
def formula(
    code: int,
    grades: object,
    scores: object | None,
    ideal: object | None,
    groups: list[int] | tuple[int, ...] | None,
    settings: dict[str, object],
    threads: int,
    raw: bool,
    /,
) -> float | list[float] | bytearray: ...
