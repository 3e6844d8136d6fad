#!/bin/sh
# POSTGRES_PASSWORD or POSTGRES_PASSWORD_FILE, POSTGRES_DB, PGDATA and the first start's making of the database, as the
# official image has them. Started as root, it gives itself to postgres first; started as postgres (999), it needs no rights
# at all.
set -eu
mkdir -p "$PGDATA"
if [ "$(id -u)" = 0 ]; then
  chown -R postgres:postgres "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  password=${POSTGRES_PASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE")}
  password_file=$(mktemp)
  printf '%s' "$password" >"$password_file"
  initdb --pgdata="$PGDATA" --encoding=UTF8 --auth=scram-sha-256 --pwfile="$password_file" >/dev/null
  rm "$password_file"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses='' -k /tmp" --wait start >/dev/null
  PGPASSWORD=$password createdb --host=/tmp "$POSTGRES_DB"
  pg_ctl --pgdata="$PGDATA" --wait stop >/dev/null
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -k /tmp "$@"
