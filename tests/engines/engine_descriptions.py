"""Descriptions of the demo shop in each engine, and what an engine says past Gainful."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine_server import Server

FIELDS = ("title", "brand", "category", "description")

# The words of the query in any of the fields, the best field counting.
ELASTIC = """
engine = "{name}"
url = "{url}"
index = "{index}"
[settings]
boost.title = 2
[body.query.multi_match]
query = "{{{{query}}}}"
fields = ["title^{{{{boost.title}}}}", "brand", "category", "description"]
"""
SOLR = """
engine = "solr"
url = "{root}"
collection = "{index}"
[settings]
boost.title = 2
[body.query.edismax]
query = "{{{{query|solr}}}}"
qf = "title^{{{{boost.title}}}} brand category description"
"""

# The same words in the title alone, through the parser of query strings.
ELASTIC_STRING = """
engine = "{name}"
url = "{url}"
index = "{index}"
[body.query.query_string]
query = "{{{{query|lucene}}}}"
default_field = "{field}"
"""
SOLR_STRING = """
engine = "solr"
url = "{root}"
collection = "{index}"
[body.query.lucene]
query = "{{{{query|solr}}}}"
df = "{field}"
"""


def fields_of(server: Server, index: str = "shop") -> str:
    """Return a description that searches all fields, the title ``boost.title`` times."""
    text = SOLR if server.name == "solr" else ELASTIC
    return filled(text, server, index=index)


def string_of(server: Server, index: str = "shop", field: str = "title") -> str:
    """Return a description that searches one field through the parser of query strings."""
    text = SOLR_STRING if server.name == "solr" else ELASTIC_STRING
    return filled(text, server, index=index, field=field)


def filled(text: str, server: Server, **values: str) -> str:
    root = server.url.removesuffix("/solr")
    return text.format(name=server.engine, url=server.url, root=root, **values)


def written(text: str, folder: Path, name: str = "system") -> Path:
    """Return the path of a description."""
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def asked(server: Server, index: str, query: Any, k: int) -> list[tuple[str, float]]:
    """Return what an engine finds for a query in its own language, without Gainful."""
    if server.name == "solr":
        body = {"query": query, "limit": k, "fields": ["id", "score"]}
        documents = server.ask(f"/{index}/query", body)["response"]["docs"]
        return [(document["id"], document["score"]) for document in documents]
    body = {"query": query, "size": k, "_source": False}
    hits = server.ask(f"/{index}/_search", json.dumps(body))["hits"]["hits"]
    return [(hit["_id"], hit["_score"]) for hit in hits]


def words_in(server: Server, index: str, field: str, text: str) -> Any:
    """Return the query, in the engine's own language, for any word of a text in one field.

    No parser of query strings sees the text: Elasticsearch and OpenSearch take it as it is, and of
    Solr's we hand over the words that its analysis made of it.
    """
    if server.name != "solr":
        return {"match": {field: text}}
    from urllib.parse import urlencode

    analysis = {"analysis.fieldtype": "standard", "analysis.fieldvalue": text}
    found = server.ask(f"/{index}/analysis/field?{urlencode(analysis)}")
    words = found["analysis"]["field_types"]["standard"]["index"][-1]
    return {"bool": {"should": [{"field": {"f": field, "query": word["text"]}} for word in words]}}
