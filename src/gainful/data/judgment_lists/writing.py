"""Judgments written as the judgment lists of other tools."""

from __future__ import annotations

from gainful.data.judgment_lists import es_ltr, esci
from gainful.data.judgment_lists.reading import chosen_format
from gainful.errors import DuplicateError, FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gainful.data.judgment_lists.list_format import ListFormat
    from gainful.data.paths import Path
    from gainful.data.qrels import Qrels

    Listed = Iterable[tuple[str, str, Mapping[str, float]]]

__all__ = ["write_judgment_list", "write_query_set"]


def write_judgment_list(
    qrels: Qrels,
    path: Path,
    *,
    format: str,
    queries: Mapping[str, str] | None = None,
) -> None:
    """Write judgments as a judgment list, whole or not at all.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    path : str or path
        Where to; ``"-"`` is the standard output, and ``.gz``, ``.bz2`` or ``.xz`` compresses.
    format : str
        ``"quepid"`` (CSV, or JSON where the path ends in ``.json``), ``"rre"``, ``"rank_eval"``,
        ``"es-ltr"``, ``"opensearch"`` or ``"esci"``. After a colon stands what has to be said
        beside the judgments: ``"rank_eval:index=shop,field=title"``,
        ``"rre:index=shop,id_field=sku"``, ``"opensearch:name=Spring"``, ``"esci:amazon"``.
    queries : mapping of str to str, optional
        The text of each query by id; without it, and for queries that are not in it, the id is the
        text.

    Raises
    ------
    FormatError, DuplicateError, ParameterError
        For judgments that the format cannot carry: fractions where it has whole numbers, grades
        that are no label, two queries with one text; and where the index is missing.
    SourceError
        If the file cannot be written.

    Examples
    --------
    >>> import gainful
    >>> qrels = gainful.Qrels({"q1": {"r01": 3, "r02": 0}})
    >>> write_judgment_list(qrels, "out.csv", format="quepid", queries={"q1": "lentil soup"})
    >>> from pathlib import Path
    >>> print(Path("out.csv").read_text(), end="")
    query,docid,rating
    lentil soup,r01,3
    lentil soup,r02,0
    """
    import os

    chosen = chosen_format(format)
    name = os.fspath(path)
    writer = _WRITERS.get(chosen.name)
    if writer is None or qrels.has_subtopics:
        raise ParameterError(
            where=f"the format {chosen.name}",
            found="judgments of subtopics" if writer else "judgments without their raters",
            expected="one grade a document" if writer else "another format, such as quepid",
        )
    if chosen.name == "quepid" and _plain_suffix(name) == ".json":
        writer = _quepid_json
    _deliver(name, writer(list(_listed(qrels, queries or {}, name)), chosen, name))


def write_query_set(
    queries: Mapping[str, str] | Iterable[str], path: Path, *, name: str | None = None
) -> None:
    """Write queries as a query set of OpenSearch's Search Relevance Workbench.

    Parameters
    ----------
    queries : mapping or iterable of str
        The texts, by id or alone. Judgments of OpenSearch name queries by their texts.
    path : str or path
        Where to.
    name : str, optional
        What the workbench calls it; the name of the file without it.

    Examples
    --------
    >>> from gainful.data.judgment_lists import listed_queries
    >>> write_query_set(["lentil soup", "ramen"], "set.json")
    >>> [query.text for query in listed_queries("set.json")]
    ['lentil soup', 'ramen']
    """
    import os

    target = os.fspath(path)
    texts = queries.values() if hasattr(queries, "values") else queries
    value = {
        "name": name or _called(target),
        "description": "Written by Gainful",
        "sampling": "manual",
        "querySetQueries": [{"queryText": text} for text in dict.fromkeys(texts)],
    }
    _deliver(target, _json(value))


def _listed(
    qrels: Qrels, queries: Mapping[str, str], file: str
) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """Yield id, text and grades of each query."""
    owners: dict[str, str] = {}
    for query in qrels:
        text = queries.get(query, query)
        owner = owners.setdefault(text, query)
        if owner != query:
            raise DuplicateError(
                file=file,
                query=query,
                found=f"the text {text!r}, which is that of query {owner!r}, too",
                expected="one query for each text",
            )
        # A list with one fraction in it need not write 3 as 3.0.
        graded = {doc: int(got) if got == int(got) else got for doc, got in qrels[query].items()}
        yield query, text, graded


