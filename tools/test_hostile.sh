#!/usr/bin/env bash
# What `make test` does with fewer inputs; each part prints how many it tried. Usage: [MINUTES]
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=$PWD/target/tmp
mkdir -p "$TMPDIR"
.venv/bin/python tests/data/fuzz_readers.py --minutes "${1:-10}" --keep target/fuzz
ALL=1 GAINFUL_FAULTS=all .venv/bin/python -m pytest -q -rP tests/faults
cargo test --release --package gainful-core --test out_of_memory -- --nocapture
