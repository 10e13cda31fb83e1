"""Addresses of Parquet for Spark: detection of files, columns and systems.

The tasks run here, one after the other; tests/clusters has them in Spark.
"""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import gainful
from evaluation_words import contents, sorted_rows
from gainful.backends.spark.parts import Ranged
from gainful.errors import (
    DuplicateError,
    SourceError,
)
from requirements import need
from spark_files import MEASURES, QRELS, RUN, asked, put, rows_of, table, written


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path)


# --- addresses ------------------------------------------------------------------------------------


def test_what_names_files(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a pattern, a file, a list of files, as texts and as paths; also relative ones."""
    need("fsspec")
    qrels, run = files
    monkeypatch.chdir(run.parent)
    for place in (run, "run", f"{run}/*.parquet", run / "0.parquet", [run / "0.parquet"]):
        assert contents(asked(qrels, place)) == contents(gainful.evaluate(qrels, place, MEASURES))
    expected = contents(gainful.evaluate(qrels, run, MEASURES))
    for scheme in ("file", "local"):
        assert contents(asked(f"{scheme}://{qrels}/*.parquet", f"{scheme}://{run}")) == expected


def test_only_needed_columns_are_transferred(files: tuple[Path, Path]) -> None:
    need("fsspec")
    from gainful.data.remote import RemoteFile

    path = files[0] / "0.parquet"
    whole = path.read_bytes()
    file = Ranged(RemoteFile(f"local://{path}"))
    assert file.seek(-8, 2) == len(whole) - 8
    assert (file.read(4), file.tell()) == (whole[-8:-4], len(whole) - 4)
    assert (file.read(), file.read(1)) == (whole[-4:], b"")
    assert file.seek(2) == 2
    assert file.seek(2, 1) == 4
    assert file.read(3) == whole[4:7]


def test_an_address_travels_with_its_credentials(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Executors need them; messages do not."""
    need("fsspec")
    from gainful.backends.spark.parts import Side, opened

    side = pickle.loads(pickle.dumps(Side("the run", ["s3://key:secret@bucket/a"], {}, {})))
    assert side.files == ["s3://key:secret@bucket/a"]
    with pytest.raises(SourceError) as caught:
        opened("local://user:secret@nowhere/run.parquet", there="on an executor")
    assert "secret" not in str(caught.value)
    assert "on an executor" in str(caught.value)


# --- columns --------------------------------------------------------------------------------------


def test_files_of_different_types(tmp_path: Path) -> None:
    """Integers of two widths, texts of two kinds, floats and integers: what Spark makes of them."""
    pa = need("pyarrow")
    judged, found = rows_of()
    first = table(found[:50], RUN, query_id=pa.int8(), score=pa.float32())
    rest = [(q, d, int(8 * s)) for q, d, s in found[50:]]
    second = table(rest, RUN, query_id=pa.uint32(), score=pa.int16())
    qrels = put(tmp_path / "qrels", table(judged, QRELS, grade=pa.int8()))
    run = put(tmp_path / "run", first, second)
    rows = [
        *((q, d, s) for q, d, s in zip(*(first[name].to_pylist() for name in RUN), strict=True)),
        *((q, d, float(s)) for q, d, s in rest),
    ]
    expected = gainful.evaluate(table(judged, QRELS), table(rows, RUN), MEASURES)
    assert contents(asked(qrels, run)) == contents(expected)


def test_documents_of_two_types(tmp_path: Path) -> None:
    """A number matches its decimal text."""
    pa = need("pyarrow")
    judged, found = rows_of()
    texts = [(q, str(d), g) for q, d, g in judged]
    qrels = put(
        tmp_path / "qrels",
        table(texts[:70], QRELS),
        table(texts[70:], QRELS, doc_id=pa.large_string()),
    )
    run = put(tmp_path / "run", table(found, RUN, doc_id=pa.uint16()))
    assert contents(asked(qrels, run)) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_ids_of_two_types_in_one_order(tmp_path: Path) -> None:
    """Text and bytes, and integers of any width but the largest without a sign."""
    pa = need("pyarrow")
    judged, found = rows_of()
    pairs = [(pa.string(), pa.binary(2)), (pa.int8(), pa.uint32()), (pa.int64(), pa.uint8())]
    for at, (one, other) in enumerate(pairs):
        as_text = pa.types.is_string(one)
        rows = [
            [(f"{row[0]:02}" if as_text else row[0], *row[1:]) for row in side]
            for side in (judged, found)
        ]
        if as_text:
            rows[1] = [(query.encode(), *rest) for query, *rest in rows[1]]
        qrels = put(tmp_path / f"qrels{at}", table(rows[0], QRELS, query_id=one))
        run = put(tmp_path / f"run{at}", table(rows[1], RUN, query_id=other))
        assert sorted_rows(asked(qrels, run)) == sorted_rows(gainful.evaluate(qrels, run, MEASURES))


def test_columns_of_other_names(tmp_path: Path) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table(judged, ["topic", "the doc", "Label"]))
    run = put(tmp_path / "run", table(found, ["qid", "a.b", "sim"]))
    named: dict[str, Any] = {
        "qrels_columns": {"doc_id": "the doc"},
        "run_columns": {"doc_id": "a.b"},
    }
    expected = gainful.evaluate(table(judged, QRELS), table(found, RUN), MEASURES)
    assert contents(asked(qrels, run, **named)) == contents(expected)


