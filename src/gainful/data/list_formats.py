"""Formats of judgment lists: layouts with options, and texts that are not records.

Elasticsearch Learning to Rank writes query texts in comments: ``# qid:1: rambo`` above the
judgments contains the query (hello-ltr adds ``*1``, a weight), and the comment of a line begins
with the document. Quepid writes the query after the document instead.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from re import compile as pattern
from typing import NamedTuple

from gainful._kernel import names_with
from gainful.data.paths import stem, uncompressed
from gainful.data.records import MEMBERS, Key
from gainful.errors import Code, DuplicateError, FormatError, ParameterError, SourceError
from gainful.numerals import parse_number
from gainful.writing import compressed, write_error, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gainful import _kernel
    from gainful.data.records import Part

    #: Id, text and grades of each query that is written.
    Listed = Iterable[tuple[str, str, Mapping[str, float]]]

__all__ = [
    "Layout",
    "ListFormat",
    "ListedText",
    "default_name",
    "deliver",
    "dialog_references",
    "is_header",
    "is_ranklib",
    "json_text",
    "read_ranklib",
    "request_text",
    "write_esci",
    "write_golden",
    "write_list",
    "write_opensearch",
    "write_quepid",
    "write_rank_eval",
    "write_ranklib",
    "write_rre",
]


class ListedText(NamedTuple):
    """The queries of a text, with what describes them, and its ratings by line."""

    queries: dict[str, tuple[str | None, dict[str, object]]]
    ratings: list[tuple[int, str, str, str]]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A layout of files: how it is recognized, where its records are, and what their fields mean.

    Paths are those of descriptions of engines, such as ``tasks[].labels[].doc``: ``[]`` is every
    item of a list, ``{}`` every member of an object and ``@key`` its name, ``name?`` may be absent,
    ``name[]?`` is a list that may be missing around its items, ``~ROLE`` is the field of an object
    whose name has that role, and ``a|b`` is the first that exists. Paths with a common beginning
    refer to the same items: the document ``tasks[].labels[].doc`` belongs to the query
    ``tasks[].query``.

    Attributes
    ----------
    name : str
        The name of the format.
    roles : mapping of str to str
        The paths of ``query_id``, ``text`` (of the query), ``doc_id``, ``grade`` or ``score``, and
        optionally ``group`` (documents that are alternatives) with its ``weight``; ``rater``;
        ``question``, which says what was rated; ``unless`` and ``final``, which mark a rating as
        void and as final; ``index``, part of the ids of documents if there are several;
        ``collection``, which numbers queries without ids. Without ``grade``, documents
        are relevant. In a table, the names of columns. Other columns have their usual names.
    otherwise : tuple of mappings
        Roles that replace some of these in other files, which are tried first.
    shape : tuple of str
        The paths that a JSON value has, so that the layout is recognized.
    header : tuple of str
        The columns that a table has.
    wrappers : tuple of str
        Where the value may be in the file. Default: it is the file.
    columns : mapping of str to str
        The columns of roles in a table, for a layout that also has a shape.
    query_pattern : str
        A pattern of ids, of which the group is the id of the query.
    references : callable, optional
        Takes the text at ``doc_id`` and the word of the format; returns the ids in it, and what is
        wrong with it, if anything.
    unanswered : str
        What ids of questions without an answer end with; their documents are no evidence.
    weights : mapping of str to float
        Weights by label. Groups with the weight 0 are left out.
    run : bool
        Whether it contains what a system returned, instead of judgments.
    fields : tuple of str
        Paths, or columns, that describe the query.
    renames : mapping of str to str
        Names in paths that the file can change, and the path of the name.
    dotted : str
        The name of objects whose keys have dots, as attributes of OpenTelemetry do.
    labels : mapping of str to (mapping of str to float)
        Grades by label, by the word that selects them; the empty word is the default.
    spelled : mapping of str to str
        Other spellings of labels.
    several : bool
        Whether a document has grades of several raters, which a word such as ``mean`` combines.
    choices : mapping of str to str
        Options other than ``ids`` and ``scale``, with descriptions.
    word : str
        The meaning of an option without a key, if there is one.
    write : callable, optional
        Takes the listed queries, the `ListFormat` and the file; returns the text.
    summary, queries, evidence, cannot, aliases
        For the documentation: a description, what identifies queries, what it was tested with,
        what cannot be written, and other names.

    Examples
    --------
    >>> votes = Layout(
    ...     name="votes",
    ...     shape=("polls[].votes",),
    ...     roles={
    ...         "text": "polls[].asked",
    ...         "doc_id": "polls[].votes[].page",
    ...         "grade": "polls[].votes[].stars",
    ...     },
    ... )
    >>> from gainful.data.layouts import register
    >>> register(votes)
    >>> import gainful, json
    >>> poll = {"asked": "soup", "votes": [{"page": "r01", "stars": 3}]}
    >>> with open("votes.json", "w") as file:
    ...     json.dump({"polls": [poll]}, file)
    >>> gainful.read_qrels("votes.json").to_dict()
    {'soup': {'r01': 3}}
    """

    name: str
    roles: Mapping[str, str] = field(default_factory=dict)
    otherwise: tuple[Mapping[str, str], ...] = ()
    shape: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    query_pattern: str = ""
    references: Callable[[str, str], tuple[list[str], str]] | None = None
    unanswered: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)
    wrappers: tuple[str, ...] = ("",)
    run: bool = False
    fields: tuple[str, ...] = ()
    renames: Mapping[str, str] = field(default_factory=dict)
    dotted: str = ""
    labels: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)
    several: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    word: str = ""
    write: Callable[[Listed, ListFormat, str], str] | None = None
    summary: str = ""
    queries: str = ""
    evidence: str = ""
    cannot: str = ""
    aliases: tuple[str, ...] = ()
    #: The text of a search, where it is not at a path.
    text: Callable[[Part], Part | None] | None = None
    #: Text that is neither JSON nor a table: recognizes a line, and reads all.
    is_line: Callable[[str], bool] | None = None
    read_text: Callable[[Iterable[tuple[int, str]], str], ListedText] | None = None


