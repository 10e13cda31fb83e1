"""Generate parts of the pages, and the index of measures, from declarations in the code.

``python docs/declared.py`` writes the parts of the pages between comments such as
``<!-- declared: policies -->`` and ``<!-- end -->``, and the whole of `gainful.measures.index`.
Building the documentation compares the pages with the code; a difference is a warning, which fails
the build. A test compares the index.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
from gainful import _kernel, conventions, errors
from gainful.backends.recommendations.item_measures import FAMILIES as ITEM_FAMILIES
from gainful.backends.recommendations.item_measures import TOOLS
from gainful.backends.sql import DIALECTS
from gainful.comparison import Pair
from gainful.conventions import POLICIES, get
from gainful.conventions.checks import COMMON
from gainful.conventions.description import describe_measures
from gainful.data.columns import READ_QRELS, ROLES
from gainful.data.layouts import LAYOUTS
from gainful.measures import Measure, definitions, families, index
from gainful.measures.listing import GROUPS, grouped
from gainful.measures.parameters import literal
from schemas import record_schema

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from gainful.measures.family import Family

DOCS = Path(__file__).resolve().parent
PART = re.compile(r"(<!-- declared: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(headers: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    for cells in (headers, ["---"] * len(headers), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(text: str) -> str:
    """Return a text as code."""
    return f"`{text}`"


#: A worked example, with which the page of a family begins.
WORKED = {
    "nDCG": """## Example

A system returned five documents with the grades 3, 1, 2, 0 and 1. Each grade is a gain, which is
divided by log2(rank + 1). The sum is the discounted cumulative gain (DCG). The best order of the
same documents is 3, 2, 1, 1, 0: its DCG is the ideal DCG (IDCG), and nDCG is the quotient.

| rank | grade | discount | discounted gain | ideal grade | discounted ideal gain |
| --- | --- | --- | --- | --- | --- |
| 1 | 3 | 1 / log2(2) = 1 | 3 | 3 | 3 |
| 2 | 1 | 1 / log2(3) = .631 | .631 | 2 | 1.262 |
| 3 | 2 | 1 / log2(4) = .5 | 1 | 1 | .5 |
| 4 | 0 | 1 / log2(5) = .431 | 0 | 1 | .431 |
| 5 | 1 | 1 / log2(6) = .387 | .387 | 0 | 0 |
| sum | | | DCG = 5.018 | | IDCG = 5.193 |

nDCG = 5.018 / 5.193 = .966:

```python
>>> import gainful
>>> grades = [3, 1, 2, 0, 1]
>>> round(gainful.dcg(grades), 3), round(gainful.idcg(grades), 3), round(gainful.ndcg(grades), 3)
(5.018, 5.193, 0.966)

```

The other common definition has the gain 2^rel - 1, which makes the top grade worth more: 7 instead
of 3. And if the query has relevant documents that were not returned, they belong to the ideal:

```python
>>> round(gainful.ndcg(grades, gain="exponential"), 3)
0.969
>>> qrels = {"q": {"d1": 3, "d2": 1, "d3": 2, "d4": 0, "d5": 1, "d6": 3}}
>>> run = {"q": ["d1", "d2", "d3", "d4", "d5"]}
>>> round(gainful.evaluate(qrels, run, "nDCG").mean(), 3)
0.748

```

`gainful explain` shows this table for [a query of yours](../explain.md), and [Why two tools report
different nDCG](../which-ndcg.md) the definitions that tools use.

