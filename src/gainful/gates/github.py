"""Write a gate's result as GitHub annotations: workflow commands on standard output.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from gainful.gates.sentences import advice, headline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.gates.result import GateResult

__all__ = ["github"]

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
    for at, measure in enumerate(result.comparisons):
        verdict = measure.verdict
        if verdict == "inconclusive":
            verdict = result.inconclusive or verdict
        texts = [measure.text, *advice(measure), *(more if at == 0 else ())]
        message = _data("\n".join(texts))
        lines.append(f"::{_LEVELS[verdict]} title={_property(headline(result))}::{message}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
