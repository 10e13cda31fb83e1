"""An unknown keyword suggests a known one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import pytest

import gainful
from gainful.errors import ArgumentError, ConventionError, GainfulError
from gainful.report import make_report

QRELS, RUN = {"q": {"d": 1}}, {"q": {"d": 1.0}}
RUNS = {"a": RUN, "b": RUN}


@pytest.mark.parametrize("function", [gainful.compare, gainful.find_unjudged, make_report])
def test_another_word_for_an_argument_is_suggested(function):
    with pytest.raises(ArgumentError, match=r"\(\) has no argument 'metric'. Hint: did you mean m"):
        function(QRELS, RUNS, metric="AP")


@pytest.mark.parametrize(
    ("keywords", "hint"),
    [
        ({"measure": "AP"}, "did you mean measures?"),
        ({"Metrics": "AP"}, "did you mean measures?"),
        ({"conventoin": "trec_eval"}, "did you mean convention?"),
        ({"k": 10}, "part of the measure: 'nDCG@10'"),
        ({"colums": {"grade": "Stars"}}, "gainful.read_qrels"),
        ({"nonsense": 1}, "the arguments are qrels, run, measures"),
    ],
)
def test_a_misspelled_argument_is_explained(keywords, hint):
    with pytest.raises(ArgumentError) as caught:
        gainful.evaluate(QRELS, RUN, **keywords)
    assert isinstance(caught.value, TypeError)
    assert hint in str(caught.value)


def test_a_file_for_the_result_of_a_model_is_explained() -> None:
    with pytest.raises(ArgumentError, match=r"no argument 'output'\. Hint: write the result with"):
        gainful.judge_llm([("q", "d")], {"q": "a"}, {"d": "b"}, output="labels.jsonl")


def test_functions_keep_their_signatures():
    assert list(inspect.signature(gainful.evaluate).parameters)[:3] == ["qrels", "run", "measures"]
    assert gainful.compare.__name__ == "compare"
    assert gainful.compare.__doc__.startswith("Compare systems")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'qrels'"):
        gainful.evaluate()


def test_the_number_of_documents_of_a_search() -> None:
    def system(text: str, k: int) -> list[str]:
        return ["d1"]

    with pytest.raises(ArgumentError, match=r"no argument 'top'\. Hint: did you mean k"):
        gainful.search(system, ["lentil soup"], top=3)
    with pytest.raises(ArgumentError, match="the system comes first"):
        gainful.search(["lentil soup"], system)


@pytest.mark.parametrize(
    "function",
    [
        lambda **policies: gainful.evaluate(QRELS, RUN, **policies),
        lambda **policies: gainful.compare(QRELS, RUNS, **policies),
        lambda **policies: gainful.explain(QRELS, RUN, "q", **policies),
        lambda **policies: gainful.headroom(QRELS, RUNS, **policies),
        lambda **policies: gainful.find_unjudged(QRELS, RUNS, **policies),
        lambda **policies: gainful.make_snapshot(QRELS, RUN, **policies),
        lambda **policies: make_report(QRELS, RUNS, **policies).evaluation,
        lambda **policies: gainful.reproduce(QRELS, RUN, RUN, "RR", **policies),
        lambda **policies: gainful.evaluate_suite({"a": (QRELS, RUNS)}, **policies),
        lambda **policies: (
            gainful.sweep(
                lambda x: lambda text, k: ["d", "e"], {"q": "d"}, QRELS, {"x": [1, 2]}, **policies
            ).evaluation
        ),
    ],
)
def test_policies_are_keywords(function) -> None:
    assert function(ties="doc-id-asc").convention.ties == "doc-id-asc"
    with pytest.raises(ConventionError, match="policy 'ties': found 'first'"):
        function(ties="first")
    with pytest.raises(ArgumentError, match="did you mean ties"):
        function(tie="given")


def test_an_evaluation_has_its_policies() -> None:
    result = gainful.evaluate(QRELS, RUN, "RR")
    for function in (gainful.make_snapshot, make_report, gainful.compare):
        with pytest.raises(ArgumentError, match="ties= requires judgments"):
            function(result, ties="given")


#: Replacements of other tools, whose errors are those of the tool, and packages for maintainers.
OTHERS = ("gainful.cli", "gainful.compat.", "gainful.parameters", "gainful.records")
#: Classes that people construct.
CONSTRUCTED = {
    *("Convention", "Design", "Evaluation", "Measure", "Policy", "Qrels", "Ranking", "Ratings"),
    *("ReadOptions", "Run"),
}


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the functions of all public packages, and the classes that people construct."""
    seen: set[object] = set()
    modules = pkgutil.walk_packages(gainful.__path__, "gainful.")
    for module in ["gainful", *(module.name for module in modules if module.ispkg)]:
        if module.startswith(OTHERS) or "._" in module:
            continue
        try:
            package = importlib.import_module(module)
        except ImportError:
            # Its optional package is not installed.
            continue
        for name in getattr(package, "__all__", ()):
            value = getattr(package, name)
            is_chosen = inspect.isfunction(value) or name in CONSTRUCTED
            if is_chosen and id(value) not in seen:
                seen.add(id(value))
                yield f"{module}.{name}", value


@pytest.mark.parametrize(
    "function", [pytest.param(value, id=name) for name, value in public_functions()]
)
def test_unknown_keywords_list_the_known_ones(function) -> None:
    required = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind in (0, 1)
    ]
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        # The function that gets them refuses them, after the inputs that it gets with them.
        with pytest.raises(GainfulError):
            function(*[[] for _ in required], zzz=1)
        return
    with pytest.raises(ArgumentError, match=r"has no argument 'zzz'\. Hint: the arguments"):
        function(*[[] for _ in required], zzz=1)
    assert issubclass(ArgumentError, TypeError)


def test_gates_and_pools_take_policies() -> None:
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {}}
    runs = {"a": {"q1": ["d"], "q2": ["e"]}, "b": {"q1": ["d"], "q2": ["e", "d"]}}
    agreement = gainful.compare_measures(qrels, runs, "RR", bootstrap=0, missing="skip")
    assert "missing skip" in agreement.convention
    snapshot = gainful.make_snapshot(QRELS, RUN, "RR", ties="given")
    assert gainful.gate(QRELS, RUN, snapshot, ties="given").verdict == "pass"
    with pytest.raises(ConventionError, match="values under gainful-1 with ties=given"):
        gainful.gate(QRELS, RUN, snapshot, ties="reverse")
    runs = {"a": {"q": ["d", "e"]}, "b": {"q": ["f", "d"]}}
    assert gainful.pool(runs, "mtc", judged=QRELS, budget=1, ties="doc-id-asc").strategy == "mtc"
    with pytest.raises(ConventionError, match="not defined for unjudged=condense"):
        gainful.pool(runs, "mtc", judged=QRELS, budget=1, unjudged="condense")
    with pytest.raises(ArgumentError, match="did you mean ties"):
        gainful.pool(runs, tie="given")


#: What functions take by position besides what they require.
BY_POSITION = {"a", "b", "k", "measure", "measures", "past", "query", "run", "runs", "strategy"}


@pytest.mark.parametrize(
    "function",
    [
        function
        for name in gainful.__all__
        if inspect.isfunction(function := getattr(gainful, name))
    ],
)
def test_options_are_given_by_name(function: Callable[..., object]) -> None:
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is not parameter.POSITIONAL_ONLY
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.name not in BY_POSITION:
            assert parameter.default is parameter.empty
