"""trec_eval's command line: its options, its measures, its output, byte for byte.

``gainful trec_eval ARGS...`` and the program ``gainful-trec-eval`` take what trec_eval takes and
print what it prints: as version 9.0.8 does, or with ``--compat 10`` as version 10.0-rc3. Where
trec_eval crashes or prints a number that its own documentation contradicts, this gives the right
one or says what is wrong; the page "trec_eval's command line" of the documentation lists every
such place.

The work goes through these modules in this order: `options` and `settings` read the command line;
`measures`, `parameters` and `plan` make the list of values that are asked for; `reading` and
`evaluating` get the numbers from the engine; `printing` writes them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run trec_eval's command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name; those it was started with by default.

    Returns
    -------
    int
        trec_eval's: 0 when all went well, 1 for the command line, 2 for a file or a parameter, 4
        for a topic that cannot be measured, 7 for no topic at all. Also 2 for what trec_eval would
        not have survived, 130 after Ctrl-C, 141 when the reader of the output went away.

    Examples
    --------
    >>> main(["-m", "ndcg_cut.5", "qrels.txt", "bm25.run"])  # doctest: +NORMALIZE_WHITESPACE
    ndcg_cut_5            	all	0.7193
    0
    """
    try:
        from gainful.compat.trec_eval.command import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130
