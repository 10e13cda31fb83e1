"""Putting a stand-in where a library looks for the original."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Installation", "install"]


class Installation:
    """What `install` did, and the way back.

    As a context manager it undoes itself at the end of the block.

    Attributes
    ----------
    module : module
        What stands in.
    name : str
        The name that it goes by in `sys.modules`.
    """

    __slots__ = ("_before", "_done", "module", "name")

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self.module = module
        self._done = False
        self._before = sys.modules.get(name)
        sys.modules[name] = module

    def undo(self) -> None:
        """Put back what stood there before; a second time does nothing."""
        if self._done:
            return
        self._done = True
        # Where somebody has put another module there meanwhile, that one stays.
        if sys.modules.get(self.name) is not self.module:
            return
        if self._before is None:
            del sys.modules[self.name]
        else:
            sys.modules[self.name] = self._before

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *failure: object) -> None:
        self.undo()

    def __repr__(self) -> str:
        return f"<{self.module.__name__} as {self.name}>"


def install() -> Installation:
    """Let `gainful.compat.pytrec_eval` stand in for pytrec_eval in this process.

    From then on ``import pytrec_eval`` gives Gainful's, whether pytrec_eval is installed or not.
    A library that imported pytrec_eval before keeps what it has: install first, import second.

    Returns
    -------
    Installation
        Its `undo` puts back what was there; it is a context manager that does so by itself.

    Examples
    --------
    >>> import gainful.compat
    >>> with gainful.compat.install():
    ...     import pytrec_eval
    >>> pytrec_eval.__name__
    'gainful.compat.pytrec_eval'
    """
    from gainful.compat import pytrec_eval

    return Installation("pytrec_eval", pytrec_eval)
