"""A comparison as tables, notes and data frames."""

from __future__ import annotations

import numpy as np
import pytest

import gainful
from comparison_data import MEASURE, collection
from gainful.comparison import Comparison
from gainful.comparison.pair import mirrored
from gainful.comparison.rendering import MOST_PAIRS
from requirements import need

FEW = {"resamples": 500, "bootstrap": 0}


def compared(systems: int = 3, n: int = 20, seed: int = 0, **options: object) -> Comparison:
    draw = np.random.default_rng(seed)
    values = {f"s{at}": (draw.uniform(0, 1, n) + 0.1 * at).tolist() for at in range(systems)}
    return gainful.compare(*collection(values), MEASURE, **{**FEW, **options})


def test_all_pairs_have_the_better_system_first() -> None:
    board, pairs = (table.cells() for table in compared().tables())
    assert board.headers == ("system", "rank", "95% CI", "mean", "vs. top", "95% CI", "group")
    place = {row[0]: at for at, row in enumerate(board.rows)}
    assert all(place[row[0]] < place[row[1]] for row in pairs.rows)
    assert not any(row[2].startswith("-") for row in pairs.rows)


def test_many_pairs_are_not_printed() -> None:
    found = compared(systems=11)
    assert len(found.pairs) == 55 > MOST_PAIRS
    shown = found.tables()
    assert len(shown) == 1
    assert shown[0].notes[0].key == "pairs"
    assert shown[0].notes[0] == "Export all 55 pairs with Comparison.pairs."


def test_the_printed_difference_is_rounded_and_that_of_the_printed_means() -> None:
    """Digits are added where those of the means would give another number."""
    lengths = set()
    for seed in range(20):
        found = compared(systems=2, seed=seed)
        (table,) = found.tables()
        base = float(table.title.partition("(")[2].partition(")")[0])
        _, *cells = table.cells().rows[0]
        mean, difference = (float(cell) for cell in cells[:2])
        places = len(cells[1].partition(".")[2])
        assert difference == round(found.pairs[0].difference, places)
        assert round(mean - base, places) == difference
        lengths.add(places)
    assert {4, 5} <= lengths


@pytest.mark.parametrize("baseline", [None, "one"])
def test_every_table_prints_the_rounded_difference(baseline: str | None) -> None:
    """No number of digits makes 2/3 - 1/3 that of the printed means."""
    judged = {f"q{at}": {"a": 1} for at in range(6)}
    runs = {
        "two": {f"q{at}": ["a"] for at in (0, 1, 3, 4)},
        "one": {f"q{at}": ["a"] for at in (0, 3)},
        "none": {"q0": ["b"]},
    }
    found = gainful.compare(
        *(judged, runs, "RR"), baseline=baseline, by=dict(zip(judged, "xxxyyy", strict=True)), **FEW
    )
    shown = [str(found), *(str(table.cells().rows) for table in found.tables(worst=2))]
    assert ".3333" in shown[0]
    assert not any(".3334" in text for text in shown)


def test_a_small_significant_difference_is_not_printed_as_zero() -> None:
    values = [0.5 + at / 100 for at in range(20)]
    found = gainful.compare(
        *collection({"old": values, "new": [each + 2e-6 for each in values]}), MEASURE, **FEW
    )
    assert found.pair("new").verdict == "better"
    assert "+.000002" in str(found)


def test_a_note_reports_an_end_set_to_zero() -> None:
    moved = 0
    for seed in range(60):
        found = compared(systems=4, n=15, seed=seed, baseline="s0")
        at_zero = [p for p in found.pairs if 0.0 in (p.interval or ()) and p.difference]
        assert ("was set to 0 to agree" in found.to_text(notes=True)) == bool(at_zero)
        moved += len(at_zero)
    assert moved


def test_a_note_reports_the_power_of_inconclusive_pairs() -> None:
    found = compared(systems=2, seed=1, n=15, detect=0.05)
    pair = found.pair("s1")
    assert pair.verdict == "inconclusive"
    text = " ".join(str(found).split())
    assert "Inconclusive is not the same as equal. With 15 queries the minimum detectable" in text
    assert f"A difference of .05 requires {pair.needed:,} queries." in text
    clear = gainful.compare(
        *collection({"old": [0.0] * 9, "new": [float(at) for at in range(1, 10)]}), MEASURE, **FEW
    )
    assert "Inconclusive" not in str(clear)


def test_a_note_reports_too_few_queries() -> None:
    few = gainful.compare(
        *collection({"old": [0.0] * 5, "new": [float(at) for at in range(1, 6)]}), MEASURE, **FEW
    )
    text = " ".join(str(few).split())
    assert "Too few queries differ for a significant result: p cannot be below .0625." in text
    assert "80% power" not in text
    # Permutations of three systems reach lower, but no p is below that of the pair alone.
    assert "Too few queries differ" in str(compared(systems=3, n=5))
    assert "Too few" not in str(compared(systems=3, n=6))


def test_a_note_reports_unequal_variances() -> None:
    draw = np.random.default_rng(2)
    one = draw.uniform(2, 9, 30)
    near = {name: (one + draw.normal(0, 0.1, 30)).tolist() for name in "abc"}
    far = (one + draw.normal(0, 3, 30)).clip(0).tolist()
    tables = collection({**near, "d": far})
    text = " ".join(str(gainful.compare(*tables, MEASURE, correction="tukey", **FEW)).split())
    assert "The variances of the differences are very unequal" in text
    for other in ({}, {"correction": "max-t"}, {"baseline": "a"}):
        assert "unequal" not in str(gainful.compare(*tables, MEASURE, **other, **FEW))
    alike = gainful.compare(*collection(near), MEASURE, correction="tukey", **FEW)
    assert "unequal" not in str(alike)


def test_html_contains_every_table() -> None:
    found = compared()
    assert found._repr_html_().count("<table>") == len(found.tables())


def test_it_converts_to_a_data_frame() -> None:
    polars = need("polars")
    found = compared(by={f"q{at:04}": "odd" if at % 2 else "even" for at in range(20)})
    frame = polars.DataFrame(found)
    assert frame.shape[0] == len(found.pairs) * 3
    assert frame["segment"].to_list() == [None] * 3 + ["even"] * 3 + ["odd"] * 3
    assert frame["difference"].to_list()[:3] == [pair.difference for pair in found.pairs]
    assert frame["exact"].to_list()[0] is True


def test_a_pair_mirrored_twice_is_unchanged() -> None:
    found = compared(margin=0.05, tests=("wilcoxon", "sign"))
    for pair in found.pairs:
        back = mirrored(pair)
        assert back.interval == (-pair.interval.high, -pair.interval.low)
        assert (back.wins, back.losses) == (pair.losses, pair.wins)
        assert mirrored(back) == pair


def test_each_field_is_in_the_tables_that_it_names() -> None:
    found = compared(baseline="s0", margin=0.05, tests=("wilcoxon", "sign"))
    first, details = found.tables(details=True)
    keys = ("system", "mean", "difference", "interval", "p_adjusted", "wins", "verdict")
    means = found.means()
    extreme, middle, _ = sorted(means, key=lambda name: means[name])
    assert extreme == "s0" or max(means.values()) == means["s0"]
    assert first.keys == (*keys[:5], "p_all_pairs", *keys[5:])
    assert compared(baseline=middle).tables()[0].keys == keys
    further = {"p_wilcoxon", "p_sign", "p_equivalence_adjusted", "detectable", "effect"}
    assert further <= set(details.keys)
    assert "p_sign" not in compared(baseline="s0").tables(details=True)[1].keys
