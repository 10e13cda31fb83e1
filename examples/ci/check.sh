#!/usr/bin/env bash
# Run the queries, check the run against the snapshot, and write the results:
#   search.run   the run, to inspect with `gainful explain` and `gainful report`
#   comment.md   the verdict as a comment for the pull request
#   gate.xml     the same as JUnit XML
# The exit status is that of the gate: 0 pass, 2 error, 3 inconclusive, 4 fail.
set -euo pipefail
cd "$(dirname "$0")"

gainful search queries.tsv --system system.toml --judged qrels.txt -k 100 -o search.run

# GitHub reads annotations from the log.
gainful gate qrels.txt search.run --snapshot snapshot.json --margin "${MARGIN:-0.02}" --no-count \
    --format github --also markdown=comment.md --also junit=gate.xml
