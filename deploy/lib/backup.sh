# shellcheck shell=bash
# backup, restore and keys. A backup is a folder:
#
#   stores/<service>.sqlite   as racha-admin copied them from the running services, all of one moment
#   keys/                     the cluster's secrets (0600): without them its tokens and addresses cannot be read
#   attachments/              the files attached to tasks that the stores name, where there are any; backups of earlier releases lack it
#   settings/                 racha.json (or what RACHA_CONFIG names) and offers.json, where there are any; backups of earlier releases lack it
#   manifest                  SHA-256 of every file above, as sha256sum writes and checks it

admin_require() {
  [[ -x $bin/racha-admin ]] || fail "there is no executable $bin/racha-admin"
}

# The files of a backup, from within it.
backup_files() {
  local folders=(stores keys) folder
  for folder in attachments settings; do
    [[ ! -d $folder ]] || folders+=("$folder")
  done
  find "${folders[@]}" -type f -print0
}

manifest_write() { # FOLDER
  # The services answer meanwhile.
  (cd -- "$1" && backup_files | sort --zero-terminated | xargs -0 --no-run-if-empty nice -n 10 sha256sum --) >"$1/manifest"
}

# Fails with a word where a file of the backup is missing, damaged or not in the manifest.
manifest_check() { # FOLDER
  [[ -r $1/manifest ]] || fail "$1 is not a backup: it has no manifest"
  local differing
  differing=$(cd -- "$1" && sha256sum --check --strict --quiet -- manifest 2>&1) || fail "the backup $1 is damaged:" "$differing"
  # sha256sum's lines: 64 digits, two characters, the path.
  differing=$(cd -- "$1" && diff <(cut --characters=67- manifest | sort) <(backup_files | tr '\0' '\n' | sort)) ||
    fail "the backup $1 holds files that its manifest does not name:" "$differing"
  compgen -G "$1/stores/*.sqlite" >/dev/null || fail "the backup $1 holds no stores"
}

# Files of settings are copied as they are: they may be links to where an operator keeps them.
settings_copy() { # FOLDER
  local file=${RACHA_CONFIG:-$home/racha.json}
  mkdir -- "$1"
  [[ ! -e $file ]] || cp -- "$file" "$1/racha.json"
  [[ ! -e $home/offers.json ]] || cp -- "$home/offers.json" "$1/"
}

# Replaces the settings that are there by those of a backup, or by those put aside; the replaced ones are moved into another folder, made here.
settings_place() { # FOLDER ASIDE
  local name
  mkdir -- "$2"
  for name in racha.json offers.json; do
    if [[ $name == racha.json && -n ${RACHA_CONFIG:-} ]]; then
      [[ ! -e $1/$name ]] || cmp --silent -- "$1/$name" "$RACHA_CONFIG" ||
        say "The settings of the backup differ from $RACHA_CONFIG, which stays as it is: $source/settings/$name"
      continue
    fi
    [[ ! -e $home/$name ]] || mv -- "$home/$name" "$2/"
    [[ ! -e $1/$name ]] || cp -- "$1/$name" "$home/"
  done
}

# Puts the settings that a restore put aside back; what it put there is moved into another folder, or goes.
settings_return() { # ASIDE [FOLDER]
  [[ -d $1/settings ]] || return 0
  local refused=${2:-$1/refused-settings}
  settings_place "$1/settings" "$refused"
  rm -rf -- "$1/settings"
  [[ -n ${2:-} ]] || rm -rf -- "$refused"
}

# Keeps the files that are attached to tasks from being removed until the descriptor `attached` is closed: so every file that a store names
# when it is copied is there when the files are. What has come since is copied as well, and removed after a restore.
attachments_hold() {
  mkdir --parents -- "$home/attachments"
  exec {attached}>>"$home/attachments/lock"
  flock --timeout 120 "$attached" || fail "another backup holds the files in $home/attachments"
}

# Each is named by its SHA-256 and never changes. A few at a time are brought to the disk: gigabytes that wait in memory would go there at once,
# and whoever writes would wait behind them.
attachments_copy() { # FOLDER
  [[ -d $home/attachments/contents ]] || return 0
  mkdir -- "$1" "$1/contents"
  # shellcheck disable=SC2016  # the other shell's
  (cd -- "$home/attachments/contents" && find . -type f -print0 |
    xargs --null --no-run-if-empty --max-args=4 bash -c \
      'cp --archive --parents --reflink=auto --target-directory="$0" -- "$@" && cd -- "$0" && sync -- "$@"' "$1/contents")
}

