# Everything is built into .venv and target; `make clean` removes both. CONTRIBUTING.md says how
# the pieces fit together.
PYTHON ?= python3
ARGS   ?=

SHELL  := bash
BIN    := .venv/bin
STAMPS := .venv/.stamps
COMMA  := ,
TARGET := $(CURDIR)/target
# A process of tests per core, the longest tests first; make ARGS="-n 0 --pdb" runs them in one.
PARALLEL := --numprocesses auto --dist worksteal

# rustup puts cargo here, and only a new login shell has it on its path.
export PATH := $(PATH):$(HOME)/.cargo/bin
# Build here, whatever the user's Cargo settings are.
export CARGO_TARGET_DIR := $(TARGET)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pyproject.toml sets the caches of the tools; these two only read the environment.
export PYTHONDONTWRITEBYTECODE := 1
export HYPOTHESIS_STORAGE_DIRECTORY := $(TARGET)/hypothesis

# The inputs of the wheel. Folders are listed too, because deleting a file only changes the date of
# its folder.
SOURCES := pyproject.toml $(wildcard Cargo.toml Cargo.lock) $(shell find src kernel \
	\( -name __pycache__ -o -path kernel/fuzz \) -prune -o -not -name '*.pyc' -print 2>/dev/null)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo install test test-all test-hostile mutants miri sanitizers audit test-tools test-engines test-clusters lint rust bench bench-scale docs web wheel fmt clean

help:
	@echo 'make demo      build and install Gainful into .venv, and show its main job'
	@echo 'make test      check style and types, run the Rust and the Python tests (ARGS="-k word" selects)'
	@echo 'make test-all  the same with the slow tests and the comparisons with other tools'
	@echo 'make test-tools  install the tools that conventions are named after, and compare with them (TORCH=1: all)'
	@echo 'make test-engines  install Elasticsearch, OpenSearch, Solr and Trino, and query them (needs Java and Maven)'
	@echo 'make test-clusters  install Spark, Ray and Dask, and evaluate on them (needs Java)'
	@echo 'make test-hostile  read mutated files for MINUTES=10; all power failures, failing calls and allocations'
	@echo 'make mutants   change the kernel and the statistics, and count what the tests notice (KERNEL=60 INFERENCE=120)'
	@echo 'make miri      run the tests of unsafe code and threads in Miri (needs a nightly Rust)'
	@echo 'make sanitizers  run the tests of the kernel with AddressSanitizer and ThreadSanitizer (needs a nightly Rust and clang)'
	@echo 'make audit     look for known vulnerabilities in dependencies (needs the network)'
	@echo 'make bench     time Gainful and its peers side by side'
	@echo 'make bench-scale  the same for a hundred million rows'
	@echo 'make docs      build the documentation into target/docs/html'
	@echo 'make web       compile the kernel for the page that evaluates in the browser, into target/web'
	@echo 'make wheel     build and check the wheel for Linux and the sdist into target/dist (PGO=1: profile-guided)'
	@echo 'make fmt       put Python and Rust into the shape that the linters expect'
	@echo 'make install   only build and install into .venv, for $(BIN)/pytest and $(BIN)/gainful by hand'
	@echo 'make lint      only check style and types'
	@echo 'make rust      only check and test the Rust'
	@echo 'make clean     remove .venv and target'
	@echo 'PYTHON=python3.13 chooses the Python that .venv is made with.'

demo: install $(STAMPS)/demo
	@$(BIN)/gainful demo -o target/demo

install: $(STAMPS)/installed

test: lint rust $(STAMPS)/test
	@mkdir -p $(TARGET)/tmp
	TMPDIR=$(TARGET)/tmp $(BIN)/python -m pytest $(PARALLEL) $(ARGS)

test-all: lint rust $(STAMPS)/test
	@mkdir -p $(TARGET)/tmp
	TMPDIR=$(TARGET)/tmp $(BIN)/python -m pytest $(PARALLEL) -m "" $(ARGS)

