"""What every test shares: which path must run, and a seeded generator."""

from __future__ import annotations

import os

import numpy as np
import pytest
from cases import NATIVE

import fastcollate


def pytest_report_header() -> str:
    facts = fastcollate.show_config(mode="dicts")
    path = f"native ({facts['simd_target']})" if NATIVE else f"NumPy ({facts['native_reason']})"
    return f"fastcollate {facts['version']}: {path}"


def pytest_sessionstart() -> None:
    # A suite that was meant to test the extension must not pass without it.
    expected = os.environ.get("FASTCOLLATE_TEST_EXPECT_NATIVE")
    if expected is not None and (expected == "1") != NATIVE:
        reason = fastcollate.show_config(mode="dicts")["native_reason"] or "the extension is loaded"
        pytest.exit(f"expected native={expected == '1'}, got native={NATIVE}: {reason}", returncode=3)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)
