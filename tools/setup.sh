#!/usr/bin/env bash
# The set-up behind the Makefile. Installs Debian packages where it may (as root, or with sudo that asks no
# password); elsewhere it names what is missing and what goes without.
#   setup.sh venv         .venv with pip and the build tools
#   setup.sh core         the package, editable, with its compiled core
#   setup.sh tests        linters and test libraries
#   setup.sh node STAMP   the npm packages of tests/node; STAMP is touched when they are there
#   setup.sh arm          the cross-compiler and emulator with which the core's tests run for 64-bit ARM
#   setup.sh verify       the model checkers and the sanitizer that the publisher is proved with
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
venv_python=.venv/bin/python

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

# Installs Debian packages, or returns 1 where that is not allowed.
install_packages() {
    may_install || return 1
    say "installing Debian packages: $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

has_python() { "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
has_headers() {
    "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}
has_compiler() { command -v "${CXX:-c++}" >/dev/null; }
has_arm() { command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; }
# Each by what it is for: a package can be there without its runtime.
has_spin() { command -v spin >/dev/null && gcc -x c - -o /dev/null <<<'int main(void) { return 0; }' 2>/dev/null; }
has_relacy() { g++ -std=c++98 -fsyntax-only -w -x c++ - <<<'#include <relacy/relacy_std.hpp>' 2>/dev/null; }
has_sanitizer() { clang++-19 -fsanitize=thread -x c++ - -o /dev/null <<<'int main() { return 0; }' 2>/dev/null; }
has_node() { command -v node >/dev/null && command -v npm >/dev/null; }

system_for_build() {
    local packages=()
    command -v "$python" >/dev/null || packages+=(python3)
    has_venv || packages+=(python3-venv)
    has_headers || packages+=(python3-dev)
    has_compiler || packages+=(g++)
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}" || die "missing: ${packages[*]}.
    Without them nothing can be built. As root: apt-get update && apt-get install ${packages[*]}"
    has_python || die "$python is older than 3.11 or does not run. Name a newer one: make PYTHON=python3.12 …"
    has_venv || die "$python cannot make virtual environments (its modules venv and ensurepip are missing)."
    has_headers || die "$python has no C headers (Python.h). Install the development package of that Python."
    has_compiler || die "no C++ compiler: ${CXX:-c++} does not run. Install g++ or name one: make CXX=clang++ …"
}

case "${1:-}" in
venv)
    system_for_build
    "$venv_python" -c '' 2>/dev/null || { say "making .venv"; "$python" -m venv --clear .venv; }
    # --group needs pip 25.1; Debian 12's is older.
    "$venv_python" -m pip install -q --upgrade 'pip>=25.1'
    "$venv_python" -m pip install -q --group build
    ;;
core)
    say "building the core and installing the package (editable)"
    "$venv_python" -m pip install -q --no-build-isolation --editable .
    ;;
tests)
    say "installing linters and test libraries"
    "$venv_python" -m pip install -q --group lint --group test
    ;;
node)
    stamp=${2:?setup.sh node STAMP}
    if ! has_node; then
        # Beside another Node.js Debian's npm conflicts: only where there is none at all.
        command -v node >/dev/null || install_packages nodejs npm || true
    fi
    if ! has_node; then
        say "MISSING: node and npm (Debian: nodejs npm). The tests marked 'node' are skipped:"
        say "         no written file is held against the Khronos glTF validator."
        exit 0
    fi
    [ "$stamp" -nt tests/node/package-lock.json ] && exit 0
    say "installing the npm packages of tests/node"
    (cd tests/node && npm ci --no-audit --no-fund --loglevel=error)
    touch "$stamp"
    ;;
arm)
    has_arm || install_packages g++-aarch64-linux-gnu qemu-user || true
    has_arm || die "missing: g++-aarch64-linux-gnu qemu-user.
    Without them the kernels for 64-bit ARM are not tried. As root: apt-get update && apt-get install g++-aarch64-linux-gnu qemu-user"
    ;;
verify)
    packages=()
    has_spin || packages+=(spin gcc)
    has_relacy || packages+=(relacy-dev g++)
    has_sanitizer || packages+=(clang-19 libclang-rt-19-dev)
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}" || true
    { has_spin && has_relacy && has_sanitizer; } || die "missing: ${packages[*]}.
    Without them the publisher is not proved. As root: apt-get update && apt-get install ${packages[*]}"
    ;;
*)
    die "usage: setup.sh venv | core | tests | node STAMP | arm | verify"
    ;;
esac
