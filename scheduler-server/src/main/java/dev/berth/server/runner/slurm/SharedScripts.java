package dev.berth.server.runner.slurm;

/**
 * The scripts that see to the shared directory. Each runs as the submitter, where the nodes' files are, with nothing in it that
 * anybody has chosen: what they work on are their arguments. The first two of all are {@code home} or {@code shared}, and the path.
 */
final class SharedScripts {
    /** What a script ends with where the directory is not one's own: another has made it to read what comes there. */
    static final int NOT_OWN = 41;

    /** What a hand-over ends with where another of the same is on its way. */
    static final int NOT_ITS_TURN = 43;

    /** What a hand-over ends with where one of a later turn was there before. */
    static final int LATER_TURN = 45;

    /** What a script ends with where the directory's path has characters that Slurm reads as its own. */
    static final int NOT_PLAIN = 44;

    /** What a removal ends with where some are still there. */
    static final int SOME_LEFT = 46;

    /** What a script ends with whose {@code sbatch} did not end in time (timeout(1)). */
    static final int LATE = 124;

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
     * Lays the directories of a hand-over out and gives it to Slurm, once however often this is run and broken off: a lock keeps two
     * runs apart, of which one may be left of a server that is gone, and one that comes late finds the number of a later turn.
     * Arguments: the hand-over's name; its turn, a number that grows; the seconds to wait for the lock and for {@code sbatch};
     * {@code known} where Slurm is known not to have it, else {@code ask}; whether an archive comes at standard input; {@code one} or
     * {@code array}; the bytes of the script, which come first there; a list of the tasks, each with its directory and the bytes of its
     * program's file, which come next ({@code 0:120 1:120}); the words of {@code sbatch}. The files of output are there from the
     * beginning: that one is not there, is remembered over NFS for a minute (nfs(5), "lookupcache"). Prints {@code handed} where Slurm has them
     * all, {@code there} where it may have some and nothing was done, the number of the later turn, or what {@code sbatch} says.
     */
    static final String HAND_OVER = ENTER + """
        name=$1 turn=$2 wait=$3 most=$4 mode=$5 archive=$6 kind=$7 script=$8
        shift 8
        parts=$1
        shift
        state=there
        if mkdir -- "$name" 2> /dev/null; then state=made; fi
        cd -- "$name" || exit 42
        case $PWD in *[!A-Za-z0-9_/.+@~\\ -]*) echo "$PWD" >&2; exit 44 ;; esac
        touch turn || exit 42
        if ! [ -f turn ]; then echo "$PWD/turn is no file" >&2; exit 42; fi
        exec 9>> turn
        flock -E 75 -w "$wait" 9 2> /dev/null
        if [ $? = 75 ]; then exit 43; fi
        last=$(cat turn)
        if [ "${last:-0}" -gt "$turn" ]; then printf '%s\\n' "$last"; exit 45; fi
        printf '%s\\n' "$turn" > turn || exit 42
        left= tasks=
        for part in $parts; do
          dir=${part%:*}
          if ! [ -e "$dir/handed" ] && ! [ -d "$dir/begun" ]; then left="$left $part" tasks="$tasks,$dir"; fi
        done
        if [ -z "$left" ]; then cat > /dev/null; echo handed; exit 0; fi
        if [ "$mode$state" = askthere ]; then cat > /dev/null; echo there; exit 0; fi
        file() { head -c "$2" > "$1" && [ "$(stat -c %s -- "$1")" = "$2" ]; }
        file body "$script" || exit 42
        task= of=
        if [ "$kind" = array ]; then
          task='/$SLURM_ARRAY_TASK_ID' of='/%a'
          set -- "$@" "--array=${tasks#,}"
        fi
        { printf '#!/bin/sh\\nexport BERTH_DIRECTORY="%s"\\n' "$PWD$task" && cat body; } > script || exit 42
        first= dirs=
        for part in $parts; do
          dir=${part%:*} bytes=${part##*:}
          case "$left " in *" $part "*) ;; *) head -c "$bytes" > /dev/null; continue ;; esac
          mkdir -p -- "$dir/outputs" && file "$dir/program" "$bytes" && touch -- "$dir/output" "$dir/error" "$dir/track" || exit 42
          chmod -R u+rwx "$dir/code" 2> /dev/null
          rm -rf -- "$dir/code" || exit 42
          first=${first:-$dir} dirs="$dirs $dir"
        done
        mkdir -- "$first/code" || exit 42
        if [ "$archive" = archive ]; then
          tar -x -p -f - --no-same-owner -C "$first/code" 2> unpacked || { cat unpacked >&2; exit 42; }
        fi
        cat > /dev/null
        for dir in $dirs; do
          if [ "$dir" != "$first" ]; then cp -a --reflink=auto -- "$first/code" "$dir/code" || exit 42; fi
        done
        timeout "$most" "$@" "--chdir=$PWD" "--output=$PWD$of/output" "--error=$PWD$of/error" script || exit
        for dir in $dirs; do touch -- "$dir/handed"; done
        exit 0
        """;

