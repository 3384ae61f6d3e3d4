package dev.berth.server.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;

/** Small files of {@code /proc} and {@code /sys}; one that is missing or says something else tells nothing. */
final class KernelFiles {
    private KernelFiles() {}

    static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            // Many of them are there on some kernels and in some containers only.
            return Optional.empty();
        }
    }

    static List<String> lines(Path file) {
        return text(file).map(text -> text.lines().toList()).orElse(List.of());
    }

    static Optional<NavigableSet<Integer>> list(Path file) {
        return text(file).flatMap(KernelList::parse);
    }

    /** The text that follows a word at the beginning of a line, as in {@code MemTotal: 24684084 kB}. */
    static Optional<String> field(Path file, String word) {
        return lines(file).stream()
                .filter(line -> line.startsWith(word))
                .map(line -> line.substring(word.length()).strip())
                .findFirst();
    }

    /** A number; nothing for "max", and for one that is longer than a long is. */
    static Optional<Long> number(String text) {
        return text.matches("\\d{1,18}") ? Optional.of(Long.valueOf(text)) : Optional.empty();
    }
}
