# For .ci/run and .ci/run-beside.

# Each stage has some two to three times what it needs on a slow day: one that hangs is named, before whoever waits for all gives up.
# At a terminal it stays in the foreground, for Ctrl-C; elsewhere all that it has started ends with it.
foreground=()
if [ -t 0 ]; then foreground=(--foreground); fi
stage() {
  local limit_minutes=$1 name=$2 started=$SECONDS
  shift 2
  printf '\n=== %s\n' "$name"
  timeout "${foreground[@]}" --kill-after=60 "${limit_minutes}m" "$@" || { printf '\n=== %s FAILED after %d s\n' "$name" $((SECONDS - started)); exit 1; }
  printf '=== %s passed in %d s\n' "$name" $((SECONDS - started))
}
