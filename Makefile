# Everything the project does is a target here: `make run` opens the window, `make test` checks all.
# Go is the only thing that must be there; what else is missing is installed where there is an apt-get.

GO      ?= go
TAGS    := migrated_fynedo
ID      := $(shell sed -n 's/^ID = "\(.*\)"/\1/p' FyneApp.toml)
VERSION := $(shell sed -n 's/^Version = "\(.*\)"/\1/p' FyneApp.toml)
ARCH    := $(shell $(GO) env GOARCH)
SAMPLE   = $(firstword $(wildcard testdata/taridx/good/three-shards/*.taridx testdata/taridx/good/*/*.taridx))
FUZZTIME ?= 30s
FYNE_TOOLS := v1.7.2

BUILD_DEPS := ca-certificates gcc libc6-dev pkg-config libgtk-3-dev libgl-dev libxxf86vm-dev
TEST_DEPS  := xvfb xauth libgl1-mesa-dri xdotool imagemagick openbox

# Go stamps the commit into the binary; where git refuses to read the clone (another user's, or none) it must not try.
STAMP := -buildvcs=$(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
BUILD := $(GO) build $(STAMP)

# The window's tests run on Fyne's test driver (tag ci): no display, and no OpenGL to compile a second time under -race.
# The test that drives the real window builds it as `make build` does.
TEST := $(GO) test -tags $(TAGS),ci

.PHONY: run build headless test quick figures unit race interop interop-quick bench damage fuzz golden pictures lint vet package clean build-deps test-deps

run: build
	./spandrel $(or $(FILES),$(SAMPLE))

build: build-deps
	$(BUILD) -tags $(TAGS) -o spandrel .

headless:
	CGO_ENABLED=0 $(BUILD) -tags headless -o spandrel-headless .

test: test-deps vet build headless unit race interop-quick

# The loop while working: what needs no display, without the race detector and without what takes long, one good and one damaged
# sample a format.
QUICK = ./model/... ./parsers/... ./ui/headless ./ui/paint ./ui/rows ./ui/graph
quick:
	$(GO) vet -tags $(TAGS),ci $(QUICK)
	SPANDREL_QUICK=1 $(TEST) -short -skip 'Hostile|Fuzz|Mutate|Many|Cancelled|Unpack|RoundTrip|Edits|TenGigabytes|Memory|Repairs' $(QUICK)

# How the code is built, in numbers; `make figures OF=-v` lists the places.
figures:
	@$(GO) run ./.ci/figures $(OF)

# Every test, the one of the real window and those over the collection in the wild among them; then, under the race detector, the engine and the suite over all formats.
unit: test-deps
	$(TEST) -timeout 20m ./... ./.ci/figures

race: test-deps
	$(TEST) -race -short -timeout 20m ./model/... ./parsers ./parsers/idv/... ./parsers/npy ./parsers/safetensors ./parsers/internal/...

# What we save, read by the formats' own software: testdata/interop/README.md. The quick share is skipped where there is no PyPI.
INTEROP_RUN = command -v python3 >/dev/null || { echo "interop skipped: no python3"; exit 0; }; \
	python3 testdata/interop/interop.py --spandrel ./spandrel-headless

interop: headless
	$(call need,mono-mcs)
	@$(INTEROP_RUN) $(INTEROP)

# It reports, and does not fail the tests: what the registries serve changes without us.
interop-quick: headless
	@{ $(INTEROP_RUN) --quick; } || echo "interop: not all went well, see above; make interop tells more"

# The second measures frames of the real window, in software OpenGL on a virtual display.
bench: test-deps
	$(TEST) -run '^$$' -bench . -benchmem ./...
	xvfb-run -a -s '-screen 0 1920x1200x24' $(GO) run -tags $(TAGS) ./ui/frames

# How often the program names what is wrong with a damaged file, and brings it back: rates over the samples, and over the files of
# SPANDREL_CORPUS. DAMAGE is how many files of a format, and how many damages of each.
DAMAGE ?= 8,6
damage:
	SPANDREL_DAMAGE=$(DAMAGE) CGO_ENABLED=0 $(GO) test -count 1 -timeout 4h -run 'TestDamage' ./parsers

fuzz: build-deps
	@for p in $$($(GO) list ./model/... ./parsers/...); do \
		for f in $$($(TEST) -list '^Fuzz' $$p | grep '^Fuzz'); do \
			$(TEST) -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; \
	done

# The pictures of README.md.
pictures: build
	./spandrel shot $(SAMPLE) -o docs/light.png --size 1400x860 --theme light --select 'rows[3]/offset'
	./spandrel shot testdata/taridx/bad/022-n-rows/train.taridx -o docs/dark.png --size 1400x860 --theme dark --select header/n_rows
	./spandrel shot testdata/idv/good/stored.idv -o docs/idv-rows.png --size 1280x800 --theme light --select 'blocks[17]/decoded/items/values[1]'
	./spandrel shot testdata/scdl/good/archive -o docs/scdl-cells.png --size 1280x800 --theme light
	[ -z "$$SPANDREL_CORPUS" ] || ./spandrel shot $$SPANDREL_CORPUS/samediff/libnd4j-conv_0.fb -o docs/graph.png --size 1280x800 --pane graph --select 'graph/nodes[3]/table'

golden:
	CGO_ENABLED=0 $(TEST) -run Golden ./parsers -update

lint: vet
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt:" $$out; exit 1; }
	@find . -name '*.go' -not -path './build/*' -exec awk 'FNR == 401 { print FILENAME ": over 400 lines"; bad = 1 }; END { exit bad }' {} +
	$(GO) test -run ImportRules ./model

vet: build-deps
	$(GO) vet -tags $(TAGS),ci ./...
	CGO_ENABLED=0 $(GO) vet -tags headless .

# The packager writes an archive with the binary, an icon, and a .desktop file made from FyneApp.toml, whose build number
# it raises. Its Makefile does not install (nor would it the file types), so install.sh takes its place.
PACKAGE = build/spandrel-$(VERSION)-linux-$(ARCH)
package: build-deps build/fyne
	$(call need,xz-utils)
	rm -rf build/unpacked $(PACKAGE) build/deb && mkdir -p build/unpacked $(PACKAGE) dist
	cp FyneApp.toml build/ && { GOFLAGS="$$GOFLAGS $(STAMP)" build/fyne package --target linux --release; status=$$?; \
		cp build/FyneApp.toml .; exit $$status; }
	tar -xJf Spandrel.tar.xz -C build/unpacked && rm Spandrel.tar.xz
	find build/unpacked -type f \( -name spandrel -o -name '*.desktop' \) -exec cp {} $(PACKAGE) \;
	cp assets/linux/install.sh assets/linux/$(ID).xml README.md $(PACKAGE)
	cp assets/Icon.png $(PACKAGE)/$(ID).png && cp assets/Icon.svg $(PACKAGE)/$(ID).svg
	tar -cJf dist/$(notdir $(PACKAGE)).tar.xz --owner=0 --group=0 -C build $(notdir $(PACKAGE))
	@command -v dpkg-deb >/dev/null || exit 0; \
		DESTDIR=$(CURDIR)/build/deb PREFIX=/usr $(PACKAGE)/install.sh && mkdir build/deb/DEBIAN && \
		sed 's/@VERSION@/$(VERSION)/; s/@ARCH@/$(ARCH)/' assets/linux/control > build/deb/DEBIAN/control && \
		dpkg-deb --root-owner-group --build build/deb dist/spandrel_$(VERSION)_$(ARCH).deb

build/fyne:
	mkdir -p build/tools
	printf 'module tools\n\ngo 1.26\n\ntool fyne.io/tools/cmd/fyne\n\nrequire fyne.io/tools $(FYNE_TOOLS)\n' > build/tools/go.mod
	cd build/tools && GOFLAGS=-mod=mod $(GO) build -o ../fyne fyne.io/tools/cmd/fyne

clean:
	rm -rf build dist spandrel spandrel-headless

# need installs the packages named that are missing. It is quick when none is, and leaves other systems than Debian's alone.
need = @command -v dpkg-query >/dev/null || exit 0; \
	missing=; sudo=; for p in $(1); do dpkg-query -W -f='$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	echo "Installing$$missing"; \
	[ "$$(id -u)" = 0 ] || sudo=sudo; \
	$$sudo apt-get -q update && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $$missing

build-deps:
	$(call need,$(BUILD_DEPS))

test-deps: build-deps
	$(call need,$(TEST_DEPS))
