"""Functions and objects as systems: how they are called and identified."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems import Answer, Query, as_system
from gainful.systems.python.identity import code_identity

TEA = Query("q1", "tea", {"locale": "de", "age": 3})
MILK = Query("q2", "milk", {"locale": "en"})
DEPTH = 7


def recorder():
    """Return a list, and what adds to it whatever it is called with."""
    calls = []

    def note(*positional, **named):
        calls.append((positional, named))
        return ["d1"]

    return calls, note


def functions(note):
    """Return functions of many shapes, and what each is to be called with."""

    class Index:
        def search(self, query, top_k):
            return note(query, top_k=top_k)

        def __call__(self, query):
            raise AssertionError

    class Callable:
        def __call__(self, text, k=10):
            return note(text, k=k)

    class Paths:
        def retrieve(self, query, *, limit=3):
            return note(query, limit=limit)

    return {
        "k": (lambda text, k: note(text, k), (("tea", 7), {})),
        "top_k": (lambda query, top_k=5: note(query, top_k=top_k), (("tea",), {"top_k": 7})),
        "another name": (lambda q, howmany: note(q, howmany), (("tea", 7), {})),
        "a number": (lambda q, howmany=10: note(q, howmany), (("tea", 7), {})),
        "no depth": (lambda q: note(q), (("tea",), {})),
        "a filter": (lambda q, filter=None: note(q, filter), (("tea", None), {})),
        "keyword": (lambda q, *, size: note(q, size), (("tea", 7), {})),
        "place": (lambda q, k, /: note(q, k), (("tea", 7), {})),
        "field": (lambda q, locale, k: note(q, locale, k), (("tea", "de", 7), {})),
        "field with default": (
            lambda q, k, *, age=0, country="at": note(q, k, age, country),
            (("tea", 7, 3, "at"), {}),
        ),
        "fields": (
            lambda q, k, fields, query_id: note(q, k, fields, query_id),
            (("tea", 7, TEA.fields, "q1"), {}),
        ),
        "anything": (lambda *words: note(*words), (("tea", 7), {})),
        "options": (lambda q, k, **more: note(q, k, **more), (("tea", 7), {})),
        "partial": (
            functools.partial(lambda index, q, k: note(index, q, k), "wine"),
            (("wine", "tea", 7), {}),
        ),
        "search": (Index(), (("tea",), {"top_k": 7})),
        "method": (Index().search, (("tea",), {"top_k": 7})),
        "retrieve": (Paths(), (("tea",), {"limit": 7})),
        "object": (Callable(), (("tea",), {"k": 7})),
    }


@pytest.mark.parametrize("shape", functions(None))
def test_arguments_of_a_function(shape):
    calls, note = recorder()
    function, expected = functions(note)[shape]
    system = as_system(function)
    assert (system.asynchronous, system.batch) == (False, 1)
    assert system.ask([TEA], DEPTH) == [Answer(["d1"])]
    assert calls == [expected]
    assert system.close() is None


def test_a_builtin_without_a_signature():
    # The second argument of `pop` is what it returns where it has nothing.
    system = as_system({"tea": ["d1"]}.pop)
    assert system.ask([TEA], DEPTH) == [Answer(["d1"])]
    with pytest.raises(ArgumentError, match="found 7"):
        system.ask([TEA], DEPTH)


def test_asynchronous_functions():
    async def search(text, k):
        await asyncio.sleep(0)
        return [(f"{text}-{k}", 1.0)]

    class Client:
        async def search(self, query, limit=10):
            return await search(query, limit)

    class Called:
        async def __call__(self, text, k):
            return await search(text, k)

    for one in (search, Client(), Client().search, Called(), functools.partial(search)):
        system = as_system(one)
        assert system.asynchronous
        found = asyncio.run(system.ask([TEA, MILK], DEPTH))
        assert found == [Answer(["tea-7"], [1.0]), Answer(["milk-7"], [1.0])]


def test_batches():
    calls = []

    def search(texts, k, query_ids, fields, locale):
        calls.append((texts, k, query_ids, fields, locale))
        return [[f"{text}-{n}" for n in range(2)] for text in texts]

    system = as_system(search, batch=16)
    assert system.batch == 16
    found = system.ask([TEA, MILK], 1)
    assert found == [Answer(["tea-0"]), Answer(["milk-0"])]
    assert calls == [(["tea", "milk"], 1, ["q1", "q2"], [TEA.fields, MILK.fields], ["de", "en"])]
    assert as_system(lambda texts: [["d"]], batch=2).ask([TEA], 1) == [Answer(["d"])]

    async def later(texts, k):
        return {"q2": ["b"], "q1": ["a"]}

    assert asyncio.run(as_system(later, batch=2).ask([TEA, MILK], 1)) == [
        Answer(["a"]),
        Answer(["b"]),
    ]


@pytest.mark.parametrize("found", [[["d1"]], [], None, "ab", {"q1": ["d1"]}])
def test_a_batch_of_another_size_is_an_error(found):
    system = as_system(lambda texts, k: found, batch=2)
    with pytest.raises(ArgumentError, match="expected one for each of the 2 queries"):
        system.ask([TEA, MILK], 1)


def test_a_field_that_a_query_lacks():
    system = as_system(lambda text, k, age: [])
    with pytest.raises(ArgumentError, match="query 'q2': the function needs the field 'age'"):
        system.ask([MILK], 1)


def test_exceptions_are_raised():
    def search(text, k):
        raise TimeoutError(text)

    with pytest.raises(TimeoutError, match="tea"):
        as_system(search).ask([TEA], 1)


def test_an_object_by_its_name(tmp_path):
    (tmp_path / "by_name.py").write_text("def find(text, k): return [text]")
    system = as_system(f"{tmp_path}/by_name.py:find", version="1")
    assert (system.name, system.ask([TEA], 1)) == ("find", [Answer(["tea"])])


def test_names():
    def find(text, k): ...

    class Index:
        def search(self, text, k): ...

    named = [find, Index(), Index().search, functools.partial(find, k=3), lambda text, k: []]
    assert [as_system(one).name for one in named] == ["find", "Index", "Index", "find", "system"]
    assert as_system(find, name="bm25").name == "bm25"


def test_a_system_is_used_unchanged():
    system = as_system(lambda text, k: [text], name="one")
    assert as_system(system) is system
    other = as_system(system, name="two")
    assert (other.name, other.identity) == ("two", system.identity)
    assert other.ask([TEA], 1) == [Answer(["tea"])]
    assert other.close() is None
    with pytest.raises(ArgumentError, match="fields: not available for a System"):
        as_system(system, fields={"id": "x"})


class Retriever:
    def __init__(self, boost, key="s3cr3t"):
        self.boost = boost
        self.key = key
        self.calls = 0

    def search(self, text, k):
        self.calls += 1
        return []


class SimpleModel:
    def __init__(self, name):
        self.name = name


class Private:
    """What keeps its setting as most do who hide it."""

    def __init__(self, model):
        self._model = model

    def search(self, query, top_k):
        return [f"{self._model}"]


class Proxy:
    """What says that it has every attribute, as something behind a network does."""

    def __getattr__(self, name):
        return lambda *positional, **named: ["d1"]


class Busy:
    """What holds a function of its own, and searches."""

    def __init__(self):
        self.func = len

    def search(self, query, top_k):
        return ["d1"]


@pytest.mark.parametrize("system", [Proxy(), Busy()])
def test_invalid_attributes_are_ignored(system):
    assert as_system(system).ask([TEA], 3) == [Answer(["d1"])]


class TestIdentity:
    """The identity distinguishes systems."""

    def test_settings_of_an_object(self):
        two, three = as_system(Retriever(2)).identity, as_system(Retriever(3)).identity
        assert two["settings"]["boost"] == 2
        assert two != three
        assert {**two, "settings": 0} == {**three, "settings": 0}
        assert two["callable"] == f"{__name__}:Retriever.search"

    def test_counters_of_an_object_are_not_settings(self):
        retriever = Retriever(2)
        before = as_system(retriever).identity
        retriever.search("tea", 1)
        assert as_system(retriever).identity == before
        assert as_system(retriever.search).identity == before

    def test_texts_are_identified_by_a_digest(self):
        found = as_system(Retriever(2)).identity
        assert "s3cr3t" not in repr(found)
        assert found != as_system(Retriever(2, key="another")).identity

    def test_the_source_counts_and_its_comments_do_not(self, tmp_path):
        from gainful.systems.python.named_objects import load_object

        def identity(text):
            path = tmp_path / "system.py"
            path.write_text(text)
            import linecache

            linecache.checkcache()
            return as_system(load_object(f"{path}:find")).identity

        first = identity("def find(text, k):\n    return ['d1']\n")
        assert (
            identity("def find(text, k):\n    '''Find.'''\n\n    return ['d1']  # one\n") == first
        )
        assert identity("def find(text, k):\n    return ['d2']\n") != first

    def test_a_version_replaces_the_source(self):
        one = as_system(lambda text, k: ["d1"], version="index of May")
        assert one.identity["version"] == "index of May"
        assert "source" not in one.identity

    def test_closures_and_partial_functions(self):
        def make(boost):
            calls = 0
            seen = []

            def search(text, k):
                nonlocal calls
                calls += 1
                seen.append(text)
                return [str(boost)]

            return search

        two = make(2)
        before = code_identity(two, two)
        assert before["settings"] == {"boost": 2}
        two("tea", 1)
        assert code_identity(two, two) == before != code_identity(make(3), make(3))
        partial = functools.partial(Retriever(2).search, k=3)
        assert code_identity(partial, partial)["settings"]["k"] == 3

    def test_values_of_defaults(self):
        one, two = (lambda text, k, boost=each: [str(boost)] for each in (1, 2))
        assert as_system(one).identity != as_system(two).identity

    def test_lambdas_in_one_line(self):
        one, two = (lambda text, k: ["d1"]), (lambda text, k: ["d2"])
        assert as_system(one).identity != as_system(two).identity
        assert as_system(one).identity == as_system(one).identity

    def test_what_a_function_keeps_its_notes_in(self):
        cache = {}

        def search(text, k):
            if text not in cache:
                cache[text] = ["d1"]
            return cache[text]

        before = as_system(search).identity
        search("tea", 1)
        assert as_system(search).identity == before

    def test_nan_is_equal_to_itself(self):
        nothing = float("nan")
        system = as_system(lambda text, k: [str(nothing)])
        printed = json.dumps(system.identity)
        assert json.loads(printed) == system.identity

    @pytest.mark.parametrize(
        ("one", "two"),
        [
            (Path("one.index"), Path("two.index")),
            (Decimal("1.5"), Decimal("2.5")),
            (np.float64(1.5), np.float64(2.5)),
            (frozenset(("a", "b")), frozenset(("a", "c"))),
            (SimpleModel("minilm"), SimpleModel("mpnet")),
        ],
    )
    def test_settings_of_many_kinds_distinguish_objects(self, one, two):
        assert as_system(Private(one)).identity != as_system(Private(two)).identity
        assert as_system(Private(one)).identity == as_system(Private(one)).identity

    def test_a_set_in_code_without_source_has_one_order(self):
        line = (
            "from gainful.systems import as_system\n"
            'code = \'def find(text, k): return [text] if text in {"a", "b", "c"} else []\'\n'
            "exec(code)\n"
            "print(as_system(find).identity['source'])"
        )
        printed = {
            subprocess.run(
                [sys.executable, "-c", line],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2", "3")
        }
        assert len(printed) == 1

    def test_fields_of_an_answer(self):
        def search(text, k): ...

        assert as_system(search).identity != as_system(search, fields={"id": "x"}).identity


@pytest.mark.parametrize(
    ("system", "options", "error", "message"),
    [
        (3, {}, ArgumentError, "found int, expected a function of a query's text and k"),
        ({"q1": ["d1"]}, {}, ArgumentError, "found dict"),
        (Retriever, {}, ArgumentError, r"found the class Retriever.*Hint: write Retriever\(...\)"),
        (lambda: ["d1"], {}, ArgumentError, "the function takes nothing"),
        (lambda *, k: [], {}, ArgumentError, "the function takes k"),
        (lambda text: [], {"batch": 0}, ParameterError, "found 0, expected a whole number"),
        (lambda text: [], {"batch": 2.0}, ParameterError, "found 2.0"),
        (lambda text: [], {"fields": {"x": "y"}}, ParameterError, "found 'x'"),
        (
            lambda text: [],
            {"fields": "id"},
            ArgumentError,
            "fields: found 'id', expected a mapping",
        ),
        ("s.toml", {"version": "2"}, ArgumentError, "not available for a description"),
    ],
)
def test_other_objects_are_errors(system, options, error, message):
    with pytest.raises(error, match=message):
        as_system(system, **options)


def test_an_invalid_answer_names_its_query():
    with pytest.raises(FormatError, match="query 'q1'"):
        as_system(lambda text, k: [("d1", None)]).ask([TEA], 1)


def test_several_queries_one_at_a_time():
    calls = []

    def search(text, k):
        calls.append(text)
        return [text]

    found = as_system(search).ask([TEA, MILK], 1)
    assert calls == ["tea", "milk"]
    assert [answer.documents for answer in found] == [["tea"], ["milk"]]
