"""A validator for the part of JSON Schema that Gainful's schemas use."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_KNOWN = {
    *("$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "anyOf"),
    *("required", "properties", "additionalProperties", "minProperties", "items", "pattern"),
    *("minimum", "maximum"),
}


def schema_of(name: str) -> Any:
    """Return the schema of a contract, which ``python docs/schemas.py`` writes."""
    return json.loads((SCHEMAS / f"{name}-1.json").read_text("utf-8"))


def errors(value: Any, schema: Any, root: Any = None, at: str = "$") -> list[str]:
    """Return the violations of the schema by a value."""
    if schema is False:
        return [f"{at} is not allowed"]
    root = schema if root is None else root
    unknown = schema.keys() - _KNOWN
    assert not unknown, f"{at}: this check does not know {unknown}"
    found = []
    if schema.get("$ref", "").endswith("-1.json"):
        other = schema_of(schema["$ref"].removesuffix("-1.json"))
        found += errors(value, other, other, at)
    elif "$ref" in schema:
        target = root
        for name in filter(None, schema["$ref"].removeprefix("#").split("/")):
            target = target[name]
        found += errors(value, target, root, at)
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(_is(value, name) for name in names):
            return [*found, f"{at}: {value!r} is no {' or '.join(names)}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is none of {schema['enum']}")
    if "anyOf" in schema and all(errors(value, each, root, at) for each in schema["anyOf"]):
        found.append(f"{at}: {value!r} meets none of {schema['anyOf']}")
    if isinstance(value, dict):
        found += _object(value, schema, root, at)
    if isinstance(value, list):
        for number, each in enumerate(value):
            found += errors(each, schema.get("items", {}), root, f"{at}[{number}]")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        found.append(f"{at}: {value!r} does not match {schema['pattern']}")
    bounded = schema.keys() & {"minimum", "maximum"} and _is(value, "number")
    if bounded and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{at}: {value!r} is out of bounds")
    return found


def _object(value: dict[str, Any], schema: Any, root: Any, at: str) -> list[str]:
    found = [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
    if len(value) < schema.get("minProperties", 0):
        found.append(f"{at}: too few properties")
    for name, each in value.items():
        inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
        found += errors(each, inner, root, f"{at}.{name}")
    return found


def _is(value: Any, name: str) -> bool:
    # In Python True is a number, in JSON it is not.
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