    /**
     * Prints what files have behind what is known. Arguments: the most bytes of one file, the most of all, and pairs of a path and the
     * bytes known of it. For each that has more: a line of the pair's number and the count of bytes, and those bytes. A last line
     * says {@code more} or {@code all}. Each is opened before it is measured: over NFS, the size of a file that is not may be a minute
     * old (nfs(5), "Close-to-open cache consistency"), and what a program wrote at its end would be missed. The sizes come in the order of
     * the files, and are read one by one: a shell that searches in all of them takes minutes for some hundred files.
     */
    static final String COLLECT = ENTER + """
        most=$1 left=$2 more=all number=0
        shift 2
        for word; do if [ -f "$word" ]; then true < "$word"; fi; done 2> /dev/null
        exec 3<<SIZES
        $(i=0; for word; do i=$((i + 1)); [ $((i % 2)) = 1 ] && printf '%s\\n' "$word"; done \\
          | xargs -r stat -L -c '%n=%F=%s' -- 2> /dev/null)
        SIZES
        next() { IFS= read -r line <&3 || line=; }
        next
        while [ $# -ge 2 ]; do
          case $line in
            "$1="*)
              found=${line#"$1="}
              next
              case $found in
                'regular file='*)
                  count=$((${found#*=} - $2))
                  if [ "$count" -gt "$most" ]; then count=$most; more=more; fi
                  if [ "$count" -gt "$left" ]; then count=$left; more=more; fi
                  if [ "$count" -gt 0 ]; then
                    printf '%s %s\\n' "$number" "$count"
                    tail -c "+$(($2 + 1))" -- "$1" | head -c "$count"
                    left=$((left - count))
                  fi ;;
              esac ;;
          esac
          number=$((number + 1))
          shift 2
        done
        printf '%s\\n' "$more"
        """;

    /**
     * Prints how programs ended, as they said at last themselves. Arguments: jobs. A line each: name, code, seconds since 1970, and why
     * the program never began, where that is so. The file is the user's, and so what it says is one of the words for that or none.
     */
    static final String ENDS = ENTER + """
        for name; do
          if [ -f "$name/end" ]; then
            read -r code why < "$name/end" || continue
            case $why in image | file | container) why=" $why" ;; *) why= ;; esac
            printf '%s %s %s%s\\n' "$name" "$code" "$(stat -c %Y -- "$name/end")" "$why"
          fi
        done
        """;

    /** Writes what a program has left in its output directory as a tar archive. Argument: the job. */
    static final String PACK = ENTER + """
            if [ -d "$1/outputs" ]; then cd -- "$1/outputs" || exit 42; exec tar -c -f - .; else exec tar -c -f - -T /dev/null; fi
            """;

    /**
     * Unpacks what a command writes. Arguments: where to; the line behind which the archive begins, empty where it begins at once; and
     * the command. Both have to come to their ends, and the shell of POSIX
     * tells of the last one of a pipe alone.
     */
    static final String UNPACK = """
            cd -- "$1" || exit 42
            mark=$2
            shift 2
            codes=$( { { "$@"; echo "$?" >&3; } | {
              while [ -n "$mark" ] && IFS= read -r line && [ "$line" != "$mark" ]; do :; done
              tar -x -f - --no-same-owner --no-same-permissions >&2
            }; echo "$?" >&3; } 3>&1 )
            [ "$codes" = "$(printf '0\\n0')" ] || exit 42
            """;

    /** Prints those jobs that have something in their output directories, or something that cannot be read. */
    static final String FILLED = ENTER + """
        for name; do
          if [ -d "$name/outputs" ]; then
            found=$(find "$name/outputs/" -mindepth 1 -maxdepth 1 -print -quit 2> /dev/null) || found=unknown
            if [ -n "$found" ]; then printf '%s\\n' "$name"; fi
          fi
        done
        """;

    /** Removes jobs' directories, and that of an array with the last of its tasks. Arguments: jobs. Prints those that are gone. */
    static final String REMOVE = ENTER + """
        code=0
        for name; do
          [ -d "$name/code" ] && chmod -R u+rwx -- "$name" 2> /dev/null
          rm -rf -- "$name" || { code=46; continue; }
          case $name in
            */*)
              array=${name%/*}
              if [ -d "$array" ]; then
                { flock -w 20 9; ls -d -- "$array"/[0-9]* > /dev/null 2>&1 || rm -rf -- "$array" || { code=46; continue; }; } \\
                  9>> "$array/turn"
              fi ;;
          esac
          printf '%s\\n' "$name"
        done
        exit "$code"
        """;

    /** Tries whether one can write there, and prints the directory. */
    static final String TRY = ENTER + """
        file=$(mktemp .berth-XXXXXX) && rm -f -- "$file" || exit 42
        printf '%s\\n' "$PWD"
        """;

    private SharedScripts() {}
}
