# Everything is installed into .venv and nowhere else. Stamp files mark what is installed, so a second call starts at once.

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
UV := $(BIN)/python -m uv
# Compiled bytecode halves the start time, and some shells stop Python from writing it later.
INSTALL := $(UV) pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# The lock files have wheels for these versions of Python; `make PYTHON=/path/to/python3` selects another one.
SUITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))
ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
  "$$python" -c '$(SUITS)' 2>/dev/null && { echo "$$python"; break; }; done)
endif

# More processes than cores: tests often wait for servers, workers and the browser (tests/parallel/work.py).
WORKERS ?= 5

# HOST is only read from the command line (`make run HOST=…`), because some shells set it. PORT is also read from the environment.
ifeq ($(origin HOST),command line)
export CONVIVE_HOST := $(HOST)
endif
ifeq ($(origin PORT),command line)
export CONVIVE_PORT := $(PORT)
else ifneq ($(PORT),)
export CONVIVE_PORT ?= $(PORT)
endif

.DEFAULT_GOAL := help
.PHONY: help setup run test prepared lint format bench fault load lock architecture screenshots clean
.SUFFIXES:

help: ## List these commands
	@echo "Convive plans who sits where. Start with: make run"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "make run HOST=… PORT=… sets where it listens; README.md lists the other settings."

setup: $(STAMPS)/run ## Install Convive into .venv

run: $(STAMPS)/run ## Start Convive with a demo event and open it in the browser
	@exec $(BIN)/convive serve --open --demo

test: $(STAMPS)/dev ## Run all tests; CONVIVE_REQUIRE_ALL=1 allows no skipped test
	@$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

prepared: $(STAMPS)/dev ## Install what lint and test need

lint: $(STAMPS)/dev ## Check style, types, the order of imports, templates and JavaScript
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/bandit -r app -ll -q 2>/dev/null
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/djlint --quiet templates
	@$(BIN)/oxlint --format unix static tests
	@DENO_DIR=$(VENV)/.deno DENO_NO_UPDATE_CHECK=1 $(BIN)/deno check --quiet --no-lock --no-remote --no-npm static/js

format: $(STAMPS)/dev ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(STAMPS)/bench ## Measure the solver and compare it with other programs
	@$(BIN)/python -m bench $(ARGS)

fault: $(STAMPS)/dev ## Kill servers, workers and PostgreSQL during runs, and measure the recovery
	@$(BIN)/python -m fault $(ARGS)

load: $(STAMPS)/dev ## Measure servers under load, on both databases
	@$(BIN)/python -m load $(ARGS)

lock: $(STAMPS)/uv ## Update the exact versions of all packages
	@$(COMPILE) --upgrade pyproject.toml --extra setup -o requirements.lock
	@$(COMPILE) --upgrade pyproject.toml --extra setup --extra dev -c requirements.lock -o requirements-dev.lock
	@$(COMPILE) --upgrade pyproject.toml --extra setup --extra dev --extra bench -c requirements-dev.lock -o requirements-bench.lock
	@grep '^uv==' requirements-dev.lock | cut -d ' ' -f 1 | $(COMPILE) --no-annotate - -o requirements-uv.lock

architecture: $(STAMPS)/dev ## Draw the picture in docs/architecture.md from the imports
	@$(BIN)/python -m docs.architecture

screenshots: $(STAMPS)/dev ## Take the screenshots in the docs again (needs chromium)
	@$(BIN)/python -m docs.screenshots.take

clean: ## Remove .venv and all caches; your events are kept
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-results
	find app tests bench fault load alembic docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMPS)/uv: requirements-uv.lock
	@test -n "$(PYTHON)" || { echo "Convive needs Python 3.11 to 3.14, and none is on the PATH. Install one, or give its path: make run PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c '$(SUITS)' || { echo "Convive needs Python 3.11 to 3.14, but $(PYTHON) is another version. Give the path of one: make run PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "Creating $(VENV) …"; "$(PYTHON)" -m venv --clear $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/run: requirements.lock pyproject.toml $(STAMPS)/uv
	@echo "Installing Convive …"
	@$(INSTALL) -r requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q app
	@touch $@

$(STAMPS)/dev: requirements-dev.lock $(STAMPS)/run
	@echo "Installing the test tools and compiling the solver …"
	@$(BIN)/convive prepare >/dev/null 2>&1 & $(INSTALL) -r requirements-dev.lock && wait
	@touch $@

$(STAMPS)/bench: requirements-bench.lock $(STAMPS)/dev
	@echo "Installing the benchmark tools …"
	@$(INSTALL) -r requirements-bench.lock
	@touch $@
