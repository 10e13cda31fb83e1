"""The command line, with one module per command and no logic of its own.

A command parses its arguments, calls one function of the package and writes the result. Only the
module of the command in use is imported.
"""

from __future__ import annotations

import errno
import os
import sys

from gainful.errors import ERROR, INTERRUPTED
from gainful.threads import collect_rarely

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program ``gainful`` and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after the program's name. Default: those of the process.

    Returns
    -------
    int
        One of those of `gainful.errors`; trec_eval has its own.

    Examples
    --------
    >>> main(["measures", "--format", "tsv", "nDCG@0"])
    2
    """
    try:
        if arguments is None:
            collect_rarely()
        words = sys.argv[1:] if arguments is None else list(arguments)
        if words[:1] == ["trec_eval"]:
            # It has its own option parser, so click is not loaded.
            from gainful.compat.trec_eval import main as trec_eval

            return trec_eval(words[1:])
        from gainful.cli.program import interrupt_on_sigterm, run

        if arguments is None:
            interrupt_on_sigterm()
        return run(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except ImportError as error:
        # Installed without its dependencies, or a library cannot be loaded, as for lack of memory.
        from gainful.packages import describe_failed_import

        is_other = isinstance(error, ModuleNotFoundError) and error.name not in ("click", "numpy")
        # A loaded module lacks a name: that is a bug.
        if is_other or sys.modules.get(error.name or "") is not None:
            raise
        sys.stderr.write(f"gainful: {describe_failed_import(error)}\n")
        return ERROR
    except (MemoryError, OSError) as error:
        # A module or the message of an error could not be loaded, so nothing else is.
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        os.write(2, b"gainful: not enough memory\n")
        return ERROR
    except RuntimeError as error:
        # Before Python 3.12 an error in __set_name__ is replaced.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return INTERRUPTED
        raise
