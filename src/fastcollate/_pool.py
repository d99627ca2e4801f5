"""The buffer pool: the memory of batches is used again when the last reference to a batch is gone."""

from __future__ import annotations

from ._arguments import read_int
from ._runtime import native

_NONE = {"bytes_idle": 0, "bytes_in_use": 0, "buffers_idle": 0, "limit": 0, "hits": 0, "misses": 0}


def pool_info() -> dict[str, int]:
    """Tell how much memory the buffer pool holds.

    Returns
    -------
    dict
        ``bytes_idle`` (waiting for the next batch), ``bytes_in_use`` (of batches that live), ``buffers_idle``,
        ``limit`` (how many bytes may be idle), ``hits`` and ``misses`` (batches in recycled and in fresh memory since
        the process started). All 0 without the native module, which alone has a pool.

    Examples
    --------
    >>> import fastcollate
    >>> sorted(fastcollate.pool_info())
    ['buffers_idle', 'bytes_idle', 'bytes_in_use', 'hits', 'limit', 'misses']
    """
    return dict(_NONE) if native is None else native.pool_info()


def set_pool_limit(limit: int) -> None:
    """Set how many bytes the buffer pool may keep idle.

    The default is one eighth of main memory, or of the cgroup's memory limit if that is less. Batches in use don't
    count. Beyond the limit the buffers that were idle for longest are freed.

    Parameters
    ----------
    limit : int
        In bytes; 0 recycles nothing.

    Raises
    ------
    TypeError, ValueError
        If `limit` isn't an int of at least 0.

    Examples
    --------
    >>> import fastcollate
    >>> fastcollate.set_pool_limit(1 << 30)
    """
    size = read_int("limit", limit, least=0)
    if native is not None:
        native.set_pool_limit(min(size, 2**63 - 1))


def trim_pool() -> int:
    """Free the memory that waits for the next batch.

    Returns
    -------
    int
        How many bytes that were.

    Examples
    --------
    >>> import fastcollate
    >>> freed = fastcollate.trim_pool()
    >>> fastcollate.pool_info()["bytes_idle"]
    0
    """
    return 0 if native is None else native.trim_pool()
