"""A comparison as tables and data frames: what they say is true, and all there."""

from __future__ import annotations

import numpy as np

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison import Comparison
from gainful.comparison.pair import mirrored, pair_schema
from gainful.comparison.rendering import MOST_PAIRS
from json_schema import schema_of
from requirements import need

FEW = {"resamples": 500, "bootstrap": 0}


def compared(systems: int = 3, n: int = 20, seed: int = 0, **options: object) -> Comparison:
    draw = np.random.default_rng(seed)
    values = {f"s{at}": (draw.uniform(0, 1, n) + 0.1 * at).tolist() for at in range(systems)}
    return gainful.compare(*collection(values), MEASURE, **{**FEW, **options})


def test_all_pairs_are_seen_from_the_better_mean() -> None:
    board, pairs = (table.cells() for table in compared().tables())
    assert board.headers == ("system", "mean", "beside the top", "95% CI", "groups")
    place = {row[0]: at for at, row in enumerate(board.rows)}
    assert all(place[row[0]] < place[row[1]] for row in pairs.rows)
    assert not any(row[2].startswith("-") for row in pairs.rows)


def test_of_many_pairs_the_systems_are_enough() -> None:
    found = compared(systems=11)
    assert len(found.pairs) == 55 > MOST_PAIRS
    shown = found.tables()
    assert len(shown) == 1
    assert shown[0].notes[0].key == "pairs"
    assert shown[0].notes[0] == "All 55 pairs: --format tsv, or Comparison.pairs."


def test_what_is_printed_adds_up() -> None:
    for seed in range(20):
        table = compared(systems=2, seed=seed).tables()[0]
        base = float(table.title.partition("(")[2].partition(")")[0])
        mean, difference = (float(cell) for cell in table.cells().rows[0][1:3])
        assert round(mean - base, 4) == difference


def test_a_small_difference_that_is_real_is_not_printed_as_none() -> None:
    values = [0.5 + at / 100 for at in range(20)]
    found = gainful.compare(
        *collection({"old": values, "new": [each + 2e-6 for each in values]}), MEASURE, **FEW
    )
    assert found.pair("new").verdict == "better"
    assert "+.000002" in str(found)


def test_an_end_that_was_moved_is_told() -> None:
    moved = 0
    for seed in range(60):
        found = compared(systems=4, n=15, seed=seed, baseline="s0")
        at_zero = [p for p in found.pairs if 0.0 in (p.low, p.high) and p.difference]
        assert ("was moved there" in str(found)) == bool(at_zero)
        moved += len(at_zero)
    assert moved


def test_the_power_is_told_of_what_is_inconclusive() -> None:
    found = compared(systems=2, seed=1, n=15, detect=0.05)
    pair = found.pair("s1")
    assert pair.verdict == "inconclusive"
    assert f"and one of .05 takes {pair.needed:,} queries." in " ".join(str(found).split())
    clear = gainful.compare(
        *collection({"old": [0.0] * 9, "new": [float(at) for at in range(1, 10)]}), MEASURE, **FEW
    )
    assert "Inconclusive" not in str(clear)


def test_too_few_queries_are_told() -> None:
    few = gainful.compare(
        *collection({"old": [0.0] * 5, "new": [float(at) for at in range(1, 6)]}), MEASURE, **FEW
    )
    text = " ".join(str(few).split())
    assert "Too few queries differ to tell which is better: p cannot be below .0625." in text
    assert "with power" not in text
    # Permutations of three systems reach lower, but p is that of the pair alone then.
    assert "Too few queries differ" in str(compared(systems=3, n=5))
    assert "Too few" not in str(compared(systems=3, n=6))


def test_variants_of_one_system_are_told() -> None:
    draw = np.random.default_rng(2)
    one = draw.uniform(2, 9, 30)
    near = {name: (one + draw.normal(0, 0.1, 30)).tolist() for name in "abc"}
    far = (one + draw.normal(0, 3, 30)).clip(0).tolist()
    tables = collection({**near, "d": far})
    text = " ".join(str(gainful.compare(*tables, MEASURE, correction="tukey", **FEW)).split())
    assert "Some systems are much more alike than others" in text
    for other in ({}, {"correction": "max-t"}, {"baseline": "a"}):
        assert "more alike" not in str(gainful.compare(*tables, MEASURE, **other, **FEW))
    alike = gainful.compare(*collection(near), MEASURE, correction="tukey", **FEW)
    assert "more alike" not in str(alike)


def test_html_has_every_table() -> None:
    found = compared()
    assert found._repr_html_().count("<table>") == len(found.tables())


def test_data_frames_take_it() -> None:
    polars = need("polars")
    found = compared(by={f"q{at:04}": "odd" if at % 2 else "even" for at in range(20)})
    frame = polars.DataFrame(found)
    assert frame.shape[0] == len(found.pairs) * 3
    assert frame["segment"].to_list() == [None] * 3 + ["even"] * 3 + ["odd"] * 3
    assert frame["difference"].to_list()[:3] == [pair.difference for pair in found.pairs]
    assert frame["exact"].to_list()[0] is True


def test_the_fields_of_a_pair_are_in_the_schema_as_they_are_declared() -> None:
    """`python docs/declared.py` writes them there."""
    assert schema_of("comparison")["$defs"]["pair"] == pair_schema()


def test_a_pair_seen_from_the_baseline_and_back_is_the_same() -> None:
    found = compared(margin=0.05, tests=("wilcoxon", "sign"))
    for pair in found.pairs:
        back = mirrored(pair)
        assert (back.low, back.high) == (-pair.high, -pair.low)
        assert (back.wins, back.losses) == (pair.losses, pair.wins)
        assert mirrored(back) == pair


def test_each_field_is_shown_in_the_columns_that_it_names() -> None:
    found = compared(baseline="s0", margin=0.05, tests=("wilcoxon", "sign"))
    first, details = found.tables(details=True)
    keys = ("system", "mean", "difference", "low", "p_adjusted", "wins", "effect", "verdict")
    assert first.keys == keys
    assert {"p_wilcoxon", "p_sign", "p_equivalence_adjusted", "detectable"} <= set(details.keys)
    assert "p_sign" not in compared(baseline="s0").tables(details=True)[1].keys
