# shellcheck shell=bash
# What every command uses: words for people, options, the home folder.

say() { printf '%s\n' "$*" >&2; }

# fail MESSAGE...: one line a message, exit 1.
fail() {
  printf 'racha: %s\n' "$@" >&2
  exit 1
}

# misused MESSAGE: the command line is wrong, exit 2.
misused() {
  printf 'racha: %s\n' "$1" "see: deploy/racha help" >&2
  exit 2
}

is_service() {
  local service
  for service in "${services[@]}"; do [[ $1 != "$service" ]] || return 0; done
  return 1
}

require_service() {
  is_service "$1" || misused "there is no service \"$1\"; the services are: ${services[*]}"
}

# options ALLOWED ARGUMENT...: reads --home, and those of --http, --tcp, --json, --dismiss, -f that the words of ALLOWED name.
# Leaves what is no option in the array `operands`.
options() {
  local allowed=" --home $1 "
  shift
  home=${RACHA_HOME:-} http_port=${RACHA_HTTP_PORT:-} tcp_port=${RACHA_TCP_PORT:-} json='' dismiss='' follow='' operands=()
  while (($# > 0)); do
    local option=$1 value=''
    shift
    if [[ $option == --*=* ]]; then
      value=${option#*=} option=${option%%=*}
      set -- "$value" "$@"
    fi
    [[ $option != -* || $allowed == *" $option "* ]] || misused "unknown option $option"
    case $option in
      --home | --http | --tcp)
        (($# > 0)) && [[ -n $1 ]] || misused "$option needs a value"
        value=$1
        shift
        ;;&
      --home) home=$value ;;
      --http) http_port=$value ;;
      --tcp) tcp_port=$value ;;
      --json) json=yes ;;
      --dismiss) dismiss=yes ;;
      -f) follow=yes ;;
      *) operands+=("$option") ;;
    esac
  done
  home_path
}

