"""Write the licenses of the crates that the wheel contains.

    .venv/bin/python tools/write_notices.py    # writes THIRD-PARTY-NOTICES.txt

A crate with a choice of licenses is used under the MIT license if that is one of them.
"""

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD-PARTY-NOTICES.txt"

HEADER = """\
The wheels of Gainful contain the following Rust crates, some only on some systems, and the Rust
standard library (MIT OR Apache-2.0, https://www.rust-lang.org). tools/write_notices.py writes this
file. Each text below is preceded by the crates that it applies to. A crate that brings no text is
used under the Apache License 2.0, which is in LICENSE.
"""

LICENSE_FILE = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)


def cargo(*arguments: str) -> str:
    """Return the output of Cargo."""
    words = ["cargo", *arguments, "--offline", "--locked"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def linked() -> list[tuple[str, str]]:
    """Return name and version of each crate that is linked into the kernel on any system."""
    edges = ["--edges", "normal,no-proc-macro", "--target", "all"]
    tree = cargo("tree", "--package", "gainful-python", *edges, "--prefix", "none")
    crates = {tuple(line.split()[:2]) for line in tree.splitlines()}
    return sorted((name, version[1:]) for name, version in crates if "gainful" not in name)


def license_texts(folder: Path, terms: str) -> list[str]:
    """Return the texts of a crate's licenses, with those of a library that it bundles."""
    files = [
        path
        for path in (*sorted(folder.glob("*")), *sorted(folder.glob("*/*")))
        if path.is_file() and LICENSE_FILE.match(path.name) and path.suffix not in (".rs", ".toml")
    ]
    if "MIT" in re.split(r" OR |/", terms):
        apart = [path for path in files if re.search(r"APACHE|UNLICENSE|ZLIB|BSD", path.name)]
        files = [path for path in files if path not in apart] or files
    return [path.read_text("utf-8").strip() for path in files]


def notices() -> str:
    """Return the text of the file."""
    crates = {
        (package["name"], package["version"]): package
        for package in json.loads(cargo("metadata", "--format-version=1"))["packages"]
    }
    listed, applies = [HEADER], defaultdict(list)
    for name, version in linked():
        crate = crates[name, version]
        source = crate["repository"] or f"https://crates.io/crates/{name}"
        listed.append(f"{name} {version}: {crate['license']}, {source}")
        for text in license_texts(Path(crate["manifest_path"]).parent, crate["license"]):
            applies[text].append(f"{name} {version}")
    for text, names in sorted(applies.items(), key=lambda item: item[1]):
        listed += [f"\n{'=' * 80}\n{', '.join(names)}\n{'=' * 80}\n", text]
    return "\n".join(listed) + "\n"


if __name__ == "__main__":
    NOTICES.write_text(notices(), "utf-8")
