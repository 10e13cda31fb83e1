"""Write the JSON schemas of results, and of files that people write, from declarations.

``python docs/schemas.py`` writes ``docs/schemas/NAME-VERSION.json``. It refuses to remove a key or
to change its type within a version; ``--unreleased`` allows it before a version is published.

Descriptions are the docstrings below the fields, read from the source.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import gainful
from gainful.comparison import Pair
from gainful.conventions import Convention
from gainful.errors import MissingPackageError
from gainful.measures import Measure
from gainful.policies import POLICIES, Policy
from gainful.records import INLINE, Field, Record

# The folder of this file is on the path of programs only.
sys.path.append(str(Path(__file__).parent))
import input_schemas

FOLDER = Path(__file__).parent / "schemas"
#: The report explains the fields of pairs.
PAGE = Path(gainful.__file__).parent / "report" / "assets" / "pair.json"

_SIMPLE = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "None": "null",
    "Interval": "number",
}
_ARRAYS = {"tuple", "list", "Sequence", "Iterable"}
_OBJECTS = {"dict", "Mapping"}


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of every result by its file name, ``power-1.json``."""
    for module in walk_packages(gainful.__path__, "gainful."):
        if module.name != "gainful.__main__":
            try:
                import_module(module.name)
            except (ImportError, MissingPackageError):  # Of a package that is not installed.
                continue
    policies = convention_schema()["properties"]
    inputs = {key: policies[key] for key in policies if key not in ("name", "text")}
    return {
        **{file_name(kind): schema(kind) for kind in sorted(contracts(Record), key=file_name)},
        "project-1.json": input_schemas.project(inputs),
        "system-1.json": input_schemas.description(),
    }


def contracts(kind: type[Record]) -> set[type[Any]]:
    """Return the classes below one with a contract of their own."""
    below = {cls for part in kind.__subclasses__() for cls in contracts(part)}
    return {*below, *([kind] if vars(kind).get("SCHEMA") else [])}


def file_name(kind: type[Any]) -> str:
    """Return the name of the file of a class's schema."""
    name, version = kind.SCHEMA.removeprefix("gainful.").split("/")
    return f"{name}-{version}.json"


def schema(kind: type[Any]) -> dict[str, Any]:
    """Return the JSON schema of a result."""
    call = f"{kind.__name__}.to_dict() returns"
    command = getattr(kind, "COMMAND", "")
    printed = f"`gainful {command} --format json` prints and " if command else ""
    version = kind.SCHEMA.rpartition("/")[2]
    content = f"What {printed}{call}"
    if hasattr(kind, "FILE"):
        content = f"The file that {kind.FILE}"
    body = record_schema(kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://github.com/gainful/gainful/schemas/{file_name(kind)}",
        "title": kind.SCHEMA,
        "description": f"{content}. Within version {version}, fields may be added, but"
        " none is removed or changes its meaning.",
        "type": "object",
        "required": body["required"],
        "properties": body["properties"],
    }


def record_schema(kind: type[Record]) -> dict[str, Any]:
    """Return the JSON schema of a record."""
    properties: dict[str, Any] = {}
    required = []
    if vars(kind).get("SCHEMA"):
        properties["schema"] = {"const": vars(kind)["SCHEMA"]}
        required.append("schema")
    for item in kind.FIELDS.values():
        if item.keys == INLINE:
            annotation = ast.parse(item.annotation, mode="eval").body
            inner = annotation_schema(annotation, declaring(kind, item))
            properties |= inner["properties"]
            required += inner["required"]
            continue
        for number, key in enumerate(item.keys):
            properties[key] = field_schema(kind, item, number)
            if not item.is_optional:
                required.append(key)
    return {
        "description": summary(inspect.getdoc(kind) or ""),
        "type": "object",
        "required": required,
        "properties": properties,
    }


def declaring(kind: type[Record], item: Field) -> type[Record]:
    """Return the class that declares a field, whose module knows the names of its type."""
    return next(cls for cls in kind.__mro__ if item.name in vars(cls).get("__annotations__", {}))


def field_schema(kind: type[Record], item: Field, end: int) -> dict[str, Any]:
    """Return the JSON schema of a field, or of one end of an interval."""
    owner = declaring(kind, item)
    text = descriptions(owner).get(item.name, "")
    if item.is_interval:
        text = "Its upper end." if end else f"The lower end of {uncapitalized(text)}"
    values: dict[str, Any] = {}
    if not item.json.keys() & {"enum", "const", "type"}:
        # The key of an optional field is absent, never null.
        annotation = item.annotation.removesuffix(" | None" if item.is_optional else "")
        values = annotation_schema(ast.parse(annotation, mode="eval").body, owner)
        values |= limits(item)
    # A nested record has a description of its own, which says less than the field's.
    return {"description": ""} | merged(values, item.json) | {"description": text}


