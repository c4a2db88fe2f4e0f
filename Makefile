# Two commands matter: `make demo` and `make test`. Every target first sees to its own set-up, which lives in .venv
# (and tests/node/node_modules) and is only redone when a file it depends on has changed.

PYTHON ?= python3
WORKERS ?= auto
VENV := .venv
CORE_SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*.?pp cpp/*/*.?pp cpp/*/*.h cpp/*/*.inl cpp/*/CMakeLists.txt)
NODE_READY := tests/node/node_modules/.ready

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHON
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-arm bench bench-full build setup lint stub docs fidelity assets-table clean node verify verify-long

help:
	@echo "make demo    set up, then run the main job on a character made in code (results in demo-out/)"
	@echo "make test    set up, then run every test and gate"
	@echo "make build   the package and its compiled core, installed into .venv so that edits count at once"
	@echo "make setup   build, and everything that the tests need"
	@echo "make lint    ruff, mypy, import layers, stored stub"
	@echo "make test-arm  the core's own tests, cross-compiled for 64-bit ARM and run by an emulator"
	@echo "make bench   times the kernels beside their peers; fails below a floor (bench-full: larger meshes, stored)"
	@echo "make stub    write src/skinproof/_core.pyi anew from the compiled core"
	@echo "make docs    write docs/findings.md and docs/report-json.md anew from the code"
	@echo "make fidelity  write docs/fidelity.md anew: every way to K influences, measured (some minutes)"
	@echo "make assets-table  write docs/assets.md anew: what becomes of every character of the tests"
	@echo "make verify  prove the publisher, short form; make verify-long writes docs/verification.md"
	@echo "make clean   remove what the other targets made"

demo: build
	@skinproof demo --force

test:
	@tools/stage.sh "set-up" $(MAKE) setup
	@tools/stage.sh "lint" python tools/lint.py
	@tools/stage.sh "core tests" tools/core_tests.sh
	@python -m pytest -n $(WORKERS) --dist loadscope

lint: setup
	@python tools/lint.py

stub: setup
	@python tools/stub.py --write

verify: setup
	@tools/setup.sh verify
	@$(MAKE) -f verify/Makefile PYTHON=python $@

verify-long: setup
	@tools/setup.sh verify
	@$(MAKE) -f verify/Makefile PYTHON=python $@

docs: build
	@python -m skinproof.report.catalogue docs

# Cross-compiled by Debian's g++-aarch64-linux-gnu, run by its qemu-user.
test-arm: build
	@tools/setup.sh arm
	@tools/core_tests.sh aarch64

bench: setup
	@tools/bench_library.sh
	@python bench/run.py

bench-full: setup
	@tools/bench_library.sh
	@python bench/run.py --full

fidelity: build
	@python bench/fidelity.py $(SKINPROOF_ASSETS)

assets-table: setup
	@python tools/assets_table.py $(SKINPROOF_ASSETS)

build: $(VENV)/.core

setup: build $(VENV)/.tests node

$(VENV)/.ready: pyproject.toml tools/setup.sh
	@tools/setup.sh venv
	@touch $@

$(VENV)/.core: $(VENV)/.ready $(CORE_SOURCES)
	@tools/setup.sh core
	@touch $@

$(VENV)/.tests: $(VENV)/.ready
	@tools/setup.sh tests
	@touch $@

# Not a file target: without Node.js the tests that need it are skipped, and each run says so again.
node:
	@tools/setup.sh node $(NODE_READY)

clean:
	rm -rf $(VENV) build dist demo-out tests/node/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
