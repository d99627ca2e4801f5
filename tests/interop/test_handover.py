"""Batches handed over: the same address, and the memory comes back to the pool when the tensor dies, never before."""

from __future__ import annotations

import gc
import importlib.util
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import NATIVE

import fastcollate

FRAMEWORKS = ["tensorflow", "torch", "jax"]
SHAPE = (64, 128)


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    needed = os.environ.get("FASTCOLLATE_TEST_FRAMEWORKS") == "1" and name != "tensorflow"
    if importlib.util.find_spec(name) is None and not needed:
        pytest.skip(f"{name} is not installed here; `nox -s frameworks` tests torch and JAX")
    importlib.import_module(name)
    return name


def batch_of(value: float, to: str = "numpy", count: int = 8) -> Any:
    return fastcollate.stack([np.full(SHAPE, value, np.float32)] * count, to=to)  # type: ignore[arg-type]


def address(tensor: Any, framework: str) -> int:
    if framework == "torch":
        return int(tensor.data_ptr())
    if framework == "jax":
        return int(tensor.unsafe_buffer_pointer())
    return int(np.asarray(tensor).__array_interface__["data"][0])


def values(tensor: Any) -> Any:
    return np.asarray(tensor).copy()


def overwrite_recycled_memory() -> None:
    """Write other numbers into whatever buffers of this size the pool has to give."""
    gc.collect()
    batches = [batch_of(-1.0) for _ in range(8)]
    del batches


@pytest.mark.skipif(not NATIVE, reason="the pool is the native module's")
def test_the_tensor_lies_where_the_batch_lay(framework: str) -> None:
    batch = batch_of(1.0)
    place = address(batch, "numpy")
    del batch
    # The pool hands the same buffer out again, so the tensor's address is the batch's unless somebody copied.
    assert address(batch_of(2.0, to=framework), framework) == place


@pytest.mark.skipif(not NATIVE, reason="the pool is the native module's")
def test_memory_comes_back_when_the_tensor_dies(framework: str) -> None:
    def in_use() -> int:
        gc.collect()
        return fastcollate.pool_info()["bytes_in_use"]

    batch_of(0.0, to=framework)  # whatever the framework keeps from its first tensor on
    before = in_use()
    tensor = batch_of(3.0, to=framework)
    assert in_use() >= before + 8 * 64 * 128 * 4
    del tensor
    end = time.monotonic() + 10  # frameworks may release on a thread of their own
    while in_use() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert in_use() <= before


def descendants(tensor: Any, framework: str) -> list[Any]:
    """Tensors that may share the memory of `tensor`, or are still being computed from it."""
    if framework == "torch":
        return [tensor[2:], tensor.view(-1), tensor.permute(2, 0, 1), tensor.detach(), tensor.numpy()]
    if framework == "jax":
        import jax

        donated = jax.jit(lambda x: x, donate_argnums=0)
        return [tensor[2:], tensor.reshape(-1), jax.device_put(tensor), np.asarray(tensor), donated(tensor)]
    import tensorflow as tf

    dataset = tf.data.Dataset.from_tensors(tensor)
    return [tensor[2:], tf.reshape(tensor, [-1]), tf.identity(tensor), np.asarray(tensor), next(iter(dataset))]


def test_nothing_is_recycled_while_a_descendant_lives(framework: str) -> None:
    for value in range(1, 20):
        tensor = batch_of(value, to=framework)
        children = descendants(tensor, framework)
        del tensor
        overwrite_recycled_memory()
        assert all((values(child) == value).all() for child in children), (framework, value)


def work(framework: str) -> Callable[[Any], Any]:
    """Return a computation that the framework may run behind the caller's back."""
    if framework == "torch":
        return lambda x: (x @ x.transpose(1, 2)).sum()
    if framework == "jax":
        import jax

        compiled: Callable[[Any], Any] = jax.jit(lambda x: (x @ x.transpose(0, 2, 1)).sum())
        return compiled
    import tensorflow as tf

    return lambda x: tf.reduce_sum(tf.matmul(x, x, transpose_b=True))


def test_work_under_way_keeps_its_input(framework: str) -> None:
    compute = work(framework)
    results = []
    for value in range(1, 30):
        results.append((value, compute(batch_of(value, to=framework))))
        overwrite_recycled_memory()
    for value, result in results:
        assert float(result) == pytest.approx(8 * 64 * 64 * 128 * value**2, rel=1e-5)
