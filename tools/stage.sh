#!/usr/bin/env bash
# Runs a command as a named stage and prints how long it took: stage.sh NAME COMMAND…
set -uo pipefail
name=$1
shift
printf '== %s\n' "$name"
SECONDS=0
"$@"
status=$?
if [ $status -eq 0 ]; then outcome=passed; else outcome="FAILED ($status)"; fi
printf '== %s: %s after %d s\n' "$name" "$outcome" "$SECONDS"
exit $status
