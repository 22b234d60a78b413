# Everything the project does is a target here or in .ci/package.mk; `make help` lists them.
# Only Go must be installed; other missing packages are installed with apt-get if it exists.

GO      ?= go
# Fyne reads its whole emoji font for each text style. Without it the window takes 18 MB less and uses the system's font.
TAGS    := migrated_fynedo,no_emoji
# Arrow and minio link a JSON library of their own, 1.3 MB, unless told to use Go's.
HEADLESS := headless,arrow_json_stdlib,stdlibjson
ID      := $(shell sed -n 's/^ID = "\(.*\)"/\1/p' FyneApp.toml)
VERSION := $(shell sed -n 's/^Version = "\(.*\)"/\1/p' FyneApp.toml)
ARCH    := $(shell $(GO) env GOARCH)
SAMPLE   = $(firstword $(wildcard testdata/taridx/good/three-shards/*.taridx testdata/taridx/good/*/*.taridx))
FUZZTIME ?= 30s

BUILD_DEPS := ca-certificates gcc libc6-dev pkg-config libgtk-3-dev libgl-dev libxxf86vm-dev
WINDOWS_DEPS := gcc-mingw-w64-x86-64 nsis
WINE_DEPS  := wine wine64
TEST_DEPS  := xvfb xauth libgl1-mesa-dri xdotool imagemagick openbox

