"""Threads: their number, their precedence, forks. The buffer pool: recycled memory, never before the last reference."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest
from cases import NATIVE, assert_same
from test_runtime import run_python

import fastcollate
from fastcollate import _runtime

needs_native = pytest.mark.skipif(not NATIVE, reason="threads and the buffer pool are the native module's")
GET = "import fastcollate; print(fastcollate.get_num_threads())"


def address(array: Any) -> int:
    return int(np.asarray(array).__array_interface__["data"][0])


@needs_native
def test_precedence_of_thread_counts() -> None:
    default = fastcollate.get_num_threads()
    assert 1 <= default <= len(os.sched_getaffinity(0))  # a cgroup's quota may take some off
    try:
        fastcollate.set_num_threads(3)
        assert fastcollate.get_num_threads() == 3
        with fastcollate.thread_limit(2):
            assert fastcollate.get_num_threads() == 2
            with fastcollate.thread_limit(5):
                assert fastcollate.get_num_threads() == 5
            elsewhere: list[int] = []
            thread = threading.Thread(target=lambda: elsewhere.append(fastcollate.get_num_threads()))
            thread.start()
            thread.join()
            assert elsewhere == [3]  # a limit holds for its own thread
            assert fastcollate.get_num_threads() == 2
        assert fastcollate.get_num_threads() == 3
    finally:
        fastcollate.set_num_threads(default)


@needs_native
def test_the_environment_sets_the_default() -> None:
    assert run_python(GET, FASTCOLLATE_NUM_THREADS="7").strip() == "7"
    assert run_python(GET, FASTCOLLATE_NUM_THREADS="").strip() == str(fastcollate.get_num_threads())
    refused = "try:\n    import fastcollate\nexcept ValueError as error:\n    print(error)"
    for wrong in ("0", "-1", "two", "1.5"):
        printed = run_python(refused, FASTCOLLATE_NUM_THREADS=wrong).strip()
        assert printed == f"FASTCOLLATE_NUM_THREADS: expected an int of at least 1, got {wrong!r}"


@needs_native
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this platform binds no process to CPUs")
def test_the_default_honours_affinity() -> None:
    one = f"import os; os.sched_setaffinity(0, [{min(os.sched_getaffinity(0))}])\n{GET}"
    assert run_python(one).strip() == "1"


@needs_native
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_worker_processes_default_to_one_thread(method: str, tmp_path: Any) -> None:
    script = tmp_path / "workers.py"
    script.write_text(
        "import multiprocessing, warnings\n"
        "import fastcollate\n"
        "def count(_): return fastcollate.get_num_threads()\n"
        "def told(_):\n"
        "    fastcollate.set_num_threads(2)\n"
        "    return fastcollate.get_num_threads()\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({method!r}).Pool(2) as pool:\n"
        "        print(pool.map(count, range(2)), pool.map(told, range(1)))\n"
    )
    # As a script, not through -c: spawned children must find the main module again.
    result = subprocess.run([sys.executable, str(script)], check=False, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[1, 1] [2]"


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_results_do_not_depend_on_threads(rng: np.random.Generator, threads: int) -> None:
    X = rng.integers(0, 256, (300, 61, 59, 3), dtype=np.uint8)
    idx = rng.integers(-300, 300, 200)
    expected = (X[idx] / 255.0).astype(np.float32)
    assert_same(fastcollate.batch_cast(X, idx, threads=threads), expected)
    planar = fastcollate.batch_cast(X, idx, layout="NHWC->NCHW", threads=threads)
    assert_same(planar, np.ascontiguousarray(expected.transpose(0, 3, 1, 2)))
    arrays = list(rng.random((40, 211, 97), np.float32))
    for axis in (0, 1, 2):
        assert_same(fastcollate.stack(arrays, axis, threads=threads), np.stack(arrays, axis))
    with fastcollate.thread_limit(threads):
        assert_same(fastcollate.stack(arrays), np.stack(arrays))


@needs_native
def test_idle_threads_go(rng: np.random.Generator) -> None:
    code = (
        "import os, time, warnings, numpy as np, fastcollate as fc\n"
        "from fastcollate import _runtime\n"
        "arrays = [np.ones((1 << 20,), np.float32)] * 16\n"
        "fc.stack(arrays, threads=2)\n"
        "busy = _runtime.native.worker_count()\n"
        "end = time.monotonic() + 20\n"
        "while _runtime.native.worker_count() and time.monotonic() < end: time.sleep(0.1)\n"
        "pid = os.fork()\n"  # with -W error: from Python 3.12 on a thread that is left would be an error
        "if pid == 0: os._exit(0 if fc.stack(arrays).shape == (16, 1 << 20) else 1)\n"
        "print(busy, _runtime.native.worker_count(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    assert run_python(code).strip() == "1 0 0"


@needs_native
def test_fork_amid_parallel_calls() -> None:
    code = (
        "import os, threading, warnings, numpy as np, fastcollate as fc\n"
        "warnings.simplefilter('ignore')\n"  # forking while threads live is what this is about
        "X = np.random.default_rng(0).integers(0, 256, (64, 1 << 15), dtype=np.uint8)\n"
        "expected = (X / 255.0).astype(np.float32)\n"
        "stop = threading.Event()\n"
        "def work():\n"
        "    while not stop.is_set(): fc.batch_cast(X, threads=2)\n"
        "threads = [threading.Thread(target=work) for _ in range(2)]\n"
        "for t in threads: t.start()\n"
        "codes = set()\n"
        "for _ in range(100):\n"
        "    pid = os.fork()\n"
        "    if pid == 0: os._exit(0 if (fc.batch_cast(X, threads=2) == expected).all() else 1)\n"
        "    codes.add(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
        "stop.set()\n"
        "for t in threads: t.join()\n"
        "print(codes)"
    )
    assert run_python(code).strip() == "{0}"


@needs_native
def test_memory_is_recycled_when_the_last_reference_goes() -> None:
    arrays = [np.full(5000, i, np.float32) for i in range(7)]
    batch = fastcollate.stack(arrays)
    place = address(batch)
    view = batch[3:, ::2]
    del batch
    gc.collect()
    others = [fastcollate.stack(arrays) for _ in range(3)]
    assert place not in [address(other) for other in others]  # the view still needs it
    assert (view[0] == 3).all()
    del view
    gc.collect()
    assert address(fastcollate.stack(arrays)) == place


@needs_native
def test_pool_limit_and_trim() -> None:
    before = fastcollate.pool_info()
    try:
        arrays = [np.ones(1 << 18, np.float32)] * 8
        fastcollate.trim_pool()
        assert fastcollate.pool_info()["bytes_idle"] == 0
        batch = fastcollate.stack(arrays)
        in_use = fastcollate.pool_info()["bytes_in_use"]
        assert in_use >= before["bytes_in_use"] + batch.nbytes
        del batch
        assert fastcollate.pool_info()["bytes_idle"] >= 8 << 20
        assert fastcollate.trim_pool() >= 8 << 20
        fastcollate.set_pool_limit(0)
        del arrays[:]
        fastcollate.stack([np.ones(1 << 18, np.float32)] * 8)
        assert fastcollate.pool_info()["bytes_idle"] == 0
    finally:
        fastcollate.set_pool_limit(before["limit"])


@needs_native
def test_tracemalloc_sees_the_bytes() -> None:
    arrays = [np.ones(1 << 16, np.float32)] * 16
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        batch = fastcollate.stack(arrays)
        assert tracemalloc.get_traced_memory()[0] - before >= batch.nbytes
        del batch
        assert tracemalloc.get_traced_memory()[0] - before < 1 << 16
    finally:
        tracemalloc.stop()


def test_pool_arguments() -> None:
    with pytest.raises(ValueError, match=r"^limit: expected at least 0, got -1$"):
        fastcollate.set_pool_limit(-1)
    with pytest.raises(TypeError, match=r"^limit: expected an int, got float$"):
        fastcollate.set_pool_limit(1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^threads: expected at least 1, got 0$"):
        fastcollate.set_num_threads(0)
    with pytest.raises(TypeError, match=r"^threads: expected an int, got str$"), fastcollate.thread_limit("2"):  # type: ignore[arg-type]
        pass


@needs_native
def test_ten_thousand_batches_leave_memory_flat() -> None:
    code = (
        "import numpy as np, fastcollate as fc\n"
        "def resident(): return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
        "X = np.ones((64, 32, 32, 3), np.uint8)\n"
        "sizes = [1, 7, 32, 33, 64]\n"
        "def some(n):\n"
        "    for i in range(n): fc.batch_cast(X, slice(sizes[i % 5])); fc.stack(X[:sizes[i % 3]])\n"
        "some(1000); before = resident(); some(10000); print((resident() - before) / 2**20 < 1)"
    )
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("reading resident memory needs /proc")
    assert run_python(code).strip() == "True"


@needs_native
def test_threads_of_python_share_the_pool(rng: np.random.Generator) -> None:
    assert _runtime.native is not None
    arrays = list(rng.random((16, 1 << 16), np.float32))
    expected = np.stack(arrays)
    wrong: list[bool] = []

    def work() -> None:
        wrong.extend(not (fastcollate.stack(arrays, threads=2) == expected).all() for _ in range(50))

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not any(wrong)
