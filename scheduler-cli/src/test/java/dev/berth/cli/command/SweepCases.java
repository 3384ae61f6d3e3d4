package dev.berth.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Table of sweep files and what comes of them, in the form that {@code sweep/expansions.txt} tells. */
final class SweepCases {
    private SweepCases() {}

    /** A case; its title is what a test shows. */
    record Case(String title, Map<String, String> files, String expected) {
        void writeTo(Path directory) throws IOException {
            for (Map.Entry<String, String> file : files.entrySet()) {
                Path path = directory.resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            }
        }

        @Override
        public String toString() {
            return title;
        }
    }

    static List<Case> of(String resource) {
        try (InputStream in = Objects.requireNonNull(SweepCases.class.getResourceAsStream(resource))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("{ESCAPE}", "\u001b")
                    .replace("{LONG}", "é".repeat(130));
            List<Case> cases = new ArrayList<>();
            String[] parts = text.split("(?m)^#### ");
            for (int at = 1; at < parts.length; at++) {
                cases.add(read(parts[at]));
            }
            return cases;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Case read(String text) {
        int title = text.indexOf('\n');
        int end = text.indexOf(">>>>\n");
        String[] files = text.substring(title + 1, end).split("(?m)^@@@@ ");
        Map<String, String> byName = new LinkedHashMap<>(Map.of("sweep.yml", files[0]));
        for (int at = 1; at < files.length; at++) {
            int name = files[at].indexOf('\n');
            byName.put(files[at].substring(0, name), files[at].substring(name + 1));
        }
        return new Case(text.substring(0, title), byName, text.substring(end + 5));
    }
}
