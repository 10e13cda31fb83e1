"""Packages that the baselines need and that may not be installed."""

from __future__ import annotations

from importlib import import_module

from gainful.errors import GainfulError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["needed"]


def needed(module: str, package: str, what: str) -> Any:
    """Return a package of the extra ``baselines``.

    Parameters
    ----------
    module : str
        What is imported.
    package : str
        What it is called where it is installed from.
    what : str
        What needs it, for the message.

    Raises
    ------
    GainfulError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise GainfulError(
            where=what,
            found=f"no package {package}",
            expected="the packages of the extra `baselines`",
            hint="pip install 'gainful[baselines]'",
        ) from error
