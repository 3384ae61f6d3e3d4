# Runs the tasks of a pack: pack.sh DIRECTORY PARALLEL LIMIT BEFORE SIGNAL GRACE TASK...
#
# LIMIT, BEFORE and GRACE are whole seconds: the time limit of a task (0 for none), how long before that it is sent SIGNAL
# (0 for never), and from TERM to KILL. Each TASK has a directory with `start`, which runs its program, and the files that this
# script writes: stdout, stderr, `began` before its program begins, `pid`, and `ended` with how it did and its exit code. The
# server makes `stop` there where the task is to end, and then sends CONT.
#
# For any POSIX shell, with nothing but mkdir and sleep; setsid is made use of where it is there.
set -u
D=$1 PARALLEL=$2 LIMIT=$3 BEFORE=$4 SIGNAL=$5 GRACE=$6
shift 6

# The processes of a task are a session of their own, so that all of them are reached.
SESSION=
if command -v setsid >/dev/null 2>&1; then SESSION=setsid; fi

send() { # SIGNAL TASK: to what runs of a task
    [ -s "$D/$2/pid" ] && [ ! -s "$D/$2/ended" ] || return 0
    read -r pid < "$D/$2/pid" || return 0
    if [ -n "$SESSION" ]; then
        # One that has just begun has no session yet.
        kill -s "$1" -- "-$pid" 2>/dev/null || kill -s "$1" "$pid" 2>/dev/null
    else
        kill -s "$1" "$pid" 2>/dev/null
    fi
    return 0
}

kills() { # how often the kernel has ended a process of this container for want of memory
    for events in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
        [ -r "$events" ] || continue
        while read -r name value; do
            if [ "$name" = oom_kill ]; then echo "$value"; fi
        done < "$events"
    done
}

end() { # TASK: TERM, and KILL after a while
    send TERM "$1"
    ( sleep "$GRACE"; send KILL "$1" ) &
}

watch() { # TASK: its time limit
    if [ "$BEFORE" -gt 0 ]; then
        sleep $((LIMIT - BEFORE))
        send "$SIGNAL" "$1"
        sleep "$BEFORE"
    else
        sleep "$LIMIT"
    fi
    [ -s "$D/$1/ended" ] && return 0
    mkdir "$D/turns/late.$1"
    send TERM "$1"
    sleep "$GRACE"
    send KILL "$1"
}

run() { # TASK; fails where nothing of it was to begin
    if [ -e "$D/$1/stop" ]; then
        echo "skipped" > "$D/$1/ended"
        return 0
    fi
    kills=$(kills)
    echo "began" > "$D/$1/began" || return 1
    $SESSION /bin/sh "$D/$1/start" < /dev/null >> "$D/$1/stdout" 2>> "$D/$1/stderr" &
    task=$!
    echo "$task" > "$D/$1/pid"
    watch=
    if [ "$LIMIT" -gt 0 ]; then
        watch "$1" < /dev/null > /dev/null 2>&1 &
        watch=$!
    fi
    # Asked for meanwhile, before there was anything to send it to.
    if [ -e "$D/$1/stop" ] || [ -d "$D/turns/over" ]; then end "$1"; fi
    wait "$task"
    code=$?
    if [ -d "$D/turns/over" ]; then how=stopped
    elif [ -e "$D/$1/stop" ]; then how=cancelled
    elif [ -d "$D/turns/late.$1" ]; then how=timeout
    elif [ "$code" -eq 137 ] && [ "$(kills)" != "$kills" ]; then how=oom
    else how=exit
    fi
    # What it started in the background ends with it, as it would with a container.
    if [ -n "$SESSION" ]; then kill -s KILL -- "-$task" 2>/dev/null; fi
    echo "$how $code" > "$D/$1/ended"
    if [ -n "$watch" ]; then kill -s KILL "$watch" 2>/dev/null; fi
    return 0
}

work() { # TASK...: one after the other, each that nobody else has taken
    trap - TERM CONT
    for next in "$@"; do
        [ -d "$D/turns/over" ] && return 0
        mkdir "$D/turns/$next" 2>/dev/null || continue
        run "$next" || return 1
    done
}

over() {
    mkdir "$D/turns/over" 2>/dev/null
    for one in "$@"; do send TERM "$one"; done
}

stop() {
    for one in "$@"; do
        if [ -e "$D/$one/stop" ] && [ -s "$D/$one/pid" ] && [ ! -d "$D/turns/stop.$one" ]; then
            mkdir "$D/turns/stop.$one"
            end "$one"
        fi
    done
}

trap 'over "$@"' TERM
trap 'stop "$@"' CONT

workers=
n=0
while [ "$n" -lt "$PARALLEL" ]; do
    work "$@" &
    workers="$workers $!"
    n=$((n + 1))
done
failed=0
for worker in $workers; do
    # A trap breaks off the wait.
    while :; do
        wait "$worker"
        code=$?
        if [ "$code" -gt 128 ] && kill -s 0 "$worker" 2>/dev/null; then continue; fi
        break
    done
    [ "$code" -eq 0 ] || failed=1
done
exit "$failed"
