# The verbs of the repository. `make` alone lists them.
#
# ARGS are handed on: make run ARGS="--port 7000 --io-threads 4"
#                     make bench ARGS="--peer valkey=127.0.0.1:7001"
#                     make test ARGS="--only tidy,clippy"

CARGO ?= cargo
PYTHON ?= python3
MINUTES ?= 30

.DEFAULT_GOAL := help
.PHONY: help run test bench soak fmt lint gen

help: ## list these verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build the server and start it on port 6379
	$(CARGO) build --locked --release --bin kvist
	exec "$${CARGO_TARGET_DIR:-target}/release/kvist" serve $(ARGS)

test: ## everything the continuous integration checks
	$(PYTHON) tests/whole.py $(ARGS)

bench: ## measure Kvist and the servers found here side by side
	$(CARGO) build --locked --release --bin kvist
	exec "$${CARGO_TARGET_DIR:-target}/release/kvist" bench keyvalue $(ARGS)

soak: ## repeat the random tests for MINUTES (30)
	$(PYTHON) tests/whole.py --soak $(MINUTES) $(ARGS)

fmt: ## format the code
	$(CARGO) fmt --all

lint: ## the checks that need no running server
	$(PYTHON) tests/whole.py --only format,tidy,clippy,generated,dependencies,docs $(ARGS)

gen: ## write the pages that are made from the commands' specs
	$(CARGO) xtask gen
