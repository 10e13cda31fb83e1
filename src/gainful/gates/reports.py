"""The verdicts of a gate for GitHub and as JUnit XML."""

from __future__ import annotations

from gainful.gates.gated_measure import advice, headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.gates.result import GateResult

__all__ = ["github", "junit"]


_LEVELS = {"pass": "notice", "fail": "error", "inconclusive": "warning"}


def github(result: GateResult) -> str:
    """Return one line per comparison: an error, a warning, or a notice if it passes.

    Examples
    --------
    >>> import gainful
    >>> snapshot = gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10")
    >>> print(github(gainful.gate("qrels.txt", "bm25.run", snapshot)), end="")
    ::notice title=Gate passed%3A the run vs. the snapshot of bm25::nDCG@10 passes: the value ...
    """
    more = result.notes
    lines = []
    for index, measure in enumerate(result.comparisons):
        verdict = measure.verdict
        if verdict == "inconclusive":
            verdict = result.inconclusive or verdict
        texts = [measure.text, *advice(measure), *(more if index == 0 else ())]
        message = _data("\n".join(texts))
        lines.append(f"::{_LEVELS[verdict]} title={_property(headline(result))}::{message}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


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
            element = SubElement(case, "failure", message=message, type=measure.verdict)
            element.text = _plain(str(result))
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
