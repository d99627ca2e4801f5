"""What runs here: the native module, if there is one, and the facts about it."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, overload

import numpy as np

from ._version import __version__


def _load_native() -> tuple[ModuleType | None, str]:
    """Import the native module, or say why it isn't used."""
    if os.environ.get("FASTCOLLATE_NATIVE", "") == "0":
        return None, "switched off by FASTCOLLATE_NATIVE=0"
    try:
        module = import_module("._native", __package__)
    except ModuleNotFoundError:
        return None, "not built: this is a pure-Python install (no C++ compiler was found when it was installed)"
    except ImportError as error:
        return None, f"the extension is there but does not load: {error}"
    if module.simd_target() is None:
        names = ", ".join(map(repr, module.simd_targets()))
        wanted = os.environ["FASTCOLLATE_SIMD"]
        raise ValueError(f"FASTCOLLATE_SIMD: expected one of {names} on this CPU, got {wanted!r}")
    return module, ""


# intentional: decided once, at import, so that one process never mixes two answers.
native, native_reason = _load_native()


@overload
def show_config(mode: Literal["print"] = "print") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, Any]: ...
def show_config(mode: Literal["print", "dicts"] = "print") -> dict[str, Any] | None:
    """Tell which fastcollate runs here, and why the native module is off if it is.

    Parameters
    ----------
    mode : {"print", "dicts"}
        Whether to print the facts or to return them.

    Returns
    -------
    dict or None
        With ``mode="dicts"``: ``version``, ``native`` (bool), ``native_reason`` (why it is off, else ""),
        ``simd_target`` and ``simd_available`` (None and [] without the native module), ``threads`` (the process
        default), ``ways_in`` (how elements are read natively; all else is NumPy's), ``python``, ``numpy``, ``platform``.

    Raises
    ------
    ValueError
        If `mode` is neither of the two.

    Examples
    --------
    >>> import fastcollate
    >>> sorted(fastcollate.show_config(mode="dicts"))[:3]
    ['native', 'native_reason', 'numpy']
    """
    if mode not in ("print", "dicts"):
        raise ValueError(f"mode: expected 'print' or 'dicts', got {mode!r}")
    facts: dict[str, Any] = {
        "version": __version__,
        "native": native is not None,
        "native_reason": native_reason,
        "simd_target": native.simd_target() if native else None,
        "simd_available": native.simd_targets() if native else [],
        "threads": native.get_num_threads() if native else 1,
        "ways_in": ["ndarray", "buffer"] if native else [],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": f"{sys.platform} {platform.machine()}",
    }
    if mode == "dicts":
        return facts
    width = max(map(len, facts))
    for name, value in facts.items():
        shown = ", ".join(value) if isinstance(value, list) else value
        print(f"{name:<{width}}  {shown}")
    return None
