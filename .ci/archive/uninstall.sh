#!/bin/sh
# Takes away what install.sh put in place, for the user who runs this. Your books stay, unless --data is given.
set -eu
bin=$HOME/.local/bin
data=${XDG_DATA_HOME:-$HOME/.local/share}
config=${XDG_CONFIG_HOME:-$HOME/.config}

if command -v systemctl >/dev/null 2>&1; then systemctl --user disable --now perdiem 2>/dev/null || true; fi
rm -f "$bin/perdiem" "$data/applications/app.perdiem.desktop" "$config/systemd/user/perdiem.service"
rm -f "$data/icons/hicolor/scalable/apps/app.perdiem.svg" "$data/icons/hicolor/512x512/apps/app.perdiem.png"
rm -rf "$data/perdiem"
if command -v systemctl >/dev/null 2>&1; then systemctl --user daemon-reload 2>/dev/null || true; fi
if command -v update-desktop-database >/dev/null 2>&1; then update-desktop-database -q "$data/applications" 2>/dev/null || true; fi

if [ "${1:-}" = --data ]; then
  rm -rf "$config/Perdiem" "$config/fyne/app.perdiem"
  echo "Removed Perdiem and its books. Keys that you stored are still in your keychain, under the name perdiem."
else
  echo "Removed Perdiem. Your books are still in $config/Perdiem (uninstall.sh --data removes them, too), your keys in your keychain."
fi
