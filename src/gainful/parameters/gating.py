"""The parameters of gates."""

from __future__ import annotations

from gainful.parameters import File, Group, Parameter
from gainful.vocabulary import FAILURES

SNAPSHOT = Parameter(
    "snapshot",
    File,
    help="Check the run against this snapshot.",
    annotation="Snapshot | Path",
)

MARGIN = Parameter(
    "margin",
    float,
    0.01,
    range="(0, inf)",
    expected="a finite number above 0, in units of the measure",
    metavar="D",
    help="Non-inferiority margin: the largest loss that does not matter, in units of the measure.",
    doc="",
)

ANCHOR_MARGIN = MARGIN.replace(
    name="anchor_margin",
    default=None,
    help="Margin for the loss since the first snapshot, the anchor. Default: the margin.",
)

FAIL_ON = Parameter(
    "fail_on",
    default=FAILURES[0],
    choices=FAILURES,
    help="Fail if the run is worse by more than the margin, or on any significant decrease.",
)

INCONCLUSIVE = Parameter(
    "inconclusive",
    choices=("fail", "pass"),
    help="The exit status for an inconclusive result. Default: 3.",
)

BUDGET = Parameter(
    "budget",
    int,
    help="With --save: the number of looks (runs to check). Each is tested at alpha / N.",
)

SPENDING = Parameter(
    "spending",
    bool,
    help="With --save: spend alpha over any number of looks. Look i has 6 alpha / (pi i)^2.",
)

NEW_ANCHOR = Parameter(
    "new_anchor",
    bool,
    help="With --save: make this run the anchor. Default: keep that of the replaced snapshot.",
)

RESCORE = Parameter(
    "rescore",
    bool,
    help="Score the rankings of the snapshot with these judgments. Default: use its saved values.",
)

NO_COUNT = Parameter("no_count", bool, help="Do not count this look in the snapshot.")

ALPHA = Parameter(
    "alpha",
    float,
    0.05,
    group=Group.STATISTICS,
    metavar="P",
    help="The error rate of each verdict.",
)