## Definition
""",
}


def measures() -> Iterator[str]:
    """Yield the table of all families."""
    rows = [
        [
            f"[{family.name}](measures/{family.name}.md)",
            f"{family.summary}.",
            heading,
            ", ".join(map(code, list(family.trec_names)[:2])),
        ]
        for heading, members in grouped(families()).items()
        for family in members
    ]
    yield from table(["measure", "what it measures", "group", "name in trec_eval"], rows)


def family_pages() -> dict[str, str]:
    """Return the page of each family by its name: formula, source, parameters, names."""
    return {
        f"measures/{family.name}": "\n".join(_family(family, heading)).strip("\n") + "\n"
        for heading, members in grouped(families()).items()
        for family in members
    }


def _family(family: Family, heading: str) -> Iterator[str]:
    # Furo repeats the navigation on every page: these pages are left out of it.
    yield from ("---", "orphan: true", "---", "")
    yield "<!-- Written by docs/declared.py. -->"
    yield ""
    yield f"# {family.name}"
    yield ""
    yield f"{family.summary}."
    yield ""
    if family.name in WORKED:
        yield WORKED[family.name]
    group = ("group", f"{heading}; [all measures](../measures.md)")
    yield from table(["", ""], [[term, text] for term, text in (*_facts(family), group)])
    yield ""
    if family.parameters:
        yield "## Parameters"
        yield ""
        rows = [
            [
                code(parameter.name),
                _words(f"{parameter.meaning[0].upper()}{parameter.meaning[1:]}."),
                _words(parameter.legal),
                "" if parameter.default is None else code(literal(parameter.default)),
            ]
            for parameter in family.parameters
        ]
        yield from table(["parameter", "what it does", "values", "default"], rows)
        yield ""


def _facts(family: Family) -> Iterator[tuple[str, str]]:
    yield "formula", code(family.formula)
    yield "written", code(family.example) + _cutoff(family)
    low, high = family.low, family.high
    low_text = "no lower bound" if low is None else f"from {low:g}"
    yield "range", f"{low_text}, no upper bound" if high is None else f"{low_text} to {high:g}"
    if family.judgments == "spans":
        yield "judgments", "with [offsets](../spans.md)"
    elif family.judgments == "alternatives":
        yield "judgments", "any, also [with groups or offsets](../spans.md#groups-of-alternatives)"
    elif family.judgments != "grades":
        yield "judgments", f"with [{family.judgments}](../formats.md#subtopics)"
    yield "over queries", "geometric mean" if family.aggregate == "geometric" else family.aggregate
    if family.trec_names:
        yield "trec_eval", ", ".join(map(code, family.trec_names))
    everyday = [alias for alias in family.aliases if alias != family.name.lower()]
    if everyday:
        yield "aliases", ", ".join(_alias(family, name) for name in everyday)
    yield "source", family.source


def _cutoff(family: Family) -> str:
    return "" if family.takes_cutoff or family.at is not None else " (no cutoff)"


def _alias(family: Family, name: str) -> str:
    if name not in family.variants:
        return code(name)
    return f"{code(name)} as {code(repr(Measure(family.name, family.variants[name])))}"


def _words(text: str) -> str:
    """Return a text with the parts in quotes or braces formatted as code."""
    return re.sub(r"(?<!\w)'[^']+'|\{[^}]*\}|\([\d., ]+\)", lambda found: code(found[0]), text)


def policies() -> Iterator[str]:
    """Yield every policy: what it decides, and what each of its values means."""
    for policy in POLICIES:
        yield f"### {policy.name}"
        yield ""
        yield f"{policy.decides[0].upper()}{policy.decides[1:]}:"
        yield ""
        for value, meaning in policy.values.items():
            default = " *(gainful-1)*" if value == policy.default else ""
            yield f"- {code(value)}{default}: {meaning}"
        yield ""


def presets() -> Iterator[str]:
    """Yield the presets, each with what it does otherwise than the default convention."""
    plain = conventions.get().to_dict()
    rows = []
    for preset in conventions.presets():
        own = get(preset.name).to_dict()
        differs = [
            f"{name}={value}"
            for name, value in own.items()
            if name not in ("name", "defaults") and value != plain[name]
        ]
        for family, parameters in get(preset.name).defaults.items():
            differs.append(repr(Measure(family)(**dict(parameters))))
        rows.append(
            [
                code(preset.name),
                preset.summary,
                ", ".join(map(code, differs)) or "nothing",
                describe_measures(preset, most=8),
                preset.evidence,
            ]
        )
    yield from table(
        ["name", "in short", "differs from gainful-1 in", "measures", "evidence"], rows
    )


def checks() -> Iterator[str]:
    """Yield how each preset's measures compare with those of its tool."""
    rows = []
    for preset in conventions.presets():
        cells = [code(preset.name), preset.grades]
        for family in COMMON:
            check = preset.checks[family]
            evidence = (check.evidence or preset.evidence) + ("*" if check.text else "")
            cells.append({"equal": evidence, "different": "refused"}.get(check.status, "–"))
        rows.append(cells)
    yield from table(["convention", "grades", *COMMON], rows)


def columns() -> Iterator[str]:
    """Yield the names of columns that are read."""
    rows = []
    for role in ROLES:
        names = [name for name in _kernel.names_of(role) if name != role]
        rows.append([code(role), ", ".join(map(code, names))])
    yield from table(["written", "aliases"], rows)


def exceptions() -> Iterator[str]:
    """Yield the exceptions, each with the builtin that it is too."""
    rows = []
    for name in errors.__all__:
        kind = getattr(errors, name)
        if kind is errors.Code:
            continue
        # A subclass names its parent here; that is one of ours or the builtin.
        bases = [base.__name__ for base in kind.__bases__ if base is not errors.GainfulError]
        rows.append([code(name), ", ".join(map(code, bases)), (kind.__doc__ or "").split("\n")[0]])
    rows.sort(key=lambda row: (row[0] != "`GainfulError`", row[0]))
    yield from table(["raised", "is also a", "for"], rows)


