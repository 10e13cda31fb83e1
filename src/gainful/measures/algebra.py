"""The measure: a family, parameters and a cutoff."""

from __future__ import annotations

from gainful.errors import ArgumentError, MeasureError
from gainful.keywords import suggest_keywords
from gainful.measures.catalogue import family as find_family
from gainful.measures.parameters import LARGEST, NamedFunction, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gainful.measures.family import Family
    from gainful.measures.parameters import Policies, Range, Value, Values


#: The most families that a message lists.
_LISTED = 8


def checked_parameters(
    declared: Family, given: dict[str, object]
) -> tuple[Family, tuple[tuple[str, Value], ...]]:
    """Return the family and its parameters in canonical form and declared order."""
    given = {
        name: value
        for name, value in given.items()
        if value is not None or declared.parameter(name) is None
    }
    if declared.translate is not None:
        name, given = declared.translate(given)
        declared = find_family(name)
    values: Values = {}
    for parameter in declared.parameters:
        if parameter.name in given:
            value = given.pop(parameter.name)
            try:
                values[parameter.name] = parameter.check(value)
            except ValueError as error:
                raise MeasureError(
                    where=declared.name,
                    found=f"{parameter.name}={value!r}",
                    expected=parameter.legal,
                    hint="results show the name of the function: define it with def and a name of"
                    f" its own, or write it as a table: {TABLES[parameter.name]}"
                    if callable(value) and parameter.name in TABLES
                    else f"{parameter.name} is {parameter.meaning}",
                ) from error
    if given:
        raise _unknown(declared, next(iter(given)))
    if declared.relate is not None:
        problem = declared.relate(values)
        if problem is not None:
            written = ", ".join(f"{name}={literal(value)}" for name, value in values.items())
            raise MeasureError(where=declared.name, found=written, expected=problem)
    return declared, tuple(values.items())


def _unknown(declared: Family, name: str) -> MeasureError:
    from difflib import get_close_matches

    names = [parameter.name for parameter in declared.parameters]
    hint = f"see ⟪measures()={declared.name}⟫"
    close = get_close_matches(name, names, n=1)
    if close:
        hint = f"did you mean {close[0]}?"
    elif name == "cutoff" or name == "k":
        hint = f"a cutoff is written {declared.name}@10"
    return MeasureError(
        where=declared.name,
        found=f"the parameter {name!r}",
        expected=f"one of {', '.join(names)}" if names else "no parameters",
        hint=hint,
    )


def checked_cutoff(declared: Family, cutoff: object) -> int:
    """Return the depth of ``@k`` as an integer of at least 1."""
    where = f"{declared.name}@{cutoff}"
    if not declared.takes_cutoff:
        raise MeasureError(
            where=where,
            found=f"cutoff {cutoff}",
            expected=f"{declared.name} without a cutoff",
            hint=f"{declared.name} is {declared.summary[0].lower()}{declared.summary[1:]}",
        )
    # NumPy's bool_ has __index__ before version 2.
    is_bool = type(cutoff).__name__ in {"bool", "bool_"}
    index = None if is_bool else getattr(type(cutoff), "__index__", None)
    try:
        depth = 0 if index is None else int(index(cutoff))
    except TypeError:
        depth = 0
    if not 1 <= depth <= LARGEST:
        raise MeasureError(
            where=where,
            found=f"cutoff {cutoff}",
            expected="a whole number of 1 or more" if depth < 1 else f"at most {LARGEST}",
            hint=f"leave '@{cutoff}' out to measure the whole ranking",
        )
    return depth


def is_verified(measure: Measure, convention: Policies) -> bool:
    """Return whether a convention may compute this measure."""
    preset = convention.preset
    if preset is None or preset.measures is None or measure.family in preset.measures:
        return True
    return measure.declaration.describes_data or measure.declaration.is_own


def check_verified(measure: Measure, convention: Policies) -> None:
    """Reject a measure for which a preset is not verified to reproduce its tool."""
    if is_verified(measure, convention):
        return
    preset = convention.preset
    assert preset is not None
    suggestion = (
        f"to apply its policies to {measure.family} under a name of your own, set name=NAME"
    )
    hint = f"{suggestion} as you would change a policy"
    difference = preset.difference(measure.family)
    if difference is not None:
        raise MeasureError(f"{measure!r} is not equal to {difference}", hint=hint)
    verified = preset.measures or ()
    if len(verified) == 1:
        known = f"only {verified[0]} is"
    elif len(verified) <= _LISTED:
        known = f"only {', '.join(verified[:-1])} and {verified[-1]} are"
    else:
        known = f"⟪conventions()={convention.name}⟫ lists what is"
    raise MeasureError(
        f"{measure!r} is not verified for {convention.name}, {known}",
        hint=hint,
    )


