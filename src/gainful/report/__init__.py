"""Renderers: result objects as text for terminals, papers, pages and programs.

``str(result)`` is the plain table. The modules here write the others; each takes what the results
make of themselves (a `gainful.table.TextTable`) or their figures, and returns text.
"""
