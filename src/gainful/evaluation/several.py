"""Evaluate under several conventions."""

from __future__ import annotations

from gainful.conventions import Convention, get
from gainful.errors import ParameterError
from gainful.evaluation.arguments import DEFAULT_MEASURES
from gainful.evaluation.call import checked
from gainful.evaluation.judgments import settled
from gainful.evaluation.loaded import LoadedInputs
from gainful.evaluation.several_rendering import (
    json_chunks,
    query_rows,
    query_table,
    summary_rows,
    summary_table,
)
from gainful.keywords import suggest_keywords
from gainful.measures.choosing import choose_measures
from gainful.progress import Bar, show_progress
from gainful.results import Records, Result, as_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gainful.data.inputs import QrelsLike, RunLike
    from gainful.evaluation.result import Evaluation
    from gainful.formats.table import Table
    from gainful.measures import Measure
    from gainful.plots import Plot

__all__ = ["Evaluations", "evaluate_each"]


class Evaluations(Result):
    """The same judgments, runs and measures under several conventions."""

    SCHEMA = "gainful.evaluations/1"
    COMMAND = "evaluate"
    RECORDS = {"summary": None, "queries": None}
    PICTURES = ("means",)

    evaluations: tuple[Evaluation, ...]
    """One per convention, in the given order."""

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.evaluations[0].systems

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The requested measures."""
        return self.evaluations[0].measures

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """The conventions of the numbers."""
        return tuple(evaluation.convention for evaluation in self.evaluations)

    def tables(self, *, per_query: bool = False) -> list[Table]:
        """Return the means, or the values of each query, under each convention as a table."""
        return [query_table(self) if per_query else summary_table(self)]

    def _json_chunks(
        self, style: str, *, per_query: bool, further: Mapping[str, object] | None
    ) -> Iterator[bytes]:
        return json_chunks(self, style, per_query=per_query, further=further)

    def _picture(self, name: str, measure: Measure | str | None = None) -> Plot:
        """Draw the mean of each system under each convention."""
        from gainful import plots
        from gainful.evaluation.pictures import mean_rows

        chosen = measure or self.measures[0]
        rows = [
            {**row, "series": evaluation.convention.label}
            for evaluation in self.evaluations
            for row in mean_rows(evaluation, chosen)
        ]
        return plots.means(rows, str(chosen))

    def _records(self, name: str) -> Records:
        return as_records(*(query_rows if name == "queries" else summary_rows)(self))

    def __repr__(self) -> str:
        labels = ", ".join(convention.label for convention in self.conventions)
        return f"<Evaluations of {', '.join(self.systems)} under {labels}>"


@show_progress(Bar)
@suggest_keywords
def evaluate_each(
    qrels: QrelsLike,
    run: RunLike | None = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    conventions: Iterable[Convention | str],
    runs: Mapping[str, RunLike] | None = None,
    weights: Mapping[str, float] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Evaluations:
    """Evaluate runs under several conventions, reading the data once.

    Parameters
    ----------
    conventions : iterable of Convention or str
        The conventions, without duplicates.
    measures : Measure, str, or several of them, optional
        As for `gainful.evaluate`. All conventions must be verified for them, and give their names
        the same meaning.
    qrels, run, runs, weights, threads, progress
        As for `gainful.evaluate`.

    Raises
    ------
    ParameterError
        For no convention, or a duplicate.
    GainfulError
        For input that cannot be read, and if a convention rejects the data; the message names it.

    Examples
    --------
    >>> both = evaluate_each({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "nDCG@10",
    ...     conventions=["gainful-1", "trec_eval"])
    >>> [(each.convention.name, round(each.mean(), 4)) for each in both]
    [('gainful-1', 0.6309), ('trec_eval-9.0.8', 0.6309)]
    """
    chosen = [get(convention) for convention in conventions]
    if not chosen:
        raise ParameterError(where="conventions", found="none", expected="at least one")
    for index, chosen_convention in enumerate(chosen):
        if chosen_convention.label in [earlier.label for earlier in chosen[:index]]:
            raise ParameterError(
                where="conventions",
                found=f"{chosen_convention.label} twice",
                expected="each convention once",
            )
    selected = choose_measures(measures, *chosen, usual=DEFAULT_MEASURES)
    loaded = LoadedInputs(qrels, run, runs, selected, chosen, threads=threads, progress=progress)
    selected = settled(selected, loaded.qrels, *chosen)
    return Evaluations(
        evaluations=tuple(
            checked(loaded.evaluate(policies, selected, weights)) for policies in chosen
        )
    )
