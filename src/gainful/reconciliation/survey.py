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
    from gainful.data import Qrels, Run

#: They reject no data. With the second, ties make the largest difference.
_PLAIN = Convention(duplicates="count")
_OPEN = _PLAIN.replace(ties="expected")
#: Documents may lack judgments because of other policies.
_GAPS = _PLAIN.replace(duplicates="blank", negative="unjudged")
#: Policies on ties of scores, which have no effect if scores are not compared.
_OF_SCORES = ("ties", "precision")
#: Policies that only reject data.
REFUSALS = {"extra": "ignore", "single": "keep", "largest_grade": "any"}
#: The replacement of a policy that rejects the data, as a user would choose it.
_RELAXED = {**REFUSALS, "missing": "empty", "negative": "zero", "fractions": "keep"}

_WHY = {
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
class Known:
    """A preset as it is tried on these data.

    Parameters
    ----------
    name : str
        The name of the preset.
    convention : Convention
        Its convention, without the policies that reject these data.
    relaxed : tuple of str
        Their replacements: ``"single=keep"``.
    refuses : bool
        Whether it rejects the data even so.
    """

    name: str
    convention: Convention
    relaxed: tuple[str, ...] = ()
    _: KW_ONLY
    refuses: bool = False


class Survey:
    """What can make a difference on these data.

    Attributes
    ----------
    known : list of Known
        The presets; those that reject the unchanged data come last.
    refusals : dict of str to str
        Presets that reject the unchanged data, and why.
    values : dict of str to list
        The values of each ranking policy to try; a single one if the policy makes no difference.
    indifferent : dict of str to str
        Policies that make no difference on these data, and why.
    grades : list of float
        The distinct grades, ascending.
    missing : int
        Number of judged queries that the run lacks.
    queries, longest, deepest, rows : int
        Number of common queries, of documents in the longest ranking and in the largest pool, and
        of rows in the run.
    """

    def __init__(self, qrels: Qrels, run: Run, tied: tuple[int, int], threads: int) -> None:
        named = presets()
        self.tied = tied
        variants = [
            (policy, value, base)
            for policy, values in RANKING.items()
            for value in values
            for base in (_PLAIN, _OPEN)
        ]
        variants += [("unjudged", value, _GAPS) for value in RANKING["unjudged"]]
        asked = [base.replace(**{policy: value}) for policy, value, base in variants]
        surveyed = _kernel.reconcile_survey(
            qrels._rows,
            run._rows,
            [each.spec() for each in asked]
            + [preset_convention(preset).spec() for preset in named],
            threads=threads,
        )
        self.queries, self.longest, self.deepest, self.grades, prints = surveyed
        self.rows = len(run._rows)
        self.missing = len(qrels) - self.queries
        self.refusals: dict[str, str] = {}
        self.known: list[Known] = []
        refusing: list[Preset] = []
        for preset, found in zip(named, prints[len(asked) :], strict=True):
            if isinstance(found, GainfulError):
                self.refusals[preset.name] = str(
                    add_convention_context(found, preset_convention(preset))
                )
                refusing.append(preset)
            else:
                self.known.append(Known(preset.name, preset_convention(preset)))
        self.known += [_relaxed(preset, qrels, run, threads) for preset in refusing]
        self._same: dict[tuple[str, object], object] = {}
        self.values: dict[str, list[object]] = {}
        self.indifferent: dict[str, str] = {}
        self._compare(variants, prints)

    def _compare(
        self, variants: list[tuple[str, object, Convention]], prints: list[int | Exception]
    ) -> None:
        found: dict[str, dict[object, list[int | Exception]]] = {}
        for (policy, value, _), print_ in zip(variants, prints, strict=False):
            found.setdefault(policy, {}).setdefault(value, []).append(print_)
        for policy, by_value in found.items():
            first: dict[tuple[object, ...], object] = {}
            worth: list[object] = []
            for value, own in by_value.items():
                if any(isinstance(each, Exception) for each in own):
                    continue  # For example order=rank without ranks.
                # The base has its own policy on ties.
                key = (*own[:1], value) if policy == "ties" else tuple(own)
                if key not in first:
                    worth.append(value)
                self._same[policy, value] = first.setdefault(key, value)
            self.values[policy] = worth
        if not any(self.tied) and len(self.values["unretrieved"]) == 1:
            for value in self.values["ties"]:
                self._same["ties", value] = "doc-id-desc"
            self.values["ties"] = ["doc-id-desc"]
        for policy, values in self.values.items():
            if len(values) == 1:
                self.indifferent[policy] = _WHY[policy]
        if not self.missing:
            self.indifferent["missing"] = _WHY["missing"]

    def same(self, policy: str, value: object) -> object:
        """Return the first value that is equivalent to a policy's value on these data."""
        return self._same.get((policy, value), value)

    def decides(self, policy: str, convention: Convention) -> bool:
        """Return whether a policy has any effect under the others of a convention."""
        if policy not in _OF_SCORES or convention.unretrieved == "last":
            return True
        if convention.order != "score":
            return policy == "ties" and convention.order == "rank"
        if policy == "ties":
            return bool(self.tied[convention.precision == "float32"])
        return True

    def values_of(self, convention: Convention) -> tuple[object, ...]:
        """Return the policies on rankings, each reduced by `same`."""
        return tuple(self.same(policy, getattr(convention, policy)) for policy in RANKING)

    def key(self, convention: Convention) -> tuple[object, ...]:
        """Return the policies on rankings, None for those without effect."""
        return tuple(
            value if self.decides(policy, convention) else None
            for policy, value in zip(RANKING, self.values_of(convention), strict=True)
        )

    def differing(self, ours: Convention, theirs: Convention) -> list[str]:
        """Return the policies on rankings in which two conventions differ."""
        pairs = zip(RANKING, self.key(ours), self.values_of(theirs), strict=True)
        return [policy for policy, own, other in pairs if own is not None and own != other]

    def level_candidates(self) -> list[float]:
        """Return the grades that may be the lowest relevant one."""
        return [grade for grade in self.grades if grade > 0]


def _relaxed(preset: Preset, qrels: Qrels, run: Run, threads: int) -> Known:
    """Return a preset without a policy that rejects the data, or without all of them."""
    convention = preset_convention(preset)
    refusing = [name for name, value in _RELAXED.items() if _refuses(convention, name, value)]
    tries = [[name] for name in refusing]
    if len(refusing) > 1:
        tries.append(refusing)
    relaxed = [convention.replace(**{name: _RELAXED[name] for name in names}) for names in tries]
    surveyed = _kernel.reconcile_survey(
        qrels._rows, run._rows, [each.spec() for each in relaxed], threads=threads
    )
    for names, each, found in zip(tries, relaxed, surveyed[-1], strict=True):
        if not isinstance(found, Exception):
            return Known(preset.name, each, tuple(f"{name}={_RELAXED[name]}" for name in names))
    return Known(preset.name, convention, refuses=True)


def _refuses(convention: Convention, policy: str, neutral: str) -> bool:
    value = getattr(convention, policy)
    return value == "error" or (policy == "largest_grade" and value != neutral)
