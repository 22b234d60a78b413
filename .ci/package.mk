# What is handed out: packages, archives, installers, wheels, and the licences in them. The Makefile includes this file.

NFPM   := v2.43.0
WINRES := v0.3.3
FYNE   := v1.7.2
CYCLONEDX := v1.9.0

# Release builds are stripped, without paths of this machine, and the same bytes from the same sources (`make reproducible` compares).
RELEASE := $(BUILD) -trimpath -ldflags '-s -w'
EPOCH   := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
PACKAGE = spandrel-$(VERSION)-linux-$(ARCH)
PACKAGE_DEPS := librsvg2-bin xz-utils
PACKAGE_ENV = VERSION=$(VERSION) ARCH=$(ARCH) SOURCE_DATE_EPOCH=$(EPOCH)
TAR = tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$(EPOCH) -cJf
LICENCES = LICENSE NOTICE docs/third-party.txt

.PHONY: fyne-package package test-package licenses wheel test-python windows test-windows mac reproducible release source recipes test-recipes site

licenses: ## list the licences of all linked modules in docs/third-party.txt
	@mkdir -p build
	$(GO) run ./.ci/licenses > build/third-party.txt
	mv build/third-party.txt docs/third-party.txt

# `fyne package` counts Build in FyneApp.toml up, and writes the file again without its comments: it is put back.
fyne-package: build-deps build/fyne ## Spandrel.tar.xz, by Fyne's own tool
	@mkdir -p build
	cp -p FyneApp.toml build/FyneApp.toml
	GOFLAGS="$(GOFLAGS) $(STAMP) -buildmode=pie" build/fyne package --target linux --release --tags $(TAGS); \
		status=$$?; mv build/FyneApp.toml FyneApp.toml; exit $$status

