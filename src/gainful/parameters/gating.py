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
    range="[0, inf)",
    expected="a finite number of 0 or more",
    metavar="D",
    help="Non-inferiority margin: the largest loss that does not matter, in units of the measure.",
    doc="The non-inferiority margin, in units of the measure: 0 or more.",
)

ANCHOR_MARGIN = MARGIN.replace(
    name="anchor_margin",
    default=None,
    help="Margin for the loss since the first snapshot, the anchor. Default: the margin.",
    doc="The margin for the loss since the anchor. Default: `margin`.",
)

FAIL_ON = Parameter(
    "fail_on",
    default=FAILURES[0],
    choices=FAILURES,
    help="Fail if the run is worse by more than the margin, or on any significant decrease.",
    doc='With ``"decrease"`` a run also fails if the upper bound is below 0, so that it is'
    " significantly worse by any amount.",
)

INCONCLUSIVE = Parameter(
    "inconclusive",
    choices=("fail", "pass"),
    help="The exit status for an inconclusive result. Default: 3.",
    doc="How `GateResult.status` counts an inconclusive verdict. Default: status 3.",
)

BUDGET = Parameter(
    "budget",
    int,
    # JSON has larger numbers as 64-bit floats.
    range=f"[1, {2**53}]",
    expected=f"a whole number from 1 to {2**53}",
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
    doc="Whether to evaluate the snapshot's rankings with these judgments, instead of using its"
    " saved values.",
)

GROWING = Parameter(
    "growing",
    bool,
    help="Allow for checks that are repeated as queries are added: the error rate is that of all"
    " numbers of queries together.",
    doc="Whether the run is checked again as queries are added, in random order: `alpha` is then"
    " the error rate of the checks at all numbers of queries together.",
)

NO_COUNT = Parameter("no_count", bool, help="Do not count this look in the snapshot.")

ALPHA = Parameter(
    "alpha",
    float,
    0.05,
    range="(0, 0.5)",
    expected="a number between 0 and 0.5",
    group=Group.STATISTICS,
    metavar="P",
    help="The error rate of each verdict.",
    doc="The error rate, between 0 and 0.5: how often a run that is worse by the margin may pass,"
    " and how often a run that is not worse by the margin may fail.",
)
