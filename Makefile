# Each target sets up what it needs: a clone with Python 3.11+ and make is enough.
# Inside a conda environment made from environment.yml, `make SETUP=no lab` uses that one instead.
SHELL := /bin/sh
PYTHON ?= python3
SETUP ?= yes
ifeq ($(SETUP),yes)
PY := .venv/bin/python
READY := .venv/.ready
export PATH := $(CURDIR)/.venv/bin:$(PATH)
else
PY := python
READY :=
endif
COURSE := $(PY) -m grading.cli
SAMPLE := build/sample_class
PYTEST := $(PY) -m pytest
NBVAL := $(PY) tools/offline.py $(PYTEST) -p no:cacheprovider --nbval --nbval-sanitize-with=tests/nbval_sanitize.cfg \
	--nbval-cell-timeout=180 --nbval-kernel-startup-timeout=180 -W ignore --timeout=900 \
	-p xdist -n 2 --dist=loadfile

.PHONY: help lab test quick lessons browser grade build book check lint bench screenshots experiments release lock clean

help:            ## say what each target does
	@grep -E '^[a-z]+: .*##' Makefile | sed -E 's/:.*##/\t/'

.venv/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=python3.11, say: make PYTHON=python3.11 lab"; exit 1; }
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --upgrade pip
	.venv/bin/python -m pip install --quiet -r requirements.lock
	PYTHONWARNINGS=ignore .venv/bin/python -m pip install --quiet --no-deps -e .
	@touch .venv/.ready

lab: $(READY)    ## open JupyterLab on lesson 00
	$(COURSE) build --missing
	$(PY) -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) \
		--LabApp.default_url=/lab/tree/notebooks/00_start.ipynb

test: $(READY)   ## every test: library, grader, lessons, browser
	$(PYTEST) tests -m "not browser" -n 3
	$(NBVAL) notebooks
	$(PYTEST) tests -m browser

quick: $(READY)  ## the tests that take less than ten seconds each, without browser and lessons
	$(PYTEST) tests -m "not browser and not slow" -n 3

lessons: $(READY) ## run every lesson and compare its numbers
	$(NBVAL) notebooks

browser: $(READY) ## drive a real JupyterLab in Chromium
	$(PYTEST) tests -m browser

grade: $(READY)  ## grade the sample class and print its table
	$(COURSE) build --missing
	$(COURSE) grade ex02 --submitted grading/sample_class --out $(SAMPLE) --json $(SAMPLE)/ex02.json

build: $(READY)  ## rebuild every notebook from its source
	$(COURSE) build

book: $(READY)   ## render lessons, exercises and guides as a static site in build/book
	$(COURSE) book

check: $(READY)  ## is everything here, and is every notebook what its source builds?
	$(COURSE) check
	$(COURSE) build --check

lint: $(READY)   ## ruff, formatting, spelling
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m codespell_lib

bench: $(READY)  ## speed, printed and not asserted
	$(PY) tests/bench_widgets.py
	$(PY) tools/redraws.py
	$(PY) tests/bench_cells.py
	$(PY) tests/bench_recall.py
	$(PY) tests/bench_grading.py
	$(PY) tests/bench_similar.py
	$(PY) tests/bench_class.py
	$(PY) tests/bench_sizes.py

screenshots: $(READY) ## picture every lesson in both themes and two widths: build/screenshots
	$(PY) tools/screenshots.py

experiments: $(READY) ## repeat what is recorded in data/ (half an hour); goes on where it stopped
	$(PY) -m course_utils.experiments

release: $(READY) ## make the student bundle of ex02 in dist/
	$(COURSE) release ex02

# Held back on purpose: a newer torch changes recorded numbers and what has to be downloaded.
TORCH := torch==2.13.0
lock:            ## renew requirements.lock and environment.yml
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet -e '.[book,test]' $(TORCH)
	build/lock/bin/python tools/lock.py

clean:           ## remove what the targets made
	rm -rf .venv build dist *.egg-info
