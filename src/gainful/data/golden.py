"""Golden sets: questions with the ids of their relevant documents, as in evaluations of RAG.

A record has a question and a list of ids, in itself or in a part such as the ``outputs`` of
LangSmith and the ``additional_metadata`` of DeepEval. Answers and contexts are texts, which are not
ids.
"""

from __future__ import annotations

from gainful.data.columns import ALIASES, normal
from gainful.errors import ColumnError, FormatError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

__all__ = [
    "GoldenQuery",
    "golden_records",
    "has_golden_fields",
    "read_golden",
    "read_retrieved",
    "relevant_grades",
]


def _names(text: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(text.split())}


#: Fields of ids of queries, of questions, of ids of relevant documents, and of texts; the first of
#: several is used. Case, spaces, `-` and `_` are ignored.
_IDS = _names("queryid qid questionid id _id")
_QUESTIONS = _names("question query querytext userinput input searchquery searchterm prompt")
_RELEVANT = _names(
    "relevant relevantids relevantdocs relevantdocuments relevantdocids relevantdocumentids"
    " expectedids expecteddocs expecteddocuments expecteddocids expecteddocumentids"
    " goldids golddocs golddocids positiveids groundtruthids groundtruthdocids"
    " groundtruthcontextids referencecontextids referenceids documentids docids"
)
#: Ids that a system returned, best first.
_RETRIEVED = _names("retrievedcontextids retrievedids retrieveddocids retrieveddocumentids")
#: These have ids in some sets, and answers in RAGAS.
_EITHER = _names("groundtruth groundtruths")
_TEXTS = _names(
    "reference referenceanswer expectedoutput expectedanswer answer answers response"
    " referencecontexts retrievedcontexts retrievalcontext contexts context actualoutput"
)
#: Parts of a record that have fields of their own.
_PARTS = _names("inputs outputs referenceoutputs metadata additionalmetadata")
#: Keys of an object that contain the records.
_WRAPPERS = ("examples", "goldens", "data", "records", "samples")


#: Texts of missing values, as pandas, NumPy and Python print them.
_MISSING = frozenset(["nan", "NaN", "None", "null", "<NA>", "NaT"])


class GoldenQuery:
    """A question of a golden set.

    Attributes
    ----------
    id, text : str or None
        The query's own id, and the question. At least one is there.
    documents : object
        The relevant documents: a list of ids, or a mapping of ids to grades.
    problem : FormatError or None
        Why there are no documents, such as answers in place of ids.
    """

    __slots__ = ("documents", "id", "problem", "text")

    def __init__(self, id: str | None, text: str | None, documents: object = None) -> None:
        self.id = id
        self.text = text
        self.documents = documents
        self.problem: FormatError | None = None


def _plain(name: object) -> str:
    return normal(str(name)).replace("_", "")


_DOCUMENTS = {_plain(name) for name in ALIASES["doc_id"]}


def has_golden_fields(names: Iterable[object]) -> bool:
    """Return whether the fields of a record, or the columns of a table, are those of a golden set.

    Examples
    --------
    >>> has_golden_fields(["question", "relevant"]), has_golden_fields(["Query", "expected-ids"])
    (True, True)
    >>> has_golden_fields(["query", "doc_id", "relevant"]), has_golden_fields(["query", "score"])
    (False, False)
    """
    plain = {_plain(name) for name in names}
    if plain & _DOCUMENTS:
        return False
    asks = not plain.isdisjoint(_QUESTIONS)
    if "inputs" in plain or (asks and "additionalmetadata" in plain):
        return True
    has_ids = not (plain.isdisjoint(_RELEVANT) and plain.isdisjoint(_EITHER))
    return (has_ids and (asks or not plain.isdisjoint(_IDS))) or (
        asks and not plain.isdisjoint(_TEXTS)
    )


