package dev.berth.server.cpu;

import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as the kernel writes them: {@code 0-3,8,10-11} (cpuset(7), "Formats"). */
final class KernelList {
    /** More than any kernel is built for ({@code CONFIG_NR_CPUS}). */
    private static final int MAX = 65_536;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    private KernelList() {}

    /** The numbers, none for an empty text; nothing where it is no such list. */
    static Optional<NavigableSet<Integer>> parse(String text) {
        NavigableSet<Integer> numbers = new TreeSet<>();
        for (String part : text.isBlank() ? new String[0] : text.strip().split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                return Optional.empty();
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last < first || last > MAX) {
                return Optional.empty();
            }
            for (int number = first; number <= last; number++) {
                numbers.add(number);
            }
        }
        return Optional.of(numbers);
    }
}
