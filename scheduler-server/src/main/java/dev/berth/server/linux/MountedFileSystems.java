package dev.berth.server.linux;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The mounted file systems and where they are mounted, from {@code /proc/self/mountinfo} (proc(5)). Immutable. */
public record MountedFileSystems(List<Mounted> mounts) {
    private static final Path PROC = Path.of("/proc");
    private static final int ROOT = 3;
    private static final int POINT = 4;
    private static final int TYPE_BEHIND_SEPARATOR = 1;
    private static final int OPTIONS_BEHIND_SEPARATOR = 3;

    /** The types that are the kernel's own words and no files. */
    private static final Set<String> KERNEL_TYPES = Set.of(
            "proc",
            "sysfs",
            "cgroup",
            "cgroup2",
            "debugfs",
            "tracefs",
            "securityfs",
            "devtmpfs",
            "devpts",
            "pstore",
            "bpf",
            "nsfs",
            "configfs",
            "efivarfs",
            "fusectl",
            "mqueue",
            "binfmt_misc");

    /**
     * Mount.
     *
     * @param root what of the file system is mounted, as a path in it
     * @param point where, a character for each byte: Linux takes any bytes for a name, and users mount file systems too
     * @param options of the file system itself
     */
    public record Mounted(String root, String point, String type, List<String> options) {}

    public MountedFileSystems {
        mounts = List.copyOf(mounts);
    }

    /** Mounts of this process's mount namespace now. */
    public static MountedFileSystems now() throws IOException {
        return in(PROC);
    }

    /** Mounts as another directory shows it that is like {@code /proc}. */
    public static MountedFileSystems in(Path proc) throws IOException {
        return parse(Files.readAllLines(proc.resolve("self/mountinfo"), StandardCharsets.ISO_8859_1));
    }

    static MountedFileSystems parse(List<String> lines) {
        return new MountedFileSystems(
                lines.stream().flatMap(line -> parse(line).stream()).toList());
    }

    /** The first of the kernel's own file systems that is mounted somewhere below a directory. */
    public Optional<String> kernelsBelow(Path directory) {
        String bytes = bytes(directory);
        String above = bytes.endsWith("/") ? bytes : bytes + "/";
        return mounts.stream()
                .filter(mounted -> KERNEL_TYPES.contains(mounted.type()))
                .map(Mounted::point)
                .filter(point -> point.startsWith(above) && !point.equals(above))
                .findFirst();
    }

    /** A path, a character for each byte; its text has a mark in place of what is none in the machine's encoding. */
    static String bytes(Path path) {
        String escaped = path.toUri().getRawPath();
        String bytes = URLDecoder.decode(escaped.replace("+", "%2B"), StandardCharsets.ISO_8859_1);
        return bytes.length() > 1 && bytes.endsWith("/") ? bytes.substring(0, bytes.length() - 1) : bytes;
    }

    /** "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
    private static Optional<Mounted> parse(String line) {
        List<String> words = List.of(line.split(" "));
        int separator = words.indexOf("-");
        if (separator <= POINT || separator + OPTIONS_BEHIND_SEPARATOR >= words.size()) {
            return Optional.empty();
        }
        return Optional.of(new Mounted(
                unescaped(words.get(ROOT)),
                unescaped(words.get(POINT)),
                words.get(separator + TYPE_BEHIND_SEPARATOR),
                List.of(words.get(separator + OPTIONS_BEHIND_SEPARATOR).split(","))));
    }

    /** Blanks and the like stand there as three octal digits. */
    private static String unescaped(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
