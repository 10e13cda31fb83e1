"""Check the arguments of `gainful.formulas` and prepare them for the kernel.

Loaded by the first call with more than a short list of grades.
"""

from __future__ import annotations

import sys

from gainful._kernel import formula
from gainful.errors import ArgumentError, ConventionError, ParameterError
from gainful.measures.definitions.cumulated_gain import BASE, DISCOUNT, GAIN
from gainful.measures.gain_text import dcg_term
from gainful.measures.parameters import LARGEST, Parameter, as_float
from gainful.policies import POLICIES, canonical, split
from gainful.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gainful.measures.parameters import Value

_NAMES = ("cg", "dcg", "idcg", "ndcg")


def compute(code: int, grades: Any, more: tuple[object, ...], arguments: dict[str, Any]) -> Any:
    """Check the arguments of one of the four functions and return its value."""
    if more:
        raise _second_positional(_NAMES[code], more[0], arguments)
    lists, is_array = _readable(grades, "grades")
    for name, tabulate in (("gain", _table_of_gains), ("discount", _multipliers)):
        if callable(arguments.get(name)):
            every = [lists, *([] if arguments.get("ideal") is None else [arguments["ideal"]])]
            arguments[name] = tabulate(arguments[name], every)
    settings = _settings(arguments)
    scores = arguments.get("scores")
    scores = None if scores is None else _readable(scores, "scores")[0]
    ideal = arguments.get("ideal")
    groups, queries = arguments["groups"], arguments["queries"]
    if queries is not None:
        if groups is not None:
            raise ArgumentError(found="groups= and queries=", expected="one of them")
        groups, places = _rows_of_queries(queries, lists)
        lists, scores = _reordered(lists, places), _reordered(scores, places)
    threads = arguments["threads"]
    value = formula(
        code,
        lists,
        scores,
        None if ideal is None else _readable(ideal, "ideal")[0],
        None if groups is None else _group_sizes(groups),
        settings,
        # Reading a list takes longer than the computation.
        1 if threads is None and type(lists) is list else thread_count(threads),
        is_array,
    )
    sizes = arguments["groups"]
    if sizes is not None and len(sizes) > 1 and all(size == 1 for size in sizes):
        import warnings

        warnings.warn(
            f"groups= is read as {len(sizes)} queries of one item each, because it has sizes. "
            f"As query ids, the same numbers mean one query of {len(sizes)} items: "
            "pass them as queries=",
            stacklevel=4,
        )
    if isinstance(value, bytearray):
        import numpy

        return numpy.frombuffer(value, dtype=numpy.float64)
    return value


def _table_of_gains(gain: Callable[[float], float], every: list[Any]) -> dict[float, float]:
    """Return a function of the grade as a table of the grades that there are."""
    grades = {0.0, *(grade for lists in every for grade in _flat(lists))}
    return {grade: gain(grade) for grade in grades}


def _multipliers(discount: Callable[[int], float], every: list[Any]) -> list[float]:
    """Return a function of the rank as multipliers, down to the longest list."""
    longest = 1
    for lists in every:
        rows = lists if len(lists) and hasattr(lists[0], "__len__") else [lists]
        longest = max([longest, *map(len, rows)])
    return [discount(rank) for rank in range(1, longest + 1)]


def _flat(lists: Any) -> Iterator[float]:
    """Yield the grades of lists that are numbers; the kernel refuses the others."""
    values = lists.ravel().tolist() if hasattr(lists, "ravel") else lists
    for value in values:
        if isinstance(value, (list, tuple)) or hasattr(value, "ravel"):
            yield from _flat(value)
        elif isinstance(value, (int, float)):
            yield value


def formula_text(*, k: int | None, gain: Any, discount: Any, base: float) -> str:
    """Check the arguments of `gainful.formulas.formula` and return the formula."""
    depth = checked_cutoff(k)
    checked_discount(discount, base)
    term = dcg_term(
        checked_parameter(GAIN, gain),
        checked_parameter(DISCOUNT, discount),
        as_float(checked_parameter(BASE, base)),
    )
    name = "DCG" if depth is None else f"DCG@{depth}"
    return f"{name} = Σ {term}"


