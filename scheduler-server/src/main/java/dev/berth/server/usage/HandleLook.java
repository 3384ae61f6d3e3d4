package dev.berth.server.usage;

import java.nio.file.Path;
import java.util.Arrays;

/** What the JDK knows of a process: not in which container it is, and so not whose job. */
public final class HandleLook implements ProcessLook {
    private static final int MAX_LENGTH = 1_000;

    @Override
    public Seen look(long pid) {
        ProcessHandle.Info info = ProcessHandle.of(pid).map(ProcessHandle::info).orElse(null);
        if (info == null) {
            return new Seen("?", "?", "?", null, null);
        }
        String command = info.command().map(HandleLook::base).orElse("?");
        String arguments = Arrays.stream(info.arguments().orElseGet(() -> new String[0]))
                .reduce("", (line, one) -> line + " " + one);
        String line = command + arguments;
        return new Seen(
                info.user().orElse("?"),
                command,
                line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) : line,
                null,
                null);
    }

    private static String base(String path) {
        Path name = Path.of(path).getFileName();
        return name == null ? path : name.toString();
    }

    @Override
    public boolean tellsJobs() {
        return false;
    }
}
