package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Locks of files and who holds them, from {@code /proc/locks} (proc(5)). Those of processes we cannot see are not in it. */
public record KernelLocks(Path file) {
    private static final Path OF_THE_KERNEL = Path.of("/proc/locks");
    private static final String POSIX = "POSIX";
    private static final int PID = 4;
    private static final int PLACE = 5;

    public static KernelLocks ofThisMachine() {
        return new KernelLocks(OF_THE_KERNEL);
    }

    /** The process that holds a POSIX lock of this file. */
    public OptionalLong holder(FileStatus wanted) {
        String place = place(wanted.device(), wanted.inode());
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(words -> words.length > PLACE && words[1].equals(POSIX))
                    .filter(words -> words[PLACE].equals(place))
                    .mapToLong(words -> number(words[PID]))
                    .filter(pid -> pid > 0)
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** As the kernel names it there: the two halves of the device in hexadecimal, and the inode. */
    private static String place(long device, long inode) {
        long major = ((device >> 8) & 0xfff) | ((device >> 32) & ~0xfffL);
        long minor = (device & 0xff) | ((device >> 12) & ~0xffL);
        return "%02x:%02x:%d".formatted(major, minor, inode);
    }

    private static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }
}
