# Every target sets up what it needs in .venv; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
SHARE ?= 1
RESULTS ?= results

# PYTHON if given, else the newest Python from 3.11 on that starts and can make a virtual environment.
CAN_VENV := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
FIND_PYTHON = for p in $(PYTHON) python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c '$(CAN_VENV)' >/dev/null 2>&1; then echo $$p; exit 0; fi; done; \
	echo "epsilex needs Python 3.11 or newer with venv (on Debian: apt-get install python3 python3-venv)" >&2; exit 1

.PHONY: help demo test coverage drill lint format bench bench-fit docs reproduce browser clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: $(VENV)/.runtime ## Find a formula for UBall5D and write a report (no files, no network)
	$(BIN)/epsilex demo

test: $(VENV)/.test browser ## Run the tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Kernels are plain Python here: their wrapping arithmetic warns, and small tests alone end in time.
coverage: $(VENV)/.test ## Measure how much of the kernels is tested, with compiling switched off
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q -W ignore::RuntimeWarning tests/kernels tests/project/test_twins.py
	$(BIN)/python -m coverage report

drill: $(VENV)/.test ## Break what must not break, write the figures into docs/promises.md (an hour)
	$(BIN)/python -m drills --share $(SHARE) --jobs $(WORKERS) --keep

lint: $(VENV)/.test ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.test ## Put the code into the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench ## Measure the kernels beside their peers, write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks
	$(BIN)/python docs/readme.py

bench-fit: $(VENV)/.bench ## Compare fits with pyoperon and gplearn, write benchmarks/FIT.md (hours, resumable)
	$(BIN)/python -m benchmarks.fit --results $(RESULTS)
	$(BIN)/python docs/readme.py

docs: $(VENV)/.docs ## Build the documentation in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

reproduce: $(VENV)/.runtime ## Run the paper's experiments into RESULTS=results (hours, resumable)
	$(BIN)/epsilex reproduce --out $(RESULTS)

browser: # The report's tests use Chromium where there is one, and are skipped where there is none.
	@if ! command -v chromium chromium-browser google-chrome >/dev/null \
		&& command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
		|| echo "chromium could not be installed; the browser tests will be skipped"; fi

clean: ## Remove the virtual environment and everything built
	rm -rf $(VENV) build dist docs/_build docs/generated .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find src tests benchmarks drills -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	python=$$($(FIND_PYTHON)); "$$python" -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$*]"
	touch $@
