"""Elasticsearch Learning to Rank: RankLib text with query texts in comments.

``# qid:1: rambo`` above the judgments contains the query (hello-ltr adds ``*1``, a weight), and the
comment of a line begins with the document. Quepid writes the query after the document instead.
"""

from __future__ import annotations

from re import compile as pattern

from gainful.data.judgment_lists.list_format import JudgmentFormat
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.data.judgment_lists.entries import Entries
    from gainful.data.judgment_lists.list_format import Listed, ListFormat

__all__ = ["FORMAT", "is_text", "read_text"]

# Lines are stripped. Adjacent parts never match the same text, or long lines would take minutes.
_HEADER = pattern(r"#\s*qid:(\S+):\s*(.*)")
_WEIGHT = pattern(r"(.*)\*([0-9]+(?:\.[0-9]+)?)")
_LINE = pattern(r"(\S+)\s+qid:(\S+)(?:\s[^#]*)?#\s*(.*)")


def is_header(line: str) -> bool:
    """Return whether a line contains the text of a query."""
    return _HEADER.fullmatch(line.strip()) is not None


def is_text(lines: Iterable[str]) -> bool:
    """Return whether the first line that is not a comment is RankLib text.

    >>> is_text(["# qid:1: rambo", "", "4 qid:1 # 7555"]), is_text(["# a comment", "soup"])
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


def read_text(lines: Iterable[tuple[int, str]], into: Entries) -> None:
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
        into.add_rating(ids[own], document, grade, line=number)


def _texts_after_documents(rows: Iterable[tuple[int, str, str, str, str]]) -> dict[str, str]:
    """Return the texts after documents, if they are equal in all lines of each query."""
    found: dict[str, str] = {}
    repeated = False
    for _, _, own, _, rest in rows:
        repeated |= own in found
        if found.setdefault(own, rest) != rest or not rest:
            return {}
    return found if repeated else {}


def _write(listed: Listed, format: ListFormat, file: str) -> str:
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
    ids = [id if numbered else str(at) for at, (id, _, _) in enumerate(queries, start=1)]
    for _, text, graded in queries:
        for each in (text, *graded):
            # A text extends to the line end, a document to the first white space.
            if not each.strip() or "\n" in each or (each is not text and each.split() != [each]):
                raise FormatError(
                    f"the format cannot contain {each!r}: texts need to be one line, and ids "
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


FORMAT = JudgmentFormat(
    summary="RankLib text, with comments such as `# qid:1: rambo`",
    queries="number",
    evidence="files of Elasticsearch-LTR, hello-ltr; Quepid's exporter",
    cannot="documents with white space; numeric with other ids; other ids become numbers",
    aliases=("elasticsearch_ltr",),
    is_line=is_header,
    read_text=read_text,
    write=_write,
)