def golden_records(value: object) -> Iterable[Mapping[Any, Any]] | None:
    """Return the records of a golden set, a JSON value or its like; None for other values.

    Examples
    --------
    >>> golden_records({"question": "Why?", "relevant": ["d1"]})
    [{'question': 'Why?', 'relevant': ['d1']}]
    >>> golden_records({"queries": {"q1": "Why?"}, "relevant_docs": {"q1": ["d1"]}})
    [{'id': 'q1', 'question': 'Why?', 'relevant': ['d1']}]
    >>> golden_records({"q1": {"d1": 1}}) is None
    True
    """
    if isinstance(value, (list, tuple)):
        first: Any = value[0] if value else None
        return value if _is_object(first) and has_golden_fields(first) else None
    if not _is_object(value):
        return None
    fields: Any = value
    for name in _WRAPPERS:
        if isinstance(fields.get(name), list):
            return golden_records(fields[name])
    relevant = fields.get("relevant_docs")
    if _is_object(fields.get("queries")) and _is_object(relevant):
        # EmbeddingQAFinetuneDataset of LlamaIndex.
        return [
            {"id": id, "question": text, "relevant": relevant.get(id, [])}
            for id, text in fields["queries"].items()
        ]
    if len(fields) > 64 or not fields:
        first = next(iter(fields.values()), None)
    elif has_golden_fields(fields):
        columns = list(fields.values())
        if all(isinstance(each, (list, tuple)) for each in columns):
            return [dict(zip(fields, row, strict=False)) for row in zip(*columns, strict=False)]
        return [fields]
    else:
        first = next(iter(fields.values()))
    if _is_object(first) and any(
        _plain(name) in _RELEVANT and isinstance(each, (list, tuple))
        for name, each in first.items()
    ):
        return [
            {"question": question, **record} if _is_object(record) else record
            for question, record in fields.items()
        ]
    return None


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def read_golden(
    record: Mapping[Any, Any], question: str | None = None, relevant: str | None = None
) -> GoldenQuery:
    """Return the query of a record, with the problem if it has no ids of documents.

    Parameters
    ----------
    record : mapping
        The record.
    question, relevant : str, optional
        The names of the fields of the question and of the ids. Default: recognized.

    Raises
    ------
    FormatError
        For a record without a question.

    Examples
    --------
    >>> read_golden({"inputs": {"question": "Why?"}, "outputs": {"expected_ids": ["d1"]}}).documents
    ['d1']
    >>> print(read_golden({"question": "Why?", "ground_truth": "Because of rain."}).problem)
    query 'Why?': field 'ground_truth' has answer text, expected ids of documents. Hint: put ...
    """
    if not _is_object(record):
        raise FormatError(found=shown(record), expected="an object with a question")
    fields = _fields(record)
    text = _first(fields, _QUESTIONS) if question is None else _named(record, question)
    id = _first(fields, _IDS)
    query = GoldenQuery(_as_id(id), _as_id(text))
    if query.id is None and query.text is None:
        raise FormatError(
            found=f"fields {_listed(record)}",
            expected="a question (question, query, user_input, input) or an id",
        )
    place = query.text or query.id
    documents = _first(fields, _RELEVANT) if relevant is None else _named(record, relevant)
    if documents is not None:
        query.documents = documents[1]
        return query
    either = _first(fields, _EITHER)
    if either is not None and _are_ids(either[1]) and not _TEXTS.keys() & fields.keys():
        query.documents = either[1]
        return query
    answer = either or _first(fields, _TEXTS)
    empty = relevant or next((name for name in record if _plain(name) in _RELEVANT), None)
    hint = "put the ids of the relevant documents in a field 'relevant' or 'expected_ids'"
    if answer is not None:
        found = f"field {answer[0]!r} has answer text"
    elif empty is not None:
        found = f"field {empty!r} has no value"
        hint = "a question without relevant documents has an empty list"
    else:
        found = f"found fields {_listed(record)}"
    query.problem = FormatError(f"{found}, expected ids of documents", query=place, hint=hint)
    return query


def read_retrieved(record: Mapping[Any, Any]) -> tuple[str, Any] | None:
    """Return the query of a record and the ids that a system returned; None without them.

    Examples
    --------
    >>> read_retrieved({"user_input": "Why?", "retrieved_context_ids": ["d2", "d1"]})
    ('Why?', ['d2', 'd1'])
    """
    fields = _fields(record)
    query = _as_id(_first(fields, _IDS)) or _as_id(_first(fields, _QUESTIONS))
    documents = _first(fields, _RETRIEVED)
    return None if query is None or documents is None else (query, documents[1])


def _named(record: Mapping[Any, Any], name: str) -> tuple[str, Any] | None:
    """Return a field that the caller named; None if it is empty.

    Raises
    ------
    ColumnError
        If the record does not have it.
    """
    if name not in record:
        raise ColumnError(found=f"fields {_listed(record)}", expected=f"a field {name!r}")
    value = record[name]
    is_empty = value is None or (
        isinstance(value, (str, float)) and (value == "" or value != value)
    )
    return None if is_empty else (name, value)


def _fields(record: Mapping[Any, Any]) -> dict[str, tuple[str, Any]]:
    """Return the fields of a record and of its parts: their name and value by plain name."""
    found: dict[str, tuple[str, Any]] = {}
    for name, value in record.items():
        plain = _plain(name)
        if plain in _PARTS and _is_object(value):
            for inner, one in value.items():
                found.setdefault(_plain(inner), (f"{name}.{inner}", one))
        elif value is not None and not (isinstance(value, float) and value != value):
            found[plain] = (str(name), value)
    return found


