"""Find conventions and presets by name."""

from __future__ import annotations

from gainful.conventions.convention import Convention, preset_convention
from gainful.conventions.presets import Preset, find, load_all

__all__ = ["describe", "get", "presets"]


def get(convention: str | Convention = "gainful-1") -> Convention:
    """Return the convention of a name; return a `Convention` unchanged.

    Parameters
    ----------
    convention : str or Convention
        ``"trec_eval-9.0.8"``, or a shorter name for the newest stable version: ``"trec_eval"``.

    Raises
    ------
    ConventionError
        If no convention has this name; the message lists similar names.

    Examples
    --------
    >>> get("trec_eval").name
    'trec_eval-9.0.8'
    """
    return convention if isinstance(convention, Convention) else preset_convention(find(convention))


def describe(name: str) -> Preset:
    """Return a preset: its policies, measures, summary, evidence and source.

    Examples
    --------
    >>> describe("trec_eval").evidence
    'run'
    """
    return find(name)


def presets() -> list[Preset]:
    """Return every preset; the default convention comes first.

    Examples
    --------
    >>> [preset.name for preset in presets()][0]
    'gainful-1'
    """
    return load_all()
