# shellcheck shell=bash
# backup, restore and keys. A backup is a folder:
#
#   stores/<service>.sqlite   as racha-admin copied them from the running services, all of one moment
#   keys/                     the cluster's secrets (0600): without them its tokens and addresses cannot be read
#   manifest                  SHA-256 of every file above, as sha256sum writes and checks it

admin_require() {
  [[ -x $bin/racha-admin ]] || fail "there is no executable $bin/racha-admin"
}

manifest_write() { # FOLDER
  (cd -- "$1" && find stores keys -type f -print0 | sort --zero-terminated | xargs -0 --no-run-if-empty sha256sum --) >"$1/manifest"
}

# Fails with a word where a file of the backup is missing, damaged or not in the manifest.
manifest_check() { # FOLDER
  [[ -r $1/manifest ]] || fail "$1 is no backup: it has no manifest"
  local differing
  differing=$(cd -- "$1" && sha256sum --check --strict --quiet -- manifest 2>&1) || fail "the backup $1 is damaged:" "$differing"
  # sha256sum's lines: 64 digits, two characters, the path.
  differing=$(cd -- "$1" && diff <(cut --characters=67- manifest | sort) <(find stores keys -type f | sort)) ||
    fail "the backup $1 holds files that its manifest does not name:" "$differing"
  compgen -G "$1/stores/*.sqlite" >/dev/null || fail "the backup $1 holds no stores"
}

cluster_backup() {
  options '' "$@"
  ((${#operands[@]} == 1)) || misused "backup needs the folder to make"
  local target partial
  target=$(realpath --canonicalize-missing -- "${operands[0]}") partial=''
  cluster_require
  admin_require
  [[ ! -e $target ]] || fail "$target exists already; name a new folder"
  umask 077
  # Under its last name only when it is whole.
  partial=$(mktemp --directory -- "$target.partial.XXXXXX") || fail "cannot write beside $target"
  # shellcheck disable=SC2064  # this folder, not what the name means later
  trap "rm -rf -- $(printf '%q' "$partial")" EXIT
  mkdir -- "$partial/stores" "$partial/keys"
  "$bin/racha-admin" backup "$partial/stores" || fail "the backup failed; nothing was kept"
  cp --archive -- "$home/keys/." "$partial/keys/"
  chmod -R go-rwx -- "$partial"
  manifest_write "$partial"
  sync -- "$partial"/stores/* "$partial/manifest"
  mv --no-target-directory -- "$partial" "$target"
  printf 'Backup of %s:\n  %s\n' "$home" "$target"
  printf 'It holds the keys of the cluster, too. Whoever reads it can sign tokens: keep it as you keep the keys.\n'
}

cluster_restore() {
  options '' "$@"
  ((${#operands[@]} == 1)) || misused "restore needs the folder of a backup"
  local source kept unkept bin took was_running='' aside
  source=$(realpath --canonicalize-missing -- "${operands[0]}")
  [[ -d $source ]] || fail "there is no folder $source"
  manifest_check "$source"
  home_make
  # A running cluster goes on with its addresses.
  addresses_read || :
  addresses_choose
  # It runs from what it ran from.
  [[ ! -x ${bin:-}/racha-admin ]] || RACHA_BIN=${RACHA_BIN:-$bin}
  build_cluster
  admin_require
  home_lock
  keepers_find
  ((${#kept[@]} == 0)) || was_running=yes
  cluster_end

  printf -v aside '%s/replaced/%(%Y%m%dT%H%M%S)T-%d' "$home" -1 $$
  # As long as this folder exists, `up` refuses: a restore that was cut off would be taken for an empty cluster.
  rm -rf -- "$home/restoring"
  mkdir -p -- "$aside" "$home/restoring"
  cp --archive -- "$source/stores" "$source/keys" "$home/restoring/"
  # Still what the manifest says, after the copy.
  cp -- "$source/manifest" "$home/restoring/"
  manifest_check "$home/restoring"
  chmod -R u+rwX,go-rwx -- "$home/restoring"
  mv -- "$home/stores" "$home/keys" "$aside/"
  mv -- "$home/restoring/stores" "$home/restoring/keys" "$home/"
  # Some events are undone, and their numbers will be given again: cursors from before must not be taken for valid.
  if ! "$bin/racha-admin" restore-epochs; then
    rm -rf -- "$home/stores" "$home/keys"
    mv -- "$aside/stores" "$aside/keys" "$home/"
    rmdir -- "$aside"
    rm -rf -- "$home/restoring"
    fail "the stores of the backup could not be taken over; the former ones are back in place, and the cluster is stopped"
  fi
  rm -rf -- "$home/restoring"
  printf 'Restored %s from %s\n  the replaced stores and keys: %s\n' "$home" "$source" "$aside"
  if [[ -n $was_running ]]; then
    local status
    set +e
    (
      set -e
      start_all
    )
    status=$?
    set -e
    if ((status != 0)); then
      mkdir -- "$aside/refused"
      mv -- "$home/stores" "$home/keys" "$aside/refused/"
      mv -- "$aside/stores" "$aside/keys" "$home/"
      start_all
      fail "the restored stores did not start (logs above); the former ones are back and run." "The restored ones: $aside/refused"
    fi
    addresses_print
  else
    printf 'Start it: deploy/racha up --home %q\n' "$home"
  fi
}

backup_keys() {
  options '' "$@"
  ((${#operands[@]} == 1)) || misused "keys needs the folder to make them in"
  local bin
  build_cluster
  admin_require
  umask 077
  exec "$bin/racha-admin" keys "$(realpath --canonicalize-missing -- "${operands[0]}")"
}
