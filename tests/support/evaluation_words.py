"""Everything that an evaluation says, for those that ought to say the same."""

from __future__ import annotations

import gainful


def told(evaluation: gainful.Evaluation) -> list[str]:
    """Return everything that an evaluation says; texts, for NaN is not equal to itself."""
    rows = [repr(row) for row in evaluation.rows()]
    return [repr(evaluation.to_dict()), str(evaluation), *rows]
