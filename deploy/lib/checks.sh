# shellcheck shell=bash
# test, bench, faults: what the project does to itself.

stage_packages() {
  packages_require "${packages_swift[@]}" "${packages_run[@]}" "${packages_test[@]}"
  swift_require
}

# The tests' Python packages, in .venv or where RACHA_TEST_PYTHON points to.
stage_python() {
  if [[ $RACHA_TEST_PYTHON != "$root/.venv/bin/python" ]]; then
    say "Using RACHA_TEST_PYTHON=$RACHA_TEST_PYTHON"
    return
  fi
  if ! cmp --silent Tests/requirements.txt .venv/requirements.txt; then
    [[ -x $RACHA_TEST_PYTHON ]] || python3 -m venv --clear .venv
    "$RACHA_TEST_PYTHON" -m pip install --quiet --disable-pip-version-check --requirement Tests/requirements.txt
    # Last, so that a half-done installation is done again.
    cp -- Tests/requirements.txt .venv/requirements.txt
  fi
}

stage_format() { swift format lint --strict --recursive Package.swift Shared Services Tests deploy; }

# Every shell script by its first line; what it sources is checked with it.
stage_shell() {
  local scripts
  mapfile -t scripts < <(git grep --files-with-matches --untracked --extended-regexp '^#!.*\b(ba)?sh$')
  "$tools/shellcheck" --external-sources --check-sourced "${scripts[@]}"
}

stage_container() {
  "$tools/check-jsonschema" --builtin-schema vendor.compose-spec deploy/docker-compose.yml
  "$tools/hadolint" deploy/Dockerfile
}

# Found in the sources: an incremental build lets a forbidden import through.
stage_imports() { swift package dump-package | python3 deploy/lib/imports.py "$root"; }

# Where the tests are built: apart from the programs, for SwiftPM lets no second build into one folder.
tests_build=.build/tests

# The last flag finds forbidden imports of other packages' modules, too, in a clean build. Whole modules at once, without debug information, a
# clean build takes two thirds of the processor's time, and no module is read once more for its interface alone; LLVM's linker takes a third of that
# of GNU's.
build_tests() {
  swift build --scratch-path "$tests_build" --build-tests -debug-info-format none -Xswiftc -whole-module-optimization \
    -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld "${compiler_flags[@]}" \
    --explicit-target-dependency-import-check error
}

# Fetches packages once, and copies them for the other build.
stage_resolve() {
  swift package resolve
  swift package --scratch-path "$tests_build" resolve
}

# Begins to build the programs that tests start, and sets `programs` to its process: with what processors' time the tests and their build leave,
# so that it lasts no longer in all, and disturbs none that look at time.
#
# Tests built like these would assert less: SwiftNIO's assertions, some 350, are left out of a release.
programs_begin() {
  programs_status=$(mktemp)
  # A group of its own, so that all of it can be ended.
  set -m
  (
    renice --priority 19 "$BASHPID" >/dev/null
    status=0
    build_programs "${programs_cluster[@]}" || status=$?
    printf '%s' "$status" >"$programs_status"
  ) </dev/null &
  programs=$!
  set +m
}

# Returns once they are built; fails where they are not.
programs_wait() {
  # It is no child of a stage's shell.
  tail --pid="$programs" --follow /dev/null
  [[ $(<"$programs_status") == 0 ]]
}

# The tests; the benches are compiled with them.
stage_build() {
  packages_compile_once
  build_tests
}

# The suite's parts: tests of services in process, which start no program or one that was built with them; those of whole clusters; and the rest: of the
# launcher, and in process, too, but with the decoders of the release.
suite_first='^(Contracts|Gateway|Identity|Messaging|Notifications|Operations|Rewards|SecureStorage|ServiceKit|Social|Storage|TransparencyLog|Workers)Tests\.'
suite_second='^EndToEndTests\.'

# suite_part FILTER...: one part, in which one test follows the other, for many look at time. To be called in a shell of its own, which becomes it,
# so that whoever ends that ends the tests.
#
# The built tests are run themselves: `swift test` lets no second one run beside it.
suite_part() { exec "$tests_build/debug/rachaPackageTests.xctest" --testing-library swift-testing --no-parallel "$@"; }

