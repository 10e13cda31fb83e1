"""The exit statuses of the commands, except trec_eval's; docs/cli.md describes them.

No result has status 1, with which Python and native libraries end after an unexpected error.
"""

from __future__ import annotations

__all__ = [
    "ERROR",
    "INCONCLUSIVE",
    "INTERRUPTED",
    "NEGATIVE",
    "NO_ANSWER",
    "READER_GONE",
    "SUCCESS",
]

SUCCESS = 0
ERROR = 2
INCONCLUSIVE = 3
NEGATIVE = 4
#: EX_TEMPFAIL of sysexits.h, after which schedulers try again.
NO_ANSWER = 75
#: 128 plus the number of SIGINT, and of SIGPIPE.
INTERRUPTED, READER_GONE = 130, 141
