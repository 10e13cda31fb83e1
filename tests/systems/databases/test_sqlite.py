"""SQLite as a system: full text, files that other programs write, paths."""

from __future__ import annotations

import sqlite3

import pytest

from database_kinds import HOSTILE, asked, ids
from gainful import demo
from gainful.errors import SearchError
from gainful.systems.loading import load_system

FULL_TEXT = """
    select id, -bm25(products, 0, {{title}}, 1) as score from products
    where products match {{query|fts5_any}} order by score desc, id limit {{k}}
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A file with the demo's catalogue."""
    path = tmp_path_factory.mktemp("shop") / "a shop?#100%.db"
    database = sqlite3.connect(path)
    database.execute("create virtual table products using fts5(id unindexed, title, rest)")
    database.executemany(
        "insert into products values (?, ?, ?)",
        [(p.doc_id, p.title, f"{p.brand} {p.category} {p.description}") for p in demo.products()],
    )
    database.commit()
    database.close()
    return path


def system(path, sql=FULL_TEXT, **keys):
    keys = {"settings": {"title": 1}, **keys} if sql == FULL_TEXT else keys
    return load_system({"engine": "sqlite", "database": str(path), "sql": sql, **keys})


def test_full_text_finds_what_the_titles_say(shop) -> None:
    made = system(shop)
    titles = {p.doc_id: p.title for p in demo.products()}
    found = asked(made, "mosquito net")
    assert {titles[doc] for doc in found.documents[:2]} == {
        "Travel Mosquito Net, Double Bed",
        "Mosquito Head Net",
    }
    assert found.scores == sorted(found.scores, reverse=True)
    assert found.scores[0] > 0
    made.close()


@pytest.mark.parametrize(
    "text", [*HOSTILE, "lamp NOT", 'a "b', "NEAR(a b)", "title:lamp", "*", "^"]
)
def test_no_text_is_a_syntax_error_of_fts5(shop, text) -> None:
    made = system(shop)
    assert isinstance(ids(made, text), list)
    made.close()


def test_the_best_lowest_is_refused(shop) -> None:
    # A smaller bm25() of SQLite is a better one.
    sql = "select id, rank from products where products match {{query|fts5_any}} order by rank"
    made = system(shop, sql)
    with pytest.raises(SearchError, match=r"SQLite's bm25\(\)"):
        asked(made, "lamp bed")
    made.close()
    turned = system(shop, sql, results={"score": "-rank"})
    found = asked(turned, "lamp bed")
    assert found.scores == sorted(found.scores, reverse=True)
    assert found.scores[-1] > 0
    turned.close()


def test_a_path_relative_to_the_description(shop, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "systems"
    folder.mkdir()
    (folder / "shop.db").write_bytes(shop.read_bytes())
    (folder / "plain.toml").write_text(
        f"engine = 'sqlite'\ndatabase = 'shop.db'\nsql = '''{FULL_TEXT}'''\n[settings]\ntitle = 2\n"
    )
    made = load_system("systems/plain.toml")
    assert made.name == "plain"
    # It is the same system, wherever it is called from.
    monkeypatch.chdir(folder)
    again = load_system("plain.toml")
    assert again.identity == made.identity
    again.close()
    monkeypatch.chdir(tmp_path)
    assert ids(made, "mosquito net")
    made.close()


def test_a_locked_database_is_waited_for_and_retried(tmp_path) -> None:
    path = tmp_path / "busy.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("create table docs (id text)")
    writer.execute("insert into docs values ('d1')")
    sql = "select id from docs where id <> {{query}}"
    made = system(path, sql, timeout=0.1)  # short: the lock is longer
    assert ids(made) == ["d1"]
    writer.execute("begin exclusive")
    with pytest.raises(SearchError, match="locked") as raised:
        asked(made)
    assert raised.value.transient
    writer.execute("rollback")
    assert ids(made) == ["d1"]
    made.close()
    writer.close()


def test_a_file_in_wal_mode_is_read_while_it_is_written(tmp_path) -> None:
    path = tmp_path / "wal.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("pragma journal_mode = wal")
    writer.execute("create table docs (id text)")
    made = system(path, "select id from docs where id <> {{query}} order by id")
    writer.execute("insert into docs values ('d1')")
    assert ids(made) == ["d1"]
    writer.execute("insert into docs values ('d2')")
    assert ids(made) == ["d1", "d2"]
    made.close()
    writer.close()


def test_a_file_that_is_not_a_database_is_an_error(tmp_path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database at all, but a text of some length, so that it has a header\n" * 20)
    made = system(path, "select id from docs where id = {{query}}")
    with pytest.raises(SearchError, match="not a database") as raised:
        asked(made)
    assert not raised.value.transient
    made.close()


def test_lists_and_arrays_are_json(shop) -> None:
    numpy = pytest.importorskip("numpy")
    sql = "select value as id from json_each({{field.ids}}) where {{query}} = ''"
    made = system(shop, sql)
    assert ids(made, ids=["a", 'b"']) == ["a", 'b"']
    assert ids(made, ids=numpy.array([3, 4])) == ["3", "4"]
    made.close()


def test_other_files_are_attached_for_reading_alone(shop, tmp_path) -> None:
    path = tmp_path / "other.db"
    database = sqlite3.connect(path)
    database.execute("create table kept (id text)")
    database.execute("insert into kept values ('d1')")
    database.commit()
    database.close()
    before = path.read_bytes()
    address = f"{path.as_uri()}?mode=ro"
    sql = "select id from other.kept where {{query}} != ''"
    made = system(shop, sql, setup=f"attach '{address}' as other")
    assert ids(made, "lamp") == ["d1"]
    made.close()
    for setup in (
        f"attach '{path}' as other",
        f"attach '{path.as_uri()}' as other",
        f"attach '{address}&mode=rw' as other",
        f"attach '{tmp_path / 'made.db'}' as other",
        f"vacuum into '{tmp_path / 'made.db'}'",
    ):
        made = system(shop, sql, setup=setup)
        with pytest.raises(SearchError, match=r"authori.*Hint: .*mode=ro"):
            asked(made)
        made.close()
    made = system(shop, sql, setup=[f"attach '{address}' as other", "delete from other.kept"])
    with pytest.raises(SearchError, match="readonly"):
        asked(made)
    made.close()
    assert path.read_bytes() == before
    assert not (tmp_path / "made.db").exists()


def test_no_statement_loads_an_extension(shop) -> None:
    made = system(shop, "select load_extension({{query}})")
    with pytest.raises(SearchError, match="not authorized"):
        asked(made)
    made.close()
