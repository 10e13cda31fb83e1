"""Documents that nobody judged: what their labels could change, and which to judge first."""

from __future__ import annotations

from gainful.unjudged.call import find_unjudged
from gainful.unjudged.result import Contest, Unjudged, UnjudgedDocument
from gainful.unjudged.samples import LabelSamples, sample_labels

__all__ = [
    "Contest",
    "LabelSamples",
    "Unjudged",
    "UnjudgedDocument",
    "find_unjudged",
    "sample_labels",
]
