"""Records: classes whose fields are declared once.

A field is an annotated attribute of a `Record`, followed by its description as a docstring. The
constructor, JSON, its schema, columns of tables, CSV and documentation follow from it. The module
is loaded by every evaluation, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar, Literal, Self, dataclass_transform

if not TYPE_CHECKING:

    def dataclass_transform(**_options):
        """Return a decorator that changes nothing; type checkers know the real one."""
        return lambda decorated: decorated


__all__ = [
    "Field",
    "Interval",
    "Record",
    "RecordType",
    "as_columns",
    "derived",
    "field",
    "plain",
    "swapped",
]

_REQUIRED: Any = object()
#: The types of values that columns have unchanged.
_PLAIN = ("str", "int", "float", "bool", "None")
#: The key of a record whose fields are exported in its place.
INLINE = ("*",)


class Interval(tuple[float, float]):
    """The two ends of an interval.

    Examples
    --------
    >>> low, high = Interval(0.1, 0.25)
    >>> Interval(0.1, 0.25).high
    0.25
    """

    __slots__ = ()

    def __new__(cls, low: float, high: float) -> Interval:
        """Make an interval of its ends."""
        return tuple.__new__(cls, (low, high))

    def __getnewargs__(self) -> tuple[float, float]:
        return self[0], self[1]

    @property
    def low(self) -> float:
        """The lower end."""
        return self[0]

    @property
    def high(self) -> float:
        """The upper end."""
        return self[1]

    def __repr__(self) -> str:
        return f"Interval({self[0]!r}, {self[1]!r})"


class Field:
    """A declared field of a record; see `field`."""

    __slots__ = (
        "annotation",
        "cell",
        "column",
        "compute",
        "default",
        "export",
        "if_any",
        "is_interval",
        "is_nested",
        "is_optional",
        "json",
        "keys",
        "label",
        "mirror",
        "name",
        "page",
        "page_digits",
        "show",
        "tables",
    )

    name: str
    annotation: str
    #: The names of the exported values: one, two for an interval, none if it is not exported.
    keys: tuple[str, ...]
    #: Whether the value is an `Interval`, exported as two numbers.
    is_interval: bool
    is_nested: bool

    def __init__(
        self,
        default: object = _REQUIRED,
        *,
        compute: Callable[[Any], object] | None = None,
        key: str | None = None,
        optional: bool = False,
        json: Mapping[str, object] | None = None,
        tables: str = "",
        label: str | None = None,
        show: Callable[[Any], str] | None = None,
        cell: Callable[[Any], object] | None = None,
        export: Callable[[Any], object] | None = None,
        if_any: bool = False,
        mirror: str = "",
        page: str | None = None,
        page_digits: int = 4,
        **column: Any,
    ) -> None:
        self.default = default
        self.compute = compute
        self.keys = () if key is None else (key,)
        self.is_optional = optional
        self.json = json or {}
        self.tables = tables.split()
        self.label = label
        self.show = show
        self.cell = cell
        self.export = export
        self.if_any = if_any
        self.mirror = mirror
        self.page = page
        self.page_digits = page_digits
        self.column = column

    @property
    def is_p_value(self) -> bool:
        """Whether its name is that of a p-value."""
        return self.name == "p" or self.name.startswith("p_")

    def set_place(self, name: str, annotation: str) -> None:
        """Set what follows from the declaration's place in the class."""
        self.name = name
        self.annotation = annotation
        self.is_interval = annotation.startswith("Interval")
        self.is_nested = "[" in annotation and not annotation.startswith("Literal[")
        if self.keys == () and not name.startswith("_"):
            if self.is_interval:
                stem = name.removesuffix("interval")
                self.keys = (f"{stem}low", f"{stem}high")
            else:
                self.keys = (name,)
        elif self.keys == ("",):
            self.keys = ()