package: fyne-package build/nfpm ## Linux: deb, rpm, archives, static commands, checksums in dist/
	$(call need,$(PACKAGE_DEPS))
	rm -rf build/$(PACKAGE) build/headless && mkdir -p build/$(PACKAGE) build/headless dist
	tar -xJf Spandrel.tar.xz -O --wildcards '*/bin/spandrel' > build/spandrel && chmod 755 build/spandrel
	rm Spandrel.tar.xz
	for arch in amd64 arm64; do d=build/headless/spandrel-headless-linux-$$arch; mkdir $$d && cp $(LICENCES) $$d && \
		CGO_ENABLED=0 GOARCH=$$arch $(RELEASE) -tags $(HEADLESS) -o $$d/spandrel-headless . || exit 1; done
	.ci/stage build/spandrel build/headless/spandrel-headless-linux-$(ARCH)/spandrel-headless build/stage $(VERSION) $(EPOCH)
	cp -a build/stage/usr assets/linux/install.sh README.md $(LICENCES) build/$(PACKAGE)
	$(TAR) dist/$(PACKAGE).tar.xz -C build $(PACKAGE)
	for d in build/headless/*; do $(TAR) dist/$$(basename $$d).tar.xz -C build/headless $$(basename $$d); done
	$(PACKAGE_ENV) build/nfpm package --config assets/linux/nfpm.yaml --packager deb --target dist
	$(PACKAGE_ENV) build/nfpm package --config assets/linux/nfpm.yaml --packager rpm --target dist
	cd dist && sha256sum $$(ls | grep -v SHA256SUMS) > SHA256SUMS

# All that is handed out for a version, whose number is in FyneApp.toml alone: from a clean tree, so that the programs say which commit they
# are of. The lists of modules are CycloneDX, one of each program.
release: build/cyclonedx-gomod ## everything of a version in dist/: packages, wheels, Windows, lists of modules, checksums
	@[ -z "$$(git status --porcelain)" ] || { echo 'release: the tree has changes that are not committed'; exit 1; }
	rm -rf dist
	$(MAKE) package wheel windows source
	build/cyclonedx-gomod bin -json -licenses -version v$(VERSION) -output dist/spandrel-$(VERSION).cdx.json build/spandrel
	build/cyclonedx-gomod bin -json -licenses -version v$(VERSION) -output dist/spandrel-headless-$(VERSION).cdx.json build/headless/spandrel-headless-linux-$(ARCH)/spandrel-headless
	cd dist && sha256sum $$(ls | grep -v SHA256SUMS) > SHA256SUMS

# The sources, and those of all modules beside them: what is built from them needs no network.
source: ## the sources with all modules in dist/
	rm -rf build/source && mkdir -p build/source/spandrel-$(VERSION) dist
	git archive HEAD | tar -x -C build/source/spandrel-$(VERSION)
	cd build/source/spandrel-$(VERSION) && $(GO) mod vendor
	$(TAR) dist/spandrel-$(VERSION)-source.tar.xz -C build/source spandrel-$(VERSION)
	rm -rf build/source # its modules are not for gofmt

# Recipes of package managers for what `make release` made, filled in with where it will be.
URL   = https://example.org/spandrel
DOWNLOADS = $(URL)/releases/download/v$(VERSION)
MAINTAINER = OWNER
recipes: ## recipes for conda-forge, Flathub, Homebrew and winget in dist/recipes: URL=… DOWNLOADS=… MAINTAINER=…
	.ci/recipes $(VERSION) $(EPOCH) $(TAGS) $(URL) $(DOWNLOADS) $(MAINTAINER)

# What is there of their linters: the syntax of the formula, the manifest as flatpak-builder reads it, the recipe as rattler-build renders it for each
# system, and winget's schemas, where SCHEMAS is a clone of microsoft/winget-cli.
RECIPES = build/venv-recipes
SCHEMAS ?=
test-recipes: recipes ## what can be said of the recipes here: SCHEMAS=a clone of winget-cli
	$(call need,flatpak-builder ruby)
	[ -e $(RECIPES)/ready ] || { rm -rf $(RECIPES) && python3 -m venv $(RECIPES) && \
		$(RECIPES)/bin/python -m pip -q --disable-pip-version-check install py-rattler-build==0.73.0 check-jsonschema && touch $(RECIPES)/ready; }
	ruby -c dist/recipes/spandrel.rb
	flatpak-builder --show-manifest dist/recipes/org.spandrel.Spandrel.yml > build/flatpak.json
	$(RECIPES)/bin/python -c "import rattler_build as r; \
		[r.Stage0Recipe.from_file('dist/recipes/recipe.yaml').render(r.VariantConfig(), r.RenderConfig(platform=r.PlatformConfig(target_platform=p))) \
		for p in ('linux-64', 'linux-aarch64', 'osx-64', 'osx-arm64', 'win-64')]"
	[ -z '$(SCHEMAS)' ] || for k in installer locale.en-US=defaultLocale version; do f=$${k%=*}; \
		$(RECIPES)/bin/check-jsonschema --schemafile $(SCHEMAS)/schemas/JSON/manifests/v1.6.0/manifest.$${k#*=}.1.6.0.json \
			dist/recipes/winget/Spandrel.Spandrel$$([ $$f = version ] || echo .$$f).yaml || exit 1; done

# What the tools of Debian and of freedesktop.org say of the packages; then the deb is installed on a bare desktop in a root of its own, a sample of each
# kind is opened by a double click, and the deb is removed again.
test-package: ## lint, install, run and remove the packages (as root)
	$(call need,lintian rpm desktop-file-utils appstream debootstrap)
	desktop-file-validate build/stage/usr/share/applications/*.desktop
	appstreamcli validate --no-net build/stage/usr/share/metainfo/*.xml
	lintian --fail-on error,warning dist/*_$(ARCH).deb
	.ci/clean-root build/root .ci/package dist/*_$(ARCH).deb
	.ci/rpm dist/*.rpm

# Wheels for `pip install`: the static program without a window, and the module of assets/python. A wheel's tag is SYSTEM/PROCESSOR/TAG.
WHEELS = linux/amd64/manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64 \
	linux/arm64/manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64 \
	darwin/amd64/macosx_12_0_x86_64 darwin/arm64/macosx_12_0_arm64 windows/amd64/win_amd64 windows/arm64/win_arm64
wheel: ## Python wheels for Linux, macOS and Windows in dist/
	$(call need,advancecomp)
	mkdir -p dist build/wheels
	set -e; for w in $(WHEELS); do system=$${w%%/*} tag=$${w##*/}; processor=$${w#*/}; processor=$${processor%%/*}; \
		CGO_ENABLED=0 GOOS=$$system GOARCH=$$processor $(RELEASE) -tags $(HEADLESS) -o build/wheels/spandrel-$$system-$$processor .; \
		.ci/wheel $(VERSION) $(EPOCH) build/wheels/spandrel-$$system-$$processor $$tag dist; done
	! command -v advzip >/dev/null || advzip -q -z -2 dist/spandrel-$(VERSION)-*.whl # 4 % less than zlib at its best

# The module's tests, over a wheel that is installed in an environment of its own. They are skipped where there is no PyPI; those that
# need an engine or pre-commit are skipped with a word unless `make test-all` asks for these.
test-all: ENGINES = ray pyspark pre-commit
VENV = build/venv
PYTEST = $(VENV)/bin/python -m pytest -q -rs -p no:cacheprovider assets/python/tests
test-python: headless ## the Python module, from an installed wheel
	@command -v python3 >/dev/null || { echo "test-python skipped: no python3"; exit 0; }; \
	[ -e $(VENV)/ready ] || { rm -rf $(VENV) && python3 -m venv $(VENV) && \
		$(VENV)/bin/python -m pip -q --disable-pip-version-check --timeout 20 --retries 1 install pytest numpy pandas pyarrow distributed kubernetes-validate && touch $(VENV)/ready; } || \
		{ echo "test-python skipped: PyPI does not answer"; exit 0; }; \
	set -e; rm -rf build/wheel; mkdir -p build/wheel; .ci/wheel $(VERSION) $(EPOCH) spandrel-headless any build/wheel; \
	$(VENV)/bin/python -m pip -q --disable-pip-version-check install --no-index --no-deps --force-reinstall build/wheel/*.whl; \
	[ -z '$(ENGINES)' ] || $(VENV)/bin/python -m pip -q --disable-pip-version-check install $(ENGINES) || \
		echo "PyPI does not answer: test-python runs without $(ENGINES)"; $(PYTEST)

# A bundle for macOS, made on a Mac: its compiler and its icon tools are there alone. It was never run.
mac: ## a bundle for macOS, on a Mac
	rm -rf dist/Spandrel.app build/Spandrel.iconset && mkdir -p dist/Spandrel.app/Contents/MacOS dist/Spandrel.app/Contents/Resources build/Spandrel.iconset
	CGO_ENABLED=1 $(RELEASE) -tags $(TAGS) -o dist/Spandrel.app/Contents/MacOS/spandrel .
	for s in 16 32 128 256 512; do sips -z $$s $$s assets/Icon.png --out build/Spandrel.iconset/icon_$${s}x$$s.png; done
	iconutil -c icns build/Spandrel.iconset -o dist/Spandrel.app/Contents/Resources/Spandrel.icns
	sed 's/@VERSION@/$(VERSION)/' assets/mac/Info.plist > dist/Spandrel.app/Contents/Info.plist
	plutil -lint dist/Spandrel.app/Contents/Info.plist

# Builds twice, in two folders and with two caches, and compares.
reproducible: ## build twice and compare
	rm -rf build/twice && mkdir -p build/twice/a build/twice/deeper/b
	for d in a deeper/b; do git archive HEAD | tar -x -C build/twice/$$d && (cd build/twice/$$d && CGO_ENABLED=0 GOCACHE=$(CURDIR)/build/twice/cache-$$(basename $$d) \
		$(GO) build -buildvcs=false -trimpath -ldflags '-s -w' -tags $(HEADLESS) -o spandrel .) || exit 1; done
	cmp build/twice/a/spandrel build/twice/deeper/b/spandrel
	rm -rf build/twice

# The programs for Windows, with icon, version and manifest, and their installer. The program without a window needs no C compiler.
WINDOWS := GOOS=windows GOARCH=amd64
windows: build/winres ## Windows: programs and installer in dist/
	$(call need,$(WINDOWS_DEPS))
	mkdir -p dist
	build/winres make --in assets/windows/winres.json --product-version $(VERSION) --file-version $(VERSION) --arch amd64 --out rsrc
	$(WINDOWS) CGO_ENABLED=0 $(BUILD) -trimpath -ldflags '-s -w' -tags $(HEADLESS) -o dist/spandrel-headless.exe .
	$(WINDOWS) CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc $(BUILD) -trimpath -ldflags '-s -w -H windowsgui' -tags $(TAGS) -o dist/spandrel.exe .
	rm rsrc_windows_amd64.syso
	@if command -v makensis >/dev/null; then SOURCE_DATE_EPOCH=$(EPOCH) makensis -V2 -DVERSION=$(VERSION) -DDIST=$(CURDIR)/dist assets/windows/installer.nsi; \
	else echo 'No installer was made: makensis (NSIS) is not here.'; fi

# What can be tried of Windows on another system, under Wine: the tests of saving and of the commands, and a session with the programs.
WINE := WINEPREFIX=$(CURDIR)/build/wine WINEDEBUG=-all
test-windows: test-deps ## what can be tried of Windows, under Wine
	$(call need,$(WINDOWS_DEPS) $(WINE_DEPS))
	.ci/wine/prefix build/wine
	.ci/wine/overlay build/wine
	$(WINE) $(WINDOWS) CGO_ENABLED=0 $(GO) test -short -timeout 30m -exec wine -overlay build/wine/overlay.json -tags $(TAGS),ci ./model ./ui/headless
	[ -e dist/spandrel-headless.exe -a -e dist/spandrel.exe -a -e dist/spandrel-$(VERSION)-windows-amd64-setup.exe ] || $(MAKE) windows
	$(WINE) xvfb-run -a -s '-screen 0 1600x1000x24' .ci/wine/session dist

# Each tool is built from a module of its own, so that none of what it needs is in go.mod.
tool = mkdir -p build/tools-$(notdir $@) && \
	printf 'module tools\n\ngo 1.26\n\ntool $(1)\n\nrequire $(2) $(3)\n' > build/tools-$(notdir $@)/go.mod && \
	cd build/tools-$(notdir $@) && GOFLAGS=-mod=mod $(GO) build -o ../$(notdir $@) $(1)

build/nfpm:
	$(call tool,github.com/goreleaser/nfpm/v2/cmd/nfpm,github.com/goreleaser/nfpm/v2,$(NFPM))

build/cyclonedx-gomod:
	$(call tool,github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod,github.com/CycloneDX/cyclonedx-gomod,$(CYCLONEDX))

build/winres:
	$(call tool,github.com/tc-hib/go-winres,github.com/tc-hib/go-winres,$(WINRES))

build/fyne:
	$(call tool,fyne.io/tools/cmd/fyne,fyne.io/tools,$(FYNE))

# The documentation as a site, from docs/ by .ci/site.yml; a link that leads nowhere fails the build.
SITE = build/venv-site
site: ## the documentation as a site, in build/site
	[ -e $(SITE)/ready ] || { rm -rf $(SITE) && python3 -m venv $(SITE) && \
		$(SITE)/bin/python -m pip -q --disable-pip-version-check install mkdocs==1.6.1 mkdocs-material==9.6.14 && touch $(SITE)/ready; }
	$(SITE)/bin/python -B -m mkdocs build -q --strict -f .ci/site.yml
	@echo "build/site/index.html"
