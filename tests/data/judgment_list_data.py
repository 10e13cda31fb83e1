"""Small judgment lists of each format, with the same judgments where possible."""

from __future__ import annotations

import json
from typing import Any

#: The judgments in all of `PLAIN`.
JUDGMENTS = {"lentil soup": {"r01": 3, "r02": 0}, "ramen, cheap": {"r07": 1, "ä 9": 2}}

QUEPID_CSV = """query,docid,rating
lentil soup,r01,3
lentil soup,r02,0
"ramen, cheap",r07,1
"ramen, cheap",ä 9,2
"""

QUEPID_RATINGS: Any = {
    "queries": [{"query": text, "ratings": dict(graded)} for text, graded in JUDGMENTS.items()]
}

QUEPID_CASE: Any = {
    "case_name": "Kitchen",
    "scorer": {"name": "nDCG@10", "scale": [0, 1, 2, 3]},
    "queries": [
        {
            "query_text": text,
            "options": {"locale": "en"},
            "notes": None,
            "ratings": [
                {"doc_id": document, "rating": grade, "user_email": "ana@example.com"}
                for document, grade in graded.items()
            ],
        }
        for text, graded in JUDGMENTS.items()
    ],
}

RRE_BY_DOCUMENT: Any = {
    "index": "recipes",
    "id_field": "id",
    "topics": [
        {
            "description": "Soups",
            "query_groups": [
                {
                    "name": text,
                    "queries": [
                        {"template": "t.json", "placeholders": {"$query": text, "$lang": "en"}}
                    ],
                    "relevant_documents": {doc: {"gain": got} for doc, got in graded.items()},
                }
                for text, graded in JUDGMENTS.items()
            ],
        }
    ],
}

RRE_BY_GAIN: Any = {
    "index": "recipes",
    "id_field": "id",
    "queries": [
        {
            "placeholders": {"$query": text},
            "relevant_documents": {str(got): [doc] for doc, got in graded.items()},
        }
        for text, graded in JUDGMENTS.items()
    ],
}

RANK_EVAL: Any = {
    "requests": [
        {
            "id": "lentil soup",
            "request": {"query": {"match": {"title": {"query": "lentil soup"}}}},
            "ratings": [
                {"_index": "recipes", "_id": "r01", "rating": 3},
                {"_index": "recipes", "_id": "r02", "rating": 0},
            ],
        },
        {
            "id": "ramen, cheap",
            "template_id": "typed",
            "params": {"query_string": "ramen, cheap", "field": "title"},
            "ratings": [
                {"_index": "recipes", "_id": "r07", "rating": 1},
                {"_index": "recipes", "_id": "ä 9", "rating": 2},
            ],
        },
    ],
    "templates": [
        {"id": "typed", "template": {"inline": {"query": {"match": {"title": "{{query_string}}"}}}}}
    ],
    "metric": {"dcg": {"k": 10, "normalize": True}},
}

OPENSEARCH: Any = {
    "name": "Kitchen",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {
            "query": text,
            "ratings": [{"docId": doc, "rating": f"{got:.3f}"} for doc, got in graded.items()],
        }
        for text, graded in JUDGMENTS.items()
    ],
}

#: A list as the workbench exports it.
OPENSEARCH_ANSWER: Any = {
    "took": 3,
    "hits": {"total": {"value": 1}, "hits": [{"_id": "x", "_source": OPENSEARCH}]},
}

#: Lists by file suffix and format.
PLAIN: dict[str, tuple[str, str, str]] = {
    "quepid.csv": (".csv", "quepid", QUEPID_CSV),
    "quepid ratings": (".json", "quepid", json.dumps(QUEPID_RATINGS)),
    "quepid case": (".json", "quepid", json.dumps(QUEPID_CASE, indent=1)),
    "rre by document": (".json", "rre", json.dumps(RRE_BY_DOCUMENT)),
    "rre by gain": (".json", "rre", json.dumps(RRE_BY_GAIN, indent=2)),
    "rank_eval": (".json", "rank_eval", json.dumps(RANK_EVAL, indent=2)),
    "opensearch": (".json", "opensearch", json.dumps(OPENSEARCH, indent=2)),
    "opensearch answer": (".json", "opensearch", json.dumps(OPENSEARCH_ANSWER)),
}

ES_LTR = """# grade (0-4)\tqueryid\tdocId\ttitle
#
# qid:1: lentil soup
# qid:2: ramen, cheap
#
4\tqid:1 #\tr01\tLentil soup with cumin
0\tqid:1\t# r02\tTomato soup

1\tqid:2\t # r07\tRamen
"""

#: As written by hello-ltr, with weights.
ES_LTR_WEIGHTS = """# qid:1: lentil soup*1
# qid:2: ramen, cheap*3

4\tqid:1\t # r01\tlentil soup
1\tqid:2\t # r07\tramen, cheap
"""

#: As written by Quepid, with the query text after the document.
ES_LTR_QUEPID = """
3 qid:12 # r01 lentil soup

0 qid:12 # r02 lentil soup

1 qid:14 # r07 ramen, cheap
"""

ESCI = """example_id,query,query_id,product_id,product_locale,esci_label
1,lentil soup,7,r01,us,E
2,lentil soup,7,r02,us,s
3,lentil soup,7,r03,us,Complement
4,"ramen, cheap",9,r07,us,Irrelevant
5,"ramen, cheap",9,r08,us,
"""

RATERS = """query,docid,agent_1_rating,agent_2_rating,agent_3_rating,final_rating
lentil soup,r01,3,3,0,3
lentil soup,r02,0,2,3,1
lentil soup,r03,1,,2,2
"ramen, cheap",r07,,,,
"""

RATER_ROWS = """query,docid,rater,rating
lentil soup,r01,ana,3
lentil soup,r01,ben,1
lentil soup,r02,ana,0
"""

BOOK: Any = {
    "name": "Kitchen",
    "query_doc_pairs": [
        {
            "query_text": "lentil soup",
            "doc_id": "r01",
            "position": 1,
            "judgements": [
                {"rating": 3.0, "unrateable": False, "user_email": "ana@example.com"},
                {"rating": 1.0, "unrateable": False, "user_email": "ben@example.com"},
            ],
        },
        {
            "query_text": "lentil soup",
            "doc_id": "r02",
            "judgements": [{"rating": None, "unrateable": True, "user_email": "ana@example.com"}],
        },
    ],
}

QUERY_SET: Any = {
    "name": "Kitchen",
    "sampling": "manual",
    "querySetQueries": [
        {"queryText": "lentil soup", "referenceAnswer": "with cumin"},
        {"queryText": "ramen, cheap"},
    ],
}
