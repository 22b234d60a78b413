# Everything the project does is a target here: `make run` opens the window, `make test` checks all.
# Go is the only thing that must be there; what else is missing is installed where there is an apt-get.

GO      ?= go
# Fyne's own font of emoji is read whole for each style of text: without it the window takes 18 MB less, and the system's is used.
TAGS    := migrated_fynedo,no_emoji
ID      := $(shell sed -n 's/^ID = "\(.*\)"/\1/p' FyneApp.toml)
VERSION := $(shell sed -n 's/^Version = "\(.*\)"/\1/p' FyneApp.toml)
ARCH    := $(shell $(GO) env GOARCH)
SAMPLE   = $(firstword $(wildcard testdata/taridx/good/three-shards/*.taridx testdata/taridx/good/*/*.taridx))
FUZZTIME ?= 30s
NFPM       := v2.43.0

BUILD_DEPS := ca-certificates gcc libc6-dev pkg-config libgtk-3-dev libgl-dev libxxf86vm-dev
WINDOWS_DEPS := gcc-mingw-w64-x86-64 nsis
WINE_DEPS  := wine wine64
WINRES     := v0.3.3
TEST_DEPS  := xvfb xauth libgl1-mesa-dri xdotool imagemagick openbox

# Go stamps the commit into the binary; where git refuses to read the clone (another user's, or none) it must not try.
STAMP := -buildvcs=$(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
BUILD := $(GO) build $(STAMP)

# The window's tests run on Fyne's test driver (tag ci): no display, and no OpenGL to compile a second time under -race.
# The test that drives the real window builds it as `make build` does.
TEST := $(GO) test -tags $(TAGS),ci

.PHONY: run build headless test quick figures unit race interop interop-quick zoo zoo-quick bench frames profile damage harm faults limits fuzz fuzz-keep soak golden pictures lint vet windows test-windows package test-package test-arm64 mac reproducible clean build-deps test-deps

run: build
	./spandrel $(or $(FILES),$(SAMPLE))

build: build-deps
	$(BUILD) -tags $(TAGS) -o spandrel .

headless:
	CGO_ENABLED=0 $(BUILD) -tags headless -o spandrel-headless .

test: test-deps vet build headless unit race interop-quick zoo-quick

# The loop while working: what needs no display, without the race detector and without what takes long, one good and one damaged
# sample a format.
UNSEEN = ./model/... ./parsers/... ./ui/headless
QUICK = $(UNSEEN) ./ui/paint ./ui/rows ./ui/graph
SLOW = Hostile|Fuzz|Mutate|Many|Cancelled|Unpack|RoundTrip|Edits|TenGigabytes|Memory|Repairs
quick:
	$(GO) vet -tags $(TAGS),ci $(QUICK)
	SPANDREL_QUICK=1 $(TEST) -short -skip '$(SLOW)' $(QUICK)

# How the code is built, in numbers; `make figures OF=-v` lists the places.
figures:
	@$(GO) run ./.ci/figures $(OF)

# Every test, the one of the real window and those over the collection in the wild among them; then, under the race detector, the engine and the suite over all formats.
unit: test-deps
	$(TEST) -timeout 20m -skip RealWindow ./... ./.ci/figures
	$(REALWINDOW) || { echo "The real window failed once; again:"; $(REALWINDOW); }

REALWINDOW = $(TEST) -count 1 -timeout 10m -run RealWindow ./ui

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

# Healthy files that the formats' own software makes: nothing may be wrong with any of them. testdata/zoo/README.md. ZOO is how many of a format, a
# seed and the number of the first; ONLY=tar,npy asks for some formats, KEEP=FOLDER leaves the files there.
ZOO ?= 20,1
ZOO_RUN = command -v python3 >/dev/null || { echo "zoo skipped: no python3"; exit 0; }; \
	python3 testdata/zoo/zoo.py --spandrel ./spandrel-headless

zoo: headless
	$(call need,mono-mcs libarchive-tools)
	@$(ZOO_RUN) --zoo $(ZOO) $(if $(ONLY),--only $(ONLY)) $(if $(KEEP),--keep $(KEEP))

zoo-quick: headless
	@{ $(ZOO_RUN) --quick --zoo 4,1; } || echo "zoo: not all went well, see above; make zoo tells more"

# What should be as fast as the machine, as one table of ratios: docs/speed.md is what it printed. It wants a machine that does nothing
# else. `make frames` measures frames of the real window, in software OpenGL on a virtual display.
DISPLAYED = xvfb-run -a -s '-screen 0 1920x1200x24'
bench: test-deps
	$(DISPLAYED) $(GO) run ./.ci/speed -window

frames: test-deps
	$(DISPLAYED) $(GO) run -tags $(TAGS) ./ui/frames

# CPU and heap of what the table's rows measure, for `go tool pprof build/profile/NAME.cpu`.
PROFILE ?= model:Query parsers/taridx:TaridxRows parsers/taridx:TaridxDeep parsers/taridx:TaridxRename parsers/scdl:ScdlDeep \
	parsers/idv:IDVDeep parsers/samediff:SameDiffDeep parsers/tiledb:TDBDeepMany
profile: build-deps
	mkdir -p build/profile
	for p in $(PROFILE); do n=$${p#*:}; $(TEST) -run '^$$' -bench "^Benchmark$$n$$" -cpuprofile build/profile/$$n.cpu -memprofile build/profile/$$n.heap \
		-o build/profile/$$n.test ./$${p%:*} || exit 1; done

# How often the program names what is wrong with a damaged file, and brings it back: rates over the samples, and over the files of
# SPANDREL_CORPUS. DAMAGE is how many files of a format, how many damages of each, and, if other files and places shall be chosen, a word; FORMAT='idv|scdl'
# asks for some formats alone, OF=-v lists each document with what is said of it first.
DAMAGE ?= 8,6
damage:
	cd parsers && SPANDREL_DAMAGE=$(DAMAGE) CGO_ENABLED=0 $(GO) test $(OF) -count 1 -timeout 4h -run 'TestDamage$(if $(FORMAT),/^($(FORMAT))$$$$)'

# Whether fix harms: HARM is how many damages of a format, a seed and the number of the first; FORMAT=npy and KIND='two bytes' ask for some alone,
# KEEP=FOLDER writes the states of the last one, ZOO_FILES=FOLDER adds what make zoo KEEP=FOLDER made, SPANDREL_CORPUS a collection.
HARM ?= 100,1
harm:
	cd parsers && SPANDREL_HARM=$(HARM) SPANDREL_HARM_KIND='$(KIND)' SPANDREL_HARM_KEEP='$(KEEP)' SPANDREL_ZOO='$(ZOO_FILES)' CGO_ENABLED=0 \
		$(GO) test $(OF) -count 1 -timeout 24h -run 'TestHarm$(if $(FORMAT),/^($(FORMAT))$$$$)'

# How many faults of disks saves survive: each step of each kind of save fails in each way, or the power goes, on a disk of our own. Then the
# program itself under strace: what a power cut would leave of it, and its system calls fail one after the other.
faults: headless
	SPANDREL_FAULTS=1 $(TEST) -count 1 -v -run 'StopsAnywhere|PulledAnywhere' ./model | grep -E 'survived|power cuts|FAIL|^ok'
	$(call need,strace)
	.ci/faults ./spandrel-headless

# What commands cost on documents that are made to cost more than they are worth; docs/limits.md tells. LIMITS='-only tiledb,idv' runs a part.
limits: headless
	$(GO) run ./.ci/limits $(LIMITS)

fuzz: build-deps
	GO='$(GO)' TAGS='$(TAGS),ci' .ci/fuzz $(FUZZTIME)

# Keeps the smallest inputs that fuzzing found, in testdata/fuzz of each package.
fuzz-keep:
	.ci/keep

# An hour of random input: what a hand without a plan does in the window, then each fuzz target for as long as is left.
soak: test-deps
	SPANDREL_SOAK=10m $(TEST) -count 1 -timeout 30m -v -run RandomInput ./ui | tail -5
	$(MAKE) fuzz FUZZTIME=50s

# The pictures of README.md, of samples in a folder whose name says nothing of who drew them.
pictures: build
	rm -rf /tmp/samples && cp -r testdata /tmp/samples
	./spandrel shot $(SAMPLE:testdata/%=/tmp/samples/%) -o docs/light.png --size 1400x860 --theme light --select 'rows[3]/offset'
	./spandrel shot /tmp/samples/taridx/bad/022-n-rows/train.taridx -o docs/dark.png --size 1400x860 --theme dark --select header/n_rows
	./spandrel shot /tmp/samples/idv/good/stored.idv -o docs/idv-rows.png --size 1280x800 --theme light --select 'blocks[17]/decoded/items/values[1]'
	./spandrel shot /tmp/samples/scdl/good/archive -o docs/scdl-cells.png --size 1280x800 --theme light
	[ -z "$$SPANDREL_CORPUS" ] || { cp $$SPANDREL_CORPUS/samediff/libnd4j-conv_0.fb /tmp/samples/conv.fb && \
		./spandrel shot /tmp/samples/conv.fb -o docs/graph.png --size 1280x800 --pane graph --select 'graph/nodes[3]/table'; }
	rm -rf /tmp/samples

golden:
	CGO_ENABLED=0 $(TEST) -run Golden ./parsers -update

# Known holes in what is used, mistakes that vet does not see, and whether the modules are those of go.sum.
LINT_TOOLS := honnef.co/go/tools/cmd/staticcheck golang.org/x/vuln/cmd/govulncheck
build/staticcheck:
	mkdir -p build/tools-lint
	printf 'module tools\n\ngo 1.26\n\ntool (\n$(foreach t,$(LINT_TOOLS),\t$(t)\n))\n\nrequire (\n\thonnef.co/go/tools v0.8.2\n\tgolang.org/x/vuln v1.8.0\n)\n' > build/tools-lint/go.mod
	cd build/tools-lint && GOFLAGS=-mod=mod $(GO) build -o .. $(LINT_TOOLS)

lint: vet build/staticcheck
	$(GO) mod verify
	build/staticcheck -checks 'SA*' -tags $(TAGS),ci ./...
	@build/govulncheck -tags headless .; status=$$?; [ $$status != 3 ] || exit 1; [ $$status = 0 ] || echo "govulncheck could not be asked"
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt:" $$out; exit 1; }
	@find . -name '*.go' -not -path './build/*' -exec awk 'FNR == 401 { print FILENAME ": over 400 lines"; bad = 1 }; END { exit bad }' {} +
	$(GO) test -run ImportRules ./model

vet: build-deps
	$(GO) vet -tags $(TAGS),ci ./...
	CGO_ENABLED=0 $(GO) vet -tags headless .
	@for os in windows darwin; do GOOS=$$os CGO_ENABLED=0 $(GO) vet -tags headless . ./model ./ui/headless || exit 1; done

# The programs for Windows, with icon, version and manifest, and their installer. The program without a window needs no C compiler.
WINDOWS := GOOS=windows GOARCH=amd64
windows: build/winres
	$(call need,$(WINDOWS_DEPS))
	mkdir -p dist
	build/winres make --in assets/windows/winres.json --product-version $(VERSION) --file-version $(VERSION) --arch amd64 --out rsrc
	$(WINDOWS) CGO_ENABLED=0 $(BUILD) -trimpath -ldflags '-s -w' -tags headless -o dist/spandrel-headless.exe .
	$(WINDOWS) CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc $(BUILD) -trimpath -ldflags '-s -w -H windowsgui' -tags $(TAGS) -o dist/spandrel.exe .
	rm rsrc_windows_amd64.syso
	@if command -v makensis >/dev/null; then SOURCE_DATE_EPOCH=$(EPOCH) makensis -V2 -DVERSION=$(VERSION) -DDIST=$(CURDIR)/dist assets/windows/installer.nsi; \
	else echo 'No installer was made: makensis (NSIS) is not here.'; fi

build/winres:
	mkdir -p build/tools-winres
	printf 'module tools\n\ngo 1.26\n\ntool github.com/tc-hib/go-winres\n\nrequire github.com/tc-hib/go-winres $(WINRES)\n' > build/tools-winres/go.mod
	cd build/tools-winres && GOFLAGS=-mod=mod $(GO) build -o ../winres github.com/tc-hib/go-winres

# What can be tried of Windows on another system, under Wine: the tests of saving and of the commands, and a session with the programs.
WINE := WINEPREFIX=$(CURDIR)/build/wine WINEDEBUG=-all
test-windows: test-deps
	$(call need,$(WINDOWS_DEPS) $(WINE_DEPS))
	.ci/wine/prefix build/wine
	.ci/wine/overlay build/wine
	$(WINE) $(WINDOWS) CGO_ENABLED=0 $(GO) test -short -timeout 30m -exec wine -overlay build/wine/overlay.json -tags $(TAGS),ci ./model ./ui/headless
	[ -e dist/spandrel-headless.exe -a -e dist/spandrel.exe -a -e dist/spandrel-$(VERSION)-windows-amd64-setup.exe ] || $(MAKE) windows
	$(WINE) xvfb-run -a -s '-screen 0 1600x1000x24' .ci/wine/session dist

# What is handed out: stripped, without paths of this machine, and the same bytes from the same sources (`make reproducible` looks).
RELEASE := $(BUILD) -trimpath -ldflags '-s -w'
EPOCH   := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
PACKAGE = spandrel-$(VERSION)-linux-$(ARCH)
PACKAGE_DEPS := librsvg2-bin xz-utils
PACKAGE_ENV = VERSION=$(VERSION) ARCH=$(ARCH) SOURCE_DATE_EPOCH=$(EPOCH)
TAR = tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$(EPOCH) -cJf

package: build-deps build/nfpm
	$(call need,$(PACKAGE_DEPS))
	rm -rf build/$(PACKAGE) build/headless && mkdir -p build/$(PACKAGE) build/headless dist
	CGO_ENABLED=1 $(RELEASE) -buildmode=pie -tags $(TAGS) -o build/spandrel .
	for arch in amd64 arm64; do CGO_ENABLED=0 GOARCH=$$arch $(RELEASE) -tags headless -o build/headless/spandrel-headless-linux-$$arch . || exit 1; done
	.ci/stage build/spandrel build/headless/spandrel-headless-linux-$(ARCH) build/stage $(VERSION) $(EPOCH)
	cp -a build/stage/usr assets/linux/install.sh README.md build/$(PACKAGE)
	$(TAR) dist/$(PACKAGE).tar.xz -C build $(PACKAGE)
	for f in build/headless/*; do $(TAR) dist/$$(basename $$f).tar.xz -C build/headless $$(basename $$f); done
	$(PACKAGE_ENV) build/nfpm package --config assets/linux/nfpm.yaml --packager deb --target dist
	$(PACKAGE_ENV) build/nfpm package --config assets/linux/nfpm.yaml --packager rpm --target dist
	for f in build/spandrel build/headless/*; do echo "== $$(basename $$f)"; $(GO) version -m $$f | tail -n +2; done > dist/spandrel-$(VERSION)-sbom.txt
	cd dist && sha256sum $$(ls | grep -v SHA256SUMS) > SHA256SUMS

# What the tools of Debian and of freedesktop.org say of the packages; then the package is installed, asked, run and removed again.
test-package:
	$(call need,lintian rpm desktop-file-utils appstream shared-mime-info xdg-utils libglib2.0-bin $(TEST_DEPS))
	desktop-file-validate build/stage/usr/share/applications/*.desktop
	appstreamcli validate --no-net build/stage/usr/share/metainfo/*.xml
	lintian --fail-on error,warning dist/*_$(ARCH).deb
	.ci/package dist/*_$(ARCH).deb
	.ci/rpm dist/*.rpm

# The tests of `make quick` on the other processor, by an emulator; but those of files that are cut while they are mapped: it does not say where
# a page is missing.
ARM64_DEPS := qemu-user-static
test-arm64:
	$(call need,$(ARM64_DEPS))
	SPANDREL_QUICK=1 GOARCH=arm64 CGO_ENABLED=0 $(GO) test -exec qemu-aarch64-static -tags $(TAGS),ci -short -timeout 30m -skip '$(SLOW)|Shrunk|InventedBytes' $(UNSEEN)

build/nfpm:
	mkdir -p build/tools-nfpm
	printf 'module tools\n\ngo 1.26\n\ntool github.com/goreleaser/nfpm/v2/cmd/nfpm\n\nrequire github.com/goreleaser/nfpm/v2 $(NFPM)\n' > build/tools-nfpm/go.mod
	cd build/tools-nfpm && GOFLAGS=-mod=mod $(GO) build -o ../nfpm github.com/goreleaser/nfpm/v2/cmd/nfpm

# A bundle for macOS, made on a Mac: its compiler and its icon tools are there alone. It was never run.
mac:
	rm -rf dist/Spandrel.app build/Spandrel.iconset && mkdir -p dist/Spandrel.app/Contents/MacOS dist/Spandrel.app/Contents/Resources build/Spandrel.iconset
	CGO_ENABLED=1 $(RELEASE) -tags $(TAGS) -o dist/Spandrel.app/Contents/MacOS/spandrel .
	for s in 16 32 128 256 512; do sips -z $$s $$s assets/Icon.png --out build/Spandrel.iconset/icon_$${s}x$$s.png; done
	iconutil -c icns build/Spandrel.iconset -o dist/Spandrel.app/Contents/Resources/Spandrel.icns
	sed 's/@VERSION@/$(VERSION)/' assets/mac/Info.plist > dist/Spandrel.app/Contents/Info.plist
	plutil -lint dist/Spandrel.app/Contents/Info.plist

# Builds twice, in two folders and with two caches, and compares.
reproducible:
	rm -rf build/twice && mkdir -p build/twice/a build/twice/deeper/b
	for d in a deeper/b; do git archive HEAD | tar -x -C build/twice/$$d && (cd build/twice/$$d && CGO_ENABLED=0 GOCACHE=$(CURDIR)/build/twice/cache-$$(basename $$d) \
		$(GO) build -buildvcs=false -trimpath -ldflags '-s -w' -tags headless -o spandrel .) || exit 1; done
	cmp build/twice/a/spandrel build/twice/deeper/b/spandrel
	rm -rf build/twice

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
