"""The public names of `gainful`."""

from __future__ import annotations

import pkgutil

import gainful
import gainful.errors
import gainful.inference

PUBLIC = [
    "Comparison",
    "Contrast",
    "Convention",
    "Evaluation",
    "Explanation",
    "GainfulError",
    "GateResult",
    "JudgmentQuality",
    "Location",
    "Measure",
    "Qrels",
    "Ratings",
    "ReadOptions",
    "Reconciliation",
    "Reproduction",
    "Run",
    "Suite",
    "Sweep",
    "Trend",
    "Verification",
    "analyze_power",
    "analyze_shards",
    "assess_judgments",
    "baselines",
    "cg",
    "compare",
    "compare_measures",
    "compare_online",
    "compat",
    "contrast",
    "conventions",
    "dcg",
    "errors",
    "evaluate",
    "evaluate_sample",
    "evaluate_suite",
    "explain",
    "find_unjudged",
    "gate",
    "headroom",
    "idcg",
    "judge_llm",
    "locate",
    "make_snapshot",
    "measure_abstention",
    "measures",
    "ndcg",
    "plots",
    "pool",
    "rank_results",
    "read_qrels",
    "read_ratings",
    "read_run",
    "reconcile",
    "report",
    "reproduce",
    "sample_labels",
    "search",
    "strict",
    "sweep",
    "trend",
    "verify",
]


def test_the_public_names_are_these() -> None:
    assert sorted(gainful.__all__) == PUBLIC
    assert dir(gainful) == PUBLIC


def test_every_public_name_is_there() -> None:
    for name in PUBLIC:
        assert getattr(gainful, name) is not None


def test_functions_and_measures_are_not_in_one_place() -> None:
    assert not hasattr(gainful, "nDCG")
    assert gainful.measures.nDCG @ 10


def test_no_module_hides_a_function_of_its_package() -> None:
    """A name that is loaded on first use is that of the module once the module is imported."""
    modules = {module.name for module in pkgutil.iter_modules(gainful.inference.__path__)}
    assert not modules & set(gainful.inference.__all__)


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert gainful.__version__ == version("gainful")


def test_every_error_is_a_gainful_error_and_a_builtin_one() -> None:
    import builtins
    import copy
    import pickle

    for name in gainful.errors.__all__:
        kind = getattr(gainful.errors, name)
        if kind is gainful.errors.Code or issubclass(kind, Warning):
            continue
        assert issubclass(kind, gainful.GainfulError)
        if kind is gainful.GainfulError:
            continue
        assert any(getattr(builtins, base.__name__, None) is base for base in kind.__mro__[1:-3])
        about = {"code": "field-count", "role": "run", "policy": "ties"}
        error = kind(file="a.run", line=3, query="q", found="x", expected="y", hint="z", **about)
        assert str(error) == "a.run, line 3, query 'q': found x, expected y. Hint: z"
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), error.replace()):
            assert type(again) is kind
            assert vars(again) == vars(error)
            assert again.args == error.args
