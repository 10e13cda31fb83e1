"""Digests of Python objects by content: equal digests mean equal answers."""

from __future__ import annotations

import copyreg
import struct
import types
import weakref
from array import array
from enum import Enum
from hashlib import sha256
from operator import itemgetter
from os import PathLike, fspath, stat
from stat import S_ISREG

from gainful.systems.content import buffers, code
from gainful.systems.content.notes import first_seen, is_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Set
    from typing import Any

__all__ = ["Digester", "IncomparableError"]

#: Attributes on which answers do not depend.
_NEUTRAL = frozenset(
    (
        *("_thread.lock", "_thread.RLock", "logging.Logger", "ssl.SSLContext"),
        "concurrent.futures._base.Executor",
    )
)
_BUILTIN = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)
_METHODS = (types.BuiltinFunctionType, types.MethodWrapperType)
_DESCRIPTORS = (types.WrapperDescriptorType, types.MethodDescriptorType)


class IncomparableError(Exception):
    """An object without comparable content.

    Attributes
    ----------
    kind : str
        The name of its type.
    place : str
        Its location, starting from the digested object.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind
        self.place = ""

    def __str__(self) -> str:
        return f"a {self.kind}" + (f" at {self.place}" if self.place else "")


class Digester:
    """Digest objects by content.

    Parameters
    ----------
    vouched : bool
        Whether the user vouches for code and objects, so that only their names count. Data always
        count.
    notes : set of str
        Attributes that are counters or caches. They count in the state of the first digest.

    Notes
    -----
    Data are digested byte by byte: builtin containers, arrays and tensors (type, shape, elements),
    data frames (schema and columns). Objects are digested by the code of their class and their
    attributes; if these are incomplete, by the result of `pickle` or `state_dict()`. Functions are
    digested by their compiled code, defaults, closure and the globals that they name. Installed
    libraries count by module and version. Other objects raise `IncomparableError`.

    Examples
    --------
    >>> import numpy as np
    >>> content = Digester()
    >>> one, two = np.array([1, 2]), np.array([3, 4])
    >>> content.digest(one) == content.digest(two), content.digest(one) == content.digest(one * 1)
    (False, True)
    >>> content.digest({"feed": (x for x in [1])})
    Traceback (most recent call last):
        ...
    gainful.systems.content.walk.IncomparableError: a generator at ['feed']
    """

    def __init__(self, *, vouched: bool = False, notes: Set[str] = frozenset()) -> None:
        self.vouched = vouched
        self.notes = notes
        #: Digests of buffers, which are kept alive so that their addresses are not reused.
        self.known: dict[object, tuple[Any, bytes]] = {}

    def digest(self, value: Any) -> str:
        """Return the digest of an object as 32 hexadecimal digits.

        Raises
        ------
        IncomparableError
            If a part of it cannot be digested.
        """
        walk = _Walk(self)
        try:
            walk.put(value)
        except RecursionError:
            raise IncomparableError(_name(type(value))) from None
        return walk.hash.hexdigest()[:32]


class _Walk:
    """One traversal of an object; parts are numbered, so that cycles end."""

    def __init__(self, content: Digester) -> None:
        self.content = content
        self.hash = sha256()
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def put(self, value: Any) -> None:
        """Add an object.

        Raises
        ------
        IncomparableError
            If a part of it cannot be digested.
        """
        kind = type(value)
        scalar = _scalar(value, kind)
        if scalar is not None:
            self._token(kind.__name__, scalar)
            return
        number = self._numbers.setdefault(id(value), len(self._numbers))
        if number < len(self._alive):
            self._token("again", str(number).encode())
            return
        self._alive.append(value)
        try:
            self._part(value, kind)
        except (IncomparableError, RecursionError):
            raise
        except Exception:
            # Third-party code ran, such as `__reduce__`.
            raise IncomparableError(_name(kind)) from None

    def _token(self, tag: str, payload: bytes = b"") -> None:
        self.hash.update(f"{tag}:{len(payload)}:".encode())
        self.hash.update(payload)

    def _all(self, tag: str, values: Iterable[Any]) -> None:
        listed = list(values)
        self._token(f"{tag}[{len(listed)}]")
        kinds = set(map(type, listed))
        # Long containers usually have one type, and are digested in one step.
        if kinds == {str}:
            self._token("lengths", ",".join([str(len(each)) for each in listed]).encode())
            self._token("texts", "".join(listed).encode("utf-8", "surrogatepass"))
        elif kinds == {float}:
            self._token("floats", array("d", listed).tobytes())
        elif kinds == {int}:
            self._token("ints", ",".join([f"{each:x}" for each in listed]).encode())
        else:
            self._places(((f"[{at}]", each) for at, each in enumerate(listed)))

    def _named(self, tag: str, values: Iterable[tuple[str, Any]]) -> None:
        listed = sorted(values, key=itemgetter(0))
        self._all(tag, [name for name, _ in listed])
        self._places((f".{name}", each) for name, each in listed)

    def _places(self, values: Iterable[tuple[str, Any]]) -> None:
        for place, each in values:
            try:
                self.put(each)
            except IncomparableError as error:
                error.place = place + error.place
                raise

    # --- kinds ----------------------------------------------------------------------------------

    def _part(self, value: Any, kind: type) -> None:
        if kind in (list, tuple):
            self._all(kind.__name__, value)
        elif kind is dict:
            self._items(value)
        elif kind in (set, frozenset):
            self._members(value, kind.__name__)
        elif kind in (bytearray, memoryview) or _name(kind) == "array.array":
            view = memoryview(value)
            self._token(f"{_name(kind)} {view.format} {view.shape}", view.tobytes())
        elif self._frame(value, kind) or self._array(value, kind):
            pass
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, Enum):
            self._all(_name(kind), (value.name, value.value))
        elif isinstance(value, types.ModuleType):
            self._all("module", code.origin(value.__name__))
        elif any(_name(each) in _NEUTRAL for each in kind.__mro__):
            self._token(_name(kind))
        elif isinstance(value, PathLike) and code.is_library(kind.__module__):
            self._path(fspath(value))
        elif _name(kind) == "_thread._local":
            self._named("in this thread", vars(value).items())
        elif not self._code(value):
            self._object(value, kind)

    def _items(self, value: dict[Any, Any]) -> None:
        self._all("keys", dict.keys(value))
        if set(map(type, dict.values(value))) <= {str, float, int}:
            self._all("values", dict.values(value))
        else:
            self._places((f"[{key!r:.40}]", each) for key, each in dict.items(value))

    def _members(self, value: Iterable[Any], tag: str) -> None:
        digests = []
        for each in value:
            inner = _Walk(self.content)
            inner.put(each)
            digests.append(inner.hash.digest())
        self._token(f"{tag}[{len(digests)}]", b"".join(sorted(digests)))

    def _path(self, path: Any) -> None:
        self.put(path)
        try:
            found = stat(path)
        except (OSError, ValueError):
            return
        if S_ISREG(found.st_mode):
            self._token("file", f"{found.st_size} {found.st_mtime_ns}".encode())

    def _array(self, value: Any, kind: type) -> bool:
        if not buffers.is_array(value):
            return False
        key: object = id(value)
        if hasattr(kind, "data_ptr") and hasattr(kind, "stride"):
            # PyTorch creates a new object for the same memory each time.
            key = (value.data_ptr(), str(value.dtype), tuple(value.shape), value.stride())
        before = self.content.known.get(key)
        if before is None:
            found = buffers.as_array(value)
            if found is None:
                raise IncomparableError(_name(kind))
            title = f"{_name(kind)} {value.dtype!r} {tuple(value.shape)}"
            if found.dtype.hasobject:
                self._all(title, found.reshape(-1).tolist())
                return True
            inner = sha256(title.encode())
            for block in buffers.blocks(found):
                inner.update(block)
            before = self.content.known[key] = value, inner.digest()
        self._token("array", before[1])
        attributes = code.slots(value) if hasattr(kind, "__array_finalize__") else {}
        attributes.pop("_mmap", None)  # The file of the bytes.
        self._named("attributes", attributes.items())
        return True

    def _frame(self, value: Any, kind: type) -> bool:
        parts = buffers.frame_parts(value)
        if parts is not None:
            self._all(_name(kind), parts)
            return True
        if not buffers.is_arrow(value):
            return False
        inner = sha256()
        if not buffers.arrow_bytes(value, inner.update):
            raise IncomparableError(f"{_name(kind)} (without pyarrow)")
        self._token(_name(kind), inner.digest())
        return True

    # --- code -----------------------------------------------------------------------------------

    def _code(self, value: Any) -> bool:
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.MethodType):
            self._all("method", (value.__self__, value.__func__))
        elif isinstance(value, _METHODS):
            owner = value.__self__
            module = isinstance(owner, types.ModuleType)
            self._all("builtin", (value.__qualname__, value.__module__ if module else owner))
        elif isinstance(value, _DESCRIPTORS):
            self._all("builtin", (value.__qualname__,))
        elif isinstance(value, types.CodeType):
            self._all("code", code.instructions(value))
        elif isinstance(value, (staticmethod, classmethod)):
            self._all(type(value).__name__, (value.__func__,))
        elif isinstance(value, property):
            self._all("property", (value.fget, value.fset))
        elif isinstance(value, types.CellType):
            self._all("cell", (value.cell_contents,) if _is_filled(value) else ())
        elif isinstance(value, types.MappingProxyType):
            self._items(dict(value))
        elif isinstance(value, weakref.ref):
            self._all("reference", (value(),))
        else:
            return False
        return True

    def _function(self, value: types.FunctionType) -> None:
        if self.content.vouched:
            self._token("function", f"{value.__module__}.{value.__qualname__}".encode())
            return
        # Not `__module__`, which decorators copy from other functions.
        module = value.__globals__.get("__name__")
        if module is not None and code.is_library(module):
            self._all("library", (value.__code__.co_qualname, *code.origin(module)))
        else:
            self.put(value.__code__)
            self._named("globals", code.used_globals(value))
        self._all("defaults", value.__defaults__ or ())
        self._named("keywords", (value.__kwdefaults__ or {}).items())
        cells = value.__closure__ or ()
        self._named("closure", zip(value.__code__.co_freevars, cells, strict=True))
        self._named("attributes", vars(value).items())

    def _class(self, kind: type) -> None:
        self._token("class", f"{kind.__module__}.{kind.__qualname__}".encode())
        if self.content.vouched:
            return
        for base in kind.__mro__[:-1]:
            if code.is_library(base.__module__) and not code.is_nameless(base):
                self._all("library", (base.__qualname__, *code.origin(base.__module__)))
            else:
                self._named("class", code.class_parts(base))

    # --- objects --------------------------------------------------------------------------------

    def _object(self, value: Any, kind: type) -> None:
        self.put(kind)
        base = next((each for each in kind.__mro__ if each in _BUILTIN), object)
        if base is object and self.content.vouched:
            return
        if hasattr(kind, "collect_schema") and hasattr(kind, "collect"):
            # A Polars lazy frame exposes its plan, but not the files that it reads.
            raise IncomparableError(_name(kind))
        if base is not object:
            self._base(value, base)
        attributes = code.slots(value)
        stated = callable(getattr(kind, "state_dict", None))
        if stated:
            self._places([(".state_dict()", value.state_dict())])
        if not code.hidden_bytes(kind, base):
            self._attributes(value, attributes, lenient=stated)
            return
        self._named("attributes", () if stated else attributes.items())
        if not stated:
            self._reduced(value)

    def _base(self, value: Any, base: type) -> None:
        if base is dict:
            self._items(value)
        elif base in (list, tuple):
            self._all(base.__name__, base.__iter__(value))
        elif base in (set, frozenset):
            self._members(base.__iter__(value), base.__name__)
        elif base is bytearray:
            self._token("bytearray", bytes(value))
        else:
            plain = _scalar(value.__getnewargs__()[0], base)
            self._token(base.__name__, plain or b"")

    def _attributes(self, owner: Any, attributes: dict[str, Any], *, lenient: bool) -> None:
        """Add attributes; with `lenient`, only those that can be digested."""
        for name in sorted(attributes):
            each = attributes[name]
            try:
                if name in self.content.notes and is_note(each):
                    inner = _Walk(self.content)
                    inner.put(each)
                    each = first_seen(owner, name, each, inner.hash.digest())
                self._named("attribute", [(name, each)])
            except IncomparableError:
                if not lenient:
                    raise

    def _reduced(self, value: Any) -> None:
        reduce = copyreg.dispatch_table.get(type(value))
        found = reduce(value) if reduce is not None else value.__reduce_ex__(4)
        if isinstance(found, str):
            self.put(found)
            return
        function, arguments, state, listed, items = (*found, None, None, None)[:5]
        parts = (function, arguments, state, list(listed or ()), list(items or ()))
        self._all("reduced", parts)


def _scalar(value: Any, kind: type) -> bytes | None:
    """Return a plain value as bytes; None for other types."""
    if kind is str:
        encoded: bytes = value.encode("utf-8", "surrogatepass")
        return encoded
    if kind is bytes:
        return bytes(value)
    if kind is float:
        return struct.pack("<d", value)
    if kind is int:
        return f"{value:x}".encode()
    if kind is complex:
        return struct.pack("<dd", value.real, value.imag)
    if value is None or value is ... or value is NotImplemented or kind is bool:
        return repr(value).encode()
    return None


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _name(kind: type) -> str:
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
