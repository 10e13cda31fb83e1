#!/usr/bin/env bash
# Search as this branch does, check the run against the snapshot, and write what came of it:
#   search.run   what was found, to look into with `gainful explain` and `gainful report`
#   comment.md   the verdict as a comment for the pull request
#   gate.xml     the same as JUnit XML
# The exit status is that of the gate: 0 no worse, 1 worse, 3 nothing can be said; 2 for an error.
set -euo pipefail
cd "$(dirname "$0")"

gainful search queries.tsv --system system.toml --judged qrels.txt -k 100 -o search.run

# Annotations of GitHub go to the log, where GitHub finds them.
gainful gate qrels.txt search.run --snapshot snapshot.json --margin "${MARGIN:-0.02}" --no-count \
    --format github --also markdown=comment.md --also junit=gate.xml
