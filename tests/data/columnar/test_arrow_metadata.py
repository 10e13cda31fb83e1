"""Arrow files with wrong numbers in their metadata: rows or one error, in little memory."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arrow_metadata import lied, numbers
from columnar_files import ARROW
from limited_memory import READ_ALL, run_limited
from requirements import need

need("pyarrow")


@pytest.mark.parametrize("name", list(ARROW))
def test_all_numbers_are_found(name: str) -> None:
    content = ARROW[name]()
    found = numbers(content)
    assert len(found) == len(set(found)) > 100
    assert all(0 <= each.at < len(content) for each in found)
    # The number of rows of a batch, and a format with 64 bits.
    assert any(
        content[at : at + 8] == (30).to_bytes(8, "little") for at, kind in found if kind == "q"
    )


def test_random_wrong_numbers(tmp_path: Path) -> None:
    files = [(name, content := make(), numbers(content)) for name, make in ARROW.items()]
    count = 320
    for seed in range(count):
        chance = random.Random(seed)
        name, content, places = files[seed % len(files)]
        path = tmp_path / f"{seed:03}{Path(name).suffix}"
        path.write_bytes(lied(content, places, chance))
    done = run_limited(READ_ALL, tmp_path)
    lines = done.out.splitlines()
    assert done.status == 0, (lines[-1:], done.error)
    assert len(lines) == 2 * count
    ends = [line.split(" ", 2)[1] for line in lines]
    assert set(ends) == {"read", "1"}
    assert ends.count("1") > count / 2
    assert done.peak < 500
