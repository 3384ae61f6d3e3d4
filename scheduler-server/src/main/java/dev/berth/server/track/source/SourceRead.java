package dev.berth.server.track.source;

import org.jspecify.annotations.Nullable;

/**
 * How far a file was read.
 *
 * @param position where the next reading begins: a byte's offset or a number of rows, as the reader says
 * @param hasMore whether there may be more to read at once, because the reading ended at its bound
 * @param stop why the file must not be read again; null where it is to be read on when it has grown
 */
public record SourceRead(
        long position, boolean hasMore, @Nullable Problem stop) {
    static SourceRead whole(long position) {
        return new SourceRead(position, false, null);
    }

    static SourceRead bounded(long position) {
        return new SourceRead(position, true, null);
    }

    static SourceRead stopped(long position, Problem.Kind kind) {
        return new SourceRead(position, false, Problem.of(kind, ""));
    }
}
