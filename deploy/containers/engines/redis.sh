#!/bin/sh
# As the official image: reachable from other containers, without a password, unless the command says more.
set -eu
[ "$1" = redis-server ] && set -- "$@" --protected-mode no
exec "$@"