# Replaces the attached files that are there by those of a backup, or by those put aside; the replaced ones are moved into another folder.
attachments_place() { # FOLDER ASIDE
  [[ ! -d $home/attachments ]] || mv -- "$home/attachments" "$2/"
  [[ ! -d $1/attachments ]] || mv -- "$1/attachments" "$home/"
}

cluster_backup() {
  options '' "$@"
  ((${#operands[@]} == 1)) || misused "backup needs the folder to create"
  local target partial attached
  target=$(realpath --canonicalize-missing -- "${operands[0]}") partial=''
  cluster_require
  admin_require
  [[ ! -e $target ]] || fail "$target already exists; name a new folder"
  umask 077
  # Under its last name only when it is whole.
  partial=$(mktemp --directory -- "$target.partial.XXXXXX") || fail "cannot write next to $target"
  # shellcheck disable=SC2064  # this folder, not what the name means later
  trap "rm -rf -- $(printf '%q' "$partial")" EXIT
  mkdir -- "$partial/stores" "$partial/keys"
  attachments_hold
  "$bin/racha-admin" backup "$partial/stores" || fail "the backup failed; nothing was kept"
  cp --archive -- "$home/keys/." "$partial/keys/"
  attachments_copy "$partial/attachments"
  exec {attached}>&-
  settings_copy "$partial/settings"
  chmod -R go-rwx -- "$partial"
  manifest_write "$partial"
  sync -- "$partial"/stores/* "$partial/manifest"
  [[ ! -d $partial/attachments ]] || find "$partial/attachments" -print0 | xargs -0 sync --
  mv --no-target-directory -- "$partial" "$target"
  # Its time of change is when the last backup was made: `racha_last_backup_timestamp_seconds`.
  printf '%s\n' "$target" >"$home/last-backup" || say "racha: cannot write $home/last-backup: the metrics will not show this backup"
  printf 'Backup of %s:\n  %s\n' "$home" "$target"
  printf 'It also holds the keys and the settings of the cluster. Whoever can read it can sign tokens: protect it like the keys.\n'
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
  [[ ! -d $source/settings ]] || cp --archive -- "$source/settings" "$home/restoring/"
  [[ ! -d $source/attachments ]] || cp --archive --reflink=auto -- "$source/attachments" "$home/restoring/"
  # Still what the manifest says, after the copy.
  cp -- "$source/manifest" "$home/restoring/"
  manifest_check "$home/restoring"
  chmod -R u+rwX,go-rwx -- "$home/restoring"
  mv -- "$home/stores" "$home/keys" "$aside/"
  mv -- "$home/restoring/stores" "$home/restoring/keys" "$home/"
  attachments_place "$home/restoring" "$aside"
  # Those of an earlier release hold none: what is there stays.
  [[ ! -d $home/restoring/settings ]] || settings_place "$home/restoring/settings" "$aside/settings"
  # Some events are undone, and their numbers will be given again: cursors from before must not be taken for valid.
  if ! "$bin/racha-admin" restore-epochs; then
    rm -rf -- "$home/stores" "$home/keys"
    mv -- "$aside/stores" "$aside/keys" "$home/"
    rm -rf -- "$home/attachments"
    attachments_place "$aside" "$home/restoring"
    settings_return "$aside"
    rmdir -- "$aside"
    rm -rf -- "$home/restoring"
    fail "the stores of the backup could not be used; the former ones are back in place, and the cluster is stopped"
  fi
  rm -rf -- "$home/restoring"
  # The settings may say otherwise now whether there is a certificate.
  addresses_choose
  printf 'Restored %s from %s\n  the replaced stores, keys, files and settings: %s\n' "$home" "$source" "$aside"
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
      attachments_place "$aside" "$aside/refused"
      settings_return "$aside" "$aside/refused/settings"
      start_all
      fail "the restored stores did not start (logs above); the former ones are back and running." "The restored ones: $aside/refused"
    fi
    addresses_print
  else
    printf 'Start it: deploy/racha up --home %q\n' "$home"
  fi
}

backup_keys() {
  options '' "$@"
  ((${#operands[@]} == 1)) || misused "keys needs the folder to create them in"
  local bin
  build_cluster
  admin_require
  umask 077
  exec "$bin/racha-admin" keys "$(realpath --canonicalize-missing -- "${operands[0]}")"
}
