"""Judgments and runs at addresses that fsspec opens, in a store that is in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

from paths_of_evaluation.collections import Collection
from requirements import need


def stored(write: Any) -> Any:
    """Return what writes files by another way, and puts them into the store."""

    def put(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        store = need("fsspec").filesystem("memory")
        addresses = []
        for path in write(collection, folder)():
            addresses.append(f"memory://{folder.name}/{collection.name}/{path.name}")
            store.pipe_file(addresses[-1], path.read_bytes())
        return lambda: (addresses[0], addresses[1])

    return put
