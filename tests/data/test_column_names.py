"""Files and data frames understand the same names of columns."""

from __future__ import annotations

from pathlib import Path

import gainful
from combinations import in_turn
from gainful import _kernel
from gainful.data.columns import ROLES
from repeated_tests import for_each

#: Names that may be those of a query or of a document.
BOTH = set(_kernel.names_of("query_id")) & set(_kernel.names_of("doc_id"))
NAMES = [
    (column, name) for column in ROLES for name in _kernel.names_of(column) if name not in BOTH
]


#: How a name may be written.
WRITTEN = [str, str.upper, lambda name: name.replace("_", "-")]


@for_each(
    ("column", "name", "written"),
    [(*named, written) for named, written in in_turn(NAMES, WRITTEN, 3)],
)
def test_a_name_that_frames_understand(column: str, name: str, written, tmp_path: Path) -> None:
    columns = {"query_id": "q1", "doc_id": "d1", "grade": "3", "score": "0.5", "rank": "1"}
    for other in ("score", "rank") if column == "grade" else ("grade",):
        del columns[other]
    header = [written(name) if each == column else each for each in columns]
    path = tmp_path / "table.csv"
    path.write_text(",".join(header) + "\n" + ",".join(columns.values()) + "\n")
    if "grade" in columns:
        assert gainful.read_qrels(path).to_dict() == {"q1": {"d1": 3}}
    else:
        assert gainful.read_run(path).to_dict() == {"q1": {"d1": 0.5}}
