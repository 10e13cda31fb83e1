"""``engine = "python"``: a callable, or one that is made with the settings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.systems.description.description import Description
    from gainful.systems.protocol import System

__all__ = ["build"]

_WHERE = ("documents", "id", "score")


def build(description: Description) -> System:
    """Make a system of a description that names a function, class or object.

    Its keys are ``callable`` (``"module:object"``, or ``"file.py:object"`` beside the
    description), ``batch``, ``version``, and ``[results]`` with ``documents``, ``id`` and
    ``score``: where these stand in what is returned, as `as_system` has it. Where there are
    settings, the callable is called with them and returns the system.

    Examples
    --------
    >>> from gainful.systems import Query, load_system
    >>> with open("shout.py", "w") as file:
    ...     _ = file.write("def make(mark): return lambda text, k: [text.upper() + mark]")
    >>> system = load_system(
    ...     {"engine": "python", "callable": "shout.py:make", "settings": {"mark": "!"}}
    ... )
    >>> system.ask([Query("q1", "tea")], 1)
    [Answer(documents=['TEA!'], scores=None)]
    """
    from os.path import join

    from gainful.systems.python.callables import as_system
    from gainful.systems.python.named_objects import load_object

    word = description.text("callable")
    place, _, _ = word.rpartition(":")
    if place.endswith(".py"):
        word = join(description.folder, word)
    settings = dict(description.use_settings())
    fields: dict[str, str] = {}
    results = description.table("results")
    if results is not None:
        found = {name: results.text(name, None) for name in _WHERE}
        fields = {name: path for name, path in found.items() if path is not None}
    system = as_system(
        load_object(word, settings),
        name=description.name,
        fields=fields or None,
        version=description.text("version", None),
        batch=description.integer("batch", None, least=1),
    )
    return _with_settings(system, settings)


def _with_settings(system: System, settings: dict[str, object]) -> System:
    """Tell the settings in what the system is, for nobody knows what was made of them."""
    if settings:
        system.identity = {**system.identity, "made_with": settings}
    return system
