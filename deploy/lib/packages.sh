# shellcheck shell=bash
# Debian's packages that Racha builds on, and the Swift toolchain.

# What the toolchain of swift.org cannot run, fetch packages and link without; libcurl and libsqlite3, too, which come with their headers.
packages_swift=(binutils git libncurses6 libstdc++-12-dev libxml2 tzdata)
# Headers of the C libraries behind Shared/CArchive, CCurl, CMaxMind, CPNG, CSodium, CTurboJPEG, CWebP, CXML2, CZeroMQ and GRDB, and of the zlib that
# SwiftNIO links; pkgconf says where libxml2 has its headers; curl asks /readyz.
packages_run=(
  ca-certificates curl libarchive-dev libcurl4-openssl-dev libmaxminddb-dev libpng-dev libsodium-dev libsqlite3-dev libturbojpeg0-dev libwebp-dev libxml2-dev
  libzmq3-dev pkgconf zlib1g-dev)
packages_test=(openssl python3 python3-venv)
packages_bench=(wrk)

# packages_require PACKAGE...: installs those that are missing. Without the right to: prints the command, exit 1.
packages_require() {
  if ! command -v dpkg-query >/dev/null; then
    say "This system has no dpkg; needed here under Debian's names: $*"
    return
  fi
  local package installed missing=() prefix=()
  # It fails where it knows one of them not at all.
  installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || :
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0

  local -r refresh=(apt-get update -o APT::Update::Error-Mode=any) install=(apt-get install --yes --no-install-recommends "${missing[@]}")
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -z ${CI:-} ]]; }; then
      prefix=(sudo)
    else
      fail "these packages are missing: ${missing[*]}" "run as root: apt-get update && ${install[*]}"
    fi
  fi
  say "Installing Debian packages: ${missing[*]}"
  # The lists may be absent or old, and only now do they matter.
  "${prefix[@]}" "${refresh[@]}" -qq </dev/null >&2 || say "racha: apt-get update failed; trying with the present lists"
  "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -qq </dev/null >&2 || fail \
    "could not install: ${missing[*]}" "apt-get says why above; it needs the network and Debian's package sources"
}

# The version that Racha is built and tested with, or a later one.
swift_oldest=6.3

# Only whether there is one: it may not run before its packages are there.
swift_find() {
  command -v swift >/dev/null || fail "Swift is not installed, or not in PATH: https://www.swift.org/install" \
    "Racha needs Swift $swift_oldest or later"
}

# Sets `swift_version`, the line in which it prints its version.
swift_require() {
  local said version
  swift_find
  said=$(swift --version 2>&1 </dev/null) || fail "Swift does not run: $said"
  [[ $said =~ Swift\ version\ ([0-9]+\.[0-9]+) ]] || fail "Swift does not print its version: $said"
  version=${BASH_REMATCH[1]}
  swift_version=${said%%$'\n'*}
  printf '%s\n' "$swift_oldest" "$version" | sort --version-sort --check=silent || fail \
    "Swift $version is too old: Racha needs $swift_oldest or later: https://www.swift.org/install" "found: $(command -v swift)"
}
