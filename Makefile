# Every target installs what it needs into .venv first; a second call starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
# Every file is checked against the sha256 in requirements.lock, which release/lock.py writes from constraints.txt.
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-deps
# One line per package while pip works; errors are on stderr and stay.
PROGRESS := sed -un -e 's/^Collecting \([A-Za-z0-9_.-]*\).*/  \1/p' -e 's/^Installing collected.*/  installing .../p'

.PHONY: demo test test-fast check format bench docs fuzz faults clean

demo: $(VENV)/.installed ## the main job on bundled examples
	@$(BIN)/dialeval demo

test: $(VENV)/.installed-dev ## every test; PYTEST="--strict-skips" passes options on
	$(BIN)/python -m pytest -q -n auto $(PYTEST)

test-fast: $(VENV)/.installed-dev ## every test but the slow ones
	$(BIN)/python -m pytest -q -n auto -m "not slow" $(PYTEST)

check: $(VENV)/.installed-dev ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-dev ## measure speed and memory
	$(BIN)/python -m bench

MINUTES ?= 10
fuzz: $(VENV)/.installed-dev ## mutated files through every reader, with new seeds; MINUTES=30
	PYTHONPATH=tests $(BIN)/python -m support.fuzzing --minutes $(MINUTES)

faults: $(VENV)/.installed-dev ## the fault suite, and the table of docs/reliability.md from what it did
	@rm -f faults.jsonl
	$(BIN)/python -m pytest -q tests/faults tests/engine/test_cluster.py --fault-table faults.jsonl
	$(BIN)/python docs/write_reliability.py faults.jsonl

docs: $(VENV)/.installed-dev ## the documentation site, in site/
	$(BIN)/python docs/write_cli.py
	$(BIN)/python docs/write_api.py
	$(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html"

clean:
	rm -rf $(VENV) site runs

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dialeval needs Python 3.11 or newer; set PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing dialeval into $(VENV) (once: about a minute, 1 GB) ..."
	@sed '/^# --- /,$$d' requirements.lock > $(VENV)/demo.lock
	@$(INSTALL) --require-hashes -r $(VENV)/demo.lock 2> >(grep -v '^WARNING' >&2) | $(PROGRESS)
	@$(INSTALL) --no-build-isolation -q -e . 2> >(grep -v '^WARNING' >&2)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml requirements.lock release/carriers.lock | $(BIN)/python
	@echo "Installing dialeval and its development tools into $(VENV) (once: some minutes, 5 GB) ..."
	@sed -n '/^# --- torch for CPUs/,/^# --- torch with CUDA/p' requirements.lock > $(VENV)/torch.lock
	@$(INSTALL) --require-hashes -q -r $(VENV)/torch.lock 2>/dev/null || { \
	    echo "Your package index has no build of torch for CPUs: installing the one with CUDA (5 GB) ..."; \
	    sed '1,/^# --- torch with CUDA/d' requirements.lock > $(VENV)/torch.lock; \
	    $(INSTALL) --require-hashes -q -r $(VENV)/torch.lock; }
	@sed '/^# --- torch/,$$d' requirements.lock > $(VENV)/test.lock
	@$(INSTALL) --require-hashes -r $(VENV)/test.lock 2> >(grep -v '^WARNING' >&2) | $(PROGRESS)
	@$(INSTALL) --require-hashes -q --upgrade --target $(VENV)/carriers -r release/carriers.lock
	@$(INSTALL) --no-build-isolation -q -e . 2> >(grep -v '^WARNING' >&2)
	@touch $@ $(VENV)/.installed
