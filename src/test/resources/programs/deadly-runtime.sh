#!/bin/sh
# A container runtime that kills its engine once, in the middle of a start: where a file "deadly" lies beside it, which
# says at which verb (create, start), whether before or after it, how many seconds later, and in which file the number of
# the process is that dies; "shim" is the process that called this runtime. "runtime" is this one itself, which waits that
# long; with "error" it waits, and ends with an error. "told" seconds later is once there is a file "told" beside it.
# A file "failing" has it end with an error after each start.
here=$(dirname "$0")
verb=
for word; do
  case $word in create | start) verb=$word && break ;; esac
done

# At most a minute: anyone who is to tell may have ended.
pass() {
  [ "$1" != told ] && sleep "$1" && return
  for _ in $(seq 1200); do [ -e "$here/told" ] && return || sleep 0.05; done
}

strike() {
  [ "$verb $1" = "start after" ] && [ -e "$here/failing" ] && exit 1
  [ "$verb" ] && grep -qsx "$verb $1 .*" "$here/deadly" || return 0
  mv "$here/deadly" "$here/struck" 2>/dev/null || return 0
  read -r _ _ later victim <"$here/struck"
  case $victim in
    runtime) pass "$later" && kill -9 $$ ;;
    error) pass "$later" && exit 1 ;;
    shim) victim=$PPID ;;
    *) victim=$(cat "$here/../$victim") ;;
  esac
  if [ "$later" = 0 ]; then
    kill -9 "$victim"
  else
    (setsid sh -c "sleep $later; kill -9 $victim" </dev/null >/dev/null 2>&1 &)
  fi
}

strike before
"$here/nvidia-container-runtime.real" "$@"
status=$?
strike after
exit "$status"