def _first(
    fields: Mapping[str, tuple[str, Any]], names: Mapping[str, int]
) -> tuple[str, Any] | None:
    known = [name for name in fields if name in names]
    return fields[min(known, key=names.__getitem__)] if known else None


def _as_id(field: tuple[str, Any] | None) -> str | None:
    """Return a question or an id as text; other values, and empty ones, do not count."""
    value = None if field is None else field[1]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()  # type: ignore[union-attr]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def _are_ids(value: object) -> bool:
    """Return whether a value is a list of ids: whole numbers, and words without spaces."""
    if _is_object(value):
        value = list(value)  # type: ignore[call-overload]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple, set, frozenset)) or not value:
        return False
    return all(
        (isinstance(each, str) and len(each.split()) == 1)
        or (isinstance(each, int) and not isinstance(each, bool))
        for each in value
    )


def _listed(record: Mapping[Any, Any]) -> str:
    return ", ".join(map(repr, list(record)[:12])) or "none"


def relevant_grades(query: GoldenQuery) -> Iterator[tuple[object, object]]:
    """Yield the relevant documents of a query with their grades, 1 where there is none.

    Documents are ids, pairs of id and grade, objects with an id and maybe a grade, or the keys of a
    mapping. A text is a list, in JSON or as Python or NumPy print it, or ids between ``;``, ``|``
    or ``,``.

    Raises
    ------
    FormatError
        For documents of another form.

    Examples
    --------
    >>> list(relevant_grades(GoldenQuery("q", None, "d1; d2")))
    [('d1', 1), ('d2', 1)]
    """
    documents: Any = query.documents
    if isinstance(documents, str):
        documents = _split(documents, query.text or query.id)
    if hasattr(documents, "tolist"):
        documents = documents.tolist()
    if _is_object(documents):
        yield from documents.items()
        return
    if not isinstance(documents, (list, tuple, set, frozenset)):
        documents = [documents]
    for each in documents:
        if isinstance(each, (list, tuple)) and len(each) == 2:
            yield each[0], each[1]
        elif _is_object(each) or hasattr(each, "metadata"):
            yield _described(each, query)
        else:
            yield each, 1


def _described(document: Any, query: GoldenQuery) -> tuple[object, object]:
    """Return the id and the grade of an object that describes a document."""
    if not _is_object(document):
        # A Document of LangChain or a node of LlamaIndex.
        own = getattr(document, "id", None) or getattr(document, "node_id", None)
        document = {**(document.metadata or {}), **({"id": own} if own else {})}
    by_name = {_plain(name): value for name, value in document.items()}
    own = [name for name in ("docid", "documentid", "id", "_id", *_DOCUMENTS) if name in by_name]
    if not own:
        raise FormatError(
            found=shown(document), expected="a document with an id", query=query.text or query.id
        )
    grade = next((by_name[name] for name in map(_plain, ALIASES["grade"]) if name in by_name), None)
    return by_name[own[0]], 1 if grade is None else grade


def _split(cell: str, query: str | None) -> list[object]:
    """Return the ids of a cell."""
    text = cell.strip()
    if text[:1] in ("[", "{", "("):
        from ast import literal_eval
        from json import loads

        for parse in (loads, _numpy_words, literal_eval):
            try:
                value = parse(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(value, dict):
                return list(value.items())
            return list(value) if isinstance(value, (list, tuple, set)) else [value]
        if text[0] == "[":
            raise _wrong_cell(cell, query)
    mark = next((mark for mark in ";|," if mark in text), None)
    parts = [part.strip() for part in (text.split(mark) if mark else [text])]
    if not _MISSING.isdisjoint(parts):
        raise _wrong_cell(cell, query)
    return list(filter(None, parts))


def _wrong_cell(cell: str, query: str | None) -> FormatError:
    return FormatError(
        found=shown(cell),
        expected="ids of documents",
        query=query,
        hint="write a list in JSON, or an empty list if no document is relevant",
    )


def _numpy_words(text: str) -> list[object]:
    """Return the elements of an array as NumPy prints it: without commas.

    Raises
    ------
    ValueError
        For another form, or an abbreviated array.
    """
    import re
    from ast import literal_eval

    word = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,'"\[\](){}]+"""
    if not re.fullmatch(rf"\[\s*(?:{word})(?:\s+(?:{word}))*\s*\]", text):
        raise ValueError
    words = re.findall(word, text[1:-1])
    if "..." in words or not _MISSING.isdisjoint(words):
        raise ValueError
    return [literal_eval(word) if word[0] in "'\"" else word for word in words]
