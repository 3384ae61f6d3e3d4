package dev.berth.server.store.track;

import dev.berth.server.store.database.ReadConnections;
import dev.berth.server.store.database.ReadConnections.Query;
import dev.berth.server.store.database.StoreException;
import java.nio.file.Path;

/** The connections that read what programs told; what goes wrong on them is known as of this database. Safe for any thread. */
final class TrackReaders implements AutoCloseable {
    private final ReadConnections connections;

    TrackReaders(Path file) {
        try {
            this.connections = new ReadConnections(file, _ -> {});
        } catch (StoreException e) {
            throw TrackingException.of(e);
        }
    }

    <T> T ask(Query<T> query) {
        try {
            return connections.ask(query);
        } catch (StoreException e) {
            throw TrackingException.of(e);
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
