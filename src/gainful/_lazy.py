"""Load public names of a package, and objects of layers above, on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load", "load_on_use"]


def load(target: str) -> "Any":
    """Import a module and return an object of it, for ``module:name`` or ``module:Class.name``."""
    module, _, name = target.partition(":")
    # Not importlib, which takes time to import.
    loaded = __import__(module, fromlist=[name.partition(".")[0]])
    for part in name.split("."):
        loaded = getattr(loaded, part)
    return loaded


def load_on_use(
    namespace: dict[str, "Any"], places: dict[str, list[str]], modules: tuple[str, ...] = ()
) -> None:
    """Define the public names of a package, which import their modules on first use.

    Type checkers read the same names from imports under ``if TYPE_CHECKING:``.
    """
    package = namespace["__name__"]
    place_of = {name: place for place, names in places.items() for name in names}
    public = sorted({*namespace.get("__all__", ()), *place_of, *modules})

    def find(name: str) -> object:
        if name in place_of:
            place = f"{package}.{place_of[name]}"
            value = getattr(__import__(place, fromlist=[name]), name)
        elif name in modules:
            value = __import__(f"{package}.{name}", fromlist=["__name__"])
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        namespace[name] = value
        return value

    namespace.update(__getattr__=find, __dir__=lambda: public, __all__=public)
