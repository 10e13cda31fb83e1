"""Read JSON values as their layout declares."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, NamedTuple

from gainful.data.json_paths import ALL, MEMBERS, Key, Part, Path, parts_at
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.layouts import Layout

    Steps: TypeAlias = tuple[Key | int, ...]
    Ratings: TypeAlias = list[tuple[str, dict[str, Part | None]]]

__all__ = ["read_json", "roots_of", "run_records"]

#: Roles of a query, and of a rating.
_QUERY = ("query_id", "text", "only", "collection")
_RATING = (
    *("doc_id", "grade", "score", "group", "weight"),
    *("rater", "question", "unless", "final", "index"),
)


def roots_of(layout: Layout, whole: Part) -> list[Part]:
    """Return the values in a file that have the shape of a layout."""
    wrapped = [part for path in layout.wrappers for part in _all((whole,), (), _steps(path))]
    if any(path.startswith("[") for path in layout.shape):
        # One line of JSON lines is an object.
        one = [
            part._replace(value=[part.value]) for part in wrapped if isinstance(part.value, dict)
        ]
        wrapped += one
    if layout.dotted:
        inside = (ALL, Key(layout.dotted))
        wrapped = [_nested(part, layout.dotted) for part in wrapped if _has(part, inside)]

    def fits(part: Part) -> bool:
        alternatives = [[*map(_steps, paths.split("|"))] for paths in layout.shape]
        return all(any(_has(part, steps) for steps in paths) for paths in alternatives)

    return [part for part in wrapped if fits(part)] if layout.shape else []


def read_json(whole: Part, into: Entries) -> None:
    """Read the queries and the ratings of a JSON value."""
    roots = roots_of(into.layout, whole) or [whole]
    found = [query for root in roots for query in _queries(into.layout, root)]
    parts = (rating["index"] for *_, ratings in found for _, rating in ratings)
    indices = {part.value for part in parts if part is not None and isinstance(part.value, str)}
    if len(indices) > 1:
        into.decided = f"the ids of documents are INDEX/ID, as there are {len(indices)} indices"
    numbers: Counter[str] = Counter()
    is_graded = bool(into.layout.roles.get("grade"))
    for where, own, text, collection, fields, ratings in found:
        name = own and own.text()
        if collection is not None:
            numbers[collection.text()] += 1
            name = f"{collection.text()}-q{numbers[collection.text()]:03}"
        query = into.add_query(name, text and text.text(), fields, where=where)
        for place, rating in ratings:
            values = {role: part and part.value for role, part in rating.items()}
            if not is_graded:
                values["grade"] = 1
            index, document = rating["index"], rating["doc_id"]
            if len(indices) > 1 and index is not None and document is not None:
                values["doc_id"] = f"{index.text()}/{document.text()}"
            into.rate(query, values["doc_id"], values, where=place)


def run_records(whole: Part, layout: Layout) -> Iterator[dict[str, object]]:
    """Yield a record per query of what a system returned."""
    for where, own, text, _, _, ratings in (
        query for root in roots_of(layout, whole) for query in _queries(layout, root)
    ):
        query = own or text
        if query is None:
            raise FormatError("no query", file=whole.file, where=where)
        results = [
            {role: part.value for role in ("doc_id", "score") if (part := rating[role])}
            for _, rating in ratings
        ]
        yield {"query_id": query.text(), "results": results}


class _Query(NamedTuple):
    """A query with its location, and its ratings with theirs."""

    where: str
    own: Part | None
    text: Part | None
    collection: Part | None
    fields: dict[str, Any]
    ratings: Ratings


class _Variant(NamedTuple):
    """The paths of roles, with those of the items that are queries and ratings."""

    paths: dict[str, list[Steps]]
    queries: Steps
    ratings: Steps


def _queries(layout: Layout, root: Part) -> Iterator[_Query]:
    names = {
        name: str(found[-1].value)
        for name, path in layout.renames.items()
        for found in parts_at(root, _steps(path))
    }
    variants = [_variant({**layout.roles, **other}, names) for other in (*layout.otherwise, {})]
    fitting = [one for one in variants if _fits(root, one.queries)] or variants[-1:]
    paths, items, _ = fitting[0]
    fitting = [one for one in fitting if one.queries == items]
    for chain in parts_at(root, items):
        own, text, only, collection = (_first(chain, items, paths[role]) for role in _QUERY)
        if paths["only"] and only is None:
            continue
        if layout.text is not None:
            text = layout.text(chain[-1])
        fields = {
            part.key.removeprefix("$"): part.value
            for path in layout.fields
            for part in _all(chain, items, _steps(path))
            if part.value not in (None, "", {}, []) and part.where != (text and text.where)
        }
        yield _Query(chain[-1].where, own, text, collection, fields, _ratings(chain, fitting))


def _ratings(chain: Sequence[Part], variants: Sequence[_Variant]) -> Ratings:
    """Return the ratings of a query, with their locations."""
    for paths, queries, items in variants:
        start = _common(queries, items)
        if paths is variants[-1].paths or _fits(chain[start], items[start:]):
            break
    wholes = [(*chain[:start], *inner) for inner in parts_at(chain[start], items[start:])]
    ratings = [
        (whole[-1].where, {role: _first(whole, items, paths[role]) for role in _RATING})
        for whole in (wholes if paths["doc_id"] else ())
    ]
    # A rating of something else, such as a comment, has a question, but no grade.
    return [one for one in ratings if one[1]["grade"] is not None or not paths["question"]]


def _variant(roles: Mapping[str, str], names: Mapping[str, str]) -> _Variant:
    def renamed(path: str) -> Steps:
        return tuple(
            step._replace(name=names.get(step.name, step.name)) if isinstance(step, Key) else step
            for step in _steps(path)
        )

    paths = {
        role: [renamed(path) for path in roles.get(role, "").split("|") if path]
        for role in (*_QUERY, *_RATING)
    }
    queries, ratings = (
        max((_items(steps) for role in group for steps in paths[role]), key=len, default=())
        for group in (_QUERY, _RATING)
    )
    return _Variant(paths, queries, ratings)


@cache
def _steps(path: str) -> Steps:
    return tuple(Path(path).steps)


def _items(steps: Steps) -> Steps:
    """Return the steps to the innermost items."""
    places = range(len(steps), 0, -1)
    several = (place for place in places if _is_several(steps[place - 1]))
    return steps[: next(several, 0)]


def _is_several(step: Key | int) -> bool:
    return step.is_layer if isinstance(step, Key) else step in (ALL, MEMBERS)


def _common(one: Steps, other: Steps) -> int:
    """Return how many steps are equal."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _first(chain: Sequence[Part], items: Steps, paths: Sequence[Steps]) -> Part | None:
    """Return the part at the first path that exists; only the last may be wrong."""
    for steps in paths[:-1]:
        if found := _all(chain, items, steps):
            return found[0]
    for steps in paths[-1:]:
        start = _common(items, steps)
        for inner in parts_at(chain[start], steps[start:]):
            return inner[-1]
    return None


