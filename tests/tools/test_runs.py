"""Compare the presets of tools for judgments and runs with the tools on random data.

`make test-tools` installs them and runs this.
"""

from __future__ import annotations

import pytest

import gainful
from gainful.conventions import get
from random_rankings import Drawn, draw
from requirements import need

pytestmark = pytest.mark.peer

CUTOFFS = (None, 1, 3, 10)
DOUBLE = 1e-12
# Grades of all tools but LensKit are whole numbers.
GRADES = (-1, 0, 0, 1, 2, 3, 4)


def measure(cutoff: int | None) -> str:
    return "nDCG" if cutoff is None else f"nDCG@{cutoff}"


def scores(drawn: Drawn) -> dict[str, dict[str, float]]:
    return {query: dict(ranked) for query, ranked in drawn.run.items()}


def ours(drawn: Drawn, preset: str, **policies: object) -> dict[int | None, dict[str, float]]:
    convention = get(preset).replace(**policies)
    asked = [measure(cutoff) for cutoff in CUTOFFS]
    result = gainful.evaluate(drawn.qrels, drawn.run, asked, convention=convention)
    return {cutoff: result.per_query(measure(cutoff)) for cutoff in CUTOFFS}


def best_first(drawn: Drawn, query: str) -> list[str]:
    """Return a run's list for a query by descending score, ties as it has them."""
    ranked = drawn.run[query]
    return sorted(ranked, key=lambda name: -ranked[name])


def with_gaps(drawn: Drawn) -> Drawn:
    """Leave some queries out of the run, and others out of the judgments."""
    queries = list(drawn.run)
    return Drawn(
        {query: drawn.qrels[query] for query in queries if query not in queries[::10]},
        {query: drawn.run[query] for query in queries if query not in queries[5::10]},
    )


@pytest.mark.parametrize("ties", [False, True])
def test_pytrec_eval_bit_for_bit(ties: bool) -> None:
    drawn = with_gaps(draw(11, ties=ties, grades=GRADES))
    tool = need("pytrec_eval").RelevanceEvaluator(drawn.qrels, {"ndcg", "ndcg_cut.1,3,10"})
    theirs = tool.evaluate(scores(drawn))
    mine = ours(drawn, "pytrec_eval-0.5.11")
    for cutoff, figures in mine.items():
        name = "ndcg" if cutoff is None else f"ndcg_cut_{cutoff}"
        assert figures == {query: each[name] for query, each in theirs.items()}
    assert len(mine[None]) == 120


@pytest.mark.parametrize("ties", [False, True])
def test_ir_measures_bit_for_bit(ties: bool) -> None:
    library = need("ir_measures")
    drawn = with_gaps(draw(12, ties=ties, grades=GRADES))
    asked = {
        cutoff: library.nDCG if cutoff is None else library.nDCG @ cutoff for cutoff in CUTOFFS
    }
    mine = ours(drawn, "ir_measures-0.4.3")
    theirs: dict[object, dict[str, float]] = {}
    for each in library.iter_calc(list(asked.values()), drawn.qrels, scores(drawn)):
        theirs.setdefault(each.measure, {})[each.query_id] = each.value
    means = library.calc_aggregate(list(asked.values()), drawn.qrels, scores(drawn))
    for cutoff, figures in mine.items():
        assert figures == theirs[asked[cutoff]]
        mean = sum(figures.values()) / len(figures)
        assert mean == pytest.approx(means[asked[cutoff]], rel=DOUBLE)
    assert len(mine[None]) == 135


# What Numba says where ranx is compiled for the first time.
@pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")
@pytest.mark.parametrize("name", ["ndcg", "ndcg_burges"])
@pytest.mark.parametrize("kind", ["no ties", "ties in short lists", "ties"])
def test_ranx(name: str, kind: str) -> None:
    library = need("ranx")
    longest = 15 if kind == "ties in short lists" else 60
    drawn = draw(13, ties=kind != "no ties", longest=longest, grades=GRADES)
    judged = library.Qrels(drawn.qrels)
    preset = "ranx-0.3.21" if name == "ndcg" else "ranx-0.3.21-burges"
    mine = ours(drawn, preset)
    least = ours(drawn, preset, ties="pessimistic")
    most = ours(drawn, preset, ties="optimistic")
    for cutoff in CUTOFFS:
        run = library.Run(scores(drawn))
        asked = name if cutoff is None else f"{name}@{cutoff}"
        library.evaluate(judged, run, asked)
        theirs = run.scores[asked]
        for query in drawn.run:
            value = float(theirs[query])
            assert least[cutoff][query] - DOUBLE <= value <= most[cutoff][query] + DOUBLE
            if kind != "ties":
                assert mine[cutoff][query] == pytest.approx(value, rel=DOUBLE, abs=DOUBLE), query