def _table(header: list[str], rows: Iterable[list[object]]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _json(value: object) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _quepid_csv(listed: Listed, format: ListFormat, file: str) -> str:
    rows = ([text, doc, grade] for _, text, graded in listed for doc, grade in graded.items())
    return _table(["query", "docid", "rating"], rows)


def _quepid_json(listed: Listed, format: ListFormat, file: str) -> str:
    return _json({"queries": [{"query": text, "ratings": dict(got)} for _, text, got in listed]})


def _rre(listed: Listed, format: ListFormat, file: str) -> str:
    groups = []
    template = format.settings.get("template", "template.json")
    for _, text, graded in listed:
        relevant: dict[str, list[str]] = {}
        for document, grade in graded.items():
            relevant.setdefault(_whole(grade, document, text, format, file), []).append(document)
        groups.append(
            {
                "name": text,
                "queries": [{"template": template, "placeholders": {"$query": text}}],
                "relevant_documents": dict(sorted(relevant.items(), key=_largest_first)),
            }
        )
    return _json(
        {
            "index": _said(format, "index"),
            "id_field": format.settings.get("id_field", "_id"),
            "topics": [{"description": "Written by Gainful", "query_groups": groups}],
        }
    )


def _largest_first(pair: tuple[str, list[str]]) -> int:
    return -int(pair[0])


def _rank_eval(listed: Listed, format: ListFormat, file: str) -> str:
    index = _said(format, "index")
    field = format.settings.get("field")
    requests = []
    for id, text, graded in listed:
        typed = {"match": {field: text}} if field else {"multi_match": {"query": text}}
        ratings = [
            {"_index": index, "_id": doc, "rating": int(_whole(grade, doc, text, format, file))}
            for doc, grade in graded.items()
        ]
        requests.append({"id": id, "request": {"query": typed}, "ratings": ratings})
    metric = {"dcg": {"k": 10, "normalize": True}}
    return _json({"requests": requests, "metric": metric})


def _opensearch(listed: Listed, format: ListFormat, file: str) -> str:
    ratings = [
        {
            "query": text,
            # The workbench takes ratings as texts only.
            "ratings": [{"docId": doc, "rating": repr(float(got))} for doc, got in graded.items()],
        }
        for _, text, graded in listed
    ]
    value = {
        "name": format.settings.get("name") or _called(file),
        "description": format.settings.get("description", "Written by Gainful"),
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": ratings,
    }
    return _json(value)


def _es_ltr(listed: Listed, format: ListFormat, file: str) -> str:
    held = list(listed)
    numbered = all(id.isascii() and id.isdigit() for id, _, _ in held)
    ids = [id if numbered else str(at) for at, (id, _, _) in enumerate(held, start=1)]
    for _, text, graded in held:
        for each in (text, *graded):
            # The text ends with its line, and the document with the first white space.
            if not each.strip() or "\n" in each or (each is not text and len(each.split()) > 1):
                raise FormatError(
                    file=file,
                    query=text,
                    found=f"{each!r}",
                    expected="a text of one line, and documents without white space",
                    hint="another format can carry it: opensearch, quepid or rre",
                )
    # Where every text looks as if it ended with a weight, readers would take it for one.
    end = "*1" if all(es_ltr.is_weighted(text) for _, text, _ in held) else ""
    lines = [f"# qid:{id}: {text}{end}\n" for id, (_, text, _) in zip(ids, held, strict=True)]
    lines.append("\n")
    for id, (_, text, graded) in zip(ids, held, strict=True):
        lines += [f"{grade}\tqid:{id}\t# {doc}\t{text}\n" for doc, grade in graded.items()]
    return "".join(lines)


def _esci(listed: Listed, format: ListFormat, file: str) -> str:
    meaning = esci.grades(format)
    labels = {grade: label for label, grade in reversed(meaning.items())}
    rows: list[list[object]] = []
    for id, text, graded in listed:
        for document, grade in graded.items():
            if grade not in labels:
                known = ", ".join(f"{label} {value:g}" for label, value in meaning.items())
                raise FormatError(
                    file=file,
                    query=id,
                    document=document,
                    found=f"the grade {grade:g}",
                    expected=f"that of a label: {known}",
                    hint="esci:E=4,S=2,C=1,I=0 says which grades they stand for",
                )
            rows.append([id, text, document, labels[grade]])
    return _table(["query_id", "query", "product_id", "esci_label"], rows)


_WRITERS: dict[str, Callable[[Listed, ListFormat, str], str]] = {
    "quepid": _quepid_csv,
    "rre": _rre,
    "rank_eval": _rank_eval,
    "opensearch": _opensearch,
    "es_ltr": _es_ltr,
    "esci": _esci,
}


def _whole(grade: float, document: str, query: str, format: ListFormat, file: str) -> str:
    if grade != int(grade):
        raise FormatError(
            file=file,
            query=query,
            document=document,
            found=f"the grade {grade:g}",
            expected=f"a whole number, as {format.name} has them",
            hint="opensearch and quepid carry fractions",
        )
    return str(int(grade))


def _said(format: ListFormat, key: str) -> str:
    value = format.settings.get(key)
    if not value:
        raise ParameterError(
            where=f"the format {format.name}",
            found=f"no {key}",
            expected="the one that the documents are in",
            hint=f"{format.name}:{key}=NAME says it",
        )
    return value


def _called(path: str) -> str:
    """Return what a list is called that nobody named."""
    from gainful.data.paths import stem

    return "judgments" if path == "-" else stem(path)


def _plain_suffix(path: str) -> str:
    from os.path import splitext

    from gainful.data.paths import COMPRESSED

    stem, suffix = splitext(path)
    return (splitext(stem)[1] if suffix.lower() in COMPRESSED else suffix).lower()


def _deliver(path: str, text: str) -> None:
    import sys

    from gainful.writing import unwritten, write_whole

    content = text.encode("utf-8", "surrogateescape")
    if path == "-":
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        except OSError as error:
            raise unwritten("standard output", error) from error
        return
    write_whole(path, [_compressed(path, content)])


def _compressed(path: str, content: bytes) -> bytes:
    suffix = path.lower().rpartition(".")[2]
    if suffix == "gz":
        import gzip

        # Without the time, so that the same judgments are the same bytes.
        return gzip.compress(content, mtime=0)
    if suffix == "bz2":
        import bz2

        return bz2.compress(content)
    if suffix == "xz":
        import lzma

        return lzma.compress(content)
    if suffix == "zst":
        raise ParameterError(
            where=path, found="zstd", expected="gzip, bzip2 or xz for a judgment list"
        )
    return content
