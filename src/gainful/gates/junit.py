"""Write a gate's result as JUnit XML, which CI systems show with the test results.

Each measure is a test case, and each measure against the anchor another one. A failed one has a
``failure``, an inconclusive one is ``skipped`` unless inconclusive counts as fail or pass. JUnit
XML has no official schema; these elements and attributes are those that Jenkins, GitLab and GitHub
Actions read.
"""

from __future__ import annotations

from gainful.gates.sentences import headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.gates.result import GateResult

__all__ = ["junit"]


def junit(result: GateResult) -> str:
    """Return the result as JUnit XML.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> xml = junit(gainful.gate("qrels.txt", "dense.run", snapshot))
    >>> print(xml.splitlines()[1])
    <testsuites tests="1" failures="0" errors="0" skipped="1">
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    suite = Element("testsuite", name="gainful gate")
    counts = {"pass": 0, "fail": 0, "skip": 0}
    for measure in result.comparisons:
        outcome = measure.verdict
        if outcome == "inconclusive":
            outcome = result.inconclusive or "skip"
        counts[outcome] += 1
        versus = "" if measure.reference == "snapshot" else " vs. the anchor"
        name = _plain(f"{measure.measure} of {result.system}{versus}")
        case = SubElement(suite, "testcase", classname="gainful.gate", name=name, time="0")
        message = _plain(measure.text)
        if outcome == "fail":
            found = SubElement(case, "failure", message=message, type=measure.verdict)
            found.text = _plain(str(result))
        elif outcome == "skip":
            SubElement(case, "skipped", message=message)
        SubElement(case, "system-out").text = message
    totals = {
        "tests": str(len(result.comparisons)),
        "failures": str(counts["fail"]),
        "errors": "0",
        "skipped": str(counts["skip"]),
    }
    suite.attrib.update(totals, time="0")
    properties = Element("properties")
    known = {
        "verdict": result.verdict,
        "headline": headline(result),
        "looks": str(result.looks),
        "expected_wrong_passes": f"{result.expected_wrong_passes:.6g}",
    }
    for key, value in known.items():
        SubElement(properties, "property", name=key, value=_plain(value))
    suite.insert(0, properties)
    root = Element("testsuites", totals)
    root.append(suite)
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _plain(text: str) -> str:
    """Escape the characters that XML 1.0 does not allow, as Python writes them."""
    return "".join(char if _allowed(ord(char)) else ascii(char)[1:-1] for char in text)


def _allowed(code: int) -> bool:
    if code < 0x20:
        return code in (0x9, 0xA, 0xD)
    return not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)
