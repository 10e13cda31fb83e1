"""Arrow columns of every type, in any number of batches, sliced or not."""

from __future__ import annotations

import decimal
import itertools
from typing import Any

import pytest

import gainful
from gainful.errors import ColumnError, FormatError
from repeated_tests import for_each
from requirements import need

pa = need("pyarrow")

TEXT = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
LONG = "an id of more than twelve bytes, é"


def table(query: Any, document: Any, value: Any, name: str = "score") -> Any:
    return pa.table({"query_id": query, "doc_id": document, name: value})


def column(values: list[Any], kind: str) -> Any:
    made = pa.array(values)
    return made.cast(getattr(pa, kind)())


@for_each(
    ("kind", "dictionary"),
    # pyarrow makes no dictionary of views.
    [*[(kind, False) for kind in TEXT], *[(kind, True) for kind in TEXT if "view" not in kind]],
)
def test_ids_of_text_and_bytes(kind: str, dictionary: bool) -> None:
    queries = column(["q1", "q1", LONG, "q1"], kind)
    documents = column(["d1", LONG, "", "Ω"], kind)
    if dictionary:
        queries, documents = queries.dictionary_encode(), documents.dictionary_encode()
    run = gainful.Run(table(queries, documents, [1.0, 2.0, 3.0, 4.0]))
    assert run.to_dict() == {"q1": {"d1": 1.0, LONG: 2.0, "Ω": 4.0}, LONG: {"": 3.0}}


@for_each("kind", INTEGERS)
@for_each("dictionary", [False, True])
def test_an_integer_id_is_its_decimal_text(kind: str, dictionary: bool) -> None:
    kind_of = getattr(pa, kind)()
    bits = kind_of.bit_width
    highest = 2 ** (bits - 1) - 1 if pa.types.is_signed_integer(kind_of) else 2**bits - 1
    lowest = -highest - 1 if pa.types.is_signed_integer(kind_of) else 0
    ids = [0, 7, 10, highest, lowest if lowest else 99, 100]
    made = pa.array(ids, kind_of)
    if dictionary:
        made = made.dictionary_encode()
    run = gainful.Run(table(made, made, [float(n) for n in range(6)]))
    assert run.to_dict() == {str(n): {str(n): float(at)} for at, n in enumerate(ids)}


def test_integer_ids_match_text_ids() -> None:
    run = table(pa.array([1, 1], pa.int32()), pa.array([9, 10], pa.uint64()), [1.0, 1.0])
    result = gainful.evaluate({"1": {"9": 1}}, run, "RR")
    # The tie is ordered by the bytes of the ids, descending: '9' before '10'.
    assert result.mean() == 1.0


@for_each("kind", FLOATS + INTEGERS)
def test_scores_of_every_width(kind: str) -> None:
    values = column([1, 2, 100], kind)
    assert gainful.Run(table(["q"] * 3, ["a", "b", "c"], values)).to_dict() == {
        "q": {"a": 1.0, "b": 2.0, "c": 100.0}
    }


@pytest.mark.parametrize("kind", ["decimal32", "decimal64", "decimal128", "decimal256"])
def test_decimals_are_read_exactly(kind: str) -> None:
    made = pa.array([decimal.Decimal("0.1"), decimal.Decimal("-12.75")])
    if not hasattr(pa, kind):
        pytest.skip(f"this pyarrow has no {kind}")
    run = gainful.Run(table(["q", "q"], ["a", "b"], made.cast(getattr(pa, kind)(6, 2))))
    assert run.to_dict() == {"q": {"a": 0.1, "b": -12.75}}


def test_booleans_are_grades_of_1_and_0() -> None:
    qrels = gainful.Qrels(table(["q", "q"], ["a", "b"], [True, False], "grade"))
    assert qrels.to_dict() == {"q": {"a": 1, "b": 0}}