# Go stamps the commit into the binary, but must not try if git refuses to read the clone (owned by another user, or missing).
STAMP := -buildvcs=$(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
BUILD := $(GO) build $(STAMP)

# The window's tests run on Fyne's test driver (tag ci): no display, and no OpenGL to compile a second time under -race.
# The test that drives the real window builds it as `make build` does.
# Tests allocate much and keep little: with twice the garbage they take a tenth less time.
TEST := GOGC=200 $(GO) test -tags $(TAGS),ci

.PHONY: help run build headless test test-all unit-all race-all mutants quick figures unit race interop interop-quick zoo zoo-quick bench frames profile damage harm faults limits fuzz fuzz-keep soak generate golden pictures lint style vet test-arm64 clean build-deps test-deps

run: # the first target is what `make` alone does

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build, and open the window on a sample; FILES="a b" opens these
	./spandrel $(or $(FILES),$(SAMPLE))

build: build-deps ## ./spandrel, with the window
	$(BUILD) -tags $(TAGS) -o spandrel .

headless: ## ./spandrel-headless, the commands only: no C compiler, no display, no system library
	CGO_ENABLED=0 $(BUILD) -tags $(HEADLESS) -o spandrel-headless .

test: test-deps vet style build headless unit race test-python interop-quick zoo-quick ## what CI runs: every test, a sample of the slow ones

# All damage of all kinds, all disk failures, and the race detector on the engine and the formats: nightly, and before a release.
test-all: test-deps vet style build headless unit-all race-all test-python interop-quick zoo-quick ## every test without sampling, and the race detector

# For use while working: tests that need no display, without slow tests and the race detector, on one good and one damaged sample per format.
UNSEEN = ./model/... ./parsers/... ./ui/headless
PANES = ./ui/kit ./ui/doc ./ui/align ./ui/bytes ./ui/table ./ui/tree ./ui/problems ./ui/facts ./ui/compare
QUICK = $(UNSEEN) ./ui/paint ./ui/rows ./ui/graph $(PANES)
SLOW = Hostile|Fuzz|Mutate|Many|Cancelled|Unpack|RoundTrip|Edits|TenGigabytes|Memory|Repairs|Anywhere|Limits|Docs|Jungle|Shared
quick: ## vet, and the tests that need no display: under a minute
	$(GO) vet -tags $(TAGS),ci $(QUICK)
	SPANDREL_QUICK=1 $(TEST) -short -skip '$(SLOW)' $(QUICK)

# Code metrics; `make figures OF=-v` lists the places.
figures: ## code metrics; OF=-v lists the places
	@$(GO) run ./.ci/figures $(OF)

# Every test, the one of the real window and those over the collection in the wild among them. With -short those that damage files or fail disks
# in turn do a share, always the same, of each kind. The race detector watches what does several things at once. What takes longest begins first.
UNIT = ./parsers ./ui ./ui/headless ./... ./.ci/figures ./.ci/licenses ./.ci/mutants
unit: test-deps ## every test, a sample of the slow ones
	$(TEST) -short -timeout 20m -skip RealWindow $(UNIT)
	$(REALWINDOW) || { echo "The real window failed once; again:"; $(REALWINDOW); }

unit-all: test-deps
	$(TEST) -timeout 40m -skip RealWindow $(UNIT)
	$(REALWINDOW) || { echo "The real window failed once; again:"; $(REALWINDOW); }

REALWINDOW = $(TEST) -count 1 -timeout 10m -run RealWindow ./ui

AT_ONCE = AtOnce|Concurrent|Jobs|Each[A-Z]|WhileEditing|Cancel
race: test-deps ## concurrent code under the race detector
	$(TEST) -race -short -timeout 20m -run '$(AT_ONCE)' ./model ./parsers

race-all: test-deps
	$(TEST) -race -short -timeout 40m ./model/... ./parsers ./parsers/idv/... ./parsers/npy ./parsers/safetensors ./parsers/internal/...

# What we save, read by the formats' own software: testdata/interop/README.md. The quick share is skipped where there is no PyPI.
INTEROP_RUN = command -v python3 >/dev/null || { echo "interop skipped: no python3"; exit 0; }; \
	python3 testdata/interop/interop.py --spandrel ./spandrel-headless

interop: headless ## read saved files with the formats' own software
	$(call need,mono-mcs)
	@$(INTEROP_RUN) $(INTEROP)

# What the registries do not serve is skipped with a word; a difference fails the tests.
interop-quick: headless
	@$(INTEROP_RUN) --quick

# Healthy files that the formats' own software makes: nothing may be wrong with any of them. testdata/zoo/README.md. ZOO is how many of a format, a
# seed and the number of the first; ONLY=tar,npy asks for some formats, KEEP=FOLDER leaves the files there.
ZOO ?= 20,1
ZOO_RUN = command -v python3 >/dev/null || { echo "zoo skipped: no python3"; exit 0; }; \
	python3 testdata/zoo/zoo.py --spandrel ./spandrel-headless

zoo: headless ## open files written by the formats' own software: none may be reported, changed or misread
	$(call need,mono-mcs libarchive-tools)
	@$(ZOO_RUN) --zoo $(ZOO) $(if $(ONLY),--only $(ONLY)) $(if $(KEEP),--keep $(KEEP))

zoo-quick: headless
	@$(ZOO_RUN) --quick --zoo 4,1

# Ratios to baselines, printed as the table in docs/speed.md. Run it on an idle machine. `make frames` measures frame times of the real window, in software
# OpenGL on a virtual display.
DISPLAYED = xvfb-run -a -s '-screen 0 1920x1200x24'
bench: test-deps ## benchmarks
	$(DISPLAYED) $(GO) run ./.ci/speed -window

frames: test-deps ## frame times of the real window
	SPANDREL_FRAMES=. $(DISPLAYED) $(GO) test -tags $(TAGS) -count 1 -timeout 1h -v ./ui

# CPU and heap profiles of the rows of that table, for `go tool pprof build/profile/NAME.cpu`.
PROFILE ?= model:Query parsers/taridx:TaridxRows parsers/taridx:TaridxDeep parsers/taridx:TaridxRename parsers/scdl:ScdlDeep \
	parsers/idv:IDVDeep parsers/samediff:SameDiffDeep parsers/tiledb:TDBDeepMany
profile: build-deps ## CPU and heap profiles
	mkdir -p build/profile
	for p in $(PROFILE); do n=$${p#*:}; $(TEST) -run '^$$' -bench "^Benchmark$$n$$" -cpuprofile build/profile/$$n.cpu -memprofile build/profile/$$n.heap \
		-o build/profile/$$n.test ./$${p%:*} || exit 1; done

# How often the diagnosis of a damaged file is right and its repair restores the file: rates over the samples and the files of SPANDREL_CORPUS. DAMAGE gives the
# files per format, the damages per file and, to choose other files and places, a seed word. FORMAT='idv|scdl' selects formats; OF=-v lists each document with
# the first sentence of its diagnosis.
DAMAGE ?= 8,6
damage: ## how often damage is recognised and repaired
	cd parsers && SPANDREL_DAMAGE=$(DAMAGE) CGO_ENABLED=0 $(GO) test $(OF) -count 1 -timeout 4h -run 'TestDamage$(if $(FORMAT),/^($(FORMAT))$$$$)'

.PHONY: events
events: ## rate the first sentence of the diagnosis; ONLY=REGEXP selects events, SEED=N other files
	cd parsers && SPANDREL_EVENTS='$(or $(ONLY),.)' SPANDREL_EVENTS_SEED=$(or $(SEED),1) CGO_ENABLED=0 $(GO) test -count 1 -timeout 2h -run 'TestEvents$$'

# What gets worse without each part of the search for causes. WORTH gives the damages per kind and format, and the seed. WHY=1 lists the damages whose
# diagnosis changes; PART='shifted|drifted' selects parts.
WORTH ?= 25,1
.PHONY: worth
worth: ## what each part of the search for causes is worth
	cd parsers && SPANDREL_WORTH=$(WORTH) SPANDREL_WORTH_PART='$(PART)' SPANDREL_WHY=$(WHY) CGO_ENABLED=0 $(GO) test -count 1 -timeout 24h -run 'TestWorth$$'

# Whether fix makes damaged files worse. HARM gives the damages per format, the seed and the number of the first; FORMAT=npy and KIND='two bytes' select some.
# KEEP=FOLDER writes the states of the last one, ZOO_FILES=FOLDER adds the files of make zoo KEEP=FOLDER, SPANDREL_CORPUS a collection.
HARM ?= 100,1
harm: ## whether fix makes damaged files worse
	cd parsers && SPANDREL_HARM=$(HARM) SPANDREL_HARM_KIND='$(KIND)' SPANDREL_HARM_KEEP='$(KEEP)' SPANDREL_ZOO='$(ZOO_FILES)' CGO_ENABLED=0 \
		$(GO) test $(OF) -count 1 -timeout 24h -run 'Test(Harm|ActionsOnDamage|AnotherSave)$(if $(FORMAT),/^($(FORMAT))$$$$)'

# Whether saves survive disk failures. On a simulated disk, each step of each kind of save fails in each way, or the power fails. Then the
# program itself runs under strace, which makes its system calls fail one by one and shows what a power failure would leave.
faults: headless ## let saves fail at every disk operation
	SPANDREL_FAULTS=1 $(TEST) -count 1 -v -run 'StopsAnywhere|PulledAnywhere' ./model | grep -E 'survived|power cuts|FAIL|^ok'
	$(call need,strace)
	.ci/faults ./spandrel-headless

# Tests against emulators of S3, Google Cloud Storage and Azure, installed from PyPI, the Go proxy and npm.
stores: ## test object stores against servers of each kind
	.ci/stores/run

# What commands cost on hostile documents: docs/limits.md. LIMITS='-only tiledb,idv' runs a part.
limits: headless ## measure the cost of hostile files
	$(GO) run ./.ci/limits $(LIMITS)

# Compiles each deliberate fault of .ci/mutants/faults into the program and runs the tests that should notice it. ONLY='guard-idle save-unread' selects some.
mutants: build-deps ## whether tests notice deliberate faults; ONLY='guard-idle save-unread' tries some
	$(GO) run ./.ci/mutants $(ONLY)

fuzz: build-deps ## each fuzz target for FUZZTIME (30s); ONLY=scdl:FuzzParse one, WORKERS=1 on one core
	GO='$(GO)' TAGS='$(TAGS),ci' .ci/fuzz $(FUZZTIME)

# Keeps the smallest inputs that fuzzing found, in testdata/fuzz of each package.
fuzz-keep: ## keep the smallest inputs that fuzzing found, for the tests and for fuzzing
	.ci/keep

# An hour of random input: what a hand without a plan does in the window, then each fuzz target for as long as is left.
soak: test-deps ## an hour of random input
	SPANDREL_SOAK=10m $(TEST) -count 1 -timeout 30m -v -run RandomInput ./ui | tail -5
	$(MAKE) fuzz FUZZTIME=50s

# The pictures of README.md, of samples in a folder whose name says nothing of who drew them.
pictures: build ## redraw the pictures of the docs
	rm -rf /tmp/samples && cp -r testdata /tmp/samples
	./spandrel shot $(SAMPLE:testdata/%=/tmp/samples/%) -o docs/light.png --size 1400x860 --theme light --select 'rows[3]/offset'
	./spandrel shot /tmp/samples/taridx/bad/022-n-rows/train.taridx -o docs/dark.png --size 1400x860 --theme dark --select header/n_rows
	./spandrel shot /tmp/samples/idv/good/stored.idv -o docs/idv-rows.png --size 1280x800 --theme light --select 'blocks[17]/decoded/items/values[1]'
	./spandrel shot /tmp/samples/scdl/good/archive -o docs/scdl-cells.png --size 1280x800 --theme light
	[ -z "$$SPANDREL_CORPUS" ] || { cp $$SPANDREL_CORPUS/samediff/libnd4j-conv_0.fb /tmp/samples/conv.fb && \
		./spandrel shot /tmp/samples/conv.fb -o docs/graph.png --size 1280x800 --pane graph --select 'graph/nodes[3]/table'; }
	rm -rf /tmp/samples

generate: ## regenerate what names the formats, from their Format values
	CGO_ENABLED=0 $(TEST) -run Generated ./parsers -update

golden: ## rewrite the golden dumps
	CGO_ENABLED=0 $(TEST) -run Golden ./parsers -update

# Known holes in what is used, mistakes that vet does not see, and whether the modules are those of go.sum.
LINT_TOOLS := honnef.co/go/tools/cmd/staticcheck golang.org/x/vuln/cmd/govulncheck
build/staticcheck:
	mkdir -p build/tools-lint
	printf 'module tools\n\ngo 1.26\n\ntool (\n$(foreach t,$(LINT_TOOLS),\t$(t)\n))\n\nrequire (\n\thonnef.co/go/tools v0.8.2\n\tgolang.org/x/vuln v1.8.0\n)\n' > build/tools-lint/go.mod
	cd build/tools-lint && GOFLAGS=-mod=mod $(GO) build -o .. $(LINT_TOOLS)

# Files that are still longer than 400 lines: the list only gets shorter.
LONG := model/cause/find.go

lint: vet style build/staticcheck ## style, vet, staticcheck, known vulnerabilities
	$(GO) mod verify
	build/staticcheck -checks 'SA*' -tags $(TAGS),ci ./...
	@build/govulncheck -tags headless .; status=$$?; [ $$status != 3 ] || exit 1; [ $$status = 0 ] || echo "govulncheck could not be asked"

style: build-deps ## gofmt, file length, import rules, and metrics that may not get worse
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt:" $$out; exit 1; }
	@find . -name '*.go' -not -path './build/*' $(foreach f,$(LONG),-not -path ./$(f)) \
		-exec awk 'FNR == 401 { print FILENAME ": over 400 lines"; bad = 1 }; END { exit bad }' {} +
	$(GO) test -run ImportRules ./model
	$(GO) run ./.ci/figures -ratchet

vet: build-deps ## go vet for all builds
	$(GO) vet -tags $(TAGS),ci ./...
	CGO_ENABLED=0 $(GO) vet -tags headless .
	@for os in windows darwin; do GOOS=$$os CGO_ENABLED=0 $(GO) vet -tags headless . ./model ./ui/headless || exit 1; done

# The tests of `make quick` on the other processor, by an emulator; but those of files that are cut while they are mapped: it does not say where
# a page is missing.
ARM64_DEPS := qemu-user-static
test-arm64: ## the quick tests on arm64, by an emulator
	$(call need,$(ARM64_DEPS))
	SPANDREL_QUICK=1 GOARCH=arm64 CGO_ENABLED=0 $(GO) test -exec qemu-aarch64-static -tags $(TAGS),ci -short -timeout 30m -skip '$(SLOW)|Shrunk|InventedBytes' $(UNSEEN)

include .ci/package.mk

clean: ## remove what was built
	rm -rf build dist spandrel spandrel-headless

# need installs the packages named that are missing. It is quick when none is, and leaves other systems than Debian's alone.
need = @command -v dpkg-query >/dev/null || exit 0; \
	missing=; sudo=; for p in $(1); do dpkg-query -W -f='$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	echo "Installing$$missing"; \
	[ "$$(id -u)" = 0 ] || sudo=sudo; \
	$$sudo apt-get -q update && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=300 install --no-install-recommends $$missing

build-deps:
	$(call need,$(BUILD_DEPS))

test-deps: build-deps
	$(call need,$(TEST_DEPS))
