package dev.berth.cli.program;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program's environment, byte for byte as this command got it but for what is put in: not all that stands in an
 * environment is text. Names and values are held as Latin 1, which keeps every byte.
 */
public final class ProgramVariables {
    private static final String LOCALE_ALL = "LC_ALL";
    private static final String LOCALE_LETTERS = "LC_CTYPE";

    private final Map<String, String> values = new LinkedHashMap<>();

    private ProgramVariables() {}

    /** The variables of this process, the locale as it was before the launcher made sure that Java understands it. */
    public static ProgramVariables own() {
        try {
            ProgramVariables own = of(Files.readAllBytes(Path.of("/proc/self/environ")));
            own.restore(LOCALE_ALL, System.getProperty("berth.locale.all"));
            own.restore(LOCALE_LETTERS, System.getProperty("berth.locale.ctype"));
            return own;
        } catch (IOException unreadable) {
            throw Failure.berth("NO_ENVIRONMENT", "/proc/self/environ cannot be read: " + unreadable.getMessage());
        }
    }

    static ProgramVariables of(byte[] block) {
        ProgramVariables variables = new ProgramVariables();
        for (String line : new String(block, StandardCharsets.ISO_8859_1).split("\0", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                variables.values.putIfAbsent(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return variables;
    }

    private void restore(String name, @Nullable String before) {
        if (before == null) {
            return;
        }
        if (before.isEmpty()) {
            values.remove(name);
        } else {
            values.put(name, before);
        }
    }

    /** Sets what it must have. */
    public void set(Map<String, String> must) {
        must.forEach((name, value) -> values.put(name, bytes(value)));
    }

    /** Sets what its user has not set. */
    public void setIfAbsent(Map<String, String> wanted) {
        wanted.forEach((name, value) -> values.putIfAbsent(name, bytes(value)));
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** As {@code NAME=VALUE}, in Latin 1. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        values.forEach((name, value) -> lines.add(name + "=" + value));
        return lines;
    }

    /** The lines that a shell would lose on the way to the program, because they are none that it could have set. */
    List<String> strangeLines() {
        return lines().stream()
                .filter(line -> !isPlain(line.substring(0, line.indexOf('='))))
                .toList();
    }

    private static boolean isPlain(String name) {
        for (int at = 0; at < name.length(); at++) {
            char next = name.charAt(at);
            boolean isLetter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_';
            if (!isLetter && (at == 0 || next < '0' || next > '9')) {
                return false;
            }
        }
        return true;
    }
}
