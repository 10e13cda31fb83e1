"""The presets, and their collection in `gainful.conventions`."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gainful.conventions
from gainful.conventions import Convention, describe, get, presets
from gainful.conventions.presets import load
from gainful.errors import ArgumentError, ConventionError, MeasureError
from gainful.measures import IAP, RBP, IPrec, NumPrefs, Prefs, RBPResidual, nDCG

# Type checkers do not know that this module can be indexed.
collection: Any = gainful.conventions

catalogue = import_module("gainful.conventions.presets")


def test_every_preset_is_declared_in_the_file_of_its_tool() -> None:
    assert [preset.name for preset in presets()] == list(collection)
    assert len(collection) == len({preset.name for preset in presets()})
    assert collection["gainful-1"].name == next(iter(collection))
    for preset in presets():
        assert get(preset.name).name == preset.name
        assert get(preset.name).changes == {}
        assert get(preset.name).label == preset.name
        assert preset.evidence in ("defined", "run", "re-expressed", "read")
        assert preset.summary
        assert not preset.summary.endswith(".")
        assert preset.source.startswith("https://")
        assert not any(remark.endswith(".") for remark in preset.remarks)
        assert preset.name in repr(preset)
        assert collection[preset.name] == get(preset.name) == get(preset.name)
        assert describe(preset.name) is load(preset.name) is preset


def test_the_index_of_tools_equals_the_files() -> None:
    for file, tools in catalogue._TOOLS.items():
        assert sorted(tools.split()) == tools.split()
        assert list(import_module(f"{catalogue.__name__}.{file}").DECLARED) == tools.split(), file
    folder = Path(str(catalogue.__file__)).parent
    assert {path.stem for path in folder.glob("[!_]*.py")} == {*catalogue._TOOLS}


def test_a_convention_loads_the_file_of_its_tool() -> None:
    script = (
        "import sys, gainful;"
        "gainful.evaluate({'q': {'d': 1}}, {'q': ['d']}, convention=sys.argv[1]);"
        "print(*(name for name in sys.modules if name.startswith('gainful.conventions.presets.')))"
    )
    for name, files in (
        ("gainful-1", "papers"),
        ("trec_eval", "trec_eval"),
        ("ranx-dict", "retrieval trec_eval"),  # which pytrec_eval builds on
    ):
        found = subprocess.run(
            [sys.executable, "-c", script, name], capture_output=True, text=True, check=True
        )
        expected = {f"gainful.conventions.presets.{file}" for file in files.split()}
        assert set(found.stdout.split()) == expected


def test_trec_eval() -> None:
    older, newer = get("trec_eval-9.0.8"), get("trec_eval-10.0-rc3")
    assert older == Convention(
        name="trec_eval-9.0.8",
        precision="float32",
        negative="unjudged",
        fractions="truncate",
        missing="skip",
        defaults={"Prefs": {"ties": "doc-id-asc"}},
    )
    alike = {"precision": "float32", "missing": "skip", "defaults": older.defaults}
    assert newer.replace(name=older.name, **alike) == older
    assert (newer.precision, newer.missing) == ("float64", "error")
    assert nDCG.resolve(older) == nDCG.resolve(newer) == nDCG.resolve()
    assert RBP.spec(newer)[1]["p"] == RBPResidual.spec(newer)[1]["p"] == 0.9
    # Version 9 has no RBP.
    with pytest.raises(MeasureError, match=r"^RBP is not verified for trec_eval-9\.0\.8"):
        RBP.spec(older)
    assert RBP.spec(newer)[1]["max_grade"] == "judged"
    assert RBPResidual.spec(newer)[1]["tail"] == "unjudged"
    for measure in (IPrec @ 0.1, IAP):
        roundings = [measure.spec(each)[1]["rounding"] for each in (older, newer)]
        assert roundings == ["up", "nearest"]
    for convention in (older, newer):
        assert Prefs.spec(convention)[1]["ties"] == "doc-id-asc"
        assert NumPrefs.spec(convention)[1]["ties"] == "doc-id-asc"


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("trec_eval", "trec_eval-9.0.8"),
        ("trec_eval-9", "trec_eval-9.0.8"),
        ("trec_eval-10", "trec_eval-10.0-rc3"),
        ("trec-eval-9.0.8", "trec_eval-9.0.8"),
        ("TREC_EVAL 10.0-RC3", "trec_eval-10.0-rc3"),
        ("pytrec-eval", "pytrec_eval-0.5.11"),
        ("ir_measures", "ir_measures-0.4.3"),
        ("ir-measures-0.4-exp-log2", "ir_measures-0.4.3-exp-log2"),
        ("ranx-burges", "ranx-0.3.21-burges"),
        ("lenskit", "lenskit-2025.8.1"),
        ("lenskit-rating", "lenskit-2025.8.1-rating"),
        ("lenskit-list", "lenskit-2025.8.1-list"),
        ("Llama Index", "llama-index-0.14.25"),
        ("gainful", "gainful-1"),
        ("sklearn", "scikit-learn-1.9.1"),
        ("scikit_learn-1.9-returned", "scikit-learn-1.9.1-returned"),
        (" Gainful-1 ", "gainful-1"),
    ],
)
def test_short_and_alternative_names(name: str, means: str) -> None:
    assert get(name) is get(means)
    assert name in collection


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("trec_eval-9.0.7", "did you mean trec_eval-9.0.8"),
        ("treceval", "did you mean trec_eval-9.0.8"),
        ("gianful", "did you mean gainful-1?"),
        ("zzz", None),
        ("__init__", None),
        ("trec_eval.names", "did you mean trec_eval-9.0.8"),
        ("", None),
    ],
)
def test_unknown_names(name: str, hint: str | None) -> None:
    with pytest.raises(ConventionError, match=r"list\(gainful.conventions\) lists all") as caught:
        collection[name]
    assert repr(name) in str(caught.value)
    assert str(caught.value.hint).startswith(hint or "list(gainful.conventions)")
    assert name not in collection


@pytest.mark.parametrize("wrong", [None, 1, b"gainful-1", ["gainful-1"]])
def test_other_keys_are_type_errors(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="as a convention"):
        get(wrong)
    assert wrong not in collection