@for_each("kind", [*TEXT, "int32"])
@for_each("batches", [1, 3, 7])
def test_batches_and_slices(kind: str, batches: int) -> None:
    count = 3_000
    queries = [str(number // 100) for number in range(count)]
    documents = [
        str(number % 100 * 10**8 if kind != "int32" else number) for number in range(count)
    ]
    made = [
        pa.array(map(int, ids)) if kind == "int32" else pa.array(ids)
        for ids in (queries, documents)
    ]
    columns = [one.cast(getattr(pa, kind)()) for one in made]
    whole = table(*columns, [float(number) for number in range(count)])
    edges = [0, *sorted({(number * 977) % count for number in range(1, batches)}), count]
    parts = [whole.slice(a, b - a) for a, b in itertools.pairwise(edges)]
    run = gainful.Run(pa.concat_tables(parts).slice(5, count - 50))
    expected: dict[str, dict[str, float]] = {}
    for number in range(5, count - 45):
        expected.setdefault(queries[number], {})[documents[number]] = float(number)
    assert run.to_dict() == expected


def test_rows_of_several_threads() -> None:
    count = 200_000
    queries = pa.array([number // 1000 for number in range(count)])
    documents = pa.array([f"d{number % 1000}" for number in range(count)])
    run = gainful.Run(table(queries, documents, pa.array(range(count)).cast(pa.float64())))
    assert (len(run), run.rows) == (200, count)
    assert run["117"][0] == ("d999", 117_999.0)
    assert run.to_dict()["64"] == {f"d{number}": 64_000.0 + number for number in range(1000)}


def test_scattered_rows_are_grouped() -> None:
    run = gainful.Run(table(["a", "b", "a"], ["x", "x", "y"], [1.0, 2.0, 3.0]))
    assert run.to_dict() == {"a": {"x": 1.0, "y": 3.0}, "b": {"x": 2.0}}


@for_each("place", [0, 70_000, 131_072])
@for_each("name", ["query_id", "doc_id", "score"])
def test_a_null_is_an_error_that_names_its_row(name: str, place: int) -> None:
    count = 140_000
    columns: dict[str, list[Any]] = {
        "query_id": ["q"] * count,
        "doc_id": list(map(str, range(count))),
        "score": [1.0] * count,
    }
    columns[name][place] = None
    with pytest.raises(ColumnError, match=f"row {place:,}: null in column '{name}'"):
        gainful.Run(pa.table(columns))


@pytest.mark.parametrize("bad", ["nan", "inf", "-inf"])
def test_a_score_that_is_not_finite_names_row_query_and_document(bad: str) -> None:
    with pytest.raises(FormatError, match=r"row 1, query 'q', document '8': found -?(NaN|inf)"):
        gainful.Run(table(["p", "q"], [7, 8], [1.0, float(bad)]))


def test_the_first_invalid_row_is_reported() -> None:
    scores = [1.0] * 200_000
    scores[150_000] = scores[70_001] = float("nan")
    for _ in range(5):
        with pytest.raises(FormatError, match="row 70,001"):
            gainful.Run(table(["q"] * 200_000, list(range(200_000)), scores))


def test_grades_beyond_two_to_the_53_are_errors() -> None:
    with pytest.raises(FormatError, match="row 1, .*a grade"):
        gainful.Qrels(table(["q", "q"], ["a", "b"], [2.0**53, 2.0**54], "grade"))


def test_integer_scores_without_an_equal_float_are_errors() -> None:
    with pytest.raises(FormatError, match="row 1, .*convert the column to floats"):
        gainful.Run(table(["q", "q"], ["a", "b"], [1, 2**53 + 1]))


@pytest.mark.parametrize("name", ["query_id", "doc_id"])
def test_float_ids_are_errors_with_a_hint(name: str) -> None:
    columns = {"query_id": ["1"], "doc_id": ["2"], "score": [1.0], name: [3.0]}
    with pytest.raises(
        ColumnError, match=f"'{name}' of type Float64.*integers with missing"
    ) as caught:
        gainful.Run(pa.table(columns), name="mine")
    assert str(caught.value).startswith("mine: ")


@pytest.mark.parametrize("values", [["1.0"], [None], [[1.0]]])
def test_scores_of_other_types_are_errors(values: list[Any]) -> None:
    with pytest.raises(ColumnError, match="column 'score' of type|null in column 'score'"):
        gainful.Run(table(["q"], ["d"], values))


def test_a_table_without_rows_is_an_error() -> None:
    empty = table(["q"], ["d"], [1.0]).slice(0, 0)
    with pytest.raises(FormatError, match="the table has no rows"):
        gainful.Run(empty)


def test_a_single_column_is_an_error() -> None:
    with pytest.raises(FormatError, match="not a table"):
        gainful.Run(pa.chunked_array([[1.0]]))


def test_an_error_of_the_producer_is_reported() -> None:
    schema = table(["q"], ["d"], [1.0]).schema

    def batches() -> Any:
        yield table(["q"], ["d"], [1.0]).to_batches()[0]
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(gainful.errors.SourceError, match="the disk is gone"):
        gainful.Run(reader)


def test_ids_of_any_bytes() -> None:
    run = gainful.Run(table(pa.array([b"\xff"]), pa.array([b"a\xfe"]), [1.0]))
    assert run["\udcff"] == [("a\udcfe", 1.0)]
    assert run[b"\xff"] == run["\udcff"]
