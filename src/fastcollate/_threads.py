"""How many threads a call may use: the argument, then `thread_limit`, then `set_num_threads`, then the environment.

The default is the number of CPUs that the process may use, within its cgroup's quota; in a worker process it is 1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ._arguments import read_int
from ._runtime import native

#: The limit of the innermost `thread_limit` of this thread or task; 0 for none.
_limit: ContextVar[int] = ContextVar("fastcollate_thread_limit", default=0)


def read_threads(threads: int | None) -> int:
    """Check the `threads` of a call; 0 stands for the process default."""
    if threads is None:
        _notice_worker()
        return _limit.get()
    return _read_count(threads)


def get_num_threads() -> int:
    """Return how many threads a call may use that doesn't say so itself.

    Returns
    -------
    int
        At least 1; always 1 without the native module.

    Examples
    --------
    >>> import fastcollate
    >>> fastcollate.get_num_threads() >= 1
    True
    """
    _notice_worker()
    return _limit.get() or (native.get_num_threads() if native is not None else 1)


def set_num_threads(threads: int) -> None:
    """Set how many threads a call may use that doesn't say so itself, in the whole process.

    Forked and spawned children don't inherit it: in a worker process the default is 1.

    Parameters
    ----------
    threads : int
        At least 1. Small batches are written by fewer, however many are allowed.

    Raises
    ------
    TypeError, ValueError
        If `threads` isn't an int of at least 1.

    Examples
    --------
    >>> import fastcollate
    >>> fastcollate.set_num_threads(fastcollate.get_num_threads())
    """
    count = _read_count(threads)
    if native is not None:
        native.set_num_threads(count)


@contextmanager
def thread_limit(threads: int) -> Iterator[None]:
    """Set how many threads the calls in a block may use, in this thread or task alone.

    Parameters
    ----------
    threads : int
        At least 1. A call's own ``threads=`` takes precedence.

    Raises
    ------
    TypeError, ValueError
        If `threads` isn't an int of at least 1.

    Examples
    --------
    >>> import fastcollate
    >>> with fastcollate.thread_limit(1):
    ...     fastcollate.get_num_threads()
    1
    """
    token = _limit.set(_read_count(threads))
    try:
        yield
    finally:
        _limit.reset(token)


def _read_count(threads: int) -> int:
    return min(read_int("threads", threads, least=1), 2**31 - 1)


def _notice_worker() -> None:
    """Tell the engine if this process was spawned as a worker; a forked one it sees itself.

    Asked at every call: a spawned process imports its main module, and us with it, before it knows what it is.
    """
    process = sys.modules.get("multiprocessing.process")
    if native is not None and process is not None and process.parent_process() is not None:
        native.mark_as_worker()


if native is not None and not native.environment_threads_valid():
    raise ValueError(
        f"FASTCOLLATE_NUM_THREADS: expected an int of at least 1, got {os.environ.get('FASTCOLLATE_NUM_THREADS')!r}"
    )
