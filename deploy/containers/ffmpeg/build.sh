#!/usr/bin/env bash
# Builds the ffmpeg of the splitting engine: audio only, static, from Debian's source package.
#
#   build.sh            prints the binary's path; builds only where this recipe has not been built yet
#   build.sh --update   asks Debian first, and builds where the source package or a library is a newer one
#   build.sh --architecture arm64   compiles for that processor on another one; with or without --update
#
# Beside the binary lies `packages`: a line for each Debian package that has gone into it.
#
# Needs Debian 12 or newer with build-essential, dpkg-dev and pkg-config; for another processor Debian 13 and its compiler
# for that one (gcc-aarch64-linux-gnu for arm64); no root. apt works on lists and
# folders of its own here, and the libraries are unpacked instead of installed, so the host stays as it is.
# apt verifies every download against Debian's archive keyring.
set -euo pipefail

readonly recipe_path="${BASH_SOURCE[0]}"
readonly cache_dir="${XDG_CACHE_HOME:-$HOME/.cache}/audiosplit"

# The demuxers are those of clients/engine/src/ffmpeg/demuxers.ts, and raw PCM for the encoders' input.
# None of them opens a second file: no hls, dash, concat, sdp, image2, lavfi.
readonly demuxers=(
  mp3 wav w64 flac ogg mov aac matroska aiff asf amr ac3 eac3 caf wv mpegts mpegps flv avi au tta
  ape mpc mpc8 dsf iff
  pcm_u8 pcm_s16le pcm_s24le pcm_s32le pcm_f32le pcm_f64le
)
readonly decoders=(
  mp3float mp3 mp2float mp2 mp1float mp1
  aac aac_latm alac flac vorbis opus speex
  wmav1 wmav2 wmapro wmalossless wmavoice
  amrnb amrwb ac3 eac3 dca mlp truehd wavpack tta nellymoser
  ape mpc7 mpc8 dsd_lsbf dsd_lsbf_planar dsd_msbf dsd_msbf_planar dst
  pcm_u8 pcm_s8 pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be
  pcm_f32le pcm_f32be pcm_f64le pcm_f64be pcm_alaw pcm_mulaw pcm_dvd pcm_bluray pcm_u16le pcm_u24le pcm_u32le
  adpcm_ms adpcm_ima_wav adpcm_ima_qt adpcm_swf adpcm_yamaha adpcm_g722 adpcm_g726 gsm gsm_ms qdm2 qdmc
)
readonly parsers=(aac aac_latm ac3 amr dca flac gsm mlp mpegaudio opus vorbis)
readonly encoders=(
  libmp3lame libvorbis libopus flac aac pcm_u8 pcm_s16le pcm_s24le pcm_s32le pcm_f32le pcm_f64le
)
readonly muxers=(mp3 flac ogg opus ipod wav ffmetadata null matroska mpegts)
readonly filters=(aresample aformat anull pan volume ebur128)
readonly libraries=(libmp3lame-dev libvorbis-dev libogg-dev libopus-dev zlib1g-dev)

fail() {
  echo "build.sh: $*" >&2
  exit 1
}

