# shellcheck shell=bash
# The rules of deploy/lib/keep: when to start a service again, and how its log is kept within bounds.

# next_delay DELAY LIFETIME: how many milliseconds to wait before the next start of a service that lived LIFETIME after a wait of
# DELAY: 0.1 s, then double, at most 10 s; from the beginning again after 30 s of life.
next_delay() {
  local delay=$(($1 * 2))
  ((delay > 0 && $2 < 30000)) || delay=100
  ((delay <= 10000)) || delay=10000
  printf '%d' "$delay"
}

# keep_log LOG LIMIT FILES: appends standard input to LOG, line by line whole, until it ends. At LIMIT bytes LOG becomes LOG.1, LOG.1
# becomes LOG.2…; FILES are kept, LOG among them. No line is lost or cut: `head` takes exactly the bytes that still fit, unbuffered,
# and the line it stops in is ended in the same file. On a full disk lines are dropped, so that the service goes on.
keep_log() {
  local log=$1 limit=$2 files=$3 size line i
  trap '' HUP INT TERM # it ends with its input, so that a stopping service's last words are kept
  while :; do
    size=$(stat --format=%s -- "$log" 2>/dev/null) || size=0
    if ((size < limit)); then
      stdbuf --output=0 head --bytes=$((limit - size)) >>"$log" 2>/dev/null || :
    fi
    if ! IFS= read -r line; then
      # The end of the input, perhaps within a line.
      [[ -z $line ]] || printf '%s' "$line" >>"$log" || :
      [[ -z $(tail --bytes=1 -- "$log") ]] || printf '\n' >>"$log" || :
      return 0
    fi
    printf '%s\n' "$line" >>"$log" || :
    size=$(stat --format=%s -- "$log" 2>/dev/null) || size=0
    ((size >= limit)) || continue
    for ((i = files - 1; i > 1; i--)); do
      [[ ! -e $log.$((i - 1)) ]] || mv -f -- "$log.$((i - 1))" "$log.$i"
    done
    mv -f -- "$log" "$log.1"
  done
}
