package dev.berth.server.runner.host;

import dev.berth.server.linux.ProcessKey;
import org.jspecify.annotations.Nullable;

/**
 * What a client says it has started.
 *
 * @param program the program, or the shell that a lease is for
 * @param command the client itself, which will tell the exit code; null for a shell's lease, whose client ends
 */
public record Started(
        int attempt, ProcessKey program, @Nullable ProcessKey command) {
    public boolean isShell() {
        return command == null;
    }
}
