package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handed;

/** Links by which a pod fetches the directory of its attempt, and nothing else, from this server. */
@FunctionalInterface
public interface SnapshotLinks {
    /**
     * The path and query below the server's address, with whatever proves the right to it. What is there is an uncompressed tar
     * archive, as {@code Snapshot.writeTo} writes it. The same attempt may be given another link each time.
     */
    String link(Handed handed);
}
