# shellcheck shell=bash
# The release build that every cluster runs from.

# What a cluster on one machine needs: the six and the launcher's own tool. Everything else is built when it is asked for.
programs_cluster=(gateway identity activity social rewards notifications racha-admin)

# Swift's runtime is linked in: a call of it costs less than one into a shared library, and the start looks up no symbols. Without debug
# information the build is shorter; a crash's backtrace names its functions all the same, from the symbols.
release_flags=(--configuration release --static-swift-stdlib -debug-info-format none)

# LLVM's linker, which comes with Swift, is faster than GNU's and leaves out more: functions nobody calls (each has a section of its own), all but one
# of equal ones, and the names of all functions for programs that would load this one. What is not there is not in memory either.
release_flags+=(
  -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=safe -Xlinker --no-export-dynamic)

# Since Glibc 2.36 the places where a program's own addresses stand need not be a list 50 times as long.
if printf '%s\n' "glibc 2.36" "$(getconf GNU_LIBC_VERSION)" | sort --version-sort --check=silent; then
  release_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

# Where the built programs are run from: stripped, with their symbols beside them.
programs_folder() { printf '%s' "$root/.build/programs"; }

# build_programs [PROGRAM...]: builds what a cluster runs and these, or everything there is, and readies the programs in `programs_folder`.
# Whatever the umask of the launcher, what is built may be read and run by all.
build_programs() (
  umask 022
  local icu program flags=("${release_flags[@]}")
  icu=$(icu_object "$root/.build/icu") || say "The data of ICU in this Swift is not as expected: the programs have all of it, 34 MB each"
  if [[ -n $icu ]]; then flags+=(-Xlinker "--wrap=$(icu_symbol "$icu")" -Xlinker "$icu"); fi
  if (($# == 0)); then
    swift build --package-path "$root" "${flags[@]}" </dev/null >&2 || return 1
    set -- "${programs_cluster[@]}" racha-demo racha-bench racha-bench-hello
  else
    RACHA_BUILD=cluster swift build --package-path "$root" "${flags[@]}" </dev/null >&2 || return 1
    for program in "$@"; do
      [[ " ${programs_cluster[*]} " == *" $program "* ]] ||
        swift build --package-path "$root" "${flags[@]}" --product "$program" </dev/null >&2 || return 1
    done
  fi
  for program in "$@"; do program_ready "$root/.build/release/$program" "$(programs_folder)" || return 1; done
)

# program_ready FILE FOLDER: a stripped copy of a program in the folder, and its symbols beside it, where Swift's backtraces and debuggers find
# them by the copy's link to them. A running copy stays as it is: the new one takes its name.
program_ready() {
  local name=${1##*/} new
  [[ $2/$name -ot $1 ]] || return 0
  mkdir -p -- "$2" || return 1
  # Left over from builds that were killed.
  find "$2" -maxdepth 1 -name '.new*' -mmin +60 -exec rm -rf -- {} + || return 1
  # Others may be at it, too: each has a folder of its own.
  new=$(mktemp --directory -- "$2/.new.XXXXXXXX") || return 1
  if ! { program_strip "$1" "$new/$name" && mv -- "$new/$name.debug" "$new/$name" "$2/"; }; then
    rm -rf -- "$new"
    return 1
  fi
  rmdir -- "$new"
}

# program_strip FILE COPY: a stripped copy of a program, and its symbols in COPY.debug.
program_strip() {
  objcopy --only-keep-debug -- "$1" "$2.debug" || return 1
  # The link holds the check sum of the symbols, and their name alone.
  (cd -- "${2%/*}" && objcopy --strip-all --add-gnu-debuglink="${2##*/}.debug" -- "$1" "${2##*/}") || return 1
  chmod 755 -- "$2" && chmod 644 -- "$2.debug"
}

# Sets `bin`, the folder of the executables: $RACHA_BIN as it is, or this project's, with the programs of a cluster and those named, built.
build_cluster() { # [PROGRAM...]
  if [[ -n ${RACHA_BIN:-} ]]; then
    bin=$(realpath --canonicalize-missing -- "$RACHA_BIN")
    packages_require curl
  else
    swift_find
    packages_require "${packages_swift[@]}" "${packages_run[@]}"
    swift_require
    build_programs "${programs_cluster[@]}" "$@" || fail "the build failed"
    bin=$(programs_folder)
  fi
  local service
  for service in "${services[@]}"; do
    [[ -x $bin/$service ]] || fail "there is no executable $bin/$service"
  done
}
