#!/bin/sh
# Firefox behind a bridge: playwright-core reads the address to connect to from its output.
"$FIREFOX_PATH" "$@" 2>&1 | while IFS= read -r line; do
  case "$line" in
    *'listening on ws://127.0.0.1:'*) echo "WebDriver BiDi listening on $BIDI_BRIDGE_URL/${line##*:}" ;;
    *) printf '%s\n' "$line" ;;
  esac
done
