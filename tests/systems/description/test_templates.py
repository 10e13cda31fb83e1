"""Placeholders: their values, their types, and no injection of text."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gainful.errors import FormatError, SearchError
from gainful.systems import Query
from gainful.systems.description.description import Placeholder, Template, parse_text
from gainful.systems.languages import FILTERS

QUERY = Query("q1", 'the "best" {shoes}', {"locale": "de", "limit": 3})


def rendered(value: Any, **settings: Any) -> Any:
    return Template(value, settings).render(QUERY, 10)


def test_a_placeholder_alone_keeps_its_type() -> None:
    assert rendered({"a": "{{k}}", "b": "{{ query }}", "c": "{{field.limit}}"}) == {
        "a": 10,
        "b": QUERY.text,
        "c": 3,
    }
    assert rendered(["{{weights}}", "{{on}}"], weights=[1, 2.5], on=True) == [[1, 2.5], True]


def test_among_other_text_numbers_are_written_as_json_does() -> None:
    template = "{{query_id}}: {{k}} {{x}} {{flag}} {{field.locale}}"
    assert rendered(template, x=0.5, flag=False) == "q1: 10 0.5 false de"


def test_dotted_settings_and_keys() -> None:
    template = Template({"match": {"{{on.field}}": "{{query}}"}}, {"on.field": "title"})
    assert template.render(QUERY, 1) == {"match": {"title": QUERY.text}}


def test_what_was_typed_is_never_read_as_a_template() -> None:
    query = Query("q", "{{k}} \\{{ ${HOME} {{nothing}}")
    assert Template({"q": "{{query}}", "r": "<{{query}}>"}).render(query, 1) == {
        "q": query.text,
        "r": f"<{query.text}>",
    }


def test_two_braces_that_are_none() -> None:
    assert rendered(r"query { \{{ {{k}} }}") == "query { {{ 10 }}"


def test_a_constant_is_filled_in_once() -> None:
    template = Template(["title^{{boost}}"], {"boost": 2})
    assert template.constant
    assert template.value() == ["title^2"]
    assert not Template({"a": ["{{query}}"]}).constant


def test_vectors_may_be_arrays() -> None:
    query = Query("q", "x", {"vector": np.array([0.5, 2.0])})
    assert Template("{{vector}}").render(query, 1) == [0.5, 2.0]
    assert Template("{{vector|json}}").render(query, 1) == "[0.5, 2.0]"


def test_a_field_that_a_query_does_not_have() -> None:
    template = Template("{{field.colour}}", fields={"colour": "any"})
    assert template.render(QUERY, 1) == "any"
    with pytest.raises(
        SearchError, match=r"query 'q1': the query has no field 'colour'.*\[fields\]"
    ) as it:
        Template("{{field.colour}}").render(QUERY, 1)
    assert not it.value.transient


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{query", "braces are not closed"),
        ("{{qurey}}", r"placeholder \{\{qurey\}\}, expected one of .*Hint: did you mean \{\{query"),
        ("{{boost}}", "boost has the settings boost.title, boost.brand"),
        ("{{speed}}", r"Hint: declare it with \[settings\] speed = …"),
        ("{{query|lucine}}", "unknown filter 'lucine'.*expected one of .*lucene"),
        ("{{}}", "no name in {{}}"),
        ("<{{list}}>", r"a list cannot be part of a text. Hint: \{\{name\|json\}\}"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_description(text: str, message: str) -> None:
    settings = {"boost.title": 1, "boost.brand": 2, "list": [1]}
    with pytest.raises(FormatError, match=message) as error:
        Template({"body": [text]}, settings, where="top", file="s.toml")
    assert "top.body[]" in str(error.value)
    assert "s.toml" in str(error.value)


def test_a_list_inside_a_text_is_an_error_of_the_query() -> None:
    query = Query("q7", "x", {"tags": ["a"]})
    with pytest.raises(SearchError, match=r"query 'q7': a list cannot be part of a text"):
        Template("tags: {{field.tags}}").render(query, 1)


def test_parts_of_a_text() -> None:
    assert parse_text("a {{x|lower|json}} b {{ y }}") == [
        "a ",
        Placeholder("x", ("lower", "json")),
        " b ",
        Placeholder("y"),
    ]


@pytest.mark.parametrize(
    ("name", "typed", "escaped"),
    [
        ("lucene", 'wi-fi "6" (new)', r"wi\-fi \"6\" \(new\)"),
        ("lucene", "salt AND pepper NOT", r"salt \AND pepper \NOT"),
        ("lucene", "ANDROID <b>", "ANDROID  b "),
        ("solr", "a<b {!func}x", r"a<b \{\!func\}x"),
        ("solr", r"c:\d a/b", r"c\:\\d a\/b"),
        ("fts5", 'usb "c" & hub', '"usb" """c""" "hub"'),
        ("fts5_any", "red NOT shoes", '"red" OR "NOT" OR "shoes"'),
        ("fts5", "&&", '""'),
        ("tsquery", "men's c\\d", "'men''s' & 'c\\\\d'"),
        ("tsquery_any", "a b !", "'a' | 'b'"),
        ("like", "50%_a\\", r"50\%\_a" + "\\\\"),
        ("json", 'a "b"', r'"a \"b\""'),
        ("lower", "ÄB", "äb"),
    ],
)
def test_filters(name: str, typed: str, escaped: str) -> None:
    assert FILTERS[name](typed) == escaped


@given(st.text())
def test_fts5_takes_whatever_was_typed(typed: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("create virtual table shop using fts5(title)")
    try:
        for name in ("fts5", "fts5_any"):
            match = FILTERS[name](typed)
            try:
                match.encode()
            except UnicodeEncodeError:
                return
            connection.execute("select * from shop where shop match ?", [match]).fetchall()
    finally:
        connection.close()


@given(st.text())
def test_json_is_read_back_as_it_was_typed(typed: str) -> None:
    assert json.loads(FILTERS["json"](typed)) == typed
