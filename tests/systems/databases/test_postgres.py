"""PostgreSQL as a system, against a real server: full text, failures, secrets."""

from __future__ import annotations

import contextlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from awaiting import await_true
from database_kinds import asked, ids
from gainful import demo
from gainful.errors import FormatError, GainfulError, SearchError
from gainful.systems import Query
from gainful.systems.loading import load_system
from postgres_server import PostgresServer
from requirements import need

ANY_WORD = """
    select id, ts_rank_cd(array[0.1, 0.2, 0.4, {{title}}]::float4[], document, wanted) as score
    from products, to_tsquery('english', {{query|tsquery_any}}) as wanted
    where document @@ wanted
    order by score desc, id
    limit {{k}}
"""


@pytest.fixture(scope="module")
def shop(postgres):
    """The demo's catalogue, indexed."""
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as database:
        database.execute("create table products (id text primary key, title text, rest text)")
        with database.cursor() as cursor:
            cursor.executemany(
                "insert into products values (%s, %s, %s)",
                [
                    (p.doc_id, p.title, f"{p.brand} {p.category} {p.description}")
                    for p in demo.products()
                ],
            )
        database.execute(
            "alter table products add document tsvector generated always as ("
            " setweight(to_tsvector('english', title), 'A')"
            " || setweight(to_tsvector('english', rest), 'D')) stored"
        )
        database.execute("create index on products using gin (document)")
    return postgres


def system(server: PostgresServer, sql: str, **keys):
    return load_system({"engine": "postgres", "connection": server.url(), "sql": sql, **keys})


def test_full_text_finds_what_the_titles_say(shop) -> None:
    made = system(shop, ANY_WORD, settings={"title": 1.0})
    titles = {p.doc_id: p.title for p in demo.products()}
    found = asked(made, "mosquito nets")
    assert {titles[doc] for doc in found.documents[:2]} == {
        "Travel Mosquito Net, Double Bed",
        "Mosquito Head Net",
    }
    assert found.scores == sorted(found.scores, reverse=True)
    made.close()


def test_a_title_weight_of_0_changes_the_ranking(shop) -> None:
    rankings = []
    for title in (0.0, 1.0):
        made = system(shop, ANY_WORD, settings={"title": title})
        rankings.append([ids(made, text) for text in demo.queries().values()])
        made.close()
    assert rankings[0] != rankings[1]


@pytest.mark.parametrize(
    "text",
    ["", "  ", "'", "&", "lamp & | !", "lamp:*", "a' | 'b", "\\", "lamp 💡", "the of", "<->"],
)
def test_no_text_is_a_syntax_error_of_the_query_language(shop, text) -> None:
    made = system(shop, ANY_WORD, settings={"title": 1.0})
    assert isinstance(ids(made, text), list)
    made.close()


def test_the_servers_own_parser_gets_the_unchanged_text(shop) -> None:
    sql = """
        select id from products
        where document @@ websearch_to_tsquery('english', {{query}}) order by id limit {{k}}
    """
    made = system(shop, sql)
    assert len(ids(made, '"mosquito net" -head')) == 1
    made.close()


def test_a_text_with_nul_is_an_error_of_that_query(shop) -> None:
    made = system(shop, "select id from products where title = {{query}}")
    with pytest.raises(SearchError, match="NUL") as raised:
        asked(made, "lamp\0bed")
    assert not raised.value.transient
    made.close()


def test_lists_and_tables_of_a_query_are_arrays_and_json(shop) -> None:
    sql = """
        select id from products
        where id = any({{field.ids}}) and {{field.filter}}::jsonb @> '{"a": [1]}'
        and title <> {{query}} order by id
    """
    made = system(shop, sql)
    assert ids(made, ids=["P0002", "P0001"], filter={"a": [1, 2]}) == ["P0001", "P0002"]
    assert ids(made, ids=["P0002"], filter={"a": []}) == []
    assert ids(made, ids=[], filter={"a": [1]}) == []
    made.close()


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("uuid", "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000a"),
        ("numeric", "9007199254740993", "9007199254740993"),
        ("bigint", "9223372036854775807", "9223372036854775807"),
        ("varchar(9)", "a b", "a b"),
    ],
)
def test_ids_of_other_types(shop, type_, value, expected) -> None:
    made = system(shop, f"select '{value}'::{type_} where {{{{query}}}} = ''")
    assert ids(made) == [expected]
    made.close()


