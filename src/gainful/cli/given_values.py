"""Read the files of values that were computed elsewhere."""

from __future__ import annotations

from gainful.cli.command import COMMAND_LINE
from gainful.cli.option_values import read_weights
from gainful.errors import ArgumentError, MatchError, ParameterError
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gainful.cli.command import Values
    from gainful.evaluation import Evaluation

__all__ = ["join_values", "read_values", "refuse_descriptions"]

#: What only judgments and runs have.
_OF_RANKINGS = (
    "conventions convention changes queries exclude same bounds scale sample predicted sampled pool"
    " rescore subtopics columns docs judges families depth"
)


def read_values(values: Values, allowed: Sequence[str] = ()) -> Evaluation:
    """Return the evaluation of the only file of a command.

    Parameters
    ----------
    values : Values
        The values of the command.
    allowed : sequence of str
        The parameters that work without rankings in this command only.

    Raises
    ------
    ArgumentError
        For options of judgments and runs.
    """
    declared = values.declared.parameters
    names = [name for name in _OF_RANKINGS.split() if name in declared and name not in allowed]
    names += [name for name in declared if name.startswith(("qrels_", "run_"))]
    values.refuse(" ".join(names), "needs judgments and runs, and there is only a file of values")
    options: dict[str, Any] = {}
    if "by" in declared:
        options = {"clusters": values.clusters, "by": values.by or None}
        options["weights"] = read_weights(values.weights)
    # Default measures are those of rankings.
    is_chosen = values.origins.get("measures") == COMMAND_LINE
    return _read(values, values.qrels, list(values.measures) if is_chosen else None, **options)


def join_values(values: Values, evaluation: Evaluation) -> Evaluation:
    """Return an evaluation with the measures of the files of ``--values``."""
    if not values.further:
        refuse_descriptions(values)
    for path in values.further:
        try:
            evaluation = evaluation.join(_read(values, path, None))
        except MatchError as error:
            raise error.replace(where=f"--values {path}") from None
    return evaluation


def _read(values: Values, path: str, measures: list[str] | None, **options: Any) -> Evaluation:
    from gainful.evaluation import Evaluation
    from gainful.measures import declare

    for name in values.lower_is_better:
        declare(name, higher_is_better=False)
    limits = _range(values.value_range)
    result = Evaluation.from_values(path, measures, range=limits, **options)
    known = [repr(measure) for measure in result.measures]
    for name in values.lower_is_better:
        if name not in known and len(values.raw.get("further", ())) < 2:
            raise ParameterError(
                where="--lower-is-better",
                found=f"no measure {name!r}",
                expected=f"one of {', '.join(known)}",
            )
    return result


def refuse_descriptions(values: Values) -> None:
    """Refuse options that describe files of values, of which there are none."""
    values.refuse("lower_is_better value_range", "works with files of values only")


def _range(text: str | None) -> tuple[float | None, float | None] | None:
    """Return the ends of a range."""
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        ends = tuple(None if not end.strip() else float(parse_number(end)) for end in (low, high))
    except ValueError:
        colon = ""
    if not colon:
        raise ArgumentError(where="--range", found=repr(text), expected="LOW:HIGH, such as 0:1")
    return ends[0], ends[1]