class Measure:
    """A measure, such as nDCG at 10 or average precision with relevance from grade 2.

    A measure is immutable, hashable and compared by value. The convention of the evaluation decides
    unset parameters; set parameters override it. Its `repr` shows only what is set, and can be read
    by `parse_measure` and by Python.

    Parameters
    ----------
    family : str
        The name of a family: ``"nDCG"``, ``"AP"``, ... See `families`.
    params : mapping of str to value, optional
        The parameters to set.
    cutoff : int, optional
        The depth k of ``@k``. Default: the whole ranking. For `IPrec` a level of recall, its
        parameter ``recall``.

    Raises
    ------
    MeasureError
        For an unknown family, an unknown or invalid parameter, or a cutoff that is not an integer
        of at least 1.

    Examples
    --------
    >>> from gainful.measures import AP, nDCG, parse_measure
    >>> nDCG @ 10
    nDCG@10
    >>> nDCG(gain="exponential") @ 10
    nDCG(gain='exponential')@10
    >>> AP(rel=2) == parse_measure("AP(rel=2)")
    True
    >>> nDCG(gain={0: 0, 1: 1, 2: 10}).params
    {'gain': ((0, 0), (1, 1), (2, 10))}
    """

    __slots__ = ("_hash", "_params", "cutoff", "family")

    def __init_subclass__(cls) -> None:
        raise ArgumentError(
            f"a subclass of Measure ({cls.__name__}) has no formula of its own",
            hint="gainful.measures.define('mine', function) makes a measure of a function",
        )

    family: str
    cutoff: int | None
    _params: tuple[tuple[str, Value], ...]
    _hash: int

    @suggest_keywords
    def __init__(
        self,
        family: str,
        params: Mapping[str, object] | None = None,
        cutoff: float | None = None,
    ) -> None:
        if not isinstance(family, str):
            raise MeasureError(
                where="Measure", found=type(family).__name__, expected="the name of a measure"
            )
        declared = find_family(family)
        if cutoff is not None and declared.at is not None:
            params, cutoff = {**(params or {}), declared.at: cutoff}, None
        values: tuple[tuple[str, Value], ...] = ()
        if params:
            declared, values = checked_parameters(declared, dict(params))
        if cutoff is not None:
            cutoff = checked_cutoff(declared, cutoff)
        put = object.__setattr__
        put(self, "family", declared.name)
        put(self, "_params", values)
        put(self, "cutoff", cutoff)
        put(self, "_hash", hash((declared.name, values, cutoff)))

    @property
    def params(self) -> dict[str, Value]:
        """The parameters that are set, in a new dictionary; tables are tuples."""
        return dict(self._params)

    @property
    def declaration(self) -> Family:
        """The declaration of the family: summary, formula, source, parameters, range."""
        return find_family(self.family)

    @property
    def aggregate(self) -> str:
        """How the values of queries are combined: ``"mean"``, ``"sum"``, ``"geometric"``."""
        return find_family(self.family).aggregate

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher value means a better ranking."""
        return find_family(self.family).higher_is_better

    @property
    def direction(self) -> int:
        """1 if a higher value means a better ranking, else -1."""
        return 1 if self.higher_is_better else -1

    def __call__(self, *others: object, **parameters: object) -> Measure:
        """Return this measure with parameters set; ``None`` unsets one.

        Parameters
        ----------
        **parameters
            Parameters of the family, and ``cutoff``.

        Raises
        ------
        MeasureError
            For an unknown or invalid parameter.
        ArgumentError
            For a positional argument.

        Examples
        --------
        >>> from gainful.measures import AP
        >>> AP(rel=2)
        AP(rel=2)
        >>> AP(rel=2)(norm="capped") @ 100
        AP(rel=2, norm='capped')@100
        """
        if others:
            raise ArgumentError(
                where=self.family,
                found=f"{others[0]!r} without the name of a parameter",
                expected="parameters by name",
                hint=self._parameters_hint(),
            )
        cutoff = parameters.pop("cutoff", self.cutoff)
        merged: dict[str, object] = dict(self._params)
        merged.update(parameters)
        return Measure(self.family, merged, cutoff)  # type: ignore[arg-type]

    def __matmul__(self, cutoff: float) -> Measure:
        return Measure(self.family, dict(self._params), cutoff)

    def resolve(self, convention: Policies | None = None) -> Measure:
        """Return this measure with every parameter set.

        Parameters
        ----------
        convention : Convention, optional
            Decides unset parameters. Default: the default convention.

        Returns
        -------
        Measure
            A measure that has the same value under every convention with the same policies.

        Examples
        --------
        >>> from gainful.measures import nDCG
        >>> (nDCG @ 10).resolve()
        nDCG(gain='linear', discount='log2', ideal='judged', judged_only=False)@10
        """
        return Measure(self.family, self._resolved(convention), self._cutoff(convention))

    def spec(
        self,
        convention: Policies | None = None,
        grades: Callable[[], Iterable[float]] | None = None,
    ) -> tuple[str, dict[str, object]]:
        """Return the kernel's name for this measure and its plain values.

        Parameters
        ----------
        convention : Convention, optional
            Decides unset parameters.
        grades : callable, optional
            Returns the grades for which a function is computed that is the gain. Default: refuse
            such a function.

        Raises
        ------
        MeasureError
            If the convention is a preset that is not verified for this measure, or a function
            cannot be computed.

        Examples
        --------
        >>> from gainful.measures import AP
        >>> (AP(rel=2) @ 100).spec()
        ('ap', {'rel': 2.0, 'norm': 'relevant', 'judged_only': False, 'cutoff': 100})
        """
        if convention is not None:
            check_verified(self, convention)
        declared = find_family(self.family)
        cutoff = self._cutoff(convention)
        values = tabulate(self, self._resolved(convention), cutoff, convention, grades)
        spec = declared.to_kernel(values) if declared.to_kernel else _plain(values)
        spec["judged_only"] = values.get("judged_only", False)
        if declared.takes_cutoff:
            spec["cutoff"] = cutoff
        return declared.kernel, spec

    def range(self, convention: Policies | None = None) -> Range:
        """Return the lowest and the highest value, ``None`` if unbounded.

        nDCG is between 0 and 1 unless the convention counts negative grades as losses, counts
        duplicates twice, gives unjudged documents a grade, or has an ideal that a ranking can
        exceed.

        Examples
        --------
        >>> from gainful.measures import DCG, nDCG
        >>> (nDCG @ 10).range(), (nDCG(ideal="given-order") @ 10).range(), DCG.range()
        ((0.0, 1.0), (0.0, None), (0.0, None))
        """
        declared = find_family(self.family)
        if declared.bounds is None:
            return declared.low, declared.high
        return declared.bounds(self._resolved(convention), convention)

    def _resolved(self, convention: Policies | None) -> Values:
        """Return all parameters: the measure's, else the convention's, else the family's."""
        declared = find_family(self.family)
        params = dict(self._params)
        named: Mapping[str, Value] = {}
        inherited: Mapping[str, Value] = {}
        if convention is not None:
            named = convention.defaults.get(self.family, named)
            if declared.inherits is not None:
                inherited = convention.defaults.get(declared.inherits, inherited)
        values: Values = {}
        for parameter in declared.parameters:
            name = parameter.name
            for source in (params, named, inherited):
                if name in source:
                    values[name] = source[name]
                    break
            else:
                if parameter.default is not None:
                    values[name] = parameter.default
        if declared.complete is not None:
            declared.complete(values, params)
        return values

    def _cutoff(self, convention: Policies | None) -> int | None:
        """Return the measure's cutoff, else the convention's."""
        if self.cutoff is not None or convention is None:
            return self.cutoff
        declared = find_family(self.family)
        for family in (self.family, declared.inherits):
            default = convention.defaults.get(family or "", {}).get("cutoff")
            if default is not None and declared.takes_cutoff:
                return int(default)  # type: ignore[arg-type]
        return None

    def _parameters_hint(self) -> str:
        declared = find_family(self.family)
        if not declared.parameters:
            return f"{self.family} has no parameters"
        names = ", ".join(parameter.name for parameter in declared.parameters)
        return f"write as in {declared.example}; the parameters of {self.family} are {names}"

    def __json__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        params = self.params
        # Leave out the parameter that is written after @.
        parameter = find_family(self.family).at
        parameter_value = self.cutoff if parameter is None else params.pop(parameter, None)
        written = ", ".join(f"{name}={literal(value)}" for name, value in params.items())
        text = f"{self.family}({written})" if written else self.family
        return text if parameter_value is None else f"{text}@{parameter_value}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return (
            self.family == other.family
            and self.cutoff == other.cutoff
            and self._params == other._params
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        params = dict(self._params)
        restoring = find_family(self.family).restoring(params, self.cutoff)
        return restoring or (Measure, (self.family, params, self.cutoff))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a measure cannot be changed; {self!r}({name}=...) makes another")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a measure cannot be changed")


