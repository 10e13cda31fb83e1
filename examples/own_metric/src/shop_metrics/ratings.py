"""The format of the shop's ratings: searches, with the stars of products."""

from __future__ import annotations

from gainful.data.layouts import Layout

__all__ = ["SHOP_RATINGS"]

SHOP_RATINGS = Layout(
    name="shop_ratings",
    shape=("searches[].term", "searches[].ratings[].stars"),
    roles={
        "query_id": "searches[].term",
        "doc_id": "searches[].ratings[].sku",
        "grade": "searches[].ratings[].stars",
    },
    summary="ratings of the shop's merchandisers",
)
