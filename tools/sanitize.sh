#!/usr/bin/env bash
# Run tests of the kernel in Miri, or with a sanitizer: miri, address, thread or boundary. Further
# words go to the test runner. A nightly Rust is installed by
# `rustup toolchain install nightly --component miri,rust-src`; boundary also needs clang. Builds are
# in a folder of their own, so that they and the others do not replace each other.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target/nightly
host=$(rustc -vV | sed -n 's/^host: //p')
case $1 in
miri)
    # The modules with unsafe code, and the threads. Miri cannot run the boundary, which calls Python.
    if (($# == 1)); then set -- miri read::scan parallel small_allocations; fi
    MIRIFLAGS=-Zmiri-disable-isolation \
        cargo +nightly miri test --package gainful-core --lib --test spare_memory -- "${@:2}"
    ;;
address | thread)
    # The allocator of the test of exhausted memory is not that of a sanitizer.
    RUSTFLAGS=-Zsanitizer=$1 cargo +nightly test -Zbuild-std --target "$host" \
        --package gainful-core --lib --test reading "${@:2}"
    ;;
boundary)
    # The boundary with Python, whose own allocator is off, in an environment of its own.
    folder=target/boundary
    .venv/bin/python tools/install.py --into $folder runtime test
    rm -rf $folder/wheels
    RUSTFLAGS='-Zsanitizer=address -Clinker=clang' RUSTUP_TOOLCHAIN=nightly \
        .venv/bin/maturin build --profile dev -Z build-std --target "$host" --auditwheel skip \
        -i $folder/bin/python --out $folder/wheels
    $folder/bin/python -m pip install --quiet --no-deps --force-reinstall $folder/wheels/*.whl
    TMPDIR=$PWD/target/tmp PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
        LD_PRELOAD=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so") \
        $folder/bin/python -m pytest tests/formulas tests/data/test_arrow.py tests/data/test_columns.py \
        tests/data/columnar tests/backends/arrays \
        --deselect tests/data/columnar/test_files.py::test_memory_does_not_depend_on_the_size_of_the_run \
        "${@:2}"
    ;;
*)
    echo "usage: $0 miri|address|thread|boundary [WORDS]" >&2
    exit 2
    ;;
esac
