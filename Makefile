# The verbs of the repository. `make` alone lists them.
#
# ARGS are handed on: make run ARGS="--port 7000 --io-threads 4"
#                     make bench REPORT=json ARGS="--peer valkey=127.0.0.1:7001"
#                     make test ARGS="--only tidy,clippy"

CARGO ?= cargo
PYTHON ?= python3
MINUTES ?= 30
CYCLES ?= 1000
REPORT ?= keyvalue

.DEFAULT_GOAL := help
.PHONY: help run check test bench soak crash fmt lint gen

help: ## list these verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build the server and start it on port 6379
	$(CARGO) build --locked --release --bin kvist
	exec "$${CARGO_TARGET_DIR:-target}/release/kvist" serve $(ARGS)

check: ## what takes less than three minutes, while you work
	$(PYTHON) tests/whole.py --only format,tidy,build,clippy,quick $(ARGS)

test: ## everything the continuous integration checks
	$(PYTHON) tests/whole.py $(ARGS)

bench: ## measure Kvist and the servers found here side by side
	$(CARGO) build --locked --release --bin kvist --bin kvist-bench
	exec "$${CARGO_TARGET_DIR:-target}/release/kvist-bench" $(REPORT) $(ARGS)

soak: ## all on a busy machine, the random tests for MINUTES (30), then CYCLES (1000) kills
	$(PYTHON) tests/whole.py --busy 2 $(ARGS)
	$(PYTHON) tests/whole.py --soak $(MINUTES) $(ARGS)
	$(MAKE) crash

# A thousand kills take about 20 minutes on two cores. CRASH holds more options, for instance
# make crash CRASH="--program /usr/bin/redis-server --fsync always"
crash: ## kill the server under load CYCLES (1000) times and check what it remembers
	$(CARGO) build --locked --release -p kvist-crash
	$(CARGO) build --locked --bin kvist
	"$${CARGO_TARGET_DIR:-target}/release/crash" --cycles $(CYCLES) --seconds-per-cycle 0.5 $(CRASH)

fmt: ## format the code
	$(CARGO) fmt --all

lint: ## the checks that need no running server
	$(PYTHON) tests/whole.py --only format,tidy,clippy,generated,dependencies,docs $(ARGS)

gen: ## write the pages that are made from the commands' specs
	$(CARGO) xtask gen
