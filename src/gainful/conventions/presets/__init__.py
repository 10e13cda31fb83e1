"""The presets: conventions that reproduce a tool and version.

Each file declares the presets of the tools of one field of use, by tool. A name is the tool, its
version and, if the tool has several, the variant. The preset that a tool's name alone means comes
first.
"""

from __future__ import annotations

from gainful.conventions.checks import COMMON, RECORDS
from gainful.errors import ArgumentError, ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.conventions.checks import Check

#: The fields that tools come from, in listing order.
FIELDS = ("retrieval", "learning to rank", "recommenders", "search engines and RAG", "papers")


#: The level of relevance of tools that count every grade above 0. It is a normal 32-bit float.
ABOVE_ZERO = {"rel": 1e-30}


class Preset:
    """A tool's policies, its verified measures, and the evidence for them.

    `gainful.conventions.get` returns the convention of a preset's name.

    Parameters
    ----------
    name : str
        Tool and version: ``"trec_eval-9.0.8"``.
    field : str
        The field that the tool comes from: one of `FIELDS`.
    summary : str
        Its characteristics in one line.
    evidence : {"defined", "run", "re-expressed", "read"}
        How it was verified: Gainful defines it; the tool was run; its program was rewritten and
        run; its program was read.
    source : str
        Where the tool's behavior is documented, or the tool itself.
    checks : dict of str to Check
        By family of measures, how the tool's measure compares with Gainful's. Each preset has one
        for each family of `gainful.conventions.checks.COMMON`.
    others : tuple of str, optional
        Further measure families for which the convention was verified to reproduce the tool;
        ``None`` for all, which only the default convention has.
    names : dict of str to str or None, optional
        The tool's names that Gainful would read differently or not at all, with the measure that
        each means; ``None`` rejects a name. ``{}`` in a measure is replaced by the digits after the
        name, following a dot or ``@``: ``{"rbp": "RBP(p=0.{})"}`` reads ``rbp.95``. The names in
        `checks` are added.
    suffixes : dict of str to str, optional
        What the tool writes after the names of other measures than this preset's, each with a hint;
        without a hint it is read and means nothing: ``{"-": ""}`` reads ``ndcg@5-``.
    usual : tuple of str, optional
        The default measures. Without them: Gainful's own that are verified.
    policies : dict
        The fields of its `Convention` that differ from the default convention.
    remarks : tuple of str
        Further facts, one sentence each without a full stop: a reproduced defect, behavior that no
        convention can express, an arbitrary order.
    also : tuple of str, optional
        Other names of the tool.
    grades : str, optional
        The grades for which the numbers are the tool's. Default: those that `policies` accept.

    Attributes
    ----------
    measures : tuple of str or None
        The families with equal numbers; ``None`` for all. Other measures are rejected.
    """

    __slots__ = (
        "also",
        "checks",
        "evidence",
        "field",
        "grades",
        "measures",
        "name",
        "names",
        "policies",
        "remarks",
        "source",
        "suffixes",
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
        checks: Mapping[str, Check],
        others: tuple[str, ...] | None = (),
        names: Mapping[str, str | None] | None = None,
        suffixes: Mapping[str, str] | None = None,
        usual: tuple[str, ...] = (),
        policies: Mapping[str, object] | None = None,
        remarks: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
        grades: str | None = None,
    ) -> None:
        self.name = name
        self.field = field
        self.also = also
        self.summary = summary
        self.evidence = evidence
        self.source = source
        self.checks = {family: checks[family] for family in (*COMMON, *checks) if family in checks}
        equal = tuple(name for name, check in self.checks.items() if check.status == "equal")
        self.measures = None if others is None else tuple(dict.fromkeys((*equal, *others)))
        self.names: dict[str, str | None] = {}
        for family, check in self.checks.items():
            self.names.update(check.names_to_read(family))
        self.names.update(names or {})
        self.suffixes = dict(suffixes or {})
        self.usual = usual
        self.remarks = remarks
        self.policies = dict(policies or {})
        self.grades = grades or _accepted_grades(self.policies)

    def difference(self, family: str) -> str | None:
        """Return how the tool's measure differs from a family; None if that is not known."""
        check = self.checks.get(family)
        if check is None or check.status != "different":
            return None
        name = f"{check.names[0]} of {self.name}" if check.names else self.name
        return f"{name}, which {check.text}"

    def of_tools_with(self, measure: str) -> list[str]:
        """Return the presets of the tools that have a measure of this name, and can be computed."""
        return [preset.name for preset in load_all() if preset.names.get(measure)]

    def __repr__(self) -> str:
        return f"<preset {self.name}: {self.summary}>"


def record_of(preset: Preset, check: Check) -> str | None:
    """Return the path of the recorded output that a check is based on, if it is based on one."""
    runs = (check.evidence or preset.evidence) == "run"
    if check.status == "absent" or not runs or check.where is not None:
        return None
    return f"{RECORDS}/{preset.name}.json"


def evidence_of(preset: Preset, check: Check) -> str:
    """Return how a check is known, in words: what was run or read, and where it is."""
    evidence = check.evidence or preset.evidence
    if evidence == "defined":
        return "defined by Gainful"
    if check.status == "absent":
        return ""
    return f"{evidence}: {record_of(preset, check) or check.where or preset.source}"


