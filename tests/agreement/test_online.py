"""compare_online(): signs, correlation, slope, verdicts and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful as package
from gainful.agreement import Experiment
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError, ParameterError
from gainful.formats.delimited import text
from json_schema import errors, schema_of


def drawn(n: int, slope: float, *, seed: int = 1, error: float = 0.004) -> list[Experiment]:
    rng = np.random.default_rng(seed)
    true = rng.normal(0, 0.012, size=n)
    return [
        Experiment(
            experiment=f"e{at}",
            offline_difference=float(value + rng.normal(0, error)),
            offline_se=error,
            online_difference=float(slope * value + rng.normal(0, 0.1)),
            online_se=0.1,
        )
        for at, value in enumerate(true)
    ]


def test_each_verdict() -> None:
    verdicts = [package.compare_online(drawn(30, slope)).series[0] for slope in (40, -40, 0)]
    assert [each.verdict for each in verdicts] == ["follows", "opposes", "inconclusive"]
    assert [each.verdict_text for each in verdicts] == [
        "online follows offline",
        "online goes the other way",
        "inconclusive",
    ]
    for each, slope in zip(verdicts, (40, -40, 0), strict=True):
        assert each.slope_interval is not None
        assert each.slope_interval.low < slope < each.slope_interval.high


def test_signs_by_hand() -> None:
    rows = [
        {"offline_difference": a, "online_difference": b, "online_se": 1.0}
        for a, b in [(1, 5), (1, 0.5), (1, -3), (-1, -4), (-1, 0.1), (0, 9), (2, 0)]
    ]
    found = package.compare_online(rows).series[0]
    assert (found.experiments, found.signed, found.same_sign) == (7, 5, 3)
    # 3 of 5 rose offline, 3 of 5 online.
    assert (found.offline_up, found.online_up) == (3, 3)
    assert found.by_chance == pytest.approx(0.6 * 0.6 + 0.4 * 0.4)
    # Beyond 1.96: 5, -3 and -4; an offline difference of 0 has no sign.
    assert (found.clear, found.clear_same) == (3, 2)
    from scipy import stats

    ends = stats.binomtest(3, 5).proportion_ci(method="exact")
    assert found.same_interval == pytest.approx((ends.low, ends.high), rel=1e-9)


def test_too_few_to_conclude() -> None:
    found = package.compare_online(drawn(14, 40))
    each = found.series[0]
    assert each.verdict == "too few"
    assert each.slope is None
    assert each.no_slope == "fewer than 15 experiments"
    assert "too few to conclude" in str(found)
    assert "follows" not in str(found)
    # The minimum can be lowered.
    assert package.compare_online(drawn(14, 40), minimum=10).series[0].verdict == "follows"


def test_offline_differences_without_errors_have_no_slope() -> None:
    rows = [
        {"offline_difference": each.offline_difference, "online_difference": each.online_difference}
        for each in drawn(20, 40)
    ]
    found = package.compare_online(rows)
    assert found.series[0].verdict == "follows"
    assert found.series[0].slope is None
    assert found.series[0].clear is None
    assert "some standard errors of the offline differences are unknown" in str(found)


def test_noisy_offline_differences_have_no_slope() -> None:
    found = package.compare_online(drawn(20, 40, error=0.05)).series[0]
    assert found.slope is None
    assert found.reliability is not None
    assert found.reliability < 0.25
    assert "vary little more than their errors" in found.no_slope


def test_a_note_reports_differences_of_one_sign() -> None:
    rows = [{"offline_difference": 1 + at, "online_difference": at - 3} for at in range(20)]
    found = package.compare_online(rows)
    each = found.series[0]
    assert each.by_chance == each.same_sign / each.signed
    assert "All offline differences have the same sign" in str(found)


def test_each_pair_of_measure_and_metric_is_a_series() -> None:
    rows = [
        {"offline": value, "online": value, "measure": measure, "metric": metric}
        for measure in ("AP", "nDCG@10")
        for metric in ("clicks", "sales")
        for value in range(-3, 4)
    ]
    found = package.compare_online(rows)
    assert [(each.measure, each.metric) for each in found.series] == [
        ("AP", "clicks"),
        ("AP", "sales"),
        ("nDCG@10", "clicks"),
        ("nDCG@10", "sales"),
    ]
    assert "The best of several rows is partly best by chance." in str(found)


@pytest.mark.parametrize("n", [3, 14, 30])
def test_json_meets_its_schema(n: int) -> None:
    found = package.compare_online(drawn(n, 40))
    document = json.loads(text(found.to_dict()))
    assert errors(document, schema_of("online")) == []
    assert {name: column[0] for name, column in found.records().items()}.items() <= document[
        "series"
    ][0].items()


@pytest.mark.parametrize("wrong", [None, 3, [1, 2], {"a": 1}])
def test_what_is_not_experiments_is_an_error(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="expected (an Experiment|a path)"):
        package.compare_online(wrong)


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("offline,se\n1,2\n", ColumnError, "expected a column of online_difference"),
        ("offline,offline_delta,online\n1,2,3\n", ColumnError, "offline_difference"),
        ("offline,online\n1,\n", FormatError, "line 2: online is missing"),
        ("offline,online\n1,2\n1,up\n", FormatError, "line 3: online: found 'up'"),
        ("offline,online,offline_se\n1,2,-1\n", FormatError, "line 2: offline_se: found '-1'"),
        ("offline,online\n", ParameterError, "at least one experiment is required"),
    ],
)
def test_unreadable_files_are_rejected(
    content: str, kind: type[GainfulError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "experiments.csv"
    path.write_text(content)
    with pytest.raises(kind, match=message):
        package.compare_online(path)


def test_a_file_equals_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "experiments.tsv"
    names = ("experiment", "offline_difference", "offline_se", "online_difference", "online_se")
    lines = ["\t".join(name.replace("_", " ").title() for name in names)]
    known = drawn(20, 40)
    lines += ["\t".join(str(getattr(each, name)) for name in names) for each in known]
    path.write_text("\n".join(lines))
    assert package.compare_online(path).series == package.compare_online(known).series


def test_columns_without_a_name_are_ignored(tmp_path: Path) -> None:
    # pandas writes the index before the columns.
    path = tmp_path / "experiments.csv"
    lines = [f"{at},{at / 100},{at * 2}" for at in range(20)]
    path.write_text("\n".join([",offline,online", *lines]))
    found = package.compare_online(path)
    assert [each.experiments for each in found.series] == [20]
    assert found.experiments[1] == Experiment(offline_difference=0.01, online_difference=2.0)


@pytest.mark.parametrize("more", [{"minimum": 4}, {"level": 1.0}, {"level": 0}])
def test_invalid_arguments_are_rejected(more: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(more))):
        package.compare_online(drawn(20, 1), **more)  # type: ignore[arg-type]


def test_a_prediction_equals_that_of_a_regression() -> None:
    import statsmodels.api as sm

    experiments = drawn(30, 40)
    found = package.compare_online(experiments, predict=[0.01, 0.2])
    x = np.array([each.offline_difference for each in experiments])
    y = np.array([each.online_difference for each in experiments])
    fitted = sm.OLS(y, sm.add_constant(x)).fit()
    expected = fitted.get_prediction(np.array([[1, 0.01], [1, 0.2]])).summary_frame(alpha=0.05)
    for at, each in enumerate(found.predictions):
        assert each.predicted == pytest.approx(expected["mean"][at])
        ends = expected["obs_ci_lower"][at], expected["obs_ci_upper"][at]
        assert each.interval == pytest.approx(ends)
    assert [each.extrapolated for each in found.predictions] == [False, True]
    shown = " ".join(str(found).split())
    assert "95% prediction interval" in shown
    assert "the prediction of +.2 is unreliable" in shown


def test_a_prediction_needs_the_minimum_of_experiments() -> None:
    found = package.compare_online(drawn(14, 40), predict=0.01)
    (each,) = found.predictions
    assert (each.predicted, each.interval) == (None, None)
    assert "No prediction with fewer than 15 experiments." in str(found)
    assert package.compare_online(drawn(14, 40)).predictions == ()
    with pytest.raises(ParameterError, match="predict: found nan"):
        package.compare_online(drawn(20, 40), predict=float("nan"))


def test_verdicts_are_corrected_for_the_number_of_series() -> None:
    rng = np.random.default_rng(8)
    wrong = {"alone": 0, "together": 0}
    for _ in range(60):
        online = rng.normal(size=20)
        rows = [
            {"offline_difference": value, "online_difference": online[at], "measure": f"m{measure}"}
            for measure in range(5)
            for at, value in enumerate(rng.normal(size=20))
        ]
        verdicts = [each.verdict for each in package.compare_online(rows).series]
        wrong["together"] += any(verdict != "inconclusive" for verdict in verdicts)
        alone = (
            package.compare_online([row for row in rows if row["measure"] == f"m{measure}"])
            for measure in range(5)
        )
        wrong["alone"] += any(each.series[0].verdict != "inconclusive" for each in alone)
    # Of 60: 3 are expected, and at most 10 with a probability of .9998.
    assert wrong["together"] <= 10 < wrong["alone"]


def test_series_with_too_few_experiments_do_not_count() -> None:
    rows = [
        {"offline_difference": a, "online_difference": b, "measure": measure}
        for measure, n in (("many", 20), ("few", 6))
        for a, b in np.random.default_rng(2).normal(size=(n, 2))
    ]
    many = next(each for each in package.compare_online(rows).series if each.measure == "many")
    own = [row for row in rows if row["measure"] == "many"]
    (alone,) = package.compare_online(own).series
    assert many.rho_interval == alone.rho_interval
