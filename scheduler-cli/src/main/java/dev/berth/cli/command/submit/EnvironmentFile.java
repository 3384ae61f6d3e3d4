package dev.berth.cli.command.submit;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A file of variables, read as Docker reads it: a line is {@code NAME=VALUE}, taken as it stands, or {@code NAME} for the
 * value that it has here; empty lines and those that begin with {@code #} say nothing. Unlike with Docker, a name
 * without a value here is refused. No value is ever part of a refusal.
 */
final class EnvironmentFile {
    private static final int MAX_BYTES = 1024 * 1024;
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private EnvironmentFile() {}

    /** Adds what the file says that an option names. */
    static void addTo(Map<String, String> variables, String option, String file, Map<String, String> here) {
        String[] lines = read(option, file).split("\n", -1);
        for (int at = 0; at < lines.length; at++) {
            String line = lines[at].endsWith("\r") ? lines[at].substring(0, lines[at].length() - 1) : lines[at];
            String entry = line.stripLeading();
            if (!entry.isEmpty() && entry.charAt(0) != '#') {
                add(variables, entry, here, option + ": " + file + " line " + (at + 1) + ": ");
            }
        }
    }

    private static void add(Map<String, String> variables, String entry, Map<String, String> here, String where) {
        int equals = entry.indexOf('=');
        String name = equals < 0 ? entry.stripTrailing() : entry.substring(0, equals);
        if (name.isEmpty()) {
            throw Failure.usage(where + "there is no name before the '='; write NAME=VALUE");
        }
        for (int at = 0; at < name.length(); at++) {
            if (Character.isWhitespace(name.charAt(at))) {
                throw Failure.usage(where + "the name before the '=' has a blank in it; write NAME=VALUE");
            }
        }
        String value = equals < 0 ? here.get(name) : entry.substring(equals + 1);
        if (value == null) {
            throw Failure.usage(where + name + " is not set here; write " + name + "=VALUE, or export it first");
        }
        variables.put(name, value);
    }

    private static String read(String option, String file) {
        try {
            Path path = Path.of(WorkingDirectory.checked(option, file));
            byte[] bytes = read(path);
            if (bytes.length > MAX_BYTES) {
                throw Failure.usage(option + ": '" + file + "' has more than " + MAX_BYTES
                        + " bytes; name a file of NAME=VALUE lines");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(java.nio.ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException notText) {
            throw Failure.usage(option + ": '" + file + "' is not text in UTF-8; name a file of NAME=VALUE lines");
        } catch (IOException | InvalidPathException unreadable) {
            throw Failure.usage(option + ": '" + file + "' cannot be read (" + unreadable.getMessage()
                    + "); name a file of NAME=VALUE lines");
        }
    }

    /** A byte more than is taken, at most: a device or a pipe says nothing of its size, and may have no end. */
    private static byte[] read(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            return in.readNBytes(MAX_BYTES + 1);
        }
    }
}
