# Each target is one line into a session of noxfile.py or into Python. Everything that is needed is installed into .venv
# on the way; `make PYTHON=python3.12 ...` names another Python, `make demo ARGS=--quick` passes arguments on.
PYTHON ?= python3
RUN = $(PYTHON) scripts/bootstrap.py
.DEFAULT_GOAL = help
.PHONY: help demo test test-all lint emulated bench core clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' $(MAKEFILE_LIST)

demo:  ## batches of images on their way into Keras, next to what NumPy takes for it
	@$(RUN) python -m fastcollate demo $(ARGS)

test:  ## layers, C++ tests without Python, the suite with the extension and without it
	@$(RUN) nox -s tests -- $(ARGS)

test-all:  ## the same, on every SIMD target too, and installed where no compiler is
	@$(RUN) nox -s tests targets pure

lint:  ## ruff, mypy, clang-format, clang-tidy, layers
	@$(RUN) nox -s lint

emulated:  ## on older x86-64 CPUs and on arm64, under qemu
	@$(RUN) nox -s emulated

bench:  ## time single calls against NumPy
	@$(RUN) nox -s bench -- $(ARGS)

core:  ## build and test the C++ code alone, with Python out of reach
	@$(RUN) nox -s core

clean:  ## forget everything built; downloads stay in .venv
	rm -rf build dist .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks .venv/fastcollate.json