def field(
    *,
    default: Any = _REQUIRED,
    key: str | None = None,
    optional: bool = False,
    json: Mapping[str, object] | None = None,
    tables: str = "",
    label: str | None = None,
    show: Callable[[Any], str] | None = None,
    cell: Callable[[Any], object] | None = None,
    export: Callable[[Any], object] | None = None,
    if_any: bool = False,
    mirror: str = "",
    page: str | None = None,
    page_digits: int = 4,
    **column: Any,
) -> Any:
    """Declare a field of a record.

    Parameters
    ----------
    default : object, optional
        Its value if the constructor is called without it; immutable.
    key : str, optional
        Its name in JSON and CSV; ``""`` if it is not exported. Default: the name of the attribute.
        A field ``NAME_interval`` is exported as ``NAME_low`` and ``NAME_high``. A private attribute
        is exported only with a key. ``"*"`` exports the fields of a record in its place.
    optional : bool
        Whether JSON leaves the key out if the value is None.
    json : mapping, optional
        Keywords of its JSON schema, such as ``{"minimum": 1}``. Without a minimum, integers are at
        least 0, and p-values are from 0 to 1.
    tables : str
        The tables in which it is a column, separated by spaces, unless `Record.COLUMNS` has them.
    label : str, optional
        The heading, in which ``{name}`` is replaced by a label of the table. Default: the name.
    show : callable, optional
        Formats a value, or each end of an interval. Default: by the type and, for p-values, the
        name.
    cell : callable, optional
        Returns the value of the column for a record, if it is not the field's.
    export : callable, optional
        Returns the value of JSON for a value that is not None, if it is another one.
    if_any : bool
        Whether a table leaves the column out if all its values are None or empty.
    mirror : str
        The field that it becomes when the two sides of a comparison are swapped, after ``-`` if the
        sign changes; ``-`` alone for itself.
    page : str, optional
        Its name in the HTML report; "" if only the report's sentences show it. Default: the report
        leaves it out.
    page_digits : int
        The digits that the report shows.
    **column
        Further parameters of `gainful.formats.table.Column`.
    """
    return Field(
        default,
        key=key,
        optional=optional,
        json=json,
        tables=tables,
        label=label,
        show=show,
        cell=cell,
        export=export,
        if_any=if_any,
        mirror=mirror,
        page=page,
        page_digits=page_digits,
        **column,
    )


def derived(compute: Callable[[Any], Any], *, init: Literal[False] = False, **options: Any) -> Any:
    """Declare a field that is computed from the record when it is read.

    Parameters
    ----------
    compute : callable
        Returns the value for a record.
    init : False
        Tells type checkers that the constructor does not accept it.
    **options
        As for `field`.
    """
    return Field(compute=compute, **options)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, derived))
class RecordType(type):
    """The type of records: turns annotated attributes into slots and a constructor.

    A class that defines ``__slots__`` has its own constructor, and fields only where it declares
    them with `field` or `derived`.
    """

    FIELDS: dict[str, Field]

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        init: bool = True,
        **options: Any,
    ) -> RecordType:
        """Make a class of records; `init=False` says that the constructor is that of its base."""
        fields = {key: item for base in bases for key, item in getattr(base, "FIELDS", {}).items()}
        is_stored = "__slots__" not in namespace
        slots = []
        for attribute, annotation in namespace.get("__annotations__", {}).items():
            declared = namespace.get(attribute, _REQUIRED)
            if annotation.startswith("ClassVar"):
                continue
            if not isinstance(declared, Field):
                if not is_stored:
                    continue
                declared = Field(declared)
            declared.set_place(attribute, annotation)
            fields[attribute] = declared
            if declared.compute is not None:
                namespace[attribute] = property(declared.compute)
            else:
                namespace.pop(attribute, None)
                slots.append(attribute)
        if is_stored:
            caches = any(type(item).__name__ == "cached_property" for item in namespace.values())
            if caches and not any(base.__dictoffset__ for base in bases):
                slots.append("__dict__")
            namespace["__slots__"] = tuple(slots)
            if slots:
                namespace["__init__"] = _constructor(fields, "__post_init__" in namespace)
                namespace["__setattr__"] = namespace["__delattr__"] = _refuse_change
        namespace["FIELDS"] = fields
        return super().__new__(cls, name, bases, namespace, **options)


def _refuse_change(record: Record, name: str, *_value: object) -> None:
    raise AttributeError(f"{type(record).__name__} is immutable ({name})")


def _constructor(fields: Mapping[str, Field], is_checked: bool) -> object:
    """Return the function that sets all stored fields, with defaults, from keywords."""
    stored = [item for item in fields.values() if item.compute is None]
    defaults = {item.name: item.default for item in stored if item.default is not _REQUIRED}
    parameters = [
        f"{item.name}=defaults[{item.name!r}]" if item.name in defaults else item.name
        for item in stored
    ]
    lines = [f"    store(self, {item.name!r}, {item.name})" for item in stored]
    if is_checked:
        lines.append("    self.__post_init__()")
    source = f"def __init__(self, *, {', '.join(parameters)}):\n" + "\n".join(lines)
    scope: dict[str, Any] = {"defaults": defaults, "store": object.__setattr__}
    exec(source, scope)
    return scope["__init__"]


