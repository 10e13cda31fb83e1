"""Write what the page that evaluates in the browser loads: ``python docs/browser.py FOLDER``.

``conventions.json`` has the policies of each preset, and how it defines the measures that the page
offers. ``gainful.wasm`` is the kernel, which `make web` builds. ``sample`` has judgments, two runs,
and the texts of their queries and documents.
"""

import json
import shutil
import sys
from pathlib import Path

from gainful.conventions import get, presets
from gainful.errors import GainfulError
from gainful.measures.choosing import choose_measure

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "target" / "web" / "gainful.wasm"

SAMPLE = ROOT / "tests" / "documentation"

FAMILIES = ("nDCG", "DCG", "AP", "RR", "P", "R", "RBP", "ERR")
#: Any cutoff; the page writes its own into the definition.
CUTOFF = 10


def conventions() -> dict[str, dict[str, object]]:
    """Return the policies and the measures of each preset that has one of them."""
    found = {}
    for preset in presets():
        convention = get(preset.name)
        measures = {}
        for family in FAMILIES:
            try:
                formula, values = choose_measure(f"{family}@{CUTOFF}", convention).spec(convention)
            except GainfulError:
                # The tool has no such measure.
                continue
            measures[family] = {"formula": formula, "values": values}
        policies = {
            # JSON has no NaN.
            name: None if value != value else value
            for name, value in convention.spec().items()
        }
        if measures:
            found[convention.label] = {"policies": policies, "measures": measures}
    return found


def texts() -> dict[str, str]:
    """Return the queries and the titles of the documents of the sample by id."""
    rows = [
        json.loads(line)
        for name in ("queries.jsonl", "docs.jsonl")
        for line in (SAMPLE / name).read_text("utf-8").splitlines()
    ]
    return {row["_id"]: row.get("title") or row["text"] for row in rows}


def write(folder: Path) -> None:
    """Write the files into the folder of the page's scripts."""
    text = json.dumps(conventions(), allow_nan=False)
    (folder / "conventions.json").write_text(text, "utf-8")
    if KERNEL.exists():
        shutil.copyfile(KERNEL, folder / "gainful.wasm")
    sample = folder / "sample"
    sample.mkdir(exist_ok=True)
    for name in ("qrels.txt", "bm25.run", "dense.run"):
        shutil.copyfile(SAMPLE / name, sample / name)
    (sample / "texts.json").write_text(json.dumps(texts()), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
