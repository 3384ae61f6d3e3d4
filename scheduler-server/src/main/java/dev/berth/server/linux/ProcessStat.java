package dev.berth.server.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The kernel's record of a process in {@code /proc/PID/stat} (proc(5)).
 *
 * @param name what it calls itself, 15 bytes of it at most: any process may take any name
 * @param state a letter; Z for one that has ended and that nobody asked for yet
 * @param flags of its first thread (PF_ in the kernel's {@code sched.h})
 * @param group the process group, by its leader's number
 * @param session the session, by its leader's number
 * @param threads how many it has, the first one included also when that has ended before the others
 */
public record ProcessStat(
        ProcessKey key, String name, char state, long flags, long parent, long group, long session, int threads) {
    /** The number of fields behind the name up to the start. */
    private static final int FIELDS = 20;

    private static final int FLAGS = 6;
    private static final int THREADS = 17;
    private static final int START = 19;

    /** PF_EXITING, set before a thread closes what it has open. */
    private static final long EXITING = 0x4;

    /**
     * The kernel's record of a process now; empty where it is cut short.
     *
     * @param proc where the kernel shows processes, {@code /proc}
     * @throws IOException where the process is gone, or cannot be looked at
     */
    public static Optional<ProcessStat> read(Path proc, long pid) throws IOException {
        Path file = proc.resolve(Long.toString(pid)).resolve("stat");
        return parse(pid, Files.readString(file, StandardCharsets.ISO_8859_1));
    }

    /** The text of that file; the name in parentheses may hold anything. Empty where it is cut short. */
    public static Optional<ProcessStat> parse(long pid, String text) {
        int begin = text.indexOf('(') + 1;
        int end = text.lastIndexOf(')');
        String[] fields = begin == 0 || end < begin
                ? new String[0]
                : text.substring(end + 1).strip().split(" ", FIELDS + 1);
        if (fields.length < FIELDS) {
            return Optional.empty();
        }
        return Optional.of(new ProcessStat(
                new ProcessKey(pid, Long.parseLong(fields[START])),
                text.substring(begin, end),
                fields[0].charAt(0),
                Long.parseLong(fields[FLAGS]),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Integer.parseInt(fields[THREADS])));
    }

    public long pid() {
        return key.pid();
    }

    public boolean hasEnded() {
        return state == 'X' || (state == 'Z' && threads <= 1);
    }

    /**
     * Whether its first thread has ended or is ending. That is the end of the whole program only where the first thread never
     * ends before the others, as in programs in Go.
     */
    public boolean isEnding() {
        return hasEnded() || (flags & EXITING) != 0;
    }
}