# The names in tests/support/requirements.py of the tools that test-tools installs.
TOOLS := aiohttp,altair,apsw,catboost,chromadb,clickhouse,cornac,crowd-kit,datasets,duckdb,dvc,faiss,haystack,ibis,implicit,ir_datasets,ir_measures,jax,lancedb,lightgbm,llama_index,milvus_lite,mlflow,mlflow_server,ppi-python,pytrec_eval,pyvespa,qdrant,ranx,rattler_build,rax,scikit-learn,sqlalchemy,sqlglot,sqlite_vec,tantivy,wandb,xgboost
TORCH_TOOLS := array_api_compat,lenskit,mteb,pyterrier,pytorch_lightning,sentence_transformers,torch,torchmetrics,transformers
TOOLS_STAMP := $(TARGET)/tools/.installed$(if $(TORCH),-torch)

# Some tools write to the user's home, and OpenMP's threads would wait for one another in calls with
# one list each. A file of tests stays in one process, which imports its tools once.
test-tools: $(STAMPS)/installed $(TOOLS_STAMP)
	$(TARGET)/tools/bin/pip install --quiet --no-deps --force-reinstall $(TARGET)/wheels/*.whl
	@mkdir -p $(TARGET)/tmp $(TARGET)/tools/home
	unset $${!XDG_*}; HOME=$(TARGET)/tools/home TMPDIR=$(TARGET)/tmp OMP_NUM_THREADS=1 \
		GAINFUL_REQUIRE=$(TOOLS)$(if $(TORCH),$(COMMA)$(TORCH_TOOLS)) \
		$(TARGET)/tools/bin/python -m pytest --numprocesses auto --dist loadfile -m peer tests/tools $(ARGS)

# The engines come from Maven Central, into target/engines; tests/engines starts and stops them.
test-engines: $(STAMPS)/test
	$(BIN)/python tools/engines/install_engines.py
	@mkdir -p $(TARGET)/tmp
	TMPDIR=$(TARGET)/tmp GAINFUL_REQUIRE=$${GAINFUL_REQUIRE:+$$GAINFUL_REQUIRE,}elasticsearch,elasticsearch8,opensearch,solr,sqlglot,trino \
		$(BIN)/python -m pytest -m engine tests/engines $(ARGS)

# In an environment of its own: Spark and Ray take a gigabyte.
test-clusters: $(STAMPS)/installed $(TARGET)/clusters/.installed
	$(TARGET)/clusters/bin/pip install --quiet --no-deps --force-reinstall $(TARGET)/wheels/*.whl
	@mkdir -p $(TARGET)/tmp $(TARGET)/clusters/home
	unset $${!XDG_*}; HOME=$(TARGET)/clusters/home TMPDIR=$(TARGET)/tmp GAINFUL_REQUIRE=pyspark,ray,dask,distributed,sqlglot \
		$(TARGET)/clusters/bin/python -m pytest -m cluster tests/clusters $(ARGS)

MINUTES ?= 10

# What `make test` does with fewer inputs; each part prints how many it tried.
test-hostile: $(STAMPS)/test
	@mkdir -p $(TARGET)/tmp
	TMPDIR=$(TARGET)/tmp $(BIN)/python tests/data/fuzz_readers.py --minutes $(MINUTES) --keep $(TARGET)/fuzz
	TMPDIR=$(TARGET)/tmp GAINFUL_FAULTS=all $(BIN)/python -m pytest -q -rP tests/faults $(ARGS)
	cargo test --release --package gainful-core --test out_of_memory -- --nocapture

KERNEL    ?= 60
INFERENCE ?= 120
SEED      ?= 1

# Random samples of all changes. The tests of each take seconds, building the kernel up to a minute.
mutants: $(STAMPS)/test $(TARGET)/mutants/.installed
	@mkdir -p $(TARGET)/tmp
	TMPDIR=$(TARGET)/tmp $(TARGET)/mutants/venv/bin/python tools/mutants.py \
		--kernel $(KERNEL) --inference $(INFERENCE) --seed $(SEED) $(ARGS)

# A nightly Rust is installed by `rustup toolchain install nightly --component miri,rust-src`. Its
# builds are in a folder of their own, so that they and the others do not replace each other.
NIGHTLY := CARGO_TARGET_DIR=$(TARGET)/nightly cargo +nightly

# The modules with unsafe code, and the threads. Miri cannot run the boundary, which calls Python.
miri:
	MIRIFLAGS=-Zmiri-disable-isolation $(NIGHTLY) miri test --package gainful-core --lib --test spare_memory -- $(MIRI)

MIRI ?= read::scan parallel small_allocations

# The allocator of the test of exhausted memory is not that of a sanitizer.
sanitizers: sanitize-address sanitize-thread sanitize-boundary

sanitize-%:
	RUSTFLAGS=-Zsanitizer=$* $(NIGHTLY) test -Zbuild-std --target $(shell rustc -vV | sed -n 's/^host: //p') \
		--package gainful-core --lib --test formats_hostile --test read_changed

# The boundary with Python, whose own allocator is off, in an environment of its own. It needs clang.
sanitize-boundary: $(STAMPS)/venv
	$(PYTHON) -m venv $(TARGET)/boundary
	$(TARGET)/boundary/bin/python tools/install.py runtime test
	RUSTFLAGS='-Zsanitizer=address -Clinker=clang' RUSTUP_TOOLCHAIN=nightly CARGO_TARGET_DIR=$(TARGET)/nightly \
		$(BIN)/maturin build --profile dev -Z build-std --target $(shell rustc -vV | sed -n 's/^host: //p') \
		--auditwheel skip -i $(TARGET)/boundary/bin/python --out $(TARGET)/boundary/wheels
	$(TARGET)/boundary/bin/pip install --quiet --no-deps --force-reinstall $(TARGET)/boundary/wheels/*.whl
	@mkdir -p $(TARGET)/tmp
	TMPDIR=$(TARGET)/tmp PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		LD_PRELOAD=$$(clang -print-file-name=libclang_rt.asan-$(shell uname -m).so) \
		$(TARGET)/boundary/bin/python -m pytest tests/formulas tests/data/test_arrow.py tests/data/test_columns.py \
		tests/data/columnar tests/backends/arrays \
		--deselect tests/data/columnar/test_files.py::test_memory_does_not_depend_on_the_size_of_the_run $(ARGS)

# `cargo install --locked cargo-deny cargo-audit` installs the tools, which fetch the advisories of
# RustSec. pip-audit asks PyPI about what is installed in .venv, and lists what PyPI does not answer.
audit: $(STAMPS)/test
	cargo deny check licenses bans sources
	@if cargo deny fetch db; then cargo deny check advisories && cargo audit; \
		else echo 'SKIPPED: no database of advisories for Rust'; fi
	@mkdir -p $(TARGET)/audit
	$(PYTHON) -m venv $(TARGET)/audit/venv
	$(TARGET)/audit/venv/bin/python -m pip install --quiet pip-audit
	$(BIN)/pip freeze --exclude gainful > $(TARGET)/audit/installed.txt
	$(TARGET)/audit/venv/bin/pip-audit --disable-pip --no-deps --requirement $(TARGET)/audit/installed.txt

lint: $(STAMPS)/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	$(BIN)/python tools/check_language.py

rust: $(STAMPS)/venv
	$(BIN)/python tools/check_rust.py

bench: $(TARGET)/bench/.installed
	$(TARGET)/bench/venv/bin/python benchmarks/run.py $(ARGS)

bench-scale: $(TARGET)/bench/.installed
	$(TARGET)/bench/venv/bin/python benchmarks/run.py --scale $(ARGS)

docs: $(STAMPS)/test
	$(BIN)/python tools/build_docs.py $(TARGET)/docs
	@echo 'Open target/docs/html/index.html'

web:
	@mkdir -p $(TARGET)/web
	$(PYTHON) tools/build_web.py $(TARGET)/web

# Zig links for the old C library of manylinux_2_17. Maturin asks the first Python on the path for it.
wheel: $(STAMPS)/venv
	$(BIN)/python tools/install.py release
	rm -f $(TARGET)/dist/*.whl $(TARGET)/dist/*.tar.gz
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --profile dist $(if $(PGO),--pgo) --zig --compatibility manylinux_2_17 --locked --out $(TARGET)/dist
	$(BIN)/maturin sdist --out $(TARGET)/dist
	$(BIN)/auditwheel show $(TARGET)/dist/*.whl
	$(BIN)/twine check --strict $(TARGET)/dist/*.whl $(TARGET)/dist/*.tar.gz
	$(BIN)/python tools/check_install.py $(TARGET)/dist/*.whl

fmt: $(STAMPS)/test
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	cargo fmt --all

clean:
	rm -rf .venv target

# --- stamps: one file per step of the targets above, updated when its inputs change --------------
# A stamp has the time when its step began, so files that are edited meanwhile count as newer.

$(STAMPS)/venv:
	@command -v $(PYTHON) >/dev/null || { \
		echo 'No $(PYTHON) here. Install Python 3.11 or newer, or name one: make PYTHON=python3.12'; exit 1; }
	@$(PYTHON) tools/check_toolchain.py
	$(PYTHON) -m venv .venv
	@mkdir -p $(STAMPS) && touch $@.began
	@# The commands that an old pip writes load a module of theirs before they start.
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python tools/install.py build
	@mv $@.began $@

$(STAMPS)/dependencies: pyproject.toml $(STAMPS)/venv
	@touch $@.began
	$(BIN)/python tools/install.py runtime
	@mv $@.began $@

# The wheel that users get, not an editable install: the tests then see what is in it and what was
# left out, nothing is written into src, and importing costs what it will cost users. Cargo knows
# by itself which Rust is fresh, so a change in Python alone costs two seconds.
$(STAMPS)/installed: $(SOURCES) $(STAMPS)/dependencies
	@touch $@.began
	@$(BIN)/python tools/check_toolchain.py
	@rm -rf $(TARGET)/wheels
	$(BIN)/maturin build --release --auditwheel skip -i $(BIN)/python --out $(TARGET)/wheels
	$(BIN)/pip install --quiet --no-deps --force-reinstall $(TARGET)/wheels/*.whl
	@mv $@.began $@

# The chart library of the HTML report, and the packages of BM25 and TF-IDF.
$(STAMPS)/demo: pyproject.toml $(STAMPS)/venv
	@touch $@.began
	$(BIN)/python tools/install.py report baselines terminal
	@mv $@.began $@

$(STAMPS)/test: pyproject.toml $(STAMPS)/venv | $(STAMPS)/installed
	@touch $@.began
	$(BIN)/python tools/install.py report search judge baselines terminal warehouses test docs alone
	@mv $@.began $@

# In an environment of its own: what CatBoost, JAX, Numba and, with TORCH=1, PyTorch ask for takes
# gigabytes, and the other tests need none of it.
$(TOOLS_STAMP): pyproject.toml tools/install.py
	@test -x $(TARGET)/tools/bin/python || $(PYTHON) -m venv $(TARGET)/tools
	@touch $@.began
	$(TARGET)/tools/bin/python -m pip install --quiet --upgrade pip
	$(TARGET)/tools/bin/python tools/install.py runtime tools $(if $(TORCH),torch-tools)
	@# There are wheels of the language model's server for few platforms; its tests are skipped elsewhere.
	-$(TARGET)/tools/bin/python tools/install.py model
	@mv $@.began $@

$(TARGET)/clusters/.installed: pyproject.toml tools/install.py
	@test -x $(TARGET)/clusters/bin/python || $(PYTHON) -m venv $(TARGET)/clusters
	@touch $@.began
	$(TARGET)/clusters/bin/python -m pip install --quiet --upgrade pip
	$(TARGET)/clusters/bin/python tools/install.py runtime clusters
	@mv $@.began $@

# In an environment of its own: cosmic-ray needs a database.
$(TARGET)/mutants/.installed: pyproject.toml tools/install.py
	@test -x $(TARGET)/mutants/venv/bin/python || $(PYTHON) -m venv $(TARGET)/mutants/venv
	@touch $@.began
	$(TARGET)/mutants/venv/bin/python tools/install.py mutants
	cargo install --quiet --locked --root $(TARGET)/mutants/cargo cargo-mutants
	@mv $@.began $@

# Benchmarks time the wheel as it is released: whole-program optimization, its own environment.
$(TARGET)/bench/.installed: $(SOURCES) $(STAMPS)/venv
	@rm -rf $(TARGET)/bench/wheels
	@mkdir -p $(TARGET)/bench && touch $@.began
	$(BIN)/maturin build --profile dist --auditwheel skip -i $(BIN)/python --out $(TARGET)/bench/wheels
	$(PYTHON) -m venv $(TARGET)/bench/venv
	$(TARGET)/bench/venv/bin/python -m pip install --quiet --upgrade pip
	$(TARGET)/bench/venv/bin/pip install --quiet --force-reinstall --no-deps $(TARGET)/bench/wheels/*.whl
	$(TARGET)/bench/venv/bin/python tools/install.py runtime report search
	@mv $@.began $@
