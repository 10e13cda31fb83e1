"""Checks of a tool's measures: equal to Gainful's, different, or not offered by the tool."""

from __future__ import annotations

from gainful.measures.family import plain
from gainful.measures.index import ALIASES, FAMILIES, TREC_NAMES

#: The measures that every preset accounts for.
COMMON = ("nDCG", "DCG", "AP", "RR", "P", "R", "Success")

#: Where the recorded output of tools is, in the repository.
RECORDS = "tests/conventions/tool_runs"


class Check:
    """How a measure of a tool compares with Gainful's under the preset.

    Parameters
    ----------
    status : {"equal", "different", "absent"}
        Equal numbers; numbers that no parameter or policy reproduces, so that the measure is
        refused; or a measure that the tool does not offer.
    names : tuple of str
        The tool's names for the measure.
    text : str
        The condition of equal numbers, or the difference: a sentence about the tool without a
        subject and a full stop.
    evidence : str, optional
        How it is known, one of `gainful.conventions.description.EVIDENCE`. Default: the evidence of
        the preset.
    where : str, optional
        The test that compares both, or the source that was read. Default: for ``"run"`` the
        recorded output of the tool in `RECORDS`, else the source of the preset.
    """

    __slots__ = ("evidence", "names", "status", "text", "where")

    def __init__(
        self,
        status: str,
        names: tuple[str, ...] = (),
        text: str = "",
        *,
        evidence: str | None = None,
        where: str | None = None,
    ) -> None:
        self.status = status
        self.names = names
        self.text = text
        self.evidence = evidence
        self.where = where

    def names_to_read(self, family: str) -> dict[str, str]:
        """Return the tool's names that the notation does not read as this family already."""
        return {
            name: family
            for name in self.names
            if name != family
            and name not in TREC_NAMES
            and (name in FAMILIES or ALIASES.get(plain(name)) != family)
        }

    def __repr__(self) -> str:
        return f"<check: {self.status}{self.text and f', {self.text}'}>"


def equal(
    *names: str, text: str = "", evidence: str | None = None, where: str | None = None
) -> Check:
    """Return the check of a measure with equal numbers; `text` is a condition, if any."""
    return Check("equal", names, text, evidence=evidence, where=where)


def different(
    *names: str, text: str, evidence: str | None = None, where: str | None = None
) -> Check:
    """Return the check of a measure that the tool computes differently; `text` says how."""
    return Check("different", names, text, evidence=evidence, where=where)


#: The check of a measure that the tool does not offer.
ABSENT = Check("absent")
