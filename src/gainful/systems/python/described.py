"""``engine = "python"``: an object of a file or module, made with the settings if it has any."""

from __future__ import annotations

from os.path import join

from gainful.systems.python.callables import PythonSystem, as_python_system
from gainful.systems.python.named_objects import load_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.description.description import Description
    from gainful.systems.protocol import System

__all__ = ["build"]


def build(description: Description) -> System:
    """Make a system of a description that names a Python object.

    Parameters
    ----------
    description : Description
        ``object``: ``file.py:name``, which begins where the description lies, or ``module:name``.
        With ``[settings]`` it is called with them, and returns the system; dots in their names
        become underscores. ``[results]``: where ``documents``, ``id`` and ``score`` stand in what
        it returns. ``batch`` and ``version`` as for `as_system`.

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
    place = description.text("object")
    if place.rpartition(":")[0].endswith(".py"):
        place = join(description.folder, place)
    settings = description.use_settings()
    results = description.table("results")
    fields = None
    if results is not None:
        names = [name for name in ("documents", "id", "score") if name in results]
        fields = {name: results.text(name) for name in names}
    system = as_python_system(
        load_object(place, settings),
        name=description.name,
        fields=fields,
        batch=description.integer("batch", None, least=1),
        version=description.text("version", None),
    )
    if settings and isinstance(system, PythonSystem):
        # What is made with other settings is another system, wherever it keeps them.
        system.settings = settings
    return system
