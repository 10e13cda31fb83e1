"""Drop-in replacements for other evaluation tools, also installed in `sys.modules`."""

from __future__ import annotations

import sys

from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Installation", "install"]


class Installation:
    """The result of `install`, which can be undone.

    As a context manager it is undone at the end of the block.

    Attributes
    ----------
    module : module
        The replacement.
    name : str
        Its name in `sys.modules`.
    """

    __slots__ = ("_before", "_done", "module", "name")

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self.module = module
        self._done = False
        self._before = sys.modules.get(name)
        sys.modules[name] = module

    def undo(self) -> None:
        """Restore the original module; a second call does nothing."""
        if self._done:
            return
        self._done = True
        # Keep a module that was installed there meanwhile.
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


@suggest_keywords
def install() -> Installation:
    """Replace pytrec_eval by `gainful.compat.pytrec_eval` in this process.

    Afterwards ``import pytrec_eval`` imports the replacement, whether pytrec_eval is installed or
    not. Libraries that imported pytrec_eval earlier keep the original, so install first.

    Returns
    -------
    Installation
        `undo` restores the original; it is also a context manager.

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