def codes() -> Iterator[str]:
    """Yield the codes of errors, each with its cause."""
    lines = iter((errors.Code.__doc__ or "").splitlines())
    known = {f"    {name}": value for name, value in vars(errors.Code).items()}
    rows = [[code(known[line]), next(lines).strip()] for line in lines if line in known]
    yield from table(["`code`", "cause"], rows)


def pairs() -> Iterator[str]:
    """Yield the fields of a pair of systems."""
    properties = record_schema(Pair)["properties"]
    rows = [[code(name), _words(about["description"])] for name, about in properties.items()]
    yield from table(["column", "what it is"], rows)


def item_measures() -> Iterator[str]:
    """Yield the measures of recommended items."""
    rows = []
    for family in ITEM_FAMILIES.values():
        high = "" if family.high is None else f" to {family.high:g}"
        parameters = "; ".join(
            f"{code(parameter.name)}: {_words(parameter.meaning)}, by default"
            f" {code(literal(parameter.default))}"
            for parameter in family.parameters
        )
        rows.append(
            [
                code(family.name + ("@10" if family.takes_cutoff else "")),
                f"{family.summary}. {family.source}.",
                f"{code(family.formula)}, from {family.low:g}{high}",
                "each user" if family.of == "user" else "all lists",
                parameters,
            ]
        )
    yield from table(["measure", "what it measures", "formula", "value of", "parameters"], rows)


def item_measures_of_tools() -> Iterator[str]:
    """Yield the measures of recommended items of other tools."""
    rows = [
        [code(tool), code(name), code(measure)]
        for tool, names in TOOLS.items()
        for name, measure in names.items()
    ]
    yield from table(["convention", "name", "is"], rows)


#: What the formats of rows are.
ROWS = {
    "trec": "words between white space, as trec_eval reads them",
    "tsv": "fields between tabs, with or without a header",
    "csv": "fields between commas, with or without a header, quoted where needed",
    "json": "one JSON value: objects of objects, of lists, or a list of rows",
    "jsonl": "a JSON value on each line: a row, or a query with its documents",
    "beir": "a folder with `qrels/test.tsv`, or such a file",
    "svmlight": "learning to rank: `grade qid:1 feature:value … # document`",
    "scores": "one number a line, for the rows of judgments in SVMlight",
    "mind": "impressions with a label or rank for each candidate: `7 [0,1,0]`",
    "prefs": "preferences: query, group, subgroup, document, level, as trec_eval reads them",
    "strata": "as `trec`, with the stratum of a sample between document and grade",
    "parquet": "[columns of Parquet](large-files.md), compressed with snappy, zstandard, gzip or"
    " LZ4",
    "arrow": "[columns of an Arrow file](large-files.md) or of a stream in a file (IPC, Feather 2)",
}


def file_formats() -> Iterator[str]:
    """Yield the formats of rows."""

    def done(read: bool, written: bool) -> str:
        return ", ".join([*["read"] * read, *["write"] * written])

    rows = []
    for each in _kernel.row_formats():
        # Formats that only judgments are written in have no place for scores.
        runs = each.reads_runs and each.writes_runs >= each.writes_qrels
        judgments = each.names[0] in READ_QRELS
        rows.append(
            [
                code(each.names[0]),
                done(judgments, each.writes_qrels),
                done(runs, each.writes_runs),
                ROWS[each.names[0]],
            ]
        )
    yield from table(["`format`", "judgments", "run", "what it is"], rows)


def judgment_lists() -> Iterator[str]:
    """Yield the layouts of other tools, with the evidence that they are read correctly."""
    rows = [[code(one.name), one.summary, one.queries, one.evidence] for one in LAYOUTS]
    yield from table(["`format`", "content", "query key", "tested with"], rows)


def written_lists() -> Iterator[str]:
    """Yield what can be said in the judgment lists that are written, and what they cannot carry."""
    rows = [
        [
            code(one.name),
            ", ".join(
                [
                    *filter(None, [one.word and f"a word ({one.word})"]),
                    *(f"`{key}=` {word}".rstrip() for key, word in one.choices.items()),
                ]
            ),
            one.cannot,
        ]
        for one in LAYOUTS
        if one.write
    ]
    yield from table(["`format`", "options", "not supported"], rows)


def dialects() -> Iterator[str]:
    """Yield the table of SQL dialects."""
    rows = [
        [
            dialect.title,
            code(dialect.name),
            f"run in {dialect.run_in}" if dialect.run_in else "transpiled, not run",
            dialect.remark,
        ]
        for dialect in DIALECTS.values()
    ]
    yield from table(["database", "`--dialect`", "tests", "remarks"], rows)


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "measures": measures,
    "policies": policies,
    "presets": presets,
    "checks": checks,
    "columns": columns,
    "exceptions": exceptions,
    "codes": codes,
    "pairs": pairs,
    "file_formats": file_formats,
    "judgment_lists": judgment_lists,
    "written_lists": written_lists,
    "dialects": dialects,
    "item_measures": item_measures,
    "item_measures_of_tools": item_measures_of_tools,
}


