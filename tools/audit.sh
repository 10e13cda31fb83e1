#!/usr/bin/env bash
# Look for known vulnerabilities. `cargo install --locked cargo-deny cargo-audit` installs the tools,
# which fetch the advisories of RustSec. pip-audit asks PyPI about what is installed in .venv, and
# lists what PyPI does not answer.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo deny check licenses bans sources
if cargo deny fetch db; then
    cargo deny check advisories
    cargo audit
else
    echo 'SKIPPED: no database of advisories for Rust'
fi
folder=target/audit
mkdir -p $folder
${PYTHON:-python3} -m venv $folder/venv
$folder/venv/bin/python -m pip install --quiet pip-audit==2.10.1
.venv/bin/python -m pip freeze --exclude gainful >$folder/installed.txt
$folder/venv/bin/pip-audit --disable-pip --no-deps --requirement $folder/installed.txt
