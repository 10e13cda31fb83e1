"""`gainful search` and `gainful sweep` against a real PostgreSQL that has the demo's catalogue."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

import gainful
from gainful import demo
from gainful.cli import main

TOML = """
engine = "postgres"
connection = "${SHOP_DATABASE}"
sql = '''
    select id, ts_rank(array[0.1, 0.2, 0.4, {{title}}]::float4[], document, wanted) as score
    from shop, to_tsquery('english', {{query|tsquery_any}}) as wanted
    where document @@ wanted
    order by score desc, id
    limit {{k}}
'''

[settings]
title = 1.0
"""


@pytest.fixture(scope="module")
def server(postgres):
    """A server with the catalogue, and one who may only read it with a password."""
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as database:
        database.execute("create table shop (id text primary key, document tsvector)")
        with database.cursor() as cursor:
            cursor.executemany(
                "insert into shop values (%s, setweight(to_tsvector('english', %s), 'A')"
                " || setweight(to_tsvector('english', %s), 'D'))",
                [
                    (p.doc_id, p.title, f"{p.brand} {p.category} {p.description}")
                    for p in demo.products()
                ],
            )
        database.execute("create role reader login password 'h4rdly-known'")
        database.execute("grant select on shop to reader")
    postgres.refuse_without_password()
    return postgres


@pytest.fixture
def described(server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_DATABASE", server.url("reader", "h4rdly-known"))
    (tmp_path / "shop.toml").write_text(TOML)
    return tmp_path / "shop.toml"


def test_the_command_writes_the_run_that_the_server_ranks(
    described, server, tmp_path, capsys
) -> None:
    import psycopg

    words = ["--system", "shop.toml", str(demo.queries_path()), "-k", "20", "-o", "shop.run"]
    assert main(["search", *words, "--journal", "kept.journal"]) == 0
    printed = capsys.readouterr()
    run = gainful.read_run("shop.run")
    assert gainful.evaluate(demo.qrels(), run, "nDCG@10").mean() > 0.5
    sql = TOML.split("'''")[1].replace("{{title}}", "1.0").replace("{{k}}", "20")
    with psycopg.connect(server.url()) as database:
        for query, text in list(demo.queries().items())[::8]:
            wanted = " | ".join(text.split())
            rows = database.execute(sql.replace("{{query|tsquery_any}}", "%s"), (wanted,))
            assert [doc for doc, _ in run.get(query, [])] == [
                doc for doc, _ in sorted(rows, key=lambda row: (row[1], row[0]), reverse=True)
            ]
    for path in tmp_path.iterdir():
        assert b"h4rdly" not in path.read_bytes(), path
    assert "h4rdly" not in printed.err + printed.out


def test_queries_of_closed_connections_are_retried(described, server) -> None:
    import psycopg

    # Long enough to be thrown out in the middle.
    text = TOML.replace("from shop,", "from (select pg_sleep(0.02)) as late, shop,")
    described.write_text(text)
    queries = dict([*demo.queries().items()][:40])
    ready, stopped = threading.Event(), threading.Event()

    def throw_out() -> None:
        """Close connections six times, so that no query fails more often than it is retried."""
        with psycopg.connect(server.url(), autocommit=True) as database:
            ready.set()
            times = 0
            while times < 6 and not stopped.wait(0.02):  # short: the pause
                closed = database.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where usename = 'reader' and state = 'active'"
                )
                times += bool(closed.fetchall())

    thread = threading.Thread(target=throw_out)
    thread.start()
    assert ready.wait(120)
    try:
        run = gainful.search(str(described), queries, 10, workers=4, retries=8)
    finally:
        stopped.set()
        thread.join()
    assert not run.incomplete
    assert run.account.retried > 0
    assert any("terminating connection" in reason for reason in run.account.retries)
    described.write_text(TOML)
    plain = gainful.search(str(described), queries, 10, workers=4)
    assert run.to_dict() == plain.to_dict()


def test_a_server_that_is_gone_ends_in_one_message(described, server, tmp_path, capsys) -> None:
    words = ["search", "--system", "shop.toml", str(demo.queries_path()), "-o", "shop.run"]
    server.stop()
    try:
        status = main([*words, "--retries", "0"])
    finally:
        server.start()
    message = capsys.readouterr().err
    assert status == 75
    assert "Traceback" not in message
    assert "h4rdly" not in message
    assert not (tmp_path / "shop.run").exists()
    # It goes on from its journal, and asks what failed.
    assert main(words) == 0
    assert (tmp_path / "shop.run").exists()


def test_a_title_boost_is_swept(described, capsys) -> None:
    words = [
        "sweep", str(demo.qrels_path()), str(demo.queries_path()), "--system", "shop.toml",
        "--set", "title=0.1,0.4,1", "-m", "nDCG@10",
    ]  # fmt: skip
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "3 points" in text
    means = {}
    for title in (0.1, 0.4, 1):
        from gainful.systems.loading import load_system

        system = load_system(str(described), settings={"title": title})
        run = gainful.search(system, demo.queries(), 100)
        means[title] = gainful.evaluate(demo.qrels(), run, "nDCG@10").mean()
    assert len(set(means.values())) == 3
    for mean in means.values():
        assert f"{mean:.4f}".removeprefix("0") in text


def test_the_journal_of_another_statement_is_not_mixed(described) -> None:
    queries = demo.queries()
    gainful.search(str(described), queries, 10, journal="kept.journal")
    journal = sqlite3.connect("kept.journal")
    dump = "\n".join(journal.iterdump())
    journal.close()
    assert "h4rdly" not in dump
    described.write_text(TOML.replace("order by score desc, id", "order by score desc, id desc"))
    with pytest.raises(gainful.errors.SearchError, match="sql"):
        gainful.search(str(described), queries, 10, journal="kept.journal")
