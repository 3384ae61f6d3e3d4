package dev.berth.server.lease;

import java.util.Optional;

/**
 * What the kernel says of a process in {@code /proc/PID/stat} (proc(5)).
 *
 * @param state a letter; Z for one that has ended and that nobody asked for yet
 * @param group the process group, by its leader's number
 * @param session the session, by its leader's number
 * @param threads how many it has, the first one included also when that has ended before the others
 */
record ProcessStat(ProcessKey key, char state, long parent, long group, long session, int threads) {
    /** How many fields stand behind the name up to the start. */
    private static final int FIELDS = 20;

    private static final int THREADS = 17;
    private static final int START = 19;

    /** The text of that file; the name in parentheses may hold anything. Empty where it is cut short. */
    static Optional<ProcessStat> parse(long pid, String text) {
        int name = text.lastIndexOf(')');
        String[] fields =
                name < 0 ? new String[0] : text.substring(name + 1).strip().split(" ", FIELDS + 1);
        if (fields.length < FIELDS) {
            return Optional.empty();
        }
        return Optional.of(new ProcessStat(
                new ProcessKey(pid, Long.parseLong(fields[START])),
                fields[0].charAt(0),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Integer.parseInt(fields[THREADS])));
    }

    long pid() {
        return key.pid();
    }

    boolean hasEnded() {
        return state == 'X' || (state == 'Z' && threads <= 1);
    }
}
