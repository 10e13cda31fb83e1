"""The presets: conventions named after the tool and version whose numbers they give.

One file per tool declares them, and its name is the tool's. A name is the tool, its version and,
where one tool has several, the variant; of several versions of a tool the one that its name alone
means comes first.
"""

from __future__ import annotations

from gainful.errors import ArgumentError, ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The fields of work that tools come from, in the order of listings.
FIELDS = ("retrieval", "learning to rank", "recommenders", "search engines and RAG", "papers")


class Preset:
    """What is known of a tool: its policies, its measures, and the evidence for them.

    `gainful.conventions.get` returns the convention of a preset's name.

    Parameters
    ----------
    name : str
        Tool and version: ``"trec_eval-9.0.8"``.
    field : str
        The field of work that the tool comes from: one of `FIELDS`.
    summary : str
        What is particular about it, one line.
    evidence : {"defined", "run", "re-expressed", "read"}
        How we know: we define it; we ran the tool; we wrote its program again and ran that; we
        read its program.
    source : str
        Where it is documented what the tool does, or the tool itself.
    measures : tuple of str, optional
        The families of measures for which the convention was verified to give the tool's numbers;
        ``None`` for all, which only the default convention has. Other measures are refused.
    names : dict of str to str or None, optional
        The tool's names of measures that Gainful would read otherwise or not at all, with the
        measure that each means; ``None`` for one that is refused. ``{}`` in a measure stands for
        the digits after the name, with a dot or ``@`` between them: ``{"rbp": "RBP(p=0.{})"}``
        reads ``rbp.95``.
    usual : tuple of str, optional
        What is measured where no measure is named; without it, those of Gainful's own default
        measures that are verified.
    policies : dict
        The fields of its `Convention` that differ from the default convention's.
    remarks : tuple of str
        What else to know, a sentence each without a full stop: a defect that is reproduced, what
        the tool does that no convention can say, when its order is arbitrary.
    also : tuple of str, optional
        Other names of the tool.
    """

    __slots__ = (
        "also",
        "evidence",
        "field",
        "measures",
        "name",
        "names",
        "policies",
        "remarks",
        "source",
        "summary",
        "usual",
    )

    def __init__(
        self,
        name: str,
        *,
        field: str,
        summary: str,
        evidence: str,
        source: str,
        measures: tuple[str, ...] | None,
        names: Mapping[str, str | None] | None = None,
        usual: tuple[str, ...] = (),
        policies: Mapping[str, object] | None = None,
        remarks: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.field = field
        self.also = also
        self.summary = summary
        self.evidence = evidence
        self.source = source
        self.measures = measures
        self.names = dict(names or {})
        self.usual = usual
        self.remarks = remarks
        self.policies = dict(policies or {})

    def __repr__(self) -> str:
        return f"<preset {self.name}: {self.summary}>"


_loaded: dict[str, Preset] = {}


def load(name: str) -> Preset | None:
    """Return the preset of exactly this name; None if there is none.

    Examples
    --------
    >>> load("trec_eval-9.0.8"), load("trec_eval")
    (<preset trec_eval-9.0.8: ...>, None)
    """
    if name not in _loaded:
        _declared(_parts(name)[0])
    return _loaded.get(name)


def every() -> list[Preset]:
    """Return every preset by field, those verified for the most measures first."""
    from pkgutil import iter_modules

    tools = [_declared(module.name) for module in iter_modules(__path__)]

    def place(presets: tuple[Preset, ...]) -> tuple[int, int, int]:
        for_all = any(preset.measures is None for preset in presets)
        most = max(len(preset.measures or ()) for preset in presets)
        return FIELDS.index(presets[0].field), -for_all, -most

    return [preset for presets in sorted(tools, key=place) for preset in presets]


def find(name: object) -> Preset:
    """Return the preset that a name means, in any case and with ``-`` for ``_``.

    ``tool`` and ``tool-9.0`` mean ``tool-9.0.8``, and ``tool-variant`` means
    ``tool-9.0.8-variant``: the first preset of a tool, which is its newest stable version.

    Raises
    ------
    ConventionError
        If there is none; the message says which names are close.
    """
    if not isinstance(name, str):
        raise ArgumentError(
            found=f"{type(name).__name__} as a convention",
            expected="a name such as 'trec_eval-9.0.8', or a Convention",
        )
    exact = load(name)
    if exact is not None:
        return exact
    plain = _plain(name)
    words = plain.split("-")
    for count in range(len(words), 0, -1):
        found = _names(_declared("-".join(words[:count]))).get(plain)
        if found is not None:
            return found
    # A name that does not begin with a tool's.
    presets = every()
    names = _names(presets)
    if plain in names:
        return names[plain]
    from difflib import get_close_matches

    close = get_close_matches(plain, names, n=3, cutoff=0.5)
    likely = list(dict.fromkeys(names[each].name for each in close))
    raise ConventionError(
        found=f"the unknown convention {name!r}",
        expected=f"one of the {len(presets)} that `gainful conventions` lists",
        hint=f"did you mean {' or '.join(likely)}?" if likely else None,
    )


def _declared(tool: str) -> tuple[Preset, ...]:
    """Return the presets of a tool's file; none where it has none."""
    module = tool.replace("-", "_").lower()
    if not module.isidentifier() or module.startswith("_"):
        return ()
    try:
        declared = __import__(f"{__name__}.{module}", fromlist=["DECLARED"]).DECLARED
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{module}":
            raise
        return ()
    for preset in declared:
        _loaded[preset.name] = preset
    return declared  # type: ignore[no-any-return]


def _names(presets: Iterable[Preset]) -> dict[str, Preset]:
    """Return what full names, and names without the version or its end, mean."""
    full = {_plain(preset.name): preset for preset in presets}
    shorter: dict[str, Preset] = {}
    for preset in full.values():
        tool, version, variant = _parts(preset.name)
        numbers = version.split(".")
        versions = ["", *(".".join(numbers[:count]) for count in range(1, len(numbers) + 1))]
        for called in (tool, *preset.also):
            for short in versions:
                key = "-".join(part for part in (called, short, variant) if part)
                shorter.setdefault(_plain(key), preset)
    return {**shorter, **full}


def _parts(name: str) -> tuple[str, str, str]:
    """Return tool, version and variant: ``xgboost-3.2.0-linear`` is xgboost, 3.2.0, linear."""
    words = name.split("-")
    at = next((i for i, word in enumerate(words) if i and word[:1].isdigit()), len(words))
    version = words[at] if at < len(words) else ""
    rest = words[at + 1 :]
    if rest and rest[0].startswith("rc"):
        version += f"-{rest.pop(0)}"
    return "-".join(words[:at]), version, "-".join(rest)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")
