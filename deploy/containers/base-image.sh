#!/usr/bin/env bash
# base-image.sh [TAG]: a Debian with Node and npm for deploy/containers/Dockerfile, made of Debian's packages and npm's where no
# registry of images can be reached. The tag moves to it from one that exists. Needs root, debootstrap, npm and Docker Engine.
set -euo pipefail

readonly node_version=26.10.0
readonly npm_version=12.2.0
readonly suite=trixie
readonly tag=${1:-audiosplit-base:node-$node_version-$suite}

command -v debootstrap >/dev/null || {
  echo 'base-image.sh: debootstrap is missing (apt-get install debootstrap)' >&2
  exit 1
}
case $(uname -m) in
  x86_64) architecture=x64 ;;
  aarch64) architecture=arm64 ;;
  *)
    echo "base-image.sh: no Node for $(uname -m)" >&2
    exit 1
    ;;
esac

work_dir=$(mktemp -d)
trap 'rm -rf "$work_dir"' EXIT
echo "base-image.sh: Debian $suite" >&2
debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 "$suite" "$work_dir/root" http://deb.debian.org/debian >"$work_dir/log" 2>&1 || {
  tail -n 20 "$work_dir/log" >&2
  exit 1
}
cat >"$work_dir/root/etc/apt/sources.list" <<SOURCES
deb http://deb.debian.org/debian $suite main
deb http://deb.debian.org/debian $suite-updates main
deb http://deb.debian.org/debian-security $suite-security main
SOURCES

echo "base-image.sh: Node $node_version, npm $npm_version" >&2
cd "$work_dir"
npm pack --silent "node-linux-$architecture@$node_version" "npm@$npm_version" >/dev/null
mkdir -p root/usr/local/bin root/usr/local/lib/node_modules/npm
tar -xzf "node-linux-$architecture-$node_version.tgz" --strip-components=1 -C root/usr/local package/bin/node
tar -xzf "npm-$npm_version.tgz" --strip-components=1 -C root/usr/local/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js root/usr/local/bin/npm
ln -s ../lib/node_modules/npm/bin/npx-cli.js root/usr/local/bin/npx
chmod 755 root/usr/local/bin/node root/usr/local/lib/node_modules/npm/bin/*-cli.js
rm -rf root/var/cache/apt/archives/*.deb root/var/lib/apt/lists/*

printf '#!/bin/sh\nexit 101\n' >root/usr/sbin/policy-rc.d
chmod 755 root/usr/sbin/policy-rc.d
tar -C root -c . | "${DOCKER:-docker}" import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$tag" >/dev/null
echo "base-image.sh: $tag" >&2
