"""Judgments and runs in memory, to evaluate under several conventions."""

from __future__ import annotations

from gainful.data.table import table_of_rows
from gainful.errors import GainfulError
from gainful.evaluation.arguments import named_runs
from gainful.evaluation.call import evaluate_runs
from gainful.evaluation.judgments import judgments_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gainful.conventions import Convention
    from gainful.data import Qrels, Run
    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation.result import Evaluation
    from gainful.measures import Measure

__all__ = ["LoadedInputs", "agreed_duplicates"]


def agreed_duplicates(conventions: Iterable[Convention]) -> str:
    """Return the policy on duplicate judgments that several conventions share.

    Judgments are read once, so different policies are an error.

    Examples
    --------
    >>> from gainful.conventions import get
    >>> agreed_duplicates([get("cornac"), get("quepid")])
    'count'
    >>> agreed_duplicates([get("cornac"), get("ranx")])
    'error'
    """
    policies = {convention.duplicates for convention in conventions}
    return policies.pop() if len(policies) == 1 else "error"


class LoadedInputs:
    """Judgments and runs in memory, read once.

    Parameters
    ----------
    qrels, run, runs
        As for `evaluate`.
    measures : iterable of Measure
        The measures.
    conventions : sequence of Convention
        The conventions; they must agree on duplicate judgments (`agreed_duplicates`).
    threads, progress
        As for `evaluate`.

    Raises
    ------
    GainfulError
        If judgments or a run cannot be read.
    """

    __slots__ = ("_qrels", "_runs", "_threads")

    _qrels: Qrels
    _runs: dict[str, Run]
    _threads: int | None

    def __init__(
        self,
        qrels: QrelsLike,
        run: RunLike | None,
        runs: Mapping[str, RunLike] | None,
        measures: Iterable[Measure],
        conventions: Sequence[Convention],
        *,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        from gainful.data import Run
        from gainful.data.inputs import rows_of
        from gainful.data.read_options import ReadOptions

        named = named_runs(run, runs)
        duplicates = agreed_duplicates(conventions)
        self._qrels = judgments_for(measures, qrels, duplicates=duplicates)
        self._runs = {}
        for name, one in named.items():
            if isinstance(one, Run):
                self._runs[name] = one
                continue
            # Keep duplicate documents; each convention has its own policy for them.
            rows, source = rows_of(
                one,
                "run",
                ReadOptions(duplicates="count"),
                judgments=self._qrels,
                threads=threads,
                progress=progress,
            )
            self._runs[name] = table_of_rows(Run, rows, name=name, source=source)
        self._threads = threads

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._qrels

    @property
    def runs(self) -> dict[str, Run]:
        """The runs by name."""
        return self._runs

    def evaluate(
        self,
        convention: Convention,
        measures: Sequence[Measure],
        weights: Mapping[str, float] | None = None,
    ) -> Evaluation:
        """Evaluate all runs under a convention.

        Raises
        ------
        GainfulError
            If the convention rejects the data or the measures; the message names it.
        """
        arguments = (convention, measures, weights)
        try:
            return self._evaluate(self._runs, *arguments)
        except GainfulError as error:
            where = f"under {convention.label}"
            failing = self._failing_run(error, *arguments)
            raise error.inside(f"{where}, {failing}" if failing else where) from None

    def _evaluate(
        self,
        runs: Mapping[str, Run],
        convention: Convention,
        measures: Sequence[Measure],
        weights: Mapping[str, float] | None,
    ) -> Evaluation:
        result = evaluate_runs(
            self._qrels,
            runs,
            measures,
            convention,
            weights=weights,
            threads=self._threads,
        )
        if weights is not None:
            # A missing weight is detected when a mean is computed.
            for system in result.systems:
                result.summary(result.measures[0], system)
        return result

    def _failing_run(
        self,
        original: GainfulError,
        convention: Convention,
        measures: Sequence[Measure],
        weights: Mapping[str, float] | None,
    ) -> str:
        """Return the run that causes an error; "" if all runs do."""
        failing = []
        for name, run in self._runs.items():
            try:
                self._evaluate({name: run}, convention, measures, weights)
            except GainfulError as error:
                if type(error) is type(original) and vars(error) == vars(original):
                    failing.append(name)
        return "" if len(failing) in (0, len(self._runs)) else f"run {failing[0]}"
