# For .ci/run.

# Prints a table of the stages that have ended, and writes it to results/ci.json. Names of stages must not contain quotes.
report_stages() {
  printf '\n%7s  %-10s  %s\n' seconds lane stage
  awk -F '\t' '{ printf "%7d  %-10s  %s%s\n", $3, $1, $2, $4 == "passed" ? "" : " FAILED" }' "$CI_STAGES_FILE"
  printf '%7d  %-10s  %s\n' "$SECONDS" '' 'in all'
  mkdir -p results
  awk -F '\t' -v total="$SECONDS" '
    BEGIN { printf "{\n  \"seconds\": %d,\n  \"stages\": [", total }
    {
      printf "%s\n    { \"lane\": \"%s\", \"name\": \"%s\", \"seconds\": %d, \"passed\": %s }",
        NR == 1 ? "" : ",", $1, $2, $3, $4 == "passed" ? "true" : "false"
    }
    END { print "\n  ]\n}" }
  ' "$CI_STAGES_FILE" >results/ci.json
}
