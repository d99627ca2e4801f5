"""The demo: real images on their way into batches, every usual way next to ours.

`run` is the order of things. Each part measures and returns a `results.Section`; `console` and `report` show it.
"""

from __future__ import annotations
