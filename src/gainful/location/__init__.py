"""Find quotes in the texts of documents: from what people quote to places with offsets."""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.location.call import locate as locate
    from gainful.location.result import Location as Location
    from gainful.location.result import Problem as Problem
    from gainful.location.result import Span as Span

load_on_use(globals(), {"call": ["locate"], "result": ["Location", "Problem", "Span"]})
