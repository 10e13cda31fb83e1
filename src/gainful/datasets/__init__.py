"""Test collections: those of ir_datasets, and BEIR folders on disk."""

from __future__ import annotations

from gainful.datasets.dataset import Dataset, Documents
from gainful.datasets.listing import list_datasets, load_dataset

__all__ = ["Dataset", "Documents", "list_datasets", "load_dataset"]
