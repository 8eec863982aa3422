# `make lab` opens the notebooks, `make test` checks everything; both install what they need into .venv.
#
#   make lab                         JupyterLab on notebooks/00_start.ipynb
#   make lab PORT=9000 LAB_ARGS=…    another port; more arguments for JupyterLab (as root: LAB_ARGS=--allow-root)
#   make lab LOCKED=                 the newest versions instead of the locked ones, for a Python that these do not know
#   make test                        style, types, imports, widget, notebooks, Python and browser tests
#   make test STEPS="style python"   some of them (python -m tests --help lists the steps)
#   make test CHROMIUM=/path         a browser of your own
#   make bundle                      rebuild the widget that ships in the package
#   make bench                       the figures that the README gives, measured here against their peers (11 minutes)
#   make bench QUICK=1               the same without the one round that takes four of them
#   make constraints                 renew tests/constraints.txt
#   make clean                       remove what the others made
#
# PY=/path/to/python3.11 chooses the interpreter. Without make: see "Set-up" in README.md.

PY ?= python3
VENV ?= .venv
PORT ?= 8888
LAB_ARGS ?=
STEPS ?=
QUICK ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCKED ?= -c tests/constraints.txt

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: lab test bundle bench constraints clean

lab: $(VENV)/.lab
	@if [ "$$(id -u)" = 0 ]; then case " $(LAB_ARGS) " in *" --allow-root "*) ;; *) \
	  echo "You are root, and JupyterLab does not start as root unless told to: make lab LAB_ARGS=--allow-root" >&2; exit 1;; esac; fi
	$(BIN)/jupyter lab --notebook-dir notebooks --LabApp.default_url=/lab/tree/00_start.ipynb --port $(PORT) $(LAB_ARGS)

test: $(VENV)/.test
	$(BIN)/python -m tests $(STEPS)

bundle: $(VENV)/.test
	$(BIN)/python -m tests bundle

bench: $(VENV)/.test
	QUICK=$(QUICK) $(BIN)/python -m tests bench

# Stamps: a second run installs nothing unless pyproject.toml or the locked versions changed.
$(VENV)/.venv:
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "aisdk_lab needs Python 3.11 or newer; '$(PY)' is $$($(PY) --version 2>&1 || echo not there). Choose one: make PY=/path/to/python3.11 …" >&2; exit 1; }
	$(PY) -m venv $(VENV)
	$(PIP) install -q $(LOCKED) --upgrade pip
	@touch $@

$(VENV)/.lab: $(VENV)/.venv pyproject.toml tests/constraints.txt
	$(PIP) install -q $(LOCKED) -e '.[lab]'
	@touch $@

$(VENV)/.test: $(VENV)/.venv pyproject.toml tests/constraints.txt
	$(PIP) install -q $(LOCKED) -e '.[test]'
	@touch $@ $(VENV)/.lab

# The newest versions that pyproject.toml allows, names and numbers only: a lock with addresses would tie the project
# to one registry. Run it with the oldest Python at hand (PY=…): soupsieve 4.1 wants 3.11.5, and Debian 12 has 3.11.2.
constraints:
	$(PY) -m venv $(VENV)-new
	$(VENV)-new/bin/python -m pip install -q --upgrade pip
	$(VENV)-new/bin/python -m pip install -q '.[test]'
	{ echo "# Made by 'make constraints' with $$($(PY) --version). Locks make lab, make test and CI; pip install does not read it."; \
	  $(VENV)-new/bin/python -m pip freeze --all --exclude aisdk-lab --exclude setuptools | grep -E '^[A-Za-z0-9._-]+==' ; } > tests/constraints.txt
	rm -rf $(VENV)-new

clean:
	rm -rf $(VENV) $(VENV)-new dist build widget_js/node_modules tests/interop/node_modules tests/_screenshots tests/_bench
	rm -rf .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find aisdk_lab tests -name __pycache__ -type d -prune -exec rm -rf {} +
