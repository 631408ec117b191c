# shellcheck shell=bash
# The release build that every cluster runs from.

# Swift's runtime is linked in: a call of it costs less than one into a shared library, and the start looks up no symbols. Without debug
# information the build is shorter and the programs much smaller; a crash's backtrace names its functions all the same.
release_flags=(--configuration release --static-swift-stdlib -debug-info-format none)

# LLVM's linker, which comes with Swift, is faster than GNU's and leaves out more: functions nobody calls (each has a section of its own), all but one
# of equal ones, and the names of all functions for programs that would load this one. What is not there is not in memory either.
release_flags+=(
  -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=safe -Xlinker --no-export-dynamic)

# Since Glibc 2.36 the places where a program's own addresses stand need not be a list 50 times as long.
if printf '%s\n' "glibc 2.36" "$(getconf GNU_LIBC_VERSION)" | sort --version-sort --check=silent; then
  release_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

build_release() {
  swift build --package-path "$root" "${release_flags[@]}" </dev/null >&2
}

# Sets `bin`, the folder of the executables: $RACHA_BIN as it is, or this project's, built.
build_cluster() {
  if [[ -n ${RACHA_BIN:-} ]]; then
    bin=$(realpath --canonicalize-missing -- "$RACHA_BIN")
    packages_require curl
  else
    swift_find
    packages_require "${packages_swift[@]}" "${packages_run[@]}"
    swift_require
    build_release || fail "the build failed"
    bin=$root/.build/release
  fi
  local service
  for service in "${services[@]}"; do
    [[ -x $bin/$service ]] || fail "there is no executable $bin/$service"
  done
}