RAISES = """
    select id from products where id = {{query}}
    and pg_temp.fail({{state}}) is null
"""


@pytest.mark.parametrize(
    ("state", "transient"),
    [
        ("40001", True),  # serialization failure
        ("40P01", True),  # deadlock
        ("53300", True),  # too many connections
        ("57P03", True),  # cannot connect now
        ("55P03", True),  # lock not available
        ("42501", False),  # insufficient privilege
        ("22012", False),  # division by zero
        ("XX000", False),  # internal error
    ],
)
def test_which_failures_are_worth_asking_again(shop, state, transient) -> None:
    function = """
        create function pg_temp.fail(state text) returns text language plpgsql as
        $$ begin raise exception 'as asked' using errcode = state, hint = 'do not'; end $$
    """
    # A function of one's own session cannot be made by what only reads.
    setup = ["select set_config('default_transaction_read_only', 'off', false)", function]
    made = system(shop, RAISES, settings={"state": state}, setup=setup)
    with pytest.raises(SearchError, match=rf"as asked \(SQLSTATE {state}\).*do not") as raised:
        asked(made, "P0001")
    assert raised.value.transient is transient
    made.close()


def test_queries_are_retried_after_a_restart(shop) -> None:
    made = system(shop, "select id from products where id = {{query}}")
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: tuple(ids(made, "P0001")), range(40))) == {("P0001",)}
    shop.stop()
    with pytest.raises(SearchError) as lost:
        asked(made, "P0001")
    with pytest.raises(SearchError) as refused:
        asked(made, "P0001")
    assert (lost.value.transient, refused.value.transient) == (True, True)
    shop.start()
    assert ids(made, "P0001") == ["P0001"]
    made.close()


def test_lost_connections_cause_one_failure(shop) -> None:
    made = system(
        shop, "select id from products where id = {{query}} and pg_sleep(.05) is not null"
    )
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ids(made, "P0001"), range(8)))
    assert len(made._connections._idle) > 1
    shop.stop()
    shop.start()
    with pytest.raises(SearchError):
        asked(made, "P0001")
    assert ids(made, "P0001") == ["P0001"]
    made.close()


def test_too_many_connections_are_worth_asking_again(shop) -> None:
    import psycopg

    open_ones = []
    try:
        with contextlib.suppress(psycopg.OperationalError):
            for _ in range(100):
                open_ones.append(psycopg.connect(shop.url()))
        assert 1 < len(open_ones) < 100
        made = system(shop, "select id from products where id = {{query}}")
        with pytest.raises(SearchError, match="too many clients") as raised:
            asked(made, "P0001")
        assert raised.value.transient
    finally:
        for each in open_ones:
            each.close()
    assert ids(made, "P0001") == ["P0001"]
    made.close()


def test_no_more_connections_than_threads_and_none_after_close(shop) -> None:
    import psycopg

    sql = "select count(*) from pg_stat_activity where application_name = 'gainful'"
    made = system(shop, "select id from products where id = {{query}}")
    with psycopg.connect(shop.url(), autocommit=True) as watching:
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: ids(made, "P0001"), range(60)))
        (count,) = watching.execute(sql).fetchone()
        assert 1 <= count <= 3
        made.close()
        await_true(lambda: watching.execute(sql).fetchone() == (0,), "no connection is left")


def test_the_statement_is_not_kept_on_the_server(shop) -> None:
    sql = "select (select count(*)::text from pg_prepared_statements) where {{query}} = ''"
    made = system(shop, sql)
    assert [ids(made) for _ in range(12)][-1] == ["0"]
    made.close()


# Secrets


@pytest.fixture
def guarded(shop):
    """The server, which wants a password from all but the tests."""
    import psycopg

    with psycopg.connect(shop.url(), autocommit=True) as database:
        database.execute("drop role if exists shopper")
        database.execute("create role shopper login password 's3cret:pw@/'")
    shop.refuse_without_password()
    return shop