def _accepted_grades(policies: Mapping[str, object]) -> str:
    """Return the grades that policies accept, in words."""
    words = {"error": "whole", "truncate": "truncated"}.get(str(policies.get("fractions")), "any")
    low = "0" if policies.get("negative") == "error" else ""
    high = str(policies.get("largest_grade", ""))
    bounds = f", {low} to {high}" if low and high else f", up to {high}" if high else ""
    return words + (bounds or (low and ", 0 or more"))


#: The tools of each file of presets.
_TOOLS = {
    "learning_to_rank": """
        catboost lightgbm rax scikit_learn tensorflow_ranking torchmetrics xgboost
    """,
    "papers": "burges gainful jarvelin_kekalainen",
    "rag": "autorag autorag_research deepeval evidently mlflow phoenix ragas tfma trulens",
    "recommenders": """
        caserecommender cornac elliot implicit lenskit pyspark recbole recommenders recpack spark
    """,
    "retrieval": """
        beir cwl_eval gdeval ir_measures mteb ndeval ntcireval pytrec_eval ranx trectools
    """,
    "search_engines": """
        bright_pro elasticsearch haystack llama_index longmemeval mempalace opensearch pyvespa
        quepid rre sentence_transformers
    """,
    "trec_eval": "trec_eval",
}
_FILES = {tool: file for file, tools in _TOOLS.items() for tool in tools.split()}

_loaded: dict[str, Preset] = {}


def load(name: str) -> Preset | None:
    """Return the preset of exactly this name, or None.

    Examples
    --------
    >>> load("trec_eval-9.0.8"), load("trec_eval")
    (<preset trec_eval-9.0.8: ...>, None)
    """
    if name not in _loaded:
        _load_tool(_split_name(name)[0])
    return _loaded.get(name)


def load_all() -> list[Preset]:
    """Return every preset by field, most verified measures first."""
    tools = [_load_tool(tool) for tool in sorted(_FILES)]

    def place(presets: tuple[Preset, ...]) -> tuple[int, int, int]:
        for_all = any(preset.measures is None for preset in presets)
        most = max(len(preset.measures or ()) for preset in presets)
        return FIELDS.index(presets[0].field), -for_all, -most

    return [preset for presets in sorted(tools, key=place) for preset in presets]


def find(name: object) -> Preset:
    """Return the preset that a name means, ignoring case and ``-`` vs. ``_``.

    ``tool`` and ``tool-9.0`` mean ``tool-9.0.8``, and ``tool-variant`` means
    ``tool-9.0.8-variant``: the tool's first preset, its newest stable version.
    """
    if not isinstance(name, str):
        raise ArgumentError(
            found=f"{type(name).__name__} as a convention",
            expected="a name such as 'trec_eval-9.0.8', or a Convention",
        )
    exact = load(name)
    if exact is not None:
        return exact
    plain = _normalize_name(name)
    words = plain.split("-")
    for count in range(len(words), 0, -1):
        preset = _index_names(_load_tool("-".join(words[:count]))).get(plain)
        if preset is not None:
            return preset
    # The name does not start with a tool's.
    presets = load_all()
    names = _index_names(presets)
    if plain in names:
        return names[plain]
    from difflib import get_close_matches

    close = get_close_matches(plain, names, n=3, cutoff=0.5)
    likely = list(dict.fromkeys(names[name].name for name in close))
    raise ConventionError(
        found=f"the unknown convention {name!r}",
        expected=f"one of {len(presets)} names",
        hint=(f"did you mean {' or '.join(likely)}? " if likely else "")
        + "⟪conventions()⟫ lists all",
    )


def _load_tool(tool: str) -> tuple[Preset, ...]:
    """Return the presets of a tool, or none."""
    tool = tool.replace("-", "_").lower()
    if tool not in _FILES:
        return ()
    # importlib takes a millisecond to load.
    file = __import__(f"{__name__}.{_FILES[tool]}", fromlist=["DECLARED"])
    presets: tuple[Preset, ...] = file.DECLARED[tool]
    for preset in presets:
        _loaded[preset.name] = preset
    return presets


def _index_names(presets: Iterable[Preset]) -> dict[str, Preset]:
    """Return the preset of each full or shortened name."""
    full = {_normalize_name(preset.name): preset for preset in presets}
    shorter: dict[str, Preset] = {}
    for preset in full.values():
        tool, version, variant = _split_name(preset.name)
        numbers = version.split(".")
        versions = ["", *(".".join(numbers[:count]) for count in range(1, len(numbers) + 1))]
        for called in (tool, *preset.also):
            for short in versions:
                key = "-".join(part for part in (called, short, variant) if part)
                shorter.setdefault(_normalize_name(key), preset)
    return {**shorter, **full}


def _split_name(name: str) -> tuple[str, str, str]:
    """Split a name: ``xgboost-3.2.0-linear`` is xgboost, 3.2.0, linear."""
    words = name.split("-")
    place = next((i for i, word in enumerate(words) if i and word[:1].isdigit()), len(words))
    version = words[place] if place < len(words) else ""
    rest = words[place + 1 :]
    if rest and rest[0].startswith("rc"):
        version += f"-{rest.pop(0)}"
    return "-".join(words[:place]), version, "-".join(rest)


def _normalize_name(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")
