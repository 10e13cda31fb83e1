"""A convention as a table of its policies, for notebooks."""

from __future__ import annotations

from gainful.formats.html import page
from gainful.formats.table import Column, Table
from gainful.policies import POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.conventions.convention import Convention

__all__ = ["convention_html", "policy_table"]


def policy_table(convention: Convention) -> Table:
    """Return one row per policy, with its value, its meaning and what it decides.

    Examples
    --------
    >>> import gainful
    >>> table = policy_table(gainful.conventions["trec_eval"])
    >>> table.rows[1]
    ('ties', 'doc-id-desc', 'descending document id, compared as bytes', ...)
    """
    rows = []
    for policy in POLICIES:
        value = getattr(convention, policy.name)
        text = f"{value:g}" if isinstance(value, float) else str(value)
        rows.append((policy.name, text, policy.meaning(value), policy.decides))
    columns = [
        Column("policy"),
        Column("value"),
        Column("meaning", fit="wrap"),
        Column("decides", fit="wrap"),
    ]
    return Table(columns, rows, title=convention.label)


def convention_html(convention: Convention) -> str:
    """Return a convention as a fragment of HTML: its summary and policies."""
    return page([policy_table(convention)], [str(convention)])
