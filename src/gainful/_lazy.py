"""Public names of a package that are loaded when they are first used."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load_on_use"]


def load_on_use(
    namespace: dict[str, "Any"], places: dict[str, list[str]], modules: tuple[str, ...] = ()
) -> None:
    """Give a package its public names, each of which loads its module when it is first used.

    Type checkers read the same names from imports under ``if TYPE_CHECKING:``.

    Parameters
    ----------
    namespace : dict
        ``globals()`` of the package, which gets `__getattr__`, `__dir__` and `__all__`; names that
        `__all__` has already stay in it.
    places : dict of str to list of str
        From the name of a module in the package to the public names that it defines.
    modules : tuple of str
        Modules of the package that are public themselves.
    """
    package = namespace["__name__"]
    place_of = {name: place for place, names in places.items() for name in names}
    public = sorted({*namespace.get("__all__", ()), *place_of, *modules})

    def load(name: str) -> object:
        if name in place_of:
            place = f"{package}.{place_of[name]}"
            value = getattr(__import__(place, fromlist=[name]), name)
        elif name in modules:
            value = __import__(f"{package}.{name}", fromlist=["__name__"])
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = value
        return value

    namespace.update(__getattr__=load, __dir__=lambda: public, __all__=public)
