"""Layouts that people write judgments and runs in, and the sources that they keep them in.

``python tests/data/layouts.py`` prints how often each source refuses each layout.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import tempfile
from collections import Counter, namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import gainful
from gainful import _kernel
from gainful.data.named_runs import runs_by_name
from gainful.data.query_attributes import read_query_attribute
from gainful.errors import GainfulError
from gainful.systems.queries.collection import Queries

__all__ = ["LAYOUTS", "SOURCES", "outcome"]

ROOT = Path(__file__).parents[2]
#: The kernel's table of names: role to names.
NAMES = {
    name: " ".join(
        _kernel.plain_name(word)
        for words in re.findall(r'"(.*?)"', body.replace("\\\n", ""))
        for word in words.split()
    )
    for name, body in re.findall(
        r"^(?:pub )?const ([A-Z]+): .*?=\s(.*?);$",
        (ROOT / "kernel/core/src/roles/names.rs").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
}

#: Ids that look like something else.
HOSTILE = (
    *("0012", "1e5", "[1]", "true", "null", "NaN", "None", "-", "[]", "{}", "1.0", "+7", "0x1f"),
    *("a b", 'say "hi"', "it's", "😀", "Ünï-ćode", "a,b", "a;b", "a|b", "#1", "q\\n", "=1+1"),
    *("https://x.org/a.py?b=c#L1-L2", "query", "doc_id", "x" * 300, "[a, b]", "'a'", "2024-01-02"),
)
PLAIN = tuple(f"d{number}" for number in range(20))
WHOLE = tuple(str(number) for number in (1, 7, 12, 34, 2**40, 99, 1000, 5, 6))

Grades = dict[str, dict[str, int]]
Record = dict[str, Any]


class Layout(NamedTuple):
    """How rows are written as records."""

    table: str
    write: Callable[[Grades, Random], list[Record]]
    #: Whether grades or scores are written; else judgments have the grade 1, and runs an order.
    valued: bool = True
    #: Whether records contain objects.
    nested: bool = False
    #: The role that the caller has to name.
    ambiguous: str | None = None
    #: What the caller names in any case.
    columns: str | None = None
    ids: tuple[tuple[str, ...], ...] = (HOSTILE, PLAIN, WHOLE)
    #: Whether ids are in one cell, where a number may be their count.
    cells: bool = False
    #: Whether lists have texts and numbers.
    mixed: bool = False
    #: Whether there is one record per query.
    listed: bool = False
    #: How the rows are read.
    options: dict[str, Any] = {}
    #: The sources that have such rows; all if empty.
    sources: tuple[str, ...] = ()


def truth_of(layout: Layout, chance: Random) -> Grades:
    """Return documents with grades or scores by query."""
    pools = [chance.choice(layout.ids) for _ in range(2)]
    grades: Grades = {}
    for query in chance.sample(pools[0], chance.randint(1, 4)):
        few = chance.randint(0 if layout.listed and not layout.valued else 1, 4)
        documents = chance.sample(pools[1], few)
        values = chance.sample(range(9), few)
        if layout.table == "qrels":
            values = [chance.randint(0, 3) if layout.valued else 1 for _ in documents]
        grades[query] = dict(zip(documents, values, strict=True))
    return grades


def name(role: str, chance: Random, tiers: slice = slice(None), *, without: str = "") -> str:
    """Return a name of a role in a random spelling."""
    names = [word for word in NAMES[role].split()[tiers] if word not in without.split()]
    word = chance.choice(names)
    if len(word) > 4 and not word.startswith("_") and chance.random() < 0.7:
        cut = chance.randint(2, len(word) - 2)
        word = chance.choice("_- ").join((word[:cut], word[cut:]))
    return chance.choice((str, str.upper, str.title))(word)


def shuffled(record: Record, chance: Random) -> Record:
    """Return a record whose fields have another order."""
    return dict(chance.sample([*record.items()], len(record)))


def described(records: list[Record], chance: Random) -> list[Record]:
    """Add fields that describe rows, and order the fields."""
    new: dict[str, Any] = {}
    for field, value in (("page", 3), ("comment", "see above"), ("year", 1999), ("title", "x y")):
        if chance.random() < 0.3:
            new[field] = value
    order = [*records[0], *new]
    chance.shuffle(order)
    return [{field: {**record, **new}[field] for field in order} for record in records]


#: Names that are also those of the documents of a list.
_OWN = "id _id"


def pairs(value: str | None, *others: tuple[str, Any]) -> Callable[[Grades, Random], list[Record]]:
    """Return a writer of one row per document; `value` is the role of the grade or score."""

    def write(grades: Grades, chance: Random) -> list[Record]:
        query = name("QUERY", chance, without=f"{_OWN} q")
        document = name("DOCUMENT", chance, without=_OWN)
        column = {"GRADE": "grade", "SCORE": "score"}.get(value or "", value)
        if value is not None and value in NAMES:
            column = name(value, chance)
        records = []
        for one, documents in grades.items():
            ordered = sorted(documents.items(), key=lambda pair: -pair[1])
            for rank, (other, number) in enumerate(ordered, start=1):
                record: Record = {query: one, document: other}
                if column is not None:
                    record[column] = rank if column in ("rank", "pos") else number
                records.append({**record, **dict(others)})
        return described(records, chance)

    return write


def lists(
    role: str, item: Callable[[str, int], Any] = lambda document, _: document, *, known: bool = True
) -> Callable[[Grades, Random], list[Record]]:
    """Return a writer of one record per query with a list of documents."""

    def write(grades: Grades, chance: Random) -> list[Record]:
        # An object with an id and a list of an unknown name may be a document.
        query = name("QUERY", chance, without="q" if known else f"{_OWN} q")
        other = "results" if role != "RETURNED" else "relevant"
        field = name(role, chance, without="supportingfacts") if known else "sources"
        records = []
        for one, documents in grades.items():
            ordered = [*documents.items()]
            if role == "RETURNED":
                ordered.sort(key=lambda pair: -pair[1])
            records.append({query: one, field: [item(*pair) for pair in ordered]})
        if chance.random() < 0.3 and role != "NEUTRAL" and known:
            records = [{**record, other: ["other"]} for record in records]
        return described(records, chance)

    return write


def in_parts(grades: Grades, chance: Random) -> list[Record]:
    """Write records with parts, as LangSmith does."""
    query = name("QUERY", chance, without=_OWN)
    return [
        {"inputs": {query: one}, "outputs": {"relevant": [*documents]}}
        for one, documents in grades.items()
    ]


def in_cells(between: str) -> Callable[[Grades, Random], list[Record]]:
    """Return a writer of ids in one cell."""

    def write(grades: Grades, chance: Random) -> list[Record]:
        query, field = (
            name("QUERY", chance, without="q"),
            name("GOLD", chance, without="supportingfacts"),
        )
        records = [{query: one, field: between.join(grades[one])} for one in grades]
        return described(records, chance)

    return write


def in_parallel(role: str, values: str) -> Callable[[Grades, Random], list[Record]]:
    """Return a writer of a list of ids and one of their values."""

    def write(grades: Grades, chance: Random) -> list[Record]:
        query, field = name("QUERY", chance), name(role, chance, without="supportingfacts")
        records = []
        for one, documents in grades.items():
            ordered = sorted(documents.items(), key=lambda pair: -pair[1])
            ids, numbers = ([pair[place] for pair in ordered] for place in (0, 1))
            records.append({query: one, field: ids, values: numbers})
        return described(records, chance)

    return write


def named_pairs(grades: Grades, chance: Random) -> list[Record]:
    """Write rows with fields of unknown names, next to fields of known ones."""
    rows = [(one, *pair) for one, documents in grades.items() for pair in documents.items()]
    return described(
        [
            {"term": one, "sku": other, "stars": number, "query_id": "0", "label": 1, "doc_id": "1"}
            for one, other, number in rows
        ],
        chance,
    )


def named_paths(grades: Grades, chance: Random) -> list[Record]:
    """Write nested records."""
    return [
        {
            "data": {"term": one},
            "query": "0",
            "found": [
                {"by": {"sku": other}, "id": "1", "n": n} for other, n in grades[one].items()
            ],
        }
        for one in grades
    ]


def mapped(grades: Grades, chance: Random) -> list[Record]:
    """Write records with the grades of a query in an object."""
    query, field = name("QUERY", chance), name("GOLD", chance, without="supportingfacts")
    return described([{query: one, field: dict(grades[one])} for one in grades], chance)


WORDS = ("bad", "fair", "good", "great")


def rows_of(grades: Grades, chance: Random, *fields: str) -> list[tuple[Record, str, int]]:
    """Return a record, the document and its value for each pair, in random order of the fields."""
    query = name("QUERY", chance, without=f"{_OWN} q")
    return [
        (shuffled({query: one, **dict.fromkeys(fields, "")}, Random(0)), other, value)
        for one, documents in grades.items()
        for other, value in sorted(documents.items(), key=lambda pair: -pair[1])
    ]


def in_words(grades: Grades, chance: Random) -> list[Record]:
    """Write labels of several spellings instead of grades."""
    spell = (str, str.upper, str.title)
    return [
        {**record, "doc_id": other, "verdict": chance.choice(spell)(WORDS[value])}
        for record, other, value in rows_of(grades, chance, "doc_id", "verdict")
    ]


def in_chunks(grades: Grades, chance: Random) -> list[Record]:
    """Write several chunks per document, of which one has its grade and the others less."""
    return [
        {**record, "chunk": f"{other}#{part}", "grade": value if part == 1 else 0}
        for record, other, value in rows_of(grades, chance, "chunk", "grade")
        for part in chance.sample((1, 2, 3), 3)
    ]


def repeated(*changes: int) -> Callable[[Grades, Random], list[Record]]:
    """Return a writer of rows that repeat each document with changed values."""

    def write(grades: Grades, chance: Random) -> list[Record]:
        return [
            {**record, "doc_id": other, "grade": value + change}
            for record, other, value in rows_of(grades, chance, "doc_id", "grade")
            for change in changes
        ]

    return write


def by_raters(grades: Grades, chance: Random) -> list[Record]:
    """Write one row per rater."""
    return [
        {**record, "doc_id": other, "grade": value, "rater": rater}
        for record, other, value in rows_of(grades, chance, "doc_id", "grade", "rater")
        for rater in chance.sample(("ann", "bob", "cy"), 3)
    ]


#: The runs of a table: what the values of the truth are multiplied with.
SYSTEMS = {"bm25": 1, "org/model": -1}


def by_systems(grades: Grades, chance: Random) -> list[Record]:
    """Write the rows of two systems."""
    rows = [
        {**record, "doc_id": other, "score": value * sign, "system": system}
        for record, other, value in rows_of(grades, chance, "doc_id", "score", "system")
        for system, sign in SYSTEMS.items()
    ]
    return chance.sample(rows, len(rows))


#: Groups with weights, as they are written in ids.
GROUPS = {"a": 1, "b;weight=0.5": 0.5, "c;weight=3": 3, "d;weight=2": 2}


def in_groups(grades: Grades, chance: Random) -> list[Record]:
    """Write each document of a query in a group of its own."""
    group, weight = name("SUBTOPIC", chance, without="iteration iter"), name("WEIGHT", chance)
    names = iter(rows_of(grades, chance, "doc_id", "grade", group, weight))
    records = []
    for documents in grades.values():
        for (label, share), _ in zip(GROUPS.items(), documents, strict=False):
            record, other, value = next(names)
            parts = {"doc_id": other, "grade": value, group: label[0], weight: share}
            records.append({**record, **parts})
    return records


def of_queries(column: str) -> Callable[[Grades, Random], list[Record]]:
    """Return a writer of one row per query with a text in a column."""
    return lambda grades, _: [{"query_id": one, column: text_of(grades[one])} for one in grades]


def text_of(documents: dict[str, int]) -> str:
    """Return a text for a query, of its documents."""
    return f"text {len(documents)} {sum(documents.values())}"


def an_object(**names: str) -> Callable[[str, int], Record]:
    """Return a writer of a document as an object."""
    return lambda document, value: {
        names["id"]: document,
        **({names["value"]: value} if "value" in names else {}),
        "page": 3,
    }


JUDGMENTS = {
    "pairs": Layout("qrels", pairs("GRADE")),
    "pairs with scores of a system": Layout("qrels", pairs("grade", ("score", 0.5), ("rank", 1))),
    "pairs with other numbers": Layout("qrels", pairs("grade", ("clicks", 17))),
    "pairs with an unknown grade": Layout("qrels", pairs("stars"), ambiguous="grade"),
    "interactions": Layout("qrels", pairs(None), valued=False),
    "lists": Layout("qrels", lists("GOLD"), valued=False, listed=True),
    "lists of a neutral name": Layout("qrels", lists("NEUTRAL"), valued=False, listed=True),
    "lists of an unknown name": Layout(
        "qrels", lists("GOLD", known=False), valued=False, ambiguous="relevant"
    ),
    # Two whole numbers may be two ids.
    "lists of pairs": Layout(
        *("qrels", lists("GOLD", lambda *pair: [*pair])),
        nested=True,
        listed=True,
        mixed=True,
        ids=(HOSTILE, PLAIN),
    ),
    "lists of objects": Layout(
        *("qrels", lists("GOLD", an_object(id="doc_id", value="rating"))), nested=True, listed=True
    ),
    "lists of ids in objects": Layout(
        *("qrels", lists("GOLD", an_object(id="id"))), valued=False, nested=True, listed=True
    ),
    "lists of objects with an unknown grade": Layout(
        *("qrels", lists("GOLD", an_object(id="id", value="gain"))),
        nested=True,
        listed=True,
        ambiguous="grade",
    ),
    "grades in a list": Layout("qrels", in_parallel("GOLD", "grades"), listed=True),
    "grades by document": Layout("qrels", mapped, nested=True, listed=True),
    "parts": Layout("qrels", in_parts, valued=False, nested=True),
    "ids between |": Layout("qrels", in_cells("|"), valued=False, cells=True, ids=(PLAIN, WHOLE)),
    "ids between spaces": Layout("qrels", in_cells(" "), valued=False, cells=True, ids=(WHOLE,)),
    "named columns": Layout("qrels", named_pairs, columns="query=term,doc=sku,grade=stars"),
    "named paths": Layout(
        *("qrels", named_paths),
        nested=True,
        columns="query=data.term,relevant=found,doc=found[].by.sku,grade=found[].n",
    ),
    "words": Layout("qrels", in_words, columns="grade=verdict:great=3,good=2,fair=1,bad=0"),
    "chunks": Layout("qrels", in_chunks, columns="doc=chunk:^(.+)#", options={"duplicates": "max"}),
    "the first of several": Layout("qrels", repeated(0, 1), options={"duplicates": "first"}),
    "the last of several": Layout("qrels", repeated(1, 0), options={"duplicates": "last"}),
    "the mean of several": Layout("qrels", repeated(-1, 0, 1), options={"duplicates": "mean"}),
    "raters": Layout("qrels", by_raters, options={"format": "raters:mean"}, sources=("CSV", "TSV")),
}

RUNS = {
    "scores": Layout("run", pairs("SCORE")),
    "scores with grades": Layout("run", pairs("similarity", ("grade", 1))),
    "ranks": Layout("run", pairs("rank"), valued=False),
    "unknown scores": Layout("run", pairs("bm25"), ambiguous="score"),
    "one system": Layout("run", pairs("score", ("system", "bm25"))),
    "results": Layout("run", lists("RETURNED"), valued=False, listed=True),
    "results of an unknown name": Layout(
        "run", lists("RETURNED", known=False), valued=False, ambiguous="results"
    ),
    "scores in a list": Layout("run", in_parallel("RETURNED", "scores"), listed=True),
    "hits": Layout(
        *("run", lists("RETURNED", an_object(id="_id", value="_score"))), nested=True, listed=True
    ),
    "ranked results": Layout(
        *("run", lists("RETURNED", an_object(id="chunk_id"))),
        valued=False,
        nested=True,
        listed=True,
    ),
}

OTHERS = {
    "several systems": Layout("systems", by_systems),
    "groups": Layout("groups", in_groups),
    "attributes": Layout(
        "attributes", of_queries("kind"), sources=("CSV", "TSV", "JSON lines"), listed=True
    ),
    "queries": Layout(
        *("queries", of_queries("text")),
        sources=("CSV", "TSV", "JSON", "JSON lines", "dicts", "pandas", "polars", "PyArrow"),
        listed=True,
    ),
}

LAYOUTS = {**JUDGMENTS, **RUNS, **OTHERS}


def systems_of(obj: Any, **options: Any) -> dict[str, Any]:
    """Return the runs of a table."""
    return {system: gainful.Run(run).to_dict() for system, run in runs_by_name(obj).items()}


#: From what a source returns to the truth.
READERS: dict[str, Callable[..., Any]] = {
    "qrels": lambda obj, **options: gainful.Qrels(obj, **options).to_dict(),
    "run": lambda obj, **options: gainful.Run(obj, **options).to_dict(),
    "systems": systems_of,
    "groups": lambda obj, **options: gainful.Qrels(obj, subtopics=True, **options).to_dict(),
    "attributes": lambda path, **_: read_query_attribute(f"{path}:kind").values,
    "queries": lambda obj, **_: {query.id: query.text for query in Queries.of(obj)},
}


def cell(value: Any) -> Any:
    """Return a value as it is written in a cell."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def write_csv(records: list[Record], folder: Path) -> Path:
    """Write a CSV file."""
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(records[0])
        rows.writerows(map(cell, record.values()) for record in records)
    return path