@dataclass(frozen=True)
class ListFormat:
    """A layout with options.

    Attributes
    ----------
    layout : Layout
        The layout.
    word : str
        The option without a key, such as ``mean``; may be empty.
    settings : mapping of str to str
        The options by key.
    """

    layout: Layout
    word: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        chosen = [*filter(None, [self.word]), *(f"{k}={v}" for k, v in self.settings.items())]
        return f"{self.name}:{','.join(chosen)}" if chosen else self.name

    @property
    def name(self) -> str:
        """The name of the layout."""
        return self.layout.name

    @cached_property
    def texts_are_ids(self) -> bool:
        """Whether the texts of queries are used as ids."""
        ids = self.settings.get("ids", "own")
        if ids not in ("own", "texts"):
            raise ParameterError(
                where=f"ids of the format {self.name}",
                found=repr(ids),
                expected="own (the ids of the list, or else its texts) or texts",
            )
        return ids == "texts"

    @cached_property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest allowed grade, or None if not set."""
        scale = self.settings.get("scale")
        if scale is None:
            return None
        dash = scale.find("-", 1)
        try:
            ends = parse_number(scale[:dash]), parse_number(scale[dash + 1 :])
        except ValueError:
            ends = (1.0, 0.0)
        if not ends[0] <= ends[1]:
            raise ParameterError(
                where=f"scale of the format {self.name}",
                found=repr(scale),
                expected="the lowest and the highest grade, as in scale=0-3",
            )
        return ends

    @cached_property
    def grades(self) -> dict[str, float]:
        """The grade of each label, as the options say.

        Examples
        --------
        >>> from gainful.data.layouts import list_format
        >>> list_format("esci:E=4,S=2").grades
        {'E': 4.0, 'S': 2.0, 'C': 1, 'I': 0}
        """
        labels = self.layout.labels
        if not labels:
            return {}
        if self.word.lower() not in labels:
            grades = ",".join(f"{label}={grade:g}" for label, grade in labels[""].items())
            words = ", ".join(filter(None, labels))
            raise ParameterError(
                where=f"the format {self.name}",
                found=repr(self.word),
                expected=f"{words}, or grades as in {self.name}:{grades}",
            )
        return self._chosen(labels[self.word.lower()], "a grade")

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of each label of groups, as the options say."""
        return self._chosen(self.layout.weights, "a weight")

    def _chosen(self, values: Mapping[str, float], what: str) -> dict[str, float]:
        chosen = dict(values)
        for label in chosen.keys() & self.settings.keys():
            try:
                chosen[label] = parse_number(self.settings[label])
            except ValueError:
                chosen[label] = float("nan")
            if chosen[label] - chosen[label] != 0.0:
                raise ParameterError(
                    where=f"{label} of the format {self.name}",
                    found=repr(self.settings[label]),
                    expected=what,
                )
        return chosen


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


