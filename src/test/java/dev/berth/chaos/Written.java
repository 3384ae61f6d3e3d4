package dev.berth.chaos;

/** The lines that the program of a chaos job writes, in ISO 8859-1; chaos.py makes the same ones. */
final class Written {
    private static final int SLOW_MILLIS = 7_000;
    private static final int SLOW_STEPS = 60;

    private static final int MAX_PIECES = 3;

    /** What is longer is written at once, and lacks one piece at most. */
    private static final int MAX_SOUGHT = 1_000;

    /** U+FFFD, which the engine's copy of a log has for each byte that is no character. */
    private static final String REPLACEMENT = "\u00ef\u00bf\u00bd";

    private Written() {}

    /**
     * A line without its end.
     *
     * @param head the stream and the attempt
     * @param millis how long the program runs
     */
    static String line(String head, int number, int millis) {
        return head + number + " " + (isSlow(head, number, millis) ? slow() : body(number));
    }

    private static boolean isSlow(String head, int number, int millis) {
        return number == 1 && head.startsWith("err") && millis >= SLOW_MILLIS;
    }

    private static String slow() {
        StringBuilder bar = new StringBuilder();
        for (int step = 0; step < SLOW_STEPS; step++) {
            bar.append("\r%3d".formatted(step));
        }
        return bar.toString();
    }

    private static String body(int number) {
        if (number % 13 == 5) {
            StringBuilder bytes = new StringBuilder();
            for (int at = 0; at < 200; at++) {
                int each = (number * 31 + at * 7) % 256;
                bytes.append(each == '\n' ? "" : Character.toString(each));
            }
            return bytes.toString();
        }
        if (number % 13 == 9) {
            StringBuilder bar = new StringBuilder();
            for (int step = 0; step < 100; step += 5) {
                bar.append("\r%3d%%".formatted(step));
            }
            return bar.toString();
        }
        return number == 30 ? "y".repeat(100 << 10) : "x".repeat(number * 37 % 300);
    }

    /** Whether a line is kept as it was written: byte for byte, or where a byte is no character, as the engine has it. */
    static boolean isKept(String kept, String written) {
        int[] ends = agreement(kept, written);
        return ends[0] == kept.length() && ends[1] == written.length();
    }

    /** Whether what is kept is the first part of what was written. */
    static boolean isBegun(String kept, String written) {
        return agreement(kept, written)[0] == kept.length();
    }

    /**
     * Whether what is kept lacks at most so many pieces of what was written, anywhere.
     *
     * @param mayEnd whether the program may have ended before it had written all of it
     */
    static boolean isTorn(String kept, String written, long pieces, boolean mayEnd) {
        int[] ends = agreement(kept, written);
        if (ends[0] == kept.length()) {
            return mayEnd || pieces > 0 || ends[1] == written.length();
        }
        if (pieces == 0) {
            return false;
        }
        String rest = kept.substring(ends[0]);
        if (pieces == 1 && !mayEnd) {
            return written.substring(ends[1]).endsWith(rest);
        }
        long others = written.length() > MAX_SOUGHT ? 0 : Math.min(MAX_PIECES, pieces) - 1;
        for (int next = ends[1] + 1; next < written.length(); next++) {
            if (written.charAt(next) == rest.charAt(0) && isTorn(rest, written.substring(next), others, mayEnd)) {
                return true;
            }
        }
        return false;
    }

    /** How far the two agree, in the one and in the other. */
    private static int[] agreement(String kept, String written) {
        int inKept = 0;
        int inWritten = 0;
        while (inWritten < written.length() && inKept < kept.length()) {
            char next = written.charAt(inWritten);
            if (next >= 0x80 && kept.startsWith(REPLACEMENT, inKept)) {
                inKept += REPLACEMENT.length();
            } else if (kept.charAt(inKept) == next) {
                inKept++;
            } else {
                break;
            }
            inWritten++;
        }
        return new int[] {inKept, inWritten};
    }
}
