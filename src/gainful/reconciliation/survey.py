"""Find the policies that can make a difference on given data."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from gainful import _kernel
from gainful.conventions import Convention, Preset, presets
from gainful.conventions.convention import preset_convention
from gainful.errors import GainfulError
from gainful.evaluation.error_context import add_convention_context
from gainful.reconciliation.space import RANKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gainful.data import Qrels, Run

#: Conventions that reject no data. Ties have the largest effect under the second.
_PLAIN = Convention(duplicates="count")
_OPEN = _PLAIN.replace(ties="expected")
#: A convention whose other policies can leave documents without judgments.
_GAPS = _PLAIN.replace(duplicates="blank", negative="unjudged")
#: Policies on tied scores, which have no effect if the ranking does not depend on scores.
_SCORE_POLICIES = ("ties", "precision")
#: Policies that only reject data.
REFUSALS = {"extra": "ignore", "single": "keep", "largest_grade": "any"}
#: The value that replaces that of a policy that rejects the data.
_RELAXED = {**REFUSALS, "missing": "empty", "negative": "zero", "fractions": "keep"}

_REASONS = {
    "order": "the rows are in score order",
    "ties": "no equal scores",
    "precision": "no scores that are equal in 32 bits",
    "unjudged": "every returned document has a judgment",
    "unretrieved": "every judged document was returned",
    "negative": "no negative grades",
    "fractions": "no grades with a fraction",
    "duplicates": "no duplicate documents",
    "same_id": "no document with the id of its query",
    "missing": "the run has every judged query",
    "no_relevant": "every query has relevant documents",
    "gain": "the grades are 0 and 1",
}


@dataclass(frozen=True)
class TriedPreset:
    """A preset, with changes if it rejects the data.

    Parameters
    ----------
    name : str
        The name of the preset.
    convention : Convention
        Its convention, with policies that reject the data replaced.
    relaxed : tuple of str
        The replacements, such as ``"single=keep"``.
    refuses : bool
        Whether the convention rejects the data in spite of the replacements.
    """

    name: str
    convention: Convention
    relaxed: tuple[str, ...] = ()
    _: KW_ONLY
    refuses: bool = False


class Survey:
    """The presets and policy values that can make a difference on given data.

    Attributes
    ----------
    known : list of TriedPreset
        The presets; those that reject the data unless changed come last.
    refusals : dict of str to str
        The error message of each preset that rejects the data, by its name.
    values : dict of str to list
        The values of each ranking policy to try; a single one if the policy makes no difference.
    indifferent : dict of str to str
        Policies that make no difference on these data, and why.
    grades : list of float
        The distinct grades, ascending.
    missing : int
        Number of judged queries that the run with the fewest queries lacks.
    queries, longest, deepest, rows : int
        Number of judged queries in the run with the fewest, of documents in the longest ranking and
        in the largest pool, and of rows in all runs.
    tied : (int, int)
        Number of tied documents, with scores of 64 and of 32 bits.
    """

    def __init__(
        self, qrels: Qrels, runs: Sequence[Run], tied: tuple[int, int], threads: int
    ) -> None:
        named = presets()
        self.tied = tied
        variants = [
            (policy, value, base)
            for policy, values in RANKING.items()
            for value in values
            for base in (_PLAIN, _OPEN)
        ]
        variants += [("unjudged", value, _GAPS) for value in RANKING["unjudged"]]
        bases = [base.replace(**{policy: value}) for policy, value, base in variants]
        surveyed = _kernel.reconcile_survey(
            qrels._rows,
            [run._rows for run in runs],
            [each.spec() for each in bases]
            + [preset_convention(preset).spec() for preset in named],
            threads=threads,
        )
        self.queries, self.longest, self.deepest, self.grades, fingerprints = surveyed
        self.rows = sum(len(run._rows) for run in runs)
        self.missing = len(qrels) - self.queries
        self.refusals: dict[str, str] = {}
        self.known: list[TriedPreset] = []
        refusing: list[Preset] = []
        for preset, found in zip(named, fingerprints[len(bases) :], strict=True):
            if isinstance(found, GainfulError):
                self.refusals[preset.name] = str(
                    add_convention_context(found, preset_convention(preset))
                )
                refusing.append(preset)
            else:
                self.known.append(TriedPreset(preset.name, preset_convention(preset)))
        self.known += [_relax(preset, qrels, runs, threads) for preset in refusing]
        self._same: dict[tuple[str, object], object] = {}
        self.values: dict[str, list[object]] = {}
        self.indifferent: dict[str, str] = {}
        self._compare(variants, fingerprints)

    def _compare(
        self, variants: list[tuple[str, object, Convention]], fingerprints: list[int | Exception]
    ) -> None:
        found: dict[str, dict[object, list[int | Exception]]] = {}
        for (policy, value, _), fingerprint in zip(variants, fingerprints, strict=False):
            found.setdefault(policy, {}).setdefault(value, []).append(fingerprint)
        for policy, by_value in found.items():
            first: dict[tuple[object, ...], object] = {}
            distinct: list[object] = []
            for value, own in by_value.items():
                if any(isinstance(each, Exception) for each in own):
                    continue  # The value rejects the data, such as order=rank without ranks.
                # Tie policies are all distinct, unless no documents are tied (below).
                key = (*own[:1], value) if policy == "ties" else tuple(own)
                if key not in first:
                    distinct.append(value)
                self._same[policy, value] = first.setdefault(key, value)
            self.values[policy] = distinct
        if not any(self.tied) and len(self.values["unretrieved"]) == 1:
            for value in self.values["ties"]:
                self._same["ties", value] = "doc-id-desc"
            self.values["ties"] = ["doc-id-desc"]
        for policy, values in self.values.items():
            if len(values) == 1:
                self.indifferent[policy] = _REASONS[policy]
        if not self.missing:
            self.indifferent["missing"] = _REASONS["missing"]

    def same(self, policy: str, value: object) -> object:
        """Return the first value of a policy that has the same effect as a given value."""
        return self._same.get((policy, value), value)

    def has_effect(self, policy: str, convention: Convention) -> bool:
        """Return whether a policy has any effect under the others of a convention."""
        if policy not in _SCORE_POLICIES or convention.unretrieved == "last":
            return True
        if convention.order != "score":
            return policy == "ties" and convention.order == "rank"
        if policy == "ties":
            return bool(self.tied[convention.precision == "float32"])
        return True

    def values_of(self, convention: Convention) -> tuple[object, ...]:
        """Return a convention's values of the ranking policies, each replaced by `same`."""
        return tuple(self.same(policy, getattr(convention, policy)) for policy in RANKING)

    def key(self, convention: Convention) -> tuple[object, ...]:
        """Return the values of the ranking policies, None for policies without effect."""
        return tuple(
            value if self.has_effect(policy, convention) else None
            for policy, value in zip(RANKING, self.values_of(convention), strict=True)
        )

    def differing(self, ours: Convention, theirs: Convention) -> list[str]:
        """Return the names of the ranking policies in which two conventions differ."""
        pairs = zip(RANKING, self.key(ours), self.values_of(theirs), strict=True)
        return [policy for policy, own, other in pairs if own is not None and own != other]

    def relevance_levels(self) -> list[float]:
        """Return the grades that may be the lowest relevant grade."""
        return [grade for grade in self.grades if grade > 0]


def _relax(preset: Preset, qrels: Qrels, runs: Sequence[Run], threads: int) -> TriedPreset:
    """Return a preset changed to accept the data, if possible in only one policy."""
    convention = preset_convention(preset)
    refusing = [name for name, value in _RELAXED.items() if _rejects_data(convention, name, value)]
    tries = [[name] for name in refusing]
    if len(refusing) > 1:
        tries.append(refusing)
    relaxed = [convention.replace(**{name: _RELAXED[name] for name in names}) for names in tries]
    surveyed = _kernel.reconcile_survey(
        qrels._rows,
        [run._rows for run in runs],
        [each.spec() for each in relaxed],
        threads=threads,
    )
    for names, each, found in zip(tries, relaxed, surveyed[-1], strict=True):
        if not isinstance(found, Exception):
            return TriedPreset(
                preset.name, each, tuple(f"{name}={_RELAXED[name]}" for name in names)
            )
    return TriedPreset(preset.name, convention, refuses=True)


def _rejects_data(convention: Convention, policy: str, neutral: str) -> bool:
    value = getattr(convention, policy)
    return value == "error" or (policy == "largest_grade" and value != neutral)
