"""Models of recommenders as systems."""

from __future__ import annotations

import pytest

import gainful
from requirements import need

pytestmark = pytest.mark.peer


@pytest.mark.filterwarnings("ignore")
def test_models_of_implicit() -> None:
    """A model returns an array of items and one of scores for a row of its matrix."""
    need("implicit")
    import numpy as np
    from implicit.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    generator = np.random.default_rng(4)
    items = csr_matrix((generator.random((30, 20)) < 0.3).astype("float32"))
    model = AlternatingLeastSquares(factors=4, iterations=2, random_state=1, num_threads=1)
    model.fit(items, show_progress=False)
    users = [str(user) for user in range(30)]
    run = gainful.search(
        lambda user, k: model.recommend(int(user), items[int(user)], N=k), users, k=5
    )
    for user in users:
        ids, scores = model.recommend(int(user), items[int(user)], N=5)
        assert run[user] == [
            (str(item), pytest.approx(float(score)))
            for item, score in zip(ids.tolist(), scores.tolist(), strict=True)
        ]
        assert not {item for item, _ in run[user]} & set(map(str, items[int(user)].indices))
