"""Find conventions and presets by name."""

from __future__ import annotations

from gainful.conventions.convention import Convention, preset_convention
from gainful.conventions.presets import Preset, find, load_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from gainful.policies import PolicyKeywords

__all__ = ["describe", "get", "presets"]


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
        convention = preset_convention(find(convention))
    return convention.replace(**policies) if policies else convention


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
