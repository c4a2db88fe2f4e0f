#!/usr/bin/env bash
# The core's own tests, without Python: every warning is an error, and no test at all is one too.
#   core_tests.sh            for this machine
#   core_tests.sh aarch64    for 64-bit ARM, cross-compiled and run by an emulator (g++-aarch64-linux-gnu, qemu-user)
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/core-tests
options=()
if [ "${1:-}" = aarch64 ]; then
    build=build/core-tests-aarch64
    options=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
        -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++
        "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu")
fi
log=$build/build.log
mkdir -p "$build"
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSKINPROOF_TESTS=ON -DSKINPROOF_WERROR=ON \
        "${options[@]}" &&
    cmake --build "$build"
} >"$log" 2>&1 || { cat "$log"; exit 1; }
ctest --test-dir "$build" --output-on-failure --no-tests=error
