"""Values as JSON. NaN and infinities become ``null``."""

from __future__ import annotations

import json


def text(value: object, indent: int | None = None) -> str:
    r"""Return a value as JSON with a line end.

    Examples
    --------
    >>> text({"na\u00efve": float("nan"), "\udcff": (1.5, True)})
    '{"naïve": null, "\\udcff": [1.5, true]}\n'
    """
    written = json.dumps(finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    # An id that is not valid UTF-8 has lone surrogates, which JSON must escape.
    return written.encode("utf-8", "backslashreplace").decode() + "\n"


def finite(value: object) -> object:
    """Replace NaN and infinities in a JSON value by None."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
