package dev.berth.core.job;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A signal that a program may be sent while it runs, with Linux's number (signal(7), x86-64 and arm64). None that it cannot
 * take note of.
 */
public enum Signal {
    HUP(1),
    INT(2),
    QUIT(3),
    USR1(10),
    USR2(12),
    ALRM(14),
    TERM(15),
    CONT(18),
    WINCH(28);

    private static final String PREFIX = "SIG";

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The name in full, such as {@code SIGUSR1}. */
    public String inFull() {
        return PREFIX + name();
    }

    /**
     * The signal of this name, with or without SIG, or of this number.
     *
     * @throws IllegalArgumentException whose message says what there is
     */
    public static Signal parse(String text) {
        String word = text.toUpperCase(Locale.ROOT);
        String name = word.startsWith(PREFIX) ? word.substring(PREFIX.length()) : word;
        return Arrays.stream(values())
                .filter(signal -> signal.name().equals(name)
                        || Integer.toString(signal.number).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("must name one of " + names()));
    }

    /** All names, for people. */
    public static String names() {
        return Arrays.stream(values()).map(Signal::name).collect(Collectors.joining(", "));
    }
}
