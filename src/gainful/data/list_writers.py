"""Write judgments as the text of judgment lists of other tools."""

from __future__ import annotations

import json
from itertools import chain

from gainful.data.list_texts import is_weighted
from gainful.data.paths import stem, uncompressed
from gainful.errors import FormatError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gainful.data.layouts import Listed, ListFormat

__all__ = [
    "default_name",
    "json_text",
    "write_esci",
    "write_golden",
    "write_opensearch",
    "write_quepid",
    "write_rank_eval",
    "write_ranklib",
    "write_rre",
]


def write_golden(listed: Listed, format: ListFormat, file: str) -> str:
    """Return a golden set as JSON."""
    records = []
    for id, text, graded in listed:
        documents: object = graded
        if all(grade == 1 for grade in graded.values()):
            documents = list(graded)
        own = {} if id == text else {"id": id}
        records.append({**own, "question": text, "relevant": documents})
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
