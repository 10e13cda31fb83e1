"""Reading the description of a system: valid contents, and errors for all others."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from gainful.errors import ArgumentError, FormatError, ParameterError, SourceError
from gainful.systems.description import read_description
from gainful.systems.description.loading import flat_settings, setting_value
from gainful.systems.masking import Secret, masked


def test_values_come_with_settings_filled_in(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(
        'engine = "sqlite"\n'
        'database = "shop.db"\n'
        "weights = ['{{boost.title}}', 1.5]\n"
        "depth = '{{depth}}'\n"
        "[settings]\n"
        "boost.title = 2\n"
        "depth = 7\n"
    )
    read = read_description(file, settings={"boost": {"title": 4}})
    assert read.name == "shop"
    assert read.path("database") == str(tmp_path / "shop.db")
    assert read.integer("depth") == 7
    assert read.settings == {"boost.title": 4, "depth": 7}
    assert read.template("weights").value() == [4, 1.5]  # type: ignore[union-attr]
    read.finish()


def test_a_name_given_beats_the_one_written() -> None:
    assert read_description({"engine": "http", "name": "a"}).name == "a"
    assert read_description({"engine": "http", "name": "a"}, name="b").name == "b"


def test_a_byte_order_mark_is_no_key(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_bytes(b'\xef\xbb\xbfengine = "http"\n')
    assert read_description(file).engine == "http"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"engine = 'http'\nurl =\n", "line 2: invalid TOML"),
        (b"engine = 'http'\n# \xff\n", "line 2: not UTF-8"),
        (b"engine = 'http'\nengine = 'solr'\n", "line 2: invalid TOML"),
        (b"#" * (1 << 20) + b"\n", "more than 1 MiB"),
        (b"a = " + b"[" * 100_000, "tables or lists are nested too deeply"),
        (b"a = " + b"[" * 200 + b"]" * 200, "tables or lists are nested too deeply"),
        (b".".join([b"a"] * 200) + b" = 1", "tables or lists are nested too deeply"),
        (b".".join([b"a"] * 100_000) + b" = 1", "tables or lists are nested too deeply"),
        (b"a = 1" + b"0" * 10_000, "a number has thousands of digits"),
        (b"url = 'x'\n", "'engine' is missing, expected one of bm25, "),
        (b"engine = 'elastic'\n", "engine = 'elastic'.*Hint: "),
        (b"engine = 'Solr'\n", "Hint: did you mean 'solr'"),
        (b"engine = 3\n", "engine = 3"),
        (b"engine = 'http'\nsettings = 3\n", "settings = 3, expected a table"),
        (b"engine = 'http'\nsettings.query = 3\n", "cannot be named 'query'.*part of the query"),
        (b"engine = 'http'\nsettings.field.x = 3\n", "cannot be named 'field.x'"),
        (b"engine = 'http'\nsettings.'a b' = 3\n", "a setting cannot be named 'a b'"),
        (b"engine = 'http'\nsettings.a = nan\n", "'a' = nan, expected a number"),
        (b"engine = 'http'\nsettings.a = 2020-01-01\n", "expected a text, a number"),
        (b"engine = 'http'\nsettings.a = '{{k}}'\n", "the setting 'a' has a placeholder"),
        (b"engine = 'http'\nsettings.'a.b' = 1\nsettings.a.b = 2\n", "duplicate setting 'a.b'"),
        (b"engine = 'http'\nname = 3\n", "name = 3, expected a text"),
        (b"engine = 'http'\nfields = 3\n", "fields = 3, expected a table"),
    ],
)
def test_bad_files(tmp_path: Path, text: bytes, message: str) -> None:
    file = tmp_path / "s.toml"
    file.write_bytes(text)
    with pytest.raises(FormatError, match=message) as error:
        read_description(file)
    assert str(file) in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read_description(tmp_path / "none.toml")
    with pytest.raises(SourceError, match="cannot read the file"):
        read_description(tmp_path)
    with pytest.raises(ArgumentError, match="found int"):
        read_description(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("declared", "given", "message"),
    [
        ({"boost": {"title": 1}}, {"boost.titel": 2}, "'boost.titel'.*did you mean 'boost.title'"),
        ({}, {"boost": 2}, r"has no settings. Hint: declare it with \[settings\] boost = …"),
    ],
)
def test_settings_that_are_not_declared(
    declared: dict[str, Any], given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        read_description({"engine": "http", "settings": declared}, settings=given)


def test_an_unused_key_is_an_error() -> None:
    read = read_description({"engine": "http", "results": {"documnets": "hits"}})
    results = read.table("results")
    assert results is not None
    assert results.text("documents", "") == ""
    with pytest.raises(
        FormatError, match=r"unknown key 'results.documnets'.*mean 'results.documents'"
    ):
        read.finish()


def test_a_setting_that_changes_nothing_is_an_error() -> None:
    read = read_description(
        {"engine": "http", "settings": {"boost": 2, "slop": 1}, "a": "{{slop}}"}
    )
    assert read.integer("a") == 1
    with pytest.raises(FormatError, match="the setting 'boost' is not used"):
        read.finish()


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("integer", True, "a = True, expected a whole number"),
        ("integer", -1, "a = -1, expected at least 0"),
        ("number", "1", "a = '1', expected a number"),
        ("text", 1, "a = 1, expected a text"),
        ("flag", 1, "a = 1, expected true or false"),
        ("texts", ["x", 1], "expected a list of texts"),
        ("values", "x", "expected a table"),
        ("table", "x", r"expected a table, \[a\]"),
        ("source", 1, "expected a text"),
        ("text", "{{query}}", "does not depend on the query"),
    ],
)
def test_values_of_the_wrong_type(method: str, value: Any, message: str) -> None:
    read = read_description({"engine": "http", "a": value})
    with pytest.raises(FormatError, match=message):
        getattr(read, method)("a")


def test_a_key_that_has_to_be_there() -> None:
    read = read_description({"engine": "http"})
    with pytest.raises(FormatError, match="'url' is missing, expected a text"):
        read.text("url")
    assert read.text("url", None) is None


def test_one_description_on_top_of_another() -> None:
    read = read_description({"engine": "solr", "body": {"query": "x"}, "list": [1]})
    merged = read.over({"body": {"limit": 3, "query": "y"}, "list": [2, 3], "path": "/"})
    assert merged.values("body") == {"limit": 3, "query": "x"}
    assert merged.template("list").value() == [1]  # type: ignore[union-attr]
    assert merged.text("path") == "/"


def test_secrets_are_shown_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = Secret("ApiKey ${SHOP_KEY}", "headers.Authorization", "s.toml")
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    assert secret.reveal() == "ApiKey s3cret"
    assert "s3cret" not in repr(secret)
    monkeypatch.delenv("SHOP_KEY")
    message = r"headers.Authorization, s.toml: the environment variable SHOP_KEY is not set"
    with pytest.raises(FormatError, match=message):
        secret.reveal()


def test_masks_take_the_longest_first() -> None:
    assert masked("abcdefgh abcd abc", ["abcd", "abcdefgh", "abc"]) == "*** *** abc"


@pytest.mark.parametrize(
    "write",
    [
        str,
        quote_plus,
        lambda text: quote(text, safe="/").replace("%C3", "%c3"),
        json.dumps,
        lambda text: json.dumps(text, ensure_ascii=False),
        lambda text: json.dumps(text).replace("/", "\\/"),
        html.escape,
        lambda text: json.dumps(json.dumps(json.dumps(text))),
    ],
)
def test_masks_know_how_a_secret_is_written(write: Callable[[str], str]) -> None:
    secret = 'p@s/ "w+<é>&\\'
    masked_text = masked(f"no {write(secret)}.", [secret])
    assert masked_text.replace('"', "").replace("\\", "") == "no ***."


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-0.5", -0.5),
        ("true", True),
        ("or", "or"),
        ("'1'", "1"),
        ("[1, 2]", [1, 2]),
        ("2020-01-01", "2020-01-01"),
        ("{a=1}", "{a=1}"),
        ("1\nb = 2", "1\nb = 2"),
        ("", ""),
        ("75%", "75%"),
    ],
)
def test_settings_of_the_command_line(text: str, value: Any) -> None:
    found = setting_value(text)
    assert found == value
    assert type(found) is type(value)


def test_settings_may_be_nested_or_dotted() -> None:
    assert flat_settings({"a": {"b": 1, "c": {"d": [1]}}, "e.f": "x"}) == {
        "a.b": 1,
        "a.c.d": [1],
        "e.f": "x",
    }
