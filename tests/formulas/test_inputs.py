"""Inputs with numbers: sequences, buffers, arrays, groups."""

from __future__ import annotations

import array
import subprocess
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import gainful
from requirements import need

GRADES = [3, 2, 3, 0, 1]
VALUE = 0.9723642841729143


class OnlyArray:
    """What a tensor on the CPU looks like to us."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


class OnlyInterface:
    """An object with nothing but the array interface."""

    def __init__(self, values: Any) -> None:
        self.held = np.asarray(values)
        self.__array_interface__ = self.held.__array_interface__


class Sequence:
    """A sequence of a class of its own."""

    def __len__(self) -> int:
        return len(GRADES)

    def __getitem__(self, index: int) -> int:
        return GRADES[index]


def read_only() -> Any:
    values = np.array(GRADES, dtype=float)
    values.flags.writeable = False
    return values


def unaligned() -> Any:
    table = np.zeros(5, dtype=[("flag", "i1"), ("grade", "f8")])
    table["grade"] = GRADES
    assert not table["grade"].flags.aligned
    return table["grade"]


ONE: dict[str, Callable[[], Any]] = {
    "list": lambda: GRADES,
    "floats": lambda: [float(grade) for grade in GRADES],
    "tuple": lambda: tuple(GRADES),
    "mixed": lambda: [3, 2.0, Fraction(3), Decimal(0), np.int8(1)],
    "sequence": Sequence,
    "array.array": lambda: array.array("b", GRADES),
    "memoryview": lambda: memoryview(array.array("d", GRADES)),
    "reversed memoryview": lambda: memoryview(array.array("q", GRADES[::-1]))[::-1],
    "object array": lambda: np.array(GRADES, dtype=object),
    "big-endian": lambda: np.array(GRADES, dtype=">f4"),
    "half": lambda: np.array(GRADES, dtype=np.float16),
    "strided": lambda: np.repeat(np.array(GRADES), 3)[::3],
    "reversed": lambda: np.array(GRADES[::-1])[::-1],
    "read-only": read_only,
    "unaligned": unaligned,
    "unmasked": lambda: np.ma.masked_array(GRADES, mask=[False] * 5),
    "__array__": lambda: OnlyArray(GRADES),
    "__array_interface__": lambda: OnlyInterface(GRADES),
} | {
    code: (lambda code=code: np.array(GRADES, dtype=code))  # type: ignore[misc]
    for code in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
}


@pytest.mark.parametrize("kind", ONE)
def test_one_list_of_any_kind(kind: str) -> None:
    values = ONE[kind]()
    found = gainful.ndcg(values)
    assert type(found) is float
    assert found == VALUE
    # As scores they put the grades 0 to 4 in the same order whatever their type.
    expected = gainful.ndcg([0, 1, 2, 3, 4], scores=GRADES)
    assert gainful.ndcg([0, 1, 2, 3, 4], scores=values) == expected


@pytest.mark.parametrize("truth", [[True, False, True], np.array([True, False, True])], ids=type)
def test_truth_values_are_binary_grades(truth: Any) -> None:
    assert gainful.ndcg(truth) == gainful.ndcg([1, 0, 1])


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_columns(name: str) -> None:
    library = need(name)
    make = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}[name]
    column = getattr(library, make)(GRADES)
    assert gainful.ndcg(column) == VALUE
    assert isinstance(gainful.ndcg(column, groups=[2, 3]), np.ndarray)


MATRIX = [[3, 0, 2, 1], [0, 1, 0, 0], [2, 2, 2, 2]]


@pytest.mark.parametrize(
    "rows",
    [
        MATRIX,
        tuple(map(tuple, MATRIX)),
        [np.array(row) for row in MATRIX],
        [array.array("f", MATRIX[0]), MATRIX[1], tuple(MATRIX[2])],
        memoryview(np.array(MATRIX, dtype=np.int16)),
    ],
    ids=["lists", "tuples", "arrays", "mixed", "memoryview"],
)
def test_rows_give_a_list(rows: Any) -> None:
    found = gainful.ndcg(rows, k=2)
    assert found == [gainful.ndcg(row, k=2) for row in MATRIX]


@pytest.mark.parametrize(
    "array_",
    [
        np.array(MATRIX),
        np.asfortranarray(np.array(MATRIX, dtype=float)),
        np.repeat(np.array(MATRIX, dtype=np.uint8), 2, axis=1)[:, ::2],
        np.array(MATRIX[::-1])[::-1],
        OnlyArray(MATRIX),
    ],
    ids=["plain", "fortran", "every second", "upside down", "__array__"],
)
def test_arrays_give_an_array(array_: Any) -> None:
    found = gainful.ndcg(array_, k=2)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.float64
    assert found.tolist() == gainful.ndcg(MATRIX, k=2)
    found[0] = 7.0  # the caller's own


def test_rows_may_differ_in_length_and_a_matrix_may_have_none() -> None:
    assert gainful.cg([[1], [1, 2], [1, 2, 3]]) == [1, 3, 6]
    assert gainful.ndcg([[1, 2], [3]], scores=[[1, 2], [5]]) == [1, 1]
    assert gainful.ndcg(np.zeros((0, 5))).shape == (0,)


def test_broadcast_rows_are_read_where_they_lie() -> None:
    """A stride of zero repeats a row; nothing is copied to make it a real one."""
    row = np.array([1.0, 0, 2])
    assert gainful.ndcg(np.broadcast_to(row, (3, 3))).tolist() == [gainful.ndcg([1, 0, 2])] * 3


def test_ideals_for_rows() -> None:
    found = gainful.ndcg([[3, 0], [1, 1]], ideal=[[3, 2, 1], [1, 1]])
    assert found == [gainful.ndcg([3, 0], ideal=[3, 2, 1]), 1.0]
    ideal = np.array([[3, 2], [1, 1]])
    assert gainful.ndcg(np.array([[3, 0], [1, 1]]), ideal=ideal).tolist() == [
        gainful.ndcg([3, 0], ideal=[3, 2]),
        1.0,
    ]


@pytest.mark.parametrize(
    "sizes", [[2, 3], (2, 3), np.array([2, 3])], ids=["list", "tuple", "array"]
)
def test_groups(sizes: Any) -> None:
    labels, scores = [1, 0, 0, 2, 1], [0.1, 0.2, 0.3, 0.3, 0.9]
    expected = [
        gainful.ndcg(labels[:2], scores=scores[:2]),
        gainful.ndcg(labels[2:], scores=scores[2:]),
    ]
    assert gainful.ndcg(labels, scores=scores, groups=sizes) == expected
    found = gainful.ndcg(np.array(labels), scores=np.array(scores, dtype="f4"), groups=sizes)
    assert isinstance(found, np.ndarray)
    # 0.3 twice is a tie in single precision as in double.
    assert found.tolist() == expected
    assert gainful.cg(labels, groups=sizes) == [1, 3]
    assert gainful.ndcg(labels, groups=sizes, ideal=[[1, 1], [2, 2, 1]])[0] < 1


def test_lists_without_numpy_do_not_import_it() -> None:
    source = sys.modules["gainful"].__path__[0]
    program = (
        f"import sys, array; sys.path.insert(0, {source!r} + '/..'); import gainful;"
        "gainful.ndcg([1, 2]); gainful.ndcg([[1, 2]], scores=[[1, 1]]);"
        "gainful.dcg(array.array('d', [1, 2]), gain='exponential');"
        "print('numpy' in sys.modules, 'typing' in sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def large() -> tuple[Any, Any]:
    generator = np.random.default_rng(5)
    return generator.integers(0, 4, (900, 200)), generator.integers(0, 50, (900, 200)) / 7


def test_threads_change_nothing() -> None:
    labels, scores = large()
    alone = gainful.ndcg(labels, scores=scores, k=10, threads=1)
    for threads in (2, 5, None):
        found = gainful.ndcg(labels, scores=scores, k=10, threads=threads)
        assert found.tobytes() == alone.tobytes()
    assert alone[37] == gainful.ndcg(labels[37].tolist(), scores=scores[37].tolist(), k=10)


def test_an_array_written_to_meanwhile_is_no_danger() -> None:
    """Each row is copied before anything is concluded from it."""
    labels, _ = large()
    labels = labels.astype(float)
    scores = np.zeros(labels.shape)
    stop = threading.Event()

    def scribble() -> None:
        value = 0.0
        while not stop.is_set():
            scores[:, ::3] = value = value + 1

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        for _ in range(20):
            found = gainful.ndcg(labels, scores=scores, k=10, threads=2)
            assert ((found >= 0) & (found <= 1)).all()
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize("groups", [[1] * 5, (1,) * 5, np.ones(5, dtype=int)])
def test_sizes_of_1_that_could_be_ids(groups: object) -> None:
    grades, scores = [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]
    with pytest.warns(UserWarning, match=r"5 queries of one item.*queries=") as warned:
        values = gainful.ndcg(grades, scores=scores, groups=groups)
    assert list(values) == [1.0] * 5
    assert warned[0].filename == __file__
    assert list(gainful.ndcg(grades, scores=scores, groups=[5])) == pytest.approx([0.7222434])


@pytest.mark.parametrize("convert", [list, tuple, np.array, lambda ids: iter(ids)])
@pytest.mark.parametrize("function", [gainful.cg, gainful.dcg, gainful.idcg, gainful.ndcg])
def test_queries_are_ids_in_any_order(
    function: Callable[..., Any], convert: Callable[[list[str]], Any]
) -> None:
    expected = function([[3, 0, 1], [2, 3]], k=2)
    found = function([3, 2, 0, 3, 1], k=2, queries=convert(["b", "a", "b", "a", "b"]))
    assert found == expected


@pytest.mark.parametrize("as_array", [list, np.array])
def test_scores_are_those_of_the_queries(as_array: Callable[[list[float]], Any]) -> None:
    grades, scores = as_array([1, 2, 3, 4, 5]), as_array([5, 4, 3, 2, 1])
    found = gainful.ndcg(grades, scores=scores, queries=[1, 1, 1, 1, 1])
    assert list(found) == pytest.approx([0.7222434])
    assert isinstance(found, np.ndarray) == (as_array is np.array)
    ids = [7, 8, 7, 8, 7]
    parts = [gainful.ndcg([1, 3, 5], scores=[5, 3, 1]), gainful.ndcg([2, 4], scores=[4, 2])]
    assert list(gainful.ndcg(grades, scores=scores, queries=ids)) == parts


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([1], "found 1 ids, expected 3"),
        ("abc", "expected a list with the query of each grade"),
        ([[1], [2], [3]], "found list, expected ids"),
    ],
)
def test_other_queries_are_refused(queries: Any, message: str) -> None:
    with pytest.raises(gainful.GainfulError, match=message):
        gainful.ndcg([1, 0, 2], queries=queries)
    with pytest.raises(gainful.GainfulError, match="groups= and queries="):
        gainful.ndcg([1, 0, 2], queries=queries, groups=[3])
