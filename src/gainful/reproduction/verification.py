"""Check whether the input files of a result are unchanged."""

from __future__ import annotations

import json
import re
from os import fspath

from gainful.data.decompressed import opened
from gainful.errors import FormatError
from gainful.exit_statuses import INCONCLUSIVE, NEGATIVE, SUCCESS
from gainful.formats.table import Column, Table
from gainful.input_files import digest_file
from gainful.keywords import suggest_keywords
from gainful.records import derived, field
from gainful.results import Records, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.data.paths import Path

__all__ = ["Verification", "verify"]

#: The exit status by the state of a file.
STATUSES = {
    "unchanged": SUCCESS,
    "changed": NEGATIVE,
    "missing": NEGATIVE,
    "unknown": INCONCLUSIVE,
}

#: The data of an HTML report.
_FACTS = re.compile(r'<script type="application/json" id="facts">(.*?)</script>', re.DOTALL)


class Verification(Result):
    """Whether the input files of a result are unchanged.

    Examples
    --------
    >>> import gainful
    >>> inputs = ["qrels.txt", "bm25.run"]
    >>> gainful.evaluate(*inputs, "nDCG@10").save("result.json", inputs=inputs)
    >>> gainful.verify("result.json")
    <Verification of result.json: 2 unchanged>
    """

    SCHEMA = "gainful.verification/1"
    COMMAND = "verify"
    RECORDS = {"files": None}

    result: str
    """The file of the result."""
    status: int = derived(
        lambda verification: max(STATUSES[state] for state in verification.files.values()),
        json={"enum": sorted({*STATUSES.values()})},
    )
    """The exit status: 4 if a file is changed or missing, else 3 if one is unknown, else 0."""
    files: dict[str, str] = field(json={"additionalProperties": {"enum": list(STATUSES)}})
    """The state of each input file, by path; ``unknown`` if the result has no digest of it, as for
    the standard input."""

    def tables(self) -> list[Table]:
        """Return one row per file."""
        return [Table([Column("file"), Column("state")], self.files.items(), title=self.result)]

    def _records(self, name: str) -> Records:
        return {"file": list(self.files), "state": list(self.files.values())}

    def __repr__(self) -> str:
        states = list(self.files.values())
        counts = ", ".join(
            f"{states.count(state)} {state}" for state in STATUSES if state in states
        )
        return f"<Verification of {self.result}: {counts}>"


@suggest_keywords
def verify(result: Path) -> Verification:
    """Check whether the input files of a result are unchanged.

    Parameters
    ----------
    result : path
        A JSON result of a command, one that `Result.save` wrote with ``inputs``, a snapshot of
        `gainful.gate`, or an HTML report. Relative paths in it are relative to the current folder.

    Returns
    -------
    Verification
        The state of each file.

    Raises
    ------
    SourceError
        If the result cannot be read.
    FormatError
        If it has no digests of its inputs.

    Examples
    --------
    >>> import gainful
    >>> gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    >>> gainful.verify("snapshot.json").files
    {'qrels.txt': 'unchanged', 'bm25.run': 'unchanged'}
    """
    with opened(fspath(result)) as (name, stream):
        text = stream.read().decode("utf-8", "surrogateescape")
    report = _FACTS.search(text)
    try:
        inputs = json.loads(report[1] if report else text)["inputs"]
        files = {str(file["path"]): _state(file["path"], file["sha256"]) for file in inputs}
    except (ValueError, KeyError, TypeError, RecursionError):
        files = {}
    if not files:
        raise FormatError(
            file=name,
            found="no digests of input files",
            expected="a JSON result of a command, a snapshot or a report",
        )
    return Verification(result=name, files=files)


def _state(path: str, digest: str | None) -> str:
    if digest is None:
        return "unknown"
    try:
        return "unchanged" if digest_file(path) == digest else "changed"
    except OSError:
        return "missing"
