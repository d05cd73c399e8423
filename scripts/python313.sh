#!/usr/bin/env bash
# Prints the path of a CPython that NeMo Gym 0.7 accepts (3.13.14 or newer, not 3.14); progress is on stderr.
#
# It tries, in order: PATH, the Python of an earlier build, uv (installed or downloaded), and a build from Debian's
# source package, which needs root (it never asks for it) and two to four minutes. If all fail, it prints the reason and
# exits with 1.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gymgen
home=$cache/python313
say() { echo "python313: $*" >&2; }

# Gym's servers need a Python outside a venv, so a venv's python3.13 is replaced by its base.
base_of() {
  "$1" -I -c 'import os, sys
if (3, 13, 14) <= sys.version_info[:3] < (3, 14) and sys.implementation.name == "cpython":
    print(os.path.join(sys.base_prefix, "bin", "python3.13"))' 2>/dev/null
}

answer_if_accepted() {
  local base
  base=$(base_of "$1") && [ -x "$base" ] || return 1
  echo "$base"
  exit 0
}

from_path_and_cache() {
  local candidate
  while IFS= read -r candidate; do
    answer_if_accepted "$candidate" || true
  done < <(type -ap python3.13 python3 python || true; echo "$home/bin/python3.13")
}

from_uv() {
  local uv=${UV:-$(command -v uv || true)}
  [ -n "$uv" ] || return 0
  local find=("$uv" python find --no-project --managed-python --no-python-downloads '>=3.13.14,<3.14') found
  if found=$("${find[@]}" 2>/dev/null); then answer_if_accepted "$found" || true; fi
  [ "${UV_PYTHON_DOWNLOADS:-}" = never ] && return 0
  say "no CPython 3.13.14 or newer on PATH; asking uv for one"
  # Without network access, uv retries for minutes.
  timeout 180 "$uv" python install 3.13 >&2 || say "uv cannot download one"
  if found=$("${find[@]}" 2>/dev/null); then answer_if_accepted "$found" || true; fi
}

# Debian's archive has the source of every Python that it packages, so any machine that can install packages can get it.
fetch_source() {
  local mirror
  mirror=$(sed -nE 's/^(URIs:|deb) *(\[[^]]*\] *)?([a-z]+:[^ ]*debian\/?)( .*)?$/\3/p' \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | head -1 || true)
  [ -n "$mirror" ] || { say "apt names no Debian mirror to take the source from"; return 1; }
  mkdir -p "$work/lists/partial"
  local apt=(-qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root) suite
  for suite in trixie forky sid; do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$work/sources.list"
    apt-get "${apt[@]}" update >&2 || continue
    (cd "$work" && apt-get "${apt[@]}" source --download-only python3.13 >&2) || continue
    tarball=$(find "$work" -name 'python3.13_3.13.*.orig.tar.*z' | sort -V | tail -1)
    [[ $tarball =~ _3\.13\.([0-9]+) ]] && ((BASH_REMATCH[1] >= 14)) && return 0
  done
  say "Debian's archive has no python3.13 of 3.13.14 or newer"
  return 1
}

install_build_packages() {
  local wanted=(build-essential xz-utils libssl-dev libffi-dev zlib1g-dev libbz2-dev liblzma-dev libsqlite3-dev
    libreadline-dev) missing=() package
  for package in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  say "installing the system packages ${missing[*]}"
  local install=(apt-get -qq install -y --no-install-recommends "${missing[@]}")
  "${install[@]}" >&2 || { apt-get -qq update >&2 && "${install[@]}" >&2; }
}

build() {
  say "building $(basename "$tarball") into $home (a few minutes)"
  mkdir -p "$work/source"
  tar xf "$tarball" -C "$work/source" --strip-components 1
  cd "$work/source"
  # Installed elsewhere and moved into place, so that an interrupted build leaves nothing that looks like a Python.
  { ./configure --prefix="$home" --disable-test-modules && make -j"$(nproc)" && make install DESTDIR="$work/stage"; } \
    >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; return 1; }
  "$work/source/python" -c 'import bz2, ctypes, lzma, sqlite3, ssl, zlib' || return 1
  rm -rf "$home"
  mv "$work/stage$home" "$home"
}

from_path_and_cache
from_uv
command -v apt-get >/dev/null || { say "no CPython 3.13.14 or newer here; install one, for example with: uv python install 3.13"; exit 1; }
[ "$(id -u)" = 0 ] || { say "no CPython 3.13.14 or newer here, and building one needs root; install one and put it on PATH"; exit 1; }
mkdir -p "$cache"
exec 9>"$cache/python313.lock"
flock 9 # a second call waits for the first one's build
from_path_and_cache
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch_source
install_build_packages
build
answer_if_accepted "$home/bin/python3.13" || { say "NeMo Gym does not accept the Python that was built"; exit 1; }
