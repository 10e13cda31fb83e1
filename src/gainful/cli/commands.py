"""The commands by task, and the names that the shell completes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["COMMANDS", "GROUPS", "TARGETS"]

#: The commands by task, each with its line of the help.
GROUPS = {
    "Evaluate": {
        "evaluate": "Evaluate runs against relevance judgments.",
        "evaluate-suite": "Evaluate and compare systems on several collections.",
        "recommenders": "Evaluate recommenders: accuracy, coverage, diversity.",
        "rank-results": "Rank systems by MTEB or BEIR result files.",
        "explain": "Explain a query's score, rank by rank.",
        "headroom": "Locate systems between random and ideal order.",
        "measure-abstention": "Measure answers to questions that have none.",
        "report": "Write an HTML report that compares runs.",
        "sql": "Print a SQL query that computes measures.",
        "trec_eval": "Evaluate with trec_eval's options and output.",
    },
    "Compare": {
        "compare": "Compare runs with paired significance tests.",
        "gate": "Check a run for regressions against a snapshot.",
        "trend": "Test how a measure changed over releases.",
        "analyze-power": "Estimate how many queries a comparison needs.",
        "analyze-shards": "Test whether differences hold for other documents.",
        "compare-measures": "Compare measures by discriminative power and agreement.",
        "compare-online": "Compare offline differences with online experiments.",
        "contrast": "Attribute convention differences to single policies.",
        "reconcile": "Find the convention behind a reported number.",
        "reproduce": "Check whether a rerun reproduces an original experiment.",
        "verify": "Check whether a result's input files are unchanged.",
    },
    "Judgments": {
        "pool": "Choose the documents of several runs to judge.",
        "judge": "Judge documents on a local web page.",
        "judge-llm": "Grade pooled documents with a language model.",
        "assess-judgments": "Report judgment coverage and inter-annotator agreement.",
        "find-unjudged": "Find unjudged documents that could reverse a verdict.",
        "convert": "Convert judgments and runs between file formats.",
        "locate": "Find quotes in the texts of documents.",
    },
    "Live systems": {
        "search": "Run every query against a live system.",
        "sweep": "Grid-search the settings of a live system.",
        "baseline": "Build a baseline run: BM25, dense or fused.",
        "engines": "List search engines, or print a starter description.",
    },
    "Reference": {
        "measures": "List measures, or describe one in full.",
        "conventions": "List conventions, describe one, or diff two.",
        "datasets": "List test collections on disk or of ir_datasets.",
        "config": "Show defaults of options, and their origin.",
        "demo": "Show the main features on a small shop.",
        "completion": "Print a script for shell completion.",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}

#: Modules of several commands, which are functions there.
_SHARED = {
    "contrast": ("contrast", "reconcile"),
    "convert": ("convert", "locate"),
    "explain": ("explain", "headroom", "measure-abstention"),
    "gate": ("gate", "reproduce", "verify"),
    "pool": ("pool", "assess-judgments", "find-unjudged"),
    "power": ("analyze-power", "analyze-shards", "compare-measures", "compare-online"),
    "reference": ("completion", "config", "conventions", "datasets", "measures", "trec_eval"),
    "report": ("report", "trend"),
    "search": ("search", "sweep", "engines"),
    "suite": ("evaluate-suite", "rank-results"),
}
_PLACES = {name: (module, name) for module, names in _SHARED.items() for name in names}
#: Where each is declared.
TARGETS = {
    name: "gainful.cli.{}:{}".format(*_PLACES.get(name, (name, "command"))).replace("-", "_")
    for name in COMMANDS
}


def measures() -> Iterator[str]:
    """Yield the names of measures, also with cutoff 10 if they take one."""
    from gainful.measures import families

    for family in families():
        yield family.name
        if family.takes_cutoff:
            yield f"{family.name}@10"


def conventions() -> Iterator[str]:
    """Yield the names of conventions."""
    from gainful.conventions import presets, read

    yield from read()
    for preset in presets():
        yield preset.name


def policies() -> Iterator[str]:
    """Yield policies with their values."""
    from gainful.conventions import POLICIES

    for policy in POLICIES:
        for value in policy.values:
            yield f"{policy.name}={value}"
    yield "name="


def commands() -> Iterator[str]:
    """Yield the names of commands."""
    yield from COMMANDS


def engines() -> Iterator[str]:
    """Yield the names of engines."""
    from gainful.systems.description import ENGINES

    yield from ENGINES
