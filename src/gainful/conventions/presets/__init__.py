"""The presets: conventions named after the tool and version whose numbers they give.

One file a tool declares them; this file says which, so that asking for one opens one file.
"""

from __future__ import annotations

from gainful.errors import ArgumentError, ConventionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# From the name of a preset to the file that declares it, in the order of listings. A name is the
# tool, its version and, where one tool has several, the variant; of several versions of a tool the
# one that its name alone means comes first.
PRESETS = {
    "gainful-1": "gainful",
    "trec_eval-9.0.8": "trec_eval",
    "trec_eval-10.0-rc3": "trec_eval",
    "pytrec_eval-0.5.11": "pytrec_eval",
    "ir_measures-0.4.3": "ir_measures",
    "ir_measures-0.4.3-exp-log2": "ir_measures",
    "gdeval-1.3": "gdeval",
    "ndeval-4.5": "ndeval",
    "beir-2.2.0": "beir",
    "mteb-2.26.24": "mteb",
    "trectools-0.0.50": "trectools",
    "trectools-0.0.50-exponential": "trectools",
    "ranx-0.3.21": "ranx",
    "ranx-0.3.21-burges": "ranx",
    "ranx-0.3.21-dict": "ranx",
    "cwl_eval-1.0.12": "cwl_eval",
    "scikit-learn-1.9.1": "scikit_learn",
    "scikit-learn-1.9.1-returned": "scikit_learn",
    "scikit-learn-1.9.1-ignore_ties": "scikit_learn",
    "torchmetrics-1.9.0": "torchmetrics",
    "rax-0.4.0": "rax",
    "tensorflow-ranking-0.5.5": "tensorflow_ranking",
    "tfma-0.52.0": "tfma",
    "lightgbm-4.7.0": "lightgbm",
    "xgboost-3.2.0": "xgboost",
    "xgboost-3.2.0-linear": "xgboost",
    "xgboost-3.2.0-minus": "xgboost",
    "catboost-1.2.10": "catboost",
    "catboost-1.2.10-exp": "catboost",
    "catboost-1.2.10-position": "catboost",
    "catboost-1.2.10-exp-position": "catboost",
    "spark-4.3.0": "spark",
    "spark-4.3.0-graded": "spark",
    "pyspark-4.3.0": "spark",
    "lenskit-2025.8.1": "lenskit",
    "lenskit-2025.8.1-rating": "lenskit",
    "recbole-1.2.1": "recbole",
    "recpack-0.3.6": "recpack",
    "elliot-0.3.1": "elliot",
    "cornac-3.0.1": "cornac",
    "implicit-0.7.3": "implicit",
    "recommenders-1.2.1": "recommenders",
    "recommenders-1.2.1-raw": "recommenders",
    "recommenders-1.2.1-exp": "recommenders",
    "sentence-transformers-6.2.0": "sentence_transformers",
    "caserecommender-1.1.1": "caserecommender",
    "elasticsearch-9.4.2": "elasticsearch",
    "opensearch-3.1.0": "opensearch",
    "quepid-8.6": "quepid",
    "quepid-8.6-cut": "quepid",
    "rre-1.1": "rre",
    "pyvespa-1.2.9": "pyvespa",
    "pyvespa-1.2.9-binary": "pyvespa",
    "haystack-3.4.0": "haystack",
    "llama-index-0.14.25": "llama_index",
    "mlflow-3.17.2": "mlflow",
    "evidently-0.7.23": "evidently",
    "phoenix-20.26.1": "phoenix",
    "jarvelin-kekalainen-2002": "papers",
    "burges-2005": "papers",
}

# What people call a tool beside the name that its presets have.
OTHER_NAMES = {
    "scikit-learn": ("sklearn",),
}


# Filled when first asked for: most name a preset in full, or none.
_shorter: dict[str, str] = {}


def shorter() -> dict[str, str]:
    """Return what a name means that leaves out the version, or the end of it.

    ``tool`` and ``tool-9.0`` mean ``tool-9.0.8``, and ``tool-variant`` means
    ``tool-9.0.8-variant``: the first preset of a tool, which is its newest stable version.
    """
    if _shorter:
        return _shorter
    for name in PRESETS:
        tool, version, variant = _parts(name)
        numbers = version.split(".")
        versions = ["", *(".".join(numbers[:count]) for count in range(1, len(numbers) + 1))]
        for called in (tool, *OTHER_NAMES.get(tool, ())):
            for short in versions:
                key = "-".join(part for part in (called, short, variant) if part)
                if key not in PRESETS:
                    _shorter.setdefault(key, name)
    return _shorter


def _parts(name: str) -> tuple[str, str, str]:
    """Return tool, version and variant: ``xgboost-3.2.0-linear`` is xgboost, 3.2.0, linear."""
    words = name.split("-")
    at = next((i for i, word in enumerate(words) if i and word[:1].isdigit()), len(words))
    version = words[at] if at < len(words) else ""
    rest = words[at + 1 :]
    if rest and rest[0].startswith("rc"):
        version += f"-{rest.pop(0)}"
    return "-".join(words[:at]), version, "-".join(rest)


def tool_of(name: str) -> str:
    """Return the tool that a preset is named after.

    Examples
    --------
    >>> tool_of("trec_eval-9.0.8")
    'trec_eval'
    """
    return _parts(name)[0]


class Preset:
    """What is known of a tool: its policies, its measures, and the evidence for them.

    `gainful.conventions.get` returns the convention of a preset's name.

    Parameters
    ----------
    name : str
        Tool and version: ``"trec_eval-9.0.8"``.
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
    """

    __slots__ = (
        "evidence",
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
        summary: str,
        evidence: str,
        source: str,
        measures: tuple[str, ...] | None,
        names: Mapping[str, str | None] | None = None,
        usual: tuple[str, ...] = (),
        policies: Mapping[str, object] | None = None,
        remarks: tuple[str, ...] = (),
    ) -> None:
        self.name = name
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


def load(name: str) -> Preset:
    """Return the preset of exactly this name."""
    if name not in _loaded:
        module = __import__(f"{__name__}.{PRESETS[name]}", fromlist=["DECLARED"])
        for preset in module.DECLARED:
            _loaded[preset.name] = preset
    return _loaded[name]


def find(name: object) -> Preset:
    """Return the preset that a name means, in any case and with ``-`` for ``_``.

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
    if name in PRESETS:
        return load(name)
    means = shorter()
    names = {_plain(each): each for each in (*means, *PRESETS)}
    found = names.get(_plain(name))
    if found is None:
        from difflib import get_close_matches

        close = get_close_matches(_plain(name), names, n=3, cutoff=0.5)
        likely = list(dict.fromkeys(means.get(names[each], names[each]) for each in close))
        raise ConventionError(
            found=f"the unknown convention {name!r}",
            expected=f"one of the {len(PRESETS)} that `gainful conventions` lists",
            hint=f"did you mean {' or '.join(likely)}?" if likely else None,
        )
    return load(means.get(found, found))


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")
