package dev.berth.server.runner.slurm;

/**
 * The scripts that see to the shared directory. Each runs as the submitter, where the nodes' files are, with nothing in it that
 * anybody has chosen: what they work on are their arguments. The first two of all are {@code home} or {@code shared}, and the path.
 */
final class SharedScripts {
    /** What a script ends with where the directory is not one's own: another has made it to read what comes there. */
    static final int NOT_OWN = 41;

    /**
     * What a script ends with where something could not be done in the directory. What it has said names files, which users call
     * as they like: so it is shown, and nothing follows from it.
     */
    static final int NOT_DONE = 42;

    /** Goes to the submitter's directory, in which each job has its own. */
    private static final String ENTER = """
        umask 077
        if [ "$1" = home ]; then base=$HOME/$2; [ -d "$base" ] || mkdir -p -- "$base" || exit 42
        else base=$2/$(id -un); [ -d "$base" ] || mkdir -- "$base" || exit 42; fi
        if [ -L "$base" ] || ! [ -O "$base" ]; then echo "$base is not $(id -un)'s own" >&2; exit 41; fi
        cd -- "$base" || exit 42
        shift 2
        """;

    /**
     * Makes a job's directory. Arguments: its name, the bytes of the program's file, which come first at standard input, and whether an
     * archive comes behind them. Says whether the directory is made, was there, or belongs to a program that has begun; then its
     * path.
     */
    static final String PREPARE = ENTER + """
        state=there
        if mkdir -- "$1" 2> /dev/null; then state=made; fi
        cd -- "$1" || exit 42
        if [ -d begun ]; then cat > /dev/null; printf 'begun\\n%s\\n' "$PWD"; exit 0; fi
        head -c "$2" > program.new && mv -f -- program.new program || exit 42
        chmod -R u+rwx code 2> /dev/null
        rm -rf code && mkdir code && mkdir -p outputs && : >> track || exit 42
        if [ "$3" = archive ]; then tar -x -p -f - --no-same-owner -C code || exit 42; fi
        cat > /dev/null
        printf '%s\\n%s\\n' "$state" "$PWD"
        """;

    /**
     * Prints what files have behind what is known. Arguments: the most bytes of one file, the most of all, and pairs of a path and the
     * bytes known of it. For each that has more: a line of the pair's number and the count of bytes, and those bytes. A last line
     * says {@code more} or {@code all}.
     */
    static final String COLLECT = ENTER + """
        most=$1 left=$2 more=all number=0
        shift 2
        sizes=$(i=0; for word; do i=$((i + 1)); [ $((i % 2)) = 1 ] && printf '%s\\n' "$word"; done \\
          | xargs -r stat -L -c '|%n=%F=%s|' -- 2> /dev/null)
        while [ $# -ge 2 ]; do
          rest=${sizes#*"|$1="}
          if [ "$rest" != "$sizes" ]; then
            rest=${rest%%"|"*}
            case $rest in
              'regular file='*)
                size=${rest#*=}
                count=$((size - $2))
                if [ "$count" -gt "$most" ]; then count=$most; more=more; fi
                if [ "$count" -gt "$left" ]; then count=$left; more=more; fi
                if [ "$count" -gt 0 ]; then
                  printf '%s %s\\n' "$number" "$count"
                  tail -c "+$(($2 + 1))" -- "$1" | head -c "$count"
                  left=$((left - count))
                fi ;;
            esac
          fi
          number=$((number + 1))
          shift 2
        done
        printf '%s\\n' "$more"
        """;

    /** Prints how programs ended, as they said at last themselves. Arguments: jobs. A line each: name, code, seconds since 1970. */
    static final String ENDS = ENTER + """
        for name; do
          if [ -f "$name/end" ]; then
            read -r code < "$name/end" && printf '%s %s %s\\n' "$name" "$code" "$(stat -c %Y -- "$name/end")"
          fi
        done
        """;

    /** Writes what a program has left in its output directory as a tar archive. Argument: the job. */
    static final String PACK = ENTER + """
            if cd -- "$1/outputs" 2> /dev/null; then exec tar -c -f - .; else exec tar -c -f - -T /dev/null; fi
            """;

    /**
     * Unpacks what a command writes. Arguments: where to, and the command. Both have to come to their ends, and the shell of POSIX
     * tells of the last one of a pipe alone.
     */
    static final String UNPACK = """
            cd -- "$1" || exit 42
            shift
            codes=$( { { "$@"; echo "$?" >&3; } | tar -x -f - --no-same-owner --no-same-permissions >&2; echo "$?" >&3; } 3>&1 )
            [ "$codes" = "$(printf '0\\n0')" ] || exit 42
            """;

    /** Removes jobs' directories. Arguments: jobs. */
    static final String REMOVE = ENTER + """
        for name; do
          [ -d "$name/code" ] && chmod -R u+rwx -- "$name" 2> /dev/null
          rm -rf -- "$name" || exit 42
        done
        """;

    /** Tries whether one can write there, and prints the directory. */
    static final String TRY = ENTER + """
        file=$(mktemp .berth-XXXXXX) && rm -f -- "$file" || exit 42
        printf '%s\\n' "$PWD"
        """;

    private SharedScripts() {}
}
