"""What runs: the native module or NumPy, threads, memory; each claim in a fresh process where it needs one."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest
from cases import NATIVE, assert_same

import fastcollate


def run_python(code: str, **environment: str) -> str:
    """Run `code` in a fresh interpreter and return what it printed."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=False,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_show_config(capsys: pytest.CaptureFixture[str]) -> None:
    facts = fastcollate.show_config(mode="dicts")
    assert facts["version"] == fastcollate.__version__
    assert facts["native"] == (facts["native_reason"] == "")
    assert (facts["simd_target"] in facts["simd_available"]) == facts["native"]
    fastcollate.show_config()
    printed = capsys.readouterr().out
    assert all(name in printed for name in facts)
    with pytest.raises(ValueError, match=r"^mode: expected 'print' or 'dicts', got 'json'$"):
        fastcollate.show_config(mode="json")  # type: ignore[call-overload]


def test_native_can_be_switched_off() -> None:
    code = "import fastcollate; print(fastcollate.show_config(mode='dicts')['native_reason'])"
    assert run_python(code, FASTCOLLATE_NATIVE="0").strip() == "switched off by FASTCOLLATE_NATIVE=0"


def test_import_is_lean() -> None:
    heavy = ["tensorflow", "torch", "jax", "keras", "sklearn", "matplotlib", "rich", "ml_dtypes"]
    code = f"import sys, fastcollate; print([m for m in {heavy} if m in sys.modules], len(fastcollate.__all__))"
    assert run_python(code).startswith("[]")


def test_import_starts_no_threads_and_changes_no_environment() -> None:
    code = (
        "import os, numpy; before = dict(os.environ); count = lambda: len(os.listdir('/proc/self/task'))\n"
        "threads = count(); import fastcollate; print(count() == threads, dict(os.environ) == before)"
    )
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("counting native threads needs /proc")
    assert run_python(code).strip() == "True True"


@pytest.mark.skipif(not NATIVE, reason="the SIMD targets are the native module's")
def test_every_simd_target_gives_the_same_bits() -> None:
    code = (
        "import hashlib, numpy as np, fastcollate as fc\n"
        "X = np.random.default_rng(1).integers(0, 256, (64, 33, 31, 3), dtype=np.uint8)\n"
        "parts = [fc.batch_cast(X, slice(None, None, -1), scale=s, offset=o) for s in (1/255, 0.1, -3.7) for o in (0, .3)]\n"
        "print(fc.show_config(mode='dicts')['simd_target'], hashlib.sha256(b''.join(p.tobytes() for p in parts)).hexdigest())"
    )
    targets = fastcollate.show_config(mode="dicts")["simd_available"]
    results = [run_python(code, FASTCOLLATE_SIMD=target).split() for target in targets]
    assert [target for target, _ in results] == targets
    results.append(run_python(code, FASTCOLLATE_NATIVE="0").split())
    assert len({digest for _, digest in results}) == 1


@pytest.mark.skipif(not NATIVE, reason="the SIMD targets are the native module's")
def test_an_unknown_simd_target_is_an_error_that_lists_the_valid_ones() -> None:
    code = "try:\n    import fastcollate\nexcept ValueError as error:\n    print(error)"
    printed = run_python(code, FASTCOLLATE_SIMD="mmx").strip()
    names = ", ".join(map(repr, fastcollate.show_config(mode="dicts")["simd_available"]))
    assert printed == f"FASTCOLLATE_SIMD: expected one of {names} on this CPU, got 'mmx'"


def test_results_are_ordinary_arrays() -> None:
    batch = fastcollate.stack([np.arange(5.0)] * 3)
    view = batch[1:, ::2]
    assert_same(pickle.loads(pickle.dumps(batch)), batch)
    assert_same(batch.copy(), batch)
    with pytest.raises(ValueError, match=r"does not own its data|references"):
        batch.resize((1, 1), refcheck=True)
    del batch
    gc.collect()
    assert view.tolist() == [[0, 2, 4], [0, 2, 4]]


