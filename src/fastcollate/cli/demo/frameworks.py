"""Finding TensorFlow and Keras. Without them the demo goes on, and says what it leaves out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

#: For this process and those it starts, unless the user decided otherwise. The demo is about host memory, so
#: TensorFlow stays on the CPU; Keras' backend must be the framework that the batches are measured with.
ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "KERAS_BACKEND": "tensorflow"}

NAMES = {"tensorflow": "TensorFlow", "keras": "Keras"}


@dataclass(frozen=True)
class Frameworks:
    """The two modules, each None if it is missing, and a line for each missing one."""

    tf: Any
    keras: Any
    missing: tuple[str, ...]


def set_environment() -> None:
    """Set what TensorFlow and Keras read at import, here and in the workers to come."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def installed() -> bool:
    """Whether both are there, as far as can be told without importing them, which takes seconds."""
    return find_spec("tensorflow") is not None and find_spec("keras") is not None


def load() -> Frameworks:
    """Import TensorFlow and Keras, or find out why they can't be."""
    modules: dict[str, Any] = {}
    missing = []
    for name, spoken in NAMES.items():
        try:
            with hidden("sklearn", "matplotlib", "scipy", "pandas"):
                modules[name] = __import__(name)
        except Exception as error:  # noqa: BLE001  # a broken install raises whatever its loader raises
            missing.append(f"what needs {spoken}: {error}")
            break  # this Keras stands on TensorFlow
    return Frameworks(modules.get("tensorflow"), modules.get("keras"), tuple(missing))


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Make modules that aren't imported yet look missing.

    Intentional: Keras imports scikit-learn and pyplot for wrappers that the demo has no use for, which costs each
    process of it three seconds on a slow machine, and memory that isn't the contender's.
    """
    fresh = [name for name in names if name not in sys.modules]
    for name in fresh:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in fresh:
            if sys.modules.get(name, ...) is None:
                del sys.modules[name]


def image_data_generator(tf: Any) -> Any:
    """Return Keras' `ImageDataGenerator`, which Keras 3 has in its legacy namespace alone, reached by `tf.keras`."""
    return tf.keras.preprocessing.image.ImageDataGenerator