# The home folder as an absolute path that the bus can use.
home_path() {
  if [[ -z $home ]]; then
    [[ -n ${HOME:-} ]] || fail "neither RACHA_HOME nor HOME is set; use --home DIR"
    home=$HOME/.racha
  fi
  home=$(realpath --canonicalize-missing -- "$home")
  # sockaddr_un holds 108 bytes, the last of them zero.
  local LC_ALL=C
  local longest="$home/sockets/notifications.requests"
  ((${#longest} <= 107)) || fail \
    "the path of the home folder is too long for Unix sockets: $home" \
    "it may have $((107 - ${#longest} + ${#home})) bytes and has ${#home}; choose another with --home DIR"
  home_own
  export RACHA_HOME=$home
}

# Another user's home would look like one where nothing runs.
home_own() {
  local folder
  [[ ! -e $home || -d $home ]] || fail "the home folder $home is not a folder"
  for folder in "$home" "$home/run"; do
    [[ ! -e $folder || (-r $folder && -w $folder && -x $folder) ]] || fail \
      "the home folder $home cannot be used by $(id --user --name): it belongs to $(stat --format=%U -- "$folder")" \
      "run this as that user, or choose another home with --home DIR"
  done
}

# home_close FOLDER...: nobody else may write there: they could replace our keys or stores by others.
home_close() {
  local folder mode
  for folder in "$@"; do
    [[ -O $folder ]] || fail \
      "$folder belongs to $(stat --dereference --format=%U -- "$folder"), who could put other keys and stores there" \
      "run this as that user, or choose another home with --home DIR"
    chmod go-w -- "$folder" 2>/dev/null || :
    mode=$(stat --dereference --format=%a -- "$folder")
    (((8#$mode & 8#22) == 0)) || fail "others can write $folder, and could put other keys and stores there" \
      "remove that permission: chmod go-w $folder"
  done
}

# Makes what is missing of the home folder, for its owner only.
home_make() {
  umask 077
  mkdir -p -- "$home" 2>/dev/null || fail "cannot create the home folder $home"
  home_close "$home"
  mkdir -p -- "$home"/{stores,sockets,logs,keys,mails,run} 2>/dev/null || fail "cannot create or write the home folder $home"
  [[ -w $home/run ]] || fail "cannot write the home folder $home"
  chmod 700 -- "$home"/{sockets,keys}
  home_close "$home"/{stores,sockets,logs,keys,mails,run}
}

# One command at a time changes a cluster; the next one waits for it.
home_lock() {
  exec {lock}>"$home/run/lock"
  flock --nonblock "$lock" && return
  say "Waiting for another racha command on $home…"
  flock --timeout 120 "$lock" || fail "another racha command has been running on $home for 120 s"
}

home_unlock() { exec {lock}>&-; }

# Of what was asked for only: what the defaults will be is known later.
ports_check() {
  [[ -z $http_port ]] || port_check --http "$http_port"
  [[ -z $tcp_port ]] || port_check --tcp "$tcp_port"
}

port_check() { # OPTION PORT
  if [[ $2 =~ ^[0-9]{1,5}$ ]] && ((10#$2 >= 1 && 10#$2 <= 65535)); then return; fi
  misused "$1 must be a port from 1 to 65535, not \"$2\""
}

# Ports and addresses: option, else environment, else default; the services get them by environment.
addresses_choose() {
  http_port=${http_port:-8080} tcp_port=${tcp_port:-8090}
  port_check --http "$http_port"
  port_check --tcp "$tcp_port"
  [[ $http_port != "$tcp_port" ]] || misused "HTTP and TCP need different ports; both are $http_port"
  http_host=${RACHA_HTTP_HOST:-127.0.0.1} tcp_host=${RACHA_TCP_HOST:-127.0.0.1}
  scheme=http
  if [[ -n ${RACHA_TLS_CERTIFICATE_FILE:-} ]] || grep --quiet '"certificateFile"' -- "${RACHA_CONFIG:-$home/racha.json}" 2>/dev/null; then
    scheme=https
  fi
  export RACHA_HTTP_PORT=$http_port RACHA_TCP_PORT=$tcp_port RACHA_HTTP_HOST=$http_host RACHA_TCP_HOST=$tcp_host
}

# What `up` chose, for the commands that come later.
addresses_write() {
  printf '%s\n' "http_host=$http_host" "http_port=$http_port" "tcp_host=$tcp_host" "tcp_port=$tcp_port" "bin=$bin" \
    "scheme=$scheme" >"$home/run/cluster.new"
  mv -- "$home/run/cluster.new" "$home/run/cluster"
}

# Fails where no cluster has been started since the last `down`.
addresses_read() {
  [[ -r $home/run/cluster ]] || return 1
  local key value
  while IFS='=' read -r key value; do
    case $key in
      http_host | http_port | tcp_host | tcp_port | bin | scheme) printf -v "$key" '%s' "$value" ;;
    esac
  done <"$home/run/cluster"
}

# reachable HOST: where a client on this machine reaches what listens at HOST.
reachable() {
  case $1 in
    0.0.0.0) printf '127.0.0.1' ;;
    ::) printf '[::1]' ;;
    *:*) printf '[%s]' "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

http_address() { printf '%s://%s:%s' "$scheme" "$(reachable "$http_host")" "$http_port"; }
tcp_address() { printf '%s:%s' "$(reachable "$tcp_host")" "$tcp_port"; }

# json_text TEXT: TEXT as a JSON string.
json_text() {
  local text=$1 out='' i character code
  for ((i = 0; i < ${#text}; i++)); do
    character=${text:i:1}
    case $character in
      '"' | \\) out+="\\$character" ;;
      [[:cntrl:]])
        printf -v code '%d' "'$character"
        printf -v character '\\u%04x' "$code"
        out+=$character
        ;;
      *) out+=$character ;;
    esac
  done
  printf '"%s"' "$out"
}
