"""fastcollate: turn samples into batches at the speed of memory.

`stack` makes one array of many, whatever framework they come from; `batch_cast` gathers rows of a data set, casts and
rescales them in one pass. NumPy is the reference of both: same values, dtype, shape and errors.
"""

from __future__ import annotations

from ._cast import batch_cast
from ._explain import explain
from ._runtime import show_config
from ._stack import stack
from ._version import __version__

__all__ = ["__version__", "batch_cast", "explain", "show_config", "stack"]