def read_ranklib(lines: Iterable[tuple[int, str]], file: str) -> ListedText:
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
                file=file,
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
    queries: dict[str, tuple[str | None, dict[str, object]]] = {}
    for query in dict.fromkeys([*header, *(row[2] for row in rows)]):
        words = header.get(query, trailing.get(query))
        weight = _WEIGHT.fullmatch(words) if words and weighted else None
        queries[query] = (weight[1], {"weight": float(weight[2])}) if weight else (words, {})
    ratings = [(number, query, document, grade) for number, grade, query, document, _ in rows]
    return ListedText(queries, ratings)


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


def write_list(
    rows: _kernel.Rows, path: str, format: ListFormat, queries: Mapping[str, str] | None
) -> None:
    """Write judgments as a judgment list, with the texts of queries, atomically."""
    writer = format.layout.write
    if writer is None or rows.labelled:
        raise ParameterError(
            "cannot contain judgments of subtopics" if writer else "can be read, but not written",
            where=f"the format {format.name}",
            hint="merge them with Qrels.merged"
            if writer
            else "formats that can be written are quepid, rre and others",
        )
    deliver(path, writer(list(_listed(rows, queries or {}, path)), format, path))


def _listed(rows: _kernel.Rows, queries: Mapping[str, str], file: str) -> Listed:
    """Yield id, text and grades of each query."""
    owners: dict[str, str] = {}
    for query, qrel in rows.to_dict().items():
        text = queries.get(query, query)
        owner = owners.setdefault(text, query)
        if owner != query:
            raise DuplicateError(
                f"queries {owner!r} and {query!r} have the same text, {text!r}",
                file=file,
                query=query,
            )
        # Write 3, not 3.0, even if other grades have fractions.
        graded = {doc: int(got) if got == int(got) else got for doc, got in qrel.items()}
        yield query, text, graded


def deliver(path: str, text: str) -> None:
    """Write a text to a file, atomically, or to the standard output."""
    content = text.encode("utf-8", "surrogateescape")
    if path == "-":
        try:
            sys.stdout.flush()
            left = memoryview(content)
            # With PYTHONUNBUFFERED the file is unbuffered, and may write only a part.
            while left:
                left = left[sys.stdout.buffer.write(left) :]
            sys.stdout.flush()
        except BrokenPipeError:
            raise SourceError(
                "the reader closed the pipe", file="standard output", code=Code.CLOSED_PIPE
            ) from None
        except OSError as error:
            raise write_error("standard output", error) from error
        return
    suffix = path.lower().rpartition(".")[2]
    if suffix == "zst":
        raise ParameterError(
            "a judgment list cannot be written as zstd", where=path, hint="use gzip, bzip2 or xz"
        )
    is_compressed = suffix in ("gz", "bz2", "xz")
    write_whole(path, compressed(content, suffix) if is_compressed else [content])
