# For .ci/run and .ci/run-background.

# One line per stage: lane, name, seconds and outcome, with tabs in between. Both lanes write to the same file.
stages_file=${CI_STAGES_FILE:?set by .ci/run}
lane=${CI_LANE:-main}

# A limit is two to three times what the stage needs on a slow day: a stage that hangs is named and ended here.
# At a terminal it stays in the foreground, for Ctrl-C; elsewhere all that it has started ends with it.
foreground=()
if [ -t 0 ]; then foreground=(--foreground); fi
stage() {
  local limit_minutes=$1 name=$2 started=$SECONDS outcome=passed
  shift 2
  printf '\n=== %s\n' "$name"
  timeout "${foreground[@]}" --kill-after=60 "${limit_minutes}m" "$@" || outcome=FAILED
  printf '%s\t%s\t%d\t%s\n' "$lane" "$name" $((SECONDS - started)) "$outcome" >>"$stages_file"
  printf '=== %s %s after %d s\n' "$name" "$outcome" $((SECONDS - started))
  [ "$outcome" = passed ] || exit 1
}
