# shellcheck shell=bash
# The six services, and processes known by id and start time, so that a reused process id is never taken for ours. Nothing is ever found or killed by name.

# The six, in the order they are listed; their keepers watch each other in this order. All start at once: none needs another to start.
services=(gateway identity activity social rewards notifications)

# service_after SERVICE: the next one; after the last, the first.
service_after() {
  local i
  for i in "${!services[@]}"; do
    [[ ${services[i]} != "$1" ]] || printf '%s' "${services[(i + 1) % ${#services[@]}]}"
  done
}

# Milliseconds of a clock that nobody sets.
now_ms() {
  local up _
  read -r up _ </proc/uptime
  printf '%d' "$((10#${up/./} * 10))"
}

# process_started PID: when it started, in clock ticks since the machine did; fails where there is no such process.
process_started() {
  local started
  process_stat "$1" && printf '%s' "$started"
}

# process_stat PID: sets `started` to the same, without a process of its own, for those that look often.
process_stat() {
  local stat=''
  # To the end of the file, which `read` reports as a failure. Not $(<…): with no file there, that ends the whole shell.
  { read -rd '' stat <"/proc/$1/stat" || [[ -n $stat ]]; } 2>/dev/null || return 1
  # After the name in parentheses, which may hold anything, come state, parent, …; field 20 of these is the start time.
  local fields
  read -ra fields <<<"${stat##*) }"
  [[ ${fields[0]} != [ZX] ]] || return 1
  started=${fields[19]}
}

# note_write FILE WORD...: the words are what FILE holds, or it fails and FILE is as it was. All notes are as long and are written in
# place: what could be written once can be written again when the disk is full. With no words, this sets the space for a note aside.
note_write() {
  local file=$1
  shift
  { printf '%-63s\n' "$*" 1<>"$file"; } 2>/dev/null && return
  # Made, but there was no space for more than its name.
  [[ ! -f $file || -s $file ]] || rm -f -- "$file"
  return 1
}

# process_note FILE PID [WORD...]: writes id, start time and the words into FILE; fails where that cannot be written or there is no such process.
process_note() {
  local file=$1 pid=$2 start
  shift 2
  start=$(process_started "$pid") || return 1
  note_write "$file" "$pid" "$start" "$@"
}

# process_of FILE: the process that FILE notes, if it still runs.
process_of() {
  local pid start _
  { read -r pid start _ <"$1"; } 2>/dev/null || return 1
  [[ -n $start && $(process_started "$pid") == "$start" ]] || return 1
  printf '%s' "$pid"
}

# process_runs FILE: whether the process that FILE notes still runs.
process_runs() {
  local pid start _ started
  { read -r pid start _ <"$1"; } 2>/dev/null && process_stat "$pid" && [[ -n $start && $started == "$start" ]]
}

# until_gone SECONDS FILE...: waits until no process that the files note runs; fails when the time is over.
until_gone() {
  local deadline=$(($(now_ms) + $1 * 1000)) file
  shift
  for file in "$@"; do
    while process_of "$file" >/dev/null; do
      (($(now_ms) < deadline)) || return 1
      sleep 0.02
    done
  done
}

# signal_noted SIGNAL FILE...: to each process that a file notes and that still runs.
signal_noted() {
  local signal=$1 file pid
  shift
  for file in "$@"; do
    if pid=$(process_of "$file"); then kill -s "$signal" "$pid" 2>/dev/null || :; fi
  done
}

# keeper_spawn LIB BIN SERVICE: starts a keeper in a session of its own and notes it; fails, with nothing running, where it cannot be noted.
# Called with the cluster's lock held: one keeper for a service.
keeper_spawn() {
  # Whoever runs this may have signals blocked or ignored; a keeper and its service must receive theirs.
  setsid env --default-signal "$1/keep" "$2" "$3" </dev/null >>"$RACHA_HOME/logs/keepers.log" 2>&1 &
  process_note "$RACHA_HOME/run/$3.keeper" $! || {
    kill -s TERM $! 2>/dev/null || :
    wait $! || :
    return 1
  }
  disown
}
