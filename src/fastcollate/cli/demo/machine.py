"""Facts about this machine and these versions, for the head of the report."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..._runtime import show_config


def facts() -> dict[str, str]:
    """Return what a reader of the figures asks first."""
    config = show_config(mode="dicts")
    path = f"native, {config['simd_target']}" if config["native"] else f"NumPy fallback ({config['native_reason']})"
    return {
        "fastcollate": f"{config['version']} ({path})",
        "CPU": f"{cpu_name()}, {usable_cores()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "NumPy": config["numpy"],
        "TensorFlow": installed("tensorflow", "tensorflow_cpu", "tensorflow-cpu"),
        "Keras": installed("keras"),
    }


def usable_cores() -> int:
    """Return how many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_name() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def installed(*distributions: str) -> str:
    """Return the version of the first of these distributions that is there."""
    for name in distributions:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "not installed"
