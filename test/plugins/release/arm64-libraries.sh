#!/usr/bin/env bash
# Unpacks Debian's libraries for arm64 that the executable for linux-arm64 needs, into dist/arm64: nothing is installed.
# Their signatures are checked with the keys of this system.
set -eu
cd "$(dirname "$0")/../../.."
target=$PWD/dist/arm64
[ -e "$target/lib/ld-linux-aarch64.so.1" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,archives/partial,packages}
touch "$work/status"
options=(-q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root
  -o "Dir::State::lists=$work/lists" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work")
apt-get "${options[@]}" update > /dev/null
(cd "$work/packages" && apt-get "${options[@]}" download libc6 libgcc-s1 libstdc++6 > /dev/null)
mkdir -p "$target.$$"
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$target.$$"; done
mv -T "$target.$$" "$target"
