# The ways into the project. Everything here is one command that CMake, CTest, pytest or the kgym binary does.
JOBS ?= $(shell nproc)
# The Python that the runner and the tests use: the one named by KGYM_PYTHON, or the environment that `setup` makes.
PYTHON := $(or $(KGYM_PYTHON),$(CURDIR)/.venv/bin/python)
RELEASE := $(CURDIR)/build/release
RUN := KGYM_PYTHON=$(PYTHON) KGYM=$(CURDIR)/build/kgym KGYM_PROBE_DIR=$(RELEASE)/lib KGYM_SECCOMP_DUMP=$(RELEASE)/bin/kgym_seccomp_dump
# GCC's thread sanitizer cannot place its shadow where the kernel randomizes addresses widely.
FIXED_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)

# The cases that `make asan` judges: those that are hardest on the judge itself. ASAN_CASES=cases/ takes all.
ASAN_CASES ?= cases/hostile

# Seconds that `make fuzz` gives each reader of hostile bytes, and which of them (src/judge/fuzz/corpus lists all).
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?=

.PHONY: help setup build bindings demo test bench format lint asan tsan fuzz clean

help: ## This text.
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Installs what is missing: system packages, and a Python environment in .venv.
	@scripts/setup.sh

build: setup ## Builds build/kgym, one file that runs from anywhere.
	@cmake --preset release -DPython3_EXECUTABLE=$(PYTHON) >/dev/null
	@cmake --build --preset release --parallel $(JOBS)
	@cmp -s $(RELEASE)/bin/kgym build/kgym || (cp $(RELEASE)/bin/kgym build/kgym.new && mv -f build/kgym.new build/kgym)

demo: build ## Judges the submissions of examples/demo.
	@# Some of the demo's submissions are meant to fail: 1 says that a verdict was not ok, more that something went wrong.
	$(RUN) build/kgym eval examples/demo || test $$? -eq 1

bindings: setup ## Builds the Python package of the RL methods into .venv.
	@scripts/install_bindings.sh

test: build bindings ## Every test: C++, Python, and the verdict cases.
	$(RUN) ctest --preset release --parallel $(JOBS)
	$(RUN) $(PYTHON) -m pytest -q tests/python
	$(RUN) build/kgym cases cases/ --again 2 --out build/verdicts.jsonl
	$(RUN) $(PYTHON) scripts/validate_verdicts.py build/verdicts.jsonl

bench: build ## Runs the benchmarks.
	@failed=""; for program in $(RELEASE)/bin/*_bench; do echo "$$program"; $(RUN) "$$program" || failed="$$failed $$(basename "$$program")"; done; \
	if $(PYTHON) -c 'import importlib.util as u, kgym, sys; sys.exit(u.find_spec("verl") is None)' 2>/dev/null; then $(PYTHON) bench/methods_verl.py || failed="$$failed methods_verl.py"; \
	else echo "bench/methods_verl.py: $(PYTHON) has not both kgym and verl; docs/methods.md has its figures"; fi; \
	if [ -n "$$failed" ]; then echo "make bench: not as it should be:$$failed"; exit 1; fi

asan: build ## C++ tests under the address and undefined-behaviour sanitizers.
	@cmake --preset asan -DPython3_EXECUTABLE=$(PYTHON) >/dev/null
	@cmake --build --preset asan --parallel $(JOBS) --target tests kgym
	$(RUN) ctest --preset asan --parallel $(JOBS)
	@# The judge itself with the sanitizers, its hosts without: their probe is the release's.
	@mkdir -p build/runner && cp -r python/kgym_runner build/runner/ && cp $(RELEASE)/lib/_probe.abi3.so build/runner/kgym_runner/
	$(RUN) KGYM_RUNNER=build/runner build/asan/bin/kgym cases $(ASAN_CASES) --again 2

# What has threads: the base floor, the sandbox, the queue, HTTP. The judge runs on one.
tsan: setup ## C++ tests of what has threads, under the thread sanitizer.
	@cmake --preset tsan -DPython3_EXECUTABLE=$(PYTHON) >/dev/null
	@$(FIXED_ADDRESSES) cmake --build --preset tsan --parallel $(JOBS) --target kgym_base_test sandbox_test kgym_queue_test kgym_http_test
	$(RUN) $(FIXED_ADDRESSES) ctest --preset tsan --parallel $(JOBS) --exclude-regex NOT_BUILT

fuzz: setup ## Fuzzes what reads hostile bytes, FUZZ_SECONDS each; needs clang 19.
	@cmake --preset fuzz -DPython3_EXECUTABLE=$(PYTHON) >/dev/null
	@cmake --build --preset fuzz --parallel $(JOBS)
	$(PYTHON) src/judge/fuzz/run.py build/fuzz/bin $(FUZZ_TARGETS) --seconds $(FUZZ_SECONDS)

format: ## Formats the C++ sources in place.
	@find src bench python/kgym/bindings \( -name '*.h' -o -name '*.cc' \) -exec clang-format -i {} +

lint: ## Checks format, floors, names, and that scripts parse.
	@scripts/lint.sh

clean: ## Removes build/; .venv stays.
	rm -rf build
