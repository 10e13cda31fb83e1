"""Judgments as the text of each judgment list."""

from __future__ import annotations

import json
from itertools import chain

from gainful.data.judgment_lists import es_ltr, esci
from gainful.data.paths import stem
from gainful.errors import FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gainful.data.judgment_lists.list_format import ListFormat

    Listed = Iterable[tuple[str, str, Mapping[str, float]]]

__all__ = ["WRITERS", "called", "json_text", "quepid_json"]


def _table(header: list[object], rows: Iterable[list[object]]) -> str:
    return "".join(",".join(map(_cell, row)) + "\n" for row in chain([header], rows))


def _cell(value: object) -> str:
    """Return a cell of CSV. Python's writer leaves a carriage return open, which ends a row."""
    text = str(value)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(c in text for c in ',"\r\n') else text


def json_text(value: object) -> str:
    """Return a value as JSON for people to read."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _quepid_csv(listed: Listed, format: ListFormat, file: str) -> str:
    rows = ([text, doc, grade] for _, text, graded in listed for doc, grade in graded.items())
    return _table(["query", "docid", "rating"], rows)


def quepid_json(listed: Listed, format: ListFormat, file: str) -> str:
    """Return judgments as Quepid's ratings are in JSON."""
    queries = [{"query": text, "ratings": dict(graded)} for _, text, graded in listed]
    return json_text({"queries": queries})


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
    return json_text(
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
    return json_text({"requests": requests, "metric": metric})


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
        "name": format.settings.get("name") or called(file),
        "description": format.settings.get("description", "Written by Gainful"),
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": ratings,
    }
    return json_text(value)


def _es_ltr(listed: Listed, format: ListFormat, file: str) -> str:
    held = list(listed)
    numbered = all(id.isascii() and id.isdigit() for id, _, _ in held)
    ids = [id if numbered else str(at) for at, (id, _, _) in enumerate(held, start=1)]
    for _, text, graded in held:
        for each in (text, *graded):
            # The text ends with its line, and the document with the first white space.
            if not each.strip() or "\n" in each or (each is not text and each.split() != [each]):
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


WRITERS: dict[str, Callable[[Listed, ListFormat, str], str]] = {
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


def called(path: str) -> str:
    """Return what a list is called that nobody named."""
    return "judgments" if path == "-" else stem(path)
