"""The declarations: complete, consistent, and valid for the kernel."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gainful import measures
from gainful.conventions import Convention
from gainful.measures import (
    AP,
    CG,
    DCG,
    ERR,
    IDCG,
    RBP,
    Measure,
    RBPResidual,
    definitions,
    describe,
    families,
    index,
    nDCG,
    parse_measure,
)
from gainful.measures.catalogue import family
from gainful.measures.index import FAMILIES
from gainful.measures.listing import GROUPS
from gainful.measures.parameters import literal


def test_every_family_is_listed_once_and_is_an_attribute() -> None:
    names = [each.name for each in families()]
    assert names == list(FAMILIES)
    for name in names:
        assert getattr(measures, name) == Measure(name)
        assert name in measures.__all__
        assert name in dir(measures)
    assert set(measures.__all__) - set(names) == {
        "Family",
        "Measure",
        "Parameter",
        "Ranking",
        "Rankings",
        "declare",
        "define",
        "describe",
        "families",
        "parse_measure",
        "parse_measures",
    }


def test_the_index_equals_the_declarations() -> None:
    declared = {}
    for path in Path(definitions.__path__[0]).glob("[!_]*.py"):
        loaded = import_module(f"{definitions.__name__}.{path.stem}")
        declared.update({each.name: path.stem for each in loaded.FAMILIES})
    hint = "write it with `python docs/declared.py`"
    assert declared == index.FAMILIES, hint
    aliases = {alias: each.name for each in families() for alias in each.aliases}
    assert aliases == index.ALIASES, hint
    names = {name: each.name for each in families() for name in each.trec_names}
    assert names == index.TREC_NAMES, hint
    stub = Path(index.__file__).with_name("names.pyi").read_text("utf-8")
    assert re.findall(r"^(\w+): Measure$", stub, re.MULTILINE) == list(index.FAMILIES), hint
    assert sum(len(each.aliases) for each in families()) == len(aliases), "a name means two"
    assert sum(len(each.trec_names) for each in families()) == len(names), "a name means two"


def test_an_everyday_name_loads_one_declaration() -> None:
    script = (
        "import sys; from gainful.measures import parse_measure; parse_measure('MRR@10');"
        "print(*(name for name in sys.modules if name.startswith('gainful.measures.definitions.')))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == ["gainful.measures.definitions.first_hit"]


def test_declarations_are_complete() -> None:
    for declared in families():
        for text in (declared.summary, declared.formula, declared.source):
            assert text == text.strip()
            assert text
            assert not text.endswith(".")
            assert "\n" not in text
        assert declared.summary[0].isupper()
        assert declared.group in GROUPS
        assert declared.aggregate in ("mean", "sum", "geometric")
        assert declared.low in (0.0, None)
        assert declared.aliases
        example = parse_measure(declared.example)
        assert example.family == declared.name
        assert repr(example) == declared.example
        assert example.declaration is declared
        assert example.aggregate == declared.aggregate
        assert describe(declared.example) is declared


def test_parameters_are_explained_and_their_defaults_legal() -> None:
    for declared in families():
        names = [parameter.name for parameter in declared.parameters]
        assert len(names) == len(set(names))
        at = "" if declared.at is None else "@0.5"
        plain = parse_measure(declared.name + at)
        for parameter in declared.parameters:
            assert parameter.legal
            assert parameter.meaning
            assert not parameter.meaning.endswith(".")
            if parameter.default is not None:
                assert parameter.check(parameter.default) == parameter.default
                measure = plain(**{parameter.name: parameter.default})
                assert repr(measure) == (
                    f"{declared.name}({parameter.name}={literal(parameter.default)}){at}"
                )
                assert measure.spec() == plain.spec()


def test_a_declaration_as_plain_values() -> None:
    for declared in families():
        found = declared.to_dict()
        assert found["name"] == declared.name
        assert found["trec_eval"] == list(declared.trec_names)
        parameters = found["parameters"]
        assert isinstance(parameters, list)
        assert [each["name"] for each in parameters] == [each.name for each in declared.parameters]
        assert declared.name in repr(declared)


KERNEL = {
    "nDCG@10": (
        "ndcg",
        {
            "gain": "linear",
            "discount": "log2",
            "ideal": "judged",
            "judged_only": False,
            "cutoff": 10,
        },
    ),
    "nDCG(gain={2: 9, 1: 3}, discount=(1, 0.5), ideal=(3, 2), judged_only=True)": (
        "ndcg",
        {
            "gain": [(1.0, 3.0), (2.0, 9.0)],
            "discount": [1.0, 0.5],
            "ideal": [3.0, 2.0],
            "judged_only": True,
            "cutoff": None,
        },
    ),
    "DCG(gain=exponential, discount=jarvelin-kekalainen)@3": (
        "dcg",
        {
            "gain": "exponential",
            "discount": ("jarvelin-kekalainen", 2.0),
            "judged_only": False,
            "cutoff": 3,
        },
    ),
    "IDCG(ideal=max-grade, max_grade=3)@3": (
        "idcg",
        {
            "gain": "linear",
            "discount": "log2",
            "ideal": ("max-grade", 3.0),
            "judged_only": False,
            "cutoff": 3,
        },
    ),
    "CG@3": ("cg", {"gain": "linear", "judged_only": False, "cutoff": 3}),
    "P@5": ("p", {"rel": 1.0, "to_depth": False, "judged_only": False, "cutoff": 5}),
    "R(capped=True)@5": (
        "r",
        {"rel": 1.0, "capped": True, "listed": False, "judged_only": False, "cutoff": 5},
    ),
    "AP(rel=2)": ("ap", {"rel": 2.0, "norm": "relevant", "judged_only": False, "cutoff": None}),
    "RR@10": ("rr", {"rel": 1.0, "judged_only": False, "cutoff": 10}),
    "Rprec": ("rprec", {"rel": 1.0, "judged_only": False}),
    "F(beta=2)@10": ("f", {"rel": 1.0, "weight": 4.0, "judged_only": False, "cutoff": 10}),
    "set_F_0.5": ("f", {"rel": 1.0, "weight": 0.5, "judged_only": False, "cutoff": None}),
    "Success@1": ("success", {"rel": 1.0, "judged_only": False, "cutoff": 1}),
    "ERR@20": (
        "err",
        {"max_grade": 4.0, "stop": "exponential", "judged_only": False, "cutoff": 20},
    ),
    "RBP": (
        "rbp",
        {"p": 0.8, "rel": 1.0, "max_grade": None, "judged_only": False, "cutoff": None},
    ),
    "rbp(max_grade=3)@5": (
        "rbp",
        {"p": 0.9, "rel": None, "max_grade": 3.0, "judged_only": False, "cutoff": 5},
    ),
    "RBP(max_grade=judged)": (
        "rbp",
        {"p": 0.8, "rel": None, "max_grade": "judged", "judged_only": False, "cutoff": None},
    ),
    "rbp_resid": (
        "rbp_residual",
        {"p": 0.9, "tail": "always", "judged_only": False, "cutoff": None},
    ),
    "bpref": ("bpref", {"rel": 1.0, "judged_only": False}),
    "Judged@10": ("judged", {"judged_only": False, "cutoff": 10}),
    "Unjudged@10": ("unjudged", {"judged_only": False, "cutoff": 10}),
    "NumQ": ("num_q", {"judged_only": False}),
    "NumRet": ("num_ret", {"judged_only": False}),
    "NumRel(rel=2)": ("num_rel", {"rel": 2.0, "judged_only": False}),
    "NumRelRet": ("num_rel_ret", {"rel": 1.0, "judged_only": False}),
    "Q@20": ("q_measure", {"beta": 1.0, "gain": "linear", "judged_only": False, "cutoff": 20}),
    "OMeasure": ("o_measure", {"beta": 1.0, "gain": "linear", "judged_only": False}),
    "PPlus": ("p_plus", {"beta": 1.0, "gain": "linear", "judged_only": False}),
    "nERR@20": (
        "nerr",
        {"max_grade": 4.0, "stop": "exponential", "judged_only": False, "cutoff": 20},
    ),
    "MinMaxNDCG@5": (
        "min_max_ndcg",
        {"gain": "linear", "discount": "log2", "judged_only": False, "cutoff": 5},
    ),
    "CWL(model=P, rel=2)@5": (
        "cwl",
        {
            "model": "P",
            "quantity": "EU",
            "rel": 2.0,
            "depth": 1000.0,
            "judged_only": False,
            "cutoff": 5,
        },
    ),
    **{
        f"{name}(max_rel=3)": (
            "cwl",
            {
                "model": name,
                **own,
                "quantity": "EU",
                "min_rel": 0.0,
                "max_rel": 3.0,
                "clip": False,
                "depth": 1000.0,
                "judged_only": False,
                **({"cutoff": None} if name in ("SDCG", "BPM", "NERR8", "NERR9") else {}),
            },
        )
        for name, own in {
            "INST": {"T": 1.0},
            "INSQ": {"T": 1.0},
            "BPM": {"T": 1.0, "hb": 0.0, "hc": 0.0, "gain_med": 0.5},
            "SDCG": {},
            "NERR8": {},
            "NERR9": {},
            "NERR10": {"p": 0.9},
            "NERR11": {"T": 1.0},
            "IFT": {
                "stops": "goal-rate",
                "T": 2.0,
                "b1": 0.9,
                "R1": 10.0,
                "A": 0.2,
                "b2": 0.9,
                "R2": 10.0,
            },
            "TBG": {"halflife": 224.0},
            "U": {"L": 1000.0},
        }.items()
    },
    "Compat(p=0.8)": (
        "compatibility",
        {"p": 0.8, "normalize": True, "judged_only": False, "cutoff": None},
    ),
    "infNDCG@9": ("stratified_ndcg", {"gain": "linear", "judged_only": False, "cutoff": 9}),
    "xinfAP": ("stratified_ap", {"rel": 1.0, "judged_only": False, "cutoff": None}),
    "Accuracy@9": ("accuracy", {"rel": 1.0, "judged_only": False, "cutoff": 9}),
    "alpha_nDCG(alpha=0.3)@10": (
        "alpha_dcg",
        {"rel": 1.0, "alpha": 0.3, "normalised": True, "judged_only": False, "cutoff": 10},
    ),
    "alpha-DCG@5": (
        "alpha_dcg",
        {"rel": 1.0, "alpha": 0.5, "normalised": False, "judged_only": False, "cutoff": 5},
    ),
    "ERR-IA@20": (
        "err_ia",
        {"rel": 1.0, "alpha": 0.5, "normalised": False, "judged_only": False, "cutoff": 20},
    ),
    "nERR_IA(rel=2, judged_only=True)@20": (
        "err_ia",
        {"rel": 2.0, "alpha": 0.5, "normalised": True, "judged_only": True, "cutoff": 20},
    ),
    "NRBP(beta=0.8)": (
        "nrbp",
        {"rel": 1.0, "alpha": 0.5, "beta": 0.8, "normalised": False, "judged_only": False},
    ),
    "nNRBP": (
        "nrbp",
        {"rel": 1.0, "alpha": 0.5, "beta": 0.5, "normalised": True, "judged_only": False},
    ),
    "MAP-IA": (
        "groups",
        {"within": "ap", "over": "relevant", "rel": 1.0, "judged_only": False, "cutoff": None},
    ),
    "P_IA@5": (
        "groups",
        {"within": "p", "over": "relevant", "rel": 1.0, "judged_only": False, "cutoff": 5},
    ),
    "strec@5": (
        "groups",
        {"within": "success", "over": "relevant", "rel": 1.0, "judged_only": False, "cutoff": 5},
    ),
    "AP_JG": (
        "groups",
        {"within": "ap", "over": "all", "rel": 1.0, "judged_only": False, "cutoff": None},
    ),
    "P_JG@5": (
        "groups",
        {"within": "p", "over": "all", "rel": 1.0, "judged_only": False, "cutoff": 5},
    ),
    "RprecMult_JG(multiple=0.2)": (
        "groups",
        {
            "within": "rprec_mult",
            "over": "all",
            "rel": 1.0,
            "multiple": 0.2,
            "judged_only": False,
        },
    ),
    "Prefs(count='pair', pairs='ret')": (
        "prefs",
        {"count": "pair", "pairs": "ret", "ties": "convention", "judged_only": False},
    ),
    "NumPrefs(of='ful')": (
        "num_prefs",
        {"of": "ful", "ties": "convention", "judged_only": False},
    ),
    "NumNonrelRet": ("num_nonrel_ret", {"rel": 1.0, "judged_only": False}),
    "GMAP": ("gm_ap", {"rel": 1.0, "judged_only": False}),
    "GMbpref": ("gm_bpref", {"rel": 1.0, "judged_only": False}),
    "infAP": ("infap", {"rel": 1.0, "judged_only": False}),
    "IPrec@0.1": (
        "iprec",
        {"rel": 1.0, "rounding": "up", "recall": 0.1, "judged_only": False},
    ),
    "IAP(recalls=(1, 0.5))": (
        "iap",
        {"rel": 1.0, "rounding": "up", "recalls": [0.5, 1.0], "judged_only": False},
    ),
    "RprecMult(multiple=0.5)": (
        "rprec_mult",
        {"multiple": 0.5, "rel": 1.0, "judged_only": False},
    ),
    "RelativeP@5": ("relative_p", {"rel": 1.0, "judged_only": False, "cutoff": 5}),
    "SetAP": ("set_ap", {"rel": 1.0, "judged_only": False}),
    "Utility": (
        "utility",
        {
            "a": 1.0,
            "b": -1.0,
            "c": 0.0,
            "d": 0.0,
            "collection": 0.0,
            "rel": 1.0,
            "judged_only": False,
        },
    ),
    "G": ("g", {"gain": "linear", "judged_only": False}),
    "binG": ("bin_g", {"rel": 1.0, "judged_only": False}),
    "nDCGrel(gain={1: 3})": ("ndcg_rel", {"gain": [(1.0, 3.0)], "judged_only": False}),
    "RnDCG": ("rndcg", {"gain": "linear", "rel": 1.0, "judged_only": False}),
    "yaap": ("yaap", {"rel": 1.0, "judged_only": False}),
    "FullRecall(overlap=0.5)@5": (
        "full_recall",
        {"rel": 1.0, "overlap": 0.5, "judged_only": False, "cutoff": 5},
    ),
    "SpanR(budget=4000, unit='tokens')": (
        "span_r",
        {
            "budget": 4000,
            "unit": "tokens",
            "last": "cut",
            "repeats": "once",
            "rel": 1.0,
            "judged_only": False,
            "cutoff": None,
        },
    ),
    "SpanP@5": (
        "span_p",
        {"last": "cut", "repeats": "once", "rel": 1.0, "judged_only": False, "cutoff": 5},
    ),
    "SpanIoU(repeats='count')": (
        "span_iou",
        {"last": "cut", "repeats": "count", "rel": 1.0, "judged_only": False, "cutoff": None},
    ),
    "SpanDCG@5": ("span_dcg", {"rel": 1.0, "judged_only": False, "cutoff": 5}),
    "SpanU(L=4000)": (
        "span_u",
        {"length": 4000.0, "rel": 1.0, "judged_only": False, "cutoff": None},
    ),
    "SpanFull": ("span_full", {"last": "cut", "rel": 1.0, "judged_only": False, "cutoff": None}),
    "SpanUnits": ("span_units", {"last": "cut", "judged_only": False, "cutoff": None}),
}


@pytest.mark.parametrize(("text", "expected"), KERNEL.items())
def test_the_arguments_of_the_kernel(text: str, expected: tuple[str, dict[str, object]]) -> None:
    found = parse_measure(text).spec()
    assert found == expected
    for name, value in found[1].items():
        assert type(value) is type(expected[1][name])


def test_the_kernel_table_has_every_family() -> None:
    assert {parse_measure(text).family for text in KERNEL} == set(FAMILIES)


def test_what_is_set_beats_the_convention_which_beats_the_default() -> None:
    convention = Convention(
        defaults={"nDCG": {"gain": "exponential"}, "AP": {"rel": 2}, "DCG": {"gain": {1: 5}}}
    )
    assert nDCG.spec(convention)[1]["gain"] == "exponential"
    assert nDCG(gain="linear").spec(convention)[1]["gain"] == "linear"
    assert nDCG.spec()[1]["gain"] == "linear"
    assert AP.resolve(convention) == AP(rel=2, norm="relevant", judged_only=False)
    # What is said of nDCG holds for its parts, unless something is said of the part.
    assert IDCG.spec(convention)[1]["gain"] == "exponential"
    assert CG.spec(convention)[1]["gain"] == "exponential"
    assert DCG.spec(convention)[1]["gain"] == [(1.0, 5.0)]


def test_values_that_belong_to_another_choice_are_left_out() -> None:
    convention = Convention(
        defaults={
            "nDCG": {
                "discount": "jarvelin-kekalainen",
                "base": 3,
                "ideal": "max-grade",
                "max_grade": 4,
            },
            "RBP": {"p": 0.95, "max_grade": 4},
        }
    )
    assert nDCG.spec(convention)[1]["discount"] == ("jarvelin-kekalainen", 3.0)
    assert nDCG.spec(convention)[1]["ideal"] == ("max-grade", 4.0)
    assert nDCG(discount="log2", ideal="judged").resolve(convention) == nDCG.resolve()
    own = nDCG(discount="jarvelin-kekalainen", base=2)
    assert own.spec(convention)[1]["discount"] == ("jarvelin-kekalainen", 2.0)
    assert RBP.spec(convention)[1]["rel"] is None
    assert RBP(rel=2).resolve(convention) == RBP(p=0.95, rel=2, judged_only=False)
    assert RBPResidual.spec(convention)[1]["p"] == 0.95
    # ERR's scale is its own.
    assert ERR.spec(convention)[1]["max_grade"] == 4.0


def test_describe_takes_any_name() -> None:
    for name in ("nDCG", "ndcg_cut", "NDCG", "ndcg@10", "nDCG(gain=exponential)"):
        assert describe(name) is family("nDCG")
    assert describe("recall") is family("R")
    with pytest.raises(TypeError):
        describe(10)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean nDCG"):
        describe("nDGC")
