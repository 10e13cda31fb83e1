"""Databases as systems: the common behavior of SQLite, DuckDB and PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from time import process_time

import pytest

from awaiting import await_true
from database_kinds import HOSTILE, KINDS, asked, ids, make
from gainful.errors import FormatError, GainfulError, SearchError, SourceError, SourceNotFoundError
from gainful.systems import Query
from gainful.systems.databases import engines
from gainful.systems.loading import load_system
from requirements import need

BY_TITLE = "select id from docs where title = {{query}} limit {{k}}"

# It would take minutes.
SLOW = {
    "sqlite": "with recursive n(i) as (select 1 union all select i + 1 from n) select {{query}}"
    " as id from n where i < 0 limit {{k}}",
    "duckdb": "select {{query}} || sum(a.range * b.range % 7) as id from range(1000000) a,"
    " range(1000000) b limit {{k}}",
    "postgres": "select {{query}} || pg_sleep(100) as id limit {{k}}",
}

ACTIVE = """
    select count(*) from pg_stat_activity
    where state = 'active' and query like '%pg_sleep(100)%' and pid <> pg_backend_pid()
"""


@pytest.fixture(scope="module", params=KINDS)
def filled(request, tmp_path_factory):
    return make(request.param, tmp_path_factory.mktemp("filled"), request)


@pytest.fixture
def place(filled):
    yield filled
    filled.close()


def test_what_is_typed_is_a_value_and_never_sql(place) -> None:
    system = place.system(BY_TITLE)
    for number, text in enumerate(HOSTILE):
        assert ids(system, text) == [f"d{number}"]
        assert place.run("select count(*) from docs") == [(len(HOSTILE),)]


def test_settings_fields_and_filters_are_values_too(place) -> None:
    sql = """
        select id, price * {{factor}} as score from docs
        where price >= {{least}} and id <> {{field.not}}
        and title like {{query|like}} || '%' escape '\\'
        order by score desc limit {{k}}
    """
    if place.kind == "postgres":
        # A backslash in a string is one there, whatever the standard says of escapes.
        assert place.run("show standard_conforming_strings") == [("on",)]
    settings = {"factor": 2, "least": 1.0}
    system = place.system(sql, settings=settings, fields={"not": "'"})
    assert asked(system, "100 %") == (["d5"], [10.0])
    assert ids(system, "1%") == []
    assert ids(system, "", 3) == ["d12", "d11", "d10"]
    assert ids(system, "", 3, **{"not": "d11"}) == ["d12", "d10", "d9"]


def test_a_text_setting_that_looks_like_sql_is_a_text(place) -> None:
    sql = "select id from docs where title = {{wanted}} or title = {{query}}"
    assert ids(place.system(sql, settings={"wanted": HOSTILE[2]}), "no such") == ["d2"]


def test_at_most_k_rows_are_returned(place) -> None:
    system = place.system("select id from docs where title <> {{query}} order by price")
    assert ids(system, "", 2) == ["d0", "d1"]
    assert len(ids(system, "", 1000)) == len(HOSTILE) - 1


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("id", (["d1"], None)),
        ("id, price", (["d1"], [1.0])),
        ("price as score, id", (["d1"], [1.0])),
        ("title, id, price", (["d1"], None)),
        ("7", (["7"], None)),
        ("cast(7 as bigint), price", (["7"], [1.0])),
        ("id, cast(1.5 as numeric) as score", (["d1"], [1.5])),
    ],
)
def test_ids_and_scores_are_found_in_columns(place, columns, expected) -> None:
    system = place.system(f"select {columns} from docs where title = {{{{query}}}}")
    assert asked(system, "it's") == expected


def test_columns_can_be_named(place) -> None:
    sql = "select id, title, price, -price as score from docs where title = {{query}}"
    system = place.system(sql, results={"id": "title", "score": "price"})
    assert asked(system, "it's") == (["it's"], [1.0])
    with pytest.raises(SearchError, match=r"no column 'prize'.* returns id, title, price, score"):
        asked(place.system(sql, results={"score": "prize"}), "it's")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("null as id", "row 1: the id is NULL"),
        ("1.5 + 0.0 * price", "row 1: the id is a "),
        ("id, null as score", r"no score \(NULL\)"),
        ("id, title as score", "the score 'it's'|the score \"it's\""),
    ],
)
def test_invalid_rows_are_errors(place, columns, message) -> None:
    system = place.system(f"select {columns} from docs where title = {{{{query}}}}")
    with pytest.raises(SearchError, match=message) as raised:
        asked(system, "it's")
    assert not raised.value.transient


def test_rows_with_the_best_last_are_refused(place) -> None:
    system = place.system(
        "select id, price as score from docs where id <> {{query}} order by price"
    )
    with pytest.raises(SearchError, match=r"row 2: score 1 is higher than .*order by score desc"):
        asked(system)


def test_it_only_reads(place) -> None:
    sql = "insert into docs values ({{query}}, 'new', 1) returning id"
    with pytest.raises(SearchError, match="(?i)read.?only"):
        asked(place.system(sql), "d99")
    assert place.run("select count(*) from docs") == [(len(HOSTILE),)]


def test_slow_statements_are_cancelled_and_can_be_retried(place) -> None:
    system = place.system(SLOW[place.kind], timeout=0.05)  # short: it takes minutes
    for _ in range(2):
        with pytest.raises(SearchError, match=r"no answer within 0\.05 s") as raised:
            asked(system)
        assert raised.value.transient


def test_a_connection_is_good_after_a_timeout(place) -> None:
    sql = {
        "sqlite": "with recursive n(i) as (select 1 union all select i + 1 from n"
        " where i < {{field.n}}) select {{query}} as id from n where i = 1",
        "duckdb": "select {{query}} as id from range({{field.n}}) a, range({{field.n}}) b"
        " group by all having sum(a.range * b.range % 7) >= 0",
        "postgres": "select {{query}} || pg_sleep({{field.n}}) as id",
    }[place.kind]
    system = place.system(sql, timeout=0.1)  # short: the first query takes minutes
    few = 0.01 if place.kind == "postgres" else 1
    with pytest.raises(SearchError, match="no answer within"):
        asked(system, "d1", n=10_000_000)
    answers: list[list[str]] = []

    def is_answered() -> bool:
        with contextlib.suppress(SearchError):
            answers.append(ids(system, "d1", n=few))
        return bool(answers)

    # On a busy machine this query may time out, too.
    await_true(is_answered, "an answer on the same connection")
    assert answers == [["d1"]]


def test_closing_cancels_running_statements(place) -> None:
    system = place.system(SLOW[place.kind])
    with ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(asked, system) for _ in range(3)]
        await_true(lambda: len(system._connections._busy) == 3, "three connections")
        began = process_time()

        def are_running() -> bool:
            """Return whether all run on the server, or in this process at least one."""
            if place.kind != "postgres":
                return process_time() - began > 0.1
            return place.run(ACTIVE) == [(3,)]

        await_true(are_running, "running statements")
        system.close()
        for each in asking:
            assert isinstance(each.exception(timeout=60), SearchError)
    # None of these connections is used again.
    assert not system._connections._idle
    assert not system._connections._busy


def test_a_closed_system_reopens_for_the_next_query(place) -> None:
    system = place.system(BY_TITLE)
    for _ in range(2):
        assert ids(system, HOSTILE[1]) == ["d1"]
        system.close()
        assert not system._connections._idle


def test_threads_have_a_connection_each_and_get_their_own_answers(place) -> None:
    system = place.system(BY_TITLE)
    titles = HOSTILE * 5
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda title: ids(system, title), titles))
    assert found == [[f"d{at}"] for at in range(len(HOSTILE))] * 5
    assert len(system._connections._idle) <= 8
    assert not system._connections._busy


def test_setup_is_run_on_every_connection_with_settings(place) -> None:
    temporary = {"sqlite": "temp ", "duckdb": "or replace temp ", "postgres": "temp "}[place.kind]
    if place.kind == "postgres":
        setup = ["select set_config('shop.least', {{least}}::text, false)"]
        least = "current_setting('shop.least')::float8"
    else:
        setup = [f"create {temporary}table least as select cast({{{{least}}}} as real) as value"]
        least = "(select value from least)"
    sql = (
        f"select id from docs where price >= {least} and id <> {{{{query}}}} order by price limit 2"
    )
    system = place.system(sql, setup=setup, settings={"least": 3})
    with ThreadPoolExecutor(4) as pool:
        assert set(map(tuple, pool.map(lambda _: ids(system, k=2), range(40)))) == {("d3", "d4")}


def test_a_single_statement_of_setup_needs_no_list(place) -> None:
    assert ids(place.system(BY_TITLE, setup="select 1"), "it's") == ["d1"]


def test_a_wrong_statement_is_the_databases_message_and_is_not_asked_again(place) -> None:
    with pytest.raises(SearchError, match="(?i)nowhere") as raised:
        asked(place.system("select id from nowhere where title = {{query}}"))
    assert not raised.value.transient


def test_two_statements_are_refused(place) -> None:
    with pytest.raises(SearchError):
        asked(place.system("select id from docs where id = {{query}}; drop table docs"), "d1")
    assert place.run("select count(*) from docs") == [(len(HOSTILE),)]


def test_text_that_is_not_unicode_is_an_error_of_that_query(place) -> None:
    system = place.system(BY_TITLE)
    with pytest.raises(SearchError) as raised:
        asked(system, "\ud800lamp")
    assert not raised.value.transient
    assert ids(system, "it's") == ["d1"]


def test_a_field_that_a_query_lacks(place) -> None:
    system = place.system("select id from docs where title = {{field.locale}}")
    with pytest.raises(SearchError, match="no field 'locale'"):
        asked(system)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "sql: found nothing, expected a statement"),
        ("select id from docs", "expected {{query}}, or"),
        ("select id from docs limit {{k}}", "expected {{query}}, or"),
        ("select id from docs where title = '{{query}}'", "{{query}} inside a string"),
        ('select "{{query}}" from docs', "{{query}} inside a quoted name"),
        ("select id from docs where title = {{qeury}}", "did you mean {{query}}"),
        ("select id from docs where title = {{query|fts6}}", "unknown filter 'fts6'"),
        ("select id from docs where title = {{query", "unclosed braces"),
        ("select id from docs where title = $1 or id = {{query}}", "the parameter \\$1"),
    ],
)
def test_a_statement_that_cannot_be(place, sql, message) -> None:
    with pytest.raises(FormatError, match=message.replace("{", r"\{").replace("|", r"\|")):
        place.system(sql)


def test_other_keys_that_cannot_be(place) -> None:
    with pytest.raises(FormatError, match="no part of a query"):
        place.system(BY_TITLE, setup=["select {{query}}"])
    with pytest.raises(FormatError, match="timeout = 0"):
        place.system(BY_TITLE, timeout=0)  # short: it is refused
    with pytest.raises(FormatError, match="did you mean 'setup'"):
        place.system(BY_TITLE, setpu=["select 1"])
    with pytest.raises(FormatError, match="the setting 'boost' is not used"):
        place.system(BY_TITLE, settings={"boost": 1})


def test_the_identity_changes_with_the_statement_and_its_settings(place) -> None:
    sql = "select id from docs where title = {{query}} and price > {{least}}"
    one = place.system(sql, settings={"least": 1}).identity
    assert place.system(sql, settings={"least": 1}).identity == one
    assert place.system(sql, settings={"least": 2}).identity != one
    assert place.system(sql + " limit {{k}}", settings={"least": 1}).identity != one
    assert place.system(sql, settings={"least": 1}, setup="select 1").identity != one


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_database_that_is_not_there(kind, need, tmp_path) -> None:
    if kind == "duckdb":
        need("duckdb")
    path = tmp_path / "nowhere.db"
    with pytest.raises(SourceNotFoundError, match=r"no such file: .*nowhere\.db"):
        load_system({"engine": kind, "database": str(path), "sql": BY_TITLE})
    assert not path.exists()
    path.mkdir()
    with pytest.raises(SourceError, match=r"nowhere\.db: cannot read the file \(Is a d"):
        load_system({"engine": kind, "database": str(path), "sql": BY_TITLE})


@pytest.mark.parametrize(("kind", "module"), [("duckdb", "duckdb"), ("postgres", "psycopg")])
def test_a_driver_that_is_not_installed_is_one_message(kind, module, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    keys = {"connection": ""} if kind == "postgres" else {"database": ":memory:"}
    with pytest.raises(GainfulError, match=f"{module} is not installed.*pip install"):
        load_system({"engine": kind, **keys, "sql": BY_TITLE})


def test_several_queries_in_one_call_are_answered_in_order(place) -> None:
    queries = [Query(f"q{at}", title) for at, title in enumerate(HOSTILE)]
    found = place.system(BY_TITLE).ask(queries, 10)
    assert [answer.documents for answer in found] == [[f"d{at}"] for at in range(len(HOSTILE))]


def test_a_dry_run_shows_the_statement(place) -> None:
    sql = "select id from nowhere where title = {{query}} and price > {{least}} limit {{k}}"
    system = place.system(sql, settings={"least": 2.5}, setup=["select {{least}}"])
    shown = system.show(Query("q1", 'it\'s "x"'), 7)
    marks = ["$1", "$2", "$3"] if place.kind == "postgres" else ["?"] * 3
    statement = "select id from nowhere where title = {} and price > {} limit {}".format(*marks)
    parts = shown.split("\n\n")
    assert parts[0].startswith(place.kind)
    assert parts[1] == f"select {marks[0]}\n-- with 2.5"
    assert parts[2] == statement
    assert parts[3] == '1  {{query}} = "it\'s \\"x\\""\n2  {{least}} = 2.5\n3  {{k}} = 7'


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_file_with_other_content_is_another_system(kind, request, tmp_path) -> None:
    place = make(kind, tmp_path, request)
    path = tmp_path / f"docs.{kind}"
    before = place.system(BY_TITLE).identity
    # A copy of the same content is the same, whenever it was made.
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    os.utime(path, (1e9, 1e9))
    assert place.system(BY_TITLE).identity == before
    assert str(tmp_path) in before["database"]["file"]
    connect = sqlite3.connect if kind == "sqlite" else need("duckdb").connect
    database = connect(path)
    database.execute("delete from docs where id = 'd3'")
    database.commit()
    database.close()
    assert place.system(BY_TITLE).identity != before
    place.close()


def test_a_large_file_is_identified_by_size_and_time(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(engines, "LARGEST", 10)
    path = tmp_path / "large.db"
    path.write_bytes(b"x" * 11)
    one = engines.file_identity(str(path), "large.db", "-wal")
    assert engines.file_identity(str(path), "large.db", "-wal") == one
    os.utime(path, (1e9, 1e9))
    assert engines.file_identity(str(path), "large.db", "-wal") != one


def test_a_file_that_is_written_to_has_no_state(tmp_path) -> None:
    path = tmp_path / "live.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("pragma journal_mode = wal")
    writer.execute("create table docs (id text, title text)")
    one = engines.file_identity(str(path), "live.db", "-wal")
    writer.execute("insert into docs values ('d1', 'x')")
    assert engines.file_identity(str(path), "live.db", "-wal") == one
    writer.close()
    assert engines.file_identity(str(path), "live.db", "-wal") != one
