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

# Where the tests are built: apart from what developers build with other flags.
tests_build=.build/tests

stage_resolve() { swift package --scratch-path "$tests_build" resolve; }

# Builds the tests and all programs, including those that the tests start, with assertions on, SwiftNIO's too. Clusters run a release build of the same
# sources.
#
# The last flag finds forbidden imports of other packages' modules, too, in a clean build. Whole modules at once, without debug information, a
# clean build takes two thirds of the processor's time, and no module is read once more for its interface alone; LLVM's linker takes a third of that
# of GNU's.
stage_build() {
  packages_compile_once
  swift build --scratch-path "$tests_build" --build-tests -debug-info-format none -Xswiftc -whole-module-optimization \
    -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld "${compiler_flags[@]}" \
    --explicit-target-dependency-import-check error
}

# Where that is.
tests_folder() { printf '%s' "$root/$tests_build/debug"; }

# Builds the release, for `--release`.
stage_release() { build_programs "${programs_cluster[@]}"; }

# The suite's parts, which take about as long: most services in process; whole clusters and what they are made of; and the rest.
suite_first='^(Contracts|Gateway|Identity|Notifications|Operations|Rewards|SecureStorage|ServiceKit|Social|Workers)Tests\.'
suite_second='^(EndToEnd|Messaging|Storage|TransparencyLog)Tests\.'

# suite_part FILTER...: one part, in which one test follows the other, for many look at time. To be called in a shell of its own, which becomes it,
# so that whoever ends that ends the tests.
#
# The built tests are run themselves: `swift test` lets no second one run beside it.
suite_part() { exec "$(tests_folder)/rachaPackageTests.xctest" --testing-library swift-testing --no-parallel "$@"; }

# stage_suite FOLDER: the whole suite with the programs of that folder, its parts beside one another, for many tests mostly wait for processes. What
# failed is printed once more at the end, where it is seen.
stage_suite() {
  local logs status=0 part
  local -A parts
  # In a terminal's colours a failure could not be found by how its line begins.
  export RACHA_TEST_BIN=$1 NO_COLOR=1
  logs=$(mktemp --directory)
  suite_part --filter "$suite_first" >"$logs/first" 2>&1 &
  parts[first]=$!
  suite_part --skip "$suite_first" --skip "$suite_second" >"$logs/third" 2>&1 &
  parts[third]=$!
  # shellcheck disable=SC2064 # Now: the processes are known.
  trap "kill ${parts[*]} 2>/dev/null || true" EXIT
  suite_part --filter "$suite_second" 2>&1 | tee -- "$logs/second" || status=$?
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

# The processes of the stage that runs.
stage_group=

# stage NAME COMMAND...: runs it, with its time. A failure is remembered in `failed`, and what does not need it still runs.
# Not to be called in a condition: bash would ignore `set -e` in all it calls.
#
# Its processes are a group of their own, which ends with the launcher: `stage_signals`.
stage() {
  local name=$1 begun=$SECONDS status
  shift
  say "── $name"
  set +e -m
  (
    set -e +m
    "$@"
  ) </dev/null &
  stage_group=$!
  set +m
  wait "$stage_group"
  status=$?
  set -e
  stage_group=
  if ((status == 0)); then
    say "── $name: passed, $((SECONDS - begun)) s"
  else
    say "── $name: FAILED with status $status, $((SECONDS - begun)) s"
    failed+=("$name")
  fi
}

# Has whatever ends the launcher end the stage that runs, too.
stage_signals() {
  local signal
  # shellcheck disable=SC2064 # Now: the signal is this one.
  for signal in INT TERM HUP; do trap "stage_end $signal" "$signal"; done
}

# stage_end SIGNAL: ends what the stage has started, and then the launcher, as the signal would have done.
stage_end() {
  trap - "$1"
  if [[ -n $stage_group ]]; then
    kill -- "-$stage_group" 2>/dev/null || true
    wait "$stage_group" || true
  fi
  kill -s "$1" "$$"
}

checks_end() {
  ((${#failed[@]} == 0)) || fail "failed: ${failed[*]}, after $SECONDS s"
}

checks_run() {
  local failed=() tools programs
  programs=$(tests_folder)
  while (($#)); do
    case $1 in
      --release) programs=$(programs_folder) ;;
      *) misused "test takes no \"$1\"" ;;
    esac
    shift
  done
  SECONDS=0
  cd -- "$root"
  stage_signals
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
  stage format stage_format
  stage shell stage_shell
  stage container stage_container
  stage build stage_build
  # What failed so far is printed at the end, too; the suite needs what was built.
  [[ " ${failed[*]} " == *" build "* || $programs != "$(programs_folder)" ]] || stage release stage_release
  [[ " ${failed[*]} " =~ " build "|" release " ]] || stage suite stage_suite "$programs"
  checks_end
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
    faults)
      case ${1:-} in
        # The mutants are built by the test itself.
        mutants) packages_compile_once ;;
        history | soak) build_cluster ;;
        # Tests of the suite, in their long forms.
        *)
          build_cluster
          (cd -- "$root" && swift_find && stage_build)
          ;;
      esac
      ;;
  esac
  [[ -z ${bin:-} ]] || export RACHA_BIN=$bin
  exec "$root/Tests/$folder/run" "$@"
}
