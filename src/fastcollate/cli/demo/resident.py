"""How much memory this process has resident, and the most it had since a moment that we choose."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")
MIB = 1 << 20
SAMPLE_SECONDS = 0.002


def status_field(name: str) -> float:
    """Return a field of Linux' status file in MiB."""
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"{STATUS}: expected a line {name}, got none")


def resident_reader() -> tuple[Callable[[], float], str]:
    """Return a function that tells the resident memory in MiB, and what it reads.

    Raises
    ------
    OSError
        If this machine offers no way.
    """
    if STATUS.exists():
        return lambda: status_field("VmRSS"), "VmRSS"
    try:
        import psutil  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        pass
    else:
        process = psutil.Process()
        return lambda: process.memory_info().rss / MIB, "psutil"
    if sys.platform == "win32":
        raise OSError("memory: expected the package psutil on Windows, found none")
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    # This is the peak, not the present; a step that frees memory looks like one that doesn't.
    return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MIB, "ru_maxrss"


def give_back() -> None:
    """Return freed memory to the system, where the allocator can be told to.

    Otherwise what the imports and the warm-up have freed would be in the baseline, and a contender that reuses it would
    look as if it needed less.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


class PeakMeter:
    """The highest resident memory between `reset` and `read`.

    On Linux the kernel keeps the peak (VmHWM) and can be told to start anew. Elsewhere, and where that is forbidden,
    a thread looks every two milliseconds, which can miss a short peak.
    """

    def __init__(self) -> None:
        self.resident, source = resident_reader()
        self._sampled = source != "ru_maxrss" and not self._clear()
        self.method = "VmHWM, reset through clear_refs" if source == "VmRSS" and not self._sampled else source
        if self._sampled:
            self.method = f"{source}, sampled every {SAMPLE_SECONDS * 1e3:.0f} ms"
            self._peak = 0.0
            threading.Thread(target=self._sample, daemon=True).start()

    def reset(self) -> float:
        """Start anew, and return the resident memory of this moment in MiB."""
        give_back()
        if self._sampled:
            self._peak = 0.0
        else:
            self._clear()
        return self.resident()

    def read(self) -> float:
        """Return the peak since the last reset in MiB."""
        if self._sampled:
            return max(self._peak, self.resident())
        return status_field("VmHWM") if STATUS.exists() else self.resident()

    @staticmethod
    def _clear() -> bool:
        try:
            CLEAR_REFS.write_text("5")
        except OSError:
            return False
        return True

    def _sample(self) -> None:
        pause = threading.Event()
        while True:
            self._peak = max(self._peak, self.resident())
            pause.wait(SAMPLE_SECONDS)
