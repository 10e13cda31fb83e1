"""Texts of judgment lists: RankLib's lines, the bodies of searches, references to dialogs.

Elasticsearch Learning to Rank writes query texts in comments: ``# qid:1: rambo`` above the
judgments contains the query (hello-ltr adds ``*1``, a weight), and the comment of a line begins
with the document. Quepid writes the query after the document instead.
"""

from __future__ import annotations

from re import compile as pattern

from gainful._kernel import names_with
from gainful.data.json_paths import MEMBERS, Key
from gainful.errors import FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gainful.data.json_paths import Part
    from gainful.data.judgment_lists.entries import Entries

__all__ = [
    "dialog_references",
    "is_header",
    "is_ranklib",
    "is_weighted",
    "read_ranklib",
    "request_text",
]

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
    for own in dict.fromkeys([*header, *(row[2] for row in rows)]):
        words = header.get(own, trailing.get(own))
        weight = _WEIGHT.fullmatch(words) if words and weighted else None
        fields = {"weight": float(weight[2])} if weight else {}
        ids[own] = into.add_query(own, weight[1] if weight else words, fields)
    for number, grade, own, document, _ in rows:
        into.rate(ids[own], document, {"grade": grade}, line=number)


def _texts_after_documents(rows: Iterable[tuple[int, str, str, str, str]]) -> dict[str, str]:
    """Return the texts after documents, if they are equal in all lines of each query."""
    found: dict[str, str] = {}
    repeated = False
    for _, _, own, _, rest in rows:
        repeated |= own in found
        if found.setdefault(own, rest) != rest or not rest:
            return {}
    return found if repeated else {}


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
        found = set(_query_texts(search.get("query") if isinstance(search, dict) else None))
        return request._replace(value=found.pop()) if len(found) == 1 else None
    params = request.next(Key("params", optional=True))
    members = (member for inner in params for member in inner.next(MEMBERS))
    texts = {part.key: part for part in members if isinstance(part.value, str) and part.value}
    names = names_with([*texts], "query.text_of_pair") or ([*texts] if len(texts) == 1 else [])
    return texts[names[0]] if names else None


def _query_texts(query: object) -> Iterator[str]:
    if isinstance(query, list):
        for each in query:
            yield from _query_texts(each)
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
