#!/bin/sh
# Installs Perdiem for the user who runs this, without root: the program into ~/.local/bin; where it has a window, its icon
# and entry in the menu; where systemd runs, a unit for a gateway without a window, which stays off until it is enabled.
# Running it again puts the newer version in place. uninstall.sh takes all of it away again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$HOME/.local/bin
data=${XDG_DATA_HOME:-$HOME/.local/share}
units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user

if [ "$(id -u)" = 0 ] && [ -z "${PERDIEM_INSTALL_ROOT_OK:-}" ]; then
  echo "Run this as the user who will use Perdiem, not as root. (PERDIEM_INSTALL_ROOT_OK=1 if root is that user.)" >&2
  exit 1
fi
if ! "$here/perdiem" --version >/dev/null 2>&1; then
  echo "This program does not start here:" >&2
  "$here/perdiem" --version >&2 || true
  if [ -d "$here/share" ]; then
    echo "Its window needs some libraries. On Debian and Ubuntu:" >&2
    echo "  sudo apt-get install libgl1 libx11-6 libxcursor1 libxrandr2 libxinerama1 libxi6 libxxf86vm1" >&2
    echo "On a machine without a screen, take the archive that is named headless." >&2
  fi
  exit 1
fi

mkdir -p "$bin" "$data/perdiem"
# Written beside it and renamed: a program that runs is not overwritten, and goes on.
cp "$here/perdiem" "$bin/.perdiem.new"
chmod 755 "$bin/.perdiem.new"
mv "$bin/.perdiem.new" "$bin/perdiem"
cp "$here/uninstall.sh" "$here/LICENSE" "$here/THIRD-PARTY-LICENCES.txt" "$data/perdiem/"

if [ -d "$here/share" ]; then
  mkdir -p "$data/applications" "$data/icons"
  cp -R "$here/share/icons/." "$data/icons/"
  sed "s|^Exec=.*|Exec=\"$bin/perdiem\"|" "$here/share/applications/app.perdiem.desktop" >"$data/applications/app.perdiem.desktop"
  if command -v update-desktop-database >/dev/null 2>&1; then update-desktop-database -q "$data/applications" || true; fi
fi
mkdir -p "$units"
cp "$here/systemd/perdiem.service" "$units/perdiem.service"
if command -v systemctl >/dev/null 2>&1; then systemctl --user daemon-reload 2>/dev/null || true; fi

echo "Installed $("$bin/perdiem" --version 2>/dev/null) as $bin/perdiem"
case ":$PATH:" in
*":$bin:"*) ;;
*) echo "$bin is not on your PATH: add it, or call the program by that name." ;;
esac
[ ! -d "$here/share" ] || echo "Start it from your menu of programs, or by: perdiem"
echo "To serve without a window, now and after each start of the machine:"
echo "  systemctl --user enable --now perdiem"
echo "  sudo loginctl enable-linger $(id -un)     # also while you are not logged in"
echo "  systemctl --user status perdiem           # whether it serves, and where"
echo "To remove it: $data/perdiem/uninstall.sh"
