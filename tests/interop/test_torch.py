"""Real PyTorch: batches handed over as tensors on the same memory, and tensors read through NumPy."""

from __future__ import annotations

import os

import numpy as np
import pytest
from cases import NUMBERS, assert_same, numbers

import fastcollate

if os.environ.get("FASTCOLLATE_TEST_FRAMEWORKS") == "1":  # the session that exists to test them
    import torch
else:
    torch = pytest.importorskip("torch", reason="torch is tested by `nox -s frameworks`")

# torch has no long long of its own, and NumPy's has the same 8 bytes as its int64.
DTYPES = [dtype for dtype in NUMBERS if "long" not in dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_as_tensors_on_the_same_memory(rng: np.random.Generator, dtype: str) -> None:
    arrays = [numbers(rng, (5, 3), dtype) for _ in range(3)]
    tensor = fastcollate.stack(arrays, to="torch")
    assert isinstance(tensor, torch.Tensor)
    assert str(tensor.dtype) == f"torch.{dtype}"
    assert tensor.data_ptr() % 64 == 0
    assert_same(tensor.numpy(), np.stack(arrays))


def test_byte_order_becomes_native(rng: np.random.Generator) -> None:
    arrays = [numbers(rng, (4,), ">f4") for _ in range(2)]
    np.testing.assert_array_equal(fastcollate.stack(arrays, to="torch").numpy(), np.stack(arrays))


def test_batch_cast_hands_over_too(rng: np.random.Generator) -> None:
    X = rng.integers(0, 256, (8, 4, 4, 3), dtype=np.uint8)
    tensor = fastcollate.batch_cast(X, [1, 2], to="torch", layout="NHWC->NCHW")
    expected = (X[[1, 2]] / 255.0).astype(np.float32).transpose(0, 3, 1, 2)
    assert tensor.is_contiguous()
    np.testing.assert_array_equal(tensor.numpy(), expected)
    halves = fastcollate.batch_cast(X, [1, 2], dtype="bfloat16", to="torch")
    assert halves.dtype == torch.bfloat16
    assert torch.equal(halves, torch.from_numpy((X[[1, 2]] / 255.0).astype(np.float32)).to(torch.bfloat16))


def test_the_tensor_keeps_the_batch_alive(rng: np.random.Generator) -> None:
    tensors = [fastcollate.stack([np.full(1000, i, np.float32)] * 4, to="torch") for i in range(50)]
    assert all((tensor == i).all() for i, tensor in enumerate(tensors))


def test_tensors_in_a_list(rng: np.random.Generator) -> None:
    arrays = [numbers(rng, (4, 3), "float32") for _ in range(3)]
    assert_same(fastcollate.stack([torch.from_numpy(a) for a in arrays]), np.stack(arrays))


def test_a_tensor_as_out(rng: np.random.Generator) -> None:
    arrays = [numbers(rng, (4, 3), "float32") for _ in range(3)]
    out = torch.zeros(3, 4, 3)
    assert fastcollate.stack(arrays, out=out) is out
    assert_same(out.numpy(), np.stack(arrays))


def test_a_lazily_negated_out_is_refused() -> None:
    out = torch._neg_view(torch.zeros(2, 3))
    with pytest.raises(
        BufferError, match=r"^out: expected writable memory, got a lazily negated or conjugated Tensor; "
    ):
        fastcollate.stack([np.full(3, 5, np.float32)] * 2, out=out)
    assert (out == 0).all()


def test_what_torch_does_not_know() -> None:
    with pytest.raises(TypeError, match=r"^to: expected a batch of numbers for 'torch', got dtype datetime64\[D\]"):
        fastcollate.stack([np.array(["2024-02-29"], "M8[D]")], to="torch")
