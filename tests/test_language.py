"""The check of the project's language finds the words that the style guide forbids."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from requirements import ROOT


def check(folder: Path, text: str, name: str = "page.md") -> subprocess.CompletedProcess[str]:
    """Run the check on a folder with one page."""
    (folder / "tools").mkdir()
    script = folder / "tools" / "check_language.py"
    script.write_bytes((ROOT / "tools" / "check_language.py").read_bytes())
    (folder / name).write_text(text, encoding="utf-8")
    words = [sys.executable, str(script), name, "--review"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "text",
    [
        "A be" + "side B.",
        "A be" + "side_b.",
        "a system held\nagainst the baseline",
        "judged: 95 %",
        "differences of .0278–.1105",
        "the behavi" + "our",
    ],
)
def test_forbidden_words_and_figures_fail(tmp_path: Path, text: str) -> None:
    done = check(tmp_path, f"Good.\n\n{text}\n")
    assert (done.returncode, done.stdout.split(": ")[0]) == (1, "page.md:3")
    assert "write: " in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "Compare A with B. The result has no besides.",
        "A quotation: be" + "side <!-- language: allow, the title of a paper -->",
    ],
)
def test_other_words_and_marked_lines_pass(tmp_path: Path, text: str) -> None:
    done = check(tmp_path, f"{text}\n")
    assert (done.returncode, done.stdout.strip()) == (0, "")


def test_long_sentences_warn(tmp_path: Path) -> None:
    done = check(tmp_path, f"{'word ' * 31}.\n\n```text\n{'word ' * 31}.\n```\n")
    assert done.returncode == 0
    assert done.stdout.count("page.md") == 1
