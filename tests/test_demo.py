"""The demo from end to end, and the command line around it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fastcollate.cli import _main, main
from fastcollate.cli.demo import frameworks

PACKAGES = list(_main.NEEDED)
HAVE_KERAS = frameworks.installed()


@pytest.mark.skipif(any(find_spec(name) is None for name in PACKAGES), reason="needs what the demo needs")
def test_quick_demo(tmp_path: Path) -> None:
    report, figures = tmp_path / "report.html", tmp_path / "figures.json"
    command = [sys.executable, "-m", "fastcollate", "demo", "--quick", "--report", str(report), "--json", str(figures)]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    page = report.read_text(encoding="utf-8")
    assert re.findall(r'<section id="part-(.)"', page) == ["a", "b", "c", "d"]
    assert f"report: {report}" in re.sub(r"\n", "", done.stdout)
    for title in re.findall(r"<h2>(.*?)</h2>", page):
        assert title in done.stdout
    assert (tmp_path / "cache" / "fastcollate" / "patches-v1" / "patches_X.bin").stat().st_size == 6400 * 96 * 96 * 3
    parts = json.loads(figures.read_text(encoding="utf-8"))["parts"]
    assert "fastcollate.stack" in parts["a"]["NumPy"]
    assert "fastcollate.batch_cast" in parts["c"]["contenders"]
    if HAVE_KERAS:
        assert "left out" not in done.stdout
        assert set(parts["a"]) == {"title", "NumPy", "TensorFlow", "mixed"}
        assert set(parts["b"]["whole batch"]) == {"np.asarray", "np.stack", "tf.stack", "fastcollate.stack"}
        before, *epochs = parts["d"]["held_out"]
        assert len(epochs) == 2
        assert before["loss"] > epochs[0]["loss"] > epochs[1]["loss"]
        assert epochs[1]["accuracy"] > 0.25


def test_what_is_missing_is_named_on_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_main, "find_spec", lambda name: None if name in ("PIL", "sklearn") else name)
    assert main(["demo"]) == 2
    expected = 'fastcollate: the demo needs pillow, scikit-learn; install with: pip install "fastcollate[demo]"\n'
    assert capsys.readouterr() == ("", expected)


@pytest.mark.parametrize("option", ["--report", "--json"])
def test_a_file_that_cannot_be_written_is_found_before_the_run(
    tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_main, "find_spec", lambda name: name)
    for path in (tmp_path, tmp_path / "missing" / "file"):
        assert main(["demo", option, str(path)]) == 2
        assert capsys.readouterr().err == f"fastcollate: {path}: expected a file to write in a folder that exists\n"


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    assert capsys.readouterr().out.startswith("version ")


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "{demo,info}" in capsys.readouterr().err


def test_ctrl_c_ends_without_a_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_main, "show_config", interrupt)
    assert main(["info"]) == 130
    assert capsys.readouterr() == ("", "fastcollate: stopped\n")


def test_hidden_modules_look_missing_and_come_back() -> None:
    with frameworks.hidden("csv", "sys", "fastcollate_no_such_module"):
        assert sys.modules["sys"] is sys
        sys.modules.pop("csv", None)
    assert "fastcollate_no_such_module" not in sys.modules
    with frameworks.hidden("fastcollate_no_such_module"), pytest.raises(ImportError):
        __import__("fastcollate_no_such_module")
    assert sys.modules.get("csv", sys) is not None


def test_the_command_line_starts_without_what_the_demo_needs() -> None:
    code = "import sys, fastcollate.cli; print([n for n in ('rich', 'matplotlib', 'keras') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
