"""fastcollate: turn samples into batches at the speed of memory.

`stack` makes one array of many, whatever framework they come from; `batch_cast` gathers rows of a data set, casts and
rescales them in one pass. NumPy is the reference of both: same values, dtype, shape and errors.
"""

from __future__ import annotations

from ._cast import batch_cast
from ._explain import explain
from ._pool import pool_info, set_pool_limit, trim_pool
from ._runtime import show_config
from ._stack import stack
from ._threads import get_num_threads, set_num_threads, thread_limit
from ._version import __version__

__all__ = [
    "__version__",
    "batch_cast",
    "explain",
    "get_num_threads",
    "pool_info",
    "set_num_threads",
    "set_pool_limit",
    "show_config",
    "stack",
    "thread_limit",
    "trim_pool",
]
