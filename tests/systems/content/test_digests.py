"""Digests of Python objects: equal for equal content in any process, different for different."""

from __future__ import annotations

import functools
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from decimal import Decimal
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from gainful.systems.content import Digester, IncomparableError
from requirements import need


def digest(value):
    return Digester().digest(value)


def closure(value):
    def find(text, k):
        return value[:k]

    return find


class Plain:
    def __init__(self, value):
        self.value = value
        self.me = self
        self.lock = threading.Lock()


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Listed(list):
    pass


class Model:
    """What states its content, and has an attribute that nobody can digest."""

    def __init__(self, value):
        self.cells = {"weight": value}
        self.feed = (each for each in "ab")

    def state_dict(self):
        return self.cells


class Color(Enum):
    RED = 1
    BLUE = 3


Point = namedtuple("Point", "x")


def namespace_array(value):
    return need("array_api_strict").asarray(value)


def sparse_matrix(value):
    need("scikit-learn")
    from scipy.sparse import csr_matrix

    return csr_matrix(np.array([value]))


def fitted(value):
    need("scikit-learn")
    from sklearn.linear_model import LinearRegression

    return LinearRegression().fit(np.array([[1.0], [2.0]]), value)


#: From [1, 2] or [3, 4] to something with that content.
MAKERS = {
    "array": np.array,
    "array of objects": lambda v: np.array([str(v), None], dtype=object),
    "reversed array": lambda v: np.array(v)[::-1],
    "broadcast array": lambda v: np.broadcast_to(np.array(v), (3, 2)),
    "masked array": lambda v: np.ma.array([1, 2], mask=[v[0] == 1, False]),
    "structured array": lambda v: np.array([(v[0], "a", 1)], dtype="i1,U2,i8"),
    "number": lambda v: np.float32(v[0]),
    "generator of numbers": lambda v: np.random.default_rng(v[0]),
    "array API": namespace_array,
    "pandas": lambda v: need("pandas").DataFrame({"a": v}),
    "pandas of anything": lambda v: need("pandas").DataFrame({"a": ["x", tuple(v)]}),
    "series by index": lambda v: need("pandas").Series([1, 2], index=v),
    "categories": lambda v: need("pandas").Series(need("pandas").Categorical(v)),
    "Polars": lambda v: need("polars").DataFrame({"a": [None, *v]}),
    "Polars column": lambda v: need("polars").Series(v),
    "PyArrow": lambda v: need("pyarrow").table({"a": v}),
    "batch": lambda v: need("pyarrow").record_batch({"a": v}),
    "PyArrow column": lambda v: need("pyarrow").chunked_array([v]),
    "DuckDB": lambda v: need("duckdb").sql(f"select {v[0]} as a"),
    "sparse": lambda v: sparse_matrix(v),
    "fitted": fitted,
    "closure": closure,
    "closure of an array": lambda v: closure(np.array(v)),
    "default": lambda v: lambda text, k, ids=v: ids,
    "code": lambda v: eval(f"lambda text, k: {v[0]}"),
    "partial": lambda v: functools.partial(closure([1]), v),
    "cached": lambda v: functools.lru_cache(closure(v)),
    "method": lambda v: Plain(v).__init__,
    "builtin method": lambda v: {"a": v}.pop,
    "object": Plain,
    "slots": Slotted,
    "model": lambda v: Model(np.array(v)),
    "subclass": Listed,
    "named tuple": lambda v: Point(v),
    "deque": deque,
    "ordered": OrderedDict.fromkeys,
    "counter": Counter,
    "default factory": lambda v: defaultdict(closure(v)),
    "set": lambda v: {frozenset(map(str, v)), "x", "y"},
    "decimal": lambda v: Decimal(v[0]),
    "path": lambda v: pathlib.Path(str(v)),
    "pattern": lambda v: re.compile(str(v)),
    "enum": lambda v: Color(v[0]),
    "namespace": lambda v: types.SimpleNamespace(a=v),
    "bytes": lambda v: [bytes(v), bytearray(v), memoryview(bytes(v))],
    "shared": lambda v: [Plain(v)] * 2,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_content_alone_counts(kind):
    make = MAKERS[kind]
    assert digest(make([1, 2])) == digest(make([1, 2])) != digest(make([3, 4]))


def test_digests_are_the_same_in_another_process():
    code = (
        "from test_digests import MAKERS, digest\n"
        f"print([digest(MAKERS[name]([1, 2])) for name in {list(MAKERS)!r}])"
    )
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    reason = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(reason) == 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, True),
        (1, 1.0),
        ("1", 1),
        (b"1", "1"),
        ([1], (1,)),
        ({1: 2}, {"1": 2}),
        ({1: 2, 3: 4}, {3: 4, 1: 2}),
        (["a", "bc"], ["ab", "c"]),
        ([["a"], "b"], [["a", "b"]]),
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(4), np.zeros(4, dtype="i8")),
        (0.0, -0.0),
    ],
)
def test_what_only_looks_alike(one, two):
    assert digest(one) != digest(two)


def test_a_file_counts_with_its_state(tmp_path):
    path = tmp_path / "index"
    before = digest(path)
    path.write_text("one")
    first = digest(path)
    path.write_text("other")
    assert len({before, first, digest(path)}) == 3


def test_globals_that_code_names():
    def made(ids, **more):
        names = {"IDS": ids, "other": len, **more}
        exec("def helper(): return IDS\ndef find(text, k): return helper()", names)
        return digest(names["find"])

    assert made([1, 2]) == made([1, 2], unused=3) != made([3, 4])


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: sqlite3.connect(":memory:"), "a sqlite3.Connection"),
        (lambda: {"feed": open(os.devnull)}, "TextIOWrapper at ['feed']"),  # noqa: SIM115
        (lambda: Plain([(x for x in "a")]), "a generator at .value[0]"),
        (lambda: need("polars").LazyFrame({"a": [1]}), "a polars.lazyframe.frame.LazyFrame"),
        (lambda: need("pyarrow").table({"a": [1]}).to_reader(), "RecordBatchReader"),
        (lambda: functools.reduce(lambda inner, _: [inner], range(100_000), []), "a list"),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_cannot_be_compared(make, reason):
    with pytest.raises(IncomparableError) as caught:
        digest(make())
    assert reason in str(caught.value)


def test_somebody_vouches_for_code_but_not_for_data():
    def vouched(value):
        return Digester(vouched=True).digest(value)

    assert vouched(Plain(1)) == vouched(Plain(2)) != vouched(Slotted(1))
    assert vouched(closure([1])) == vouched(closure([2]))
    assert vouched(sqlite3.connect(":memory:"))
    assert vouched(np.array([1])) != vouched(np.array([2]))
