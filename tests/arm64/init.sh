#!/bin/busybox sh
# The first process of the arm64 machine: one step after the other, each with its exit code and the seconds since the start of the
# kernel, then the machine is switched off.
export PATH=/usr/local/bin:/usr/bin HOME=/tmp NODE_DISABLE_COLORS=1
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
busybox chmod 1777 /tmp
busybox ip link set lo up
cd /app

step() {
  name=$1
  shift
  # By way of a file: at a terminal, programs redraw their lines.
  "$@" >/tmp/log 2>&1
  code=$?
  busybox cat /tmp/log
  read -r seconds _ </proc/uptime
  echo "audiosplit: $name: exit code $code at $seconds s"
}
from_source() { node --conditions=audiosplit-source --disable-warning=ExperimentalWarning "$@"; }
tour=deploy/embedded/samples/tour.mp3

step boot busybox uname -srm
step sandbox from_source --test-reporter=tap clients/engine/suites/sandbox/attempts.test.ts
step copy from_source clients/cli/src/main.ts cut "$tour" --every 20 -o /tmp/copied
# ffmpeg decodes in the sandbox.
step convert from_source clients/cli/src/main.ts cut "$tour" --every 20 --to wav -o /tmp/converted
busybox ls -l /tmp/copied /tmp/converted
busybox poweroff -f
