"""Judgments and runs at addresses in fsspec's in-memory file system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as Folder
from typing import Any

from paths_of_evaluation.collections import Collection
from requirements import need


def stored(write: Any) -> Any:
    """Return a function that writes files as another path does, and copies them to memory."""

    def put(collection: Collection, folder: Folder) -> Callable[[], tuple[Any, Any]]:
        store = need("fsspec").filesystem("memory")
        addresses = []
        for path in write(collection, folder)():
            addresses.append(f"memory://{folder.name}/{collection.name}/{path.name}")
            store.pipe_file(addresses[-1], path.read_bytes())
        return lambda: (addresses[0], addresses[1])

    return put
