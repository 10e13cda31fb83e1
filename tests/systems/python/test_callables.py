"""Functions and objects as systems: how they are called and identified."""

from __future__ import annotations

import asyncio
import functools

import pytest

from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.systems import Answer, Query, as_system

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
    def __init__(self, boost):
        self.boost = boost
        self.calls = 0

    def search(self, text, k):
        self.calls += 1
        return []


class Called:
    def __call__(self, text, k): ...


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


def find(text, k): ...


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (find, "find"),
        (functools.partial(find, k=3), "find"),
        (Retriever(2), "Retriever.search"),
        (Retriever(2).search, "Retriever.search"),
        (functools.partial(Retriever(2).search, k=3), "Retriever.search"),
        (Called(), "Called"),
    ],
)
def test_the_identity_is_the_qualified_name(system, name):
    assert as_system(system).identity == {"kind": "python", "callable": f"{__name__}:{name}"}


def test_version_and_fields_are_parts_of_the_identity():
    one = as_system(find, version="index of May", fields={"id": "x"})
    assert one.identity["version"] == "index of May"
    assert one.identity["fields"] == {"id": "x"}


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
