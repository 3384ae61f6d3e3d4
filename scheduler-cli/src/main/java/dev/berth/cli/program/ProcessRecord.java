package dev.berth.cli.program;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The kernel's record of a process in {@code /proc/PID/stat} (proc(5)).
 *
 * @param group its process group
 * @param foreground the group in the foreground of its terminal, -1 without a terminal
 * @param startTicks when it began, in clock ticks since the machine's start
 */
public record ProcessRecord(long pid, long parent, long group, long foreground, long startTicks) {
    private static final int GROUP = 2;
    private static final int FOREGROUND = 5;
    private static final int START = 19;

    /** A process that is there. */
    public static ProcessRecord of(long pid) {
        try {
            String text = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = text.substring(text.lastIndexOf(')') + 1).strip().split(" ", -1);
            return new ProcessRecord(
                    pid,
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[GROUP]),
                    Long.parseLong(fields[FOREGROUND]),
                    Long.parseLong(fields[START]));
        } catch (IOException | RuntimeException unknown) {
            throw Failure.berth("NO_PROCESS", "process " + pid + " is not there: " + unknown.getMessage());
        }
    }

    /** The record of this process. */
    public static ProcessRecord own() {
        return of(ProcessHandle.current().pid());
    }
}
