"""Stand-ins for other evaluation tools: their names and calls, measured by Gainful."""

from gainful.compat.installation import Installation, install

__all__ = ["Installation", "install"]
