"""Every code block of the README and the documentation runs with its documented output."""

from __future__ import annotations

import json
import os
import re
import socketserver
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import accessibility
from combinations import ALL
from gainful.writing import locked
from markdown_blocks import SHELL, Block, Reader, blocks_of, commands_of, needs_of
from requirements import ROOT, need

# The changelog is history: what it shows was true then.
PAGES = sorted(
    page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if page.name != "CHANGELOG.md"
)
BLOCKS = {page: blocks for page in PAGES if (blocks := blocks_of(page))}
#: What is generated, between comments; and comments.
HIDDEN = re.compile(
    r"<!-- (?:(?:declared|evidence|printed): [^>]*|paths) -->.*?<!-- end -->|<!--.*?-->", re.DOTALL
)
EXEMPT = [block for blocks in BLOCKS.values() for block in blocks if block.not_run is not None]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", BLOCKS, ids=name_of)
def test_blocks(page: Path, small_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A client that finds five others in the queue of a server tries again after a second.
    monkeypatch.setattr(socketserver.TCPServer, "request_queue_size", 100)
    blocks = BLOCKS[page]
    for name in needs_of(page):
        need(name)
    if any(block.language in SHELL | {"console"} for block in blocks):
        need("bash")
    reader = Reader(small_files)
    for block in blocks:
        reader.read(block)


@pytest.mark.parametrize("block", EXEMPT, ids=lambda block: f"{name_of(block.page)}:{block.line}")
def test_exempt_blocks_say_why(block: Block) -> None:
    """Each is listed as skipped, with its reason."""
    assert block.not_run is not None
    assert len(block.not_run.split()) >= 3, f"{block.place}: this is no reason: {block.not_run!r}"
    pytest.skip(f"{block.place} is not run: {block.not_run}")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page: Path) -> None:
    """Blocks that call make build what runs these tests, so they are exempt; not their names."""
    named = set(re.findall(r"`make ([a-z][a-z-]*)", page.read_text("utf-8")))
    for block in BLOCKS.get(page, []):
        if block.language in SHELL | {"console"}:
            named |= set(re.findall(r"^(?:\$ )?make ([a-z][a-z-]*)", block.text, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    missing = sorted(name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE))
    assert not missing, f"{page.name} names these targets, and the Makefile does not: {missing}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_have_targets(page: Path) -> None:
    """Links to files of the repository and their headings; not to the network."""
    text = re.sub(r"(?ms)^( *)(```+).*?^\1\2", "", page.read_text("utf-8"))
    broken = []
    for link in re.findall(r"\]\((?![a-z]+:|<)([^)\s]+)", text):
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (
            heading and target.suffix == ".md" and heading not in _headings(target)
        ):
            broken.append(link)
    assert not broken, f"{page.name} links to what is not there: {broken}"


def _headings(page: Path) -> set[str]:
    """Return the anchors of a page: of its headings, and its labels."""
    text = re.sub(r"(?ms)^( *)(```+).*?^\1\2", "", page.read_text("utf-8"))
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


#: Most pages of objects are read and not written: no test looks at them.
FEW = [] if ALL else ["-t", "few"]


@pytest.fixture(scope="module")
def site() -> Path:
    """Return the folder of the built documentation."""
    for name in ("sphinx", "nbclient", "ipykernel", "altair", "vl_convert", "pandas"):
        need(name)
    for name in ("bm25s", "PyStemmer"):
        need(name, "the notebooks' baselines")
    folder = ROOT / "target/docs"
    folder.mkdir(parents=True, exist_ok=True)
    # Notebooks must not find the settings of a user, or write theirs.
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folder / "settings"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    # Other processes of tests use the other cores.
    command = [sys.executable, str(ROOT / "tools/build_docs.py"), str(folder), "1", *FEW]
    # One process of a run builds, and the others wait for it.
    with locked(f"{folder}/html"):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.long
def test_the_documentation_builds(site: Path) -> None:
    assert (site / "html" / "index.html").is_file()
    assert (site / "html" / "api" / "gainful.evaluate.html").is_file()
    # The build runs the notebooks, and keeps them with what they show.
    names = sorted(path.name for path in ROOT.glob("docs/notebooks/*.ipynb"))
    shown = sorted((site / "jupyter_execute" / "notebooks").glob("*.ipynb"))
    assert [path.name for path in shown] == names
    for path in shown:
        check_outputs(path.name, json.loads(path.read_text("utf-8")))


@pytest.mark.long
def test_the_navigation_is_short(site: Path) -> None:
    page = (site / "html" / "index.html").read_text("utf-8")
    links = re.findall(r'<li class="toctree-l1', page)
    assert 25 <= len(links) <= 30


#: The page of the first result of a search.
SEARCHES = {
    "2^rel": "measures/nDCG",
    "A/B test": "discriminative-power",
    "BM25": "baselines",
    "F1": "measures/F",
    "FAISS": "vector-stores",
    "GPU": "training",
    "LLM judge": "llm-judges",
    "MAP": "measures/AP",
    "MLflow": "training",
    "MRR": "measures/RR",
    "RAG": "rag",
    "chunk size": "spans",
    "confidence interval": "statistics",
    "context recall": "rag",
    "csv": "your-data",
    "different numbers": "which-ndcg",
    "elasticsearch": "engines",
    "exclude queries": "troubleshooting",
    "faithfulness": "which-measure",
    "golden set": "judgment-lists",
    "grid search": "sweeps",
    "hit rate": "measures/Success",
    "how many queries": "power",
    "inter-annotator agreement": "judgments",
    "leaderboard": "suite",
    "mean average precision": "measures/AP",
    "nDCG": "measures/nDCG",
    "own measure": "own-measures",
    "p-value": "comparing",
    "pandas": "your-data",
    "pgvector": "databases",
    "precision at k": "measures/P",
    "precision-recall curve": "report",
    "pytrec_eval": "drop-in",
    "recall": "measures/R",
    "recall_any": "measures/Success",
    "recommender": "recommenders",
    "regression test": "gate",
    "sample size": "power",
    "statistical significance": "comparing",
    "ties": "conventions",
    "unjudged": "unjudged",
    "which measure": "which-measure",
}


@pytest.mark.long
def test_searches_lead_to_the_page_that_answers(site: Path) -> None:
    """They run in the scripts of the site, with its index."""
    need("node")
    assert len(SEARCHES) >= 40
    done = subprocess.run(
        ["node", str(ROOT / "tests/support/site_search.js"), str(site / "html")],
        input=json.dumps([*SEARCHES, "gainful.evaluate"]),
        capture_output=True,
        text=True,
        check=True,
    )
    *results, functions = json.loads(done.stdout)
    first = {
        search: pages[0].partition("#")[0] if pages else None
        for search, pages in zip(SEARCHES, results, strict=True)
    }
    assert first == SEARCHES
    assert functions[0].startswith("api/gainful.evaluate"), "the name of a function"


def test_the_documentation_has_few_pages() -> None:
    """Pages that follow from code are not counted: those of measures, and the evidence."""
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorials/*.md")]
    assert len({page.stem for page in pages} - {"index", "api", "evidence"}) <= 46


def test_the_documentation_has_few_words() -> None:
    """Parts that are generated, and comments, are not counted."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorials/*.md")]
    counts = {name_of(page): len(HIDDEN.sub("", page.read_text("utf-8")).split()) for page in pages}
    assert sum(counts.values()) <= 65_000, sorted(counts.items(), key=lambda item: -item[1])


#: Fonts are loaded, and what depends on them is drawn.
SETTLED = """document.fonts.ready.then(() => new Promise(
    (done) => requestAnimationFrame(() => requestAnimationFrame(done))
))"""


#: Rows of a table look like its first ones.
SHORTENED = """document.querySelectorAll("tbody tr:nth-child(n+4)").forEach(
    (row) => row.remove()
)"""


#: With cards, results, a form, a picture, steps, output of cells, tables, a signature: short pages,
#: because the contrast of every element is measured.
KINDS_OF_PAGES = (
    *("index", "search", "browser", "explain", "tutorials/search-engineer"),
    *("notebooks/researcher", "measures/nDCG", "api/gainful.plots.waterfall"),
)


@pytest.mark.long
@pytest.mark.parametrize(("scheme", "width"), [("dark", 390), ("light", 1440)])
def test_axe_finds_nothing(site: Path, browser: Any, scheme: str, width: int) -> None:
    """On a page of each kind; with ALL=1 on every page, but one of a measure and of an object."""
    folder = site / "html"
    pages = [folder / f"{name}.html" for name in KINDS_OF_PAGES]
    if ALL:
        pages += {*folder.glob("*.html")} - {*pages, folder / "genindex.html"}
        pages += {*folder.glob("tutorials/*.html"), *folder.glob("notebooks/*.html")} - {*pages}
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    context.set_default_timeout(120_000)
    # Formulas and badges come from the network.
    context.route("http*://**", lambda route: route.abort())
    page = context.new_page()
    found = {}
    for path in pages:
        page.goto(path.as_uri())
        page.evaluate(SETTLED)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        if not ALL:
            page.evaluate(SHORTENED)
        found[path.name] = [
            (violation["id"], violation["nodes"][0]["html"])
            for violation in accessibility.violations(page)
        ]
    context.close()
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def check_outputs(name: str, notebook: Any) -> None:
    """Raise AssertionError if an executed notebook shows warnings, or no tables and pictures."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in cells), name
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [each["text"] for each in outputs if each.get("name") == "stderr"] == [], name
    tables = [each["data"]["text/html"] for each in outputs if "text/html" in each.get("data", {})]
    assert len(tables) >= 3, name
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs), name
    # Everything that is shown is in the notebook.
    for table in tables:
        assert "http" not in "".join(table), f"{name}: {''.join(table)[:200]}"


PAGE = """
<!-- not run: it would format the disk -->
```bash
exit 3
```

Text.

```python
kept = 6
```

1. In a list:

   ```pycon
   >>> kept * 7
   42
   >>> print("a", "b")
   a...
   ```

```{code-block} console
:caption: two commands

$ printf '%s\\n' one \\
> two
one
two
$ cat qrels.txt
q1 0 r01 3
...
```

<!-- exits: 4 -->
```console
$ echo oops >&2; exit 4
oops
```

```json
{"a": [1]}
```
"""


def read(folder: Path, text: str) -> None:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    reader = Reader(folder)
    for block in blocks_of(page):
        reader.read(block)


class TestTheReader:
    """The reader of the pages must be able to fail."""

    def test_blocks_are_found_and_run(self, small_files: Path) -> None:
        need("bash")
        read(small_files, PAGE)
        languages = [block.language for block in blocks_of(small_files / "page.md")]
        assert languages == ["bash", "python", "pycon", "console", "console", "json"]

    @pytest.mark.parametrize(
        ("true", "false"),
        [
            ("\n   42\n", "\n   43\n"),
            ("kept = 6", "kept = 7"),
            ("\none\ntwo\n", "\none\n"),
            ("q1 0 r01 3", "q1 0 r01 2"),
            ("exits: 4", "exits: 5"),
            ("\noops\n", "\n"),
            ("<!-- not run: it would format the disk -->", ""),
            ('{"a": [1]}', '{"a": [1}'),
            ("```json", "```yaml"),
            ("```json", "```"),
        ],
    )
    def test_a_page_with_wrong_output_fails(self, true: str, false: str, small_files: Path) -> None:
        need("bash")
        assert PAGE.count(true) == 1
        with pytest.raises((AssertionError, ValueError)):
            read(small_files, PAGE.replace(true, false))

    def test_exceptions_are_raised(self, small_files: Path) -> None:
        with pytest.raises(ZeroDivisionError) as caught:
            read(small_files, "A line.\n\n```python\n1 / 0\n```\n")
        assert caught.traceback[-1].lineno == 3, "counted from 0: line 4 of the page"

    def test_output_before_a_command_is_refused(self, small_files: Path) -> None:
        with pytest.raises(AssertionError, match="begins with"):
            read(small_files, "```console\noutput\n```\n")

    def test_commands_of_a_console_block(self, small_files: Path) -> None:
        (small_files / "page.md").write_text("```console\n$ a \\\n> b\n\nx\n$ c\n```\n")
        (block,) = blocks_of(small_files / "page.md")
        assert commands_of(block) == [("a \\\nb", "\nx\n"), ("c", "")]
