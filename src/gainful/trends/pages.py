"""The values by query in an HTML report."""

from __future__ import annotations

import json
import re
import zlib
from typing import NamedTuple

import numpy as np

from gainful.conventions import Convention
from gainful.data.text_files import text_lines
from gainful.errors import FormatError
from gainful.formats.packing import from_text, unpack_columns
from gainful.measures.notation import parse_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.measures import Measure

__all__ = ["Page", "read_page"]


class Page(NamedTuple):
    """What a report says of its evaluation."""

    systems: tuple[str, ...]
    convention: Convention
    measures: tuple[Measure, ...]
    judgments: str | None
    queries: tuple[str, ...]
    blocks: dict[str, str]

    def values(self, measure: int, system: str) -> dict[str, float]:
        """Return the values of a system by query."""
        _, columns = unpack_columns(from_text(self.blocks[f"scores-{measure}"]))
        numbers = np.frombuffer(columns["numbers"].astype(np.uint8).tobytes(), "<f8")
        system_place, n = self.systems.index(system), len(self.queries)
        places = numbers[columns["places"][system_place * n : (system_place + 1) * n]].tolist()
        return {
            query: value
            for query, value in zip(self.queries, places, strict=True)
            if value == value
        }


def read_page(path: str) -> Page:
    """Read the values of an HTML report.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        If it is not a report, or one of another version.
    """
    name, rows = text_lines(path)
    text = "\n".join(line for _, line in rows)
    facts_match = re.search(
        r'<script type="application/json" id="facts">(.*?)</script>', text, re.DOTALL
    )
    # Only the blocks with values: rankings can be large.
    pattern = r'<script type="text/plain" id="block-(queries|scores-\d+)">([^<]*)</script>'
    blocks = dict(re.findall(pattern, text))
    try:
        facts = json.loads(facts_match[1] if facts_match else "")
        policies = {key: value for key, value in facts["convention"].items() if key != "text"}
        return Page(
            tuple(facts["systems"]),
            Convention(**policies),
            tuple(map(parse_measure, facts["measures"])),
            facts["judgments"],
            tuple(json.loads(from_text(blocks["queries"]))["ids"]),
            {
                f"scores-{number}": blocks[f"scores-{number}"]
                for number in range(len(facts["measures"]))
            },
        )
    except (KeyError, TypeError, ValueError, OSError, EOFError, zlib.error) as error:
        raise FormatError(
            file=name,
            found="a page of another kind",
            expected="a report of this version",
        ) from error
