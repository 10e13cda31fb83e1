# Everything is built into .venv and target; `make clean` removes both. CONTRIBUTING.md says how the
# pieces fit together, and tools has the logic. A target's comment is its line of `make help`.
PYTHON ?= python3
SHELL  := bash
BIN    := .venv/bin
STAMPS := .venv/.stamps
TARGET := $(CURDIR)/target
RUN    := $(BIN)/python tools/run_tests.py

# rustup puts cargo here, and only a new login shell has it on its path.
export PATH := $(PATH):$(HOME)/.cargo/bin
# Build here, whatever the user's Cargo settings are.
export CARGO_TARGET_DIR := $(TARGET)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pyproject.toml sets the caches of the tools; these two only read the environment.
export PYTHONDONTWRITEBYTECODE := 1
export HYPOTHESIS_STORAGE_DIRECTORY := $(TARGET)/hypothesis
export ALL LOCKED PGO PYTHON

# The inputs of the wheel. Folders are listed too, because deleting a file only changes the date of
# its folder.
SOURCES := pyproject.toml $(wildcard Cargo.toml Cargo.lock) $(shell find src kernel \
	\( -name __pycache__ -o -path kernel/fuzz \) -prune -o -not -name '*.pyc' -print 2>/dev/null)

help:
	@sed -n 's/^\([a-z-]*\):.*## /make \1|/p' Makefile | column -t -s '|'
	@echo 'PYTHON=python3.13 chooses the Python of .venv. ALL=1 tries all combinations of parameters.'

demo: install $(STAMPS)/demo ## build and install Gainful into .venv, and show its main job
	@$(BIN)/gainful demo -o target/demo

test: lint rust $(STAMPS)/test ## check style and types, run Rust and Python tests (ARGS="-k word")
	$(RUN) test $(ARGS)

quick: $(STAMPS)/test ## check what a change touches (PKG=comparison: one package; BASE=REV)
	$(RUN) quick $(addprefix --package=,$(PKG)) $(addprefix --base=,$(BASE)) $(ARGS)

test-all: lint rust $(STAMPS)/test ## the same as test with slow tests and all combinations
	$(RUN) all $(ARGS)

same: $(STAMPS)/test ## compare what this build prints and returns with the record
	$(BIN)/python tools/record same $(ARGS)

record: $(STAMPS)/test ## add new cases to the record
	$(BIN)/python tools/record make $(ARGS)

test-tools: install $(TARGET)/tools/.installed$(TORCH) ## compare with other tools (TORCH=1: all)
	$(RUN) tools $(if $(TORCH),--torch) $(ARGS)

test-engines: $(STAMPS)/test ## query Elasticsearch, OpenSearch, Solr and Trino (needs Maven)
	$(BIN)/python tools/engines/install_engines.py
	$(RUN) engines $(ARGS)

test-clusters: install $(TARGET)/clusters/.installed ## evaluate on Spark, Ray, Dask (needs Java)
	$(RUN) clusters $(ARGS)

test-hostile: $(STAMPS)/test ## read mutated files for MINUTES=10; all failing calls, memory sizes
	tools/test_hostile.sh $(MINUTES)

mutants: $(STAMPS)/test $(TARGET)/mutants/.installed ## change the sources, count what tests notice
	$(TARGET)/mutants/bin/python tools/mutants.py $(ARGS)

coverage: $(STAMPS)/test ## measure which lines and branches the tests run
	$(BIN)/python tools/measure_coverage.py run $(TARGET)/coverage.json -- -n auto $(ARGS)

miri: ## run tests of the kernel in Miri (needs a nightly Rust)
	tools/sanitize.sh miri $(ARGS)

sanitizers: sanitize-address sanitize-thread sanitize-boundary ## the same with sanitizers (clang)

sanitize-%: $(STAMPS)/venv
	tools/sanitize.sh $* $(ARGS)

audit: $(STAMPS)/test ## look for known vulnerabilities in dependencies (needs the network)
	tools/audit.sh

bench: $(TARGET)/bench/.installed ## time Gainful and its peers in turn
	$(TARGET)/bench/bin/python benchmarks/run.py $(ARGS)

bench-scale: $(TARGET)/bench/.installed ## the same for a hundred million rows
	$(TARGET)/bench/bin/python benchmarks/run.py --scale $(ARGS)

docs: $(STAMPS)/test ## build the documentation into target/docs/html
	$(BIN)/python tools/build_docs.py $(TARGET)/docs

web: ## compile the kernel for the page that evaluates in the browser, into target/web
	$(PYTHON) tools/build_web.py $(TARGET)/web

wheel: $(STAMPS)/venv ## build and check the wheel for Linux and the sdist (PGO=1: profile-guided)
	tools/build_release.sh

fmt: $(STAMPS)/test ## put Python and Rust into the shape that the linters expect
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	cargo fmt --all

install: $(STAMPS)/installed ## only build and install into .venv

lint: $(STAMPS)/test ## only check style and types
	$(RUN) lint

rust: $(STAMPS)/venv ## only check and test the Rust
	$(BIN)/python tools/check_rust.py

clean: ## remove .venv and target
	rm -rf .venv target

.PHONY: help $(shell sed -n 's/^\([a-z-]*\):.*##.*/\1/p' Makefile)
.DELETE_ON_ERROR:

# --- stamps: one file per step, with the time when the step began, so that files which are edited
# meanwhile count as newer
define step
@mkdir -p $(@D) && touch $@.began
$(1)
@mv $@.began $@
endef

$(STAMPS)/venv:
	@command -v $(PYTHON) >/dev/null || { echo 'Install Python 3.11, or name one: make PYTHON=python3.12'; exit 1; }
	@$(PYTHON) tools/check_toolchain.py
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv==0.13.9
	$(call step,$(BIN)/python tools/install.py build)

$(STAMPS)/runtime: GROUPS := runtime
$(STAMPS)/demo: GROUPS := report baselines terminal
$(STAMPS)/test: GROUPS := development
$(STAMPS)/test: | $(STAMPS)/installed
$(STAMPS)/runtime $(STAMPS)/demo $(STAMPS)/test: pyproject.toml $(STAMPS)/venv
	$(call step,$(BIN)/python tools/install.py $(GROUPS))

# The wheel that users get, not an editable install: CONTRIBUTING.md says why.
$(STAMPS)/installed: $(SOURCES) $(STAMPS)/runtime
	$(call step,$(BIN)/python tools/install.py --build release)

# Environments of their own: they take gigabytes, or need what the other tests must not find.
$(TARGET)/tools/.installed: GROUPS := runtime tools model
$(TARGET)/tools/.installed1: GROUPS := runtime tools torch-tools model
$(TARGET)/clusters/.installed: GROUPS := runtime clusters
$(TARGET)/mutants/.installed: GROUPS := mutants
$(TARGET)/%/.installed $(TARGET)/%/.installed1: pyproject.toml tools/install.py $(STAMPS)/venv
	$(call step,$(BIN)/python tools/install.py --into $(@D) $(GROUPS))

# Benchmarks time the wheel as it is released.
$(TARGET)/bench/.installed: $(SOURCES) $(STAMPS)/venv
	$(call step,$(BIN)/python tools/install.py --build dist --into $(@D) runtime report search)