#: Its metrics by the names that it gives them, which are read under its convention.
RANX = (
    *("hits", "hits@5", "hit_rate", "hit_rate@3", "precision", "precision@10", "recall"),
    *("recall@10", "f1", "f1@10", "r-precision", "mrr", "mrr@10", "map", "map@10", "dcg", "dcg@10"),
    *("dcg_burges", "dcg_burges@10", "ndcg@10", "ndcg_burges@10"),
)


@pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")
@pytest.mark.parametrize("kind", ["no ties", "ties in short lists"])
@pytest.mark.parametrize("grades", [GRADES, (0, 0, 1)])
def test_ranx_by_its_own_names(kind: str, grades: tuple[float, ...]) -> None:
    library = need("ranx")
    longest = 15 if kind == "ties in short lists" else 60
    drawn = draw(19, ties=kind != "no ties", longest=longest, grades=grades)
    judged = library.Qrels(drawn.qrels)
    # Of graded judgments its RBP exceeds 1, and Gainful refuses them.
    names = RANX if max(grades) > 1 else (*RANX, "rbp.95", "rbp.8", "rbp@80", "rbp.05")
    for name in names:
        run = library.Run(scores(drawn))
        library.evaluate(judged, run, name)
        mine = gainful.evaluate(drawn.qrels, drawn.run, name, convention="ranx").per_query()
        for query, value in run.scores[name].items():
            assert mine[query] == pytest.approx(float(value), rel=DOUBLE, abs=DOUBLE), name


def relevant(drawn: Drawn) -> dict[str, set[str]]:
    """Return judgments as sets of what is relevant."""
    return {
        query: {document for document, grade in judged.items() if grade > 0}
        for query, judged in drawn.qrels.items()
    }


def assert_means(drawn: Drawn, preset: str, theirs: dict[str, float]) -> None:
    """Compare means by the tool's names."""
    result = gainful.evaluate(drawn.qrels, drawn.run, list(theirs), convention=preset)
    for name, value in theirs.items():
        assert result.mean(name) == pytest.approx(float(value), rel=DOUBLE), name


AT = [1, 3, 5, 10]


@pytest.mark.parametrize("ties", [False, True])
def test_sentence_transformers(ties: bool) -> None:
    need("sentence_transformers")
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    drawn = draw(20, ties=ties)
    tool = InformationRetrievalEvaluator(
        {query: query for query in drawn.run},
        {"d": "d"},
        relevant(drawn),
        mrr_at_k=AT,
        ndcg_at_k=AT,
        accuracy_at_k=AT,
        precision_recall_at_k=AT,
        map_at_k=[*AT, 100],
    )
    found = tool.compute_metrics(
        [
            [{"corpus_id": name, "score": score} for name, score in drawn.run[query].items()]
            for query in tool.queries_ids
        ]
    )
    theirs = {
        name.replace("@k", f"@{cutoff}"): value
        for name, values in found.items()
        for cutoff, value in values.items()
    }
    assert len(theirs) == 25
    assert_means(drawn, "sentence-transformers-6.2.0", theirs)


def test_pyvespa() -> None:
    need("pyvespa")
    from vespa.evaluation import VespaEvaluator

    drawn = draw(21)
    tool = VespaEvaluator(
        queries={query: query for query in drawn.run},
        relevant_docs=relevant(drawn),
        vespa_query_fn=lambda text, top_k: {},
        app=None,
        accuracy_at_k=AT,
        precision_recall_at_k=AT,
        mrr_at_k=AT,
        ndcg_at_k=AT,
        map_at_k=[*AT, 100],
    )
    # It leaves queries out for which nothing is relevant.
    assert len(tool.queries_ids) < len(drawn.run)
    ranked = [
        [(name, drawn.run[query][name]) for name in best_first(drawn, query)]
        for query in tool.queries_ids
    ]
    theirs = tool._compute_metrics(ranked)
    assert len(theirs) == 25
    assert_means(drawn, "pyvespa-1.2.9-binary", theirs)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("gain", ["rating", None])
