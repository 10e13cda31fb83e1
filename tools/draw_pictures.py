"""Draw the pictures of the documentation: ``python tools/draw_pictures.py FOLDER``.

The charts are those that the examples of docs/report.md save, so the page shows what it draws.
The table of `gainful explain` is drawn as a terminal shows it.
"""

import doctest
import io
import os
import re
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

import gainful
from gainful.cli import main

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "tests" / "documentation"


def draw_charts() -> None:
    """Run the examples of the page on plots in the current folder."""
    with redirect_stdout(io.StringIO()):
        if main(["demo", "-o", "shop"]):
            raise RuntimeError("no demo")
    names: dict[str, object] = {}
    page = (ROOT / "docs" / "report.md").read_text("utf-8")
    for example in doctest.DocTestParser().get_examples(page.partition("(plots)=")[2]):
        exec(compile(example.source, "report.md", "exec"), names)


def draw_explanation() -> None:
    """Draw the explanation of a query as a picture of a terminal."""
    from rich.console import Console
    from rich.text import Text

    explanation = gainful.explain(
        EXAMPLES / "qrels.txt",
        EXAMPLES / "bm25.run",
        query="q2",
        measure="nDCG@4",
        queries=EXAMPLES / "queries.jsonl",
    )
    os.environ["COLUMNS"] = "100"
    with open(os.devnull, "w") as nowhere:
        console = Console(file=nowhere, record=True, width=100)
        console.print(Text.from_ansi(explanation._drawn()))
    picture = console.export_svg(title="gainful explain qrels.txt bm25.run -q q2 -m nDCG@4")
    # Rich names fonts of a server; a page of the documentation loads nothing from elsewhere.
    local = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    Path("explain.svg").write_text(local, encoding="utf-8")


def draw(folder: Path) -> None:
    """Draw all pictures into a folder."""
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        draw_charts()
        draw_explanation()
        for picture in Path(work).glob("*.svg"):
            shutil.copy(picture, folder)
        os.chdir(folder)


if __name__ == "__main__":
    draw(Path(sys.argv[1]).resolve())
