#!/bin/sh
# Installs Spandrel and registers its file types; --uninstall takes both back.
# It goes below PREFIX: /usr/local for root and ~/.local for others, unless set. DESTDIR is honoured, for packagers.
set -eu
cd "$(dirname "$0")"

if [ "$(id -u)" = 0 ]; then default=/usr/local; else default=$HOME/.local; fi
prefix=${PREFIX:-$default}
root=${DESTDIR:-}$prefix

case ${1:-} in
"")
	(cd usr && find . -type f) | while read -r f; do
		mode=644
		case $f in ./bin/*) mode=755 ;; esac
		install -Dm$mode "usr/$f" "$root/$f"
	done
	# A desktop session need not have PREFIX/bin in its path.
	sed -i "s|^Exec=spandrel|Exec=\"$prefix/bin/spandrel\"|" "$root"/share/applications/*Spandrel.desktop
	;;
--uninstall)
	(cd usr && find . -type f) | while read -r f; do rm -f "$root/$f"; done
	rmdir "$root/share/doc/spandrel" 2>/dev/null || true
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
