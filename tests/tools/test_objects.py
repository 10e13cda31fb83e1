"""Objects of data libraries are judgments and runs, and results become such objects."""

from __future__ import annotations

import pytest

import gainful
from gainful.data.convert import convert
from gainful.errors import ArgumentError, ColumnError, GainfulError, SourceNotFoundError
from requirements import need

pytestmark = pytest.mark.peer

QRELS = {"q1": {"d1": 3, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 0.5}}
COLUMNS = {
    "query_id": ["q1", "q1", "q2"],
    "doc_id": ["d1", "d2", "d3"],
    "grade": [3, 0, 1],
}
OWN = {"query": "Search Term", "doc": "SKU", "grade": "Stars"}
GOLDEN = {"question": ["x?", "y?"], "relevant": [["d1", "d2"], ["d3"]]}
RELEVANT = {"x?": {"d1": 1, "d2": 1}, "y?": {"d3": 1}}


def test_hugging_face_data_sets():
    datasets = need("datasets")
    own = dict(zip(OWN.values(), COLUMNS.values(), strict=True))
    assert gainful.Qrels(datasets.Dataset.from_dict(COLUMNS)).to_dict() == QRELS
    assert gainful.Qrels(datasets.Dataset.from_dict(own), columns=OWN).to_dict() == QRELS
    assert gainful.Qrels(datasets.Dataset.from_dict(GOLDEN)).to_dict() == RELEVANT
    with pytest.raises(ColumnError, match="'SKU', 'Stars', expected columns doc_id"):
        gainful.Qrels(datasets.Dataset.from_dict(own))
    result = gainful.evaluate(datasets.Dataset.from_dict(COLUMNS), RUN, "RR")
    assert datasets.Dataset(result.to_arrow())["RR"][:] == [0.5, 1.0]


def test_splits_of_a_hugging_face_data_set():
    datasets = need("datasets")
    judged = datasets.Dataset.from_dict(COLUMNS)
    assert gainful.Qrels(datasets.DatasetDict(test=judged)).to_dict() == QRELS
    with pytest.raises(ArgumentError, match="train, test.*choose one"):
        gainful.Qrels(datasets.DatasetDict(train=judged, test=judged))


def test_ibis_tables():
    ibis = need("ibis")
    import pyarrow

    table = ibis.memtable(pyarrow.table(COLUMNS))
    assert gainful.Qrels(table).to_dict() == QRELS
    assert gainful.Qrels(table.filter(table.query_id == "q1")).to_dict() == {"q1": QRELS["q1"]}
    assert gainful.Qrels(ibis.memtable(pyarrow.table(GOLDEN))).to_dict() == RELEVANT
    result = gainful.evaluate(table, RUN, "RR")
    back = ibis.memtable(result.to_arrow())
    assert back.RR.mean().to_pyarrow().as_py() == 0.75


def test_rows_of_sqlalchemy():
    sqlalchemy = need("sqlalchemy")
    from sqlalchemy.orm import DeclarativeBase, Session

    class Base(DeclarativeBase):
        pass

    class Judgment(Base):
        __tablename__ = "judgments"
        grade = sqlalchemy.Column(sqlalchemy.Integer)
        doc_id = sqlalchemy.Column(sqlalchemy.String, primary_key=True)
        query_id = sqlalchemy.Column(sqlalchemy.String, primary_key=True)

    engine = sqlalchemy.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    with Session(engine) as session:
        session.execute(sqlalchemy.insert(Judgment), rows)
        everything = sqlalchemy.select(*Judgment.__table__.columns)
        assert gainful.Qrels(session.execute(everything)).to_dict() == QRELS
        assert gainful.Qrels(session.execute(everything).all()).to_dict() == QRELS
        assert gainful.Qrels(session.execute(everything).mappings()).to_dict() == QRELS
        assert gainful.Qrels(session.scalars(sqlalchemy.select(Judgment))).to_dict() == QRELS
        renamed = sqlalchemy.select(
            Judgment.grade.label("Stars"), Judgment.doc_id, Judgment.query_id
        )
        found = gainful.Qrels(session.execute(renamed), columns={"grade": "Stars"})
        assert found.to_dict() == QRELS
        table = session.connection()
        gainful.evaluate(QRELS, RUN, "RR").to_pandas().to_sql("scores", table, index=False)
        stored = session.execute(sqlalchemy.text("select query_id, RR from scores")).all()
        assert [tuple(row) for row in stored] == [("q1", 0.5), ("q2", 1.0)]


def test_judgments_and_runs_of_ranx(tmp_path):
    ranx = need("ranx")
    judged, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    result = gainful.evaluate(judged, run, "RR")
    assert result.systems == ("bm25",)
    assert result.per_query() == {"q1": 0.5, "q2": 1.0}
    assert gainful.evaluate(judged, {"a": run, "b": RUN}, "RR").systems == ("a", "b")
    run.save(str(tmp_path / "run.lz4"))
    loaded = ranx.Run.from_file(str(tmp_path / "run.lz4"))
    assert gainful.Run(loaded) == gainful.Run(RUN)
    path = tmp_path / "run.lz4"
    assert gainful.read_run(path) == gainful.Run(RUN)
    assert gainful.evaluate(judged, path, "RR").means() == {"RR": 0.75}
    assert gainful.evaluate(judged, path, "RR").systems == ("run",)
    convert(path, tmp_path / "run.tsv")
    assert gainful.read_run(tmp_path / "run.tsv") == gainful.Run(RUN)


def test_files_of_ranx_are_not_trusted(tmp_path):
    need("ranx")
    import cbor2
    from lz4 import frame

    path = tmp_path / "run.lz4"
    for content, message in [
        (b"", "not a file of ranx"),
        (b"q1 Q0 d1 1 2.0 bm25", "not a file of ranx"),
        (frame.compress(b"q1 Q0 d1 1 2.0 bm25"), "not a file of ranx"),
        (twice(frame, b""), "not a file of ranx"),
        (twice(frame, b"\x81" * 5000), "not a file of ranx"),
        (twice(frame, b"\x9b\x7f" + b"\xff" * 7), "not a file of ranx"),
        (twice(frame, cbor2.dumps([1])), "found list"),
        (twice(frame, cbor2.dumps({"q1": {"d1": float("nan")}})), "query 'q1', document 'd1'"),
        (twice(frame, b"\0" * (1 << 28)), "GAINFUL_MAX_RATIO"),
    ]:
        path.write_bytes(content)
        with pytest.raises(GainfulError, match=message) as caught:
            gainful.evaluate(QRELS, path, "RR")
        assert "run.lz4" in str(caught.value)
    with pytest.raises(SourceNotFoundError):
        gainful.read_run(tmp_path / "none.lz4")


def twice(frame, content):
    return frame.compress(frame.compress(content))


def test_collections_of_lenskit():
    need("lenskit")
    from lenskit.data import ItemList, ItemListCollection

    lists = ItemListCollection(["user_id"])
    lists.add(ItemList(["d2", "d1"], scores=[2.0, 1.0], ordered=True), user_id="q1")
    lists.add(ItemList(["d3"], scores=[0.5], ordered=True), user_id="q2")
    assert gainful.evaluate(QRELS, lists, "RR").per_query() == {"q1": 0.5, "q2": 1.0}


def test_nodes_of_llama_index_are_relevant_documents():
    need("llama_index")
    from llama_index.core.schema import TextNode

    nodes = [TextNode(id_=name, text="soup") for name in ("d1", "d2")]
    assert gainful.Qrels([{"question": "x?", "relevant": nodes}]).to_dict() == {
        "x?": {"d1": 1, "d2": 1}
    }