def _settings(arguments: dict[str, Any]) -> dict[str, object]:
    """Return the formula as the kernel's settings."""
    ties, seed = checked_ties(arguments.get("ties", "expected"))
    if ties != "expected" and arguments["scores"] is None:
        raise ArgumentError(
            found=f"ties={arguments['ties']!r} without scores",
            expected="scores=",
            hint="grades in rank order have no ties",
        )
    order = arguments.get("ideal_order", "sorted")
    if not isinstance(order, str) or order not in ("sorted", "given"):
        raise ParameterError(where="ideal_order", found=repr(order), expected="'sorted' or 'given'")
    if order == "given" and arguments["ideal"] is None:
        raise ArgumentError(
            found="ideal_order='given' without an ideal",
            expected="ideal=",
            hint="without ideal=, the ideal is the sorted grades",
        )
    return {
        "k": checked_cutoff(arguments["k"]),
        "gain": checked_parameter(GAIN, arguments["gain"]),
        "discount": checked_discount(arguments.get("discount", "log2"), arguments.get("base", 2.0)),
        "ideal_order": order,
        "ties": ties,
        "seed": seed,
        "negative": checked_negative(arguments["negative"]),
        "no_relevant": checked_no_relevant(arguments.get("no_relevant", 0.0)),
    }


def _second_positional(name: str, value: object, arguments: dict[str, Any]) -> ArgumentError:
    if isinstance(value, (int, float)):
        hint = f"for a cutoff, write {name}(grades, k={value!r})"
    elif isinstance(value, str):
        hint = f"for a gain, write {name}(grades, gain={value!r})"
    else:
        meant = {
            "scores": "scores= if these numbers order the grades",
            "ideal": "ideal= if they are the grades of the ideal ranking",
        }
        known = [hint for keyword, hint in meant.items() if keyword in arguments]
        hint = "write " + ", ".join(known) if known else "write one list of grades"
    return ArgumentError(
        where=f"{name}()",
        found="a second positional argument",
        expected="the grades, and everything else by keyword",
        hint=hint,
    )


def checked_cutoff(k: object, name: str = "k") -> int | None:
    """Return the cutoff, or None."""
    if k is None:
        return None
    # NumPy's bool_ has __index__ before version 2.
    is_bool = type(k).__name__ in {"bool", "bool_"}
    index = None if is_bool else getattr(type(k), "__index__", None)
    try:
        depth = None if index is None else int(index(k))
    except TypeError:
        depth = None
    if depth is None:
        raise ArgumentError(
            where=name,
            found=f"{k!r} ({type(k).__name__})",
            expected="a whole number of 1 or more",
            hint=f"without {name} the whole list counts",
        )
    if not 1 <= depth <= LARGEST:
        raise ParameterError(
            where=name,
            found=str(k),
            expected="a whole number of 1 or more" if depth < 1 else f"at most {LARGEST}",
            hint=f"without {name} the whole list counts",
        )
    return depth


def checked_parameter(parameter: Parameter, value: object) -> Value:
    """Return the canonical form of a parameter's value."""
    try:
        return parameter.check(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            where=parameter.name, found=repr(value), expected=parameter.legal
        ) from error


def checked_discount(discount: object, base: object) -> object:
    """Return the kernel's discount: a word, multipliers, or a word with a base."""
    checked = checked_parameter(DISCOUNT, discount)
    number = as_float(checked_parameter(BASE, base))
    if checked == "jarvelin-kekalainen":
        return (checked, number)
    if number != 2:
        raise ParameterError(
            where="base",
            found=f"{base!r} with discount={discount!r}",
            expected="a base only with discount='jarvelin-kekalainen'",
            hint="another base of log2(rank + 1) only scales DCG and does not change nDCG",
        )
    return checked


def _policy(name: str, value: object, without: tuple[str, ...], hint: str) -> str | float:
    """Return a policy's value; reject values that are not defined for lists."""
    try:
        policy = canonical(name, value)
        if policy not in without:
            return policy
        text = repr(policy)
    except ConventionError as error:
        text, hint = error.found or error.problem, error.hint or ""
    legal = [word for word in POLICIES[name].values if word not in without]
    raise ConventionError(where=name, found=text, expected=", ".join(legal), hint=hint or None)


