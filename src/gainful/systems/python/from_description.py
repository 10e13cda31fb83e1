"""Systems with ``engine = "python"``, an object of a file or module, and those of packages."""

from __future__ import annotations

from os.path import join

from gainful.packages import SYSTEMS, error_in, installed
from gainful.systems.python.callables import PythonSystem, as_python_system
from gainful.systems.python.named_objects import load_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.systems.description.description import Description
    from gainful.systems.protocol import System

__all__ = ["build", "build_installed", "check", "object_name"]


def build(description: Description) -> System:
    """Create the system of a description with a Python object.

    Parameters
    ----------
    description : Description
        ``object``: ``file.py:name``, relative to the description, or ``module:name``. If there are
        ``[settings]``, it is called with them and returns the system; dots in their names become
        underscores. ``[results]``: the locations of ``documents``, ``id`` and ``score`` in its
        result. ``batch`` and ``version`` as in `as_system`.

    Examples
    --------
    >>> from gainful.systems import Query, load_system
    >>> with open("titles.py", "w") as file:
    ...     _ = file.write("def make(prefix): return lambda text, k: [prefix + text]")
    >>> system = load_system(
    ...     {"engine": "python", "object": "titles.py:make", "settings": {"prefix": "d-"}}
    ... )
    >>> system.ask([Query("q1", "tea")], 10)
    [Answer(documents=['d-tea'], scores=None)]
    """
    place = object_name(description)
    settings = description.use_settings()
    options = _options(description)
    system = as_python_system(load_object(place, settings), name=description.name, **options)
    if settings and isinstance(system, PythonSystem):
        # Settings are part of the identity, wherever the object stores them.
        system.settings = settings
    return system


def build_installed(description: Description) -> System:
    """Create the system of an engine of an installed package.

    The entry point of the group ``gainful.systems`` loads a function, which reads the keys of the
    `Description` and returns a system as `as_system` takes it.
    """
    for entry, build in installed(SYSTEMS, description.engine):
        if not callable(build):
            raise error_in(entry, "is not a function that takes a description")
        system = as_python_system(build(description), name=description.name)
        if isinstance(system, PythonSystem):
            # What the object does with its keys is unknown, so all are part of the identity.
            system.settings = description.written()
        return system
    raise AssertionError(description.engine)


def check(description: Description) -> str:
    """Check a description and return the name of its object, without loading it.

    Raises
    ------
    FormatError
        For an invalid key or value.
    """
    place = object_name(description)
    description.use_settings()
    _options(description)
    description.finish()
    return place


def object_name(description: Description) -> str:
    """Return the name of the object; a file is relative to the description."""
    place: str = description.text("object")
    is_file = place.rpartition(":")[0].endswith(".py")
    return join(description.folder, place) if is_file else place


def _options(description: Description) -> dict[str, Any]:
    results = description.table("results")
    fields = None
    if results is not None:
        names = [name for name in ("documents", "id", "score") if name in results]
        fields = {name: results.text(name) for name in names}
    return {
        "fields": fields,
        "batch": description.integer("batch", None, least=1),
        "version": description.text("version", None),
    }
