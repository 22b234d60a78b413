#!/bin/sh
# Installs Spandrel and registers its file types; --uninstall takes both back.
# It goes below PREFIX: /usr/local for root and ~/.local for others, unless set. DESTDIR is honoured, for packagers.
set -eu
cd "$(dirname "$0")"

id=org.spandrel.Spandrel
if [ "$(id -u)" = 0 ]; then default=/usr/local; else default=$HOME/.local; fi
prefix=${PREFIX:-$default}
root=${DESTDIR:-}$prefix
bin=$root/bin/spandrel
desktop=$root/share/applications/$id.desktop
mime=$root/share/mime/packages/$id.xml
png=$root/share/icons/hicolor/512x512/apps/$id.png
svg=$root/share/icons/hicolor/scalable/apps/$id.svg

case ${1:-} in
"")
	install -Dm755 spandrel "$bin"
	install -Dm644 $id.desktop "$desktop"
	install -Dm644 $id.xml "$mime"
	install -Dm644 $id.png "$png"
	install -Dm644 $id.svg "$svg"
	# A desktop session need not have PREFIX/bin in its path.
	sed -i "s|^Exec=spandrel|Exec=\"$prefix/bin/spandrel\"|" "$desktop"
	;;
--uninstall)
	rm -f "$bin" "$desktop" "$mime" "$png" "$svg"
	;;
*)
	echo "usage: [PREFIX=DIR] [DESTDIR=DIR] install.sh [--uninstall]" >&2
	exit 2
	;;
esac

[ -z "${DESTDIR:-}" ] || exit 0
refresh() { if command -v "$1" >/dev/null; then "$@"; fi; }
refresh update-mime-database "$root/share/mime"
refresh update-desktop-database "$root/share/applications"
refresh gtk-update-icon-cache -qt "$root/share/icons/hicolor"
