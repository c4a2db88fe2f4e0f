#!/usr/bin/env bash
# The core's own tests, without Python: every warning is an error, and no test at all is one too.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/core-tests
log=$build/build.log
mkdir -p "$build"
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSKINPROOF_TESTS=ON -DSKINPROOF_WERROR=ON &&
    cmake --build "$build"
} >"$log" 2>&1 || { cat "$log"; exit 1; }
ctest --test-dir "$build" --output-on-failure --no-tests=error
