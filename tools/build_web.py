"""Build the kernel for web pages: ``python tools/build_web.py FOLDER`` writes ``gainful.wasm``.

A stable Rust with the target wasm32-unknown-unknown builds it. Without the target, a nightly Rust
with the component rust-src builds the standard library, too.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = "wasm32-unknown-unknown"


def _ask(*command: str) -> Path | None:
    """Return the path that a command prints, if it exists."""
    # A question must not make rustup install anything.
    environment = {**os.environ, "RUSTUP_AUTO_INSTALL": "0"}
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    path = Path(answer.stdout.strip())
    return path if answer.returncode == 0 and path.is_dir() else None


def cargo() -> list[str] | None:
    """Return the command that can build for the target; None if there is none."""
    if _ask("rustc", "--print", "target-libdir", "--target", TARGET):
        return ["cargo", "build"]
    nightly = _ask("rustc", "+nightly", "--print", "sysroot")
    if nightly and (nightly / "lib/rustlib/src/rust/library").is_dir():
        return ["cargo", "+nightly", "build", "-Zbuild-std=std,panic_abort"]
    return None


def main(folder: Path) -> int:
    """Build into a folder; return the exit status."""
    build = cargo()
    if build is None:
        print(f"Rust cannot build for {TARGET}: rustup target add {TARGET}", file=sys.stderr)
        return 2
    # Apart from the other builds: another compiler would make Cargo build those again.
    own = folder / "cargo"
    options = ["--package", "gainful-web", "--profile", "dist", "--target", TARGET, "--locked"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(own)}
    built = subprocess.run([*build, *options], cwd=ROOT, env=environment, check=False)
    if built.returncode == 0:
        shutil.copyfile(own / TARGET / "dist" / "gainful_web.wasm", folder / "gainful.wasm")
        print(f"{folder / 'gainful.wasm'}: {(folder / 'gainful.wasm').stat().st_size:,} bytes")
    return built.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
