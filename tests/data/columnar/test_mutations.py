"""Randomly changed Parquet and Arrow files: correct rows or one error."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gainful
from columnar_files import ARROW, PARQUET, changed, run
from combinations import ALL
from gainful.data import ReadOptions
from gainful.data.inputs import open_columnar
from gainful.errors import GainfulError, SourceError
from requirements import need

need("pyarrow")

QRELS = {f"q{query}": {f"d{query}": 1} for query in range(6)}
FILES = {**PARQUET, **ARROW}


@pytest.mark.parametrize("name", list(FILES))
def test_random_changes(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = FILES[name]()
    path = tmp_path / name
    refused = 0
    count = 120 if ALL else 60
    for seed in range(count):
        path.write_bytes(changed(content, random.Random(seed)))
        try:
            gainful.evaluate(QRELS, path, ["nDCG@10", "AP"])
        except GainfulError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1, seed
            assert str(error).isprintable() or "column" in str(error), seed
    assert refused > count / 2
    # Not even a caught panic prints anything.
    assert capfd.readouterr() == ("", "")


def test_a_file_overwritten_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    # Its row groups would be those of two different files.
    path = tmp_path / "run.parquet"
    path.write_bytes(PARQUET["snappy.parquet"]())
    opened = open_columnar([str(path)], "run", ReadOptions(format="parquet"))
    path.write_bytes(PARQUET["zstd.parquet"]())
    with pytest.raises(SourceError, match=r"run\.parquet: the file changed while it"):
        opened.rows(threads=1)


def test_a_rare_type(tmp_path: Path) -> None:
    polars = need("polars")
    frame = polars.from_arrow(run("text")).with_columns(wide=polars.lit(1, dtype=polars.Int128))
    frame.write_parquet(tmp_path / "run.parquet")
    frame.write_ipc(tmp_path / "run.arrow")
    for name in ("run.parquet", "run.arrow"):
        with pytest.raises(SourceError, match="128.*not supported.*without that column"):
            gainful.evaluate(QRELS, tmp_path / name, "AP")
    assert gainful.evaluate(QRELS, frame, "AP").mean() > 0
