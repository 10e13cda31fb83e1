"""SQL queries that measure a run inside the database.

`query` writes them. They return the rows of `gainful.evaluate`, for a convention, within 1e-9.
"""

from gainful.backends.sql.call import query
from gainful.backends.sql.dialects import DIALECTS
from gainful.backends.sql.values import expressible

__all__ = ["DIALECTS", "expressible", "query"]
