# Perdiem: what to type. `make` alone lists it.
#   make demo ARGS='--duration 1m'   hands ARGS to the program (run and demo)

SHELL := /bin/bash
BIN := build/bin
# GLES is the same window from the same system libraries, compiled in one minute instead of six.
FAST := gles
SCREEN := $(if $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter-out Linux,$(shell uname -s))),yes)

.DEFAULT_GOAL := help
.PHONY: help demo run test test-clients lint screenshots measure-window measure-start build headless package windows arm64 cross release reproduce try-install soak fuzz crash nightly bench bench-load clean

help: ## what there is to make
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(if $(SCREEN),window-fast,headless) ## try everything against a simulated provider, with no key at all
	@exec $(BIN)/$(if $(SCREEN),perdiem-fast,perdiem-headless) demo $(ARGS)

run: $(if $(SCREEN),window-fast,headless) ## start Perdiem on your own data
	@exec $(BIN)/$(if $(SCREEN),perdiem-fast,perdiem-headless serve) $(ARGS)

test: ## set up, then check and test everything, as CI does
	@.ci/setup window test release
	@.ci/services .ci/check

test-clients: ## try real coding agents against the gateway, without any network (Linux; 1.5 GB to install)
	@.ci/setup test
	@.ci/clients agents
	CGO_ENABLED=0 go vet -tags agents ./testing/e2e
	CGO_ENABLED=0 go test -tags agents -c -o build/tools/agents.test ./testing/e2e
	cd testing/e2e && PERDIEM_TEST_AGENTS=$(CURDIR)/build/agents unshare --map-root-user --net sh -c \
	  'ip link set lo up && exec ../../build/tools/agents.test -test.v -test.timeout 20m -test.run "^TestAgents" $(ARGS)'

lint: ## formatting, vet and lint
	@.ci/check lint

screenshots: ## draw every screen into build/screens
	CGO_ENABLED=0 SHOTS=$(CURDIR)/build/screens go test -tags ci -count=1 ./ui

measure-window: window-fast ## what the window costs with 200 people, for MINUTES (30), on a screen in memory (Linux)
	@.ci/setup test
	@.ci/services .ci/measure-window $(BIN)/perdiem-fast $(or $(MINUTES),30)

measure-start: window-fast ## what a start of the window takes on books of a million requests (Linux)
	@.ci/services .ci/measure-start $(BIN)/perdiem-fast

build: ## the program with its window, as it is shipped: build/bin/perdiem
	@.ci/setup window
	go build -o $(BIN)/perdiem .

headless: ## the gateway and the command line alone, without C: build/bin/perdiem-headless
	@.ci/setup
	CGO_ENABLED=0 go build -o $(BIN)/perdiem-headless .

package: ## the archive for Linux with the window, its menu entry and what installs it, in dist
	@.ci/setup window release
	.ci/build window linux/$$(go env GOARCH) $(BIN)/perdiem-package
	@.ci/package window linux/$$(go env GOARCH) $(BIN)/perdiem-package

windows: ## the window for Windows, built here: build/bin/perdiem.exe (Debian and Ubuntu)
	@.ci/setup mingw
	.ci/cross windows

arm64: ## the window for Linux arm64, built here: build/bin/perdiem-linux-arm64 (Debian and Ubuntu)
	@.ci/setup arm64
	.ci/cross arm64

cross: ## the gateway and command line for Linux arm64, macOS and Windows, without C
	@.ci/setup
	.ci/cross headless

release: ## everything that a release consists of, in dist (Debian and Ubuntu; FORM=headless without C)
	@.ci/release $(FORM)

reproduce: ## the release of this commit twice, to compare all its bytes (FORM=headless without C)
	@.ci/reproduce $(FORM)

try-install: ## install and remove the archives in dist on a clean Debian, in a folder (root; Debian and Ubuntu)
	@.ci/try-install

soak: ## everything at once for DURATION (2h), against the provider's own count: build/soak.md
	PERDIEM_SOAK=$(or $(DURATION),2h) CGO_ENABLED=0 go test -count=1 -v -timeout 24h ./testing/soak

.PHONY: window-fast
window-fast:
	@.ci/setup window
	@echo "Building the window (about a minute, the first time) ..."
	go build -tags $(FAST) -o $(BIN)/perdiem-fast .

fuzz: ## every fuzz target for DURATION (30m)
	@.ci/fuzz $(DURATION)

crash: ## kill what writes the books, ROUNDS (200) times
	@go build -o build/tools/testlines ./testing/testlines
	set -o pipefail; PERDIEM_CRASH_ROUNDS=$(or $(ROUNDS),200) CGO_ENABLED=0 go test -count=1 -timeout 6h -json ./testing/crash | build/tools/testlines -strict

nightly: ## all that takes too long for each change: hours
	@.ci/nightly $(ARGS)

bench: ## every benchmark
	go test -tags ci -run '^$$' -bench . -benchmem ./...

# Portkey's gateway is measured beside ours where npm can fetch it.
bench-load: headless ## the gateway under load, beside others: five minutes, on a quiet machine (Linux)
	CGO_ENABLED=0 go build -o build/tools/load ./testing/bench/load
	-npm install --silent --no-audit --no-fund --prefix build/tools/portkey @portkey-ai/gateway@1.15.2
	build/tools/load -perdiem $(BIN)/perdiem-headless -portkey "$$(ls build/tools/portkey/node_modules/@portkey-ai/gateway/build/start-server.js 2>/dev/null)" $(ARGS)

clean: ## throw away what was built
	rm -rf build
