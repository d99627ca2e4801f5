"""The command line: `python -m fastcollate {demo,info}`."""

from __future__ import annotations

from ._main import main

__all__ = ["main"]