def _plain(values: Values) -> dict[str, object]:
    """Return numbers as floats, everything else unchanged."""
    return {
        name: float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else value
        for name, value in values.items()
    }


#: How a function is written as a table.
TABLES = {
    "gain": "gain={grade: function(grade) for grade in range(5)}",
    "discount": "discount=[function(rank) for rank in range(1, 11)]",
}


def computed_before() -> tuple[float, ...]:
    """Return no grades: the values of the measure are there, and are not computed again."""
    return ()


def tabulate(
    measure: Measure,
    values: Values,
    cutoff: int | None,
    convention: Policies | None,
    grades: Callable[[], Iterable[float]] | None,
) -> Values:
    """Return the parameters of a measure with tables for functions."""
    tables: Values = dict(values)
    for name, value in values.items():
        if not isinstance(value, NamedFunction):
            continue
        if grades is computed_before:
            tables[name] = ((0, 0),) if name == "gain" else (1,)
            continue
        if value.function is None:
            raise MeasureError(
                f"{measure!r} cannot be computed: the function {value} is not defined here",
                hint="import the module that defines it, and make the measure of the function",
            )
        if name == "gain":
            tables[name] = _gains(measure, value, values, convention, grades)
        else:
            tables[name] = _multipliers(measure, value, values, cutoff)
    return tables


