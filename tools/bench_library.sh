#!/usr/bin/env bash
# Builds what the benchmark compares the kernels with (bench/native) into build/bench.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/bench
log=$build/build.log
mkdir -p "$build"
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSKINPROOF_BENCH=ON &&
    cmake --build "$build" --target skinproof_bench
} >"$log" 2>&1 || { cat "$log"; exit 1; }
