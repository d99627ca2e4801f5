"""The examples that users copy run, and do what they say."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_keras_uint8_batches() -> None:
    if importlib.util.find_spec("tensorflow") is None and (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("no TensorFlow wheel is installed on this platform")
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / "keras_uint8_batches.py")],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert result.returncode == 0, result.stderr
    accuracy = re.search(r"accuracy (0\.\d+|1\.0+)$", result.stdout.strip())
    assert accuracy is not None, result.stdout
    assert float(accuracy[1]) > 0.7  # chance is 0.5