def checked_ties(ties: object) -> tuple[str, int]:
    """Return the policy on ties, with the seed if it is random."""
    hint = "lists have no document ids; use gainful.evaluate"
    policy = str(_policy("ties", ties, ("doc-id-desc", "doc-id-asc"), hint))
    return split(policy)


def checked_negative(negative: object) -> str:
    """Return the policy on negative grades."""
    hint = "unjudged documents gain nothing here, as with 'zero'"
    return str(_policy("negative", negative, ("unjudged", "drop"), hint))


def checked_no_relevant(value: object) -> float | None:
    """Return the value of lists with no relevant documents; None for an error."""
    hint = "every list has a value here; use nan with numpy.nanmean to leave lists out of a mean"
    policy = _policy("no_relevant", value, ("agree", "skip"), hint)
    return None if isinstance(policy, str) else policy


def _group_sizes(groups: Any) -> Any:
    if hasattr(groups, "tolist"):
        groups = groups.tolist()
    if isinstance(groups, (list, tuple)):
        return groups
    raise ArgumentError(
        where="groups",
        found=f"{groups!r} ({type(groups).__name__})",
        expected="a list of whole numbers",
        hint="groups= is the number of grades of each query, in order",
    )


def _rows_of_queries(queries: Any, grades: Any) -> tuple[list[int], list[int]]:
    """Return the number of grades of each query, and their places, query by query."""
    if isinstance(queries, (str, bytes)) or not hasattr(queries, "__iter__"):
        raise ArgumentError(
            where="queries",
            found=f"{queries!r} ({type(queries).__name__})",
            expected="a list with the query of each grade",
        )
    ids = queries.tolist() if hasattr(queries, "tolist") else list(queries)
    if len(ids) != len(grades):
        raise ParameterError(
            where="queries", found=f"{len(ids)} ids", expected=f"{len(grades)}, one for each grade"
        )
    places: dict[object, list[int]] = {}
    for place, query in enumerate(ids):
        try:
            places.setdefault(query, []).append(place)
        except TypeError:
            raise ArgumentError(
                where="queries", found=type(query).__name__, expected="ids"
            ) from None
    sizes = [len(rows) for rows in places.values()]
    return sizes, [place for rows in places.values() for place in rows]


def _reordered(values: Any, places: list[int]) -> Any:
    if values is None or len(values) != len(places) or places == list(range(len(places))):
        return values
    if hasattr(values, "take"):
        return values.take(places, axis=0)
    return [values[place] for place in places]


def _readable(values: Any, what: str) -> tuple[Any, bool]:
    """Return values that the kernel can read, and whether they are an array."""
    if isinstance(values, (str, bytes, bytearray)):
        raise ArgumentError(
            where=what,
            found=f"{values[:20]!r} ({type(values).__name__})",
            expected="a list of numbers, or of lists",
        )
    if type(values) not in (list, tuple) and (
        hasattr(values, "__array__") or hasattr(values, "__array_interface__")
    ):
        return _array(values, what), True
    return values, False


def _array(values: Any, what: str) -> Any:
    """Return a NumPy array that the kernel reads without a copy, or a list."""
    # A caller with an array has loaded NumPy already, or needs it to show the values.
    import numpy

    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(values, masked.MaskedArray) and masked.is_masked(values):
        raise ArgumentError(
            where=what,
            found="an array with masked numbers",
            expected="no masked values",
            hint=".filled(0) gives masked values the grade 0; groups= allows lists of any length",
        )
    try:
        array = numpy.asarray(values)
    except Exception as error:
        raise ArgumentError(
            where=what,
            found=f"{type(values).__name__} that is not an array: {error}",
            expected="an array in CPU memory",
            hint="for a tensor, .detach().cpu()",
        ) from error
    if array.ndim not in (1, 2):
        raise ParameterError(
            where=what,
            found=f"an array of shape {array.shape}",
            expected="shape (n,) for one query, (queries, n) for several",
        )
    if array.dtype.kind == "O":
        return array.tolist()
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ArgumentError(
            where=what,
            found=f"an array of type {array.dtype}",
            expected="floats of at most 64 bits, integers or booleans",
        )
    if array.dtype.kind == "f" and array.dtype.itemsize < 4:
        return array.astype(numpy.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
