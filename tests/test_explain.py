"""`explain` says of each kind of element which way in it takes, and agrees with what `stack` does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import NATIVE, lend

import fastcollate
from fastcollate import _runtime

F4 = np.ones((4, 6), np.float32)
CASES: list[tuple[list[Any], list[tuple[str, int, int, str, str]], str]] = [
    ([F4, F4], [("ndarray", 2, 0, "ndarray", "")], ""),
    ([F4, lend(F4), F4], [("ndarray", 2, 0, "ndarray", ""), ("memoryview", 1, 1, "buffer", "")], ""),
    ([F4.T], [("ndarray", 1, 0, "NumPy", "it isn't C-contiguous")], "arrays[0] is left to NumPy"),
    (
        [F4, F4.astype(">f4")],
        [("ndarray", 1, 0, "ndarray", ""), ("ndarray", 1, 1, "NumPy", "its byte order isn't the machine's")],
        "arrays[1] is left to NumPy",
    ),
    ([np.array("a")], [("ndarray", 1, 0, "NumPy", "its dtype is copied by NumPy")], "arrays[0] is left to NumPy"),
    (
        [np.ones(2, np.longdouble)],
        [("ndarray", 1, 0, "NumPy", "its dtype is copied by NumPy")],
        "arrays[0] is left to NumPy",
    ),
    (
        [[1, 2]],
        [("list", 1, 0, "NumPy", "it lends no buffer of numbers that lie in C order")],
        "arrays[0] is left to NumPy",
    ),
    (
        [np.ma.masked_array([1])],
        [("MaskedArray", 1, 0, "NumPy", "it has its own np.stack (__array_function__)")],
        "arrays[0] is left to NumPy",
    ),
    (
        [F4, F4.astype("f8")],
        [("ndarray", 1, 0, "ndarray", ""), ("ndarray", 1, 1, "ndarray", "")],
        "dtypes differ: float32, float64",
    ),
    ([F4, F4[0]], [("ndarray", 2, 0, "ndarray", "")], "shapes differ"),
    ([], [], "there is nothing to stack"),
]


@pytest.mark.skipif(not NATIVE, reason="without the native module every way in is NumPy")
@pytest.mark.parametrize(("arrays", "ways", "reason"), CASES)
def test_ways_in(arrays: list[Any], ways: list[tuple[str, int, int, str, str]], reason: str) -> None:
    table = fastcollate.explain(arrays)
    assert [(w.kind, w.count, w.first, w.way_in, w.reason) for w in table] == ways
    assert table.reason == reason
    assert table.native == (reason == "")
    # And it tells the truth.
    assert _runtime.native is not None
    assert table.native == (_runtime.native.stack(arrays, 0, None, 1) is not NotImplemented)


def test_it_prints_as_a_table() -> None:
    lines = str(fastcollate.explain([F4, F4, [1]])).splitlines()
    assert [line.split()[0] for line in lines] == ["kind", "ndarray", "list", "stacked"]
    assert repr(fastcollate.explain([F4])) == str(fastcollate.explain([F4]))


@pytest.mark.skipif(NATIVE, reason="with the native module the reasons differ")
def test_without_the_native_module_the_reason_is_that() -> None:
    table = fastcollate.explain([F4])
    assert (table.ways[0].way_in, table.ways[0].reason) == ("NumPy", _runtime.native_reason)
