"""The worker processes of the memory table, seen from the demo: starting, asking, ending them."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

MODULE = "fastcollate.cli.demo.memory_worker"


class WorkerDiedError(Exception):
    """A worker ended before it answered; the text says how."""


class WorkerProcess:
    """One contender's process. It starts importing at once; the first answer waits until it has."""

    def __init__(self, name: str, *, train: bool) -> None:
        # A file, as nobody reads a pipe while the worker runs. noqa: it lives as long as the worker.
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        command = [sys.executable, "-m", MODULE, name, *(["--train"] if train else [])]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors, encoding="utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._commands, self._answers = self._process.stdin, self._process.stdout
        self.train = train

    def ask(self, command: str, *arguments: Any) -> Any:
        """Send a command, and return its answer.

        Raises
        ------
        WorkerDiedError
            If the process ended instead of answering.
        """
        with contextlib.suppress(BrokenPipeError):  # reading tells why
            self._commands.write(json.dumps([command, *arguments]) + "\n")
            self._commands.flush()
        line = self._answers.readline()
        if line:
            return json.loads(line)
        status = self._process.wait()
        self._errors.seek(0)
        last = [text for text in self._errors.read().splitlines() if text.strip()][-1:]
        raise WorkerDiedError(": ".join([f"its process ended with status {status}", *last]))

    def close(self) -> None:
        """End the process and forget its output."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError):  # a command that was never read
            self._commands.close()
        self._answers.close()
        self._errors.close()


class Workers:
    """All contenders' processes, started together. `close` ends them, whatever has happened in between."""

    def __init__(self, train: Mapping[str, bool]) -> None:
        self.lost: dict[str, str] = {}
        self.alive: dict[str, WorkerProcess] = {}
        try:
            for name, trains in train.items():
                self.alive[name] = WorkerProcess(name, train=trains)
        except BaseException:
            self.close()
            raise

    def ask(self, name: str, command: str, *arguments: Any) -> Any:
        """Return a worker's answer, or None if it has died, now or before."""
        if name not in self.alive:
            return None
        try:
            return self.alive[name].ask(command, *arguments)
        except WorkerDiedError as death:
            self.alive.pop(name).close()
            self.lost[name] = str(death)
            return None

    def ask_all(self, command: str, *arguments: Any) -> dict[str, Any]:
        """Return the answers of those that are still alive after answering, asked one after another."""
        answers = {name: self.ask(name, command, *arguments) for name in list(self.alive)}
        return {name: answer for name, answer in answers.items() if name in self.alive}

    def close(self) -> None:
        """End all."""
        for process in self.alive.values():
            process.close()
        self.alive.clear()
