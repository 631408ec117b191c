# shellcheck shell=bash
# The release build that every cluster runs from.

# What a cluster on one machine needs: the six and the launcher's own tool. Everything else is built when it is asked for.
programs_cluster=(gateway identity activity social rewards notifications racha-admin)

# They are names of one program, which does what the name says that it was started by. What they share, Swift's runtime, Foundation and the packages,
# is most of each: so it is linked once, lies on the disk once, and in memory once for all six.
programs_file=racha-programs

# Swift's runtime is linked in: a call of it costs less than one into a shared library, and the start looks up no symbols. Without debug
# information the build is shorter; a crash's backtrace names its functions all the same, from the symbols.
release_flags=(--configuration release --static-swift-stdlib -debug-info-format none)

# LLVM's linker, which comes with Swift, is faster than GNU's and leaves out more: functions nobody calls (each has a section of its own), all but one
# of equal ones, and the names of all functions for programs that would load this one. What is not there is not in memory either.
release_flags+=(
  -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=safe -Xlinker --no-export-dynamic)

# LLVM need not check what Swift's compiler hands it, which takes a tenth of the time and changes nothing in what is built.
compiler_flags=(-Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify)
release_flags+=("${compiler_flags[@]}")

# Since Glibc 2.36 the positions where a program's own addresses stand need not be a list 50 times as long.
if printf '%s\n' "glibc 2.36" "$(getconf GNU_LIBC_VERSION)" | sort --version-sort --check=silent; then
  release_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

# Where the built programs are run from: stripped, with their symbols beside them.
programs_folder() { printf '%s' "$root/.build/programs"; }

# All that the last build said.
build_log() { printf '%s' "$root/.build/build.log"; }