@pytest.mark.parametrize("offset", [0, 1])
def test_lenskit(gain: str | None, offset: int) -> None:
    need("lenskit")
    from lenskit.data import ItemList
    from lenskit.metrics import NDCG
    from lenskit.metrics.ranking._weighting import LogRankWeight

    drawn = draw(14, grades=(0, 0, 0.5, 1, 2, 4))
    discount = "log2" if offset else "jarvelin-kekalainen"
    convention = get("lenskit-list-rating" if gain else "lenskit-list")
    undefined = 0
    for cutoff in CUTOFFS:
        metric = NDCG(cutoff, gain=gain, weight=LogRankWeight(offset=offset))
        asked = measure(cutoff).replace("nDCG", f"nDCG(discount={discount})")
        result = gainful.evaluate(drawn.qrels, drawn.run, asked, convention=convention)
        for query, value in result.per_query().items():
            truth = drawn.qrels[query]
            columns = {"rating": list(map(float, truth.values()))} if gain else {}
            theirs = metric.measure_list(
                ItemList(item_ids=best_first(drawn, query), ordered=True),
                ItemList(item_ids=list(truth), **columns),
            )
            assert value == pytest.approx(float(theirs), rel=DOUBLE, nan_ok=True), query
            undefined += value != value
    assert (undefined > 0) == (gain is not None)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_cornac() -> None:
    need("cornac")
    import numpy
    from cornac.metrics import NDCG

    drawn = draw(15, grades=(0, 0, 1, 2))
    # The metric by itself knows no users that are left out.
    mine = ours(drawn, "cornac-3.0.1", no_relevant="nan")
    for cutoff in CUTOFFS:
        metric = NDCG(k=cutoff or -1)
        for query, judged in drawn.qrels.items():
            number = {name: at for at, name in enumerate({**judged, **drawn.run[query]})}
            positive = [number[name] for name, grade in judged.items() if grade > 0]
            ranked = [number[name] for name in best_first(drawn, query)]
            theirs = metric.compute(gt_pos=numpy.array(positive), pd_rank=numpy.array(ranked))
            value = mine[cutoff][query]
            assert value == pytest.approx(float(theirs), rel=DOUBLE, nan_ok=True), query


@pytest.mark.parametrize("zeros", [False, True])
def test_implicit(zeros: bool) -> None:
    need("implicit")
    import numpy
    from implicit.evaluation import ndcg_at_k
    from scipy.sparse import csr_matrix

    drawn = draw(16, grades=(0, 1, 2))
    number: dict[str, int] = {}
    for query, judged in drawn.qrels.items():
        for name in (*judged, *drawn.run[query]):
            number.setdefault(name, len(number))
    shape = (len(drawn.qrels), len(number))
    # A stored 0 is an entry, too, and counts.
    cells = [
        (user, number[name], float(grade))
        for user, judged in enumerate(drawn.qrels.values())
        for name, grade in judged.items()
        if zeros or grade > 0
    ]
    users, items, grades = zip(*cells, strict=True)
    test = csr_matrix((grades, (users, items)), shape=shape, dtype=numpy.float32)
    lists = [[number[name] for name in best_first(drawn, query)] for query in drawn.qrels]

    class Recommending:
        """Stands for a model: recommends the lists that were drawn."""

        def recommend(self, users, user_items, N=10, **options):  # noqa: N803
            ids = numpy.full((len(users), N), -1, numpy.int32)
            for row, user in enumerate(users):
                own = lists[user][:N]
                ids[row, : len(own)] = own
            return ids, numpy.zeros(ids.shape, numpy.float32)

    nobody = csr_matrix(shape, dtype=numpy.float32)
    for cutoff in (1, 3, 10, 40):
        theirs = ndcg_at_k(
            Recommending(), nobody, test, K=cutoff, show_progress=False, num_threads=1
        )
        asked = f"nDCG(gain=judged)@{cutoff}" if zeros else f"nDCG@{cutoff}"
        result = gainful.evaluate(drawn.qrels, drawn.run, asked, convention="implicit-0.7.3")
        assert result.mean() == pytest.approx(theirs, rel=DOUBLE)
