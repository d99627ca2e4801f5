"""Real images without a download: two photographs, cut into patches and laid out on disk as STL-10 is.

STL-10's binary files hold uint8 images one after another, each channel a plane, each plane column by column; its labels
are one uint8 an image, counted from 1. A patch's label says which photograph it is from, and which fifth of its height.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

#: Counted up whenever the same names hold other contents, so that no cache of an older release is taken for ours.
VERSION = 1
IMAGES, LABELS = "patches_X.bin", "patches_y.bin"

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Grid:
    """Where patches are cut: `tops` x `lefts` of them a photograph, evenly spaced; they overlap."""

    tops: int = 50
    lefts: int = 64
    side: int = 96
    bands: int = 5

    @property
    def shape(self) -> tuple[int, int, int]:
        """One patch as it lies in the file: channels, columns, rows."""
        return (3, self.side, self.side)


@dataclass(frozen=True)
class Patches:
    """The data set, memory-mapped.

    Attributes
    ----------
    planar : uint8 memmap of shape (N, 3, side, side)
        As the file has it: channel, column, row.
    labels : int64 array of shape (N,)
        From 0 on; the file counts from 1, as STL-10's do.
    """

    planar: Pixels
    labels: npt.NDArray[np.int64]

    @property
    def images(self) -> Pixels:
        """The same memory seen as upright images: uint8 of shape (N, rows, columns, 3)."""
        return self.planar.transpose(0, 3, 2, 1)


def cache_folder() -> Path:
    """Return the folder that keeps the patches from one run to the next."""
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "")
        if not base.is_absolute():  # the XDG specification: a relative path counts as unset
            base = Path.home() / ".cache"
    return base / "fastcollate" / f"patches-v{VERSION}"


def load_photographs() -> list[Pixels]:
    """Return the two photographs that scikit-learn carries, each 427 x 640 x 3."""
    from sklearn.datasets import load_sample_images

    return [np.asarray(image, np.uint8) for image in load_sample_images().images]


def prepare(folder: Path, grid: Grid | None = None, load: Callable[[], Sequence[Pixels]] = load_photographs) -> Patches:
    """Map the patches, after cutting them if the folder lacks them or holds them incomplete.

    Parameters
    ----------
    folder : Path
        Where the two files are or will be.
    grid : Grid, optional
        Where to cut.
    load : callable
        Returns two uint8 photographs of shape (rows, columns, 3). Called only if there is something to cut.

    Returns
    -------
    Patches
        Mapped read-only, not loaded.

    Raises
    ------
    OSError
        If the folder can't be written.
    """
    grid = grid or Grid()
    count = 2 * grid.tops * grid.lefts
    images, labels = folder / IMAGES, folder / LABELS
    if size_of(images) != count * int(np.prod(grid.shape)) or size_of(labels) != count:
        folder.mkdir(parents=True, exist_ok=True)
        photographs = load()
        write_whole(images, (patch.tobytes() for _, patch in cut(photographs, grid)))
        write_whole(labels, (bytes([label + 1]) for label, _ in cut(photographs, grid)))
    return open_patches(folder, grid)


def open_patches(folder: Path, grid: Grid | None = None) -> Patches:
    """Map patches that are there already."""
    grid = grid or Grid()
    # The label file is small and read whole; the images never are.
    labels = np.fromfile(folder / LABELS, np.uint8).astype(np.int64) - 1
    planar = np.memmap(folder / IMAGES, np.uint8, mode="r", shape=(len(labels), *grid.shape))
    return Patches(planar, labels)


def cut(photographs: Sequence[Pixels], grid: Grid) -> Iterator[tuple[int, Pixels]]:
    """Yield each patch's label, from 0 on, and a view of the patch as it goes into the file, class by class."""
    for number, photograph in enumerate(photographs):
        planar = photograph.transpose(2, 1, 0)
        _, columns, rows = planar.shape
        tops = np.linspace(0, rows - grid.side, grid.tops).astype(int)
        lefts = np.linspace(0, columns - grid.side, grid.lefts).astype(int)
        for position, top in enumerate(tops):
            label = number * grid.bands + position * grid.bands // grid.tops
            for left in lefts:
                yield label, planar[:, left : left + grid.side, top : top + grid.side]


def size_of(file: Path) -> int:
    """Return the size of a file in bytes, -1 if there is none."""
    return file.stat().st_size if file.is_file() else -1


def write_whole(file: Path, pieces: Iterable[bytes]) -> None:
    """Write a file so that it is there whole or not at all, whoever else writes it at the same time."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")
    try:
        with open(handle, "wb") as stream:
            stream.writelines(pieces)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
