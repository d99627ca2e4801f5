"""What people found who tried to break it: each find a test, by its kind."""

from __future__ import annotations

import ctypes
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import NATIVE, assert_same
from test_runtime import run_python

import fastcollate


@pytest.mark.skipif(not NATIVE, reason="NumPy decides about the GIL on the other path")
@pytest.mark.parametrize("call", ["fc.batch_cast(X)", "fc.batch_cast(X, threads=1)", "fc.stack(list(X))"])
def test_interpreter_exit_amid_calls_of_daemon_threads(call: str) -> None:
    code = (
        "import threading, time, numpy as np, fastcollate as fc\n"
        "X = np.zeros((64, 1 << 16), np.uint8)\n"
        "def work():\n"
        f"    while True: {call}\n"
        "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.2)\n"
        "print('done')"
    )
    for _ in range(3):
        assert run_python(code).strip() == "done"  # and not -6: ended by std::terminate


@pytest.mark.parametrize("kind", ["union", "packed", "structure"])
def test_buffers_whose_letter_and_size_disagree(kind: str) -> None:
    class Union(ctypes.Union):
        _fields_ = [("a", ctypes.c_int8), ("b", ctypes.c_double)]

    class Packed(ctypes.Structure):
        _pack_ = 1
        _layout_ = "ms"
        _fields_ = [("a", ctypes.c_int16), ("b", ctypes.c_int16)]

    class Structure(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_float)]

    item = {"union": Union, "packed": Packed, "structure": Structure}[kind]
    arrays: list[Any] = [(item * 3)(), (item * 3)()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy says that it guesses
        assert fastcollate.stack(arrays).dtype == np.stack(arrays).dtype
    assert not fastcollate.explain(arrays).native


def test_out_that_overlaps_inputs_of_a_subclass(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "m", np.int64, "w+", shape=(4, 3))
    mapped[...] = np.arange(12).reshape(4, 3)
    fastcollate.stack([mapped[1], mapped[0], mapped[3], mapped[2]], out=mapped)
    assert mapped.tolist() == [[3, 4, 5], [0, 1, 2], [9, 10, 11], [6, 7, 8]]


@pytest.mark.parametrize("subclass", [False, True])
def test_out_is_whole_or_untouched_when_a_cast_raises(subclass: bool, tmp_path: Path) -> None:
    good: Any = np.ones(3)
    if subclass:
        good = np.memmap(tmp_path / "m", np.float64, "w+", shape=(3,))
    out = np.full((2, 3), -7, np.float32)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        fastcollate.stack([good, np.full(3, 1e300)], out=out)
    assert (out == -7).all()
    with pytest.raises(RuntimeWarning):  # the suite's settings make warnings errors
        fastcollate.stack([good, np.full(3, 1e300)], out=out)
    assert (out == -7).all()


def test_an_out_with_numpys_function_protocol_is_asked() -> None:
    class Own:
        def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return ("own", func)

    assert fastcollate.stack([np.ones(2)], out=Own()) == ("own", np.stack)


@pytest.mark.parametrize(
    "keywords",
    [
        {"offset": None},
        {"offset": [1, None, 2]},
        {"scale": np.complex64(1 + 2j)},
        {"scale": np.datetime64("2020")},
        {"mean": "0.5"},
        {"std": b"1"},
        {"mean": ["1", "2", "3"]},
        {"offset": 1j},
    ],
    ids=str,
)
def test_what_is_no_number_is_refused(keywords: dict[str, Any]) -> None:
    X = np.ones((4, 2, 2, 3), np.uint8)
    name = next(iter(keywords))
    with pytest.raises(TypeError, match=rf"^{name}: expected a number or one a channel, got "):
        fastcollate.batch_cast(X, **keywords)


def test_numbers_of_every_kind_are_taken() -> None:
    X = np.full((2, 3), 200, np.uint8)
    for half in (0.5, np.float32(0.5), np.float16(0.5), np.array(0.5), Fraction(1, 2)):
        assert_same(fastcollate.batch_cast(X, scale=half), np.full((2, 3), 100, np.float32))


def test_a_layout_that_is_no_str() -> None:
    with pytest.raises(TypeError, match=r"^layout: expected a str such as 'NHWC->NCHW', got int$"):
        fastcollate.batch_cast(np.ones((2, 2), np.uint8), layout=5)  # type: ignore[arg-type]


def test_no_samples_need_no_offsets_and_no_flips() -> None:
    X = np.ones((4, 6, 5, 3), np.uint8)
    assert fastcollate.batch_cast(X, [], crop=([], (2, 2)), flip=[]).shape == (0, 2, 2, 3)


def test_all_of_very_many_rows_of_nothing() -> None:
    X = np.broadcast_to(np.uint8(1), (1 << 40, 0))
    assert fastcollate.batch_cast(X).shape == (1 << 40, 0)
    with pytest.raises((MemoryError, ValueError)):
        fastcollate.batch_cast(np.broadcast_to(np.uint8(1), (1 << 60, 1)))
    empty = np.empty((1 << 60, 0), np.float32)
    with pytest.raises(ValueError, match="too big"):
        np.stack([empty, empty])
    with pytest.raises(ValueError, match="too big"):
        fastcollate.stack([empty, empty])


def test_explain_knows_which_containers_are_read_natively() -> None:
    arrays = [np.ones(2), np.ones(2)]

    class Sub(list[Any]):
        pass

    table = fastcollate.explain(Sub(arrays))
    assert (table.native, table.reason != "") == (False, True)
