"""Types of the Rust kernel. Ids are text; invalid UTF-8 is encoded with surrogateescape."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import IO, Any, TypedDict

Kernel = tuple[str, str, dict[str, object]]
Report = Callable[[int, int], object] | None

class Needs:
    """The requirements of a measure, and the features that support it."""

    @property
    def level(self) -> float | None: ...
    @property
    def labels(self) -> bool | None: ...
    @property
    def documents(self) -> bool: ...
    @property
    def preferences(self) -> bool: ...
    @property
    def order(self) -> bool: ...
    @property
    def explained(self) -> bool: ...
    @property
    def bounded(self) -> bool: ...

def needs(measure: Kernel) -> Needs: ...

class Figures:
    """The summary of a measure over the queries that count."""

    @property
    def n(self) -> int: ...
    @property
    def mean(self) -> float: ...
    @property
    def sum(self) -> float: ...
    @property
    def deviation(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def quartile(self) -> float: ...
    @property
    def median(self) -> float: ...
    @property
    def upper_quartile(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def nothing(self) -> int: ...

# Query ids, values, flags, counts, tag, and the first unmatched queries of judgments and run.
State = tuple[list[bytes], bytes, bytes, list[int], bytes, tuple[list[bytes], list[bytes]]]

class Evaluated:
    """The table of one run, one row per query, in byte order of the query ids."""

    def __len__(self) -> int: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def tag(self) -> str: ...
    @property
    def unmatched(self) -> tuple[list[str], list[str]]: ...
    @property
    def unjudged(self) -> list[tuple[str, list[str]]]: ...
    @property
    def scattered(self) -> bool: ...
    @property
    def as_judged(self) -> list[int] | None: ...
    def query_ids(self, stop: int | None = None) -> list[str]: ...
    def column(self, column: int) -> list[float]: ...
    def flags(self, measure: int) -> bytes: ...
    def relevance_strings(self) -> list[str]: ...
    def summary(self, measure: int, weights: Sequence[float] | None = None) -> Figures: ...
    def bounds(self, measure: int) -> tuple[list[float], list[float]]: ...
    def highest_ideal(self, measure: int) -> float | None: ...
    def mean_bounds(
        self, measure: int, weights: Sequence[float] | None = None
    ) -> tuple[float, float]: ...
    @property
    def bounds_grades(self) -> list[float]: ...
    def totals(self, columns: Sequence[int]) -> list[float]: ...
    def no_relevant(self, measure: int) -> int: ...
    def sums(self, columns: Sequence[int], least: float | None = None) -> list[float]: ...
    def positive(self, column: int) -> int: ...
    def completed(
        self, columns: Sequence[tuple[int, Sequence[int], Sequence[float]]]
    ) -> Evaluated: ...
    @property
    def exported(self) -> int: ...
    def state(self) -> State: ...

class Rankings:
    """The rankings of some queries down to a rank, in columns of 64-bit numbers."""

    def __init__(
        self, evaluated: Evaluated, rows: Sequence[int], depth: int | None = None
    ) -> None: ...
    @property
    def has_documents(self) -> bool: ...
    def offsets(self) -> bytes: ...
    def pool_offsets(self) -> bytes: ...
    def grades(self) -> bytes: ...
    def scores(self) -> bytes: ...
    def judged(self) -> bytes: ...
    def pool(self) -> bytes: ...
    def documents(self, query: int | None = None) -> list[str]: ...

def evaluated(
    states: Sequence[State],
    convention: dict[str, object],
    measures: Sequence[Kernel],
    *,
    bounds: tuple[str, list[float]] | None = None,
    scattered: bool = False,
    as_given: bool = False,
) -> Evaluated: ...

# Rows of queries: the name of a column, its kind, its number in the table, the measure it is of.
RowColumn = tuple[str, str, int, int]

def row_texts(
    evaluated: Evaluated,
    columns: Sequence[tuple[str, str, int, int]],
    leads: list[bytes],
    end: bytes,
    *,
    separator: int | None = None,
    integers: bool = False,
    threads: int = 1,
) -> Iterator[bytes]: ...
def query_rows(
    systems: Sequence[tuple[str, Evaluated]],
    made_by: str,
    columns: Sequence[RowColumn],
    *,
    binary: bool = False,
) -> object: ...
def evaluated_rows(
    objects: Iterable[object],
    made_by: str,
    columns: Sequence[RowColumn],
    convention: dict[str, object],
    measures: Sequence[Kernel],
    *,
    bounds: tuple[str, list[float]] | None = None,
) -> list[tuple[str, Evaluated]]: ...

class TopicLines:
    """The lines that trec_eval prints for its topics: the start of each, its form, its values."""

    def __init__(
        self,
        topics: Evaluated | Sequence[bytes],
        lines: Sequence[tuple[bytes, str, int | Sequence[float] | Sequence[bytes]]],
    ) -> None: ...
    def __len__(self) -> int: ...
    def chunk(self, start: int, stop: int) -> bytes: ...

def fixed(numbers: Sequence[float]) -> list[bytes]: ...
def evaluate(
    qrels: Rows | DiskRows,
    run: Rows | Columnar | dict[Any, Any] | Sequence[str | PathLike[str]],
    convention: dict[str, object],
    measures: Sequence[Kernel],
    *,
    threads: int,
    counts: bool = True,
    depth: int | None = None,
    relevance_strings: int | None = None,
    comments: bool = False,
    dialect: str = "gainful",
    memory: int = ...,
    report: Report = None,
    bounds: tuple[str, Sequence[float] | None] | None = None,
    partial: bool = False,
    rankings: bool = False,
    ranked_documents: bool = True,
) -> Evaluated: ...

# The place of a measure, the place of one whose logarithm is taken and the least that it is taken
# of, or a constant.
Column = int | tuple[int, float] | float

class Evaluator:
    """Evaluate runs that are dictionaries against loaded judgments."""

    def __init__(
        self,
        qrels: Rows,
        convention: dict[str, object],
        measures: Sequence[Kernel],
        columns: Sequence[tuple[str, Column]],
        threads: Callable[[], int],
    ) -> None: ...
    def evaluate(self, run: object) -> dict[str, dict[str, float]]: ...

def rows_from_sparse(
    offsets: object,
    columns: object,
    values: object | None,
    rows: object,
    users: list[Any] | None,
    items: list[Any] | None,
) -> Rows: ...

class BlockEvaluator:
    """Evaluate rankings block by block of users."""

    def __init__(
        self,
        qrels: Rows,
        convention: dict[str, object],
        measures: Sequence[Kernel],
        items: list[Any] | None,
        *,
        threads: int,
        depth: int | None = None,
    ) -> None: ...
    def add(self, first: int, offsets: object, columns: object, scores: object) -> None: ...
    def finish(self) -> Evaluated: ...

def unjudged_documents(
    qrels: Rows, run: Rows, convention: dict[str, object], depth: int | None, *, threads: int
) -> list[tuple[str, list[tuple[str, int]]]]: ...
def label_effects(
    qrels: Rows,
    run: Rows,
    convention: dict[str, object],
    kernel: Kernel,
    candidates: Sequence[tuple[str, Sequence[str]]],
    grades: Sequence[float],
    *,
    threads: int,
) -> list[tuple[str, float, tuple[float, float], list[float], list[float]]]: ...
def sample_labels(
    qrels: Rows,
    run: Rows,
    convention: dict[str, object],
    kernels: Sequence[Kernel],
    prior: str | Sequence[tuple[float, float]],
    count: int,
    seed: int,
    *,
    weights: Sequence[float] | None = None,
    threads: int,
    report: Report = None,
) -> list[list[float]]: ...
def explain(
    qrels: Rows,
    run: Rows,
    query: str | bytes | int,
    convention: dict[str, object],
    measure: Kernel,
    *,
    depth: int | None = None,
) -> dict[str, object] | None: ...

class Listing:
    def __init__(self) -> None: ...
    def add(
        self,
        qrels: Rows,
        run: Rows,
        convention: dict[str, object],
        measure: Kernel,
        *,
        depth: int,
        threads: int,
        report: Report = None,
    ) -> None: ...
    @property
    def sums(self) -> bool: ...
    def __len__(self) -> int: ...
    def documents(self, queries: list[int] | None = None) -> list[str]: ...
    # Columns of 64-bit numbers by name, grades and contributions by code, the start of ids.
    def columns(
        self, queries: list[int]
    ) -> tuple[dict[str, bytes], list[float], list[float], str | None]: ...

def explain_list(
    grades: Sequence[float | None],
    convention: dict[str, object],
    measure: Kernel,
    *,
    depth: int | None = None,
) -> dict[str, object]: ...

# Name, kernel and its values; cutoffs, and how unusual each is; rounding within the sums, digits.
Series = tuple[str, str, dict[str, object], list[int | None], list[int], str, int]
# What a query with nothing relevant counts, the value for it; missing queries; rounding and digits;
# mean, median or sum; additional queries of a mean.
Way = tuple[str, float, str, str, int, str, int]
# Policies that differ from the nearest known convention, which that is; numbers of the convention,
# the series, the place of the cutoff in it, and the way; the value.
Member = tuple[int, int, int, int, int, int, float]

class Space(TypedDict):
    conventions: list[dict[str, object]]
    plan_of: list[int]
    series: list[Series]
    ways: list[Way]
    plans: list[tuple[list[int], list[int]]]
    convention_far: list[list[int]]
    series_far: list[list[int]]
    way_far: list[list[int]]
    budget: int

class Target(TypedDict):
    low: float
    high: float
    # The ranges of the numbers of further runs.
    further: list[tuple[float, float]]
    near: list[float]
    per_query: list[tuple[str, float, float]]
    groups: int
    nearest: int

class Found(TypedDict):
    searched: int
    matching: int
    contradicted: int
    groups: int
    around: int
    farthest: int | None
    # The last list counts, for each interval, the distinct values at least as plausible.
    best: list[tuple[Member, list[Member], int, list[int]]]
    nearest: list[Member]
    refused: list[tuple[int, Exception]]
    undefined: list[tuple[int, int, Exception]]

def reconcile_survey(
    qrels: Rows,
    runs: Sequence[Rows],
    conventions: Sequence[dict[str, object]],
    *,
    threads: int,
    report: Report = None,
) -> tuple[int, int, int, list[float], list[int | Exception]]: ...
def reconcile_search(
    qrels: Rows,
    runs: Sequence[Rows],
    space: Space,
    target: Target,
    *,
    threads: int,
    report: Report = None,
) -> Found: ...
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

# --- data ---------------------------------------------------------------------------------------

Id = str | bytes | int

class Rows:
    """Rows of query, document and value, grouped by query. Immutable."""

    def __len__(self) -> int: ...
    def __contains__(self, query: object) -> bool: ...
    @property
    def queries(self) -> int: ...
    @property
    def ungraded(self) -> int: ...
    @property
    def enveloped(self) -> bool: ...
    @property
    def of_features(self) -> bool: ...
    def of_positions(self, run: Rows) -> Rows | None: ...
    def refuse_times(self) -> None: ...
    @property
    def scored(self) -> bool: ...
    @property
    def systems(self) -> str | None: ...
    def by_system(self) -> tuple[list[tuple[str, Rows]], bool]: ...
    @property
    def tag(self) -> str: ...
    @property
    def integers(self) -> bool: ...
    @property
    def labelled(self) -> bool: ...
    def label_names(self) -> list[str]: ...
    def merged(self, sum: bool) -> Rows: ...
    def query_ids(self) -> list[str]: ...
    def grades(self) -> list[float]: ...
    def documents(self, query: Id) -> dict[str, Any] | None: ...
    def ranking(self, query: Id) -> list[tuple[str, float | None]] | None: ...
    def to_dict(self, first: int | None = None) -> dict[str, Any]: ...
    def select(self, queries: Iterable[Id]) -> Rows: ...
    def top(self, k: int) -> Rows: ...
    def run_rows(self) -> list[tuple[object, ...]]: ...
    def head(self, depth: int, order: str) -> Rows: ...
    def columns(
        self, query: Id
    ) -> tuple[list[str], list[float] | None, list[float] | None] | None: ...
    def at_least(self, value: float) -> Rows: ...
    def without(self, others: Rows) -> Rows: ...
    def by_class(
        self, classes: Callable[[str], Id | None], members: str, order: str
    ) -> tuple[Rows, int]: ...
    def rename(
        self, queries: Callable[[str], Id] | None, documents: Callable[[str], Id] | None
    ) -> Rows: ...
    def same(self, other: Rows) -> bool: ...
    def same_chunks(self, other: Rows) -> bool: ...
    def digest(self) -> str: ...
    def state(self) -> tuple[bytes, bool, bool]: ...

class DiskRows:
    """Judgments on disk, with the ids of the queries in memory."""

    def __len__(self) -> int: ...
    @property
    def queries(self) -> int: ...
    @property
    def integers(self) -> bool: ...
    @property
    def labelled(self) -> bool: ...
    def label_names(self) -> list[str]: ...
    def query_ids(self) -> list[str]: ...
    def digest(self) -> str: ...

def rows_from_state(state: bytes, scored: bool, integers: bool) -> Rows: ...
def read(
    paths: Sequence[str | PathLike[str]],
    table: str,
    options: Mapping[str, object],
    *,
    judgments: Rows | None = None,
    report: Report = None,
    query: str | None = None,
    threads: int = 1,
) -> Rows: ...
def read_judged(
    paths: Sequence[str | PathLike[str]],
    options: Mapping[str, object],
    *,
    memory: int,
    threads: int = 1,
    report: Report = None,
) -> Rows | DiskRows: ...
def read_bytes(content: bytes, name: str, table: str, options: Mapping[str, object]) -> Rows: ...

class FormatInfo:
    """The names and capabilities of a file format."""

    names: list[str]
    suffixes: list[str]
    columnar: bool
    reads_qrels: bool
    reads_runs: bool
    writes_qrels: bool
    writes_runs: bool

def row_formats() -> list[FormatInfo]: ...
def detect(path: str | PathLike[str], table: str) -> str: ...
def write(
    rows: Rows,
    table: str,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    tag: str = "gainful",
    report: Report = None,
) -> list[str]: ...

class Decompressed:
    """A decompressing reader of a binary file."""

    def __init__(self, file: IO[bytes], name: str) -> None: ...
    def read(self, size: int, /) -> bytes: ...

def check_size(name: str, expanded: int, compressed: int | None = None) -> None: ...

class Remote:
    def __init__(
        self,
        name: str,
        length: Callable[[], int],
        fetch: Callable[[Sequence[tuple[int, int]]], list[bytes]],
    ) -> None: ...

class IdMap:
    """A map from ids to numbers, for formats that cannot represent the ids."""

    def __init__(self, tables: Sequence[Rows]) -> None: ...
    @staticmethod
    def read(path: str | PathLike[str]) -> IdMap: ...
    def apply(self, rows: Rows) -> Rows: ...
    def write(self, path: str | PathLike[str]) -> None: ...

class RowRules:
    """The policy on duplicates, and what ids and labels mean, which applies before it."""

    def __init__(
        self,
        duplicates: str,
        *,
        query: str | None = None,
        document: str | None = None,
        grades: Sequence[tuple[str, float]] = (),
        ignores_offsets: bool = False,
    ) -> None: ...
    @property
    def ignores_offsets(self) -> bool: ...

def rows_from_mapping(
    mapping: object,
    table: str,
    *,
    duplicates: str | RowRules = "error",
    labelled: bool = False,
) -> Rows: ...
def rows_from_records(
    records: object,
    table: str,
    names: Sequence[str],
    *,
    duplicates: str | RowRules = "error",
) -> Rows: ...
def rows_from_objects(
    records: object,
    table: str,
    named: Sequence[tuple[str, str]],
    *,
    duplicates: str | RowRules = "error",
    labelled: bool = False,
) -> Rows | None: ...
def questions(records: object) -> list[tuple[str | None, str | None]] | None: ...
def has_lists(names: Sequence[str], named: Sequence[tuple[str, str]]) -> bool: ...
def rows_from_columns(
    queries: list[Any],
    documents: list[Any],
    values: list[Any] | None,
    ranks: list[Any] | None,
    table: str,
    *,
    labels: list[Any] | None = None,
    weights: list[Any] | None = None,
    offsets: Sequence[tuple[str, str, list[Any]]] = (),
    duplicates: str | RowRules = "error",
    systems: tuple[str, list[Any]] | None = None,
) -> Rows: ...

class Columnar:
    """An opened columnar table: Parquet or Arrow files, or the stream of a data frame."""

    @property
    def scored(self) -> bool: ...
    @property
    def given(self) -> bool: ...
    @property
    def systems(self) -> bool: ...
    def rows(
        self,
        *,
        threads: int,
        duplicates: str | RowRules = "error",
        report: Report = None,
        partial: bool = False,
        query: str | None = None,
    ) -> Rows: ...
    def judged(
        self,
        *,
        memory: int,
        threads: int,
        duplicates: str | RowRules = "error",
        report: Report = None,
    ) -> Rows | DiskRows: ...

def columns_of_files(
    paths: Sequence[str | PathLike[str]],
    format: str,
    table: str,
    named: Sequence[tuple[str, str]],
    labelled: bool,
    ignores_offsets: bool,
) -> Columnar: ...
def columns_of_stream(
    object: object,
    table: str,
    named: Sequence[tuple[str, str]],
    labelled: bool,
    again: bool,
    ignores_offsets: bool,
) -> Columnar: ...
def column_names(path: str | PathLike[str], format: str) -> list[str]: ...
def find_columns(
    columns: Sequence[tuple[str, object]],
    table: str,
    named: Sequence[tuple[str, str]],
    labelled: bool,
    numbered: bool,
    ignores_offsets: bool,
) -> list[tuple[str, int]]: ...
def are_columns(names: Sequence[str], numbered: bool) -> bool: ...
def are_ids(names: Sequence[str]) -> bool: ...
def parquet_bytes(table: object) -> bytes: ...
def rows_stream(rows: Rows, table: str) -> object: ...
def arrow_stream(names: list[str], columns: Sequence[list[Any]]) -> object: ...

# --- the gamma distribution with scale 1 ---------------------------------------------------------

def lower_gamma(shape: float, x: float) -> float:
    """Return P(X <= x)."""

def gamma_quantile(shape: float, upper: float) -> float:
    """Return the x with P(X > x) = upper."""

# --- resampling: buffers of 64-bit floats in, a number for each resample written into `found` -----

def flip_sums(
    contributions: object, found: object, *, seed: int, threads: int, progress: Report = None
) -> None: ...
def permutation_ranges(
    rows: object, columns: int, found: object, *, seed: int, threads: int, progress: Report = None
) -> None: ...
def bootstrap_means(
    contributions: object,
    shares: object,
    sizes: list[int],
    found: object,
    *,
    seed: int,
    threads: int,
    progress: Report = None,
) -> None: ...

# Tables have one column after another; `pairs`, `counts` and `ranks` are of 64-bit integers. A pair
# has the numbers of two columns.
def step_down_pairs(
    contributions: object,
    columns: int,
    pairs: object,
    scales: object,
    observed: object,
    direct: object,
    maxima: object,
    counts: object,
    *,
    seed: int | None,
    threads: int,
    progress: Report = None,
) -> None: ...
def count_far_pairs(
    contributions: object,
    columns: int,
    pairs: object,
    least: object,
    counts: object,
    *,
    resamples: int,
    seed: int,
    threads: int,
    progress: Report = None,
) -> None: ...
def count_pairs_outside(
    numbers: object,
    columns: int,
    pairs: object,
    bounds: object,
    counts: object,
    *,
    threads: int,
    progress: Report = None,
) -> None: ...
def order_statistics_of_pairs(
    numbers: object,
    columns: int,
    pairs: object,
    ranks: object,
    found: object,
    *,
    threads: int,
    progress: Report = None,
) -> None: ...
def names_of(part: str) -> list[str]: ...
def names_with(names: list[str], part: str) -> list[str]: ...
def plain_name(name: str) -> str: ...
