# Everything the project does is a target here: `make run` opens the window, `make test` checks all.
# Go is the only thing that must be there; what else is missing is installed where there is an apt-get.

GO      ?= go
TAGS    := migrated_fynedo
VERSION := $(shell sed -n 's/^Version = "\(.*\)"/\1/p' FyneApp.toml)
SAMPLE   = $(firstword $(wildcard testdata/taridx/good/*.taridx))
FUZZTIME ?= 30s

BUILD_DEPS := ca-certificates gcc libc6-dev pkg-config libgtk-3-dev libgl-dev libxxf86vm-dev
TEST_DEPS  := xvfb libgl1-mesa-dri xdotool imagemagick openbox

# The commit is stamped into the binary, except where git refuses to read the clone (another user's, or none).
BUILD := $(GO) build -buildvcs=$(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false) -ldflags '-X main.version=$(VERSION)'

# The window's tests run on Fyne's test driver (tag ci): no display, and no OpenGL to compile a second time under -race.
# The test that drives the real window builds it as `make build` does.
TEST := $(GO) test -tags $(TAGS),ci

.PHONY: run build headless test race bench fuzz golden lint package clean build-deps test-deps

run: build
	./spandrel $(or $(FILES),$(SAMPLE))

build: build-deps
	$(BUILD) -tags $(TAGS) -o spandrel .

headless:
	CGO_ENABLED=0 $(BUILD) -tags headless -o spandrel-headless .

test: test-deps lint build headless race

race: test-deps
	$(TEST) -race -timeout 25m ./...

bench:
	$(TEST) -run '^$$' -bench . -benchmem ./...

fuzz: build-deps
	@for p in $$($(GO) list ./model/... ./parsers/...); do \
		for f in $$($(TEST) -list '^Fuzz' $$p | grep '^Fuzz'); do \
			$(TEST) -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; \
	done

golden:
	CGO_ENABLED=0 $(TEST) -run Golden ./parsers -update

lint: build-deps
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt:" $$out; exit 1; }
	@find . -name '*.go' -not -path './build/*' -exec awk 'FNR == 401 { print FILENAME ": over 400 lines"; bad = 1 }; END { exit bad }' {} +
	$(GO) vet -tags $(TAGS) ./...
	CGO_ENABLED=0 $(GO) vet -tags headless .

clean:
	rm -rf build dist spandrel spandrel-headless

# need installs the packages named that are missing. It is quick when none is, and leaves other systems than Debian's alone.
need = @command -v dpkg-query >/dev/null || exit 0; \
	missing=; for p in $(1); do dpkg-query -W -f='$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	echo "Installing$$missing"; \
	[ "$$(id -u)" = 0 ] || sudo=sudo; \
	$$sudo apt-get -q update && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $$missing

build-deps:
	$(call need,$(BUILD_DEPS))

test-deps: build-deps
	$(call need,$(TEST_DEPS))
