"""Topics of TREC tracks in their original formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gainful.errors import FormatError
from gainful.systems import Queries
from requirements import need

ROBUST = """<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate
in international criminal activity.

<narr> Narrative:
A relevant document must identify one.

</top>

<top>
<num> Number: 302
<title> Poliomyelitis and
Post-Polio
</top>
"""

WEB = """<?xml version="1.0" encoding="UTF-8"?>
<webtrack2013>
<topic number="201" type="faceted">
  <query>uss carl &amp; vinson</query>
  <description>Find information.</description>
  <subtopic number="1" type="inf">Where is it?</subtopic>
</topic>
</webtrack2013>
"""

TOPICS: dict[str, tuple[str, list[tuple[str, str, dict[str, Any]]]]] = {
    "tags that are not closed": (
        ROBUST,
        [
            (
                "301",
                "International Organized Crime",
                {
                    "description": "Identify organizations that participate in international"
                    " criminal activity.",
                    "narrative": "A relevant document must identify one.",
                },
            ),
            ("302", "Poliomyelitis and Post-Polio", {}),
        ],
    ),
    "an attribute, and subtopics": (
        WEB,
        [("201", "uss carl & vinson", {"description": "Find information."})],
    ),
    "a query and a question": (
        '<topics task="COVIDSEARCH">\n<topic number="1">\n<query>coronavirus origin</query>\n'
        "<question>what is its origin</question>\n<narrative>all</narrative>\n</topic>\n</topics>",
        [("1", "coronavirus origin", {"question": "what is its origin", "narrative": "all"})],
    ),
    "a text and nothing else": (
        '<topics>\n<topic number="1">\nA 45-year-old man\nwith fever.\n</topic>\n</topics>\n',
        [("1", "A 45-year-old man with fever.", {})],
    ),
    "a number in an element": (
        "<topics><topic><number>7</number><title>Should it?</title></topic></topics>",
        [("7", "Should it?", {})],
    ),
    "a number before each line": (
        "201:raspberry pi\n202:at 10:30\n",
        [("201", "raspberry pi", {}), ("202", "at 10:30", {})],
    ),
    "times, which are no numbers of lines": (
        "10:30 train\n10:45 train\n",
        [("10:30 train", "10:30 train", {}), ("10:45 train", "10:45 train", {})],
    ),
}


@pytest.mark.parametrize("form", TOPICS)
def test_topics(form: str, tmp_path: Path) -> None:
    content, expected = TOPICS[form]
    path = tmp_path / "topics"
    path.write_text(content)
    found = Queries.of(path)
    assert [(query.id, query.text, dict(query.fields)) for query in found] == expected


def test_topics_without_an_id(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text("<top>\n<num> Number: 1\n<title> a\n</top>\n<top>\n<title> b\n</top>\n")
    with pytest.raises(FormatError, match="line 5: no id in the element"):
        Queries.of(path)
    path.write_text("<html><body>Not found</body></html>")
    with pytest.raises(FormatError, match="no <top> or <topic>"):
        Queries.of(path)


def test_real_topics() -> None:
    queries = Queries.of(need("shared-data") / "vaswani" / "query-text.trec")
    assert len(queries) == 93
    assert queries["1"].text.startswith("MEASUREMENT OF DIELECTRIC CONSTANT OF LIQUIDS")
    assert queries["1"].fields == {}
