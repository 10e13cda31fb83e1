"""Find quotes in the texts of documents: from what people quote to places with offsets."""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.location.call import Location as Location
    from gainful.location.call import Problem as Problem
    from gainful.location.call import Span as Span
    from gainful.location.call import locate as locate

load_on_use(
    globals(),
    {
        "call": ["locate", "Location", "Problem", "Span"],
    },
)
