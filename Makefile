# Everything below needs only Python 3.11+, pip and make; `make` alone lists the targets.

PYTHON ?= python3
EXTRAS ?= vectors,llm,mcp,langgraph,discord,web,client,postgres,dev
JOBS   ?= 2
ARGS   ?=

BIN   := .venv/bin
STAMP := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help venv run test test-postgres test-all check format acceptance bench screens mutants clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP) ## create .venv and install recollect into it (quick when nothing changed)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("recollect needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

run: venv ## start a chat with recollect, offline and without a key
	$(BIN)/recollect chat $(ARGS)

test: venv ## run the quick tests
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow' $(ARGS)

test-postgres: venv ## run on PostgreSQL whatever runs on both stores
	$(BIN)/python -m pytest -n $(JOBS) -m postgres $(ARGS)

test-all: venv ## run every test, the slow ones included
	$(BIN)/python -m pytest -n $(JOBS) --hypothesis-profile=searching $(ARGS)

check: venv ## check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright

format: venv ## format the code and fix what ruff can fix by itself
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

acceptance: venv ## run the tests of the acceptance list and print which items they show
	$(BIN)/python -m pytest -n $(JOBS) --acceptance -q $(ARGS)

bench: venv ## run the benchmarks
	$(BIN)/python -m bench $(ARGS)

screens: venv ## draw the terminal screens of the docs from real runs (needs tmux)
	$(BIN)/python -m bench.screens

mutants: venv ## change the source in small ways and print what no test notices
	$(BIN)/python -m bench.mutants $(ARGS)

clean: ## remove .venv, caches and build results
	rm -rf .venv build dist .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
