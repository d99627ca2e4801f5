"""The demo's data: two photographs cut into patches, on disk as STL-10 is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from fastcollate.cli.demo import data
from fastcollate.cli.demo.data import Grid

SMALL = Grid(tops=10, lefts=3, side=8)
Photographs = list[npt.NDArray[np.uint8]]


@pytest.fixture
def photographs(rng: np.random.Generator) -> Photographs:
    return [rng.integers(0, 256, (26, 20, 3), dtype=np.uint8) for _ in range(2)]


def refuse() -> Photographs:
    raise AssertionError("the photographs were loaded although the cache was good")


def test_the_file_is_laid_out_as_stl10s(tmp_path: Path, photographs: Photographs) -> None:
    data.prepare(tmp_path, SMALL, lambda: photographs)
    raw = (tmp_path / data.IMAGES).read_bytes()
    assert len(raw) == 60 * 3 * 8 * 8
    # Patch 5 of the first photograph: the second of the ten tops (2 of 0, 2, ..., 18), the third of the lefts.
    patch = raw[5 * 192 : 6 * 192]
    expected = photographs[0][2:10, 12:20]
    for channel in range(3):
        for column in range(8):
            start = channel * 64 + column * 8
            assert patch[start : start + 8] == expected[:, column, channel].tobytes()


def test_the_view_shows_the_photographs_upright(tmp_path: Path, photographs: Photographs) -> None:
    patches = data.prepare(tmp_path, SMALL, lambda: photographs)
    assert isinstance(patches.planar, np.memmap)
    assert not patches.planar.flags.writeable
    assert np.shares_memory(patches.images, patches.planar)
    assert patches.images.shape == (60, 8, 8, 3)
    position = 0
    for photograph in photographs:
        for top in range(0, 20, 2):
            for left in (0, 6, 12):
                np.testing.assert_array_equal(
                    patches.images[position], photograph[top : top + 8, left : left + 8], strict=True
                )
                position += 1


def test_labels_say_photograph_and_fifth_of_its_height(tmp_path: Path, photographs: Photographs) -> None:
    patches = data.prepare(tmp_path, SMALL, lambda: photographs)
    assert patches.labels.tolist() == [label for label in range(10) for _ in range(6)]
    assert list((tmp_path / data.LABELS).read_bytes()) == [label + 1 for label in patches.labels]


def test_a_good_cache_is_used(tmp_path: Path, photographs: Photographs) -> None:
    first = data.prepare(tmp_path, SMALL, lambda: photographs)
    again = data.prepare(tmp_path, SMALL, refuse)
    np.testing.assert_array_equal(first.planar, again.planar, strict=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == [data.IMAGES, data.LABELS]


@pytest.mark.parametrize("name", [data.IMAGES, data.LABELS])
@pytest.mark.parametrize("change", ["truncated", "longer", "gone"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, photographs: Photographs, name: str, change: str) -> None:
    data.prepare(tmp_path, SMALL, lambda: photographs)
    file = tmp_path / name
    whole = file.read_bytes()
    file.unlink()
    if change != "gone":
        file.write_bytes(whole[:-1] if change == "truncated" else whole + b"x")
    data.prepare(tmp_path, SMALL, lambda: photographs)
    assert file.read_bytes() == whole


def test_a_cache_of_another_grid_is_made_anew(tmp_path: Path, photographs: Photographs) -> None:
    data.prepare(tmp_path, SMALL, lambda: photographs)
    assert len(data.prepare(tmp_path, Grid(tops=5, lefts=3, side=8), lambda: photographs).labels) == 30


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise OSError("disk full")

    file = tmp_path / "file"
    for before in ([], [file]):
        with pytest.raises(OSError, match="disk full"):
            data.write_whole(file, pieces())
        assert list(tmp_path.iterdir()) == before
        file.write_bytes(b"whole")
    assert file.read_bytes() == b"whole"


def test_the_whole_set() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("PIL")
    photographs = data.load_photographs()
    assert [photograph.shape for photograph in photographs] == [(427, 640, 3), (427, 640, 3)]
    labels = [label for label, _ in data.cut(photographs, Grid())]
    assert len(labels) == 6400
    assert np.bincount(labels).tolist() == [640] * 10


@pytest.mark.skipif("os.name == 'nt'")
@pytest.mark.parametrize(
    ("variable", "base"), [("/somewhere", "/somewhere"), ("", "~/.cache"), ("relative", "~/.cache")]
)
def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, variable: str, base: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", variable)
    assert data.cache_folder() == Path(base).expanduser() / "fastcollate" / "patches-v1"