def _all(chain: Sequence[Part], items: Steps, steps: Steps) -> list[Part]:
    """Return all parts at a path that begins as that of the items does."""
    start = _common(items, steps)
    try:
        return [inner[-1] for inner in parts_at(chain[start], steps[start:])]
    except FormatError:
        return []


def _fits(part: Part, steps: Steps) -> bool:
    """Return whether the first items have the steps."""
    try:
        next(parts_at(part, steps), None)
    except FormatError:
        return False
    return True


def _has(part: Part, steps: Steps) -> bool:
    """Return whether some item has the steps."""
    if not steps:
        return True
    try:
        return any(_has(inner, steps[1:]) for inner in part.next(steps[0]))
    except FormatError:
        return False


def _nested(part: Part, name: str) -> Part:
    """Return a list of records with nested objects in place of the dots in their keys."""
    dicts = [record for record in part.value if isinstance(record, dict)]
    records = [{**record, name: _undotted(record.get(name))} for record in dicts]
    return part._replace(value=records)


def _undotted(value: Any) -> Any:
    """Return a value without dots in keys; OTLP writes objects as lists of keys and values.

    Examples
    --------
    >>> _undotted({"docs.0.id": "a", "docs.1.id": "b", "input.value": "soup"})
    {'docs': [{'id': 'a'}, {'id': 'b'}], 'input': {'value': 'soup'}}
    >>> _undotted([{"key": "input.value", "value": {"stringValue": "soup"}}])
    {'input': {'value': 'soup'}}
    """
    if isinstance(value, list):
        if value and all(map(_is_typed, value)):
            value = {item["key"]: next(iter(item["value"].values()), None) for item in value}
        else:
            return [_undotted(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner: dict[str, Any] = {}
    outer: dict[str, dict[str, Any]] = {}
    for key, member in value.items():
        first, dot, rest = str(key).partition(".")
        if dot:
            outer.setdefault(first, {})[rest] = member
        else:
            inner[first] = _undotted(member)
    for key, members in outer.items():
        nested, known = _undotted(members), inner.get(key)
        if isinstance(nested, dict) and isinstance(known, dict):
            nested |= known
        inner[key] = nested
    if inner and all(key.isascii() and key.isdigit() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _is_typed(item: Any) -> bool:
    """Return whether a value is an attribute of OTLP."""
    is_pair = isinstance(item, dict) and {*item} == {"key", "value"}
    return is_pair and isinstance(item["key"], str) and isinstance(item["value"], dict)
