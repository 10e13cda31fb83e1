"""Files of values computed elsewhere, and of measures in Python: ``-m my_metrics.py:mine@10``."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from os.path import abspath, basename, dirname, isfile
from traceback import extract_tb

from gainful.cli.command import COMMAND_LINE
from gainful.cli.option_values import read_weights
from gainful.errors import (
    ArgumentError,
    MatchError,
    MeasureError,
    ParameterError,
    SourceNotFoundError,
)
from gainful.measures import Measure
from gainful.measures.catalogue import family, is_registered, registered
from gainful.measures.notation import ENDS_NAME
from gainful.numerals import parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    from gainful.cli.command import Values
    from gainful.evaluation import Evaluation
    from gainful.measures.family import Family

__all__ = ["families_in", "join_values", "read_values", "refuse_descriptions", "without_files"]

#: What only judgments and runs have.
_OF_RANKINGS = (
    "conventions convention changes queries exclude same bounds scale sample predicted sampled pool"
    " rescore subtopics columns comments ignore_offsets docs judges families depth"
)


def read_values(values: Values, allowed: Sequence[str] = ()) -> Evaluation:
    """Return the evaluation of the only file of a command."""
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


#: A file, and the name of its measure.
_NAMED = re.compile(rf"([^\s,;]+\.py):([^\s{re.escape(''.join(sorted(ENDS_NAME)))}]*)")

_loaded: dict[str, ModuleType] = {}

#: The names of the measures that files define.
_names: dict[str, list[str]] = {}


def without_files(text: str) -> str:
    """Return measures in notation, after importing the files that define them."""
    path, colon, name = text.strip().partition(".py:")
    if colon and isfile(f"{path}.py") and not _NAMED.fullmatch(f"{path}.py:"):
        # The path contains spaces or commas, so it is all before the name.
        word = re.match(r"\w*", name)
        assert word is not None
        return _defined(f"{path}.py", word[0]) + name[word.end() :]
    return _NAMED.sub(lambda match: _defined(match[1], match[2]), text)


def families_in(path: str) -> list[Family]:
    """Return the measures that a file defines."""
    _import(path)
    names = _names[abspath(path)]
    if not names:
        raise MeasureError(
            where=path,
            found="no measure",
            expected="measures of gainful.measures.define",
            hint="the file calls gainful.measures.define('mine', function)",
        )
    return [family(name) for name in names]


def _defined(path: str, name: str) -> str:
    """Return the name in notation of a measure of a file."""
    module = _import(path)
    value = getattr(module, name, None)
    if isinstance(value, Measure) and value == Measure(value.family):
        return value.family
    if name and is_registered(name):
        return name
    raise MeasureError(
        where=path,
        found=f"no measure {name!r}" if name else "no measure after the file",
        expected="the name of a measure that the file defines",
        hint=f"the file calls gainful.measures.define({name or 'mine'!r}, function)",
    )


def _import(path: str) -> ModuleType:
    place = abspath(path)
    if place in _loaded:
        return _loaded[place]
    if not isfile(place):
        raise SourceNotFoundError(where=path, found="no such file")
    if dirname(place) not in sys.path:
        # As for a script, so that the file can import its neighbors.
        sys.path.append(dirname(place))
    before = registered()
    spec = spec_from_file_location(f"_measures_of_{basename(place).removesuffix('.py')}", place)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__)
                 if frame.filename == place]  # fmt: skip
        line = error.lineno if isinstance(error, SyntaxError) else next(reversed(lines), None)
        raise MeasureError(
            file=path,
            line=line,
            found=f"the file cannot be imported ({type(error).__name__}: {error})",
        ) from error
    _loaded[place] = module
    _names[place] = [
        name for name, family in registered().items() if before.get(name) is not family
    ]
    return module
