"""A contrast as the JSON contract ``gainful.contrast/1``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.contrasts.accounts import SystemAccount
    from gainful.contrasts.result import Contrast

__all__ = ["to_dict"]


def to_dict(contrast: Contrast, *, per_query: bool) -> dict[str, Any]:
    """Return a contrast as JSON values; NaN and infinity are None."""
    ranks = [contrast.ranks(end) for end in (0, 1)]
    plain: dict[str, object] = {
        "schema": "gainful.contrast/1",
        "a": {**contrast.a.to_dict(), "text": str(contrast.a)},
        "b": {**contrast.b.to_dict(), "text": str(contrast.b)},
        "measure": repr(contrast.measure),
        "resolved": {"a": repr(contrast.resolved[0]), "b": repr(contrast.resolved[1])},
        "weighted": contrast.weighted,
        "steps": [
            {
                "changes": [change.to_dict() for change in step.changes],
                "reason": step.reason or None,
                "matters": step.matters,
            }
            for step in contrast.steps
        ],
        "overridden": [change.to_dict() for change in contrast.overridden],
        "systems": {
            account.system: {
                "a": _finite(account.ends[0]),
                "b": _finite(account.ends[1]),
                "difference": _finite(account.difference),
                "rank_a": ranks[0][account.system],
                "rank_b": ranks[1][account.system],
                "queries_a": account.counted(0),
                "queries_b": account.counted(-1),
                "steps": [_step(account, at) for at in range(len(contrast.steps))],
            }
            for account in contrast.accounts
        },
        "tau": contrast.tau,
        "swaps": [[swap.first, swap.second] for swap in contrast.swaps],
    }
    if per_query:
        plain["per_query"] = [
            dict(zip(contrast.columns, map(_finite, row), strict=True)) for row in contrast.rows()
        ]
    return plain


def _step(account: SystemAccount, at: int) -> dict[str, object]:
    changed, left_out, added = account.count_changes(at, at + 1)
    return {
        "before": _finite(account.means[at]),
        "after": _finite(account.means[at + 1]),
        "difference": _finite(account.step(at)),
        "changed": changed,
        "left_out": left_out,
        "added": added,
    }


def _finite(value: object) -> object:
    return None if isinstance(value, float) and value - value != 0 else value
