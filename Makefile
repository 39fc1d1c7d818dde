# The commands of this project: `make help` lists them. Each sets up what it needs in .venv.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python on PATH that is new enough; `make PYTHON=/path/to/python` overrides.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
STATIC := profiler_plugin/web/static/index.js
KERNELS := $(wildcard profiler_plugin/*/*.pyx profiler_plugin/*/*.pxd)
FRONTEND := $(shell find frontend \( -path frontend/node_modules -o -path frontend/test-results \) -prune -o -type f -print)

PORT ?= 6006
LOGDIR ?= demo-logs
FUZZ ?= 100000
export PATH := $(CURDIR)/$(BIN):$(PATH)

define step
@echo "▸ $(1)"
endef

.PHONY: help setup build demo test frameworks e2e lint types bench fuzz docs clean

help: ## List these targets
	@grep -hE '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 10

setup: $(VENV)/.dev frontend/node_modules/.stamp ## Create .venv with the project and the tools to work on it

build: $(VENV)/.project $(STATIC) ## Build the frontend and the compiled core, and install both in .venv

demo: build ## Train a small model under the profiler and open TensorBoard on it (PORT=, LOGDIR=, CHECK=1)
	$(call step,Recording a profile and starting TensorBoard)
	@profiler-plugin demo --port $(PORT) --logdir $(LOGDIR) $(if $(CHECK),--check)

test: build setup ## Run every test: Python, TypeScript, and the real browser
	$(call step,TypeScript tests)
	@scripts/npm test
	$(call step,Python tests)
	@pytest || { [ -n "$(CI)" ] && echo "▸ Second try of what failed" && pytest --last-failed; }
	$(call step,Tests with TensorFlow and JAX)
	@scripts/frameworks newest
	@$(MAKE) --no-print-directory e2e

frameworks: build setup ## Run the tests with PyTorch and older TensorFlow and JAX, each in its own environment
	$(call step,Frameworks)
	@scripts/frameworks

e2e: build setup ## Run the browser tests alone
	$(call step,Browser tests)
	@CHROMIUM="$$(scripts/chromium)" scripts/npm run e2e

lint: setup ## Check style and formatting
	$(call step,Style)
	@ruff check . && ruff format --check .
	@scripts/npm run lint
	@scripts/check_version

types: build setup ## Check types: mypy and TypeScript, both strict
	$(call step,Types)
	@mypy
	@scripts/npm run types

bench: build ## Measure against the peer on one profile (EVENTS=, RUNS=)
	$(call step,Benchmark)
	@benchmarks/run $(if $(EVENTS),--events $(EVENTS)) $(if $(RUNS),--runs $(RUNS))

fuzz: build setup ## Decode damaged profiles (FUZZ=, how many)
	$(call step,$(FUZZ) damaged profiles)
	@FUZZ=$(FUZZ) pytest tests/decode/test_fuzz.py

docs: build setup ## Write the generated parts of docs/ and its pictures anew
	$(call step,Documentation)
	@scripts/gen_docs
	@scripts/screenshots

clean: ## Remove everything that was built
	rm -rf $(VENV) build dist demo-logs benchmarks/.cache *.egg-info frontend/node_modules frontend/test-results $(dir $(STATIC))
	find profiler_plugin -name '*.so' -delete -o -name '*.c' -delete

$(VENV)/.created:
	@[ -n "$(PYTHON)" ] || { echo "Python 3.10 or newer is needed: install it, or say make PYTHON=/path/to/python"; exit 1; }
	$(call step,Virtual environment of $(PYTHON))
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) has no venv module: on Debian, apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.project: $(VENV)/.created pyproject.toml $(KERNELS)
	$(call step,Project and compiled core)
	@pip install --editable '.[demo]'
	@python -c 'import profiler_plugin.decode.core' # warns if it could not be compiled
	@touch $@

$(VENV)/.dev: $(VENV)/.project
	$(call step,Development tools)
	@pip install --group dev
	@touch $@

frontend/node_modules/.stamp: frontend/package.json frontend/package-lock.json | $(VENV)/.created
	$(call step,Frontend packages)
	@scripts/npm ci
	@touch $@

$(STATIC): frontend/node_modules/.stamp $(FRONTEND)
	$(call step,Frontend)
	@scripts/npm run build
	@touch $@