def test_a_password_comes_from_the_environment_and_is_nowhere_seen(guarded, monkeypatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE", guarded.url("shopper", "s3cret%3Apw%40%2F"))
    made = load_system(
        {
            "engine": "postgres",
            "connection": "${SHOP_DATABASE}",
            "sql": "select 'd1' where {{query}} = current_user",
        }
    )
    assert ids(made, "shopper") == ["d1"]
    shown = json.dumps(made.identity) + repr(made) + repr(vars(made))
    shown += made.show(Query("q1", "lamp"), 10)
    assert "s3cret" not in shown
    assert "shopper" not in json.dumps(made.identity)
    assert made.identity["database"]["dbname"] == "postgres"
    made.close()


@pytest.mark.parametrize(
    ("user", "database", "message"),
    [
        ("shopper", "postgres", "password authentication failed"),
        ("tester", "nowhere", 'database "nowhere" does not exist'),
    ],
)
def test_a_refused_connection_is_not_tried_again(
    guarded, monkeypatch, user, database, message
) -> None:
    password = "wr0ng" if user == "shopper" else ""
    monkeypatch.setenv("SHOP_DATABASE", guarded.url(user, password, database))
    made = load_system(
        {
            "engine": "postgres",
            "connection": "${SHOP_DATABASE}",
            "sql": "select {{query}}",
        }
    )
    with pytest.raises(SearchError, match=message) as raised:
        asked(made)
    assert not raised.value.transient
    assert "wr0ng" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    made.close()


@pytest.mark.parametrize(
    "connection",
    [
        "postgresql://me:s3c@ret@localhost/shop",
        "postgresql://me:s3cret/@localhost/shop",
        "postgresql://me:s3cret@localhost:x/shop",
        "postgresql://me@localhost/shop?pass=s3cret",
        "host=localhost pasword=s3cret",
        "host=localhost password='s3cret",
        "s3cret",
        "postgresql://me:12/s3c@ret@localhost/shop",
    ],
)
def test_a_connection_string_that_cannot_be_read_is_not_shown(connection) -> None:
    need("postgres")
    with pytest.raises(GainfulError, match="invalid connection string") as raised:
        load_system({"engine": "postgres", "connection": connection, "sql": "select {{query}}"})
    assert "s3c" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    "connection",
    [
        "postgresql://me:s3cret@localhost/shop",
        "postgresql://me@localhost/shop?password=s3cret",
        "host=localhost password='s3 cret' sslpassword=${SHOP_KEY}",
        "host=localhost password=${SHOP_KEY} sslpassword=s3cret",
    ],
)
def test_a_password_in_the_description_itself_is_refused(connection, monkeypatch) -> None:
    need("postgres")
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    table = {"engine": "postgres", "connection": connection, "sql": "select {{query}}"}
    with pytest.raises(FormatError, match=r"expected \$\{NAME\} in place of the pass") as raised:
        load_system(table)
    assert "cret" not in str(raised.value)
    table["connection"] = "postgresql://me:${SHOP_KEY}@localhost/shop"
    assert "cret" not in json.dumps(load_system(table).identity)


def test_a_variable_that_is_not_set(monkeypatch) -> None:
    need("postgres")
    monkeypatch.delenv("SHOP_DATABASE", raising=False)
    with pytest.raises(
        FormatError, match=r"variable SHOP_DATABASE is not set.*export SHOP_DATABASE"
    ):
        load_system(
            {"engine": "postgres", "connection": "${SHOP_DATABASE}", "sql": "select {{query}}"}
        )


def test_nobody_listening_is_worth_asking_again() -> None:
    need("postgres")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        place = f"host=127.0.0.1 port={silent.getsockname()[1]}"
        made = load_system({"engine": "postgres", "connection": place, "sql": "select {{query}}"})
        with pytest.raises(SearchError, match="connection to server|connection failed") as raised:
            asked(made)
        assert raised.value.transient
        made.close()
