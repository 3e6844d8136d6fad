# For .ci/run and .ci/run-background.

# One line per stage: lane, name, seconds and outcome, with tabs in between. Both lanes write to the same file.
stages_file=${CI_STAGES_FILE:?set by .ci/run}
lane=${CI_LANE:-main}

# Ends and names a stage that hangs. The limits are two to three times what a stage needs on a slow day. At a terminal the
# stage stays in the foreground, for Ctrl-C. Elsewhere it is a separate job, so that a signal to this shell ends the stage
# and everything that it has started.
stage_job=
end_stage() {
  [ -z "$stage_job" ] || { kill "$stage_job" && wait "$stage_job"; } 2>/dev/null || true
}
run_limited() {
  if [ -t 0 ]; then
    timeout --foreground --kill-after=60 "$@"
    return
  fi
  set -m
  timeout --kill-after=60 "$@" </dev/null &
  set +m
  stage_job=$!
  local code=0
  wait "$stage_job" || code=$?
  stage_job=
  return $code
}
trap end_stage EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
stage() {
  local limit_minutes=$1 name=$2 started=$SECONDS outcome=passed
  shift 2
  printf '\n=== %s\n' "$name"
  run_limited "${limit_minutes}m" "$@" || outcome=FAILED
  printf '%s\t%s\t%d\t%s\n' "$lane" "$name" $((SECONDS - started)) "$outcome" >>"$stages_file"
  printf '=== %s %s after %d s\n' "$name" "$outcome" $((SECONDS - started))
  [ "$outcome" = passed ] || exit 1
}