# The newest binary that exactly this recipe made.
find_built() {
  local marker
  while read -r marker; do
    if [[ $(cat "$marker") == "$recipe_sum" && -x ${marker%/*}/ffmpeg ]]; then
      echo "${marker%/*}/ffmpeg"
      return
    fi
  done < <(find "$cache_dir" -mindepth 2 -maxdepth 2 -path '*/ffmpeg-*/recipe.sha256' 2>/dev/null | sort -rV)
  return 1
}

require_host() {
  local tool packages='build-essential dpkg-dev pkg-config'
  for tool in apt-get dpkg-deb dpkg-source dpkg-architecture gcc make pkg-config; do
    command -v "$tool" >/dev/null || fail "$tool is missing (apt-get install $packages)"
  done
  [[ $architecture == "$own_architecture" ]] || tools=$(dpkg-architecture -a "$architecture" -q DEB_HOST_GNU_TYPE 2>/dev/null)-
  command -v "${tools}gcc" >/dev/null || fail "${tools}gcc is missing (apt-get install gcc-${tools%-})"
  # shellcheck source=/dev/null
  suite=$(. /etc/os-release && [[ $ID == debian ]] && echo "$VERSION_CODENAME") || fail 'this is no Debian'
}

# apt with its own source list, index and download folders; proxies and the like stay the host's.
prepare_apt() {
  mkdir -p "$work_dir"/apt/{sources,lists/partial,archives/partial}
  cat >"$work_dir/apt/sources/debian.sources" <<SOURCES
Types: deb deb-src
URIs: http://deb.debian.org/debian
Suites: $suite $suite-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb deb-src
URIs: http://deb.debian.org/debian-security
Suites: $suite-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  apt_options=(
    -qq
    -o "Dir::Etc::sourcelist=/dev/null"
    -o "Dir::Etc::sourceparts=$work_dir/apt/sources"
    -o "Dir::State::lists=$work_dir/apt/lists"
    -o "Dir::Cache=$work_dir/apt"
    -o "APT::Sandbox::User=$(id -un)"
    -o "Acquire::Languages=none"
    -o "APT::Architectures::=$own_architecture"
    -o "APT::Architectures::=$architecture"
  )
  apt-get "${apt_options[@]}" update
}

newest_version() {
  local version
  version=$(apt-cache "${apt_options[@]}" showsrc --only-source ffmpeg | sed -n 's/^Version: //p' | sort -V | tail -n 1)
  [[ -n $version ]] || fail 'Debian offers no ffmpeg source package'
  echo "$version"
}

unpack_libraries() {
  local packages=("${libraries[@]/%/:$architecture}") package
  case $architecture in
    amd64 | i386) packages+=(nasm) ;;
  esac
  # The C library that is installed with a compiler for another processor lacks Debian's security updates.
  [[ -z $tools ]] || packages+=("libc6-dev:$architecture" linux-libc-dev)
  mkdir "$work_dir/packages" "$work_dir/root"
  (cd "$work_dir/packages" && apt-get "${apt_options[@]}" download "${packages[@]}")
  for package in "$work_dir"/packages/*.deb; do
    dpkg-deb -x "$package" "$work_dir/root"
  done
  # Only archives may be linked: the shared libraries' names would win otherwise.
  find "$work_dir/root/usr/lib" -name '*.so' -delete
}

# What the binary is made of, each by package, version, architecture, source package and its version; tabs in between.
list_packages() {
  local format='${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n' package archive owner
  printf '%s\t%s\tsource\t%s\t%s\n' ffmpeg "$version" ffmpeg "$version"
  for package in "${libraries[@]}"; do
    dpkg-deb --show --showformat="$format" "$work_dir/packages/${package}"_*.deb
  done
  # A static program has the C library in it, and the compiler's own.
  local installed=(libc.a libgcc.a)
  if [[ -n $tools ]]; then
    dpkg-deb --show --showformat="$format" "$work_dir"/packages/libc6-dev_*.deb
    installed=(libgcc.a)
  fi
  for archive in "${installed[@]}"; do
    owner=$(dpkg --search "$(realpath "$("${tools}gcc" -print-file-name="$archive")")") || fail "no package has $archive"
    dpkg-query --show --showformat="$format" "${owner%%: *}"
  done
}

joined() {
  local IFS=,
  echo "$*"
}

configure_and_make() {
  local root="$work_dir/root" library_dir cross=()
  library_dir="$root/usr/lib/$("${tools}gcc" -print-multiarch)"
  export PATH="$root/usr/bin:$PATH"
  export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_LIBDIR="$library_dir/pkgconfig"
  # -B: the compiler has start files of its own, which come before those of a sysroot.
  [[ -z $tools ]] || cross=(
    --enable-cross-compile --cross-prefix="$tools" --pkg-config=pkg-config
    --target-os=linux --arch="$(dpkg-architecture -a "$architecture" -q DEB_HOST_GNU_CPU 2>/dev/null)"
    --sysroot="$root" --extra-ldflags="-B$library_dir"
  )
  # dpkg's hardening, and a static binary whose addresses are still randomised.
  ./configure "${cross[@]}" \
    --disable-everything --disable-autodetect --disable-network --disable-doc --disable-debug \
    --disable-avdevice --disable-swscale --disable-postproc --disable-ffplay --disable-ffprobe \
    --disable-iconv --enable-pic --enable-zlib \
    --enable-libmp3lame --enable-libvorbis --enable-libopus \
    --enable-protocol=file,pipe \
    --enable-demuxer="$(joined "${demuxers[@]}")" --enable-decoder="$(joined "${decoders[@]}")" \
    --enable-parser="$(joined "${parsers[@]}")" --enable-encoder="$(joined "${encoders[@]}")" \
    --enable-muxer="$(joined "${muxers[@]}")" --enable-filter="$(joined "${filters[@]}")" \
    --pkg-config-flags=--static \
    --extra-cflags="-I$root/usr/include -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$work_dir=." \
    --extra-ldflags="-L$library_dir -Wl,-z,relro,-z,now" \
    --extra-ldexeflags=-static-pie \
    >"$work_dir/log" 2>&1 || { tail -n 20 "$work_dir/log" ffbuild/config.log >&2; fail 'configure failed'; }
  # The command line is part of `ffmpeg -version`: the build's options, without this run's folders.
  sed -i "s|$work_dir|.|g" config.h
  make -j "$(nproc)" ffmpeg >>"$work_dir/log" 2>&1 || { tail -n 40 "$work_dir/log" >&2; fail 'make failed'; }
}

main() {
  local update='' version target_dir
  own_architecture=$(dpkg --print-architecture)
  architecture=$own_architecture
  # The prefix of the cross compiler's programs; empty for this processor.
  tools=
  while (($# > 0)); do
    case $1 in
      --update) update=yes ;;
      --architecture) shift && architecture=${1:?} ;;
      *) fail 'usage: build.sh [--update] [--architecture ARCHITECTURE]' ;;
    esac
    shift
  done
  recipe_sum="$(sha256sum "$recipe_path" | cut -d ' ' -f 1) $architecture"
  if [[ -z $update ]] && find_built; then return; fi

  require_host
  mkdir -p "$cache_dir"
  work_dir=$(mktemp -d "$cache_dir/build-ffmpeg.XXXXXX")
  trap 'rm -rf "$work_dir"' EXIT
  prepare_apt
  version=$(newest_version)
  target_dir="$cache_dir/ffmpeg-${version#*:}-$architecture"
  unpack_libraries
  mkdir "$work_dir/built"
  echo "$recipe_sum" >"$work_dir/built/recipe.sha256"
  list_packages >"$work_dir/built/packages"
  if ! diff -q --exclude=ffmpeg "$work_dir/built" "$target_dir" >/dev/null 2>&1; then
    echo "building ffmpeg $version" >&2
    mkdir "$work_dir/source"
    cd "$work_dir/source"
    apt-get "${apt_options[@]}" source --only-source ffmpeg >"$work_dir/log" 2>&1 || fail "$(tail "$work_dir/log")"
    cd ffmpeg-*/
    configure_and_make
    install -s --strip-program="${tools}strip" -m 755 ffmpeg "$work_dir/built/ffmpeg"
    # Another processor's program does not run here.
    [[ -n $tools ]] || "$work_dir/built/ffmpeg" -version >/dev/null
    rm -rf "$target_dir"
    mv "$work_dir/built" "$target_dir"
    echo "built in $SECONDS s, $(stat -c %s "$target_dir/ffmpeg") bytes" >&2
  fi
  echo "$target_dir/ffmpeg"
}

main "$@"
