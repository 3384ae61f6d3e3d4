package dev.berth.server.mount;

import java.nio.file.Path;
import java.util.List;

/**
 * Sources that the engine may mount until this is closed; a container that has started keeps what it has.
 *
 * @param sources in the order in which they were asked for
 */
public record Granted(List<Source> sources, Runnable end) implements AutoCloseable {
    /** A path that nobody but root can lead elsewhere. */
    public record Source(Path path, String target, boolean readOnly) {}

    static final Granted NOTHING = new Granted(List.of(), () -> {});

    public Granted {
        sources = List.copyOf(sources);
    }

    @Override
    public void close() {
        end.run();
    }
}
