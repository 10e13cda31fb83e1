"""Check that a tag is ready for release, and print the notes of its release.

    python tools/release_notes.py v0.2.0

The tag has to be the version of Cargo.toml and of the conda recipe, and the newest entry of the
changelog has to be about it. What is wrong is printed, and the exit status is 1.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = "<!-- towncrier release notes start -->"


def newest_entry(changelog: str) -> tuple[str, str]:
    """Return the heading of the newest entry of a changelog, and its text."""
    _, _, entries = changelog.partition(MARK)
    _, heading, text, *_ = re.split(r"^## (.*)$", entries, flags=re.MULTILINE)
    return heading, text.strip()


def problems(tag: str, root: Path) -> list[str]:
    """Return the reasons not to release a tag."""
    cargo = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))
    version = cargo["workspace"]["package"]["version"]
    recipe = (root / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    heading, _ = newest_entry((root / "CHANGELOG.md").read_text("utf-8"))
    fragments = sorted(path.name for path in (root / "changelog.d").glob("*.*.md"))
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, and the version in Cargo.toml {version}")
    if f'version: "{version}"' not in recipe:
        found.append(f"packaging/conda/recipe.yaml does not have the version {version}")
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading):
        found.append(f"the newest entry of CHANGELOG.md is {heading!r}, not {version} with a date")
    if fragments:
        found.append(f"changelog.d has fragments, such as {fragments[0]}: run towncrier build")
    return found


def main(tag: str, root: Path = ROOT) -> int:
    """Print the notes of a release, or what is wrong with its tag."""
    found = problems(tag, root)
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    if found:
        return 1
    print(newest_entry((root / "CHANGELOG.md").read_text("utf-8"))[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
