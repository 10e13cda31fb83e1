"""Build the documentation with Sphinx: ``build_docs.py FOLDER [PROCESSES [OPTION...]]``.

Autosummary writes a page per object of the Python reference next to the page that lists it. So that
nothing is written into the checkout, Sphinx reads a copy of `docs` in ``FOLDER/source/docs``; links
to other files of the repository lead through symbolic links. Pictures are drawn into the copy, too.
The site is in ``FOLDER/html``, and stays as it is if nothing changed that it follows from. Without
a number of processes there is one per core, which takes less time on a machine that does nothing
else, and more of all cores together. Options are those of Sphinx; with the tag ``few``, most pages
of objects are read and not written.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Folders that no page shows or links to, but for the sample of one in tests.
WITHOUT_PAGES = {"kernel", "record", "src", "target", "tests"}


def sources() -> Iterator[Path]:
    """Yield the files that a site follows from, the installed Gainful included."""
    gainful = find_spec("gainful")
    folders = [ROOT / "tests/documentation", ROOT / "target/web"]
    folders += map(Path, (gainful.submodule_search_locations if gainful else None) or [])
    for path in ROOT.iterdir():
        if path.is_file():
            yield path
        elif path.name[0] != "." and path.name not in WITHOUT_PAGES:
            folders.append(path)
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.suffix != ".pyc" and path.is_file())


def digest(options: tuple[str, ...]) -> str:
    """Return the digest of everything that a site follows from."""
    words = [sys.version, os.environ.get("DOCS_URL", ""), *options]
    words += sorted(f"{each.name} {each.version}" for each in distributions())
    total = hashlib.sha256("\n".join(words).encode())
    for path in sorted(sources()):
        total.update(f"\n{path}\n".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def copy_sources(folder: Path) -> None:
    """Copy docs into a folder, and link to everything that its pages may link to."""
    shutil.rmtree(folder / "docs", ignore_errors=True)
    # Dates are kept, so that Sphinx reads only pages that changed since the last build.
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        link = folder / path.name
        if path.name not in {"docs", "target"} and path.name[0] != "." and not link.exists():
            link.symlink_to(path)


def build(folder: Path, processes: str = "auto", *options: str) -> int:
    """Build the documentation into a folder, and return the exit status of Sphinx."""
    built, now = folder / "built", digest(options)
    if (folder / "html").exists() and built.exists() and built.read_text("utf-8") == now:
        return 0
    built.unlink(missing_ok=True)
    copy_sources(folder / "source")
    draw: list[str | Path] = [
        sys.executable,
        ROOT / "tools" / "draw_pictures.py",
        folder / "source/docs/images",
    ]
    subprocess.run(draw, check=True)
    web: list[str | Path] = [ROOT / "docs" / "browser.py", folder / "source/docs/_static/web"]
    subprocess.run([sys.executable, *web], check=True)
    sphinx = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    # The search forgets the index entries of pages that are not written again.
    sphinx.append("--write-all")
    command: list[str | Path] = [
        *sphinx,
        "-j",
        processes,
        *options,
        "-d",
        folder / "doctrees",
        folder / "source/docs",
    ]
    status = subprocess.run([*command, folder / "html"], check=False).returncode
    if status == 0:
        built.write_text(now, "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