def write_text(records: Any, folder: Path, suffix: str) -> Path:
    """Write a file of JSON, JSON lines or TSV."""
    path = folder / f"table.{suffix}"
    text = json.dumps(records)
    if suffix == "jsonl":
        text = "\n".join(map(json.dumps, records))
    if suffix == "tsv":
        rows = [records[0].keys(), *(record.values() for record in records)]
        text = "\n".join("\t".join(str(cell(value)) for value in row) for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def columns(records: list[Record]) -> dict[str, list[Any]]:
    """Return the columns of records."""
    return {field: [record[field] for record in records] for field in records[0]}


def arrow(records: list[Record]) -> Any:
    """Return a table of PyArrow."""
    import pyarrow

    return pyarrow.table(columns(records))


def write_arrow(records: list[Record], folder: Path, kind: str) -> Path:
    """Write a Parquet or an Arrow file."""
    from pyarrow import feather, parquet

    path = folder / f"table.{kind}"
    if kind == "parquet":
        parquet.write_table(arrow(records), path)
    else:
        feather.write_feather(arrow(records), str(path), compression="uncompressed")
    return path


def pandas(records: list[Record]) -> Any:
    """Return a frame of pandas."""
    import pandas

    return pandas.DataFrame(records)


def polars(records: list[Record]) -> Any:
    """Return a frame of polars."""
    import polars

    # Else objects have only the fields of the first ones.
    return polars.DataFrame(records, infer_schema_length=None)


def named_tuples(records: list[Record]) -> list[Any]:
    """Return records as named tuples."""
    fields = [re.sub(r"\W", "_", field).lstrip("_") for field in records[0]]
    kind = namedtuple("Row", fields)  # type: ignore[misc]
    return [kind(*record.values()) for record in records]


def by_id(records: list[Record]) -> dict[str, Record]:
    """Return records by their queries."""
    query = next(field for field in records[0] if is_query(field))
    return {
        str(record[query]): {field: value for field, value in record.items() if field != query}
        for record in records
    }


def is_query(field: str) -> bool:
    """Return whether a field has the name of a query."""
    plain = ("_" * field.startswith("_")) + re.sub("[-_ ]", "", field).lower()
    return plain in NAMES["QUERY"].split()


Source = Callable[[list[Record], Path], Any]

#: From records and a folder to what is read.
SOURCES: dict[str, Source] = {
    "CSV": write_csv,
    "TSV": lambda records, folder: write_text(records, folder, "tsv"),
    "JSON": lambda records, folder: write_text(records, folder, "json"),
    "JSON lines": lambda records, folder: write_text(records, folder, "jsonl"),
    "wrapped": lambda records, folder: write_text({"cases": records}, folder, "json"),
    "by id": lambda records, folder: write_text(by_id(records), folder, "json"),
    "Parquet": lambda records, folder: write_arrow(records, folder, "parquet"),
    "Arrow": lambda records, folder: write_arrow(records, folder, "arrow"),
    "pandas": lambda records, _: pandas(records),
    "polars": lambda records, _: polars(records),
    "PyArrow": lambda records, _: arrow(records),
    "dict of lists": lambda records, _: columns(records),
    "dicts": lambda records, _: records,
    "dicts by id": lambda records, _: by_id(records),
    "iterator": lambda records, _: iter(records),
    "named tuples": lambda records, _: named_tuples(records),
}

#: Sources of cells that are no objects.
FLAT = ("CSV", "TSV", "dict of lists", "named tuples")

#: Sources whose columns have one type.
TYPED = ("Parquet", "Arrow", "polars", "PyArrow")


def applies(layout: Layout, source: str) -> bool:
    """Return whether a source can have a layout."""
    if layout.sources:
        return source in layout.sources
    if source in ("by id", "dicts by id"):
        return layout.listed
    if layout.mixed and source in TYPED:
        return False
    return not layout.nested or source not in FLAT


def outcome(layout: Layout, source: str, chance: Random, folder: Path) -> str | None:
    """Write a random truth and read it; return the columns that a refusal names.

    Raises
    ------
    AssertionError
        If something else than the truth is read, or a refusal has no hint that leads to it.
    """
    truth = truth_of(layout, chance)
    records = layout.write(truth, chance)
    if source not in ("CSV", "TSV") and not layout.cells and chance.random() < 0.5:
        records = with_integers(records)
    expected: dict[str, Any] = dict(truth)
    if layout.table == "run" and not layout.valued and any(truth.values()):
        expected = {
            query: sorted(documents, key=lambda document: -documents[document])
            for query, documents in truth.items()
        }

    if layout.table == "qrels" and not layout.valued and any(truth.values()):
        # A question that lists no document has no answer, and is left out.
        expected = {query: documents for query, documents in truth.items() if documents}

    if layout.table == "systems":
        expected = {
            system: {
                query: {document: value * sign for document, value in documents.items()}
                for query, documents in truth.items()
            }
            for system, sign in SYSTEMS.items()
        }
    elif layout.table == "groups":
        expected = {
            query: {
                group: {document: value}
                for group, (document, value) in zip(
                    GROUPS, sorted(documents.items(), key=lambda pair: -pair[1]), strict=False
                )
            }
            for query, documents in truth.items()
        }
    elif layout.table in ("attributes", "queries"):
        expected = {query: text_of(documents) for query, documents in truth.items()}

    def read(columns: str | None) -> Any:
        options = {**layout.options, "columns": columns} if columns else layout.options
        return READERS[layout.table](SOURCES[source](records, folder), **options)

    try:
        found = read(layout.columns)
    except GainfulError as error:
        assert may_refuse(layout, records), f"{records}: {error}"
        said = re.findall(r"columns='(.*?)'", str(error))
        assert said, f"{records}: no hint in {error}"
        results = [_result(read, columns) for columns in said]
        assert expected in results, f"{records}: {error}: {results}"
        return str(said[results.index(expected)])
    assert found == expected, f"{records}: {found}"
    return None


def may_refuse(layout: Layout, records: list[Record]) -> bool:
    """Return whether a layout may be refused: a column of words may have grades, too."""
    may_have_words = "comment" in records[0] and not layout.valued and not layout.listed
    return layout.ambiguous is not None or may_have_words


def _result(read: Callable[[str], Any], columns: str) -> Any:
    try:
        return read(columns)
    except GainfulError as error:
        return str(error)


def with_integers(records: list[Record]) -> list[Record]:
    """Return records with integers in the fields of which all ids are."""
    found: dict[str, list[Any]] = {field: [] for field in records[0]}
    for record in records:
        for field, value in record.items():
            found[field] += value if isinstance(value, list) else [value]
    whole = {field for field, values in found.items() if all(value in WHOLE for value in values)}
    return [
        {
            field: value
            if field not in whole
            else [*map(int, value)]
            if isinstance(value, list)
            else int(value)
            for field, value in record.items()
        }
        for record in records
    ]


def counts(source: str, layout: Layout, folder: Path, times: int) -> Counter[str]:
    """Return how often a source reads, refuses and misreads a layout."""
    found: Counter[str] = Counter()
    for seed in range(times):
        try:
            refused = outcome(layout, source, Random(seed), folder)
            found["read" if refused is None else "refused"] += 1
        except (AssertionError, GainfulError) as error:
            found["wrong"] += 1
            if "-v" in sys.argv:
                print(f"{source}: {str(error)[:1000]}", file=sys.stderr)
    return found


def lines(times: int = 40) -> Iterator[str]:
    """Yield a table of refusals, one line per layout."""
    width = max(map(len, LAYOUTS))
    yield " " * width + "  " + "  ".join(SOURCES)
    with tempfile.TemporaryDirectory() as folder:
        for title, layout in LAYOUTS.items():
            cells = []
            for source in SOURCES:
                shown = "–"
                if applies(layout, source):
                    found = counts(source, layout, Path(folder), times)
                    shown = str(found["refused"]) + (
                        f" !{found['wrong']}" if found["wrong"] else ""
                    )
                cells.append(shown.rjust(len(source)))
            yield title.ljust(width) + "  " + "  ".join(cells)


if __name__ == "__main__":
    for line in lines():
        print(line)
