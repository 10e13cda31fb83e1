"""Drop-in replacements for other evaluation tools."""

from gainful.compat.installation import Installation, install

__all__ = ["Installation", "install"]
