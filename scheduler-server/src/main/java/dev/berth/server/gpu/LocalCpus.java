package dev.berth.server.gpu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The cores near a GPU, as the kernel tells them (Linux, Documentation/ABI/testing/sysfs-bus-pci, {@code
 * local_cpulist}).
 *
 * @param root of sysfs
 */
public record LocalCpus(Path root) {
    /** As NVML writes it: {@code 00000000:01:00.0}. */
    private static final Pattern BUS_ID =
            Pattern.compile("([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\\.([0-7])");

    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    /** More than any kernel is built for (Linux, NR_CPUS). */
    private static final int MAX_CPUS = 1 << 16;

    public static LocalCpus ofThisMachine() {
        return new LocalCpus(Path.of("/sys"));
    }

    /** In ascending order; empty where it is not known. */
    public List<Integer> of(String pciBusId) {
        Matcher match = BUS_ID.matcher(pciBusId);
        if (!match.matches()) {
            return List.of();
        }
        String directory = "%04x:%s:%s.%s"
                .formatted(Long.parseLong(match.group(1), 16), match.group(2), match.group(3), match.group(4))
                .toLowerCase(Locale.ROOT);
        try {
            return parse(Files.readString(
                            root.resolve("bus/pci/devices").resolve(directory).resolve("local_cpulist"),
                            StandardCharsets.US_ASCII)
                    .strip());
        } catch (IOException e) {
            return List.of();
        }
    }

    /** {@code 0-15,32-47}. */
    static List<Integer> parse(String list) {
        List<Integer> cpus = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            Matcher range = RANGE.matcher(part.strip());
            if (!range.matches()) {
                return List.of();
            }
            int first = Integer.parseInt(range.group(1));
            int last =
                    Optional.ofNullable(range.group(2)).map(Integer::parseInt).orElse(first);
            if (last < first || last >= MAX_CPUS) {
                return List.of();
            }
            IntStream.rangeClosed(first, last).forEach(cpus::add);
        }
        return cpus.stream().sorted().distinct().toList();
    }
}
