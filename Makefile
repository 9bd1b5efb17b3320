# Everything below needs only Python 3.11+, pip and make; `make` alone lists the targets.

PYTHON ?= python3
EXTRAS ?= llm,mcp,langgraph,discord,web,client,postgres,docs,dev
JOBS   ?= 2
ARGS   ?=

BIN     := .venv/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
STAMP   := .venv/.installed

# Half of what a short command takes is compiling, where Python may not write what it compiled (PYTHONDONTWRITEBYTECODE).
COMPILE := $(BIN)/python -m compileall -q src/recollect

# A chat needs only the core, and `llm` if a model is named. An environment that has everything is left as it is.
CHAT_EXTRAS := $(if $(ANTHROPIC_API_KEY)$(OPENAI_API_KEY)$(filter-out local null,$(RECOLLECT_MODEL)),llm)
CHAT_STAMP  := $(or $(wildcard $(STAMP)),.venv/.installed-chat$(addprefix -,$(CHAT_EXTRAS)))

.DEFAULT_GOAL := help
.PHONY: help venv run test test-postgres test-all test-adapters check format docs acceptance bench screens mutants clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP) ## create .venv with everything that tests, checks and docs need (quick when nothing changed)

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("recollect needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

# What builds recollect; of wordllama only the files, not the packages that it needs, and so without pip's isolation.
WEIGHTS := .venv/weights
.venv/.build: constraints.txt | .venv/bin/python
	@echo 'Installing into .venv, once: about 20 seconds for a chat, a minute for everything.'
	$(INSTALL) --quiet --no-compile hatchling editables
	$(INSTALL) --quiet --no-compile --no-deps --upgrade --target $(WEIGHTS) wordllama
	@touch $@

$(STAMP): pyproject.toml constraints.txt .venv/.build
	$(INSTALL) --no-build-isolation -e '.[$(EXTRAS)]'
	@$(COMPILE)
	@touch $@

# Without compiling: Python does that itself for the tenth of the modules that a chat imports.
.venv/.installed-chat .venv/.installed-chat-llm: pyproject.toml constraints.txt .venv/.build
	$(INSTALL) --quiet --no-compile --no-build-isolation -e '.$(addprefix [,$(addsuffix ],$(CHAT_EXTRAS)))'
	@$(COMPILE)
	@touch $@

run: $(CHAT_STAMP) ## start a chat with recollect, offline and without a key; installs only what that needs
	@PYTHONDONTWRITEBYTECODE= $(BIN)/recollect chat $(ARGS)

test: venv ## run the quick tests
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow' $(ARGS)

test-postgres: venv ## run on PostgreSQL whatever runs on both stores
	$(BIN)/python -m pytest -n $(JOBS) -m postgres $(ARGS)

test-all: venv ## run every test, the slow ones included
	$(BIN)/python -m pytest -n $(JOBS) --hypothesis-profile=searching $(ARGS)
	$(MAKE) test-adapters

ADAPTERS     := langchain llama-index-core openai-agents
FRAMEWORKS   := tests/adapters/frameworks
ADAPTERS_PIP := bin/python -m pip install -q --disable-pip-version-check -c $(FRAMEWORKS)/constraints.txt

# One environment for each. What can't be installed is named here, and its tests say that they are skipped.
.venv-adapters/%/.installed: pyproject.toml $(FRAMEWORKS)/constraints.txt .venv/.build
	$(PYTHON) -m venv $(@D)
	$(@D)/$(ADAPTERS_PIP) hatchling editables
	$(@D)/$(ADAPTERS_PIP) --no-build-isolation -e . pytest pytest-asyncio
	@$(@D)/$(ADAPTERS_PIP) $* && touch $@ || echo "skipped: $* could not be installed"

test-adapters: $(ADAPTERS:%=.venv-adapters/%/.installed) ## test the adapters with their frameworks, each in an environment of its own
	@for name in $(ADAPTERS); do \
		echo "$$name:"; \
		.venv-adapters/$$name/bin/python -m pytest -q -rs -c $(FRAMEWORKS)/pytest.ini --confcutdir=$(FRAMEWORKS) \
			$(FRAMEWORKS)/test_$$(echo $$name | tr - _).py || exit 1; \
	done

check: venv ## check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright

format: venv ## format the code and fix what ruff can fix by itself
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: venv ## build the documentation as a site in site/, without network; a warning or a dead link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict $(ARGS)

acceptance: venv ## run the tests of the acceptance list and print which items they show
	$(BIN)/python -m pytest -n $(JOBS) --acceptance -q $(ARGS)

bench: venv ## run the benchmarks
	$(BIN)/python -m bench $(ARGS)

screens: venv ## draw the terminal screens of the docs from real runs (needs tmux)
	$(BIN)/python -m bench.screens

mutants: venv ## change the source in small ways and print what no test notices
	$(BIN)/python -m bench.mutants $(ARGS)

clean: ## remove .venv, caches and build results
	rm -rf .venv .venv-adapters build dist site .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
