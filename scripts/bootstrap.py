"""Run a command in .venv, after making .venv, what it needs and the extension, where they are missing or out of date.

    python3 scripts/bootstrap.py nox -s tests

Needs Python 3.10 or later with venv, and a C++17 compiler; nothing else. What was done is remembered in
.venv/fastcollate.json by hashes of the files that decide it, so that a second run starts the command at once.
"""

# intentional: no annotations import and no new syntax above Python 3.6, so that an old Python reaches the refusal.
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

if sys.version_info < (3, 10):  # noqa: UP036  # this is where the user learns it
    got = "{}.{} at {}".format(*sys.version_info[:2], sys.executable)
    sys.exit("bootstrap: expected Python 3.10 or later, got " + got + "; name another one: make PYTHON=python3.12 ...")

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "fastcollate.json"

PIP = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install"]
# No build isolation: the build tools stand in .venv, so CMake's cache stays valid from one build to the next.
BUILD = [*PIP, "--no-build-isolation", "--config-settings=cmake.define.FASTCOLLATE_WERROR=ON"]


def main(command: list[str]) -> int:
    """Bring .venv up to date, then become the command."""
    if not command:
        sys.exit("usage: bootstrap.py COMMAND [ARGUMENT ...]")
    ensure_venv()
    done = read_stamp()
    needed = fingerprint("pyproject.toml", salt=f"{sys.version_info[:2]}")
    built = fingerprint("pyproject.toml", "CMakeLists.txt", "csrc", "src/fastcollate/_version.py", salt=needed)
    # The stamp says less before a step than after it, so that an interrupted one is taken up again.
    if done.get("needed") != needed:
        write_stamp()
        install(everything=True)
    elif done.get("built") != built or not extension():
        write_stamp(needed=needed)
        install(everything=False)
    write_stamp(needed=needed, built=built)
    return become(command)


def ensure_venv() -> None:
    """Make .venv, or make it anew if its Python is gone, of another version, or was made for another folder."""
    if VENV.exists():
        reason = trouble()
        if not reason:
            return
        print(f"bootstrap: making .venv anew, because {reason}", flush=True)
        # CMake's caches hold the same paths as the environment does.
        shutil.rmtree(ROOT / "build", ignore_errors=True)
        shutil.rmtree(VENV)
    # Not the Python that runs this script: inside an activated .venv that one has just been deleted.
    python = getattr(sys, "_base_executable", None) or sys.executable
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    step(f"making .venv with Python {version}", [python, "-m", "venv", str(VENV)])


def install(*, everything: bool) -> None:
    """Build and install the extension, before that and with that everything it needs."""
    check_machine()
    if not everything:
        step("building the extension", [*BUILD, "--no-deps", "--editable", "."])
        return
    step("updating pip, which must know dependency groups", [*PIP, "--upgrade", "pip>=25.1"])
    step("installing the tools to build and test with", [*PIP, "--group", "dev"])
    step(
        "building the extension, installing TensorFlow and what else the demo needs", [*BUILD, "--editable", ".[demo]"]
    )


def trouble() -> str:
    """Return why .venv can't be used as it is, or ""."""
    code = "import sys, pip; print(sys.version_info[:2])"
    try:
        run = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return "its Python is gone"
    if run.returncode != 0:
        return "its Python or its pip does not run"
    if run.stdout.strip() != f"{sys.version_info[:2]}":
        return f"it has Python {run.stdout.strip()} and not {sys.version_info[:2]}"
    if str(VENV) not in (BIN / "activate").read_text(encoding="utf-8"):
        return "it was made in another folder"
    return ""


def read_stamp() -> dict[str, str]:
    """Return what was done before; nothing if the stamp is missing or broken."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(**done: str) -> None:
    """Remember what is done."""
    STAMP.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")


def fingerprint(*names: str, salt: str) -> str:
    """Return a hash of these files and of all files in these folders: their paths and their contents."""
    total = hashlib.sha256(salt.encode())
    for name in names:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                content = file.read_bytes()
                total.update(f"{file.relative_to(ROOT).as_posix()}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def extension() -> bool:
    """Tell whether the compiled module lies in the environment."""
    return any(VENV.glob("[Ll]ib/**/site-packages/fastcollate/_native*"))


def check_machine() -> None:
    """Say in one line what pip and CMake would say in forty."""
    if os.name == "nt":
        return  # CMake asks Windows where Visual Studio is
    named = os.environ.get("CXX", "")
    names = shlex.split(named)[:1] or ["c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in names):
        expected = f"CXX to name a C++17 compiler, got {named!r}" if named else "a C++17 compiler, found none"
        sys.exit(f"bootstrap: expected {expected}; install one, such as g++ (apt install g++, dnf install gcc-c++)")
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        sys.exit(
            f"bootstrap: expected {header}, found none; install it (apt install python3-dev, dnf install python3-devel)"
        )


def step(label: str, command: list[str]) -> None:
    """Run one step quietly; if it fails, print all it said and exit."""
    print(f"bootstrap: {label} ... ", end="", flush=True)
    start = time.monotonic()
    # A development build without the extension is a failure, not a pure-Python install.
    environment = {**os.environ, "FASTCOLLATE_REQUIRE_NATIVE": "1"}
    environment.pop("FASTCOLLATE_PURE", None)
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except KeyboardInterrupt:
        sys.exit("interrupted; the next run takes it up again")
    if done.returncode != 0:
        print("failed", flush=True)
        print(done.stdout.decode(errors="replace"))
        sys.exit(f"bootstrap: {label} failed with status {done.returncode}; the reason stands above")
    print(f"{time.monotonic() - start:.0f} s", flush=True)


def become(command: list[str]) -> int:
    """Run the command as in the activated environment, in place of this process where the system can."""
    environment = {**os.environ, "VIRTUAL_ENV": str(VENV), "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    environment.pop("PYTHONHOME", None)
    program = shutil.which(command[0], path=environment["PATH"])
    if program is None:
        sys.exit(f"bootstrap: expected a program in .venv or on PATH, got {command[0]!r}")
    if os.name == "nt":
        return subprocess.run([program, *command[1:]], env=environment, check=False).returncode
    os.execve(program, [program, *command[1:]], environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
