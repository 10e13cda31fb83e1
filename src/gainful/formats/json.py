"""Values as JSON. What JSON has no number for (NaN, infinities) is ``null``."""

from __future__ import annotations

import json


def text(value: object, indent: int | None = None) -> str:
    r"""Return a value as JSON and a line end.

    Examples
    --------
    >>> text({"na\u00efve": float("nan"), "\udcff": (1.5, True)})
    '{"naïve": null, "\\udcff": [1.5, true]}\n'
    """
    written = json.dumps(finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    # An id that is not valid UTF-8 holds lone surrogates, which JSON can carry only escaped.
    return written.encode("utf-8", "backslashreplace").decode() + "\n"


def finite(value: object) -> object:
    """Return a value of JSON in which what is no finite number is None."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return value
