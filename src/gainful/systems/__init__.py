"""What produces a run: callables, search engines over HTTP, databases and baselines.

``search`` asks a system every query and makes a `Run` of what it answers.
"""

from __future__ import annotations
