package dev.berth.cli.program;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The open files that this command was started with, which are its program's too: the shell's <(...) is one of those. All
 * others are the command's own, and no business of the program's. To be taken before anything is opened.
 *
 * @param inherited by their numbers
 */
public record Descriptors(Set<Integer> inherited) {
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final int FIRST_OF_SHELLS = 3;
    private static final int LAST_OF_SHELLS = 9;

    /** The descriptors that are open now, but for what the Java runtime and this command's own files are read by. */
    public static Descriptors now() {
        String java = System.getProperty("java.home", "");
        String own = System.getProperty("berth.home", "");
        Set<Integer> inherited = new HashSet<>();
        for (int number : open()) {
            String target = target(number);
            boolean isOurs = target.isEmpty()
                    || (!java.isEmpty() && target.startsWith(java))
                    || (!own.isEmpty() && target.startsWith(own + "/lib/"))
                    || target.startsWith("/proc/");
            if (!isOurs) {
                inherited.add(number);
            }
        }
        return new Descriptors(Set.copyOf(inherited));
    }

    /** A number of one digit, which is what a shell can name, that is free in the program; -1 where there is none. */
    int free() {
        for (int number = FIRST_OF_SHELLS; number <= LAST_OF_SHELLS; number++) {
            if (!inherited.contains(number)) {
                return number;
            }
        }
        return -1;
    }

    static Set<Integer> open() {
        Set<Integer> numbers = new HashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(OPEN)) {
            for (Path entry : entries) {
                numbers.add(Integer.parseInt(String.valueOf(entry.getFileName())));
            }
        } catch (IOException unreadable) {
            return Set.of();
        }
        return numbers;
    }

    private static String target(int number) {
        try {
            return Files.readSymbolicLink(OPEN.resolve(Integer.toString(number)))
                    .toString();
        } catch (IOException closed) {
            return "";
        }
    }
}