def test_booleans_are_numbers(tmp_path: Path) -> None:
    judged, found = rows_of()
    qrels = put(tmp_path / "qrels", table([(q, d, g > 0) for q, d, g in judged], QRELS))
    run = put(tmp_path / "run", table(found, RUN))
    whole = table([(q, d, int(g > 0)) for q, d, g in judged], QRELS)
    assert contents(asked(qrels, run)) == contents(gainful.evaluate(whole, run, MEASURES))


def test_ranks_alone(tmp_path: Path) -> None:
    judged, found = rows_of()
    ranked = [(q, d, (7 * d + q) % 9 + 1) for q, d, _ in found]
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(ranked, ["query_id", "doc_id", "rank"]))
    assert contents(asked(qrels, run)) == contents(gainful.evaluate(qrels, run, MEASURES))


def test_ranks_and_scores(tmp_path: Path) -> None:
    """Under a convention that goes by ranks, in ranges that have no rows of the run, too."""
    judged, found = rows_of()
    ranked = [(*row, (7 * row[1] + row[0]) % 9 + 1) for row in found if row[0] > 20]
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(ranked, [*RUN, "rank"]))
    convention = gainful.conventions.get("gainful-1").replace(order="rank")
    expected = gainful.evaluate(qrels, run, MEASURES, convention=convention)
    assert contents(asked(qrels, run, convention=convention)) == contents(expected)


def test_an_order_given_by_a_column(tmp_path: Path) -> None:
    judged, found = rows_of()
    tied = [(q, d, float(s > 0.5)) for q, d, s in found]
    places = list(range(len(tied)))
    random.Random(3).shuffle(places)
    listed = [tied[place] for place in places]
    numbered = sorted((*row, at) for at, row in enumerate(listed))
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    run = put(tmp_path / "run", table(numbered, [*RUN, "at"]))
    expected = gainful.evaluate(qrels, table(listed, RUN), MEASURES, convention="ranx")
    found_rows = asked(qrels, run, convention="ranx", position="at")
    assert sorted_rows(found_rows) == sorted_rows(expected)


@pytest.mark.parametrize("policy", ["first", "last"])
def test_which_of_two_judgments_counts(tmp_path: Path, policy: str) -> None:
    judged, found = rows_of()
    twice = [(q, d, g, at) for q, d, g in judged for at in (q, -q)]
    twice = [(q, d, (g + at) % 3, at) for q, d, g, at in twice]
    qrels = put(tmp_path / "qrels", table(twice, [*QRELS, "at"]))
    run = put(tmp_path / "run", table(found, [*RUN]))
    convention = gainful.conventions.get("gainful-1").replace(duplicates=policy)
    with pytest.raises(DuplicateError, match="two grades. Hint: set qrels_position"):
        asked(qrels, run, convention=convention, position="score")
    ordered = table([row[:3] for row in sorted(twice, key=lambda row: (row[0], row[3]))], QRELS)
    expected = gainful.evaluate(ordered, run, MEASURES, convention=convention)
    own = asked(qrels, run, convention=convention, position="score", qrels_position="at")
    assert sorted_rows(own) == sorted_rows(expected)


def test_subtopics(tmp_path: Path) -> None:
    judged, found = rows_of()
    rows = [(q, d % 2 + 1, d, g) for q, d, g in judged]
    qrels = put(tmp_path / "qrels", table(rows, ["query_id", "subtopic", "doc_id", "grade"]))
    run = put(tmp_path / "run", table(found, RUN))
    measures = ["alpha_nDCG@5", "ERR_IA@5"]
    assert contents(asked(qrels, run, measures)) == contents(gainful.evaluate(qrels, run, measures))


def test_bounds_and_weights(files: tuple[Path, Path]) -> None:
    weights = {str(query): 1.0 + query % 3 for query in range(40)}
    for options in ({"bounds": True}, {"weights": weights}):
        expected = gainful.evaluate(*files, MEASURES, **options)
        found = asked(*files, **options)
        assert found.scale == expected.scale
        assert contents(found) == contents(expected)


# --- several systems ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["string", "dictionary", "int16", "files"])
def test_several_systems(tmp_path: Path, kind: str) -> None:
    """Each is measured over all judged queries, also in ranges that have no row of it."""
    pa = need("pyarrow")
    judged, _ = rows_of()
    runs = {"2": rows_of(2)[1], "10": rows_of(3)[1][:30]}
    qrels = put(tmp_path / "qrels", table(judged, QRELS))
    if kind == "files":
        given: Any = {
            name: put(tmp_path / name, table(rows, RUN)) for name, rows in sorted(runs.items())
        }
    else:
        own = pa.dictionary("int8", pa.string()) if kind == "dictionary" else getattr(pa, kind)()
        mixed = sorted(
            (*row, int(name) if kind == "int16" else name)
            for name, rows in runs.items()
            for row in rows
        )
        given = put(tmp_path / "run", table(mixed, [*RUN, "system"], system=own))
    expected = gainful.evaluate(
        table(judged, QRELS),
        runs={name: table(runs[name], RUN) for name in sorted(runs)},
        measures=MEASURES,
    )
    assert contents(asked(qrels, given)) == contents(expected)


def test_names_of_runs(files: tuple[Path, Path]) -> None:
    """A file gives its own, as it does where gainful.evaluate reads it; any text is one."""
    assert asked(files[0], files[1]).systems == ("run",)
    assert asked(files[0], files[1] / "0.parquet").systems == ("0",)
    assert asked(files[0], {"": files[1], 7: files[1]}).systems == ("", "7")