def written(page: str) -> str:
    """Return a page with its parts as the code has them."""

    def part(found: re.Match[str]) -> str:
        lines = "\n".join(PARTS[found[2]]()).strip("\n")
        return f"{found[1]}\n{lines}\n\n{found[3]}"

    return PART.sub(part, page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make Sphinx compare the parts with the code."""
    pages = family_pages()

    def differs(name: str, text: str) -> bool:
        return text != pages.get(name, written(text))

    def changed(app: Sphinx, environment: BuildEnvironment, *documents: set[str]) -> list[str]:
        """Return the pages that the code has changed, which Sphinx would not read again."""
        paths = {name: Path(environment.doc2path(name)) for name in environment.found_docs}
        return [
            name
            for name, path in paths.items()
            if path.suffix == ".md" and differs(name, path.read_text("utf-8"))
        ]

    def compare(app: Sphinx, name: str, source: list[str]) -> None:
        if differs(name, source[0]):
            from sphinx.util import logging

            logging.getLogger(__name__).warning(
                "the page differs from the code: run `python docs/declared.py`",
                location=name,
            )

    app.connect("env-get-outdated", changed)
    app.connect("source-read", compare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


MEASURES = DOCS.parent / "src/gainful/measures"
#: The best known measures, which are listed before the others of their group.
FIRST = (
    "nDCG",
    "DCG",
    "IDCG",
    "CG",
    "AP",
    "P",
    "R",
    "F",
    "Rprec",
    "RR",
    "ERR",
    "nERR",
    "RBP",
    "bpref",
    # Families of a group whose declarations are in two files.
    *("Q", "GMAP", "IAP"),
    *("GMbpref", "infAP", "Judged", "Unjudged", "RBPResidual"),
)
INDEX = '''"""The names of measures, and which file of `definitions` declares each.

Written by ``python docs/declared.py``, so that nDCG@10 opens one file of declarations.
"""

from __future__ import annotations

#: From a family to its file, in the order of listings.
FAMILIES = {
%s
}

#: From an everyday name, in lower case without ``_`` and ``-``, to its family.
ALIASES = {
%s
}

#: From a name of trec_eval to its family.
TREC_NAMES = {
%s
}

__all__ = [
%s
]
'''


NAMES = '''"""The names of measures, for type checkers.

Written by ``python docs/declared.py``.
"""

from gainful.measures.algebra import Measure

%s
'''


def indexed() -> tuple[str, str]:
    """Return the index of the declarations in the checkout, and the names for type checkers."""
    definitions.__path__ = [str(MEASURES / "definitions")]
    declared: list[tuple[str, Family]] = []
    for path in sorted((MEASURES / "definitions").glob("[!_]*.py")):
        loaded = import_module(f"{definitions.__name__}.{path.stem}")
        declared += [(path.stem, family) for family in loaded.FAMILIES]
    groups = list(GROUPS)

    def place(each: tuple[str, Family]) -> tuple[int, int]:
        name = each[1].name
        return groups.index(each[1].group), FIRST.index(name) if name in FIRST else len(FIRST)

    declared.sort(key=place)
    pairs = {
        "FAMILIES": [(family.name, path) for path, family in declared],
        "ALIASES": [(name, family.name) for _, family in declared for name in family.aliases],
        "TREC_NAMES": [(name, family.name) for _, family in declared for name in family.trec_names],
    }
    for name, found in pairs.items():
        if len(found) != len(dict(found)):
            raise ValueError(f"a name means two families: {name}")
        getattr(index, name).clear()
        getattr(index, name).update(found)
    names = [name for name, _ in pairs["FAMILIES"]]
    text = INDEX % (
        *(
            "\n".join(f'    "{name}": "{means}",' for name, means in found)
            for found in pairs.values()
        ),
        "\n".join(f'    "{name}",' for name in names),
    )
    return text, NAMES % "\n".join(f"{name}: Measure" for name in names)


def main() -> None:
    """Write the index of measures and what pages declare."""
    for name, text in zip(("index.py", "names.pyi"), indexed(), strict=True):
        (MEASURES / name).write_text(text, "utf-8")
    for path in sorted(DOCS.glob("*.md")):
        page = path.read_text("utf-8")
        if page != written(page):
            path.write_text(written(page), "utf-8")
            sys.stdout.write(f"wrote {path.name}\n")
    shutil.rmtree(DOCS / "measures", ignore_errors=True)
    (DOCS / "measures").mkdir()
    for name, page in family_pages().items():
        (DOCS / f"{name}.md").write_text(page, "utf-8")


if __name__ == "__main__":
    main()
