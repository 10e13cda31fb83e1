"""The JSON schemas of the files that people write: the project's file, and descriptions of systems.

The first follows from the declared options of all commands. The keys of descriptions are read by
the code of each engine; a test compares its calls with the keys here.
"""

from __future__ import annotations

from typing import Any

from gainful.cli.command import Command
from gainful.cli.commands import COMMANDS
from gainful.cli.defaults import commands
from gainful.conventions.project import EXTENDS
from gainful.parameters import Parameter
from gainful.systems.description import ENGINES

_KINDS = {bool: "boolean", int: "integer", float: "number"}
_TEXT: dict[str, Any] = {"type": "string"}
_TABLE: dict[str, Any] = {"type": "object"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}


def project(policies: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of ``gainful.toml`` and of ``[tool.gainful]``.

    Parameters
    ----------
    policies : dict
        The schemas of the fields of conventions.
    """
    shared: dict[str, Any] = {}
    for _, declared in commands():
        for key, option in _options(declared).items():
            shared[key] = _either(shared[key], option) if key in shared else option
    plurals = {
        f"{key}s": {"description": f"As {key}.", "$ref": f"#/properties/{key}"}
        for key in _lists(shared)
    }
    tables: dict[str, Any] = {}
    for name, declared in commands():
        table = tables
        for word in name.split():
            inner = table.setdefault(word, _closed(f"Defaults of `gainful {word}`."))
            table = inner["properties"]
        for key, option in _options(declared).items():
            is_shared = option == shared[key] and key not in COMMANDS
            table[key] = {"$ref": f"#/properties/{key}"} if is_shared else option
    extends = {"description": "The convention that it changes. Default: gainful-1.", **_TEXT}
    own = _closed("A convention of the project.", {EXTENDS: extends, **policies})
    tables["conventions"] |= {
        "description": "Conventions by name, and defaults of `gainful conventions`.",
        "additionalProperties": own,
    }
    # An option and a command can have the same name, such as baseline.
    properties = {**plurals, **shared}
    properties["colors"] = {
        "description": "The colors of systems in plots and reports, by the name of the system.",
        "type": "object",
        "additionalProperties": {"type": "string", "pattern": "^#([0-9a-fA-F]{3}){1,2}$"},
    }
    for name, table in tables.items():
        properties[name] = _either(properties[name], table) if name in properties else table
    return _file(
        "project-1",
        "The file gainful.toml, or the table [tool.gainful] of pyproject.toml: defaults of options,"
        " of all commands and by command, and conventions by name.",
        properties,
    )


def description() -> dict[str, Any]:
    """Return the schema of descriptions of systems, for all engines together."""
    properties = {
        "engine": {
            "description": "The engine, or one of an installed package.",
            "anyOf": [{"enum": sorted(ENGINES)}, _TEXT],
        },
        **{key: {"description": text, **schema} for key, (schema, text) in KEYS.items()},
    }
    whole = _file("system-1", "The description of a system in TOML.", properties)
    # The paths of some engines have placeholders, such as {{collection}}, and engines of packages
    # have keys of their own.
    del whole["additionalProperties"]
    return {**whole, "required": ["engine"]}


#: The keys of descriptions with their values and what they are. A text may be a template.
KEYS: dict[str, tuple[dict[str, Any], str]] = {
    "name": (_TEXT, "The name of the system. Default: the name of the file."),
    "settings": (_TABLE, "Values of placeholders by name, which sweeps change."),
    "fields": (_TABLE, "Values of fields that a query lacks."),
    "url": (_TEXT, "The address of the server, and ${NAME} for variables of the environment."),
    "index": (_TEXT, "The index, collection or core."),
    "method": (_TEXT, "The method of the request, GET or POST."),
    "path": (_TEXT, "The path of the request."),
    "params": (_TABLE, "The parameters of the request."),
    "headers": (_TABLE, "The headers of the request."),
    "body": ({"type": ["object", "array", "string"]}, "The body of the request, as JSON."),
    "form": (_TABLE, "The body of the request, as a form."),
    "results": (_TABLE, "Where documents, ids and scores are in an answer, or in rows."),
    "expect": (_TABLE, "Values that an answer must have."),
    "tls": (_TABLE, "How certificates are checked: verify, ca."),
    "proxy": (_TEXT, 'The address of a proxy, or "" for none. Default: the environment\'s.'),
    "largest_answer": ({"type": "integer"}, "The largest answer in bytes."),
    "folder": (_TEXT, "A folder of a local Qdrant."),
    "connection": (_TEXT, "The connection to a server of PostgreSQL."),
    "database": (_TEXT, "The file of a database."),
    "files": (_TABLE, "Files that DuckDB reads as tables, by name."),
    "extensions": (_TEXTS, "Extensions to load."),
    "sql": (_TEXT, "The statement that answers a query."),
    "setup": ({"anyOf": [_TEXT, _TEXTS]}, "Statements to run once."),
    "timeout": ({"type": "number"}, "Seconds to wait for an answer of a database."),
    "corpus": ({"anyOf": [_TEXT, _TEXTS]}, "The documents: a file, or several."),
    "stemmer": (_TEXT, "The language of the stemmer, or none."),
    "stopwords": ({"anyOf": [_TEXT, _TEXTS]}, "A language, none, or the words to leave out."),
    "k1": ({"type": ["number", "string"]}, "BM25: the saturation of term frequencies."),
    "b": ({"type": ["number", "string"]}, "BM25: the normalization of lengths."),
    "delta": ({"type": ["number", "string"]}, "BM25: the parameter of its variants."),
    "sublinear": ({"type": ["boolean", "string"]}, "TF-IDF: whether frequencies are logarithms."),
    "object": (_TEXT, "The Python object, as module:name."),
    "batch": ({"type": ["integer", "string"]}, "Queries per call of the object."),
    "version": (_TEXT, "The version of what the object contains."),
}


def _options(declared: Command) -> dict[str, Any]:
    return {
        parameter.option.lstrip("-"): _option(parameter)
        for parameter in declared.parameters.values()
        if not parameter.is_argument
    }


def _option(parameter: Parameter) -> dict[str, Any]:
    value: dict[str, Any] = {"type": _KINDS.get(parameter.kind, ["string", "number"])}
    if parameter.choices:
        value = {"enum": list(parameter.choices)}
    if parameter.kind is dict:
        value = {"anyOf": [value, {"type": "object", "additionalProperties": _TEXT}]}
    if parameter.repeatable:
        value = {"anyOf": [value, {"type": "array", "items": value}]}
    return {"description": parameter.help_text().partition(". ")[0].rstrip(".") + ".", **value}


def _lists(options: dict[str, Any]) -> list[str]:
    """Return the options that take several values, whose names may be plurals."""
    return [
        key
        for key, option in options.items()
        if not key.endswith("s")
        and any(part.get("type") == "array" for part in option.get("anyOf", []))
    ]


def _either(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of values of either kind, with the description of the first."""
    text = first["description"]
    parts: list[dict[str, Any]] = []
    for schema in (first, second):
        plain = {key: value for key, value in schema.items() if key != "description"}
        for part in plain["anyOf"] if plain.keys() == {"anyOf"} else [plain]:
            if part not in parts:
                parts.append(part)
    return {"description": text, **(parts[0] if len(parts) == 1 else {"anyOf": parts})}


def _closed(text: str, properties: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "description": text,
        "type": "object",
        "properties": properties or {},
        "additionalProperties": False,
    }


def _file(name: str, text: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://github.com/gainful/gainful/schemas/{name}.json",
        "title": f"gainful.{name.replace('-', '/')}",
        **_closed(text, properties),
    }
