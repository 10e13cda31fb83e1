"""A convention: every policy of an evaluation as data, found by its name."""

from __future__ import annotations

from gainful.conventions.presets import Preset, find, load_all
from gainful.errors import ConventionError
from gainful.keywords import suggest_keywords
from gainful.measures.parameters import format_value, plain_value
from gainful.policies import POLICIES, canonical, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import MappingProxyType
    from typing import Any, Unpack

    from gainful.measures.parameters import Value
    from gainful.policies import PolicyKeywords

    Defaults = Mapping[str, Mapping[str, Value]]

    _Stored = tuple[tuple[str, tuple[tuple[str, Value], ...]], ...]

__all__ = ["Convention", "describe", "get", "preset_convention", "presets"]


if not TYPE_CHECKING:
    # The type of a class's own namespace; importing `types` for MappingProxyType takes longer.
    MappingProxyType = type(type.__dict__)


class Convention:
    """How values are computed: order, ties, missing judgments, and so on.

    A convention is immutable, hashable and compared by value. `str` writes it on one line, to print
    below every table of numbers.

    Parameters
    ----------
    name : str, default "gainful-1"
        The convention that it is, or starts from. A convention that differs from the preset of its
        name is printed with its changes. A preset computes the measures that it is verified for; a
        convention with any other name computes all measures.
    order, ties, precision, unjudged, unretrieved, negative, fractions, largest_grade, \
duplicates, same_id, single, no_relevant, missing, extra, unweighted, rounding, \
candidates : str or float
        The policies; `gainful.conventions.POLICIES` has their values and meanings. ``unjudged``
        and ``largest_grade`` can be a grade, and ``no_relevant`` 0, 1 or NaN.
    defaults : mapping of str to mapping of str to value, optional
        The default parameters of measures, by family: ``{"nDCG": {"gain": "exponential"}}``. The
        default ``cutoff`` applies to measures written without one. Defaults of nDCG also apply to
        DCG, IDCG and CG, those of RBP to its residual.

    Raises
    ------
    ConventionError
        For an invalid value.
    MeasureError
        For defaults that are not parameters of the family.

    Examples
    --------
    >>> import gainful
    >>> gainful.conventions.get("gainful-1").replace(no_relevant="skip", ties="expected")
    Convention(ties='expected', no_relevant='skip')
    >>> gainful.conventions.get("trec_eval").precision
    'float32'
    """

    __slots__ = ("_defaults", "_hash", "name", *(policy.name for policy in POLICIES))

    name: str
    order: str
    ties: str
    precision: str
    unjudged: str | float
    unretrieved: str
    negative: str
    fractions: str
    largest_grade: str | float
    duplicates: str
    same_id: str
    single: str
    no_relevant: str | float
    missing: str
    extra: str
    unweighted: str
    rounding: str
    candidates: str
    _defaults: _Stored
    _hash: int

    @suggest_keywords
    def __init__(
        self,
        *,
        name: str = "gainful-1",
        order: str = "score",
        ties: str = "doc-id-desc",
        precision: str = "float64",
        unjudged: str | float = "zero",
        unretrieved: str = "absent",
        negative: str = "zero",
        fractions: str = "keep",
        largest_grade: str | float = "any",
        duplicates: str = "error",
        same_id: str = "keep",
        single: str = "keep",
        no_relevant: str | float = 0.0,
        missing: str = "empty",
        extra: str = "ignore",
        unweighted: str = "nothing",
        rounding: str = "none",
        candidates: str = "all",
        defaults: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        values = locals()
        put = object.__setattr__
        put(self, "name", _check_name(name))
        for policy in POLICIES:
            put(self, policy.name, canonical(policy.name, values[policy.name]))
        put(self, "_defaults", _store(defaults) if defaults else ())
        put(self, "_hash", hash(self._key()))

    @property
    def defaults(self) -> Defaults:
        """The parameters of measures that this convention sets, by family; read-only."""
        return MappingProxyType(
            {family: MappingProxyType(dict(parameters)) for family, parameters in self._defaults}
        )

    @property
    def preset(self) -> Preset | None:
        """The preset of this name, from which policies may differ; None if not defined.

        Examples
        --------
        >>> import gainful
        >>> lightgbm = gainful.conventions.get("lightgbm")
        >>> lightgbm.preset.measures
        ('nDCG', 'AP')
        >>> print(lightgbm.replace(name="mine").preset)
        None
        """
        from gainful.conventions.presets import load

        return load(self.name)

    @property
    def changes(self) -> dict[str, object]:
        """The fields that differ from the preset of this name; empty without a preset."""
        preset = self.preset
        if preset is None:
            return {}
        theirs = preset_convention(preset).to_dict()
        return {field: ours for field, ours in self.to_dict().items() if ours != theirs[field]}

    @property
    def label(self) -> str:
        """The name with its changes: ``gainful-1 with no_relevant=skip``.

        Examples
        --------
        >>> Convention(no_relevant="skip").label
        'gainful-1 with no_relevant=skip'
        """
        changes = [
            f"{field}={format_value(value)}"
            for field, value in self.changes.items()
            if field != "defaults"
        ]
        if "defaults" in self.changes:
            changes += _list_measures(self._defaults) or ["no defaults"]
        return f"{self.name} with {', '.join(changes)}" if changes else self.name

    def replace(self, **changes: object) -> Convention:
        """Return this convention with other policies.

        Raises
        ------
        ConventionError
            For an unknown policy or an invalid value.

        Examples
        --------
        >>> Convention().replace(ties="expected").ties
        'expected'
        """
        fields = self.to_dict()
        for field in changes:
            if field not in fields:
                from difflib import get_close_matches

                close = get_close_matches(field, fields, n=1)
                raise ConventionError(
                    found=f"the policy {field!r}",
                    expected=", ".join(fields),
                    hint=f"did you mean {close[0]}?" if close else None,
                )
        fields.update(changes)
        return Convention(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as values that JSON can represent.

        ``Convention(**convention.to_dict())`` is the same convention. NaN is the text ``"nan"``,
        and a table of gains a list of pairs.

        Examples
        --------
        >>> Convention().to_dict()["ties"]
        'doc-id-desc'
        """
        fields: dict[str, object] = {"name": self.name}
        for policy in POLICIES:
            fields[policy.name] = plain_value(getattr(self, policy.name))
        fields["defaults"] = {
            family: {name: plain_value(value) for name, value in parameters}
            for family, parameters in self._defaults
        }
        return fields

    def __json__(self) -> dict[str, Any]:
        return {**self.to_dict(), "text": str(self)}

    def spec(self) -> dict[str, object]:
        """Return the policies for the kernel: text and numbers, nothing nested.

        Examples
        --------
        >>> Convention(unjudged=1, ties="random(7)").spec()["unjudged_grade"]
        1.0
        """
        ties, seed = split(self.ties)
        rounding, digits = split(self.rounding)
        graded = not isinstance(self.unjudged, str)
        valued = not isinstance(self.no_relevant, str)
        return {
            **{
                policy.name: policy.synonyms.get(value := getattr(self, policy.name), value)
                for policy in POLICIES
                if policy.governs != "data"
            },
            "ties": ties,
            "seed": seed,
            **({"unjudged": "grade"} if graded else {}),
            "unjudged_grade": self.unjudged if graded else 0.0,
            "largest_grade": None if self.largest_grade == "any" else self.largest_grade,
            "no_relevant": "value" if valued else self.no_relevant,
            "no_relevant_value": self.no_relevant if valued else 0.0,
            "rounding": rounding,
            "digits": digits,
        }

    def __str__(self) -> str:
        from gainful.measures import nDCG

        resolved = nDCG.resolve(self)
        gains = resolved.params
        del gains["judged_only"]
        if resolved.cutoff is not None:
            gains["cutoff"] = resolved.cutoff
        groups = [" ".join((name, format_value(value))) for name, value in gains.items()]
        # The defaults of nDCG are already written in full.
        others = _list_measures(tuple(item for item in self._defaults if item[0] != "nDCG"))
        for policy in POLICIES:
            value = getattr(self, policy.name)
            if policy.always_shown or value != getattr(_DEFAULT, policy.name):
                groups.append(f"{policy.name} {format_value(value)}")
        return f"{self.label}: {', '.join(groups + others)}"

    def _repr_html_(self) -> str:
        from gainful.formats.markup import page
        from gainful.formats.table import Column, Table

        rows = []
        for policy in POLICIES:
            value = getattr(self, policy.name)
            rows.append((policy.name, format_value(value), policy.meaning(value), policy.decides))
        wide = [Column(name, fit="wrap") for name in ("meaning", "decides")]
        table = Table([Column("policy"), Column("value"), *wide], rows, title=self.label)
        return page([table], [str(self)])

    def __repr__(self) -> str:
        plain = _DEFAULT.to_dict()
        changed = [
            f"{field}={value!r}" for field, value in self.to_dict().items() if value != plain[field]
        ]
        return f"Convention({', '.join(changed)})"

    def _key(self) -> tuple[object, ...]:
        # NaN is not equal to itself, but two conventions with NaN are equal.
        policies = (getattr(self, policy.name) for policy in POLICIES)
        return self.name, *("nan" if v != v else v for v in policies), self._defaults

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Convention):
            return NotImplemented
        return self._hash == other._hash and self._key() == other._key()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return _build, (self.to_dict(),)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a convention cannot be changed; replace({name}=...) makes another")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a convention cannot be changed")


def _check_name(name: object) -> str:
    if isinstance(name, str) and name.strip() and name.isprintable():
        return name
    raise ConventionError(
        found=f"{name!r} as the name of a convention", expected="text on one line"
    )


#: The conventions of presets, also by shorter names.
_by_name: dict[str, Convention] = {}


def preset_convention(preset: Preset) -> Convention:
    """Return the convention that a preset declares."""
    if preset.name not in _by_name:
        policies: dict[str, Any] = dict(preset.policies)
        _by_name[preset.name] = Convention(name=preset.name, **policies)
    return _by_name[preset.name]


def _build(fields: dict[str, object]) -> Convention:
    return Convention(**fields)  # type: ignore[arg-type]


def _store(defaults: Mapping[str, Mapping[str, object]]) -> _Stored:
    """Check the default parameters of measures and sort them by family."""
    from gainful.measures import Measure

    if not hasattr(defaults, "items"):
        raise ConventionError(
            found=f"defaults={defaults!r}", expected="parameters by family of measures"
        )
    stored = []
    for family, parameters in defaults.items():
        if not hasattr(parameters, "items"):
            raise ConventionError(
                where="defaults", found=f"{parameters!r} for {family}", expected="parameters"
            )
        kept = {name: value for name, value in parameters.items() if name != "cutoff"}
        measure = Measure(family, kept)(cutoff=parameters.get("cutoff"))
        values = dict(measure.params)
        if measure.cutoff is not None:
            values["cutoff"] = measure.cutoff
        if values:
            stored.append((measure.family, tuple(values.items())))
    return tuple(sorted(stored))


def _list_measures(defaults: _Stored) -> list[str]:
    from gainful.measures import Measure

    return [str(Measure(family)(**dict(parameters))) for family, parameters in defaults]


_DEFAULT = Convention()


def get(
    convention: str | Convention = "gainful-1", **policies: Unpack[PolicyKeywords]
) -> Convention:
    """Return the convention of a name, or a `Convention`, with other policies if any are set.

    Parameters
    ----------
    convention : str or Convention
        ``"trec_eval-9.0.8"``, or a shorter name for the newest stable version: ``"trec_eval"``.
    **policies
        Changes as for `Convention.replace`, such as ``no_relevant="skip"``.

    Raises
    ------
    ConventionError
        If no convention has this name; the message lists similar names. For an unknown policy or
        an invalid value.

    Examples
    --------
    >>> get("trec_eval").name
    'trec_eval-9.0.8'
    >>> get("trec_eval", missing="empty").label
    'trec_eval-9.0.8 with missing=empty'
    """
    if not isinstance(convention, Convention):
        name: Any = convention  # It may be something else, which `find` refuses.
        if not isinstance(name, str) or name not in _by_name:
            _by_name[name] = preset_convention(find(name))
        convention = _by_name[name]
    return convention.replace(**policies) if policies else convention


@suggest_keywords
def describe(name: str) -> Preset:
    """Return a preset: its policies, measures, summary, evidence and source.

    Examples
    --------
    >>> describe("trec_eval").evidence
    'run'
    """
    return find(name)


@suggest_keywords
def presets() -> list[Preset]:
    """Return every preset; the default convention comes first.

    Examples
    --------
    >>> [preset.name for preset in presets()][0]
    'gainful-1'
    """
    return load_all()
