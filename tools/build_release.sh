#!/usr/bin/env bash
# Build the wheel for Linux and the sdist into target/dist, and check both. With PGO=1 the wheel is
# profile-guided. Zig links for the old C library of manylinux_2_17; maturin asks the first Python on
# the path for it.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python tools/install.py release
rm -f target/dist/*.whl target/dist/*.tar.gz
export PATH=$PWD/.venv/bin:$PATH
maturin build --profile dist ${PGO:+--pgo} --zig --compatibility manylinux_2_17 --locked --out target/dist
maturin sdist --out target/dist
auditwheel show target/dist/*.whl
twine check --strict target/dist/*.whl target/dist/*.tar.gz
python tools/check_install.py target/dist/*.whl