def _gains(
    measure: Measure,
    gain: NamedFunction,
    values: Values,
    convention: Policies | None,
    grades: Callable[[], Iterable[float]] | None,
) -> Value:
    if grades is None:
        raise MeasureError(
            f"{measure!r} cannot be computed here from the function {gain}",
            hint=f"write the function as a table: {TABLES['gain']}",
        )
    known = {0.0, *grades()}
    if convention is not None and not isinstance(convention.unjudged, str):
        known.add(float(convention.unjudged))
    if convention is None or convention.negative != "signed":
        # The convention says what negative grades are worth.
        known = {grade for grade in known if grade >= 0}
    ideal = values.get("ideal")
    if isinstance(ideal, tuple):
        known.update(map(float, ideal))  # type: ignore[arg-type]
    if "max_grade" in values:
        known.add(float(values["max_grade"]))  # type: ignore[arg-type]
    return _checked(measure, "gain", {grade: _call(measure, gain, grade) for grade in known})


def _multipliers(
    measure: Measure, discount: NamedFunction, values: Values, cutoff: int | None
) -> Value:
    if cutoff is None or values.get("ideal") == "judged-uncut":
        uncut = "ideal='judged-uncut'" if cutoff is not None else "no cutoff"
        raise MeasureError(
            where=repr(measure),
            found=f"the function {discount} as the discount, and {uncut}",
            expected="a cutoff, so that the number of ranks is known",
            hint=f"write {measure.family}(...)@1000, or {TABLES['discount']}",
        )
    ranks = range(1, cutoff + 1)
    return _checked(measure, "discount", [_call(measure, discount, rank) for rank in ranks])


def _call(measure: Measure, function: NamedFunction, argument: float) -> object:
    assert function.function is not None
    try:
        return function.function(argument)
    except Exception as error:
        raise MeasureError(
            where=repr(measure),
            found=f"the function {function} raised {type(error).__name__} for {argument:g}",
            hint=str(error) or None,
        ) from error


def _checked(measure: Measure, name: str, table: object) -> Value:
    parameter = measure.declaration.parameter(name)
    assert parameter is not None
    try:
        return parameter.check(table)
    except (TypeError, ValueError) as error:
        raise MeasureError(
            where=repr(measure),
            found=f"{name}={table!r} from the function",
            expected=parameter.legal,
        ) from error
