"""A small collection of users and items, and what tools compute for its recommendations.

``python tests/support/recommended_items.py recbole`` runs a tool on the collection and prints its
numbers; so do ``lenskit`` and ``cornac``. Each needs its package.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

USERS, ITEMS, TOP = 12, 10, 4


class Shop:
    """Scores without equal ones, held-out items, seen items, categories and vectors."""

    def __init__(self) -> None:
        random = np.random.default_rng(45)
        popular = np.linspace(2.5, 0.0, ITEMS)
        self.scores = random.normal(size=(USERS, ITEMS)).round(6) + popular
        draws = random.random((USERS, ITEMS))
        chances = np.linspace(0.7, 0.05, ITEMS)
        self.seen = draws < chances
        # No user has seen the last item.
        self.seen[:, -1] = False
        self.held_out = (draws > 0.75) & ~self.seen
        self.vectors = random.integers(-2, 3, (ITEMS, 3)).astype(float)
        kinds = ["tea", "jam", "oil", "tea", "rye", "jam", "oil", "tea", "rye", "tea"]
        self.categories = [[kind] if at % 3 else [kind, "new"] for at, kind in enumerate(kinds)]

    def allowed(self) -> Any:
        """Return the scores, with −inf for seen items."""
        return np.where(self.seen, -np.inf, self.scores)

    def lists(self) -> Any:
        """Return the recommended items of each user, best first."""
        return np.argsort(-self.allowed(), axis=1)[:, :TOP]


def recbole(shop: Shop) -> dict[str, float]:
    """Return the metrics of RecBole, whose item 0 is padding."""
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import Collector, DataStruct

    data = DataStruct()
    data.set("rec.items", torch.tensor(shop.lists() + 1))
    data.set("data.num_items", ITEMS + 1)
    counts = {item + 1: int(n) for item, n in enumerate(shop.seen.sum(axis=0)) if n}
    data.set("data.count_items", counts)
    config = {"topk": [TOP], "metric_decimal_place": 12, "tail_ratio": None}
    found = {}
    for name in (
        "ItemCoverage",
        "GiniIndex",
        "ShannonEntropy",
        "AveragePopularity",
        "TailPercentage",
    ):
        values = getattr(metrics, name)(config).calculate_metric(data)
        found.update({key: float(value) for key, value in values.items()})
    collector = object.__new__(Collector)
    collector.device, collector.data_struct = "cpu", data
    collector.register = type("Register", (), {"need": staticmethod("rec.meanrank".__eq__)})
    scores = torch.tensor(np.column_stack([np.full(USERS, -np.inf), shop.allowed()]))
    users, items = np.nonzero(shop.held_out)
    collector.eval_batch_collect(scores, None, torch.tensor(users), torch.tensor(items + 1))
    found["gauc"] = float(metrics.GAUC(config).calculate_metric(data)["gauc"])
    return found


def lenskit(shop: Shop) -> dict[str, float]:
    """Return the metrics of LensKit: of the run, and means of those of a list."""
    import pandas
    from lenskit.data import ItemList, from_interactions_df
    from lenskit.metrics import ranking

    users, items = np.nonzero(shop.seen)
    log = pandas.DataFrame({"user_id": users, "item_id": items})
    data = from_interactions_df(log, item_col="item_id", user_col="user_id")
    lists = [ItemList(item_ids=own, ordered=True) for own in shop.lists()]
    kinds = sorted({kind for own in shop.categories for kind in own})
    table = np.array([[float(kind in own) for kind in kinds] for own in shop.categories])
    ginis = {
        "ListGini": ranking.ListGini(k=TOP, items=ITEMS),
        "ExposureGini": ranking.ExposureGini(k=TOP, items=ITEMS),
    }
    found = {
        f"{name}@{TOP}": float(
            gini.global_aggregate([gini.compute_list_data(own, None) for own in lists])
        )
        for name, gini in ginis.items()
    }
    rank = ranking.MeanPopRank(data, k=TOP)
    found[f"MeanPopRank@{TOP}"] = float(np.mean([rank.measure_list(own, None) for own in lists]))
    entropies = [ranking.entropy(own, table[own.ids()], n=TOP) for own in lists]
    found[f"entropy@{TOP}"] = float(np.mean(entropies))
    return found


def cornac(shop: Shop) -> dict[str, float]:
    """Return the mean of Cornac's AUC over users with held-out items."""
    from cornac.metrics import AUC

    values = []
    for user in np.flatnonzero(shop.held_out.any(axis=1)):
        candidates = np.flatnonzero(~shop.seen[user])
        values.append(
            AUC().compute(
                item_indices=candidates,
                pd_scores=shop.scores[user, candidates],
                gt_pos=np.flatnonzero(shop.held_out[user]),
            )
        )
    return {"AUC": float(np.mean(values))}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](Shop()), indent=4))
