#!/bin/sh
# copy-programs.sh ROOT PROGRAM…: copies programs with the shared libraries that they link into another root.
# If a program is already in ROOT, only its libraries are copied.
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
