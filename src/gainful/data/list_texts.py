"""Texts of judgment lists: RankLib's lines, the bodies of searches, references to dialogs.

Elasticsearch Learning to Rank writes query texts in comments: ``# qid:1: rambo`` above the
judgments contains the query (hello-ltr adds ``*1``, a weight), and the comment of a line begins
with the document. Quepid writes the query after the document instead.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from re import compile as pattern
from typing import Any, NamedTuple

from gainful._kernel import names_of, names_with
from gainful.data.paths import stem, uncompressed
from gainful.data.records import id_text, strict_json_value
from gainful.errors import FormatError, ParameterError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.layouts import Listed, ListFormat

    Step: TypeAlias = "Key | int"

__all__ = [
    "ALL",
    "MEMBERS",
    "Key",
    "Part",
    "Path",
    "default_name",
    "dialog_references",
    "is_header",
    "is_ranklib",
    "json_text",
    "kind_of",
    "load",
    "parts_at",
    "read_ranklib",
    "request_text",
    "write_esci",
    "write_golden",
    "write_opensearch",
    "write_quepid",
    "write_rank_eval",
    "write_ranklib",
    "write_rre",
]


_STEP = re.compile(
    r"""(?:^|\.)(?:(?P<name>[^.\[\]{}"?]+)|"(?P<quoted>[^"]+)")(?P<optional>\[\]\?|\?)?"""
    r"""|\[(?P<index>\d*)\]|(?P<members>\{\})"""
)
#: Steps to every item of a list, and to every member of an object.
ALL, MEMBERS = -1, -2


class Key(NamedTuple):
    """A step to a key of an object; a layer is a list that may be missing around its items."""

    name: str
    optional: bool = False
    is_layer: bool = False


class Path:
    """A path in JSON.

    Parameters
    ----------
    text : str
        Names with dots between them, such as ``hits.hits[]``: ``[]`` is every item of a list,
        ``[0]`` the first, and ``{}`` every member of an object; ``name?`` may be absent; a name
        with dots is quoted. ``name[]?`` is a list that may be missing around its items. An empty
        path is the value itself.

    Raises
    ------
    ValueError
        If it is invalid.

    Examples
    --------
    >>> Path("hits[].id").find({"hits": [{"id": 7}, {"id": 8}]})
    [7, 8]
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[Step] = []
        place = 0
        while place < len(text):
            match = _STEP.match(text, place)
            if match is None or text[0] == ".":
                raise ValueError(text)
            place = match.end()
            name = match["name"] or match["quoted"]
            if name:
                optional = match["optional"]
                self.steps.append(Key(name, optional is not None, optional == "[]?"))
            elif match["members"]:
                self.steps.append(MEMBERS)
            else:
                self.steps.append(int(match["index"]) if match["index"] else ALL)

    @property
    def key(self) -> str | None:
        """The name, if the path is a single required name, which is the usual case."""
        first = self.steps[0] if len(self.steps) == 1 else None
        return first.name if isinstance(first, Key) and not first.optional else None

    def find(self, value: Any) -> list[Any]:
        """Return all values at the path.

        Raises
        ------
        LookupError
            If a step is missing; the message lists what exists instead.
        """
        here = [value]
        for step in self.steps:
            here = [inner for outer in here for _, _, inner in _next(outer, step)]
        return here

    def items(self, value: Any) -> list[Any]:
        """Return the items of the lists at the path, with or without ``[]`` at its end."""
        values = self.find(value)
        if self.steps[-1:] == [ALL]:
            return values
        return [item for one in values for _, _, item in _next(one, ALL)]


def _next(value: Any, step: Step) -> list[tuple[str, str, Any]]:
    """Return the values one step further, with what the step adds to a location, and the key."""
    if isinstance(step, Key):
        return _members(value, step)
    # Servers written in Go write null for an empty list.
    if value is None and step == ALL:
        return []
    if step == MEMBERS:
        if not isinstance(value, dict):
            raise LookupError(f"{kind_of(value)} instead of an object")
        return [(f".{key}", key, inner) for key, inner in value.items()]
    if not isinstance(value, list):
        raise LookupError(f"{kind_of(value)} instead of a list")
    if step >= len(value):
        raise LookupError(f"no item [{step}] in a list of {len(value)}")
    items = enumerate(value) if step == ALL else [(step, value[step])]
    return [(f"[{place}]", "", item) for place, item in items]


def _members(value: Any, step: Key) -> list[tuple[str, str, Any]]:
    role = step.name[1:].replace("text", "query.question") if step.name[0] == "~" else None
    if not isinstance(value, dict):
        if step.optional and value is None:
            return []
        what = repr(step.name) if role is None else f"a field for {role}"
        raise LookupError(f"{kind_of(value)} instead of an object with {what}")
    name = step.name if role is None else _named(value, role)
    if name is None or name not in value or (step.optional and value[name] is None):
        if step.optional:
            return [("", "", value)] if step.is_layer else []
        keys = ", ".join(list(value)[:8]) or "no keys"
        known = repr(name) if role is None else f"field such as {', '.join(names_of(role)[:3])}"
        raise LookupError(f"no {known} ({keys})")
    if not step.is_layer:
        return [(f".{name}", name, value[name])]
    return [(f".{name}{place}", "", item) for place, _, item in _next(value[name], ALL)]


def _named(value: dict[str, Any], role: str) -> str | None:
    """Return the best name of a role; an id without a name is that of the record.

    Examples
    --------
    >>> _named({"id": 7, "query": "soup", "docid": "r01"}, "query_id")
    'query'
    """
    names = [*value]
    documents = names_with(names, "document.id") if role == "query_id" else []
    best = names_with(names, "document") if role == "doc_id" else []
    names_of_role = [*best, *(name for name in names_with(names, role) if name not in documents)]
    return names_of_role[0] if names_of_role else None


def kind_of(value: Any) -> str:
    """Return what a JSON value is, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


class Part(NamedTuple):
    """A value in a JSON text with its location, as in ``topics[0].queries``, and its key."""

    value: Any
    file: str
    where: str = ""
    key: str = ""

    def text(self) -> str:
        """Return a text that is not empty; whole numbers are converted.

        Raises
        ------
        FormatError
            For another value.
        """
        text = id_text(self.value)
        if not text:
            description = shown(self.value)
            raise FormatError(
                file=self.file, where=self.where, found=description, expected="a text"
            )
        return text

    def next(self, step: Step) -> list[Part]:
        """Return the parts one step further; ``@key`` is the name of a member.

        Raises
        ------
        FormatError
            If there are none, or the value has another type.
        """
        if isinstance(step, Key) and step.name == "@key":
            return [self._replace(value=self.key)]
        try:
            values = _next(self.value, step)
        except LookupError as error:
            raise FormatError(str(error), file=self.file, where=self.where or None) from None
        return [
            Part(value, self.file, (self.where + place).lstrip("."), key)
            for place, key, value in values
        ]


def parts_at(part: Part, steps: Sequence[Step]) -> Iterator[tuple[Part, ...]]:
    """Yield each part at the end of some steps, after the parts on the way to it.

    Examples
    --------
    >>> chains = parts_at(Part({"a": [{"b": 1}, {"b": 2}]}, "x.json"), Path("a[].b").steps)
    >>> [[part.where for part in chain] for chain in chains]
    [['', 'a', 'a[0]', 'a[0].b'], ['', 'a', 'a[1]', 'a[1].b']]
    """
    if not steps:
        yield (part,)
        return
    for inner in part.next(steps[0]):
        for inner_parts in parts_at(inner, steps[1:]):
            yield (part, *inner_parts)


def load(text: str, file: str) -> Part:
    """Parse a JSON text.

    Raises
    ------
    FormatError
        For invalid JSON, or an object with a duplicate key.
    """
    try:
        return Part(strict_json_value(text), file)
    except KeyError as error:
        raise FormatError(
            f"the key {shown(error.args[0])} occurs twice in one object", file=file
        ) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"invalid JSON: {error.msg}", file=file, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise FormatError("the JSON is too large or too deep", file=file) from None


# Lines are stripped. Adjacent parts never match the same text, or long lines would take minutes.
_HEADER = pattern(r"#\s*qid:(\S+):\s*(.*)")
_WEIGHT = pattern(r"(.*)\*([0-9]+(?:\.[0-9]+)?)")
_LINE = pattern(r"(\S+)\s+qid:(\S+)(?:\s[^#]*)?#\s*(.*)")


def is_header(line: str) -> bool:
    """Return whether a line contains the text of a query."""
    return _HEADER.fullmatch(line.strip()) is not None


def is_ranklib(lines: Iterable[str]) -> bool:
    """Return whether the first line that is not a comment is RankLib text.

    >>> is_ranklib(["# qid:1: rambo", "", "4 qid:1 # 7555"]), is_ranklib(["# a comment", "soup"])
    (True, False)
    """
    for line in lines:
        plain = line.strip()
        if plain and not plain.startswith("#"):
            return _LINE.fullmatch(plain) is not None
    return False


def is_weighted(words: str) -> bool:
    """Return whether a text ends with a weight.

    >>> is_weighted("rambo*1"), is_weighted("rambo")
    (True, False)
    """
    return _WEIGHT.fullmatch(words) is not None


def read_ranklib(lines: Iterable[tuple[int, str]], into: Entries) -> None:
    """Read the queries and ratings of RankLib text."""
    header: dict[str, str] = {}
    rows: list[tuple[int, str, str, str, str]] = []
    for number, line in lines:
        plain = line.strip()
        comment = _HEADER.fullmatch(plain)
        if comment:
            header[comment[1]] = comment[2]
        if not plain or plain.startswith("#"):
            continue
        row = _LINE.fullmatch(plain)
        if row is None:
            raise FormatError(
                file=into.file,
                line=number,
                found=repr(plain[:80]),
                expected="grade qid:QUERY # DOCUMENT",
            )
        document, _, rest = row[3].replace("\t", " ").partition(" ")
        rows.append((number, row[1], row[2], document, rest.strip()))
    if all(row[3].endswith(";") and row[4].startswith('"') for row in rows):
        # Quepid's older form: document; "query"
        rows = [(*row[:3], row[3][:-1], row[4].strip('"')) for row in rows]
    trailing = {} if header else _texts_after_documents(rows)
    weighted = all(is_weighted(words) for words in header.values())
    ids = {}
    for query in dict.fromkeys([*header, *(row[2] for row in rows)]):
        words = header.get(query, trailing.get(query))
        weight = _WEIGHT.fullmatch(words) if words and weighted else None
        fields = {"weight": float(weight[2])} if weight else {}
        ids[query] = into.add_query(query, weight[1] if weight else words, fields)
    for number, grade, query, document, _ in rows:
        into.rate(ids[query], document, {"grade": grade}, line=number)


def _texts_after_documents(rows: Iterable[tuple[int, str, str, str, str]]) -> dict[str, str]:
    """Return the texts after documents, if they are equal in all lines of each query."""
    texts: dict[str, str] = {}
    repeated = False
    for _, _, query, _, rest in rows:
        repeated |= query in texts
        if texts.setdefault(query, rest) != rest or not rest:
            return {}
    return texts if repeated else {}


#: A turn of a session: ``D9:17``. Some have a second colon.
_TURN = pattern(r"D:?([0-9]+):([0-9]+)")
_SEPARATORS = pattern(r"[\s;,|]+")
#: What MemPalace's scorer reads of each reference.
_FIRST_SESSION = pattern(r"D([0-9]+):")


def dialog_references(text: str, word: str) -> tuple[list[str], str]:
    """Return the sessions or turns that a text refers to, and what is wrong with it.

    Raises
    ------
    ParameterError
        For another word than sessions, turns or mempalace.

    Examples
    --------
    >>> dialog_references("D8:6; D9:17", ""), dialog_references("D:11:26", "turns")
    ((['session_8', 'session_9'], ''), (['D11:26'], ''))
    >>> dialog_references("D", "")
    ([], 'not readable')
    >>> dialog_references("D8:6; D9:17", "mempalace")
    (['session_8'], 'misread as by MemPalace')
    """
    if word not in ("", "sessions", "turns", "mempalace"):
        raise ParameterError(
            where="the format locomo", found=repr(word), expected="sessions, turns or mempalace"
        )
    if word == "mempalace":
        firsts = filter(None, map(_FIRST_SESSION.match, text.split("|")))
        read = list(dict.fromkeys(f"session_{first[1]}" for first in firsts))
        is_same = read == dialog_references(text, "")[0]
        return read, "" if is_same else "misread as by MemPalace"
    turns = _TURN.findall(text)
    rest = _SEPARATORS.sub("", _TURN.sub("", text))
    name = "D{}:{}".format if word == "turns" else "session_{}".format
    return list(dict.fromkeys(name(*turn) for turn in turns)), "not readable" if rest else ""


#: Query types whose argument "query" is the query text, possibly under a field.
_FREE_TEXT = ("multi_match", "query_string", "simple_query_string", "combined_fields")
_FIELD_TEXT = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix")


def request_text(request: Part) -> Part | None:
    """Return the query text of a request: of its search, if all parts agree, or a parameter."""
    search = request.value.get("request")
    if search is not None:
        texts_of_request = set(
            _query_texts(search.get("query") if isinstance(search, dict) else None)
        )
        return (
            request._replace(value=texts_of_request.pop()) if len(texts_of_request) == 1 else None
        )
    params = request.next(Key("params", optional=True))
    members = (member for inner in params for member in inner.next(MEMBERS))
    texts = {part.key: part for part in members if isinstance(part.value, str) and part.value}
    names = names_with([*texts], "query.text_of_pair") or ([*texts] if len(texts) == 1 else [])
    return texts[names[0]] if names else None


def _query_texts(query: object) -> Iterator[str]:
    if isinstance(query, list):
        for clause in query:
            yield from _query_texts(clause)
    if not isinstance(query, dict):
        return
    for kind, value in query.items():
        if kind in _FREE_TEXT and isinstance(value, dict) and isinstance(value.get("query"), str):
            yield value["query"]
        elif kind in _FIELD_TEXT and isinstance(value, dict):
            for one in value.values():
                words = one.get("query") if isinstance(one, dict) else one
                if isinstance(words, str):
                    yield words
        elif kind not in ("filter", "must_not"):
            yield from _query_texts(value)


def write_golden(listed: Listed, format: ListFormat, file: str) -> str:
    """Return a golden set as JSON."""
    records = []
    for id, text, graded in listed:
        documents: object = graded
        if all(grade == 1 for grade in graded.values()):
            documents = list(graded)
        fields = {} if id == text else {"id": id}
        records.append({**fields, "question": text, "relevant": documents})
    return json_text(records)


def write_quepid(listed: Listed, format: ListFormat, file: str) -> str:
    """Return Quepid's ratings, as JSON if the file is called so, else as CSV."""
    if uncompressed(file.lower()).endswith(".json"):
        queries = [{"query": text, "ratings": dict(graded)} for _, text, graded in listed]
        return json_text({"queries": queries})
    rows = ([text, doc, grade] for _, text, graded in listed for doc, grade in graded.items())
    return table_text(["query", "docid", "rating"], rows)


def write_rre(listed: Listed, format: ListFormat, file: str) -> str:
    """Return `ratings.json` of RRE."""
    groups = []
    template = format.settings.get("template", "template.json")
    for _, text, graded in listed:
        relevant: dict[int, list[str]] = {}
        for document, grade in graded.items():
            gain = whole_grade(grade, document, text, format, file)
            relevant.setdefault(gain, []).append(document)
        groups.append(
            {
                "name": text,
                "queries": [{"template": template, "placeholders": {"$query": text}}],
                "relevant_documents": dict(sorted(relevant.items(), reverse=True)),
            }
        )
    return json_text(
        {
            "index": required_option(format, "index"),
            "id_field": format.settings.get("id_field", "_id"),
            "topics": [{"description": "Written by Gainful", "query_groups": groups}],
        }
    )


def write_rank_eval(listed: Listed, format: ListFormat, file: str) -> str:
    """Return a request to `_rank_eval`."""
    index = required_option(format, "index")
    field = format.settings.get("field")
    requests = []
    for id, text, graded in listed:
        search = {"match": {field: text}} if field else {"multi_match": {"query": text}}
        ratings = [
            {"_index": index, "_id": doc, "rating": whole_grade(grade, doc, text, format, file)}
            for doc, grade in graded.items()
        ]
        requests.append({"id": id, "request": {"query": search}, "ratings": ratings})
    metric = {"dcg": {"k": 10, "normalize": True}}
    return json_text({"requests": requests, "metric": metric})


def write_opensearch(listed: Listed, format: ListFormat, file: str) -> str:
    """Return judgments of the Search Relevance Workbench."""
    ratings = [
        {
            "query": text,
            # The workbench accepts ratings only as texts.
            "ratings": [{"docId": doc, "rating": repr(float(got))} for doc, got in graded.items()],
        }
        for _, text, graded in listed
    ]
    value = {
        "name": format.settings.get("name") or default_name(file),
        "description": format.settings.get("description", "Written by Gainful"),
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": ratings,
    }
    return json_text(value)


def write_esci(listed: Listed, format: ListFormat, file: str) -> str:
    """Return a table with labels."""
    labels = {grade: label for label, grade in reversed(format.grades.items())}
    rows: list[list[object]] = []
    for id, text, graded in listed:
        for document, grade in graded.items():
            if grade not in labels:
                known = ", ".join(f"{label} {value:g}" for label, value in format.grades.items())
                raise FormatError(
                    f"no label has the grade {grade:g} ({known})",
                    file=file,
                    query=id,
                    document=document,
                    hint="set the grades of the labels, as in esci:E=4,S=2,C=1,I=0",
                )
            rows.append([id, text, document, labels[grade]])
    return table_text(["query_id", "query", "product_id", "esci_label"], rows)


def write_ranklib(listed: Listed, format: ListFormat, file: str) -> str:
    """Return RankLib text, with the texts of queries in comments."""
    queries = list(listed)
    numeric = [id for id, _, _ in queries if id.isascii() and id.isdigit()]
    numbered = len(numeric) == len(queries)
    if numeric and not numbered:
        # Numbers for the others could be the ids of other queries.
        other = next(id for id, _, _ in queries if id not in numeric)
        raise FormatError(
            f"the ids {numeric[0]!r} and {other!r}: either all ids of queries are numbers, or none",
            file=file,
            hint="rename the queries, or write opensearch, quepid or rre",
        )
    ids = [id if numbered else str(index) for index, (id, _, _) in enumerate(queries, start=1)]
    for _, text, graded in queries:
        for value in (text, *graded):
            # A text extends to the line end, a document to the first white space.
            if (
                not value.strip()
                or "\n" in value
                or (value is not text and value.split() != [value])
            ):
                raise FormatError(
                    f"the format cannot contain {value!r}: texts need to be one line, and ids "
                    f"without white space",
                    file=file,
                    query=text,
                    hint="formats that can are opensearch, quepid and rre",
                )
    # If all texts seemed to end with a weight, readers would remove it.
    end = "*1" if all(is_weighted(text) for _, text, _ in queries) else ""
    lines = [f"# qid:{id}: {text}{end}\n" for id, (_, text, _) in zip(ids, queries, strict=True)]
    lines.append("\n")
    for id, (_, text, graded) in zip(ids, queries, strict=True):
        lines += [f"{grade}\tqid:{id}\t# {doc}\t{text}\n" for doc, grade in graded.items()]
    return "".join(lines)


def table_text(header: list[object], rows: Iterable[list[object]]) -> str:
    """Return a table as CSV."""
    return "".join(",".join(map(_cell, row)) + "\n" for row in chain([header], rows))


def _cell(value: object) -> str:
    """Return a cell of CSV. Python's writer does not quote carriage returns, which end a row."""
    text = str(value)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(c in text for c in ',"\r\n') else text


def json_text(value: object) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def whole_grade(grade: float, document: str, query: str, format: ListFormat, file: str) -> int:
    """Return a grade as a whole number; refuse fractions."""
    if grade != int(grade):
        raise FormatError(
            f"{format.name} cannot contain fractions such as {grade:g}",
            file=file,
            query=query,
            document=document,
            hint="opensearch and quepid can contain fractions",
        )
    return int(grade)


def required_option(format: ListFormat, key: str) -> str:
    """Return the value of a required option."""
    value = format.settings.get(key)
    if not value:
        raise ParameterError(
            f"{key} is missing",
            where=f"the format {format.name}",
            hint=f"set the {key} of the documents with {format.name}:{key}=NAME",
        )
    return value


def default_name(path: str) -> str:
    """Return the default name of a list."""
    return "judgments" if path == "-" else stem(path)
