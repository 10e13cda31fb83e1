"""DuckDB: the only files that a description can access are those it declares."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from combinations import in_turn
from database_kinds import ids
from gainful.errors import SearchError, SourceNotFoundError
from gainful.systems import load_system
from requirements import need

duckdb = need("duckdb")

SECRET = "a password"
DATABASES = [":memory:", "memory.duckdb"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "docs.csv").write_text("id,title\nd1,tea\nd2,soup\n")
    with duckdb.connect(folder / "memory.duckdb") as database:
        database.execute(f"create table products as from '{folder}/docs.csv'")
    return folder


@pytest.fixture(autouse=True)
def folder(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(shutil.copytree(original, tmp_path / "files"))
    return tmp_path / "files"


def make(sql: str = "select id from docs where title = {{query}}", **keys: Any) -> Any:
    description = {"engine": "duckdb", "database": ":memory:", "sql": sql, **keys}
    return load_system({"files": {"docs": "docs.csv"}, **description})


STATEMENTS = [
    "select content from read_text('secret.txt')",
    "create table stolen as from read_text('secret.txt')",
    "from glob('*')",
    "copy (select 1) to 'written.csv'",
    "copy (select 1) to 'docs.csv' (use_tmp_file false)",
    "copy docs to 'memory.duckdb' (format csv, use_tmp_file false)",
    "explain analyze copy (select 1) to 'docs.csv' (use_tmp_file false)",
    "prepare p as copy (select 1) to 'docs.csv' (use_tmp_file false)",
    "select 1; export database 'written'",
    "attach 'written.db'",
    "attach 'memory.duckdb' as products",
    "install httpfs",
    "load fts",
    "set enable_external_access = true",
    "reset enable_external_access",
    "set lock_configuration = false",
    "set allowed_paths = ['secret.txt']",
    "set temp_directory = 'written'",
    "set log_query_path = 'written'",
    "pragma profiling_output = 'written'",
    "create persistent secret s (type s3)",
    "from 'https://127.0.0.1:1/docs.csv'",
]


@pytest.mark.parametrize(
    ("statement", "place"),
    in_turn(STATEMENTS, [*product(DATABASES, ["{}", "{}; select {{{{query}}}}"])], 4),
)
def test_no_statement_reads_or_writes_another_file(
    statement: str, place: tuple[str, str], folder: Path
) -> None:
    database, form = place
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    key = "sql" if "query" in form else "setup"
    system = make(**{key: form.format(statement)}, database=database)
    with pytest.raises(SearchError) as raised:
        ids(system, "tea")
    assert SECRET not in str(raised.value)
    system.close()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("database", DATABASES)
def test_declared_files_are_tables(database: str) -> None:
    system = make(database=database)
    assert ids(system, "soup") == ["d2"]
    system.close()


def test_a_file_that_another_connection_uses_keeps_its_configuration() -> None:
    with duckdb.connect("memory.duckdb", read_only=True) as other:
        system = make("select id from products where title = {{query}}", database="memory.duckdb")
        assert ids(system, "tea") == ["d1"]
        assert other.execute("from read_text('secret.txt')").fetchall()
        system.close()


def test_declared_files_identify_the_system() -> None:
    identities = [make().identity]
    Path("docs.csv").write_text("id,title\nd1,coffee\n")
    identities.append(make().identity)
    assert identities[0] != identities[1]
    with pytest.raises(SourceNotFoundError, match=r"no such file: other\.csv"):
        make(files={"docs": "other.csv"})
