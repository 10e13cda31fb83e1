"""A drop-in replacement for the command line of trec_eval, with identical output.

``gainful trec_eval ARGS...`` and the program ``gainful-trec-eval`` reproduce version 9.0.8, or with
``--compat 10`` version 10.0-rc3. Where trec_eval crashes, or prints a number that contradicts its
documentation, they print the correct number or an error; the documentation of trec_eval's command
line lists all differences.

`settings` reads the command line, `plan` lists the requested values, `reading` and `evaluating`
compute them with the kernel, `printing` writes them, and `command` calls these.
"""

from __future__ import annotations

from gainful.threads import collect_rarely

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run trec_eval's command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name. Default: `sys.argv`.

    Returns
    -------
    int
        As in trec_eval: 0 for success, 1 for an invalid command line, 2 for a file or parameter, 4
        for a topic that cannot be measured, 7 for no topic. Also 2 for input that crashes
        trec_eval, 130 after Ctrl-C, 141 if the reader of the output exits.

    Examples
    --------
    >>> main(["-m", "ndcg_cut.5", "qrels.txt", "bm25.run"])  # doctest: +NORMALIZE_WHITESPACE
    ndcg_cut_5            	all	0.7193
    0
    """
    try:
        if arguments is None:
            collect_rarely()
        from gainful.compat.trec_eval.command import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130