def limits(item: Field) -> dict[str, int]:
    """Return the smallest and largest value that follow from the type and the name."""
    match item.annotation.removesuffix(" | None"):
        case "int":
            return {"minimum": 0}
        case "float" if item.is_p_value:
            return {"minimum": 0, "maximum": 1}
    return {}


def uncapitalized(text: str) -> str:
    """Return a text that starts with an article or a pronoun without the capital letter."""
    first = text.partition(" ")[0]
    return text[0].lower() + text[1:] if first in ("The", "Its", "A") else text


def merged(schema: dict[str, Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with further keywords, also in the schemas within it."""
    whole = dict(schema)
    for name, value in keywords.items():
        inner = whole.get(name)
        whole[name] = merged(inner, value) if isinstance(inner, dict) else value
    return whole


def annotation_schema(node: ast.expr, owner: type) -> dict[str, Any]:
    """Return the JSON schema of the values of an annotation."""
    match node:
        case ast.Constant(value=None):
            return {"type": "null"}
        case ast.Constant(value=str(text)):
            return annotation_schema(ast.parse(text, mode="eval").body, owner)
        case ast.Name(id=name) if name in _SIMPLE:
            return {"type": _SIMPLE[name]}
        case ast.Name(id="Any" | "object"):
            return {}
        case ast.Name(id=name):
            return _named(name, owner)
        case ast.BinOp(op=ast.BitOr()):
            return _union([annotation_schema(part, owner) for part in (node.left, node.right)])
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            return {"enum": [ast.literal_eval(part) for part in _parts(choices)]}
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _ARRAYS:
            parts = [part for part in _parts(inner) if not _is_ellipsis(part)]
            items = [annotation_schema(part, owner) for part in parts]
            same = all(part == items[0] for part in items)
            return {"type": "array", "items": items[0] if same else _union(items)}
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _OBJECTS:
            values = annotation_schema(_parts(inner)[1], owner)
            return {"type": "object", "additionalProperties": values}
    raise TypeError(f"{owner.__name__}: no schema of the type {ast.unparse(node)}")


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _union(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of values of any of several kinds."""
    flat: list[dict[str, Any]] = []
    for part in parts:
        flat += part["anyOf"] if part.keys() == {"anyOf"} else [part]
    if all(part.keys() == {"type"} for part in flat):
        types: list[str] = []
        for part in flat:
            names = part["type"] if isinstance(part["type"], list) else [part["type"]]
            types += [name for name in names if name not in types]
        return {"type": types if len(types) > 1 else types[0]}
    if all(part.keys() == {"enum"} or part == {"type": "null"} for part in flat):
        return {"enum": [value for part in flat for value in part.get("enum", [None])]}
    whole = [part for part in flat if part.keys() != {"type"}]
    if len(whole) == 1 and isinstance(whole[0].get("type"), str):
        kinds = [part["type"] for part in flat]
        return {**whole[0], "type": kinds}
    return {"anyOf": flat}


def _named(name: str, owner: type) -> dict[str, Any]:
    """Return the schema of a class or of an alias that the module of a class knows."""
    module = inspect.getmodule(owner)
    assert module is not None
    value = getattr(module, name, None)
    if not isinstance(value, type):
        known = names(module.__name__)
        if name not in known:
            raise TypeError(f"{owner.__name__}: unknown type {name}")
        if isinstance(known[name], ast.expr):
            return annotation_schema(known[name], owner)
        place, attribute = known[name]
        value = getattr(import_module(place), attribute)
    if value in (Measure, Convention):
        return {"type": "string"} if value is Measure else convention_schema()
    if value is owner:  # A result with parts of its own class.
        return {"$ref": "#"}
    if isinstance(value, type) and issubclass(value, Record):
        return {"$ref": file_name(value)} if vars(value).get("SCHEMA") else record_schema(value)
    raise TypeError(f"{owner.__name__}: no schema of the type {name}")


def convention_schema() -> dict[str, Any]:
    """Return the schema of a convention: its policies, and all of them as text."""
    properties = {
        "name": {
            "description": "The name of the convention, or of the one that it changes.",
            "type": "string",
        },
        **{policy.name: policy_schema(policy) for policy in POLICIES},
        "defaults": {
            "description": "Default parameters of measures, by family.",
            "type": "object",
            "additionalProperties": {"type": "object"},
        },
        "text": {"description": "The convention on one line.", "type": "string"},
    }
    return {"type": "object", "required": list(properties), "properties": properties}


def policy_schema(policy: Policy) -> dict[str, Any]:
    """Return the schema of the values of a policy; words in capitals are placeholders."""
    text = f"{policy.decides[0].upper()}{policy.decides[1:]}."
    fixed = [value for value in policy.values if value == value.lower()]
    forms = [value for value in policy.values if value not in fixed]
    if not forms:
        return {"description": text, "enum": [_number(value) for value in fixed]}
    if any(form.isupper() for form in forms):
        return {"description": text, "anyOf": [{"enum": fixed}, {"type": "number"}]}
    patterns = (re.sub("[A-Z]+", "[0-9]+", re.sub("[()]", r"\\\g<0>", form)) for form in forms)
    pattern = f"^({'|'.join([*fixed, *patterns])})$"
    return {"description": text, "type": "string", "pattern": pattern}


def _number(value: str) -> str | int:
    return int(value) if value.isdigit() else value


@cache
def names(module: str) -> dict[str, Any]:
    """Return what a module imports or defines as an alias, also under TYPE_CHECKING."""
    source = inspect.getsource(import_module(module))
    known: dict[str, Any] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            known |= {part.asname or part.name: (node.module, part.name) for part in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            known.setdefault(node.targets[0].id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            known.setdefault(node.target.id, node.value)
    return known


@cache
def classes(module: str) -> dict[str, ast.ClassDef]:
    """Return the classes of a module, which is parsed once for all of them."""
    nodes = ast.walk(ast.parse(inspect.getsource(import_module(module))))
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


@cache
def descriptions(kind: type) -> dict[str, str]:
    """Return the docstrings of the fields of a class, each on one line."""
    declared, found = classes(kind.__module__)[kind.__name__], {}
    for node, below in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = getattr(getattr(below, "value", None), "value", None)
            if isinstance(below, ast.Expr) and isinstance(text, str):
                found[node.target.id] = plain_text(text)
    return found


def summary(docstring: str) -> str:
    """Return the first paragraph of a docstring on one line."""
    return plain_text(docstring.partition("\n\n")[0])


def plain_text(text: str) -> str:
    """Return a docstring as plain text on one line, in the words of JSON."""
    return " ".join(text.replace("``", "").replace("`", "").split()).replace("None", "null")


# --- files ----------------------------------------------------------------------------------------


def incompatible(old: Any, new: Any, place: str = "") -> list[str]:
    """Return the keys that a new schema of the same version removes or retypes."""
    changes = []
    if isinstance(old, dict) and isinstance(new, dict):
        for key, part in old.get("properties", {}).items():
            path = f"{place}.{key}" if place else key
            if key not in new.get("properties", {}):
                changes.append(f"{path} is removed")
            else:
                changes += incompatible(part, new["properties"][key], path)
        before, after = (_types(part) for part in (old, new))
        if before and after and not after <= before:
            changes.append(f"{place} becomes {' or '.join(sorted(after - before))}")
        if "items" in old:
            changes += incompatible(old["items"], new.get("items", {}), f"{place}[]")
        if isinstance(old.get("additionalProperties"), dict):
            further = new.get("additionalProperties", {})
            changes += incompatible(old["additionalProperties"], further, f"{place}.*")
    return changes


def _types(part: dict[str, Any]) -> set[str]:
    kinds = part.get("type", [])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def text(content: dict[str, Any]) -> str:
    """Return a schema as the text of its file: what fits on a line of 100 is on one."""
    return layout(content) + "\n"


def layout(value: Any, before: int = 0, depth: int = 0) -> str:
    """Return a JSON value, whose first line follows some characters."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or before + len(line) < 100:
        return line
    start = "  " * (depth + 1)
    if isinstance(value, list):
        parts = [layout(part, len(start), depth + 1) for part in value]
    else:
        names = {key: f"{json.dumps(key)}: " for key in value}
        parts = [
            name + layout(value[key], len(start + name), depth + 1) for key, name in names.items()
        ]
    opening, closing = ("[", "]") if isinstance(value, list) else ("{", "}")
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return f"{opening}\n{filled(parts, start)}\n{'  ' * depth}{closing}"
    inner = f",\n{start}".join(parts)
    return f"{opening}\n{start}{inner}\n{'  ' * depth}{closing}"


def page_texts() -> dict[str, str]:
    """Return the descriptions of the fields of pairs that the HTML report labels."""
    texts = descriptions(Pair)
    return {name: plain_text(texts[name]) for name, item in Pair.FIELDS.items() if item.page}


def filled(parts: list[str], start: str) -> str:
    """Return parts of a list, as many on each line as fit."""
    lines = [start + parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) < 98:
            lines[-1] += f", {part}"
        else:
            lines[-1] += ","
            lines.append(start + part)
    return "\n".join(lines)


def main() -> int:
    """Write all schemas; return 1 if one is incompatible with its version."""
    status = 0
    PAGE.write_text(text(page_texts()), "utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name, content in schemas().items():
        path = FOLDER / name
        if path.exists() and "--unreleased" not in sys.argv:
            changes = incompatible(json.loads(path.read_text("utf-8")), content)
            if changes:
                sys.stderr.write(f"{name}: {'; '.join(changes)}. Change the version.\n")
                status = 1
                continue
        path.write_text(text(content), "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
