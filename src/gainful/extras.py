"""Import optional packages on demand."""

from __future__ import annotations

from gainful.errors import MissingPackageError
from gainful.garbage import collect_at_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load_package"]


def load_package(
    module: str, *, where: str | None = None, package: str | None = None, extra: str | None = None
) -> Any:
    """Import a module of an optional package.

    Parameters
    ----------
    module : str
        The module, as ``import`` names it.
    where : str, optional
        The feature that needs it, for the message.
    package : str, optional
        The package's name on PyPI, if it differs from the module's.
    extra : str, optional
        The extra of Gainful that installs it.

    Raises
    ------
    MissingPackageError
        If it is not installed.

    Examples
    --------
    >>> load_package("json").loads("[1]")
    [1]
    >>> load_package("nobody", where="charts", extra="report")
    Traceback (most recent call last):
    gainful.errors.MissingPackageError: charts: the package nobody is not installed. Hint: ...
    """
    from importlib import import_module

    collect_at_end()
    try:
        return import_module(module)
    except ImportError as error:
        name = package or module.partition(".")[0]
        raise MissingPackageError(
            f"the package {name} is not installed",
            where=where,
            hint=f"pip install 'gainful[{extra}]'" if extra else f"pip install {name}",
        ) from error