# Has SwiftPM compile what packages have in C once for all builds of this project, see `compile-once`; unless a compiler is chosen.
packages_compile_once() {
  local clang
  clang=$(swift -print-target-info </dev/null | sed --quiet 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin/clang|p') || return 0
  [[ -z ${CC:-} && -x $clang ]] || return 0
  RACHA_COMPILER=$(swift --version 2>&1 </dev/null) || return 0
  export CC=$root/deploy/lib/compile-once RACHA_COMPILER RACHA_CLANG=$clang RACHA_OBJECTS=$root/.build/objects RACHA_RESOLVED=$root/Package.resolved
}

# build_programs PROGRAM...: builds what a cluster runs and these, and readies them in `programs_folder`. Whatever the umask of the launcher, what is
# built may be read and run by all.
build_programs() (
  umask 022
  local icu program flags=("${release_flags[@]}")
  mkdir -p -- "$root/.build" || return 1
  : >"$(build_log)" || return 1
  packages_compile_once
  icu=$(icu_object "$root/.build/icu") || say "The ICU data of this Swift is not as expected: each program contains all of it, 34 MB"
  if [[ -n $icu ]]; then flags+=(-Xlinker "--wrap=$(icu_symbol "$icu")" -Xlinker "$icu"); fi
  build_shown "${flags[@]}" --product "$programs_file" || return 1
  program_ready "$root/.build/release/$programs_file" "$(programs_folder)" || return 1
  for program in "$@"; do
    if [[ " ${programs_cluster[*]} " == *" $program "* ]]; then
      program_name "$(programs_folder)" "$program" || return 1
    else
      build_shown "${flags[@]}" --product "$program" || return 1
      program_ready "$root/.build/release/$program" "$(programs_folder)" || return 1
    fi
  done
)

# How SwiftPM counts what it does.
readonly build_step='^\[([0-9]+)/([0-9]+)\]'

# build_shown ARGUMENT...: `swift build` with these. What it says goes to the log; seen is how far it is and, if it fails, what is no step of it.
build_shown() {
  local log lines begun=$SECONDS
  log=$(build_log)
  lines=$(wc --lines <"$log")
  if ! swift build --package-path "$root" "$@" </dev/null 2>&1 | tee --append -- "$log" | build_progress; then
    tail --lines=+$((lines + 1)) -- "$log" | grep --invert-match --extended-regexp "$build_step" >&2 || :
    say "The whole output of the build: $log"
    return 1
  fi
  say "Built in $(minutes_since "$begun") min"
}

# Reads the output of a build and shows how far it is: on a terminal in one line, each second anew; elsewhere every other minute.
build_progress() {
  local piece line='' step='fetching packages' begun=$SECONDS next=$SECONDS status every=120
  if [[ -t 2 ]]; then every=1; else next=$((begun + every)); fi
  while :; do
    status=0 piece=''
    IFS= read -rt 1 piece || status=$?
    line+=$piece
    # Above 128 the second is over, and the rest of the line is to come.
    if ((status == 0)); then
      if [[ $line =~ $build_step ]]; then step="step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"; fi
      line=''
    elif ((status <= 128)); then
      break
    fi
    ((SECONDS >= next)) || continue
    next=$((SECONDS + every))
    if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
    printf 'Building: %s, %s min' "$step" "$(minutes_since "$begun")" >&2
    if [[ ! -t 2 ]]; then printf '\n' >&2; fi
  done
  if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
}

# minutes_since SECOND: how long it is since then, as 4:09.
minutes_since() { printf '%d:%02d' $(((SECONDS - $1) / 60)) $(((SECONDS - $1) % 60)); }

# What a first build of a cluster's programs takes: minutes of one processor, and those in which one has to wait for the other.
readonly build_work=26 build_chain=4

# Says what is built and about how long that takes, where that is known: the first time, or with another Swift.
build_announce() {
  local processors minutes compiler
  if { IFS= read -r compiler <"$(programs_folder)/built-from"; } 2>/dev/null && [[ $compiler == "$swift_version" ]]; then
    say "Building what has changed"
    return
  fi
  processors=$(nproc)
  minutes=$((build_chain + (build_work - build_chain + processors - 1) / processors))
  say "Building Racha: about $minutes minutes on $processors processors, the first time; its output goes to $(build_log)"
}

# What a cluster's programs are made of, as it is now: the compiler, each file with its size and the time of its last change. SwiftPM looks at the
# same.
sources_state() (
  cd -- "$root" || return 1
  printf '%s\n' "$swift_version"
  find Package.swift Services Shared deploy/Admin deploy/Programs deploy/lib/build.sh deploy/lib/compile-once deploy/lib/icu.sh -type f -printf '%p %s %T@\n' | LC_ALL=C sort
)

# What was made of it, in the same way.
programs_state() (
  cd -- "$root" || return 1
  stat --format='%n %s %.Y' -- Package.resolved ".build/release/$programs_file" ".build/programs/$programs_file" \
    "${programs_cluster[@]/#/.build/programs/}" 2>/dev/null
)

# build_current PROGRAM...: builds a cluster's programs and these. Where nothing but the former is asked for and nothing has changed since they were
# built, there is nothing to do, and SwiftPM, which needs seconds to see it, is not asked.
build_current() {
  local sources programs
  local -r record=$(programs_folder)/built-from
  sources=$(sources_state) || return 1
  if (($# == 0)) && programs=$(programs_state) && [[ -r $record && $(<"$record") == "$sources"$'\n'"$programs" ]]; then return; fi
  build_announce
  build_programs "${programs_cluster[@]}" "$@" || return 1
  # The sources as they were before: what was changed meanwhile may not be in the programs.
  programs=$(programs_state) && printf '%s\n' "$sources" "$programs" >"$record"
}

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

# program_name FOLDER NAME: gives the program of all this name in the folder, unless it has it.
program_name() {
  [[ $(readlink -- "$1/$2") != "$programs_file" ]] || return 0
  ln --symbolic --force --no-dereference -- "$programs_file" "$1/$2" || return 1
  # Of a program of its own that an earlier launcher built.
  rm -f -- "$1/$2.debug"
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
    build_current "$@" || fail "the build failed"
    bin=$(programs_folder)
  fi
  local service
  for service in "${services[@]}"; do
    [[ -x $bin/$service ]] || fail "there is no executable $bin/$service"
  done
}
