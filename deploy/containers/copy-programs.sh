#!/bin/sh
# copy-programs.sh ROOT PROGRAM…: copies programs with the shared libraries they link into another root. One that lies in it
# already gets its libraries.
set -eu
root=$1
shift
for program; do
  for file in "$program" $(ldd "$program" | sed -n 's/.*\(\(=> \)\|^[[:space:]]\)\(\/[^ ]*\) .*/\3/p'); do
    case "$file" in "$root"/*) continue ;; esac
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
done
