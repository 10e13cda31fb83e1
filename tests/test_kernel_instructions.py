"""The compiled kernel has the instructions that checksums are fast with."""

import platform
import re
from pathlib import Path

import pytest

from gainful import _kernel

# The instruction pclmulqdq on two registers, which multiplies polynomials.
PCLMULQDQ = re.compile(rb"\x66[\x40-\x4f]?\x0f\x3a\x44[\xc0-\xff][\x00\x01\x10\x11]")


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="of x86-64")
def test_checksums_use_the_instruction_of_the_processor() -> None:
    assert PCLMULQDQ.search(Path(_kernel.__file__).read_bytes())
