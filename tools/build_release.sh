#!/usr/bin/env bash
# Build the wheel for Linux and the sdist into target/dist, and check both. With PGO=1 the wheel is
# profile-guided. Zig links for the old C library of manylinux_2_17; maturin asks the first Python on
# the path for it. With PROFILE=release it checks the wheel that `make install` built instead.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python tools/install.py release
rm -f target/dist/*.whl target/dist/*.tar.gz
mkdir -p target/dist
export PATH=$PWD/.venv/bin:$PATH
case ${PROFILE:-dist} in
release) cp target/wheels/*.whl target/dist ;;
dist)
    maturin build --profile dist ${PGO:+--pgo} --zig --compatibility manylinux_2_17 --locked --out target/dist
    auditwheel show target/dist/*.whl
    ;;
*)
    echo "PROFILE=$PROFILE is neither dist nor release" >&2
    exit 2
    ;;
esac
maturin sdist --out target/dist
twine check --strict target/dist/*.whl target/dist/*.tar.gz
python tools/check_install.py target/dist/*.whl
