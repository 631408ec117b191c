# shellcheck shell=bash
# The release build that every cluster runs from.

# The runtime is linked in: a service starts in half the time and needs no Swift on the machine it runs on.
release_flags=(--configuration release --static-swift-stdlib)

build_release() {
  swift build --package-path "$root" "${release_flags[@]}" </dev/null >&2
}

# Sets `bin`, the folder of the executables: $RACHA_BIN as it is, or this project's, built.
build_cluster() {
  if [[ -n ${RACHA_BIN:-} ]]; then
    bin=$(realpath --canonicalize-missing -- "$RACHA_BIN")
    packages_require curl
  else
    packages_require "${packages_run[@]}"
    swift_require
    build_release || fail "the build failed"
    bin=$root/.build/release
  fi
  local service
  for service in "${services[@]}"; do
    [[ -x $bin/$service ]] || fail "there is no executable $bin/$service"
  done
}
