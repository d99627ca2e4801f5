"""One session a claim. `make` and CI call these same sessions, through scripts/bootstrap.py.

Sessions without an environment of their own run in the one that nox itself runs in: .venv, in which bootstrap.py has
built the extension.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import cmake
import ninja
import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["tests"]
nox.options.error_on_external_run = False

ROOT = Path(__file__).resolve().parent
CORE = ROOT / "build" / "core"
CSRC = ROOT / "csrc"

#: What compiling, linking and looking at objects takes, under every name that CMake may ask for.
TOOLS = ["c++", "g++", "clang++", "cc", "gcc", "clang", "as", "ld", "ar", "ranlib", "nm", "strip", "objcopy", "objdump"]
TOOLS += ["readelf", "sh", "uname"]

#: What the suite needs where .venv is not.
SUITE = ["pytest>=8", "hypothesis>=6.100", "ml_dtypes>=0.4"]


@nox.session
def tests(session: nox.Session) -> None:
    """The tree keeps its layers, the C++ code works alone, the package works with the extension and without it."""
    session.run("python", "scripts/check_layers.py")
    build_core(session)
    session.run("python", "scripts/check_target_symbols.py", str(CORE))
    if os.environ.get("FASTCOLLATE_NATIVE", "") != "0":
        run_pytest(session, native=True)
    run_pytest(session, native=False, FASTCOLLATE_NATIVE="0")


@nox.session
def core(session: nox.Session) -> None:
    """Build the engine and its kernels, and run their tests, where there is no Python."""
    build_core(session)


@nox.session
def targets(session: nox.Session) -> None:
    """Run the suite on every SIMD target that this CPU has."""
    code = "import fastcollate; print(*fastcollate.show_config('dicts')['simd_available'])"
    for target in str(session.run("python", "-c", code, silent=True)).split():
        session.log(f"SIMD target {target}")
        run_pytest(session, native=True, FASTCOLLATE_SIMD=target)


@nox.session
def lint(session: nox.Session) -> None:
    """Everything reads as house and style say."""
    session.run("python", "scripts/check_layers.py")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("clang-format", "--dry-run", "-Werror", *map(str, sorted(CSRC.rglob("*.[ch]pp"))))
    configure_core(session)
    sources = sorted(file for room in ("kernels", "engine") for file in (CSRC / room).glob("*.cpp"))
    session.run("clang-tidy", "--quiet", "-p", str(CORE), *map(str, sources))


@nox.session(venv_backend="venv")
def pure(session: nox.Session) -> None:
    """Where no compiler is, the package installs as pure Python, says so, and keeps its promises."""
    environment = {"CC": "/nonexistent", "CXX": "/nonexistent", "FASTCOLLATE_REQUIRE_NATIVE": None}
    # Its own build folder: CMake would remember the compiler of the other builds.
    session.install(f"--config-settings=build-dir={ROOT}/build/pure", ".", env=environment)
    session.install(*SUITE)
    session.run("python", "-c", "import fastcollate; fastcollate.show_config()")
    # Frameworks aside: they are tested where they are installed.
    run_pytest(session, "tests", "--ignore=tests/interop", "--ignore=tests/test_examples.py", native=False)


@nox.session(venv_backend="venv")
def frameworks(session: nox.Session) -> None:
    """Batches go to PyTorch and JAX and come from them; both take some gigabytes to install."""
    session.install(
        f"--config-settings=build-dir={ROOT}/build/frameworks", ".", env={"FASTCOLLATE_REQUIRE_NATIVE": "1"}
    )
    session.install("jax", "torch", *SUITE)
    files = ["tests/interop/test_jax.py", "tests/interop/test_torch.py"]
    run_pytest(session, *files, native=True, FASTCOLLATE_TEST_FRAMEWORKS="1")


@nox.session
def emulated(session: nox.Session) -> None:
    """No instruction that an older x86-64 CPU or an arm64 one lacks; the same bits there."""
    needed = {"qemu-x86_64": "qemu-user", "qemu-aarch64": "qemu-user", "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu"}
    missing = sorted({package for program, package in needed.items() if shutil.which(program) is None})
    if missing:
        session.error(f"emulated: expected qemu and a cross-compiler; apt install {' '.join(missing)}")
    build_core(session)
    for cpu in ("Westmere", "Haswell"):
        for room in ("kernels", "stack_plan", "cast_plan"):
            session.run("qemu-x86_64", "-cpu", cpu, str(CORE / "csrc" / "tests" / f"test_{room}"))
    # What is emulated here is this process alone: tests that start others would run them on the real CPU.
    code = "import fastcollate; c = fastcollate.show_config('dicts'); assert c['simd_target'] == 'baseline', c"
    session.run("qemu-x86_64", "-cpu", "Westmere", sys.executable, "-c", code)
    smoke = ["tests/test_batch_cast.py", "tests/test_stack.py", "-k", "not random_scales", "-p", "no:cacheprovider"]
    session.run("qemu-x86_64", "-cpu", "Westmere", sys.executable, "-m", "pytest", "-q", *smoke)

    arm64 = ROOT / "build" / "arm64"
    options = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-G", "Ninja"]
    options += ["-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++", "-DFASTCOLLATE_TESTS=ON", "-DFASTCOLLATE_WERROR=ON"]
    options += ["-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu"]
    session.run("cmake", "-S", str(ROOT), "-B", str(arm64), *options, silent=True)
    session.run("cmake", "--build", str(arm64))
    rooms = "^(kernels|stack_plan|cast_plan|aligned_memory)$"
    session.run("ctest", "--test-dir", str(arm64), "--output-on-failure", "--no-tests=error", "-R", rooms)


@nox.session
def bench(session: nox.Session) -> None:
    """Single calls, timed; what they return is checked."""
    session.run("python", "-m", "pytest", "bench", "--benchmark-only", *session.posargs)


def run_pytest(session: nox.Session, *arguments: str, native: bool, **environment: str) -> None:
    """Run the suite, and fail if the path that it tests is not the one asked for."""
    session.log(f"the suite {'with the extension' if native else 'through NumPy alone'}")
    environment["FASTCOLLATE_TEST_EXPECT_NATIVE"] = str(int(native))
    session.run("python", "-m", "pytest", *(arguments or ["tests"]), *session.posargs, env=environment)


def configure_core(session: nox.Session) -> dict[str, str]:
    """Configure the C++ code in build/core, and return the environment in which it is built: one without Python."""
    path = path_without_python()
    environment = {"PATH": str(path)}
    options = ["-DFASTCOLLATE_PYTHON=OFF", "-DFASTCOLLATE_TESTS=ON", "-DFASTCOLLATE_WERROR=ON"]
    options += ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_BUILD_TYPE=Release", "-G", "Ninja"]
    session.run(str(path / "cmake"), "-S", str(ROOT), "-B", str(CORE), *options, env=environment, silent=True)
    return environment


def build_core(session: nox.Session) -> None:
    """Build the C++ code and run its tests."""
    environment = configure_core(session)
    for name in ("python", "python3"):
        if shutil.which(name, path=environment["PATH"]):
            session.error(f"core: expected no {name} on PATH, found one")
    session.run(str(Path(environment["PATH"], "cmake")), "--build", str(CORE), env=environment)
    ctest = str(Path(environment["PATH"], "ctest"))
    session.run(ctest, "--test-dir", str(CORE), "--output-on-failure", "--no-tests=error", env=environment)


def path_without_python() -> Path:
    """Make a folder of links to the tools of a C++ build. As the whole PATH it hides everything else."""
    folder = ROOT / "build" / "tools"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # What pip puts on PATH as cmake is a Python script; the programs themselves lie in the package.
    named = [word for variable in ("CC", "CXX") for word in shlex.split(os.environ.get(variable, ""))[:1]]
    found = {name: shutil.which(name) for name in [*TOOLS, *named] if "/" not in name}
    found |= {name: shutil.which(name, path=cmake.CMAKE_BIN_DIR) for name in ("cmake", "ctest")}
    found["ninja"] = shutil.which("ninja", path=ninja.BIN_DIR)
    for name, program in found.items():
        if program:
            (folder / name).symlink_to(program)
    return folder
