# shellcheck shell=bash
# up, down, restart, demo: what changes or needs a running cluster. Each service has a keeper (deploy/lib/keep).

ready_seconds=${RACHA_UP_SECONDS:-60}

# Sets `kept` to the services whose keepers run, `unkept` to the others.
keepers_find() {
  local service
  kept=() unkept=()
  for service in "${services[@]}"; do
    if process_of "$home/run/$service.keeper" >/dev/null; then kept+=("$service"); else unkept+=("$service"); fi
  done
}

keeper_start() { # SERVICE
  # Left over from a keeper that was killed: two processes on one store must not be.
  end_noted "$home/run/$1.service"
  rm -f -- "$home/run/$1.restarts"
  keeper_spawn "$here/lib" "$bin" "$1" || fail "the keeper of $1 did not start; is the disk full? see $home/logs/keepers.log"
}

# end_noted FILE...: the noted processes are asked to end, and 8 s later (a keeper gives its service 5) made to.
end_noted() {
  signal_noted TERM "$@"
  until_gone 8 "$@" || {
    signal_noted KILL "$@"
    until_gone 2 "$@" || fail "these processes cannot be ended: $*"
  }
}

cluster_end() {
  local -a keepers=("${services[@]/#/"$home/run/"}")
  end_noted "${keepers[@]/%/.keeper}"
  end_noted "${keepers[@]/%/.service}"
  rm -f -- "$home"/run/*.{keeper,service,restarts,new} "$home/run/cluster"
  find "$home/sockets" -mindepth 1 -delete
}

# ready: does the gateway say that all six are? Leaves its answer in `readiness`.
ready() {
  local code
  readiness=$(curl --silent --noproxy '*' --insecure --max-time 2 --write-out '\n%{http_code}' "$(http_address)/readyz" 2>/dev/null) || :
  code=${readiness##*$'\n'} readiness=${readiness%$'\n'*}
  [[ $code == 200 ]]
}

# port_taken PORT: does anything listen at it here? From the kernel's tables: state 0A is LISTEN, the port is in hexadecimal.
port_taken() {
  local hex local_address state _
  printf -v hex '%04X' "$1"
  while read -r _ local_address _ state _; do
    [[ $state != 0A || ${local_address##*:} != "$hex" ]] || return 0
  done < <(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
  return 1
}

ports_free() {
  local option port
  while read -r option port; do
    ! port_taken "$port" || fail "port $port is taken by another program; choose another: deploy/racha up --$option PORT"
  done <<<"http $http_port"$'\n'"tcp $tcp_port"
}

# Sets `culprit` to a service that does not stay up; fails where there is none.
find_culprit() {
  local service
  for service in "${services[@]}"; do
    if (($(restarts_of "$service") >= 3)); then
      culprit=$service
      return 0
    fi
  done
  return 1
}

# Sets `said` to how much each service had logged before this start.
logs_mark() {
  local service
  for service in "${services[@]}"; do
    said[$service]=$(stat --format=%s -- "$home/logs/$service.log" 2>/dev/null) || said[$service]=0
  done
}

# logs_since_mark SERVICE: what it has logged since; all of a log that was begun anew meanwhile.
logs_since_mark() {
  local log=$home/logs/$1.log size
  size=$(stat --format=%s -- "$log") || return 0
  ((size >= said[$1])) || said[$1]=0
  tail --bytes=+$((said[$1] + 1)) -- "$log"
}

# Says the last words of services in this start, exit 1.
give_up() { # MESSAGE LINES SERVICE...
  local lines=$2 service
  say "racha: $1"
  shift 2
  for service in "$@"; do
    say "the end of $home/logs/$service.log:"
    logs_since_mark "$service" | tail --lines="$lines" >&2 || :
  done
  fail "the cluster did not start and was stopped again; everything that its services logged is in $home/logs"
}

# waiting_begin, then waiting_goes_on as often as the cluster is found not to be ready: succeeds until nothing has advanced for $ready_seconds.
# What advances is a service that takes in what others have published: /readyz says of each that does how many events it has taken. And one that
# migrates its store: it does not answer yet, but a file beside the store names the migration, and its process uses processor time or reads or
# writes. One that dies amid it again and again makes no progress.
waiting_begin() {
  local service
  advanced_at=$(now_ms) told_at=$advanced_at looked_at=$advanced_at taken=()
  for service in "${services[@]}"; do taken[$service/restarts]=$(restarts_of "$service"); done
}

restarts_of() { # SERVICE
  local count=0
  { read -r count <"$home/run/$1.restarts"; } 2>/dev/null || :
  printf '%d' "$count"
}

# work_of PID: a number that grows with what the process computes, reads and writes, and while it waits for the disk.
work_of() {
  local key value sum=0 _ state user system
  # The processor time is in the 14th and 15th field, the 12th and 13th behind the name in parentheses.
  { IFS= read -r value <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -r state _ _ _ _ _ _ _ _ _ _ user system _ <<<"${value##*) }"
  sum=$((user + system))
  [[ $state != D ]] || sum=$((sum + now))
  while read -r key value; do
    [[ $key != rchar: && $key != wchar: ]] || sum=$((sum + value))
  done 2>/dev/null <"/proc/$1/io"
  printf '%s' "$sum"
}

# Adds what migrates to `line`, and notes whether it works.
look_at_migrations() {
  local service migration pid work
  for service in "${services[@]}"; do
    { IFS= read -r migration || [[ -n $migration ]]; } 2>/dev/null <"$home/stores/$service.sqlite.migration" || continue
    pid=$(process_of "$home/run/$service.service") || continue
    (($(restarts_of "$service") < taken[$service/restarts] + 3)) || continue
    work=$(work_of "$pid") || continue
    line+="${line:+; }$service is migrating its store: $migration"
    if [[ ${taken[$service/store]:-} != "$work" ]]; then advanced_at=$now taken[$service/store]=$work; fi
  done
}

waiting_goes_on() {
  local now rest=${readiness:-} service='' row part fields total line='' key
  local -A found=()
  now=$(now_ms)
  # {"service":"social",…,"problems":[{"part":"subscriber.identity","state":"catchingUp","done":5000,"total":9000},…]},…
  while [[ $rest =~ (\"service\":\"([a-z]+)\"|\{\"part\":\"subscriber\.([a-z]+)\",\"state\":\"catchingUp\"([^}]*)\}) ]]; do
    row=${BASH_REMATCH[1]} part=${BASH_REMATCH[3]} fields=${BASH_REMATCH[4]}
    if [[ -z $part ]]; then
      service=${BASH_REMATCH[2]}
    elif [[ $fields =~ \"done\":([0-9]+) ]]; then
      key=$service/$part
      found[$key]=${BASH_REMATCH[1]}
      total=''
      [[ ! $fields =~ \"total\":([0-9]+) ]] || total=" of ${BASH_REMATCH[1]}"
      line+="${line:+; }$service has taken in ${found[$key]}$total events of $part"
      if [[ -z ${taken[$key]:-} ]] || ((found[$key] != taken[$key])); then
        # The first of them, too: it has begun. Fewer are those of a process that was started anew.
        advanced_at=$now taken[$key]=${found[$key]}
      fi
    fi
    rest=${rest#*"$row"}
  done
  # Not at each look, of which there are many in a second.
  if ((now - looked_at >= 1000)); then
    looked_at=$now
    look_at_migrations
  fi
  if [[ -n $line ]] && ((now - told_at >= (ready_seconds < 10 ? ready_seconds * 500 : 5000))); then
    say "$line"
    told_at=$now
  fi
  ((now - advanced_at < ready_seconds * 1000))
}

# Returns when all six are ready; ends the process when it is `interrupted`.
await_ready() {
  local culprit advanced_at told_at looked_at
  local -A taken
  waiting_begin
  until ready; do
    [[ -z $interrupted ]] || exit
    ! find_culprit || give_up "$culprit does not stay up" 20 "$culprit"
    waiting_goes_on ||
      give_up "not ready, and no progress for $ready_seconds s; /readyz answers: ${readiness:-nothing}" 5 "${services[@]}"
    sleep 0.02
  done
}

addresses_print() {
  cat <<TEXT
  HTTP      $(http_address)  (the documentation: $(http_address)/docs)
  JSON-RPC  $(tcp_address), one message a line
  home      $home
TEXT
}

# Where mails are files: the address at which a browser opens them, with its code, if the gateway takes it; else why the mailbox is closed.
mailbox_print() {
  local file=$home/keys/mailbox address answer
  address=$(http_address)/mailbox
  [[ ! -r $file ]] || address+='?code='$(base64 --wrap=0 -- "$file" | tr '+/' '-_' | tr --delete '=')
  # Not as an argument, which others on this machine could read.
  answer=$(printf 'url = "%s"\n' "$address" | curl --silent --noproxy '*' --insecure --max-time 2 --write-out '\n%{http_code}' \
    --config - 2>/dev/null) || return 0
  if [[ ${answer##*$'\n'} == 303 ]]; then
    printf '  mails     %s\n' "$address"
  elif [[ $answer =~ data-code=\"mailbox_(closed|code_missing)\"\>([^\<]*) ]]; then
    answer=${BASH_REMATCH[2]//&#39;/\'}
    answer=${answer//&#x27;/\'}
    printf '  mails     %s\n' "$answer"
  fi
}

# Starts all six and waits until they are ready, which took `took` milliseconds; whatever else ends it, it leaves nothing running.
#
# The starting is a process of its own, which is asked to end by TERM alone: bash takes an INT that comes while it waits for a command for the
# command's, and may drop it.
start_all() {
  local starter='' interrupted='' status=0 begun
  begun=$(now_ms)
  trap cluster_end EXIT
  trap 'interrupted=yes; [[ -z $starter ]] || kill -s TERM "$starter" 2>/dev/null || :' INT TERM HUP
  start_and_await &
  starter=$!
  [[ -z $interrupted ]] || kill -s TERM "$starter" 2>/dev/null || :
  # A signal ends `wait`, too.
  while process_started "$starter" >/dev/null; do
    wait "$starter" || :
  done
  wait "$starter" || status=$?
  # PIPE, too: whoever read what this says may be gone with the interrupt.
  trap '' INT TERM HUP PIPE
  if [[ -n $interrupted ]]; then
    say "racha: interrupted, stopping" 2>/dev/null || :
    status=130
  fi
  ((status == 0)) || exit "$status"
  trap - EXIT INT TERM HUP PIPE
  took=$(($(now_ms) - begun))
}

# What start_all does in a process of its own: it ends where a keeper that was started is noted.
start_and_await() {
  local service
  local -A said=()
  trap 'interrupted=yes' TERM HUP
  logs_mark
  addresses_write
  for service in "${services[@]}"; do
    [[ -z $interrupted ]] || exit
    keeper_start "$service"
  done
  await_ready
}

# Where any keeper runs: succeeds once all six do and are ready, if nobody asks for other ports. What is missing, the keepers that run start again,
# with the settings that they were started with; what runs is left alone.
up_again() {
  local asked_http=$1 asked_tcp=$2 lacking=''
  addresses_read || fail "$home/run/cluster is missing; deploy/racha down, then up"
  [[ ${asked_http:-$http_port} == "$http_port" && ${asked_tcp:-$tcp_port} == "$tcp_port" ]] || fail \
    "the cluster in $home already runs, with HTTP on port $http_port and JSON-RPC on port $tcp_port" \
    "to change them: deploy/racha down, then up"
  local advanced_at told_at looked_at
  local -A taken
  waiting_begin
  while :; do
    keepers_find
    if ((${#unkept[@]} == 0)); then
      ! ready || break
    elif [[ -z $lacking ]]; then
      lacking=${unkept[*]}
      say "The cluster in $home lacks $lacking: waiting for the others' keepers to start it again"
    fi
    waiting_goes_on || fail "the cluster in $home runs but is not ready, and made no progress for $ready_seconds s: ${readiness:-no answer}" "see: deploy/racha status"
    sleep 0.1
  done
  if [[ -n $lacking ]]; then
    printf 'Racha runs completely again and is ready.\n'
  else
    printf 'Racha already runs and is ready. To run what changed since: deploy/racha restart\n'
  fi
  addresses_print
  mailbox_print
}

cluster_up() {
  options '--http --tcp' "$@"
  ((${#operands[@]} == 0)) || misused "up takes no \"${operands[0]}\""
  ports_check
  local kept unkept took bin='' asked_http=$http_port asked_tcp=$tcp_port
  while :; do
    keepers_find
    if ((${#kept[@]} == 0)) && [[ -z $bin ]]; then
      addresses_choose
      home_make
      # Before the lock, so that `down` need not wait for the build.
      build_cluster
    fi
    home_lock
    keepers_find
    if ((${#kept[@]} > 0)); then
      # The keepers need the lock to start what is missing.
      home_unlock
      up_again "$asked_http" "$asked_tcp"
      return
    fi
    [[ -z $bin ]] || break
    # It was stopped meanwhile, and nothing is built yet.
    home_unlock
  done
  [[ ! -e $home/restoring ]] || fail "a restore of $home was interrupted; run it again: deploy/racha restore DIR"
  ports_free
  start_all
  printf 'Racha is ready, %d.%02d s after the start.\n' $((took / 1000)) $((took % 1000 / 10))
  addresses_print
  mailbox_print
}

cluster_down() {
  options '' "$@"
  ((${#operands[@]} == 0)) || misused "down takes no \"${operands[0]}\""
  if [[ ! -d $home/run ]]; then
    printf 'There is no cluster in %s.\n' "$home"
    return
  fi
  home_lock
  local kept unkept
  keepers_find
  cluster_end
  if ((${#kept[@]} > 0)); then
    printf 'Racha in %s is stopped.\n' "$home"
  else
    printf 'Racha in %s was not running.\n' "$home"
  fi
}

cluster_require() {
  addresses_read || fail "no cluster runs in $home; start it: deploy/racha up --home $home"
}

cluster_restart() {
  options '' "$@"
  ((${#operands[@]} <= 1)) || misused "restart takes one service, or none for all six"
  local chosen=("${services[@]}") service bin
  if ((${#operands[@]} == 1)); then
    require_service "${operands[0]}"
    chosen=("${operands[0]}")
  fi
  cluster_require
  local running_bin=$bin
  # What runs from elsewhere is not built here.
  # What an earlier launcher built ran from where it was built.
  [[ $bin == "$(programs_folder)" || $bin == "$root/.build/release" ]] || RACHA_BIN=${RACHA_BIN:-$bin}
  build_cluster
  [[ $bin == "$running_bin" ]] || fail "the cluster in $home runs from $running_bin, not $bin; deploy/racha down, then up"
  home_lock
  cluster_require
  for service in "${chosen[@]}"; do
    process_of "$home/run/$service.keeper" >/dev/null || fail "$service has no keeper at the moment; deploy/racha up waits until it runs again"
  done
  # One after the other: what asks one of them meanwhile waits for its new process, and finds all others there.
  for service in "${chosen[@]}"; do service_renew "$service"; done
  printf 'Restarted and ready: %s\n' "${chosen[*]}"
}

# service_renew SERVICE: has its keeper start it anew, and returns when the cluster is ready with it.
service_renew() {
  local old new deadline advanced_at told_at looked_at
  local -A taken
  old=$(process_of "$home/run/$1.service" || :)
  signal_noted USR1 "$home/run/$1.keeper"
  # The keeper gives the old process 5 s to end.
  deadline=$(($(now_ms) + 10000))
  until new=$(process_of "$home/run/$1.service") && [[ $new != "$old" ]]; do
    (($(now_ms) < deadline)) || fail "$1 was not restarted; see: deploy/racha logs $1"
    sleep 0.02
  done
  waiting_begin
  until ready; do
    waiting_goes_on ||
      fail "not ready after the restart of $1: ${readiness:-no answer}" "see: deploy/racha logs $1"
    sleep 0.05
  done
}

# The rest of the command line is the demo's own.
cluster_demo() {
  local rest=()
  while (($# > 0)); do
    case $1 in
      --home) rest+=("$1" "${2-}") && shift $(($# > 1 ? 2 : 1)) ;;
      --home=*) rest+=("$1") && shift ;;
      *) break ;;
    esac
  done
  options '' "${rest[@]}"
  cluster_require
  ready || fail "the cluster in $home is not ready; see: deploy/racha status"
  [[ -n ${RACHA_BIN:-} || $bin != "$(programs_folder)" ]] || build_programs racha-demo || fail "the build failed"
  [[ -x $bin/racha-demo ]] || fail "there is no executable $bin/racha-demo"
  # Whatever certificate it has, as `ready` takes it: this is the cluster on this machine.
  exec "$bin/racha-demo" --insecure --http "$(http_address)" --home "$home" "$@"
}

# The first administrator cannot be made by another one.
cluster_administrator() {
  options '--dismiss' "$@"
  ((${#operands[@]} == 1)) || misused "administrator needs the account's username"
  local bin
  cluster_require
  admin_require
  RACHA_HOME=$home exec "$bin/racha-admin" administrator ${dismiss:+--dismiss} -- "${operands[0]}"
}
