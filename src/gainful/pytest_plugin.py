"""A pytest plugin that checks runs for regressions against snapshots.

pytest finds it automatically. It adds an assertion, `assert_no_worse`, and the option
``--gainful-save``, which saves the runs as the snapshots instead of checking them, with
``--gainful-new-anchor`` as their anchors too. It imports Gainful only when the assertion is called.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    import pytest

    from gainful.conventions import Convention
    from gainful.data.paths import Path
    from gainful.data.qrels import QrelsLike
    from gainful.data.run import RunLike
    from gainful.gates import GateResult
    from gainful.measures import Measure

__all__ = ["assert_no_worse"]

#: Whether runs are saved as snapshots, set by the option.
_saving = False
#: Whether they become the anchors too, set by the option.
_new_anchor = False


def assert_no_worse(
    qrels: QrelsLike,
    run: RunLike,
    snapshot: Path,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    margin: float = 0.01,
    anchor_margin: float | None = None,
    alpha: float = 0.05,
    fail_on: str = "margin",
    inconclusive: str = "fail",
    rescore: bool = False,
    growing: bool = False,
    convention: Convention | str | None = None,
    weights: Mapping[str, float] | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    name: str | None = None,
    count: bool = True,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> GateResult:
    """Check a run for regressions against a snapshot; fail the test unless it passes.

    Parameters
    ----------
    snapshot : path
        A file written by `Snapshot.write`, ``gainful gate --save`` or ``pytest --gainful-save``.
    inconclusive : {"fail", "pass"}
        The result of the test if the verdict is inconclusive.
    count : bool
        Whether the look is counted in the file, if it can be written.
    qrels, run, measures, margin, anchor_margin, alpha, fail_on, rescore, growing, convention, \
weights, clusters, name, threads, progress
        As in `gainful.gate`.

    Returns
    -------
    GateResult
        The result of a run that passes.

    Raises
    ------
    AssertionError
        If it does not pass, with the table of ``gainful gate``.
    GainfulError
        For invalid data or arguments.

    Examples
    --------
    >>> import gainful
    >>> gainful.make_snapshot("qrels.txt", "bm25.run", "nDCG@10").write("snapshot.json")
    >>> assert_no_worse("qrels.txt", "bm25.run", "snapshot.json").verdict
    'pass'
    >>> assert_no_worse("qrels.txt", "dense.run", "snapshot.json", margin=0.05)
    Traceback (most recent call last):
    ...
    AssertionError: Gate inconclusive: dense vs. the snapshot of bm25
    ...
    """
    __tracebackhide__ = True
    from gainful.gates import gate

    if _saving:
        _save(qrels, run, snapshot, measures, convention, name, threads)
    result = gate(
        qrels,
        run,
        _check_exists(snapshot),
        measures,
        margin=margin,
        anchor_margin=anchor_margin,
        alpha=alpha,
        fail_on=fail_on,
        inconclusive=inconclusive,
        rescore=rescore,
        growing=growing,
        convention=convention,
        weights=weights,
        clusters=clusters,
        name=name,
        count=count,
        threads=threads,
        progress=progress,
    )
    if result.status and not _saving:
        raise AssertionError(str(result))
    return result


def _check_exists(snapshot: Path) -> Path:
    import os

    from gainful.errors import SourceNotFoundError

    if not os.path.exists(snapshot):
        raise SourceNotFoundError(
            file=os.fspath(snapshot),
            found="no such file",
            hint="pytest --gainful-save saves the run of the test as the snapshot",
        )
    return snapshot


def _save(
    qrels: QrelsLike,
    run: RunLike,
    path: Path,
    measures: Measure | str | Iterable[Measure | str] | None,
    convention: Convention | str | None,
    name: str | None,
    threads: int | None,
) -> None:
    """Save the run as the snapshot, with defaults from the snapshot that it replaces."""
    import os

    from gainful.gates import make_snapshot, read_snapshot
    from gainful.gates.call import save_snapshot

    before = read_snapshot(path) if os.path.exists(path) else None
    if before is not None:
        measures = before.measures if measures is None else measures
        convention = before.convention if convention is None else convention
    made = make_snapshot(
        qrels,
        run,
        measures,
        convention="gainful-1" if convention is None else convention,
        name=name,
        after=before,
        new_anchor=_new_anchor,
        threads=threads,
    )
    save_snapshot(made, path, before)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.getgroup("gainful", "gates of Gainful").addoption(
        "--gainful-save",
        action="store_true",
        help="save the runs of assert_no_worse as snapshots instead of checking them",
    )
    parser.getgroup("gainful").addoption(
        "--gainful-new-anchor",
        action="store_true",
        help="with --gainful-save: make the runs the anchors, and accept earlier losses",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the option."""
    global _saving, _new_anchor
    _saving = bool(config.getoption("--gainful-save", default=False))
    _new_anchor = bool(config.getoption("--gainful-new-anchor", default=False))
    if _new_anchor and not _saving:
        import pytest

        raise pytest.UsageError("--gainful-new-anchor works with --gainful-save only")
