"""Find unjudged documents whose labels could change a result."""

from __future__ import annotations

from gainful.unjudged.call import find_unjudged
from gainful.unjudged.result import ContestedPair, Unjudged, UnjudgedDocument, UnjudgedSlice
from gainful.unjudged.samples import LabelSamples, sample_labels

__all__ = [
    "ContestedPair",
    "LabelSamples",
    "Unjudged",
    "UnjudgedDocument",
    "UnjudgedSlice",
    "find_unjudged",
    "sample_labels",
]
