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

# As `docker run --read-only` starts it: its user and its settings, and a root to which nothing can be written except /data.
mount_image() {
  busybox mount -o bind /image /image
  busybox mount -t proc proc /image/proc
  busybox mount -t devtmpfs dev /image/dev
  busybox mkdir /image/dev/shm
  busybox mount -t tmpfs -o mode=1777 shm /image/dev/shm
  busybox mount -t tmpfs -o uid=65532,gid=65532,mode=700 data /image/data
  busybox cp /usr/bin/busybox /start-image /image/dev/
  busybox mount -o remount,bind,ro /image /image
}
start_image() {
  ! busybox touch /image/probe || return 1
  busybox chroot /image /dev/busybox su -s /dev/start-image audiosplit >/tmp/image-log 2>&1 &
  image=$!
  until busybox wget -q -O - http://127.0.0.1:8080/readyz 2>/dev/null; do
    busybox sleep 1
    busybox kill -0 "$image" || break
  done
  busybox cat /tmp/image-log
  busybox grep -E "^Uid:.65532.65532.65532.65532$" "/proc/$image/status"
}
split_by_image() {
  key=$(busybox sed -n 's/^  Key *\([^ ]*\).*/\1/p' /tmp/image-log)
  from_source clients/cli/src/main.ts split "$tour" --every 20 --to ogg --out /tmp/split --server http://127.0.0.1:8080 --key "$key"
}
stop_image() {
  busybox kill -TERM "$image"
  wait "$image"
  code=$?
  busybox tail -n 5 /tmp/image-log
  return "$code"
}
if [ -e /start-image ]; then
  mount_image
  step start start_image
  step split split_by_image
  busybox ls -l /tmp/split
  step stop stop_image
fi
busybox poweroff -f