def test_memory_goes_when_the_last_view_goes() -> None:
    code = (
        "import numpy as np, fastcollate as fc\n"
        "def resident():\n"
        "    return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
        "arrays = [np.ones(1 << 20, np.uint8)] * 16\n"
        "X = np.ones((64, 1 << 18), np.uint8)\n"
        "for i in range(20): fc.stack(arrays); fc.batch_cast(X)\n"
        "before = resident()\n"
        "for i in range(200): fc.stack(arrays)[3]; fc.batch_cast(X)[2]\n"
        "print((resident() - before) >> 20)"
    )
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("reading resident memory needs /proc")
    assert int(run_python(code)) < 8


def test_inputs_are_borrowed_not_kept() -> None:
    class Watched(np.ndarray[Any, Any]):
        pass

    arrays = [np.arange(6.0) for _ in range(4)]
    counts = [sys.getrefcount(a) for a in arrays]
    memory = bytearray(48)
    batch = fastcollate.stack([*arrays, memoryview(memory).cast("d")])
    with pytest.raises(ValueError, match="arrays\\[4\\]"):
        fastcollate.stack([*arrays, memoryview(memory)])
    memory.extend(b"x")  # refused with BufferError as long as anybody still exports the buffer
    assert [sys.getrefcount(a) for a in arrays] == counts
    watched = np.zeros(3).view(Watched)
    gone = weakref.ref(watched)
    fastcollate.stack([watched, watched])
    del watched
    gc.collect()
    assert gone() is None
    assert batch.shape == (5, 6)


@pytest.mark.skipif(not NATIVE, reason="NumPy decides about the GIL on the other path")
def test_the_gil_is_released_while_bytes_move() -> None:
    X = np.zeros((4096, 16384), np.uint8)  # 64 MiB, a 256 MiB batch: tens of milliseconds
    out = np.empty(X.shape, np.float32)
    stop = threading.Event()
    gaps: list[float] = []

    def tick() -> None:
        last = time.perf_counter()
        while not stop.is_set():
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    # With the GIL held the other thread would not run at all during a call: no tick would fall inside of one.
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        inside = 0
        for _ in range(5):
            before = len(gaps)
            fastcollate.batch_cast(X, out=out)
            inside += len(gaps) - before
    finally:
        stop.set()
        ticker.join()
        sys.setswitchinterval(old)
    assert inside > 1000


def test_many_threads_at_once(rng: np.random.Generator) -> None:
    X = rng.integers(0, 256, (500, 40), dtype=np.uint8)
    arrays = [rng.standard_normal((6, 7)) for _ in range(9)]
    expected = np.stack(arrays)
    wrong: list[int] = []

    def work(seed: int) -> None:
        own = np.random.default_rng(seed)
        for _ in range(300):
            idx = own.integers(-500, 500, 20)
            if not (fastcollate.batch_cast(X, idx) == (X[idx] / 255.0).astype(np.float32)).all():
                wrong.append(seed)
            if not (fastcollate.stack(arrays) == expected).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_use_after_fork() -> None:
    code = (
        "import os, numpy as np, fastcollate as fc\n"
        "X = np.arange(512, dtype=np.uint8).reshape(16, 32)\n"
        "expected = (X / 255.0).astype(np.float32)\n"
        "fc.batch_cast(X)\n"
        "pid = os.fork()\n"
        "right = (fc.batch_cast(X) == expected).all() and fc.stack(list(X)).shape == (16, 32)\n"
        "if pid == 0: os._exit(0 if right else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), right)"
    )
    assert run_python(code).strip() == "0 True"


def test_memory_that_cannot_be_had_is_a_memory_error() -> None:
    huge = np.broadcast_to(np.uint8(1), (1 << 20, 1 << 20))
    with pytest.raises(MemoryError):
        fastcollate.batch_cast(huge)
    with pytest.raises((MemoryError, ValueError)):  # NumPy calls a size beyond its range a ValueError
        fastcollate.batch_cast(np.broadcast_to(np.uint8(1), (1 << 31, 1 << 31)))
