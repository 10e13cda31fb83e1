"""Parsing measures: Gainful's notation, trec_eval's names and common names."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gainful.conventions import Convention
from gainful.errors import ArgumentError, GainfulError, MeasureError
from gainful.measures import (
    AP,
    F,
    IPrec,
    Measure,
    R,
    describe,
    families,
    nDCG,
    parse_measure,
    parse_measures,
)
from gainful.measures.catalogue import NOT_COMPUTED, SINCE_10, trec_name
from gainful.measures.family import plain
from gainful.measures.index import ALIASES, FAMILIES, TREC_NAMES

READS_AS = {
    # our notation, spaces and quotes as people and shells leave them
    "nDCG@10": "nDCG@10",
    " nDCG @ 10 ": "nDCG@10",
    "nDCG(gain='exponential')@10": "nDCG(gain='exponential')@10",
    'nDCG(gain="exponential")@10': "nDCG(gain='exponential')@10",
    "nDCG(gain=exponential)@10": "nDCG(gain='exponential')@10",
    "nDCG( gain = exponential , ) @ 10": "nDCG(gain='exponential')@10",
    "nDCG()@10": "nDCG@10",
    "nDCG(discount=jarvelin-kekalainen, base=2)": "nDCG(discount='jarvelin-kekalainen', base=2)",
    "nDCG(discount=[1, .5, 0.25,])@3": "nDCG(discount=(1, 0.5, 0.25))@3",
    "nDCG(discount=(1,))": "nDCG(discount=(1,))",
    "nDCG(ideal=max-grade, max_grade=3)": "nDCG(ideal='max-grade', max_grade=3)",
    "nDCG(gain={-1: -0.5, 2: 1e1,})": "nDCG(gain={-1: -0.5, 2: 10})",
    "AP(rel=2)@100": "AP(rel=2)@100",
    "AP(rel=+2)": "AP(rel=2)",
    "AP(rel=None)": "AP",
    "R(capped=True)@5": "R(capped=True)@5",
    "R(capped=true)@5": "R(capped=True)@5",
    # ir_measures
    "nDCG(dcg='exp-log2')@5": "nDCG(gain='exponential', discount='log2')@5",
    "nDCG(gains={0:0,1:2})@10": "nDCG(gain={0: 0, 1: 2})@10",
    "nDCG(judged_only=True)@10": "nDCG(judged_only=True)@10",
    "P(rel=2)@10": "P(rel=2)@10",
    "NumRet(rel=1)": "NumRelRet(rel=1)",
    "SetP": "P",
    "SetR": "R",
    "SetF(beta=4)": "F(weight=4)",
    "SetF(beta=2, rel=2)": "F(rel=2, weight=2)",
    "SetP(relative=True)": "RelativeP",
    "SetP(rel=2, relative=False)": "P(rel=2)",
    "SetAP(rel=2)": "SetAP(rel=2)",
    "IPrec@0.1": "IPrec@0.1",
    "IPrec(rel=2)@.1": "IPrec(rel=2)@0.1",
    "IPrec(recall=0.1)": "IPrec@0.1",
    "IPrec@1.0": "IPrec@1",
    "infAP(rel=2)": "infAP(rel=2)",
    "Bpref": "bpref",
    "RPrec": "Rprec",
    "RBP": "RBP",
    "RBP(p=0.9)@10": "RBP(p=0.9)@10",
    # trec_eval
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "ndcg_1=3,2=9.5": "nDCG(gain={1: 3, 2: 9.5})",
    "ndcg.1=3.5,2=9,3=7": "nDCG(gain={1: 3.5, 2: 9, 3: 7})",
    "dcg": "DCG",
    "ideal_dcg": "IDCG",
    "map": "AP",
    "map_cut_10": "AP@10",
    "P_10": "P@10",
    "P.10": "P@10",
    "set_P": "P",
    "recall_100": "R@100",
    "set_recall": "R",
    "set_F": "F",
    "set_F_4": "F(weight=4)",
    "gm_map": "GMAP",
    "gm_bpref": "GMbpref",
    "infAP": "infAP",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "iprec_at_recall..10": "IPrec@0.1",
    "Rprec_mult_0.20": "RprecMult(multiple=0.2)",
    "Rprec_mult.5.0": "RprecMult(multiple=5)",
    "utility": "Utility",
    "utility_1,-1,0,0.5": "Utility(a=1, b=-1, c=0, d=0.5)",
    "11pt_avg": "IAP",
    "11pt_avg..25,.5,.75": "IAP(recalls=(0.25, 0.5, 0.75))",
    "11pt_avg_.5": "IAP(recalls=(0.5,))",
    "binG": "binG",
    "G_1=3.5,2=9": "G(gain={1: 3.5, 2: 9})",
    "ndcg_rel": "nDCGrel",
    "ndcg_rel.1=3": "nDCGrel(gain={1: 3})",
    "Rndcg": "RnDCG",
    "relative_P_5": "RelativeP@5",
    "set_relative_P": "RelativeP",
    "set_map": "SetAP",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "yaap": "yaap",
    "set_F.0.25": "F(weight=0.25)",
    "Rprec": "Rprec",
    "recip_rank": "RR",
    "success_1": "Success@1",
    "bpref": "bpref",
    "rbp": "RBP(p=0.9)",
    "rbp_p=0.5": "RBP(p=0.5)",
    "rbp.p=0.5": "RBP(p=0.5)",
    "rbp@10": "RBP(p=0.9)@10",
    "rbp(rel=2)": "RBP(p=0.9, rel=2)",
    "rbp(p=0.7)": "RBP(p=0.7)",
    "rbp_resid": "RBPResidual(p=0.9)",
    "unj_10": "Unjudged@10",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    # alone they are the set's, not trec_eval's nine cutoffs
    "P": "P",
    "R": "R",
    # everyday
    "NDCG@10": "nDCG@10",
    "ndcg@10": "nDCG@10",
    "Ndcg@10": "nDCG@10",
    "ndcg_at_10": "nDCG@10",
    "hit_rate_at_5": "Success@5",
    "map_at_100": "AP@100",
    "P_at_5": "P@5",
    "dcg@5": "DCG@5",
    "idcg@5": "IDCG@5",
    "mrr": "RR",
    "MRR": "RR",
    "mrr@10": "RR@10",
    "MAP": "AP",
    "map@100": "AP@100",
    "recall@100": "R@100",
    "Recall@100": "R@100",
    "R_cap@100": "R(capped=True)@100",
    "precision@5": "P@5",
    "p@5": "P@5",
    "r@5": "R@5",
    "r-precision": "Rprec",
    "hit_rate@10": "Success@10",
    "HitRate@10": "Success@10",
    "hits@10": "Success@10",
    "f1@10": "F(beta=1)@10",
    "F1": "F(beta=1)",
    "err@20": "ERR@20",
    "judged@10": "Judged@10",
    "ndcg_burges@10": "nDCG(gain='exponential')@10",
}


@pytest.mark.parametrize(("text", "canonical"), READS_AS.items())
def test_reads_as(text: str, canonical: str) -> None:
    measure = parse_measure(text)
    assert repr(measure) == canonical
    assert parse_measures(text) == [measure]
    assert parse_measure(canonical) == measure
    assert parse_measure(measure) is measure  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ALIASES)
def test_everyday_names_in_any_case(name: str) -> None:
    expected = ALIASES[name]
    assert parse_measure(f"{name.upper()}()").family == expected
    assert parse_measure(f"{name.title()}()").family == expected
    assert describe(name.upper()).name == expected
    assert plain(name) == name


@pytest.mark.parametrize("name", TREC_NAMES)
def test_every_trec_eval_name(name: str) -> None:
    entry = trec_name(name)
    depths = entry.cutoffs if name != "P" else ()
    found = parse_measures(name)
    params = [{entry.into[0]: point} for point in entry.points] or [entry.params]
    assert [(each.family, each.cutoff, each.params) for each in found] == [
        (TREC_NAMES[name], depth, each) for depth in depths or (None,) for each in params
    ]


def test_names_for_several() -> None:
    assert parse_measures("ndcg_cut.5,10") == [nDCG @ 5, nDCG @ 10]
    assert parse_measures("ndcg_cut_10,5") == [nDCG @ 5, nDCG @ 10]
    assert parse_measures("ndcg_cut") == [
        nDCG @ depth for depth in (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    ]
    assert [each.cutoff for each in parse_measures("unj")] == [5, 10, 20]
    assert [each.cutoff for each in parse_measures("success")] == [1, 5, 10]
    assert len(parse_measures("recall map_cut")) == 18
    assert parse_measures("nDCG(gain=exponential)@5,10") == parse_measures(
        "nDCG(gain=exponential)@5 nDCG(gain=exponential)@10"
    )


def test_lists() -> None:
    expected = [nDCG @ 10, AP(rel=2), R @ 100]
    for text in (
        "nDCG@10 AP(rel=2) R@100",
        "nDCG@10,AP(rel=2),R@100",
        "ndcg_cut.10,AP(rel=2);recall_100",
        " nDCG@10\n AP( rel = 2 ), R@100, ",
    ):
        assert parse_measures(text) == expected
    assert parse_measures(["nDCG@10", AP(rel=2), "recall_100"]) == expected
    assert parse_measures(nDCG @ 10) == [nDCG @ 10]
    assert parse_measures("P.5,10 P@5 map AP P@10") == parse_measures("P@5 P@10 AP")


REFUSED = {
    "": "found no measure",
    "  ": "found no measure",
    ",": "found no measure",
    "nDCG@0": "nDCG@0: found cutoff 0, expected a whole number of 1 or more. Hint: leave '@0' out",
    "nDCG@-1": "found cutoff -1",
    "nDCG@1.5": "found cutoff 1.5",
    "nDCG@1e1": "found cutoff 1e1",
    "nDCG@ten": "found cutoff ten",
    "nDCG@１０": "found cutoff １０",
    "nDCG@": "found no cutoff after '@'",
    "nDCG@99999999999999999999": "expected at most",
    "nDCG@" + "9" * 5000: "found cutoff 999",
    "nDCG@10(gain=exponential)": "after the measure",
    "nDCG@10@5": "after the measure",
    "nDCG@10 AP": "'AP' after the measure, expected one measure",
    "@10": "found no measure",
    "(rel=2)": "found no measure",
    "nDGC@10": "did you mean nDCG",
    "mpa": "did you mean P_IA or AP",
    "NDCG_CUT_10": "did you mean ndcg_cut",
    "relstring": "which trec_eval computes and Gainful does not",
    "utility_1,-1": "found 2 after utility, expected 4 numbers",
    "set_F_1,2": "found 2 after set_F, expected 1 number",
    "IPrec@2": "found recall=2, expected a number from 0 to 1",
    "IPrec@x": "expected a number",
    "set_map@10": "expected SetAP without a cutoff",
    "set_relative_P@10": "Hint: write RelativeP@10",
    "official": "a name for 29 measures",
    "recall": "a name for 9 measures (R@5, R@10, R@15, ...), expected one measure",
    "ndcg_cut.5,10": "a name for 2 measures (nDCG@5, nDCG@10)",
    "ndcg_cut_0": "found cutoff 0",
    "ndcg_cut.23.4": "found cutoff 23.4",
    "ndcg_10": "a cutoff is written nDCG@10",
    "ndcg.-1=1": "expected grades of 0 or more",
    "ndcg.1=": "expected a number",
    "map_10": "found '10' after map, expected map alone",
    "set_F_x": "expected a number",
    "set_F_-1": "found weight=-1",
    "set_P@10": "Hint: write P@10",
    "rbp_p=2": "found p=2",
    "Rprec@10": "expected Rprec without a cutoff",
    "nDCG(": "found the end",
    "nDCG(gain": "'gain' without a value",
    "nDCG(gain=": "found the end, expected a value",
    "nDCG(gain='exponential": "expected a closing '",
    "nDCG(gain=exponential": "found the end, expected ',' or ')'",
    "nDCG(gain=exponential discount=log2)": "found 'd', expected ',' or ')'",
    "nDCG(gain=linear, gain=linear)": "the parameter 'gain' twice",
    "nDCG(exponential)": "'exponential' without a value",
    "nDCG(2)": "'2' without a value",
    "nDCG(=2)": "expected parameters",
    "nDCG(gain={})": "expected 'linear'",
    "nDCG(gain={1})": "expected ':'",
    "nDCG(gain={1:})": "found '}', expected a number",
    "nDCG(gain={1:2 2:3})": "expected ',' or '}'",
    "nDCG(gain={1:2,1.0:3})": "the grade 1.0 twice",
    "nDCG(gain={1:inf})": "'inf', expected a number",
    "nDCG(gain={1:1e999})": "expected 'linear'",
    "nDCG(gain={a:1})": "'a', expected a number",
    "nDCG(discount=(1 2))": "expected ',' or ')'",
    "nDCG(discount=((1,2),3))": "expected a number",
    "nDCG(base=1_0)": "expected a number",
    "nDCG(base=" + "9" * 5000 + ")": "expected a number",
    "nDCG(base=0x10)": "expected a number",
    "nDCG(base=-)": "expected a number",
    "nDCG(base=--1)": "expected a number",
    "AP(level=2)": "expected one of rel, norm, judged_only",
    "nDCG(rel=2)@10": "the parameter 'rel'",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=lambda text: str(text)[:40])
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_measure(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(text) < 60 or len(caught.value.where or "") <= 60


def test_a_list_of_nothing_is_refused() -> None:
    empty: list[str] = []
    for nothing in ("", " , ", empty, tuple(empty)):
        with pytest.raises(MeasureError, match="found no measure"):
            parse_measures(nothing)


@pytest.mark.parametrize("wrong", [None, 10, b"nDCG@10", 1.5])
def test_what_is_not_text_is_a_type_error(wrong: object) -> None:
    with pytest.raises(ArgumentError, match="as a measure, expected text"):
        parse_measure(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        parse_measures(wrong)  # type: ignore[arg-type]


ALPHABET = st.sampled_from("nDCGAPRab_.,;@(){}[]:='\" 0123456789-+e\t")


@given(st.one_of(st.text(), st.text(ALPHABET, max_size=40)))
@example("P_")
@example("P.")
@example("ndcg_cut_")
@example("_at_5")
@example("nDCG@\x0010")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_measures(text)
    except GainfulError as error:
        assert isinstance(error, MeasureError)
        assert error.problem
    else:
        assert parse_measures(" ".join(map(repr, found))) == found


@given(st.data())
def test_a_damaged_measure_is_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([*READS_AS, *REFUSED]))[:80]
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.text(ALPHABET, max_size=3)) + text[at + 1 :]
    try:
        measure = parse_measure(damaged)
    except MeasureError as error:
        assert error.problem
    else:
        assert parse_measure(repr(measure)) == measure


def test_trec_evals_x_is_a_weight_and_not_beta() -> None:
    assert parse_measure("set_F_0.5") == F(weight=0.5)
    assert parse_measure("set_F_4").spec() == F(beta=2).spec()
    assert F(weight=4).resolve() == F(rel=1, weight=4, judged_only=False)
    assert F(beta=2).resolve(Convention(defaults={"F": {"weight": 9}})).params["beta"] == 2


def test_a_level_of_recall_follows_the_at() -> None:
    assert IPrec @ 0.1 == IPrec(recall=0.1) == Measure("IPrec", {}, 0.1)
    assert (IPrec(rel=2) @ 0.1).params == {"recall": 0.1, "rel": 2}
    assert (IPrec @ 0.1).cutoff is None
    assert (IPrec @ 0.1) @ 0.2 == IPrec @ 0.2
    assert parse_measures("IPrec@0.1,0.5") == [IPrec @ 0.1, IPrec @ 0.5]
    with pytest.raises(MeasureError, match="no level of recall"):
        IPrec.resolve()


def test_nicknames_are_the_measures_that_they_are_in_version_9() -> None:
    assert parse_measures("set") == parse_measures(
        "num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F"
    )
    everything = parse_measures("all_trec")
    assert set(parse_measures("official set")) <= set(everything)
    assert not {"yaap", "RBP", "DCG"} & {each.family for each in everything}
    assert set(SINCE_10) <= set(TREC_NAMES)


def test_no_name_means_two_things() -> None:
    for family in families():
        assert ALIASES[plain(family.name)] == family.name
        assert plain(family.name) not in family.variants
    for name, means in TREC_NAMES.items():
        assert ALIASES.get(plain(name)) in (None, means)
        if name in FAMILIES:
            assert means == name
    assert not NOT_COMPUTED & set(TREC_NAMES)


@pytest.mark.parametrize(
    "name",
    ["-ndcg", "ndcg--", "AP--", "ndcg-", "n-dcg", "nDCG_@10", "ndcg-@5", "ndcg_", "hit__rate"],
)
def test_stray_separators_are_no_part_of_a_name(name: str) -> None:
    with pytest.raises(MeasureError, match="unknown measure"):
        parse_measures(name)


@pytest.mark.parametrize("name", ["hit-rate", "hit_rate", "R-precision", "alpha-nDCG", "f_measure"])
def test_separators_between_words(name: str) -> None:
    assert parse_measures(name) == parse_measures(name.replace("-", "").replace("_", ""))


def test_the_hint_keeps_the_cutoff() -> None:
    with pytest.raises(MeasureError, match="write '@5'"):
        parse_measures("ndcg@5-")
