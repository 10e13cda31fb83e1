"""The command line: one file a command, no logic of its own.

A command parses its arguments, calls one function of the package and hands the result to a
renderer of `gainful.report`. Only the command that is called is imported.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program ``gainful`` and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name; those it was started with by default.

    Returns
    -------
    int
        0 when all went well, 1 where `reconcile` finds nothing, 2 for an error, 130 after Ctrl-C,
        141 when the reader of the output went away.

    Examples
    --------
    >>> main(["measures", "--format", "tsv", "nDCG@0"])
    2
    """
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        if words[:1] == ["trec_eval"]:
            # It has an option parser of its own, and no time to load another.
            from gainful.compat.trec_eval import main as trec_eval

            return trec_eval(words[1:])
        from gainful.cli.program import run

        return run(words)
    except KeyboardInterrupt:
        return 130
