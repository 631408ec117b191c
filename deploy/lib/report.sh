# shellcheck shell=bash
# status and logs: what a cluster is doing.

page_bytes=$(getconf PAGESIZE) ticks=$(getconf CLK_TCK)

# Sets pid, up_seconds, restarts and memory_bytes of a service; fails where it does not run.
service_facts() { # SERVICE
  local start up pages _
  pid=$(process_of "$home/run/$1.service") || return 1
  { read -r _ start restarts <"$home/run/$1.service" && read -r _ pages _ <"/proc/$pid/statm"; } 2>/dev/null || return 1
  read -r up _ </proc/uptime
  up_seconds=$((10#${up%.*} - start / ticks)) memory_bytes=$((pages * page_bytes))
}

status_json() { # STATE
  local service pid up_seconds restarts memory_bytes separator=''
  printf '{"state":"%s","home":%s' "$1" "$(json_text "$home")"
  if [[ $1 != stopped ]]; then
    printf ',"http":%s,"tcp":%s' "$(json_text "$(http_address)")" "$(json_text "$(tcp_address)")"
    # The gateway's own words, where it said any.
    [[ $readiness != '{'* ]] || printf ',"readiness":%s' "$readiness"
  fi
  printf ',"services":['
  for service in "${services[@]}"; do
    printf '%s{"name":"%s","running":' "$separator" "$service"
    if service_facts "$service"; then
      printf 'true,"pid":%d,"uptimeSeconds":%d,"restarts":%d,"memoryBytes":%d}' "$pid" "$up_seconds" "$restarts" "$memory_bytes"
    else
      printf 'false}'
    fi
    separator=,
  done
  printf ']}\n'
}

status_text() { # STATE
  local service pid up_seconds restarts memory_bytes
  printf 'Racha is %s.\n' "${1//_/ }"
  if [[ $1 == stopped ]]; then
    printf '  home      %s\n' "$home"
    return
  fi
  addresses_print
  printf '\n  %-14s %8s %10s %9s %8s\n' service pid 'up (s)' restarts memory
  for service in "${services[@]}"; do
    if service_facts "$service"; then
      printf '  %-14s %8d %10d %9d %5d MB\n' "$service" "$pid" "$up_seconds" "$restarts" $((memory_bytes / 1000000))
    else
      printf '  %-14s %8s\n' "$service" 'down'
    fi
  done
  if [[ $1 == degraded ]]; then
    report_degraded
    return
  fi
  [[ $1 == ready ]] || printf '\n  /readyz answers: %s\n' "${readiness:-nothing}"
}

# report_degraded: says of each service that cannot write why, from the gateway's words.
report_degraded() {
  local service row
  printf '\n'
  for service in "${services[@]}"; do
    row=${readiness#*"\"service\":\"$service\""}
    row=${row%%"\"service\":"*}
    case $row in
      *'"storageFull"'*) printf '  %s can read but refuses writes: the disk of its store is full\n' "$service" ;;
      *'"storageReadOnly"'*) printf '  %s can read but refuses writes: the disk of its store is read-only\n' "$service" ;;
    esac
  done
  df --human-readable --output=source,avail,pcent,target -- "$home/stores" 2>/dev/null | sed 's/^/  /'
}

cluster_status() {
  options --json "$@"
  ((${#operands[@]} == 0)) || misused "status takes no \"${operands[0]}\""
  local state=stopped code=3 readiness=''
  if addresses_read; then
    if ! ready; then
      state=not_ready code=1
    elif [[ $readiness == '{"status":"degraded"'* ]]; then
      state=degraded code=1
    else
      state=ready code=0
    fi
  fi
  if [[ -n $json ]]; then status_json "$state"; else status_text "$state"; fi
  return "$code"
}

cluster_logs() {
  options -f "$@"
  ((${#operands[@]} <= 1)) || misused "logs takes one service, or none for all six"
  local chosen=("${services[@]}") files=() service
  if ((${#operands[@]} == 1)); then
    require_service "${operands[0]}"
    chosen=("${operands[0]}")
  fi
  for service in "${chosen[@]}"; do
    # With -f, logs that are yet to come count, too.
    [[ ! -e $home/logs/$service.log && -z $follow ]] || files+=("$home/logs/$service.log")
  done
  ((${#files[@]} > 0)) || fail "there are no logs in $home/logs"
  # -F goes on in the new file when a log was rotated.
  exec tail --quiet --lines=100 ${follow:+-F} -- "${files[@]}"
}