# The whole suite. Its first part begins while the programs are built; when they are there, the other two follow, for their tests mostly wait for
# processes, which are those of the release. What failed is printed once more at the end, where it is seen.
stage_suite() {
  local logs status=0 part
  local -A parts
  # In a terminal's colours a failure could not be found by how its line begins.
  export NO_COLOR=1
  logs=$(mktemp --directory)
  suite_part --filter "$suite_first" >"$logs/first" 2>&1 &
  parts[first]=$!
  # shellcheck disable=SC2064 # Now: the process is known.
  trap "kill ${parts[first]} 2>/dev/null || true" EXIT
  if programs_wait; then
    RACHA_TEST_BIN=$(programs_folder)
    export RACHA_TEST_BIN
    suite_part --skip "$suite_first" --skip "$suite_second" >"$logs/third" 2>&1 &
    parts[third]=$!
    # shellcheck disable=SC2064
    trap "kill ${parts[*]} 2>/dev/null || true" EXIT
    suite_part --filter "$suite_second" 2>&1 | tee -- "$logs/second" || status=$?
  else
    status=1
    echo "error: the programs were not built" >"$logs/programs"
  fi
  for part in "${!parts[@]}"; do
    wait "${parts[$part]}" || status=$?
    cat -- "$logs/$part"
  done
  trap - EXIT
  if ((status)); then
    say "── what failed"
    grep -haE -A 8 '^(✘|.*(Fatal error|error:))' -- "$logs"/* | grep -avE '^(◇|✔|--$)' || true
  fi
  rm -rf -- "$logs"
  return "$status"
}

# stage NAME COMMAND...: runs it, with its time. A failure is remembered in `failed`, and what does not need it still runs.
# Not to be called in a condition: bash would ignore `set -e` in all it calls.
stage() {
  local name=$1 begun=$SECONDS status
  shift
  say "── $name"
  set +e
  (
    set -e
    "$@"
  ) </dev/null
  status=$?
  set -e
  if ((status == 0)); then
    say "── $name: passed, $((SECONDS - begun)) s"
  else
    say "── $name: FAILED with status $status, $((SECONDS - begun)) s"
    failed+=("$name")
  fi
}

checks_end() {
  ((${#failed[@]} == 0)) || fail "failed: ${failed[*]}, after $SECONDS s"
}

checks_run() {
  (($# == 0)) || misused "test takes no \"$1\""
  local failed=() tools programs programs_status
  SECONDS=0
  cd -- "$root"
  unset RACHA_HOME RACHA_HTTP_PORT RACHA_TCP_PORT RACHA_HTTP_HOST RACHA_TCP_HOST RACHA_BIN RACHA_TEST_BIN
  export RACHA_TEST_PYTHON=${RACHA_TEST_PYTHON:-$root/.venv/bin/python}
  tools=$(dirname -- "$RACHA_TEST_PYTHON")

  swift_find
  stage packages stage_packages
  checks_end
  stage python stage_python
  checks_end
  stage resolve stage_resolve
  checks_end
  stage imports stage_imports
  programs_begin
  # shellcheck disable=SC2064 # Now: the process is known.
  trap "kill -- -$programs 2>/dev/null || true; rm -f -- '$programs_status'" EXIT
  stage format stage_format
  stage shell stage_shell
  stage container stage_container
  stage build stage_build
  # What failed so far is printed at the end, too; the suite needs the build.
  [[ " ${failed[*]} " == *" build "* ]] || stage suite stage_suite
  checks_end
  trap - EXIT
  rm -f -- "$programs_status"
  say "racha test: all stages passed, $SECONDS s"
}

# bench and faults are programs of their own under Tests/.
checks_exec() { # COMMAND [ARGUMENT...]
  local command=$1 bin folder
  shift
  case $command in
    bench) folder=Bench ;;
    faults) folder=Faults ;;
  esac
  [[ -z ${RACHA_BIN:-} ]] || say "Using RACHA_BIN=$RACHA_BIN"
  packages_require "${packages_bench[@]}"
  case $command in
    bench) build_cluster racha-bench racha-bench-hello ;;
    # The mutants are built by the test itself.
    faults) if [[ ${1:-} == mutants ]]; then packages_compile_once; else build_cluster; fi ;;
  esac
  [[ -z ${bin:-} ]] || export RACHA_BIN=$bin
  exec "$root/Tests/$folder/run" "$@"
}
