"""Identities of Python systems, which change with code and data."""

from __future__ import annotations

import inspect
import json
from functools import partial
from secrets import token_hex
from types import ModuleType

from gainful.systems.content import Digester, IncomparableError
from gainful.systems.content.code import hidden_bytes, slots, used_globals
from gainful.systems.content.notes import first_seen, is_note, notes_of
from gainful.systems.fetching.changes import INCOMPARABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["Identity", "about", "code_identity"]

#: The identity before answering, by the JSON of the identity after it.
_BEFORE: dict[str, dict[str, Any]] = {}


class Identity:
    """The identity of a Python system, computed on request.

    Parameters
    ----------
    system, function, version, fields
        As in `code_identity`.
    """

    def __init__(
        self,
        system: Any,
        function: Callable[..., Any],
        version: str | None,
        fields: Mapping[str, str | None] | None,
    ) -> None:
        self._given = system, function, version, fields
        self._content: Digester | None = None
        self._shown: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """Return the identity; the earlier one if only answering changed the system."""
        self._content = Digester(vouched=self._given[2] is not None)
        found = self._found(self._content)
        self._shown = _BEFORE.get(json.dumps(found), found)
        return self._shown

    def about(self) -> dict[str, Any]:
        """Return the parts that do not require reading data."""
        return about(*self._given)

    def settle(self) -> None:
        """Record the state of the system after answering.

        Buffers are not digested again. If one was changed in place, the identity changes.
        """
        if self._content is not None:
            after = json.dumps(self._found(self._content))
            self._content = None
            if after != json.dumps(self._shown):
                _BEFORE[after] = self._shown

    def _found(self, content: Digester) -> dict[str, Any]:
        system, function, version, fields = self._given
        return code_identity(system, function, version=version, fields=fields, content=content)


def about(
    system: Any,
    function: Callable[..., Any],
    version: str | None,
    fields: Mapping[str, str | None] | None,
) -> dict[str, Any]:
    """Return the parts of an identity that do not require reading data."""
    found: dict[str, Any] = {"kind": "python", "callable": _name(system, function)}
    if version is not None:
        found["version"] = str(version)
    if fields:
        found["fields"] = dict(fields)
    return found


def code_identity(
    system: Any,
    function: Callable[..., Any],
    *,
    version: str | None = None,
    fields: Mapping[str, str | None] | None = None,
    content: Digester | None = None,
) -> dict[str, Any]:
    """Return the identity of a Python system.

    Parameters
    ----------
    system
        The function or object.
    function : callable
        The function that is called.
    version : str, optional
        The version given by the user. Code is then ignored, and only the class of objects counts.
    fields : mapping, optional
        The locations of ids and scores in the result.
    content : Digester, optional
        A digester that was used before.

    Returns
    -------
    dict
        The name of the function; ``version``, or ``source``, a digest of its compiled code and of
        the code that it uses; and ``settings``: values of partial functions, closures, defaults,
        global variables and attributes. Numbers are included unchanged; texts, data and objects as
        digests, because a text may be a password. Objects that cannot be digested get a random
        token, so that they never match.

    Examples
    --------
    >>> def make(boost):
    ...     return lambda text, k: [f"{text}-{boost}"]
    >>> two, three = (code_identity(f, f, version="1") for f in (make(2), make(3)))
    >>> two["settings"], three["settings"]
    ({'boost': 2}, {'boost': 3})
    """
    bare, given = system, {}
    while isinstance(bare, partial):
        given.update({str(at): each for at, each in enumerate(bare.args)})
        given.update(bare.keywords)
        bare = bare.func
    identity = about(system, function, version, fields)
    owner = getattr(bare, "__self__", None) if inspect.ismethod(bare) else None
    if owner is not None:
        called, holder = bare, owner
    elif inspect.isroutine(bare):
        called = holder = bare
    else:
        called = type(bare).__call__ if function is bare else function
        owner = holder = bare
    notes = notes_of(called, owner)
    content = content or Digester(vouched=version is not None)
    content.notes = notes
    code: Any = type(owner)
    if owner is not None:
        settings = _of_object(owner)
    else:
        code, used, settings = _of_function(bare)
        # With a version, the user vouches for global variables.
        settings = settings if version is not None else used | settings
    if version is None:
        identity["source"] = _rendered(code, content)
    shown = {name: _rendered(value, content) for name, value in (settings | given).items()}
    for name in notes & settings.keys() - given.keys():
        if is_note(settings[name]):
            first = first_seen(holder, name, settings[name], shown.pop(name))
            shown |= {} if first is None else {name: first}
    if shown:
        identity["settings"] = shown
    return identity


def _name(system: Any, function: Any) -> str:
    while isinstance(system, partial):
        system = function = system.func
    of_object = not inspect.isroutine(system)
    named = function if hasattr(function, "__qualname__") else type(function)
    if of_object and named is not function:
        return f"{named.__module__}:{named.__qualname__}"
    if of_object and inspect.ismethod(function):
        kind = type(system)
        return f"{kind.__module__}:{kind.__qualname__}.{function.__name__}"
    return f"{getattr(named, '__module__', None)}:{named.__qualname__}"


def _of_function(function: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return the code of a function and of its callees, its globals, and its own data."""
    compiled = getattr(function, "__code__", None)
    if compiled is None:
        return function, {}, {}
    code: list[Any] = [compiled]
    used: dict[str, Any] = {}
    for name, value in used_globals(function):
        if isinstance(value, (type, ModuleType)) or inspect.isroutine(value):
            code += [name, value]
        else:
            used[name] = value
    defaults = list(function.__defaults__ or ())
    names = compiled.co_varnames[: compiled.co_argcount]
    data = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    data |= function.__kwdefaults__ or {}
    for name, cell in zip(compiled.co_freevars, function.__closure__ or (), strict=True):
        try:
            data[name] = cell.cell_contents
        except ValueError:
            continue  # not filled yet
    return code, used, data | vars(function)


def _of_object(owner: Any) -> dict[str, Any]:
    """Return the attributes of an object; the object itself if they are incomplete."""
    kind = type(owner)
    if hidden_bytes(kind, object) or hasattr(kind, "state_dict"):
        return {"object": owner}
    return slots(owner)


def _rendered(value: Any, content: Digester) -> Any:
    """Return a value as JSON: numbers unchanged, other values as digests."""
    if value is None or type(value) is bool or (type(value) is int and abs(value) < 1 << 63):
        return value
    if type(value) is float:
        # NaN does not equal itself.
        return value if value - value == 0.0 else str(value)
    try:
        digest = f"sha256:{content.digest(value)}"
    except IncomparableError as error:
        return {INCOMPARABLE: str(error), "token": token_hex(8)}
    return digest if isinstance(value, (str, bytes)) else f"{type(value).__name__} {digest}"
