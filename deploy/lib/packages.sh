# shellcheck shell=bash
# Debian's packages that Racha builds on, and the Swift toolchain.

# Headers of the C libraries behind Shared/CZeroMQ, CSodium, CGD, GRDB and CCurl; curl asks /readyz.
packages_run=(ca-certificates curl libcurl4-openssl-dev libgd-dev libsodium-dev libsqlite3-dev libzmq3-dev)
packages_test=(python3 python3-venv)
packages_bench=(wrk)

# packages_require PACKAGE...: installs those that are missing. Without the right to: prints the command, exit 1.
packages_require() {
  if ! command -v dpkg-query >/dev/null; then
    say "This system has no dpkg; needed here under Debian's names: $*"
    return
  fi
  local package missing=() prefix=()
  for package in "$@"; do
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0

  local -r refresh=(apt-get update) install=(apt-get install --yes --no-install-recommends "${missing[@]}")
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -z ${CI:-} ]]; }; then
      prefix=(sudo)
    else
      fail "these packages are missing: ${missing[*]}" "run as root: ${refresh[*]} && ${install[*]}"
    fi
  fi
  say "Installing Debian packages: ${missing[*]}"
  # The lists may be absent or old, and only now do they matter.
  "${prefix[@]}" "${refresh[@]}" -qq </dev/null >&2 || say "racha: apt-get update failed; trying with the lists there are"
  "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -qq </dev/null >&2 || fail "could not install: ${missing[*]}"
}

swift_require() {
  command -v swift >/dev/null || fail "Swift is not installed, or not in PATH: https://www.swift.org/install"
}