class Record(metaclass=RecordType):
    """The base of immutable objects with declared fields.

    Examples
    --------
    >>> class Estimate(Record):
    ...     n: int = field(json={"minimum": 0})
    ...     mean: float
    ...     interval: Interval | None = None
    ...     half: float = derived(lambda estimate: estimate.mean / 2)
    >>> estimate = Estimate(n=20, mean=0.5, interval=Interval(0.4, 0.6))
    >>> estimate.to_dict()
    {'n': 20, 'mean': 0.5, 'low': 0.4, 'high': 0.6, 'half': 0.25}
    >>> estimate.replace(n=30)
    Estimate(n=30, mean=0.5, interval=Interval(0.4, 0.6))
    """

    FIELDS: ClassVar[dict[str, Field]]

    #: The name and version of the JSON contract, if it has one of its own.
    SCHEMA: ClassVar[str] = ""

    #: The fields that tables show, in their order, if it is not that of the fields.
    COLUMNS: ClassVar[dict[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the exported fields as plain values for JSON; NaN and infinities as None."""
        values: dict[str, Any] = {"schema": self.SCHEMA} if self.SCHEMA else {}
        for item in type(self).FIELDS.values():
            if item.keys:
                value = getattr(self, item.name)
                if item.export is not None and value is not None:
                    value = item.export(value)
                if item.is_interval:
                    low, high = value or (None, None)
                    values[item.keys[0]], values[item.keys[1]] = plain(low), plain(high)
                elif item.keys == INLINE:
                    values |= value.to_dict()
                elif value is not None or not item.is_optional:
                    values[item.keys[0]] = plain(value)
        return values

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values of some fields."""
        stored = {
            item.name: getattr(self, item.name)
            for item in type(self).FIELDS.values()
            if item.compute is None
        }
        return type(self)(**stored | changes)

    def __setstate__(self, state: dict[str, object] | tuple[object, dict[str, object]]) -> None:
        # Records are immutable, also for pickle. The state of a class with slots is a pair of the
        # dict, which only caches values, and the slots.
        for name, value in (state if isinstance(state, dict) else state[1]).items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{item.name}={getattr(self, item.name)!r}"
            for item in type(self).FIELDS.values()
            if item.compute is None
        )
        return f"{type(self).__name__}({shown})"


def _values(record: Record) -> tuple[object, ...]:
    stored = type(record).FIELDS.values()
    return tuple(getattr(record, item.name) for item in stored if item.compute is None)


def plain(value: Any) -> Any:
    """Return a value as JSON has it; an object that is not a record has a method ``__json__``."""
    kind = type(value)
    if kind is float:
        return value if value - value == 0 else None
    if value is None or kind is str or kind is int or kind is bool:
        return value
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return plain(float(value))
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Record):
        return value.to_dict()
    if hasattr(value, "items"):
        return {str(key): plain(item) for key, item in value.items()}
    return value.__json__()


def as_columns(kind: type[Record], records: Sequence[Record]) -> dict[str, list[object]]:
    """Return records as columns by name; numbers keep NaN."""
    columns: dict[str, list[object]] = {}
    for item in kind.FIELDS.values():
        if item.is_nested or not item.keys:
            continue
        values = [getattr(record, item.name) for record in records]
        if item.is_interval:
            for end, key in enumerate(item.keys):
                columns[key] = [None if value is None else value[end] for value in values]
        else:
            is_plain = all(part in _PLAIN for part in item.annotation.split(" | "))
            if not is_plain:
                values = [value if isinstance(value, float) else plain(value) for value in values]
            columns[item.keys[0]] = values
    return columns


def swapped(record: Any, **changes: object) -> Any:
    """Return a comparison with its two sides swapped, and further changes."""
    for item in type(record).FIELDS.values():
        if item.mirror:
            value = getattr(record, item.mirror.removeprefix("-") or item.name)
            if value is not None and item.mirror.startswith("-"):
                value = Interval(-value.high, -value.low) if item.is_interval else -value
            changes.setdefault(item.name, value)
    return record.replace(**changes)
