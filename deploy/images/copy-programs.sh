#!/bin/sh
# copy-programs.sh ROOT PROGRAM…: copies programs with the shared libraries they link into another root.
set -eu
root=$1
shift
for program; do
  for file in "$program" $(ldd "$program" | sed -n 's/.*\(\(=> \)\|^[[:space:]]\)\(\/[^ ]*\) .*/\3/p'); do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
done
